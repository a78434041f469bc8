"""The language server, spoken to as an editor speaks to it: typing, bad files, checks that are cancelled, the end.

Also of: `session`.
"""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest
from lsprotocol import types
from tidegate.editor import server as server
from tidegate.editor.session import CHECK, SHOW_STEP

from ..conftest import ROOT, Run
from ..support.editor import PATIENCE_SECONDS, Editor, play_in_editor

LOCK = (ROOT / "examples" / "lock.py").read_text(encoding="utf-8")


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A model's file."""
    path = tmp_path / "lock.py"
    path.write_text(LOCK, encoding="utf-8")
    return path


def line_of(text: str, part: str) -> int:
    """The line, from 0, in which a part of a text begins."""
    return text[: text.index(part)].count("\n")


def test_mistakes_are_shown_while_typing_and_go_again(lock: Path, cache: Path) -> None:
    async def play(editor: Editor) -> None:
        uri = editor.open(lock)
        await editor.wait_until(lambda: editor.diagnostics.get(uri) == [])
        at = line_of(LOCK, "s.held = True")
        place = types.Range(types.Position(at, 6), types.Position(at, 10))
        editor.type(uri, types.TextDocumentContentChangePartial(place, "helt"))
        await editor.wait_until(lambda: editor.diagnostics[uri] != [])
        (shown,) = editor.diagnostics[uri]
        assert (shown.code, shown.source, shown.severity) == ("TG202", "tidegate", types.DiagnosticSeverity.Error)
        assert shown.range == types.Range(types.Position(at, 4), types.Position(at, 10))
        assert shown.message == "an unknown field or member: Lock has no field helt\ninstead: did you mean held?"
        editor.type(uri, types.TextDocumentContentChangePartial(place, "held"))
        await editor.wait_until(lambda: editor.diagnostics[uri] == [])
        assert lock.read_text(encoding="utf-8") == LOCK

    play_in_editor(lock.parent, cache, play)


def test_each_letter_may_break_it(lock: Path, cache: Path) -> None:
    added = '\n\n@invariant\ndef new(s: Lock) -> bool:\n    """It is new."""\n    return not s.helt\n'

    async def play(editor: Editor) -> None:
        uri = editor.open(lock)
        for end in range(1, len(added) + 1, 7):
            editor.replace(uri, LOCK + added[:end])
            await asyncio.sleep(0.02)
        editor.replace(uri, LOCK + added)
        await editor.wait_until(lambda: [shown.code for shown in editor.diagnostics.get(uri, [])] == ["TG202"])
        assert editor.messages == []

    play_in_editor(lock.parent, cache, play)


def test_columns_are_those_that_the_client_counts(lock: Path, cache: Path) -> None:
    text = LOCK.replace("s.held = True", 'print("𝔹é"); s.helt = True')

    async def play(editor: Editor) -> None:
        uri = editor.open(lock, text)
        await editor.wait_until(lambda: bool(editor.diagnostics.get(uri)))
        place = editor.diagnostics[uri][0].range
        line = text.split("\n")[place.start.line]
        units = line.encode("utf-16-le")
        assert units[2 * place.start.character : 2 * place.end.character].decode("utf-16-le") == "s.helt"

    play_in_editor(lock.parent, cache, play)


BAD = {
    "def (": "TG001",
    "import nowhere": "TG002",
    "raise SystemExit(3)": "TG002",
    "x = " + "(" * 300: "TG001",
    "print('Content-Length: 3')": None,
}
"""What is put behind a model's text, and the code of the mistake."""


def test_bad_files_are_mistakes_and_no_end(lock: Path, cache: Path) -> None:
    async def play(editor: Editor) -> None:
        uri = editor.open(lock)
        for text, code in BAD.items():
            editor.diagnostics.pop(uri, None)
            editor.replace(uri, f"{LOCK}\n{text}\n")
            await editor.wait_until(lambda: uri in editor.diagnostics)
            assert [shown.code for shown in editor.diagnostics[uri]] == ([code] if code else []), text
        editor.replace(uri, f"{LOCK}\nimport os\nos._exit(3)\n")
        await editor.wait_until(lambda: bool(editor.diagnostics[uri]))
        assert [shown.message for shown in editor.diagnostics[uri]] == [
            "the process that reads the model has ended: does its text end it, or was it out of memory?"
        ]
        editor.replace(uri, LOCK)
        await editor.wait_until(lambda: editor.diagnostics[uri] == [])

    play_in_editor(lock.parent, cache, play)


