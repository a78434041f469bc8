"""Takes a plan's stages on a cluster, compares after each, and in the end reads what a consumer reads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ....language.immutable import immutable
from ....language.values import State
from ..nodes import wire
from ..nodes.running import POLL_SECONDS, NodesError, wait_for
from ..stages import (
    STEP_SECONDS,
    DivergenceError,
    Document,
    NoEffectError,
    Outcome,
    StageDriver,
    StageResult,
    diverging_stage,
)
from .fitting import FittedTrace
from .plan import PartitionPlan, PartitionStage
from .world import PartitionObservation, PartitionWorld

ACKS: Mapping[str, int] = {"none": 0, "leader": 1, "all": -1}


@immutable
class PartitionRun:
    """What came of a plan: its stages up to the one from which on real brokers did otherwise, the records that the
    producer has good answers for, those that a consumer reads in the end, None where nothing can be read, and those
    that are in the log of some broker then."""

    stages: tuple[StageResult, ...]
    acknowledged_records: frozenset[int]
    read: tuple[int, ...] | None
    held_records: frozenset[int]
    leader: int | None

    @property
    def parting_stage(self) -> StageResult | None:
        """The stage from which on they did otherwise."""
        return diverging_stage(self.stages)

    @property
    def lost_records(self) -> frozenset[int]:
        """The acknowledged records that a consumer does not read, or, where nothing can be read, that no log has."""
        return self.acknowledged_records - (self.held_records if self.read is None else frozenset(self.read))


def node_ids(plan: PartitionPlan) -> dict[Any, int]:
    """The node id of each broker of the model: A is 1."""
    return {broker: number for number, broker in enumerate(plan.fitted_trace.run.start.log, 1)}


def expected_observation(state: State, numbers: Mapping[Any, int]) -> PartitionObservation:
    """What is to be seen in a state."""
    registered = state.registered

    def of(brokers: Iterable[Any]) -> frozenset[int]:
        return frozenset(numbers[broker] for broker in brokers)

    return PartitionObservation(
        leader=None if registered.leader is None else numbers[registered.leader],
        leader_epoch=registered.leader_epoch,
        isr=of(registered.isr),
        elr=of(registered.elr),
        fenced_brokers=of(state.fenced),
        logs={numbers[one]: tuple((record.id, record.epoch) for record in state.log[one]) for one in state.log},
    )


def describe_differences(wanted_observation: PartitionObservation, seen_observation: PartitionObservation) -> str:
    """What differs, in words; "" where nothing does."""
    pairs = [
        ("leader", wanted_observation.leader, seen_observation.leader),
        ("leader epoch", wanted_observation.leader_epoch, seen_observation.leader_epoch),
        *(
            (name.upper(), sorted(getattr(wanted_observation, name)), sorted(getattr(seen_observation, name)))
            for name in ("isr", "elr")
        ),
        ("fenced", sorted(wanted_observation.fenced_brokers), sorted(seen_observation.fenced_brokers)),
        *(
            (f"log of broker {one}", _log_text(wanted_observation.logs[one]), _log_text(seen_observation.logs[one]))
            for one in sorted(wanted_observation.logs)
        ),
    ]
    return "; ".join(
        f"{name} {_value_word(is_)} in place of {_value_word(was)}" for name, was, is_ in pairs if was != is_
    )


def _log_text(records: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"record {record} of epoch {epoch}" for record, epoch in records) or "empty"


def _value_word(value: object) -> str:
    return "none" if value is None or value == [] else str(value)


class PartitionDriver(StageDriver[PartitionStage, PartitionObservation, PartitionObservation]):
    """Drives one plan."""

    def __init__(self, plan: PartitionPlan, world: PartitionWorld, limit: float = STEP_SECONDS) -> None:
        super().__init__(plan, limit)
        self.plan, self.world = plan, world
        self.numbers = node_ids(plan)
        self.acks = ACKS[
            str(getattr(plan.fitted_trace.model.values["acks"], "value", plan.fitted_trace.model.values["acks"]))
        ]

    def outcome(self, report: Callable[[PartitionStage], None] = lambda stage: None) -> Outcome:
        """Drives the trace, and then says what is read: with its own settings it is confirmed where what it loses is
        gone, with a repair's where nothing is."""
        run = self.driven(report)
        confirmed, why = judge_run(self.plan, run)
        return Outcome(run.stages, confirmed, why, run.acknowledged_records, run.read, run.leader)

    def show(self, seen_observation: PartitionObservation) -> Document:
        return {
            "leader": seen_observation.leader,
            "leader_epoch": seen_observation.leader_epoch,
            "isr": sorted(seen_observation.isr),
            "elr": sorted(seen_observation.elr),
            "fenced": sorted(seen_observation.fenced_brokers),
            "logs": {str(one): [list(record) for record in log] for one, log in sorted(seen_observation.logs.items())},
        }

    def driven(self, report: Callable[[PartitionStage], None] = lambda stage: None) -> PartitionRun:
        """All stages, until one goes otherwise; then everything is let through, everybody is started again, and the
        partition is read."""
        taken = self.drive(report)
        acknowledged = self.world.acknowledged_records()
        leader, read = self._heal_cluster()
        held = frozenset(record for log in self.world.observe().logs.values() for record, _ in log)
        return PartitionRun(taken, acknowledged, read, held, leader)

    def _take(self, stage: PartitionStage) -> StageResult:
        for broker in stage.unaware:
            self.world.gate_metadata(self.numbers[broker], False)
        taken = super()._take(stage)
        if taken.divergence is not None and (starved := self._starved_brokers(stage, taken.observation)):
            raise NodesError(
                f"step {stage.first}: broker {min(starved)} runs, nothing holds its heartbeats, and it was fenced: the "
                "machine had no time for it"
            )
        return taken

    def _starved_brokers(self, stage: PartitionStage, seen_observation: PartitionObservation) -> frozenset[int]:
        """Brokers that the controller has fenced though they run all the time and are heard: no run of Kafka does that,
        but a machine that gives them no time within a session."""
        before, after = stage.state_before, stage.state_after
        lives = {self.numbers[one] for one in before.up if one in after.up and one not in before.fenced}
        fenced = {self.numbers[one] for one in after.fenced}
        return frozenset(lives - fenced - set(self.world.stopped_brokers())) & seen_observation.fenced_brokers

    def _do(self, stage: PartitionStage) -> str:
        return super()._do(stage) + self._controllers(stage)

    def _expect(self, stage: PartitionStage) -> PartitionObservation:
        return expected_observation(stage.state_after, self.numbers)

    def _observe(self, wanted_observation: PartitionObservation) -> PartitionObservation:
        return self.world.observe()

    def _parting(self, wanted_observation: PartitionObservation, seen_observation: PartitionObservation) -> str:
        return describe_differences(wanted_observation, seen_observation)

    def _wait_for(self, what: Callable[[], object], otherwise: Callable[[], str]) -> None:
        if not wait_for(lambda: bool(what()), self.limit):
            raise DivergenceError(f"{otherwise()}, after {self.limit:g} s")

    def _broker_number(self, stage: PartitionStage, name: str = "broker") -> int:
        return self.numbers[stage.arguments[name]]

    # --- records ------------------------------------------------------------------------------------------------------

    def _produce(self, stage: PartitionStage) -> str:
        leader, record = self._broker_number(stage, "leader"), stage.state_before.sent
        code = self.world.produce_record(leader, record, self.acks, self.limit)
        if code:
            raise DivergenceError(f"broker {leader} refuses record {record}: {wire.ERRORS.get(code, f'error {code}')}")
        if self.acks != -1:
            self._wait_for(
                lambda: record in self.world.acknowledged_records(), lambda: f"record {record} is not acknowledged"
            )
        return f"record {record} sent to broker {leader} with acks={'all' if self.acks < 0 else self.acks}"

    def _fail_to_produce(self, stage: PartitionStage) -> str:
        return f"record {stage.state_before.sent} not sent"

    def _fetch(self, stage: PartitionStage) -> str:
        leader, follower = self._broker_number(stage, "leader"), self._broker_number(stage, "follower")
        wanted = expected_observation(stage.state_after, self.numbers).logs[follower]
        passed, until = 0, time.monotonic() + self.limit
        while self.world.observe().logs[follower] != wanted:
            if time.monotonic() > until or not self.world.pass_fetch(follower, leader, until - time.monotonic()):
                has = _log_text(self.world.observe().logs[follower])
                raise (DivergenceError if passed else NoEffectError)(
                    f"after {passed} fetches broker {follower} has {has} in place of {_log_text(wanted)}"
                )
            passed += 1
            wait_for(lambda: self.world.observe().logs[follower] == wanted, 4 * POLL_SECONDS)
        if stage.state_after.fetch_offset[stage.arguments["leader"]][stage.arguments["follower"]] == len(wanted):
            for _ in range(1 if passed else 2):
                passed += self.world.pass_fetch(follower, leader, self.limit)
        return f"{passed} fetches of broker {follower} let through, the last of which acknowledges"

    def _advance_high_watermark(self, stage: PartitionStage) -> str:
        leader, acknowledged = self._broker_number(stage, "leader"), frozenset(stage.state_after.acknowledged)
        offset = stage.state_after.high_watermark[stage.arguments["leader"]]

        def describe() -> str:
            return (
                f"records {sorted(self.world.acknowledged_records())} are acknowledged in place of "
                f"{sorted(acknowledged)}, and the high watermark of broker {leader} is "
                f"{self.world.high_watermark(leader)} in place of {offset}"
            )

        self._wait_for(
            lambda: acknowledged <= self.world.acknowledged_records() and self.world.high_watermark(leader) >= offset,
            describe,
        )
        known = sorted(self.world.acknowledged_records())
        return f"high watermark {self.world.high_watermark(leader)}, acknowledged {known}"

    # --- the ISR ------------------------------------------------------------------------------------------------------

    def _propose_shrink(self, stage: PartitionStage) -> str:
        leader, abreast = self._broker_number(stage, "leader"), [self.numbers[one] for one in stage.abreast]
        wanted, did = frozenset(self.numbers[one] for one in stage.isr), ""
        if stage.bait:
            self.world.gate_fetches(abreast, leader, True)
            self.world.write_filler(leader)
            did = "a record more is written, which the follower lacks; "
        try:
            self._await_request(leader, wanted, lambda: None)
        finally:
            self.world.gate_fetches(abreast, leader, False)
        did += f"broker {leader} asks for the ISR {sorted(wanted)}"
        if stage.last > stage.first:
            self._let_alter_partition(leader)
            did += ", in one request for several that lag, which is let through"
        return did

    def _propose_expansion(self, stage: PartitionStage) -> str:
        leader, follower = self._broker_number(stage, "leader"), self._broker_number(stage, "follower")
        isr = stage.state_before.view[stage.arguments["leader"]].isr
        wanted = frozenset({follower, *(self.numbers[one] for one in isr)})
        self._await_request(leader, wanted, lambda: self.world.pass_fetch(follower, leader, 1.0))
        return f"broker {leader} asks for the ISR {sorted(wanted)}"

    def _await_request(self, leader: int, wanted_isr: frozenset[int], push: Callable[[], object]) -> None:
        """Until a leader asks for an ISR. A request for another one, from before, is made stale and answered."""
        until = time.monotonic() + self.limit
        while (asks := self.world.requested_isr(leader)) != wanted_isr:
            if time.monotonic() > until:
                if asks is None:
                    raise NoEffectError(f"broker {leader} asks for no ISR, and is to ask for {sorted(wanted_isr)}")
                raise DivergenceError(
                    f"broker {leader} asks for {sorted(asks)} in place of the ISR {sorted(wanted_isr)}"
                )
            if asks is not None:
                self.world.rewrite_assignment()
                self.world.pass_alter_partition(leader, self.limit)
            push()
            time.sleep(POLL_SECONDS)

    def _change_isr(self, stage: PartitionStage) -> str:
        self._let_alter_partition(self._broker_number(stage, "leader"))
        return "AlterPartition let through"

    _refuse_isr_change = _change_isr

    def _let_alter_partition(self, leader: int) -> None:
        if not self.world.pass_alter_partition(leader, self.limit):
            raise NoEffectError(f"no AlterPartition of broker {leader} came, after {self.limit:g} s")

    def _learn(self, stage: PartitionStage) -> str:
        broker, state = self._broker_number(stage), stage.state_after
        self.world.gate_metadata(broker, True)
        registered = expected_observation(state, self.numbers)
        leader = -1 if registered.leader is None else registered.leader

        def has_learned() -> bool:
            known = self.world.read_metadata(broker)
            return known is not None and (known.leader, known.leader_epoch, known.isr) == (
                leader, registered.leader_epoch, registered.isr,
            )  # fmt: skip

        self._wait_for(has_learned, lambda: f"broker {broker} knows {self.world.read_metadata(broker)}")
        request = stage.state_before.request[stage.arguments["broker"]]
        if request is not None and not request.answered and self.world.requested_isr(broker) is not None:
            self.world.pass_alter_partition(broker, self.limit)
        return f"broker {broker} knows leader {leader} of epoch {registered.leader_epoch}"

    # --- elections, and who is there ----------------------------------------------------------------------------------

    def _elect_preferred(self, stage: PartitionStage) -> str:
        return self._elect(stage, wire.PREFERRED, "preferred")

    def _elect_uncleanly(self, stage: PartitionStage) -> str:
        return self._elect(stage, wire.UNCLEAN, "unclean")

    def _elect(self, stage: PartitionStage, kind: int, name: str) -> str:
        if kind == wire.PREFERRED:
            self.world.move_to_front(self._broker_number(stage))
        try:
            self.world.elect_leader(kind)
        except wire.BrokerError as error:
            raise DivergenceError(f"the controller elects nobody: {error}") from None
        return f"{name} election"

    def _elect_waiting(self, stage: PartitionStage) -> str:
        self.world.elect_leader(wire.PREFERRED)
        return f"an election is asked for, in which broker {self._broker_number(stage)} can lead"

    def _reassign(self, stage: PartitionStage) -> str:
        target, leader = [self.numbers[one] for one in stage.arguments["target"]], stage.state_after.registered.leader
        self.world.reassign(target, None if leader is None else self.numbers[leader])
        return f"AlterPartitionReassignments to brokers {sorted(target)}"

    def _delete_replica(self, stage: PartitionStage) -> str:
        self.world.gate_metadata(self._broker_number(stage), True)
        return f"broker {self._broker_number(stage)} hears of it"

    def _fence(self, stage: PartitionStage) -> str:
        return f"broker {self._broker_number(stage)} has no session any more"

    def _fence_alive(self, stage: PartitionStage) -> str:
        self.world.gate_heartbeats(self._broker_number(stage), False)
        return f"heartbeats of broker {self._broker_number(stage)} held"

    def _unfence(self, stage: PartitionStage) -> str:
        self.world.gate_heartbeats(self._broker_number(stage), True)
        return f"heartbeats of broker {self._broker_number(stage)} let through"

    def _restart(self, stage: PartitionStage) -> str:
        self.world.start(self._broker_number(stage))
        return f"broker {self._broker_number(stage)} started"

    def _assign_directory(self, stage: PartitionStage) -> str:
        if stage.last > stage.first:
            return self._restart(stage)
        return f"broker {self._broker_number(stage)} says which directory its copy is in"

    def _shut_down(self, stage: PartitionStage) -> str:
        if not self.world.shut_down(self._broker_number(stage), 2 * self.limit):
            raise NoEffectError(f"broker {self._broker_number(stage)} does not end its controlled shutdown")
        return "SIGTERM"

    def _crash(self, stage: PartitionStage) -> str:
        self.world.kill(self._broker_number(stage))
        return "SIGKILL"

    def _lose_power(self, stage: PartitionStage) -> str:
        return self.world.lose_power(self._broker_number(stage), stage.arguments["kept"])

    def _lose_disk(self, stage: PartitionStage) -> str:
        self.world.lose_disk(self._broker_number(stage))
        return "killed, and its disk emptied"

    _lose_host = _lose_disk

    def _lose_directory(self, stage: PartitionStage) -> str:
        self.world.lose_directory(self._broker_number(stage))
        return "a directory is gone, and log.dirs names the other"

    # --- controllers --------------------------------------------------------------------------------------------------

    def _lose_controller(self, stage: PartitionStage) -> str:
        return "a majority is left" if stage.majority_after else "no majority is left"

    def _restore_controller(self, stage: PartitionStage) -> str:
        return "no majority yet" if not stage.majority_after else "a majority is there"

    _start_controller = _restore_controller

    def _controllers(self, stage: PartitionStage) -> str:
        """One node is the controllers: it is killed when their majority is gone, and started when that is there
        again."""
        if stage.majority_before == stage.majority_after:
            return ""
        self.world.set_controller_running(stage.majority_after)
        return "; the controller is started" if stage.majority_after else "; the controller is killed"

    # --- the end ------------------------------------------------------------------------------------------------------

    def _heal_cluster(self) -> tuple[int | None, tuple[int, ...] | None]:
        """Everything let through and everybody started, but hosts that are gone: who leads, and what is read."""
        gone = {self._broker_number(stage) for stage in self.plan.stages if stage.action == "lose_host"}
        self.world.open_gates()
        self.world.set_controller_running(True)
        for broker in self.world.stopped_brokers():
            if broker not in gone:
                self.world.start(broker)
        everybody = set(self.numbers.values()) - gone
        if not wait_for(lambda: everybody <= self.world.live_brokers(), 3 * self.limit):
            raise NodesError(f"brokers {sorted(everybody - self.world.live_brokers())} did not come back in the end")
        found = wait_for(self._read_high_watermark_and_log, self.limit)
        return (None, None) if found is None else found

    def _read_high_watermark_and_log(self) -> tuple[int, tuple[int, ...]] | None:
        leader = self.world.observe().leader
        values = None if leader is None else self.world.read_records(leader)
        return None if leader is None or values is None else (leader, tuple(values))


