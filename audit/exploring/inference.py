"""What one exploration says of others: fewer faults lose nothing that more keep, and more lose all that fewer do.

Every run of a case with few faults is a run of one with more, so that one exploration answers several cells of a
signature's table. `within` says which, from the budgets alone; tests/audit/exploring/test_inference.py explores all of
them and compares. So the cells are explored in waves, those first that decide the most others.

So it is with settings: without eligible leader replicas a broker asks for acks and min.insync.replicas where it takes a
record and where it moves the high watermark, and refuses more the more they ask for. What is read and kept with acks=1,
or with a lesser min.insync.replicas, is read and kept with more; and with acks=all nothing is acknowledged that cannot
be read (`model.partition.broker`: `accepts`, `advance_high_watermark`). `wider` says which cases these are. The other
way round, what is lost where more is asked for is lost where less is: the same run is one of the wider case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..questions.questions import (
    KEPT_READS,
    OF_TOPICS,
    PROPERTIES,
    QUESTION,
    WITNESS,
    Case,
    Question,
    asked_instead,
    case_with,
    kind_of,
    loss_cases,
    whole_isr_case,
)
from ..questions.signature import Constant, Signature
from ..questions.situations import CALM
from .explorations import CaseResult, Explorations, ScenarioStep

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


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """What an order of cases goes by: the settings (one number for equal ones), whether losses of power find everything
    on the disk, the voters, the budgets in the order of `BUDGETS`."""

    settings: int
    flushing: bool
    voters: Constant
    budgets: tuple[int, ...]


_numbers: dict[tuple[str, frozenset[tuple[str, Constant]]], int] = {}


@lru_cache(maxsize=100_000)
def form_of(case: Case) -> Form:
    """A case as it is compared with others."""
    settings = (
        case.asked,
        frozenset(constant for constant in case.constants if constant[0] not in (*BUDGETS, "voters", "fsync")),
    )
    budgets = tuple(int(case.values[name]) for name in BUDGETS)
    flushing, voters = bool(case.values["fsync"]), case.values["voters"]
    return Form(_numbers.setdefault(settings, len(_numbers)), flushing, voters, budgets)


def within(less: Case, more: Case) -> bool:
    """Whether every run of one case is a run of the other: the same settings, and no fault that the other has not.

    A crash is a loss of power in which everything was on the disk; that counts for a case without a loss of power, in
    which nothing is less because more was flushed before. A disk that is lost, or a host, is a loss of power in which
    nothing was on the disk, if nothing is ever flushed and nobody is down before.
    """
    return is_within(form_of(less), form_of(more))


def is_within(few: Form, many: Form) -> bool:
    """The same of their forms."""
    if few.settings != many.settings:
        return False
    if few.flushing != many.flushing and few.budgets[_POWER]:
        return False  # without a loss of power flushing is of no account
    if few.voters != many.voters and few.budgets[_CONTROLLERS] and many.budgets[_CONTROLLERS]:
        return False
    return _fits(few.budgets, many.budgets, many.flushing)


_CONTROLLERS, _POWER = BUDGETS.index("controller_losses"), BUDGETS.index("power_losses")


@lru_cache(maxsize=100_000)
def _fits(fewer: tuple[int, ...], more: tuple[int, ...], flushing: bool) -> bool:
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
    return not flushing and alone and not over["crashes"]


@lru_cache(maxsize=100_000)
def wider(case: Case) -> Ways:
    """The cases with the same faults whose brokers take every step that those of this one take, the widest first: with
    acks=1 for all, with a lesser min.insync.replicas, or both.

    It is so of one record that is sent once: the producer's own next step waits for nothing then.
    """
    waits = ("leader", "all") if case.values["acks"] == "all" else ("leader",)
    return _asking(case, waits, range(1, int(case.values["min_isr"]) + 1))


@lru_cache(maxsize=100_000)
def narrower(case: Case) -> Ways:
    """The cases that this one is wider than, the narrowest first; without those that ask for more than there are
    replicas."""
    waits = ("all", "leader") if case.values["acks"] == "leader" else ("all",)
    return _asking(case, waits, range(int(case.values["replicas"]), int(case.values["min_isr"]) - 1, -1))


def _asking(case: Case, waits: Sequence[str], least: Iterable[int]) -> Ways:
    """A case with other acks and min.insync.replicas, where these decide what is taken and nothing else."""
    values = case.values
    once = values["max_records"] == 1 and not values["retries"] and not values["unclean_elections"]
    if case.asked != "loss" or values["elr"] or values["acks"] == "none" or not once:
        return ()
    made = (
        Case(case.asked, tuple(sorted({**values, "acks": acks, "min_isr": number}.items())))
        for number in least
        for acks in waits
    )
    return tuple(other for other in made if other != case)


# --- one signature ----------------------------------------------------------------------------------------------------


Ways = tuple[Case, ...]
"""Explorations that answer a cell together: one that loses records is enough to say that it loses them."""


@dataclass(frozen=True, slots=True)
class Order:
    """Of a plan's other cases those that have no more faults than one, those that have no fewer, and of the latter
    those that are explored before it: of cases that are alike, the first."""

    fewer: Ways
    more: Ways
    before: Ways


class Plan:
    """The explorations for losses that a signature may need, cell by cell, the calm one first, and their order."""

    def __init__(self, groups: tuple[Ways, ...]) -> None:
        self.groups = groups
        self.cases: Ways = tuple(dict.fromkeys(case for ways in groups for case in ways))
        self._forms = [(case, form_of(case)) for case in self.cases]
        self._places = {case: at for at, case in enumerate(self.cases)}
        self._orders: dict[Case, Order] = {}

    def order(self, case: Case) -> Order:
        """Where a case stands among those of the plan; it may be one that is not explored itself."""
        if case not in self._orders:
            form = form_of(case)
            others = [(other, its_form) for other, its_form in self._forms if other is not case]
            fewer = tuple(other for other, its_form in others if is_within(its_form, form))
            more = tuple(other for other, its_form in others if is_within(form, its_form))
            alike, own = frozenset(fewer), self._places.get(case, len(self.cases))
            before = tuple(other for other in more if other not in alike or self._places[other] < own)
            self._orders[case] = Order(fewer, more, before)
        return self._orders[case]


@lru_cache(maxsize=10_000)
def plan_of(signature: Signature) -> Plan:
    """A signature's plan; one and the same for signatures that need the same explorations."""
    calm, whole_isr = case_with(kind_of(signature), signature, {}), whole_isr_case(signature)
    more = () if whole_isr is None else ((whole_isr,),)
    return _plan(tuple(dict.fromkeys([(calm,), *(ways for _, ways in loss_cases(signature)), *more])))


