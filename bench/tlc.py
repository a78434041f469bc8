"""What TLC says of every exported model, held against ours: `python -m bench.tlc --classes PATH [MODEL ...]`.

Each shipped model and example is exported with the bounds of its smallest recorded check, parsed and explored by TLC
without symmetry, and compared: distinct states, the verdict of each property, and the steps of each counterexample.
bench/tla-exports.toml has what came out beside a digest of the exported text; a test asks for TLC again where the text
has changed. PATH is what Java's classpath takes: `tla2tools.jar`, or classes built from tlaplus/tlaplus.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tidegate.api.checking import check
from tidegate.explorer.cache import cache_directory
from tidegate.explorer.search import Search
from tidegate.gates.records import read_record_file, shipped_record_files
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS
from tidegate.language.binding import Definition, load
from tidegate.language.errors import ModelErrors
from tidegate.language.immutable import immutable
from tidegate.reports.tla.module import TLAExport, export_to_tla
from tidegate.reports.tla.values import NotInTLAError

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "bench" / "tla-exports.toml"
SHIPPED = {**CATALOGUE, **REFINEMENTS, **LIVENESS_CLAIMS}
FOLDED = 6
"""How many states one stands for in a check with symmetry, about: three members have six orders."""
SMALLER: Mapping[str, Mapping[str, bool | int | str]] = {
    "kraft": {"voters": 3},
    "kraft_live": {"max_records": 0},
    "raft_as_log": {"max_term": 1},
    "raft_as_leadership": {"max_term": 1},
    "transaction_outcomes": {"transactions": 1},
    "uniform_heterogeneous": {"members": 2},
    "sticky_assignors": {"members": 2},
    "kraft_as_log": {"max_epoch": 1},
    "kraft_as_leadership": {"max_epoch": 1},
    "zk_controller_as_lumped": {"brokers": 2, "max_epoch": 1},
    "transactions_as_lumped": {"late_inits": 0, "late_ends": 0},
    "classic_group_as_generations": {"max_generation": 2},
    "classic_group_as_lumped": {"failovers": 0},
    "zk_controller_live": {"brokers": 2},
    "tiered_log": {"records": 1},
    "uniform_assignor": {"members": 2},
    "examples/published/dijkstra_mutex.py": {"processes": 2},
    "examples/published/lamport_mutex.py": {"processes": 2, "clocks": 4},
    "examples/published/slush.py": {"nodes": 2, "sample_size": 1, "threshold": 1},
}
"""Constants of models whose smallest record is large for TLC."""
PARSED = frozenset({"examples/published/fast_paxos.py"})
"""Models without smaller bounds that TLC has not explored in a quarter of an hour: they are parsed alone."""
TIMEOUT = 900
"""Seconds that TLC may take for one exploration."""
EXAMPLES = ("examples", "examples/published", "examples/liveness")


@immutable
class ExportedModel:
    """A model that is exported: MODEL as `check` takes it, its profile, and the constants of its smallest record."""

    name: str
    profile: str
    constants: Mapping[str, bool | int | str]

    @property
    def target(self) -> str:
        """MODEL with its profile."""
        return f"{self.name}:{self.profile}" if self.profile else self.name

    def definition(self) -> Definition:
        """The text of the model."""
        return SHIPPED[self.name].definition() if self.name in SHIPPED else load(ROOT / self.name)


def subjects() -> Iterator[ExportedModel]:
    """All shipped models, and the examples that are models."""
    records = {path.stem: read_record_file(path) for path in shipped_record_files()}
    for name in SHIPPED:
        sized = [it for it in records[name].checks if it.counts.get("distinct_states")]
        least = min(sized, key=lambda it: (it.counts["distinct_states"] * (FOLDED if it.symmetry else 1), it.name))
        yield ExportedModel(name, least.profile, {**least.constants, **least.own, **SMALLER.get(name, {})})
    for folder in EXAMPLES:
        for path in sorted((ROOT / folder).glob("*.py")):
            text = path.read_text("utf-8")
            if "@state" in text and "@initial" in text:
                profiles = load(path).profiles
                name = f"{folder}/{path.name}"
                yield ExportedModel(name, next(iter(profiles), ""), SMALLER.get(name, {}))


def exported_model(subject: ExportedModel) -> TLAExport:
    """The export of a model with its constants open, or, where its text needs their values, bound."""
    definition = subject.definition()
    name = Path(subject.name).stem
    try:
        model = definition.bind(
            name, subject.constants, subject.profile or None, open=tuple(definition.constants), ghosts=None
        )
    except ModelErrors:
        model = definition.bind(name, subject.constants, subject.profile or None, ghosts=None)
    return export_to_tla(model, name)


def digest_of(export: TLAExport) -> str:
    """What changes when an exported text changes."""
    claims = export.configuration((*export.invariants, *export.never), export.properties)
    texts = [export.module, *(abstract.module for abstract in export.abstract), claims]
    return hashlib.sha256("".join(texts).encode()).hexdigest()[:12]


@immutable
class TLCResult:
    """What TLC printed: the distinct states of a whole exploration, what is violated in how many steps, and what else
    went wrong."""

    distinct: int | None
    violated_property: str | None
    steps: int | None
    error: str


class TLC:
    """TLC as a program, in a directory of its own."""

    def __init__(self, classes: str, directory: Path, memory: str = "3g") -> None:
        java = ["java", "-XX:+UseParallelGC", "-Xss512m", f"-Xmx{memory}", "-cp", classes]
        self._command = [*java, "tlc2.TLC", "-workers", "1"]
        self._directory = directory

    def run(self, export: TLAExport, invariants: Iterable[str], properties: Iterable[str]) -> TLCResult:
        """One exploration."""
        for module in (export, *export.abstract):
            (self._directory / f"{module.name}.tla").write_text(module.module, "utf-8")
        (self._directory / f"{export.name}.cfg").write_text(export.configuration(invariants, properties), "utf-8")
        command = [*self._command, "-metadir", str(self._directory / "states"), "-noGenerateSpecTE", export.name]
        try:
            ran = subprocess.run(
                command, cwd=self._directory, capture_output=True, text=True, check=False, timeout=TIMEOUT
            )
        except subprocess.TimeoutExpired:
            return TLCResult(None, None, None, f"no answer within {TIMEOUT} s")
        return read_output(ran.stdout + ran.stderr)

    def parse(self, export: TLAExport) -> str:
        """What is wrong with a module's text; "" where nothing is."""
        (self._directory / f"{export.name}.tla").write_text(export.module, "utf-8")
        command = [*self._command[:-3], "tla2sany.SANY", f"{export.name}.tla"]
        ran = subprocess.run(command, cwd=self._directory, capture_output=True, text=True, check=False)
        return "" if ran.returncode == 0 and "Errors" not in ran.stdout else (ran.stdout + ran.stderr)[-800:]


