"""Every cell of docs/audit-table.md against rules that were read out of Kafka's source, and that ask no model.

The rules are those of the page's section "What decides each row": each is a line here, with the class that it is from.
A cell that the model answers otherwise is a mistake of one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from ..support.audit_table import page_text

LOSES, UNREADS, STOP, KEEPS, GO_ON, NOTHING = "**loses**", "**unreads**", "**stop**", "keeps", "go on", "-"


@dataclass(frozen=True, slots=True)
class Release:
    """What decides rows of a release: its mistakes, and what it has."""

    truncates_to_hw: bool = False
    """Before KIP-101 (0.11): ReplicaManager.makeFollowers truncates to the high watermark."""
    asks_once: bool = False
    """Before KIP-279, KAFKA-7128, KAFKA-7164 and KAFKA-7415 (2.0.1): the end of an epoch is asked for once."""
    misses_restarts: bool = False
    """Before KAFKA-7235 (2.2): KafkaController.BrokerChange sees ids alone."""
    takes_back_reads: bool = False
    """KAFKA-9835 (1.1.0 to 2.5.0): FileRecords.slice asks twice for the size, and takes what was appended meanwhile."""
    lets_in_the_empty: bool = False
    """Before KIP-903 and KAFKA-15221 (3.7), and with ZooKeeper: who was caught up, and lost its log, joins the ISR."""
    heeds_unclean: bool = True
    """ConfigurationControlManager.uncleanLeaderElectionEnabledForTopic is false up to 3.8."""
    strict: bool = False
    """KAFKA-15583 (3.7): Partition.effectiveMinIsr, and maybeIncrementLeaderHW under it."""
    elr: bool = False
    """KIP-966: PartitionChangeBuilder.maybePopulateTargetElr."""


RELEASES = {
    "Kafka 0.10 with ZooKeeper": Release(truncates_to_hw=True, misses_restarts=True, lets_in_the_empty=True),
    "Kafka 0.11 and 1.0 with ZooKeeper": Release(asks_once=True, misses_restarts=True, lets_in_the_empty=True),
    "Kafka 1.1 with ZooKeeper": Release(
        asks_once=True, misses_restarts=True, takes_back_reads=True, lets_in_the_empty=True
    ),
    "Kafka 2.0 with ZooKeeper": Release(
        asks_once=True, misses_restarts=True, takes_back_reads=True, lets_in_the_empty=True
    ),
    "Kafka 2.1 with ZooKeeper": Release(misses_restarts=True, takes_back_reads=True, lets_in_the_empty=True),
    "Kafka 2.2 to 3.2 with ZooKeeper": Release(lets_in_the_empty=True),
    "Kafka 3.9 with ZooKeeper": Release(lets_in_the_empty=True, strict=True),
    "Kafka 3.3": Release(lets_in_the_empty=True, heeds_unclean=False),
    "Kafka 3.5 and 3.6": Release(lets_in_the_empty=True, heeds_unclean=False),
    "Kafka 3.7": Release(heeds_unclean=False, strict=True),
    "Kafka 3.9": Release(strict=True),
    "Kafka 4.1 without eligible leader replicas": Release(strict=True),
    "Kafka 4.1 with eligible leader replicas": Release(strict=True, elr=True),
}


def tables(title: str) -> Iterator[tuple[list[str], list[dict[str, str]]]]:
    """The tables of a release: the columns, and each row by column."""
    part = page_text().partition(f"## {title}\n")[2].partition("\n## ")[0]
    for table in part.strip().split("\n\n"):
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n") if line[:1] == "|"]
        yield lines[0], [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]


def takes_logs(cell: str) -> bool:
    """Whether a fault takes what was not flushed, or the disk."""
    return "power-loss" in cell or "disk-loss" in cell


def is_lost(release: Release, replicas: int, least: int, unclean: bool, cell: str) -> bool:
    """Whether a record that all of the ISR has, which is `least` replicas or more, can be lost (acks=all)."""
    if replicas == 1:
        return takes_logs(cell)
    if release.misses_restarts and takes_logs(cell):  # it comes back as leader, or in the ISR, without its log
        return True
    heeded = unclean and release.heeds_unclean
    dirty = heeded and least < replicas  # who is not in the ISR need not have the record
    eligible = release.elr and least > 1 and not heeded  # who left an ISR below min.isr keeps a copy, and leads again
    bystander = replicas > 2 and least < replicas  # a replica that is down, and comes back while two others fail
    match cell:
        case "leader-move@min-isr":
            return bystander and (release.truncates_to_hw or (release.asks_once and least == 1))
        case "cut-off@min-isr":
            old = bystander and (release.truncates_to_hw or (release.asks_once and least == 1))
            return old or (dirty and least == 1)
        case "crash@one" | "two-crashes@min-isr" | "all-crashes@min-isr":
            return dirty or release.truncates_to_hw or (release.asks_once and bystander)
        case "power-loss@min-isr" | "disk-loss@min-isr":
            return least == 1
        case "power-loss@one":
            return not eligible
        case "disk-loss@one":
            return True  # who is eligible is forgotten as the empty one comes back, before 4.3 (apache/kafka#20716)
        case "two-power-losses@all":
            return replicas == 2
        case "cut-off-power-loss@all":
            return not eligible if replicas == 2 else release.lets_in_the_empty
        case "cut-off-power-loss@min-isr":
            return not eligible if least < 3 else release.lets_in_the_empty
        case _:
            assert cell in ("crash@all", "power-loss@all", "disk-loss@all", "controllers-loss@all"), cell
            return False


def expected_loss(release: Release, row: dict[str, str], cell: str) -> str:
    """A cell of the first table."""
    replicas, least = int(row["replicas"]), int(row["min.isr"])
    if row["acks"] == "all" and least > replicas and not release.strict:
        return NOTHING  # every write is refused
    if cell.startswith("no-unread"):
        return UNREADS if release.takes_back_reads and replicas > 1 else KEEPS
    if row["acks"] == "0":
        return LOSES  # Sender.sendProduceRequest expects no response
    if row["acks"] == "1":
        return LOSES if replicas > 1 or takes_logs(cell) else KEEPS  # the leader alone has it
    lost = is_lost(release, replicas, min(least, replicas), row["unclean"] == "true", cell)
    return LOSES if lost else KEEPS


@pytest.mark.parametrize("title", RELEASES)
def test_what_is_lost_follows_from_kafkas_source(title: str) -> None:
    (columns, rows), *_ = tables(title)
    assert len(rows) == 54
    differ = [
        (*list(row.values())[:4], cell, row[cell], said)
        for row in rows
        for cell in columns[4:]
        if row[cell] != (said := expected_loss(RELEASES[title], row, cell))
    ]
    assert not differ


@dataclass(frozen=True, slots=True)
class Place:
    """How many stand where: the replicas, min.insync.replicas, who is in a rack, and the controllers or servers."""

    replicas: int
    least: int
    replicas_in_rack: int
    co_located: bool
    waits: bool
    """acks=all: a write waits for min.insync.replicas."""
    voters: int

    def leads(self, voters_down: int) -> bool:
        """Whether a majority is left, so that a leader is replaced (KIP-595; ZooKeeper's quorum)."""
        return 2 * (self.voters - voters_down) > self.voters

    def is_written(self, left: int, voters_down: int) -> bool:
        """Whether writes go on with so many replicas left of the ISR, in time."""
        return self.leads(voters_down) and left >= (self.least if self.waits else 1)


def goes_on(release: Release, place: Place, column: str) -> bool:
    """Whether writes or reads go on, who is out of the ISR being down."""
    question, cell = column.split(" ")
    out = place.replicas - place.least if cell.endswith("@min-isr") else 0
    match cell.partition("@")[0]:
        case "crash" | "two-crashes" as fault:
            down = out + (2 if fault == "two-crashes" else 1)
            voters = down * place.co_located
        case "rack-loss":
            down, voters = (
                place.replicas_in_rack,
                place.replicas_in_rack if place.co_located else -(-3 * place.replicas_in_rack // place.replicas),
            )
        case "controller-loss":
            down, voters = int(place.co_located), 1
        case _:
            down = voters = place.voters // 2 + 1
            if not place.co_located:
                return True  # leaders go on without controllers
    left = max(0, place.replicas - down)
    if question == "writable":
        return place.is_written(left, voters)
    frozen = release.strict and not place.waits and left < place.least  # the high watermark stands still
    return place.leads(voters) and left > 0 and not frozen


def expected_place(release: Release, row: dict[str, str], column: str) -> str:
    """A cell of the second table, where elections are clean."""
    replicas, racks = int(row["replicas"]), int(row["racks"])
    in_rack, co_located = -(-replicas // racks), row["controllers"] != "apart"
    place = Place(
        replicas, int(row["min.isr"]), in_rack, co_located, row["acks"] == "all", replicas if co_located else 3
    )
    if " " in column:
        return GO_ON if goes_on(release, place, column) else STOP
    gone = column == "rack-loss@all"
    if row["acks"] == "0" or (in_rack == replicas and (gone or column == "rack-power-loss@all")):
        return LOSES  # with all of them in one rack it has every copy
    if row["acks"] == "1":
        return LOSES if replicas > 1 else KEEPS
    if column == "rack-power-loss@all" and release.misses_restarts:
        return LOSES
    if in_rack > 1 and release.truncates_to_hw and (gone or column == "rack-cut-off@all") and replicas > 2:
        return LOSES
    if column == "rack-cut-off@all":
        return LOSES if release.asks_once and in_rack == 3 and place.least < 3 else KEEPS
    voters = in_rack if co_located else -(-3 // racks)
    return NOTHING if gone and 2 * voters > place.voters else KEEPS  # a committed change is on a majority's disks


@pytest.mark.parametrize("title", RELEASES)
def test_what_racks_and_controllers_do_follows_from_kafkas_source(title: str) -> None:
    _, (columns, rows), *_ = tables(title)
    differ = [
        (*list(row.values())[:5], column, row[column], said)
        for row in rows
        for column in columns[5:]
        if row[column] != (said := expected_place(RELEASES[title], row, column))
    ]
    assert not differ


def expected_combined(release: Release, row: dict[str, str], column: str) -> str:
    """A cell of the third table, of nodes that are broker and controller at once, all of which vote."""
    replicas, least, nodes = (int(row[name]) for name in ("replicas", "min.isr", "nodes"))
    if " " in column:
        place = Place(replicas, least, 1, co_located=True, waits=row["acks"] == "all", voters=nodes)
        return GO_ON if goes_on(release, place, column) else STOP
    if row["acks"] == "0":
        return LOSES
    if row["acks"] == "1":
        return LOSES if replicas > 1 or takes_logs(column) else KEEPS
    if is_lost(release, replicas, least, unclean=False, cell=column):
        return LOSES
    # With an odd number a majority has one voter more than half: emptied, it makes one without what was committed.
    is_emptied = column.startswith("disk-loss") and row["quorum"] == "static" and nodes % 2 == 1
    return NOTHING if is_emptied else KEEPS  # KAFKA-14077; KIP-853: who comes back empty has another directory's id


@pytest.mark.parametrize("title", RELEASES)
def test_what_combined_nodes_do_follows_from_kafkas_source(title: str) -> None:
    _, _, *combined = tables(title)
    assert len(combined) == ("ZooKeeper" not in title)
    for columns, rows in combined:
        assert len(rows) == 3 * 16 * len({row["quorum"] for row in rows})
        differ = [
            (*list(row.values())[:5], column, row[column], said)
            for row in rows
            for column in columns[5:]
            if row[column] != (said := expected_combined(RELEASES[title], row, column))
        ]
        assert not differ
