"""What `conform` found, in the terminal: how much was compared, and each difference side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from .text_page import TextFormat, TextPage, count_text

Document: TypeAlias = Mapping[str, Any]


def conform_text(conformed: Document, text_format: TextFormat) -> str:
    """What came of `tidegate.conform/1`: the verdict, each difference, what was compared and what was not."""
    page, found = TextPage(text_format), conformed["differences"]
    looked = (
        f"{count_text(conformed['runs'], 'run')} of seed {conformed['seed']}, "
        f"{count_text(conformed['steps'], 'step')} compared, {conformed['seconds']:.0f} s"
    )
    end = "; interrupted" if conformed["interrupted"] else ""
    if found:
        number = count_text(len(found), "difference")
        page.line(f"✗ Kafka {conformed['kafka']} and {conformed['model']}: {number} in {looked}{end}", style="bold red")
    elif not conformed["steps"]:
        page.line(
            f"? Kafka {conformed['kafka']} and {conformed['model']}: nothing was compared{end}", style="bold yellow"
        )
    else:
        page.line(
            f"✓ Kafka {conformed['kafka']} and {conformed['model']}: no difference in {looked}{end}", style="bold green"
        )
    for difference in found:
        page.blank()
        _difference(page, difference, str(conformed["kafka"]))
    page.blank()
    page.line(f"compared of each voter after each step: {', '.join(conformed['compared'])}")
    actions, pairs = count_text(len(conformed["actions"]), "action"), count_text(conformed["pairs"], "pair")
    page.line(f"{actions} and {pairs} of actions in a row")
    page.line(f"never taken: {', '.join(conformed['never']) or 'none'}")
    page.line(f"coarser in the model: {', '.join(conformed['abstracted'])} (docs/conformance.md says how)")
    return page.text()


def _difference(page: TextPage, difference: Document, kafka: str) -> None:
    page.line(f"✗ {difference['action']}: {', '.join(difference['fields'])}", style="bold red")
    for number, says in enumerate(difference["steps"], 1):
        page.line(f"{number:>3}. {says}", indent=2, hang=5)
    page.columns([("", "the model", f"Kafka {kafka}"), *_rows(difference)])
    if difference["file"] is not None:
        page.exact(f"  tidegate confirm {difference['file']} --in-process --kafka-version {kafka} --steps")


def _rows(difference: Document) -> list[tuple[str, str, str]]:
    """A row for each voter; a mark before those that differ."""
    kafka = difference["kafka"]
    return [
        (f"{' ' if kafka[voter] == wanted else '≠'} {voter}", wanted, kafka[voter])
        for voter, wanted in difference["model"].items()
    ]
