"""The page in a browser: links, comparison, pictures of every kind of lane, long runs, paper, narrow windows."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Literal

import jsonschema
import pytest
from playwright.sync_api import Browser, Locator, expect
from tidegate.api.results import frame_html
from tidegate.explorer.native.search import check
from tidegate.explorer.search import Search
from tidegate.language.binding import load
from tidegate.reports.trace.cut import cut_trace
from tidegate.reports.trace.html import trace_digest, trace_html
from tidegate.traces.document import read_schema, trace_document

from ....support.browser import OpenPage, chromium, open_page
from ....support.html_traces import (
    ROOT,
    Document,
    busy,
    cell,
    counter_document,
    frame,
    group,
    kip_101,
    lane,
    post,
    step,
    transactions,
)
from ....support.shipped import tier_parameters

Page = Callable[..., Path]


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def saved_page(tmp_path: Path) -> Page:
    """The file of a page of documents."""

    def save(*documents: Document) -> Path:
        path = tmp_path / "page.html"
        path.write_text(trace_html(list(documents)), encoding="utf-8")
        return path

    return save


# --- an abstract model ------------------------------------------------------------------------------------------------


def test_an_abstract_model_has_a_lane_of_its_own(browser: Browser, saved_page: Page) -> None:
    clock: Document = {
        "property": "as_clock",
        "model": "clock",
        "fields": [{"name": "hour", "type": {"kind": "int", "lo": 0, "hi": 3}, "says": "of the day"}],
        "states": {"0": {"hour": 0}, "2": {"hour": 1}, "7": {"hour": 3}},
        "steps": {"2": "advance", "7": None},
    }
    with open_page(browser, saved_page(kip_101() | {"abstract": [clock]}), "s=0") as one:
        said = {}
        for step in range(9):
            said[step] = " ".join(one.all(".abstract").inner_text().split())
            assert one.count(".abstract.wrong") == (step == 7)
            assert one.count(".abstract .touched") == (step in (2, 7))
            one.press("j")
    assert said[0] == "clock by as_clock: begins here hour 0"
    assert said[1] == "clock by as_clock: stutters hour 0"
    assert said[2] == "clock by as_clock: advance hour 1"
    assert said[7] == "clock by as_clock: no step of clock that it may be hour 3"
    assert said[8] == "clock by as_clock: stutters hour 3"


# --- links ------------------------------------------------------------------------------------------------------------


def place(one: OpenPage) -> str:
    """What stands behind `#`, once the page has written it."""
    one.passes(400)
    return one.run("location.hash")[1:]


def test_a_link_says_step_focus_fields_trace_and_theme(browser: Browser, saved_page: Page) -> None:
    path, name = saved_page(kip_101()), trace_digest(kip_101())
    with open_page(browser, path, f"s=3&f=B&d=0&v={name}&t=dark") as one:
        assert one.where == "3 / 8"
        assert one.count(".lane.focused[data-lane=B]") == 1
        assert one.is_visible("#fields-panel") and not one.is_visible("#notice")
        assert one.all("html").get_attribute("data-theme") == "dark"
        one.press("j", "2", "d", "0", "t")
        assert place(one) == f"s=4&d=1&v={name}"
        one.press("1")
        assert place(one) == f"s=4&f=A&d=1&v={name}"
        one.page.evaluate("location.hash = 's=7'")
        one.waits("#where", "7 / 8")


def test_in_the_frame_of_a_notebook_the_page_stays_itself(browser: Browser, tmp_path: Path) -> None:
    """A frame's page has no address of its own: a link would load the notebook in its place."""
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<p id=outside>cells</p>{frame_html(trace_html([kip_101()]))}", encoding="utf-8")
    with open_page(browser, notebook, at="iframe") as one:
        one.passes(400)
        inside = one.page.frame_locator("iframe")
        expect(inside.locator("#where")).to_have_text("8 / 8")
        assert len(one.page.frames) == 2
        assert inside.locator("#outside").count() == 0


def test_moving_leaves_no_trail_in_the_history(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(kip_101()), color_scheme="light") as one:  # with a history of its own
        length = one.run("history.length")
        one.press("g", "j")
        place(one)
        one.press("j")
        assert place(one).startswith("s=2") and one.run("history.length") == length


