"""The unbounded questions: does a step from a state where all lemmas hold lead to one where a lemma holds?

Uninterpreted functions, triggers of our own, and no search for models of quantifiers: Z3 answers in a moment, or says
that it does not know. Where it does not know under one seed it may under another, and where it does not know a lemma as
a whole it may know its clauses; so that is tried, in this order, before anything is given up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

import z3

from ...language import ir
from ...language.model import Model, Property
from ...language.proof import Obligation
from .clauses import Clause, subterms
from .encoding import unbounded
from .predicate import clauses
from .states import SymbolicState, fresh_state
from .symmetric import Case, cases, representatives
from .terms import Bit, formula, negation
from .transition import Instance, instances, starts


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to try: seconds for one query, and the seeds that are tried one after the other."""

    seconds: float = 4.0
    seeds: tuple[int, ...] = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether it is proved, and if not what the solver said last."""

    proved: bool
    reason: str = ""


@dataclass(slots=True)
class Context:
    """What a goal is proved under: the assertions, and a solver that has them, while they stay the same. In it each
    name of `case` is put in place of what stands before it."""

    assertions: list[z3.BoolRef]
    case: Case = ()
    solver: z3.Solver | None = field(default=None)

    def inside(self, formulas: Sequence[z3.BoolRef]) -> list[z3.BoolRef]:
        """The formulas as they are in this case."""
        if not self.case:
            return list(formulas)
        return [cast(z3.BoolRef, z3.simplify(z3.substitute(each, *self.case))) for each in formulas]


class Questions:
    """The questions about one bound model, its bounds open. Made once per process; `model` has its lemmas bound."""

    def __init__(self, model: Model, symmetric: frozenset[str], effort: Effort) -> None:
        self.model, self.symmetric, self.effort = model, symmetric, effort
        self.encoding = unbounded(model)
        self.before = fresh_state(model, self.encoding, "0")
        self.lemmas = tuple(each for each in model.lemmas if each.kind == "invariant")
        self.predicates = {each.name: each for each in (*model.properties, *model.lemmas)}
        self._known: tuple[str, list[tuple[Instance, Context]]] = ("", [])
        self._rest = Context(self._all_lemmas())

    def _all_lemmas(self) -> list[z3.BoolRef]:
        """Any state where all lemmas hold."""
        said = [formula(self.before.valid)]
        for each in self.lemmas:
            said += _assumed(clauses(cast(ir.Function, each.form), self.encoding, self.before, suffix="h"))
        return said

    # --- asking ------------------------------------------------------------------------------------------------------

    def ask(self, obligation: Obligation, *, hard: bool) -> Answer:
        """Whether the obligation can be proved: `hard` tries everything, else only what is quick.

        NotUnbounded when the goal says something that has no meaning without bounds, or the action does (see
        `prepare`).
        """
        answer = Answer(True)
        for context, goals in self._goals(obligation):
            if goals:
                answer = self._settled(context, goals, hard)
            if not answer.proved:
                break
        return answer

    def prepare(self, action: str) -> None:
        """Makes the action into formulas. NotUnbounded when it has no meaning without bounds."""
        if action:
            self._instances(action)

    def can_never_happen(self, action: str) -> bool:
        """Whether the action's guard contradicts the lemmas, so that whatever is said of it is said of nothing."""
        return all(self._refuted(context, [], 0).proved for _, context in self._instances(action))

    def _goals(self, obligation: Obligation) -> Iterator[tuple[Context, list[z3.BoolRef]]]:
        """What has to be proved, each in its context."""
        match obligation.kind:
            case "initial":
                yield from self._initial(self.predicates[obligation.goal])
            case "consequence":
                yield self._rest, self._parts(self.predicates[obligation.goal], self.before)
            case "defined":
                for instance, happening in self._instances(obligation.action):
                    said = [formula(instance.valid), *_assumed(instance.assumptions)]
                    context = Context([*self._rest.assertions, *happening.inside(said)], happening.case)
                    yield context, happening.inside(_proper([instance.defined]))
            case "step":
                goal = self.predicates[obligation.goal]
                for instance, context in self._instances(obligation.action):
                    states = (self.before, instance.post) if goal.kind == "transition" else (instance.post,)
                    yield context, context.inside(self._parts(goal, *states))

    def _initial(self, goal: Property) -> Iterator[tuple[Context, list[z3.BoolRef]]]:
        for start in starts(self.model, self.encoding, "i"):
            said = [formula(each) for each in (start.valid, start.guard, start.defined)]
            yield Context([*said, *_assumed(start.assumptions)]), self._parts(goal, start.state)

    def _parts(self, goal: Property, *states: SymbolicState) -> list[z3.BoolRef]:
        """The goal's clauses, those left out that are plainly true."""
        form = cast(ir.Function, goal.form)
        return [each.goal() for each in clauses(form, self.encoding, *states, suffix="g")]

    def _instances(self, action: str) -> list[tuple[Instance, Context]]:
        """The action's instances, of those that differ by a renaming one, each with the assertion that it happens."""
        if self._known[0] != action:
            made = representatives(instances(self.model, self.encoding, self.before, "a", action), self.symmetric)
            self._known = (action, [(each, context) for each in made for context in self._contexts(each)])
        return self._known[1]

    def _contexts(self, instance: Instance) -> Iterator[Context]:
        """That the instance happens, case by case."""
        said = [formula(each) for each in (instance.valid, instance.guard, instance.limit, instance.defined)]
        said += _assumed(instance.assumptions)
        for case in cases(instance, self.symmetric):
            context = Context([], case)
            happens = context.inside(said)
            if not any(z3.is_false(each) for each in happens):
                context.assertions = [*self._rest.assertions, *happens]
                yield context

    # --- trying ------------------------------------------------------------------------------------------------------

    def _settled(self, context: Context, goals: list[z3.BoolRef], hard: bool) -> Answer:
        """All goals at once under each seed; then, when trying hard, one after the other under each seed."""
        answer = self._tried(context, goals, self.effort.seeds if hard else self.effort.seeds[:1])
        if answer.proved or not hard or len(goals) < 2:
            return answer
        for each in goals:
            answer = self._tried(context, [each], self.effort.seeds)
            if not answer.proved:
                break
        return answer

    def _tried(self, context: Context, goals: list[z3.BoolRef], seeds: Sequence[int]) -> Answer:
        answer = Answer(False)
        for seed in seeds:
            answer = self._refuted(context, goals, seed)
            if answer.proved:
                break
        return answer

    def _refuted(self, context: Context, goals: list[z3.BoolRef], seed: int) -> Answer:
        """Whether the context contradicts that one of the goals is false (or, of none, contradicts itself)."""
        if seed == self.effort.seeds[0]:
            context.solver = solver = context.solver or self._solver(context, seed)
        else:
            solver = self._solver(context, seed)
        solver.push()
        if goals:
            solver.add(z3.Not(z3.And(goals)) if len(goals) > 1 else z3.Not(goals[0]))
            solver.add(_mentioned(goals))
        began = time.perf_counter()
        found = solver.check()
        taken = time.perf_counter() - began
        reason = "" if found == z3.unsat else _reason(solver, taken, self.effort)
        solver.pop()
        return Answer(found == z3.unsat, reason)

    def _solver(self, context: Context, seed: int) -> z3.Solver:
        solver = z3.SimpleSolver()
        solver.set("auto_config", False)
        solver.set("mbqi", False)
        solver.set("random_seed", seed)
        solver.set("timeout", max(1, round(1000 * self.effort.seconds)))
        solver.add(context.assertions)
        return solver


