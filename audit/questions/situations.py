"""What may go wrong, and how a partition stands when it does: the rows and columns of every table of an audit.

A `Fault` is one thing that operators speak of, with its budgets in `model/partition/`. A `Situation` is the state of
the partition's ISR at that moment. A `Cell` is one of each. No cell stands for another: what one of them says of others
follows from their budgets alone (`inference.py`).

A situation is a budget as well: so many followers may leave the ISR, at any time before the fault or after it. So a
cell covers what happens with more in sync, too. Who is out of the ISR lags, or is down for maintenance: a replica that
is up may be elected uncleanly, and one that is down may be the only one with the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...language.constants import PlainValue
from ...language.immutable import immutable
from .signature import Signature

MOST_LAGGING = 4
"""The largest budget that the model has for followers that lag."""

MOST_SHUTDOWNS = 4
"""The largest budget that it has for brokers that are shut down."""

UNKNOWN_VOTERS, MOST_VOTERS = 3, 5
"""Where nothing says how many controllers there are, so many: no answer about one fault depends on it."""


@immutable
class Fault:
    """Something that goes wrong: its name on the command line, a row's title, what it is in a sentence, and how a
    headline speaks of it. `missing_replicas` is how many replicas are missing while it lasts; of a rack, and of the
    controllers, it depends on the placement (None). `single`: one thing, and no rack. `happens`: the clause that it is
    after "when", where the title is none."""

    name: str
    title: str
    says: str
    phrase: str
    replicas_away: int | None
    single: bool = True
    happens: str = ""

    @property
    def when(self) -> str:
        """What happens, as a clause: `a host loses power`."""
        return self.happens or self.title


FAULTS: tuple[Fault, ...] = (
    Fault("leader-move", "the leader is moved", "nothing goes wrong; the controller moves the leader once",
          "moving the leader", 0),
    Fault("restart", "a controlled restart", "one broker is shut down as it should be, and starts again",
          "one controlled restart", 1, happens="a broker is restarted in a controlled way"),
    Fault("crash", "a process dies", "one broker's process dies at any moment, and starts again; its log stays",
          "one crash", 1),
    Fault("cut-off", "a broker is cut off, or pauses",
          "a live broker is cut off from the controllers, or pauses, past its session: it goes on as a zombie leader "
          "until it learns of its successor", "one broker that is cut off or pauses past its session", 1),
    Fault("power-loss", "a host loses power", "one host loses power, and any part of its log that was not flushed",
          "one power loss", 1),
    Fault("disk-loss", "a disk is lost", "one broker starts again with an empty disk", "one lost disk", 1),
    Fault("directory-loss", "a directory is lost",
          "one broker loses the directory with its copy, which is taken out of log.dirs; it has others, and starts "
          "again without that one", "one lost directory", 1),
    Fault("two-crashes", "a process dies, then another one",
          "one broker's process dies, and another's, or the same one again; both start again", "two crashes", 2, False),
    Fault("all-crashes", "every process dies once",
          "as many processes die as there are replicas, one after the other or all at once, and start again",
          "a crash of every broker", None, False),
    Fault("cut-off-power-loss", "one is cut off, one loses power",
          "a live broker is cut off or pauses past its session, and a host loses power, in any order; then the leader "
          "is moved, as auto.leader.rebalance.enable does",
          "one broker cut off and one power loss", 2, False),
    Fault("two-power-losses", "two hosts lose power", "two hosts lose power, one after the other or both at once",
          "two power losses", 2, False),
    Fault("rack-power-loss", "a rack or zone loses power", "every host in one rack loses power once, in any order",
          "a rack's loss of power", None, False),
    Fault("rack-cut-off", "a rack or zone is cut off", "every broker in one rack is cut off past its session",
          "a rack that is cut off", None, False),
    Fault("rack-loss", "a rack or zone is gone", "every host in one rack is lost for good, with its disks; "
          "where only they were in sync, `offline` is until an operator elects another replica, which loses",
          "a rack that is gone", None, False),
    Fault("controller-loss", "one controller is lost", "one controller, or ZooKeeper server, goes down, and "
          "keeps its disk: one that comes back with an empty one (KAFKA-14077) is a finding of its own",
          "the loss of one controller", 0),
    Fault("controllers-loss", "most controllers are lost",
          "a majority of the controllers, or of ZooKeeper's servers, goes down", "the loss of most controllers", 0,
          False),
)  # fmt: skip

_OF_ZOOKEEPER: Mapping[str, tuple[str, str]] = {
    "controller-loss": (
        "one ZooKeeper server is lost",
        "a server of ZooKeeper goes down, and keeps its disk: that it comes back with an empty one is not modelled",
    ),
    "controllers-loss": ("most ZooKeeper servers are lost", "a majority of ZooKeeper's servers goes down"),
}
"""Titles, and what is said, of a cluster on ZooKeeper: its controller is one of the brokers."""


def faults_of_control_plane(control_plane: str | None, *, directories: bool) -> tuple[Fault, ...]:
    """The rows of a table, in the words of what keeps a cluster's metadata; that of a lost directory where a broker has
    several (`directories`): where each has one, it is its disk."""
    rows = [fault for fault in FAULTS if directories or fault.name != DIRECTORY]
    if control_plane != "zookeeper":
        return tuple(rows)
    worded = ((fault, _OF_ZOOKEEPER.get(fault.name, (fault.title, fault.says))) for fault in rows)
    return tuple(replace(fault, title=title, says=says) for fault, (title, says) in worded)


DIRECTORY = "directory-loss"
"""The fault of one of several directories."""

OF_RACKS = frozenset({"rack-power-loss", "rack-cut-off", "rack-loss"})
"""Faults of as many replicas as a rack holds."""

OF_CONTROLLERS = frozenset({"controller-loss", "controllers-loss"})


@immutable
class Situation:
    """How the ISR stands: its name on the command line, a column's title, and what it is in a sentence."""

    name: str
    title: str
    says: str


