"""What an answer is: a word for a question in a cell, with its reason, and the tables that have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ...language.immutable import immutable
from ..exploring.case_results import ScenarioStep
from ..exploring.client_models import Settings
from ..kafka.keys import declared_key
from ..questions.questions import (
    Case,
)
from ..questions.signature import Subject, Variant
from ..questions.situations import (
    Name,
)

Word = Literal["can lose", "no loss found", "depends", "not checked"]

Basis = Literal["model", "arithmetic", ""]

GRAVITY: tuple[Word, ...] = ("can lose", "depends", "not checked", "no loss found")
"""The words, the gravest first."""

RACK = declared_key("broker.rack")

ASSUMPTIONS: Mapping[str, str] = {
    "controllers-catch-up": "a controller whose disk was replaced starts when all others have caught up (KAFKA-14077)"
}
"""Conditions on how a cluster is run that an audit may rest on, by name, each with what it means."""

LATE = "it is not decided in time"
"""Why no repair is known where time is out."""


@immutable
class Answer:
    """One cell of a table. `why` is what a loss needs, what is within bounds, or why nothing was checked.

    `facts` are the facts that it depends on. `case` and `property` have the scenario of a loss, `steps` its length.
    Where the producer's model has it instead, `client` is its property and its constants. `hosts_out` is how many of
    the hosts that a run about service loses are out before the fault. `stop_reason` says why an exploration that it
    needs did not end: for want of time or memory. `is_proved`: that nothing is lost is proved, and rests on no bounds.
    `race` is the ticket of a race that a loss takes, and no fault of a broker; "" where it takes none.
    """

    word: Word
    basis: Basis = ""
    why: str = ""
    facts: tuple[str, ...] = ()
    steps: tuple[ScenarioStep, ...] = ()
    case: Case | None = None
    property: str = ""
    client: tuple[str, Settings] | None = None
    hosts_out: int = 0
    stop_reason: str = ""
    is_proved: bool = False
    race: str = ""


def unfinished_answer(stop_reason: str) -> Answer:
    """Nothing is decided, since an exploration did not end, for want of time or memory."""
    return Answer("not checked", "", f"inconclusive: {stop_reason}", stop_reason=stop_reason)


Table = Mapping[tuple[str, Name], Answer]


@immutable
class SubjectVerdict:
    """A subject with its answers: those of each of its variants, and all of them put together."""

    subject: Subject
    tables: tuple[Table, ...]
    table: Table


def gravest_answer(answers: Iterable[Answer]) -> Answer:
    """The first of the gravest of several answers. Of two that lose, one that takes more than a race is the graver;
    of two without a loss, one that is not proved is: what is said of all of them holds of each."""
    return min(answers, key=lambda answer: (GRAVITY.index(answer.word), bool(answer.race), answer.is_proved))


def merge_answers(variants: Sequence[Variant], answers: Sequence[Answer]) -> Answer:
    """One answer of several: the same word, or which facts it depends on. Where nothing is lost in those that were
    decided, and the rest are open for lack of time or memory, it is not decided: nothing is known to depend on a fact.
    """
    if len(answers) == 1:
        return answers[0]
    words = {found.word for found in answers}
    still_open = [found for found in answers if found.stop_reason]
    if still_open and {found.word for found in answers if found not in still_open} == {"no loss found"}:
        return still_open[0]
    gravest = gravest_answer(answers)
    if len(words) == 1:
        on = tuple(dict.fromkeys(name for found in answers for name in found.facts))
        return replace(gravest, facts=on, hosts_out=0)
    deciding = facts_that_matter(variants, [found.word for found in answers])
    on = tuple(dict.fromkeys((*deciding, *(name for found in answers for name in found.facts))))
    return replace(gravest, word="depends", facts=on, hosts_out=0)


def facts_that_matter(variants: Sequence[Variant], values: Sequence[object]) -> tuple[str, ...]:
    """The facts of which a change by itself changes the value; all that differ, if no single one does."""
    names = [name for name, _ in variants[0].supposed_facts]
    deciding: list[str] = []
    for place, name in enumerate(names):
        groups: dict[object, set[object]] = {}
        for variant, value in zip(variants, values, strict=True):
            rest = tuple(fact for at, fact in enumerate(variant.supposed_facts) if at != place)
            groups.setdefault(rest, set()).add(value)
        if any(len(group) > 1 for group in groups.values()):
            deciding.append(name)
    return tuple(deciding or names)
