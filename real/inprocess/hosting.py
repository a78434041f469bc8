"""The process that hosts Kafka's classes: what is asked of it, and what it answers.

A list of commands a line goes in, in JSON, and a list of their answers comes out. A call of Kafka's that does not come
back is ended with the process.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeAlias

from ...language.immutable import immutable
from ..driving.nodes.processes import bound_command
from ..driving.nodes.releases import Release
from .program import MAIN, QUORUM, HostError, ShapeError, Tenant, compiled_folder

Step: TypeAlias = tuple[str | int, ...]
"""A step of a schedule: its verb and its numbers. `Verb.java` says what each is."""
Schedule: TypeAlias = tuple[Step, ...]
ANSWER_SECONDS = 120.0
"""How long a call may take: of processor time, as long as it has any; where it waits for something, by the clock."""
_IDLE_SECONDS = 1.0
"""Who has had less of the processor than this in all that time, and asks for none, waits for something."""
MEMORY_MB = 512
"""How much memory objects may take. Whoever needs more ends: Kafka's code would go on with what failed."""
_OPTIONS = (
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+DisplayVMOutputToStderr",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=3",
    "-XX:CompileCommand=quiet",
    "-XX:CompileCommand=exclude,java.util.ImmutableCollections*::*",
)
"""Among them: hash codes of objects are numbers in order, so that nothing depends on where they lie; and what goes
through Set.of is interpreted, since what was compiled before `SetOrder` fixed its order would keep the one that was
drawn."""
_ENDING_SECONDS = 10.0
"""How long a process may take to end that says nothing any more."""


@immutable
class Settings:
    """What is hosted: how many voters and observers, whether the voters may change (KIP-853), how many batches a fetch
    brings at most, Kafka's timeouts in ms, and a defect that the host is given on purpose ("" for none)."""

    voters: int = 3
    observers: int = 0
    dynamic: bool = False
    batches_a_read: int = 2**31 - 1
    election_ms: int = 1_000
    fetch_ms: int = 2_000
    request_ms: int = 2_000
    backoff_ms: int = 20
    defect: str = ""

    def document(self) -> dict[str, Any]:
        """As the process takes them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@immutable
class FailedProperty:
    """A property that failed: its name, what findings of one cause have in common, at which node, why, and Kafka's
    stack where something was thrown."""

    property: str
    signature: str
    node: int
    why: str
    stack: tuple[str, ...]


class MessageInFlight(NamedTuple):
    """A message on its way: between which nodes, the number of its API, whether it is an answer, its name, and which
    request of its world it is, or answers."""

    source: int
    to: int
    api: int
    answer: int
    name: str
    number: int


@immutable
class StepResults:
    """What came of steps: of each whether there was something to do, what is seen of each node after each of them or
    after the last, what is on its way, how many records are committed, what failed, and what Kafka logged."""

    steps_taken: tuple[bool, ...]
    states: tuple[tuple[Mapping[str, Any], ...], ...]
    flying: tuple[MessageInFlight, ...]
    committed_records: int
    findings: tuple[FailedProperty, ...]
    lines: tuple[str, ...]


class HostedWorld:
    """A world of nodes of a release, in a process that has one or more of these."""

    release: Release

    def ask(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """One command, and its answer. HostError where there is none, or where it says that it failed; ShapeError where
        that is because a class of Kafka's has changed."""
        raise NotImplementedError

    def open(self, settings: Settings, seed: int, *, log: bool = False) -> None:
        """All nodes anew: they run and nothing has happened; `log`: Kafka's lines are kept from now on."""
        self.ask({"do": "open", "settings": settings.document(), "seed": seed, "log": log})

    def take(self, steps: Iterable[Step], *, look_at_each: bool = False, recover: bool = False) -> StepResults:
        """Takes steps, and looks at all nodes after each or after the last; `recover`: then nothing is lost any more,
        and all nodes get on."""
        look = "each" if look_at_each else "last"
        answer = self.ask({"do": "take", "steps": [list(step) for step in steps], "look": look, "recover": recover})
        return StepResults(
            tuple(answer["taken"]),
            tuple(tuple(state) for state in answer["states"]),
            tuple(MessageInFlight(*message) for message in answer["flying"]),
            answer["committed"],
            findings_of(answer),
            tuple(answer["lines"]),
        )


