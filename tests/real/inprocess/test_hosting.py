"""What is wrong around the process that hosts Kafka's classes: one sentence each, and never that nothing differs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tidegate.real.driving.nodes.releases import Release
from tidegate.real.inprocess import hosting
from tidegate.real.inprocess.conforming import ComparisonReach, Direction, conform
from tidegate.real.inprocess.hosting import Host, Settings, is_runnable
from tidegate.real.inprocess.hunting import HuntReach, hunt
from tidegate.real.inprocess.program import HostError, ShapeError, compiled_folder

from ...conftest import ROOT, RunHere
from ...support.hosting import HOSTED, hosted_release
from ...support.spark_cluster import wait_for

CONFORM = ("conform", "kraft", "--kafka-version", HOSTED, "--runs", "1")
JAVA_17 = 'echo "openjdk version \\"17.0.15\\" 2025-04-15" >&2'


def program(folder: Path, name: str, *lines: str) -> Path:
    """An executable of the shell."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("\n".join(("#!/bin/sh", *lines, "")), encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with Java 17 and nothing else, and an empty cache: the folder of its programs."""
    programs = tmp_path / "programs"
    program(programs, "java", JAVA_17)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("TIDEGATE_CACHE", str(tmp_path / "cache"))
    return programs


def command_ending(run_here: RunHere, *arguments: str) -> tuple[int, str]:
    """How a command ended, and all that it said."""
    exit_, said = run_here(*arguments)
    return exit_, said.removeprefix("tidegate: ").removesuffix("\n")


# --- what is needed, and is not there ---------------------------------------------------------------------------------


def test_no_java(run_here: RunHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    says = "Java 17 or newer is needed, and there is none; set JAVA_HOME, or put java into the PATH"
    assert command_ending(run_here, *CONFORM) == (69, says)


def test_java_that_is_too_old(run_here: RunHere, machine: Path) -> None:
    java = program(machine, "java", 'echo "openjdk version \\"11.0.22\\" 2024-01-16" >&2')
    assert command_ending(run_here, *CONFORM) == (69, f"Java 17 or newer is needed, and {java} is 11.0.22")
    program(machine, "java", 'echo "java version \\"1.8.0_392\\"" >&2')
    assert command_ending(run_here, *CONFORM) == (69, f"Java 17 or newer is needed, and {java} is 1.8.0_392")
    program(machine, "java", "true")
    assert command_ending(run_here, *CONFORM) == (
        69,
        f"Java 17 or newer is needed, and {java} does not say which it is",
    )


def test_a_compiler_that_is_too_old(run_here: RunHere, machine: Path) -> None:
    program(machine, "mvn", *MAVEN_WRITES)
    compiler = program(machine, "javac", "echo javac 11.0.22")
    assert command_ending(run_here, *CONFORM) == (69, f"a JDK 17 or newer is needed, and {compiler} is 11.0.22")


def test_no_maven(run_here: RunHere, machine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(machine))
    os.symlink("/bin/sh", machine / "sh")
    says = (
        f"Kafka {HOSTED} is not in {tmp_path}/cache/kafka-raft/{HOSTED}, and there is no Maven (mvn) to fetch it with"
    )
    assert command_ending(run_here, *CONFORM) == (69, f"{says}; install Maven, or give --kafka-home DIR")


OUT = 'for one in "$@"; do case "$one" in -DoutputDirectory=*) out=${one#*=};; esac; done'
MAVEN_WRITES = (OUT, f'mkdir -p "$out"; printf "PK\\005\\006%018d" 0 | tr 0 "\\000" > "$out/kafka-raft-{HOSTED}.jar"')


@pytest.mark.parametrize(
    ("says", "exit_", "reported"),
    [
        (
            f"Could not find artifact org.apache.kafka:kafka-raft:jar:{HOSTED} in central (https://registry)",
            64,
            f"there is no Kafka {HOSTED}: Maven's registry does not serve kafka-raft {HOSTED}",
        ),
        (
            "Could not transfer artifact org.apache.kafka: repo.maven.apache.org: Name or service not known",
            69,
            f"Kafka {HOSTED} cannot be fetched: [ERROR] Could not transfer artifact org.apache.kafka: "
            "repo.maven.apache.org: Name or service not known",
        ),
    ],
    ids=["not served", "no registry"],
)
def test_a_release_that_maven_does_not_bring(
    run_here: RunHere, machine: Path, says: str, exit_: int, reported: str
) -> None:
    program(machine, "mvn", f"printf '\\033[1;31m[ERROR]\\033[m {says}\\n'", "exit 1")
    assert command_ending(run_here, *CONFORM) == (exit_, reported)


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("3.4.1", "Kafka 3.4.1 is not hosted in one process; 3.5 and newer are"),
        ("newest", "--kafka-version newest: write a release of Kafka, such as 4.1.1 or 3.9"),
        ("4", "--kafka-version 4: write a release of Kafka, such as 4.1.1 or 3.9"),
    ],
)
def test_a_release_that_is_none_of_those_hosted(run_here: RunHere, version: str, says: str) -> None:
    for verb in ("conform", "hunt"):
        assert command_ending(run_here, verb, "kraft", "--kafka-version", version) == (64, says)


