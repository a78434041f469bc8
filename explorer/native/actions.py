"""Actions as LLVM functions: parameters as nested loops, guards as early as their parameters allow, one copy before
the writes.

`action(c, state, out, parent)` writes every successor of `state` to the slots from `out` on and returns how many
there are, or FAILED when a step broke the model's types; plain Python then says which and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from llvmlite import ir as llvm

from ...language import ir
from ...language.checks import members_of
from ...language.forms import Parameter
from ...language.immutable import immutable
from ...language.model import Action, Model, Property
from ...language.switches import is_constant
from ...language.types import Pool, value_count
from ..traversal import traverse
from ..verdicts import step_bound_text
from .cells import BuiltValue, Memory, PackedValue
from .effort import CompileEffort
from .kernel import CONTEXT
from .layout import Layout
from .loops import Round, may_break
from .machine import I64, WORDS, address, word
from .scalars import Bit, Num
from .statements import Statements, local_bindings

FAILED = (1 << 64) - 1
TRUE = llvm.Constant(llvm.IntType(1), 1)
STOPPED_MAX = 63
"""The bit of BOUNDED that all actions from this number on share."""
CELL = {name: index for index, name in enumerate(CONTEXT)}


@immutable
class GuardCounters:
    """Where one guard is counted: it passed `passes` times, out of `base` (a counter, or None for every state) times
    `times`."""

    text: str
    line: int
    is_limit: bool
    passes: int
    base: int | None
    times: int


@dataclass(slots=True)
class ActionCounters:
    """The counters of one action."""

    name: str
    firings: int
    guards: list[GuardCounters] = field(default_factory=list[GuardCounters])


class Counters:
    """Hands out the context cells that coverage is counted in."""

    def __init__(self, first: int) -> None:
        self.first = self.next = first

    def add_counter(self) -> int:
        """One more cell."""
        self.next += 1
        return self.next - 1


class ActionPlan:
    """An action's shape: which statements come before the copy, at which depth of the parameter loops, and what is
    counted."""

    def __init__(
        self,
        number: int,
        action: Action,
        model: Model,
        layout: Layout,
        counters: Counters,
        bound_counters: Mapping[str, int],
    ) -> None:
        """`bound_counters` has the counter of the states that pass each `@bound`: those are asked before all
        actions."""
        self.number, self.form, self.is_fault = number, action.form, action.kind == "fault"
        limits, rest = split_bounds(self.form.body)
        self.prefix, self.body = split_guards(rest, [parameter.name for parameter in self.form.parameters])
        self.depths = parameters_needed(self.prefix, self.form.parameters)
        self.coverage = ActionCounters(action.name, counters.add_counter())
        self.passed: dict[int, int] = {}
        self.evaluated: dict[int, int] = {}
        self.entered: dict[str, int] = {}
        self._model, self._layout, self._counters = model, layout, counters
        self._count_prefix(self._count_bounds(limits, bound_counters))
        for guard in {
            id(bound): bound for bound in all_guards(self.body)
        }.values():  # a budget's limit is in several branches
            self.evaluated[id(guard)] = counters.add_counter()
            self._count_guard_passes(guard, self.evaluated[id(guard)], 1)
        self.finished = counters.add_counter() if model.step_bounds else None
        self.kept = tuple(self._count_step_bounds(model.step_bounds))

    def _count_step_bounds(self, bounds: Sequence[Property]) -> Iterator[int]:
        """Lists the bounds of steps among the guards, each asked of the steps that the last one lets through; gives
        their counters."""
        base = self.finished
        for bound in bounds:
            assert bound.form is not None, "a bound reads no ghost"
            kept, line = self._counters.add_counter(), bound.form.where.outermost().line
            self.coverage.guards.append(GuardCounters(step_bound_text(bound), line, True, kept, base, 1))
            base = kept
            yield kept

    def _count_bounds(self, limits: Sequence[ir.Limit], bound_counters: Mapping[str, int]) -> int | None:
        """Lists the `@bound` limits among the guards; gives the counter of the states that pass all of them."""
        names, counts = list(bound_counters), [None, *bound_counters.values()]
        for limit in limits:
            assert limit.bound_name is not None
            base, line = counts[names.index(limit.bound_name)], limit.where.outermost().line
            self.coverage.guards.append(
                GuardCounters(limit.text, line, True, bound_counters[limit.bound_name], base, 1)
            )
        return counts[-1]

    def _count_prefix(self, base: int | None) -> None:
        times = 1
        for depth in range(len(self.form.parameters) + 1):
            for statement, needs in zip(self.prefix, self.depths, strict=True):
                if needs == depth and isinstance(statement, ir.Require | ir.Limit):
                    base, times = self._count_guard_passes(statement, base, times), 1
            if depth < len(self.form.parameters):
                base, times = self._count_loop_entries(self.form.parameters[depth], base, times)

    def _count_loop_entries(self, parameter: Parameter, base: int | None, times: int) -> tuple[int | None, int]:
        if parameter.pool is not None:
            self.entered[parameter.name] = self._counters.add_counter()
            return self.entered[parameter.name], 1
        return base, times * self._present_values(parameter)

    def _count_guard_passes(self, guard: ir.Require | ir.Limit, base: int | None, times: int) -> int:
        passed = self.passed[id(guard)] = self._counters.add_counter()
        is_limit = isinstance(guard, ir.Limit)
        if is_limit or not is_constant(guard.condition):
            line = guard.where.outermost().line
            self.coverage.guards.append(GuardCounters(guard.text, line, is_limit, passed, base, times))
        return passed

    def _present_values(self, parameter: Parameter) -> int:
        """How many values the parameter has in this run."""
        return len(members_of(parameter.type, self._model.values))

    def value_count(self, parameter: Parameter) -> int:
        """How many values the parameter can have."""
        if parameter.pool is None:
            return value_count(parameter.type)
        pool = self._layout.field(parameter.pool)[0]
        assert isinstance(pool, Pool)
        return pool.capacity

    def fan_out(self) -> int:
        """How many successors the action can have."""
        return reduce(lambda total, parameter: total * self.value_count(parameter), self.form.parameters, 1)


class ActionCode(Statements):
    """Generates one action's function."""

    def __init__(
        self,
        layout: Layout,
        function: llvm.Function,
        opens: Mapping[str, int],
        watch: llvm.Function | None,
        effort: CompileEffort,
        step_bounds: Sequence[llvm.Function] = (),
    ) -> None:
        """`watch` is called with every step that is taken; `step_bounds` are asked of each before it is."""
        self.context, self.source, self.out, self.parent = function.args
        for argument in (self.source, self.out):
            argument.add_attribute("noalias")
        builder = llvm.IRBuilder(function.append_basic_block("entry"))
        super().__init__(layout, builder, load_opens(builder, self.context, opens), effort)
        self.watch, self.step_bounds, self.weighted = watch, step_bounds, False
        loaded = tuple(builder.load(address(builder, self.source, word(index))) for index in range(layout.words))
        self.before = Memory(self.source, loaded)
        self.copy = builder.bitcast(builder.alloca(llvm.ArrayType(I64, layout.words)), WORDS)
        self.made = builder.alloca(I64)
        builder.store(word(0), self.made)
        start = function.append_basic_block("start")
        builder.branch(start)
        builder.position_at_end(start)
        self.error_block = function.append_basic_block("error")

    def generate(self, plan: ActionPlan) -> None:
        """Fill the function."""
        self.plan = plan
        broke = llvm.IRBuilder(self.error_block)
        broke.store(word(plan.number), address(broke, self.context, word(CELL["BROKE"])))
        broke.ret(word(FAILED))
        self.states, self.slots = (
            {plan.form.state: self.before},
            self.shared_names(plan.form.body, {parameter.name: parameter.type for parameter in plan.form.parameters}),
        )
        outside = self.disabled = self.new_block()
        self.branch(self._can_happen(plan.form.body), lambda: self._generate_level(0))
        self.builder.branch(outside)
        self.builder.position_at_end(outside)
        self.builder.ret(self.builder.load(self.made))

    def _can_happen(self, body: Sequence[ir.Statement]) -> Bit:
        """Whether no guard is false whatever the state, with the values that the open constants have: an action that is
        switched off does nothing at all, so that no limit of it holds a state either."""
        on: Bit = True
        for statement in body:
            match statement:
                case ir.Require(condition=condition) if is_constant(condition) and not may_break(condition):
                    on = self.both(on, self.evaluate_condition(condition))
                case ir.If(condition=condition, yes=yes, no=no) if is_constant(condition) and not may_break(condition):
                    chosen = self.evaluate_condition(condition)
                    yes_on, no_on = self._can_happen(yes), self._can_happen(no)
                    on = self.both(on, self.either(self.both(chosen, yes_on), self.both(self.negate(chosen), no_on)))
                case _:
                    pass
        return on

    def _generate_level(self, depth: int) -> None:
        """Guards that need just the first `depth` parameters, then the loop over the next one, or the body."""
        parameters = self.plan.form.parameters
        for statement, needs in zip(self.plan.prefix, self.plan.depths, strict=True):
            if needs == depth:
                self.statements([statement])
        if depth == len(parameters):
            self._hand_over_successor()
            return
        room = reduce(lambda total, unbound: total * self.plan.value_count(unbound), parameters[depth:], 1)
        kept, parameter = dict(self.env), parameters[depth]

        def one(value: BuiltValue, active: Bit) -> None:
            outer, self.disabled = self.disabled, self.new_block()
            self.env = {**kept, parameter.name: value}
            self.branch(active, lambda: self._generate_instance(depth))
            self.builder.branch(self.disabled)
            self.builder.position_at_end(self.disabled)
            self.disabled = outer

        self._loop_over_values(parameter, one, unroll=room <= self.effort.instances)
        self.env = kept

    def _generate_instance(self, depth: int) -> None:
        entered = self.plan.entered.get(self.plan.form.parameters[depth].name)
        if entered is not None:
            self._add_to_counter(entered)
        self._generate_level(depth + 1)

    def _loop_over_values(self, parameter: Parameter, run: Round, *, unroll: bool) -> None:
        type_, where = parameter.type, parameter.where
        if parameter.pool is not None:
            self._loop_over_members(self.field_cell(self.before, parameter.pool), run, unroll=unroll)
        else:
            self.emit_for_each(ir.Members(type_, where), type_, run, unroll=unroll)

    def _loop_over_members(self, pool: PackedValue, run: Round, *, unroll: bool) -> None:
        """Every distinct record of a pool; a bag's copies of one record lie side by side."""
        assert isinstance(pool.type, Pool)
        length, multiple, capacity = self.length(pool), pool.type.multiple, pool.type.capacity

        def one(at: Num) -> None:
            item, active = self.element_at(pool, at), self.compare(">", length, at)
            if multiple and at != 0:
                before = self.element_at(pool, self.select_number(self.compare(">", at, 0), self.sub(at, 1), 0))
                repeated = self.both(self.compare(">", at, 0), self.are_equal(before, item))
                active = self.both(active, self.negate(repeated))
            run(item, active)

        self.emit_rounds(0, capacity, capacity if unroll else 0, one)

    def _generate_guard(self, node: ir.Require | ir.Limit, stop_block: llvm.Block) -> None:
        evaluated = self.plan.evaluated.get(id(node))
        if evaluated is not None:
            self._add_to_counter(evaluated)
        going = self.new_block()
        self.builder.cbranch(self.llvm_bit(self.evaluate_condition(node.condition)), going, stop_block)
        self.builder.position_at_end(going)
        self._add_to_counter(self.plan.passed[id(node)])

    def _Require(self, node: ir.Require) -> None:
        assert self.disabled is not None
        self._generate_guard(node, self.disabled)

    def _Limit(self, node: ir.Limit) -> None:
        stopped = self.new_block()
        self._generate_guard(node, stopped)
        going = self.builder.block
        self.builder.position_at_end(stopped)
        self._end_instance()
        self.builder.position_at_end(going)

    def _add_to_counter(self, counter: int) -> None:
        add_to_counter(self.builder, self.context, counter, is_weighted=self.weighted)

    # --- the body -----------------------------------------------------------------------------------------------------

    def _hand_over_successor(self) -> None:
        """Copy, write, check the step, hand the successor over."""
        for index, loaded in enumerate(self.before.loaded_words):
            self.builder.store(loaded, address(self.builder, self.copy, word(index)))
        self.target, self.states = self.copy, {self.plan.form.state: Memory(self.copy)}
        self.share_parameters()
        self.statements(self.plan.body)
        self.target, self.states = None, {self.plan.form.state: self.before}
        slot = self._slot_address()
        for index in range(self.layout.words):
            value = self.builder.load(address(self.builder, self.copy, word(index)))
            self.builder.store(value, address(self.builder, slot, word(index)))
        origin = self.builder.or_(self.parent, word(self.plan.number << 32))
        self.builder.store(origin, address(self.builder, slot, word(self.layout.words + 1)))
        self._ask_bounds(slot)
        if self.watch is not None:
            failed = self.builder.call(self.watch, [self.context, self.source, slot, self.parent])
            self.fail_if(self.compare("!=", failed, 0))
        self._add_to_counter(self.plan.coverage.firings)
        self.builder.store(self.builder.add(self.builder.load(self.made), word(1)), self.made)

    def _ask_bounds(self, slot: llvm.Value) -> None:
        """Goes on with the successor at `slot` only if every bound of steps is true of the step to it."""
        if self.plan.finished is not None:
            self._add_to_counter(self.plan.finished)
        for bound, kept in zip(self.step_bounds, self.plan.kept, strict=True):
            value = self.builder.call(bound, [self.context, self.source, slot])
            self.fail_if(self.compare("==", value, 2))
            going, stopped = self.new_block(), self.new_block()
            self.builder.cbranch(self.llvm_bit(self.compare("!=", value, 0)), going, stopped)
            self.builder.position_at_end(stopped)
            self._end_instance()
            self.builder.position_at_end(going)
            self._add_to_counter(kept)

    def _end_instance(self) -> None:
        """Ends this instance, which a guard of the bounds stops."""
        assert self.disabled is not None
        if not self.plan.is_fault:
            self._note_stopped(TRUE)
        self.builder.branch(self.disabled)

    def _note_stopped(self, really: llvm.Value) -> None:
        """Notes that bounds stop a step of this action, where that is so."""
        cell = address(self.builder, self.context, word(CELL["BOUNDED"]))
        bit = self.builder.select(really, word(1 << min(self.plan.number, STOPPED_MAX)), word(0))
        self.builder.store(self.builder.or_(self.builder.load(cell), bit), cell)

    def _slot_address(self) -> llvm.Value:
        stride = self.layout.words + 2
        return address(self.builder, self.out, self.builder.mul(self.builder.load(self.made), word(stride)))


