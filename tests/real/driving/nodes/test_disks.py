"""What a power loss leaves on a real disk, beside what the driver cuts: an ext4, shut down without its journal.

Needs root and loop devices, besides what real brokers need:
`python -m pytest -m brokers tests/real/driving/nodes/test_disks.py`.

Also of: `cluster`.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from tidegate.language.errors import UsageError
from tidegate.real.driving.nodes import disks
from tidegate.real.driving.nodes.cluster import TOPIC, ClusterSpec
from tidegate.real.driving.nodes.processes import Nodes
from tidegate.real.driving.nodes.releases import fetch_release
from tidegate.real.driving.nodes.running import start_nodes
from tidegate.real.driving.partition.cluster import PartitionCluster

from ....conftest import ROOT

EXT4_IOC_SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2
RECORDS = 5


class Disk:
    """An ext4 in a file, mounted."""

    def __init__(self, folder: Path) -> None:
        self.image, self.place = folder / "disk.img", folder / "disk"
        self.place.mkdir()
        with self.image.open("wb") as file:
            file.truncate(64 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(self.image)], check=True)

    def mount(self) -> None:
        subprocess.run(["mount", "-o", "loop", str(self.image), str(self.place)], check=True)

    def unmount(self) -> None:
        subprocess.run(["umount", str(self.place)], check=True)

    def lose_power(self) -> None:
        """What is not written yet never will be, the journal included."""
        handle = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(handle, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(handle)


@pytest.fixture
def disk(tmp_path: Path) -> Generator[Disk, None, None]:
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
        pytest.skip("needs root and mkfs.ext4")
    made = Disk(tmp_path)
    try:
        made.mount()
    except subprocess.CalledProcessError:
        pytest.skip("needs loop devices")
    yield made
    made.unmount()


def sizes(data: Path) -> dict[str, int]:
    """The files of the partition, but for those that Kafka makes anew from the segment, with their sizes."""
    return {path.name: path.stat().st_size for path in sorted((data / f"{TOPIC}-0").iterdir()) if path.is_file()}


def write_records(cluster: PartitionCluster) -> None:
    """The cluster's broker has acknowledged some records."""
    for record in range(RECORDS):
        assert cluster.produce_record(1, record, -1, 30) == 0
    assert len(disks.read_log(cluster.nodes.data(1) / f"{TOPIC}-0" / disks.SEGMENT)) == RECORDS


@pytest.mark.brokers
@pytest.mark.parametrize("flushed", [False, True], ids=["in page caches", "flushed"])
def test_the_driver_cuts_what_a_disk_loses(disk: Disk, monkeypatch: pytest.MonkeyPatch, flushed: bool) -> None:
    more = {"flush.messages": "1"} if flushed else {}
    needs = ClusterSpec((1,), {"min.insync.replicas": "1", **more}, False, 3_000, 600_000)
    release, usual = fetch_release("3.9.1"), Nodes.data
    with start_nodes(lambda: PartitionCluster(release, needs)) as emulated:
        write_records(emulated)
        emulated.lose_power(1, RECORDS if flushed else 0)
        cut = sizes(emulated.nodes.data(1))

    def data(nodes: Nodes, node: int) -> Path:
        return disk.place / "data" if node == 1 else usual(nodes, node)

    monkeypatch.setattr(Nodes, "data", data)
    with start_nodes(lambda: PartitionCluster(release, needs)) as real:
        os.sync()  # the topic's files are on the disk, as some seconds after it was made
        write_records(real)
        disk.lose_power()
        real.kill(1)
        disk.unmount()
        disk.mount()
        left = disks.read_log(disk.place / "data" / f"{TOPIC}-0" / disks.SEGMENT)
        assert [one.value for one in left] == ([str(one).encode() for one in range(RECORDS)] if flushed else [])
        assert sizes(disk.place / "data")[disks.SEGMENT] == cut[disks.SEGMENT]
        assert sizes(disk.place / "data").keys() == cut.keys()
        real.start(1)
        until = time.monotonic() + 60
        while (found := real.read_records(1)) is None and time.monotonic() < until:
            time.sleep(0.1)
        assert found == (list(range(RECORDS)) if flushed else [])


def test_a_controllers_log_that_cannot_be_read_is_no_cluster_without_brokers(tmp_path: Path) -> None:
    """Nobody is there while there is no log or nothing in it; who is there is not known where it is damaged."""
    assert disks.read_live_brokers(tmp_path) == set()
    folder = tmp_path / "__cluster_metadata-0"
    folder.mkdir()
    assert disks.read_live_brokers(tmp_path) == set()
    segment = folder / f"{0:020d}.log"
    segment.write_bytes(b"")
    assert disks.read_live_brokers(tmp_path) == set()
    whole = (ROOT / "examples" / "histories" / "last_replica_standing.log").read_bytes()
    segment.write_bytes(whole)
    assert disks.read_live_brokers(tmp_path) != set()
    segment.rename(folder / f"{7:020d}.log")
    with pytest.raises(UsageError, match="its segments do not begin at offset 0, and there is no snapshot before them"):
        disks.read_live_brokers(tmp_path)
