"""What is asked of a signature: faults by level, as budgets of `model/partition/`, and questions as its properties.

The levels are those that operators speak of, not steps of one scale: each says what may go wrong, and a loss at one of
them needs nothing but that. Where the model cannot say it, a number does, and is marked as arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .signature import Constant, Signature

Name = Literal["L0", "L1", "L2", "L3", "L4", "L5", "L6"]
Asked = Literal["loss", "goes_on", "delivery"]

CALM: Mapping[str, Constant] = {
    "isr_shrinks": 0,
    "fences": 0,
    "shutdowns": 0,
    "crashes": 0,
    "power_losses": 0,
    "disk_losses": 0,
    "host_losses": 0,
    "controller_losses": 0,
    "preferred_elections": 0,
    "unclean_elections": 0,
    "retries": 0,
}
"""No fault but those that a level asks for."""

MEMBERS_LOST = (
    "isr_shrinks", "fences", "shutdowns", "crashes", "power_losses", "disk_losses", "host_losses",
)  # fmt: skip
"""Faults after each of which the ISR may have a member less."""

RECORDS, LOG_SIZE, EPOCHS = 1, 2, 6
"""How much happens in a check for losses: the smallest numbers that show every loss of docs/partition-matrix.md."""

DELIVERY: Mapping[str, Constant] = {"max_records": 2, "log_size": 4, "retries": 3}
"""A check for duplicates and order: two records, three requests that fail or whose answer is lost. With two requests
brokers up to 2.1 write no record twice at L2, with three they do."""

ALONE: Mapping[str, Constant] = {"replicas": 1, "min_isr": 1, "co_located": False, "max_leader_epoch": EPOCHS}
"""Where nothing else goes wrong one replica is enough for that: what its leader writes, others copy."""

ONE_FAULT_FROM = 3
"""With so many replicas or more, duplicates and order are asked about with one fault only: with lag or with several
losses of power there are too many states."""

MOST = 4
"""The largest budget that the model has for one kind of fault; of power losses it has one for each replica."""


@dataclass(frozen=True, slots=True)
class Level:
    """A fault level: its name, what goes wrong in a few words for a table, and in a sentence."""

    name: Name
    short: str
    says: str


LEVELS: tuple[Level, ...] = (
    Level("L0", "no fault", "nothing goes wrong; the controller may move the lead once"),
    Level("L1", "a process crashes", "one broker's process dies at any moment, and starts again; its log stays"),
    Level("L2", "a host loses power", "one host loses power, and any part of its log that was not flushed"),
    Level("L3", "L1, ISR at min.isr", "followers lag until the ISR has shrunk to min.insync.replicas, then L1"),
    Level(
        "L4",
        "last replica standing",
        "all brokers but one leave the ISR, their logs whole (they lag, or are shut down as they should be), and one "
        "host loses power",
    ),
    Level("L5", "a rack loses power", "every host in one rack loses power once, in any order"),
    Level("L6", "a disk is lost", "one broker starts again with an empty disk"),
)

BY_NAME: Mapping[str, Level] = {each.name: each for each in LEVELS}


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its name in JSON and on the command line, and its row's title.

    `properties` are the invariants that answer it in an exploration of kind `asked`; empty where a number answers it.
    `with_all` answer it as well with acks=all. What is asked of "consumers" follows from other rows, in `consumers`.
    """

    name: str
    title: str
    asked: Asked | Literal["consumers"]
    properties: tuple[str, ...] = ()
    with_all: tuple[str, ...] = ()

    def answered_by(self, acks: Constant) -> tuple[str, ...]:
        """The invariants that answer it, as a producer waits."""
        return (*self.properties, *(self.with_all if acks == "all" else ()))


