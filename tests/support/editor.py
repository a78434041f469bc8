"""An editor that speaks with `tidegate lsp` over its standard input and output, as editors do."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

PATIENCE_SECONDS = 120.0
"""What no answer needs."""

_CAPABILITIES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
    ),
    window=types.WindowClientCapabilities(
        work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(support=True)
    ),
)


class Editor(LanguageClient):
    """A client that keeps what it is told."""

    def __init__(self) -> None:
        super().__init__("tests", "1")  # pyright: ignore[reportUnknownMemberType]  # *args without types
        self.diagnostics: dict[str, list[types.Diagnostic]] = {}
        self.messages: list[tuple[types.MessageType, str]] = []
        self.logged: list[str] = []
        self.progress_said: list[str] = []
        self.shown: list[types.ShowDocumentParams] = []
        self.lens_refreshes = 0
        self.server_capabilities = types.ServerCapabilities()
        self.cancel_at: str | None = None
        self._changed = asyncio.Event()
        self._versions: dict[str, int] = {}
        handlers: tuple[tuple[str, Callable[[Any], Any]], ...] = (
            (types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, self._keep_diagnostics),
            (types.WINDOW_SHOW_MESSAGE, self._keep_message),
            (types.WINDOW_LOG_MESSAGE, self._keep_log),
            (types.WINDOW_SHOW_DOCUMENT, self._keep_shown),
            (types.WINDOW_WORK_DONE_PROGRESS_CREATE, self._allow_progress),
            (types.WORKSPACE_CODE_LENS_REFRESH, self._keep_refresh),
            (types.PROGRESS, self._keep_progress),
        )
        for name, handler in handlers:
            self.feature(name)(_function_of(handler))

    @property
    def server_process(self) -> asyncio.subprocess.Process | None:
        """The server."""
        return self._server

    def _note(self) -> None:
        self._changed.set()

    def _keep_diagnostics(self, params: types.PublishDiagnosticsParams) -> None:
        self.diagnostics[params.uri] = list(params.diagnostics)
        self._note()

    def _keep_message(self, params: types.ShowMessageParams) -> None:
        self.messages.append((params.type, params.message))
        self._note()

    def _keep_log(self, params: types.LogMessageParams) -> None:
        self.logged.append(params.message)
        self._note()

    def _keep_shown(self, params: types.ShowDocumentParams) -> types.ShowDocumentResult:
        self.shown.append(params)
        return types.ShowDocumentResult(success=True)

    def _keep_refresh(self, _params: None) -> None:
        self.lens_refreshes += 1
        self._note()

    def _allow_progress(self, _params: types.WorkDoneProgressCreateParams) -> None:
        pass

    def _keep_progress(self, params: types.ProgressParams) -> None:
        said: Any = params.value
        kind: str = getattr(said, "kind", None) or said["kind"]
        self.progress_said.append(kind)
        if kind == self.cancel_at:
            self.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(params.token))
        self._note()

    async def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Waits until something is so of what was told."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not is_so():
                self._changed.clear()
                await self._changed.wait()

    def open(self, path: Path, text: str | None = None) -> str:
        """Opens a file, with this text in place of what is saved; its URI."""
        uri, shown = path.as_uri(), path.read_text(encoding="utf-8") if text is None else text
        self._versions[uri] = 1
        item = types.TextDocumentItem(uri, "python", 1, shown)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def type(self, uri: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Changes the text of a document that is open."""
        self._versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, list(changes)))

    def replace(self, uri: str, text: str) -> None:
        """Puts another text in the place of all of a document's."""
        self.type(uri, types.TextDocumentContentChangeWholeDocument(text))

    async def lenses(self, uri: str) -> list[tuple[int, str, list[Any]]]:
        """The line from 1, the title and the arguments of each lens."""
        asked = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        found = await self.text_document_code_lens_async(asked) or []
        return [
            (lens.range.start.line + 1, lens.command.title, list(lens.command.arguments or []))
            for lens in found
            if lens.command is not None
        ]

    async def command(self, name: str, *arguments: object) -> Any:
        """Has the server execute a command."""
        return await self.workspace_execute_command_async(types.ExecuteCommandParams(name, list(arguments)))

    async def hover(self, uri: str, line: int, character: int) -> str:
        """What is shown of a place, counted from 0; "" where nothing is."""
        at = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        found = await self.text_document_hover_async(at)
        return found.contents.value if found is not None and isinstance(found.contents, types.MarkupContent) else ""


def _function_of(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A method as a function, which pygls gives attributes to."""
    return lambda params: method(params)


@asynccontextmanager
async def editor(folder: Path, cache: Path) -> AsyncGenerator[Editor]:
    """An editor of this folder; it ends the server as an editor does, and the server ends well."""
    client = Editor()
    os.environ["TIDEGATE_CACHE"] = str(cache)
    command = (sys.executable, "-m", "tidegate", "lsp")
    await client.start_io(*command, cwd=str(folder))  # pyright: ignore[reportUnknownMemberType]  # **kwargs without types
    answer = await client.initialize_async(types.InitializeParams(_CAPABILITIES, root_uri=folder.as_uri()))
    client.server_capabilities = answer.capabilities
    client.initialized(types.InitializedParams())
    server = client.server_process
    assert server is not None
    try:
        yield client
        async with asyncio.timeout(PATIENCE_SECONDS):
            if server.returncode is None:
                await client.shutdown_async(None)
                client.exit(None)
                await server.wait()
    finally:
        if server.returncode is None:
            server.kill()
        await client.stop()


def play_in_editor(folder: Path, cache: Path, play: Callable[[Editor], Coroutine[Any, Any, None]]) -> None:
    """Plays what an editor does in a folder."""

    async def whole() -> None:
        async with editor(folder, cache) as client:
            await play(client)

    asyncio.run(whole())
