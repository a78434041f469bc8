"""The part of fast-sugiyama that this project uses, typed; its own types are of what it can do besides."""

from collections.abc import Iterable

Layout = tuple[list[tuple[int, tuple[float, float]]], float, float, object]

def from_edges(
    edges: Iterable[tuple[int, int]], *, vertex_spacing: float = ..., dummy_vertices: bool = ...
) -> Iterable[Layout]: ...
