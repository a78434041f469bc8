"""What one exploration says of others: fewer faults lose nothing that more keep, and more lose all that fewer do.

Every run of a case with few faults is a run of one with more, so that one exploration answers several cells of a
signature's table. `is_within` says which, from the budgets alone; tests/audit/exploring/test_inference.py explores all
of them and compares. So the cells are explored in waves, those first that decide the most others.

So it is with settings: without eligible leader replicas a broker asks for acks and min.insync.replicas where it takes a
record and where it moves the high watermark, and refuses more the more they ask for. What is read and kept with acks=1,
or with a lesser min.insync.replicas, is read and kept with more; and with acks=all nothing is acknowledged that cannot
be read (`model.partition.broker`: `accepts`, `advance_high_watermark`). `wider_cases` says which cases these are. The
other way round, what is lost where more is asked for is lost where less is: the same run is one of the wider case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ...language.immutable import immutable
from ..questions.case_order import BUDGETS, CasePlan, Cases, Order, narrower_cases, wider_cases
from ..questions.questions import KEPT_READS, PROPERTIES, QUESTION, WITNESS, Case, Question
from .case_results import CaseResult, ScenarioStep
from .explorations import Explorations


@immutable
class LossFound:
    """A property that is violated: the case in which it was found to be, and the steps to there."""

    case: Case
    steps: tuple[ScenarioStep, ...]


@immutable
class CaseKnowledge:
    """What is known of a case, from its own exploration or from others: what is lost, by property, and what holds.

    `stop_reason` says why its own exploration did not end, and is "" if it did or if there was none. `basis` is the
    case of the exploration that what holds was found in, with its number of states.
    """

    losses: Mapping[str, LossFound]
    held_properties: frozenset[str]
    is_reached: bool
    is_explored: bool
    stop_reason: str
    basis: Case
    states: int

    def is_deciding(self, question: str) -> bool:
        """Whether it answers a question."""
        asked = QUESTION[question]
        lost = any(name in self.losses for name in asked.invariants_for(self.basis.values["acks"]))
        return lost or set(asked.properties) <= self.held_properties


# --- one signature ----------------------------------------------------------------------------------------------------


def knowledge_of(case: Case, plan: CasePlan, explorations: Explorations) -> CaseKnowledge:
    """What is known of a case, given the others of its plan; nothing is explored."""
    return explorations.infer_from_known(_infer_knowledge, case, plan, case.explored_case in explorations.known)


def result_of(case: Case, explorations: Explorations) -> CaseResult | None:
    """What a case's own exploration found, or its brief one, which is the beginning of it; None if there was none."""
    return explorations.known.get(case.explored_case) or explorations.known.get(case.brief_case.explored_case)


def _infer_knowledge(case: Case, plan: CasePlan, was_explored: bool, explorations: Explorations) -> CaseKnowledge:
    own = result_of(case, explorations)
    if own is not None and _is_answering_all(case, own):
        return _own_knowledge(case, own, is_explored=was_explored)
    order, whole = plan.order_of(case), explorations.known.get(case.explored_case)
    results = explorations.infer_from_known(_results_of_plan, plan)
    fewer, more = ({other: found for other in some if (found := results.get(other)) is not None}
                   for some in (order.fewer, order.more))  # fmt: skip
    holding = [(case, own)] if own is not None and not own.stop_reason else []
    holding += sorted(more.items(), key=lambda item: item[1].states)
    names = [name for name in PROPERTIES[case.kind] if name != WITNESS]
    held = frozenset(name for name in names if any(name in of.held_invariants for _, of in holding))
    kept = _properties_kept([name for name in KEPT_READS if name not in held], case, order, explorations)
    if kept:
        holding += kept.values()
        held |= kept.keys()
        held |= {*names} if case.values["acks"] == "all" and {*KEPT_READS} <= held else held
    basis, states = next(((holder, of.states) for holder, of in holding if of.held_invariants), (case, 0))
    lost = {
        name: way for name in names if name not in held and (way := _shortest_loss(name, case, own, fewer)) is not None
    }
    lost |= _properties_violated([name for name in names if name not in held | lost.keys()], case, order, explorations)
    return CaseKnowledge(
        losses=lost,
        held_properties=held,
        is_reached=any(WITNESS in of.reached_witnesses for of in (*fewer.values(), *((own,) if own else ()))),
        is_explored=was_explored,
        stop_reason=whole.stop_reason if whole is not None else "",
        basis=basis,
        states=states,
    )


def _results_of_plan(plan: CasePlan, explorations: Explorations) -> Mapping[Case, CaseResult]:
    """What the explorations of a plan found, of those that were made."""
    every = ((case, result_of(case, explorations)) for case in plan.cases)
    return {case: found for case, found in every if found is not None}


def _is_answering_all(case: Case, own: CaseResult) -> bool:
    """Whether an exploration says of each property whether it holds, and met the witness: others add nothing to it."""
    return (
        not own.stop_reason
        and {*PROPERTIES[case.kind]} <= own.held_invariants | own.scenarios.keys() | own.reached_witnesses
    )


def _own_knowledge(case: Case, own: CaseResult, *, is_explored: bool) -> CaseKnowledge:
    """What is known of a case from its own exploration alone."""
    lost = {name: LossFound(case, steps) for name, steps in own.scenarios.items()}
    return CaseKnowledge(lost, own.held_invariants, WITNESS in own.reached_witnesses, is_explored, "", case, own.states)


