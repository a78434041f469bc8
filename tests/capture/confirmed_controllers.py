"""The table of docs/confirmed.md about controllers: traces of `kraft`, on releases that have what they are about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tidegate.language.immutable import immutable

from ..support.confirming import document_of
from .confirmed import Document, Row, cells_of, driven, found_by, one

SMALL = ("max_epoch=2", "crashes=0", "max_records=0")


@immutable
class Question:
    """A property of a profile, in bounds, and on which releases its trace is driven: each with whether the trace is
    driven as the profile has it though the model of the release does not take it. The trace is the one that `check`
    finds, or that of `steps` where there are some, with some `constants` besides."""

    profile: str
    says: str
    property: str
    bounds: tuple[str, ...]
    releases: tuple[tuple[str, bool], ...]
    steps: str = ""
    constants: tuple[tuple[str, int], ...] = ()


QUESTIONS = (
    Question(
        "kip595", "KIP-853: a voter whose disk is replaced is taken for the old one, and what was committed is lost",
        "leader_completeness", one("empty_disk"), (("3.4.1", False), ("3.9.1", False)),
    ),
    Question(
        "kafka_15489", "a leader without a majority goes on leading", "old_leader_resigns", one("small"),
        (("3.6.2", False), ("3.7.0", True), ("3.9.1", True)),
    ),
    Question(
        "kip595", "KIP-996: a voter that hears from nobody deposes a leader whom a majority follows", "no_disruption",
        one("two_epochs"), (("3.9.1", False), ("4.1.0", True)),
    ),
    Question(
        "kip996", "the same with pre-votes, where a follower has not fetched yet", "no_disruption",
        tuple(word for value in SMALL for word in ("--set", value)), (("4.1.0", False),),
    ),
    Question(
        "kip595", "an election, and a record that a majority has", "record_is_committed", one("small"),
        (("3.4.1", False), ("3.9.1", False)),
    ),
    Question("kip996", "the same with pre-votes", "record_is_committed", one("small"), (("4.1.0", False),)),
    Question(
        "kip595", "a new leader takes over what is not committed", "leader_inherits_uncommitted_records", one("small"),
        (("3.9.1", False),),
    ),
    Question("kip595", "the logs of two leaders diverge", "logs_part", one("two_epochs"), (("3.6.2", False),)),
)  # fmt: skip
NOT_DRIVEN: Mapping[str, str] = {
    "kip630": "snapshots are off where controllers are driven",
    "kip853": "controllers are driven as voters that are known by number alone, and it loses nothing otherwise",
    "check_quorum": "it is what releases from 3.7 on do, and its properties hold; see `kafka_15489` there",
    "kafka_12460": "no release from 3.3 on has it",
    "kafka_12619": "no release from 3.3 on has it",
    "kafka_10533": "no release from 3.3 on has it",
    "kafka_10527": "no release from 3.3 on has it",
    "kafka_14238": "snapshots are off where controllers are driven",
    "kafka_15345": "controllers that are driven begin with a log that is not empty",
    "lost_votes": "no release has it",
    "illegal_state": "no release from 3.3 on has it",
}
"""Profiles of controllers that were not driven, and why."""


def controllers(*only: str) -> Iterator[Row]:
    """The rows."""
    return of_questions("kraft", QUESTIONS, only)


def of_questions(model: str, questions: Sequence[Question], only: Sequence[str]) -> Iterator[Row]:
    """The rows of what came of some questions about a model; of those of `only`, where there are any: each is
    `profile`, `profile:property` or `profile:property:release`."""
    for question in questions:
        chosen = [one for one in question.releases if not only or any(_is_of(question, one[0], word) for word in only)]
        trace = _trace_of(model, question) if chosen else {}
        for release, anyway in chosen:
            found = driven(trace, release, anyway=anyway)
            yield [f"`{question.profile}`", question.says, *cells_of(found)]


def _is_of(question: Question, release: str, word: str) -> bool:
    parts = word.split(":")
    return parts == [question.profile, question.property, release][: len(parts)]


def _trace_of(model: str, question: Question) -> Document:
    if question.steps:
        return document_of(model, question.profile, question.property, question.steps, **dict(question.constants))
    more = (*question.bounds, "--property", question.property, "--symmetry")
    return found_by(f"{model}:{question.profile}", more)
