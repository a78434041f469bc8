"""An election by sequential ephemeral znodes, as articles describe it for Kafka and as ZooKeeper's recipes have it.

Each candidate creates an ephemeral znode; ZooKeeper appends a sequence number to its path. Whose znode is first leads,
the others watch one that is before theirs, and read again when it is gone. Kafka itself does not elect like this: its
controller is who creates the one znode `/controller`. What the recipe turns on is a switch each:

* `order`: by the sequence number, or by the path `control_path_1_<broker>-<number>`, as it is written in an article: as
  a string, in which the broker's id comes first, and "10" before "2".
* `watch`: the znode just before one's own, or the first of all.
* `looks_again`: a candidate that sets its watch makes sure that the znode is still there.
* `fencing`: a leader takes a number, the *epoch*, which is written to a znode in the step in which it begins to lead.
  It comes with whatever the leader does, and who has seen a higher one refuses it.
* `heeds_expiry`: a leader that learns that its session has expired leads no longer (ZOOKEEPER-1209: some go on).

What is abstracted away: there is no clock, so a session may expire whenever its client is cut off. A candidate reads
all znodes in one step, and sets its watch in another. What a leader does is one step, to one thing, which remembers the
highest epoch. A candidate opens its session and creates its znode in one step.

Sources: the ZooKeeper recipes (leader election), ZOOKEEPER-1209, the programmer's guide. Properties are in
`invariants/znode_election.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ..language import (
    Domain,
    GroupLanes,
    Map,
    Option,
    Range,
    Seq,
    Set,
    action,
    choose,
    constant,
    initial,
    limit,
    position,
    require,
    state,
)
from .parts.zookeeper import Session, cut_off, expire, fire, learn_of_expiry, reconnect

IDS = (2, 10, 1, 3)  # of the brokers that are candidates
MOST = 6  # znodes that may be created in all


class Order(Enum):
    """By what znodes are ordered."""

    SEQUENCE = "sequence"  # the number that ZooKeeper appended
    PATH = "path"  # the whole path, as a string


class Watch(Enum):
    """Which znode a candidate watches that is not the first."""

    PREDECESSOR = "predecessor"  # the one just before its own
    FIRST = "first"  # the first of all


class Role(Enum):
    """What a candidate does."""

    OUT = "out"  # it has no znode
    READING = "reading"  # it has one, and has yet to read the others
    FOUND = "found"  # it has read which one to watch
    WAITING = "waiting"  # and has set its watch
    LEADING = "leading"  # it believes that it leads


candidates = constant(4, minimum=2, maximum=4, says="brokers that stand for election; their ids are 2, 10, 1 and 3")
znodes = constant(4, minimum=2, maximum=MOST, says="znodes that are created in all")
cuts = constant(2, minimum=0, maximum=4, says="connections between a candidate and ZooKeeper that fail")
majority_losses = constant(1, minimum=0, maximum=2, says="times that the ensemble loses its majority")
order = constant(Order.SEQUENCE, says="by what znodes are ordered")
watch = constant(Watch.PREDECESSOR, says="which znode a candidate watches")
looks_again = constant(True, says="a candidate makes sure that the znode that it watches is still there")
fencing = constant(True, says="what has seen a leader's epoch refuses lower ones")
heeds_expiry = constant(True, says="a leader whose session has expired leads no longer once it knows (ZOOKEEPER-1209)")


class Candidate(Domain, size=candidates, ordered=True, labels=("B2", "B10", "B1", "B3")):
    """A broker that stands for election. They differ by their ids, so they are not all alike."""


Number = Annotated[int, Range(0, znodes - 1)]
Epoch = Annotated[int, Range(0, znodes)]

PATHS = sorted(f"control_path_1_{broker}-{number:010d}" for broker in IDS for number in range(MOST))
PLACES = Seq([PATHS.index(f"control_path_1_{broker}-{number:010d}") for broker in IDS for number in range(MOST)])
"""Where each broker's path with each number comes among all such strings, broker by broker."""


