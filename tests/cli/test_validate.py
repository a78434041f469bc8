"""`tidegate validate`: the version it takes, what it says of a log that is none, and mistakes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tidegate.language.errors import UsageError
from tidegate.real.logs.encoding import Reader, varint
from tidegate.real.logs.metadata_log import read_metadata_log
from tidegate.real.logs.metadata_records import UnreadableRecordError, decode_record
from tidegate.real.validation.settings import find_version

from ..conftest import Run
from ..support.commands import run_without
from ..support.histories import HISTORIES, STANDING, cluster, of_bytes


@pytest.mark.parametrize(
    ("name", "kafka", "profile"),
    [
        ("kafka_14139", "3.4", "kafka_3_3"),
        ("kafka_15583", "3.6", "kafka_3_5"),
        ("last_replica_standing", "3.9", "kafka_3_9"),
    ],
)
def test_the_version_is_the_one_that_brokers_register_with(name: str, kafka: str, profile: str) -> None:
    version = find_version(cluster(HISTORIES / f"{name}.log"), None)
    assert (version.kafka, version.profile, version.assumptions) == (kafka, profile, ())


def nothing(folder: Path) -> Path:
    return folder / "none"


def empty(folder: Path) -> Path:
    return folder


def notes(folder: Path) -> Path:
    return of_bytes(folder, lambda _: b"hello", "notes.txt")


def cut_beginning(folder: Path) -> Path:
    return of_bytes(folder, lambda data: data, "00000000000000000007.log").parent


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (nothing, "there is no such file or directory"),
        (empty, "no __cluster_metadata-0 is in it or below it"),
        (notes, "nothing in it is a metadata record"),
        (cut_beginning, "there is no snapshot"),
    ],
)
def test_what_is_no_metadata_log_is_said(tmp_path: Path, make: Callable[[Path], Path], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_metadata_log(make(tmp_path))


def test_one_of_several_controllers_is_asked_for(tmp_path: Path) -> None:
    for controller in ("1", "2"):
        folder = tmp_path / controller / "__cluster_metadata-0"
        folder.mkdir(parents=True)
        shutil.copy(STANDING, folder / "00000000000000000000.log")
    with pytest.raises(UsageError, match="several controllers' logs are below it"):
        read_metadata_log(tmp_path)
    assert cluster(tmp_path / "1") == cluster(STANDING)


def test_a_record_of_a_newer_version_is_refused() -> None:
    with pytest.raises(UnreadableRecordError, match="a TOPIC_RECORD of version 9, and 0 is the newest that is known"):
        decode_record(bytes([1, 2, 9]))
    with pytest.raises(UnreadableRecordError, match="its bytes end before its fields do"):
        decode_record(bytes([1, 3, 0, 0]))
    assert decode_record(bytes([1, 20, 0, 0])) is None
    assert varint(Reader(bytes([0xAC, 0x02]))) == 300


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--topic", "order"), "the log has no such topic; did you mean orders"),
        (("--set", "min_isrs=1"), "has no such constant; did you mean"),
        (("--kafka-version", "2.8"), "KRaft is modelled since 3.3"),
    ],
)
def test_mistakes_are_said(tidegate: Run, arguments: tuple[str, ...], said: str) -> None:
    done = tidegate("validate", str(STANDING), *arguments)
    assert done.exit == 64
    assert said in done.err


def test_segments_need_kafka_python() -> None:
    done = run_without("kafka", ["validate", str(STANDING)])
    assert done.exit == 64
    assert "reading segments needs kafka-python: pip install '.[live]' in the clone" in done.err