# --- a cache that is damaged ------------------------------------------------------------------------------------------


def test_a_jar_that_is_cut_off(run_here: RunHere, machine: Path, tmp_path: Path) -> None:
    program(machine, "mvn", *MAVEN_WRITES)
    program(machine, "javac", "echo javac 17.0.15")
    exit_, said = run_here("hunt", "kraft", "--kafka-version", HOSTED, "--runs", "1")
    assert exit_ == 5 and "the process that hosts Kafka ended with 0: openjdk version" in " ".join(said.split())
    jars = tmp_path / "cache" / "kafka-raft" / HOSTED
    (jars / f"kafka-raft-{HOSTED}.jar").write_bytes(b"j")
    says = f"{jars} is damaged: kafka-raft-{HOSTED}.jar in it is not what was written; delete the folder, and it is"
    assert command_ending(run_here, *CONFORM) == (66, f"{says} made again")
    shutil.rmtree(jars)
    program(machine, "mvn", "exit 1")
    assert command_ending(run_here, *CONFORM) == (69, f"Kafka {HOSTED} cannot be fetched: mvn says nothing")


def test_a_download_that_is_killed_leaves_nothing_that_is_taken(
    run_here: RunHere, machine: Path, tmp_path: Path
) -> None:
    program(machine, "mvn", *MAVEN_WRITES, "echo > $0.half; exec sleep 600")
    command = [sys.executable, "-m", "tidegate", *CONFORM]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        wait_for((machine / "mvn.half").exists)
        os.killpg(process.pid, signal.SIGKILL)
    kept = tmp_path / "cache" / "kafka-raft"
    assert [path.name.partition("-")[0] for path in kept.iterdir()] == ["making"]
    program(machine, "mvn", "exit 1")
    assert command_ending(run_here, *CONFORM) == (69, f"Kafka {HOSTED} cannot be fetched: mvn says nothing")


# --- Kafka's own classes ----------------------------------------------------------------------------------------------


