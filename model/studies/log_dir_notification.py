"""How a controller on ZooKeeper learns that a log directory of a broker has failed: `/log_dir_event_notification`.

A broker of several directories goes on when one of them fails (since 1.0; up to 0.11 it stops). It serves the
partitions there no longer, leads some of them in name, and keeps its session. So it creates a persistent sequential
znode below `/log_dir_event_notification` that names it and nothing else. The controller, which watches the directory,
lists what is there, sends each broker that is named a LeaderAndIsr for all of its partitions, and deletes what it had
listed. Of a copy that it lost the broker answers KAFKA_STORAGE_ERROR: that is an offline replica, which a controller
remembers by itself, in no znode, and of which it elects another leader. What keeps a partition from a leader without a
copy is a switch each:

* `asks_all`: who becomes the controller sends LeaderAndIsr to all brokers; it has deleted the old notifications, and
  nothing else says which replicas are offline.
* `answers_error`: a broker answers that it has lost the copy.
* `watch_on_list`: the request that lists the notifications also sets the watch for the next one.
* `deletes_listed`: a controller deletes those notifications that it has listed, not all that are there.
* `creates_none`: a broker that has a directory offline makes no new, empty log for a copy that it does not find, unless
  the partition is new (LogManager.getOrCreateLog). Without it, who restarts with its other directories leads with an
  empty log. Where the failed directory is taken out of log.dirs nothing is offline, and Kafka itself does so: that is
  the fault `forget_directory`, of bound `forgotten`.

What is abstracted away: there is one partition, with a copy on each broker, all of them in sync, and what they hold is
not asked: what is lost with a directory is the question of `model/partition/` (`directory_losses`). A broker that
restarts is one step, in which its session goes on; who has no session is not elected. LeaderAndIsr requests of one
controller do not overtake each other, and those of one that was replaced are refused (`model/zk_controller/`). An
answer that is lost with the connection between controller and broker is sent for again.

Sources: KafkaController (onControllerFailover, processLogDirEventNotification, onBrokerLogDirFailure,
processLeaderAndIsrResponseReceived, onReplicasBecomeOffline), ReplicaManager (handleLogDirFailure), LogManager
(getOrCreateLog), KafkaZkClient (propagateLogDirEvent) of Kafka 2.8 and 3.8; KIP-112. Properties are in
`invariants/studies/log_dir_notification.py`.
"""

from __future__ import annotations

from enum import Enum

from ...language import Domain, GroupLanes, Map, Option, Set, action, constant, initial, require, state, terminal
from ..parts.zookeeper import Session, cut_off, expire, fire, is_alive, learn_of_expiry, reconnect

brokers = constant(2, minimum=1, maximum=3, says="brokers with a copy, each of which may become the controller")
failures = constant(2, minimum=0, maximum=4, says="directories with a copy that fail, while their broker has others")
restarts = constant(1, minimum=0, maximum=3, says="brokers with a failed directory that start again without it")
forgotten = constant(0, minimum=0, maximum=3, says="brokers that start again with that directory out of log.dirs")
cuts = constant(1, minimum=0, maximum=4, says="connections between a broker and ZooKeeper that fail")
asks_all = constant(True, says="a new controller asks all brokers which copies they have")
answers_error = constant(True, says="a broker answers that it has lost its copy")
watch_on_list = constant(True, says="listing the notifications sets the watch for the next one")
deletes_listed = constant(True, says="a controller deletes the notifications that it has listed, not all")
creates_none = constant(True, says="a broker with a directory offline makes no empty log for a copy that it lacks")


class Broker(Domain, size=brokers, symmetric=True):
    """A broker. They are all alike."""


class Copy(Enum):
    """What a broker has of the partition."""

    WHOLE = "whole"
    OFFLINE = "offline"  # in a directory that has failed
    EMPTY = "empty"  # a new log, in another directory


class Task(Enum):
    """What a broker does next as the controller."""

    NONE = "none"  # it is not the controller
    LIST_OLD = "list old notifications"  # it has just become the controller
    DELETE_OLD = "delete old notifications"
    ASK_ALL = "ask all brokers"
    WATCH = "wait for a notification"
    LIST = "list notifications"
    ASK = "ask who is named"
    DELETE = "delete notifications"
    SET_WATCH = "set the watch"  # where listing does not


@state
class Cluster:
    """ZooKeeper, the brokers' copies, and what the controllers know."""

    session: Map[Broker, Session]  # how it is with each broker's session
    controller: Option[Broker]  # /controller
    leader: Option[Broker]  # of the partition's znode
    copy: Map[Broker, Copy]  # what each broker has of the partition
    untold: Set[Broker]  # whose directory has failed, and who has yet to create a notification
    notes: Set[Broker]  # who is named by a notification that is there
    task: Map[Broker, Task]  # what each broker does next
    watchers: Set[Broker]  # who watches the directory
    news: Set[Broker]  # whose watch has fired, which they have yet to hear
    listed: Map[Broker, Set[Broker]]  # whom the notifications name that it has listed, and has yet to delete
    asked: Map[Broker, Set[Broker]]  # to whom LeaderAndIsr of each controller is under way
    offline: Map[Broker, Set[Broker]]  # whose copy each controller knows to be offline


