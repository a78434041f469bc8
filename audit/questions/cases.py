"""The cases of a signature: for each question and cell the explorations that answer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from ...language.constants import PlainValue
from .case_order import CasePlan, Cases
from .questions import CALM, Case, ExplorationKind, Question, shared_case
from .signature import Signature
from .situations import (
    CELLS,
    DIRECTORY,
    MOST_LAGGING,
    OF_CONTROLLERS,
    OF_RACKS,
    Cell,
    brokers_beside,
    controllers_away,
    fault_budgets_of_cell,
    fault_placements,
    lagging_followers,
    missing_replicas,
    modelled_voter_count,
    possible_rack_sizes,
    replicas_in_sync,
    shut_down_in_budgets,
    taken_at_hosts,
    takes_whole_machine,
)

RECORDS, LOG_SIZE, EPOCHS = 1, 2, 6
"""How much happens in a check for losses: the smallest numbers that show every loss of docs/partition-matrix.md."""

READ_RECORDS = 2
"""Where followers serve consumers: what one of them serves wrongly is cut off by a second record (KAFKA-14704)."""

DELIVERY: Mapping[str, PlainValue] = {"max_records": 2, "log_size": 4, "retries": 3}
"""A check for duplicates and order: two records, three requests that fail or whose answer is lost. With two requests
brokers up to 2.1 write no record twice when one loses power, with three they do."""

ALONE: Mapping[str, PlainValue] = {"replicas": 1, "min_isr": 1, "co_located": False, "max_leader_epoch": EPOCHS}
"""Where nothing else goes wrong one replica is enough for that: what its leader writes, others copy."""

NO_RECORD = 0
"""Requests in flight of a producer that sends nothing."""

MOST_CRASHES = 4
"""The largest budget that the model has for processes that die."""

ONE_FAULT_FROM = 3
"""With so many replicas or more, duplicates and order are asked about with one fault only and all replicas in sync:
with lag or with several losses of power there are too many states."""

DELIVERED_AFTER = ("leader-move", "crash", "power-loss", "disk-loss")
"""These faults: how a broker is missed in other ways makes no difference to who leads with which log."""


def exploration_kind(signature: Signature) -> ExplorationKind:
    """The kind of exploration that looks for a signature's losses."""
    return "reads" if signature.follower_reads else "loss"


def signature_to_ask_instead(question: Question, signature: Signature) -> Signature:
    """The signature that a question is asked of in place of another, since its answer is the same and known sooner.

    With acks=0 brokers do what they do with acks=1. What differs is what the producer takes for acknowledged, and that
    a request may be lost: then its one record is nowhere, and nothing is read or differs.
    tests/audit/exploring/test_inference.py explores both and compares.
    """
    same = question.kind == "loss" and question.name != "no-loss" and exploration_kind(signature) == "loss"
    return _signature_with_acks_1(signature) if same and signature.acks == "none" else signature


@lru_cache(maxsize=10_000)
def _signature_with_acks_1(signature: Signature) -> Signature:
    return replace(signature, acks="leader")


def case_with(kind: ExplorationKind, signature: Signature, faults: Mapping[str, PlainValue]) -> Case:
    """The exploration of a signature in which just these faults happen, so often."""
    records = READ_RECORDS if kind == "reads" else RECORDS
    sizes = {"max_records": records, "log_size": LOG_SIZE, "max_leader_epoch": EPOCHS}
    return _make_case(
        kind, {**signature.constants, **sizes, **CALM, "voters": modelled_voter_count(signature), **faults}
    )


def drop_irrelevant_constants(kind: ExplorationKind, constants: Mapping[str, PlainValue]) -> dict[str, PlainValue]:
    """The constants, those as by default that no step of this exploration asks for: fewer cases for many signatures.

    Where every append is flushed a loss of power takes nothing from the disk, and is a crash.
    tests/audit/exploring/test_explorations.py explores both and compares.
    """
    made = dict(constants)
    stops = int(made["crashes"]) + int(made["power_losses"])
    if made["fsync"] and kind in ("loss", "reads") and stops <= MOST_CRASHES:
        made |= {"crashes": stops, "power_losses": 0}
    if not made["power_losses"]:
        made["fsync"] = False
    if not made["heed_unclean"]:
        made["unclean"] = False
    if not made["controller_losses"]:
        made["voters"] = 3
    if made["acks"] == "none" or (not made["retries"] and (made["max_records"] == 1 or kind == "reads")):
        # Of two records the second is in sequence in every log that has room for it.
        made |= {"idempotent": True, "max_in_flight": 5}
    return made | _service_constants(made) if kind == "goes_on" else made


