"""A queue between two channels that hand values over by handshake, after `SpecifyingSystems/FIFO/MCInnerFIFO.tla`.

3,864 states within the bound, for queues of at most three messages.
"""

from typing import Annotated

from tidegate.language import (
    Capacity,
    Domain,
    Seq,
    action,
    bound,
    constant,
    initial,
    invariant,
    record,
    replace,
    require,
    state,
)

messages = constant(3, minimum=1, maximum=4, says="different messages")
longest = constant(3, minimum=1, maximum=5, says="messages in the queue, at most")


class Message(Domain, size=messages, symmetric=True):
    """What is sent."""


@record
class Channel:
    """A value that is handed over: it is new where the two sides differ."""

    value: Message
    ready: bool  # the sender's side
    taken: bool  # the receiver's side


@state
class Buffer:
    """The channel in, the queue, the channel out."""

    entrance: Channel  # from the sender
    queue: Annotated[Seq[Message], Capacity(longest + 1)]  # what was received and not yet sent on
    exit: Channel  # to the receiver


@initial
def start(first: Message, one: bool, second: Message, two: bool) -> Buffer:
    """Nothing is under way."""
    return Buffer(
        entrance=Channel(value=first, ready=one, taken=one),
        queue=Seq(),
        exit=Channel(value=second, ready=two, taken=two),
    )


@bound
def short_queue(s: Buffer) -> bool:
    """The queue is short."""
    return len(s.queue) <= longest


@action
def send(s: Buffer, message: Message) -> None:
    """The sender hands {message} over."""
    require(s.entrance.ready == s.entrance.taken)
    s.entrance = replace(s.entrance, value=message, ready=not s.entrance.ready)


@action
def accept(s: Buffer) -> None:
    """The buffer takes what the sender hands over."""
    require(s.entrance.ready != s.entrance.taken)
    s.entrance = replace(s.entrance, taken=not s.entrance.taken)
    s.queue.append(s.entrance.value)


@action
def hand_on(s: Buffer) -> None:
    """The buffer hands its oldest message on."""
    require(len(s.queue) > 0)
    require(s.exit.ready == s.exit.taken)
    s.exit = replace(s.exit, value=s.queue[0], ready=not s.exit.ready)
    s.queue = s.queue[1:]


@action
def receive(s: Buffer) -> None:
    """The receiver takes what the buffer hands on."""
    require(s.exit.ready != s.exit.taken)
    s.exit = replace(s.exit, taken=not s.exit.taken)


@invariant
def little_is_kept(s: Buffer) -> bool:
    """No more is in the queue than there is room for."""
    return len(s.queue) <= longest + 1
