"""What is recorded of models: the TOML files of spec/, and a user's own gate files, read and checked. spec/README.md is
the format.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from itertools import starmap
from pathlib import Path
from typing import Any, cast

from ..explorer import EXHAUSTIVE
from ..language.binding import Definition
from ..language.constants import PlainValue, Value
from ..language.errors import UnreadableError, UsageError, suggest_name
from ..language.immutable import immutable
from ..language.model import Model
from ..reports.document import json_value

SCHEMA = "tidegate.spec/1"

_VERDICT_WORDS = ("holds", "reached", "missing")
_TIERS = ("commit", "nightly")
_OUTCOMES = ("none", "safety", "deadlock", "liveness", "model_error", "vacuous")
_COUNTS = ("distinct_states", "transitions", "depth")
_KEYS = (
    "model", "profile", "bounds", "set", "symmetry", "ghosts", "engine", "tier", "source", "says", "expect", "outcome",
    "keep_going", "deadlock", "never_happens", *_COUNTS
)  # fmt: skip
_PROVE_KEYS = ("model", "profile", "bounds", "set", "tier", "source", "verdict", "expect", "only")
_PROOF_WORDS = ("proved", "conditional", "vacuous", "refuted", "not proved")
_CLAIM_WORDS = (*_PROOF_WORDS, "not stated", "left out", "known false")
_AUDIT_FACTS = ("kafka_version", "metadata_version", "inter_broker_protocol", "distribution", "features", "client")
_AUDIT_KEYS = ("name", "files", "require", "tier", "source", "baseline", *_AUDIT_FACTS)


@immutable
class EntryLocation:
    """Where an entry stands: the file, and the line of its header."""

    file: str
    line: int


@immutable
class ExpectedVerdict:
    """What must come of one property: its verdict, of a violated one the steps of its counterexample, and of one that
    bounds leave undecided the action that a limit stops."""

    verdict: str
    steps: int | None = None
    limited_action: str = ""


@immutable
class CheckRecord:
    """One `[[check]]`: what to run and what must come out. `constants` are those of its bounds and its `own` over them;
    `counts` is empty where the search stops at a violation. `expects` is whether it says what must come out at all;
    `engine` is empty where any will do. `ghosts` is None where the properties decide whether they are kept. `open` are
    constants that one kernel takes at run time. `says` is why it is so, for people. `keep_going` is whether the search
    goes on after a violation or a deadlock, and `deadlock` the steps of the shortest run to one that stands beside what
    is violated then (None: there is none). `never_happens` are the actions that never happen, where all holds."""

    model: str
    profile: str
    bounds: str
    own: Mapping[str, PlainValue]
    constants: Mapping[str, PlainValue]
    symmetry: bool
    ghosts: bool | None
    tier: str
    source: str
    outcome: str
    counts: Mapping[str, int]
    properties: Mapping[str, ExpectedVerdict]
    expects: bool
    engine: str
    place: EntryLocation
    open: tuple[str, ...] = ()
    says: str = ""
    keep_going: bool = False
    deadlock: int | None = None
    never_happens: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """MODEL as `check` takes it."""
        return target_text(self.model, self.profile)

    @property
    def marks(self) -> tuple[str, ...]:
        """How its states are counted, where that is not the default."""
        return tuple(word for word, on in (("symmetric", self.symmetry), ("ghosts", self.ghosts)) if on)

    @property
    def name(self) -> str:
        """What names it among the checks of a gate: `replication:kip320 medium, symmetric`."""
        own = [f"{name}={set_argument(value)}" for name, value in self.own.items()]
        words = ("violated", "undecided")
        wanted = [f"{name} {claim.verdict}" for name, claim in self.properties.items() if claim.verdict in words]
        where = " ".join([self.target, self.bounds or ("" if own else "defaults"), *own])
        return ", ".join([" ".join(where.split()), *self.marks, *wanted])


@immutable
class AuditRecord:
    """One `[[audit]]`: configuration files, relative to the gate file, and the requirements that they must meet.

    `options` are those of the command line for facts that the files do not state, and for what is accepted.
    """

    name: str
    files: tuple[str, ...]
    require: tuple[str, ...]
    tier: str
    source: str
    place: EntryLocation
    options: tuple[str, ...] = ()


@immutable
class ProofRecord:
    """One `[[prove]]`: a model to prove by induction, the word that must come out for all of it (`verdict`), and the
    words for some of its `properties`. A property that is not among these may have any, and is not asked for where
    `only` these are, and every lemma."""

    model: str
    profile: str
    bounds: str
    own: Mapping[str, PlainValue]
    constants: Mapping[str, PlainValue]
    tier: str
    source: str
    verdict: str
    properties: Mapping[str, str]
    only: bool
    place: EntryLocation

    @property
    def target(self) -> str:
        """MODEL as `prove` takes it."""
        return target_text(self.model, self.profile)

    @property
    def name(self) -> str:
        """What names it among the checks of a gate: `replication:kip320 replicas=5, proved`."""
        own = [f"{name}={set_argument(value)}" for name, value in self.own.items()]
        return f"{' '.join(' '.join([self.target, self.bounds, *own]).split())}, {self.verdict}"


@immutable
class RecordFile:
    """One TOML file: the model it is about ("" where its checks name theirs), its named bounds, checks, audits and
    proofs."""

    path: str
    model: str
    bounds: Mapping[str, Mapping[str, PlainValue]]
    checks: tuple[CheckRecord, ...]
    audits: tuple[AuditRecord, ...] = ()
    proofs: tuple[ProofRecord, ...] = ()


def target_text(model: str, profile: str) -> str:
    """A model and its profile, if there is one, as the verbs take them: `raft:paper`."""
    return f"{model}:{profile}" if profile else model


def set_argument(value: PlainValue) -> str:
    """A constant as `--set` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def shipped_record_files() -> Iterator[Path]:
    """The TOML files of spec/, as installed."""
    folder = resources.files("tidegate.spec")
    return (Path(str(path)) for path in sorted(folder.iterdir(), key=str) if path.name.endswith(".toml"))


