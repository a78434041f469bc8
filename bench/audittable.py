"""`python -m bench.audittable`: what the audit answers, every setting beside the others, in bench/audit-table.toml.

The site shows the record as the tables of docs/audit-table.md. `python -m bench.audittable --print` prints that page.

A row is a combination of settings, a column a cell of the audit's table. Each row is `audit.verdicts.answer` for its
signature, so that two rows that differ in one setting show what the audit makes of it. tests/docs/test_audit_table.py
computes some rows again.
"""

from __future__ import annotations

import itertools
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tidegate.audit.answers.answer import Word
from tidegate.audit.answers.verdicts import answer_question
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.facts.placement import emptied_voters_that_lose
from tidegate.audit.kafka.profiles import switches_of_brokers
from tidegate.audit.questions.questions import QUESTION
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.situations import BY_NAME
from tidegate.explorer.cache import cache_directory
from tidegate.language.immutable import immutable

PAGE = Path(__file__).parents[1] / "docs" / "audit-table.md"
PLACE = "<!-- tables -->\n"
"""Where the page has its tables."""
RECORD = Path(__file__).with_name("audit-table.toml")
LETTERS: Mapping[str, str] = {
    "keeps": "k", "**loses**": "L", "**unreads**": "U", "go on": "g", "**stop**": "S", "?": "?", "-": "-",
}  # fmt: skip
"""A letter of the record for each word of the page."""


@immutable
class PageRelease:
    """A release as the page has it: its title, the model's profile, its control plane, whether ELR is on, and whether
    controllers may vote by their directory's id (`kraft.version=1`, KIP-853)."""

    title: str
    profile: str
    kraft: bool = True
    elr: bool = False
    dynamic: bool = False


VERSIONS = (
    PageRelease("Kafka 0.10 with ZooKeeper", "kafka_0_10", kraft=False),
    PageRelease("Kafka 0.11 and 1.0 with ZooKeeper", "kafka_0_11", kraft=False),
    PageRelease("Kafka 1.1 with ZooKeeper", "kafka_1_1", kraft=False),
    PageRelease("Kafka 2.0 with ZooKeeper", "kafka_2_0", kraft=False),
    PageRelease("Kafka 2.1 with ZooKeeper", "kafka_2_1", kraft=False),
    PageRelease("Kafka 2.2 to 3.2 with ZooKeeper", "kafka_2_8", kraft=False),
    PageRelease("Kafka 3.9 with ZooKeeper", "kafka_3_9", kraft=False),
    PageRelease("Kafka 3.3", "kafka_3_3"),
    PageRelease("Kafka 3.5 and 3.6", "kafka_3_5"),
    PageRelease("Kafka 3.7", "kafka_3_7"),
    PageRelease("Kafka 3.9", "kafka_3_9", dynamic=True),
    PageRelease("Kafka 4.1 without eligible leader replicas", "kafka_4_1", dynamic=True),
    PageRelease("Kafka 4.1 with eligible leader replicas", "kafka_4_1", elr=True, dynamic=True),
)

Column = tuple[str, str]
"""A question and a cell's name."""

LOST: tuple[Column, ...] = (
    *(("no-loss", cell) for cell in (
        "leader-move@min-isr", "crash@all", "crash@one", "two-crashes@min-isr", "all-crashes@min-isr",
        "cut-off@min-isr", "power-loss@all", "power-loss@min-isr", "power-loss@one", "disk-loss@min-isr",
        "two-power-losses@all", "cut-off-power-loss@all", "cut-off-power-loss@min-isr",
    )),
    ("no-unread", "crash@all"),
)  # fmt: skip

PLACED: tuple[Column, ...] = (
    *(("no-loss", cell) for cell in ("rack-power-loss@all", "rack-cut-off@all", "rack-loss@all")),
    *(("writable", cell) for cell in ("crash@all", "crash@min-isr", "rack-loss@all", "controller-loss@all",
                                      "controllers-loss@all")),
    *(("readable", cell) for cell in ("crash@min-isr", "rack-loss@all")),
)  # fmt: skip

