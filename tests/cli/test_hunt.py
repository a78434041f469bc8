"""`tidegate hunt` and `tidegate conform`: what they refuse, before anything starts.

Also of: `conform`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.cli import conform, hunt

from ..conftest import Run


def test_the_models_are_those_that_are_hosted() -> None:
    assert conform.MODELS == hunt.MODELS == ("kraft", "partition")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("hunt",), "give a MODEL (kraft, partition) whose code is to be run, or a schedule with --replay"),
        (
            ("hunt", "kraft", "--replay", "x"),
            "give a MODEL (kraft, partition) whose code is to be run, or a schedule with --replay",
        ),
        (("hunt", "kraft"), "give the release with --kafka-version; known are 4.4.0, "),
        (("hunt", "kraft", "--kafka-version", "4.1.1", "--steps"), "--steps is of --replay"),
        (("hunt", "--replay", "there-is-none.json"), "there-is-none.json: it cannot be read: "),
        (("conform",), "give a MODEL (kraft, partition) to compare, or a history with --replay"),
        (
            ("conform", "kraft", "--replay", "x"),
            "give a MODEL (kraft, partition) to compare, or a history with --replay",
        ),
        (("conform", "kraft"), "give the release with --kafka-version; known are 4.4.0, "),
        (("conform", "--replay", "there-is-none.json"), "there-is-none.json: it cannot be read: "),
    ],
)
def test_what_is_refused(tidegate: Run, arguments: tuple[str, ...], says: str) -> None:
    done = tidegate(*arguments)
    assert done.exit == 64
    assert done.err.startswith(f"tidegate: {says}")


def test_a_file_that_is_no_schedule_is_said_to_be_none(tidegate: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"schema": "tidegate.trace/1"}', encoding="utf-8")
    done = tidegate("hunt", "--replay", str(tmp_path / "a.json"))
    says = "its schema is tidegate.trace/1, and not tidegate.schedule/1"
    assert (done.exit, done.err) == (64, f"tidegate: {tmp_path / 'a.json'}: {says}\n")