def add_to_counter(builder: llvm.IRBuilder, context: llvm.Value, counter: int, *, is_weighted: bool) -> None:
    """Adds one to a counter of the context; `is_weighted`: one for each state that the one being expanded stands
    for."""
    cell = address(builder, context, word(counter))
    more = builder.load(address(builder, context, word(CELL["WEIGHT"]))) if is_weighted else word(1)
    builder.store(builder.add(builder.load(cell), more), cell)


def load_opens(builder: llvm.IRBuilder, context: llvm.Value, opens: Mapping[str, int]) -> dict[str, llvm.Value]:
    """The values of the open constants, read from the context's cells."""
    return {name: builder.load(address(builder, context, word(cell))) for name, cell in opens.items()}


def all_guards(body: Sequence[ir.Statement]) -> list[ir.Require | ir.Limit]:
    """Every guard of a body, nested ones included."""
    found = list[ir.Require | ir.Limit]()
    for statement in body:
        match statement:
            case ir.Require() | ir.Limit():
                found.append(statement)
            case ir.If(yes=yes, no=no):
                found += all_guards((*yes, *no))
            case ir.For(body=inner):
                found += all_guards(inner)
            case _:
                pass
    return found


def split_bounds(body: Sequence[ir.Statement]) -> tuple[list[ir.Limit], list[ir.Statement]]:
    """The limits that the `@bound` predicates put before an action, and the action itself."""
    limits = [statement for statement in body if isinstance(statement, ir.Limit) and statement.bound_name is not None]
    return limits, [
        statement for statement in body if not (isinstance(statement, ir.Limit) and statement.bound_name is not None)
    ]