def _properties_kept(
    names: Sequence[str], case: Case, order: Order, explorations: Explorations
) -> dict[str, tuple[Case, CaseResult]]:
    """For each of these properties of what is read that holds in one: the first exploration with wider settings, and no
    fewer faults, in which it does."""
    made: dict[str, tuple[Case, CaseResult]] = {}
    for other in (other for base in (case, *order.more) for other in wider_cases(base)):
        if len(made) == len(names):
            break
        found = result_of(other, explorations)
        if found is not None and not found.stop_reason:
            made |= {name: (other, found) for name in names if name in found.held_invariants and name not in made}
    return {name: made[name] for name in names if name in made}


def _properties_violated(
    names: Sequence[str], case: Case, order: Order, explorations: Explorations
) -> dict[str, LossFound]:
    """For each of these properties that is violated in one: the first run of narrower settings, and no more faults, in
    which it is. It is one of this case, too."""
    made: dict[str, LossFound] = {}
    for less, other in ((base, narrow) for base in (case, *order.fewer) for narrow in narrower_cases(base)):
        if len(made) == len(names):
            break
        found = result_of(other, explorations)
        if found is not None:
            lost = found.scenarios
            made |= {name: LossFound(less, lost[name]) for name in names if name in lost and name not in made}
    return made


def _shortest_loss(name: str, case: Case, own: CaseResult | None, fewer: Mapping[Case, CaseResult]) -> LossFound | None:
    """How a property is violated: as was found in the case itself, else the shortest way of those with fewer faults."""
    if own is not None and name in own.scenarios:
        return LossFound(case, own.scenarios[name])
    ways = [LossFound(narrower_case, of.scenarios[name]) for narrower_case, of in fewer.items() if name in of.scenarios]
    return min(ways, key=lambda way: len(way.steps), default=None)


def is_case_decided(case: Case, knowledge: CaseKnowledge) -> bool:
    """Whether nothing more is to be explored for a case: it was, or what others found answers its main questions."""
    return knowledge.is_explored or all(knowledge.is_deciding(name) for name in _questions_decided_always(case))


def _questions_decided_always(case: Case) -> tuple[str, ...]:
    """The questions that are decided for every cell; the others are where an exploration was made."""
    return (*case.main_questions, "no-stale-reads") if case.kind == "reads" else case.main_questions


def case_to_explore(
    question: Question, case: Case, ways: Cases, plan: CasePlan, explorations: Explorations
) -> Case | None:
    """The exploration to make before a question is answered of one of a cell's ways; None where there is nothing to
    make. Where all that the cell is for is lost already in one of the ways it is the brief one, which ends where the
    other would."""
    found = knowledge_of(case, plan, explorations)
    if found.is_explored or found.is_deciding(question.name):
        return None
    lost = any(way.is_enough(frozenset(knowledge_of(way, plan, explorations).losses)) for way in ways)
    return case.brief_case if lost else case


def next_wave(plan: CasePlan, explorations: Explorations) -> list[Case]:
    """The explorations to make next: first those with at most one fault and all in sync, then those that decide most.

    What the first lose, all the others lose. What they keep most likely is kept with more faults, too; so the cells
    with the most faults come next, and what they keep the rest keeps. Of the ways of one cell only the first that is
    open is explored, and none once one of them loses records.
    """
    first = [case for case in plan.cases if _is_probe(case) and _is_unknown(case, plan, explorations)]
    if first:
        return first
    open_ = dict.fromkeys(way for ways in plan.groups if (way := _next_way(ways, plan, explorations)) is not None)
    return [case for case in open_ if not any(other in open_ for other in plan.order_of(case).earlier)]


def _is_unknown(case: Case, plan: CasePlan, explorations: Explorations) -> bool:
    """Whether a probe is still to be made. The calm one is needed to know that anything is ever acknowledged."""
    if case.explored_case in explorations.known:
        return False
    return case is plan.cases[0] or not _is_settled(case, plan, explorations)


def _is_settled(case: Case, plan: CasePlan, explorations: Explorations) -> bool:
    """Whether a case is decided: it stays so, whatever else is found."""
    if (plan, case) not in explorations.decided_cases:
        if not is_case_decided(case, knowledge_of(case, plan, explorations)):
            return False
        explorations.decided_cases.add((plan, case))
    return True


def _next_way(ways: Cases, plan: CasePlan, explorations: Explorations) -> Case | None:
    for way in ways:
        if not _is_settled(way, plan, explorations):
            return way
        if len(ways) > 1 and way.is_enough(frozenset(knowledge_of(way, plan, explorations).losses)):
            return None
    return None


@lru_cache(maxsize=100_000)
def _is_probe(case: Case) -> bool:
    """Nothing, or a single crash, power loss or move of the leader, with all in sync: it costs next to nothing. So does
    any single fault where a producer does not wait for all of the ISR: it loses what others need not look for then."""
    budgets = {name: int(case.values[name]) for name in BUDGETS if case.values[name]}
    quick = {"crashes", "power_losses", "preferred_elections"}
    return sum(budgets.values()) <= 1 and (set(budgets) <= quick or case.values["acks"] == "leader")
