"""A whole model as one LLVM module: its actions, its properties, and the kernel's loops around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import factorial, prod
from typing import Any

from llvmlite import ir as llvm

from ...language.errors import UsageError
from ...language.immutable import immutable
from ...language.ir import Const, Function, Require
from ...language.model import Action, Model, Property
from ...language.types import Identity
from . import edges_kernel, kernel, walk_kernel
from . import initials_kernel as starting
from . import shard_kernel as sharding
from .actions import CELL, FAILED, ActionCode, ActionPlan, Counters, add_to_counter, load_opens
from .canonical import canonical_function
from .cells import Memory
from .cone import Cones
from .effort import FULL_EFFORT, CompileEffort
from .graph_kernel import NUMBERS as GRAPH_CELLS
from .initials import combination_counts, start_function
from .kernel import CONTEXT, ERROR_BIT, EVENTS, NO_PARENT
from .layout import Layout
from .machine import I64, WORDS, address, compile_function, word
from .masks import kept_function, masked_texts, protocol_masks
from .statements import Statements
from .tried_steps import TriedStepsCode

BATCH = 192
"""Successors gathered before they are looked up: enough to hide memory latency, few enough to stay in the first
cache."""


Text = Callable[..., Any]
"""A function in the machine language."""


PROPERTIES_MAX = 63
"""Properties of one kind, a bit each."""


@immutable
class KernelInterface:
    """What the driver must know about a model's generated code; it follows from the model, so a cached kernel needs
    no more.

    `opens` are the context cells of open constants, `held_states` that of the first counter, and `expanded_states`
    that of the states that were expanded; `states_within` and `states_beyond` count, for each `@bound`, the states that
    it is asked of and true, or false, in; `context_cells` and `buffer_slots` say how much memory a run needs. `starts`
    are the combinations of arguments that each initial function has, where initial states are made natively. `cones`
    says what of a state is kept, where not all of it is.
    """

    layout: Layout
    opens: dict[str, int]
    held_states: int
    expanded_states: int
    states_within: tuple[int, ...]
    states_beyond: tuple[int, ...]
    plans: tuple[ActionPlan, ...]
    context_cells: int
    buffer_slots: int
    starts: tuple[int, ...]
    invariants: tuple[Property, ...]
    transitions: tuple[Property, ...]
    witnesses: tuple[Property, ...]
    cones: Cones | None = None


def plan_program(model: Model, *, cone: bool = False) -> KernelInterface:
    """Decide layout, context and coverage of a bound model; with a `cone` the context has the bits of a state's words
    that are kept, too."""
    layout = Layout(model.fields, model.values)
    opens = {name: len(CONTEXT) + index for index, name in enumerate(sorted(model.open))}
    counters = Counters(len(CONTEXT) + len(opens))
    masks = [counters.add_counter() for _ in range(layout.words if cone else 0)]
    held_states, weighed = counters.add_counter(), counters.add_counter()
    active = [action for action in model.actions if may_be_enabled(action)]
    within, beyond = (tuple(counters.add_counter() for _ in model.bounds) for _ in range(2))
    passed = dict(zip((bound.name for bound in model.bounds), within, strict=True))
    plans = tuple(ActionPlan(number, action, model, layout, counters, passed) for number, action in enumerate(active))
    slots = BATCH + sum(plan.fan_out() for plan in plans) + 16
    kinds = (applicable_properties(model, kind) for kind in ("invariant", "transition", "reachable"))
    return KernelInterface(
        layout, opens, held_states, weighed, within, beyond, plans, counters.next, slots, combination_counts(model),
        *kinds, cones=Cones(masks[0]) if masks else None,
    )  # fmt: skip


def rebind_properties(program: KernelInterface, model: Model) -> KernelInterface:
    """The program with the properties of a model that differs in nothing but the values of open constants."""
    invariants, transitions, witnesses = (
        applicable_properties(model, kind) for kind in ("invariant", "transition", "reachable")
    )
    return replace(program, invariants=invariants, transitions=transitions, witnesses=witnesses)


def generate_llvm(
    model: Model,
    program: KernelInterface,
    symmetric: Sequence[Identity],
    *,
    walks: bool = False,
    fingerprint: int = 0,
    effort: CompileEffort = FULL_EFFORT,
    masks: Sequence[int] = (),
    edges: bool = False,
    is_weighted: bool = False,
) -> str:
    """The LLVM text of a bound model; `symmetric` are the domains whose renamings are folded. `walks` adds random walks
    to it, `fingerprint` (64 or 128 bits) a shard's share of a level, `edges` the steps between the states of a store.
    `effort` says what is written out. `is_weighted`: where renamings are folded, each state is counted that a stored
    one stands for. States are distinguished by their words under `masks`, without any by all of them."""
    layout, module = program.layout, llvm.Module("tidegate")
    functions = _Functions(module, layout, program.opens, effort, is_weighted=is_weighted)
    functions.define_masked_properties("invariants", program.invariants, wanted_truth=False)
    functions.define_masked_properties("witnesses", program.witnesses, wanted_truth=True)
    functions.define_terminal(model.terminals)
    code = partial(TriedStepsCode, protocol=protocol_masks(model)) if edges else ActionCode
    functions.define_expand(program, model, code)
    functions.made["canonical"] = canonical_function(
        module, layout, symmetric, program.cones and program.cones.cell, CELL["FIXED"] if is_weighted else None
    )
    functions.define_weigh(prod(factorial(domain.size) for domain in symmetric))
    if masks:
        functions.made["kept"] = kept_function(module, masks)
    if program.starts:
        functions.made["start"] = start_function(module, layout, program.opens, model, effort)
    texts = (
        *(masked_texts() if masks else kernel.TEXTS),
        *(starting.TEXTS if program.starts else ()),
        *(walk_kernel.TEXTS if walks else ()),
        *(sharding.TEXTS if fingerprint else ()),
        *(edges_kernel.TEXTS if edges else ()),
    )
    _add_kernel(module, program, functions.made, texts, fingerprint // 64)
    return str(module)


def may_be_enabled(action: Action) -> bool:
    """Whether no guard of an action was folded to false. Guards on open constants stay, so that one kernel serves all
    values."""
    guards = [statement.condition for statement in action.form.body if isinstance(statement, Require)]
    return not any(isinstance(guard, Const) and guard.number == 0 for guard in guards)


def applicable_properties(model: Model, kind: str) -> tuple[Property, ...]:
    """The properties of a kind that this model can evaluate. UsageError where they are more than the kernel has bits
    for: it holds a kind's properties in one word, of which one bit says that a property cannot be evaluated."""
    found = tuple(prop for prop in model.properties if prop.kind == kind and prop.applicable)
    if len(found) > PROPERTIES_MAX:
        raise UsageError(
            f"{model.name} has {len(found)} properties of the kind {kind}, and native code checks at most "
            f"{PROPERTIES_MAX} at once; name some with --property, join some with `and`, or use --engine python"
        )
    return found


