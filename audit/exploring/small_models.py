"""Explorations of models that are small enough for plain Python, each made once and kept beside the partition's cases.

Most of what such an exploration takes is reading the model's text, so that what it found is worth a file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from ...explorer import ENGINES
from ...explorer.cache import write_whole
from ...explorer.search import Search
from ...invariants.catalogue import find
from ...language.constants import Value
from ...language.immutable import immutable
from ...language.model import Model
from ...language.verdict import PropertyVerdict
from ..cluster.findings import ModelRun
from .digest import answers_digest

_folder: ContextVar[Path | None] = ContextVar("folder", default=None)


@contextmanager
def results_kept_in(folder: Path | None) -> Generator[None]:
    """Within it, what is found is kept in a folder, and taken from there (None: nothing is)."""
    token = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(token)


@immutable
class SmallResult:
    """The steps of the shortest run to each property that fails, and how many states there are."""

    steps: Mapping[str, int]
    states: int


@immutable
class SmallModel:
    """What is explored: a model with values over those of a profile (None: of the defaults), which properties are
    asked, the actions without which nothing would be said, and what explores it."""

    model: str
    values: Mapping[str, Value | str]
    properties: Sequence[str]
    needed_actions: frozenset[str]
    profile: str | None = None
    engine: str = "python"

    @property
    def key(self) -> str:
        """A name for what it finds."""
        values = sorted((name, str(value)) for name, value in self.values.items())
        said = [
            answers_digest(),
            self.model,
            values,
            list(self.properties),
            sorted(self.needed_actions),
            self.profile,
            self.engine,
        ]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def explore_small_model(small: SmallModel) -> SmallResult:
    """What an exploration finds; RuntimeError where it did not end, or where nothing of what is wanted happened."""
    folder = _folder.get()
    path = None if folder is None else folder / "audit" / f"small-{small.key}.json"
    kept = None if path is None else _read_result(path)
    if kept is not None:
        return kept
    found = _explore_small_model(small)
    if path is not None:
        write_whole(path, json.dumps({"steps": dict(found.steps), "states": found.states}).encode())
    return found


def run_of_finding(model_run: ModelRun) -> tuple[Model, PropertyVerdict]:
    """The shortest run to what a finding says, explored anew, and the model that has it."""
    definition, profile = find(model_run.model)
    model = definition.bind(model_run.model, dict(model_run.values), profile, properties=[model_run.fails])
    (found,) = ENGINES["native"](model, Search(deadlocks=False), None).properties
    return model, found


def _read_result(path: Path) -> SmallResult | None:
    """What is kept there; None if nothing is that can be read."""
    try:
        kept: Any = json.loads(path.read_text(encoding="utf-8"))
        return SmallResult({str(name): int(steps) for name, steps in kept["steps"].items()}, int(kept["states"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _explore_small_model(small: SmallModel) -> SmallResult:
    definition, _ = find(small.model)
    bound = definition.bind(small.model, small.values, small.profile, properties=list(small.properties))
    verdict = ENGINES[small.engine](bound, Search(keep_going=True, deadlocks=False), None)
    if verdict.is_interrupted:
        raise KeyboardInterrupt
    said = {prop.name: prop.verdict for prop in verdict.properties}
    happened = {action.name for action in verdict.actions if action.firings}
    if (
        not set(said.values()) <= {"holds", "violated"}
        or not small.needed_actions <= happened
        or not verdict.distinct_states
    ):
        raise RuntimeError(f"{small.model} was not explored to its end with {small.values}: {said}; please report it")
    steps = {prop.name: len(prop.run.steps) for prop in verdict.properties if prop.verdict == "violated" and prop.run}
    return SmallResult(steps, verdict.distinct_states)
