"""What is open in an editor, what is known of it, and the work that is under way."""

from __future__ import annotations

import asyncio
import contextlib
import os
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..language.immutable import immutable
from ..reports.exits import Exit
from .checking import CheckAnswer, CheckFinding, is_wrong
from .files import model_file_of
from .places import client_range, line_range, path_of, uri_of
from .processes import WorkError, Workers
from .reading import Checkable, Mistake, ModelReading

CHECK, SHOW_STEP = "tidegate.check", "tidegate.showStep"
"""The commands: a check of a model's document, profile and property; and the statement of a step of a trace."""
_PAUSE_SECONDS = 0.25
"""After a change it is read once nothing has changed for so long."""
_READING_SECONDS = 30.0
_NOTHING_KNOWN: ModelReading = {"mistakes": [], "files": []}


@immutable
class Meanings:
    """What names mean in a model, as Markdown, and the name of its state's class ("" where it was never read)."""

    functions: Mapping[str, str]
    fields: Mapping[str, str]
    state: str


class _CheckProgress:
    """How far a check has come, as a client is told it, and the work that a click there cancels."""

    def __init__(self, tell: Callable[[object], None]) -> None:
        self.tell = tell
        self.work: asyncio.Future[CheckAnswer] | None = None

    def report(self, text: str) -> None:
        """Says how far it has come."""
        self.tell(types.WorkDoneProgressReport(message=text))


