"""Other steps in a page: chosen from sentences, shown as tabs, shared by the address, saved; without a server and with
one.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tidegate.api.models import load
from tidegate.cli.explore_session import Session
from tidegate.cli.explore_web import ExplorationHTTPServer, ExplorationRequestHandler, ExplorationServer
from tidegate.explorer.nearest_state import NearestState, find_nearest_state
from tidegate.explorer.search import Progress, Report
from tidegate.language.judge import format_run, initial_states, run_text
from tidegate.language.verdict import Run
from tidegate.reports.text_page import TextFormat
from tidegate.reports.trace.html import trace_html as html
from tidegate.traces.branch import possible_steps
from tidegate.traces.document import run_document
from tidegate.traces.neighbourhood import neighbourhood_document

from ..conftest import ROOT
from ..conftest import Run as Command
from ..support.browser import chromium

MODEL = "replication:kip101"


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of a short run, with what could be chosen instead."""
    session = Session(load(MODEL), TextFormat())
    session.execute("1")
    session.execute("1")
    path = tmp_path_factory.mktemp("pages") / "run.html"
    path.write_text(session.html(), encoding="utf-8")
    return path


def open_page(browser: Browser, address: str, **more: Any) -> Page:
    page = browser.new_page(viewport={"width": 1440, "height": 900}, **more)
    page.goto(address)
    return page


def choose(page: Page, number: int) -> str:
    button = page.locator("#choices button.step").nth(number)
    sentence = button.inner_text()
    button.click()
    expect(page.locator("#sentence")).to_have_text(sentence)
    return sentence


def test_steps_of_one_sentence_are_told_apart(browser: Browser, tmp_path: Path) -> None:
    """The controller that fences A may elect B or C: the sentence is one, and behind it stands which step it is."""
    model = load("partition")
    run = Run(next(initial_states(model)), ())
    path = tmp_path / "run.html"
    path.write_text(
        html([run_document(model, run)], around=neighbourhood_document(model, run, most=2)), encoding="utf-8"
    )
    page = open_page(browser, path.as_uri())
    offered = page.locator("#choices button.step").all_inner_texts()
    assert len(set(offered)) == len(offered) > 3
    fenced = [text for text in offered if "takes A for down" in text]
    assert [text.partition("pauses. ")[2] for text in fenced] == [
        "fence_alive(broker=A, successor=B)",
        "fence_alive(broker=A, successor=C)",
    ]
    assert not any("produce(" in text for text in offered)  # what is one of its kind has its sentence alone
    page.close()


def test_what_is_around_a_run_is_what_plain_python_says():
    model = load(MODEL)
    start = next(initial_states(model))
    document = neighbourhood_document(model, Run(start, ()), most=40)
    states = {0: start}
    for number, node in enumerate(document["nodes"]):
        if node["next"] is None or number not in states:
            continue
        there = list(possible_steps(model, states[number]))
        assert [step["step"] for step in node["next"]] == [step.text for step in there]
        for step, chosen in zip(node["next"], there, strict=True):
            assert chosen.step is not None
            assert states.setdefault(step["to"], chosen.step.state_after) == chosen.step.state_after
    assert len(states) >= 40


def test_all_states_of_a_small_model_are_there_and_a_page_is_under_2_mb(page_path: Path):
    model = load("examples/lock.py:careless")
    assert neighbourhood_document(model, Run(next(initial_states(model)), ()))["complete"]
    assert page_path.stat().st_size < 2_000_000


def test_a_sentence_is_chosen_and_a_branch_begins(browser: Browser, page_path: Path, tidegate: Command, tmp_path: Path):
    page = open_page(browser, page_path.as_uri())
    taken = [choose(page, 1), choose(page, 0), choose(page, 2)]
    assert page.locator("#where").inner_text() == "3 / 3"
    assert page.locator("#branches button").all_inner_texts() == ["trace", "branch 1 (after step 0)"]
    page.wait_for_timeout(300)
    again = open_page(browser, page.url)  # the address holds the steps
    assert again.locator("#sentence").inner_text() == taken[-1]
    assert again.locator("#steps li .said").all_inner_texts()[1:] == [f"{taken[0]}≠ first difference", *taken[1:]]
    again.locator("#export").click()
    with again.expect_download() as download:
        again.get_by_role("button", name="Save the trace").click()
    saved = tmp_path / "branch.trace.json"
    download.value.save_as(saved)
    replayed = tidegate("replay", str(saved))
    assert replayed.exit in (0, 1), replayed.err
    document = json.loads(saved.read_text())
    model = load(MODEL)
    run = run_text(model, document["replay"].partition('--steps "')[2].removesuffix('"'))
    assert format_run(model, run) == "; ".join(step["step"] for step in document["steps"])
    page.close()
    again.close()


