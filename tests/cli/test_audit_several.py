"""Several clusters in one folder: a headline for each, the worst first, and the exit of the worst."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tidegate.reports.audit.overview import MOST_LINES

from ..conftest import Run

BROKER = """\
node.id={id}
process.roles=broker,controller
controller.quorum.voters=1@{name}-1:9093,2@{name}-2:9093,3@{name}-3:9093
listeners=PLAINTEXT://{name}-{id}:9092,CONTROLLER://{name}-{id}:9093
controller.listener.names={controller}
log.dirs=/d
"""
FACTS = ("--kafka-version", "4.1", "--distribution", "apache", "--time", "0.001", "--no-cache")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The nodes of one do not start, so that no exploration is needed to say which is worse."""
    for name, controller in (("dev", "CONTROLLER"), ("prod", "NONE")):
        (tmp_path / "c" / name).mkdir(parents=True)
        for id_ in (1, 2, 3):
            text = BROKER.format(id=id_, name=name, controller=controller)
            (tmp_path / "c" / name / f"b{id_}.properties").write_text(text)
    return tmp_path / "c"


def test_the_worst_headline_is_the_first_and_its_exit_counts(folder: Path, tidegate: Run) -> None:
    done = tidegate("audit", str(folder), *FACTS, "--quiet")
    lines = [line for line in done.out.splitlines() if line.startswith(("dev: ", "prod: "))]
    assert [line.split()[:2] for line in lines] == [["prod:", "✗"], ["dev:", "?"]]
    assert done.exit == 1


def test_one_document_has_all_and_each_has_its_folder(folder: Path, tmp_path: Path, tidegate: Run) -> None:
    done = tidegate("audit", str(folder), *FACTS, "--json", "--out", str(tmp_path / "out"))
    document = json.loads(done.out)
    assert (document["schema"], document["exit"]) == ("tidegate.audits/1", 1)
    assert [(one["name"], one["exit"]) for one in document["clusters"]] == [("prod", 1), ("dev", 5)]
    for one in document["clusters"]:
        assert json.loads((tmp_path / "out" / one["name"] / "audit.json").read_text()) == one["audit"]


def test_one_that_cannot_be_read_is_said_beside_the_others(folder: Path, tidegate: Run) -> None:
    (folder / "dev" / "audit.toml").write_text("[[")
    done = tidegate("audit", str(folder), *FACTS)
    assert done.exit == 66
    assert done.out.startswith("dev: cannot be read:\n") and "\nprod: ✗ " in done.out and "== prod ==" in done.out


@pytest.mark.parametrize("option", ["--diff", "--baseline"])
def test_what_is_about_one_cluster_is_refused(option: str, folder: Path, tmp_path: Path, tidegate: Run) -> None:
    (tmp_path / "f").write_text("{}" if option == "--diff" else "")
    done = tidegate("audit", str(folder), *FACTS, option, str(tmp_path / "f"))
    assert done.exit in (64, 66)
    done = tidegate("audit", str(folder), *FACTS, "--topic", "orders")
    assert done.exit == 64
    assert "--topic is about one cluster, and the files are of 2 that never run together: dev, prod" in done.err


def test_all_of_them_have_one_first_screen_unless_all_is_asked_for(tmp_path: Path, tidegate: Run) -> None:
    for name in ("dev", "test", "stage", "prod"):
        (tmp_path / "c" / name).mkdir(parents=True)
        for id_ in (1, 2, 3):
            text = BROKER.format(id=id_, name=name, controller="CONTROLLER")
            (tmp_path / "c" / name / f"b{id_}.properties").write_text(text)
    lines = tidegate("audit", str(tmp_path / "c"), *FACTS).out.splitlines()
    assert len(lines) <= MOST_LINES
    assert sum(line.startswith(("dev: ", "test: ", "stage: ", "prod: ")) for line in lines) == 4
    assert lines[-1].startswith("More: --all everything of each")
    whole = tidegate("audit", str(tmp_path / "c"), *FACTS, "--all").out
    assert all(f"== {name} ==" in whole for name in ("dev", "test", "stage", "prod"))
