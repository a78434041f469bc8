"""`check --watch`: a check for each time that a file of the model is saved."""

from __future__ import annotations

import os
import signal
import subprocess
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


def test_the_files_are_those_that_it_imports_and_its_bounds(tmp_path: Path) -> None:
    for name in ("mine.py", "parts.py", "further.py", "unused.py", "mine.toml"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "parts.py").write_text("from further import y\n", encoding="utf-8")
    (tmp_path / "mine.py").write_text("from parts import x\nthis is (not Python\n", encoding="utf-8")
    found = watch.files_of_model(f"{tmp_path / 'mine.py'}:profile")
    assert [path.name for path in found] == ["mine.py", "parts.py", "further.py", "mine.toml"]


def test_ten_lines_of_each_check_are_printed(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("", encoding="utf-8")

    def check() -> int:
        print("\n".join(f"line {number}" for number in range(1, 15)))
        print("only this", file=sys.stderr)
        return 0

    watch.check_on_changes(str(tmp_path / "mine.py"), check, turns=1)
    printed = capfd.readouterr()
    assert printed.out.splitlines()[9:] == ["line 10", "... 4 more lines; without --watch all are printed"]
    assert printed.err == "only this\n"


def test_json_has_an_end(tidegate: Run) -> None:
    said = tidegate("check", "examples/lock.py", "--watch", "--json")
    assert said.exit == 64
    assert said.err == "tidegate: --json prints one document, and --watch has no end: give one of the two\n"


def test_mistakes_do_not_end_it_and_ctrl_c_gives_the_last_exit(tmp_path: Path, cache: Path) -> None:
    model, right = tmp_path / "lock.py", (ROOT / "examples" / "lock.py").read_text(encoding="utf-8")
    model.write_text(right, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "tidegate", "check", "lock.py:careless", "--watch"], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, cwd=tmp_path, env={**os.environ, "TIDEGATE_CACHE": str(cache)},
    )  # fmt: skip
    assert process.stdout is not None
    shown: list[str] = []
    for text in (f"{right}\ndef (", f"{right}\nimport nowhere\n", right, None):
        lines: list[str] = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("watching"):
                break
        shown.append(lines[0].strip())
        if text is not None:
            saved = tmp_path / "saved"  # at once, as editors do: half a file is a change of its own
            saved.write_text(text, encoding="utf-8")
            saved.replace(model)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 1
    process.stdout.close()
    assert shown == [
        "✗ lock.py:careless violates one_inside: a counterexample, the shortest, replayed",
        "TG001: the file is not Python",
        "TG002: the file fails when it is imported",
        "✗ lock.py:careless violates one_inside: a counterexample, the shortest, replayed",
    ]


def test_a_check_that_ctrl_c_ends_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("", encoding="utf-8")

    def check() -> int:
        os.kill(os.getppid(), signal.SIGINT)
        signal.pause()
        return 0

    assert watch.check_on_changes(str(tmp_path / "mine.py"), check) == 5