def jars_with(folder: Path, replaced: dict[str, bytes | None]) -> Release:
    """The jars of a release, with classes of `kafka-raft` replaced, or taken out."""
    real = hosted_release()
    shutil.copytree(real.jars, folder)
    jar = folder / f"kafka-raft-{HOSTED}.jar"
    with zipfile.ZipFile(real.jars / jar.name) as old, zipfile.ZipFile(jar, "w") as new:
        for name in old.namelist():
            content = replaced.get(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return Release(HOSTED, folder, real.java)


def outcome_of(release: Release) -> tuple[ComparisonReach, HuntReach]:
    """What `conform` and `hunt` come to that find nothing and compare nothing."""
    (compared,) = conform(release, 1, runs=2, seconds=None, directions=["code-to-model"])
    (hunted,) = hunt(release, 1, runs=20, seconds=None)
    assert isinstance(compared, ComparisonReach) and isinstance(hunted, HuntReach)
    assert compared.cut and hunted.cut and compared.compared_states == hunted.runs == 0
    return compared, hunted


@pytest.mark.long
def test_a_class_of_kafkas_without_a_method_that_the_program_calls(tmp_path: Path) -> None:
    source = tmp_path / "RaftUtil.java"
    source.write_text("package org.apache.kafka.raft; public class RaftUtil { }", encoding="utf-8")
    subprocess.run(["javac", "-d", str(tmp_path), str(source)], check=True)
    name = "org/apache/kafka/raft/RaftUtil.class"
    release = jars_with(tmp_path / "jars", {name: (tmp_path / name).read_bytes()})
    says = r"^the classes of Kafka 4\.1\.1 have another shape than this program knows: World\.java:\d+: error: cannot "
    with pytest.raises(ShapeError, match=says + r"find symbol method errorResponse\("):
        compiled_folder(release)
    compared, hunted = outcome_of(release)
    assert compared.why == hunted.why
    assert compared.why.startswith("the classes of Kafka 4.1.1 have another shape than this program knows: ")


@pytest.mark.long
def test_a_class_that_kafka_itself_misses(tmp_path: Path) -> None:
    release = jars_with(tmp_path / "jars", {"org/apache/kafka/raft/RequestManager.class": None})
    for reach in outcome_of(release):
        assert reach.why.startswith(
            "the classes of Kafka 4.1.1 have another shape than this program knows: java.lang.NoClassDefFoundError: "
            "org/apache/kafka/raft/RequestManager (at org.apache.kafka.raft."
        )


@pytest.mark.long
def test_a_compiled_class_that_is_damaged(run_here: RunHere) -> None:
    folder = compiled_folder(hosted_release())
    world = folder / "org" / "apache" / "kafka" / "raft" / "World.class"
    before = world.read_bytes()
    try:
        world.write_bytes(before[: len(before) // 2])
        says = "is damaged: org/apache/kafka/raft/World.class in it is not what was written; delete the folder, and it"
        assert command_ending(run_here, *CONFORM) == (66, f"{folder} {says} is made again")
    finally:
        world.write_bytes(before)


LEADS = [("tick", 1), ("deliver", 1, 2, 52, 0, 0), ("deliver", 2, 1, 52, 1, 0)] * 2


@pytest.mark.long
def test_a_call_of_kafkas_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "ANSWER_SECONDS", 3.0)
    says = "a call of Kafka's did not come back within 3 s; the process was ended"
    to_model: list[Direction] = ["code-to-model"]
    (looked,) = conform(hosted_release(), 1, runs=2, seconds=None, directions=to_model, defect="never_returns")
    assert isinstance(looked, ComparisonReach) and (looked.cut, looked.why) == (True, says)
    (hunted,) = hunt(hosted_release(), 1, runs=20, seconds=None, defect="never_returns")
    assert isinstance(hunted, HuntReach) and (hunted.cut, hunted.why, hunted.runs) == (True, says, 0)


@pytest.mark.long
def test_a_process_that_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "ANSWER_SECONDS", 2.0)
    with Host(hosted_release(), brief=True) as host:
        host.open(Settings(), 1)
        os.kill(host.process_id, signal.SIGSTOP)
        with pytest.raises(HostError, match=r"^a call of Kafka's did not come back within 2 s; the process was ended$"):
            host.take(())


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not say who runs")
def test_who_would_run_is_not_taken_to_wait() -> None:
    for program_text, runs in (("while True: pass", True), ("import time; time.sleep(600)", False)):
        with subprocess.Popen([sys.executable, "-c", program_text]) as process:
            wait_for(lambda pid=process.pid, runs=runs: is_runnable(pid) is runs)
            process.kill()
    assert is_runnable(process.pid) is False


@pytest.mark.long
def test_a_call_that_others_leave_no_processor_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:

    def none_had(host: Host) -> float:
        return 0.0

    with Host(hosted_release(), brief=True) as host:
        host.open(Settings(), 1)
        monkeypatch.setattr(hosting, "ANSWER_SECONDS", 0.2)
        monkeypatch.setattr(Host, "processor_seconds", none_had)
        assert len(host.take([("tick", 1)] * 100_000).steps_taken) == 100_000


@pytest.mark.long
def test_memory_that_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "MEMORY_MB", 24)
    says = "the process that hosts Kafka needed more than its 24 MB of memory, and ended"
    with Host(hosted_release(), brief=True) as host:
        host.open(Settings(), 1)
        with pytest.raises(HostError) as caught:
            host.take([*LEADS, *[("append", 1, 1_000)] * 20_000], look_at_each=True)
        assert str(caught.value) == says


@pytest.mark.long
def test_a_process_that_is_killed() -> None:
    with Host(hosted_release(), brief=True) as host:
        host.open(Settings(), 1)
        os.kill(host.process_id, signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(HostError, match=r"^the process that hosts Kafka was ended by SIGKILL$"):
                host.take(())


@pytest.mark.long
def test_what_is_no_command_fails_and_the_next_one_does_not() -> None:
    with Host(hosted_release(), brief=True) as host:
        with pytest.raises(HostError, match=r'^java\.lang\.IllegalArgumentException: no such command: "dance" \(at '):
            host.ask({"do": "dance"})
        host.open(Settings(), 1)
        assert len(host.take(()).states[-1]) == Settings().voters
