"""Copies of a model's circuits joined to runs, and runs of plain Python read back from what satisfies them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import z3

from ...language.judge import attempt, replay
from ...language.model import Model
from ...language.steptext import StepError
from ...language.values import ModelError, State
from ...language.verdict import DisagreementError, Run
from ..differences import fields_that_differ, starts_text, step_says
from .circuits import CircuitQuestion, Circuits, step_name
from .clauses import subterms
from .cnf import Clauses
from .sat import SatSolver
from .states import value_of

Variables = Mapping[str, int]
"""The solver's variable for each name of a copy."""


class UnrolledRuns:
    """The runs of one length, as clauses in a solver; each `extend` makes them a step longer."""

    def __init__(self, model: Model, circuits: Circuits, solver: SatSolver) -> None:
        self.model, self.circuits, self.solver = model, circuits, solver
        self.top = 0
        every = (circuits.start, circuits.step, circuits.of_state, circuits.of_step)
        bits = {name[2:] for clauses in every for name in clauses.names if name[:2] in ("s.", "t.")}
        self.bits = sorted(bits)
        self.states: list[dict[str, int]] = [self._state()]
        self.starting = self._copy(circuits.start, self.states[0])
        self.steps: list[Variables] = []

    @property
    def length(self) -> int:
        """How many steps the runs have."""
        return len(self.steps)

    def extend(self) -> None:
        """Makes the runs a step longer."""
        before, after = self.states[-1], self._state()
        self.steps.append(self._copy(self.circuits.step, before, after))
        self.states.append(after)

    def order_last(self) -> None:
        """Leaves out the runs whose last two steps could as well be taken the other way round."""
        if self.length > 1:
            one, other = self.steps[-2:]
            pairs = ((step_name(first), step_name(second)) for first, second in self.circuits.swappable)
            self.solver.add((-one[a], -other[b]) for a, b in pairs if a in one and b in other)

    def ask(self, wanted: Collection[CircuitQuestion]) -> dict[CircuitQuestion, int]:
        """The variables that say whether something wanted is found in the last state, or in the last step."""
        found = dict(self._copy(self.circuits.of_state, self.states[-1]))
        if self.length:
            found.update(self._copy(self.circuits.of_step, self.states[-2], self.states[-1]))
        taken = self._step_variables(question for question in wanted if question.instances)
        asked = {
            question: found[question.name] for question in wanted if question.name in found and not question.instances
        }
        for question, variable in taken.items():
            if question.prop is None:
                asked[question] = variable
            elif question.name in found:
                asked[question] = self._conjunction_variable(variable, found[question.name])
        return asked

    def _conjunction_variable(self, *variables: int) -> int:
        """A new variable that implies all of these."""
        self.top += 1
        self.solver.add([(-self.top, variable) for variable in variables])
        return self.top

    def _step_variables(self, wanted: Iterable[CircuitQuestion]) -> dict[CircuitQuestion, int]:
        """Variables that imply that the last step is one of the instances asked about."""
        last: Variables = self.steps[-1] if self.steps else {}
        named = {
            question: [last[step_name(at)] for at in question.instances if step_name(at) in last] for question in wanted
        }
        return {question: self.one_of(variables) for question, variables in named.items() if variables}

    def one_of(self, variables: Iterable[int]) -> int:
        """A new variable that implies that one of these is true."""
        self.top += 1
        self.solver.add([(-self.top, *variables)])
        return self.top

    def _state(self) -> dict[str, int]:
        first = self.top + 1
        self.top += len(self.bits)
        return {name: first + at for at, name in enumerate(self.bits)}

    def _copy(self, circuit: Clauses, before: Mapping[str, int], after: Mapping[str, int] | None = None) -> Variables:
        """A copy of a circuit, its states being these; its other variables are new."""
        table = [0] * (circuit.count + 1)
        for name, at in circuit.names.items():
            if name[:2] == "s.":
                table[at] = before[name[2:]]
            elif name[:2] == "t." and after is not None:
                table[at] = after[name[2:]]
        for at in range(1, len(table)):
            if not table[at]:
                self.top += 1
                table[at] = self.top
        self.solver.add(
            [table[literal] if literal > 0 else -table[-literal] for literal in clause] for clause in circuit.clauses
        )
        return {name: table[at] for name, at in circuit.names.items() if name[0] in "!?"}

    # --- back to plain Python -----------------------------------------------------------------------------------------

    def run(self, values: list[bool]) -> Run:
        """The run that the solver found, replayed in plain Python. Disagreement if it cannot be taken."""
        circuits = self.circuits
        chosen = _number(SatAssignment([self.starting], values), circuits.start_choice.term)
        begun = circuits.starts[chosen]
        start = value_of(self.model, SatAssignment([self.starting], values), begun.state)
        sequence: list[tuple[str, dict[str, Any]]] = []
        for at, step in enumerate(self.steps):
            taken = next(i for i in range(len(circuits.instances)) if _is_true(values, step.get(step_name(i))))
            instance = circuits.instances[taken]
            state = {f"s.{name}": variable for name, variable in self.states[at].items()}
            arguments = instance.argument_values(SatAssignment([step, state], values))
            sequence.append((instance.action.name, arguments))
        return self._replay(start, sequence, values)

    def _replay(self, start: State, sequence: list[tuple[str, dict[str, Any]]], values: list[bool]) -> Run:
        try:
            run = replay(self.model, start, sequence)
        except (StepError, ModelError) as error:
            said = self._refused_step(start, sequence)
            raise DisagreementError(f"bmc found a run that plain Python does not take: {error}{said}") from error
        last = {f"s.{name}": variable for name, variable in self.states[-1].items()}
        decoded = value_of(self.model, SatAssignment([last], values), self.circuits.state_before)
        if decoded != run.states()[-1]:
            raise DisagreementError(self._difference_text(decoded, run))
        return run

    def _refused_step(self, start: State, sequence: Sequence[tuple[str, dict[str, Any]]]) -> str:
        """The line of the step that plain Python does not take, and the state that it does not take it from."""
        state = start
        for name, arguments in sequence:
            action = self.model.action(name)
            try:
                after = attempt(self.model, state, action, arguments)
            except ModelError:
                break
            if not isinstance(after, State):
                break
            state = after
        else:
            return ""
        return f"\n  {step_says(self.model, state, action, arguments)}\n  at {state}"

    def _difference_text(self, decoded: State, run: Run) -> str:
        """Where a run ends in the formulas, and where in plain Python."""
        differ = fields_that_differ(decoded, run.states()[-1], "in bmc")
        if not run.steps:
            return f"a run begins elsewhere in bmc: {differ}; initial states are those of {starts_text(self.model)}"
        said = step_says(self.model, run.states()[-2], self.model.action(run.steps[-1].action), run.steps[-1].arguments)
        return f"a run of bmc ends elsewhere: {differ}\n  from {run.states()[-2]} {said}"


class SatAssignment:
    """Values of named variables, which can be asked for the value of any term over them; the others are false."""

    def __init__(self, variables: Iterable[Variables], values: list[bool]) -> None:
        self.values = {name: _is_true(values, at) for names in variables for name, at in names.items()}

    def eval(self, t: z3.ExprRef, model_completion: bool = False) -> Any:
        """The term's value."""
        free = [term for term in subterms([t]) if term.num_args() == 0 and term.decl().kind() == z3.Z3_OP_UNINTERPRETED]
        known = [(term, z3.BoolVal(self.values.get(term.decl().name(), False))) for term in free]
        return z3.simplify(z3.substitute(t, *known))


def _number(found: SatAssignment, term: object) -> int:
    return term if isinstance(term, int) else found.eval(term).as_signed_long()  # pyright: ignore


def _is_true(values: list[bool], variable: int | None) -> bool:
    return variable is not None and variable < len(values) and values[variable]
