"""`tidegate demo`: a story by name, the first without one, and what is said of a name that is none."""

from __future__ import annotations

from ..conftest import Run


def test_the_first_story_finds_the_loss_and_shows_the_fix_and_lists_the_others(tidegate: Run) -> None:
    done = tidegate("demo")
    assert done.exit == 0
    assert "leader_completeness fails after 11 steps" in done.out
    assert "✓ replication:kip320 holds: exhaustive within bounds" in done.out
    assert "\n  tidegate demo outage       the outage of __consumer_offsets" in done.out


def test_a_story_shows_commands_and_what_they_print(tidegate: Run) -> None:
    done = tidegate("demo", "walk", "--ascii", "--width", "90")
    assert done.exit == 0 and done.out.isascii() and "Other stories" not in done.out
    assert '$ tidegate replay partition:kafka_4_1 --set replicas=2 --steps "produce(A); fetch(A, B);' in done.out
    assert "fails after 8 steps" in done.out


def test_a_story_that_there_is_not_is_named(tidegate: Run) -> None:
    done = tidegate("demo", "outtage")
    assert (done.exit, done.err) == (64, "tidegate: no story is called outtage; did you mean outage?\n")
