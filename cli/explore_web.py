"""The server of `tidegate explore --web`: one page of one model, for this machine and for whoever has its address.

It listens on 127.0.0.1 only; a token in the address must be right; it answers GET alone, and no request that another
origin made or that names another host. It changes nothing: a page asks what can happen in a state, which plain Python
says, and where a property fails next, which the native engine finds and plain Python takes again.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..explorer.cache import cache_directory
from ..explorer.nearest_state import NearestState, find_nearest_state
from ..explorer.search import Progress, Search
from ..language.errors import UsageError
from ..language.model import Model, Property
from ..language.values import ModelError, State
from ..language.verdict import Run
from ..language.watch import parse_watch
from ..reports.text_page import count_text
from ..reports.trace.html import trace_html
from ..traces.document import run_document
from ..traces.neighbourhood import Neighbourhood
from .cluster_words import ClusterWords
from .export import small_graph

HOST = "127.0.0.1"
SEARCH_SECONDS = 60.0
"""How long a search for a property may take."""
MAX_WATCHES = 20
"""Expressions that a server evaluates in every state."""
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class ExplorationServer:
    """What the server knows of a model: the states that somebody has looked at."""

    def __init__(self, model: Model, run: Run, memory: int | None = None, words: ClusterWords | None = None) -> None:
        self.model, self.run, self.memory, self.words = model, run, memory, words
        self.around = Neighbourhood(model, words=None if words is None else words.neighbourhood_words(model, run))
        self.path = [self.around.number_of(state) for state in run.states()]
        self.around.expand_node(self.path[-1])
        self.lock = threading.Lock()
        self.searching = threading.Lock()
        self.stopped = threading.Event()

    def page(self) -> str:
        """The page, with what is known so far."""
        with self.lock:
            document = run_document(self.model, self.run)
            beside = self.around.document(self.run, self.path)
            if self.words is None:
                return trace_html([document], around=beside, live=True, graph=small_graph(self.model, self.run))
            shown = self.words.document_in_words(self.words.saved_document(document), self.model, self.run)
            return trace_html([shown], around=beside, live=True)

    def next(self, request: dict[str, str]) -> dict[str, Any]:
        """What can happen in the state of a node, and the values and nodes that the page does not have."""
        with self.lock:
            node = self._node_number(request)
            return self._new_parts(request, {str(node): self.around.expand_node(node)})

    def go(self, request: dict[str, str]) -> dict[str, Any]:
        """The way to the nearest state from a node in which a property fails or a witness is reached. While it is
        looked for, other questions are answered, and `stop` ends it."""
        with self.lock:
            node = self._node_number(request)
            state = self.around.states[node]
        prop = next((prop for prop in self.model.properties if prop.name == request.get("property")), None)
        if prop is None or not prop.applicable:
            raise UsageError(f"no property of states or steps is called {request.get('property')}")
        found = self._search_nearest(state, prop)
        what = "reached" if prop.kind == "reachable" else "violated"
        looked = f"{count_text(found.states, 'state')} explored from here"
        with self.lock:
            if found.run is None:
                ended = "it was stopped" if self.stopped.is_set() else found.stop_reason
                end = f"the search ended first: {ended}" if ended else "that is all within the bounds"
                message = f"{prop.name} is not {what} in {looked}; {end}"
                return self._new_parts(request, {}) | {"taken": None, "message": message}
            known, taken = self._steps_along_run(node, found.run)
            after = f"after {count_text(len(taken), 'step')} more ({looked})" if taken else "here already"
            return self._new_parts(request, known) | {"taken": taken, "message": f"{prop.name} is {what} {after}"}

    def _search_nearest(self, state: State, prop: Property) -> NearestState:
        """The one search that is under way. UsageError where another one is."""
        if not self.searching.acquire(blocking=False):
            raise UsageError("another search is under way; stop it first")
        try:
            self.stopped.clear()
            search = Search(memory_bytes=self.memory, seconds=SEARCH_SECONDS, cache=cache_directory())
            return find_nearest_state(self.model, state, prop, search, self._check_stop)
        except KeyboardInterrupt:  # before it began: while it was compiled
            return NearestState(None, 0, "it was stopped")
        finally:
            self.searching.release()

    def _check_stop(self, _progress: Progress) -> None:
        """Ends a search that is to be stopped, as Ctrl-C does: between two slices of its work."""
        if self.stopped.is_set():
            raise KeyboardInterrupt

    def stop(self, _request: dict[str, str]) -> dict[str, Any]:
        """Ends the search that is under way, if one is."""
        self.stopped.set()
        return {}

    def watch(self, request: dict[str, str]) -> dict[str, Any]:
        """An expression to watch from now on, with its value in every state that is known."""
        with self.lock:
            text = request.get("expression", "").strip()
            known = [watch for watch in self.around.watches if watch.text == text]
            watch = known[0] if known else parse_watch(self.model, text)
            if not known and len(self.around.watches) == MAX_WATCHES:
                raise UsageError(f"{MAX_WATCHES} expressions are watched already; no more are")
            self.around.watches += [] if known else [watch]
            news = self._new_parts(request, {})
            return news | {"watched": news["watched"] | {text: {"from": 0, "values": self.around.values_of(watch)}}}

    def _steps_along_run(self, node: int, run: Run) -> tuple[dict[str, Any], list[int]]:
        """What can happen in each state of a run that begins at a node, and the place there of the step it takes."""
        known: dict[str, Any] = {}
        taken: list[int] = []
        for step in run.steps:
            found = known[str(node)] = self.around.expand_node(node)
            after = self.around.number_of(step.state_after)
            at = next(at for at, some in enumerate(found) if some["to"] == after and some["action"] == step.action)
            taken.append(at)
            node = after
        known[str(node)] = self.around.expand_node(node)
        return known, taken

    def _node_number(self, request: dict[str, str]) -> int:
        text = request.get("node", "")
        if not text.isdecimal() or int(text) >= len(self.around.nodes):
            raise UsageError(f"there is no state {text}: load the page again")
        return int(text)

    def _new_parts(self, request: dict[str, str], known_parts: dict[str, Any]) -> dict[str, Any]:
        values, nodes = (_parse_count(request.get(name, "0")) for name in ("values", "nodes"))
        return {
            "from": {"values": values, "nodes": nodes},
            "values": self.around.values[values:],
            "nodes": self.around.nodes[nodes:],
            "known": known_parts,
            "watched": {
                watch.text: {"from": nodes, "values": self.around.values_of(watch, nodes)}
                for watch in self.around.watches
            },
        }


def _parse_count(text: str) -> int:
    if not text.isdecimal():
        raise UsageError("a number is needed")
    return int(text)


class ExplorationHTTPServer(ThreadingHTTPServer):
    """The server and its address, with the token in it. Port 0 is any that is free."""

    daemon_threads = True
    request_queue_size = 256
    """Connections that may wait to be taken: a browser opens several at once, and one that finds no place waits
    a second before it tries again."""

    def __init__(self, exploration: ExplorationServer, port: int = 0) -> None:
        super().__init__((HOST, port), ExplorationRequestHandler)
        self.explored = exploration
        self.token = secrets.token_urlsafe(24)
        self.hosts = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that leaves before it has its answer is nothing to report."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # pyright: ignore[reportArgumentType]  # typed for sockets

    @property
    def address(self) -> str:
        """What a browser opens."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"