SITUATIONS: tuple[Situation, ...] = (
    Situation("all", "all in sync", "all replicas are in sync"),
    Situation(
        "min-isr",
        "at min.isr",
        "the ISR has shrunk to min.insync.replicas: the other replicas lag, or are down for maintenance",
    ),
    Situation("one", "one in sync", "the ISR has shrunk to one replica"),
)


@immutable
class Cell:
    """A fault in a situation. Its name is as `--require` takes it: `power-loss@min-isr`."""

    fault: Fault
    situation: Situation

    @property
    def name(self) -> str:
        """`power-loss@min-isr`."""
        return f"{self.fault.name}@{self.situation.name}"

    def __hash__(self) -> int:
        """Names are enough: an audit looks up what is known of its cells many times."""
        return hash((self.fault.name, self.situation.name))


Name = str
"""A cell's name."""

CELLS: tuple[Cell, ...] = tuple(Cell(fault, situation) for fault in FAULTS for situation in SITUATIONS)

BY_NAME: Mapping[Name, Cell] = {cell.name: cell for cell in CELLS}
GRAVEST: tuple[Cell, ...] = tuple(
    sorted(CELLS, key=lambda cell: (not cell.fault.single, SITUATIONS.index(cell.situation), FAULTS.index(cell.fault)))
)
"""Every cell, the one whose loss is reported first in front."""
LOST, UNREAD = "no-loss", "no-unread"
"""The two questions about records that decide how grave an answer is."""


FAULT: Mapping[str, Fault] = {fault.name: fault for fault in FAULTS}


def replicas_in_sync(situation: Situation, signature: Signature) -> int:
    """How many members the ISR has at least in a situation."""
    match situation.name:
        case "all":
            return signature.replicas
        case "min-isr":
            return max(1, min(signature.least_isr, signature.replicas))
        case _:
            return 1


def lagging_followers(situation: Situation, signature: Signature) -> int:
    """How many followers may leave the ISR."""
    return min(MOST_LAGGING, signature.replicas - replicas_in_sync(situation, signature))


def modelled_voter_count(signature: Signature) -> int:
    """How many controllers there are; of more than the model has, as many as it has."""
    return signature.replicas if signature.co_located else min(signature.voters or UNKNOWN_VOTERS, MOST_VOTERS)


def controllers_lost(fault: Fault, signature: Signature) -> int:
    """How many controllers a fault of theirs takes."""
    majority = modelled_voter_count(signature) // 2 + 1
    return {"controller-loss": 1, "controllers-loss": majority}.get(fault.name, 0)


def brokers_beside(fault: Fault, signature: Signature) -> int:
    """How many replicas go down with the controllers that a fault takes: in combined mode both are one process, and at
    worst those are lost that share it with a replica."""
    if signature.co_located:
        return min(controllers_lost(fault, signature), signature.replicas)
    return min(controllers_lost(fault, signature), signature.shared_voters, signature.replicas)


