"""The processes that read models: one that takes too long, one that is cancelled, and what each is asked.

Also of: `worker`, `reading`, `checking`.
"""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tidegate.editor.checking import check_file, is_wrong
from tidegate.editor.processes import WorkError, Workers
from tidegate.editor.reading import read_model
from tidegate.editor.worker import answer_request

from ..conftest import ROOT

LOCK = ROOT / "examples" / "lock.py"


def asking(model: Path) -> dict[str, Any]:
    """The request to read a model."""
    return {"verb": "read", "model": str(model), "unsaved": {}}


def test_a_text_that_computes_for_ever_is_no_end(tmp_path: Path) -> None:
    loop = tmp_path / "loop.py"
    loop.write_text("from tidegate.language import state\nwhile True:\n    pass\n", encoding="utf-8")

    async def play() -> None:
        workers = Workers(str(tmp_path))
        with pytest.raises(WorkError, match="to read it takes more than 2 seconds: what does its text compute"):
            await workers.ask(asking(loop), print, 2)
        task = asyncio.ensure_future(workers.ask(asking(loop), print))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await workers.ask(asking(LOCK), print))["state"] == "Lock"
        workers.close()
        await asyncio.sleep(0.1)  # in which the loop sees that they have ended

    asyncio.run(play())


def test_a_reading_has_what_an_editor_shows() -> None:
    found = read_model(LOCK, {})
    assert (found["mistakes"], found["files"], found.get("state")) == ([], [str(LOCK)], "Lock")
    assert set(found.get("functions", {})) == {"start", "look", "take", "leave", "one_inside", "somebody_inside"}
    checkable = [(item["profile"], item["property"]) for item in found.get("checkable", [])]
    assert checkable == [("", ""), ("careless", ""), ("careful", ""), ("", "one_inside"), ("", "somebody_inside")]


def test_a_step_helper_leads_to_its_calls() -> None:
    text = LOCK.read_text(encoding="utf-8").replace("    s.held = True\n", "    hold(s)\n")
    helper = "def hold(s: Lock) -> None:\n    s.helt = True\n\n\n@initial"
    found = read_model(LOCK, {LOCK: text.replace("@initial", helper, 1)})
    (mistake,) = found["mistakes"]
    assert (mistake["code"], mistake["place"]["file"]) == ("TG202", str(LOCK))
    assert [call["file"] for call in mistake["calls"]] == [str(LOCK)]
    assert found.get("checkable") and "functions" not in found


def test_a_check_answers_with_its_run(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEGATE_CACHE", str(cache))
    answer = check_file(f"{LOCK}:careless", "one_inside", lambda _: None)
    (finding,) = answer["findings"]
    assert is_wrong(answer) and answer["exit"] == 1
    assert [step["number"] for step in finding["steps"]] == [1, 2, 3, 4]
    assert {step["file"] for step in finding["steps"]} == {str(LOCK)}
    saved = json.loads(Path(finding["trace"]).read_text(encoding="utf-8"))
    assert saved["title"].endswith("one_inside fails after 4 steps")
    assert not is_wrong(check_file(f"{LOCK}:careful", "", lambda _: None))


def test_a_failure_is_said_in_words(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere.py")
    said: dict[str, str] = {}
    for verb in ("read", "check"):
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        answer_request({"verb": verb, "model": nowhere, "unsaved": {}, "property": ""}, out)
        out.seek(0)
        said[verb] = json.loads(out.read())["failure"]
    assert said == {"read": f"there is no file {nowhere}", "check": f"{nowhere}: there is no such file"}