def record_files_of(model: str) -> Iterator[RecordFile]:
    """What is recorded of a MODEL: in spec/ of a built-in one, in the TOML file beside it of a path."""
    name = model.partition(":")[0]
    if name.endswith(".py"):
        beside = Path(name).with_suffix(".toml")
        yield from [read_record_file(beside)] if beside.is_file() else []
    else:
        yield from (read_record_file(path) for path in shipped_record_files() if path.stem == name)


def known_violations(definition: Definition, model: Model, boundless: Collection[str]) -> Mapping[str, str]:
    """The properties of which a violation is recorded that the model has, and what is recorded of it in a clause:
    within any bounds for the constants that are `boundless`, all others being as they are in the model."""
    found: dict[str, str] = {}
    for file in record_files_of(model.name):
        for check in file.checks:
            violated = {name: it for name, it in check.properties.items() if it.verdict == "violated"}
            if violated and _is_record_of(check, definition, model, boundless):
                where = f"{Path(check.place.file).name}:{check.place.line}"
                bounds = check.bounds or "the default bounds"
                for name, it in violated.items():
                    steps = f"a violation in {it.steps} steps" if it.steps is not None else "a violation"
                    said = f"{steps} is recorded within {bounds} ({where})" + f": {check.says}" * bool(check.says)
                    found.setdefault(name, said)
    return found


def violations_elsewhere(definition: Definition, model: Model, boundless: Collection[str]) -> Mapping[str, str]:
    """The properties of which a violation and its reason are recorded of the same text with other constants, in a
    clause that names these constants and the reason. Constants that are `boundless` may differ as they like."""
    reasons: dict[str, dict[str, list[tuple[Mapping[str, Value], str]]]] = {}
    for file in record_files_of(model.name):
        for check in file.checks:
            other = _constant_differences(check, definition, model, boundless)
            if other and check.says:
                name = f"{model.name.partition(':')[0]}:{check.profile}" if check.profile else model.name
                for goal in (goal for goal, it in check.properties.items() if it.verdict == "violated"):
                    reasons.setdefault(goal, {}).setdefault(check.says, []).append((other, name))
    return {goal: "; ".join(starmap(_elsewhere_text, whys.items())) for goal, whys in reasons.items()}


