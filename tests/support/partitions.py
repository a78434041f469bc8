"""What the tests of driven partitions share: traces, and a world that does as it is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, cast

from tidegate.audit.kafka.profiles import audited_model_definition
from tidegate.language.judge import run_text
from tidegate.language.verdict import PropertyVerdict
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.family import PlanRequest
from tidegate.real.driving.nodes import wire
from tidegate.real.driving.partition.driver import PartitionDriver, PartitionRun, expected_observation, node_ids
from tidegate.real.driving.partition.family import FAMILY
from tidegate.real.driving.partition.plan import PartitionPlan, PartitionStage, plan_trace
from tidegate.real.driving.partition.world import PartitionObservation, PartitionWorld
from tidegate.traces.document import trace_document

from .confirming import result_of

MOVED = "produce(A); elect_preferred(B); learn(B)"


STANDING = (
    "produce(A); fetch(leader=A, follower=B); fetch(leader=A, follower=C); advance_high_watermark(A); "
    "propose_shrink(leader=A, follower=B); change_isr(A); learn(A); propose_shrink(leader=A, follower=C); "
    "change_isr(A); lose_power(broker=A, kept=0); fence(broker=A, successor=A); restart(broker=A, successor=A); "
    "learn(A)"
)


BOTH_LAG = (
    "produce(A); propose_shrink(leader=A, follower=B); change_isr(A); learn(A); propose_shrink(leader=A, follower=C); "
    "change_isr(A); learn(A); advance_high_watermark(A); lose_power(broker=A, kept=0)"
)


RESTARTED_3_4 = (  # as RESTARTED, where each smaller ISR is a leader epoch of its own
    "produce(A); fetch(leader=A, follower=B); fetch(leader=A, follower=C); advance_high_watermark(A); "
    "propose_shrink(leader=A, follower=B); change_isr(A); learn(A); learn(B); fetch(leader=A, follower=B); "
    "propose_expansion(leader=A, follower=B); lose_power(broker=B, kept=0); fence(broker=B, successor=A); "
    "restart(broker=B, successor=A); change_isr(A); fence_alive(broker=A, successor=B); learn(B)"
)


OLD = {"reject_restarted": False, "keep_epoch": False}


RESTARTED = (
    "produce(A); fetch(leader=A, follower=B); fetch(leader=A, follower=C); advance_high_watermark(A); "
    "propose_shrink(leader=A, follower=B); change_isr(A); learn(A); propose_expansion(leader=A, follower=B); "
    "lose_power(broker=B, kept=0); fence(broker=B, successor=A); restart(broker=B, successor=A); change_isr(A); "
    "fence_alive(broker=A, successor=B); learn(B)"
)


def trace(steps: str, property_: str = "acknowledged_kept", **constants: Any) -> dict[str, Any]:
    """The document of a run of the partition that breaks a property."""
    return _trace(steps, property_, tuple(sorted(constants.items())))


@cache
def _trace(steps: str, property_: str, constants: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    given = {
        "elr": False,
        "isr_shrinks": 2,
        "preferred_elections": 1,
        "crashes": 2,
        "power_losses": 2,
        **dict(constants),
    }
    model = audited_model_definition().bind(
        "partition", constants=given, profile=None, ghosts=False, properties=(property_,)
    )
    prop = model.properties[0]
    return trace_document(model, PropertyVerdict(prop.name, prop.kind, prop.says, "violated", run_text(model, steps)))


def plan(document: Mapping[str, Any], kafka: str | None = None, **more: Any) -> PartitionPlan:
    repaired = more.pop("with_repair", False)
    return plan_trace(PlanRequest(trace_of(document), kafka, is_repaired=repaired, **more))


class Model:
    """A cluster that does what a plan says, but for the steps that it is made to do otherwise: `otherwise` has what is
    seen after a step."""

    def __init__(
        self,
        plan: PartitionPlan,
        otherwise: Mapping[int, PartitionObservation] | None = None,
        read: list[int] | None = None,
    ) -> None:
        self.plan, self.otherwise, self.values = plan, otherwise or {}, read
        self.numbers = node_ids(plan)
        self.stage: PartitionStage = plan.stages[0]
        self.did = list[str]()
        self.healed = False
        self.acks = frozenset[int]()

    def set_stage(self, stage: PartitionStage) -> None:
        self.stage = stage
        self.acks = frozenset(stage.state_after.acknowledged)

    def observe(self) -> PartitionObservation:
        return self.otherwise.get(self.stage.first, expected_observation(self.stage.state_after, self.numbers))

    def __getattr__(self, name: str) -> Any:
        def note(*given: Any) -> Any:
            self.did.append(f"{name}{given}")
            return {
                "produce_record": 0,
                "pass_fetch": True,
                "pass_alter_partition": True,
                "shut_down": True,
                "lose_power": "cut",
            }.get(name)

        return note

    def high_watermark(self, broker: int) -> int:
        return 9

    def read_metadata(self, broker: int) -> wire.PartitionMetadata:
        seen = self.observe()
        return wire.PartitionMetadata(-1 if seen.leader is None else seen.leader, seen.leader_epoch, seen.isr)

    def acknowledged_records(self) -> frozenset[int]:
        return self.acks

    def requested_isr(self, leader: int) -> frozenset[int]:
        if self.stage.action == "propose_shrink":
            return frozenset(self.numbers[one] for one in self.stage.isr)
        request = self.stage.state_after.request[self.stage.arguments["leader"]]
        return frozenset(
            {self.numbers[request.broker], *(self.numbers[one] for one in self.stage.state_before.registered.isr)}
        )

    def live_brokers(self) -> set[int]:
        return set(self.numbers.values())

    def stopped_brokers(self) -> Iterable[int]:
        return []

    def read_records(self, broker: int) -> list[int] | None:
        if self.values is not None:
            return self.values
        return [record for record, _ in self.observe().logs[broker]]


def driven(made: PartitionPlan, world: Model) -> PartitionRun:
    return PartitionDriver(made, cast(PartitionWorld, world), limit=0.2).driven(world.set_stage)


def outcome(made: PartitionPlan, world: Model) -> dict[str, Any]:
    return result_of(FAMILY, made, PartitionDriver(made, cast(PartitionWorld, world), limit=0.2), world.set_stage)
