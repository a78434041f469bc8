"""What holds at a moment of a history: settings and releases as they were then, the order of assignment, and how a
partition begins. Histories are those of real clusters, of which one partition's records are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ...conftest import ROOT

Run = Callable[..., Any]
Change = Callable[[str, dict[str, Any]], dict[str, Any] | None]
HISTORIES = ROOT / "tests" / "fixtures" / "histories"


def change_log(name: str, change: Change, more: tuple[tuple[str, dict[str, Any]], ...] = ()) -> str:
    """A printed log with each record as it is changed, or without it where it is None, and more records behind."""
    batches = list[list[dict[str, Any]]]()
    for line in (HISTORIES / f"{name}.txt").read_text("utf-8").splitlines():
        if line.startswith("baseOffset"):
            batches.append([])
            continue
        record = json.loads(line.partition("payload: ")[2])
        if (data := change(record["type"], record["data"])) is not None:
            batches[-1].append(record | {"data": data})
    batches += [[{"type": kind, "version": 0, "data": data}] for kind, data in more]
    return printed_batches([batch for batch in batches if batch])


def printed_batches(batches: list[list[dict[str, Any]]]) -> str:
    """As kafka-dump-log prints them."""
    lines, offset = list[str](), 0
    for batch in batches:
        lines.append(f"baseOffset: {offset} lastOffset: {offset + len(batch) - 1} count: {len(batch)}")
        for record in batch:
            lines.append(f"| offset: {offset} CreateTime: {1_000 * offset} keySize: -1 payload: {json.dumps(record)}")
            offset += 1
    return "\n".join(lines) + "\n"


def same(kind: str, data: dict[str, Any]) -> dict[str, Any] | None:
    """A record as it is."""
    del kind
    return data


def result(tidegate: Run, path: Path) -> tuple[int, str, int | None]:
    """The exit, what came out for the one partition, and the last moment that was shown."""
    done = tidegate("validate", str(path), "--json")
    (partition,) = json.loads(done.out)["partitions"]
    return done.exit, partition["result"], partition["seen"]


@pytest.mark.parametrize(
    "name",
    [
        "fenced_again_3_4",
        "unclean_was_set_3_9",
        "killed_while_stopping_4_1",
        "fenced_leader_4_0",
        "elr_was_set_4_0",
        "fenced_leader_unseated_4_0",
        "brokers_first_3_4_to_3_9",
    ],
)
def test_what_clusters_did_is_shown(tidegate: Run, name: str) -> None:
    assert result(tidegate, HISTORIES / f"{name}.txt")[:2] == (0, "shown")


def drop_records(kind: str, **fields: Any) -> Change:
    """All records but those of a kind with these fields."""

    def change(of: str, data: dict[str, Any]) -> dict[str, Any] | None:
        return None if of == kind and fields.items() <= data.items() else data

    return change


def other_settings(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """Unclean elections are forbidden first, and allowed later."""
    value = {"true": "false", "false": "true"}.get(data.get("value", ""))
    return data if kind != "CONFIG_RECORD" or value is None else data | {"value": value}


def change_creation(**fields: Any) -> Change:
    """The partition is created with other fields."""
    return lambda kind, data: data | fields if kind == "PARTITION_RECORD" else data


def change_election(epoch_of: int, leader: int) -> Change:
    """At an election, counted from 0, another leader."""
    seen = [-1]

    def change(kind: str, data: dict[str, Any]) -> dict[str, Any]:
        if kind != "PARTITION_CHANGE_RECORD" or "leader" not in data:
            return data
        seen[0] += 1
        return data | {"leader": leader} if seen[0] == epoch_of else data

    return change


@pytest.mark.parametrize(
    ("name", "change", "seen"),
    [
        ("fenced_again_3_4", drop_records("BROKER_REGISTRATION_CHANGE_RECORD", fenced=1), 2),
        ("unclean_was_set_3_9", other_settings, 17),
        ("unclean_was_set_3_9", change_creation(leader=1), -1),
        ("unclean_was_set_3_9", change_creation(isr=[4, 5]), -1),
        ("unclean_was_set_3_9", change_creation(leaderEpoch=1), -1),
        ("unclean_was_set_3_9", change_election(0, 1), 4),
    ],
)
def test_what_kafka_cannot_do_is_not(tidegate: Run, tmp_path: Path, name: str, change: Change, seen: int) -> None:
    path = tmp_path / "metadata.txt"
    path.write_text(change_log(name, change), "utf-8")
    assert result(tidegate, path) == (1, "not_shown", seen)


def test_where_only_the_step_differs_from_the_model_is_said(tidegate: Run, tmp_path: Path) -> None:
    path = tmp_path / "metadata.txt"
    path.write_text(
        change_log("fenced_again_3_4", drop_records("BROKER_REGISTRATION_CHANGE_RECORD", fenced=1)), "utf-8"
    )
    said = tidegate("validate", str(path)).out
    assert not re.search(r"another\s*$", said, re.MULTILINE)
    assert "the same, but by another step than the log says" in " ".join(said.split())


def test_a_partition_is_not_created_with_a_fenced_broker_in_sync(tidegate: Run, tmp_path: Path) -> None:
    path = tmp_path / "metadata.txt"
    path.write_text(
        change_log("fenced_again_3_4", drop_records("BROKER_REGISTRATION_CHANGE_RECORD", fenced=-1)), "utf-8"
    )
    assert result(tidegate, path) == (1, "not_shown", -1)
    said = tidegate("validate", str(path)).out
    assert "no run of the model shows moment 1 of" in said
    assert "No run of the model begins so" in said and "last shown" not in said
    assert tidegate("validate", str(path), "--out", str(tmp_path / "out")).exit == 1


def test_a_moment_may_be_of_a_release_that_comes_before_the_last(tidegate: Run, tmp_path: Path) -> None:
    newer = [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": 21}]
    fields = {"brokerId": 9, "incarnationId": "nine", "brokerEpoch": 999, "fenced": True, "features": newer}
    path = tmp_path / "metadata.txt"
    path.write_text(change_log("fenced_again_3_4", same, (("REGISTER_BROKER_RECORD", fields),)), "utf-8")
    done = tidegate("validate", str(path))
    assert (done.exit, "3.4, 3.9" in done.out) == (0, True)
    assert tidegate("validate", str(path), "--kafka-version", "3.9").exit == 1


@pytest.mark.parametrize("upgraded_to", [None, 21])
def test_while_releases_are_upgraded_a_moment_may_be_of_either(
    tidegate: Run, tmp_path: Path, upgraded_to: int | None
) -> None:
    """A controller of 3.4 makes a leader epoch more, though a broker of 3.9 is there; not once metadata.version is
    that of 3.9."""
    newer = [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": 21}]

    def change(kind: str, data: dict[str, Any]) -> dict[str, Any]:
        if kind == "FEATURE_LEVEL_RECORD" and data["name"] == "metadata.version" and upgraded_to:
            return data | {"featureLevel": upgraded_to}
        return data | {"features": newer} if kind == "REGISTER_BROKER_RECORD" else data

    older = {"brokerId": 9, "incarnationId": "nine", "brokerEpoch": 999, "fenced": True}
    older |= {"features": [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": 8}]}
    path = tmp_path / "metadata.txt"
    path.write_text(change_log("fenced_again_3_4", change, (("REGISTER_BROKER_RECORD", older),)), "utf-8")
    shown, seen = ("not_shown", 2) if upgraded_to else ("shown", 3)
    assert result(tidegate, path)[1:] == (shown, seen)
