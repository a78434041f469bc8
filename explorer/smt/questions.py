"""The unbounded questions: does a step from a state where all lemmas hold lead to one where a lemma holds?

Uninterpreted functions, triggers of our own, and no search for models of quantifiers: Z3 answers in a moment, or says
that it does not know. It may know from a few lemmas what it does not know from all of them, among which it loses its
way; the clauses of a lemma, but not the lemma as a whole; a clause case by case; and under one seed what it does not
know under another. So that is tried, in this order, before anything is given up. Each is sound: what follows from some
of the lemmas follows from all.

What a query may cost is counted in the solver's own steps, not in time, so that a busy machine finds out the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, cast

import z3

from ...language import ir
from ...language.immutable import immutable
from ...language.model import Model, Property
from ...language.proof import Emptiness, Obligation
from .clauses import Clause, constants_of_terms, subterms
from .effort import SHORT_QUESTIONS, SolverEffort, most_seconds
from .encoding import unbounded_encoding
from .hints import Hints
from .instances import InitialInstance, Instance
from .predicate import clauses_of_predicate
from .process_pool import watch_deadline
from .splitting import split_goal
from .statements import has_loop_over_members
from .states import SymbolicState, fresh_state
from .symmetry import Case, cases_of, drop_renamed_clauses
from .terms import Bit, boolean_term, negation
from .transition import initial_instances, symbolic_instances


@immutable
class SolverAnswer:
    """Whether it is proved, and if not what the solver said last. It is `late` when the clock ended a query: then
    nothing else is tried."""

    is_proved: bool
    reason: str = ""
    late: bool = False


Lemmas: TypeAlias = frozenset[str] | None
"""The names of the lemmas to assume; None is all."""

Attempt: TypeAlias = tuple[Lemmas, int, float]
"""What to assume, the seed, and what it may cost."""


@dataclass(slots=True)
class Context:
    """What a goal is proved under: that a step `happens`, and whether on the lemmas. In it each name of `case` is put
    in place of what stands before it. The `solvers` made last have all of that, each with some lemmas and a seed."""

    happens: list[z3.BoolRef]
    uses_lemmas: bool = True
    case: Case = ()
    solvers: dict[tuple[Lemmas, int], z3.Solver] = field(default_factory=dict[tuple[Lemmas, int], z3.Solver])

    @property
    def is_possible(self) -> bool:
        """Whether the step is not plainly impossible."""
        return not any(z3.is_false(condition) for condition in self.happens)

    def substitute_case(self, formulas: Sequence[z3.BoolRef]) -> list[z3.BoolRef]:
        """The formulas as they are in this case."""
        if not self.case:
            return list(formulas)
        return [cast(z3.BoolRef, z3.simplify(z3.substitute(term, *self.case))) for term in formulas]


Question: TypeAlias = tuple[Context, list[z3.BoolRef]]
"""Goals, and what they are proved under."""

_GOAL = "g"
"""What the names of a goal's variables begin with."""

_PARTS = (64, 16, 4, 1)
"""How cheap a proof is, in parts of what a first attempt may cost."""


