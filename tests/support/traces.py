"""Trace documents for the tests of exports: counterexamples of shipped models, and walks of any model."""

from __future__ import annotations

import random
from functools import cache

from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.invariants.catalogue import find
from tidegate.language.binding import load
from tidegate.language.judge import initial_states, steps
from tidegate.language.model import Model
from tidegate.language.verdict import Run, Step
from tidegate.reports.document import Document
from tidegate.traces.document import run_document, trace_document

from ..conftest import ROOT


def bind_model(name: str, properties: tuple[str, ...] | None = None, **constants: int | bool | str) -> Model:
    """A shipped model, or one of examples/ or of the fixtures by its path."""
    texts = {key: str(value) for key, value in constants.items()}
    path, _, profile = name.partition(":")
    if path.endswith(".py"):
        return load(ROOT / path).bind(name, texts, profile or None, properties=properties)
    definition, found = find(name)
    ghosts = bool(constants.pop("ghosts", False))
    return definition.bind(name, texts, found, ghosts=ghosts, properties=properties)


@cache
def counterexample(name: str, prop: str, engine: str = "native") -> Document:
    """The document of the shortest counterexample of a property at the defaults."""
    model = bind_model(name, (prop,))
    verdict = ENGINES[engine](model, Search(), None)
    shown = next(property_ for property_ in verdict.properties if property_.name == prop)
    return trace_document(model, shown if shown.run is not None else verdict.failure or shown)


def walk(model: Model, length: int, seed: int) -> Run:
    """A run of at most so many steps, each drawn from those that are enabled."""
    draw = random.Random(seed)
    state = start = draw.choice(list(initial_states(model)))
    taken: list[Step] = []
    while len(taken) < length and (enabled := list(steps(model, state))):
        taken.append(draw.choice(enabled))
        state = taken[-1].state_after
    return Run(start, tuple(taken))


def walk_model(model: Model, length: int, seed: int) -> tuple[Run, Document]:
    """A walk with its document."""
    run = walk(model, length, seed)
    return run, run_document(model, run)
