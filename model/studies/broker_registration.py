"""How a broker registers in ZooKeeper, and what it does where its znode is there already (KAFKA-7165).

A broker creates the ephemeral znode `/brokers/ids/<id>`. Its session owns it, and it should go when that session ends.
Where the znode is there already, the broker reads who owns it:

* its own session: the answer to an earlier create was lost, and it is registered;
* a session of somebody else, who has the same id: it gives up, and is not registered;
* the session under which it was registered last. ZooKeeper may leave an ephemeral znode behind when a session ends
  (ZOOKEEPER-2985). Up to 2.1 a broker took that for somebody else, and gave up. With `recreates` (KAFKA-7165, from
  2.2 on) it deletes the znode and creates it again. It knows such a session only once a create was answered: where the
  answer is lost, it gives up because of its own znode even so.

A broker that gives up as its process starts shuts down (KafkaServer.startup). One that gives up after its session has
expired stays up: the controller's event thread logs the error and goes on (ControllerEventManager, 1.1 to 3.9), and the
broker neither registers nor stands for controller. A session under which it was registered before is one of the same
process, so KAFKA-7165 is of the second kind.

It reads first and deletes later, whatever is there by then; with `checks_owner`, which Kafka does not have, only if the
owner is still the one that it has read. This makes a difference only where two brokers have the same id.

What is abstracted away: what is in the znode, and its versions; who has given up tries no more, where Kafka tries again
once the next session has expired. The session of a broker ends at any time, and the broker learns so later. Sources:
KafkaZkClient (CheckedEphemeral) of Kafka 2.1, 2.2 and 2.6, KafkaController (RegisterBrokerAndReelect). Properties are
in `invariants/studies/broker_registration.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import *

processes = constant(2, minimum=1, maximum=3, says="brokers that have the same broker.id")
sessions = constant(4, minimum=1, maximum=6, says="sessions that are opened in all")
expiries = constant(2, minimum=0, maximum=4, says="sessions that end")
left_behind = constant(1, minimum=0, maximum=2, says="ZOOKEEPER-2985: znodes that stay when their session ends")
lost_answers = constant(1, minimum=0, maximum=2, says="creates that are done, and whose answer is lost")
recreates = constant(True, says="KAFKA-7165: a broker replaces the znode of its own session before")
checks_owner = constant(False, says="a broker deletes the znode only if its owner is still the one that it has seen")


class Process(Domain, size=processes, symmetric=True):
    """A broker's process. All have the same broker.id."""


Session = Annotated[int, Range(0, sessions - 1)]


class Status(Enum):
    """What a broker does."""

    STARTING = "starting"  # it is about to create its znode
    REPLACING = "replacing"  # it has seen the znode of its session before, and is about to delete it
    REGISTERED = "registered"
    GIVEN_UP = "given up"  # it is not registered, and tries no more


@state
class Registration:
    """The znode, the sessions, and what brokers know."""

    owner: Option[Session]  # who owns /brokers/ids/<id>; None: it is not there
    kept: Set[Session]  # sessions that the ensemble keeps
    opened: Annotated[int, Range(0, sessions)]  # sessions that were opened so far
    session: Map[Process, Option[Session]]  # the session that each broker believes to have
    before: Map[Process, Option[Session]]  # the session under which it has registered last
    status: Map[Process, Status]  # what each does


view = GroupLanes(
    lane=Process,
    state="status",
    generation="session",
    badges={"registered as": "before"},
    board={"/brokers/ids/<id>": "owner", "sessions": "kept"},
)

profiles = {"kafka_2_2": {}, "kafka_7165": {"recreates": False}, "checked": {"checks_owner": True}}


@initial
def start() -> Registration:
    """Nobody has a session, and there is no znode."""
    return Registration(
        owner=None,
        kept=Set(),
        opened=0,
        session=Map({process: None for process in Process}),
        before=Map({process: None for process in Process}),
        status=Map({process: Status.STARTING for process in Process}),
    )


