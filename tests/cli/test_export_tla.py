"""`tidegate export MODEL --to tla`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.cli.main import main

from ..conftest import ROOT

LOCK = str(ROOT / "examples/lock.py")


def test_a_module_and_its_configuration_are_written_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lock.tla"
    assert main(["export", f"{LOCK}:careful", "--to", "tla", "--output", str(path)]) == 0
    assert path.read_text("utf-8").splitlines()[0].strip("- ") == "MODULE lock"
    assert "compare_and_set = TRUE" in path.with_suffix(".cfg").read_text("utf-8")
    both = f"{path} and {path.with_suffix('.cfg')}"
    command = "java -cp tla2tools.jar tlc2.TLC lock"
    assert capsys.readouterr().err == f"tidegate: wrote {both}; in that folder run: {command}\n"


def test_without_a_file_both_are_printed_as_one_text_of_tla(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", LOCK, "--to", "tla"]) == 0
    out = capsys.readouterr().out
    assert out.count("MODULE lock") == 1
    assert out.rstrip().endswith("*)")


def test_what_tla_cannot_claim_is_named_as_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(ROOT / "examples/liveness/corridor.py")
    assert main(["export", model, "--to", "tla", "--output", str(tmp_path / "corridor.tla")]) == 0
    assert "tidegate: left out: may_pass: that something stays possible is no temporal formula of TLA+" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([LOCK, "--output", "lock.txt"], "--output lock.txt: TLC needs a file NAME.tla"),
        (["run.trace.json"], "--to tla takes a model, and run.trace.json is a saved trace; name the model"),
    ],
)
def test_what_is_no_module_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", *arguments, "--to", "tla"]) == 64
    assert message in capsys.readouterr().err