def controllers_away(fault: Fault, signature: Signature, rack_size: int | None = None) -> tuple[int, ...]:
    """How many controllers are down while a fault lasts, beside those that the model has on the brokers' own hosts;
    none and most of them where a rack is lost and nothing says in which racks they are."""
    if signature.co_located or fault.name == "restart":
        return (0,)  # a node in combined mode stops as a broker first, and its controller stops last
    if fault.name in OF_CONTROLLERS:
        return (controllers_lost(fault, signature),)
    voters = modelled_voter_count(signature)
    if fault.name in OF_RACKS:
        most = voters // 2 + 1
        if signature.voters_in_rack:
            return (_modelled_lost_controllers(signature.voters_in_rack, signature),)
        if signature.one_machine:  # whatever rack that is in
            return (voters if signature.voters else 0,)
        # One of so few is the majority: wherever the racks are, that of a voter's host has its replica too.
        return (most,) if voters <= 2 and signature.shared_voters else (0, most)
    if takes_whole_machine(fault, signature):
        return (voters if signature.voters else 0,)
    return (min(signature.shared_voters, voters, missing_replicas(fault, signature, rack_size)),)


def _modelled_lost_controllers(lost_count: int, signature: Signature) -> int:
    """How many controllers of the model's are lost for so many of the cluster's, which may have more: a majority of the
    former for a majority of the latter, and no majority for none."""
    if signature.voters <= MOST_VOTERS:
        return lost_count
    most = MOST_VOTERS // 2
    return most + 1 if 2 * lost_count >= signature.voters else min(lost_count, most)


Place = tuple[int | None, int]
"""What a fault takes where it happens: replicas (None: as stated) and controllers."""


def fault_placements(fault: Fault, signature: Signature) -> tuple[Place, ...]:
    """What a fault takes in each of the places where it may happen, however it is with what is not stated."""
    return tuple(dict.fromkeys(place for world in possible_placements(fault, signature) for place in world))


def possible_placements(fault: Fault, signature: Signature) -> tuple[tuple[Place, ...], ...]:
    """The same, as it may be: in each of these the fault happens in one of its places, and which of them is so is not
    stated. Voters whose racks are not stated are in no rack with replicas, or at worst all in one."""
    if at_hosts := taken_at_hosts(fault, signature):
        return (at_hosts,)
    if fault.name in OF_RACKS and signature.racks and not signature.co_located:
        return tuple(
            tuple(
                (replicas, _modelled_lost_controllers(voters + more, signature)) for replicas, voters in signature.racks
            )
            for more in dict.fromkeys((0, signature.open_voters))
        )
    return tuple(
        ((in_rack, controllers),)
        for in_rack in possible_rack_sizes(fault, signature)
        for controllers in controllers_away(fault, signature, in_rack)
    )


def taken_at_hosts(fault: Fault, signature: Signature) -> tuple[tuple[int, int], ...]:
    """The replicas and the controllers that a loss of power or of a disk takes, where nodes share hosts; () where no
    file says so. One broker is cut off beside a loss of power, and with it its controller, in combined mode."""
    if signature.one_machine or fault.name not in OF_MACHINES:
        return ()
    cut_off = fault.name == "cut-off-power-loss"
    places = signature.two_hosts if fault.name == "two-power-losses" else signature.hosts
    beside = 1 if cut_off and signature.shared_voters else 0
    return tuple(
        (
            min(signature.replicas, replicas + cut_off),
            0
            if signature.co_located
            else _modelled_lost_controllers(min(modelled_voter_count(signature), voters + beside), signature),
        )
        for replicas, voters in places
    )


def _replicas_without_power(fault: Fault, signature: Signature, otherwise: int) -> int:
    """How many replicas lose power, or their disk, at most."""
    if takes_whole_machine(fault, signature):
        return signature.replicas
    places = signature.two_hosts if fault.name == "two-power-losses" else signature.hosts
    return max((replicas for replicas, _ in places), default=otherwise)


def takes_whole_machine(fault: Fault, signature: Signature) -> bool:
    """Whether it is a loss of power, or of the disk, where all brokers share one computer: it takes them all."""
    return signature.one_machine and fault.name in OF_MACHINES


OF_MACHINES = ("power-loss", "two-power-losses", "cut-off-power-loss", "disk-loss")
"""Faults of one host or two: they take all that is on it."""


def fault_budgets_of_cell(cell: Cell, signature: Signature, rack_size: int | None = None) -> dict[str, PlainValue]:
    """How often each thing goes wrong in a cell. `rack_size` is how many replicas the rack holds (None: as stated).

    With acks=0 a request may fail in every cell, as it may with nothing wrong: the producer takes a record for written
    once it is sent (clients/producer/internals/Sender.java, 4.1.0: sendProduceRequest expects no response), and never
    learns that the broker refused it or was gone (core/server/KafkaApis.scala: a request with acks=0 that fails closes
    the connection).
    """
    faults = _budgets_of_fault(cell.fault, signature, rack_size)
    faults = _budgets_with_empty_disks(faults, signature) if signature.ephemeral else faults
    if signature.acks == "none":
        faults = {**faults, "retries": 1}
    return {"isr_shrinks": lagging_followers(cell.situation, signature), **faults}


