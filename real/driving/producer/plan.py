"""A trace of a producer: which release takes it, and what each step is with Kafka's own client and two brokers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ....audit.kafka.versions import releases_meant
from ....invariants.catalogue import find
from ....language import judge
from ....language.constants import Value
from ....language.immutable import immutable
from ....language.model import Model
from ....language.verdict import Run, Step
from ..fitting import DrivenTrace, UndrivableError, constant_texts, describe_end, plan_newest, replay_trace
from ..stages import Kind, Stage, stage_fields

MODEL = "producer"
KINDS: Mapping[str, Kind] = {
    "send": "commanded",
    "close": "commanded",
    "die": "commanded",
    "transmit": "awaited",
    "resolve": "awaited",
    "bump": "awaited",
    "append_batch": "permitted",
    "find_copy": "permitted",
    "refuse_sequence": "permitted",
    "refuse_leader": "permitted",
    "learn_leader": "awaited",
    "refuse_for_now": "commanded",
    "answer": "permitted",
    "answer_with_error": "commanded",
    "lose_connection": "commanded",
    "arrive_late": "commanded",
    "fail_over": "commanded",
}
"""The actions that a producer and brokers can be brought to, and how."""
_TIMES = "the driver does not put the producer's clock forward"
WHY_NOT: Mapping[str, str] = {
    "block": "the driver does not fill the producer's buffer",
    "expire_waiting": _TIMES,
    "expire_in_flight": _TIMES,
    "run_out": _TIMES,
    "look_at_times": _TIMES,
    "forget": "a leader forgets a producer after a day, and the driver waits for no day",
    "delete_records": "the driver deletes no records",
    "add_partition": "the driver adds no partitions",
}
_REFUSALS = ("refuse_for_now", "answer_with_error")
_OF_RELEASES: Mapping[str, Value | str] = {
    "window": 5,
    "bumps_epoch": True,
    "turns_around": True,
    "forgets_with_records": False,
}
"""What the model's switches are in every release with KRaft."""
REFUSES_LATE_BEGIN = (4, 5)
KEEPS_WATERMARK = (3, 7)
"""Since when the high watermark stays while fewer than min.insync.replicas are in sync (KAFKA-15583)."""


@immutable
class ProducerPlan:
    """A run as stages, on a release; `shows` is what it shows in the end, in words, and `acks` is -1 for all."""

    kafka: str
    model: Model
    run: Run
    stages: tuple[Stage, ...]
    shows: str
    acks: int

    def has(self, *actions: str) -> bool:
        """Whether one of these is in the run."""
        return any(step.action in actions for step in self.run.steps)

    @property
    def refuses(self) -> bool:
        """Whether a leader is to refuse what it would take else."""
        return self.has(*_REFUSALS)


def plan_trace(trace: DrivenTrace, asked_release: str | None, *, anyway: bool = False) -> ProducerPlan:
    """A trace on the release that is given, or on the newest known one that takes it. UndrivableError where none
    does. `anyway`: as the trace's own model has it, on the release that is given, to see where that does otherwise."""
    return plan_newest(
        asked_release,
        lambda kafka: _plan_of_model(trace, kafka, _bind_trace_model(trace, _switches_of_release(kafka))),
        (lambda kafka: _plan_of_model(trace, kafka, _bind_trace_model(trace, {}))) if anyway else None,
    )


def _switches_of_release(kafka: str) -> Mapping[str, Value | str]:
    return {**_OF_RELEASES, "refuses_late_begin": releases_meant(kafka)[0][:2] >= REFUSES_LATE_BEGIN}


def _bind_trace_model(trace: DrivenTrace, constants: Mapping[str, Value | str]) -> Model:
    names = (trace.property,) if trace.property else ()
    texts = constant_texts({**trace.bounds, **constants})
    return find(MODEL)[0].bind(MODEL, constants=texts, profile=None, ghosts=True, properties=names)


def _plan_of_model(trace: DrivenTrace, kafka: str, model: Model) -> ProducerPlan:
    if releases_meant(kafka)[0][:2] < (3, 3):
        raise UndrivableError(f"Kafka {kafka} has no KRaft for production; 3.3 and later can be driven")
    run = replay_trace(model, next(judge.initial_states(model)), trace, kafka)
    acks = 0 if model.values["no_answer"] else 1 if model.values["acknowledges_uncommitted"] else -1
    _refuse_settings(model, acks)
    stages = tuple(_stages_of_run(model, run))
    _refuse_steps(run, run.steps, acks)
    _refuse_kept(run)
    _refuse_races(model, run)
    if releases_meant(kafka)[0][:2] >= KEEPS_WATERMARK:
        _refuse_error(run.steps, kafka)
    return ProducerPlan(kafka, model, run, stages, describe_end(model, run, kafka), acks)


