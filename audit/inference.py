"""What one exploration says of others: fewer faults lose nothing that more keep, and more lose all that fewer do.

Every run of a case with few faults is a run of one with more, so that one exploration answers several cells of a
signature's table. `within` says which, from the budgets alone; tests/test_audit_inference.py explores all of them and
compares. So the cells are explored in waves, those first that decide the most others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from .cases import CaseResult, Explorations, ScenarioStep
from .questions import PROPERTIES, QUESTION, WITNESS, Case, case_with, kind_of, loss_cases, whole_isr_case
from .signature import Constant, Signature
from .situations import CALM

BUDGETS = tuple(name for name in CALM if name != "retries")


@dataclass(frozen=True, slots=True)
class LossFound:
    """A property that is violated: the case in which it was found to be, and the steps to there."""

    case: Case
    steps: tuple[ScenarioStep, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a case, from its own exploration or from others: what is lost, by property, and what holds.

    `stopped` says why its own exploration did not end, and is "" if it did or if there was none. `basis` is the case of
    the exploration that what holds was found in, with its number of states.
    """

    lost: Mapping[str, LossFound]
    held: frozenset[str]
    reached: bool
    explored: bool
    stopped: str
    basis: Case
    states: int

    def decides(self, question: str) -> bool:
        """Whether it answers a question."""
        asked = QUESTION[question]
        lost = any(name in self.lost for name in asked.answered_by(self.basis.values["acks"]))
        return lost or set(asked.properties) <= self.held


def within(less: Case, more: Case) -> bool:
    """Whether every run of one case is a run of the other: the same settings, and no fault that the other has not.

    A crash is a loss of power in which everything was on the disk; that counts for a case without a loss of power, in
    which nothing is less because more was flushed before. A disk that is lost, or a host, is a loss of power in which
    nothing was on the disk, if nothing is ever flushed and nobody is down before.
    """
    few, many = less.values, more.values
    names = {*BUDGETS, "voters"}
    if less.asked != more.asked or any(few[name] != many[name] for name in few if name not in names):
        return _differs_in_fsync(few, many) and within(_with(less, "fsync", many["fsync"]), more)
    if int(many["controller_losses"]) and int(few["controller_losses"]) and few["voters"] != many["voters"]:
        return False
    return _fits({name: int(few[name]) for name in BUDGETS}, {name: int(many[name]) for name in BUDGETS},
                 flushing=bool(many["fsync"]))  # fmt: skip


def _differs_in_fsync(few: Mapping[str, Constant], many: Mapping[str, Constant]) -> bool:
    """Whether they differ in flushing, which the one without losses of power leaves out as of no account."""
    return few["fsync"] != many["fsync"] and not few["power_losses"]


def _with(case: Case, name: str, value: Constant) -> Case:
    return Case(case.asked, tuple(sorted({**case.values, name: value}.items())))


def _fits(few: dict[str, int], many: dict[str, int], *, flushing: bool) -> bool:
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
    return not flushing and alone and not over["crashes"]


# --- one signature ----------------------------------------------------------------------------------------------------


Ways = tuple[Case, ...]
"""Explorations that answer a cell together: one that loses records is enough to say that it loses them."""


@lru_cache(maxsize=10_000)
def ways_in(signature: Signature) -> tuple[Ways, ...]:
    """The explorations for losses that a signature may need, cell by cell, the calm one first."""
    calm, whole_isr = case_with(kind_of(signature), signature, {}), whole_isr_case(signature)
    more = () if whole_isr is None else ((whole_isr,),)
    return tuple(dict.fromkeys([(calm,), *(ways for _, ways in loss_cases(signature)), *more]))


def cases_in(signature: Signature) -> Ways:
    """All of them in a row."""
    return flat(ways_in(signature))


@lru_cache(maxsize=10_000)
def flat(groups: tuple[Ways, ...]) -> Ways:
    """Every case once."""
    return tuple(dict.fromkeys(case for ways in groups for case in ways))


