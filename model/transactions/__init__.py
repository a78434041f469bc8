"""Kafka's transactions: a coordinator on a log, markers, fencing by epochs, and requests that are late.

A producer with a `transactional.id` asks the id's *coordinator*, the broker that leads the id's partition of
`__transaction_state`, for a producer id and an *epoch* (InitProducerId): whoever had an older epoch is fenced. It adds
partitions to its transaction, writes to them, and asks for the end (EndTxn). The coordinator writes what is decided to
its log, sends a *marker* to each partition, and writes that the transaction is over. A reader of committed records
reads up to the *last stable offset*: the first record that no marker follows. When the coordinator fails over, another
broker loads the id from the log, and sends the markers again. What keeps requests that are late harmless is a switch
each, and each of Kafka's published mistakes a profile:

* `bump_on_timeout`: a transaction that takes too long is aborted with the next epoch (KAFKA-6119, 0.11.0.2). Before,
  its producer did not learn of it, and wrote on.
* `after_failure`: what a client does that gives up a write. The Java client stopped for good up to 2.4; since 2.5 it
  aborts, and asks for the next epoch (KIP-360). In `goes_on_1_1` and `goes_on_3_6` it aborts and goes on as it was.
* `verify`: a leader asks the coordinator before the first write of a transaction (KIP-890, part 1, 3.6). Before, a
  write that arrives after the abort is open for ever (KAFKA-14402), or is committed with the next transaction.
* `guard`: a marker that is written between that question and the append makes the append fail (KAFKA-14884).
* `rotates_when_fenced`: in version 2 a transaction that takes too long with the last epoch but one is aborted with the
  last one, and a producer that asks for that abort gets it: nobody can fence it, or end what it writes. The mistake is
  in 4.2.1; its repair, in 4.3.0, takes the next producer id there (KAFKA-20090).
* `bump_every_time`: each transaction has an epoch of its own (KIP-890, part 2: transaction version 2, 4.0). Before, an
  EndTxn that is late ends the next transaction (found by Jepsen in 2024), whose records are then committed in part.
  Partitions are added by their leaders, when a write arrives, and who aborts gets a new epoch, also without a
  transaction.
* `fence_takes_two`: in 4.0.0 who is fenced in version 2, or takes too long, loses two epochs: one as it is fenced, one
  as its transaction is aborted. Where there is but one left, nobody gets a producer id any more (KAFKA-19367, 4.0.1).
  From then on an epoch is raised when the log has the record, so that a log that fails takes none.
* `strict_markers`: a marker of version 2 ends only what was written with an older epoch (KIP-1228, 4.2). Before, a
  marker that was sent twice ends the next transaction in one partition.
* `fence_markers`: a leader refuses the markers of a coordinator older than one that it has obeyed.
* `forgets`: a leader that forgets a producer takes a write of any epoch, and a marker of any coordinator: with the last
  record (KAFKA-7190, up to 2.3), or after a marker (KAFKA-9144, up to 2.4.0).
* `checks`: TxnOffsetCommit is a write to a partition of `__consumer_offsets`, without a sequence number. Up to 2.4.0
  its epoch is not checked (`offsets_1_1`); since 2.4.1 it is (`offsets_2_4`, with the clients of 2.4), and before 3.7
  it is not verified (KAFKA-15449: `offsets_2_5`, 2.5 to 3.6).
  What holds of `kafka_1_1` and `kafka_3_6` is of records, and not of offsets. AddOffsetsToTxn is as AddPartitionsToTxn.
* `takes_unknown`: since 2.5 a leader takes any sequence number of a producer that it does not know (`forgetful_2_5`).
  Before it refuses all but 0, with which a client begins again whose records are gone (UNKNOWN_PRODUCER_ID).
* `with_records`: a transaction commits offsets in one partition, and writes records to the others (`both_3_7`,
  `both_4_2`). Without it, it does one or the other.
* `zero_of_unknown`: in version 2 such a leader takes 0 alone (KAFKA-18202, 4.1). It makes a difference with `pipelined`
  (`pipelined_4_0`, which is 4.0.1 as well), since each transaction of version 2 begins with the first number.
* `keep_failed_fence`: an epoch that was raised, and could not be written, is not raised again (KAFKA-9666, 2.6).
* `read_limit_once`: a fetch finds the high watermark once (KAFKA-9807, up to 2.4).
* `lumped` is no mistake: what can make no difference any more is forgotten, as `transactions_as_lumped` checks.
* `in_one_step` is none either: a record of the coordinator is committed in the step in which it is appended, and a
  coordinator that takes over loads in that step. While an append is under way every other request about the id is
  refused (CONCURRENT_TRANSACTIONS) and sent again, but for a leader's question, which is answered as before the append;
  so nothing else sees the state between, and a fail-over before the commit is the same as a request that does not
  arrive. `step_by_step` has both steps, and PrepareEpochFence, which is in memory alone; the same properties hold.
* `former_verifies`: a coordinator that is one no longer, and does not know, goes on to answer leaders.
* `loses_acknowledged` is the log's own switch: `__transaction_state` with one replica, on a disk that is lost.

The versions are `kafka_0_11` (0.11.0.0), `kafka_1_1`, `kafka_2_5`, `kafka_3_6`, `kafka_4_0` (4.0.0), `kafka_4_1` (4.0.1
and 4.1) and `kafka_4_2`; those of version 2 with `transaction.version` 2, and clients that speak it.

A client waits for the answer to each request, so that a request and its answer are one step, unless the request is
*late*: then its sender has given up, and it arrives at any time, or never. This stands for a request that is lost, one
whose answer is lost, and one that arrives twice: a client sends again what it has given up, except where
`after_failure` says otherwise. Markers are sent until they are answered; a late one is a copy.

The text is in several files: `state.py` says what there is, `lumping.py` what may be forgotten, `clients.py` what
clients do, `coordinator.py` has the coordinator, its log and its markers, `partitions.py` what leaders accept and
readers get. The log is the abstract one of `model/parts/replicated_logs.py`; records about one id replace each other
(compaction), so that it has one or two.

Epochs of the second producer id are counted on from the last of the first (`producer_ids`, `max_epoch`); leaders know
each id by itself. Producers never get the last epoch of an id, but by mistake. An InitProducerId with an epoch that is
sent again is answered with what was written (KIP-360). An id that has expired (`expirations`) is not known: whoever
asks, with an epoch or without, gets the next producer id, and all else is refused (INVALID_PRODUCER_ID_MAPPING).

What is abstracted away. One `transactional.id`. When the producer ids of the bounds run out the search stops. A
transaction writes `batches` to each partition at most, each when the one before is acknowledged; with `pipelined` a
client that waits for one sends the next (what more of them do is in `producer`). Writes without transactions are left
out. A record of the coordinator that its log refuses for lack of time, and has later, is none here: Kafka's coordinator
goes on as if it were not there, and answers with an error, so that what it writes next counts, or, once another one has
loaded the log, what was in it. A partition's log keeps of a marker what it does to records. Partitions do not fail
over, since what a leader knows of a producer is made from its log; without `replicate_later` a record is below the high
watermark at once. There is no clock: a transaction may take too long, and an id that is not used expire, at any time.

Sources: TransactionCoordinator, TransactionMetadata, TransactionStateManager, TransactionMarkerChannelManager,
ProducerStateManager and ProducerAppendInfo of Kafka 0.11.0.0 to 4.2.0, TransactionManager and Sender of the client;
KIP-98, KIP-360, KIP-447, KIP-664, KIP-890, KIP-1228; the issues named above; Jepsen's report on Bufstream 0.1.0.
Properties are in `invariants/transactions/properties.py`.
"""