def _stages_of_run(model: Model, run: Run) -> Iterator[Stage]:
    for at, step in enumerate(run.steps):
        if step.action not in KINDS:
            raise UndrivableError(f"{step.action}: {WHY_NOT.get(step.action, 'the driver has no such step')}", at + 1)
        if any(batch.last > batch.first for batch in step.state_after.waiting):
            raise UndrivableError(f"{step.action}: the driver gives each record a batch of its own", at + 1)
        yield Stage(**stage_fields(model, run, at, at, KINDS[step.action]))


def _refuse_kept(run: Run) -> None:
    """A record that is handed over and never sent is driven by nothing."""
    for at, step in enumerate(run.steps):
        if step.action == "send" and not _is_handed_over(run, at):
            raise UndrivableError(
                "send: the producer is given a record as it is to send it, and this one never is", at + 1
            )


def _is_handed_over(run: Run, index: int) -> bool:
    """Whether a record that an application hands over is put into a request while that application lives."""
    number = min(run.states()[index].due)
    for before, step in zip(run.states()[index + 1 :], run.steps[index + 1 :], strict=False):
        if step.action == "die":
            return False
        if step.action == "transmit":
            first = next(batch for batch in before.waiting if batch.partition == step.arguments["partition"])
            if first.first == number:
                return True
    return False


def _refuse_settings(model: Model, acks: int) -> None:
    """What Kafka's client does not start with, and what the driver does not make."""
    values = model.values
    if values["idempotent"] and (acks != -1 or not values["retries"]):
        raise UndrivableError("a producer with idempotence needs acks=all and retries, and does not start without")
    if values["has_records"]:
        raise UndrivableError("the driver's partitions begin empty")


def _refuse_steps(run: Run, steps: Sequence[Step], acks: int) -> None:
    """Steps that cannot be had together."""
    names = [step.action for step in steps]
    refusal = next((at for at, name in enumerate(names) if name in _REFUSALS), None)
    partitions = len(list(run.start.logs))
    if refusal is not None and acks != -1:
        raise UndrivableError(f"{names[refusal]}: a leader refuses for now with acks=all alone", refusal + 1)
    if refusal is not None and "fail_over" in names:
        raise UndrivableError("fail_over: where a leader refuses for now, the other broker is out of the ISR")
    if refusal is not None and "answer_with_error" in names[refusal + 1 :]:
        raise UndrivableError("answer_with_error: the ISR shrinks once, for the first refusal", refusal + 1)
    if partitions > 1 and {"fail_over", "lose_connection", *_REFUSALS} & set(names):
        raise UndrivableError("of several partitions the producer sends batches again in one request")
    if acks == 0 and "refuse_leader" in names:
        raise UndrivableError("refuse_leader: with acks=0 a broker refuses by closing the connection")
    _refuse_stale(names, steps)


def _refuse_error(steps: Sequence[Step], kafka: str) -> None:
    """An error after the append is had by an ISR that shrinks below min.insync.replicas."""
    for at, step in enumerate(steps):
        if step.action == "answer_with_error":
            why = f"in Kafka {kafka} a write that has too few replicas is answered only after request.timeout.ms"
            raise UndrivableError(f"answer_with_error: {why} (KAFKA-15583); up to 3.6 it can be driven", at + 1)


def _refuse_races(model: Model, run: Run) -> None:
    """A batch that waits to be sent again is sent by the producer itself, and another step would have to be first."""
    for at, (before, step) in enumerate(zip(run.states(), run.steps, strict=False)):
        cut = step.action == "lose_connection" and step.arguments["leader"] == before.believed
        again = (cut or step.action == "fail_over") and any(batch.attempts for batch in before.waiting)
        if again and any(one.action == "transmit" for one in judge.steps(model, before)):
            raise UndrivableError(f"{step.action}: the producer sends a batch again by itself before it", at + 1)


def _refuse_stale(names: Sequence[str], steps: Sequence[Step]) -> None:
    """A producer that is to learn of a leader by itself asks often, and then sends nothing to the old one."""
    if "learn_leader" in names:
        for at, step in enumerate(steps):
            if step.action == "transmit" and step.state_after.believed != step.state_after.leader:
                raise UndrivableError("transmit: the producer has learned of the other leader by then", at + 1)
