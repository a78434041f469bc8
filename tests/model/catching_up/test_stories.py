"""How a follower catches up with a leader: epoch entries, a log's start, shutdown. spec/catching_up.toml has more."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.invariants.catalogue import find
from tidegate.language.judge import initial_states, replay
from tidegate.language.steptext import StepError
from tidegate.language.values import State
from tidegate.model.catching_up import Entry, Replica

from ...support.shipped import bind_shipped

A, B = Replica(0), Replica(1)
CLAIMS = ("followers_join", "high_watermark_moves_on", "high_watermark_waits_for_no_lag")


@pytest.mark.parametrize(
    ("profile", "never"),
    [
        ("kafka_3_6", ()),
        ("kafka_3_5", ()),
        ("kafka_15021", ("high_watermark_waits_for_no_lag",)),
        ("kafka_10706", ("followers_join", "high_watermark_waits_for_no_lag")),
        ("kafka_9491", ("high_watermark_moves_on", "high_watermark_waits_for_no_lag")),
    ],
)
def test_what_never_happens_with_each_mistake(profile: str, never: tuple[str, ...], cache: Path) -> None:
    definition, _ = find("catching_up")
    small = {"records": 1, "shutdowns": 1}
    model = definition.bind("catching_up", small, profile, ghosts=False, properties=CLAIMS)
    verdict = ENGINES["native"](model, Search(cache=cache, keep_going=True), None)
    assert {prop.name: prop.verdict for prop in verdict.properties} == {
        name: "violated" if name in never else "holds" for name in CLAIMS
    }


REPAIRED = {"kafka_20961_repaired": ("kafka_3_6", {"moves": 1})}
"""Profiles with constants, by a name for both."""


def state_after(profile: str, *steps: str) -> State:
    """The state after some steps; `fetch B` is of follower B."""
    given = REPAIRED.get(profile, (profile, {}))
    model = bind_shipped(f"catching_up:{given[0]}", dict(given[1]), called=profile)
    names = {"elect": "replica", "move_log": "replica"}
    taken = [
        (action, {names.get(action, "follower"): {"A": A, "B": B}[who]} if who else {})
        for action, _, who in (step.partition(" ") for step in steps)
    ]
    return replay(model, next(iter(initial_states(model))), taken).steps[-1].state_after


DIVERGES = ("produce", "fetch B", "fetch B", "elect B", "elect A", "truncate B")


def test_an_epoch_without_records_goes_when_the_log_is_truncated_at_its_end() -> None:
    """KAFKA-10706. Epoch 1 is B's alone: the leader's epoch 2 begins at the same offset."""
    kept, repaired = state_after("kafka_10706", *DIVERGES), state_after("kafka_3_6", *DIVERGES)
    assert list(repaired.entries[B]) == [Entry(epoch=0, start=0)]
    assert list(kept.entries[B]) == [Entry(epoch=0, start=0), Entry(epoch=1, start=1)]
    assert kept.end[B] == repaired.end[B] == 1
    joined = state_after("kafka_3_6", *DIVERGES, "produce", "fetch B")
    assert list(joined.entries[B]) == [Entry(epoch=0, start=0), Entry(epoch=2, start=1)]


def test_a_log_that_begins_anew_has_no_high_watermark_before_it() -> None:
    """KAFKA-9491, as in Kafka's LogTest: a full truncation also resets the high watermark."""
    steps = ("produce", "lag B", "shrink_isr B", "advance_high_watermark", "delete_records", "begin_anew B")
    assert [state_after(profile, *steps).high_watermark[B] for profile in ("kafka_9491", "kafka_3_6")] == [0, 1]
    assert state_after("kafka_3_6", *steps).start[B] == state_after("kafka_3_6", *steps).end[B] == 1


SPARSE = (
    "produce",
    "fetch B",
    "elect B",
    "produce",
    "align A",
    "fetch A",
    "fetch A",
    "ask A",
    "advance_high_watermark",
)


def test_entries_of_leaders_alone_end_an_epoch_below_the_high_watermark() -> None:
    """KAFKA-7897. A has entries of epochs 0 and 2, B of 1: where epoch 0 ended, neither can know."""
    steps = (*SPARSE, "elect A")
    assert list(state_after("kafka_7897", *steps).entries[A]) == [Entry(epoch=0, start=0), Entry(epoch=2, start=2)]
    assert list(state_after("kafka_7897", *steps).entries[B]) == [Entry(epoch=1, start=1)]
    assert list(state_after("message_format_1", *steps).entries[A]) == []
    ends = {p: state_after(p, *steps, "align B").end[B] for p in ("kafka_7897", "message_format_1")}
    assert ends == {"kafka_7897": 1, "message_format_1": 2}
    assert state_after("kafka_7897", *steps).high_watermark[B] == 2


def test_without_epochs_a_new_follower_truncates_at_its_high_watermark() -> None:
    """What a follower has above its high watermark goes, also where the leader has it: it fetches it again."""
    steps = ("produce", "fetch B", "elect B", "produce", "elect A")
    assert [state_after("message_format_1", *steps, *more).end[B] for more in ((), ("align B",))] == [2, 0]


def test_a_log_that_is_moved_keeps_the_epochs_of_its_records_alone() -> None:
    """KAFKA-20961: the follower's offset is the leader's end, and out of range until a record is appended."""
    steps = ("elect B", "lag A", "shrink_isr A", "move_log B")
    moved, repaired = state_after("kafka_20961", *steps), state_after("kafka_20961_repaired", *steps)
    assert [list(state.entries[B]) for state in (moved, repaired)] == [[], [Entry(epoch=1, start=0)]]
    with pytest.raises(StepError):
        state_after("kafka_20961", *steps, "fetch A")
    with pytest.raises(StepError):
        state_after("kafka_20961", *steps, "truncate A")
    written = state_after("kafka_20961", *steps, "produce", "fetch A")
    assert list(written.entries[A]) == list(written.entries[B]) == [Entry(epoch=1, start=0)]