def has_session(s: Registration, process: Process) -> bool:
    """Whether a broker has a session that the ensemble keeps."""
    session = s.session[process]
    return session is not None and session in s.kept


@action
def open_session(s: Registration, process: Process) -> None:
    """{process} opens session {s.opened}."""
    require(s.status[process] == Status.STARTING and s.session[process] is None)
    limit(s.opened < sessions)
    s.session[process] = s.opened
    s.kept.add(s.opened)
    s.opened += 1


@action
def create(s: Registration, process: Process) -> None:
    """{process} creates its znode under session {s.session[process]}, and is registered."""
    require(s.status[process] == Status.STARTING and has_session(s, process) and s.owner is None)
    s.owner = s.session[process]
    s.before[process] = s.session[process]
    s.status[process] = Status.REGISTERED


@action(kind="fault", budget="lost_answers")
def create_unheard(s: Registration, process: Process) -> None:
    """{process} creates its znode under session {s.session[process]}, and the answer is lost."""
    require(s.status[process] == Status.STARTING and has_session(s, process) and s.owner is None)
    s.owner = s.session[process]


@action
def find_own(s: Registration, process: Process) -> None:
    """{process} finds the znode that it has created under this session: it is registered."""
    require(s.status[process] == Status.STARTING and has_session(s, process) and s.owner == s.session[process])
    s.before[process] = s.session[process]
    s.status[process] = Status.REGISTERED


@action
def find_old(s: Registration, process: Process) -> None:
    """{process} finds the znode of its session before, {s.owner}, and is about to replace it."""
    require(recreates and s.status[process] == Status.STARTING and has_session(s, process))
    require(s.owner is not None and s.owner != s.session[process] and s.owner == s.before[process])
    s.status[process] = Status.REPLACING


@action
def delete(s: Registration, process: Process) -> None:
    """{process} deletes the znode, which session {s.owner} owns."""
    require(s.status[process] == Status.REPLACING and has_session(s, process))
    if not checks_owner or s.owner == s.before[process]:
        s.owner = None
    s.status[process] = Status.STARTING


@action
def give_up(s: Registration, process: Process) -> None:
    """{process} finds the znode of session {s.owner}, takes it for somebody else's, and gives up."""
    require(s.status[process] == Status.STARTING and has_session(s, process))
    require(s.owner is not None and s.owner != s.session[process])
    require(not recreates or s.owner != s.before[process])
    s.status[process] = Status.GIVEN_UP


@action(kind="fault", budget="expiries")
def end_session(s: Registration, process: Process) -> None:
    """The session of {process} ends, and its znode goes."""
    require(has_session(s, process))
    session = s.session[process]
    if session is not None:
        s.kept.remove(session)
        if s.owner == session:
            s.owner = None


@action(kind="fault", budget="left_behind")
def leave_behind(s: Registration, process: Process) -> None:
    """The session of {process} ends, and its znode stays (ZOOKEEPER-2985)."""
    session = s.session[process]
    require(has_session(s, process) and s.owner == session)
    if session is not None:
        s.kept.remove(session)


@action
def clean_up(s: Registration) -> None:
    """ZooKeeper removes the znode that was left behind by session {s.owner}."""
    owner = s.owner
    require(owner is not None and owner not in s.kept)
    s.owner = None


@action
def learn(s: Registration, process: Process) -> None:
    """{process} learns that its session has ended, and registers anew."""
    require(s.session[process] is not None and not has_session(s, process) and s.status[process] != Status.GIVEN_UP)
    s.session[process] = None
    s.status[process] = Status.STARTING


@terminal
def all_is_settled(s: Registration) -> bool:
    """Everybody is registered or down: nothing happens any more once no session ends."""
    return all(s.status[process] in {Status.REGISTERED, Status.GIVEN_UP} for process in Process)
