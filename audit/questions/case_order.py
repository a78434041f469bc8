"""Which cases say something of others: fewer faults lose nothing that more keep, and more lose all that fewer do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...language.constants import PlainValue
from ...language.immutable import immutable
from .questions import CALM, Case

BUDGETS = tuple(name for name in CALM if name != "retries")


@dataclass(frozen=True, slots=True, eq=False)
class CaseForm:
    """What an order of cases goes by: the settings (one number for equal ones), whether losses of power find everything
    on the disk, whether the controller knows of directories, the voters, and the budgets in the order of
    `BUDGETS`."""

    settings: int
    flushing: bool
    assigns: bool
    voters: PlainValue
    budgets: tuple[int, ...]


_numbers: dict[tuple[str, frozenset[tuple[str, PlainValue]]], int] = {}


@lru_cache(maxsize=100_000)
def comparable_form(case: Case) -> CaseForm:
    """A case as it is compared with others."""
    settings = (
        case.kind,
        frozenset(constant for constant in case.constants if constant[0] not in (*BUDGETS, "voters", "fsync")),
    )
    budgets = tuple(int(case.values[name]) for name in BUDGETS)
    flushing, voters = bool(case.values["fsync"]), case.values["voters"]
    assigns = bool(case.values["assign_directories"])
    return CaseForm(_numbers.setdefault(settings, len(_numbers)), flushing, assigns, voters, budgets)


def is_case_within(less: Case, more: Case) -> bool:
    """Whether every run of one case is a run of the other: the same settings, and no fault that the other has not.

    A crash is a loss of power in which everything was on the disk; that counts for a case without a loss of power, in
    which nothing is less because more was flushed before. A disk that is lost, or a host, is a loss of power in which
    nothing was on the disk, if nothing is ever flushed, nobody is down before, and the controller knows no directories:
    who comes back in another one is elected later, and may make others forgotten.
    """
    return is_within(comparable_form(less), comparable_form(more))


def is_within(few: CaseForm, many: CaseForm) -> bool:
    """The same of their forms."""
    if few.settings != many.settings:
        return False
    if few.flushing != many.flushing and few.budgets[_POWER]:
        return False  # without a loss of power flushing is of no account
    if few.voters != many.voters and few.budgets[_CONTROLLERS] and many.budgets[_CONTROLLERS]:
        return False
    return _are_budgets_within(few.budgets, many.budgets, many.flushing or many.assigns)


_CONTROLLERS, _POWER = BUDGETS.index("controller_losses"), BUDGETS.index("power_losses")


@lru_cache(maxsize=100_000)
def _are_budgets_within(fewer: tuple[int, ...], more: tuple[int, ...], apart: bool) -> bool:
    """Whether budgets are within others; `apart`: a lost disk is no loss of power there."""
    few, many = dict(zip(BUDGETS, fewer, strict=True)), dict(zip(BUDGETS, more, strict=True))
    over = {name: max(0, few[name] - many[name]) for name in BUDGETS}
    spare = many["power_losses"] - few["power_losses"]
    dark = over["crashes"] + over["disk_losses"] + over["host_losses"]
    if any(over[name] for name in BUDGETS if name not in ("crashes", "disk_losses", "host_losses")) or dark > spare:
        return False
    empty = over["disk_losses"] + over["host_losses"]
    if over["crashes"] and few["power_losses"]:
        return False
    if not empty:
        return True
    stops = sum(few[name] for name in ("crashes", "power_losses", "disk_losses", "shutdowns"))
    alone = stops == few["disk_losses"] <= 1 and not (few["disk_losses"] and few["host_losses"])
    return not apart and alone and not over["crashes"]


@lru_cache(maxsize=100_000)
def wider_cases(case: Case) -> Cases:
    """The cases with the same faults whose brokers take every step that those of this one take, the widest first: with
    acks=1 for all, with a lesser min.insync.replicas, or both.

    It is so of one record that is sent once: the producer's own next step waits for nothing then.
    """
    waits = ("leader", "all") if case.values["acks"] == "all" else ("leader",)
    return _cases_with_other_acks(case, waits, range(1, int(case.values["min_isr"]) + 1))


@lru_cache(maxsize=100_000)
def narrower_cases(case: Case) -> Cases:
    """The cases that this one is wider than, the narrowest first; without those that ask for more than there are
    replicas."""
    waits = ("all", "leader") if case.values["acks"] == "leader" else ("all",)
    return _cases_with_other_acks(case, waits, range(int(case.values["replicas"]), int(case.values["min_isr"]) - 1, -1))


def _cases_with_other_acks(case: Case, waits: Sequence[str], least: Iterable[int]) -> Cases:
    """A case with other acks and min.insync.replicas, where these decide what is taken and nothing else."""
    values = case.values
    once = values["max_records"] == 1 and not values["retries"] and not values["unclean_elections"]
    if case.kind != "loss" or values["elr"] or values["acks"] == "none" or not once:
        return ()
    made = (
        Case(case.kind, tuple(sorted({**values, "acks": acks, "min_isr": number}.items())))
        for number in least
        for acks in waits
    )
    return tuple(other for other in made if other != case)


Cases = tuple[Case, ...]
"""Explorations that answer a cell together: one that loses records is enough to say that it loses them."""


@immutable
class Order:
    """Of a plan's other cases those that have no more faults than one, those that have no fewer, and of the latter
    those that are explored before it: of cases that are alike, the first."""

    fewer: Cases
    more: Cases
    earlier: Cases


class CasePlan:
    """The explorations for losses that a signature may need, cell by cell, the calm one first, and their order."""

    def __init__(self, groups: tuple[Cases, ...]) -> None:
        self.groups = groups
        self.cases: Cases = tuple(dict.fromkeys(case for ways in groups for case in ways))
        self._forms = [(case, comparable_form(case)) for case in self.cases]
        self._places = {case: at for at, case in enumerate(self.cases)}
        self._orders: dict[Case, Order] = {}

    def order_of(self, case: Case) -> Order:
        """Where a case stands among those of the plan; it may be one that is not explored itself."""
        if case not in self._orders:
            form = comparable_form(case)
            others = [(other, its_form) for other, its_form in self._forms if other is not case]
            fewer = tuple(other for other, its_form in others if is_within(its_form, form))
            more = tuple(other for other, its_form in others if is_within(form, its_form))
            alike, own = frozenset(fewer), self._places.get(case, len(self.cases))
            before = tuple(other for other in more if other not in alike or self._places[other] < own)
            self._orders[case] = Order(fewer, more, before)
        return self._orders[case]


def most_informative_cases(cases: Iterable[Case]) -> list[Case]:
    """The cases without those that others among them may answer: they are asked for again if these do not. What most
    likely keeps waits for the wider ones, what most likely loses for both ends."""
    some = dict.fromkeys(case.explored_case for case in cases)

    def has(others: Cases, case: Case) -> bool:
        return any(other.explored_case in some for other in others if other.explored_case != case)

    return [
        case
        for case in some
        if not has(wider_cases(case), case) or (_may_lose_whole_isr(case) and not has(narrower_cases(case), case))
    ]


def _may_lose_whole_isr(case: Case) -> bool:
    """Whether a part of a log can be lost with its host, and no member of the ISR is beyond reach: then most cases lose
    records."""
    losses = ("power_losses", "disk_losses", "directory_losses", "host_losses")
    return case.is_taking_all_in_sync and any(case.values[name] for name in losses)