from __future__ import annotations

from ...language import GroupLanes, TransactionLanes, terminal
from . import clients, coordinator, lumping, partitions, state
from .state import Checks, Client, Cluster, FailureHandling, Forgets, Partition, Phase
from .state import last_stable_offset as last_stable_offset
from .state import newest_epoch as newest_epoch

modules = (state, lumping, clients, coordinator, partitions)  # in the order of the story

view = TransactionLanes(
    lane=Partition,
    log="logs",
    cell="{entry.txn}{'?' if entry.status.value == 'open' else '+' if entry.status.value == 'committed' else '-'}",
    cell_epoch="entry.txn",
    high_watermark="replicated",
    epoch="newest_epoch(s, lane)",
    transactions="[(at, at + 1 if c.status.value != 'open' else None, c.status.value)"
    " for at, c in enumerate(s.logs[lane])]",
    last_stable_offset="last_stable_offset(s, lane)",
    badges={"read up to": "s.delivered[lane] if reads > 0 else None"},
    board={
        "late": "', '.join(f'{r.kind.value} of epoch {r.epoch}' + (f' for {r.partition!r}' if r.partition is not None"
        " else '') + (' (commit)' if r.commit else '') for r in s.late) or 'nothing'"
    },
    words={"cell": "number and colour: transaction; + committed, − aborted, ? open"},
    participants=(
        GroupLanes(
            lane="coordinator",
            state="s.memory.state",
            generation="s.memory.epoch or None",
            assignment="s.memory.partitions",
            badges={
                "coordinator epoch": "coordinator",
                "in its log": "s.lines[0].state.value if s.lines[0].state != s.memory.state else None",
                "being written": "s.lines[1].state.value if 1 in s.log.appended else None",
                "markers to write": "s.unmarked if len(s.unmarked) > 0 else None",
            },
        ),
        GroupLanes(
            lane=Client,
            state="phase",
            generation="s.epoch[lane] or None",
            assignment="added",
            badges={
                "transaction": "s.txn[lane] or None",
                "acknowledged in": "', '.join(f'{p!r}' if n == 1 else f'{p!r} ({n})'"
                " for p, n in s.wrote[lane].items() if n > 0) or None",
                "not answered in": "s.unsure[lane] if len(s.unsure[lane]) > 0 else None",
            },
        ),
    ),
)