def test_the_next_step_of_the_run_is_no_branch(browser: Browser, page_path: Path):
    page = open_page(browser, page_path.as_uri())
    choose(page, 0)
    assert page.locator("#branches").is_hidden()
    page.keyboard.press("ArrowLeft")
    choose(page, 1)
    page.keyboard.press("|")
    assert page.locator("#panes .pane").count() == 2  # beside the trace
    page.close()


def test_the_page_of_a_check_offers_other_steps_and_keeps_why_there_are_none(
    browser: Browser, tidegate: Command, tmp_path: Path
):
    """A trace is left where it fails; of the run that ends in a deadlock the reasons stay."""
    assert tidegate("check", "examples/lock.py:careless", "--out", str(tmp_path)).exit == 1
    page = open_page(browser, (tmp_path / "one_inside.html").as_uri())
    assert page.locator("#where").inner_text() == "4 / 4"
    left = choose(page, 1)
    assert page.locator("#branches button").all_inner_texts() == ["trace", "branch 1 (after step 4)"]
    assert left == "B leaves and gives the lock back."
    page.close()
    text = (ROOT / "examples" / "lock.py").read_text(encoding="utf-8")
    (tmp_path / "stuck.py").write_text(text.replace("    s.held = False\n", ""), encoding="utf-8")
    assert tidegate("check", str(tmp_path / "stuck.py"), "--out", str(tmp_path / "stuck")).exit == 2, "a deadlock"
    page = open_page(browser, (tmp_path / "stuck" / "failure.html").as_uri())
    assert page.locator("#choices").inner_text().count("is false") > 0
    assert page.locator("#choices button.step").count() == 0
    page.close()


def test_a_page_of_show_carries_out_no_file_that_a_trace_names(tidegate: Command, tmp_path: Path):
    """A trace may come from anywhere; a built-in model's offers its steps."""
    for model, offers in (("examples/lock.py:careless", False), ("producer_ids:kafka_3_9", True)):
        folder = tmp_path / ("built_in" if offers else "file")
        tidegate("check", model, "--out", str(folder))
        trace = min(folder.glob("*.trace.json"))
        assert tidegate("show", str(trace), "--html", str(folder / "shown.html")).exit == 0
        assert ('id="around"' in (folder / "shown.html").read_text(encoding="utf-8")) == offers


@pytest.fixture
def server() -> Generator[ExplorationHTTPServer]:
    model = load(MODEL)
    made = ExplorationHTTPServer(ExplorationServer(model, Run(next(initial_states(model)), ())))
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def test_a_model_is_explored_in_the_browser(browser: Browser, server: ExplorationHTTPServer):
    page = open_page(browser, server.address)
    choose(page, 1)
    page.locator('[data-go="strong_isr"]').click()
    expect(page.locator("#toast")).to_contain_text("strong_isr is violated after 10 steps", timeout=300_000)
    expect(page.locator("#properties li.failing")).not_to_have_count(0)
    page.close()


