"""Branches of a page as a reader uses several of them: tabs, the state graph beside them, comparison, the address, what
is saved; and what was ugly once in a picture, a table or an index.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from copy import deepcopy
from pathlib import Path

import jsonschema
import pytest
from playwright.sync_api import Browser
from tidegate.api.models import load
from tidegate.cli.cluster_words import ClusterWords
from tidegate.cli.explore_session import Session
from tidegate.cli.saved_traces import read_trace
from tidegate.language.judge import run_text
from tidegate.reports.index import index_page
from tidegate.reports.text_page import TextFormat
from tidegate.reports.trace.html import trace_html
from tidegate.traces.document import STEPS, read_schema, run_document
from tidegate.traces.neighbourhood import neighbourhood_document

from ....support.browser import OpenPage, chromium, open_page
from ....support.html_traces import kip_101

LOCK = "examples/lock.py:careless"
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def lock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which A has looked and taken the lock, with all states of the model around it."""
    session = Session(load(LOCK), TextFormat())
    session.execute("look(A); take(A)")
    path = tmp_path_factory.mktemp("pages") / "lock.html"
    path.write_text(session.html(), encoding="utf-8")
    return path


@pytest.fixture
def kip(tmp_path: Path) -> Path:
    path = tmp_path / "kip.html"
    path.write_text(trace_html([kip_101()]), encoding="utf-8")
    return path


def take(one: OpenPage, sentence: str) -> None:
    one.page.get_by_role("button", name=sentence, exact=True).click()


def tabs(one: OpenPage) -> list[str]:
    return one.all("#branches button").all_text_contents()


# --- several branches -------------------------------------------------------------------------------------------------


def test_each_branch_is_a_tab_and_one_that_is_known_is_opened_again(browser: Browser, lock: Path) -> None:
    with open_page(browser, lock, "s=0") as one:
        take(one, "B looks and finds the lock free.")
        take(one, "A looks and finds the lock free.")
        one.all("#branches button").first.click()
        one.press("g", "l")
        take(one, "B looks and finds the lock free.")
        assert tabs(one) == ["trace", "branch 1 (after step 0)", "branch 2 (after step 1)"]
        one.all("#branches button").first.click()
        one.press("g")
        take(one, "B looks and finds the lock free.")
        assert len(tabs(one)) == 4, "one step of it is another branch than two"
        one.all("#branches button").first.click()
        one.press("g", "l")
        take(one, "B looks and finds the lock free.")
        assert (len(tabs(one)), one.text("#branches [aria-selected=true]")) == (4, "branch 2 (after step 1)")
        assert one.where == "2 / 2"


def test_a_branch_is_compared_with_its_trace(browser: Browser, lock: Path) -> None:
    with open_page(browser, lock, "s=1") as one:
        take(one, "B looks and finds the lock free.")
        assert one.text("#steps .differs") == "≠ first difference"
        one.press("|")
        assert one.count("#panes .pane") == 2
        changed = one.text("#changes")
        assert "Other than in the pinned state" in changed and "held" in changed
        one.press("|")
        assert one.count("#panes .pane") == 1


def test_the_address_of_a_branch_opens_it_at_its_step_and_of_another_trace_is_refused(
    browser: Browser, lock: Path
) -> None:
    with open_page(browser, lock, "s=0") as one:
        take(one, "B looks and finds the lock free.")
        take(one, "B takes the lock and goes in.")
        one.press("h")
        one.passes(500)
        place = one.page.url.partition("#")[2]
    with open_page(browser, lock, place) as one:
        assert (tabs(one), one.where) == (["trace", "branch 1 (after step 0)"], "1 / 2")
        assert one.text("#sentence") == "B looks and finds the lock free."
    digest = place.partition("v=")[2].partition("&")[0]
    with open_page(browser, lock, place.replace(digest, "0" * 8)) as one:
        assert tabs(one) == [] and one.text("#notice").startswith("This link was made for another trace")


def test_the_graph_marks_the_state_of_a_branch_that_is_one_of_the_run(browser: Browser, lock: Path) -> None:
    with open_page(browser, lock, "s=2") as one:
        if one.count("#graph") == 0:
            pytest.skip("fast-sugiyama is not installed")
        take(one, "A leaves and gives the lock back.")
        assert one.all("#graph .here").get_attribute("data-steps") == "0", "the lock is free again, as at first"
        one.all('#graph [data-steps="1"]').click()
        assert one.text("#branches [aria-selected=true]") == "trace" and one.where == "1 / 2"


def test_a_branch_is_saved_with_its_own_steps(browser: Browser, lock: Path) -> None:
    with open_page(browser, lock, "s=1") as one:
        take(one, "B looks and finds the lock free.")
        one.press("e")
        with one.page.expect_download() as begun:
            one.page.get_by_role("button", name="Save the trace").click()
        document = json.loads(begun.value.path().read_text(encoding="utf-8"))
    assert [step["step"] for step in document["steps"]] == ["look(A)", "look(B)"]
    assert document["replay"].endswith('--steps "look(A); look(B)"')


