"""A ring buffer with one writer and several readers, each of which reads all of it: the Disruptor, after
`Disruptor/Disruptor_SPMC.tla` and `RingBuffer.tla`.

8,496 states within the bound with three readers, four slots and ten records. Its claim of liveness is left out: of a
run that stops at the bound nothing can be said (TLC checks it on the states within, as though nothing were beyond).
"""

from typing import Annotated

from tidegate.language import (
    Capacity,
    Domain,
    Map,
    Range,
    Seq,
    Set,
    action,
    bound,
    constant,
    initial,
    invariant,
    require,
    state,
)

readers = constant(3, minimum=1, maximum=4, says="readers")
size = constant(4, minimum=1, maximum=8, says="slots of the ring")
published_at_most = constant(10, minimum=1, maximum=16, says="records published, at most")


class Reader(Domain, size=readers, symmetric=True):
    """Who reads."""


class Slot(Domain, size=size, ordered=True):
    """A slot of the ring."""


Sequence = Annotated[int, Range(-1, published_at_most)]


@state
class Disruptor:
    """The ring, and how far everyone is."""

    slots: Map[Slot, Sequence]  # the record in each slot, -1 without one
    reading: Map[Slot, Set[Reader]]  # who reads in each slot
    writing: Map[Slot, bool]  # whether the writer is in it
    published: Sequence  # the last record that was published
    read: Map[Reader, Sequence]  # the last that each reader is done with
    consumed: Map[Reader, Annotated[Seq[Sequence], Capacity(published_at_most + 1)]]  # what each reader has seen


@initial
def start() -> Disruptor:
    """Nothing was written."""
    return Disruptor(
        slots=Map({slot: -1 for slot in Slot}),
        reading=Map({slot: Set() for slot in Slot}),
        writing=Map({slot: False for slot in Slot}),
        published=-1,
        read=Map({reader: -1 for reader in Reader}),
        consumed=Map({reader: Seq() for reader in Reader}),
    )


@bound
def few_are_published(s: Disruptor) -> bool:
    """Few records are published."""
    return s.published < published_at_most


@action
def begin_write(s: Disruptor) -> None:
    """The writer begins to write the next record, into a slot that all have read."""
    require(not any(s.writing[slot] for slot in Slot))
    require(all(s.read[reader] >= s.published + 1 - size for reader in Reader))
    slot = Slot((s.published + 1) % size)
    s.writing[slot] = True
    s.slots[slot] = s.published + 1


@action
def end_write(s: Disruptor) -> None:
    """The writer publishes what it has written."""
    slot = Slot((s.published + 1) % size)
    require(s.writing[slot])
    s.writing[slot] = False
    s.published += 1


@action
def begin_read(s: Disruptor, reader: Reader) -> None:
    """{reader} begins to read the next record."""
    require(not any(reader in s.reading[slot] for slot in Slot))
    require(s.published > s.read[reader])
    slot = Slot((s.read[reader] + 1) % size)
    s.reading[slot].add(reader)
    s.consumed[reader].append(s.slots[slot])


@action
def end_read(s: Disruptor, reader: Reader) -> None:
    """{reader} is done with it."""
    slot = Slot((s.read[reader] + 1) % size)
    require(reader in s.reading[slot])
    s.reading[slot].remove(reader)
    s.read[reader] += 1


@invariant
def no_data_races(s: Disruptor) -> bool:
    """Nobody reads where the writer writes."""
    return all(not s.writing[slot] or len(s.reading[slot]) == 0 for slot in Slot)


@invariant
def records_are_read_in_order(s: Disruptor) -> bool:
    """What a reader has seen are all records from the first, in order, none before it was published."""
    return all(
        len(s.consumed[reader]) <= s.published + 1 and all(record == at for at, record in enumerate(s.consumed[reader]))
        for reader in Reader
    )
