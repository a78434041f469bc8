"""Takes the stages of a trace of transactions on real brokers, and compares after each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....language.values import State
from ..nodes.wire import ERRORS
from ..stages import STEP_SECONDS, DivergenceError, Document, NoEffectError, Stage, StageDriver
from .cluster import topic_of
from .plan import TransactionsPlan
from .wire import NAMES
from .world import (
    CONCURRENT,
    FATAL,
    RETRIABLE,
    ProducerRequest,
    ProducerResponse,
    TransactionsObservation,
    TransactionsWorld,
)

_DONE = {"prepare commit": "complete commit", "prepare abort": "complete abort"}
_HAS_EPOCH = ("READY", "OPEN", "ADDING", "COMMITTING", "ABORTING")


def expected_observation(state: State) -> TransactionsObservation:
    """What is to be seen in a state. Where all markers are written, the coordinator goes on by itself, so that both of
    its states are one; and of a transaction that ends it has the partitions whose markers are not written."""
    line, prepared = state.memory, state.memory.state.value in _DONE
    over = prepared and len(state.unmarked) == 0
    partitions = state.unmarked if prepared else line.partitions
    logs = {str(one): tuple((cell.txn, cell.status.value) for cell in state.logs[one]) for one in state.logs}
    return TransactionsObservation(
        _DONE[line.state.value] if over else line.state.value,
        line.epoch,
        frozenset(map(str, partitions)),
        logs,
        {name: next((at for at, cell in enumerate(log) if cell[1] == "open"), len(log)) for name, log in logs.items()},
        {str(one): state.epoch[one] for one in state.phase if state.phase[one].name in _HAS_EPOCH},
    )


def describe_differences(wanted_observation: TransactionsObservation, seen_observation: TransactionsObservation) -> str:
    """What differs, in words; "" where nothing does."""
    pairs = [
        ("state", wanted_observation.state, seen_observation.state),
        ("epoch", wanted_observation.epoch, seen_observation.epoch),
        ("partitions", " ".join(sorted(wanted_observation.partitions)), " ".join(sorted(seen_observation.partitions))),
        *(
            (f"records of {one}", describe_log(wanted_observation.logs[one]), describe_log(seen_observation.logs[one]))
            for one in wanted_observation.logs
        ),
        *(
            (f"stable in {one}", wanted_observation.stable[one], seen_observation.stable[one])
            for one in wanted_observation.stable
        ),
        *(
            (f"epoch of {one}", wanted_observation.clients.get(one), seen_observation.clients.get(one))
            for one in wanted_observation.clients
        ),
    ]
    return "; ".join(f"{name}: {is_ or 'none'} in place of {was or 'none'}" for name, was, is_ in pairs if was != is_)


def describe_log(log: Sequence[tuple[int, str]]) -> str:
    """`1 aborted, 2 open`: of each record its transaction and what became of it."""
    return ", ".join(f"{txn} {status}" for txn, status in log)


class TransactionsDriver(StageDriver[Stage, TransactionsObservation, TransactionsObservation]):
    """Drives one plan."""

    def __init__(self, plan: TransactionsPlan, world: TransactionsWorld, limit: float = STEP_SECONDS) -> None:
        super().__init__(plan, limit)
        self.world = world
        self._has = dict[str, tuple[int, int]]()
        self._late = dict[Any, ProducerRequest]()

    def show(self, seen_observation: TransactionsObservation) -> Document:
        partitions = " ".join(sorted(seen_observation.partitions))
        of_partitions = f", {partitions}" if partitions else ""
        said = {"coordinator": f"{seen_observation.state}, epoch {seen_observation.epoch}{of_partitions}"}
        for name, log in seen_observation.logs.items():
            said[name] = f"{describe_log(log) or 'empty'}; stable {seen_observation.stable[name]}"
        return {"transactions": {**said, **{one: f"epoch {epoch}" for one, epoch in seen_observation.clients.items()}}}

    def _expect(self, stage: Stage) -> TransactionsObservation:
        return expected_observation(stage.state_after)

    def _observe(self, wanted_observation: TransactionsObservation) -> TransactionsObservation:
        return self.world.observe({one: self._has[one][1] for one in wanted_observation.clients if one in self._has})

    def _parting(self, wanted_observation: TransactionsObservation, seen_observation: TransactionsObservation) -> str:
        return describe_differences(wanted_observation, seen_observation)

    # --- what a client asks -------------------------------------------------------------------------------------------

    def _make_request(
        self, stage: Stage, kind: str, client: Any, partition: Any = None, *, commit: bool = False
    ) -> ProducerRequest:
        pid, epoch = self._has.get(str(client), (-1, -1))
        produces = kind == "produce"
        return ProducerRequest(
            kind,
            pid,
            epoch,
            "" if partition is None else topic_of(str(partition)),
            stage.state_before.sequence[client][partition] if produces else 0,
            stage.state_before.txn[client] if produces else 0,
            commit,
        )

    def _send_until_done(
        self, one: ProducerRequest, what: str, again: frozenset[int] = RETRIABLE, good: frozenset[int] = frozenset({0})
    ) -> ProducerResponse:
        """Sends a request. DivergenceError where it is not answered so."""
        answer = self.world.send_request(one, self.limit, again)
        if answer.code not in good:
            raise DivergenceError(f"{what} is refused: {_error_name(answer.code)}")
        return answer

    def _init_producer(self, stage: Stage) -> str:
        client = str(stage.arguments["client"])
        one = ProducerRequest("init", *self._has.get(client, (-1, -1)))
        answer = self._send_until_done(one, "InitProducerId")
        self._has[client] = (answer.pid, answer.epoch)
        return f"InitProducerId: producer id {answer.pid}, epoch {answer.epoch}"

    _bump_epoch = _bump_is_answered_again = _init_producer

    def _fence(self, stage: Stage) -> str:
        only = frozenset({CONCURRENT})
        self._send_until_done(ProducerRequest("init"), "InitProducerId", RETRIABLE - only, only)
        return "InitProducerId, which is answered with CONCURRENT_TRANSACTIONS"

    def _begin(self, stage: Stage) -> str:
        return "nothing is sent"

    _end_without_partitions = _stop = _begin

    def _add_partition(self, stage: Stage) -> str:
        client, partition = stage.arguments["client"], stage.arguments["partition"]
        self._send_until_done(self._make_request(stage, "add", client, partition), "AddPartitionsToTxn")
        return f"AddPartitionsToTxn of {topic_of(str(partition))}"

    def _produce(self, stage: Stage) -> str:
        one = self._make_request(stage, "produce", stage.arguments["client"], stage.arguments["partition"])
        self._send_until_done(one, "Produce")
        return f"Produce to {one.topic}, epoch {one.epoch}, sequence {one.sequence}"

    def _end(self, stage: Stage) -> str:
        client, commit = stage.arguments["client"], stage.arguments["commit"]
        answer = self._send_until_done(self._make_request(stage, "end", client, commit=commit), "EndTxn")
        if answer.epoch >= 0:
            self._has[str(client)] = (answer.pid, answer.epoch)
        return f"EndTxn, to {'commit' if commit else 'abort'}"

    _end_is_answered = _end

    def _is_fenced(self, stage: Stage) -> str:
        client = stage.arguments["client"]
        phase = stage.state_before.phase[client].name
        if phase in ("COMMITTING", "ABORTING") or (
            phase == "OPEN" and stage.state_before.memory.epoch == stage.state_before.epoch[client]
        ):
            commit = phase == "COMMITTING" or (phase == "OPEN" and len(stage.state_before.wrote[client]) > 0)
            one, what = self._make_request(stage, "end", client, commit=commit), "EndTxn"
        elif phase == "BUMPING":
            one, what = ProducerRequest("init", *self._has[str(client)]), "InitProducerId"
        else:
            one, what = (
                self._make_request(stage, "add", client, next(iter(stage.state_before.logs))),
                "AddPartitionsToTxn",
            )
        answer = self._send_until_done(one, what, good=FATAL)
        return f"{what}, which is refused: {_error_name(answer.code)}"

    # --- what is late -------------------------------------------------------------------------------------------------

    def _keep(self, stage: Stage, kind: str) -> str:
        client = stage.arguments["client"]
        (request,) = set(stage.state_after.late) - set(stage.state_before.late)
        self._late[request] = self._make_request(stage, kind, client, request.partition, commit=request.commit)
        return "it will be sent later"

    def _give_up_init(self, stage: Stage) -> str:
        return self._keep(stage, "init")

    def _give_up_add(self, stage: Stage) -> str:
        return self._keep(stage, "add")

    def _give_up_produce(self, stage: Stage) -> str:
        return self._keep(stage, "produce")

    def _give_up_end(self, stage: Stage) -> str:
        return self._keep(stage, "end")

    def _arrives(self, stage: Stage) -> str:
        one = self._late.pop(stage.arguments["request"])
        self._send_until_done(one, f"the late {one.kind}")
        return f"the late request is sent: epoch {one.epoch}"

    _late_init_arrives = _late_bump_is_answered_again = _late_add_arrives = _arrives
    _late_produce_arrives = _late_end_arrives = _arrives

    def _late_init_fences(self, stage: Stage) -> str:
        only = frozenset({CONCURRENT})
        self._send_until_done(
            self._late.pop(stage.arguments["request"]), "the late InitProducerId", RETRIABLE - only, only
        )
        return "the late request is sent, and answered with CONCURRENT_TRANSACTIONS"

    # --- the coordinator ----------------------------------------------------------------------------------------------

    def _write_marker(self, stage: Stage) -> str:
        partition = str(stage.arguments["partition"])
        if not self.world.pass_marker(partition, self.limit):
            raise NoEffectError(f"no WriteTxnMarkers for {partition} came, after {self.limit:g} s")
        return "WriteTxnMarkers let through"

    def _complete(self, stage: Stage) -> str:
        return "all markers are written"

    def _repeat_marker(self, stage: Stage) -> str:
        partition = str(stage.arguments["partition"])
        if not self.world.keep_marker(partition, self.limit):
            raise NoEffectError(f"no WriteTxnMarkers for {partition} came, after {self.limit:g} s")
        return "WriteTxnMarkers waits, and a copy of it is kept"

    def _late_marker_arrives(self, stage: Stage) -> str:
        partition = str(stage.arguments["request"].partition)
        if code := self.world.send_kept_marker(partition):
            raise DivergenceError(f"the late WriteTxnMarkers is refused: {_error_name(code)}")
        return "the copy is sent"

    def _time_out(self, stage: Stage) -> str:
        self.world.advance_clocks()
        return "the clocks of brokers put forward by 11 minutes"

    def _fail_over(self, stage: Stage) -> str:
        if not self.world.move_coordinator(self.limit):
            raise NoEffectError(f"no other broker is the coordinator, after {self.limit:g} s")
        return "the other replica of the coordinator's log leads"

    def _read(self, stage: Stage) -> str:
        return "the last stable offset is looked at"


def _error_name(code: int) -> str:
    return NAMES.get(code) or ERRORS.get(code) or f"error {code}"