def _mentioned(goals: Sequence[z3.BoolRef]) -> list[z3.BoolRef]:
    """Says nothing, of every value of a function in the goals: so the solver looks at it whichever part it finds false,
    and what is known of such values is instantiated."""
    values = [each for each in subterms(goals) if each.num_args() > 0 and _is_value(each)]
    mentioned = (z3.Function(f"mentioned.{each.sort()}", each.sort(), z3.BoolSort()) for each in values)
    return [cast(z3.BoolRef, said(each)) for said, each in zip(mentioned, values, strict=True)]


def _is_value(term: z3.ExprRef) -> bool:
    return term.decl().kind() == z3.Z3_OP_UNINTERPRETED


def _reason(solver: z3.Solver, taken: float, effort: Effort) -> str:
    said = solver.reason_unknown()
    if taken >= effort.seconds * 0.98 or said in ("timeout", "canceled"):
        return f"the solver had no answer within {effort.seconds:g} s"
    because = said.strip("()")
    return "the solver does not know" + (f" ({because})" if because not in ("", "unknown") else "")


def _assumed(some: Sequence[Clause]) -> list[z3.BoolRef]:
    return [each.assumed() for each in some]


def _proper(bits: list[Bit]) -> list[z3.BoolRef]:
    """The truth values that are not known to be true."""
    return [formula(each) for each in bits if negation(each) is not False]
