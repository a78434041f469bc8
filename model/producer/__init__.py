"""A producer, from `send()` to the answer: what an application gets by its settings.

Four things are distinguished, and properties say which of them is promised: a record is *accepted* (`send()` took it),
*acknowledged* (its callback was called without an error), *given up* (with an error), and it is *there* (in the log).

The way of a record. The application hands records over in their order, and waits for each answer or not (`waits`). A
partitioner gives each to a partition; the accumulator joins it to the last batch that waits (`batch_size`), which is
all that `linger.ms` is here. The sender takes the first batch of a partition, with up to `max_in_flight` requests on
their way. A connection is first in, first out, and a broker handles one request of it after the other. It appends, or
refuses: it does not lead (the client's metadata are stale), has too few replicas in sync, or the sequence is wrong. An
answer may be lost with its connection, or be an error after the append (NOT_ENOUGH_REPLICAS_AFTER_APPEND,
REQUEST_TIMED_OUT). A failed batch goes back to the front and is sent again, `retries` times, until
`delivery.timeout.ms` is over (`expiries`), for a record and for all that are older. What a client no longer waits for
may still arrive. Of a connection that is lost since 2.0 the oldest request goes back to the front first, so that
without sequences several change their order (`turns_around`: InFlightRequests.clearAll).

With idempotence (KIP-98) a batch gets a producer id, an epoch and a sequence when it is first sent, and keeps them. The
leader knows the last `window` batches of an id (KAFKA-5494) from its log: a copy is answered like the first, and what
is not next in sequence is refused. It forgets with time (`expirations`: `producer.id.expiration.ms`), up to 2.3 also
with the records (`forgets_with_records`, KAFKA-7190). A retry waits for all batches before it. A batch that was given
up in a retry may be there or not: no new batch is sent until the others are answered, and then, if there may be a gap,
the epoch is bumped, since 2.5 (KIP-360); before, the client took a new producer id, so that a late request of the old
one was not refused (`bumps_epoch`). Comes an error when the time is over and the client has not looked at it
(`run_out`), the epoch is bumped at once, and batches behind, which may be written, get other sequences. Up to 2.4 their
sequences are moved down, so that the next batch may be taken for a copy of the one that was given up. Of a producer
that a leader does not know it takes any sequence since 2.5. So a batch may be a producer's first whose predecessor was
refused for now, or is on its way to the leader before, and the predecessor is refused for ever (KAFKA-14359,
KAFKA-15591). Up to 2.4 such a batch was refused with UNKNOWN_PRODUCER_ID, and since 4.5 it is where the partition never
had records (`refuses_late_begin`; `has_records`).

The log is the abstract one of `model/parts/replicated_logs.py`, one for each partition. An entry that is not committed
may survive a change of the leader, or not. What acks=1 and acks=0 do is the log's to say (`acknowledges_uncommitted`,
`loses_acknowledged`); which settings of a topic switch these on is asked of `partition`. With acks=0 nobody answers
(`no_answer`).

The text is in several files: `state.py` says what there is, `client.py` what a producer does and who uses it,
`brokers.py` who answers.

What is abstracted away. There are no clocks. Of a connection that is lost, one request that the broker has not handled
arrives at most, and one of all at a time. `max.in.flight` counts the requests to all leaders together. An epoch is
bumped for one partition, and when nothing of it is in flight (Kafka rewrites what is). UNKNOWN_PRODUCER_ID of brokers
up to 2.4, after which the client begins its sequence anew, is here that any sequence is taken at once where the
partition has records of the producer's. Up to 2.4 sequences are moved down where the batch is alone on its way, and for
no other error. Of records that are sent again on errors none is given up for another's age. Batches are not
split. Transactions are not here.

Sources: KIP-98, KIP-91, KIP-360, KIP-480; RecordAccumulator (drain, reenqueue, shouldStopDrainBatchesForPartition),
Sender (completeBatch, failBatch, canRetry, sendProducerData, getExpiredInflightBatches), TransactionManager (canRetry,
handleFailedBatch, maybeResolveSequences) of kafka-clients 2.4.1 and 4.1.0; ProducerAppendInfo (checkSequence) of
Kafka's trunk of October 2024, before 4.0; the issues named above. Properties are in `invariants/producer.py`.
"""

from __future__ import annotations

from ...language import terminal
from . import brokers, client, state
from .state import ErrorHandling, Producing

modules = (state, client, brokers)  # in the order of the story

profiles = {
    "idempotent": {},
    "not_idempotent": {"idempotent": False},
    "newest_first": {"idempotent": False, "turns_around": False},
    "one_in_flight": {"idempotent": False, "max_in_flight": 1},
    "acks_1": {"idempotent": False, "acknowledges_uncommitted": True, "loses_acknowledged": True},
    "acks_0": {
        "idempotent": False,
        "no_answer": True,
        "acknowledges_uncommitted": True,
        "loses_acknowledged": True,
    },
    "no_retries": {"idempotent": False, "retries": 0},
    "synchronous": {"waits": True},
    "forgets_on_restart": {"sends_again": False},
    "closes_at_once": {"flushes": False},
    "send_fails": {"restarts": 0, "blocks": 1},
    "batches": {"restarts": 0, "refuses_late_begin": True, "batch_size": 2},
    "gives_up": {"expiries": 1},
    "gives_up_one_at_a_time": {"expiries": 1, "max_in_flight": 1},
    "gives_up_2_4": {"expiries": 1, "bumps_epoch": False, "refuses_late_begin": True},
    "sends_given_up_again": {"expiries": 1, "on_error": ErrorHandling.SEND_AGAIN},
    "stops_on_error": {"expiries": 1, "on_error": ErrorHandling.STOP},
    "kafka_7190": {
        "deletions": 1,
        "forgets_with_records": True,
        "bumps_epoch": False,
        "refuses_late_begin": True,
    },
    "keeps_producers": {"deletions": 1},
    "producer_expires": {"expirations": 1},
    "short_memory": {"window": 1},
    "no_memory": {"window": 0},
    "kafka_15591": {"restarts": 0},
    "refuses_late_begin": {"restarts": 0, "refuses_late_begin": True},
    "in_use": {"restarts": 0, "refuses_late_begin": True, "has_records": True},
    "adds_partitions": {"partitions": 2, "grows": True},
    "keeps_partitions": {"partitions": 2},
    "without_keys": {"partitions": 2, "keyed": False},
}


@terminal
def all_is_answered(s: Producing) -> bool:
    """Nothing waits and nothing is on its way."""
    return len(s.due) == 0 and len(s.waiting) == 0 and len(s.in_flight) == 0
