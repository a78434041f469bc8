"""What came of a trace of controllers, as a document."""

from __future__ import annotations

from collections.abc import Sequence

from .nodes import CLOCKS
from .quorum import QuorumPlan
from .quorum_driver import Observed, shown
from .stages import Document, Taken, step_document
from .voters import TIMEOUTS

_SETTINGS = ("voters", "pre_vote", "check_quorum")


def of_quorum(head: Document, plan: QuorumPlan, taken: Sequence[Taken], seconds: float) -> Document:
    """What came out: confirmed where every step came about, and with it what the trace's property says."""
    parted = taken[-1] if taken and taken[-1].otherwise is not None else None
    values = {name: plan.model.values[name] for name in _SETTINGS}
    return head | {
        "result": "confirmed" if parted is None else "not_confirmed",
        "why": f"every step came about: {plan.seen}"
        if parted is None
        else f"at step {parted.stage.first} the controllers did otherwise",
        "step": None if parted is None else parted.stage.first,
        "order": list(range(1, len(list(plan.run.start.log)) + 1)),
        "settings": {name: getattr(value, "value", value) for name, value in values.items()},
        "clocks": {**{name: CLOCKS[name] for name in CLOCKS if name.startswith("controller.")}, **TIMEOUTS},
        "skipped": [],
        "steps": [step_document(one, _shown) for one in taken],
        "not_taken": [stage.first for stage in plan.stages[len(taken) :]],
        "acknowledged": [],
        "read": None,
        "leader": None,
        "seconds": seconds,
    }


def _shown(seen: Observed) -> Document:
    return {"controllers": {str(voter): shown(one) for voter, one in seen.items()}}
