"""`tidegate doctor`: it says what works, what is missing and what for, and fails where every command would."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from tidegate.cli import doctor
from tidegate.cli.doctor import DoctorFinding, examine_machine

from ..conftest import ROOT, Run


def findings() -> dict[str, DoctorFinding]:
    return {one.name: one for one in examine_machine()}


def test_what_every_command_needs_works_here(tidegate: Run) -> None:
    done = tidegate("doctor", "--json")
    document = json.loads(done.out)
    assert (done.exit, document["works"]) == (0, True)
    assert [one["name"] for one in document["findings"] if one["needed"]] == ["python", "native code"]
    assert tidegate("doctor").out.startswith("✓ tidegate 0.1.0 works here")


def test_each_extra_has_its_use() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {f"[{name}]" for name in extras if name != "all"} <= set(findings())


def test_an_extra_that_is_not_installed_comes_with_what_it_is_for_and_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def is_installed(name: str) -> bool:
        return name != "z3-solver"

    monkeypatch.setattr(doctor, "_is_installed", is_installed)
    assert findings()["[prove]"] == DoctorFinding(
        "[prove]", "missing", "prove: without z3-solver; pip install '.[prove]' in the clone"
    )


def test_native_code_that_does_not_run_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tidegate.api import checking
    from tidegate.cli.main import main

    def broken(*_: object, **__: object) -> None:
        raise OSError("cannot allocate memory in static TLS block")

    monkeypatch.setattr(checking, "check", broken)
    assert main(["doctor", "--width", "90"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "✗ native code: needed by every command"
    assert "✗  native code  OSError: cannot allocate memory in static TLS block" in lines


def test_a_cache_that_cannot_be_written_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    monkeypatch.setenv("TIDEGATE_CACHE", str(tmp_path / "file" / "cache"))
    found = findings()["cache"]
    assert found.health == "broken" and not found.is_needed and "set TIDEGATE_CACHE" in found.observation


def test_a_machine_without_java_is_one_where_some_verbs_are_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    found = findings()
    assert re.search(
        r"confirm, conform, hunt.*Java \d+ or newer is needed, .*; set JAVA_HOME",
        found["java"].observation,
    )
    missing = {name for name, one in found.items() if one.health == "missing" and not name.startswith("[")}
    assert missing == {"java", "javac", "mvn", "git"}