def _elsewhere_text(why: str, other_checks: Sequence[tuple[Mapping[str, Value], str]]) -> str:
    """`false of kraft:kip595 (pre_vote=false): why`."""
    ranked = sorted(other_checks, key=lambda pair: len(pair[0]))
    names = (f"{name} ({', '.join(f'{key}={_value_text(value)}' for key, value in of.items())})" for of, name in ranked)
    return f"false of {' and '.join(dict.fromkeys(names))}: {why}"


def _value_text(value: Value) -> str:
    return str(json_value(value)).lower() if isinstance(value, bool) else str(json_value(value))


def _is_record_of(check: CheckRecord, definition: Definition, model: Model, boundless: Collection[str]) -> bool:
    """Whether a check is of a model, some constants apart."""
    return _constant_differences(check, definition, model, boundless) == {}


def _constant_differences(
    check: CheckRecord, definition: Definition, model: Model, boundless: Collection[str]
) -> Mapping[str, Value] | None:
    """The constants that a check has otherwise than a model, some apart; None where it is of another text."""
    names = (os.path.normpath(target.partition(":")[0]) for target in (check.model, model.name))
    if len({*names}) > 1:
        return None
    values = definition.values(check.constants, check.profile or None)
    known = ((name, value) for name, value in model.values.items() if name not in boundless)
    return {name: values[name] for name, value in known if values[name] != value}


def named_bounds(model: str) -> Mapping[str, Mapping[str, PlainValue]]:
    """The named bounds of a MODEL: those of spec/ for a built-in one, those of the TOML file beside it for a path."""
    return {bounds: values for file in record_files_of(model) for bounds, values in file.bounds.items()}


def read_record_file(path: Path) -> RecordFile:
    """One file, every key of it known. Raises `UnreadableError` for a file that is not there or no TOML, and
    `UsageError`, which names the file, the table and what is wrong with it."""
    text, table = _load_toml(path)
    _refuse_other_keys(table, ("schema", "model", "open", "formulas", "bounds", "check", "audit", "prove"), str(path))
    if table.get("schema") != SCHEMA:
        raise UsageError(f'{path}: schema is {table.get("schema")!r}; this tidegate reads schema = "{SCHEMA}"')
    model = _model_path(_take_value(table, "model", str, str(path), ""), path)
    bounds = {
        name: _check_named_bounds(values, f"{path}, [bounds.{name}]")
        for name, values in _subtable(table, "bounds", str(path)).items()
    }
    opened = _check_names(_take_value(table, "open", list, str(path), []), f"{path}, open")
    return RecordFile(
        path=str(path),
        model=model,
        bounds=bounds,
        checks=tuple(
            replace(_check_record(entry, model, bounds, place, i), open=opened)
            for i, entry, place in _toml_entries(table, "check", path, text)
        ),
        audits=tuple(_audit_record(entry, place, i) for i, entry, place in _toml_entries(table, "audit", path, text)),
        proofs=tuple(
            _proof_record(entry, model, bounds, place, i)
            for i, entry, place in _toml_entries(table, "prove", path, text)
        ),
    )


