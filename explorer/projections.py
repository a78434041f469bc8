"""Projections: of all states that have one value of a function, keep the first that is found, as TLC's VIEW does."""

from __future__ import annotations

from ..language.errors import UsageError, suggest_name
from ..language.model import Model, Projection
from .search import Search


def projection_of(model: Model, search: Search) -> Projection | None:
    """The projection that the search asks for; None where it asks for none. UsageError where the model has none of that
    name, where it reads a ghost that was folded away, and where one worker without symmetry is not what searches: the
    counts would depend on which state of a value is found first."""
    if search.projection is None:
        return None
    found = {projection.name: projection for projection in model.projections}.get(search.projection)
    if found is None:
        known = suggest_name(search.projection, [projection.name for projection in model.projections])
        raise UsageError(
            f"{model.name} has no @projection {search.projection}; {known or 'a function marked @projection makes one'}"
        )
    if found.form is None:
        ghosts = ", ".join(sorted(found.ghosts))
        raise UsageError(f"@projection {found.name} reads the ghost {ghosts}, which is left out; --ghosts keeps it")
    if search.symmetry or search.workers > 1:
        option = "--symmetry" if search.symmetry else "--workers"
        raise UsageError(
            f"--projection and {option} exclude each other: which state is kept for a value would depend on both"
        )
    return found


def refuse_projection(search: Search, engine: str) -> None:
    """UsageError where a search asks for a projection of an engine that does not keep states one by one."""
    if search.projection is not None:
        raise UsageError(f"--projection is for --engine native and --engine python, not {engine}")