# --- what came out ----------------------------------------------------------------------------------------------------


def judge_run(plan: PartitionPlan, driven: PartitionRun) -> tuple[bool, str]:
    """Whether a plan that was driven to its end, or to where brokers did otherwise, is confirmed; and why."""
    return (_judge_repair if plan.is_repaired else _judge_loss)(plan.fitted_trace, driven)


def _judge_loss(fitted_trace: FittedTrace, driven: PartitionRun) -> tuple[bool, str]:
    """Whether what the trace says came about: a record that was acknowledged is gone."""
    if driven.parting_stage is not None:
        return False, _why_not_shown(driven)
    if not fitted_trace.lost_records_of:
        return True, f"every step came about: {fitted_trace.visible_fault}"
    if fitted_trace.lost_records_of <= driven.lost_records:
        return True, f"acknowledged, and gone: {_record_numbers_text(driven.lost_records)}"
    return False, f"every step came about, but {_end_of_run_text(driven)}"


def _judge_repair(fitted_trace: FittedTrace, driven: PartitionRun) -> tuple[bool, str]:
    """Whether with the repair no record is lost, after all that the trace has under these settings came about, and
    each record was acknowledged that is so in the model, of which there is one at least."""
    if driven.lost_records:
        return False, f"acknowledged, and gone in spite of the repair: {_record_numbers_text(driven.lost_records)}"
    if driven.parting_stage is not None:
        return False, _why_not_shown(driven)
    if driven.read is None:
        return False, "nothing can be read in the end"
    if missing := frozenset(fitted_trace.run.states()[-1].acknowledged) - driven.acknowledged_records:
        return False, f"every step came about, but not acknowledged: {_record_numbers_text(missing)}"
    return True, f"acknowledged, and still there: {_record_numbers_text(driven.acknowledged_records)}"


def _why_not_shown(driven: PartitionRun) -> str:
    """Where the brokers did otherwise, and what is there in the end; a step that was added for the repair has no
    number."""
    assert driven.parting_stage is not None
    step = driven.parting_stage.stage.first
    where = f"at step {step}" if step else "as the record was to be acknowledged, which the repair adds,"
    return f"{where} the brokers did otherwise; in the end {_end_of_run_text(driven)}"


def _end_of_run_text(driven: PartitionRun) -> str:
    if driven.read is None:
        return "nothing can be read"
    if driven.lost_records:
        return f"{_record_numbers_text(driven.lost_records)}, acknowledged, is gone all the same"
    if not driven.acknowledged_records:
        return "no record was acknowledged"
    return f"{_record_numbers_text(driven.acknowledged_records)}, acknowledged, is still there"


def _record_numbers_text(records: frozenset[int]) -> str:
    return ("record " if len(records) == 1 else "records ") + ", ".join(map(str, sorted(records)))