def shut_down_in_budgets(faults: Mapping[str, PlainValue], down: int) -> dict[str, PlainValue]:
    """The same faults, where of those that leave the ISR so many are shut down, and may start again."""
    shutdowns = min(MOST_SHUTDOWNS, int(faults.get("shutdowns", 0)) + down)
    return {**faults, "isr_shrinks": int(faults["isr_shrinks"]) - down, "shutdowns": shutdowns}


_STOPS = ("shutdowns", "crashes", "power_losses")


def _budgets_with_empty_disks(faults: Mapping[str, PlainValue], signature: Signature) -> dict[str, PlainValue]:
    """The same where storage does not outlive the process: who stops, however it does, starts again with nothing. An
    `emptyDir` outlives a container that dies, and goes with its pod (kubernetes.io, Volumes)."""
    stops = [name for name in _STOPS if not (signature.of_pod and name == "crashes")]
    lost = sum(int(faults.get(name, 0)) for name in (*stops, "disk_losses", "directory_losses"))
    rest = {name: number for name, number in faults.items() if name not in (*stops, "directory_losses")}
    return {**rest, "disk_losses": lost} if lost else rest


def _budgets_of_fault(fault: Fault, signature: Signature, rack_size: int | None) -> dict[str, PlainValue]:
    rack = (signature.replicas_in_rack or 1) if rack_size is None else rack_size
    lost = controllers_lost(fault, signature)
    match fault.name:
        case "leader-move":
            return {"preferred_elections": 1}
        case "restart":
            return {"shutdowns": 1}
        case "crash" | "two-crashes" | "all-crashes":
            return {"crashes": {"crash": 1, "two-crashes": 2}.get(fault.name, signature.replicas)}
        case "cut-off":
            return {"fences": 1}
        case "power-loss" | "two-power-losses":
            return {"power_losses": _replicas_without_power(fault, signature, 1 if fault.name == "power-loss" else 2)}
        case "disk-loss":
            return {"disk_losses": _replicas_without_power(fault, signature, 1)}
        case "directory-loss":
            return (
                {"directory_losses": 1}
                if signature.directories
                else _budgets_of_fault(FAULT["disk-loss"], signature, None)
            )
        case "cut-off-power-loss":
            return {
                "fences": 1,
                "power_losses": _replicas_without_power(fault, signature, 1),
                "preferred_elections": _moves_after(signature),
            }
        case "rack-power-loss":
            return {"power_losses": rack}
        case "rack-cut-off":
            return {"fences": rack}
        case "rack-loss":
            return {"host_losses": rack}
        case _:  # a controller beside its broker goes down with it
            beside: dict[str, PlainValue] = {"crashes": brokers_beside(fault, signature)}
            return beside if signature.co_located else {"controller_losses": lost, **beside}


def _moves_after(signature: Signature) -> int:
    """How often the leader is moved when one broker was cut off and one lost power: once where a broker may be let into
    the ISR that has lost its log since it was seen caught up (KIP-903, KAFKA-15221), since then it may be made leader.
    Where that is refused it makes no difference; tests/audit/answers/test_mechanisms.py explores both, and compares."""
    constants = signature.constants
    return 0 if constants["reject_restarted"] and constants["one_snapshot"] else 1


def possible_rack_sizes(fault: Fault, signature: Signature) -> tuple[int | None, ...]:
    """How many replicas a rack may hold: what is stated, or where nothing is, one and all of them; all where they are
    on one computer, which is in one rack. One for the rest."""
    if fault.name not in OF_RACKS or signature.replicas_in_rack:
        return (None,)
    if signature.one_machine:
        return (signature.replicas,)
    return tuple(dict.fromkeys((1, signature.replicas)))


def missing_replicas(fault: Fault, signature: Signature, rack_size: int | None = None) -> int:
    """How many replicas are missing while a fault lasts."""
    if fault.name in OF_RACKS:
        return (signature.replicas_in_rack or 1) if rack_size is None else rack_size
    if fault.name in OF_CONTROLLERS:
        return brokers_beside(fault, signature)
    if at_hosts := taken_at_hosts(fault, signature):
        return max(replicas for replicas, _ in at_hosts) if rack_size is None else rack_size
    all_of_them = fault.replicas_away is None or takes_whole_machine(fault, signature)
    return signature.replicas if all_of_them else min(fault.replicas_away or 0, signature.replicas)


def cell_title(cell: Cell) -> str:
    """A cell in words: `a host loses power, with one replica in sync`."""
    where = {
        "all": "with all replicas in sync",
        "min-isr": "with the ISR at min.insync.replicas",
        "one": "with one replica in sync",
    }
    return f"{cell.fault.when}, {where[cell.situation.name]}"
