"""What becomes of a transaction, as a component: what producers may rely on of their coordinator, whichever version.

One transaction of a `transactional.id` is under way at a time. It is decided once, while its producer has the newest
epoch, or is aborted; each partition's marker makes of what is open there what was decided; and the next one begins when
nothing is open any more. The functions say so of plain values, so that a model keeps them where it likes:
`model/transaction_outcomes.py` is the coordinator and the partitions alone, with what they promise;
`transactional_processing` stands on it, and Kafka's transactions are checked to keep it (`transactions_as_outcomes`).
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import Range

Count = Annotated[int, Range(0, 1_000)]
"""How many: models have few."""


class Stage(Enum):
    """How it is with the transaction that is under way."""

    NONE = "none"
    ONGOING = "ongoing"
    PREPARE_COMMIT = "prepare commit"
    PREPARE_ABORT = "prepare abort"


class Status(Enum):
    """What a reader of committed records makes of a record."""

    OPEN = "open"  # no marker follows it
    COMMITTED = "committed"
    ABORTED = "aborted"


def is_free(stage: Stage) -> bool:
    """Whether no transaction is under way: a producer may get an epoch, and the next transaction begin."""
    return stage == Stage.NONE


def may_be_ended(stage: Stage) -> bool:
    """Whether a transaction is under way whose end is not decided: a commit, an abort, a timeout or a fence decides."""
    return stage == Stage.ONGOING


def may_go_on(stage: Stage, has_newest: bool) -> bool:
    """Whether a producer may write, add and decide: its transaction is under way, and nobody has a newer epoch."""
    return has_newest and stage == Stage.ONGOING


def is_decided(stage: Stage) -> bool:
    """Whether the end of a transaction is decided, and not done."""
    return stage in (Stage.PREPARE_COMMIT, Stage.PREPARE_ABORT)


def decided_stage(commit: bool) -> Stage:
    """What is decided."""
    return Stage.PREPARE_COMMIT if commit else Stage.PREPARE_ABORT


def made_by_marker(stage: Stage) -> Status:
    """What the marker of a decided transaction makes of what is open."""
    return Status.COMMITTED if stage == Stage.PREPARE_COMMIT else Status.ABORTED


def may_be_over(stage: Stage, still_open: Count) -> bool:
    """Whether a transaction is over: it is decided, and nothing of it is open anywhere."""
    return is_decided(stage) and still_open == 0
