"""A trace of `kraft_voters` on Kafka's own classes in one process: leaders remove voters (KIP-853).

All voters begin with one snapshot 0-0, which has the first set. Whoever leads with no set in its log appends that in
one batch with LeaderChange. Of these three records of Kafka's the model has the first alone, and what is compared is
without the others. What a replica goes by is not looked at: it shows in who is elected, and in what is committed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from ...audit.kafka.versions import releases_meant
from ...invariants.kraft_voters import modules as claims
from ...language import judge
from ...language.binding import Definition, load
from ...language.constants import Value
from ...language.model import Model
from ...language.values import State
from ...language.verdict import Run
from ...language.watch import parse_watch
from ...model import kraft_voters
from ..driving.controllers import plan as of_kraft
from ..driving.controllers.plan import PRE_VOTE, ControllersPlan
from ..driving.controllers.world import ControllerObservation
from ..driving.fitting import DrivenTrace, UndrivableError, constant_texts, describe_end, plan_first, replay_trace
from ..driving.nodes.gates import OF_QUORUM
from ..driving.stages import Kind, NoEffectError, Stage, stage_fields
from .conforming import HostedDriver
from .controllers import HostedControllers
from .hosting import HostedWorld
from .hunting import RECONFIGURES, RELEASES

MODEL = "kraft_voters"
KINDS: Mapping[str, Kind] = {**of_kraft.KINDS, "format_first_voters": "commanded", "remove_voter": "commanded"}
"""The actions that hosted controllers can be brought to, and how."""
WHY_NOT: Mapping[str, str] = {
    **of_kraft.WHY_NOT,
    "add_voter": "a leader adds only who has caught up, and asks for its versions first",
    "elect_itself": "the only voter is elected as it stands, with no step between",
    "ask_to_join": "no hosted controller has controller.quorum.auto.join.enable",
    "tell_disk": "hosted controllers begin with kraft.version 1",
    "raise_kraft_version": "hosted controllers begin with kraft.version 1",
    "update_voter": "the addresses of hosted controllers stay the same",
}
"""The others, and why not."""
VERSION_RECORD, VOTERS_RECORD = -6, -7
"""What the host shows of a record of kraft.version, and of a VotersRecord."""


@cache
def _definition() -> Definition:
    return load(kraft_voters, tuple(claims))


def plan_voters(trace: DrivenTrace, asked_release: str | None) -> ControllersPlan:
    """A trace on the release that is given, or on the newest hosted one that takes it. UndrivableError where none
    does."""
    return plan_first(RELEASES if asked_release is None else (asked_release,), lambda kafka: _plan(trace, kafka))


def _plan(trace: DrivenTrace, kafka: str) -> ControllersPlan:
    if releases_meant(kafka)[0][:2] < RECONFIGURES:
        raise UndrivableError(f"voters do not change before Kafka 3.9, and {kafka} is older")
    model = model_of(trace, kafka)
    run = replay_trace(model, next(judge.initial_states(model)), trace, kafka)
    return ControllersPlan(kafka, model, run, tuple(_stages(model, run, kafka)), describe_end(model, run, kafka))


def model_of(trace: DrivenTrace, kafka: str) -> Model:
    """The model with the trace's bounds and the release's switches. The released code has all of its defects: which
    profile the trace is of says nothing."""
    switches = {name for profile in kraft_voters.profiles.values() for name in profile}
    made: dict[str, Value | str] = {name: _definition().constants[name].default for name in switches}
    asks_first = releases_meant(kafka)[0][:2] >= PRE_VOTE
    made |= dict.fromkeys(("pre_vote", "grants_until_fetch", "keeps_own_vote"), asks_first)
    made |= {"directory_ids": True, "misses_replaced": 1, "voter_changes": str(trace.bounds["voter_changes"])}
    constants = constant_texts({**trace.bounds, **made})
    names = (trace.property,) if trace.property else ()
    return _definition().bind(MODEL, constants=constants, profile=None, ghosts=None, properties=names)


def _stages(model: Model, run: Run, kafka: str) -> Iterator[Stage]:
    """One thing for each step: a fetch brings one batch."""
    states = run.states()
    for at, step in enumerate(run.steps):
        if step.action not in KINDS:
            raise UndrivableError(f"{step.action}: {WHY_NOT[step.action]}", at + 1)
        if at == 0 and set(step.arguments.get("first", ())) != set(states[0].log):
            raise UndrivableError("hosted controllers are all voters at first, and here only some are", 1)
        if step.action == "resign" and _voter_count(model, states[at], step.arguments["leader"]) == 1:
            why = "whose set has one voter, itself or another (LeaderState.timeUntilCheckQuorumExpires)"
            raise UndrivableError(f"no want of fetches has a leader resign {why}", at + 1)
        if why := of_kraft.why_not_driven(kafka, states, run.steps, at):
            raise UndrivableError(f"{step.action}: {why}", at + 1)
        yield Stage(**stage_fields(model, run, at, at, KINDS[step.action]))


def _voter_count(model: Model, state: State, leader: Value) -> int:
    """How many voters the set has that a leader goes by."""
    known = parse_watch(model, f"sum(1 for voter in Voter if voters_known(s, {leader})[voter] > 0)")
    return known.value(state)


class HostedVoters(HostedControllers):
    """Controllers 1 to `count`, all of them voters in a snapshot 0-0. A fetch brings one batch."""

    def __init__(self, host: HostedWorld, count: int) -> None:
        super().__init__(host, count, batches=1, dynamic=True)

    def observation_of(self, answer: Mapping[str, Any]) -> ControllerObservation | None:
        seen = super().observation_of(answer)
        if seen is None:
            return None
        records = [(epoch, number) for epoch, number in answer["log"]]
        kept = [offset for offset in range(len(records)) if not _is_of_first_voters(records, offset)]
        reached = seen.high_watermark
        if reached is not None:
            reached = sum(1 for offset in kept if offset < reached)
        return replace(seen, log=tuple(records[offset] for offset in kept), high_watermark=reached)

    def remove_voter(self, leader: int, voter: int) -> None:
        """An operator asks a leader to remove a voter."""
        self._take(("remove_voter", leader, voter))


def _is_of_first_voters(records: Sequence[tuple[int, int]], offset: int) -> bool:
    """Whether a record is one of the two that a leader appends behind LeaderChange where its log has no voters."""
    number = records[offset][1]
    return number == VERSION_RECORD or (
        number == VOTERS_RECORD and offset > 0 and records[offset - 1][1] == VERSION_RECORD
    )


class VotersDriver(HostedDriver):
    """Drives a trace of `kraft_voters`."""

    def __init__(self, plan: ControllersPlan, world: HostedVoters, limit: float) -> None:
        super().__init__(plan, world, limit)
        self._voters = world

    def expected_observations(self, state: State) -> dict[int, ControllerObservation]:
        most = int(str(self.plan.model.values["max_records"]))
        return {
            number: replace(
                one, log=tuple((epoch, VOTERS_RECORD if written > most else written) for epoch, written in one.log)
            )
            for number, one in super().expected_observations(state).items()
        }

    def _format_first_voters(self, stage: Stage) -> str:
        return "all voters have a snapshot 0-0 with them"

    def _begin_quorum_epoch(self, stage: Stage) -> str:
        """A leader announces itself to its voters alone. Another one hears of it in the answer of whoever knows it."""
        try:
            return super()._begin_quorum_epoch(stage)
        except NoEffectError:
            voter, leader, election = self._of(stage), stage.arguments["leader"], stage.state_before.election
            for peer, number in self.numbers.items():
                knows = election[peer].leader == leader and election[peer].epoch == election[leader].epoch
                if knows and self.world.pass_request(voter, number, OF_QUORUM, self.limit):
                    return f"a request of controller {voter} to {number} let through, which knows the leader"
            raise

    def _remove_voter(self, stage: Stage) -> str:
        leader, voter = self._of(stage, "leader"), self._of(stage)
        self._voters.remove_voter(leader, voter)
        return f"controller {leader} is asked to remove {voter}: RemoveRaftVoter"
