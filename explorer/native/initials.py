"""Initial states in native code, for models that have many: an `@initial` function's parameters range over all their
values, and plain Python makes some thirty thousand states a second of them.

Every combination of arguments has a number, in the order in which plain Python takes them. `start(c, n, out)` makes the
state of combination n; the loops around it are in `initials_kernel`. Plain Python (see `initials_check`) makes the few
that are looked at: those that break, those that a run begins with, and a sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from llvmlite import ir as llvm

from ...language.model import Initial, Model
from ...language.types import value_count
from .actions import FAILED, load_opens
from .cells import BuiltValue, Memory
from .effort import CompileEffort
from .layout import Layout
from .machine import I64, WORDS, address, word
from .statements import Statements

MANY_STATES = 1000
"""From so many combinations of arguments on, initial states are made natively: to compile that takes as long as plain
Python takes for about so many."""

MAX_COMBINATIONS = 1 << 62
"""More combinations than this have no number in a word."""


def combination_counts(model: Model) -> tuple[int, ...]:
    """How many combinations of arguments each `@initial` function has; none at all where plain Python makes the initial
    states: where they are few, and where how many there are is open."""
    if model.open:
        return ()
    counts = tuple(
        prod(value_count(parameter.type) for parameter in initial.form.parameters) for initial in model.initials
    )
    return counts if MANY_STATES <= sum(counts) < MAX_COMBINATIONS else ()


class StartCode(Statements):
    """Generates one `@initial` function: the state of a combination of arguments, given its number."""

    def __init__(
        self, layout: Layout, function: llvm.Function, opens: Mapping[str, int], effort: CompileEffort
    ) -> None:
        context, self.combination, self.out = function.args
        builder = llvm.IRBuilder(function.append_basic_block("entry"))
        super().__init__(layout, builder, load_opens(builder, context, opens), effort)
        start = function.append_basic_block("start")
        builder.branch(start)
        builder.position_at_end(start)
        self.error_block, self.disabled = function.append_basic_block("error"), function.append_basic_block("disabled")
        llvm.IRBuilder(self.error_block).ret(word(FAILED))
        llvm.IRBuilder(self.disabled).ret(word(0))

    def generate(self, initial: Initial) -> None:
        """Fill the function."""
        form = initial.form
        self.slots = self.shared_names(form.body, {parameter.name: parameter.type for parameter in form.parameters})
        numbers = self.split_position(self.combination, [parameter.type for parameter in form.parameters])
        for parameter, number in zip(form.parameters, numbers, strict=True):
            self.env[parameter.name] = self.value_at_present(self.member_at(parameter.type, number))
        self.share_parameters()
        self.statements(form.body)
        self._write_state([self.value_at_present(self.evaluate(field)) for field in form.result.fields])
        self.builder.ret(word(1))

    def _write_state(self, values: Sequence[BuiltValue]) -> None:
        for index in range(self.layout.words):
            self.builder.store(word(0), address(self.builder, self.out, word(index)))
        for field, value in zip(self.layout.fields, values, strict=True):
            self.check_type(field.type, value)
            self.write_cell(self.field_cell(Memory(self.out), field.name), value)


def start_function(
    module: llvm.Module, layout: Layout, opens: Mapping[str, int], model: Model, effort: CompileEffort
) -> llvm.Function:
    """`start(c, n, out)`: makes the state of combination n of all; 1, or 0 where a guard is false, or FAILED."""
    type_ = llvm.FunctionType(I64, [WORDS, I64, WORDS])
    main = llvm.Function(module, type_, "start")
    builder = llvm.IRBuilder(main.append_basic_block())
    context, number, out = main.args
    for initial, count in zip(model.initials, combination_counts(model), strict=True):
        one = llvm.Function(module, type_, f"initial_{initial.name}")
        one.linkage = "internal"
        StartCode(layout, one, opens, effort).generate(initial)
        with builder.if_then(builder.icmp_unsigned("<", number, word(count))):
            builder.ret(builder.call(one, [context, number, out]))
        number = builder.sub(number, word(count))
    builder.ret(word(0))
    return main
