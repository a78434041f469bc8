"""Takes the stages of a trace of consumers, with Kafka's own client on a real broker, and compares after each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ....language.immutable import immutable
from ....language.values import State
from ..nodes.running import NodesError, wait_for
from ..nodes.wire import METADATA, OFFSETS_FOR_LEADER_EPOCH, BrokerError
from ..stages import (
    STEP_SECONDS,
    DivergenceError,
    Document,
    NoEffectError,
    StageDriver,
    StageResult,
    describe_differences,
)
from .cluster import COMMIT_MS, FIRST
from .plan import OLDER, ConsumersPlan, ConsumersStage, compares_positions
from .world import ConsumersWorld, MemberObservation

_GIVES_UP_MS = 500
"""Milliseconds after which an application gives up a commit that is to fail."""
_WAITS_MS = 60_000


@immutable
class ConsumersObservation:
    """What is seen: of each partition its first offset and the one after its last, what the group has committed, who is
    a member, the partitions of each consumer that runs and its position in each in which the model has one, and how
    often each record was processed, as `(partition, record)`."""

    logs: Mapping[int, tuple[int, int]]
    offsets: Mapping[int, int | None]
    members: frozenset[str]
    owned_partitions: Mapping[str, frozenset[int]]
    positions: Mapping[tuple[str, int], int | None]
    effects: Mapping[tuple[int, int], int]


def describe_observation(seen_observation: ConsumersObservation) -> dict[str, str]:
    """What is seen, by what it is about."""
    owned = (
        f"{one} {_partition_numbers_text(partitions)}"
        for one, partitions in sorted(seen_observation.owned_partitions.items())
    )
    positions = (
        f"{one} {_offset_word(at)} in {partition}"
        for (one, partition), at in sorted(seen_observation.positions.items())
    )
    effects = sorted((of, times) for of, times in seen_observation.effects.items() if times)
    return {
        "partitions": ", ".join(
            f"{one} from {first} to {end}" for one, (first, end) in sorted(seen_observation.logs.items())
        ),
        "committed": ", ".join(
            f"{_offset_word(offset)} in {one}" for one, offset in sorted(seen_observation.offsets.items())
        ),
        "members": ", ".join(sorted(seen_observation.members)) or "none",
        "assigned": ", ".join(owned) or "nothing",
        "positions": ", ".join(positions) or "none",
        "processed": ", ".join(f"record {one} of {at}{_repetition_text(times)}" for (at, one), times in effects)
        or "nothing",
    }


def _partition_numbers_text(partitions: frozenset[int]) -> str:
    return " ".join(map(str, sorted(partitions))) or "none"


def _offset_word(offset: int | None) -> str:
    return "none" if offset is None else str(offset)


def _repetition_text(times: int) -> str:
    return "" if times == 1 else " more than once"


class ConsumersDriver(StageDriver[ConsumersStage, ConsumersObservation, ConsumersObservation]):
    """Drives one plan."""

    nodes = "consumers and broker"

    def __init__(self, plan: ConsumersPlan, world: ConsumersWorld, limit: float = STEP_SECONDS) -> None:
        super().__init__(plan, limit)
        self.plan, self.world = plan, world
        others = [one for one in plan.run.start.logs if one != plan.oldest]
        self._partitions = {one: number for number, one in enumerate([plan.oldest, *others])}
        self._members = {one: FIRST + number for number, one in enumerate(plan.run.start.phase)}
        self._effects = Counter[tuple[int, int]]()
        self._held = set[int]()

    # --- what is compared ---------------------------------------------------------------------------------------------

    def show(self, seen_observation: ConsumersObservation) -> Document:
        return {"clients": describe_observation(seen_observation)}

    def _expect(self, stage: ConsumersStage) -> ConsumersObservation:
        state, of = stage.state_after, self._partitions
        running = [one for one in self._members if state.phase[one].name == "RUNNING"]
        return ConsumersObservation(
            {of[one]: (state.first[one], len(state.logs[one].committed)) for one in state.present},
            {of[one]: state.offset[one] for one in state.present},
            frozenset(map(str, state.group)),
            {str(one): frozenset(of[partition] for partition in state.owned[one]) for one in running},
            {
                (str(one), of[partition]): state.position[one][partition]
                for one in running
                if not self._compares(stage.state_after, one)
                for partition in state.owned[one]
                if state.position[one][partition] is not None
            },
            {(of[at], entry): times for at in of for entry, times in state.effects[at].items() if times},
        )

    def _observe(self, wanted_observation: ConsumersObservation) -> ConsumersObservation:
        group, names = self.world.observe(), {number: str(one) for one, number in self._members.items()}
        found = {one: self._member_observation(one) for one in wanted_observation.owned_partitions}
        return ConsumersObservation(
            {one: group.logs[one] for one in wanted_observation.logs},
            {one: group.offsets[one] for one in wanted_observation.offsets},
            frozenset(names[one] for one in group.members),
            {one: said.owned_partitions for one, said in found.items()},
            {(one, at): found[one].positions.get(at) for one, at in wanted_observation.positions},
            {of: min(2, times) for of, times in self._effects.items()},
        )

    def _member_observation(self, name: str) -> MemberObservation:
        number = next(number for one, number in self._members.items() if str(one) == name)
        found = self.world.observe_member(number, self.limit)
        if found is None:
            raise NodesError(f"consumer {name} does not answer, after {self.limit:g} s")
        return found

    def _parting(self, wanted_observation: ConsumersObservation, seen_observation: ConsumersObservation) -> str:
        return describe_differences(describe_observation(wanted_observation), describe_observation(seen_observation))

    def _compares(self, state: State, member: Any) -> bool:
        return compares_positions(self.plan.model, state, member)

    def _do(self, stage: ConsumersStage) -> str:
        for member, number in self._members.items():
            self.world.gate_requests(number, OFFSETS_FOR_LEADER_EPOCH, not self._compares(stage.state_after, member))
        return super()._do(stage)

    def _take(self, stage: ConsumersStage) -> StageResult:
        taken = super()._take(stage)
        thrown_out = (
            taken.expected_observation.members & frozenset(map(str, stage.state_before.group))
        ) - taken.observation.members
        if taken.divergence is not None and thrown_out:
            raise NodesError(
                f"step {stage.first}: the session of consumer {min(thrown_out)} ended before its time: the machine had "
                "no time for it"
            )
        return taken

    # --- the broker ---------------------------------------------------------------------------------------------------

    def _partition_number(self, stage: ConsumersStage) -> int:
        return self._partitions[stage.arguments["partition"]]

    def _produce(self, stage: ConsumersStage) -> str:
        partition = stage.arguments["partition"]
        record = len(stage.state_before.logs[partition].appended)
        old = self.plan.is_old(stage)
        self.world.write_record(self._partition_number(stage), record, OLDER if old else 0)
        return f"record {record} written to partition {self._partition_number(stage)}" + (
            ", of two hours ago" if old else ""
        )

    def _delete_records(self, stage: ConsumersStage) -> str:
        before = stage.state_after.first[stage.arguments["partition"]]
        self.world.delete_records(self._partition_number(stage), before)
        return f"DeleteRecords of partition {self._partition_number(stage)} below {before}"

    def _truncate(self, stage: ConsumersStage) -> str:
        kept = len(stage.state_after.logs[stage.arguments["partition"]].committed)
        did = self.world.truncate(self._partition_number(stage), kept)
        for member, number in self._members.items():
            if stage.state_after.phase[member].name == "RUNNING":
                self._await_leader_epoch(number, self._compares(stage.state_after, member))
        return f"{did}; consumers learn of the leader epoch"

    def _await_leader_epoch(self, number: int, compares: bool) -> None:
        """Until a consumer knows of another leader epoch: if it is to compare its positions, until it asks to; else
        until it has had an answer that says who leads, after which it asks again."""
        if compares:
            self._await_request(number, OFFSETS_FOR_LEADER_EPOCH, "whether its positions are in the log")
            return
        for _ in range(2):
            self.world.gate_requests(number, METADATA, False)
            self._await_request(number, METADATA, "who leads")
            self.world.gate_requests(number, METADATA, True)

    def _await_request(self, number: int, api: int, what: str) -> None:
        def asks() -> bool:
            self._instruct_consumer(number, "idle", "-")
            return self.world.has_pending_request(number, api)

        if not wait_for(asks, self.limit):
            raise DivergenceError(f"a consumer does not ask {what}, after {self.limit:g} s")

    def _detect_truncation(self, stage: ConsumersStage) -> str:
        return "OffsetsForLeaderEpoch let through"

    def _add_partition(self, stage: ConsumersStage) -> str:
        if not self.world.add_partition(self.limit):
            raise NoEffectError(f"nobody leads the partition that was added, after {self.limit:g} s")
        return "CreatePartitions"

    def _lose_offset(self, stage: ConsumersStage) -> str:
        try:
            self.world.delete_offset(self._partition_number(stage))
        except BrokerError as error:
            raise DivergenceError(str(error)) from None
        return "OffsetDelete"

    # --- who is in the group ------------------------------------------------------------------------------------------

    def _member_number(self, stage: ConsumersStage) -> int:
        return self._members[stage.arguments["member"]]

    def _instruct_consumer(self, number: int, line: str, *answers: str) -> str:
        """Has a consumer do something, which must answer with one of these."""
        said = self.world.instruct(number, line, self.limit)
        if said is None:
            raise NoEffectError(f"{line.split()[0]}: no answer, after {self.limit:g} s")
        if said not in answers:
            raise DivergenceError(f"{line.split()[0]}: {said}")
        return said

    def _start_member(self, stage: ConsumersStage) -> str:
        for other in stage.state_before.group if self.plan.retries else ():
            self.world.hold_commits(self._members[other], True)
        self.world.start_client(self._member_number(stage))
        self._join(stage)
        return "subscribes, and polls"

    def _join(self, stage: ConsumersStage) -> None:
        owners = [f"{self._partitions[at]}:{self._members[one]}" for at, one in stage.owners.items()]
        for number in filter(self.world.is_running, self._members.values()):
            self._instruct_consumer(number, " ".join(["assign", *owners]), "planned")
        self._instruct_consumer(self._member_number(stage), "join", "joins")

    def _rejoin(self, stage: ConsumersStage) -> str:
        self._join(stage)
        return "polls, and learns of the rebalance"

    def _notice(self, stage: ConsumersStage) -> str:
        self.world.gate_member_heartbeats(self._member_number(stage), True)
        self._join(stage)
        return "its heartbeats let through; it polls"

    def _discover_partition(self, stage: ConsumersStage) -> str:
        return "a member learns of it in its next poll"

    def _begin_generation(self, stage: ConsumersStage) -> str:
        wanted, joined = self._expect(stage), stage.state_after.group
        shares = {str(one): wanted.owned_partitions[str(one)] for one in joined}
        compared = {str(one) for one in joined if self._compares(stage.state_after, one)}

        def is_settled() -> bool:
            found = {name: self._member_observation(name) for name in shares}
            return all(
                said.owned_partitions == shares[name]
                and (said.wrong != "-" or name in compared or frozenset(said.positions) == said.owned_partitions)
                for name, said in found.items()
            )

        if wait_for(is_settled, self.limit):
            for one in joined:
                self._instruct_consumer(self._members[one], "settle", "settled")
        return "all have their partitions, and know where to begin"

    def _session_times_out(self, stage: ConsumersStage) -> str:
        return "its session ends at the coordinator"

    def _crash(self, stage: ConsumersStage) -> str:
        self.world.kill_client(self._member_number(stage))
        return "SIGKILL"

    def _pause(self, stage: ConsumersStage) -> str:
        self.world.gate_member_heartbeats(self._member_number(stage), False)
        return "its heartbeats are held until the coordinator throws it out"

    def _fail(self, stage: ConsumersStage) -> str:
        number = self._member_number(stage)
        self.world.gate_member_heartbeats(number, True)
        self._instruct_consumer(number, "close", "closed")
        self.world.kill_client(number)
        return "close()"

    # --- what an application does -------------------------------------------------------------------------------------

    def _begin_at_offset(self, stage: ConsumersStage) -> str:
        return "OffsetFetch was answered when it was assigned"

    def _reset_position(self, stage: ConsumersStage) -> str:
        member, at, number = stage.arguments["member"], self._partition_number(stage), self._member_number(stage)
        if stage.state_after.phase[member].name == "STOPPED":
            wrong = self._member_observation(str(member)).wrong
            if wrong != "NoOffsetForPartitionException":
                raise DivergenceError(f"poll: {wrong} in place of NoOffsetForPartitionException")
            self.world.kill_client(number)
            return f"{wrong}: its application ends"
        partition = stage.arguments["partition"]
        if stage.state_before.position[member][partition] is None and stage.state_before.offset[partition] is None:
            return "auto.offset.reset was asked when it was assigned"
        self._instruct_consumer(number, f"reset {at}", "reset")
        return "polls, and is out of range"

    def _poll(self, stage: ConsumersStage) -> str:
        member, partition = stage.arguments["member"], stage.arguments["partition"]
        count = stage.arguments["upto"] - stage.state_before.position[member][partition]
        if self.plan.is_committed_in_hand(stage):
            self._hold_a_commit(self._member_number(stage))
        self._instruct_consumer(self._member_number(stage), f"poll {self._partition_number(stage)} {count}", "polled")
        if self.plan.name("commits") == "BEFORE":
            self._instruct_consumer(
                self._member_number(stage),
                f"commit {_WAITS_MS} {self._partition_number(stage)}:{stage.arguments['upto']}",
                "committed",
            )
            return f"polls {count}; commitSync"
        return f"polls {count}"

    def _hold_a_commit(self, number: int) -> None:
        """Has a commit under way, so that the next one, which is due in the next poll, is for the background."""
        self.world.hold_commits(number, True)
        self._held.add(number)
        self.world.advance_clock(number)

        def is_held() -> bool:
            self._instruct_consumer(number, "idle", "-")
            return self.world.has_pending_commit(number)

        if not wait_for(is_held, self.limit):
            raise NoEffectError(f"no OffsetCommit came, after {self.limit:g} s")
        self.world.advance_clock(number)

    def _process(self, stage: ConsumersStage) -> str:
        number, at, record = self._member_number(stage), self._partition_number(stage), stage.arguments["entry"]
        self._instruct_consumer(number, f"process {at} {record}", "processed")
        self._effects[at, record] += 1
        if stage.arguments["commits_it"]:
            offset = stage.state_after.offset[stage.arguments["partition"]]
            self._instruct_consumer(number, f"commit {_WAITS_MS} {at}:{offset}", "committed")
            return "processed; commitSync"
        return "processed"

    def _positions_to_commit(self, stage: ConsumersStage) -> str:
        """What an application commits that commits its positions."""
        member = stage.arguments["member"]
        where = (
            (self._partitions[one], stage.state_before.position[member][one])
            for one in stage.state_before.owned[member]
        )
        return " ".join(f"{at}:{offset}" for at, offset in where if offset is not None)

    def _commit(self, stage: ConsumersStage) -> str:
        number = self._member_number(stage)
        if self.plan.name("commits") != "AUTO":
            self.world.gate_member_heartbeats(number, True)
            self._instruct_consumer(number, f"commit {_WAITS_MS} {self._positions_to_commit(stage)}", "committed")
            return "commitSync"
        wanted, in_background = self._expect(stage).offsets, self.plan.is_in_background(stage)
        if number in self._held:
            self._held.remove(number)
            self.world.hold_commits(number, False)
        else:
            self.world.advance_clock(number)

        def has_committed() -> bool:
            if not in_background:
                self._instruct_consumer(number, "idle", "-")
            return self.world.observe().offsets == wanted

        wait_for(has_committed, self.limit)
        if in_background:
            return "the commit before it is let through; it does not poll"
        return f"its clock is {COMMIT_MS // 1_000} s later (auto.commit.interval.ms), and it polls"

    def _lose_commit(self, stage: ConsumersStage) -> str:
        number = self._member_number(stage)
        self.world.hold_commits(number, True)
        self._instruct_consumer(number, f"commit {_GIVES_UP_MS} {self._positions_to_commit(stage)}", "TimeoutException")
        self._drop_offset_commit(number)
        return "commitSync, whose request is lost with its connection"

    def _drop_offset_commit(self, number: int) -> None:
        if not self.world.drop_commit(number, self.limit):
            raise NoEffectError(f"no OffsetCommit came, after {self.limit:g} s")
        self.world.hold_commits(number, False)

    def _fail_commit(self, stage: ConsumersStage) -> str:
        number = self._member_number(stage)

        def is_held() -> bool:
            self._instruct_consumer(number, "idle", "-")
            return self.world.has_pending_commit(number)

        if not wait_for(is_held, self.limit):
            raise NoEffectError(f"no OffsetCommit came, after {self.limit:g} s")
        return "polls; its commit before the rebalance is on its way, and will be lost"

    def _retry_commit(self, stage: ConsumersStage) -> str:
        self._drop_offset_commit(self._member_number(stage))
        return "its commit is lost with its connection; it does not poll"

    def _delay_commit(self, stage: ConsumersStage) -> str:
        number, at = self._member_number(stage), self._partition_number(stage)
        offset = stage.state_before.position[stage.arguments["member"]][stage.arguments["partition"]]
        before = list(self.world.output(number)).count("failed")
        self.world.hold_commits(number, True)
        self._instruct_consumer(number, f"send {_GIVES_UP_MS} {at}:{offset}", "sent")
        self._drop_offset_commit(number)

        def has_failed() -> bool:
            self._instruct_consumer(number, "idle", "-")
            return list(self.world.output(number)).count("failed") > before

        if not wait_for(has_failed, self.limit):
            raise NoEffectError(f"commitAsync does not fail, after {self.limit:g} s")
        return "commitAsync, whose request is lost with its connection"

    def _commit_again(self, stage: ConsumersStage) -> str:
        delayed = stage.arguments["delayed"]
        number, at = self._members[delayed.member], self._partitions[delayed.partition]
        said = self.world.instruct(number, f"commit {_WAITS_MS} {at}:{delayed.offset}", self.limit)
        return f"the callback commits {delayed.offset} again: {said}"
