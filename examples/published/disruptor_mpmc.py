"""A ring buffer with several writers and several readers, each of which reads all of it: the Disruptor, after
`Disruptor/Disruptor_MPMC.tla` and `RingBuffer.tla`.

112,929 states within the bound with two writers, three readers, four slots and ten records; 14,365 with two readers.
Whether a slot holds a record of an even or of an odd round says whether it was published.
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
    transition,
)

writers = constant(2, minimum=1, maximum=3, says="writers")
readers = constant(2, minimum=1, maximum=4, says="readers")
size = constant(4, minimum=1, maximum=8, says="slots of the ring")
claimed_at_most = constant(10, minimum=1, maximum=16, says="records claimed, at most")


class Writer(Domain, size=writers, symmetric=True):
    """Who writes."""


class Reader(Domain, size=readers, symmetric=True):
    """Who reads."""


class Slot(Domain, size=size, ordered=True):
    """A slot of the ring."""


Sequence = Annotated[int, Range(-1, claimed_at_most + 1)]


@state
class Disruptor:
    """The ring, and how far everyone is."""

    slots: Map[Slot, Sequence]  # the record in each slot, -1 without one
    reading: Map[Slot, Set[Reader]]  # who reads in each slot
    writing: Map[Slot, Set[Writer]]  # who writes in each slot
    next_sequence: Sequence  # the next record that is claimed
    claimed: Map[Writer, Sequence]  # the last record that each writer claimed
    published: Map[Slot, bool]  # turned by each record that is published in a slot
    read: Map[Reader, Sequence]  # the last that each reader is done with
    consumed: Map[Reader, Annotated[Seq[Sequence], Capacity(claimed_at_most + 1)]]  # what each reader has seen


@initial
def start() -> Disruptor:
    """Nothing was written."""
    return Disruptor(
        slots=Map({slot: -1 for slot in Slot}),
        reading=Map({slot: Set() for slot in Slot}),
        writing=Map({slot: Set() for slot in Slot}),
        next_sequence=0,
        claimed=Map({writer: -1 for writer in Writer}),
        published=Map({slot: False for slot in Slot}),
        read=Map({reader: -1 for reader in Reader}),
        consumed=Map({reader: Seq() for reader in Reader}),
    )


@bound
def few_are_claimed(s: Disruptor) -> bool:
    """Few records are claimed."""
    return s.next_sequence <= claimed_at_most


def is_published(s: Disruptor, sequence: int) -> bool:
    """Whether a slot holds this record, and not one of the round before."""
    return s.published[Slot(sequence % size)] == (sequence // size % 2 == 0)


@action
def begin_write(s: Disruptor, writer: Writer) -> None:
    """{writer} claims the next record, whose slot all have read, and begins to write it."""
    require(not any(writer in s.writing[slot] for slot in Slot))
    require(all(s.read[reader] >= s.next_sequence - size for reader in Reader))
    slot = Slot(s.next_sequence % size)
    s.writing[slot].add(writer)
    s.slots[slot] = s.next_sequence
    s.claimed[writer] = s.next_sequence
    s.next_sequence += 1


@action
def end_write(s: Disruptor, writer: Writer) -> None:
    """{writer} publishes what it has written."""
    require(any(writer in s.writing[slot] for slot in Slot))
    slot = Slot(s.claimed[writer] % size)
    s.writing[slot].remove(writer)
    s.published[slot] = not s.published[slot]


@action
def begin_read(s: Disruptor, reader: Reader) -> None:
    """{reader} begins to read the next record."""
    require(not any(reader in s.reading[slot] for slot in Slot))
    require(is_published(s, s.read[reader] + 1))
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
    """At most one writes in a slot, and nobody reads there then."""
    return all(len(s.writing[slot]) == 0 or len(s.reading[slot]) == 0 for slot in Slot) and all(
        len(s.writing[slot]) <= 1 for slot in Slot
    )


@invariant
def records_are_read_in_order(s: Disruptor) -> bool:
    """What a reader has seen are all records from the first, in order."""
    return all(all(record == at for at, record in enumerate(s.consumed[reader])) for reader in Reader)


@transition
def readers_go_on(before: Disruptor, after: Disruptor) -> bool:
    """No reader goes back."""
    return all(after.read[reader] in (before.read[reader], before.read[reader] + 1) for reader in Reader)
