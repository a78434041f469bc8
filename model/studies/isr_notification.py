"""How a controller on ZooKeeper learns of an ISR that a leader has written: `/isr_change_notification`, up to 2.6.

A leader writes the partition's znode itself. It then creates a persistent sequential znode below
`/isr_change_notification`, and the controller, which watches that directory, lists what is there, reads the partition,
sends what it has read to all brokers, and deletes what it had listed. A watch fires once. What keeps the controller
from being behind for ever is an order of steps each, and a switch each:

* `lists_first`: who becomes the controller deletes old notifications before it reads the partition.
* `watch_on_list`: the request that lists the notifications also sets the watch for the next one.
* `reads_after_list`: it reads the partition after it has listed the notifications, not before.
* `deletes_listed`: it deletes those that it has listed, not all that are there.

Where a watch is lost with its session, or fires late, the controller is behind meanwhile, and brokers answer clients
with an ISR of the past. It does not elect by it: a write of the controller compares the version of the partition's
znode (`model/zk_controller/`).

What is abstracted away: there is one partition, of which only the number of its ISR's writes counts, and its leader,
which neither dies nor loses its session. Who becomes the controller after a leader's death reads the partition anyway.

Sources: KafkaController (onControllerFailover, processIsrChangeNotification), KafkaZkClient and ReplicaManager
(maybePropagateIsrChanges) of Kafka 2.6. Properties are in `invariants/studies/isr_notification.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import Domain, GroupLanes, Map, Option, Range, Set, action, constant, initial, limit, require, state
from ..parts.zookeeper import Session, cut_off, expire, fire, learn_of_expiry, reconnect

brokers = constant(2, minimum=1, maximum=3, says="brokers that may become the controller")
changes = constant(3, minimum=1, maximum=6, says="writes of the ISR in all")
cuts = constant(2, minimum=0, maximum=4, says="connections between a broker and ZooKeeper that fail")
lists_first = constant(True, says="a new controller deletes old notifications before it reads the partition")
watch_on_list = constant(True, says="listing the notifications sets the watch for the next one")
reads_after_list = constant(True, says="the partition is read after the notifications are listed")
deletes_listed = constant(True, says="a controller deletes the notifications that it has listed, not all")


class Broker(Domain, size=brokers, symmetric=True):
    """A broker that may become the controller. They are all alike."""


Version = Annotated[int, Range(0, changes)]
Note = Annotated[int, Range(0, changes)]


class Task(Enum):
    """What a broker does next."""

    NONE = "none"  # it is not the controller
    LIST_OLD = "list old notifications"  # it has just become the controller
    DELETE_OLD = "delete old notifications"
    LOAD = "load the partition"
    WATCH = "wait for a notification"
    LIST = "list notifications"
    READ = "read the partition"
    DELETE = "delete notifications"
    SET_WATCH = "set the watch"  # where listing does not


@state
class Directory:
    """ZooKeeper, and what the controllers know."""

    session: Map[Broker, Session]  # how it is with each broker's session
    controller: Option[Broker]  # /controller
    version: Version  # of the partition's znode
    noted: Version  # the newest version that the leader has created a notification for
    notes: Set[Note]  # the notifications that are there, by sequence number
    created: Annotated[int, Range(0, changes)]  # notifications that were created so far: the next sequence number
    task: Map[Broker, Task]  # what each broker does next
    watchers: Set[Broker]  # who watches the directory
    news: Set[Broker]  # whose watch has fired, which they have yet to hear
    listed: Map[Broker, Set[Note]]  # the notifications that it has listed, and has yet to delete
    known: Map[Broker, Version]  # the version that it has read


view = GroupLanes(
    lane=Broker,
    state="task",
    generation="known",
    badges={"session": "session", "watches": "lane in s.watchers", "listed": "listed"},
    board={"/controller": "controller", "version": "version", "/isr_change_notification": "notes"},
)

profiles = {
    "kafka_2_6": {},
    "loads_first": {"lists_first": False},
    "watches_late": {"watch_on_list": False},
    "reads_early": {"reads_after_list": False},
    "deletes_all": {"deletes_listed": False},
}


@initial
def start() -> Directory:
    """Nobody is the controller, and the ISR was never changed."""
    return Directory(
        session=Map({broker: Session.CONNECTED for broker in Broker}),
        controller=None,
        version=0,
        noted=0,
        notes=Set(),
        created=0,
        task=Map({broker: Task.NONE for broker in Broker}),
        watchers=Set(),
        news=Set(),
        listed=Map({broker: Set() for broker in Broker}),
        known=Map({broker: 0 for broker in Broker}),
    )


# --- the leader -------------------------------------------------------------------------------------------------------


@action
def change_isr(s: Directory) -> None:
    """The leader writes the ISR: the partition's znode has version {s.version + 1}."""
    limit(s.version < changes)
    s.version += 1


