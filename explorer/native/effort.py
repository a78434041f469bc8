"""How much work goes into a kernel's code: little when somebody waits for it, more when a search turns out long."""

from __future__ import annotations

from ...language.immutable import immutable


@immutable
class CompileEffort:
    """What is written out instead of looped over, and how LLVM optimises it.

    An action with at most `instances` instances is written out for each, while that comes to at most `instructions`; a
    quantifier of at most `operations` operations is written out for each round. `pipeline` is LLVM's optimisation level
    of the passes (0: two cheap ones), `code` that of code generation.
    """

    name: str
    instances: int
    instructions: int
    operations: int
    pipeline: int
    code: int


QUICK_EFFORT = CompileEffort("quick", instances=1, instructions=0, operations=100, pipeline=0, code=0)
"""Compiles in about a tenth of the time of `FULL_EFFORT`; its steps take up to twice as long."""

ROLLED_EFFORT = CompileEffort("rolled", instances=1, instructions=0, operations=4000, pipeline=1, code=2)
"""With five replicas it compiles in a sixth of the time of `FULL_EFFORT`, and its steps take twice as long."""

FULL_EFFORT = CompileEffort("full", instances=400, instructions=12_000, operations=4000, pipeline=1, code=2)
"""Constant shifts and masks throughout. A higher pipeline took twice as long and gave code that was no faster on the
models here (see the decision record on compiling)."""
