"""Takes the stages of a trace of the topic of offsets on real brokers, and compares after each. The driver is each
group's consumer, without a generation; where one begins again, Kafka's own consumer says where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ....language.values import State
from ..nodes.client import ClientProcess
from ..nodes.running import NodesError, wait_for
from ..nodes.wire import ERRORS, BrokerError
from ..stages import (
    STEP_SECONDS,
    DivergenceError,
    Document,
    NoEffectError,
    StageDriver,
    StageResult,
    describe_differences,
)
from .cluster import NONE, UNASKED
from .plan import OffsetsPlan, OffsetsStage, committed_of, copy_of, home_of, homes_of, node_ids, takes_commits
from .world import OffsetsObservation, OffsetsWorld, RegisteredPartition

_WAITS_SECONDS = 5.0
"""For how long a consumer that is to find no coordinator is seen not to."""
_PASSING = frozenset({ERRORS[14], ERRORS[16], ERRORS[7]})
"""Refusals after which a consumer asks again, and which say nothing of whether commits are taken."""
_NO_OFFSET = "NoOffsetForPartitionException"


def expected_observation(stage: OffsetsStage, kills: Mapping[int, int]) -> OffsetsObservation:
    """What is to be seen after a stage, in which brokers were killed so often in all."""
    state, of, homes = stage.state_after, node_ids(stage.state_after), homes_of(stage.state_after)
    return OffsetsObservation(
        frozenset(of[one] for one in state.alive),
        {
            number: RegisteredPartition(
                stage.stands.places[number],
                frozenset(of[one] for one in state.in_sync[home]),
                frozenset(of[one] for one in state.adding[home]),
                frozenset(of[one] for one in state.removing[home]),
                stage.stands.leaders[number],
            )
            for home, number in homes.items()
            if state.made
        },
        {
            (number, of[broker]): copy_of(state, home, broker)
            for home, number in homes.items()
            for broker in state.replicas[home]
        },
        {str(group): _committed_words(state, group, stage.stands.leaders) for group in state.position},
        {broker: times for broker, times in kills.items() if times},
    )


def _committed_words(state: State, group: Any, leaders: Mapping[int, int | None]) -> str:
    if not state.made:
        return UNASKED
    leader = leaders[homes_of(state)[home_of(state, group)]]
    offset = committed_of(state, group)
    return NONE if leader is None else f"{'none' if offset is None else offset}, by {leader}"


def describe_observation(seen_observation: OffsetsObservation) -> dict[str, str]:
    """What is seen, by what it is about."""
    parts = (f"{number} {_partition_text(part)}" for number, part in sorted(seen_observation.parts.items()))
    copies = (
        f"{broker} of {number} {_log_lines_text(lines)}"
        for (number, broker), lines in sorted(seen_observation.copies.items())
    )
    return {
        "brokers": _broker_numbers_text(seen_observation.alive),
        "partitions": "; ".join(parts) or "no topic",
        "copies": "; ".join(copies) or "none",
        "committed": "; ".join(f"{group} {said}" for group, said in sorted(seen_observation.committed_offsets.items())),
        "fenced": ", ".join(f"{one} {times}x" for one, times in sorted(seen_observation.fences.items())) or "nobody",
    }


def _partition_text(part: RegisteredPartition) -> str:
    moves = f", adding {_broker_numbers_text(part.adding)}" if part.adding else ""
    moves += f", removing {_broker_numbers_text(part.removing)}" if part.removing else ""
    leads = "led by nobody" if part.leader is None else f"led by {part.leader}"
    return f"{leads}, in sync {_broker_numbers_text(part.isr)}, on {' '.join(map(str, part.replicas))}{moves}"


def _broker_numbers_text(brokers: frozenset[int]) -> str:
    return " ".join(map(str, sorted(brokers))) or "none"


def _log_lines_text(lines: tuple[tuple[str, int], ...]) -> str:
    return " ".join(f"{group}={offset}" for group, offset in lines) or "empty"


class OffsetsDriver(StageDriver[OffsetsStage, OffsetsObservation, OffsetsObservation]):
    """Drives one plan."""

    def __init__(self, plan: OffsetsPlan, world: OffsetsWorld, limit: float = STEP_SECONDS) -> None:
        super().__init__(plan, limit)
        self.plan, self.world = plan, world
        self._of = plan.brokers
        self._kills = Counter[int]()

    # --- what is compared ---------------------------------------------------------------------------------------------

    def show(self, seen_observation: OffsetsObservation) -> Document:
        return {"groups": describe_observation(seen_observation)}

    def _expect(self, stage: OffsetsStage) -> OffsetsObservation:
        return expected_observation(stage, self._kills_after(stage))

    def _kills_after(self, stage: OffsetsStage) -> Counter[int]:
        """How often each broker was killed in all, with those that a stage kills."""
        gone = {self._of[one] for one in stage.state_before.alive if one not in stage.state_after.alive}
        return self._kills + Counter(gone)

    def _observe(self, wanted_observation: OffsetsObservation) -> OffsetsObservation:
        return self.world.observe()

    def _parting(self, wanted_observation: OffsetsObservation, seen_observation: OffsetsObservation) -> str:
        return describe_differences(describe_observation(wanted_observation), describe_observation(seen_observation))

    def _is_as_before(self, stage: OffsetsStage) -> bool:
        return super()._is_as_before(replace(stage, stands=stage.was))

    def _take(self, stage: OffsetsStage) -> StageResult:
        opened = (
            stage.was.held_fetches - stage.stands.held_fetches
            if stage.action == "copy"
            else frozenset[tuple[int, int]]()
        )
        self.world.hold_fetches((stage.was.held_fetches | stage.stands.held_fetches) - opened)
        self.world.release_fetches(opened)
        taken = super()._take(stage)
        self.world.release_fetches(self.world.all_fetches() - stage.stands.held_fetches)
        self._kills = self._kills_after(stage)
        _refuse_chance(taken)
        return self._commit_at_end(taken) if taken.divergence is None and stage is self.stages[-1] else taken

    def _commit_at_end(self, result: StageResult) -> StageResult:
        """After the last stage each group commits once more: whether that is taken is to be as in the model. Those that
        are to be refused come first, since then every broker may copy."""
        state, said = result.stage.state_after, list[str]()
        for group in sorted(state.position if state.made else (), key=lambda one: takes_commits(state, one)):
            takes = takes_commits(state, group)
            if takes:
                self.world.release_fetches(self.world.all_fetches())
            try:
                why = self._commit_group_offset(group, committed_of(state, group) or 0, takes)
            except DivergenceError as error:
                return replace(result, divergence=f"after the last step, {error}")
            said.append(f"a commit of {group} is {'taken' if takes else f'refused: {why}'}")
        return replace(result, did="; ".join([result.did, *said]))

    # --- brokers ------------------------------------------------------------------------------------------------------

    def _start_broker(self, stage: OffsetsStage) -> str:
        broker = self._of[stage.arguments["broker"]]
        self.world.start_and_wait(broker)
        return f"broker {broker} started"

    def _kill(self, stage: OffsetsStage) -> str:
        broker = self._of[stage.arguments["broker"]]
        self.world.kill(broker)
        return f"SIGKILL of broker {broker}"

    def _kill_at_once(self, stage: OffsetsStage) -> str:
        brokers = sorted(self._of[one] for one in stage.arguments["victims"])
        for broker in brokers:
            self.world.kill(broker)
        return f"SIGKILL of brokers {' '.join(map(str, brokers))}"

    def _lose_disk(self, stage: OffsetsStage) -> str:
        broker = self._of[stage.arguments["broker"]]
        self.world.lose_disk(broker)
        return f"the disk of broker {broker} emptied"

    def _copy(self, stage: OffsetsStage) -> str:
        return f"fetches of broker {self._of[stage.arguments['broker']]} let through"

    # --- the topic ----------------------------------------------------------------------------------------------------

    def _first_use(self, stage: OffsetsStage) -> str:
        placement = [stage.stands.places[number] for number in sorted(stage.stands.places)]
        self._command_controller(
            lambda: self.world.create_topic(placement, int(str(self.plan.model.values["min_isr"])))
        )
        return f"CreateTopics, with replicas on {'; '.join(' '.join(map(str, one)) for one in placement)}"

    def _delete_logs(self, stage: OffsetsStage) -> str:
        self._command_controller(self.world.delete_topic)
        return "DeleteTopics"

    def _reassign(self, stage: OffsetsStage) -> str:
        home = stage.arguments["home"]
        number = homes_of(stage.state_after)[home]
        target = {self._of[one] for one in stage.arguments["target"]}
        order = [one for one in stage.stands.places[number] if one in target]
        self._command_controller(lambda: self.world.reassign_partition(number, order))
        return f"AlterPartitionReassignments of partition {number} to {' '.join(map(str, order))}"

    def _command_controller(self, request: Any) -> None:
        """Has the controller do something. DivergenceError where it refuses."""
        try:
            request()
        except BrokerError as error:
            raise DivergenceError(str(error)) from None

    # --- groups -------------------------------------------------------------------------------------------------------

    def _produce(self, stage: OffsetsStage) -> str:
        self.world.write_record(stage.state_before.end)
        return f"record {stage.state_before.end} written"

    def _read_record_number(self, stage: OffsetsStage) -> int:
        """The record that a group's consumer processes, once it is given it."""
        record = stage.state_before.position[stage.arguments["group"]]
        if not wait_for(lambda: self.world.can_read(record), self.limit):
            raise NoEffectError(f"record {record} is not read, after {self.limit:g} s")
        return record

    def _consume(self, stage: OffsetsStage) -> str:
        record = self._read_record_number(stage)
        self._commit_group_offset(stage.arguments["group"], record + 1, True)
        return f"record {record} read; OffsetCommit of {record + 1}"

    def _process(self, stage: OffsetsStage) -> str:
        record = self._read_record_number(stage)
        why = self._commit_group_offset(stage.arguments["group"], record + 1, False)
        return f"record {record} read; its OffsetCommit is refused: {why}"

    def _commit(self, stage: OffsetsStage) -> str:
        offset = stage.state_before.position[stage.arguments["group"]]
        self._commit_group_offset(stage.arguments["group"], offset, True)
        return f"OffsetCommit of {offset}"

    def _commit_group_offset(self, group: Any, offset: int, is_taken: bool) -> str:
        """Has a group commit until that is taken, or until it is refused for good; why. DivergenceError where it is the
        other way about."""
        said = list[str]()

        def is_answered() -> bool:
            said.append(self.world.commit_offset(str(group), offset))
            return not said[-1] or (not is_taken and said[-1] in (NONE, ERRORS[15]))

        wait_for(is_answered, self.limit)
        if (said[-1] == "") != is_taken:
            raise DivergenceError(f"the commit of {group} is {f'refused: {said[-1]}' if is_taken else 'taken'}")
        if not is_taken and said[-1] not in (NONE, ERRORS[15]):
            raise NoEffectError(
                f"the commit of {group} is neither taken nor refused: {said[-1]}, after {self.limit:g} s"
            )
        return said[-1]

    # --- where one begins ---------------------------------------------------------------------------------------------

    def _restart(self, stage: OffsetsStage) -> str:
        group = stage.arguments["group"]
        client = self._consumer_of_group(group)
        try:
            if found := wait_for(lambda: self._beginning_of_consumer(client), _WAITS_SECONDS):
                raise DivergenceError(f"the consumer of {group} is given its partition, and begins: {found}")
        finally:
            client.kill()
        return f"Kafka's consumer started; it has no partition after {_WAITS_SECONDS:g} s"

    def _begin_again(self, stage: OffsetsStage) -> str:
        group = stage.arguments["group"]
        stops = group in stage.state_after.stopped
        wanted = _NO_OFFSET if stops else str(stage.state_after.position[group])
        client = self._consumer_of_group(group)
        try:
            found = wait_for(lambda: self._beginning_of_consumer(client), self.limit)
            if found is None:
                raise NoEffectError(f"the consumer of {group} does not begin, after {self.limit:g} s")
            if found != wanted:
                raise DivergenceError(f"the consumer of {group} begins: {found} in place of {wanted}")
            client.ask("close", self.limit)
        finally:
            client.kill()
        if not wait_for(lambda: self.world.is_empty(str(group)), self.limit):
            raise NoEffectError(f"the consumer of {group} has ended, and is a member after {self.limit:g} s")
        return f"Kafka's consumer joins, and {'stops: ' if stops else 'begins at '}{found}; close()"

    def _consumer_of_group(self, group: Any) -> ClientProcess:
        reset = self.plan.model.values["reset"]
        return self.world.start_consumer(str(group), str(getattr(reset, "value", reset)))

    def _beginning_of_consumer(self, client: ClientProcess) -> str | None:
        """Where a consumer begins, or why it does not; None while it has no partition."""
        said = client.ask("look", self.limit)
        if said is None:
            raise NoEffectError(f"a consumer does not answer, after {self.limit:g} s")
        wrong, *rest = said.split()
        if wrong != "-":
            return wrong
        places = [one.split(":")[1] for one in rest]
        return next((place for place in places if place != "none"), None)