def _add_kernel(
    module: llvm.Module,
    program: KernelInterface,
    functions: dict[str, llvm.Function],
    texts: Sequence[Text],
    finger: int,
) -> None:
    numbers = merge_numbers(
        CELL, {name: index for index, name in enumerate(EVENTS)},
        {"W": program.layout.words, "STRIDE": program.layout.words + 2, "BATCH": BATCH, "FINGER": finger,
         "BOUNDED_STATES": program.held_states, "WEIGHED": program.expanded_states, "NO_PARENT": NO_PARENT,
         "REHASH_BATCH": kernel.REHASH_BATCH,
         "CLAIMED": kernel.CLAIMED, "NO_ROOM": kernel.NO_ROOM, "HANDOUT": kernel.HANDOUT, "ERROR_BIT": ERROR_BIT,
         "FAILED": FAILED},
        walk_kernel.NUMBERS, sharding.NUMBERS, GRAPH_CELLS,
    )  # fmt: skip
    public = {*kernel.PUBLIC, *starting.PUBLIC, *walk_kernel.PUBLIC, *sharding.PUBLIC, *edges_kernel.PUBLIC}
    for text in texts:
        functions[text.__name__] = compile_function(
            module, text, numbers, functions, internal=text.__name__ not in public
        )


def merge_numbers(*tables: Mapping[str, int]) -> dict[str, int]:
    """The capital names of all parts of the kernel. ValueError where two parts give one name different numbers: either
    would then read the other's cell."""
    numbers: dict[str, int] = {}
    for table in tables:
        if shared := {name for name in table.keys() & numbers.keys() if table[name] != numbers[name]}:
            raise ValueError(f"two parts of the kernel name cells alike: {', '.join(sorted(shared))}")
        numbers.update(table)
    return numbers


class PropertyCode(Statements):
    """Evaluates property functions over states in memory, each in a function of its own that returns 0, 1 or an
    error."""

    def __init__(self, layout: Layout, function: llvm.Function, opens: dict[str, int], effort: CompileEffort) -> None:
        builder = llvm.IRBuilder(function.append_basic_block("entry"))
        super().__init__(layout, builder, load_opens(builder, function.args[0], opens), effort)
        self.slots = {}
        start = function.append_basic_block("start")
        builder.branch(start)
        builder.position_at_end(start)
        self.error_block = function.append_basic_block("error")
        llvm.IRBuilder(self.error_block).ret(word(2))

    def generate(self, form: Function, pointers: Sequence[llvm.Value]) -> None:
        """Fill the function: the value of `form` over the states at `pointers`."""
        for name, pointer in zip(form.states, pointers, strict=True):
            with self.builder.goto_entry_block():
                count = self.layout.words
                loaded = tuple(self.builder.load(address(self.builder, pointer, word(index))) for index in range(count))
            self.states[name] = Memory(pointer, loaded)
        value = self.truth_of(self.run_function(form))
        self.builder.ret(self.builder.zext(self.llvm_bit(value), I64))


