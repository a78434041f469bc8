"""What `conform` found, in the terminal: how much was compared, and each difference side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from .text_page import TextFormat, TextPage, count_text

Document: TypeAlias = Mapping[str, Any]
MOST_PAIRS = 8
"""Pairs of actions that are named."""


def conform_text(document: Document, text_format: TextFormat) -> str:
    """What came of `tidegate.conform/1`: the verdict, each difference, what was compared and what was not."""
    page, found = TextPage(text_format), document["differences"]
    what = f"Kafka {document['kafka']} and {_model_words(document)}"
    cut = document["interrupted"]
    end = f"; {document['why'] or 'interrupted'}" if cut else ""
    if found:
        number = count_text(len(found), "difference")
        page.line(f"✗ {what}: {number} in {_reach_text(document)}{end}", style="bold red")
    elif not document["steps"] and not document["observations"]:
        page.line(f"? {what}: nothing was compared{end}", style="bold yellow")
    elif cut:
        page.line(f"? {what}: cut short, and no difference in {_reach_text(document)}{end}", style="bold yellow")
    else:
        left = f"; {len(document['left_out'])} kinds of steps are left out" if "left_out" in document else ""
        page.line(f"✓ {what}: no difference in {_reach_text(document)}{left}", style="bold green")
    for difference in found:
        page.blank()
        _write_difference(page, difference, document)
    page.blank()
    if "left_out" in document:
        _write_left_out(page, document)
        return page.text()
    page.line(f"compared of each voter after each step: {', '.join(document['compared'])}")
    if document["runs"]:
        _write_coverage(page, document)
    if document["histories"]:
        kinds = count_text(document["kinds"], "kind")
        undecided, ended = (count_text(document[name], "history", "histories") for name in ("undecided", "ended"))
        page.line(
            f"from the code to the model: {kinds} of exchanges, timeouts, records and restarts; {undecided} undecided; "
            f"{ended} in which a node ended, as docs/kafka-findings.md says"
        )
    page.line(f"coarser in the model: {', '.join(document['abstracted'])} (docs/conformance.md says how)")
    return page.text()


def _model_words(document: Document) -> str:
    of = document["model_of"]
    return str(document["model"]) if of is None else f"{document['model']} of {of}"


def _reach_text(document: Document) -> str:
    """What was looked at, both ways."""
    ways = list[str]()
    if document["runs"]:
        ways.append(f"{count_text(document['runs'], 'run')} of the model ({count_text(document['steps'], 'step')})")
    if document["histories"]:
        histories = count_text(document["histories"], "history", "histories")
        ways.append(f"{histories} of the code ({count_text(document['observations'], 'state')})")
    seed = f", seed {document['seed']}" if document["seed"] else ""
    return f"{' and '.join(ways) or 'nothing'}{seed}, {document['seconds']:.0f} s"


def _write_coverage(page: TextPage, document: Document) -> None:
    """Which actions and pairs of them were taken, and which were not."""
    actions, pairs = count_text(len(document["actions"]), "action"), count_text(document["pairs"], "pair")
    page.line(f"from the model to the code: {actions} and {pairs} of actions in a row")
    for line in _never_taken_lines(document["never"]):
        page.line(line, indent=2, hang=2)
    if idle := document["without_effect"]:
        words = (f"{action} in {count_text(count, 'run')}" for action, count in idle.items())
        page.line(f"steps that had no effect on Kafka's code, where their run ends: {', '.join(words)}", indent=2)
    undriven = {tuple(pair) for pair in document["not_driven"]}
    left = [pair for pair in map(tuple, document["missing"]) if pair not in undriven]
    page.line(f"pairs that Kafka's code cannot be brought to: {_pairs_text(undriven)}", indent=2)
    page.line(f"pairs not reached yet: {_pairs_text(left)}", indent=2)
    page.line("other pairs the model has not within 2 epochs, 1 record and 1 restart", indent=2)


def _never_taken_lines(never: Mapping[str, str]) -> Iterator[str]:
    """The actions that were never taken, those with one reason together."""
    if not never:
        yield "actions never taken: none"
    for why in dict.fromkeys(never.values()):
        actions = ", ".join(action for action, reason in never.items() if reason == why)
        yield f"actions never taken: {actions}{f' ({why})' if why else ''}"


def _write_left_out(page: TextPage, document: Document) -> None:
    """What was compared of a partition, which actions were taken, and what was left out, with why."""
    page.line(f"compared after each step: {', '.join(document['compared'])}")
    actions, pairs = count_text(len(document["actions"]), "action"), count_text(document["pairs"], "pair")
    calls = count_text(document["calls"], "call")
    page.line(f"from the model to the code: {actions} and {pairs} of actions in a row, {calls}")
    for line in _never_taken_lines(document["never"]):
        page.line(line, indent=2)
    page.line("left out, since the model or Kafka is known to be otherwise there (docs/conformance.md):")
    for action, why in document["left_out"].items():
        page.line(f"{action}: {why}", indent=2, hang=2)


def _pairs_text(pairs: Iterable[tuple[str, ...]]) -> str:
    texts = [f"{first or 'the start'} then {then}" for first, then in sorted(pairs)]
    more = f", and {len(texts) - MOST_PAIRS} more (--json has all)" if len(texts) > MOST_PAIRS else ""
    return f"{', '.join(texts[:MOST_PAIRS]) or 'none'}{more}"


def _write_difference(page: TextPage, difference: Document, document: Document) -> None:
    kafka = str(document["kafka"])
    page.line(f"✗ {difference['action']}: {', '.join(difference['fields'])}", style="bold red")
    if difference["operations"]:
        page.line(f"on Kafka's code: {'; '.join(difference['operations'])}", indent=2, hang=2)
    if difference["direction"] == "code-to-model":
        page.line("in the model, to where both are the same:", indent=2)
    if "settings" in difference:
        settings = ", ".join(f"{name} {value}" for name, value in difference["settings"].items())
        page.line(f"with {settings}{'; ' if difference['why'] else ''}{difference['why']}", indent=2)
    for number, says in enumerate(difference["steps"], 1):
        page.line(f"{number:>3}. {says}", indent=2, hang=5)
    page.columns(
        [
            ("", _model_words(document) if document["model_of"] else "the model", f"Kafka {kafka}"),
            *_voter_rows(difference),
        ]
    )
    if difference["file"] is not None and difference["direction"] == "code-to-model":
        page.exact(f"  tidegate conform --replay {difference['file']}")
    elif difference["file"] is not None and "settings" not in difference:
        page.exact(f"  tidegate confirm {difference['file']} --in-process --kafka-version {kafka} --steps")


def _voter_rows(difference: Document) -> list[tuple[str, str, str]]:
    """A row for each voter; a mark before those that differ."""
    kafka = difference["kafka"]
    return [
        (f"{' ' if kafka[voter] == wanted else '≠'} {voter}", wanted, kafka[voter])
        for voter, wanted in difference["model"].items()
    ]