def test_other_python_is_left_alone(tmp_path: Path, cache: Path) -> None:
    async def play(editor: Editor) -> None:
        (tmp_path / "other.py").write_text("import os\nos._exit(1)\n", encoding="utf-8")
        uri = editor.open(tmp_path / "other.py")
        new = editor.open(tmp_path / "unsaved.py", "from tidegate.language import state\n")
        await editor.wait_until(lambda: bool(editor.diagnostics.get(new)))
        assert (editor.diagnostics[uri], await editor.lenses(uri), await editor.hover(uri, 0, 0)) == ([], [], "")
        assert editor.diagnostics[new][0].code == "TG003"

    play_in_editor(tmp_path, cache, play)


WHOLE = f"""{LOCK}

from part import both


@invariant
def is_itself(s: Lock) -> bool:
    \"\"\"A cell says what it says.\"\"\"
    return both(s.held, s.held) == s.held
"""
PART = """from tidegate.language import require as require


def both(a: bool, b: bool) -> bool:
    \"\"\"Whether both are so.\"\"\"
    return a and b
"""


def test_a_mistake_in_a_part_of_a_model_is_shown_there(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "whole.py").write_text(WHOLE, encoding="utf-8")
    (tmp_path / "part.py").write_text(PART, encoding="utf-8")

    async def play(editor: Editor) -> None:
        part = editor.open(tmp_path / "part.py")
        await editor.wait_until(lambda: editor.lens_refreshes > 0)
        assert await editor.lenses(part) == []
        assert "both(a, b) ≜" in await editor.hover(part, line_of(PART, "def both"), 5)
        editor.replace(part, PART.replace("a and b", "a and c"))
        await editor.wait_until(lambda: bool(editor.diagnostics.get(part)))
        assert [(shown.code, shown.range.start.line) for shown in editor.diagnostics[part]] == [("TG201", 5)]
        editor.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(part)))
        await editor.wait_until(lambda: editor.diagnostics[part] == [])

    play_in_editor(tmp_path, cache, play)


def test_hover_has_the_formula_that_spec_prints(lock: Path, cache: Path, tidegate: Run) -> None:
    page = tidegate("spec", str(lock)).out

    async def play(editor: Editor) -> None:
        uri = editor.open(lock)
        for name in ("take", "one_inside", "somebody_inside"):
            shown = await editor.hover(uri, line_of(LOCK, f"def {name}("), 5)
            assert f"### {name}\n" in shown and shown in page
        held = line_of(LOCK, "s.held = True")
        assert await editor.hover(uri, held, 8) == "`held` ∈ `𝔹`\n\nwhat the cell says"
        assert await editor.hover(uri, 0, 0) == ""
        editor.replace(uri, f"{LOCK}\ndef (\n")
        assert "### take" in await editor.hover(uri, line_of(LOCK, "def take("), 5)

    play_in_editor(lock.parent, cache, play)


def test_fields_complete_the_name_of_the_state(lock: Path, cache: Path) -> None:
    text = LOCK.replace("    s.held = True\n", "    s.he\n")

    async def play(editor: Editor) -> None:
        uri = editor.open(lock)
        await editor.lenses(uri)
        editor.replace(uri, text)
        at = types.Position(line_of(text, "    s.he\n"), 8)
        asked = types.CompletionParams(types.TextDocumentIdentifier(uri), at)
        found = await editor.text_document_completion_async(asked)
        assert isinstance(found, list) and [item.label for item in found] == ["held", "place"]
        elsewhere = types.CompletionParams(types.TextDocumentIdentifier(uri), types.Position(0, 2))
        assert await editor.text_document_completion_async(elsewhere) == []

    play_in_editor(lock.parent, cache, play)


def test_a_lens_checks_and_shows_the_run_at_the_property(lock: Path, cache: Path) -> None:
    async def play(editor: Editor) -> None:
        offered = editor.server_capabilities.execute_command_provider
        assert offered is not None and set(offered.commands) == {CHECK, SHOW_STEP}
        uri = editor.open(lock)
        lenses = {(title, arguments[2]): (line, arguments) for line, title, arguments in await editor.lenses(uri)}
        assert set(lenses) == {
            ("check the model", ""), ("check careless", ""), ("check careful", ""), ("check", "one_inside"),
            ("check", "somebody_inside"),
        }  # fmt: skip
        assert lenses["check", "one_inside"][0] == line_of(LOCK, "def one_inside") + 1
        await editor.command(CHECK, *lenses["check careless", ""][1])
        (shown,) = editor.diagnostics[uri]
        assert (shown.source, shown.message) == (
            "tidegate check", "one_inside is violated: At most one client is inside.",
        )  # fmt: skip
        steps = [(step.message, step.location.range.start.line) for step in shown.related_information or ()]
        looks, takes = line_of(LOCK, "s.place[client] = Place.AT_THE_DOOR"), line_of(LOCK, "s.place[client] = Place.I")
        assert steps == [
            ("1. A looks and finds the lock free.", looks), ("2. B looks and finds the lock free.", looks),
            ("3. A takes the lock and goes in.", takes), ("4. B takes the lock and goes in.", takes),
        ]  # fmt: skip
        assert editor.messages[-1][0] is types.MessageType.Error
        assert editor.messages[-1][1].startswith("✗ lock.py:careless violates one_inside")
        assert "tidegate replay lock.py:careless --property one_inside" in editor.logged[-1]
        assert (editor.progress_said[0], editor.progress_said[-1]) == ("begin", "end")
        await editor.command(CHECK, *lenses["check careful", ""][1])
        assert editor.messages[-1] == (
            types.MessageType.Info, "✓ lock.py:careful holds: exhaustive within bounds",
        )  # fmt: skip
        assert editor.diagnostics[uri] == []

    play_in_editor(lock.parent, cache, play)