@state
class Election:
    """The znodes, who has a session, and what the candidates know."""

    session: Map[Candidate, Session]  # how it is with each candidate's session
    number: Map[Candidate, Option[Number]]  # the sequence number of its ephemeral znode; None: it has none
    created: Annotated[int, Range(0, znodes)]  # znodes that were created so far: the next sequence number
    watches: Map[Candidate, Set[Number]]  # the znodes that each watches, by their numbers
    news: Map[Candidate, Set[Number]]  # znodes that it watched and that are gone, as it is yet to hear
    majority: bool  # whether the ensemble has its majority
    role: Map[Candidate, Role]  # what each candidate does
    found: Map[Candidate, Option[Number]]  # the znode that it has read to be the one to watch
    epoch: Epoch  # the persistent znode with the newest leader's epoch
    epoch_of: Map[Candidate, Epoch]  # the epoch that a leader has taken; 0 where it does not lead
    obeyed: Epoch  # the epoch of whoever's doing was accepted last


view = GroupLanes(
    lane=Candidate,
    state="role",
    generation="epoch_of",
    badges={"session": "session", "znode": "number", "watches": "watches"},
    board={"epoch": "epoch", "obeyed": "obeyed", "majority": "majority"},
)

profiles = {
    "recipe": {},
    "by_path": {"order": Order.PATH},
    "watch_first": {"watch": Watch.FIRST},
    "unfenced": {"fencing": False},
    "zookeeper_1209": {"heeds_expiry": False},
    "lost_wakeup": {"looks_again": False},
}


@initial
def start() -> Election:
    """Nobody has a session, and there is no znode."""
    return Election(
        session=Map({candidate: Session.OVER for candidate in Candidate}),
        number=Map({candidate: None for candidate in Candidate}),
        created=0,
        watches=Map({candidate: Set() for candidate in Candidate}),
        news=Map({candidate: Set() for candidate in Candidate}),
        majority=True,
        role=Map({candidate: Role.OUT for candidate in Candidate}),
        found=Map({candidate: None for candidate in Candidate}),
        epoch=0,
        epoch_of=Map({candidate: 0 for candidate in Candidate}),
        obeyed=0,
    )


# --- who is first -----------------------------------------------------------------------------------------------------


def place(candidate: Candidate, number: Number) -> int:
    """Where a candidate's znode with this number stands in the order."""
    return PLACES[position(candidate) * MOST + number] if order == Order.PATH else number


def is_before(s: Election, one: Candidate, other: Candidate) -> bool:
    """Whether both have a znode, and the one's is before the other's."""
    a = s.number[one]
    b = s.number[other]
    return a is not None and b is not None and place(one, a) < place(other, b)


def is_first(s: Election, candidate: Candidate) -> bool:
    """Whether it has a znode, and none is before it."""
    return s.number[candidate] is not None and not any(is_before(s, other, candidate) for other in Candidate)


def to_watch(s: Election, candidate: Candidate) -> Option[Number]:
    """The znode that a candidate that is not the first watches."""
    if watch == Watch.FIRST:
        return s.number[choose(other for other in Candidate if is_first(s, other))]
    return s.number[
        choose(
            other
            for other in Candidate
            if is_before(s, other, candidate)
            and not any(is_before(s, other, between) and is_before(s, between, candidate) for between in Candidate)
        )
    ]


# --- the recipe -------------------------------------------------------------------------------------------------------


@action
def join(s: Election, candidate: Candidate) -> None:
    """{candidate} opens a session and creates its ephemeral znode, which gets number {s.created}."""
    require(s.majority and s.role[candidate] == Role.OUT)
    limit(s.created < znodes)
    s.session[candidate] = Session.CONNECTED
    s.number[candidate] = s.created
    s.created += 1
    s.role[candidate] = Role.READING