def split_guards(
    body: Sequence[ir.Statement], parameters: Sequence[str]
) -> tuple[list[ir.Statement], list[ir.Statement]]:
    """The leading guards and names, which only read the source state, and the rest.

    A name that is bound again later belongs to the rest: every instance begins with its first value.
    """
    times = Counter([*parameters, *(binding.name for binding in local_bindings(body))])
    count = 0
    while count < len(body) and isinstance(statement := body[count], ir.Require | ir.Limit | ir.Let):
        if isinstance(statement, ir.Let) and times[statement.name] > 1:
            break
        count += 1
    while count and isinstance(body[count - 1], ir.Let) and not _is_read_in_prefix(body[count - 1], body[:count]):
        count -= 1
    return list(body[:count]), list(body[count:])


def _is_read_in_prefix(let: ir.Statement, prefix: Sequence[ir.Statement]) -> bool:
    """Whether a name bound in the prefix is read there again; otherwise it can wait for the body."""
    assert isinstance(let, ir.Let)
    return any(let.name in names_read_by(statement) for statement in prefix if statement is not let)


def parameters_needed(prefix: Sequence[ir.Statement], parameters: Sequence[Parameter]) -> list[int]:
    """How many parameters must be bound before each statement of the prefix, keeping their order.

    A limit waits for all of them: it cuts instances, and where a parameter has no values there is none to cut.
    What may break waits for the messages: without any nothing is evaluated.
    """
    messages = max((index + 1 for index, parameter in enumerate(parameters) if parameter.pool is not None), default=0)
    needs = {parameter.name: index + 1 for index, parameter in enumerate(parameters)}
    depth, found = 0, list[int]()
    for statement in prefix:
        own = max((needs[name] for name in names_read_by(statement) if name in needs), default=0)
        if isinstance(statement, ir.Limit):
            own = len(parameters)
        elif may_break(statement):
            own = max(own, messages)
        if isinstance(statement, ir.Let):
            needs[statement.name] = max(own, needs.get(statement.name, 0))
        depth = max(depth, own)
        found.append(depth)
    return found


def names_read_by(node: ir.Statement) -> frozenset[str]:
    """Every name a statement reads; helpers are closed, so only their arguments count."""
    return frozenset(read.name for read in traverse(node, helpers=False) if isinstance(read, ir.Name))