BEFORE_VERSION_2 = {"bump_every_time": False, "strict_markers": False}
BEFORE_3_6 = {**BEFORE_VERSION_2, "verify": False}

BEFORE_2_5 = {**BEFORE_3_6, "after_failure": FailureHandling.STOPS, "takes_unknown": False}

IN_4_0 = {"strict_markers": False, "fence_takes_two": True, "zero_of_unknown": False}

BOTH = {"checks": Checks.EPOCH, "with_records": True}

profiles = {
    "kafka_4_2": {},
    "kafka_4_1": {"strict_markers": False},
    "kafka_4_0": IN_4_0,
    "kafka_3_6": BEFORE_VERSION_2,
    "kafka_2_5": BEFORE_3_6,
    "kafka_1_1": BEFORE_2_5,
    "kafka_0_11": {**BEFORE_2_5, "bump_on_timeout": False},
    "goes_on_3_6": {**BEFORE_VERSION_2, "after_failure": FailureHandling.GOES_ON},
    "goes_on_1_1": {**BEFORE_3_6, "after_failure": FailureHandling.GOES_ON},
    "verified_in_two_steps": {**BEFORE_VERSION_2, "verify_in_two_steps": True},
    "kafka_14884": {**BEFORE_VERSION_2, "verify_in_two_steps": True, "guard": False},
    "kafka_7190": {**BEFORE_2_5, "forgets": Forgets.WITH_RECORDS},
    "kafka_9144": {**BEFORE_2_5, "forgets": Forgets.AFTER_MARKER},
    "unforgotten": BEFORE_2_5,
    "kafka_9666": {**BEFORE_2_5, "keep_failed_fence": False},
    "kafka_9807": {**BEFORE_2_5, "replicate_later": True, "read_limit_once": False},
    "replicated_later": {**BEFORE_2_5, "replicate_later": True},
    "step_by_step": {"in_one_step": False},
    "answers_early": {"in_one_step": False, "commit_before_answer": False},
    "former_answers": {"former_verifies": True},
    "former_answers_3_6": {**BEFORE_VERSION_2, "former_verifies": True},
    "offsets_1_1": {**BEFORE_2_5, "checks": Checks.NOTHING},
    "offsets_2_4": {**BEFORE_2_5, "checks": Checks.EPOCH},
    "offsets_2_5": {**BEFORE_3_6, "checks": Checks.EPOCH},
    "offsets_3_7": {**BEFORE_VERSION_2, "checks": Checks.EPOCH},
    "offsets_4_2": {"checks": Checks.EPOCH},
    "forgetful_2_5": {**BEFORE_3_6, "forgets": Forgets.WITH_RECORDS},
    "forgetful_4_2": {"forgets": Forgets.WITH_RECORDS},
    "forgetful_former": {"forgets": Forgets.WITH_RECORDS, "former_verifies": True},
    "unfenced_markers": {**BEFORE_2_5, "fence_markers": False},
    "log_lost": {"loses_acknowledged": True},
    "rotates_when_fenced": {"rotates_when_fenced": True},
    "lumped": {"lumped": True},
    "pipelined": {"pipelined": True},
    "pipelined_3_6": {**BEFORE_VERSION_2, "pipelined": True},
    "pipelined_4_0": {**IN_4_0, "pipelined": True},
    "both_3_7": {**BEFORE_VERSION_2, **BOTH},
    "both_4_2": BOTH,
    "two_steps_4_2": {"verify_in_two_steps": True},
    "unguarded_4_2": {"verify_in_two_steps": True, "guard": False},
}


@terminal
def everybody_has_ended(s: Cluster) -> bool:
    """Every client was fenced or has stopped."""
    return all(s.phase[client] == Phase.ENDED for client in Client)


@terminal
def id_is_lost(s: Cluster) -> bool:
    """The log has lost what it knew of the id: what follows has another producer id."""
    return len(s.log.lost) > 0