def read_output(output: str) -> TLCResult:
    """What TLC's output says."""
    count = re.findall(r"([\d,]+) distinct states found, 0 states left on queue", output)
    violated = re.search(
        r"Error: (?:Invariant|Action property|Property|Temporal property) (\w+) (?:is|was) violated", output
    )
    temporal = re.search(r"Temporal propert(?:ies were|y \w+ was) violated", output) is not None
    states = [int(number) for number in re.findall(r"^State (\d+):", output, flags=re.MULTILINE)]
    found = violated[1] if violated else "temporal" if temporal else None
    initial = re.search(
        r"Error: (?:The invariant of|Invariant|Property) (\w+) is (?:equal to FALSE|violated by)", output
    )
    if initial:
        return TLCResult(None, initial[1], 0, "")
    error = "" if found or count else output[max(0, output.find("rror") - 200) :][:1800] or "no output"
    steps = max(states) - 1 if states and found and not temporal else None  # of a loop TLC's is not the shortest
    return TLCResult(int(count[-1].replace(",", "")) if count else None, found, steps, error)


def compare(subject: ExportedModel, tlc: TLC) -> tuple[dict[str, object], list[str]]:
    """What both say of a model, and where they differ."""
    export = exported_model(subject)
    if subject.name in PARSED:
        wrong = tlc.parse(export)
        return {"digest": digest_of(export), "parsed": "alone"}, [wrong] if wrong else []
    bound = subject.definition().bind(subject.target, subject.constants, subject.profile or None, ghosts=None)
    ours = check(bound, search=Search(keep_going=True, deadlocks=False, cache=cache_directory())).verdict
    said = {prop.name: (prop.verdict, None if prop.run is None else len(prop.run.steps)) for prop in ours.properties}
    differences: list[str] = []
    never = {f"never_{name}": name for name in said}
    fine = [name for name in export.invariants if said.get(name, ("holds", None))[0] != "violated"]
    kept = [name for name in export.properties if said.get(name, ("holds", None))[0] == "holds"]
    whole = tlc.run(export, fine, kept)
    if whole.error:
        return {}, [f"TLC: {whole.error}"]
    if whole.error or whole.violated_property:
        differences.append(f"TLC: {whole.violated_property or whole.error}")
    if whole.distinct != ours.distinct_states:
        differences.append(f"distinct states: {ours.distinct_states} here, {whole.distinct} by TLC")
    for name in (*export.invariants, *export.properties, *export.never):
        verdict, steps = said.get(never.get(name, name), ("holds", None))
        if verdict not in ("violated", "reached", "unreachable"):
            continue
        wanted = verdict in ("violated", "reached")
        result = tlc.run(export, [name] * (name not in export.properties), [name] * (name in export.properties))
        if result.error:
            differences.append(f"{name}: TLC: {result.error}")
        elif wanted != (result.violated_property is not None):
            differences.append(f"{name}: {verdict} here, {'violated' if result.violated_property else 'holds'} by TLC")
        elif wanted and steps is not None and result.steps not in (None, steps):
            differences.append(f"{name}: {steps} steps here, {result.steps} by TLC")
    record: dict[str, object] = {
        "profile": subject.profile,
        "constants": " ".join(
            f"{k}={str(v).lower() if isinstance(v, bool) else v}" for k, v in subject.constants.items()
        ),
        "digest": digest_of(export),
        "distinct_states": whole.distinct,
        "properties": {name: said[name][0] for name in said},
        "left_out": [name for name, _ in export.left_out],
    }
    return record, differences


