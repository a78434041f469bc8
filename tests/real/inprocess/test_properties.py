"""The judge in plain Python, on histories of what is seen of nodes."""

from __future__ import annotations

from typing import Any

from tidegate.real.inprocess.properties import failing_properties


def node(role: str, epoch: int, log: str, committed: int = -1, *, life: int = 1, start: int = 0) -> dict[str, Any]:
    """A node: its log is written `1L 1#7`."""
    records = [(int(one[0]), 0 if one[1] == "L" else int(one[2:])) for one in log.split()]
    return {
        "up": True,
        "role": role,
        "epoch": epoch,
        "incarnation": life,
        "log": records,
        "start": start,
        "end": start + len(records),
        "high_watermark": committed,
    }


DOWN = {"up": False}


def test_what_holds() -> None:
    first = [node("Leader", 1, "1L 1#1", 2), node("Follower", 1, "1L 1#1", 1), DOWN]
    then = [DOWN, node("Leader", 2, "1L 1#1 2L", -1), node("Follower", 2, "", 0)]
    assert failing_properties([first, then]) == set()


def test_two_leaders_of_an_epoch_in_one_state_or_in_two() -> None:
    one, other = node("Leader", 3, "3L"), node("Follower", 2, "")
    assert failing_properties([[one, dict(one)]]) == {"one_leader"}
    assert failing_properties([[one, other], [other, one]]) == {"one_leader"}


def test_a_node_that_leads_the_same_epoch_in_another_life() -> None:
    assert failing_properties([[node("Leader", 1, "1L")], [node("Leader", 1, "1L", life=2)]]) == {"one_leader"}


def test_another_record_where_one_was_committed() -> None:
    first, second = node("Follower", 1, "1L 1#1", 2), node("Follower", 2, "1L 2L", 2)
    assert failing_properties([[first, second]]) == {"committed_stays"}
    assert failing_properties([[first, node("Follower", 2, "1L 2L", 1)]]) == set()


def test_more_committed_than_there_is() -> None:
    assert failing_properties([[node("Follower", 1, "1L", 2)]]) == {"committed_stays"}


def test_a_leader_of_a_later_epoch_without_what_is_committed() -> None:
    committed = node("Follower", 1, "1L 1#1", 2)
    assert failing_properties([[committed, node("Leader", 2, "1L 2L")]]) == {"leader_has_committed"}


def test_a_leader_that_is_elected_late_for_an_epoch_before_need_not_have_it() -> None:
    committed = node("Follower", 2, "2L 2#1", 2)
    assert failing_properties([[committed, node("Leader", 1, "1L")]]) == set()


def test_what_is_before_the_start_of_a_log_is_in_its_snapshot() -> None:
    committed = node("Follower", 1, "1L 1#1", 2)
    assert failing_properties([[committed, node("Leader", 2, "2L", start=2)]]) == set()
    assert failing_properties([[committed, node("Leader", 2, "2L", start=1)]]) == {"leader_has_committed"}


def test_a_high_watermark_that_goes_back_in_one_life() -> None:
    before, after = node("Follower", 1, "1L 1#1", 2), node("Follower", 1, "1L 1#1", 1)
    assert failing_properties([[before], [after]]) == {"high_watermark_grows"}
    assert failing_properties([[before], [{**after, "incarnation": 2}]]) == set()
    assert failing_properties([[before], [node("Leader", 2, "1L 1#1 2L", -1)]]) == set()