COMBINED: tuple[Column, ...] = (
    *(("no-loss", cell) for cell in ("power-loss@all", "disk-loss@all", "disk-loss@min-isr", "disk-loss@one",
                                     "two-power-losses@all", "controllers-loss@all")),
    *(("writable", cell) for cell in ("crash@all", "crash@min-isr", "two-crashes@all", "controllers-loss@all")),
    *(("readable", cell) for cell in ("crash@min-isr", "two-crashes@all", "controllers-loss@all")),
)  # fmt: skip

SHOWN: Mapping[str, Mapping[Word, str]] = {
    "no-loss": {"no loss found": "keeps", "can lose": "**loses**", "depends": "?", "not checked": "-"},
    "no-unread": {"no loss found": "keeps", "can lose": "**unreads**", "depends": "?", "not checked": "-"},
    "writable": {"no loss found": "go on", "can lose": "**stop**", "depends": "?", "not checked": "-"},
    "readable": {"no loss found": "go on", "can lose": "**stop**", "depends": "?", "not checked": "-"},
}

ACKS = ("0", "1", "all")

SettingsRow = tuple[tuple[str, ...], Signature]
"""The settings as the page shows them, and what is asked."""

LOST_HEAD = ("acks", "replicas", "min.isr", "unclean")
PLACED_HEAD = ("acks", "replicas", "min.isr", "racks", "controllers")
COMBINED_HEAD = ("acks", "replicas", "min.isr", "nodes", "quorum")