class ExplorationRequestHandler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: ExplorationHTTPServer  # pyright: ignore[reportIncompatibleVariableOverride]  # always this one
    timeout = SEARCH_SECONDS
    """After which a connection ends on which nothing is asked."""
    server_version = "tidegate"
    sys_version = ""

    def do_GET(self) -> None:
        """The page, what can happen next, or where a property fails."""
        if not self._is_request_trusted():
            self._send_answer(403, "text/plain", "not from here")
            return
        _, token, *rest = urlsplit(self.path).path.split("/")
        known = hmac.compare_digest(token.encode(), self.server.token.encode())
        if known and not rest:
            self._send_answer(308, "text/plain", "the address ends with a slash", Location=f"/{token}/")
            return
        if not known or len(rest) != 1:
            self._send_answer(
                404, "text/plain", "there is nothing here; the address that tidegate explore printed has a token"
            )
            return
        explored = self.server.explored
        answers: dict[str, Callable[[dict[str, str]], Any]] = {
            "next": explored.next, "go": explored.go, "watch": explored.watch, "stop": explored.stop,
        }  # fmt: skip
        if rest[0] == "":
            self._send_answer(200, "text/html; charset=utf-8", explored.page())
        elif rest[0] in answers:
            self._answer_json(answers[rest[0]])
        else:
            self._send_answer(404, "text/plain", "there is nothing here")

    def _answer_json(self, does: Callable[[dict[str, str]], Any]) -> None:
        given = {name: values[-1] for name, values in parse_qs(urlsplit(self.path).query).items()}
        try:
            status, said = 200, does(given)
        except (UsageError, ModelError) as error:
            status, said = 400, {"message": str(error)}
        self._send_answer(status, "application/json", json.dumps(said, ensure_ascii=False, separators=(",", ":")))

    def _is_request_trusted(self) -> bool:
        """Whether the request names this server, and no page of another origin made it."""
        origin, site = self.headers.get("Origin"), self.headers.get("Sec-Fetch-Site", "none")
        ours = origin is None or origin in {f"http://{host}" for host in self.server.hosts}
        return ours and site in ("none", "same-origin") and self.headers.get("Host") in self.server.hosts

    def _send_answer(self, status: int, kind: str, text: str, **more: str) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(body)), **more}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the address has the token."""