QUESTIONS: tuple[Question, ...] = (
    Question("no-loss", "acknowledged record lost", "loss", ("acknowledged_kept", "acked_durable")),
    # With acks=all what is acknowledged is below the high watermark, and may have been read.
    Question("no-unread", "committed record read, then gone", "loss", ("consistent_read",), ("acked_durable",)),
    Question("no-divergence", "logs diverge", "loss", ("log_matching",)),
    Question("writable", "writes stop", "goes_on", ("writes_go_on",)),
    Question("readable", "reads stop", "goes_on"),
    Question("no-duplicates", "duplicates", "delivery", ("no_duplicate",)),
    Question("in-order", "reordering", "delivery", ("producer_order",)),
    Question("groups", "consumer groups stuck", "consumers"),
    Question("no-skips", "consumers skip records", "consumers"),
)

OF_TOPICS: tuple[Question, ...] = tuple(each for each in QUESTIONS if each.asked != "consumers")
"""Those that a topic's signature answers by itself."""

QUESTION: Mapping[str, Question] = {each.name: each for each in QUESTIONS}

WITNESS = "record_is_acknowledged"
"""Without it a pass says nothing: nothing was written that could be lost."""

_LOSS = ("acknowledged_kept", "acked_durable", "consistent_read", "log_matching", WITNESS, "writes_go_on")

PROPERTIES: Mapping[Asked, tuple[str, ...]] = {
    "loss": _LOSS,
    "goes_on": _LOSS,
    "delivery": ("no_duplicate", "producer_order", WITNESS),
}
"""What one exploration of each kind judges. Losses and going on share a kernel."""

ENOUGH: Mapping[Asked, tuple[str, ...]] = {
    "loss": ("no-loss", "no-unread"),
    "goes_on": ("writable",),
    "delivery": ("no-duplicates", "in-order"),
}
"""Once all of these are answered against the settings, or met, an exploration of many states ends."""


@dataclass(frozen=True, slots=True)
class Case:
    """One exploration: what it is for, and the constants of the model. Equal cases are explored once."""

    asked: Asked
    constants: tuple[tuple[str, Constant], ...]

    @property
    def values(self) -> dict[str, Constant]:
        """The constants by name."""
        return dict(self.constants)

    @property
    def size(self) -> tuple[str, int]:
        """What a compiled kernel is made for."""
        return self.asked, int(self.values["replicas"])

    @property
    def weight(self) -> int:
        """A measure of how many states there are: replicas times faults, and more where requests fail."""
        values = self.values
        replicas = int(values["replicas"])
        faults = sum(int(values[name]) for name in (*MEMBERS_LOST, "preferred_elections"))
        return replicas * (faults + (replicas if values["retries"] else 0))

    @property
    def explored(self) -> Case:
        """The case whose exploration is this one's too, step by step, with settings that cannot matter as by default.

        Each fault takes one member out of the ISR, and nothing else does. Those that no fault can reach stay: with one
        of them nobody is elected uncleanly, and as long as they are as many as min.insync.replicas asks for, any lesser
        number is the same to every step and property. tests/test_audit_cases.py explores both.
        """
        values = self.values
        stay = int(values["replicas"]) - sum(int(values[name]) for name in MEMBERS_LOST)
        if values["unclean_elections"]:
            return self
        made = {
            **values,
            "unclean": bool(values["unclean"]) and stay < 1,
            "min_isr": 1 if int(values["min_isr"]) <= stay else values["min_isr"],
        }
        return Case(self.asked, tuple(sorted(made.items())))

    def is_enough(self, decided: frozenset[str]) -> bool:
        """Whether what was violated or met, by name, answers all that it is for."""
        acks = self.values["acks"]
        return all(decided & set(QUESTION[name].answered_by(acks)) for name in ENOUGH[self.asked])


def budgets(level: Name, signature: Signature, in_rack: int | None = None) -> dict[str, Constant]:
    """How often each thing goes wrong at a level. `in_rack` is how many of the replicas L5 takes (None: as stated)."""
    lag = max(0, min(MOST, signature.replicas - signature.least_isr))
    match level:
        case "L0":
            return {"preferred_elections": 1}
        case "L1":
            return {"crashes": 1}
        case "L2":
            return {"power_losses": 1}
        case "L3":
            return {"crashes": 1, "isr_shrinks": lag}
        case "L4":
            return {"power_losses": 1, "isr_shrinks": min(MOST, signature.replicas - 1)}
        case "L5":
            return {"power_losses": in_rack or signature.in_rack or 1}
        case "L6":
            return {"disk_losses": 1}


