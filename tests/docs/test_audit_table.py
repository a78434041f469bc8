"""The recorded table is what the audit answers, and neighbours differ where Kafka does."""

from __future__ import annotations

from typing import Any

import pytest

from ..conftest import NewExplorations
from ..support.audit_table import audit_table, page_text
from ..support.facts import cluster_of, signatures
from ..support.shipped import tier_parameters


@pytest.fixture(scope="module")
def table() -> Any:
    """What records the answers."""
    return audit_table()


@pytest.fixture(scope="module")
def page(table: Any) -> dict[str, list[str]]:
    """The page's lines, by version."""
    return {version.title: table.version_text(version).split("\n") for version in table.VERSIONS}


def test_every_combination_is_there(table: Any, page: dict[str, list[str]]) -> None:
    assert all(f"## {title}\n" in page_text() for title in page)
    for version in table.VERSIONS:
        for head, columns, rows in table.TABLES.values():
            assert (table.head_of(head, columns)[0] in page[version.title]) == any(rows(version))
            for shown, _ in rows(version):
                assert sum(line.startswith(f"| {' | '.join(shown)} |") for line in page[version.title]) == 1, shown


STRIDE = 83
"""Of the rows each run computes one of so many."""


def test_some_rows_are_what_the_audit_answers(
    table: Any, page: dict[str, list[str]], new_explorations: NewExplorations
) -> None:
    explorations = new_explorations()
    kinds = [(version, columns, rows) for version in table.VERSIONS for _, columns, rows in table.TABLES.values()]
    every = [(version, columns, row) for version, columns, rows in kinds for row in rows(version)]
    for version, columns, row in every[::STRIDE]:
        line = f"| {' | '.join((*row[0], *table.words_of(row, columns, explorations)))} |"
        assert line in page[version.title], row


@pytest.mark.parametrize("number", tier_parameters(range(13), lambda number: False, long=(0, 6, 12).__contains__))
def test_every_row_is_what_the_audit_answers(table: Any, new_explorations: NewExplorations, number: int) -> None:
    """Release by release, as the command records them: some ten seconds each."""
    assert len(table.VERSIONS) == 13
    version, explorations = table.VERSIONS[number], new_explorations()
    for name, (_, columns, rows) in table.TABLES.items():
        answers = [table.words_of(row, columns, explorations) for row in rows(version)]
        assert answers == table.recorded_rows(version).get(name, [])


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("count", "replicas"), [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 2), (4, 3)])
def test_the_files_of_combined_nodes_are_asked_about_as_the_third_table_has_them(
    table: Any, count: int, replicas: int, dynamic: bool
) -> None:
    numbers = range(1, count + 1)
    voters = ",".join(f"{number}@h{number}:9093" for number in numbers)
    quorum = "bootstrap.servers=h1:9093" if dynamic else f"voters={voters}"
    common = (
        f"process.roles=broker,controller\nlog.dirs=data\ncontroller.listener.names=C\ncontroller.quorum.{quorum}\n"
    )
    texts = {
        f"n{number}.properties": f"{common}node.id={number}\nlisteners=PLAINTEXT://h{number}:9092,C://h{number}:9093\n"
        f"default.replication.factor={replicas}\n"
        for number in numbers
    }
    described = {"quorum.txt": f"LeaderId: 1\nCurrentVoters: [{','.join(map(str, numbers))}]\nCurrentObservers: []\n"}
    features = ("kraft.version=1",) if dynamic else ()
    asked = cluster_of(texts | (described if dynamic else {}), "3.9.1", features=features)
    found = signatures(asked)[0]
    version = next(version for version in table.VERSIONS if version.title == "Kafka 3.9")
    made = table.combined_signature(version, found.acks, replicas, found.min_isr, count, dynamic=dynamic)
    names = (
        "co_located",
        "replicas_in_rack",
        "voters",
        "voters_in_rack",
        "shared_voters",
        "has_combined_nodes",
        "disk_voters",
    )
    for name in (*names, "enough_emptied", "empty_voters", "hosts", "one_machine", "racks"):
        assert getattr(found, name) == getattr(made, name), name


