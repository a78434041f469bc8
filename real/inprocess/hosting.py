"""The process that hosts Kafka's classes: what is asked of it, and what it answers.

One JSON object a line goes in, and one comes out. A call of Kafka's that does not come back is ended with the process.
"""

from __future__ import annotations

import contextlib
import json
import selectors
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeAlias

from ...language.immutable import immutable
from ..driving.nodes.processes import bound_command
from ..driving.nodes.releases import Release
from .program import MAIN, compiled_folder

Step: TypeAlias = tuple[str | int, ...]
"""A step of a schedule: its verb and its numbers. `Verb.java` says what each is."""
Schedule: TypeAlias = tuple[Step, ...]
ANSWER_SECONDS = 120.0
_HEAP = ("-Xmx512m", "-XX:+UseSerialGC", "-Xshare:auto", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3")
"""A limit of memory; and hash codes of objects are numbers in order, so that nothing depends on where they lie."""


class HostError(Exception):
    """The process that hosts Kafka's classes ended, did not answer, or could not do what it was asked."""


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
class Finding:
    """A property that failed: its name, what findings of one cause have in common, at which node, why, and Kafka's
    stack where something was thrown."""

    property: str
    signature: str
    node: int
    why: str
    stack: tuple[str, ...]


class Flying(NamedTuple):
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
    flying: tuple[Flying, ...]
    committed_records: int
    findings: tuple[Finding, ...]
    lines: tuple[str, ...]


class Host:
    """A process that hosts a release; `brief`: for seconds of work and not for minutes. Ends with `with`."""

    def __init__(self, release: Release, *, brief: bool = False) -> None:
        classes = compiled_folder(release)
        quick = ["-XX:TieredStopAtLevel=1"] if brief else []
        command = [release.java, *_HEAP, *quick, "-cp", f"{classes}:{release.jars}/*", MAIN]
        self.release = release
        self._process = subprocess.Popen(
            bound_command(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    def end(self) -> None:
        """Ends the process."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.communicate()

    def open(self, settings: Settings, seed: int, *, log: bool = False) -> None:
        """A new world, in which all nodes run and nothing has happened; `log`: Kafka's lines are kept from now on."""
        self.ask({"do": "open", "settings": settings.document(), "seed": seed, "log": log})

    def take(self, steps: Iterable[Step], *, look_at_each: bool = False, recover: bool = False) -> StepResults:
        """Takes steps, and looks at all nodes after each or after the last; `recover`: then nothing is lost any more,
        and all nodes get on."""
        look = "each" if look_at_each else "last"
        answer = self.ask({"do": "take", "steps": [list(step) for step in steps], "look": look, "recover": recover})
        return StepResults(
            tuple(answer["taken"]),
            tuple(tuple(state) for state in answer["states"]),
            tuple(Flying(*message) for message in answer["flying"]),
            answer["committed"],
            findings_of(answer),
            tuple(answer["lines"]),
        )

    def ask(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """One command, and its answer. HostError where there is none, or where it says that it failed."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise HostError(f"the process that hosts Kafka has ended: {self._last_words()}") from None
        answer: dict[str, Any] = json.loads(self._line(ANSWER_SECONDS))
        if "failed" in answer:
            where = next((line.strip() for line in answer["stack"] if "org.apache.kafka" in line), "nowhere")
            raise HostError(f"{answer['failed']} ({where})")
        return answer

    def _line(self, seconds: float) -> bytes:
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(seconds):
                self.end()
                raise HostError(f"a call of Kafka's did not come back within {seconds:g} s; the process was ended")
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise HostError(f"the process that hosts Kafka has ended: {self._last_words()}")
        return line

    def _last_words(self) -> str:
        self._process.kill()
        _, said = self._process.communicate()
        lines = said.decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:400] if lines else "it said nothing"


def findings_of(answer: Mapping[str, Any]) -> tuple[Finding, ...]:
    """What failed, of an answer."""
    return tuple(
        Finding(one["property"], one["signature"], one["node"], one["why"], tuple(one["stack"]))
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