class EditorSession:
    """One editor's models. Each is read again after a change; what it means stays from the last time that it could be
    read, and what a check found until it is changed."""

    def __init__(self, server: LanguageServer) -> None:
        self.folder = os.getcwd()
        self._server = server
        self._workers = Workers(self.folder)
        self._reading: dict[Path, asyncio.Task[None]] = {}
        self._known: dict[Path, ModelReading] = {}
        self._meanings: dict[Path, Meanings] = {}
        self._found: dict[Path, list[tuple[str, types.Diagnostic]]] = {}
        self._published: dict[Path, set[str]] = {}
        self._checks: dict[types.ProgressToken, _CheckProgress] = {}

    def start(self) -> None:
        """Works in the editor's folder from now on."""
        root = self._server.workspace.root_path
        if root is not None and Path(root).is_dir():
            self.folder = str(root)
            self._workers = Workers(self.folder)

    def close(self) -> None:
        """Ends all work."""
        for task in self._reading.values():
            task.cancel()
        self._workers.close()

    # --- reading -----------------------------------------------------------------------------------------------------

    def read_later(self, path: Path) -> None:
        """Reads the model of a file that was opened or has changed, in a moment; a reading of it that is under way
        ends."""
        model = self._model_of(path)
        if model is None:
            self._publish(path, [])
            return
        before = self._reading.get(model)
        if before is not None:
            before.cancel()
        self._reading[model] = asyncio.get_running_loop().create_task(self._read(model))

    def forget(self, path: Path) -> None:
        """Of a file that was closed nothing is shown any more; its model is read again where other files of it are
        open: what is saved counts now."""
        model = self._model_of(path) or path
        task = self._reading.pop(model, None)
        if task is not None:
            task.cancel()
        self._found.pop(model, None)
        self._known.pop(model, None)
        self._publish(model, [])
        if any(self._model_of(other) == model for other in self._open_texts()):
            self.read_later(path)

    def _model_of(self, path: Path) -> Path | None:
        return model_file_of(path, self._open_texts())

    def _open_texts(self) -> dict[Path, str]:
        """The text of every document that is open."""
        return {path_of(uri): document.source for uri, document in self._server.workspace.text_documents.items()}

    async def _read(self, model: Path) -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        unsaved = {str(path): text for path, text in self._open_texts().items()}
        request = {"verb": "read", "model": str(model), "unsaved": unsaved}
        try:
            found: ModelReading = await self._workers.ask(request, lambda _: None, _READING_SECONDS)
        except WorkError as error:
            self._log(f"{model}: {error}")
            shown = types.Diagnostic(line_range(self._server.workspace, uri_of(model), 1), str(error).split("\n")[0])
            shown.severity, shown.source = types.DiagnosticSeverity.Warning, "tidegate"
            self._publish(model, [(uri_of(model), shown)])
            return
        self._known[model] = found
        if "functions" in found and "fields" in found and "state" in found:
            self._meanings[model] = Meanings(found["functions"], found["fields"], found["state"])
        self._found.pop(model, None)
        self._publish(model, list(self._mistake_diagnostics(found)))
        self._refresh_lenses()

    def _refresh_lenses(self) -> None:
        workspace = self._server.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self._server.workspace_code_lens_refresh(None)

    async def _wait_for_reading(self, path: Path) -> Path | None:
        """The model of a file, once no reading of it is under way."""
        model = self._model_of(path)
        while model is not None and (task := self._reading.get(model)) is not None and not task.done():
            await asyncio.wait([task])
        return model

    async def meanings(self, path: Path) -> Meanings:
        """What names mean in the model of a file."""
        model = await self._wait_for_reading(path)
        return self._meanings.get(model or path, Meanings({}, {}, ""))

    async def checkable(self, path: Path) -> list[tuple[Path, Checkable]]:
        """What can be checked of the model of a file, with that model's file."""
        model = await self._wait_for_reading(path)
        known = self._known.get(model or path, _NOTHING_KNOWN)
        return [(model or path, item) for item in known.get("checkable", [])]

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _publish(self, model: Path, shown_diagnostics: list[tuple[str, types.Diagnostic]]) -> None:
        """Shows this of a model, and no more what was shown before."""
        by_uri: dict[str, list[types.Diagnostic]] = {uri: [] for uri in self._published.get(model, {uri_of(model)})}
        for uri, diagnostic in shown_diagnostics:
            by_uri.setdefault(uri, []).append(diagnostic)
        self._published[model] = {uri for uri, diagnostics in by_uri.items() if diagnostics}
        for uri, diagnostics in by_uri.items():
            self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics))

    def _mistake_diagnostics(self, reading: ModelReading) -> Iterator[tuple[str, types.Diagnostic]]:
        for mistake in reading["mistakes"]:
            uri = uri_of(mistake["place"]["file"])
            yield uri, self._mistake_diagnostic(uri, mistake)

    def _mistake_diagnostic(self, uri: str, mistake: Mistake) -> types.Diagnostic:
        workspace = self._server.workspace
        instead = f"\ninstead: {mistake['hint']}" if mistake["hint"] else ""
        calls = [
            types.DiagnosticRelatedInformation(
                types.Location(uri_of(call["file"]), client_range(workspace, uri_of(call["file"]), call)), "called here"
            )
            for call in mistake["calls"]
        ]
        return types.Diagnostic(
            client_range(workspace, uri, mistake["place"]),
            f"{mistake['meaning']}: {mistake['message']}{instead}",
            severity=types.DiagnosticSeverity.Error,
            code=mistake["code"],
            source="tidegate",
            related_information=calls or None,
        )

    def _finding_diagnostic(self, model: Path, finding: CheckFinding) -> tuple[str, types.Diagnostic]:
        """What a check found, at the property's head or where it failed, with the run's steps beside it."""
        workspace = self._server.workspace
        known = self._known.get(model, _NOTHING_KNOWN).get("checkable", [])
        head = next((item["place"] for item in known if item["property"] == finding["property"]), None)
        file = finding["file"] or (head["file"] if head is not None else str(model))
        line = finding["line"] if finding["file"] else head["line"] if head is not None else 1
        steps = [
            types.DiagnosticRelatedInformation(
                types.Location(uri_of(step["file"]), line_range(workspace, uri_of(step["file"]), step["line"])),
                f"{step['number']}. {step['sentence']}",
            )
            for step in finding["steps"]
            if step["file"]
        ]
        return uri_of(file), types.Diagnostic(
            line_range(workspace, uri_of(file), line),
            finding["message"],
            severity=types.DiagnosticSeverity.Error if finding["wrong"] else types.DiagnosticSeverity.Warning,
            source="tidegate check",
            related_information=steps or None,
            data={"trace": finding["trace"]},
        )

    def _log(self, text: str) -> None:
        self._server.window_log_message(types.LogMessageParams(types.MessageType.Log, text))

    def _say(self, kind: types.MessageType, text: str) -> None:
        self._server.window_show_message(types.ShowMessageParams(kind, text))

    # --- checks ------------------------------------------------------------------------------------------------------

    async def check(self, model: Path, profile: str, prop: str) -> None:
        """Checks what is saved of a model, and shows what that found. A check that is cancelled ends at once."""
        await self._wait_for_reading(model)
        changed = [path for path in self._files(model) if path in self._open_texts() and self._is_changed(path)]
        if changed:
            names = ", ".join(path.name for path in changed)
            self._say(types.MessageType.Warning, f"save {names} first: what is saved is checked")
            return
        name = os.path.relpath(model, self.folder) if model.is_relative_to(self.folder) else str(model)
        title = f"{name}{f':{profile}' if profile else ''}"
        asked = {"verb": "check", "model": title, "property": prop}
        try:
            async with self._progress(f"check {title}{f' {prop}' if prop else ''}") as shown:
                shown.work = asyncio.ensure_future(self._workers.ask(asked, shown.report))
                answer: CheckAnswer = await shown.work
        except WorkError as error:
            self._log(str(error))
            self._say(types.MessageType.Error, f"{title}: {str(error).split(chr(10))[0]}")
        except asyncio.CancelledError:
            self._say(types.MessageType.Info, f"{title}: the check was stopped; there is no result")
        else:
            self._show_answer(model, answer)

    def _files(self, model: Path) -> list[Path]:
        return list(dict.fromkeys([model, *map(Path, self._known.get(model, _NOTHING_KNOWN)["files"])]))

    def _is_changed(self, path: Path) -> bool:
        try:
            return path.read_text(encoding="utf-8") != self._open_texts()[path]
        except OSError:
            return True

    def _show_answer(self, model: Path, answer: CheckAnswer) -> None:
        self._log(answer["text"])
        found = [self._finding_diagnostic(model, finding) for finding in answer["findings"]]
        mistakes = list(self._mistake_diagnostics(self._known.get(model, _NOTHING_KNOWN)))
        self._publish(model, [*mistakes, *found])
        calm = types.MessageType.Info if answer["exit"] == Exit.HOLDS else types.MessageType.Warning
        self._say(types.MessageType.Error if is_wrong(answer) else calm, answer["headline"])

    @contextlib.asynccontextmanager
    async def _progress(self, title: str) -> AsyncGenerator[_CheckProgress]:
        """Shows how far a check has come, where the client can; a click there cancels its work."""
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            yield _CheckProgress(lambda _value: None)
            return
        token = str(uuid.uuid4())
        await self._server.window_work_done_progress_create_async(types.WorkDoneProgressCreateParams(token))
        shown = _CheckProgress(lambda value: self._server.progress(types.ProgressParams(token, value)))
        self._checks[token] = shown
        shown.tell(types.WorkDoneProgressBegin(title, cancellable=True))
        try:
            yield shown
        finally:
            shown.tell(types.WorkDoneProgressEnd())
            del self._checks[token]

    def cancel(self, token: types.ProgressToken) -> None:
        """Ends the check whose progress is shown under this token."""
        shown = self._checks.get(token)
        if shown is not None and shown.work is not None:
            shown.work.cancel()


def check_title(item: Checkable) -> str:
    """What a lens says."""
    if item["property"]:
        return "check"
    return f"check {item['profile'] or 'the model'}"