def _load_toml(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableError(f"{path}: not TOML: {error}") from None


def _toml_entries(
    table: Mapping[str, Any], key: str, path: Path, text: str
) -> Iterator[tuple[int, dict[str, Any], EntryLocation]]:
    """The tables of `[[key]]`, numbered from 1, each with its place; TOML's own reader keeps no lines."""
    lines = [at for at, line in enumerate(text.splitlines(), 1) if re.match(rf"\s*\[\[\s*{key}\s*\]\]", line)]
    for at, entry in enumerate(cast("list[Any]", _take_value(table, key, list, str(path), []))):
        if not isinstance(entry, dict):
            raise UsageError(f"{path}, {key} {at + 1}: it must be a table; write [[{key}]]")
        place = EntryLocation(str(path), lines[at] if at < len(lines) else 1)
        yield at + 1, cast("dict[str, Any]", entry), place


def _model_path(name: str, path: Path) -> str:
    """A path in a gate file is relative to that file."""
    return os.path.normpath(path.parent / name) if name.endswith(".py") else name


def _check_names(values: list[Any], place: str) -> tuple[str, ...]:
    for value in values:
        if not isinstance(value, str):
            raise UsageError(f"{place}: {value!r} is not the name of a constant")
    return tuple(values)


def _check_record(
    table: dict[str, Any], model: str, bounds: Mapping[str, Mapping[str, PlainValue]], where: EntryLocation, number: int
) -> CheckRecord:
    place = f"{where.file}, check {number}"
    _refuse_other_keys(table, _KEYS, place)
    own_model, named = _entry_subject(table, model, bounds, where, place)
    properties = {
        name: _expected_verdict(value, f"{place}, {name}") for name, value in _subtable(table, "expect", place).items()
    }
    counts = {name: _take_value(table, name, int, place) for name in _COUNTS if name in table}
    if counts and len(counts) < len(_COUNTS):
        raise UsageError(f"{place}: {', '.join(_COUNTS)} are given together or not at all")
    own = _constants_of_table(_subtable(table, "set", place), f"{place}, set")
    engine = _take_value(table, "engine", str, place, "")
    keeps_going = _take_value(table, "keep_going", bool, place, False)
    if "deadlock" in table and not keeps_going:
        raise UsageError(
            f'{place}: deadlock stands beside what is violated; write keep_going = true, or outcome = "deadlock"'
        )
    return CheckRecord(
        model=own_model,
        profile=_take_value(table, "profile", str, place, ""),
        bounds=named,
        own=own,
        constants={**bounds.get(named, {}), **own},
        symmetry=_take_value(table, "symmetry", bool, place, False),
        ghosts=_take_value(table, "ghosts", bool, place) if "ghosts" in table else None,
        tier=_check_known_word(_take_value(table, "tier", str, place, "commit"), _TIERS, f"{place}, tier"),
        source=_take_value(table, "source", str, place, ""),
        outcome=_check_known_word(
            _take_value(table, "outcome", str, place, _outcome_of_properties(properties)),
            _OUTCOMES,
            f"{place}, outcome",
        ),
        counts=counts,
        properties=properties,
        expects=bool(properties or counts or "outcome" in table or "never_happens" in table),
        engine=_check_known_word(engine, EXHAUSTIVE, f"{place}, engine") if engine else "",
        place=where,
        says=_take_value(table, "says", str, place, ""),
        keep_going=keeps_going,
        deadlock=_take_value(table, "deadlock", int, place) if "deadlock" in table else None,
        never_happens=_nonempty_texts(table, "never_happens", place) if "never_happens" in table else (),
    )


def _entry_subject(
    table: dict[str, Any], model: str, bounds: Mapping[str, Mapping[str, PlainValue]], where: EntryLocation, place: str
) -> tuple[str, str]:
    """The model that an entry is about, its own or the file's, and the name of its bounds ("" if it names none)."""
    named = _take_value(table, "bounds", str, place, "")
    if named and named not in bounds:
        raise UsageError(f"{place}: no [bounds.{named}] in this file; {suggest_name(named, bounds)}")
    own = _model_path(_take_value(table, "model", str, place, ""), Path(where.file)) or model
    if not own:
        raise UsageError(f"{place}: model is missing; name it here, or once at the top of the file")
    return own, named


def _proof_record(
    table: dict[str, Any], model: str, bounds: Mapping[str, Mapping[str, PlainValue]], where: EntryLocation, number: int
) -> ProofRecord:
    place = f"{where.file}, prove {number}"
    _refuse_other_keys(table, _PROVE_KEYS, place)
    of, named = _entry_subject(table, model, bounds, where, place)
    own = _constants_of_table(_subtable(table, "set", place), f"{place}, set")
    expected = _subtable(table, "expect", place)
    return ProofRecord(
        model=of,
        profile=_take_value(table, "profile", str, place, ""),
        bounds=named,
        own=own,
        constants={**bounds.get(named, {}), **own},
        tier=_check_known_word(_take_value(table, "tier", str, place, "commit"), _TIERS, f"{place}, tier"),
        source=_take_value(table, "source", str, place, ""),
        verdict=_check_known_word(
            _take_value(table, "verdict", str, place, "proved"), _PROOF_WORDS, f"{place}, verdict"
        ),
        properties={
            name: _check_known_word(value, _CLAIM_WORDS, f"{place}, {name}") for name, value in expected.items()
        },
        only=_take_value(table, "only", bool, place, False),
        place=where,
    )


def _audit_record(table: dict[str, Any], where: EntryLocation, number: int) -> AuditRecord:
    place = f"{where.file}, audit {number}"
    _refuse_other_keys(table, _AUDIT_KEYS, place)
    files, require = _nonempty_texts(table, "files", place), _nonempty_texts(table, "require", place)
    return AuditRecord(
        name=_take_value(table, "name", str, place, f"audit {', '.join(files)}"),
        files=tuple(os.path.normpath(Path(where.file).parent / file) for file in files),
        require=require,
        tier=_check_known_word(_take_value(table, "tier", str, place, "commit"), _TIERS, f"{place}, tier"),
        source=_take_value(table, "source", str, place, ""),
        place=where,
        options=tuple(_audit_options(table, where, place)),
    )


def _audit_options(table: Mapping[str, Any], where: EntryLocation, place: str) -> Iterator[str]:
    """What an entry says beside its files, as the command line takes it."""
    for name in _AUDIT_FACTS:
        if name in table:
            for value in _nonempty_texts(table, name, place):
                yield from (f"--{name.replace('_', '-')}", value)
    if "baseline" in table:
        given = _take_value(table, "baseline", str, place)
        yield from ("--baseline", os.path.normpath(Path(where.file).parent / given))


def _nonempty_texts(table: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
    """A list of texts that is not empty; one text stands for a list of it."""
    value = table.get(key)
    listed = cast("list[Any]", [value] if isinstance(value, str) else value)
    if not isinstance(value, str | list) or not listed or not all(isinstance(part, str) and part for part in listed):
        raise UsageError(f"{place}: {key} is {value!r}; it must be a list of texts")
    return tuple(listed)


def _outcome_of_properties(properties: Mapping[str, ExpectedVerdict]) -> str:
    """The outcome that follows from the properties, unless the file says another."""
    verdicts = {prop.verdict for prop in properties.values()}
    if "violated" in verdicts:
        return "safety"
    return "vacuous" if "missing" in verdicts and verdicts <= {"reached", "missing"} else "none"


def _expected_verdict(value: Any, place: str) -> ExpectedVerdict:
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        _refuse_other_keys(table, ("violated", "undecided"), place)
        if len(table) != 1:
            raise UsageError(f"{place}: write either violated = N or undecided = ACTION, that a limit stops")
        if "undecided" in table:
            return ExpectedVerdict("undecided", limited_action=_take_value(table, "undecided", str, place))
        return ExpectedVerdict("violated", _take_value(table, "violated", int, place))
    if value == "violated":
        return ExpectedVerdict("violated")
    if value == "undecided":
        raise UsageError(f'{place}: write {{ undecided = "ACTION" }}, with the action that a limit stops')
    return ExpectedVerdict(_check_known_word(value, _VERDICT_WORDS, place))


def _check_named_bounds(values: Any, place: str) -> Mapping[str, PlainValue]:
    if not isinstance(values, dict):
        raise UsageError(f"{place}: it must be a table of constants")
    table = cast("dict[str, Any]", values)
    return _constants_of_table({name: value for name, value in table.items() if name != "says"}, place)


def _constants_of_table(table: Mapping[str, Any], place: str) -> Mapping[str, PlainValue]:
    for name, value in table.items():
        if not isinstance(value, bool | int | str):
            raise UsageError(
                f"{place}, {name}: {value!r} is not a constant's value; write an integer, true, false, or a text"
            )
    return table


def _subtable(table: Mapping[str, Any], key: str, place: str) -> dict[str, Any]:
    return cast("dict[str, Any]", _take_value(table, key, dict, place, {}))


def _take_value(table: Mapping[str, Any], key: str, type_: type[Any], place: str, default: Any = None) -> Any:
    value = table.get(key, default)
    if value is None:
        raise UsageError(f"{place}: {key} is missing")
    if not isinstance(value, type_) or (type_ is int and isinstance(value, bool)):
        raise UsageError(f"{place}: {key} is {value!r}; it must be {type_.__name__}")
    return value


def _check_known_word(value: Any, known_words: tuple[str, ...], place: str) -> str:
    if value not in known_words:
        raise UsageError(f"{place}: {value!r} is not one of {', '.join(known_words)}")
    return value


def _refuse_other_keys(table: Mapping[str, Any], known_words: tuple[str, ...], place: str) -> None:
    for key in table:
        if key not in known_words:
            raise UsageError(f"{place}: nothing is called {key!r} here; {suggest_name(key, known_words)}")
