"""The table of docs/confirmed.md about transactions: traces of `transactions`, on releases that have what they are
about, and on some that have not."""

from __future__ import annotations

from collections.abc import Iterator

from .confirmed import Row
from .confirmed_controllers import Question, of_questions

ONE = ("--ghosts", "--set", "clients=1", "--set", "partitions=1", "--set", "transactions=1")
PAIR = ("--ghosts", "--set", "clients=1", "--set", "partitions=2", "--set", "transactions=2")
QUESTIONS = (
    Question(
        "kafka_2_5", "KAFKA-14402: a write that arrives after the abort is open for ever, and readers stop there",
        "nothing_hangs", (*ONE, "--set", "late_produces=1"), (("3.4.1", False), ("3.9.1", True), ("4.1.0", True)),
    ),
    Question(
        "kafka_3_6", "an EndTxn that is late ends the next transaction, which is committed in part",
        "atomic_visibility", (*PAIR, "--set", "late_ends=1"), (("3.9.1", False), ("4.1.0", False)),
    ),
    Question(
        "kafka_4_1", "KIP-1228: with version 2, a marker that arrives twice ends the next transaction in one partition",
        "atomic_visibility", (*PAIR, "--set", "late_markers=1"), (("4.1.0", False),),
    ),
    Question(
        "kafka_3_6", "a transaction whose markers two coordinators write", "commits_across_a_fail_over",
        (*PAIR, "--set", "failovers=1"), (("3.9.1", False),),
    ),
    Question(
        "kafka_4_1", "a producer is fenced by another one that has its id",
        "zombie_is_fenced", (*ONE, "--set", "clients=2", "--set", "transactions=2"), (("4.1.0", False),),
    ),
)  # fmt: skip


def transactions(*only: str) -> Iterator[Row]:
    """The rows."""
    return of_questions("transactions", QUESTIONS, only)