class _Functions:
    """Adds the functions that the kernel calls, under the names it calls them by."""

    def __init__(
        self, module: llvm.Module, layout: Layout, opens: dict[str, int], effort: CompileEffort, *, is_weighted: bool
    ) -> None:
        self.module, self.layout, self.opens, self.effort = module, layout, opens, effort
        self.weighted = is_weighted
        self.made: dict[str, llvm.Function] = {}
        self.predicates: dict[int, llvm.Function] = {}
        self.watches: dict[tuple[int, ...], llvm.Function] = {}

    def _function(self, name: str, *arguments: llvm.Type, public: bool = False) -> llvm.Function:
        function = llvm.Function(self.module, llvm.FunctionType(I64, arguments), name)
        if not public:
            function.linkage = "internal"
        return function

    def define_predicate(self, prop: Property, states: int, form: Function | None = None) -> llvm.Function:
        """One property as a function of the context and the states it reads; of a `form`, what is asked of some
        actions in place of the property's own."""
        name = (
            f"property_{prop.name}"
            if form is None or form is prop.form
            else f"property_{prop.name}.{len(self.predicates)}"
        )
        asked = form or prop.form
        assert asked is not None
        known = self.predicates.get(id(asked))
        if known is None:
            known = self.predicates[id(asked)] = self._function(name, WORDS, *[WORDS] * states)
            PropertyCode(self.layout, known, self.opens, self.effort).generate(asked, known.args[1:])
        return known

    def define_masked_properties(self, name: str, properties: Sequence[Property], *, wanted_truth: bool) -> None:
        """`name(c, at, mask)`: a bit for each property of the mask whose value at the state is `wanted_truth`."""
        function = self._function(name, WORDS, WORDS, I64, public=True)
        builder = llvm.IRBuilder(function.append_basic_block())
        context, at, mask = function.args
        found = builder.alloca(I64)
        builder.store(word(0), found)
        for index, prop in enumerate(properties):
            asked = builder.and_(mask, word(1 << index))
            with builder.if_then(builder.icmp_unsigned("!=", asked, word(0))):
                value = builder.call(self.define_predicate(prop, 1), [context, at])
                with builder.if_then(builder.icmp_unsigned("==", value, word(2)), likely=False):
                    builder.ret(word(ERROR_BIT | 1 << index))
                with builder.if_then(builder.icmp_unsigned("==", value, word(int(wanted_truth))), likely=False):
                    builder.store(builder.or_(builder.load(found), word(1 << index)), found)
        builder.ret(builder.load(found))
        self.made[name] = function

    def define_terminal(self, properties: Sequence[Property]) -> None:
        """`terminal(c, at)`: 1 when some @terminal predicate holds, 2 when one cannot be evaluated."""
        function = self._function("terminal", WORDS, WORDS, public=True)
        builder = llvm.IRBuilder(function.append_basic_block())
        for prop in properties:
            value = builder.call(self.define_predicate(prop, 1), list(function.args))
            with builder.if_then(builder.icmp_unsigned("!=", value, word(0))):
                builder.ret(value)
        builder.ret(word(0))
        self.made["terminal"] = function

    def define_watch(self, properties: Sequence[Property], action: str) -> llvm.Function | None:
        """`watch(c, before, after, parent)`: evaluates transition properties on one edge, a step of this action, and
        notes the first that fails each. Actions of which nothing special is asked share one."""
        if not properties:
            return None
        key = tuple(id(prop.form_of(action)) for prop in properties)
        known = self.watches.get(key)
        if known is None:
            known = self.watches[key] = self._define_watch(f"watch.{len(self.watches)}", properties, action)
        return known

    def _define_watch(self, name: str, properties: Sequence[Property], action: str) -> llvm.Function:
        function = self._function(name, WORDS, WORDS, WORDS, I64)
        context, before, after, parent = function.args
        builder = llvm.IRBuilder(function.append_basic_block())
        mask = address(builder, context, word(CELL["WATCH"]))
        crossed = address(builder, context, word(CELL["CROSSED"]))
        for index, prop in enumerate(properties):
            asked = builder.and_(builder.load(mask), word(1 << index))
            with builder.if_then(builder.icmp_unsigned("!=", asked, word(0))):
                value = builder.call(self.define_predicate(prop, 2, prop.form_of(action)), [context, before, after])
                with builder.if_then(builder.icmp_unsigned("==", value, word(2)), likely=False):
                    builder.ret(word(1))
                with builder.if_then(builder.icmp_unsigned("==", value, word(0)), likely=False):
                    builder.store(builder.xor(builder.load(mask), word(1 << index)), mask)
                    builder.store(builder.or_(builder.load(crossed), word(1 << index)), crossed)
                    self._note_edge(builder, context, index, after, parent)
        builder.ret(word(0))
        return function

    def _note_edge(
        self, builder: llvm.IRBuilder, context: llvm.Value, index: int, next_state: llvm.Value, parent: llvm.Value
    ) -> None:
        base = builder.inttoptr(builder.load(address(builder, context, word(CELL["EDGES"]))), WORDS)
        start = index * (self.layout.words + 1)
        builder.store(parent, address(builder, base, word(start)))
        for at in range(self.layout.words):
            value = builder.load(address(builder, next_state, word(at)))
            builder.store(value, address(builder, base, word(start + 1 + at)))

    def define_expand(self, program: KernelInterface, model: Model, code: Callable[..., ActionCode]) -> None:
        """`expand(c, state, out, parent)`: every successor by every action, none beyond a `@bound`, or FAILED. `code`
        generates an action."""
        main = self._function("expand", WORDS, WORDS, WORDS, I64, public=True)
        builder = llvm.IRBuilder(main.append_basic_block())
        context, state, out, parent = main.args
        for bound, within, beyond in zip(model.bounds, program.states_within, program.states_beyond, strict=True):
            value = builder.call(self.define_predicate(bound, 1), [context, state])
            with builder.if_then(builder.icmp_unsigned("==", value, word(2)), likely=False):
                builder.store(word(kernel.NO_ACTION), address(builder, context, word(CELL["BROKE"])))
                builder.ret(word(FAILED))
            with builder.if_then(builder.icmp_unsigned("==", value, word(0))):
                builder.store(word(-1), address(builder, context, word(CELL["BOUNDED"])))
                add_to_counter(builder, context, beyond, is_weighted=self.weighted)
                builder.ret(word(0))
            add_to_counter(builder, context, within, is_weighted=self.weighted)
        kept = tuple(self.define_predicate(bound, 2) for bound in model.step_bounds)
        total: llvm.Value = word(0)
        for plan in program.plans:
            watch = self.define_watch(program.transitions, plan.form.name)
            one = self._function(f"action_{plan.form.name}", WORDS, WORDS, WORDS, I64)
            made = code(self.layout, one, self.opens, watch, self._fitting_effort(plan, watch, kept), kept)
            made.weighted = self.weighted
            made.generate(plan)
            slot = address(builder, out, builder.mul(total, word(self.layout.words + 2)))
            got = builder.call(one, [context, state, slot, parent])
            with builder.if_then(builder.icmp_unsigned("==", got, word(FAILED)), likely=False):
                builder.ret(word(FAILED))
            total = builder.add(total, got)
        builder.ret(total)
        self.made["expand"] = main

    def define_weigh(self, renamings: int) -> None:
        """`weigh(c, at)`: how many states a stored one stands for, of which there is one for each of so many renamings
        but for those that leave it as it is. 1 where states are not weighed."""
        function = self._function("weigh", WORDS, WORDS)
        builder = llvm.IRBuilder(function.append_basic_block())
        context, at = function.args
        weight: llvm.Value = word(1)
        if self.weighted:
            builder.call(self.made["canonical"], [context, at])  # which it is: what is new is what leaves it so
            fixed = builder.load(address(builder, context, word(CELL["FIXED"])))
            weight = builder.udiv(word(renamings), fixed)
            builder.store(weight, address(builder, context, word(CELL["WEIGHT"])))
        builder.ret(weight)
        self.made["weigh"] = function

    def _fitting_effort(
        self, plan: ActionPlan, watch: llvm.Function | None, kept_functions: Sequence[llvm.Function]
    ) -> CompileEffort:
        """The effort for one action: its instances are written out only if all of them together are not too long."""
        instances, budget = plan.fan_out(), self.effort.instructions
        if not 1 < instances <= self.effort.instances:
            return self.effort
        looping = replace(self.effort, instances=1)
        trial = llvm.Function(llvm.Module(), llvm.FunctionType(I64, [WORDS, WORDS, WORDS, I64]), "trial")
        ActionCode(self.layout, trial, self.opens, watch, looping, kept_functions).generate(plan)
        length = sum(len(block.instructions) for block in trial.basic_blocks)
        return self.effort if length * instances <= budget else looping
