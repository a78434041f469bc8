"""Files of brokers: checkpoints, lines and segments, and what they say of records that were committed."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tidegate.language.errors import UsageError
from tidegate.real.history.moments import History
from tidegate.real.history.partitions import recorded_cluster
from tidegate.real.logs.broker_files import BrokerLogs, read_brokers
from tidegate.real.logs.metadata_log import read_metadata_log
from tidegate.real.validation.losses import Loss, find_losses

from ...conftest import ROOT
from ...support.brokers_logs import LOST, leads, of_leaders, read_lines, short, shrinks


def test_segments_say_where_epochs_begin_if_the_checkpoint_is_gone(tmp_path: Path) -> None:
    """A broker that loses power may have an empty leader-epoch-checkpoint, and its records have their epochs."""
    data = ROOT / "examples" / "histories" / "zookeeper" / "broker-1" / "data"
    shutil.copytree(data, tmp_path / "data")
    with_checkpoint = read_brokers([tmp_path / "data"]).disk_states["orders-0"][0].begins
    (tmp_path / "data" / "orders-0" / "leader-epoch-checkpoint").write_text("", "utf-8")
    from_segments = read_brokers([tmp_path / "data"]).disk_states["orders-0"][0].begins
    assert from_segments == with_checkpoint == ((0, 0), (1, 1), (3, 2), (5, 3), (7, 4))


@pytest.mark.parametrize(
    "name", ["server.log.2026-11-24-14", "state-change.log", "state-change.log.1.gz", "server.log.3"]
)
def test_the_lines_of_one_broker_are_in_order_whichever_files_they_are_in(tmp_path: Path, name: str) -> None:
    text = "".join((leads(1, 0, 0, 0, second=1), leads(1, 2, 80, 80, second=5)))
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    evidence = read_lines(of_leaders(1, -1, 1), tmp_path, shrinks(1, 90, second=3))
    assert short(evidence.losses) == [(2, 80, 90)]
    at_once = read_lines(of_leaders(1, -1, 1), tmp_path, shrinks(1, 90, second=5))
    assert short(at_once.losses) == []
    assert [note.what.partition(";")[0] for note in at_once.notes] == [
        "no file says of which leader epoch a high watermark is"
    ]


def test_a_packed_file_that_is_not_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "server.log.1.zip").write_bytes(b"PK")
    (tmp_path / "server.log").write_text(leads(1, 0, 0, 0), "utf-8")
    assert "server.log.1.zip: it is packed in a way that is not read here" in read_brokers([tmp_path]).notes[0]
    (tmp_path / "server.log.2.gz").write_bytes(b"\x1f\x8b\x08no")
    with pytest.raises(UsageError, match="cannot be read"):
        read_brokers([tmp_path])


def checkpoints(folder: Path) -> tuple[History, Callable[[], BrokerLogs], Path]:
    """The files of a loss that checkpoints alone show."""
    shutil.copytree(LOST, folder, dirs_exist_ok=True)
    for log in folder.rglob("server.log"):
        log.unlink()
    data = folder / "broker-2" / "data"
    (data / "replication-offset-checkpoint").write_text("0\n1\norders 0 1\n", "utf-8")
    (data / "orders-0" / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n", "utf-8")
    (history,) = recorded_cluster(read_metadata_log(LOST / "controller")).histories
    return history, lambda: read_brokers([folder]), data


def test_checkpoints_say_it_too(tmp_path: Path) -> None:
    history, logs, data = checkpoints(tmp_path)
    (loss,) = find_losses(history, logs()).losses
    assert loss == Loss(
        "orders-0",
        2,
        0,
        1,
        2,
        str(data / "replication-offset-checkpoint"),
        str(tmp_path / "broker-1" / "data" / "orders-0" / "leader-epoch-checkpoint"),
    )


def test_a_checkpoint_of_another_topic_shows_no_loss(tmp_path: Path) -> None:
    history, logs, data = checkpoints(tmp_path)
    of_topic = data / "orders-0" / "partition.metadata"
    of_topic.write_text(f"version: 0\ntopic_id: {history.topic_id}\n", "utf-8")
    assert len(find_losses(history, logs()).losses) == 1
    of_topic.write_text("version: 0\ntopic_id: another\n", "utf-8")
    assert find_losses(history, logs()).losses == ()


def test_the_broker_of_a_checkpoint_is_read_from_any_bytes(tmp_path: Path) -> None:
    history, logs, data = checkpoints(tmp_path)
    (data / "meta.properties").write_bytes(b"#\xff\xfe\nnode.id=2\n")
    assert [loss.broker for loss in find_losses(history, logs()).losses] == [2]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("replication-offset-checkpoint", "0\n1\nt 0\n", "is no row of a checkpoint"),
        ("replication-offset-checkpoint", "0\n3\nt 0 1\n", "it states 3 rows of version 0, and has 1"),
        ("meta.properties", "version=1\n", "does not say which broker"),
    ],
)
def test_files_that_say_nothing_are_said(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / "meta.properties").write_text("node.id=1\n", "utf-8")
    (tmp_path / "replication-offset-checkpoint").write_text("0\n1\nt 0 5\n", "utf-8")
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(UsageError, match=said):
        read_brokers([tmp_path])


def test_a_folder_without_such_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="says where a leader starts"):
        read_brokers([tmp_path])
    with pytest.raises(UsageError, match="there is no such file"):
        read_brokers([tmp_path / "none"])