class ProofQuestions:
    """The questions about one bound model, its bounds open. Made once per process; `model` has its lemmas bound."""

    def __init__(
        self, model: Model, symmetric: frozenset[str], effort: SolverEffort, hints: Hints | None = None
    ) -> None:
        self.model, self.symmetric, self.effort, self.hints = model, symmetric, effort, hints
        self.encoding = unbounded_encoding(model)
        self.before = fresh_state(model, self.encoding, "0")
        self.lemmas = tuple(lemma for lemma in model.lemmas if lemma.kind == "invariant")
        self.predicates = {prop.name: prop for prop in (*model.properties, *model.lemmas)}
        self._known: tuple[str, list[tuple[Instance, Context]]] = ("", [])
        self._rest = Context([])
        self._state = boolean_term(self.before.valid)
        self._names = [lemma.name for lemma in self.lemmas]
        self._known_of = dict[str, list[z3.BoolRef]]()
        self._mentions = _Mentions()

    def _formulas_of_lemma(self, name: str) -> list[z3.BoolRef]:
        """What a lemma says of the state before, made when it is first needed: with hints, most are not."""
        if name not in self._known_of:
            form = cast(ir.Function, self.predicates[name].form)
            self._known_of[name] = _assumptions_of(clauses_of_predicate(form, self.encoding, self.before, suffix="h"))
        return self._known_of[name]

    # --- asking ------------------------------------------------------------------------------------------------------

    def ask_solver(self, obligation: Obligation, *, hard: bool, once: bool = False) -> SolverAnswer:
        """Whether the obligation can be proved: `hard` tries everything, else only what is quick; of that, `once` tries
        what comes first.

        NotUnboundedError when the goal says something that has no meaning without bounds, or the action does (see
        `prepare_action`).
        """
        first, later = self._attempts(self._assumed_lemmas(obligation), hard)
        answer = SolverAnswer(True)
        for context, goals in self._questions_of(obligation):
            if goals:
                answer = self._settle_goals(context, goals, first, () if once else later)
            if not answer.is_proved:
                break
        return answer

    def needed_lemmas(self, obligation: Obligation) -> frozenset[str]:
        """The lemmas to begin with next time, for an obligation that was proved: few, though not always the fewest.

        They are those of the hint, if it is proved from them; else those that the solver says it used when it is asked
        once more, each lemma under a name. Of these, what is left out when that makes the proof no dearer is not among
        them. What is not proved so is taken to need all that was used, or all that there are.
        """
        questions = [
            (context, goals) for context, goals in self._questions_of(obligation) if goals and context.uses_lemmas
        ]
        hinted = None if self.hints is None else self.hints.lemmas_for(obligation)
        if hinted is not None and self._least_work_needed(questions, hinted) is not None:
            return self._thin_lemmas(questions, hinted)
        used = self._lemmas_used(questions, *self._attempts(self._assumed_lemmas(obligation), hard=True))
        return self._thin_lemmas(questions, used)

    def _thin_lemmas(self, questions: Sequence[Question], lemmas: frozenset[str]) -> frozenset[str]:
        """The lemmas without those that can be left out at no cost; all of them, if one attempt does not do."""
        work = self._least_work_needed(questions, lemmas)
        if work is None:
            return lemmas
        for name in self._names:
            if name in lemmas and self._is_proved(questions, lemmas - {name}, work):
                lemmas -= {name}
        return lemmas

    def _least_work_needed(self, questions: Sequence[Question], lemmas: frozenset[str]) -> float | None:
        """How little work is enough for one attempt; None when it fails with all that a first attempt has."""
        most = self.effort.work / SHORT_QUESTIONS
        return next((most / part for part in _PARTS if self._is_proved(questions, lemmas, most / part)), None)

    def _is_proved(self, questions: Sequence[Question], lemmas: Lemmas, work: float) -> bool:
        attempt = (lemmas, self.effort.seeds[0], work)
        return all(self._settle_goals(context, goals, [attempt]).is_proved for context, goals in questions)

    def is_proved_from(self, obligation: Obligation, lemmas: Lemmas) -> bool:
        """Whether one quick attempt proves the obligation from just these lemmas."""
        questions = [(context, goals) for context, goals in self._questions_of(obligation) if goals]
        return self._is_proved(questions, lemmas, self.effort.work / SHORT_QUESTIONS)

    def is_proved_at_once(self, obligation: Obligation) -> bool:
        """Whether a single attempt with little work proves the obligation, from the lemmas that are tried first."""
        attempt = (
            self._assumed_lemmas(obligation)[0],
            self.effort.seeds[0],
            self.effort.work / SHORT_QUESTIONS / _PARTS[1],
        )
        return all(
            self._try_attempts(context, goals, [attempt]).is_proved
            for context, goals in self._questions_of(obligation)
            if goals
        )

    def _assumed_lemmas(self, obligation: Obligation) -> list[Lemmas]:
        """The lemmas to assume, few before many: those that a hint names; else the goal itself, which is most often
        enough, and those that its author stated before it."""
        hinted = None if self.hints is None else self.hints.lemmas_for(obligation)
        if hinted is not None:
            return [hinted, None]
        if obligation.goal not in self._names:
            return [None]
        before = self._names[: self._names.index(obligation.goal) + 1]
        return [frozenset({obligation.goal}), frozenset(before), None]

    def prepare_action(self, action: str) -> None:
        """Makes the action into formulas. NotUnboundedError when it has no meaning without bounds."""
        if action:
            self._instances_of(action)

    def why_never(self, action: str) -> Emptiness:
        """Why the action can never happen, so that whatever is said of it is said of nothing; "full" if it can, or that
        is not known. Limits let every step through here, but where one lets it through that breaks the types: what
        contradicts the lemmas with the types, and not without them, is what no limit lets through. Of a
        guard it is asked first whether it is false in every state of the types, with no lemma assumed."""
        if not self._is_impossible(happening for _, happening in self._representative_instances(action)):
            return "full"
        guards = [self._guards_hold(*instance) for instance in self._representative_instances(action)]
        if self._is_impossible(guards, frozenset()):
            return "barred"
        return "empty" if self._is_impossible(guards) else "limited"

    def _is_impossible(self, contexts: Iterable[Context], lemmas: Lemmas = None) -> bool:
        work = self.effort.work / SHORT_QUESTIONS
        return all(self._refute_goals(context, [], lemmas, 0, work).is_proved for context in contexts)

    def _guards_hold(self, instance: Instance, happening: Context) -> Context:
        """That an instance's guards let it through, whatever it breaks after them."""
        said = [boolean_term(instance.valid), boolean_term(instance.guard), *_assumptions_of(instance.assumptions)]
        return Context(happening.substitute_case(said), case=happening.case)

    def _questions_of(self, obligation: Obligation) -> Iterator[Question]:
        """What has to be proved, each in its context."""
        match obligation.kind:
            case "initial":
                yield from self._questions_of_start(self.predicates[obligation.goal])
            case "consequence":
                goal = self.predicates[obligation.goal]
                alike = frozenset[str]() if _is_in_order(goal) else self.symmetric
                yield (
                    self._rest,
                    _goals_of(drop_renamed_clauses(self._clauses_of_goal(goal.form, self.before), None, (), alike)),
                )
            case "defined":
                for instance, happening in self._representative_instances(obligation.action):
                    said = [boolean_term(instance.valid), *_assumptions_of(instance.assumptions), *instance.bounds]
                    context = Context(happening.substitute_case(said), case=happening.case)
                    yield context, happening.substitute_case(_bits_in_doubt([instance.definedness]))
            case "step":
                yield from self._questions_of_step(self.predicates[obligation.goal], obligation.action)

    def _questions_of_step(self, goal: Property, action: str) -> Iterator[Question]:
        """What a goal says of each step. Where it goes over members in an order, all steps and all of what it says."""
        ordered = _is_in_order(goal)
        alike = frozenset[str]() if ordered else self.symmetric
        for instance, context in self._every_instance(action) if ordered else self._instances_of(action):
            if context.is_possible:
                states = (self.before, instance.post) if goal.kind == "transition" else (instance.post,)
                said = self._clauses_of_goal(goal.form_of(action), *states)
                wanted = drop_renamed_clauses(said, instance, context.case, alike)
                yield context, context.substitute_case(_goals_of(wanted))

    @cached_property
    def _initial_instances(self) -> list[tuple[InitialInstance, Context]]:
        """What initial functions give, each with the assertion that it does."""
        made: list[tuple[InitialInstance, Context]] = []
        for start in initial_instances(self.model, self.encoding, "i"):
            said = [boolean_term(bit) for bit in (self.encoding.constants, start.valid, start.guard)]
            happens = [*said, *_assumptions_of(start.assumptions), *start.bounds]
            made.append((start, Context(happens, uses_lemmas=False)))
        return made

    def _questions_of_start(self, goal: Property) -> Iterator[Question]:
        for start, context in self._initial_instances:
            said = self._clauses_of_goal(goal.form if goal.refinement is None else goal.start, start.state)
            yield context, [*_bits_in_doubt([start.definedness]), *_goals_of(said)]

    def _clauses_of_goal(self, form: ir.Function | None, *states: SymbolicState) -> list[Clause]:
        """A goal's clauses, those left out that are plainly true."""
        return clauses_of_predicate(cast(ir.Function, form), self.encoding, *states, suffix=_GOAL, is_nested=True)

    def _instances_of(self, action: str) -> list[tuple[Instance, Context]]:
        """The action's instances, of those that differ by a renaming one, each with the assertion that it happens."""
        if self._known[0] != action:
            made = symbolic_instances(self.model, self.encoding, self.before, "a", action, symmetric=self.symmetric)
            self._known = (action, [context for one in made for context in self._contexts_of(one, self.symmetric)])
        return self._known[1]

    def _representative_instances(self, action: str) -> list[tuple[Instance, Context]]:
        """The action's instances where the question is what breaks. If a statement goes over members that no text can
        distinguish, it may end before it comes to the one that breaks, and that depends on their order: then one
        instance does not stand for those that differ by a renaming."""
        is_ordered = has_loop_over_members(self.model.action(action).form.body)
        return self._every_instance(action) if is_ordered else self._instances_of(action)

    def _every_instance(self, action: str) -> list[tuple[Instance, Context]]:
        """The action's instances, those too that differ by a renaming."""
        made = symbolic_instances(self.model, self.encoding, self.before, "a", action)
        return [context for one in made for context in self._contexts_of(one, frozenset())]

    def _contexts_of(self, instance: Instance, symmetric: frozenset[str]) -> Iterator[tuple[Instance, Context]]:
        """That the instance happens, case by case."""
        said = [boolean_term(bit) for bit in (instance.valid, instance.guard, instance.limit, instance.definedness)]
        said += _assumptions_of(instance.assumptions)
        for case in cases_of(instance, symmetric):
            context = Context([], case=case)
            named = [term == member for term, member in case if term.num_args() > 0]  # what it is made of occurs too
            context.happens = [*context.substitute_case(said), *named]
            yield instance, context

    # --- trying ------------------------------------------------------------------------------------------------------

    def _settle_goals(
        self, context: Context, goals: list[z3.BoolRef], first: Sequence[Attempt], later: Sequence[Attempt] = ()
    ) -> SolverAnswer:
        """All goals at once; then one after the other; and what is not proved so, case by case."""
        answer = self._try_attempts(context, goals, first)
        if answer.is_proved or answer.late:
            return answer
        for goal in goals:
            answer = self._try_attempts(context, [goal], first) if len(goals) > 1 else answer
            if not answer.is_proved and not answer.late:
                answer = self._case_by_case(context, goal, first, later)
            if not answer.is_proved:
                break
        return answer

    def _case_by_case(
        self, context: Context, goal: z3.BoolRef, first: Sequence[Attempt], later: Sequence[Attempt]
    ) -> SolverAnswer:
        answer, numbers = SolverAnswer(True), _unmentioned_numbers([goal])
        for term in split_goal(goal):
            tried = term.eq(goal) and not numbers  # nothing to decide in it: the first attempts were made
            answer = self._try_attempts(context, [term], later if tried else [*first, *later], numbers)
            if not answer.is_proved:
                break
        return answer

    def _attempts(self, lemma_sets: Sequence[Lemmas], hard: bool) -> tuple[list[Attempt], list[Attempt]]:
        """What to try, the cheap before the dear: first with little work, later under other seeds, and when trying hard
        with more and more. Where a hint names lemmas, that is tried before all of them, and a little harder."""
        seeds, most, short = self.effort.seeds, self.effort.work, self.effort.work / SHORT_QUESTIONS
        rest = [(some, seed, most / part) for part in (4, 1) for seed in seeds for some in lemma_sets] if hard else []
        if len(lemma_sets) == 2:
            hint, whole = lemma_sets
            first = [(hint, seeds[0], short)]
            later = [*((hint, seed, short) for seed in seeds[1:]), (hint, seeds[0], most / 4)]
            return first, [*later, *((whole, seed, short) for seed in seeds), *rest]
        quick = [
            (some, seed, short)
            for seed in (seeds if hard or len(lemma_sets) == 1 else seeds[:1])
            for some in lemma_sets
        ]
        return quick[: len(lemma_sets)], [*quick[len(lemma_sets) :], *rest]

    def _try_attempts(
        self,
        context: Context,
        goals: list[z3.BoolRef],
        attempts: Sequence[Attempt],
        numbers: Sequence[z3.ExprRef] = (),
    ) -> SolverAnswer:
        answer = SolverAnswer(False)
        for lemmas, seed, work in attempts:
            answer = self._refute_goals(context, goals, lemmas, seed, work, numbers)
            if answer.is_proved or answer.late:
                break
        return answer

    def _refute_goals(
        self,
        context: Context,
        goals: list[z3.BoolRef],
        lemmas: Lemmas,
        seed: int,
        work: float,
        numbers: Sequence[z3.ExprRef] = (),
    ) -> SolverAnswer:
        """Whether the context contradicts that one of the goals is false (or, of none, contradicts itself). What the
        lemmas say of the `numbers` is said without a trigger."""
        solver, whole = context.solvers.get((lemmas, seed)), (None, self.effort.seeds[0])
        if solver is None:
            context.solvers = {names: made for names, made in context.solvers.items() if names == whole}
            context.solvers[lemmas, seed] = solver = self._solver_with(context, lemmas, seed)
        _limit_query(solver, work)
        solver.push()
        solver.add([*_negation(goals), *self._mentions.facts_about(goals)])
        for name in self._names if numbers and context.uses_lemmas else ():
            if lemmas is None or name in lemmas:
                solver.add(_instances_at(self._formulas_of_lemma(name), numbers))
        began = time.monotonic()
        with watch_deadline(most_seconds(work)):
            found = solver.check()
        late = found != z3.unsat and time.monotonic() - began >= most_seconds(work)
        reason = "" if found == z3.unsat else _reason_unknown(solver, work)
        solver.pop()
        return SolverAnswer(found == z3.unsat, _late_text(work) if late else reason, late)

    def _solver_with(self, context: Context, lemmas: Lemmas, seed: int) -> z3.Solver:
        """A solver that has the context, with some of the lemmas or with all."""
        solver = _empty_solver(seed)
        solver.add(context.happens)
        if context.uses_lemmas:
            solver.add(self._state)
            for name in self._names:
                if lemmas is None or name in lemmas:
                    solver.add(self._formulas_of_lemma(name))
        return solver

    def _lemmas_used(
        self, questions: Sequence[Question], first: Sequence[Attempt], later: Sequence[Attempt]
    ) -> frozenset[str]:
        """The lemmas that the solver uses for all questions, taken one by one and case by case where it must be."""
        used = frozenset[str]()
        for context, goals in questions:
            found = self._used_lemmas(context, goals, first)
            for case in (case for goal in goals for case in split_goal(goal)) if found is None else ():
                one = self._used_lemmas(context, [case], [*first, *later])
                used |= frozenset(self._names) if one is None else one
            used |= found or frozenset[str]()
        return used

    def _used_lemmas(
        self, context: Context, goals: list[z3.BoolRef], attempts: Sequence[Attempt]
    ) -> frozenset[str] | None:
        """The lemmas that the solver uses to refute that one of the goals is false; None, if it does not do so."""
        for lemmas, seed, work in attempts:
            used = self._lemmas_used_for_case(context, goals, lemmas, seed, work)
            if used is not None:
                return used
        return None

    def _lemmas_used_for_case(
        self, context: Context, goals: list[z3.BoolRef], lemmas: Lemmas, seed: int, work: float
    ) -> frozenset[str] | None:
        solver = _empty_solver(seed)
        _limit_query(solver, work)
        solver.add([*context.happens, self._state, *_negation(goals), *self._mentions.facts_about(goals)])
        names = {z3.Bool(f"lemma.{text}"): text for text in self._names if lemmas is None or text in lemmas}
        numbers = _unmentioned_numbers(goals)
        for name, text in names.items():
            formulas = self._formulas_of_lemma(text)
            solver.add([z3.Implies(name, said) for said in (*formulas, *_instances_at(formulas, numbers))])
        with watch_deadline(most_seconds(work)):
            found = solver.check(*names)
        if found != z3.unsat:
            return None
        used = {str(term) for term in solver.unsat_core()}
        return frozenset(text for name, text in names.items() if str(name) in used)