def _service_constants(constants: Mapping[str, PlainValue]) -> dict[str, PlainValue]:
    """What differs where it is asked who takes and serves records: no record is sent, since what a log has makes no
    difference to who leads, who is in the ISR, and what stays open. tests/audit/exploring/test_explorations.py
    explores both and compares. So it makes no difference either which records a producer may lose with acks=0.
    """
    return {"max_in_flight": NO_RECORD, "acks": "leader" if constants["acks"] == "none" else constants["acks"]}


@lru_cache(maxsize=100_000)
def loss_case(signature: Signature, cell: Cell, rack_size: int | None = None, down: int = 0) -> Case:
    """The exploration that says what a signature loses in a cell; `down` of those that are out of the ISR are down."""
    faults = fault_budgets_of_cell(cell, signature, rack_size)
    return case_with(exploration_kind(signature), signature, shut_down_in_budgets(faults, down) if down else faults)


@lru_cache(maxsize=100_000)
def cases_of_loss(signature: Signature, cell: Cell, rack_size: int | None = None) -> tuple[Case, ...]:
    """The explorations that say together what a signature loses in a cell."""
    return cases_of_faults(signature, fault_budgets_of_cell(cell, signature, rack_size))


def cases_of_faults(signature: Signature, faults: Mapping[str, PlainValue]) -> tuple[Case, ...]:
    """The explorations that say together what some faults lose: those out of the ISR only lag in the first, and in the
    others one of them and more are down.

    Where leaders are elected cleanly, or a member of the ISR has no fault, who is out of the ISR is never elected: it
    makes no difference whether it is down, and one is enough. tests/audit/questions/test_down.py explores both, and
    compares. Before KIP-320 it does make a difference: as the leader changes a follower may cut off an acknowledged
    record, and if another broker is shut down just then, it becomes the leader. With ELR a copy that is made anew makes
    a difference, too: who is up is elected before its broker is back, and who is down may be forgotten by then.
    """
    kind = exploration_kind(signature)
    lagging = case_with(kind, signature, faults)
    cuts_too_much = signature.constants["truncation"] != "common_prefix" or not signature.constants["fence_fetch"]
    forgets = bool(signature.constants["elr"] and (faults.get("disk_losses") or faults.get("directory_losses")))
    if not (cuts_too_much or forgets) and not (signature.elects_uncleanly and lagging.is_taking_all_in_sync):
        return (lagging,)
    most = int(faults["isr_shrinks"])
    return (lagging, *(case_with(kind, signature, shut_down_in_budgets(faults, down)) for down in range(1, most + 1)))


@lru_cache(maxsize=100_000)
def cases_of_continued_service(
    signature: Signature, cell: Cell, rack_size: int | None = None, controllers: int | None = None
) -> tuple[Case, ...]:
    """The explorations that say whether a signature is written and read while a fault lasts, that takes so many
    controllers too (None: as many as it may).

    The replicas that are out of the ISR are down in the first, and only lag in the second, if there are any.
    """
    handed_over = cell.fault.name == "restart"
    if handed_over and signature.co_located:
        signature = with_controllers_apart(signature)
    lost = missing_replicas(cell.fault, signature, rack_size)
    others = signature.replicas - replicas_in_sync(cell.situation, signature)
    if controllers is None:
        controllers = max(controllers_away(cell.fault, signature, rack_size))
    gone = controllers + _controllers_of_others(signature, 0 if handed_over else lost, others)
    if _loses_majority(signature, gone, lost + others) and others:
        # Who left before is out of the ISR; without a majority nobody can leave it.
        before: dict[str, PlainValue] = {"host_losses": lost, "shutdowns": min(MOST_LAGGING, others)}
    else:
        before = {"host_losses": min(signature.replicas, lost + others)}
    common: dict[str, PlainValue] = {"follower_reads": False}
    controllers = min(MOST_CONTROLLERS, controllers)
    down = case_with("goes_on", signature, {**common, **before, "controller_losses": min(MOST_CONTROLLERS, gone)})
    if not others:
        return (down,)
    lagging = lagging_followers(cell.situation, signature)
    behind = {"controller_losses": controllers, "host_losses": lost, "isr_shrinks": lagging}
    return down, case_with("goes_on", signature, {**common, **behind})


