"""Takes the stages of a trace of a producer, with Kafka's own client on real brokers, and compares after each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from ....language.values import State
from ..nodes.running import NodesError, wait_for
from ..nodes.wire import ERRORS, NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, NOT_LEADER
from ..stages import STEP_SECONDS, DivergenceError, Document, NoEffectError, Stage, StageDriver
from ..transactions.wire import NAMES
from .cluster import BROKERS, topic_of
from .plan import ProducerPlan
from .world import LoggedBatch, ProducerObservation, ProducerWorld, number_producers

_ALL = -1
_ONCE = 1.0
"""Seconds for one fetch, before it is looked whether another is needed."""
_OUT_OF_ORDER = frozenset({45, 46, 47})
"""OUT_OF_ORDER_SEQUENCE_NUMBER, DUPLICATE_SEQUENCE_NUMBER, INVALID_PRODUCER_EPOCH."""


def leader_broker(leader: Any) -> int:
    """The broker that is a leader of the model."""
    return BROKERS[int(leader)]


def expected_observation(state: State, given_records: Collection[int]) -> ProducerObservation:
    """What is to be seen in a state; `given_records` are the records that the producer was given: of others it says
    nothing."""
    logs = dict[str, list[tuple[int, int, int, int]]]()
    for partition in state.logs:
        held = [state.held[partition][entry] for entry in sorted(state.held[partition])]
        logs[topic_of(partition)] = [
            (one.first, one.pid or -1, one.epoch, one.sequence) for one in held if one is not None
        ]
    told = {one: state.outcome[one].value for one in state.outcome}
    outcomes = {
        one: word
        for one, word in told.items()
        if word == "acknowledged" or (word == "given up" and one in given_records)
    }
    return ProducerObservation(leader_broker(state.leader), number_producers(logs), outcomes)


def describe_differences(wanted_observation: ProducerObservation, seen_observation: ProducerObservation) -> str:
    """What differs, in words; "" where nothing does."""
    pairs = [
        ("leader", wanted_observation.leader, seen_observation.leader),
        *(
            (f"log of {one}", describe_log(wanted_observation.logs[one]), describe_log(seen_observation.logs[one]))
            for one in wanted_observation.logs
        ),
        ("what the producer was told", describe_outcomes(wanted_observation), describe_outcomes(seen_observation)),
    ]
    return "; ".join(
        f"{name}: {is_ or 'nothing'} in place of {was or 'nothing'}" for name, was, is_ in pairs if was != is_
    )


def describe_log(log: Sequence[LoggedBatch]) -> str:
    """`record 0, record 1 (producer 1, epoch 0, sequence 0)`."""
    return ", ".join(
        f"record {one.record}"
        + (f" (producer {one.pid}, epoch {one.epoch}, sequence {one.sequence})" if one.pid else "")
        for one in log
    )


def describe_outcomes(seen_observation: ProducerObservation) -> str:
    """`record 0 acknowledged`."""
    return ", ".join(f"record {one} {word}" for one, word in sorted(seen_observation.outcomes.items()))


class ProducerDriver(StageDriver[Stage, ProducerObservation, ProducerObservation]):
    """Drives one plan."""

    nodes = "producer and brokers"

    def __init__(self, plan: ProducerPlan, world: ProducerWorld, limit: float = STEP_SECONDS) -> None:
        super().__init__(plan, limit)
        self.plan, self.world = plan, world
        self._sent = set[int]()
        self._unsent = Counter[int]()
        self._open = Counter[int]()
        self._alone = False
        self._takes_writes = True

    def show(self, seen_observation: ProducerObservation) -> Document:
        said = {"leader": str(seen_observation.leader or "none")}
        said |= {name: describe_log(log) or "empty" for name, log in seen_observation.logs.items()}
        return {"clients": {**said, "producer": describe_outcomes(seen_observation) or "was told nothing"}}

    def _expect(self, stage: Stage) -> ProducerObservation:
        return expected_observation(stage.state_after, self._sent)

    def _observe(self, wanted_observation: ProducerObservation) -> ProducerObservation:
        return self.world.observe()

    def _parting(self, wanted_observation: ProducerObservation, seen_observation: ProducerObservation) -> str:
        return describe_differences(wanted_observation, seen_observation)

    # --- the application ----------------------------------------------------------------------------------------------

    def _send(self, stage: Stage) -> str:
        return "the producer is given it when it is to send it, since it sends at once"

    def _close(self, stage: Stage) -> str:
        if not self.world.close_client(self.limit):
            raise NoEffectError(f"close() does not return, after {self.limit:g} s")
        return "close(Duration.ZERO)"

    def _die(self, stage: Stage) -> str:
        keep = leader_broker(stage.state_before.leader) if stage.arguments["arrives"] else None
        forget = bool(self.plan.model.values["sends_again"])
        self.world.restart_client(keep, forget=forget)
        self._unsent.clear()
        self._open.clear()
        if forget:
            self._sent = {one for one in self._sent if stage.state_after.outcome[one].value == "acknowledged"}
        return f"SIGKILL, and started again{'; its first request is kept' if keep is not None else ''}"

    # --- the sender ---------------------------------------------------------------------------------------------------

    def _transmit(self, stage: Stage) -> str:
        partition, broker = stage.arguments["partition"], leader_broker(stage.state_before.believed)
        batch = next(one for one in stage.state_before.waiting if one.partition == partition)
        fresh = batch.attempts == 0 and batch.pid == 0
        if fresh:
            self._sent.add(batch.first)
            if not self.world.send_record(batch.first, partition, self.limit):
                raise NoEffectError(f"send() of record {batch.first} does not return, after {self.limit:g} s")
        self._unsent[broker] += 1
        if not wait_for(lambda: self.world.count_pending_requests(broker) >= self._unsent[broker], self.limit):
            others = sum(self.world.count_pending_requests(one) for one in BROKERS if one != broker)
            there = "; one came to the other" if others > self._unsent.total() - self._unsent[broker] else ""
            raise (DivergenceError if there else NoEffectError)(
                f"no Produce request to broker {broker} came, after {self.limit:g} s{there}"
            )
        return f"{f'send({batch.first}); its' if fresh else 'a'} Produce request to broker {broker} waits"

    def _resolve(self, stage: Stage) -> str:
        return "the producer does so by itself"

    _bump = _resolve

    def _learn_leader(self, stage: Stage) -> str:
        leader = leader_broker(stage.state_after.believed)
        if not wait_for(lambda: self.world.known_leader(0, self.limit) == leader, self.limit):
            raise NoEffectError(f"the producer does not know leader {leader}, after {self.limit:g} s")
        return f"the producer's metadata say that broker {leader} leads"

    # --- requests and answers -----------------------------------------------------------------------------------------

    def _broker_number(self, stage: Stage) -> int:
        return leader_broker(stage.state_before.in_flight[stage.arguments["turn"]].leader)

    def _let_request(self, broker: int) -> None:
        self.world.pass_request(broker)
        self._unsent[broker] -= 1
        self._open[broker] += 1

    def _append_batch(self, stage: Stage) -> str:
        broker, turn = self._broker_number(stage), stage.arguments["turn"]
        before = [one for one in stage.state_before.in_flight[:turn] if leader_broker(one.leader) == broker]
        if not self._takes_writes:
            self._set_writes(broker, True)
        self._let_request(broker)
        if self.plan.acks == _ALL and before:
            self._fetch_until(broker, lambda: self._logs_are(stage))
            return "Produce let through behind others, whose answers wait"
        return "Produce let through"

    def _logs_are(self, stage: Stage) -> bool:
        return self.world.observe().logs == self._expect(stage).logs

    def _fetch_until(self, leader: int, there: Callable[[], bool], *, fetch: bool = True) -> bool:
        """Waits until something is there, and lets the other broker fetch meanwhile where writes wait for that."""

        def has_fetched() -> bool:
            if there():
                return True
            if fetch and self.plan.acks == _ALL and not self._alone:
                self.world.pass_fetch(leader, _ONCE)
            return there()

        return bool(wait_for(has_fetched, self.limit))

    def _find_copy(self, stage: Stage) -> str:
        self._let_request(self._broker_number(stage))
        return "Produce let through"

    def _await_answer(self, broker: int, wanted_errors: Iterable[int], *, fetch: bool = False) -> str:
        """Waits for a broker's answer, which must be one of these, and lets it through."""
        self._fetch_until(broker, lambda: self.world.pending_response(broker) is not None, fetch=fetch)
        code = self.world.pending_response(broker)
        if code is None:
            raise NoEffectError(f"broker {broker} does not answer, after {self.limit:g} s")
        if code not in set(wanted_errors):
            raise DivergenceError(f"broker {broker} answers with {_error_name(code)}")
        self.world.pass_response(broker)
        self._open[broker] -= 1
        return f"the answer, {_error_name(code)}, let through"

    def _answer(self, stage: Stage) -> str:
        broker = self._broker_number(stage)
        if self.plan.acks == 0:
            self._open[broker] -= 1
            return "with acks=0 there is no answer"
        return self._await_answer(broker, {0}, fetch=True)

    def _refuse_sequence(self, stage: Stage) -> str:
        broker = self._broker_number(stage)
        self._let_request(broker)
        return f"Produce let through; {self._await_answer(broker, _OUT_OF_ORDER)}"

    def _refuse_leader(self, stage: Stage) -> str:
        broker = self._broker_number(stage)
        if self.plan.acks == 1 and self._open[broker]:
            did = self._goes_down(broker)
        else:
            if not self._open[broker]:
                self._let_request(broker)
            did = self._await_answer(broker, {NOT_LEADER})
        leader = leader_broker(stage.state_after.leader)
        if not wait_for(lambda: self.world.known_leader(0, self.limit) == leader, self.limit):
            raise NoEffectError(f"the producer does not know leader {leader}, after {self.limit:g} s")
        return did

    def _goes_down(self, broker: int) -> str:
        """With acks=1 a leader has answered when it has appended. What the trace has in place of that answer is one
        that is lost with its broker: the connection ends."""
        if self._open[broker] + self._unsent[broker] > 1:
            raise NodesError(
                "with acks=1 an answer is lost with its connection, and so are requests that the trace has later"
            )
        self.world.cut_connection(broker, keep=False)
        self._open[broker] = 0
        return f"the connection to broker {broker} ended, and with it the answer that acks=1 has at once"

    def _set_writes(self, leader: int, is_writable: bool) -> None:
        if not self.world.set_writable(leader, is_writable, self.limit):
            raise NoEffectError(
                f"broker {leader} does not {'take' if is_writable else 'refuse'} writes, after {self.limit:g} s"
            )
        self._takes_writes = is_writable

    def _refuse_for_now(self, stage: Stage) -> str:
        broker = self._broker_number(stage)
        self._leave_alone(broker, bait=True)
        if self._takes_writes:
            self._set_writes(broker, False)
        self._let_request(broker)
        return f"the ISR is its leader alone; {self._await_answer(broker, {NOT_ENOUGH_REPLICAS})}"

    def _answer_with_error(self, stage: Stage) -> str:
        broker = self._broker_number(stage)
        self._leave_alone(broker, bait=False)
        self._takes_writes = False
        return f"the ISR shrinks to its leader; {self._await_answer(broker, {NOT_ENOUGH_REPLICAS_AFTER_APPEND})}"

    def _leave_alone(self, leader: int, *, bait: bool) -> None:
        if not self._alone and not self.world.shrink_isr(leader, bait=bait, seconds=self.limit):
            raise NoEffectError(f"broker {leader} does not come to be alone in the ISR, after {self.limit:g} s")
        self._alone = True

    # --- connections and leaders --------------------------------------------------------------------------------------

    def _no_more(self, broker: int) -> None:
        """NodesError where the producer has sent what the trace sends later: that would have another fate."""
        if self.world.count_pending_requests(broker) > self._unsent[broker]:
            raise NodesError("the producer has sent a batch again that the trace sends later")

    def _lose_connection(self, stage: Stage) -> str:
        broker, keep = leader_broker(stage.arguments["leader"]), stage.arguments["arrives"]
        self._no_more(broker)
        self.world.cut_connection(broker, keep=keep)
        self._unsent[broker] = self._open[broker] = 0
        return f"the connection to broker {broker} ended{'; its first request is kept' if keep else ''}"

    def _arrive_late(self, stage: Stage) -> str:
        leader = leader_broker(stage.state_before.leader)
        self.world.pass_kept_request()
        if self.plan.acks == 0 or self._expect(stage).logs != expected_observation(stage.state_before, ()).logs:
            self._fetch_until(leader, lambda: self._logs_are(stage))
            return "what was kept is sent"
        self._fetch_until(leader, lambda: self.world.kept_response() is not None)
        if (code := self.world.kept_response()) is None:
            raise NoEffectError(f"what was kept is not answered, after {self.limit:g} s")
        return f"what was kept is sent, and answered with {_error_name(code)}"

    def _fail_over(self, stage: Stage) -> str:
        old, new, kept = (
            leader_broker(stage.state_before.leader),
            leader_broker(stage.state_after.leader),
            stage.arguments["kept"],
        )
        for broker in BROKERS:
            self._no_more(broker)
        wait_for(lambda: self.world.count_batches(new) >= kept or not self.world.pass_fetch(old, _ONCE), self.limit)
        if (has := self.world.count_batches(new)) != kept:
            raise NodesError(
                f"broker {new} has {has} batches, and is to have {kept}: one fetch more or less brings others"
            )
        if not self.world.move_leader(new, self.limit):
            raise NoEffectError(f"broker {new} does not lead, after {self.limit:g} s")
        return f"broker {new} has {kept} batches, and is elected"


def _error_name(code: int) -> str:
    return "no error" if code == 0 else NAMES.get(code) or ERRORS.get(code) or f"error {code}"
