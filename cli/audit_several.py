"""Several clusters in what was given, each audited by itself: a headline for each, the worst first, then each page."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from ..audit.auditing import AuditOutcome, ReadCluster
from ..audit.cluster.statements import UnreadableInputError
from ..language.errors import UsageError
from ..language.immutable import immutable
from ..reports.audit.overview import MOST_LINES, audit_headline
from ..reports.document import Document
from ..reports.exits import Exit, worst_exit
from ..reports.text_page import TextFormat, TextPage

OPTIONS_OF_ONE_CLUSTER = ("diff", "baseline", "confirm", "topic", "open")
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
    stated = [name for name in OPTIONS_OF_ONE_CLUSTER if getattr(options, name, None)]
    if stated:
        raise UsageError(
            f"--{stated[0]} is about one cluster, and the files are of {len(names)} that never run together: "
            f"{', '.join(names)}; give the files of one of them"
        )


def audit_clusters(
    clusters_read: Sequence[tuple[str, ReadCluster | UnreadableInputError]],
    audit_one: Callable[[ReadCluster, float], AuditOutcome],
) -> list[NamedAudit]:
    """Audits each, the worst first. `audit_one` is given the part of the time that it may take: none once one was
    interrupted."""
    done: list[NamedAudit] = []
    part = 1.0
    for place, (name, read) in enumerate(clusters_read):
        if isinstance(read, UnreadableInputError):
            done.append(NamedAudit(name, read))
            continue
        outcome = audit_one(read, part and 1 / (len(clusters_read) - place))
        part = 0.0 if outcome.explorations.interrupted else part
        done.append(NamedAudit(name, outcome))
    rank = {name: place for place, name in enumerate(_order_by_gravity(done))}
    return sorted(done, key=lambda one: rank[one.name])


def _order_by_gravity(audits: Sequence[NamedAudit]) -> list[str]:
    left = [*audits]
    ordered: list[str] = []
    while left:
        worst = worst_exit(one.exit for one in left)
        ordered += [one.name for one in left if one.exit is worst]
        left = [one for one in left if one.exit is not worst]
    return ordered


def audits_page(
    audits: Sequence[NamedAudit],
    page_of: Callable[[Document], TextPage],
    text_format: TextFormat,
    *,
    quiet: bool,
    whole: bool,
) -> TextPage:
    """A headline for each, then, unless that is all, each page: all if they are to be `whole`, else as much as a first
    screen has room for."""
    page = TextPage(text_format)
    for one in audits:
        page.line(f"{one.name}: {_headline_text(one, text_format)}", hang=2, style="bold")
    for one in () if quiet else audits:
        if isinstance(one.outcome, UnreadableInputError):
            continue
        document = one.outcome.document
        lines = page_of(document).lines
        if not whole:
            lines = lines[len(audit_headline(document, text_format).lines) :]
        room = max(0, MOST_LINES - len(page.lines) - 3)
        if not whole and len(lines) > room:
            _write_cut_page(page, one.name, lines[:room])
            return page
        page.blank()
        page.line(f"== {one.name} ==", style="bold")
        page.lines += lines
    return page


def _write_cut_page(page: TextPage, name: str, lines: Sequence[str]) -> None:
    """As much of a page as there is room for, if that is more than a line or two, and how to see the rest."""
    if len(lines) > _MIN_LINES:
        page.blank()
        page.line(f"== {name} ==", style="bold")
        page.lines += lines
    page.line("More: --all everything of each; or give the files of one of them alone.", style="dim")


_MIN_LINES = 3
"""So few lines of a page say nothing."""


def _headline_text(one: NamedAudit, text_format: TextFormat) -> str:
    if isinstance(one.outcome, UnreadableInputError):
        return f"cannot be read: {one.outcome}"
    return " ".join(audit_headline(one.outcome.document, TextFormat()).text().split())


def audits_document(audits: Sequence[NamedAudit]) -> Document:
    """All of them as one document, `tidegate.audits/1`."""
    clusters = [
        {"name": one.name, "exit": int(one.exit), "unreadable": str(one.outcome)}
        if isinstance(one.outcome, UnreadableInputError)
        else {"name": one.name, "exit": int(one.exit), "audit": one.outcome.document}
        for one in audits
    ]
    return {"schema": SCHEMA, "exit": int(worst_exit(one.exit for one in audits)), "clusters": clusters}


def cluster_folder(name: str, folder: Path) -> Path:
    """Where the pages of one of them go."""
    return folder / "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name).strip("-.")
