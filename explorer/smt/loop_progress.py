"""What a loop has come to, round by round."""

from __future__ import annotations

from dataclasses import dataclass, field

from .terms import Bit, and_bits, implies, negation


@dataclass(slots=True)
class LoopProgress:
    """What a loop has come to: whether it still goes on, and what had to be defined on the way.

    Where members of a symmetric domain are gone through, one order of them stands for all (see `symmetry`): so the
    rounds are not `is_ordered`, and every one of them has to be defined, whatever the others come to.
    """

    is_ordered: bool = True
    going: Bit = True
    definedness: list[Bit] = field(default_factory=list[Bit])

    def need_defined(self, there: Bit, is_defined: Bit) -> None:
        """Something is evaluated in a round that takes place if `there`."""
        if is_defined is not True:
            self.definedness.append(implies(and_bits(self.going, there) if self.is_ordered else there, is_defined))

    def stop_loop(self, condition: Bit) -> None:
        """The loop ends here under the condition."""
        self.going = and_bits(self.going, negation(condition))