@lru_cache(maxsize=10_000)
def _plan(groups: tuple[Ways, ...]) -> Plan:
    return Plan(groups)


def cases_in(signature: Signature) -> Ways:
    """All explorations for losses that a signature may need, in a row."""
    return plan_of(signature).cases


def known(case: Case, plan: Plan, explorations: Explorations) -> Known:
    """What is known of a case, given the others of its plan; nothing is explored."""
    found = explorations.inferred.get((plan, case))
    if found is None or (not found.explored and case.explored in explorations.known):
        found = explorations.inferred[plan, case] = _known(case, plan, explorations)
    return found


def found_of(case: Case, explorations: Explorations) -> CaseResult | None:
    """What a case's own exploration found, or its brief one, which is the beginning of it; None if there was none."""
    return explorations.known.get(case.explored) or explorations.known.get(case.beside.explored)


def _known(case: Case, plan: Plan, explorations: Explorations) -> Known:
    own = found_of(case, explorations)
    if own is not None and _answers_all(case, own):
        return _by_itself(case, own, explored=case.explored in explorations.known)
    order, whole = plan.order(case), explorations.known.get(case.explored)
    results = _results(plan, explorations)
    fewer, more = ({other: found for other in some if (found := results.get(other)) is not None}
                   for some in (order.fewer, order.more))  # fmt: skip
    holding = [(case, own)] if own is not None and not own.stopped else []
    holding += sorted(more.items(), key=lambda item: item[1].states)
    names = [name for name in PROPERTIES[case.asked] if name != WITNESS]
    held = frozenset(name for name in names if any(name in of.checked for _, of in holding))
    kept = _kept_with([name for name in KEPT_READS if name not in held], case, order, explorations)
    if kept:
        holding += kept.values()
        held |= kept.keys()
        held |= {*names} if case.values["acks"] == "all" and {*KEPT_READS} <= held else held
    basis, states = next(((holder, of.states) for holder, of in holding if of.checked), (case, 0))
    lost = {name: way for name in names if name not in held and (way := _lost(name, case, own, fewer)) is not None}
    lost |= _lost_with([name for name in names if name not in held | lost.keys()], case, order, explorations)
    return Known(
        lost=lost,
        held=held,
        reached=any(WITNESS in of.reached for of in (*fewer.values(), *((own,) if own else ()))),
        explored=whole is not None,
        stopped=whole.stopped if whole is not None else "",
        basis=basis,
        states=states,
    )