def test_a_branch_of_a_page_about_a_cluster_goes_on_in_explore_and_is_saved(browser: Browser, tmp_path: Path) -> None:
    """Its words no model reads: what is copied and saved has the model's own steps."""
    model, words = load("partition"), ClusterWords({"A": "broker 1", "B": "broker 2", "C": "broker 3"}, hosts_out=1)
    run = run_text(model, "produce(A)")
    document = words.document_in_words(words.saved_document(run_document(model, run)), model, run)
    beside = neighbourhood_document(model, run, size=0, words=words.neighbourhood_words(model, run))
    path, saved = tmp_path / "one.html", tmp_path / "mine.trace.json"
    path.write_text(trace_html([document], around=beside, saved_trace="one.trace.json"), encoding="utf-8")
    with open_page(browser, path, "s=1") as one:
        take(one, "Broker 2 fetches from broker 1 at offset 0.")
        command = one.text("#choices pre")
        assert command == (
            'tidegate explore one.trace.json --steps "produce(A); fetch(leader=A, follower=B)" --web --open'
        )
        one.press("e")
        with one.page.expect_download() as begun:
            one.page.get_by_role("button", name="Save the trace").click()
        begun.value.save_as(saved)
    jsonschema.validate(json.loads(saved.read_text(encoding="utf-8")), read_schema(STEPS))
    made = read_trace(saved)
    assert [step["step"] for step in made["steps"]] == ["produce(A)", "fetch(leader=A, follower=B)"]
    assert (made["called"], made["wording"]) == ({"A": "broker 1", "B": "broker 2", "C": "broker 3"}, {"before": 1})


def test_in_a_window_of_middle_width_what_can_happen_is_reached_by_scrolling(browser: Browser, lock: Path) -> None:
    with open_page(browser, lock, "s=1", viewport={"width": 1024, "height": 640}) as one:
        one.page.get_by_role("button", name="B looks and finds the lock free.", exact=True).click(timeout=30_000)
        assert one.text("#branches [aria-selected=true]") == "branch 1 (after step 1)"


# --- how it looks -----------------------------------------------------------------------------------------------------


def test_the_kind_of_a_step_stands_beside_its_sentence(browser: Browser, tmp_path: Path) -> None:
    session = Session(load("replication:truncate_to_hw"), TextFormat())
    session.execute("1")
    path = tmp_path / "run.html"
    path.write_text(session.html(), encoding="utf-8")
    with open_page(browser, path, "s=1") as one:
        tag, button = (one.all(f"#choices li.fault {part}").first.bounding_box() for part in (".tag", "button"))
        assert tag is not None and button is not None
        assert button["y"] <= tag["y"] and tag["y"] + tag["height"] <= button["y"] + button["height"]


def test_the_table_of_lanes_names_records_as_the_picture_does(browser: Browser, kip: Path) -> None:
    with open_page(browser, kip, "s=6") as one:
        one.press("a")
        assert "+ 1a at offset 0" in one.text(".lane-table")
        one.press("x")
        assert "− 1a at offset 0" in one.text(".lane-table")


def test_on_a_phone_the_table_of_states_begins_with_its_first_column(browser: Browser, kip: Path) -> None:
    with open_page(browser, kip, "s=8", viewport=PHONE) as one:
        one.press("v")
        assert one.run("document.querySelector('.states').scrollLeft") == 0
        row = one.all(".states tr[aria-current] th").bounding_box()
        assert row is not None and 0 <= row["x"] < 390


def test_names_of_properties_are_whole_where_there_is_room(browser: Browser, kip: Path) -> None:
    with open_page(browser, kip, viewport={"width": 1440, "height": 900}) as one:
        cut = "[...document.querySelectorAll('.strip-name')].filter((name) => name.scrollWidth > name.clientWidth)"
        assert one.run(f"{cut}.map((name) => name.textContent)") == []


def test_one_that_is_down_says_so_once(browser: Browser, tmp_path: Path) -> None:
    document = deepcopy(kip_101())
    for frame in document["frames"].values():
        if "B" in frame["lanes"]:
            frame["lanes"]["B"] |= {"up": False, "role": "down", "role_text": "down"}
    path = tmp_path / "down.html"
    path.write_text(trace_html([document]), encoding="utf-8")
    with open_page(browser, path, "s=8") as one:
        assert [text for text in one.all('[data-lane="B"] text').all_text_contents() if text == "down"] == ["down"]


def test_before_and_after_are_chosen_by_these_words(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "both.html"
    path.write_text(trace_html([kip_101(), kip_101()], other_states=list(range(9))), encoding="utf-8")
    with open_page(browser, path) as one:
        assert one.all("#traces option").all_text_contents() == ["As it is", "With the repair"]


def test_before_and_after_lead_to_where_other_steps_can_be_chosen(browser: Browser, tmp_path: Path) -> None:
    path, bare = tmp_path / "one-repaired.html", tmp_path / "bare.html"
    path.write_text(trace_html([kip_101(), kip_101()], other_states=list(range(9)), alone="one.html"), encoding="utf-8")
    bare.write_text(trace_html([kip_101()]), encoding="utf-8")
    with open_page(browser, path) as one:
        assert one.all("#choices a").all_text_contents() == ["the page of this scenario without its repair"]
        assert one.all("#choices a").first.get_attribute("href") == "one.html"
        assert "no other step can be chosen here" in one.text("#choices")
    with open_page(browser, bare) as one:
        assert one.all("#choices a").count() == 0


def test_on_a_phone_long_names_of_checks_are_broken(browser: Browser, tmp_path: Path) -> None:
    row = '<tr><td class="good">✓ ok</td><th scope="row" class="loose">{}</th><td class="loose">1 state</td></tr>'
    table = (
        f'<div class="wide"><table><tbody>{row.format("classic_group_as_generations:kafka_2_4")}</tbody></table></div>'
    )
    path = tmp_path / "index.html"
    path.write_text(index_page("Gate", f"<section>{table}</section>"), encoding="utf-8")
    with open_page(browser, path, at="table", viewport=PHONE) as one:
        assert one.run("document.querySelector('.wide').scrollWidth <= document.querySelector('.wide').clientWidth")
