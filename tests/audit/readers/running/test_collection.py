"""The script that collects: tried with tools that print what real ones have printed, secrets planted among it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster
from tidegate.audit.cluster.cluster import Topic
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import SECRET
from tidegate.audit.kafka.keys import declared_key
from tidegate.audit.readers.running.collection import collection_script, kept_names
from tidegate.cli.main import main

from ....conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "audit"
PLANTED = "hunter2-planted"
SHELLS = [shell for shell in ("sh", "dash", "busybox") if shutil.which(shell)]
SERVER = f"""\
# {PLANTED}
broker.id=1
num.partitions=3
min.insync.replicas=2
ssl.key.password={PLANTED}
sasl.jaas.config=org.x required \\
  username="a" \\
  password="{PLANTED}";
log.dirs=data/a,\\
  data/b
my.own.thing = {PLANTED}
{PLANTED}
  password : {PLANTED}
listener.name.a.plain.sasl.jaas.config={PLANTED}\\\\
unclean.leader.election.enable=true
min.insync.replica={PLANTED}
"""
STUB = """#!/bin/sh
echo "a warning with {planted}" >&2
case "$0 $*" in
{cases}
esac
exit 1
"""


def tools(folder: Path, release: str) -> Path:
    """Stubs that print what the tools of a release have printed, with secrets in it."""
    source = FIXTURES / release / "healthy"
    said = {
        "*kafka-topics*--describe*": "topics.txt",
        "*kafka-configs*--all*topics*": "configs-topics-all.txt",
        "*kafka-configs*topics*": "configs-topics.txt",
        "*kafka-configs*--all*brokers*": "configs-broker-1-all.txt",
        "*kafka-configs*brokers*": "configs-brokers.txt",
        "*kafka-features*": "features.txt",
        "*quorum*--status*": "quorum-status.txt",
        "*quorum*--replication*": "quorum-replication.txt",
    }
    folder.mkdir()
    cases: list[str] = []
    for pattern, name in said.items():
        if (source / name).exists():
            text = (source / name).read_text(encoding="utf-8")
            (folder / name).write_text(spoilt(text), encoding="utf-8")
            cases.append(f'{pattern}) cat "{folder / name}"; exit 0 ;;')
    for tool in ("topics", "configs", "features", "metadata-quorum"):
        path = folder / f"kafka-{tool}.sh"
        path.write_text(STUB.format(planted=PLANTED, cases="\n".join(cases)), encoding="utf-8")
        path.chmod(0o755)
    return folder


def spoilt(text: str) -> str:
    """Secrets where a tool may print them."""
    text = text.replace("Configs: ", f"Configs: my.own={PLANTED},a={PLANTED},", 1)
    line = f"  my.own={PLANTED} sensitive=false synonyms={{DYNAMIC_TOPIC_CONFIG:my.own={PLANTED}}}\n"
    secret = f"  min.insync.replicas={PLANTED} sensitive=true synonyms={{}}\n"
    head, mark, rest = text.partition(" are:\n")
    text = head + mark + line + secret + rest if mark else text
    user = f"Configs for user-principal 'a' are SCRAM-SHA-256=salt={PLANTED}\n"
    user += f"  x={PLANTED} sensitive=false synonyms={{}}\n"
    return f"[warn] {PLANTED}\n" + text + (user if mark else "")


def collect(folder: Path, release: str, *arguments: str, shell: str = "sh") -> subprocess.CompletedProcess[str]:
    """Runs the script in a folder, with the stubs of a release."""
    (folder / "collect.sh").write_text(collection_script(), encoding="utf-8")
    stubs = folder / "bin"
    if not stubs.exists():
        tools(stubs, release)
    start = [shell, "sh"] if shell == "busybox" else [shell]
    command = [*start, "collect.sh", "--bootstrap-server", "127.0.0.1:1", "--bin", str(stubs), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def facts(topic: Topic) -> tuple[object, ...]:
    """What is compared of a topic: its partitions, without the lines that they stand on."""
    return topic.name, [(p.number, p.leader, p.replicas, p.isr, p.elr) for p in topic.partitions]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("release", ["2.8.2-zookeeper", "4.1.0-kraft"])
def test_a_collection_says_what_the_tools_said_and_no_secret(tmp_path: Path, release: str, shell: str) -> None:
    (tmp_path / "server.properties").write_text(SERVER, encoding="utf-8")
    done = collect(tmp_path, release, "--out", "out", "server.properties", shell=shell)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("Now: tidegate audit out\n")
    written = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir()}
    assert PLANTED not in "".join(written.values()) + done.stdout + done.stderr
    collected, _ = read_cluster([tmp_path / "out"])
    direct, _ = read_cluster([FIXTURES / release / "healthy"])
    assert [
        (t.name, [(p.number, p.leader, p.replicas, p.isr, p.elr) for p in t.partitions]) for t in collected.topics
    ] == [(t.name, [(p.number, p.leader, p.replicas, p.isr, p.elr) for p in t.partitions]) for t in direct.topics]
    assert collected.control_plane == direct.control_plane
    assert collected.versions.kafka is not None and release.startswith(collected.versions.kafka.value)


def test_what_a_properties_file_keeps(tmp_path: Path) -> None:
    (tmp_path / "server.properties").write_text(SERVER, encoding="utf-8")
    collect(tmp_path, "4.1.0-kraft", "--out", "out", "server.properties")
    lines = (tmp_path / "out" / "1-server.properties").read_text(encoding="utf-8").splitlines()
    assert len(lines) == SERVER.count("\n"), "lines keep their numbers"
    assert lines == [
        "#",
        "broker.id=1",
        "num.partitions=3",
        "min.insync.replicas=2",
        "ssl.key.password=(withheld)",
        "sasl.jaas.config=(withheld)",
        "#",
        "#",
        "log.dirs=data/a,\\",
        "  data/b",
        "my.own.thing=(withheld)",
        "#",
        "#",
        "listener.name.a.plain.sasl.jaas.config=(withheld)",
        "unclean.leader.election.enable=true",
        "min.insync.replica=(withheld)",
    ]
    cluster, findings = read_cluster([tmp_path / "out" / "1-server.properties"])
    assert [finding.where.line for finding in findings if finding.kind == "typo"] == [16]
    answer = setting_value(cluster, cluster.brokers[0], declared_key("log.dirs"))
    assert "data/a,data/b" in repr(answer)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out"], "--out needs a value"),
        (["--nonsense"], "--nonsense is no option"),
        (["--out", "bin"], "bin exists already"),
        (["none.properties"], "none.properties cannot be read"),
        (["--command-config", "none"], "none cannot be read"),
    ],
)
def test_mistakes_are_reported(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = collect(tmp_path, "4.1.0-kraft", *arguments)
    assert done.returncode == 64
    assert message in done.stderr and "--bootstrap-server HOST:PORT" in done.stderr


def test_a_cluster_that_does_not_answer(tmp_path: Path) -> None:
    empty = tmp_path / "bin"
    empty.mkdir()
    done = collect(tmp_path, "4.1.0-kraft")
    assert done.returncode == 69
    assert "some tools gave nothing" in done.stderr


def test_the_command_config_is_passed_on_and_not_collected(tmp_path: Path) -> None:
    (tmp_path / "admin.properties").write_text(f"sasl.jaas.config={PLANTED}\n", encoding="utf-8")
    done = collect(tmp_path, "4.1.0-kraft", "--command-config", "admin.properties", "--out", "out")
    assert done.returncode == 0
    assert not list((tmp_path / "out").glob("*admin*"))


def test_what_is_kept_is_no_secret() -> None:
    assert [name for name in kept_names() if SECRET.search(name)] == []


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_is_content(tmp_path: Path) -> None:
    path = tmp_path / "collect.sh"
    path.write_text(collection_script(), encoding="utf-8")
    done = subprocess.run(["shellcheck", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_command_prints_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--collect"]) == 0
    assert capsys.readouterr().out == collection_script()
    assert main(["audit"]) == 64
    assert "give files or a directory" in capsys.readouterr().err


def test_a_node_with_an_id_of_six_digits_is_collected(tmp_path: Path) -> None:
    """Its column is six wide, so that a tab follows the id and no blank."""
    stubs = tools(tmp_path / "bin", "4.1.0-kraft")
    row = "100004\tO2jGNzi5Rq-5Scvj6r7meA\t454\t0\t1795314332160\t1795314332160\tObserver\t\n"
    with (stubs / "quorum-replication.txt").open("a", encoding="utf-8") as table:
        table.write(row)
    (tmp_path / "server.properties").write_text(SERVER, encoding="utf-8")
    done = collect(tmp_path, "4.1.0-kraft", "--out", "out", "server.properties")
    assert done.returncode == 0, done.stderr
    assert row in (tmp_path / "out" / "quorum-replication.txt").read_text(encoding="utf-8")
