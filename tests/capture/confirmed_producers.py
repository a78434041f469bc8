"""The table of docs/confirmed.md about producers: traces of `producer`, with Kafka's own client of the release."""

from __future__ import annotations

from collections.abc import Iterator

from .confirmed import Row
from .confirmed_controllers import Question, of_questions

ERROR, CUT, NETWORK = ("--bounds", "one_error"), ("--bounds", "connection"), ("--bounds", "network")
QUESTIONS = (
    Question(
        "acks_1", "acks=1: the next leader does not have what was acknowledged", "acknowledged_is_durable", NETWORK,
        (("3.4.1", False), ("4.1.0", False)),
    ),
    Question(
        "acks_0", "acks=0: acknowledged before a broker has it", "acknowledged_is_durable", ERROR, (("4.1.0", False),),
    ),
    Question(
        "not_idempotent", "without idempotence: a connection is lost, and the batch is there twice", "no_duplicates",
        CUT, (("3.4.1", False), ("4.1.0", False)),
    ),
    Question(
        "not_idempotent", "the same after an error, with the batch written", "no_duplicates", ERROR,
        (("3.6.2", False), ("4.1.0", False)),
    ),
    Question(
        "not_idempotent", "two in flight: the connection is lost, and the second one is sent first", "order_per_key",
        CUT, (("3.4.1", False), ("4.1.0", False)),
    ),
    Question(
        "not_idempotent", "two in flight: the first one is refused for now", "order_per_key", ERROR,
        (("4.1.0", False),),
    ),
    Question(
        "no_retries", "without retries: given up with an error, and there all the same", "given_up_is_not_there", ERROR,
        (("3.6.2", False),),
    ),
    Question(
        "idempotent", "idempotent: an application that starts again sends a record that arrives late", "no_duplicates",
        ("--bounds", "restart"), (("4.1.0", False),),
    ),
    Question(
        "kafka_15591", "KAFKA-14359: the first batch of a producer is refused, since the second one was there before",
        "order_per_key", NETWORK, (("3.9.1", False), ("4.1.0", False)),
    ),
    Question(
        "idempotent", "all is acknowledged, by the next leader", "acknowledged_by_the_next_leader", NETWORK,
        (("4.1.0", False),),
    ),
)  # fmt: skip


def producers(*only: str) -> Iterator[Row]:
    """The rows."""
    return of_questions("producer", QUESTIONS, only)
