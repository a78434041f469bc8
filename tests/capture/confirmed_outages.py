"""The table of docs/confirmed.md about the topic of offsets: traces of `offsets_outage`, on brokers that have its
partitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .confirmed import Row
from .confirmed_controllers import Question, of_questions

UP = "start_broker(A); start_broker(B); start_broker(C); "
ALONE, EVERYWHERE = "first_use({P: {A}}); ", "first_use({P: {A, B, C}, Q: {A, B, C}}); "
ONCE, TWICE = "produce; consume(group=G, home=P); ", "produce; consume(group=G, home=P); consume(group=H, home=Q); "
ONE = (("up_at_first_use", 3), ("homes", 1), ("groups", 1))
TWO = (("up_at_first_use", 3), ("entries", 3))
DISK = (("disk_losses", 1),)
BOTH = (("3.9.1", False), ("4.1.0", False))
NEW = (("4.1.0", False),)
NO_BOUNDS = ()
QUESTIONS = (
    Question("shipped", "one replica, whose disk is lost: so is the offset", "offset_durable", NO_BOUNDS,
             (("3.6.2", False), *BOTH),
             f"{UP}{ALONE}{ONCE}kill(A); lose_disk(A); start_broker(A)", (*ONE, *DISK)),
    Question("shipped", "one replica each, and a broker is killed: its group has no coordinator, the other one has",
             "group_available", NO_BOUNDS, BOTH, f"{UP}first_use({{P: {{A}}, Q: {{B}}}}); {TWICE}kill(A)", TWO),
    Question("shipped", "one replica, whose broker is away: what is processed meanwhile is processed again",
             "nothing_read_again", NO_BOUNDS, NEW,
             f"{UP}{ALONE}{ONCE}produce; kill(A); process(G); restart(G); start_broker(A); begin_again(G)", ONE),
    Question("shipped", "the repair: three replicas by a reassignment, and the group goes on without the first",
             "goes_on_after_the_repair", NO_BOUNDS, BOTH,
             f"{UP}{ALONE}{ONCE}reassign(home=P, target={{A, B, C}}); copy(home=P, broker=B); copy(home=P, broker=C); "
             "finish_reassignment(P); kill(A)", (*ONE, ("reassignments", 1))),
    Question("shipped", "the topic is deleted and made anew, and `latest`: skipped", "nothing_skipped", NO_BOUNDS, BOTH,
             f"{UP}{ALONE}{ONCE}produce; delete_logs; first_use({{P: {{A, B, C}}}}); begin_again(G)",
             (*ONE, ("deletions", 1))),
    Question("earliest", "the same with `earliest`: processed again", "nothing_confirmed_read_again", NO_BOUNDS, NEW,
             f"{UP}{ALONE}{ONCE}delete_logs; first_use({{P: {{A, B, C}}}}); begin_again(G)", (*ONE, ("deletions", 1))),
    Question("none", "the same with `none`: it stops", "nobody_stops_for_good", NO_BOUNDS, NEW,
             f"{UP}{ALONE}{ONCE}delete_logs; restart(G); first_use({{P: {{A, B, C}}}}); begin_again(G)",
             (*ONE, ("deletions", 1))),
    Question("three_replicas", "three replicas, and a broker is killed: both groups go on",
             "consumes_while_a_broker_is_down", NO_BOUNDS, BOTH,
             f"{UP}{EVERYWHERE}{TWICE}kill(A); produce; consume(group=G, home=P)", TWO),
    Question("three_replicas", "one loses its disk and copies, and another is killed: both go on with their offsets",
             "consumes_while_a_broker_is_down", NO_BOUNDS, NEW,
             f"{UP}{EVERYWHERE}{TWICE}kill(A); lose_disk(A); start_broker(A); copy(home=P, broker=A); "
             "copy(home=Q, broker=A); kill(B)", (*TWO, *DISK, ("crashes", 2))),
    Question("three_replicas", "two of three are killed: commits are refused, and what is processed is processed again",
             "nothing_read_again", NO_BOUNDS, BOTH,
             f"{UP}first_use({{P: {{A, B, C}}}}); {ONCE}produce; kill(A); kill(B); process(G); restart(G); "
             "start_broker(A); copy(home=P, broker=A); begin_again(G)", (*ONE, ("crashes", 2))),
)  # fmt: skip
_NO_BROKERS = "its logs have no brokers, and do what Kafka's may do"
_OLD = "it is about releases without KRaft"
NOT_DRIVEN: Mapping[str, str] = {
    "consumers_2_4": _OLD,
    "kafka_0_10": _OLD,
    "kafka_2336": _OLD,
    "consumers_kip_848": "it is about what a client is given without a coordinator, and the driver reads in its place",
    "any_log": _NO_BROKERS,
    "log_stops": _NO_BROKERS,
    "log_loses": _NO_BROKERS,
}
"""Profiles that were not driven, and why."""


def outages(*only: str) -> Iterator[Row]:
    """The rows."""
    return of_questions("offsets_outage", QUESTIONS, only)
