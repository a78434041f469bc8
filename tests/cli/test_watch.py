"""`check --watch`: a check for each time that a file of the model is saved."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tidegate.cli import watch
from tidegate.language.errors import UsageError

from ..conftest import ROOT, Run


def test_it_checks_again_once_a_file_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, log = tmp_path / "lock.py", tmp_path / "log"
    model.write_text("first\n", encoding="utf-8")

    def check() -> int:
        with log.open("a", encoding="utf-8") as out:
            out.write(model.read_text(encoding="utf-8"))
        return 1

    def save(_: float) -> Iterator[None]:
        model.write_text("second\n", encoding="utf-8")
        return iter(())

    monkeypatch.setattr(watch.time, "sleep", save)
    assert watch.check_on_changes(str(model), check, turns=2) == 1
    assert log.read_text(encoding="utf-8") == "first\nsecond\n"


def test_a_file_that_an_editor_takes_away_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    here, gone = tmp_path / "a.py", tmp_path / "b.py"
    here.write_text("", encoding="utf-8")
    assert [Path(name) for name, _, _ in watch.file_stamps([here, gone])] == [here]
    os.utime(here, (1, 1))
    before = watch.file_stamps([here])
    os.utime(here, (2, 2))
    watch.wait_for_change([here], before)


def test_a_check_is_of_a_fresh_process(tidegate: Run, capfd: pytest.CaptureFixture[str]) -> None:
    from tidegate.cli.main import main

    lock = str(ROOT / "examples" / "lock.py")
    sys.stdout.flush()
    assert watch.check_on_changes(f"{lock}:careless", lambda: main(["check", f"{lock}:careless"]), turns=1) == 1
    assert "violates one_inside" in capfd.readouterr().out
    with pytest.raises(UsageError, match="there is no such file"):
        watch.files_of_model("nowhere.py")
    assert {path.name for path in watch.files_of_model("partition")} >= {"broker.py", "faults.py"}