def main(arguments: list[str] | None = None) -> int:
    """Runs TLC on the models and writes what came out; 1 where the two differ."""
    parser = argparse.ArgumentParser(prog="python -m bench.tlc", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--classes", default=os.environ.get("TLC_CLASSES", "tla2tools.jar"))
    parser.add_argument("models", nargs="*", metavar="MODEL")
    options = parser.parse_args(arguments)
    wrong = 0
    records = tomllib.loads(RECORD.read_text("utf-8")) if RECORD.is_file() else {}
    for subject in subjects():
        if options.models and subject.name not in options.models:
            continue
        if not options.models and _is_recorded(subject, records.get(subject.name, {})):
            continue
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as directory:
            try:
                record, differences = compare(subject, TLC(options.classes, Path(directory)))
            except NotInTLAError as error:
                records[subject.name] = {"refused": error.message}
                print(f"- {subject.target}: {error.message} ({error.where})"[:200])
                continue
        states, seconds = record.get("distinct_states"), time.monotonic() - start
        print(f"{'✗' if differences else '✓'} {subject.target}: {states} states, {seconds:.0f} s")
        for text in differences:
            print(f"    {text}")
        wrong += bool(differences)
        if not differences:
            records[subject.name] = record
        sys.stdout.flush()
        write_records(records)
    return 1 if wrong else 0


def _is_recorded(subject: ExportedModel, record: Mapping[str, object]) -> bool:
    """Whether TLC has run this text already."""
    try:
        return record.get("digest") == digest_of(exported_model(subject))
    except NotInTLAError:
        return "refused" in record


def write_records(records: Mapping[str, Mapping[str, object]]) -> None:
    """The record, sorted by model."""
    lines = ["# What TLC says of each exported model: written by `python -m bench.tlc`, which says how to read this."]
    for name in sorted(records):
        lines += ["", f'["{name}"]']
        lines += [
            f"{key} = {_toml_text(value)}" for key, value in records[name].items() if value not in ("", [], {}, None)
        ]
    RECORD.write_text("\n".join(lines) + "\n", "utf-8")


def _toml_text(value: object) -> str:
    match value:
        case dict():
            return "{ " + ", ".join(f'{key} = "{text}"' for key, text in value.items()) + " }"  # pyright: ignore
        case list():
            return "[" + ", ".join(f'"{text}"' for text in value) + "]"  # pyright: ignore
        case int():
            return str(value)
        case _:
            return f'"{value}"'


if __name__ == "__main__":
    sys.exit(main())