class Host(HostedWorld):
    """A process that hosts a tenant's part of a release, and a world in it; `brief`: for seconds of work and not for
    minutes. Ends with `with`."""

    def __init__(self, release: Release, tenant: Tenant = QUORUM, *, brief: bool = False) -> None:
        classes = compiled_folder(release, tenant)
        quick = ["-XX:TieredStopAtLevel=1"] if brief else []
        options = [f"-Xmx{MEMORY_MB}m", *_OPTIONS, *quick]
        command = [release.java, *options, "-cp", f"{classes}:{release.jars}/*", MAIN, tenant.answers]
        self.release = release
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - `end` closes it
        self._process = subprocess.Popen(
            bound_command(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Ends the process."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        with contextlib.suppress(OSError):  # what it was not told yet
            self._process.communicate()
        self._said.close()

    def ask(self, command: Mapping[str, Any]) -> dict[str, Any]:
        self.send([command])
        return check_answer(self.release, self.receive()[0])

    def send(self, commands: Sequence[Mapping[str, Any]]) -> None:
        """Commands in one message, which are done one after the other. HostError where there is no process any more."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(commands).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise HostError(self._how_it_ended()) from None

    def receive(self) -> list[dict[str, Any]]:
        """The answers to what was sent first of all that is not answered yet; see `check_answer`."""
        answers: list[dict[str, Any]] = json.loads(self._line(ANSWER_SECONDS))
        return answers

    def _line(self, seconds: float) -> bytes:
        assert self._process.stdout is not None
        began = before = self.processor_seconds()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while not selector.select(seconds):
                used = self.processor_seconds()
                if (used - before < _IDLE_SECONDS and not is_runnable(self.process_id)) or used - began > seconds:
                    self.end()
                    raise HostError(f"a call of Kafka's did not come back within {seconds:g} s; the process was ended")
                before = used
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise HostError(self._how_it_ended())
        return line

    @property
    def process_id(self) -> int:
        """The number of the process."""
        return self._process.pid

    def processor_seconds(self) -> float:
        """The processor time that the process has had; 0 where the system does not say."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _how_it_ended(self) -> str:
        """Why there is no process any more."""
        try:
            ended = self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return "the process that hosts Kafka says nothing any more; it was ended"
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").strip().splitlines()
        if any("java.lang.OutOfMemoryError" in line for line in lines):
            return f"the process that hosts Kafka needed more than its {MEMORY_MB} MB of memory, and ended"
        if ended < 0:
            return f"the process that hosts Kafka was ended by {signal.Signals(-ended).name}"
        return f"the process that hosts Kafka ended with {ended}: {lines[-1][:400] if lines else 'it said nothing'}"


def is_runnable(process_id: int) -> bool:
    """Whether a thread of a process runs, or would if others left it a processor; False where the system does not
    say."""
    states = list[str]()
    for path in Path("/proc").glob(f"{process_id}/task/*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            states.append(path.read_text(encoding="utf-8").rpartition(")")[2].split()[0])
    return "R" in states


def check_answer(release: Release, answer: dict[str, Any]) -> dict[str, Any]:
    """An answer as it is. HostError where it says that the command failed; ShapeError where that is because a class of
    Kafka's has changed."""
    if "failed" in answer:
        places = [line.strip() for line in answer["stack"] if line.strip().startswith("at org.apache.kafka")]
        why = f"{answer['failed']} ({places[0] if places else 'nowhere'})"
        raise ShapeError(release, why) if answer["changed"] else HostError(why)
    return answer


def findings_of(answer: Mapping[str, Any]) -> tuple[FailedProperty, ...]:
    """What failed, of an answer."""
    return tuple(
        FailedProperty(one["property"], one["signature"], one["node"], one["why"], tuple(one["stack"]))
        for one in answer.get("findings", ())
    )


def step_words(step: Sequence[str | int]) -> str:
    """`deliver(1, 3, Vote)`: a step in words."""
    verb, *numbers = step
    if verb in ("deliver", "lose", "cut") and len(numbers) == 5:
        source, to, api, answer, which = numbers
        name = APIS.get(int(api), str(api)) + (" answer" if answer else "")
        return f"{verb}({source}, {to}, {name}{f', {which}' if which else ''})"
    return f"{verb}({', '.join(map(str, numbers))})"


APIS: Mapping[int, str] = {
    1: "Fetch",
    18: "ApiVersions",
    52: "Vote",
    53: "BeginQuorumEpoch",
    54: "EndQuorumEpoch",
    59: "FetchSnapshot",
    80: "AddRaftVoter",
    81: "RemoveRaftVoter",
    82: "UpdateRaftVoter",
}
"""The names of the requests that controllers send one another."""