def _is_in_order(goal: Property) -> bool:
    """Whether a `for` statement in a goal goes over members that no text can distinguish. It may end before it comes to
    a round that is undefined: then one step, or one choice of members in the goal, does not stand for all that differ
    by a renaming."""
    return has_loop_over_members(cast(ir.Function, goal.form).body)


def _empty_solver(seed: int) -> z3.Solver:
    solver = z3.SimpleSolver()
    solver.set("auto_config", False)
    solver.set("mbqi", False)
    solver.set("random_seed", seed)
    return solver


def _limit_query(solver: z3.Solver, work: float) -> None:
    """What the next query may cost: the solver's steps, and the clock for what it does between two of them."""
    solver.set("rlimit", max(1, round(1e6 * work)))
    solver.set("timeout", max(1, round(1000 * most_seconds(work))))


def _negation(goals: Sequence[z3.BoolRef]) -> list[z3.BoolRef]:
    """Says that one of the goals is false; nothing, of none."""
    if not goals:
        return []
    return [z3.Not(z3.And(goals)) if len(goals) > 1 else z3.Not(goals[0])]


class _Mentions:
    """Says nothing, of every value of a function in goals: so the solver looks at it whichever part it finds false, and
    what is known of such values is instantiated. Those within a quantifier that have none of its variables in them are
    among them. What is in a term is found once: goals have most of theirs in common.
    """

    def __init__(self) -> None:
        self._inside = dict[int, dict[int, z3.BoolRef]]()
        self._open = set[int]()  # terms with variables of a quantifier in them
        self._kept = list[z3.ExprRef]()  # so that no other term gets the number of one that was looked at

    def facts_about(self, goals: Sequence[z3.BoolRef]) -> list[z3.BoolRef]:
        """What is said of the values in some goals, in an order that depends on the goals alone."""
        found = dict[int, z3.BoolRef]()
        for goal in goals:
            found |= self._values_in(goal)
        return list(found.values())

    def _values_in(self, term: z3.ExprRef) -> dict[int, z3.BoolRef]:
        waiting = [(term, term.get_id(), list[z3.ExprRef](), False)]
        while waiting:
            inner, at, children, is_open = waiting.pop()
            if at in self._inside:
                continue
            if not is_open:
                children = inner.children()
                waiting.append((inner, at, children, True))
                waiting += [(child, child.get_id(), [], False) for child in children]
                continue
            found = dict[int, z3.BoolRef]()
            for child in children:
                found |= self._inside[child.get_id()]
            is_variable = not z3.is_app(inner) and not z3.is_quantifier(inner)
            if is_variable or any(child.get_id() in self._open for child in children):
                self._open.add(at)
            elif children and z3.is_app(inner) and _is_value(inner):
                said = z3.Function(f"mentioned.{inner.sort()}", inner.sort(), z3.BoolSort())
                found[at] = cast(z3.BoolRef, said(inner))
            self._inside[at] = found
            self._kept.append(inner)
        return self._inside[term.get_id()]


