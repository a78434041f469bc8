"""Numbers and truth values while code is generated: a Python value when known, an LLVM value when not.

Everything folds as early as it can, so that a parameter fixed to a member of its domain leaves only constant shifts
behind. Numbers are signed 64-bit; the front end has proved that no intermediate value leaves them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir

from ...language.constants import EXPONENT_MAX
from .machine import I1, I64, word

Num: TypeAlias = int | ir.Value
Bit: TypeAlias = bool | ir.Value

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


class Scalars:
    """Folding arithmetic over a builder that moves from block to block."""

    builder: ir.IRBuilder

    def llvm_number(self, value: Num) -> ir.Value:
        """The LLVM form of a number."""
        return word(value) if isinstance(value, int) else value

    def llvm_bit(self, value: Bit) -> ir.Value:
        """The LLVM form of a truth value."""
        return ir.Constant(I1, int(value)) if isinstance(value, bool) else value

    def bit_as_number(self, value: Bit) -> Num:
        """A truth value as the number 0 or 1."""
        return int(value) if isinstance(value, bool) else self.builder.zext(value, I64)

    def add(self, left: Num, right: Num) -> Num:
        if isinstance(left, int) and isinstance(right, int):
            return left + right
        if isinstance(right, int) and right == 0:
            return left
        if isinstance(left, int) and left == 0:
            return right
        return self.builder.add(self.llvm_number(left), self.llvm_number(right))

    def sub(self, left: Num, right: Num) -> Num:
        if isinstance(left, int) and isinstance(right, int):
            return left - right
        if isinstance(right, int) and right == 0:
            return left
        return self.builder.sub(self.llvm_number(left), self.llvm_number(right))

    def mul(self, left: Num, right: Num) -> Num:
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        for one, other in ((left, right), (right, left)):
            if isinstance(one, int) and one in (0, 1):
                return other if one else 0
        return self.builder.mul(self.llvm_number(left), self.llvm_number(right))

    def band(self, left: Num, right: Num) -> Num:
        """Bitwise and."""
        if isinstance(left, int) and isinstance(right, int):
            return left & right
        return self.builder.and_(self.llvm_number(left), self.llvm_number(right))

    def bor(self, left: Num, right: Num) -> Num:
        """Bitwise or."""
        if isinstance(left, int) and isinstance(right, int):
            return left | right
        for one, other in ((left, right), (right, left)):
            if isinstance(one, int) and one == 0:
                return other
        return self.builder.or_(self.llvm_number(left), self.llvm_number(right))

    def bxor(self, left: Num, right: Num) -> Num:
        """Bitwise exclusive or."""
        if isinstance(left, int) and isinstance(right, int):
            return left ^ right
        return self.builder.xor(self.llvm_number(left), self.llvm_number(right))

    def shl(self, left: Num, right: Num) -> Num:
        """Shift left, by less than 64."""
        if isinstance(left, int) and isinstance(right, int):
            return left << right & (1 << 64) - 1
        if isinstance(right, int) and right == 0:
            return left
        return self.builder.shl(self.llvm_number(left), self.llvm_number(right))

    def shr(self, left: Num, right: Num) -> Num:
        """Shift right without sign, by less than 64."""
        if isinstance(left, int) and isinstance(right, int):
            return left >> right
        if isinstance(right, int) and right == 0:
            return left
        return self.builder.lshr(self.llvm_number(left), self.llvm_number(right))

    def compare(self, op: str, left: Num, right: Num) -> Bit:
        """Signed comparison."""
        if isinstance(left, int) and isinstance(right, int):
            return _COMPARE[op](left, right)
        return self.builder.icmp_signed(op, self.llvm_number(left), self.llvm_number(right))

    def is_below(self, left: Num, right: Num) -> Bit:
        """Unsigned `left < right`, for raw codes: what is negative is not below."""
        if isinstance(left, int) and isinstance(right, int):
            return 0 <= left < right
        return self.builder.icmp_unsigned("<", self.llvm_number(left), self.llvm_number(right))

    def both(self, left: Bit, right: Bit) -> Bit:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, bool):
                return other if one else False
        return self.builder.and_(self.llvm_bit(left), self.llvm_bit(right))

    def either(self, left: Bit, right: Bit) -> Bit:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, bool):
                return True if one else other
        return self.builder.or_(self.llvm_bit(left), self.llvm_bit(right))

    def negate(self, value: Bit) -> Bit:
        return not value if isinstance(value, bool) else self.builder.not_(value)

    def same(self, left: Bit, right: Bit) -> Bit:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, bool):
                return other if one else self.negate(other)
        return self.builder.icmp_unsigned("==", self.llvm_bit(left), self.llvm_bit(right))

    def select_number(self, condition: Bit, yes: Num, no: Num) -> Num:
        """`yes` where the condition holds, else `no`."""
        if isinstance(condition, bool):
            return yes if condition else no
        if yes is no or (isinstance(yes, int) and isinstance(no, int) and yes == no):
            return yes
        return self.builder.select(condition, self.llvm_number(yes), self.llvm_number(no))

    def power(self, base: Num, exponent: Num) -> Num:
        """`base ** exponent`, by squares; the exponent is in `EXPONENTS`."""
        if isinstance(base, int) and isinstance(exponent, int):
            return base**exponent
        made: Num = 1
        square: Num = self.llvm_number(base)
        for bit in range(EXPONENT_MAX.bit_length()):
            is_set = self.compare("!=", self.band(exponent, 1 << bit), 0)
            made = self.select_number(is_set, self.mul(made, square), made)
            square = self.mul(square, square)
        return made

    def divide(self, left: Num, right: Num) -> tuple[Num, Num]:
        """Python's floor quotient and remainder; the divisor is not 0."""
        if isinstance(left, int) and isinstance(right, int):
            return divmod(left, right)
        a, b = self.llvm_number(left), self.llvm_number(right)
        quotient, remainder = self.builder.sdiv(a, b), self.builder.srem(a, b)
        off = self.both(self.compare("!=", remainder, 0), self.compare("<", self.bxor(remainder, b), 0))
        return self.sub(quotient, self.bit_as_number(off)), self.add(remainder, self.select_number(off, b, 0))

    def count_bits(self, mask: Num) -> Num:
        """How many bits are set."""
        if isinstance(mask, int):
            return mask.bit_count()
        return self.builder.ctpop(mask)
