"""What `validate` says of a history: a loss is never good news, and a page is in the order of what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.reports.text_page import TextFormat
from tidegate.reports.validate import moments_section, validate_index, validate_text

PLAIN = TextFormat(width=200)


def moment(offset: int, **other: Any) -> dict[str, Any]:
    """What a controller had on record, with broker 1 leading."""
    plain = {"leader": 1, "leader_epoch": 0, "isr": [1, 2], "elr": [], "fenced": [], "assignment": None, "lost": False}
    return plain | {"time_ms": 1_700_000_000_123 + offset, "offset": offset} | other


def partition(result: str = "shown", **other: Any) -> dict[str, Any]:
    moments = [moment(3), moment(5, leader=2, leader_epoch=1, isr=[2])]
    step = {"says": "Broker 1 loses power.", "kind": "fault"}
    legs = [{"to": 1, "steps": [step, step | {"says": "Broker 2 becomes leader.", "kind": "normal"}]}]
    plain = {"name": "orders-0", "alike": ["orders-0"], "result": result, "why": "", "losses": [], "html": "",
             "possible_losses": [], "from_creation": True, "moments": moments, "legs": legs, "seen": 1,
             "instead": [], "assumed": []}  # fmt: skip
    return plain | other


def document(*partitions: dict[str, Any]) -> dict[str, Any]:
    return {"kafka": "3.9", "zookeeper": False, "files": ["a.log"], "broker_files": [], "notes": [],
            "partitions": list(partitions)}  # fmt: skip


def text_of(*partitions: dict[str, Any], steps: bool = False) -> str:
    return validate_text(document(*partitions), PLAIN, steps=steps)


LOSS = {"name": "orders-0", "first": 4, "end": 6, "broker": 1, "epoch": 1, "committed": "a.log:7", "lost": "b.log:9"}


def test_partitions_are_counted_by_what_came_out() -> None:
    text = text_of(partition(), partition("not_shown", seen=0), partition("undecided", why="time is out"))
    assert text.startswith(
        "1 partition did what the model does, 1 partition did what no run of the model does, 1 partition undecided."
    )
    assert "\n  time is out\n" in text


def test_a_history_that_a_run_shows_and_that_loses_is_bad() -> None:
    """The model shows it, since it is the model of what may happen; the records are gone all the same."""
    text = text_of(partition(losses=[LOSS]))
    assert "1 partition lost committed records" in text and "✗ orders-0" in text and "✓" not in text
    assert "records 4 to 5 were below the high watermark of broker 1, and the leader of epoch 1 starts without" in text
    one = text_of(partition(possible_losses=[LOSS | {"end": 5}]))
    assert "? orders-0" in one and "may have lost" in one and "record 4 was below" in one


def test_with_steps_the_run_stands_between_its_moments() -> None:
    text = text_of(partition(), steps=True)
    parts = ("offset 3: leader 1, epoch 0, ISR 1 2", "Broker 1 loses power.  (fault)", "Broker 2 becomes leader.")
    places = [text.index(part) for part in (*parts, "offset 5: leader 2, epoch 1, ISR 2")]
    assert places == sorted(places) and "Broker 1 loses power" not in text_of(partition())


@pytest.mark.parametrize(
    ("instead", "said"),
    [
        ([], "From there the model does nothing that is seen."),
        ([moment(5, leader=1, leader_epoch=1, isr=[2])], "leader 1, epoch 1, ISR 2: another leader"),
        ([moment(5, leader=None, leader_epoch=2, isr=[])], "leader none, epoch 2, ISR empty: another leader, epoch,"),
        ([moment(5, leader=2, leader_epoch=1, isr=[2])] * 5, "and 2 more, with --json"),
        ([moment(5, leader=2, leader_epoch=1, isr=[2])], "the same, but by another step than the log says"),
    ],
)
def test_where_no_run_goes_on_it_says_what_the_model_does_instead(instead: list[dict[str, Any]], said: str) -> None:
    text = " ".join(text_of(partition("not_shown", seen=0, instead=instead)).split())
    assert "no run of the model shows moment 2 of 2" in text and said in text


def test_partitions_with_one_history_are_named_together_and_not_all() -> None:
    names = [f"orders-{number}" for number in range(6)]
    text = text_of(partition(alike=names))
    assert "orders-0 and 5 more: " in text and "the same happened in orders-1, orders-2, orders-3, ..." in text
    assert text.startswith("6 partitions did what the model does.")


def test_the_page_of_all_histories_begins_with_what_is_wrong() -> None:
    good, bad = partition(name="fine-0", alike=["fine-0"]), partition("not_shown", seen=0, why="<b>")
    page = validate_index(document(good, bad))
    assert '<h1 class="bad">' in page and page.index("orders-0") < page.index("fine-0")
    assert "&lt;b&gt;" in page
    assert '<h1 class="good">' in validate_index(document(good))


def test_each_moment_says_after_which_step_it_is_seen() -> None:
    found = partition("not_shown", seen=0)
    section = moments_section(found, [{4: 0}])
    assert '<th scope="row">4</th>' in section and "no run of the model shows it" in section
    assert '<th scope="row">4, part 2</th>' in moments_section(found, [{}, {4: 0}])
    assert "within a step" in moments_section(partition(), [{4: 1}])