view = GroupLanes(
    lane=Broker,
    state="task",
    generation="len(s.offline[lane])",
    badges={"session": "session", "copy": "copy", "watches": "lane in s.watchers", "knows to be offline": "offline"},
    board={"/controller": "controller", "leader": "leader", "/log_dir_event_notification": "notes"},
)

profiles = {
    "kafka_3_9": {},
    "asks_nobody": {"asks_all": False},
    "answers_all_is_well": {"answers_error": False},
    "watches_late": {"watch_on_list": False},
    "deletes_all": {"deletes_listed": False},
    "creates_empty": {"creates_none": False},
}


@initial
def start(leader: Broker) -> Cluster:
    """Nobody is the controller, all copies are whole, and {leader} leads."""
    return Cluster(
        session=Map({broker: Session.CONNECTED for broker in Broker}),
        controller=None,
        leader=leader,
        copy=Map({broker: Copy.WHOLE for broker in Broker}),
        untold=Set(),
        notes=Set(),
        task=Map({broker: Task.NONE for broker in Broker}),
        watchers=Set(),
        news=Set(),
        listed=Map({broker: Set() for broker in Broker}),
        asked=Map({broker: Set() for broker in Broker}),
        offline=Map({broker: Set() for broker in Broker}),
    )


# --- brokers ----------------------------------------------------------------------------------------------------------


@action(kind="fault", budget="failures")
def fail_directory(s: Cluster, broker: Broker) -> None:
    """The directory of {broker} with its copy fails; it serves the partition no longer, and lives on."""
    require(s.copy[broker] != Copy.OFFLINE)
    s.copy[broker] = Copy.OFFLINE
    s.untold.add(broker)


@action
def notify(s: Cluster, broker: Broker) -> None:
    """{broker} creates a notification that it has lost a directory."""
    require(broker in s.untold and s.session[broker] == Session.CONNECTED)
    s.untold.remove(broker)
    s.notes.add(broker)
    fire_watches(s)


def fire_watches(s: Cluster) -> None:
    """The directory has changed: who watches it will hear so, once."""
    for broker in Broker:
        fire(s.watchers, s.news, broker, True)


@action
def answer(s: Cluster, controller: Broker, broker: Broker) -> None:
    """{broker} answers the LeaderAndIsr of {controller}: whether it has its copy."""
    require(broker in s.asked[controller])
    s.asked[controller].remove(broker)
    if s.copy[broker] == Copy.OFFLINE and answers_error:
        s.offline[controller].add(broker)
    else:
        s.offline[controller].discard(broker)


@action(kind="fault", budget="restarts")
def restart(s: Cluster, broker: Broker) -> None:
    """{broker} starts again while its directory is still offline, and the controller asks it which copies it has."""
    require(s.copy[broker] == Copy.OFFLINE)
    if not creates_none:
        s.copy[broker] = Copy.EMPTY
    begin_again(s, broker)


@action(kind="fault", budget="forgotten")
def forget_directory(s: Cluster, broker: Broker) -> None:
    """{broker} starts again with the failed directory out of log.dirs, and makes a new, empty log in another one."""
    require(s.copy[broker] == Copy.OFFLINE)
    s.copy[broker] = Copy.EMPTY
    begin_again(s, broker)


def begin_again(s: Cluster, broker: Broker) -> None:
    """A broker starts: it has nothing to report, and whoever is the controller asks it (onBrokerStartup)."""
    s.untold.discard(broker)
    for one in Broker:
        s.offline[one].discard(broker)
        if s.task[one] != Task.NONE:
            s.asked[one].add(broker)


# --- the controller ---------------------------------------------------------------------------------------------------


def next_task(s: Cluster, broker: Broker, task: Task, following: Task) -> None:
    """A broker that reaches ZooKeeper does one thing, and has another one to do then."""
    require(s.session[broker] == Session.CONNECTED and s.task[broker] == task)
    s.task[broker] = following


@action
def become_controller(s: Cluster, broker: Broker) -> None:
    """{broker} creates /controller."""
    require(s.controller is None)
    next_task(s, broker, Task.NONE, Task.LIST_OLD)
    s.controller = broker


@action
def list_old(s: Cluster, broker: Broker) -> None:
    """{broker}, which has just become the controller, lists the old notifications {s.notes}, and sets its watch."""
    next_task(s, broker, Task.LIST_OLD, Task.DELETE_OLD)
    s.listed[broker] = s.notes
    s.watchers.add(broker)


