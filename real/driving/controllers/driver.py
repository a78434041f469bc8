"""Takes the stages of a trace of `kraft` on real controllers, and compares after each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ....language.values import State
from ..nodes import wire
from ..nodes.gates import OF_QUORUM
from ..nodes.running import wait_for
from ..stages import STEP_SECONDS, Document, NoEffectError, Stage, StageDriver, StageResult
from .plan import ControllersPlan
from .world import ANNOUNCEMENT_SECONDS, MAX_AHEAD, ControllerObservation, ControllersWorld

ControllersObservation = Mapping[int, ControllerObservation | None]
EFFECT_SECONDS = 2.0
"""How long a request may take to show, until another one is let through."""
_KINDS = {0: "L", -1: "?", -7: "V"}
_LEADS = ("FOLLOWER", "LEADER", "RESIGNED", "PROSPECTIVE")
_VOTES = ("VOTED", "CANDIDATE")


def node_ids(state: State) -> dict[Any, int]:
    """The node id of each voter of the model: A is 1."""
    return {voter: number for number, voter in enumerate(state.log, 1)}


def expected_observations(state: State) -> dict[int, ControllerObservation]:
    """What is to be seen of each controller in a state. Only a leader's high watermark is, and of elections what the
    role has: of a follower its leader, of one that has voted its vote, of one that asks for pre-votes the leader whom
    it followed, if any: by that it is decided whether a pre-vote counts."""
    numbers, found = node_ids(state), dict[int, ControllerObservation]()
    for voter, number in numbers.items():
        known = state.election[voter]
        leads, votes = known.role.name in _LEADS, known.role.name in _VOTES
        found[number] = ControllerObservation(
            known.role.value,
            known.epoch,
            numbers.get(known.leader) if leads else None,
            numbers[known.voted_for] if votes else None,
            tuple((record.epoch, record.number) for record in state.log[voter]),
            state.high_watermark[voter] if known.role.name == "LEADER" else None,
        )
    return found


def normalize_observation(seen_observation: ControllerObservation) -> ControllerObservation:
    """What was seen, in the model's terms: a voter that has voted has a role of its own in it, and what its role does
    not need is left out."""
    role = seen_observation.role.lower()
    if role in ("unattached", "voted"):
        role = "unattached" if seen_observation.voted_for is None else "voted"
    leader = seen_observation.leader if role.upper() in _LEADS else None
    voted_for = seen_observation.voted_for if role.upper() in _VOTES else None
    reached = seen_observation.high_watermark if role == "leader" else None
    return ControllerObservation(role, seen_observation.epoch, leader, voted_for, seen_observation.log, reached)


def describe_differences(
    wanted_observation: Mapping[int, ControllerObservation], seen_observation: ControllersObservation
) -> str:
    """What differs, in words; "" where nothing does."""
    return "; ".join(
        f"controller {voter}: {describe_controller(seen_observation[voter])} in place of {describe_controller(one)}"
        for voter, one in wanted_observation.items()
        if seen_observation[voter] != one
    )


def describe_controller(seen_observation: ControllerObservation | None) -> str:
    """`leader of epoch 2, log 1L 2L, committed 1`."""
    if seen_observation is None:
        return "between two roles"
    more = [f"{seen_observation.role} in epoch {seen_observation.epoch}"]
    more += [f"of {seen_observation.leader}"] if seen_observation.role == "follower" else []
    more += (
        [f"after {seen_observation.leader}"]
        if seen_observation.role == "prospective" and seen_observation.leader is not None
        else []
    )
    more += [f"for {seen_observation.voted_for}"] if seen_observation.role == "voted" else []
    log = " ".join(f"{epoch}{_KINDS.get(number, f'#{number}')}" for epoch, number in seen_observation.log)
    committed = "" if seen_observation.high_watermark is None else f", committed {seen_observation.high_watermark}"
    return f"{' '.join(more)}, log {log or 'empty'}{committed}"


class ControllersDriver(StageDriver[Stage, Mapping[int, ControllerObservation], ControllersObservation]):
    """Drives one plan."""

    nodes = "controllers"

    def __init__(self, plan: ControllersPlan, world: ControllersWorld, limit: float = STEP_SECONDS) -> None:
        super().__init__(plan, limit)
        self.plan, self.world = plan, world
        self.numbers = node_ids(plan.run.start)

    def _take(self, stage: Stage) -> StageResult:
        stale = [one for voter in self._changed_controllers(stage) for one in self.world.pending_requests(voter)]
        taken = super()._take(stage)
        self.world.drop_requests(stale)
        return taken

    def show(self, seen_observation: ControllersObservation) -> Document:
        return {"controllers": {str(voter): describe_controller(one) for voter, one in seen_observation.items()}}

    def expected_observations(self, state: State) -> dict[int, ControllerObservation]:
        """What is to be seen of each controller in a state."""
        return expected_observations(state)

    def _expect(self, stage: Stage) -> Mapping[int, ControllerObservation]:
        return self.expected_observations(stage.state_after)

    def _observe(self, wanted_observation: Mapping[int, ControllerObservation]) -> ControllersObservation:
        for voter in self.numbers.values():
            self.world.check_clock(voter)
        return {
            voter: None if one is None else normalize_observation(one) for voter, one in self.world.observe().items()
        }

    def _parting(
        self, wanted_observation: Mapping[int, ControllerObservation], seen_observation: ControllersObservation
    ) -> str:
        return describe_differences(wanted_observation, seen_observation)

    def _changed_controllers(self, stage: Stage) -> Sequence[int]:
        """Controllers that come to another role, epoch or leader: what they had on its way before is stale then."""
        found = list[int]()
        for voter, number in self.numbers.items():
            before, after = stage.state_before.election[voter], stage.state_after.election[voter]
            if (before.role, before.epoch, before.leader) != (after.role, after.epoch, after.leader):
                found.append(number)
        return found

    def _of(self, stage: Stage, name: str = "voter") -> int:
        return self.numbers[stage.arguments[name]]

    # --- time ---------------------------------------------------------------------------------------------------------

    def _ahead(self, stage: Stage, name: str = "voter") -> str:
        voter = self._of(stage, name)
        self.world.advance_clock(voter)
        return f"the clock of controller {voter} put forward by {MAX_AHEAD / 3_600:.1f} hours"

    _election_timeout = _fetch_timeout = _give_up = _ahead

    def _resign(self, stage: Stage) -> str:
        return self._ahead(stage, "leader")

    _resign_unheard = _resign

    def _let_time_pass(self, stage: Stage) -> str:
        """Where a leader resigns when its time is up, it does so at the next step."""
        if str(self.plan.model.values["check_quorum"]) == "timed":
            return "counted, until a leader resigns"
        leaders = [
            number for voter, number in self.numbers.items() if stage.state_before.election[voter].role.name == "LEADER"
        ]
        for leader in leaders:
            self.world.advance_clock(leader)
        return f"the clocks of leaders put forward by {MAX_AHEAD / 3_600:.1f} hours: {' '.join(map(str, leaders))}"

    # --- requests -----------------------------------------------------------------------------------------------------

    def _let(self, sender: int, receiver: int, apis: Iterable[int], what: str, *, is_answered: bool = True) -> str:
        if not self.world.pass_request(sender, receiver, apis, self.limit, is_answered=is_answered):
            raise NoEffectError(
                f"no {what} of controller {sender} came to controller {receiver}, after {self.limit:g} s"
            )
        return (
            f"{what} of controller {sender} to {receiver} let through{'' if is_answered else ', and its answer lost'}"
        )

    def _vote(self, stage: Stage) -> str:
        return self._let(self._of(stage, "candidate"), self._of(stage), [wire.VOTE], "Vote")

    _refuse_vote = _vote

    def _ask_for_pre_vote(self, stage: Stage) -> str:
        return self._let(self._of(stage), self._of(stage, "peer"), [wire.VOTE], "Vote, to ask first")

    def _begin_quorum_epoch(self, stage: Stage) -> str:
        leader, voter = self._of(stage, "leader"), self._of(stage)
        if self.world.pass_request(leader, voter, [wire.BEGIN_QUORUM_EPOCH], min(2.0, self.limit)):
            return f"BeginQuorumEpoch of controller {leader} to {voter} let through"
        self.world.advance_clock(leader, ANNOUNCEMENT_SECONDS)
        said = self._let(leader, voter, [wire.BEGIN_QUORUM_EPOCH], "BeginQuorumEpoch")
        return f"controller {leader} announces itself again, its clock put forward by half an hour; {said}"

    def _end_quorum_epoch(self, stage: Stage) -> str:
        return self._let(self._of(stage, "leader"), self._of(stage), [wire.END_QUORUM_EPOCH], "EndQuorumEpoch")

    def _hear_from(self, stage: Stage) -> str:
        return self._let(self._of(stage), self._of(stage, "peer"), OF_QUORUM, "a request")

    def _fetch(self, stage: Stage) -> str:
        """One that the follower sent before it followed changes nothing, and then the next one counts."""
        follower, leader = self._of(stage, "follower"), self._of(stage, "leader")
        before, wanted = (self.expected_observations(one) for one in (stage.state_before, stage.state_after))
        until = self.patience.now() + self.limit
        while True:
            said = self._let(follower, leader, [wire.FETCH], "Fetch", is_answered=stage.arguments["answered"])
            came = wait_for(
                lambda: not describe_differences(wanted, self._observe(wanted)), EFFECT_SECONDS, self.patience
            )
            if came or describe_differences(before, self._observe(wanted)) or self.patience.now() > until:
                return said

    def _truncate(self, stage: Stage) -> str:
        return self._let(self._of(stage, "follower"), self._of(stage, "leader"), [wire.FETCH], "Fetch")

    # --- records, processes and disks ---------------------------------------------------------------------------------

    def _write(self, stage: Stage) -> str:
        controller, number = self._of(stage, "controller"), stage.state_after.written
        wanted = self.expected_observations(stage.state_after)[controller].log
        found = False

        def is_written() -> bool:
            nonlocal found
            seen = self.world.observe()[controller]
            found = seen is not None and seen.log == wanted
            return found

        until = self.patience.now() + self.limit
        while True:
            self.world.write_record(controller, number)
            wait_for(is_written, 1.0, self.patience)
            if found or self.patience.now() > until:
                break
        return f"controller {controller} is asked for a setting: record {number}"

    def _restart(self, stage: Stage) -> str:
        self.world.restart(self._of(stage))
        return "SIGKILL, and started"

    def _replace_disk(self, stage: Stage) -> str:
        self.world.replace_disk(self._of(stage))
        return "killed, and started with a disk that has only what all began with"