def _unmentioned_numbers(goals: Sequence[z3.BoolRef]) -> list[z3.ExprRef]:
    """The goals' variables that are numbers and stand in no function's value there, as where a number is only compared
    with the length of a log: no trigger has anything to fit on, and the solver never looks at what is there."""
    found, mentioned = dict[int, z3.ExprRef](), set[int]()
    for term in subterms(goals):
        if z3.is_const(term) and term.sort() == z3.IntSort() and term.decl().name().startswith(f"{_GOAL}!"):
            found[term.get_id()] = term
        elif term.num_args() and _is_value(term):
            mentioned |= constants_of_terms(term.children())
    return [term for number, term in found.items() if number not in mentioned]


def _instances_at(formulas: Sequence[z3.BoolRef], numbers: Sequence[z3.ExprRef]) -> list[z3.BoolRef]:
    """What the formulas that are about every number say of these."""
    return [
        z3.substitute_vars(formula.body(), number)
        for formula in formulas
        if isinstance(formula, z3.QuantifierRef) and formula.num_vars() == 1 and formula.var_sort(0) == z3.IntSort()
        for number in numbers
    ]


def _is_value(term: z3.ExprRef) -> bool:
    return term.decl().kind() == z3.Z3_OP_UNINTERPRETED


def _late_text(work: float) -> str:
    return f"the solver does not know: within {most_seconds(work):g} s it did not count {work:g} million steps"


def _reason_unknown(solver: z3.Solver, work: float) -> str:
    said = solver.reason_unknown()
    if said in ("timeout", "canceled") or "resource" in said:
        return f"the solver had no answer within {work:g} million steps"
    because = said.strip("()")
    return "the solver does not know" + (f" ({because})" if because not in ("", "unknown") else "")


def _assumptions_of(some: Sequence[Clause]) -> list[z3.BoolRef]:
    return [clause.as_assumption() for clause in some]


def _goals_of(some: Sequence[Clause]) -> list[z3.BoolRef]:
    return [clause.goal() for clause in some]


def _bits_in_doubt(bits: list[Bit]) -> list[z3.BoolRef]:
    """The truth values that are not known to be true."""
    return [boolean_term(bit) for bit in bits if negation(bit) is not False]