def row_of(page: dict[str, list[str]], version: str, *shown: str) -> list[str]:
    """What a row says, column by column."""
    line = next(line for line in page[version] if line.startswith(f"| {' | '.join(shown)} |"))
    return [cell.strip() for cell in line.strip("|").split("|")][len(shown) :]


def test_neighbours_differ_where_kafka_does(table: Any, page: dict[str, list[str]]) -> None:
    """One setting apart, each: what the page shows of it is named here from Kafka's source and KIPs."""
    columns = [cell for _, cell in table.LOST]
    elr = "Kafka 4.1 with eligible leader replicas"

    def differ(one: list[str], other: list[str]) -> set[str]:
        return {name for name, a, b in zip(columns, one, other, strict=True) if a != b}

    # KRaft heeds unclean.leader.election.enable since 3.9 (KAFKA-12670).
    before = [row_of(page, "Kafka 3.7", "all", "3", "2", text) for text in ("false", "true")]
    since = [row_of(page, "Kafka 3.9", "all", "3", "2", text) for text in ("false", "true")]
    assert not differ(*before)
    assert {"two-crashes@min-isr", "crash@one"} <= differ(*since)
    # A leader alone in the ISR takes writes with min.insync.replicas=1.
    least = [row_of(page, "Kafka 3.9", "all", "3", least_isr, "false") for least_isr in ("1", "2")]
    assert "power-loss@min-isr" in differ(*least) and "power-loss@all" not in differ(*least)
    # KIP-966: who leaves the ISR below min.insync.replicas stays eligible.
    with_elr = row_of(page, elr, "all", "3", "2", "false")
    assert "power-loss@one" in differ(row_of(page, "Kafka 3.9", "all", "3", "2", "false"), with_elr)
    # With ZooKeeper unclean elections are heeded in every version.
    zookeeper = [row_of(page, "Kafka 3.9 with ZooKeeper", "all", "3", "2", text) for text in ("false", "true")]
    assert differ(*zookeeper) == differ(*since)
    # KAFKA-15583: up to 3.6 acks=all is refused with min.insync.replicas above the replicas.
    assert set(row_of(page, "Kafka 3.3", "all", "2", "3", "false")) == {"-"}
    assert row_of(page, "Kafka 3.7", "all", "2", "3", "false") == row_of(page, "Kafka 3.7", "all", "2", "2", "false")
    # KAFKA-7235: who registers anew before the controller reads who is there goes unnoticed up to 2.1. KIP-101: 0.10
    # truncates to the high watermark.
    old = [
        row_of(page, f"Kafka {span} with ZooKeeper", "all", "3", "2", "false")
        for span in ("0.11 and 1.0", "2.2 to 3.2")
    ]
    assert {"power-loss@all", "disk-loss@min-isr"} <= differ(*old)
    oldest = [
        row_of(page, f"Kafka {span} with ZooKeeper", "all", "2", "2", "false") for span in ("0.10", "0.11 and 1.0")
    ]
    assert differ(*oldest) == {"crash@one", "two-crashes@min-isr", "all-crashes@min-isr"}
    # The same of two replicas in a rack; and KAFKA-7235 of a rack's loss of power.
    in_racks = [cell for name, cell in table.PLACED if name == "no-loss"]
    old = [
        dict(
            zip(in_racks, row_of(page, f"Kafka {span} with ZooKeeper", "all", "3", "2", "2", "apart")[:3], strict=True)
        )
        for span in ("0.10", "0.11 and 1.0", "2.2 to 3.2")
    ]
    for cell, said in {
        "rack-cut-off@all": ["**loses**", "keeps", "keeps"],
        "rack-loss@all": ["**loses**", "-", "-"],  # two of three servers go, and with them the metadata
        "rack-power-loss@all": ["**loses**", "**loses**", "keeps"],
    }.items():
        assert [row[cell] for row in old] == said, cell
    # acks=0 is lost with the request, whatever the rest is; acks=1 with the leader.
    for version in page:
        said = row_of(page, version, "0", "1", "1", "false")
        assert {word for word, (question, _) in zip(said, table.LOST, strict=True) if question == "no-loss"} == {
            "**loses**"
        }
        assert row_of(page, version, "1", "3", "2", "false")[columns.index("crash@all")] == "**loses**"
