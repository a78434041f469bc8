"""Actions as LLVM functions for the pass that writes steps down: a step that a limit stops is tried as if there were no
limit, and in a state beyond a `@bound` each step is.

No such step is written to `out`. Its action is noted in BOUNDED where it changes something of the protocol, or breaks
the model's types, of which no more is known: in plain Python `language.fairness.limit_of` says the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llvmlite import ir as llvm

from ...language import ir
from .actions import CELL, ActionCode
from .effort import CompileEffort
from .layout import Layout
from .machine import I64, address, word


class TriedStepsCode(ActionCode):
    """Generates one action's function. `protocol` are the bits of a state's words that are of no ghost."""

    def __init__(
        self,
        layout: Layout,
        function: llvm.Function,
        opens: Mapping[str, int],
        watch: llvm.Function | None,
        effort: CompileEffort,
        step_bounds: Sequence[llvm.Function] = (),
        *,
        protocol: Sequence[int],
    ) -> None:
        super().__init__(layout, function, opens, watch, effort, step_bounds)
        self.protocol, self.failed = protocol, self.error_block
        self.tried = self.stack_slot(I64)
        self.beyond = self.builder.load(address(self.builder, self.context, word(CELL["BEYOND"])))

    def _generate_level(self, depth: int) -> None:
        """As of every action; what breaks there is no failure of the model where the step is only tried."""
        outer = self.error_block
        self.builder.store(self.beyond, self.tried)
        self.error_block = self._break_block()
        super()._generate_level(depth)
        self.error_block = outer

    def _break_block(self) -> llvm.Block:
        """A block that ends the instance where the step is only tried, and else the function."""
        assert self.disabled is not None and self.failed is not None
        here, broke, noted = self.builder.block, self.new_block(), self.new_block()
        self.builder.position_at_end(broke)
        tried = self.builder.icmp_unsigned("!=", self.builder.load(self.tried), word(0))
        self.builder.cbranch(tried, noted, self.failed)
        self.builder.position_at_end(noted)
        self._note_stopped(tried)
        self.builder.branch(self.disabled)
        self.builder.position_at_end(here)
        return broke

    def _Limit(self, node: ir.Limit) -> None:
        """A false limit is passed, and the step is only tried. A spent budget stops it: the step would have changed
        what is left of that."""
        if node.budget is not None or self.plan.is_fault:
            super()._Limit(node)
            return
        passed = self.llvm_bit(self.evaluate_condition(node.condition))
        tried = self.builder.load(self.tried)
        self.builder.store(self.builder.select(passed, tried, word(1)), self.tried)

    def _ask_bounds(self, slot: llvm.Value) -> None:
        """Goes on with the successor at `slot` only where it is a step within all bounds."""
        assert self.disabled is not None
        stopped, is_fault = self.new_block(), self.plan.is_fault
        tried = self.builder.icmp_unsigned("!=", self.builder.load(self.tried), word(0))
        if not is_fault:
            self._go_on_unless(tried, stopped)
        for bound in self.step_bounds:
            value = self.builder.call(bound, [self.context, self.source, slot])
            self.fail_if(self.compare("==", value, 2))
            self._go_on_unless(self.llvm_bit(self.compare("==", value, 0)), self.disabled if is_fault else stopped)
        if is_fault:
            self._go_on_unless(tried, stopped)
        going = self.builder.block
        self.builder.position_at_end(stopped)
        self._note_stopped(self._is_protocol_changed(slot))
        self.builder.branch(self.disabled)
        self.builder.position_at_end(going)

    def _go_on_unless(self, condition: llvm.Value, stop_block: llvm.Block) -> None:
        going = self.new_block()
        self.builder.cbranch(condition, stop_block, going)
        self.builder.position_at_end(going)

    def _is_protocol_changed(self, slot: llvm.Value) -> llvm.Value:
        """Whether the step to the state at `slot` changes something of the protocol."""
        differ: llvm.Value = word(0)
        for index, mask in enumerate(self.protocol):
            after = self.builder.load(address(self.builder, slot, word(index)))
            changed = self.builder.xor(self.before.loaded_words[index], after)
            differ = self.builder.or_(differ, self.builder.and_(changed, word(mask)))
        return self.builder.icmp_unsigned("!=", differ, word(0))