def _results(plan: Plan, explorations: Explorations) -> Mapping[Case, CaseResult]:
    """What the explorations of a plan found, of those that were made."""
    kept: dict[Case, CaseResult] | None = explorations.inferred.get(plan)
    if kept is None:
        every = ((case, found_of(case, explorations)) for case in plan.cases)
        kept = explorations.inferred[plan] = {case: found for case, found in every if found is not None}
    return kept


def _answers_all(case: Case, own: CaseResult) -> bool:
    """Whether an exploration says of each property whether it holds, and met the witness: others add nothing to it."""
    return not own.stopped and {*PROPERTIES[case.asked]} <= own.checked | own.scenarios.keys() | own.reached


def _by_itself(case: Case, own: CaseResult, *, explored: bool) -> Known:
    """What is known of a case from its own exploration alone."""
    lost = {name: LossFound(case, steps) for name, steps in own.scenarios.items()}
    return Known(lost, own.checked, WITNESS in own.reached, explored, "", case, own.states)


def _kept_with(
    names: Sequence[str], case: Case, order: Order, explorations: Explorations
) -> dict[str, tuple[Case, CaseResult]]:
    """For each of these properties of what is read that holds in one: the first exploration with wider settings, and no
    fewer faults, in which it does."""
    made: dict[str, tuple[Case, CaseResult]] = {}
    for other in (other for base in (case, *order.more) for other in wider(base)):
        if len(made) == len(names):
            break
        found = found_of(other, explorations)
        if found is not None and not found.stopped:
            made |= {name: (other, found) for name in names if name in found.checked and name not in made}
    return {name: made[name] for name in names if name in made}


def _lost_with(names: Sequence[str], case: Case, order: Order, explorations: Explorations) -> dict[str, LossFound]:
    """For each of these properties that is violated in one: the first run of narrower settings, and no more faults, in
    which it is. It is one of this case, too."""
    made: dict[str, LossFound] = {}
    for less, other in ((base, narrow) for base in (case, *order.fewer) for narrow in narrower(base)):
        if len(made) == len(names):
            break
        found = found_of(other, explorations)
        if found is not None:
            lost = found.scenarios
            made |= {name: LossFound(less, lost[name]) for name in names if name in lost and name not in made}
    return made


def _lost(name: str, case: Case, own: CaseResult | None, fewer: Mapping[Case, CaseResult]) -> LossFound | None:
    """How a property is violated: as was found in the case itself, else the shortest way of those with fewer faults."""
    if own is not None and name in own.scenarios:
        return LossFound(case, own.scenarios[name])
    ways = [LossFound(narrower_case, of.scenarios[name]) for narrower_case, of in fewer.items() if name in of.scenarios]
    return min(ways, key=lambda way: len(way.steps), default=None)


def is_decided(case: Case, found: Known) -> bool:
    """Whether nothing more is to be explored for a case: it was, or what others found answers its main questions."""
    return found.explored or all(found.decides(name) for name in _main(case))


def _main(case: Case) -> tuple[str, ...]:
    """The questions that are decided for every cell; the others are where an exploration was made."""
    return (*case.main, "no-stale-reads") if case.asked == "reads" else case.main


