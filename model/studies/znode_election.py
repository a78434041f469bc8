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
* `finds_own`: a candidate whose connection fails as it creates its znode does not know whether it has one. It looks for
  its own, by a name of its own in the path (the recipe's GUID); else it creates another.
* `epoch_cas`: whoever takes the epoch compares its znode's version when it writes. Else it writes one more than it had
  read at some time before, whatever is there by then.
* `fires_once`: a watch fires once, as those do that the recipe sets; not so persistent watches (ZooKeeper 3.6).
* `ends_with_session`: a znode goes when its owner's session ends; ZOOKEEPER-2985 has some that stay.
* `syncs`: before it looks it asks its server for all that was written (`sync`): a server that it has reached anew may
  be behind its znode.
* `sync_by_quorum`: `sync` is an operation of the quorum. ZooKeeper's is none (ZOOKEEPER-1675, open): a leader that was
  replaced, and does not know, answers it from the past. A candidate that was answered so creates another znode once its
  server is one of the new leader's; the old leader can write nothing.

What is abstracted away: there is no clock, so a session may expire whenever its client is cut off. A candidate reads
all znodes in one step, and sets its watch in another. What a leader does is one step, to one thing, which remembers the
highest epoch. A candidate opens its session and creates its znode in one step; a second znode of a session is created
with an answer. A server that is behind is modelled where it matters: it does not show one's
own znode (`connect_behind`). One that has answered a create shows all that are before it, and perhaps some that are
gone. With the order by number, such a read is the same as an earlier one: the watch fires when the server learns.

Sources: the ZooKeeper recipes (leader election), ZOOKEEPER-1209, the programmer's guide. Properties are in
`invariants/studies/znode_election.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import *
from ..parts.zookeeper import Session, cut_off, expire, fire, is_served, learn_of_expiry, reconnect

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
    UNSURE = "unsure"  # its connection failed as it created one, and it does not know whether it has it
    MISLED = "misled"  # it has looked for it, was shown none, and will create another one
    READING = "reading"  # it has one, and has yet to read the others
    FOUND = "found"  # it has read which one to watch
    WAITING = "waiting"  # and has set its watch
    LEADING = "leading"  # it believes that it leads


candidates = constant(4, minimum=2, maximum=4, says="brokers that stand for election; their ids are 2, 10, 1 and 3")
znodes = constant(4, minimum=2, maximum=MOST, says="znodes that are created in all")
cuts = constant(2, minimum=0, maximum=4, says="connections between a candidate and ZooKeeper that fail")
majority_losses = constant(1, minimum=0, maximum=2, says="times that the ensemble loses its majority")
lost_answers = constant(0, minimum=0, maximum=2, says="connections that fail as a znode is created")
late_servers = constant(0, minimum=0, maximum=2, says="connections to a server that is behind one's own znode")
order = constant(Order.SEQUENCE, says="by what znodes are ordered")
watch = constant(Watch.PREDECESSOR, says="which znode a candidate watches")
looks_again = constant(True, says="a candidate makes sure that the znode that it watches is still there")
fencing = constant(True, says="what has seen a leader's epoch refuses lower ones")
heeds_expiry = constant(True, says="a leader whose session has expired leads no longer once it knows (ZOOKEEPER-1209)")
epoch_cas = constant(True, says="who takes the epoch compares the version of its znode when it writes it")
fires_once = constant(True, says="a watch fires once, else it stays (persistent watches, ZOOKEEPER-1416)")
ends_with_session = constant(True, says="ZOOKEEPER-2985: a znode goes when its owner's session ends, else it stays")
finds_own = constant(
    True, says="a candidate that does not know whether it has a znode looks for it (the recipe's GUID)"
)
syncs = constant(True, says="a candidate calls sync before it looks for its own znode")
sync_by_quorum = constant(
    True, says="ZOOKEEPER-1675: sync is an operation of the quorum, else a leader that was replaced answers it"
)


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
    orphan: Map[Candidate, Option[Number]]  # one that it has created before, and does not know of
    behind: Set[Candidate]  # those whose server is behind the znode that they have created
    created: Annotated[int, Range(0, znodes)]  # znodes that were created so far: the next sequence number
    watches: Map[Candidate, Set[Number]]  # the znodes that each watches, by their numbers
    news: Map[Candidate, Set[Number]]  # znodes that it watched and that are gone, as it is yet to hear
    majority: bool  # whether the ensemble has its majority
    role: Map[Candidate, Role]  # what each candidate does
    found: Map[Candidate, Option[Number]]  # the znode that it has read to be the one to watch
    epoch: Epoch  # the persistent znode with the newest leader's epoch
    counted: Map[Candidate, Epoch]  # the epoch that each has read before, if it does not compare when it writes
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
    "orphaned": {"finds_own": False},
    "without_sync": {"syncs": False},
    "zookeeper_1675": {"sync_by_quorum": False},
    "epoch_overwrites": {"epoch_cas": False},
    "persistent_watches": {"fires_once": False},
    "zookeeper_2985": {"ends_with_session": False},
}


@initial
def start() -> Election:
    """Nobody has a session, and there is no znode."""
    return Election(
        session=Map({candidate: Session.OVER for candidate in Candidate}),
        number=Map({candidate: None for candidate in Candidate}),
        orphan=Map({candidate: None for candidate in Candidate}),
        behind=Set(),
        created=0,
        watches=Map({candidate: Set() for candidate in Candidate}),
        news=Map({candidate: Set() for candidate in Candidate}),
        majority=True,
        role=Map({candidate: Role.OUT for candidate in Candidate}),
        found=Map({candidate: None for candidate in Candidate}),
        epoch=0,
        counted=Map({candidate: 0 for candidate in Candidate}),
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


def is_own(s: Election, candidate: Candidate, number: Option[Number]) -> bool:
    """Whether a candidate has created the znode with this number, knowingly or not."""
    return number is not None and (s.number[candidate] == number or s.orphan[candidate] == number)


def comes_first(s: Election, owner: Candidate, candidate: Candidate) -> bool:
    """Whether a znode that its owner does not know of is before the candidate's."""
    orphan = s.orphan[owner]
    own = s.number[candidate]
    return orphan is not None and own is not None and place(owner, orphan) < place(candidate, own)


def is_first(s: Election, candidate: Candidate) -> bool:
    """Whether it has a znode, and none is before it."""
    return s.number[candidate] is not None and not any(
        is_before(s, other, candidate) or comes_first(s, other, candidate) for other in Candidate
    )


def stands_at(s: Election, number: int) -> int:
    """Where the znode with this number stands in the order; -1: it is not there."""
    return max(place(owner, number) if is_own(s, owner, number) else -1 for owner in Candidate)


def to_watch(s: Election, candidate: Candidate) -> Option[Number]:
    """The znode that a candidate that is not the first watches."""
    if any(s.orphan[owner] is not None for owner in Candidate):
        return first_znode_to_watch(s, candidate)
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


def first_znode_to_watch(s: Election, candidate: Candidate) -> Option[Number]:
    """The same where there are znodes that their owner does not know of: it may even be one of the candidate's own."""
    own = s.number[candidate]
    if own is None:
        return None
    before = Set(number for number in range(znodes) if 0 <= stands_at(s, number) < place(candidate, own))
    if watch == Watch.FIRST:
        return choose(one for one in before if all(stands_at(s, one) <= stands_at(s, other) for other in before))
    return choose(one for one in before if all(stands_at(s, other) <= stands_at(s, one) for other in before))


# --- the recipe -------------------------------------------------------------------------------------------------------


def reaches(s: Election, candidate: Candidate) -> bool:
    """Whether ZooKeeper serves a candidate's requests."""
    return is_served(s.session[candidate], s.majority)


@action
def join(s: Election, candidate: Candidate) -> None:
    """{candidate} opens a session and creates its ephemeral znode, which gets number {s.created}."""
    require(s.majority and s.role[candidate] == Role.OUT and s.number[candidate] is None)
    limit(s.created < znodes)
    s.session[candidate] = Session.CONNECTED
    s.number[candidate] = s.created
    s.created += 1
    s.role[candidate] = Role.READING


@action(kind="fault", budget="lost_answers")
def join_unheard(s: Election, candidate: Candidate) -> None:
    """{candidate} creates its ephemeral znode, number {s.created}; its connection fails before it hears so."""
    require(lost_answers > 0 and s.majority and s.role[candidate] == Role.OUT and s.number[candidate] is None)
    limit(s.created < znodes)
    s.session[candidate] = Session.CUT_OFF
    s.number[candidate] = s.created
    s.created += 1
    s.role[candidate] = Role.UNSURE


@action
def find_own(s: Election, candidate: Candidate) -> None:
    """{candidate} looks for a znode of its own, and finds number {s.number[candidate]}."""
    require(lost_answers > 0 and finds_own and reaches(s, candidate))
    require(s.role[candidate] == Role.UNSURE and candidate not in s.behind)
    s.role[candidate] = Role.READING


@action
def find_none(s: Election, candidate: Candidate) -> None:
    """{candidate} finds no znode of its own: a leader that was replaced, and does not know, has answered the sync."""
    require(lost_answers > 0 and finds_own and syncs and not sync_by_quorum)
    require(reaches(s, candidate) and s.role[candidate] == Role.UNSURE and candidate in s.behind)
    s.role[candidate] = Role.MISLED


def knows_of_none(s: Election, candidate: Candidate) -> bool:
    """Whether a candidate that is not sure creates another znode: it does not look, or was shown none."""
    if s.role[candidate] == Role.MISLED:
        return candidate not in s.behind
    return s.role[candidate] == Role.UNSURE and (not finds_own or (not syncs and candidate in s.behind))


@action
def join_again(s: Election, candidate: Candidate) -> None:
    """{candidate} knows of no znode of its own, and creates another one, which gets number {s.created}."""
    require(lost_answers > 0 and not (finds_own and syncs and sync_by_quorum))
    require(reaches(s, candidate) and knows_of_none(s, candidate))
    limit(s.created < znodes)
    s.orphan[candidate] = s.number[candidate]
    s.number[candidate] = s.created
    s.created += 1
    s.behind.discard(candidate)
    s.role[candidate] = Role.READING


@action
def catch_up(s: Election, candidate: Candidate) -> None:
    """The server of {candidate} learns of all that was written, be it by itself or asked to (sync)."""
    require(late_servers > 0 and reaches(s, candidate) and candidate in s.behind)
    s.behind.remove(candidate)


def next_epoch(s: Election, candidate: Candidate) -> int:
    """The epoch that a leader takes: one more than it has read, which is the newest if it compares when it writes."""
    return (s.epoch if epoch_cas else s.counted[candidate]) + 1


@action
def read_epoch(s: Election, candidate: Candidate) -> None:
    """{candidate} reads that the epoch is {s.epoch}, and will take the next one whatever is there by then."""
    require(not epoch_cas and reaches(s, candidate))
    require(s.role[candidate] != Role.LEADING and s.counted[candidate] != s.epoch)
    s.counted[candidate] = s.epoch


@action
def lead(s: Election, candidate: Candidate) -> None:
    """{candidate} reads that its znode is the first, and begins to lead with epoch {next_epoch(s, candidate)}."""
    require(reaches(s, candidate))
    require(s.role[candidate] == Role.READING and is_first(s, candidate))
    s.role[candidate] = Role.LEADING
    s.epoch = next_epoch(s, candidate)
    s.epoch_of[candidate] = s.epoch


@action
def read(s: Election, candidate: Candidate) -> None:
    """{candidate} reads the znodes: number {to_watch(s, candidate)} is the one to watch."""
    require(reaches(s, candidate))
    require(s.role[candidate] == Role.READING and not is_first(s, candidate))
    s.found[candidate] = to_watch(s, candidate)
    s.role[candidate] = Role.FOUND


@action
def wait(s: Election, candidate: Candidate) -> None:
    """{candidate} sets a watch on znode {s.found[candidate]}."""
    require(reaches(s, candidate) and s.role[candidate] == Role.FOUND)
    require(not looks_again or any(is_own(s, other, s.found[candidate]) for other in Candidate))
    found = s.found[candidate]
    if found is not None:
        s.watches[candidate].add(found)
    s.found[candidate] = None
    s.role[candidate] = Role.WAITING


@action
def read_again(s: Election, candidate: Candidate) -> None:
    """{candidate} finds that znode {s.found[candidate]} is gone before it could watch it, and reads again."""
    require(reaches(s, candidate) and s.role[candidate] == Role.FOUND)
    require(looks_again and not any(is_own(s, other, s.found[candidate]) for other in Candidate))
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


@action(kind="fault", budget="late_servers")
def connect_behind(s: Election, candidate: Candidate) -> None:
    """{candidate} reaches ZooKeeper again in time, by a server that is behind the znode that it has created."""
    require(late_servers > 0 and s.majority and s.role[candidate] == Role.UNSURE)
    reconnect(s.session, candidate)
    s.behind.add(candidate)


@action
def end_session(s: Election, candidate: Candidate) -> None:
    """The session of {candidate} expires: its znode {s.number[candidate]} is removed, and who watches it will hear."""
    require(s.majority and ends_with_session)
    expire(s.session, candidate)
    gone = s.number[candidate]
    orphan = s.orphan[candidate]
    s.number[candidate] = None
    s.orphan[candidate] = None
    s.watches[candidate] = Set()
    s.news[candidate] = Set()
    if gone is not None:
        for other in Candidate:
            fire(s.watches[other], s.news[other], gone, fires_once)
    if orphan is not None:
        for other in Candidate:
            fire(s.watches[other], s.news[other], orphan, fires_once)


@action
def leave_znode(s: Election, candidate: Candidate) -> None:
    """The session of {candidate} expires, and its znode {s.number[candidate]} stays."""
    require(s.majority and not ends_with_session)
    expire(s.session, candidate)


@action
def learn(s: Election, candidate: Candidate) -> None:
    """{candidate} reaches ZooKeeper again and learns that its session has expired."""
    require(s.majority)
    learn_of_expiry(s.session, candidate)
    s.found[candidate] = None
    s.behind.discard(candidate)
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
