"""What producers and consumers make of a log of which it is known what it does: asked of the models `producer` and
`consumer`, whose partitions are the abstract log.

The partition's model says of each cell whether the log loses what it acknowledged. That is a switch of the abstract
log, which the partition's model is checked to refine. With it, and with what a client's settings and version are in
these models, a client is explored: by plain Python, since there are a few thousand states at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ...explorer import ENGINES
from ...explorer.search import Search
from ...invariants.catalogue import find
from ...language.constants import Value
from ...language.immutable import immutable
from ...language.model import Model
from ...language.verdict import PropertyVerdict
from ...model.consumer.state import Reset
from .small_models import SmallModel, explore_small_model

DUPLICATES, ORDER = "no_duplicates", "order_per_key"
DURABLE, TOLD, THERE = "acknowledged_is_durable", "no_silent_loss", "accepted_is_there"
LOST, SKIPPED, TWICE, NOTICED = "at_least_once", "nothing_skipped", "at_most_once", "cut_is_noticed"

Settings = tuple[tuple[str, Value], ...]

_TWO_RECORDS: Mapping[str, Value] = {
    "records": 2, "entries": 5, "retries": 2, "elections": 0, "refusals": 0, "cuts": 1, "expiries": 1, "restarts": 0,
}  # fmt: skip
"""Two records, of which one may be given up with its connection lost: the fewest that change places."""


@immutable
class ClientResult:
    """What an exploration found: the steps of the shortest run to each property that fails, and how many states."""

    steps: Mapping[str, int]
    states: int
    settings: Settings

    def to_command(self, name: str) -> str:
        """`tidegate check producer ... --property NAME`: with what is not as by default."""
        defaults = {constant.name: constant.default for constant in find("producer")[0].constants.values()}
        options = [_option_text(*one) for one in self.settings if defaults[one[0]] != one[1]]
        return f"tidegate check producer {' '.join(options)} --property {name}"


def _option_text(name: str, value: Value) -> str:
    return f"--set {name}={str(value).lower() if isinstance(value, bool) else value}"


@immutable
class Sender:
    """A producer as the model has it. `acks`: none, leader or all. `careful`: leaders look at its sequences.
    `bumps_epoch`: KIP-360, which takes a client and brokers of 2.5."""

    acks: str
    careful: bool
    max_in_flight: int
    retries: bool
    bumps_epoch: bool = True

    @property
    def constants(self) -> dict[str, Value]:
        """Its constants. With two records, two requests in flight are all that there can be."""
        made: dict[str, Value] = {"idempotent": self.careful, "max_in_flight": max(1, min(2, self.max_in_flight))}
        made |= {} if self.retries else {"retries": 0}
        made |= {} if self.acks == "all" else {"acknowledges_uncommitted": True}
        made |= {"no_answer": True, "loses_acknowledged": True} if self.acks == "none" else {}
        return made | ({} if self.bumps_epoch else {"bumps_epoch": False})


@cache
def result_of_lone_producer(sender: Sender) -> ClientResult:
    """What a producer does by itself: one connection is lost, and one record is given up that may arrive late."""
    return _explore_producer({**_TWO_RECORDS, **sender.constants})


@cache
def send_under_another_leader(sender: Sender, *, loses: bool) -> ClientResult:
    """The same where another broker becomes the leader; `loses`: without what was acknowledged, if it is so."""
    losing: Mapping[str, Value] = {"loses_acknowledged": True} if loses else {}
    return _explore_producer({**_TWO_RECORDS, "elections": 1, **losing, **sender.constants})


def _explore_producer(values: Mapping[str, Value]) -> ClientResult:
    wanted = frozenset({"send", "transmit", "append_batch", "lose_connection"})
    found = explore_small_model(SmallModel("producer", values, (DUPLICATES, ORDER), wanted))
    return ClientResult(found.steps, found.states, tuple(values.items()))


@cache
def result_of_false_acknowledgement(sender: Sender) -> ClientResult:
    """Whether a record is acknowledged and not there, after one that was given up, though the log loses nothing."""
    values = {**_TWO_RECORDS, **sender.constants}
    found = explore_small_model(
        SmallModel("producer", values, (DURABLE,), frozenset({"send", "append_batch", "lose_connection"}))
    )
    return ClientResult(found.steps, found.states, tuple(values.items()))


@cache
def possible_costs(sender: Sender) -> frozenset[str]:
    """What one record of a producer may come to, behind a log that loses what acks=0 and acks=1 acknowledge: which of
    `acknowledged_is_durable`, `no_silent_loss` and `accepted_is_there` fail."""
    losing: Mapping[str, Value] = {} if sender.acks == "all" else {"loses_acknowledged": True}
    values = {**_TWO_RECORDS, "records": 1, "elections": 1, "expiries": 0, **losing, **sender.constants}
    return frozenset(
        explore_small_model(
            SmallModel("producer", values, (DURABLE, TOLD, THERE), frozenset({"transmit", "fail_over"}))
        ).steps
    )


def run_of_producer(name: str, settings: Settings) -> tuple[Model, PropertyVerdict]:
    """The shortest run of a producer to a property that fails, explored anew, and the model that has it."""
    model = find("producer")[0].bind("producer", dict(settings), None, properties=[name])
    (found,) = ENGINES["python"](model, Search(deadlocks=False), None).properties
    return model, found


# --- consumers --------------------------------------------------------------------------------------------------------

_ONE_RECORD: Mapping[str, Value] = {
    "consumers": 2, "partitions": 1, "records": 1, "entries": 1, "max_generation": 2, "crashes": 1, "pauses": 0,
}  # fmt: skip
_A_CUT: Mapping[str, Value] = {
    "consumers": 1, "partitions": 1, "records": 2, "entries": 2, "max_generation": 1, "crashes": 0, "pauses": 0,
    "truncations": 1, "readers_diverge": True,
}  # fmt: skip


@cache
def crash_costs(settings: Settings) -> frozenset[str]:
    """Which of at-least-once and at-most-once fail where a consumer with these settings of the model dies."""
    values = {**_ONE_RECORD, **dict(settings)}
    return frozenset(
        explore_small_model(
            SmallModel("consumer", values, (LOST, TWICE), frozenset({"poll", "process", "crash"}))
        ).steps
    )


@cache
def is_skipping_what_was_cut(*, sees_truncation: bool, commits_epochs: bool = True) -> bool:
    """Whether a consumer skips records where the log was cut below its position and has grown again (KIP-320). Where
    its commits have no leader epoch it dies, too, and begins at what it has committed."""
    again: Mapping[str, Value] = {"commits_epochs": False, "crashes": 1, "max_generation": 2}
    values = {**_A_CUT, "detects_truncation": sees_truncation, **({} if commits_epochs else again)}
    return (
        SKIPPED
        in explore_small_model(
            SmallModel("consumer", values, (SKIPPED,), frozenset({"poll", "process", "truncate"}))
        ).steps
    )


@cache
def is_skipping_what_comes_back() -> bool:
    """Whether a consumer that has KIP-320 skips records that were cut, and are in the log again with the leader that
    had them: it has read others in their place, of a newer leader epoch."""
    wanted = frozenset({"poll", "truncate", "come_back"})
    return SKIPPED in explore_small_model(SmallModel("consumer", {**_A_CUT, "returns": 1}, (SKIPPED,), wanted)).steps


@cache
def is_missing_a_cut(reset: str) -> bool:
    """Whether a consumer that has KIP-320 may miss a cut below the position that `auto.offset.reset` gave it. Where it
    was given a record's (`by_duration`), that takes a cut of this record and of the one before it."""
    values = {**_A_CUT, "truncations": 2, "has_offsets": False, "reset": Reset(reset)}
    wanted = frozenset({"reset_position", "truncate"} | ({"poll"} if values["reset"] != Reset.NONE else set[str]()))
    return NOTICED in explore_small_model(SmallModel("consumer", values, (NOTICED,), wanted)).steps
