"""The alternating bit protocol over queues that lose messages, after Lamport, *Specifying Systems* (2002), section 14.

The sender repeats a value with a bit until the bit comes back; the receiver repeats the bit that it saw last. What is
received comes out if messages that are sent again and again arrive again and again: strong fairness of receiving.

    tidegate check examples/liveness/alternating_bit.py --keep-going
"""

from __future__ import annotations

from typing import Annotated

from tidegate.language import (
    Capacity,
    Domain,
    Range,
    Seq,
    action,
    constant,
    eventually_always,
    initial,
    leads_to,
    record,
    require,
    state,
    strong,
    weak,
)

queue = constant(2, minimum=1, maximum=4, says="messages, and bits, that a queue holds: who finds it full waits")

Bit = Annotated[int, Range(0, 1)]
Place = Annotated[int, Range(0, queue - 1)]


class Value(Domain, size=2):
    """What is sent."""


@record
class Message:
    """A value with its bit."""

    bit: Bit
    value: Value


@state
class Wire:
    """Both ends and the two queues between them."""

    messages: Annotated[Seq[Message], Capacity(queue)]  # from the sender
    bits: Annotated[Seq[Bit], Capacity(queue)]  # from the receiver
    send_bit: Bit  # of the value that is being sent
    acknowledged: Bit  # the last bit that came back
    receive_bit: Bit  # the last bit that the receiver saw
    sent: Value
    received: Value


@initial
def start(bit: Bit, sent: Value, received: Value) -> Wire:
    """Nothing is on its way, and all bits are alike."""
    return Wire(
        messages=Seq(),
        bits=Seq(),
        send_bit=bit,
        acknowledged=bit,
        receive_bit=bit,
        sent=sent,
        received=received,
    )


@action(kind="client")
def send_new(s: Wire, value: Value) -> None:
    """{value} is sent."""
    require(s.acknowledged == s.send_bit)
    require(len(s.messages) < queue)
    s.send_bit = 1 - s.send_bit
    s.sent = value
    s.messages.append(Message(bit=s.send_bit, value=value))


@action
def send_again(s: Wire) -> None:
    """{s.sent} is sent again."""
    require(s.acknowledged != s.send_bit)
    require(len(s.messages) < queue)
    s.messages.append(Message(bit=s.send_bit, value=s.sent))


@action
def receive(s: Wire) -> None:
    """A message arrives."""
    require(len(s.messages) > 0)
    first = s.messages[0]
    s.messages = s.messages[1:]
    s.receive_bit = first.bit
    s.received = first.value


@action
def acknowledge(s: Wire) -> None:
    """The receiver sends back the bit that it saw last."""
    require(len(s.bits) < queue)
    s.bits.append(s.receive_bit)


@action
def receive_bit_back(s: Wire) -> None:
    """A bit comes back."""
    require(len(s.bits) > 0)
    s.acknowledged = s.bits[0]
    s.bits = s.bits[1:]


@action(kind="fault")
def lose_message(s: Wire, place: Place) -> None:
    """A message is lost."""
    require(place < len(s.messages))
    s.messages = s.messages[:place] + s.messages[place + 1 :]


@action(kind="fault")
def lose_bit(s: Wire, place: Place) -> None:
    """A bit is lost."""
    require(place < len(s.bits))
    s.bits = s.bits[:place] + s.bits[place + 1 :]


def is_received(s: Wire, value: Value) -> bool:
    """The receiver has this value."""
    return s.received == value


@leads_to(is_received, weak(send_again), weak(acknowledge), strong(receive), strong(receive_bit_back))
def sent_is_received(s: Wire, value: Value) -> bool:
    """What is being sent is received in the end."""
    return s.sent == value and s.send_bit != s.acknowledged


@leads_to(is_received, weak(send_again), weak(acknowledge), weak(receive), weak(receive_bit_back))
def sent_is_received_if_weakly_fair(s: Wire, value: Value) -> bool:
    """What is being sent is received in the end, though every message may be lost."""
    return s.sent == value and s.send_bit != s.acknowledged


@eventually_always(weak(send_again), weak(acknowledge), strong(receive), strong(receive_bit_back))
def bits_differ_for_good(s: Wire) -> bool:
    """In the end the bits of the two ends differ for ever, which is not so: a client need not send."""
    return s.send_bit != s.receive_bit
