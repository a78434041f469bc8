"""The protocol: what an editor asks, and what it is told. `serve` speaks it on standard input and output."""

from __future__ import annotations

import os
import re
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..traces.program import tool_version
from .places import client_range, line_range, path_of, uri_of
from .session import CHECK, SHOW_STEP, EditorSession, check_title
from .trace_steps import ENDING, TraceStep, step_at, trace_steps

_WORD = re.compile(r"\w+")


class ModelServer(LanguageServer):
    """A server, and its session with one editor."""

    def __init__(self) -> None:
        super().__init__("tidegate", tool_version().split()[-1])  # pyright: ignore[reportUnknownMemberType]  # *args without types
        self.session = EditorSession(self)


def serve() -> None:
    """Speaks with one editor, until it says that it has done, or goes."""
    make_server().start_io(stdout=os.fdopen(os.dup(1), "wb"))  # which it closes at the end


def make_server() -> ModelServer:
    """A server with all that it answers."""
    server = ModelServer()
    server.feature(types.INITIALIZED)(_start)
    server.feature(types.SHUTDOWN)(_stop)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(_note_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(_note_change)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(_note_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(_note_close)
    server.feature(types.TEXT_DOCUMENT_HOVER)(_hover)
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(_code_lenses)
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(_definition)
    server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["."]))(_completion)
    server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)(_cancel)
    server.command(CHECK)(_check)
    server.command(SHOW_STEP)(_show_step)
    return server


def _start(server: ModelServer, _params: types.InitializedParams) -> None:
    server.session.start()


def _stop(server: ModelServer, _params: None) -> None:
    server.session.close()


def _note_open(server: ModelServer, params: types.DidOpenTextDocumentParams) -> None:
    server.session.read_later(path_of(params.text_document.uri))


def _note_change(server: ModelServer, params: types.DidChangeTextDocumentParams) -> None:
    server.session.read_later(path_of(params.text_document.uri))


def _note_save(server: ModelServer, params: types.DidSaveTextDocumentParams) -> None:
    server.session.read_later(path_of(params.text_document.uri))


def _note_close(server: ModelServer, params: types.DidCloseTextDocumentParams) -> None:
    server.session.forget(path_of(params.text_document.uri))


async def _hover(server: ModelServer, params: types.HoverParams) -> types.Hover | None:
    """The formula of the function whose name is pointed at, or the meaning of the field."""
    uri = params.text_document.uri
    document = server.workspace.get_text_document(uri)
    meanings = await server.session.meanings(path_of(uri))
    position = document.position_codec.position_from_client_units(list(document.lines), params.position)
    line = document.lines[position.line] if position.line < len(document.lines) else ""
    for word in _WORD.finditer(line):
        if word.start() <= position.character <= word.end():
            is_field = line[: word.start()].endswith(".")
            text = (meanings.fields if is_field else meanings.functions).get(word[0]) or meanings.fields.get(word[0])
            return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None
    return None


async def _code_lenses(server: ModelServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """What can be checked in a model's file; the steps in a saved trace."""
    uri = params.text_document.uri
    if uri.endswith(ENDING):
        return [
            types.CodeLens(
                line_range(server.workspace, uri, step.line),
                types.Command(f"step {step.number}: {step.sentence}", SHOW_STEP, arguments=[uri, step.number]),
            )
            for step in _trace_steps_of_document(server, uri)
        ]
    found: list[types.CodeLens] = []
    for model, item in await server.session.checkable(path_of(uri)):
        if item["place"]["file"] == str(path_of(uri)):
            command = types.Command(
                check_title(item), CHECK, arguments=[uri_of(model), item["profile"], item["property"]]
            )
            found.append(types.CodeLens(client_range(server.workspace, uri, item["place"]), command))
    return found


def _trace_steps_of_document(server: ModelServer, uri: str) -> list[TraceStep]:
    text = server.workspace.get_text_document(uri).source
    return list(trace_steps(text, path_of(uri), [Path(server.session.folder)]))


def _statement_location(server: ModelServer, step: TraceStep) -> types.Location:
    uri = uri_of(step.file)
    return types.Location(uri, line_range(server.workspace, uri, step.statement))


def _definition(server: ModelServer, params: types.DefinitionParams) -> types.Location | None:
    """In a saved trace: the statement that makes the step."""
    if not params.text_document.uri.endswith(ENDING):
        return None
    step = step_at(_trace_steps_of_document(server, params.text_document.uri), params.position.line + 1)
    return None if step is None else _statement_location(server, step)


async def _completion(server: ModelServer, params: types.CompletionParams) -> list[types.CompletionItem]:
    """After the name of a parameter that is the state: its fields."""
    uri = params.text_document.uri
    document = server.workspace.get_text_document(uri)
    position = document.position_codec.position_from_client_units(list(document.lines), params.position)
    before = document.lines[position.line][: position.character] if position.line < len(document.lines) else ""
    named = re.search(r"\b(\w+)\.\w*$", before)
    meanings = await server.session.meanings(path_of(uri))
    if named is None or not meanings.state:
        return []
    above = "".join(document.lines[: position.line])
    heads = re.findall(r"^def .*?\)", above, re.MULTILINE | re.DOTALL)
    if not heads or not re.search(rf"\b{named[1]}: {meanings.state}\b", heads[-1]):
        return []
    return [
        types.CompletionItem(
            name,
            kind=types.CompletionItemKind.Field,
            documentation=types.MarkupContent(types.MarkupKind.Markdown, text),
        )
        for name, text in meanings.fields.items()
    ]


def _cancel(server: ModelServer, params: types.WorkDoneProgressCancelParams) -> None:
    server.session.cancel(params.token)


async def _check(server: ModelServer, uri: str, profile: str, prop: str) -> None:
    await server.session.check(path_of(uri), profile, prop)


async def _show_step(server: ModelServer, uri: str, number: int) -> types.Location | None:
    """Shows the statement of a step, where the client can; the answer is its place in any case."""
    step = next((step for step in _trace_steps_of_document(server, uri) if step.number == number), None)
    if step is None:
        return None
    place = _statement_location(server, step)
    shown = types.ShowDocumentParams(place.uri, take_focus=True, selection=place.range)
    window = server.client_capabilities.window
    if window is not None and window.show_document is not None:
        await server.window_show_document_async(shown)
    return place