def test_the_address_never_takes_one_back(browser: Browser, saved_page: Page) -> None:
    """A key between the writing of the address and the browser's word that it changed."""
    with open_page(browser, saved_page(kip_101()), "s=2") as one:
        one.run("""() => {
            const press = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
            press();
            setTimeout(press, 120);
        }""")
        assert place(one).startswith("s=4")
        assert one.where == "4 / 8"


def test_a_link_to_another_trace_is_reported(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(kip_101()), "s=5&v=00000000") as one:
        assert one.where == "0 / 8"
        reported = "This link was made for another trace; it shows this one from its start."
        assert one.text("#notice") == reported and one.live == reported


LINKS = ("s=99", "s=-1", "s=x", "f=Q&d=7&t=pink&r=12", "%%%", "v=")


@pytest.mark.parametrize("link", tier_parameters(LINKS, lambda link: link in ("s=99", "f=Q&d=7&t=pink&r=12")))
def test_odd_links_do_no_harm(browser: Browser, saved_page: Page, link: str) -> None:
    with open_page(browser, saved_page(kip_101()), link) as one:
        assert re.fullmatch("[08] / 8", one.where)


# --- two traces -------------------------------------------------------------------------------------------------------


def test_two_traces_stand_side_by_side_from_where_they_part(browser: Browser, saved_page: Page) -> None:
    other: Document = kip_101() | {"title": "the other", "steps": [dict(taken) for taken in kip_101()["steps"]]}
    other["steps"][5]["args"] = {"leader": "A", "follower": "C"}
    with open_page(browser, saved_page(kip_101(), other), "s=7") as one:
        assert one.all("#traces option").all_text_contents() == [kip_101()["title"], "the other"]
        assert one.text("#step-6 .differs") == "≠ first difference" and one.count(".differs") == 1
        one.press("|")
        assert one.live == "beside the other trace"
        assert one.all(".pane h3").all_text_contents() == ["the other, state 7", "State 7"]
        one.press("k")
        assert one.all(".pane h3").all_text_contents() == ["the other, state 6", "State 6"]
        one.all("#traces").select_option("1")
        assert one.where == "8 / 8" and place(one).endswith("&r=1")
    with open_page(browser, saved_page(kip_101(), other), "s=2&r=1") as one:
        assert one.where == "2 / 8" and one.all("#traces").input_value() == "1"


PARTS = "['panes', 'changes', 'choices', 'properties'].map(id => document.getElementById(id).innerHTML)"


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(kip_101, id="kip_101"),
        pytest.param(lambda: busy(60), id="busy", marks=pytest.mark.long),
        pytest.param(group, id="group"),
        pytest.param(post, id="post", marks=pytest.mark.long),
    ],
)
def test_what_is_shown_does_not_depend_on_the_way_there(
    browser: Browser, saved_page: Page, source: Callable[[], Document]
) -> None:
    """Only what differs is drawn anew from step to step."""
    path, last = saved_page(source()), len(source()["steps"])
    with open_page(browser, path, f"s={last}") as one, open_page(browser, path, "s=0") as other:
        other.press(*"j" * last)
        for keys in ("", "o", "2", "a"):
            one.press(*keys)
            other.press(*keys)
            assert one.where == other.where
            assert one.run(PARTS) == other.run(PARTS)


# --- pictures ---------------------------------------------------------------------------------------------------------

GOLDEN = ROOT / "tests/fixtures/lanes"

PICTURES: dict[str, tuple[Callable[[], Document], int, str]] = {
    "committed": (kip_101, 7, ""),
    "truncated": (kip_101, 8, "o"),
    "crashed": (lambda: busy(60), 28, "2"),
    "group": (group, 1, ""),
    "transactions": (transactions, 1, ""),
}