@action
def lead(s: Election, candidate: Candidate) -> None:
    """{candidate} reads that its znode is the first, and begins to lead with epoch {s.epoch + 1}."""
    require(s.majority and s.session[candidate] == Session.CONNECTED)
    require(s.role[candidate] == Role.READING and is_first(s, candidate))
    s.role[candidate] = Role.LEADING
    s.epoch += 1
    s.epoch_of[candidate] = s.epoch


@action
def read(s: Election, candidate: Candidate) -> None:
    """{candidate} reads the znodes: number {to_watch(s, candidate)} is the one to watch."""
    require(s.majority and s.session[candidate] == Session.CONNECTED)
    require(s.role[candidate] == Role.READING and not is_first(s, candidate))
    s.found[candidate] = to_watch(s, candidate)
    s.role[candidate] = Role.FOUND


@action
def wait(s: Election, candidate: Candidate) -> None:
    """{candidate} sets a watch on znode {s.found[candidate]}."""
    require(s.majority and s.session[candidate] == Session.CONNECTED and s.role[candidate] == Role.FOUND)
    require(not looks_again or any(s.number[other] == s.found[candidate] for other in Candidate))
    found = s.found[candidate]
    if found is not None:
        s.watches[candidate].add(found)
    s.found[candidate] = None
    s.role[candidate] = Role.WAITING


@action
def read_again(s: Election, candidate: Candidate) -> None:
    """{candidate} finds that znode {s.found[candidate]} is gone before it could watch it, and reads again."""
    require(s.majority and s.session[candidate] == Session.CONNECTED and s.role[candidate] == Role.FOUND)
    require(looks_again and all(s.number[other] != s.found[candidate] for other in Candidate))
    s.found[candidate] = None
    s.role[candidate] = Role.READING


@action
def hear(s: Election, candidate: Candidate) -> None:
    """{candidate} learns that znode {s.news[candidate]}, which it watched, is gone."""
    require(s.session[candidate] == Session.CONNECTED and len(s.news[candidate]) > 0)
    s.news[candidate] = Set()
    s.role[candidate] = Role.READING


@action(kind="client")
def act(s: Election, candidate: Candidate) -> None:
    """{candidate} acts as the leader of epoch {s.epoch_of[candidate]}, and is obeyed."""
    require(s.role[candidate] == Role.LEADING)
    require(not fencing or s.epoch_of[candidate] >= s.obeyed)
    s.obeyed = s.epoch_of[candidate]


# --- sessions end -----------------------------------------------------------------------------------------------------


@action(kind="fault", budget="cuts")
def lose_connection(s: Election, candidate: Candidate) -> None:
    """{candidate} no longer reaches ZooKeeper; its session goes on."""
    cut_off(s.session, candidate)


@action
def connect_again(s: Election, candidate: Candidate) -> None:
    """{candidate} reaches ZooKeeper again in time."""
    require(s.majority)
    reconnect(s.session, candidate)


@action
def end_session(s: Election, candidate: Candidate) -> None:
    """The session of {candidate} expires: its znode {s.number[candidate]} is removed, and who watches it will hear."""
    require(s.majority)
    expire(s.session, candidate)
    gone = s.number[candidate]
    s.number[candidate] = None
    s.watches[candidate] = Set()
    s.news[candidate] = Set()
    if gone is not None:
        for other in Candidate:
            fire(s.watches[other], s.news[other], gone)


@action
def learn(s: Election, candidate: Candidate) -> None:
    """{candidate} reaches ZooKeeper again and learns that its session has expired."""
    require(s.majority)
    learn_of_expiry(s.session, candidate)
    s.found[candidate] = None
    if heeds_expiry or s.role[candidate] != Role.LEADING:
        s.role[candidate] = Role.OUT
        s.epoch_of[candidate] = 0


@action(kind="fault", budget="majority_losses")
def lose_majority(s: Election) -> None:
    """The ensemble loses its majority: nothing is written, and no session expires."""
    require(majority_losses > 0 and s.majority)
    s.majority = False


@action
def regain_majority(s: Election) -> None:
    """The ensemble has a majority again."""
    require(majority_losses > 0 and not s.majority)
    s.majority = True