@action
def notify(s: Directory) -> None:
    """The leader creates notification {s.created}."""
    require(s.noted < s.version)
    s.noted = s.version
    s.notes.add(s.created)
    s.created += 1
    fire_watches(s)


def fire_watches(s: Directory) -> None:
    """The directory has changed: who watches it will hear so, once."""
    for broker in Broker:
        fire(s.watchers, s.news, broker, True)


# --- the controller ---------------------------------------------------------------------------------------------------


def next_task(s: Directory, broker: Broker, task: Task, following: Task) -> None:
    """A broker that reaches ZooKeeper does one thing, and has another one to do then."""
    require(s.session[broker] == Session.CONNECTED and s.task[broker] == task)
    s.task[broker] = following


@action
def become_controller(s: Directory, broker: Broker) -> None:
    """{broker} creates /controller."""
    require(s.controller is None)
    next_task(s, broker, Task.NONE, Task.LIST_OLD if lists_first else Task.LOAD)
    s.controller = broker


@action
def load(s: Directory, broker: Broker) -> None:
    """{broker}, which has just become the controller, reads the partition at version {s.version}."""
    next_task(s, broker, Task.LOAD, Task.WATCH if lists_first else Task.LIST_OLD)
    s.known[broker] = s.version


@action
def list_old(s: Directory, broker: Broker) -> None:
    """{broker}, which has just become the controller, lists the old notifications {s.notes}, and sets its watch."""
    next_task(s, broker, Task.LIST_OLD, Task.DELETE_OLD)
    s.listed[broker] = s.notes
    s.watchers.add(broker)


@action
def delete_old(s: Directory, broker: Broker) -> None:
    """{broker} deletes the old notifications."""
    next_task(s, broker, Task.DELETE_OLD, Task.LOAD if lists_first else Task.WATCH)
    remove(s, broker)


@action
def hear(s: Directory, broker: Broker) -> None:
    """{broker} learns that there are notifications."""
    require(broker in s.news)
    next_task(s, broker, Task.WATCH, Task.LIST if reads_after_list else Task.READ)
    s.news.remove(broker)


@action
def list_notifications(s: Directory, broker: Broker) -> None:
    """{broker} lists the notifications {s.notes}."""
    next_task(s, broker, Task.LIST, Task.READ if reads_after_list else Task.DELETE)
    s.listed[broker] = s.notes
    if watch_on_list:
        s.watchers.add(broker)


@action
def read_partition(s: Directory, broker: Broker) -> None:
    """{broker} reads the partition at version {s.version}."""
    next_task(s, broker, Task.READ, Task.DELETE if reads_after_list else Task.LIST)
    s.known[broker] = s.version


@action
def delete_notifications(s: Directory, broker: Broker) -> None:
    """{broker} deletes the notifications that it has dealt with."""
    next_task(s, broker, Task.DELETE, Task.WATCH if watch_on_list else Task.SET_WATCH)
    remove(s, broker)


def remove(s: Directory, broker: Broker) -> None:
    """A controller deletes notifications, which changes the directory."""
    gone = s.listed[broker] if deletes_listed else s.notes
    s.listed[broker] = Set()
    if len(gone & s.notes) > 0:
        s.notes = s.notes - gone
        fire_watches(s)


@action
def set_watch(s: Directory, broker: Broker) -> None:
    """{broker} sets its watch after it has dealt with the notifications."""
    require(not watch_on_list)
    next_task(s, broker, Task.SET_WATCH, Task.WATCH)
    s.watchers.add(broker)


# --- sessions ---------------------------------------------------------------------------------------------------------


@action(kind="fault", budget="cuts")
def lose_connection(s: Directory, broker: Broker) -> None:
    """{broker} no longer reaches ZooKeeper; its session goes on."""
    cut_off(s.session, broker)


@action
def connect_again(s: Directory, broker: Broker) -> None:
    """{broker} reaches ZooKeeper again in time, and its watches are still set."""
    reconnect(s.session, broker)


@action
def end_session(s: Directory, broker: Broker) -> None:
    """The session of {broker} expires, and its watches with it."""
    expire(s.session, broker)
    s.watchers.discard(broker)
    s.news.discard(broker)
    if s.controller == broker:
        s.controller = None


@action
def come_back(s: Directory, broker: Broker) -> None:
    """{broker} learns that its session has expired, gives up what it had to do, and opens a new one."""
    learn_of_expiry(s.session, broker)
    s.session[broker] = Session.CONNECTED
    s.task[broker] = Task.NONE
    s.listed[broker] = Set()
    s.known[broker] = 0
