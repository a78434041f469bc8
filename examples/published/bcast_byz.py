"""Reliable broadcast with Byzantine faults, one round, after `bcastByz/bcastByz.tla`: Fig. 7 of T. K. Srikanth and
Sam Toueg, Simulating authenticated broadcasts to derive simple fault-tolerant algorithms, 1987.

14,424 states with four processes of which one may be faulty. With `broadcast=False` nobody has the message at first,
and nobody accepts it. A message says only who sent it, so that a set of senders stands for a set of messages.
"""

from enum import Enum

from tidegate.language import (
    Domain,
    Map,
    Set,
    action,
    constant,
    initial,
    invariant,
    reachable,
    require,
    state,
    terminal,
)

processes = constant(4, minimum=1, maximum=6, says="processes")
tolerated = constant(1, minimum=0, maximum=1, says="faulty processes that are tolerated (T)")
faulty = constant(1, minimum=0, maximum=1, says="faulty processes that there are (F)")
broadcast = constant(True, says="some processes may have received the message at first")


class Process(Domain, size=processes, symmetric=True):
    """A process, correct or faulty."""


class Phase(Enum):
    """What a process knows and has done."""

    V0 = "v0"  # it did not receive the message
    V1 = "v1"  # it did
    SENT = "se"  # it sent an echo
    ACCEPTED = "ac"  # it accepted


@state
class Broadcast:
    """The processes, and the echoes."""

    pc: Map[Process, Phase]  # what each process does
    received: Map[Process, Set[Process]]  # whose echoes each process has
    sent: Set[Process]  # correct processes that sent an echo
    correct: Set[Process]  # who is correct


@initial
def start(pc: Map[Process, Phase], correct: Set[Process]) -> Broadcast:
    """Any of the processes are faulty, and any have received the message."""
    require(all(pc[p] == Phase.V0 or (broadcast and pc[p] == Phase.V1) for p in Process))
    require(len(correct) == processes - faulty)
    return Broadcast(pc=pc, received=Map({p: Set() for p in Process}), sent=Set(), correct=correct)


def heard(s: Broadcast, p: Process, new: Set[Process]) -> int:
    """Of how many a process has echoes, with new ones."""
    return len(s.received[p] | new)


def receive(s: Broadcast, p: Process, new: Set[Process], then: Phase) -> None:
    """A correct process receives echoes, which correct ones sent or faulty ones may send, and goes on."""
    require(p in s.correct and all(q in s.sent or q not in s.correct for q in new))
    s.received[p] |= new
    s.pc[p] = then


@action
def send_message_on(s: Broadcast, p: Process, new: Set[Process]) -> None:
    """{p}, which received the message, sends an echo, and receives those of {new}."""
    require(s.pc[p] == Phase.V1)
    receive(s, p, new, Phase.SENT)
    s.sent.add(p)


@action
def join(s: Broadcast, p: Process, new: Set[Process]) -> None:
    """{p} receives echoes of {new}, and has those of a correct process among them: it sends its own."""
    require(s.pc[p] in (Phase.V0, Phase.V1))
    require(processes - 2 * tolerated <= heard(s, p, new) < processes - tolerated)
    receive(s, p, new, Phase.SENT)
    s.sent.add(p)


@action
def accept(s: Broadcast, p: Process, new: Set[Process]) -> None:
    """{p} receives echoes of {new}, has enough, and accepts; it sends its own if it did not."""
    require(s.pc[p] != Phase.ACCEPTED and heard(s, p, new) >= processes - tolerated)
    receive(s, p, new, Phase.ACCEPTED)
    s.sent.add(p)


@invariant
def unforgeable(s: Broadcast) -> bool:
    """Where nobody received the message, no correct process accepts."""
    return broadcast or all(s.pc[p] != Phase.ACCEPTED for p in s.correct)


@invariant
def few_are_faulty(s: Broadcast) -> bool:
    """At least as many as are relied on are correct, and only they have sent."""
    return len(s.correct) >= processes - tolerated and s.sent <= s.correct


@reachable
def all_accept(s: Broadcast) -> bool:
    """Every correct process has accepted."""
    return all(s.pc[p] == Phase.ACCEPTED for p in s.correct)


@terminal
def quiet(s: Broadcast) -> bool:
    """A run may end anywhere: nobody has to receive."""
    return True
