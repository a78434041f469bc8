"""A SAT solver in a process of its own, so that a time limit, a memory limit or Ctrl-C ends it at once.

CaDiCaL by way of python-sat; Z3's own solver where python-sat is not installed. This file is also the program that the
process runs: that part needs nothing else of ours.
"""

from __future__ import annotations

import ctypes
import pickle
import resource
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from itertools import islice
from typing import IO, Any, Protocol, TypeVar, cast

_HEAD = struct.Struct("<Q")
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class SolverEndedError(Exception):
    """The solver was stopped before it had an answer; the message says by what."""


TIME_LIMIT_REACHED = "the time limit was reached"

_BATCH = 4096
"""How many things are done between two looks at the clock, or sent to the solver at a time."""

_Item = TypeVar("_Item")


def check_deadline(things: Iterable[_Item], deadline: float | None) -> Iterator[_Item]:
    """All of some things, with a look at the clock before the first and now and then. SolverEnded at the `deadline`,
    a time of `time.monotonic`; None is no limit."""
    for at, thing in enumerate(things):
        if at % _BATCH == 0:
            heed(deadline)
        yield thing


def heed(deadline: float | None) -> None:
    """SolverEnded if the `deadline`, a time of `time.monotonic`, is over."""
    if deadline is not None and time.monotonic() >= deadline:
        raise SolverEndedError(TIME_LIMIT_REACHED)


_UNUSABLE = 64
"""The exit of the process that could not import its solver."""

_SOLVER_CRASH = (
    "the solver of clauses is installed, and cannot be imported; install it again with: pip install --force-reinstall "
    "'.[prove]' in the clone, or without python-sat: then Z3 solves them"
)


class SatSolver:
    """Clauses, added to again and again, and the question whether they can be satisfied. Close it when done.

    `deadline`, a time of `time.monotonic`, and `memory_bytes` are limits on the process; None is no limit.
    """

    def __init__(self, deadline: float | None = None, memory_bytes: int | None = None) -> None:
        self.backend = "CaDiCaL" if find_spec("pysat") is not None else "Z3"
        self.memory_bytes = memory_bytes
        self.deadline = deadline
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, self.backend, str(memory_bytes or 0)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def add(self, clauses: Iterable[Sequence[int]]) -> None:
        """Adds clauses: literals are variables from 1, or their negatives. Raises SolverEnded at the time limit."""
        left = check_deadline(clauses, self.deadline)
        while batch := list(islice(left, _BATCH)):
            self._send(("add", batch))

    def solve(self, assumptions: Sequence[int]) -> list[bool] | None:
        """Values of the variables (that of variable 1 at index 1) that satisfy all clauses and the assumptions; None
        if there are none. Raises SolverEnded at a limit."""
        self._send(("solve", list(assumptions)))
        return self._answer()

    def close(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):  # of what was not sent any more
                    pipe.close()

    def _send(self, message: Any) -> None:
        try:
            write_message(cast("IO[bytes]", self.process.stdin), message)
        except BrokenPipeError:
            raise self._dead() from None

    def _answer(self) -> list[bool] | None:
        pipe = cast("IO[bytes]", self.process.stdout)
        left = None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
        if not select.select([pipe], [], [], left)[0]:
            raise SolverEndedError(TIME_LIMIT_REACHED)
        try:
            return read_message(pipe)
        except EOFError:
            raise self._dead() from None

    def _dead(self) -> Exception:
        if self.process.wait() == _UNUSABLE:
            from .errors import MissingExtraError

            return MissingExtraError(_SOLVER_CRASH)
        if self.memory_bytes is not None:
            return SolverEndedError("the memory limit was reached by the solver")
        return RuntimeError(f"the solver's process ended by itself, with {self.process.wait()}")


def write_message(pipe: IO[bytes], message: Any) -> None:
    """Writes one message: its length and its pickle."""
    data = pickle.dumps(message, protocol=5)
    pipe.write(_HEAD.pack(len(data)) + data)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> Any:
    """Reads one message. EOFError when the other side is gone."""
    head = pipe.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise EOFError
    data = pipe.read(_HEAD.unpack(head)[0])
    return pickle.loads(data)


# --- in the process ---------------------------------------------------------------------------------------------------


class Backend(Protocol):
    """A solver."""

    def add(self, clauses: list[list[int]]) -> None:
        """Adds clauses."""
        ...

    def solve(self, assumptions: list[int]) -> list[bool] | None:
        """The values of all variables, or None."""
        ...


class Cadical:
    """CaDiCaL."""

    def __init__(self) -> None:
        from pysat.solvers import Cadical195

        self.solver = Cadical195()

    def add(self, clauses: list[list[int]]) -> None:
        """Adds clauses."""
        for clause in clauses:
            self.solver.add_clause(clause)

    def solve(self, assumptions: list[int]) -> list[bool] | None:
        """The values of all variables, or None."""
        if not self.solver.solve(assumptions=assumptions):
            return None
        return [False, *(number > 0 for number in cast("list[int]", self.solver.get_model()))]


class Z3:
    """Z3's solver of clauses."""

    def __init__(self) -> None:
        import z3

        self.z3 = z3
        self.solver = z3.SolverFor("QF_FD")
        self.bits: list[Any] = [z3.BoolVal(False)]

    def _literal(self, literal: int) -> Any:
        while len(self.bits) <= abs(literal):
            self.bits.append(self.z3.Bool(f"v{len(self.bits)}"))
        return self.bits[literal] if literal > 0 else self.z3.Not(self.bits[-literal])

    def add(self, clauses: list[list[int]]) -> None:
        """Adds clauses."""
        for clause in clauses:
            self.solver.add(self.z3.Or([self._literal(literal) for literal in clause]))

    def solve(self, assumptions: list[int]) -> list[bool] | None:
        """The values of all variables, or None."""
        answer = self.solver.check([self._literal(assumption) for assumption in assumptions])
        if answer == self.z3.unsat:
            return None
        if answer != self.z3.sat:
            raise RuntimeError(f"Z3 says {self.solver.reason_unknown()}")
        found = self.solver.model()
        return [bool(self.z3.is_true(found[bit])) for bit in self.bits]


def serve(backend: Backend, source: IO[bytes], target: IO[bytes]) -> None:
    """Runs each job that it gets, until the other end closes."""
    while True:
        try:
            word, what = read_message(source)
        except EOFError:
            return
        if word == "add":
            backend.add(what)
        else:
            write_message(target, backend.solve(what))


def _main(name: str, memory: int) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # whoever started us ends us
    with suppress(AttributeError):  # only Linux has it; elsewhere the end of its input ends this process
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    try:
        backend = Cadical() if name == "CaDiCaL" else Z3()
    except ImportError:
        sys.exit(_UNUSABLE)
    if memory:  # from here on: an import that runs out of it looks like a solver that is missing
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    serve(backend, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]))
