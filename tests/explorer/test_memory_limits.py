"""How much memory a search takes: what the control groups around it and its own limits leave."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from tidegate.explorer import memory_limits
from tidegate.explorer.memory_limits import LEAST, SHARE, memory_for_search, usable_memory

from ..conftest import ROOT
from ..support.commands import TIMEOUT_SECONDS

MIB = 1 << 20
MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class System:
    """A process's files and control groups, in a folder."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.mounted, process = folder / "cgroup", folder / "self"
        process.mkdir()
        self.process = process
        monkeypatch.setattr(memory_limits, "_PROCESS", process)

    def second(self, path: str, root: str = "/") -> None:
        """Version 2, with the process in a group."""
        (self.process / "cgroup").write_text(f"0::{path}\n")
        (self.process / "mountinfo").write_text(
            f"30 23 0:26 {root} {self.mounted} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
        )

    def first(self, path: str) -> None:
        """Version 1, of which one hierarchy is for memory."""
        (self.process / "cgroup").write_text(f"9:name=systemd:/a\n4:memory:{path}\n1:cpu,cpuacct:/b\n0::/\n")
        (self.process / "mountinfo").write_text(
            f"32 23 0:27 / {self.mounted.parent}/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
            f"33 23 0:28 / {self.mounted} rw - cgroup cgroup rw,memory\n"
        )

    def group(self, path: str, **files: str | int) -> None:
        """A group's files; `_` in a name is a dot where it is the first."""
        folder = self.mounted / path
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name.replace("_", ".", 1)).write_text(f"{text}\n")


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    return System(tmp_path, monkeypatch)


def test_without_control_groups_it_is_the_machines(system: System) -> None:
    assert usable_memory() == MACHINE
    assert memory_for_search() == int(SHARE * MACHINE)


@pytest.mark.parametrize("limited", ["", "user.slice", "user.slice/run.scope"])
def test_the_smallest_limit_on_the_way_up_counts(limited: str, system: System) -> None:
    system.second("/user.slice/run.scope")
    for path in ("", "user.slice", "user.slice/run.scope"):
        system.group(path, memory_max="max", memory_current=100 * MIB, memory_stat="anon 5\ninactive_file 0")
    system.group(limited, memory_max=500 * MIB)
    assert usable_memory() == 400 * MIB


def test_of_two_limits_the_one_that_leaves_less_counts(system: System) -> None:
    system.second("/pod/container")
    system.group("pod", memory_max=300 * MIB, memory_current=250 * MIB)
    system.group("pod/container", memory_max=200 * MIB, memory_current=20 * MIB)
    assert usable_memory() == 50 * MIB
    assert memory_for_search() == LEAST


def test_from_where_a_group_is_throttled_counts_too(system: System) -> None:
    system.second("/run")
    system.group("run", memory_max=400 * MIB, memory_high=350 * MIB, memory_current=50 * MIB)
    assert usable_memory() == 300 * MIB


def test_pages_of_files_are_given_back(system: System) -> None:
    system.second("/run")
    system.group("run", memory_max=400 * MIB, memory_current=150 * MIB, memory_stat=f"inactive_file {100 * MIB}")
    assert usable_memory() == 350 * MIB


def test_a_container_sees_its_own_group_as_the_root(system: System) -> None:
    system.second("/docker/abc/inner", root="/docker/abc")
    system.group("", memory_max=600 * MIB, memory_current=0)
    system.group("inner", memory_max=500 * MIB, memory_current=0)
    assert usable_memory() == 500 * MIB
    system.second("/../elsewhere")
    assert usable_memory() == 600 * MIB


def test_version_1_has_one_hierarchy_for_memory(system: System) -> None:
    system.first("/slice/job")
    system.group("", memory_limit_in_bytes=(1 << 63) - 4096, memory_usage_in_bytes=900 * MIB)
    system.group("slice", memory_limit_in_bytes=800 * MIB, memory_usage_in_bytes=300 * MIB,
                 memory_stat=f"inactive_file 0\ntotal_inactive_file {100 * MIB}")  # fmt: skip
    system.group("slice/job", memory_limit_in_bytes=(1 << 63) - 4096, memory_usage_in_bytes=300 * MIB)
    assert usable_memory() == 600 * MIB


def test_what_is_used_up_leaves_nothing(system: System) -> None:
    system.second("/run")
    system.group("run", memory_max=100 * MIB, memory_current=120 * MIB)
    assert (usable_memory(), memory_for_search()) == (0, LEAST)


@pytest.mark.parametrize("limit", [resource.RLIMIT_AS, resource.RLIMIT_DATA])
def test_below_a_limit_of_address_space_a_check_runs(limit: int, cache: Path) -> None:
    done = run_limited(["check", "examples/liveness/printer.py"], limit, 1_500 * MIB, cache)
    assert (done.returncode, done.stderr) == (3, "")
    done = run_limited(["check", "examples/liveness/printer.py", "--memory", "20G"], limit, 1_500 * MIB, cache)
    assert done.returncode == 64
    refused = (
        "MiB of address space cannot be had (Cannot allocate memory); give the search less with --memory, or this "
    )
    assert refused in done.stderr


def run_limited(arguments: list[str], limit: int, size: int, cache: Path) -> subprocess.CompletedProcess[str]:
    """A command with a limit on its memory."""
    return subprocess.run(
        [sys.executable, "-m", "tidegate", *arguments], cwd=ROOT, env={**os.environ, "TIDEGATE_CACHE": str(cache)},
        capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS,
        preexec_fn=lambda: resource.setrlimit(limit, (size, size)),
    )  # fmt: skip
