"""The part of ruamel.yaml that this project uses, typed."""

from collections.abc import Iterator

from .nodes import Node

class YAML:
    def __init__(self, *, typ: str = ..., pure: bool = ...) -> None: ...
    def compose_all(self, stream: str) -> Iterator[Node | None]: ...
