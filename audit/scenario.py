"""A loss in sentences with the user's own names, and the headline of a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from .cases import Told
from .levels import LEVELS, Level, Name
from .signature import Subject
from .verdicts import Answer, Table

ENDS: Mapping[str, str] = {
    "acknowledged_kept": "Now {leader} leads, and a record that was acknowledged is not in its log.",
    "acked_durable": "Now no broker has a record that was acknowledged.",
    "consistent_read": "Now {leader} leads, and a record that consumers may have read is not in its log.",
    "log_matching": "Now two logs differ below both high watermarks.",
    "no_duplicate": "Now the record is in the log twice.",
    "producer_order": "Now the records are in another order than they were sent in.",
}

_FAULTS: Mapping[Name, str] = {
    "L0": "without any fault, when the lead moves to another broker",
    "L1": "if one broker's process crashes",
    "L2": "if one host loses power",
    "L3": "if a broker crashes while the ISR has shrunk to min.insync.replicas",
    "L4": "if the last broker in the ISR loses power after the others have left it",
    "L5": "if a rack loses power",
    "L6": "if a disk is lost",
}
_SURVIVED: tuple[tuple[Name, str], ...] = (
    ("L1", "a crash of any one broker"),
    ("L2", "a loss of power of any one host"),
    ("L3", "a crash while the ISR is at min.insync.replicas"),
    ("L4", "the last replica standing"),
    ("L5", "a loss of power of a rack"),
    ("L6", "a lost disk"),
)


def names(subject: Subject, steps: Sequence[Told]) -> Mapping[str, str]:
    """What the model's brokers are called in the user's cluster: the first to be written to is the preferred leader."""
    replicas = next((each.replicas for topic in subject.topics for each in topic.partitions if each.replicas), ())
    letters = "ABCDE"
    used = {letter for each in steps for letter in re.findall(r"⟨(.)⟩", each.says)}
    first = next((m[1] for each in steps if (m := re.match(r"produce\((?:leader=)?([A-E])", each.step))), "A")
    order = [first, *(letter for letter in letters if letter != first)]
    if replicas:
        return {letter: f"broker {id_}" for letter, id_ in zip(order, replicas, strict=False)}
    return {letter: f"broker {letter}" for letter in order if letter in used or letter == first}


def sentences(subject: Subject, answer: Answer) -> list[str]:
    """The scenario of a loss, step by step, and what is lost at its end."""
    called = names(subject, answer.steps)
    told = [_named(each.says, called) for each in answer.steps]
    leader = next((m[1] for each in reversed(answer.steps) if (m := _elects(each))), "")
    end = ENDS.get(answer.property, "").format(leader=called.get(leader, "another broker"))
    return [*told, end] if end else told


def _elects(each: Told) -> re.Match[str] | None:
    return re.search(r"(?:successor=|^learn\((?:broker=)?|^elect_preferred\((?:broker=)?)([A-E])", each.step)


def _named(text: str, called: Mapping[str, str]) -> str:
    said = re.sub(r"⟨(.)⟩", lambda found: called.get(found[1], found[1]), text)
    return said[:1].upper() + said[1:]


def headline(subject: Subject, table: Table, lowest: Level | None) -> str:
    """A table in one sentence: what is survived, and the lowest level that loses."""
    stops = _stops(table)
    losing = {level.name for level in LEVELS if table["no-loss", level.name].word == "can lose"}
    kept = [says for name, says in _SURVIVED if table["no-loss", name].word == "no loss found"]
    if lowest is None:
        unclear = [level.name for level in LEVELS if table["no-loss", level.name].word != "no loss found"]
        doubts = f"; {', '.join(unclear)} {'is' if len(unclear) == 1 else 'are'} not decided" if unclear else ""
        return f"{stops}no loss found within the bounds of {_levels(table)}{doubts}" if kept else "nothing was decided"
    below = [says for name, says in _SURVIVED if name < lowest.name and table["no-loss", name].word == "no loss found"]
    what = "loses acknowledged records" if lowest.name in losing else "takes back what was read"
    survived = f"survives {_and(below)}; " if below else ""
    return f"{survived}{stops}{what} {_needs(subject, table, lowest)} ({lowest.name})"


def _stops(table: Table) -> str:
    """Whether writes stop with one broker down: said before what is lost."""
    levels: tuple[Name, ...] = ("L0", "L1")
    stopped = next((name for name in levels if table["writable", name].word == "can lose"), None)
    if stopped is None:
        return ""
    return "writes stop " + ("though nothing is wrong (L0); " if stopped == "L0" else "while one broker is down (L1); ")


def _levels(table: Table) -> str:
    found = [level.name for level in LEVELS if table["no-loss", level.name].word == "no loss found"]
    return ", ".join(found)


def _needs(subject: Subject, table: Table, level: Level) -> str:
    """What a loss needs, with the user's names where the last replica standing has one."""
    answer = table["no-loss", level.name]
    dark = next((m[1] for each in answer.steps if (m := re.match(r"lose_power\((?:broker=)?([A-E])", each.step))), "")
    named = any(topic.partitions for topic in subject.topics)
    if level.name != "L4" or not dark or not named:
        return _FAULTS[level.name]
    called = names(subject, answer.steps)
    others = [name.removeprefix("broker ") for letter, name in called.items() if letter != dark]
    if dark not in called or not others:
        return _FAULTS[level.name]
    left = f"broker{'s' if len(others) > 1 else ''} {_and(others)} left the ISR"
    return f"if {called[dark]} loses power after {left}"


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


_KEPT = frozenset({
    "schema", "kind", "title", "model", "says", "commit", "engine", "tool", "bounds", "budgets", "replay", "where",
    "statement", "conjunct", "notes", "fields", "truth",
})  # fmt: skip
"""Parts of a trace that are about the model, and not about what happens in it."""

_BROKER = re.compile(
    r"\b([A-E])\b(?! (?:record|broker|leader|follower|member|controller|majority|log|host|consumer|producer)\b)"
)
"""A broker of the model in a text; `A record` is an article."""


def renamed(trace: Mapping[str, Any], called: Mapping[str, str]) -> dict[str, Any]:
    """A trace document with the brokers' names in the user's cluster, in lanes, states and sentences alike.

    `called` has them by the model's letters. The line that replays it keeps the letters, and a note says whose each is.
    """
    names = {each["id"]: called.get(each["id"], f"broker {each['id']}") for each in trace["lanes"]}

    def text(said: str) -> str:
        return _BROKER.sub(lambda found: names.get(found[1], found[1]), said)

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return text(value)
        if isinstance(value, list):
            return [walk(each) for each in cast("list[Any]", value)]
        if isinstance(value, Mapping):
            held = cast("Mapping[str, Any]", value).items()
            return {text(key): each if key in _KEPT else walk(each) for key, each in held}
        return value

    made: dict[str, Any] = walk(trace)
    for each in (*made["steps"], *made["argument"]):
        name = "sentence" if "sentence" in each else "text"
        each[name] = each[name][:1].upper() + each[name][1:]
    who = ", ".join(f"{letter} is {name}" for letter, name in sorted(names.items()))
    return made | {"notes": [*made["notes"], f"In the line that replays it {who}."]}