def in_question(question: Question, case: Case, ways: Ways, plan: Plan, explorations: Explorations) -> Case | None:
    """The exploration to make before a question is answered of one of a cell's ways; None where there is nothing to
    make. Where all that the cell is for is lost already in one of the ways it is the brief one, which ends where the
    other would."""
    found = known(case, plan, explorations)
    if found.explored or found.decides(question.name):
        return None
    lost = any(way.is_enough(frozenset(known(way, plan, explorations).lost)) for way in ways)
    return case.beside if lost else case


def next_wave(plan: Plan, explorations: Explorations) -> list[Case]:
    """The explorations to make next: first those with at most one fault and all in sync, then those that decide most.

    What the first lose, all the others lose. What they keep most likely is kept with more faults, too; so the cells
    with the most faults come next, and what they keep the rest keeps. Of the ways of one cell only the first that is
    open is explored, and none once one of them loses records.
    """
    first = [case for case in plan.cases if _is_probe(case) and _is_unknown(case, plan, explorations)]
    if first:
        return first
    open_ = dict.fromkeys(way for ways in plan.groups if (way := _next_way(ways, plan, explorations)) is not None)
    return [case for case in open_ if not any(other in open_ for other in plan.order(case).before)]


def _is_unknown(case: Case, plan: Plan, explorations: Explorations) -> bool:
    """Whether a probe is still to be made. The calm one is needed to know that anything is ever acknowledged."""
    if case.explored in explorations.known:
        return False
    return case is plan.cases[0] or not _is_settled(case, plan, explorations)


def _is_settled(case: Case, plan: Plan, explorations: Explorations) -> bool:
    """Whether a case is decided: it stays so, whatever else is found."""
    if (plan, case) not in explorations.settled:
        if not is_decided(case, known(case, plan, explorations)):
            return False
        explorations.settled.add((plan, case))
    return True


def _next_way(ways: Ways, plan: Plan, explorations: Explorations) -> Case | None:
    for way in ways:
        if not _is_settled(way, plan, explorations):
            return way
        if len(ways) > 1 and way.is_enough(frozenset(known(way, plan, explorations).lost)):
            return None
    return None


@lru_cache(maxsize=100_000)
def _is_probe(case: Case) -> bool:
    """Nothing, or a single crash, power loss or move of the leader, with all in sync: it costs next to nothing. So does
    any single fault where a producer does not wait for all of the ISR: it loses what others need not look for then."""
    budgets = {name: int(case.values[name]) for name in BUDGETS if case.values[name]}
    quick = {"crashes", "power_losses", "preferred_elections"}
    return sum(budgets.values()) <= 1 and (set(budgets) <= quick or case.values["acks"] == "leader")


def explore_losses(signatures: Iterable[Signature], explorations: Explorations) -> None:
    """Sees to it that everything is explored that decides the signatures' losses, and nothing that others decide; as
    much of it as there is time for."""
    asked = (asked_instead(question, signature) for signature in signatures for question in OF_TOPICS)
    open_ = dict.fromkeys(map(plan_of, dict.fromkeys(asked)))
    while open_ and not explorations.late:
        waves = {plan: next_wave(plan, explorations) for plan in open_}
        open_ = {plan: None for plan, wave in waves.items() if wave}
        explorations.all(first_of(case for wave in waves.values() for case in wave))


def first_of(cases: Iterable[Case]) -> list[Case]:
    """The cases without those that others among them may answer: they are asked for again if these do not. What most
    likely keeps waits for the wider ones, what most likely loses for both ends."""
    some = dict.fromkeys(case.explored for case in cases)

    def has(others: Ways, case: Case) -> bool:
        return any(other.explored in some for other in others if other.explored != case)

    return [
        case for case in some if not has(wider(case), case) or (_may_be_gone(case) and not has(narrower(case), case))
    ]


def _may_be_gone(case: Case) -> bool:
    """Whether a part of a log can be lost with its host, and no member of the ISR is beyond reach: then most cases lose
    records."""
    return case.takes_all and any(case.values[name] for name in ("power_losses", "disk_losses", "host_losses"))
