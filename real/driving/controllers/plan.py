"""A trace of controllers, `kraft`: which release takes it, and what each of its steps is on real controllers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ....audit.kafka.versions import releases_meant
from ....invariants.kraft import modules as claims
from ....language import judge
from ....language.binding import Definition, load
from ....language.constants import Value
from ....language.immutable import immutable
from ....language.model import Model
from ....language.values import State
from ....language.verdict import Run, Step
from ....model import kraft
from ..fitting import DrivenTrace, UndrivableError, constant_texts, describe_end, plan_newest, replay_trace
from ..stages import Kind, Stage, stage_fields

MODEL = "kraft"
KINDS: Mapping[str, Kind] = {
    "election_timeout": "commanded",
    "fetch_timeout": "commanded",
    "end_quorum_epoch": "permitted",
    "ask_for_pre_vote": "permitted",
    "give_up": "commanded",
    "vote": "permitted",
    "refuse_vote": "permitted",
    "begin_quorum_epoch": "permitted",
    "hear_from": "permitted",
    "resign": "commanded",
    "let_time_pass": "commanded",
    "resign_unheard": "awaited",
    "write": "commanded",
    "fetch": "permitted",
    "truncate": "permitted",
    "restart": "commanded",
    "replace_disk": "commanded",
}
"""The actions that real controllers can be brought to, and how."""
_SNAPSHOTS = "snapshots are off where controllers are driven"
_BROKERS = "brokers are not driven beside controllers"
_MESSAGES = "a request and its answer are one step where controllers are driven"
WHY_NOT: Mapping[str, str] = {
    **dict.fromkeys(("take_snapshot", "delete_records", "load_snapshot", "load_snapshot_of"), _SNAPSHOTS),
    "hear_that_it_leads": "no release from 3.3 on takes it for impossible",
    "hear_who_leads": "no gate tells such an answer from another one",
    **dict.fromkeys(("apply", "register", "hear_broker_epoch"), _BROKERS),
    **dict.fromkeys(("receive_fetched", "hear_of_epoch", "send_vote_request", "receive_vote_request"), _MESSAGES),
    **dict.fromkeys(("receive_vote_response", "send_begin_quorum_epoch", "receive_begin_quorum_epoch"), _MESSAGES),
    **dict.fromkeys(("send_end_quorum_epoch", "receive_end_quorum_epoch", "receive_response", "lose"), _MESSAGES),
    **dict.fromkeys(("send_fetch", "receive_fetch", "receive_fetch_response", "duplicate"), _MESSAGES),
}
"""The others, and why not."""
PRE_VOTE, CHECK_QUORUM = (4, 0), (3, 7)
"""Since when voters ask first (KIP-996), and since when leaders without a majority resign (KAFKA-15489)."""
AWAITS_EPOCH_START = (3, 6)
"""Since when the leader of an empty log is active only once its epoch's start is committed (KAFKA-15345)."""
_ASKING = ("CANDIDATE", "PROSPECTIVE", "LEADER", "RESIGNED", "FOLLOWER")


@immutable
class ControllersPlan:
    """A run as stages, on a release; `shows` is what it shows in the end, in words."""

    kafka: str
    model: Model
    run: Run
    stages: tuple[Stage, ...]
    shows: str


@cache
def _kraft_definition() -> Definition:
    return load(kraft, tuple(claims))


def plan_trace(trace: DrivenTrace, asked_release: str | None, *, anyway: bool = False) -> ControllersPlan:
    """A trace on the release that is given, or on the newest known one that takes it. UndrivableError where none
    does. `anyway`: as the trace's own model has it, on the release that is given, to see where that does otherwise."""
    return plan_newest(
        asked_release,
        lambda kafka: _plan_of_model(trace, kafka, model_of(trace, kafka)),
        (lambda kafka: _plan_of_model(trace, kafka, _bind_trace_model(trace, {}))) if anyway else None,
    )


def _plan_of_model(trace: DrivenTrace, kafka: str, model: Model) -> ControllersPlan:
    if releases_meant(kafka)[0][:2] < (3, 3):
        raise UndrivableError(f"Kafka {kafka} has no KRaft for production; 3.3 and later can be driven")
    run = replay_trace(model, next(judge.initial_states(model)), trace, kafka)
    stages = tuple(_stages_of_run(model, run, kafka))
    return ControllersPlan(kafka, model, run, stages, describe_end(model, run, kafka))