def _refuse_chance(result: StageResult) -> None:
    """NodesError where a broker that runs was fenced, for want of time, or where the controller chose another leader of
    those that may lead than the driver counts on: neither is against the model."""
    wanted: OffsetsObservation = result.expected_observation
    seen: OffsetsObservation = result.observation
    if result.divergence is None:
        return
    step = f"step {result.stage.first}"
    if more := [one for one, times in seen.fences.items() if times > wanted.fences.get(one, 0)]:
        raise NodesError(f"{step}: broker {more[0]} was fenced while it ran: the machine had no time for it")
    others = {
        number: replace(part, leader=wanted.parts[number].leader)
        for number, part in seen.parts.items()
        if number in wanted.parts and _is_another(part, wanted.parts[number])
    }
    if others and not _parts_differ(wanted, replace(seen, parts={**seen.parts, **others})):
        raise NodesError(f"{step}: the controller has another leader of those in sync than the driver counts on")


def _is_another(part: RegisteredPartition, wanted_part: RegisteredPartition) -> bool:
    return part.leader != wanted_part.leader and part.leader in part.isr and wanted_part.leader is not None


def _parts_differ(wanted_observation: OffsetsObservation, seen_observation: OffsetsObservation) -> bool:
    return (
        describe_observation(wanted_observation)["partitions"] != describe_observation(seen_observation)["partitions"]
    )