@pytest.mark.parametrize("name", PICTURES)
def test_lanes_are_drawn_as_recorded(browser: Browser, saved_page: Page, name: str) -> None:
    """Golden pictures; TIDEGATE_UPDATE=1 records them. Look at them: a browser shows an .svg file. Every size in them
    is computed from lengths of texts, so that no font of a machine has a part in them."""
    source, at, key = PICTURES[name]
    with open_page(browser, saved_page(source()), f"s={at}") as one:
        if key:
            one.press(key)
        drawn = one.run("document.querySelector('#panes svg.lanes').outerHTML").replace("><", ">\n<") + "\n"
    golden = GOLDEN / f"{name}.svg"
    if os.environ.get("TIDEGATE_UPDATE"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(drawn, encoding="utf-8")
    assert drawn == golden.read_text(encoding="utf-8")


def test_lanes_say_in_words_what_they_show(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(kip_101()), "s=8") as one:
        labels = [setting.get_attribute("aria-label") for setting in one.all(".lane").all()]
        assert labels == [
            kip_101()["frames"][at]["lanes"][lane]["label"] for at, lane in (("7", "A"), ("8", "B"), ("4", "C"))
        ]
        assert one.text(".lane[data-lane=B] .cell.removed title").endswith("(removed in this step)")
        assert one.all(".lane[data-lane=B] .caret text").text_content() == "end 1→0"
        assert one.all(".lane[data-lane=A] .pill.isr.both").count() == 1
        assert one.all(".lane[data-lane=C] .pill.isr.out").count() == 1


def test_who_is_in_which_isr_can_be_seen(browser: Browser, saved_page: Page) -> None:
    document = kip_101() | {"frames": {at: dict(stored) for at, stored in kip_101()["frames"].items()}}
    lanes = {name: dict(stored) for name, stored in document["frames"]["0"]["lanes"].items()}
    for name, (leader, controller) in {"A": (True, False), "B": (False, True), "C": (None, None)}.items():
        lanes[name]["in_isr"] = {"leader": leader, "controller": controller}
    document["frames"]["0"] = document["frames"]["0"] | {"lanes": lanes}
    with open_page(browser, saved_page(document), "s=0") as one:
        for name, kind in (("A", "leader-only"), ("B", "controller-only")):
            assert one.count(f".lane[data-lane={name}] .isr.{kind}") == 1
        assert one.count(".lane[data-lane=C] .isr") == 0


@pytest.mark.parametrize("name", ["A", "broker 101"])
def test_the_head_of_a_lane_ends_before_its_log(browser: Browser, saved_page: Page, name: str) -> None:
    """A deposed leader with a long name; its epoch has a pill of its own."""
    stale = lane(
        name, role="leader", role_text="leader (stale, epoch 0)", epoch=0, cells=[cell(0, "a", 0)], log_end=1,
        high_watermark=0, in_isr={"leader": True, "controller": True},
    )  # fmt: skip
    view = {"kind": "replication", "domain": "broker", "lanes": [name], "badges": [], "columns": 1}
    document = counter_document([step(1, "A step.")], view=view, frames={"0": frame(stale), "1": frame()})
    with open_page(browser, saved_page(document), "s=0") as one:
        assert "(stale" in one.text(".head .stale") and one.text(".head .epoch").endswith("epoch 0")
        ends = one.run("[...document.querySelectorAll('.head > *')].map(part => part.getBoundingClientRect().right)")
        assert max(ends) < one.run("document.querySelector('.bar.high rect').getBoundingClientRect().left")


def test_messages_go_from_sender_to_receiver_or_to_a_cross(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(post()), "s=6") as one:
        assert one.all("#chart .heads text").all_text_contents() == ["others", "A", "B", "C"]
        assert one.all("#chart .arrow title").all_text_contents() == [
            "Hello(number=0)", "Hello(number=1), lost at step 4", "Hello(number=2)",
        ]  # fmt: skip
        assert one.text("#flight") == "1 in flight"
        assert one.text("#chart .flight title") == "in flight: Hello(number=3) (a duplicate)"
        one.all("#chart .arrow").first.click(position={"x": 60, "y": 24}, force=True)
        assert one.where == "3 / 6"
        one.press("g", "j")
        assert one.text("#flight") == "1 in flight"
        veil = one.all("#chart .future").bounding_box()
        second = one.all("#chart .event").nth(1).bounding_box()
        assert veil is not None and second is not None
        assert abs(veil["y"] - second["y"]) < 3, "what comes after step 1 is veiled"


def test_a_run_that_repeats_for_ever_goes_round(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(post()), "s=6") as one:
        assert one.text("#step-2 .tag") == "repeats for ever after this"
        assert one.count("#steps .looped") == 4 and one.count(".scrubber .back") == 1
        one.press("j")
        assert one.where == "2 / 6"


def lasso(name: str, prop: str) -> Document:
    """The document of a loop that a check of a small model finds."""
    model = load(ROOT / f"examples/liveness/{name}.py").bind(properties=[prop])
    (found,) = check(model, Search(deadlocks=False), None).properties
    return trace_document(model, found)


def test_a_loop_is_played_round_and_round(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(lasso("counter", "is_served")), "s=0") as one:
        assert one.text("#step-0 .loop") == "repeats for ever after this"
        one.all("#play").click()
        places = list[str]()
        for _ in range(6):
            one.passes(900)
            places.append(one.where)
        assert places == ["1 / 2", "2 / 2", "0 / 2"] * 2
        one.all("#play").click()
        one.passes(2000)
        assert one.where == "0 / 2"


def test_a_run_that_stays_where_it_is_says_so(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(lasso("printer", "printed_without_fairness")), "s=1") as one:
        assert one.text("#step-1 .loop") == "nothing more happens, for ever"
        assert one.count(".scrubber .back") == 0
        one.press("j")
        assert (one.where, one.live) == ("1 / 1", "nothing more happens, for ever")


def test_the_truth_strip_takes_one_to_a_state(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(kip_101()), "s=0") as one:
        first = one.all("#truth .boxes").first
        assert first.get_attribute("aria-label") == "strong_isr: fails, first at state 8"
        width = one.run("document.querySelector('#truth .boxes').getBoundingClientRect().width")
        first.click(position={"x": width * 7.5 / 9, "y": 10})
        assert one.where == "7 / 8"
        one.all(".scrubber").click(position={"x": width * 2.5 / 9, "y": 10})
        assert one.where == "2 / 8"


# --- long runs --------------------------------------------------------------------------------------------------------


def test_a_long_list_draws_what_is_in_sight(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(busy(1000)), "s=0") as one:
        for key in ("G", "g", *"jjjj", "G", *"kkk"):
            one.press(key)
            row = one.all("#steps").get_attribute("aria-activedescendant") or ""
            assert one.all(f"#{row}").get_attribute("aria-selected") == "true"
            assert one.all(f"#{row}").get_attribute("aria-setsize") == "1001"
        assert one.where == "997 / 1000" and one.count("#steps [role=option]") < 120
        one.all("#steps").evaluate("list => { list.scrollTop = 6000; }")
        one.page.wait_for_selector("#step-205")


def test_what_was_left_out_of_a_long_run_is_reported(browser: Browser, saved_page: Page) -> None:
    taken = [step(at, f"Step {at}.") for at in range(1, 101)]
    document = counter_document(
        taken, truncated={"steps": 100, "first": 31, "last": 70, "says": "steps 31 to 70 of 100 are left out"}
    )
    document["steps"] = [event for event in taken if not 31 <= event["i"] <= 70]
    document["states"]["71"] = {"n": 71}
    with open_page(browser, saved_page(document), "s=72&d=0") as one:
        assert one.text("#notice") == "steps 31 to 70 of 100 are left out."
        assert (one.where, one.text("#fields td")) == ("72 / 100", "72")
        one.press("k", "o")
        assert (one.where, one.text("#fields td")) == ("71 / 100", "71")
        one.press("k")
        assert (one.where, one.text("#fields td")) == ("30 / 100", "30")
        assert one.text("#steps .gap") == "steps 31 to 70 of 100 are left out"


def test_of_a_very_long_run_there_are_the_beginning_and_the_end(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidegate.reports.trace.cut.MAX_STEPS", 1100)
    taken = [step(at, f"Step {at}.", changed=[f"n: {at - 1} -> {at}"]) for at in range(1, 1202)]
    lanes = [frame(lane("A", log_end=0), lane("B", log_end=0), board={"n": 0})]
    lanes += [frame(lane("A", log_end=at), board={"n": at}) for at in range(1, 1202)]
    view = {"kind": "log", "domain": "node", "lanes": ["A", "B"], "badges": [], "columns": 0}
    document = counter_document(taken, view=view, frames={str(at): drawn for at, drawn in enumerate(lanes)})
    embedded = cut_trace(document)
    jsonschema.validate(embedded, read_schema())
    assert [event["i"] for event in embedded["steps"]] == [*range(1, 501), *range(702, 1202)]
    path = tmp_path / "page.html"
    path.write_text(trace_html([document], whole_file="made.trace.json"), encoding="utf-8")
    with open_page(browser, path, "s=702&d=0") as one:
        reported = "steps 501 to 701 of 1,201 are left out. The whole trace is in made.trace.json."
        assert one.text("#notice") == reported
        assert (one.where, one.text("#fields td")) == ("702 / 1201", "702")
        assert one.all(".caret text").all_text_contents() == ["end 702", "end 0"]
        one.press("k", "j", "j")
        assert (one.where, one.text("#fields td")) == ("703 / 1201", "703")


# --- for everybody, on everything -------------------------------------------------------------------------------------


def test_one_live_region_and_a_name_for_everything(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(kip_101())) as one:
        assert one.count("[aria-live]") == 1
        tree = one.all("body").aria_snapshot()
        assert (
            '- listbox "Steps' in tree
            and 'option "8 B learns that A leads epoch 1, and follows it. ✗" [selected]' in tree
        )
        unnamed = [
            line for line in tree.splitlines() if re.search(r"- (button|combobox|searchbox|slider|listbox)(:|$)", line)
        ]
        assert not unnamed


def test_targets_are_large_enough_and_focus_is_seen(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(kip_101())) as one:
        for setting in one.all(
            "button:visible, select:visible, input:visible, [role=option]:visible, summary:visible"
        ).all():
            box = setting.bounding_box()
            assert box is not None and box["width"] >= 24 and box["height"] >= 24, setting
        one.all("#next").focus()
        one.press("Tab")
        assert one.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_twice_as_large_it_is_one_column(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(kip_101()), viewport={"width": 640, "height": 450}) as one:
        assert one.run("document.documentElement.scrollWidth <= innerWidth")
        boxes = [one.all(f"#{part}").bounding_box() for part in ("middle", "steps-panel", "inspector", "truth")]
        tops = [box["y"] for box in boxes if box is not None]
        assert len(tops) == 4 and tops == sorted(tops)
        assert len({box["x"] for box in boxes if box is not None}) == 1


@pytest.mark.parametrize("theme", [pytest.param("light", marks=pytest.mark.long), "dark"])
def test_on_a_phone_what_is_cut_off_fades_on_that_side(
    browser: Browser, saved_page: Page, theme: Literal["light", "dark"]
) -> None:
    path = saved_page(group())
    with open_page(browser, path, viewport={"width": 390, "height": 844}, color_scheme=theme) as one:
        assert one.count(".pane[data-cut]") == 0
        assert one.count("#chart[data-cut]") == 0, "its columns are all in sight"
        one.press("a")
        assert_it_fades(one.all(".pane"))
        one.press("j")
        expect(one.all(".pane")).to_have_attribute("data-cut", re.compile("left|right"))
        assert one.run("document.documentElement.scrollWidth") == 390
    with open_page(browser, path, viewport={"width": 1600, "height": 900}, color_scheme=theme) as wide:
        assert wide.count("[data-cut]") == 0
    with open_page(browser, saved_page(busy(9)), viewport={"width": 390, "height": 844}, color_scheme=theme) as one:
        assert_it_fades(one.all("#chart"))


def assert_it_fades(box: Locator) -> None:
    """Scrolled to the left, in between and to the right, a box fades where it is cut off."""
    for left, sides in ((0, "right"), (20, "left right"), (10_000, "left")):
        box.evaluate(f"(box) => box.scrollLeft = {left}")
        expect(box).to_have_attribute("data-cut", sides)
        assert "linear-gradient" in box.evaluate("(box) => getComputedStyle(box).maskImage")


def test_on_a_phone_the_header_takes_less_than_a_third(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(kip_101()), viewport={"width": 390, "height": 844}) as one:
        assert one.run("document.querySelector('main').getBoundingClientRect().top") < 844 / 3


def test_on_a_phone_the_header_of_an_audits_longest_scenario_takes_less_than_a_third(
    browser: Browser, saved_page: Page
) -> None:
    title = (
        "orders (producer producer.properties): writes stop when most controllers are lost, with one replica in sync"
    )
    short = (
        "Broker 1 is shut down: it leaves the ISR, hands over leadership, flushes its log, and stops (step 1). "
        "Broker 3 is shut down: it leaves the ISR, hands over leadership, flushes its log, and stops (step 2). "
        "A controller goes down (step 4). A controller goes down (step 5). "
        "Now no write is taken until what is missing is back, or an operator acts."
    )
    rows = [{"role": "title", "step": None, "text": "How it happens"}, {"role": "short", "step": 8, "text": short}]
    cluster = {"title": title, "verdict": "✗ writes stop", "letters": "A is broker 1", "properties": dict[str, str]()}
    document = kip_101() | {"title": title, "argument": rows, "cluster": cluster}
    with open_page(browser, saved_page(document), viewport={"width": 390, "height": 844}) as one:
        assert one.run("document.querySelector('main').getBoundingClientRect().top") < 844 / 3


def test_on_a_phone_a_long_log_shows_the_part_where_something_happens(browser: Browser, saved_page: Page) -> None:
    document = kip_101()
    document["frames"]["0"]["lanes"]["A"] |= {"cells": [cell(at, f"1{at}", 1) for at in range(30)], "log_end": 30}
    long = document | {"view": document["view"] | {"columns": 30}}
    with open_page(browser, saved_page(long), "s=0", viewport={"width": 390, "height": 844}) as one:
        size = one.run("document.querySelector('.cell-text').getBoundingClientRect().height")
        assert size >= 11  # pixels
        assert one.run("[...document.querySelectorAll('.lanes .axis')].some((text) => text.textContent === '29')")


def test_on_paper_there_are_the_words_and_every_step(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(kip_101()), "s=8&t=dark", color_scheme="light") as one:
        one.page.emulate_media(media="print")
        one.page.wait_for_selector("#paper h1")
        assert one.is_visible("#paper") and not one.is_visible("main") and not one.is_visible("#header")
        assert one.text("#paper h1") == kip_101()["title"]
        assert one.count("#paper > ol > li") == 8
        assert "log[B]: - 1a at 0" in one.text("#paper")
        assert one.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert one.page.pdf()[:5] == b"%PDF-"


def test_names_of_every_alphabet_and_markup_are_only_text(browser: Browser, saved_page: Page) -> None:
    nasty = "</script><img src=x onerror=alert(1)> ∀ é 日本"
    document = counter_document([step(1, nasty, changed=[f"n: 0 -> {nasty}"])], title=nasty, model=nasty, says=nasty)
    with open_page(browser, saved_page(document), "s=1&d=0") as one:
        assert one.text("#sentence") == nasty == one.text("#model")
        assert one.count("img") == 0


def test_the_browser_holds_the_page_to_its_policy(browser: Browser, saved_page: Page) -> None:
    context = browser.new_context()
    tab = context.new_page()
    answered: list[str] = []
    tab.on("response", lambda response: answered.append(response.url))
    tab.goto(saved_page(post()).as_uri())
    refused = tab.evaluate("""() => new Promise(resolve => {
        const refused = [];
        document.addEventListener("securitypolicyviolation", event => {
            refused.push(event.effectiveDirective);
            if (refused.length === 2) resolve(refused.sort());
        });
        const image = document.createElement("img");
        image.src = "http://127.0.0.1:9/picture.png";
        const script = document.createElement("script");
        script.textContent = "window.broken = true";
        document.body.append(image, script);
    })""")
    assert refused == ["img-src", "script-src-elem"]
    assert tab.evaluate("window.broken") is None
    assert not [url for url in answered if url.startswith("http")]
    context.close()
