"""Several clusters in what was given, each audited by itself: a headline for each, the worst first, then each page."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from ..audit.auditing import AuditOutcome, ReadCluster
from ..audit.cluster.statements import UnreadableInputError
from ..language.errors import UsageError
from ..language.immutable import immutable
from ..reports.audit.overview import audit_headline
from ..reports.document import Document
from ..reports.exits import Exit, worst_exit
from ..reports.text_page import TextFormat, TextPage

OF_ONE = ("diff", "baseline", "confirm", "topic", "open")
"""Options that are about one cluster."""

SCHEMA = "tidegate.audits/1"


@immutable
class NamedAudit:
    """What came of one of the clusters: the outcome, or why it cannot be read."""

    name: str
    outcome: AuditOutcome | UnreadableInputError

    @property
    def exit(self) -> Exit:
        """What an audit of it alone ends with."""
        return Exit.UNREADABLE if isinstance(self.outcome, UnreadableInputError) else Exit(self.outcome.exit)


def refuse_options_of_one(options: argparse.Namespace, names: Sequence[str]) -> None:
    """Raises UsageError for an option that is about one cluster."""
    stated = [name for name in OF_ONE if getattr(options, name, None)]
    if stated:
        raise UsageError(
            f"--{stated[0]} is about one cluster, and the files are of {len(names)} that never run together: "
            f"{', '.join(names)}; give the files of one of them"
        )


def audit_clusters(
    found: Sequence[tuple[str, ReadCluster | UnreadableInputError]],
    audit_one: Callable[[ReadCluster, float], AuditOutcome],
) -> list[NamedAudit]:
    """Audits each, the worst first. `audit_one` is given the part of the time that it may take: none once one was
    interrupted."""
    done: list[NamedAudit] = []
    part = 1.0
    for place, (name, read) in enumerate(found):
        if isinstance(read, UnreadableInputError):
            done.append(NamedAudit(name, read))
            continue
        outcome = audit_one(read, part and 1 / (len(found) - place))
        part = 0.0 if outcome.explorations.interrupted else part
        done.append(NamedAudit(name, outcome))
    rank = {name: place for place, name in enumerate(_order_by_gravity(done))}
    return sorted(done, key=lambda one: rank[one.name])


def _order_by_gravity(done: Sequence[NamedAudit]) -> list[str]:
    left = [*done]
    ordered: list[str] = []
    while left:
        worst = worst_exit(one.exit for one in left)
        ordered += [one.name for one in left if one.exit is worst]
        left = [one for one in left if one.exit is not worst]
    return ordered


def audits_page(
    done: Sequence[NamedAudit], page_of: Callable[[Document], TextPage], text_format: TextFormat, *, quiet: bool
) -> TextPage:
    """A headline for each, then each page, unless that is all."""
    page = TextPage(text_format)
    for one in done:
        page.line(f"{one.name}: {_headline(one, text_format)}", hang=2, style="bold")
    for one in () if quiet else done:
        if not isinstance(one.outcome, UnreadableInputError):
            page.blank()
            page.line(f"== {one.name} ==", style="bold")
            page.lines += page_of(one.outcome.document).lines
    return page


def _headline(one: NamedAudit, text_format: TextFormat) -> str:
    if isinstance(one.outcome, UnreadableInputError):
        return f"cannot be read: {one.outcome}"
    return " ".join(audit_headline(one.outcome.document, TextFormat()).text().split())


def audits_document(done: Sequence[NamedAudit]) -> Document:
    """All of them as one document, `tidegate.audits/1`."""
    clusters = [
        {"name": one.name, "exit": int(one.exit), "unreadable": str(one.outcome)}
        if isinstance(one.outcome, UnreadableInputError)
        else {"name": one.name, "exit": int(one.exit), "audit": one.outcome.document}
        for one in done
    ]
    return {"schema": SCHEMA, "exit": int(worst_exit(one.exit for one in done)), "clusters": clusters}


def folder_of(name: str, out: Path) -> Path:
    """Where the pages of one of them go."""
    return out / "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name).strip("-.")
