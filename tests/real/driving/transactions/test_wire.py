"""What a transactional producer asks, of either version of transactions, and what its coordinator says."""

from __future__ import annotations

import pytest
from tidegate.real.driving.transactions.wire import ID, describe_transaction, send_request
from tidegate.real.driving.transactions.world import NOT_FOUND, ProducerRequest, ProducerResponse

from ....support.wire import GivenConnection, answer

INIT = ProducerRequest("init")
ADD = ProducerRequest("add", 7, 2, "orders")
END = ProducerRequest("end", 7, 2, commit=True)
WRITE = ProducerRequest("produce", 7, 2, "orders", sequence=1, txn=3)


def test_a_producer_begins_with_an_id_and_an_epoch() -> None:
    to = GivenConnection(answer(error_code=0, producer_id=7, producer_epoch=2))
    assert send_request(to, INIT, False, 5000) == ProducerResponse(0, 7, 2)
    (asked,) = to.asked
    assert (asked.transactional_id, asked.transaction_timeout_ms) == (ID, 5000)
    assert (asked.producer_id, asked.producer_epoch) == (-1, -1)


def test_a_partition_is_added_with_the_epoch_that_the_producer_has() -> None:
    found = answer(results_by_partition=[answer(partition_error_code=47)])
    to = GivenConnection(answer(results_by_topic_v3_and_below=[found]))
    assert send_request(to, ADD, False, 5000) == ProducerResponse(47)
    (asked,) = to.asked
    assert (asked.v3_and_below_producer_id, asked.v3_and_below_producer_epoch) == (7, 2)
    assert [(topic.name, list(topic.partitions)) for topic in asked.v3_and_below_topics] == [("orders", [0])]


@pytest.mark.parametrize(("version_2", "version", "given"), [(False, 1, (-1, -1)), (True, 5, (7, 3))])
def test_with_version_2_each_transaction_ends_with_a_new_epoch(
    version_2: bool, version: int, given: tuple[int, int]
) -> None:
    """KIP-890: the coordinator raises it, so that what came late of the old transaction is fenced."""
    to = GivenConnection(answer(error_code=0, producer_id=7, producer_epoch=3))
    assert send_request(to, END, version_2, 5000) == ProducerResponse(0, *given)
    (asked,) = to.asked
    assert (asked.API_VERSION, asked.committed, asked.producer_epoch) == (version, True, 2)


@pytest.mark.parametrize(("version_2", "version"), [(False, 7), (True, 12)])
def test_a_record_says_its_transaction_and_its_sequence(version_2: bool, version: int) -> None:
    partition = answer(error_code=0)
    to = GivenConnection(answer(responses=[answer(partition_responses=[partition])]))
    assert send_request(to, WRITE, version_2, 5000) == ProducerResponse(0)
    (asked,) = to.asked
    assert (asked.API_VERSION, asked.transactional_id, asked.acks) == (version, ID, -1)
    batch = bytes(asked.topic_data[0].partition_data[0].records)
    assert int.from_bytes(batch[43:51], "big") == 7, "the producer id"
    assert int.from_bytes(batch[51:53], "big") == 2, "its epoch"
    assert int.from_bytes(batch[53:57], "big") == 1, "the sequence of the first record"
    assert int.from_bytes(batch[21:23], "big") & 0x10, "it is of a transaction"


@pytest.mark.parametrize(
    ("state", "words"),
    [("Ongoing", "ongoing"), ("PrepareCommit", "prepare commit"), ("CompleteAbort", "complete abort")],
)
def test_the_state_of_a_transaction_is_in_small_letters(state: str, words: str) -> None:
    found = answer(error_code=0, transaction_state=state, producer_epoch=4, topics=[answer(topic="orders")])
    said = describe_transaction(GivenConnection(answer(transaction_states=[found])))
    assert said is not None and (said.state, said.epoch, said.topics) == (words, 4, {"orders"})


def test_an_id_that_nobody_has_is_dead_and_a_broker_that_does_not_know_says_nothing() -> None:
    dead = describe_transaction(GivenConnection(answer(transaction_states=[answer(error_code=NOT_FOUND)])))
    assert dead is not None and (dead.state, dead.epoch, dead.topics) == ("dead", -1, frozenset())
    assert describe_transaction(GivenConnection(answer(transaction_states=[answer(error_code=16)]))) is None
