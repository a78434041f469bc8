"""A bound model as four circuits in clauses, made once: how it starts, what a step does, what can be said of a state,
and of a step. Bounded checking joins copies of them (see `bmc`).

Their variables are truth values with names: `s.` is a state, `t.` the state after it, `!` arguments and the choice of
an action, `?` what is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeVar

import z3

from ...language.immutable import immutable
from ...language.ir import Function
from ...language.model import Model, Property
from ...language.types import Map, Option, Pool, Record, Seq, Subset, Type
from .cnf import Clauses, clauses_of
from .encoding import Encoding
from .instances import Instance, Start
from .ordering import CellNumbers, Footprint, namings, swappable
from .predicate import predicate
from .sat import heed
from .shapes import Fields, Heap, Members, Shape, Slots, SymbolicOption, Table
from .states import SymbolicState, fresh_state
from .terms import (
    Bit,
    Number,
    and_bits,
    conjunction,
    constant_number,
    disjunction,
    formula,
    implies,
    negation,
    or_bits,
)
from .transition import instances, starts

_Item = TypeVar("_Item")
Leaf = Number | Bit | None
"""A scalar of a state; None where it does not matter what it is."""


def leaves(encoding: Encoding, type_: Type, shape: Shape | None) -> Iterator[Leaf]:
    """The scalars of a cell, as many for every shape of one type."""
    match type_, shape:
        case Option(of=of), _:
            yield shape.present if isinstance(shape, SymbolicOption) else None
            yield from leaves(encoding, of, shape.value if isinstance(shape, SymbolicOption) else None)
        case Record(fields=fields), _:
            for name, of in fields:
                yield from leaves(encoding, of, shape.parts[name] if isinstance(shape, Fields) else None)
        case Map(key=key, value=value), _:
            parts = shape.parts if isinstance(shape, Table) else ()
            yield from _leaves_of(encoding, value, parts, len(encoding.numbers_of(key) or ()))
        case Seq(of=of), _:
            yield shape.length if isinstance(shape, Slots) else None
            parts = shape.parts if isinstance(shape, Slots) else ()
            yield from _leaves_of(encoding, of, parts, int(encoding.capacity(type_)))
        case Pool(of=of), _:
            yield shape.count if isinstance(shape, Heap) else None
            yield from _leaves_of(
                encoding, of, shape.slots if isinstance(shape, Heap) else (), int(encoding.capacity(type_))
            )
        case Subset(of=of), _:
            members = len(encoding.numbers_of(of) or ())
            yield from shape.bits if isinstance(shape, Members) else (None,) * members
        case _, (Number() | bool() | z3.BoolRef()):
            yield shape
        case _:
            yield None


def _leaves_of(encoding: Encoding, of: Type, parts: Sequence[Shape], count: int) -> Iterator[Leaf]:
    for at in range(count):
        yield from leaves(encoding, of, parts[at] if at < len(parts) else None)


# --- the circuits -----------------------------------------------------------------------------------------------------


@immutable
class CircuitQuestion:
    """Something that may be found in a state, or in a step: its name among the variables, and what it is about."""

    name: str
    kind: Literal[
        "invariant", "transition", "reachable", "broken property", "broken step", "deadlock", "broken terminal",
        "stopped action",
    ]  # fmt: skip
    prop: Property | None = None
    instances: tuple[int, ...] = ()
    """Those of the actions that it is about, where it is not about all: of one that a `@bound` of steps is meant to
    stop, or of which a refinement says what it may be. One of them is the step."""

    @property
    def of_step(self) -> bool:
        """Whether it is about a step."""
        return bool(self.instances) or (self.prop is not None and self.prop.kind == "transition")


@immutable
class Circuits:
    """The four circuits, and how to read what satisfies them. `step` has the arguments of `of_state` as its own."""

    encoding: Encoding
    state_before: SymbolicState
    state_after: SymbolicState
    starts: tuple[Start, ...]
    instances: tuple[Instance, ...]
    start_choice: Number
    choice: Number
    start: Clauses
    step: Clauses
    of_state: Clauses
    of_step: Clauses
    state_questions: tuple[CircuitQuestion, ...]
    step_questions: tuple[CircuitQuestion, ...]
    swappable: tuple[tuple[int, int], ...]
    named_domains: tuple[str, ...]
    """The domains whose members are distinguished, in the order in which a run names them."""


class _Builder:
    """Makes the circuits of one model."""

    def __init__(self, model: Model, encoding: Encoding) -> None:
        self.model, self.encoding, self.deadline = model, encoding, encoding.deadline
        self.numbers, self.algebra = encoding.numbers, encoding.algebra
        self.before = fresh_state(model, encoding, "s")
        self.after = fresh_state(model, encoding, "t")
        self.namings = namings(model, encoding)

    def choice(self, count: int, name: str) -> tuple[Number, Bit]:
        """A number that says which of several, and that it does."""
        return (constant_number(0), True) if count == 1 else self.numbers.fresh(name, 0, count - 1)

    def becomes(self, state: SymbolicState, chosen: Sequence[tuple[Bit, SymbolicState]], default: SymbolicState) -> Bit:
        """`state` is the one of the others that is chosen; what all of them leave as it is is that of `default`."""
        equal: list[Bit] = []
        for field in self.model.fields:
            target, rest, *sides = (
                list(leaves(self.encoding, field.type, one.fields[field.name]))
                for one in (state, default, *(side for _, side in chosen))
            )
            for at, cell in enumerate(target):
                picks = [(when, side[at]) for (when, _), side in zip(chosen, sides, strict=True)]
                value = self._merge_scalars(picks, rest[at])
                if cell is not None and value is not None:
                    equal.append(self.algebra.same(cell, value))
        return conjunction(equal)

    def _merge_scalars(self, picks: Iterable[tuple[Bit, Leaf]], default: Leaf) -> Leaf:
        """The scalar that is chosen; equal ones are chosen together."""
        groups: dict[object, tuple[list[Bit], Leaf]] = {}
        for when, leaf in picks:
            if leaf is not None and _identity(leaf) != _identity(default):
                groups.setdefault(_identity(leaf), ([], leaf))[0].append(when)
        value = default
        for whens, leaf in groups.values():
            assert leaf is not None
            shape = leaf if value is None else self.algebra.choose(disjunction(whens), leaf, value)
            assert isinstance(shape, (Number, bool, z3.BoolRef))
            value = shape
        return value

    def circuits(self) -> Circuits:
        """All four."""
        began = tuple(self._stop_at_deadline(starts(self.model, self.encoding, "!0", free=True)))
        acting = tuple(self._stop_at_deadline(instances(self.model, self.encoding, self.before, "!")))
        start_choice, start_valid = self.choice(max(1, len(began)), "!start")
        choice, choice_valid = self.choice(max(1, len(acting)), "!step")
        of_state, state_questions = self._state_circuit(acting)
        of_step, step_questions = self._step_circuit(acting)
        return Circuits(
            self.encoding,
            self.before,
            self.after,
            began,
            acting,
            start_choice,
            choice,
            self._start(began, start_choice, start_valid),
            self._step(acting, choice, choice_valid),
            of_state,
            of_step,
            state_questions,
            (*step_questions, *_stopped_questions(acting)),
            tuple(swappable(self._touches(acting))),
            tuple(naming.domain.name for naming in self.namings),
        )

    def _stop_at_deadline(self, things: Iterable[_Item]) -> Iterator[_Item]:
        """Things that take a while each, until the deadline."""
        for thing in things:
            heed(self.deadline)
            yield thing

    def _touches(self, acting: tuple[Instance, ...]) -> list[Footprint]:
        """Which cells each instance reads and writes."""
        cells = CellNumbers()
        names = [list(leaves(self.encoding, field.type, self.before.fields[field.name])) for field in self.model.fields]
        found: list[Footprint] = []
        for instance in acting:
            reads = cells.of([instance.happens, instance.definedness])
            writes = 0
            for field, before in zip(self.model.fields, names, strict=True):
                after = leaves(self.encoding, field.type, instance.post.fields[field.name])
                for old, new in zip(before, after, strict=True):
                    if new is not None and old is not None and _identity(new) != _identity(old):
                        reads |= cells.of([new])
                        writes |= cells.of([old])
            found.append(Footprint(reads, writes))
        return found

    def _start(self, began: tuple[Start, ...], choice: Number, valid: Bit) -> Clauses:
        whens = [self.algebra.is_at(choice, at) for at in range(len(began))]
        right = [
            implies(when, and_bits(one.valid, one.guard, one.definedness))
            for when, one in zip(whens, began, strict=True)
        ]
        chosen = [(when, one.state) for when, one in zip(whens, began, strict=True)]
        first = began[0].state if began else self.before
        unnamed = [naming.none_yet() for naming in self.namings]
        became = self.becomes(self.before, chosen, first)
        return clauses_of([bool(began), valid, *right, *unnamed, became], self.deadline)

    def _step(self, acting: tuple[Instance, ...], choice: Number, valid: Bit) -> Clauses:
        whens = [self.algebra.is_at(choice, at) for at in range(len(acting))]
        right = [implies(when, and_bits(one.happens, one.definedness)) for when, one in zip(whens, acting, strict=True)]
        chosen = [(when, one.post) for when, one in zip(whens, acting, strict=True)]
        taken = list(zip(whens, acting, strict=True))
        which = [z3.Bool(step_name(at)) == formula(when) for at, when in enumerate(whens)]
        named = [naming.step(taken) for naming in self.namings]
        becomes = self.becomes(self.after, chosen, self.before)
        return clauses_of([bool(acting), valid, *right, *which, *named, becomes], self.deadline)

    # --- questions ----------------------------------------------------------------------------------------------------

    def _state_circuit(self, acting: tuple[Instance, ...]) -> tuple[Clauses, tuple[CircuitQuestion, ...]]:
        asked: list[tuple[CircuitQuestion, Bit]] = []
        for prop in (claim for claim in self.model.properties if claim.kind != "transition"):
            if prop.form is not None:
                truth = predicate(prop.form, self.encoding, self.before)
                wanted = truth.value if prop.kind == "reachable" else negation(truth.value)
                asked.append((CircuitQuestion(f"?{prop.name}", prop.kind, prop), and_bits(truth.definedness, wanted)))
                asked.append(
                    (CircuitQuestion(f"?{prop.name} breaks", "broken property", prop), negation(truth.definedness))
                )
        within, bound_breaks = self._bounds()
        broken = or_bits(
            bound_breaks, disjunction(and_bits(instance.valid, negation(instance.definedness)) for instance in acting)
        )
        asked.append((CircuitQuestion("?step breaks", "broken step"), broken))
        stuck = and_bits(within, self._is_deadlock())
        for prop in (terminal for terminal in self.model.terminals if terminal.form is not None):
            assert prop.form is not None
            truth = predicate(prop.form, self.encoding, self.before)
            breaks = and_bits(stuck, negation(truth.definedness))
            asked.append((CircuitQuestion(f"?{prop.name} breaks", "broken terminal", prop), breaks))
            stuck = and_bits(stuck, truth.definedness, negation(truth.value))
        asked.append((CircuitQuestion("?deadlock", "deadlock"), stuck))
        return _questions_circuit(asked, self.deadline)

    def _bounds(self) -> tuple[Bit, Bit]:
        """Whether the state lies within every `@bound`, and whether one breaks before another one is false."""
        within: Bit = True
        breaks: Bit = False
        for form in (bound.form for bound in self.model.bounds if bound.form is not None):
            truth = predicate(form, self.encoding, self.before)
            breaks = or_bits(breaks, and_bits(within, negation(truth.definedness)))
            within = and_bits(within, truth.definedness, truth.value)
        return within, breaks

    def _is_deadlock(self) -> Bit:
        """Nothing can happen, and no bound holds the protocol or a client: a deadlock, unless the run may end here."""
        every = self._stop_at_deadline(instances(self.model, self.encoding, self.before, "!", ground=True))
        moving = disjunction(
            instance.happens if instance.action.kind == "fault" else and_bits(instance.valid, instance.guard)
            for instance in every
        )
        return negation(moving)

    def _step_circuit(self, acting: Sequence[Instance]) -> tuple[Clauses, tuple[CircuitQuestion, ...]]:
        asked: list[tuple[CircuitQuestion, Bit]] = []
        for prop in (claim for claim in self.model.properties if claim.kind == "transition" and claim.form is not None):
            for form, name, steps in _forms(prop, acting):
                truth = predicate(form, self.encoding, self.before, self.after)
                false = CircuitQuestion(f"?{name}", prop.kind, prop, steps)
                asked.append((false, and_bits(truth.definedness, negation(truth.value))))
                breaks = CircuitQuestion(f"?{name} breaks", "broken property", prop, steps)
                asked.append((breaks, negation(truth.definedness)))
        return _questions_circuit(asked, self.deadline)


def _forms(prop: Property, acting: Sequence[Instance]) -> Iterator[tuple[Function, str, tuple[int, ...]]]:
    """What a property asks of steps, a name for it, and the instances of which it is asked: none for all."""
    assert prop.form is not None, "the caller leaves out what cannot be evaluated"
    if not prop.by_action:
        yield prop.form, prop.name, ()
        return
    asked, groups = dict(prop.by_action), dict[str | None, list[int]]()
    for at, instance in enumerate(acting):
        groups.setdefault(instance.action.name if instance.action.name in asked else None, []).append(at)
    for name, numbers in groups.items():
        form = prop.form if name is None else asked[name]
        yield form, prop.name if name is None else f"{prop.name} of {name}", tuple(numbers)


def _stopped_questions(acting: Sequence[Instance]) -> Iterator[CircuitQuestion]:
    """A question for each action that a `@bound` of steps is meant to stop: does it happen? The choice of the step
    answers it, and no circuit is needed."""
    for name in dict.fromkeys(instance.action.name for instance in acting if instance.action.stopped_by is not None):
        numbers = tuple(at for at, instance in enumerate(acting) if instance.action.name == name)
        yield CircuitQuestion(name, "stopped action", instances=numbers)


def step_name(at: int) -> str:
    """The name of the variable that says that a step is one of instance number `at`."""
    return f"!is {at}"


def _questions_circuit(
    asked: list[tuple[CircuitQuestion, Bit]], deadline: float | None
) -> tuple[Clauses, tuple[CircuitQuestion, ...]]:
    """A circuit with an output for each question that is not answered already."""
    open_ = [(question, bit) for question, bit in asked if bit is not False]
    made = clauses_of((z3.Bool(question.name) == formula(bit) for question, bit in open_), deadline)
    return made, tuple(question for question, _ in open_)


def _identity(leaf: Leaf) -> object:
    """Equal for leaves that are the same term."""
    if isinstance(leaf, Number):
        return ("number", leaf.term) if isinstance(leaf.term, int) else ("term", _id(leaf.term))
    return leaf if leaf is None or isinstance(leaf, bool) else ("bit", leaf.get_id())


def _id(term: object) -> int:
    assert isinstance(term, z3.ExprRef)
    return term.get_id()


def circuits_of(model: Model, encoding: Encoding, deadline: float | None = None) -> Circuits:
    """The circuits of a model in the finite encoding. SolverEnded at the `deadline`, a time of `time.monotonic`."""
    encoding.deadline = deadline
    try:
        return _Builder(model, encoding).circuits()
    finally:
        encoding.deadline = None