def ask_server(server: ExplorationHTTPServer, path: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.request("GET", path, headers={key.replace("_", "-"): value for key, value in headers.items()})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_only_the_address_that_was_printed_is_answered_and_only_its_own_page(server: ExplorationHTTPServer):
    ours = f"/{server.token}/next?node=0&values=0&nodes=0"
    assert server.server_address[0] == "127.0.0.1"
    assert ask_server(server, ours)[0] == 200
    assert ask_server(server, "/")[0] == 404
    assert ask_server(server, "/wrong/")[0] == 404
    assert ask_server(server, ours, Origin="https://example.org")[0] == 403
    assert ask_server(server, ours, Sec_Fetch_Site="cross-site")[0] == 403
    assert ask_server(server, ours, Host="example.org")[0] == 403
    assert ask_server(server, f"/{server.token}/next?node=999999")[0] == 400
    assert ask_server(server, f"/{server.token}/../etc/passwd")[0] == 404
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.request("POST", ours)
    assert connection.getresponse().status == 501


def test_an_expression_without_end_stops_nobody(server: ExplorationHTTPServer):
    """It has no value; page, steps and other expressions are answered as before."""
    said = ask_server(server, f"/{server.token}/watch?expression=sum(1%20for%20a%20in%20range(10**9))")
    assert said[0] == 200 and "no value: it takes more than" in said[1]
    deep = ask_server(server, f"/{server.token}/watch?expression={'-' * 20_000}1")
    assert deep[0] == 400 and "nested too deeply" in deep[1]
    assert ask_server(server, f"/{server.token}/next?node=0")[0] == 200
    assert ask_server(server, f"/{server.token}/")[0] == 200


def test_a_search_is_stopped_and_stops_nobody_meanwhile(server: ExplorationHTTPServer, monkeypatch: pytest.MonkeyPatch):
    """Steps are answered while it is under way, a second search is refused, and `stop` ends it; then another begins."""
    begun = threading.Event()

    def slowly(*given: Any) -> NearestState:
        report: Report = given[4]
        report(Progress(0, 0, 0, 0.0, 0, 0.0))
        begun.set()
        server.explored.stopped.wait(30)
        return find_nearest_state(*given)

    monkeypatch.setattr("tidegate.cli.explore_web.find_nearest_state", slowly)
    answers: list[tuple[int, str]] = []
    go = f"/{server.token}/go?node=0&property=strong_isr"
    searching = threading.Thread(target=lambda: answers.append(ask_server(server, go)))
    searching.start()
    assert begun.wait(30)
    status, said = ask_server(server, f"/{server.token}/next?node=0&values=3&nodes=1")
    assert status == 200 and json.loads(said)["from"] == {"values": 3, "nodes": 1}  # where a page puts what is new
    refused = ask_server(server, go)
    assert refused[0] == 400 and "another search is under way" in refused[1]
    assert ask_server(server, f"/{server.token}/stop")[0] == 200
    searching.join(60)
    ((status, said),) = answers
    assert status == 200 and "the search ended first: it was stopped" in said
    monkeypatch.undo()
    assert "is violated after" in ask_server(server, go)[1]


def test_many_idle_connections_stop_nobody(server: ExplorationHTTPServer):
    address = ("127.0.0.1", server.server_port)
    idle = [socket.create_connection(address, timeout=30) for _ in range(200)]
    try:
        assert ask_server(server, f"/{server.token}/next?node=0")[0] == 200
    finally:
        for one in idle:
            one.close()


def test_a_connection_on_which_nothing_is_asked_ends(server: ExplorationHTTPServer, monkeypatch: pytest.MonkeyPatch):
    assert ExplorationRequestHandler.timeout == 60
    monkeypatch.setattr(ExplorationRequestHandler, "timeout", 0.05)
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as idle:
        assert idle.recv(1) == b""


def test_a_browser_that_leaves_before_its_answer_is_nothing_to_report(
    server: ExplorationHTTPServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    """Another error is reported."""
    reported = threading.Event()
    original = ExplorationHTTPServer.handle_error

    def report(*given: Any) -> None:
        original(*given)
        reported.set()

    def failing(error: Exception) -> Callable[[ExplorationRequestHandler], None]:
        def fail(_handler: ExplorationRequestHandler) -> None:
            raise error

        return fail

    monkeypatch.setattr(ExplorationHTTPServer, "handle_error", report)
    for error, told in ((ConnectionResetError("gone"), False), (BrokenPipeError(), False), (KeyError("ours"), True)):
        monkeypatch.setattr(ExplorationRequestHandler, "do_GET", failing(error))
        reported.clear()
        with pytest.raises((http.client.HTTPException, OSError)):
            ask_server(server, f"/{server.token}/")
        assert reported.wait(30)
        assert ("KeyError" in capfd.readouterr().err) == told
