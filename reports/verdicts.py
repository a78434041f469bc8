"""The words for results, one table for `check`, `prove`, `audit` and the gate, with the mark and the colour of each.

docs/verdicts.md shows the table; tests/test_words.py holds it, and every word that a verb answers, to be here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from ..language.immutable import immutable

VerdictScope: TypeAlias = Literal["check", "property", "prove", "audit", "requirement", "gate"]
"""What a word is said of: a checked model, one of its properties, a proof, a cell of an audit's table, what is required
of a topic, an entry of a gate."""


@immutable
class Meaning:
    """A result with one meaning: its words, by what they are said of, its mark and its colour."""

    says: str
    words: Mapping[VerdictScope, tuple[str, ...]]
    mark: str
    style: str


VOCABULARY: tuple[Meaning, ...] = (
    Meaning(
        "It is so: in every state that was looked at, or by induction; what is expected is there.",
        {
            "check": ("holds",), "property": ("holds", "reached"), "prove": ("proved",), "audit": ("no loss found",),
            "requirement": ("met",), "gate": ("ok",),
        },
        "✓", "green",
    ),
    Meaning(
        "It is so if something else is: lemmas that were not proved in the same run, or a failure that was accepted.",
        {"prove": ("conditional",), "requirement": ("accepted",)},
        "~", "yellow bold",
    ),
    Meaning(
        "It is so because nothing happens: a claim begins nowhere, a witness is not reached, a proof is of no state.",
        {"property": ("missing",), "prove": ("vacuous",)},
        "✗", "yellow bold",
    ),
    Meaning(
        "It is not so, and a run shows it.",
        {
            "check": ("violated",), "property": ("violated",), "prove": ("refuted",), "audit": ("can lose",),
            "requirement": ("failed",), "gate": ("differs",),
        },
        "✗", "red bold",
    ),
    Meaning(
        "It depends on a fact that was not given; the report names the fact.",
        {"audit": ("depends",), "requirement": ("depends",)},
        "?", "yellow",
    ),
    Meaning(
        "It is open: the search or the solver ended before it was decided.",
        {"check": ("inconclusive",), "property": ("undecided",), "prove": ("not proved",), "gate": ("inconclusive",)},
        "?", "yellow bold",
    ),
    Meaning(
        "It was not checked, and the report says why.",
        {
            "property": ("not_checked",), "audit": ("not checked",), "requirement": ("not checked",),
            "gate": ("unrecorded",),
        },
        "?", "yellow bold",
    ),
    Meaning(
        "There is no result: the entry names something that is not there, or its process failed.",
        {"gate": ("cannot run", "broke down")},
        "✗", "red bold",
    ),
)  # fmt: skip
"""Every word, and with which others it shares a meaning."""


def meanings_by_word(of: VerdictScope) -> dict[str, Meaning]:
    """The words that are said of something, each with its meaning."""
    return {word: meaning for meaning in VOCABULARY for word in meaning.words.get(of, ())}


def styles_by_word(of: VerdictScope) -> dict[str, str]:
    """The colour of each word that is said of something, by the word as people read it."""
    return {verdict_text(word): meaning.style for word, meaning in meanings_by_word(of).items()}


def verdict_text(word: str) -> str:
    """A word as people read it: in JSON it has no spaces."""
    return word.replace("_", " ")


def reason_text(word: str, why: str) -> str:
    """The sentence that says of which runs a property holds, or why it is open; "" where there is nothing to say."""
    if not why or word == "violated":
        return ""
    return f"Holds {why}." if word == "holds" else f"{verdict_text(word).capitalize()}: {why}."


def found_nothing_text(engine: str) -> str:
    """What is said of a search that found nothing wrong: one that is not of every state says so before all else."""
    return "holds in what was looked at" if engine == "walk" else "holds"