@action
def delete_old(s: Cluster, broker: Broker) -> None:
    """{broker} deletes the old notifications."""
    next_task(s, broker, Task.DELETE_OLD, Task.ASK_ALL if asks_all else Task.WATCH)
    remove(s, broker)


@action
def ask_all(s: Cluster, broker: Broker) -> None:
    """{broker} sends all brokers LeaderAndIsr, and learns of their answers which copies they have."""
    next_task(s, broker, Task.ASK_ALL, Task.WATCH)
    s.asked[broker] = Set(Broker)


@action
def hear(s: Cluster, broker: Broker) -> None:
    """{broker} learns that there are notifications."""
    require(broker in s.news)
    next_task(s, broker, Task.WATCH, Task.LIST)
    s.news.remove(broker)


@action
def list_notifications(s: Cluster, broker: Broker) -> None:
    """{broker} lists the notifications, which name {s.notes}."""
    next_task(s, broker, Task.LIST, Task.ASK)
    s.listed[broker] = s.notes
    if watch_on_list:
        s.watchers.add(broker)


@action
def ask_named(s: Cluster, broker: Broker) -> None:
    """{broker} sends LeaderAndIsr to those that the notifications name."""
    next_task(s, broker, Task.ASK, Task.DELETE)
    s.asked[broker] = s.asked[broker] | s.listed[broker]


@action
def delete_notifications(s: Cluster, broker: Broker) -> None:
    """{broker} deletes the notifications that it has dealt with."""
    next_task(s, broker, Task.DELETE, Task.WATCH if watch_on_list else Task.SET_WATCH)
    remove(s, broker)


def remove(s: Cluster, broker: Broker) -> None:
    """A controller deletes notifications, which changes the directory."""
    gone = s.listed[broker] if deletes_listed else s.notes
    s.listed[broker] = Set()
    if len(gone & s.notes) > 0:
        s.notes = s.notes - gone
        fire_watches(s)


@action
def set_watch(s: Cluster, broker: Broker) -> None:
    """{broker} sets its watch after it has dealt with the notifications."""
    require(not watch_on_list)
    next_task(s, broker, Task.SET_WATCH, Task.WATCH)
    s.watchers.add(broker)


@action
def elect(s: Cluster, broker: Broker, successor: Broker) -> None:
    """{broker} has {successor} lead, since the leader's copy is offline, or nobody leads."""
    require(s.controller == broker and s.session[broker] == Session.CONNECTED and s.task[broker] == Task.WATCH)
    require(s.leader is None or s.leader in s.offline[broker])
    require(successor not in s.offline[broker] and is_alive(s.session[successor]))
    s.leader = successor


@action
def leave_leaderless(s: Cluster, broker: Broker) -> None:
    """{broker} knows no copy that is not offline: nobody leads."""
    require(s.controller == broker and s.session[broker] == Session.CONNECTED and s.task[broker] == Task.WATCH)
    require(s.leader is not None and s.leader in s.offline[broker])
    require(all(one in s.offline[broker] or not is_alive(s.session[one]) for one in Broker))
    s.leader = None


# --- sessions ---------------------------------------------------------------------------------------------------------


@action(kind="fault", budget="cuts")
def lose_connection(s: Cluster, broker: Broker) -> None:
    """{broker} no longer reaches ZooKeeper; its session goes on."""
    cut_off(s.session, broker)


@action
def connect_again(s: Cluster, broker: Broker) -> None:
    """{broker} reaches ZooKeeper again in time, and its watches are still set."""
    reconnect(s.session, broker)


@action
def end_session(s: Cluster, broker: Broker) -> None:
    """The session of {broker} expires, and its watches with it."""
    expire(s.session, broker)
    s.watchers.discard(broker)
    s.news.discard(broker)
    if s.controller == broker:
        s.controller = None


@action
def come_back(s: Cluster, broker: Broker) -> None:
    """{broker} learns that its session has expired, gives up what it had to do, and opens a new one.

    Whoever is the controller sees that it has registered, and asks it."""
    learn_of_expiry(s.session, broker)
    s.session[broker] = Session.CONNECTED
    s.task[broker] = Task.NONE
    s.listed[broker] = Set()
    s.asked[broker] = Set()
    s.offline[broker] = Set()
    for one in Broker:
        if s.task[one] != Task.NONE:
            s.asked[one].add(broker)


@terminal
def all_is_quiet(s: Cluster) -> bool:
    """A controller waits, with nothing to hear, and nobody has anything to report."""
    waits = any(s.controller == broker and s.task[broker] == Task.WATCH and broker not in s.news for broker in Broker)
    return waits and len(s.untold) == 0 and all(len(s.asked[broker]) == 0 for broker in Broker)