def test_what_is_not_saved_is_not_checked(lock: Path, cache: Path) -> None:
    async def play(editor: Editor) -> None:
        uri = editor.open(lock)
        editor.replace(uri, LOCK + "\n")
        await editor.command(CHECK, uri, "", "")
        assert editor.messages == [(types.MessageType.Warning, "save lock.py first: what is saved is checked")]
        lock.write_text("def (", encoding="utf-8")
        editor.replace(uri, "def (")
        await editor.command(CHECK, uri, "", "")
        assert editor.messages[-1] == (types.MessageType.Error, "lock.py: TG001: the file is not Python")

    play_in_editor(lock.parent, cache, play)


def test_a_check_that_is_cancelled_ends_and_says_so(tmp_path: Path, cache: Path) -> None:
    large = tmp_path / "large.py"
    large.write_text((ROOT / "examples" / "published" / "ewd998.py").read_text(encoding="utf-8"), encoding="utf-8")

    async def play(editor: Editor) -> None:
        uri = editor.open(large)
        await editor.lenses(uri)
        editor.cancel_at = "report"
        await editor.command(CHECK, uri, "", "")
        stopped = (types.MessageType.Info, "large.py: the check was stopped; there is no result")
        assert editor.messages == [stopped] and editor.progress_said[-1] == "end"
        assert editor.diagnostics[uri] == []
        assert "### pass_token" in await editor.hover(uri, line_of(large.read_text("utf-8"), "def pass_token"), 5)

    play_in_editor(tmp_path, cache, play)


def test_a_step_of_a_saved_trace_leads_to_its_line(lock: Path, cache: Path, tidegate: Run) -> None:
    tidegate("check", "lock.py:careless", "--out", "report", cwd=lock.parent)
    trace = lock.parent / "report" / "one_inside.trace.json"

    async def play(editor: Editor) -> None:
        uri = editor.open(trace)
        lenses = await editor.lenses(uri)
        assert [title for _, title, _ in lenses] == [
            "step 1: A looks and finds the lock free.", "step 2: B looks and finds the lock free.",
            "step 3: A takes the lock and goes in.", "step 4: B takes the lock and goes in.",
        ]  # fmt: skip
        line, _, arguments = lenses[2]
        place = await editor.command(SHOW_STEP, *arguments)
        line_of_take = line_of(LOCK, "s.place[client] = Place.INSIDE")
        assert (place["uri"], place["range"]["start"]["line"]) == (lock.as_uri(), line_of_take)
        assert [(shown.uri, shown.selection and shown.selection.start.line) for shown in editor.shown] == [
            (lock.as_uri(), line_of_take)
        ]
        at = types.DefinitionParams(types.TextDocumentIdentifier(uri), types.Position(line + 2, 4))
        found = await editor.text_document_definition_async(at)
        assert isinstance(found, types.Location) and found.range.start.line == line_of_take
        editor.replace(uri, '{"schema": "tidegate.trace/1", "steps": [')
        assert await editor.lenses(uri) == []
        assert await editor.command(SHOW_STEP, uri, 3) is None

    play_in_editor(lock.parent, cache, play)


def workers_of(process: int) -> list[str]:
    """The processes whose parent this one is, or was."""
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False)
    return found.stdout.split()


@pytest.mark.parametrize("ends", ["exit", "end of input"])
def test_it_ends_with_its_editor_and_leaves_no_process(lock: Path, cache: Path, ends: str) -> None:
    async def play(editor: Editor) -> None:
        await editor.lenses(editor.open(lock))
        server = editor.server_process
        assert server is not None and server.stdin is not None
        workers = workers_of(server.pid)
        assert workers
        if ends == "exit":
            await editor.shutdown_async(None)
            editor.exit(None)
        else:
            server.stdin.close()
        assert await asyncio.wait_for(server.wait(), PATIENCE_SECONDS) == 0
        async with asyncio.timeout(PATIENCE_SECONDS):
            while any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers):
                await asyncio.sleep(0.05)

    play_in_editor(lock.parent, cache, play)