def model_of(trace: DrivenTrace, kafka: str, *, ghosts: bool = True) -> Model:
    """The model with the trace's bounds and the release's switches; voters are known by their numbers alone, as where
    controller.quorum.voters names them. Without `ghosts` it has no field that no step depends on."""
    switches = {name for profile in kraft.profiles.values() for name in profile} - {"snapshots"}
    release, timed = releases_meant(kafka)[0][:2], str(trace.bounds.get("check_quorum", "untimed")) != "untimed"
    made: dict[str, Value | str] = {name: _kraft_definition().constants[name].default for name in switches}
    made |= dict.fromkeys(("pre_vote", "grants_until_fetch", "keeps_own_vote"), release >= PRE_VOTE)
    made["await_epoch_start"] = release >= AWAITS_EPOCH_START
    made["check_quorum"] = "untimed" if not timed else "timed" if release >= CHECK_QUORUM else "missing"
    return _bind_trace_model(trace, made, ghosts=ghosts)


def _bind_trace_model(trace: DrivenTrace, constants: Mapping[str, Value | str], *, ghosts: bool = True) -> Model:
    """The model with a trace's constants, but for those that are made."""
    all_of_them = {**trace.bounds, **constants}
    texts = constant_texts(all_of_them)
    names = (trace.property,) if trace.property else ()
    return _kraft_definition().bind(MODEL, constants=texts, profile=None, ghosts=ghosts, properties=names)


# --- stages -----------------------------------------------------------------------------------------------------------


def _stages_of_run(model: Model, run: Run, kafka: str) -> Iterator[Stage]:
    states, steps, at = run.states(), run.steps, 0
    while at < len(steps):
        step, end = steps[at], at
        if step.action not in KINDS:
            raise UndrivableError(f"{step.action}: {WHY_NOT[step.action]}", at + 1)
        if step.action == "fetch" and step.arguments["answered"]:
            end = _fetching_step(states, steps, at)
        if why := why_not_driven(kafka, states, steps, at):
            raise UndrivableError(f"{step.action}: {why}", at + 1)
        yield Stage(**stage_fields(model, run, at, end, KINDS[step.action]))
        at = end + 1


def _fetching_step(states: Sequence[State], steps: Sequence[Step], index: int) -> int:
    """The step with which a follower has all that its leader has: one fetch brings it."""
    follower, leader = steps[index].arguments["follower"], steps[index].arguments["leader"]
    end = index
    while len(states[end + 1].log[follower]) < len(states[end + 1].log[leader]):
        end += 1
        same = end < len(steps) and steps[end].action == "fetch" and steps[end].arguments == steps[index].arguments
        if not same or states[end + 1].high_watermark[leader] != states[end].high_watermark[leader]:
            raise UndrivableError("fetch: it brings all that the leader has, and the trace has less of it", index + 1)
    return end


def why_not_driven(kafka: str, states: Sequence[State], steps: Sequence[Step], index: int) -> str | None:
    """Why real controllers cannot be brought to a step; None where they can."""
    state, step = states[index], steps[index]
    match step.action:
        case "restart" if step.arguments["kept"] < len(state.log[step.arguments["voter"]]):
            return "controllers flush what they write, and nothing of it is cut"
        case "resign" if releases_meant(kafka)[0][:2] < CHECK_QUORUM:
            return "leaders resign only as they end, before 3.7"
        case "hear_from":
            return _asks_nobody(state, step.arguments["voter"], step.arguments["peer"])
        case "refuse_vote" if index + 1 < len(steps) and _all_refuse(states, steps, index):
            return "a candidate that cannot win any more goes on by itself, with the next epoch"
        case _:
            return None


def _asks_nobody(state: State, voter: Any, peer: Any) -> str | None:
    known = state.election[voter]
    asks = known.role.name in _ASKING and (known.role.name != "FOLLOWER" or known.leader == peer)
    return None if asks else f"{voter} sends no request to {peer} then, and so has no answer of it"


def _all_refuse(states: Sequence[State], steps: Sequence[Step], index: int) -> bool:
    """Whether a majority has refused a candidate of an epoch."""
    candidate = steps[index].arguments["candidate"]
    epoch = states[index].election[candidate].epoch
    refused = {
        step.arguments["voter"]
        for before, step in zip(states[: index + 1], steps[: index + 1], strict=True)
        if step.action == "refuse_vote"
        and step.arguments["candidate"] == candidate
        and before.election[candidate].epoch == epoch
    }
    return 2 * len(refused) >= len(list(states[index].log))
