"""What is asked of groups: the requests that brokers get, and what is made of their answers."""

from __future__ import annotations

import pytest
from tidegate.real.driving.nodes.group_wire import (
    CONSUMER_GROUP_DESCRIBE,
    GROUP_ID_NOT_FOUND,
    add_partitions,
    commit_offsets,
    delete_offset,
    delete_records,
    list_consumers,
    list_members,
    read_committed,
)
from tidegate.real.driving.nodes.wire import BrokerError

from ....support.wire import GivenConnection, answer, partitions_answer


def test_what_a_group_has_committed_and_what_it_has_not() -> None:
    offsets = [answer(partition_index=0, error_code=0, committed_offset=7),
               answer(partition_index=1, error_code=0, committed_offset=-1)]  # fmt: skip
    to = GivenConnection(answer(error_code=0, topics=[answer(partitions=offsets)]))
    assert read_committed(to, "g", "orders", [0, 1]) == {0: 7, 1: None}
    (asked,) = to.asked
    assert (asked.group_id, asked.topics[0].name, list(asked.topics[0].partition_indexes)) == ("g", "orders", [0, 1])


def test_an_answer_without_partitions_is_no_group_without_offsets() -> None:
    """A coordinator that is reading its log knows of no offset, which is not that there is none."""
    with pytest.raises(BrokerError, match="a group's offset: COORDINATOR_LOAD_IN_PROGRESS"):
        read_committed(GivenConnection(answer(error_code=14, topics=[])), "g", "orders", [0])


def test_a_commit_is_of_a_group_without_members() -> None:
    to = GivenConnection(answer(topics=[partitions_answer("orders", [0, 0])]))
    commit_offsets(to, "g", "orders", {0: 3, 1: 4})
    (asked,) = to.asked
    assert (asked.group_id, asked.member_id, asked.generation_id_or_member_epoch) == ("g", "", -1)
    found = {one.partition_index: one.committed_offset for one in asked.topics[0].partitions}
    assert found == {0: 3, 1: 4}
    with pytest.raises(BrokerError, match="NOT_COORDINATOR"):
        commit_offsets(
            GivenConnection(answer(topics=[partitions_answer("orders", [0, 16])])), "g", "orders", {0: 3, 1: 4}
        )


def test_an_offset_that_is_not_deleted_is_an_error_of_the_group_or_of_the_partition() -> None:
    fine = answer(error_code=0, topics=[partitions_answer("orders", [0])])
    delete_offset(GivenConnection(fine), "g", "orders", 0)
    for bad in (answer(error_code=16, topics=[]), answer(error_code=0, topics=[partitions_answer("orders", [86])])):
        with pytest.raises(BrokerError):
            delete_offset(GivenConnection(bad), "g", "orders", 0)


def test_members_are_named_by_their_clients() -> None:
    members = [answer(client_id="tidegate-0"), answer(client_id="tidegate-1")]
    to = GivenConnection(answer(groups=[answer(error_code=0, members=members)]))
    assert list_members(to, "g") == {"tidegate-0", "tidegate-1"}


def consumers_answer(code: int, *clients: str) -> bytes:
    """ConsumerGroupDescribe 0, from its number on: each member with no partition."""
    nothing = b"\x01\0"
    members = b"".join(
        b"\x02m\0\0\0\0\0\1" + bytes([len(name) + 1]) + name.encode() + b"\x02h\x01\0" + nothing * 2 + b"\0"
        for name in clients
    )
    head = b"\0\0\0\1\0\0\0\0\0\x02" + code.to_bytes(2, "big")
    return head + b"\0\x02g\x07Stable\0\0\0\1\0\0\0\1\x08uniform"[:-4] + bytes([len(clients) + 1]) + members


def test_of_a_group_that_there_never_was_nobody_is_a_member() -> None:
    to = GivenConnection(consumers_answer(GROUP_ID_NOT_FOUND))
    assert list_consumers(to, "grp") == frozenset()
    assert to.asked == [(CONSUMER_GROUP_DESCRIBE, 0, b"\x02\x04grp\0\0")]
    with pytest.raises(BrokerError, match="NOT_COORDINATOR"):
        list_consumers(GivenConnection(consumers_answer(16)), "grp")


def test_records_are_deleted_below_an_offset_and_partitions_added_up_to_a_number() -> None:
    to = GivenConnection(answer(topics=[partitions_answer("orders", [0])]), answer(results=[answer(error_code=0)]))
    delete_records(to, "orders", 0, 5)
    add_partitions(to, "orders", 3)
    deleted, added = to.asked
    assert (deleted.topics[0].name, deleted.topics[0].partitions[0].offset) == ("orders", 5)
    assert (added.topics[0].name, added.topics[0].count) == ("orders", 3)
    with pytest.raises(BrokerError, match="adding partitions"):
        add_partitions(GivenConnection(answer(results=[answer(error_code=37)])), "orders", 1)