def with_controllers_apart(signature: Signature) -> Signature:
    """The same nodes, whose controllers do not go down with their brokers in the model's own steps: a node that is shut
    down as it should be hands its leaders over while its controller, and so the majority, is there (KafkaRaftServer,
    shutdown: the broker first). Those that are down before have taken their controllers with them."""
    return replace(signature, co_located=False, voters=signature.replicas, shared_voters=signature.replicas)


MOST_CONTROLLERS = 4
"""The largest budget that the model has for controllers that go down."""


def _controllers_of_others(signature: Signature, lost_count: int, others: int) -> int:
    """How many controllers are on the hosts of replicas that are down before, beyond those of the replicas that a fault
    takes; where each host has one the model takes them down itself."""
    if signature.co_located:
        return 0
    beside = min(signature.shared_voters, modelled_voter_count(signature))
    return max(0, min(beside, lost_count + others) - min(beside, lost_count))


def _loses_majority(signature: Signature, controllers: int, hosts: int) -> bool:
    """Whether most controllers are down in the end: so many on hosts of their own, or with so many hosts."""
    down = hosts if signature.co_located else controllers
    return down > 0 and 2 * down >= modelled_voter_count(signature)


@lru_cache(maxsize=100_000)
def delivery_case(signature: Signature, cell: Cell | None = None, rack_size: int | None = None) -> Case:
    """The exploration that says whether a producer's retries write records twice or in another order: in a cell, or
    (None) where nothing goes wrong but its requests."""
    if cell is None:
        client = {name: signature.constants[name] for name in ("acks", "idempotent", "max_in_flight")}
        return _make_case("delivery", {**signature.newest_switches, "unclean": False, "voters": 3, **CALM, **DELIVERY,
                                  **ALONE, **client, "fsync": False, "follower_reads": False})  # fmt: skip
    return case_with(
        "delivery",
        signature,
        {**DELIVERY, **fault_budgets_of_cell(cell, signature, rack_size), "follower_reads": False},
    )


def is_producer_retrying(signature: Signature) -> bool:
    """Whether the producer sends anything twice: not without retries, nor if it waits for no answer."""
    return signature.retries and signature.acks != "none"


def _make_case(kind: ExplorationKind, constants: Mapping[str, PlainValue]) -> Case:
    return shared_case(Case(kind, tuple(sorted(drop_irrelevant_constants(kind, constants).items()))))


def is_loss_explored(signature: Signature, cell: Cell, rack_size: int | None = None) -> bool:
    """Whether losses are explored in a cell, and not only inferred from cells with more or fewer faults.

    Up to three replicas all are, but with lag those of a rack that holds all three and loses power or is gone, or is
    cut off where leaders are elected uncleanly: with followers that are down five million states and more, of cells
    that lose by fewer faults unless min.insync.replicas is as large as the replicas. With four or five there are too
    many states with two faults and lag, and so there are with five that lose power where every append is flushed.
    """
    name, replicas, whole = cell.fault.name, signature.replicas, lagging_followers(cell.situation, signature) == 0
    if whole and int(fault_budgets_of_cell(cell, signature, rack_size).get("disk_losses", 0)) >= replicas:
        return True  # every disk is lost: that is found after few states
    if name in OF_RACKS or takes_whole_machine(cell.fault, signature) or taken_at_hosts(cell.fault, signature):
        held = missing_replicas(cell.fault, signature, rack_size)
        few = held < 3 or (
            whole and (replicas < 4 or (name == "rack-power-loss" and not _is_loss_by_crashes_alone(signature, held)))
        )
        few = few or (replicas < 4 and name == "rack-cut-off" and not signature.elects_uncleanly)
        return few and (whole or replicas < 4)
    if name == "all-crashes":
        return replicas < 4
    if name in ("cut-off-power-loss", "two-power-losses"):
        return replicas < 4 or whole
    if name == "two-crashes":
        return replicas < 5 or cell.situation.name != "one"
    if name in OF_CONTROLLERS and not signature.co_located and brokers_beside(cell.fault, signature) > 1:
        return replicas < 4 or whole
    return replicas < 5 or cell.situation.name != "one" or name in ("crash", "power-loss", "disk-loss", DIRECTORY)