def signature_of(
    version: PageRelease, acks: str, replicas: int, least: int, *,
    unclean: bool = False, racks: int = 3, co_located: bool = False,
) -> Signature:  # fmt: skip
    """What a row asks about. Replicas, and three controllers, stand evenly in so many racks."""
    voters = replicas if co_located else 3
    return Signature(
        profile=version.profile,
        switches=switches_of_brokers(version.profile, version.profile, kraft=version.kraft, elr=version.elr),
        replicas=replicas,
        min_isr=least,
        acks={"0": "none", "1": "leader"}.get(acks, acks),
        unclean=unclean,
        fsync=False,
        co_located=co_located,
        replicas_in_rack=-(-replicas // racks),
        voters=voters,
        voters_in_rack=-(-voters // racks),
    )


def lost_rows(version: PageRelease) -> Iterator[SettingsRow]:
    """The rows about what is lost by what goes wrong with brokers."""
    for acks, replicas, least, unclean in itertools.product(ACKS, (1, 2, 3), (1, 2, 3), (False, True)):
        shown = (acks, str(replicas), str(least), str(unclean).lower())
        yield shown, signature_of(version, acks, replicas, least, unclean=unclean)


def placed_rows(version: PageRelease) -> Iterator[SettingsRow]:
    """The rows about racks, controllers, and what goes on: with clean elections, each number of racks that differs."""
    some = itertools.product(ACKS, (1, 2, 3), (1, 2, 3), (1, 2, 3), (False, True))
    for acks, replicas, least, racks, co_located in some:
        if least <= replicas and racks <= replicas and (version.kraft or not co_located):
            shown = (acks, str(replicas), str(least), str(racks), "on the brokers" if co_located else "apart")
            yield shown, signature_of(version, acks, replicas, least, racks=racks, co_located=co_located)


def combined_signature(
    version: PageRelease, acks: str, replicas: int, least: int, nodes: int, *, dynamic: bool
) -> Signature:
    """What a row of combined nodes asks about: so many of them, each on a host of its own, and all vote."""
    return replace(
        signature_of(version, acks, replicas, least),
        co_located=nodes == replicas,
        replicas_in_rack=0,
        voters=nodes,
        voters_in_rack=0,
        shared_voters=replicas,
        has_combined_nodes=True,
        disk_voters=1,
        enough_emptied=0 if dynamic else emptied_voters_that_lose(nodes),
    )


def combined_rows(version: PageRelease) -> Iterator[SettingsRow]:
    """The rows of nodes that are broker and controller at once, up to four of them; a dynamic quorum is of 3.9 on."""
    quorums = ("static", "dynamic") if version.kraft and version.dynamic else ("static",) if version.kraft else ()
    for acks, replicas, least, nodes, quorum in itertools.product(ACKS, (1, 2, 3), (1, 2, 3), (1, 2, 3, 4), quorums):
        if least <= replicas <= nodes:
            shown = (acks, str(replicas), str(least), str(nodes), quorum)
            yield shown, combined_signature(version, acks, replicas, least, nodes, dynamic=quorum == "dynamic")


TABLES = {
    "lost": (LOST_HEAD, LOST, lost_rows),
    "placed": (PLACED_HEAD, PLACED, placed_rows),
    "combined": (COMBINED_HEAD, COMBINED, combined_rows),
}
"""Each table of a release: the settings of a row, its columns, its rows."""


def words_of(row: SettingsRow, columns: Sequence[Column], explorations: Explorations) -> list[str]:
    """What the audit answers to a row, column by column, in the words of the page."""
    signature = row[1]
    return [
        SHOWN[name][answer_question(signature, QUESTION[name], BY_NAME[cell], explorations).word]
        for name, cell in columns
    ]


def head_of(head: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """A table's first two lines."""
    titles = [*head, *(f"{'' if name == 'no-loss' else name + ' '}{cell}" for name, cell in columns)]
    return [f"| {' | '.join(titles)} |", "|" + " --- |" * len(titles)]


def record_text(explorations: Explorations) -> str:
    """The record: of each table of each release a text, a word of letters for each row, and a line for each number of
    acks and replicas."""
    lines = ["# What the audit answers, by release. Written by `python -m bench.audittable`; a letter for each cell:"]
    lines += ["# k keeps, L loses, U unreads, g goes on, S stops, ? depends, - not checked."]
    for version in VERSIONS:
        lines += ["", f'["{version.title}"]']
        for name, (_, columns, rows) in TABLES.items():
            if asked := list(rows(version)):
                groups = itertools.groupby(asked, key=lambda row: row[0][:2])
                made = (" ".join(_row_letters(row, columns, explorations) for row in group) for _, group in groups)
                lines += [f'{name} = """', *made, '"""']
    return "\n".join(lines) + "\n"


def _row_letters(row: SettingsRow, columns: Sequence[Column], explorations: Explorations) -> str:
    return "".join(LETTERS[word] for word in words_of(row, columns, explorations))


def recorded_rows(version: PageRelease) -> Mapping[str, list[list[str]]]:
    """The words that are recorded of a release, row by row, by table."""
    words = {letter: word for word, letter in LETTERS.items()}
    tables = tomllib.loads(RECORD.read_text(encoding="utf-8"))[version.title]
    return {name: [[words[letter] for letter in row] for row in text.split()] for name, text in tables.items()}


def version_text(version: PageRelease) -> str:
    """The tables of a release, as recorded. Raises ValueError where the record has other rows."""
    lines = [f"## {version.title}", ""]
    recorded = recorded_rows(version)
    for name, (head, columns, rows) in TABLES.items():
        if asked := list(rows(version)):
            made = zip(asked, recorded[name], strict=True)
            lines += [*head_of(head, columns), *(f"| {' | '.join((*row[0], *words))} |" for row, words in made), ""]
    return "\n".join(lines)


def page_text() -> str:
    """docs/audit-table.md with its tables, as the site has it."""
    return PAGE.read_text(encoding="utf-8").replace(PLACE, "\n".join(map(version_text, VERSIONS)))


def main() -> None:
    """Computes the record anew, or prints the page."""
    if sys.argv[1:] == ["--print"]:
        print(page_text())
    else:
        RECORD.write_text(record_text(Explorations(cache_directory(), workers=1)), encoding="utf-8")


if __name__ == "__main__":
    main()
