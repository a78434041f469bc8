"""Short runs of a model, and what becomes true along them."""

from __future__ import annotations

from tidegate.language.judge import holds, run_text
from tidegate.language.model import Model


def truths(model: Model, text: str, name: str) -> list[bool]:
    """Whether an invariant or a witness is true in each state of a run."""
    (prop,) = [prop for prop in model.properties if prop.name == name]
    return [holds(model, prop, state) for state in run_text(model, text).states()]
