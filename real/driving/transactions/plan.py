"""A trace of transactions: which release takes it, and what each of its steps is on real brokers.

The driver is the producer: it sends what a client sends, one request after the other, and a request that is late is one
that it sends late. The coordinator, its log, its markers, the leaders of partitions and what they keep are real."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from ....audit.kafka.transactions import BEFORE_VERSION_2, WITH_VERSION_2
from ....audit.kafka.versions import releases_meant
from ....invariants.catalogue import find
from ....language import judge
from ....language.constants import Value
from ....language.immutable import immutable
from ....language.model import Model
from ....language.verdict import Run
from ..fitting import (
    DrivenTrace,
    ModelRefusesError,
    UndrivableError,
    constant_texts,
    describe_end,
    plan_newest,
    replay_trace,
)
from ..stages import Kind, Stage, stage_fields

MODEL = "transactions"
KINDS: Mapping[str, Kind] = {
    "init_producer": "commanded",
    "bump_epoch": "commanded",
    "bump_is_answered_again": "commanded",
    "fence": "commanded",
    "begin": "commanded",
    "add_partition": "commanded",
    "produce": "commanded",
    "end": "commanded",
    "end_is_answered": "commanded",
    "end_without_partitions": "commanded",
    "stop": "commanded",
    "is_fenced": "commanded",
    "give_up_init": "commanded",
    "give_up_add": "commanded",
    "give_up_produce": "commanded",
    "give_up_end": "commanded",
    "late_init_arrives": "commanded",
    "late_init_fences": "commanded",
    "late_bump_is_answered_again": "commanded",
    "late_add_arrives": "commanded",
    "late_produce_arrives": "commanded",
    "late_end_arrives": "commanded",
    "repeat_marker": "commanded",
    "late_marker_arrives": "commanded",
    "write_marker": "permitted",
    "complete": "awaited",
    "time_out": "commanded",
    "fail_over": "commanded",
    "read": "commanded",
}
"""The actions that real brokers can be brought to, and how."""
_INSIDE = "it is within a broker, where no gate reaches"
WHY_NOT: Mapping[str, str] = {
    "late_produce_adds": "a leader adds a partition and appends the write by itself; no gate is between the two",
    "verify_late_produce": _INSIDE,
    "append_verified": _INSIDE,
    "log_commits": _INSIDE,
    "load": _INSIDE,
    "write_fence": _INSIDE,
    "former_learns": _INSIDE,
    "replicate": _INSIDE,
    "look": "no release from 3.3 on has it",
    "read_what_was_looked_for": "no release from 3.3 on has it",
    "forget": "no release from 3.3 on forgets a producer with its records, and the driver waits for no day",
    "expire": "an id expires after days",
    "lose_log": "the driver cuts no log of coordinators",
    "fence_fails": "the driver cannot have the log of a coordinator fail",
}
VERSION_2 = (4, 0)
"""Since when there is transaction version 2 (KIP-890)."""
_OF_CLIENTS = ("after_failure", "lumped")
"""What a client decides, and what changes no behaviour: as the trace has it on each release."""


@immutable
class TransactionsPlan:
    """A run as stages, on a release; `shows` is what it shows in the end, in words."""

    kafka: str
    model: Model
    run: Run
    stages: tuple[Stage, ...]
    shows: str
    version_2: bool


def plan_trace(trace: DrivenTrace, asked_release: str | None, *, anyway: bool = False) -> TransactionsPlan:
    """A trace on the release that is given, or on the newest known one that takes it. UndrivableError where none
    does. `anyway`: as the trace's own model has it, on the release that is given, to see where that does otherwise."""
    return plan_newest(
        asked_release,
        lambda kafka: _plan_of_model(trace, kafka, bind_to_release(trace, kafka)),
        (lambda kafka: _plan_of_model(trace, kafka, _bind_trace_model(trace, {}))) if anyway else None,
    )


def _plan_of_model(trace: DrivenTrace, kafka: str, model: Model) -> TransactionsPlan:
    if releases_meant(kafka)[0][:2] < (3, 3):
        raise UndrivableError(f"Kafka {kafka} has no KRaft for production; 3.3 and later can be driven")
    if str(getattr(model.values["checks"], "name", "ALL")) != "ALL":
        raise UndrivableError("it is about commits of offsets, and the driver writes records")
    run = replay_trace(model, next(judge.initial_states(model)), trace, kafka)
    stages = tuple(_stages_of_run(model, run))
    version_2 = bool(model.values["bump_every_time"]) and releases_meant(kafka)[0][:2] >= VERSION_2
    return TransactionsPlan(kafka, model, run, stages, describe_end(model, run, kafka), version_2)


def _stages_of_run(model: Model, run: Run) -> Iterator[Stage]:
    for at, step in enumerate(run.steps):
        if step.action not in KINDS:
            raise UndrivableError(f"{step.action}: {WHY_NOT.get(step.action, 'the driver has no such step')}", at + 1)
        if run.states()[at + 1].memory.rotates:
            raise UndrivableError(f"{step.action}: it takes the last of 32,768 epochs", at + 1)
        yield Stage(**stage_fields(model, run, at, at, KINDS[step.action]))


@cache
def _switch_names() -> frozenset[str]:
    """What profiles set: the switches of releases, but for what is a client's."""
    profiles = find(MODEL)[0].profiles
    return frozenset(name for profile in profiles.values() for name in profile) - {*_OF_CLIENTS}


def bind_to_release(trace: DrivenTrace, kafka: str) -> Model:
    """The model of transactions as a release has it, with a trace's bounds, and of version 2 where the trace is.
    UndrivableError where the release has no version 2."""
    version_2 = str(trace.bounds.get("bump_every_time", "true")).lower() == "true"
    if version_2 and releases_meant(kafka)[0][:2] < VERSION_2:
        raise ModelRefusesError(f"it is of transaction version 2, which Kafka {kafka} has not; 4.0 is the first")
    rows = WITH_VERSION_2 if version_2 else BEFORE_VERSION_2
    profile = [row.records for row in rows if releases_meant(row.since)[0] <= releases_meant(kafka)[0]][-1]
    definition = find(MODEL)[0]
    made: dict[str, Value | str] = {name: definition.constants[name].default for name in _switch_names()}
    of_release = definition.profiles[profile]
    made |= {name: value for name, value in of_release.items() if name not in _OF_CLIENTS}
    return _bind_trace_model(trace, made)


def _bind_trace_model(trace: DrivenTrace, constants: Mapping[str, Value | str]) -> Model:
    names = (trace.property,) if trace.property else ()
    texts = constant_texts({**trace.bounds, **constants})
    return find(MODEL)[0].bind(MODEL, constants=texts, profile=None, ghosts=True, properties=names)