def case_with(asked: Asked, signature: Signature, faults: Mapping[str, Constant]) -> Case:
    """The exploration of a signature in which just these faults happen, so often."""
    sizes = {"max_records": RECORDS, "log_size": LOG_SIZE, "max_leader_epoch": EPOCHS}
    return _case(asked, {**signature.constants, **sizes, **CALM, **faults})


def as_far_as_it_matters(constants: Mapping[str, Constant]) -> dict[str, Constant]:
    """The constants, those as by default that no step of this exploration asks for: fewer cases for many signatures."""
    made = dict(constants)
    if not made["power_losses"]:
        made["fsync"] = False
    if not made["heed_unclean"]:
        made["unclean"] = False
    if not made["retries"] and made["max_records"] == 1:
        made |= {"idempotent": True, "max_in_flight": 5}
    return made


def loss_case(signature: Signature, level: Name, in_rack: int | None = None) -> Case:
    """The exploration that says what a signature loses at a level."""
    return case_with("loss", signature, budgets(level, signature, in_rack))


def goes_on_case(signature: Signature, lost: int) -> Case:
    """The exploration that says whether writes go on without so many hosts."""
    return case_with("goes_on", signature, {"host_losses": lost})


def delivery_case(signature: Signature, level: Name | None = None, in_rack: int | None = None) -> Case:
    """The exploration that says whether a producer's retries write records twice or in another order: at a level, or
    (None) where nothing goes wrong but its requests."""
    if level is None:
        client = {name: signature.constants[name] for name in ("acks", "idempotent", "max_in_flight")}
        return _case("delivery", {**signature.newest, "unclean": False, **CALM, **DELIVERY, **ALONE, **client})
    return case_with("delivery", signature, {**DELIVERY, **budgets(level, signature, in_rack)})


def is_sent_again(signature: Signature) -> bool:
    """Whether the producer sends anything twice: not without retries, nor if it waits for no answer."""
    return signature.retries and signature.acks != "none"


def asks_delivery(signature: Signature, level: Name) -> bool:
    """Whether duplicates and order are explored at a level, and not only with a part of its faults."""
    return signature.replicas < ONE_FAULT_FROM or level in ("L0", "L1", "L2", "L6")


def _case(asked: Asked, constants: Mapping[str, Constant]) -> Case:
    return Case(asked, tuple(sorted(as_far_as_it_matters(constants).items())))


def cases_of(signature: Signature) -> Iterator[Case]:
    """Every exploration that a signature's table needs."""
    for level in LEVELS:
        for in_rack in racks_of(signature, level.name):
            yield loss_case(signature, level.name, in_rack)
    for lost in sorted({lost for level in LEVELS for lost in hosts_lost(signature, level.name)}):
        if 0 <= lost <= min(MOST, signature.replicas) and signature.acks == "all":
            yield goes_on_case(signature, lost)
    yield from _delivery_cases(signature)


def _delivery_cases(signature: Signature) -> Iterator[Case]:
    if not is_sent_again(signature):
        return
    yield delivery_case(signature)
    careful = signature.acks == "all" and signature.idempotent
    for level in LEVELS if careful or signature.max_in_flight == 1 else ():
        if asks_delivery(signature, level.name):
            for in_rack in racks_of(signature, level.name):
                yield delivery_case(signature, level.name, in_rack)


def racks_of(signature: Signature, level: Name) -> tuple[int | None, ...]:
    """How many replicas a rack may hold: what is stated, or where nothing is, one and all of them. One for the rest."""
    if level != "L5" or signature.in_rack:
        return (None,)
    return tuple(dict.fromkeys((1, signature.replicas)))


def hosts_lost(signature: Signature, level: Name) -> tuple[int, ...]:
    """How many replicas are away at a level, while it lasts; several where racks are not stated."""
    match level:
        case "L0":
            return (0,)
        case "L5":
            return tuple(each or signature.in_rack for each in racks_of(signature, level))
        case _:
            return (1,)