def _is_loss_by_crashes_alone(signature: Signature, held_count: int) -> bool:
    """Whether a rack's loss of power takes nothing, since every append is flushed, and is one of more crashes than
    there is memory for; where leaders are elected uncleanly it loses after few states."""
    return signature.fsync and held_count > MOST_CRASHES and not signature.elects_uncleanly


def whole_isr_case(signature: Signature) -> Case | None:
    """The exploration in which every member of the smallest ISR that takes acks=all crashes, where that ends in an
    unclean election; None where no replica can be out of that ISR, or where none is elected uncleanly.

    With eligible leader replicas it takes so many: who left the ISR last is elected cleanly before any other. The loss
    is found after few states, and a crash of every broker has it, too, that would be too many states by itself.
    """
    lagging = signature.replicas - signature.least_isr
    if not signature.elects_uncleanly or signature.acks != "all" or lagging < 1:
        return None
    faults: dict[str, PlainValue] = {"isr_shrinks": min(MOST_LAGGING, lagging), "crashes": max(1, signature.least_isr)}
    return case_with(exploration_kind(signature), signature, faults)


def is_delivery_explored(signature: Signature, cell: Cell) -> bool:
    """Whether duplicates and order are explored in a cell, and not only with a part of its faults."""
    few = signature.replicas < ONE_FAULT_FROM or cell.situation.name == "all"
    return few and cell.fault.name in DELIVERED_AFTER


def loss_cases(signature: Signature) -> Iterator[tuple[Cell, tuple[Case, ...]]]:
    """Each cell's explorations for losses, those that answer it together together."""
    for cell in CELLS:
        for in_rack in possible_rack_sizes(cell.fault, signature):
            if is_loss_explored(signature, cell, in_rack):
                yield cell, cases_of_loss(signature, cell, in_rack)


def service_cases(signature: Signature) -> Iterator[tuple[Case, ...]]:
    """The explorations of service, cell by cell. The second of a cell is needed where something stops in the first."""
    for cell in CELLS:
        for in_rack, controllers in fault_placements(cell.fault, signature):
            yield cases_of_continued_service(signature, cell, in_rack, controllers)


def other_cases(signature: Signature) -> Iterator[Case]:
    """Every other exploration that a signature's table needs, but for those of service that others decide."""
    yield from (down for down, *_ in service_cases(signature))
    if not is_producer_retrying(signature):
        return
    yield delivery_case(signature)
    careful = signature.acks == "all" and signature.idempotent
    for cell in CELLS if careful and signature.max_in_flight == 1 else ():  # of others the first one says enough
        if is_delivery_explored(signature, cell):
            yield delivery_case(signature, cell)


@lru_cache(maxsize=10_000)
def case_plan_of_signature(signature: Signature) -> CasePlan:
    """A signature's plan; one and the same for signatures that need the same explorations."""
    calm, whole_isr = case_with(exploration_kind(signature), signature, {}), whole_isr_case(signature)
    more = () if whole_isr is None else ((whole_isr,),)
    return _shared_plan(tuple(dict.fromkeys([(calm,), *(ways for _, ways in loss_cases(signature)), *more])))


@lru_cache(maxsize=10_000)
def _shared_plan(groups: tuple[Cases, ...]) -> CasePlan:
    return CasePlan(groups)


def cases_in(signature: Signature) -> Cases:
    """All explorations for losses that a signature may need, in a row."""
    return case_plan_of_signature(signature).cases
