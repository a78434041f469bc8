"""The files that `validate --out` writes: a page for each history that is shown, and no file of others lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tidegate.cli.validate_files import check_folder_is_own
from tidegate.language.errors import UsageError
from tidegate.real.validation.validating import SCHEMA

from ..conftest import Run
from ..support.histories import HISTORIES


def test_a_folder_is_ones_own_if_nobody_else_has_written_a_page_there(tmp_path: Path) -> None:
    check_folder_is_own(tmp_path / "new")
    check_folder_is_own(tmp_path)
    (tmp_path / "index.html").write_text("a page of somebody's", encoding="utf-8")
    for said in (None, "no json", "[]", "{}", '{"schema": "another/1"}'):
        if said is not None:
            (tmp_path / "validate.json").write_text(said, encoding="utf-8")
        with pytest.raises(UsageError, match=r"its index\.html is no report of validate; give another folder"):
            check_folder_is_own(tmp_path)
    (tmp_path / "validate.json").write_text(json.dumps({"schema": SCHEMA}), encoding="utf-8")
    check_folder_is_own(tmp_path)
    with pytest.raises(UsageError, match="it is a file; give a folder"):
        check_folder_is_own(tmp_path / "index.html")


def test_each_history_has_its_page_and_the_traces_that_it_shows(tidegate: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    tidegate("validate", str(HISTORIES / "leader_moved.log"), "--out", str(out))
    document = json.loads((out / "validate.json").read_text(encoding="utf-8"))
    shown = [one for one in document["partitions"] if one["html"]]
    assert shown
    for one in shown:
        page = (out / one["html"]).read_text(encoding="utf-8")
        assert 'id="brokers"' in page and one["html"] in (out / "index.html").read_text(encoding="utf-8")
        for trace in one["traces"]:
            saved = json.loads((out / trace).read_text(encoding="utf-8"))
            assert saved["notes"][-1].startswith("Here A is broker ")
            assert saved["steps"]
    again = tidegate("validate", str(HISTORIES / "leader_moved.log"), "--out", str(out))
    assert again.exit == 0, "a report of its own is written over"