@lru_cache(maxsize=100_000)
def neighbours(case: Case, others: tuple[Case, ...]) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Of other cases those that have no more faults than this one, and those that have no fewer."""
    fewer = tuple(each for each in others if each != case and within(each, case))
    return fewer, tuple(each for each in others if each != case and within(case, each))


def known(case: Case, others: Iterable[Case], explorations: Explorations) -> Known:
    """What is known of a case, given the others of its signature; nothing is explored."""
    own = explorations.known.get(case.explored)
    fewer, more = ({each: explorations.known[each.explored] for each in some if each.explored in explorations.known}
                   for some in neighbours(case, tuple(others)))  # fmt: skip
    holding = [(case, own)] if own is not None and not own.stopped else []
    holding += sorted(more.items(), key=lambda each: each[1].states)
    names = [name for name in PROPERTIES[case.asked] if name != WITNESS]
    held = frozenset(name for name in names if any(name in of.checked for _, of in holding))
    basis, states = next(((each, of.states) for each, of in holding if of.checked), (case, 0))
    return Known(
        lost={name: lost for name in names if (lost := _lost(name, case, own, fewer)) is not None},
        held=held,
        reached=any(WITNESS in of.reached for of in (*fewer.values(), *((own,) if own else ()))),
        explored=own is not None,
        stopped=own.stopped if own is not None else "",
        basis=basis,
        states=states,
    )


def _lost(name: str, case: Case, own: CaseResult | None, fewer: Mapping[Case, CaseResult]) -> LossFound | None:
    """How a property is violated: as was found in the case itself, else the shortest way of those with fewer faults."""
    if own is not None and name in own.scenarios:
        return LossFound(case, own.scenarios[name])
    ways = [LossFound(each, of.scenarios[name]) for each, of in fewer.items() if name in of.scenarios]
    return min(ways, key=lambda each: len(each.steps), default=None)


MAIN = ("no-loss", "no-unread")
"""The questions that are decided for every cell; the others are where an exploration was made."""


def is_decided(case: Case, found: Known) -> bool:
    """Whether nothing more is to be explored for a case: it was, or what others found answers its main questions."""
    asked = (*MAIN, "no-stale-reads") if case.asked == "reads" else MAIN
    return found.explored or all(found.decides(name) for name in asked)


def next_wave(groups: tuple[Ways, ...], explorations: Explorations) -> list[Case]:
    """The explorations to make next: first those with at most one fault and all in sync, then those that decide most.

    What the first lose, all the others lose. What they keep most likely is kept with more faults, too; so the cells
    with the most faults come next, and what they keep the rest keeps. Of the ways of one cell only the first that is
    open is explored, and none once one of them loses records.
    """
    cases = flat(groups)
    first = [each for each in cases if _is_probe(each) and each.explored not in explorations.known]
    if first:
        return first
    open_ = dict.fromkeys(way for ways in groups if (way := _next_way(ways, cases, explorations)) is not None)
    return [each for each in open_ if not any(other in open_ for other in neighbours(each, cases)[1])]


def _next_way(ways: Ways, cases: Ways, explorations: Explorations) -> Case | None:
    for way in ways:
        found = known(way, cases, explorations)
        if not is_decided(way, found):
            return way
        if len(ways) > 1 and all(_loses(found, name) for name in MAIN):
            return None
    return None


def _loses(found: Known, question: str) -> bool:
    return any(name in found.lost for name in QUESTION[question].answered_by(found.basis.values["acks"]))


def _is_probe(case: Case) -> bool:
    """Nothing, or a single crash, power loss or move of the leader, with all in sync: it costs next to nothing."""
    budgets = {name: int(case.values[name]) for name in BUDGETS if case.values[name]}
    return sum(budgets.values()) <= 1 and set(budgets) <= {"crashes", "power_losses", "preferred_elections"}


def explore_losses(signatures: Iterable[Signature], explorations: Explorations) -> None:
    """Sees to it that everything is explored that decides the signatures' losses, and nothing that others decide."""
    open_ = {groups: None for groups in map(ways_in, signatures)}
    while open_:
        waves = {groups: next_wave(groups, explorations) for groups in open_}
        open_ = {groups: None for groups, wave in waves.items() if wave}
        explorations.all([case for wave in waves.values() for case in wave])
