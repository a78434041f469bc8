"""No secret of what is read is in anything that is written: every form of input, every face of the audit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..audit.test_hostile import PLANTED, SECRETS
from ..conftest import ROOT, Run

KAFKA = ("--kafka-version", "3.9")
WAYS = (
    (), ("--all",), ("--quiet",), ("--json",), ("--topic", "orders"), ("--from-current",), ("--out", "OUT"),
    ("--require", "strict", "--out", "OUT"),
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A whole cluster, with each form of input that has a secret beside it, and secrets in its own files."""
    cluster = tmp_path / "c"
    shutil.copytree(ROOT / "examples" / "clusters" / "acks-1", cluster)
    for path in cluster.glob("*.properties"):
        path.write_text(f"{path.read_text(encoding='utf-8')}\n{SECRETS['app.properties'].partition('acks=1')[2]}\n")
    for number, name in enumerate(SECRETS):
        (cluster / f"other-{number}").mkdir()
        (cluster / f"other-{number}" / name).write_text(SECRETS[name], encoding="utf-8")
    return cluster


@pytest.mark.long
@pytest.mark.parametrize("options", WAYS, ids=" ".join)
def test_no_face_of_the_audit_has_a_secret(
    tidegate: Run, folder: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    given = [str(out) if option == "OUT" else option for option in options]
    for read in (folder, folder / "producer.properties", folder / "other-0"):
        done = tidegate("audit", str(read), *KAFKA, "--time", "20", *given)
        assert PLANTED not in done.out + done.err
    assert not [path for path in out.rglob("*") if path.is_file() and PLANTED in path.read_text(encoding="utf-8")]


def test_a_skeleton_of_requirements_has_no_secret(tidegate: Run, folder: Path) -> None:
    done = tidegate("audit", "--init", str(folder), *KAFKA)
    assert PLANTED not in done.out + done.err
    written = folder / "audit.toml"
    assert not written.exists() or PLANTED not in written.read_text(encoding="utf-8")


OFFLINE = """
import socket, sys
def refuse(self, address):
    if self.family != socket.AF_UNIX:
        raise AssertionError(f"connects to {address}")
    return true_connect(self, address)
true_connect, socket.socket.connect = socket.socket.connect, refuse
def refuse_name(*arguments, **options):
    raise AssertionError(f"asks where {arguments[0]} is")
socket.getaddrinfo = socket.gethostbyname = refuse_name
from tidegate.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("command", [("audit", "examples/clusters/acks-1", *KAFKA), ("check", "raft"), ("doctor",)])
def test_nothing_is_sent(command: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == (command[0] == "audit"), done.stderr
    assert "AssertionError" not in done.stderr
