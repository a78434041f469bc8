"""What came of a trace whose steps are all that counts: of controllers, of transactions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...language.immutable import immutable
from .stages import Document, Stage, Taken, step_document


@immutable
class Driven:
    """What was driven: its stages, what the trace shows in the end, who took it in the words of people, their numbers,
    the settings and clocks, and how what is seen is shown."""

    stages: Sequence[Stage]
    shows: str
    who: str
    order: Sequence[int]
    settings: Mapping[str, Any]
    clocks: Mapping[str, int]
    shown: Callable[[Any], Document]


def of_steps(head: Document, driven: Driven, taken: Sequence[Taken], seconds: float) -> Document:
    """What came out: confirmed where every step came about, and with it what the trace's property says."""
    parted = taken[-1] if taken and taken[-1].otherwise is not None else None
    return head | {
        "result": "confirmed" if parted is None else "not_confirmed",
        "why": f"every step came about: {driven.shows}"
        if parted is None
        else f"at step {parted.stage.first} the {driven.who} did otherwise",
        "step": None if parted is None else parted.stage.first,
        "order": list(driven.order),
        "settings": {name: getattr(value, "value", value) for name, value in driven.settings.items()},
        "clocks": dict(driven.clocks),
        "skipped": [],
        "steps": [step_document(one, driven.shown) for one in taken],
        "not_taken": [stage.first for stage in driven.stages[len(taken) :]],
        "acknowledged": [],
        "read": None,
        "leader": None,
        "seconds": seconds,
    }
