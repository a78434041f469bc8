"""The page in a browser: every key pressed, with what it does and what a screen reader hears of it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tidegate.reports.trace.html import trace_digest, trace_html

from ....support.browser import OpenPage, chromium, open_page
from ....support.html_traces import four_gallons, kip_101, post


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def kip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "kip_101.html"
    path.write_text(trace_html([kip_101()]), encoding="utf-8")
    return path


@pytest.fixture
def page_at_five(browser: Browser, kip: Path) -> Generator[OpenPage]:
    """The KIP-101 page at step 5 of 8."""
    with open_page(browser, kip, "s=5") as one:
        yield one


def test_it_opens_at_what_is_wrong(browser: Browser, kip: Path) -> None:
    with open_page(browser, kip) as one:
        assert one.where == "8 / 8"
        assert one.text("#verdict") == "✗ strong_isr fails"
        assert one.text("#sentence") == "B learns that A leads epoch 1, and follows it."
        assert one.count(".lane[data-lane=B] .cell.removed") == 1


MOVES = {
    "State 6 of 8. B fetches the record at offset 0 from A. 1 field changed.": ("ArrowRight", "l", "j"),
    "State 4 of 8. A learns that it leads epoch 1. 3 fields changed.": ("ArrowLeft", "h", "k"),
    "State 0 of 8. The initial state.": ("Home", "g"),
    "State 8 of 8. B learns that A leads epoch 1, and follows it. 3 fields changed. strong_isr fails.": (
        "End",
        "G",
        "x",
    ),
}
"""The keys that go from state 5 to another one, by what a screen reader hears there."""


def test_keys_that_move(page_at_five: OpenPage) -> None:
    for heard, key in ((heard, key) for heard, keys in MOVES.items() for key in keys):
        state = heard.split()[1]
        page_at_five.press(key)
        assert (page_at_five.where, page_at_five.live) == (f"{state} / 8", heard), key
        assert page_at_five.all("#steps").get_attribute("aria-activedescendant") == f"step-{state}", key
        assert page_at_five.all("#steps [aria-selected=true]").get_attribute("id") == f"step-{state}", key
        assert page_at_five.all(".scrubber").get_attribute("aria-valuenow") == state, key
        page_at_five.passes(400)  # the page writes its address, which the next line changes
        page_at_five.run("location.hash = 's=5'")
        page_at_five.waits("#where", "5 / 8")


def test_no_key_leaves_the_trace(page_at_five: OpenPage) -> None:
    page_at_five.press("G", "j")
    assert (page_at_five.where, page_at_five.live) == ("8 / 8", "the last step")
    page_at_five.press("g", "k")
    assert (page_at_five.where, page_at_five.live) == ("0 / 8", "the first state")


def test_numbers_focus_a_lane_and_n_finds_what_changes_it(page_at_five: OpenPage) -> None:
    page_at_five.press("n")
    assert page_at_five.live == "focus a lane first: press its number"
    page_at_five.press("2")
    assert page_at_five.live == "lane B"
    assert page_at_five.all(".lane[data-lane=B]").get_attribute("aria-pressed") == "true"
    assert page_at_five.count(".lane.dimmed") == 2
    for key, where in (("n", "6 / 8"), ("n", "8 / 8"), ("N", "6 / 8"), ("N", "2 / 8")):
        page_at_five.press(key)
        assert page_at_five.where == where
    page_at_five.press("n", "n", "n")
    assert page_at_five.live == "no other step changes B that way"
    page_at_five.press("0")
    assert (page_at_five.live, page_at_five.count(".lane.dimmed")) == ("all lanes", 0)
    page_at_five.press("9")
    assert page_at_five.live == "there are 3 lanes"


def test_d_shows_all_fields_and_f_filters_them(page_at_five: OpenPage) -> None:
    assert not page_at_five.is_visible("#fields-panel")
    page_at_five.press("d")
    assert page_at_five.live == "all fields" and page_at_five.is_visible("#fields-panel")
    assert page_at_five.text("#fields tr.touched >> nth=0") == "log[A][Record(id=0, epoch=1)]"
    page_at_five.press("d")
    assert page_at_five.live == "changed fields only" and not page_at_five.is_visible("#fields-panel")
    page_at_five.press("f")
    page_at_five.page.keyboard.type("quorum")
    assert page_at_five.count("#fields tr") == 1
    assert page_at_five.where == "5 / 8", "letters typed in a field move nothing"
    page_at_five.press("Escape", "j")
    assert page_at_five.where == "6 / 8"


def test_o_draws_the_ghost_of_the_state_before(page_at_five: OpenPage) -> None:
    page_at_five.press("l", "o")
    assert page_at_five.live == "ghost of the previous state"
    assert page_at_five.count(".lane[data-lane=A] .ghost rect") == 1
    page_at_five.press("o")
    assert (page_at_five.live, page_at_five.count(".ghost")) == ("no ghost", 0)


def test_slash_searches_sentences_and_fields(page_at_five: OpenPage) -> None:
    page_at_five.press("/")
    page_at_five.page.keyboard.type("follows it")
    assert (page_at_five.text("#found"), page_at_five.live) == ("2 matches", "2 matches")
    assert page_at_five.count("#steps .found") == 2
    for where in ("8 / 8", "2 / 8", "8 / 8"):
        page_at_five.press("Enter")
        assert page_at_five.where == where
    page_at_five.press("Shift+Enter")
    assert page_at_five.where == "2 / 8"


def test_m_p_a_and_z_switch_parts(page_at_five: OpenPage) -> None:
    for key, part, off, on in (
        ("m", "#messages", "message chart hidden", "message chart shown"),
        ("p", "#truth", "properties hidden", "properties shown"),
    ):
        page_at_five.press(key)
        assert page_at_five.live == off and not page_at_five.is_visible(part)
        page_at_five.press(key)
        assert page_at_five.live == on and page_at_five.is_visible(part)
    page_at_five.press("a")
    assert (page_at_five.live, page_at_five.count("#panes svg")) == ("table", 0)
    assert page_at_five.all("#panes tbody tr >> nth=0 >> td").all_text_contents()[:3] == [
        "leader", "1", "in the ISR, as leader and controller see it",
    ]  # fmt: skip
    page_at_five.press("a")
    assert (page_at_five.live, page_at_five.count("#panes svg")) == ("picture", 1)


def test_z_folds_runs_of_one_lane(browser: Browser, tmp_path: Path) -> None:
    document = post()
    path = tmp_path / "fold.html"
    taken = [step | {"lane": "A" if step["i"] < 5 else step["lane"]} for step in document["steps"]]
    path.write_text(trace_html([document | {"steps": taken, "loop": None}]), encoding="utf-8")
    with open_page(browser, path, "s=0") as one:
        assert one.count("#steps [role=option]") == 7
        one.press("z")
        assert one.live == "runs of one lane folded"
        assert one.text("#step-4") == "1–44 steps of A: tick(1) … tick(4)"
        one.press("j")
        assert one.where == "4 / 6"
        one.press("j", "k", "k")
        assert one.where == "0 / 6"
        one.press("z")
        assert (one.live, one.count("#steps [role=option]")) == ("all steps", 7)


def test_bar_pins_a_state_and_compares(page_at_five: OpenPage) -> None:
    page_at_five.press("|")
    assert page_at_five.live == "state 5 is pinned"
    page_at_five.press("j", "j", "j")
    assert page_at_five.all(".pane h3").all_text_contents() == ["Pinned: state 5", "State 8"]
    assert page_at_five.count("#panes svg.lanes") == 2
    reported = page_at_five.text("#changes")
    assert "Other than in the pinned state" in reported and "high_watermark[A]~0 → 1" in reported
    assert "isr[B]−C" in reported
    page_at_five.press("|")
    assert page_at_five.live == "nothing is pinned" and page_at_five.count(".pane") == 1


def test_space_plays_and_pauses(page_at_five: OpenPage) -> None:
    page_at_five.press("Space")
    assert page_at_five.live == "playing"
    page_at_five.passes(1000)
    assert page_at_five.where == "6 / 8"
    page_at_five.press("Space")
    assert page_at_five.live == "paused"
    page_at_five.passes(2000)
    assert page_at_five.where == "6 / 8"


def test_nothing_moves_by_itself_under_reduced_motion(browser: Browser, kip: Path) -> None:
    with open_page(browser, kip, "s=5", reduced_motion="reduce") as one:
        one.press("Space")
        assert one.live == "play is off: the system asks for reduced motion"
        one.passes(1100)
        assert one.where == "5 / 8"


def test_t_goes_round_the_themes(page_at_five: OpenPage) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page_at_five.run(ground)
    for reported, theme in (("theme: light", "light"), ("theme: dark", "dark"), ("theme: system", "system")):
        page_at_five.press("t")
        assert page_at_five.live == reported
        assert page_at_five.all("html").get_attribute("data-theme") == theme
        assert (page_at_five.run(ground) == light) == (theme != "dark")


def test_question_mark_lists_every_key(page_at_five: OpenPage) -> None:
    page_at_five.press("?")
    assert page_at_five.live == "all keys" and page_at_five.is_visible("#help-dialog")
    listed = set(page_at_five.all("#help-dialog kbd").all_text_contents())
    assert listed == {"Right", "Left", "Space", "Home", "End", *"190ljhkgGxnNdo/fmpv[]\\|zcyeta?"}
    page_at_five.press("Escape", "j")
    assert not page_at_five.is_visible("#help-dialog") and page_at_five.where == "6 / 8"


def test_c_y_and_e_take_things_away(browser: Browser, kip: Path) -> None:
    with open_page(browser, kip, "s=5", permissions=["clipboard-read", "clipboard-write"]) as one:
        read = "navigator.clipboard.readText()"
        one.press("c")
        one.waits("#live", "copied the replay command")
        assert one.run(read) == kip_101()["replay"]
        one.press("y")
        one.waits("#live", "copied the link")
        link = f"{kip.as_uri()}#s=5&d=1&v={trace_digest(kip_101())}"
        assert one.run(read) == f"{link}\n{kip_101()['replay']}"
        one.press("e")
        assert one.live == "export menu"
        menu = one.all("#export-dialog .menu button")
        assert menu.all_text_contents() == [
            "Copy the replay command", "Copy a link to this state", "Copy the trace as JSON", "Save all states as CSV",
            "Copy this state as JSON", "Copy as Markdown", "Copy as Mermaid", "Save the trace", "Save the picture",
            "Print",
        ]  # fmt: skip
        menu.get_by_text("Mermaid").click()
        one.waits("#live", "copied Mermaid")
        assert one.run(read).startswith("sequenceDiagram")


def test_what_cannot_be_copied_is_shown_to_be_copied_by_hand(page_at_five: OpenPage) -> None:
    page_at_five.run("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page_at_five.press("c")
    page_at_five.page.wait_for_selector("#export-dialog textarea")
    assert page_at_five.all("#export-dialog textarea").input_value() == kip_101()["replay"]


def test_e_saves_the_picture_as_a_file_of_its_own(page_at_five: OpenPage, tmp_path: Path) -> None:
    page_at_five.press("e")
    with page_at_five.page.expect_download() as download:
        page_at_five.all("#export-dialog").get_by_text("Save the picture").click()
    saved = download.value
    assert saved.suggested_filename == "replication-truncate_to_hw-5.svg"
    saved.save_as(tmp_path / "picture.svg")
    text = (tmp_path / "picture.svg").read_text(encoding="utf-8")
    assert text.startswith("<svg") and 'xmlns="http://www.w3.org/2000/svg"' in text
    assert ".cell-text" in text and "dialog" not in text
    assert '<rect x="0" y="0" ' in text and 'fill="var(--panel)"' in text  # readable on a page of any colour


def test_buttons_do_what_keys_do(page_at_five: OpenPage) -> None:
    for button, where in (("next", "6"), ("previous", "5"), ("last", "8"), ("first", "0"), ("failing", "8")):
        page_at_five.all(f"#{button}").click()
        assert page_at_five.where == f"{where} / 8"
    page_at_five.all("#step-3").click()
    assert page_at_five.where == "3 / 8"
    page_at_five.all(".lane[data-lane=C]").click()
    assert page_at_five.live == "lane C"


def test_arrows_in_the_list_and_on_the_scrubber(page_at_five: OpenPage) -> None:
    for part in ("#steps", ".scrubber"):
        page_at_five.all(part).focus()
        page_at_five.press("ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowRight")
        assert page_at_five.where == "6 / 8"
        page_at_five.press("PageUp")
        assert page_at_five.where == "0 / 8"
        page_at_five.press("PageDown", "g", "j", "j", "j", "j", "j")
        assert page_at_five.where == "5 / 8"


def test_a_model_without_a_view_shows_its_fields(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "die_hard.html"
    path.write_text(trace_html([four_gallons()]), encoding="utf-8")
    with open_page(browser, path) as one:
        assert one.text("#verdict") == "✓ witness for four_gallons"
        assert one.all("#panes tr").all_text_contents() == ["small3", "big4"]
        assert one.count("#panes svg") == 0
        one.press("k", "a", "o", "|", "j", "n", "1")
        assert one.all(".pane h3").all_text_contents() == ["Pinned: state 5", "State 6"]


def test_numbers_follow_the_order_in_which_lanes_are_drawn(browser: Browser, tmp_path: Path) -> None:
    """An audit sorts lanes by the brokers' names, which need not be the order of the model's letters."""
    document = kip_101()
    view = {**document["view"], "lanes": ["C", "A", "B"]}
    path = tmp_path / "page.html"
    path.write_text(trace_html([document | {"view": view}]), encoding="utf-8")
    with open_page(browser, path) as one:
        drawn = one.run("[...document.querySelectorAll('.lane')].map((lane) => lane.dataset.lane)")
        assert drawn == view["lanes"]
        for number, name in enumerate(drawn, 1):
            one.press(str(number))
            assert one.live == f"lane {name}"
        one.press("4")
        assert one.live == "there are 3 lanes"
