"""What is recorded of a model: the TOML files of spec/, and a user's own gate files, read and checked. spec/README.md
is the format.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, cast

from ..language.errors import nearest
from .options import Wrong

SCHEMA = "tidegate.spec/1"

_WORDS = ("holds", "reached", "missing")
_TIERS = ("commit", "nightly")
_OUTCOMES = ("none", "safety", "deadlock", "liveness", "model_error", "vacuous")
_COUNTS = ("distinct_states", "transitions", "depth")
_KEYS = ("profile", "bounds", "set", "symmetry", "ghosts", "tier", "source", "expect", "outcome", *_COUNTS)

Constant = bool | int | str


@dataclass(frozen=True, slots=True)
class Expected:
    """What must come of one property: its verdict, and of a violated one the steps of the shortest counterexample."""

    verdict: str
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """One `[[check]]`: what to run and what must come out. `constants` are those of its bounds and its `own` over them;
    `counts` is empty where the search stops at a violation; `open` are constants that one kernel takes at run time."""

    model: str
    profile: str
    bounds: str
    own: Mapping[str, Constant]
    constants: Mapping[str, Constant]
    symmetry: bool
    ghosts: bool
    tier: str
    source: str
    outcome: str
    counts: Mapping[str, int]
    properties: Mapping[str, Expected]
    open: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """MODEL as `check` takes it."""
        return f"{self.model}:{self.profile}" if self.profile else self.model

    @property
    def marks(self) -> tuple[str, ...]:
        """How its states are counted, where that is not the default."""
        return tuple(word for word, on in (("symmetric", self.symmetry), ("ghosts", self.ghosts)) if on)

    @property
    def name(self) -> str:
        """What names it among the checks of a gate: `replication:kip320 medium, symmetric`."""
        own = [f"{name}={constant_text(value)}" for name, value in self.own.items()]
        wanted = [f"{name} violated" for name, each in self.properties.items() if each.verdict == "violated"]
        where = " ".join([self.target, self.bounds or ("" if own else "defaults"), *own])
        return ", ".join([" ".join(where.split()), *self.marks, *wanted])


@dataclass(frozen=True, slots=True)
class RecordFile:
    """One TOML file: the model it is about, its named bounds and its checks."""

    path: str
    model: str
    bounds: Mapping[str, Mapping[str, Constant]]
    checks: tuple[Recorded, ...]


def constant_text(value: Constant) -> str:
    """A constant as `--set` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def shipped() -> Iterator[Path]:
    """The TOML files of spec/, as installed."""
    folder = resources.files("tidegate.spec")
    return (Path(str(each)) for each in sorted(folder.iterdir(), key=str) if each.name.endswith(".toml"))


def named_bounds(model: str) -> Mapping[str, Mapping[str, Constant]]:
    """The named bounds of a MODEL: those of spec/ for a built-in one, those of the TOML file beside it for a path."""
    name = model.partition(":")[0]
    beside = Path(name).with_suffix(".toml")
    if name.endswith(".py"):
        return read(beside).bounds if beside.is_file() else {}
    return {bounds: values for path in shipped() if path.stem == name for bounds, values in read(path).bounds.items()}


def read(path: Path) -> RecordFile:
    """One file, every key of it known. Raises `Wrong` that names the file, the table and what is wrong with it."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Wrong(f"{path}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Wrong(f"{path}: not TOML: {error}") from None
    _only(table, ("schema", "model", "open", "bounds", "check"), str(path))
    if table.get("schema") != SCHEMA:
        raise Wrong(f'{path}: schema is {table.get("schema")!r}; this tidegate reads schema = "{SCHEMA}"')
    model = _model(_take(table, "model", str, str(path)), path)
    bounds = {
        name: _bounds(values, f"{path}, [bounds.{name}]") for name, values in _table(table, "bounds", str(path)).items()
    }
    opened = _names(_take(table, "open", list, str(path), []), f"{path}, open")
    checks = cast("list[dict[str, Any]]", _take(table, "check", list, str(path), []))
    return RecordFile(
        path=str(path),
        model=model,
        bounds=bounds,
        checks=tuple(
            replace(_check(each, model, bounds, f"{path}, check {i}"), open=opened) for i, each in enumerate(checks, 1)
        ),
    )


def _model(name: str, path: Path) -> str:
    """A path in a gate file is relative to that file."""
    return str(path.parent / name) if name.endswith(".py") else name


def _names(values: list[Any], place: str) -> tuple[str, ...]:
    for each in values:
        if not isinstance(each, str):
            raise Wrong(f"{place}: {each!r} is no name of a constant")
    return tuple(values)


def _check(table: dict[str, Any], model: str, bounds: Mapping[str, Mapping[str, Constant]], place: str) -> Recorded:
    _only(table, _KEYS, place)
    named = _take(table, "bounds", str, place, "")
    if named and named not in bounds:
        raise Wrong(f"{place}: no [bounds.{named}] in this file; {nearest(named, bounds)}")
    properties = {name: _expected(value, f"{place}, {name}") for name, value in _table(table, "expect", place).items()}
    counts = {name: _take(table, name, int, place) for name in _COUNTS if name in table}
    if counts and len(counts) < len(_COUNTS):
        raise Wrong(f"{place}: {', '.join(_COUNTS)} are given together or not at all")
    if not properties and not counts and "outcome" not in table:
        raise Wrong(f"{place}: it expects nothing; add [check.expect], or counts")
    own = _constants(_table(table, "set", place), f"{place}, set")
    return Recorded(
        model=model,
        profile=_take(table, "profile", str, place, ""),
        bounds=named,
        own=own,
        constants={**bounds.get(named, {}), **own},
        symmetry=_take(table, "symmetry", bool, place, False),
        ghosts=_take(table, "ghosts", bool, place, False),
        tier=_one_of(_take(table, "tier", str, place, "commit"), _TIERS, f"{place}, tier"),
        source=_take(table, "source", str, place, ""),
        outcome=_one_of(_take(table, "outcome", str, place, _outcome(properties)), _OUTCOMES, f"{place}, outcome"),
        counts=counts,
        properties=properties,
    )


def _outcome(properties: Mapping[str, Expected]) -> str:
    """The outcome that follows from the properties, unless the file says another."""
    verdicts = {each.verdict for each in properties.values()}
    return "safety" if "violated" in verdicts else "vacuous" if "missing" in verdicts else "none"


def _expected(value: Any, place: str) -> Expected:
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        _only(table, ("violated",), place)
        return Expected("violated", _take(table, "violated", int, place))
    if value == "violated":
        return Expected("violated")
    return Expected(_one_of(value, _WORDS, place))


def _bounds(values: Any, place: str) -> Mapping[str, Constant]:
    if not isinstance(values, dict):
        raise Wrong(f"{place}: a table of constants is wanted")
    table = cast("dict[str, Any]", values)
    return _constants({name: value for name, value in table.items() if name != "says"}, place)


def _constants(table: Mapping[str, Any], place: str) -> Mapping[str, Constant]:
    for name, value in table.items():
        if not isinstance(value, bool | int | str):
            raise Wrong(f"{place}, {name}: {value!r} is no constant; write an integer, true, false, or a text")
    return table


def _table(table: Mapping[str, Any], key: str, place: str) -> dict[str, Any]:
    return cast("dict[str, Any]", _take(table, key, dict, place, {}))


def _take(table: Mapping[str, Any], key: str, type_: type[Any], place: str, default: Any = None) -> Any:
    value = table.get(key, default)
    if value is None:
        raise Wrong(f"{place}: {key} is missing")
    if not isinstance(value, type_) or (type_ is int and isinstance(value, bool)):
        raise Wrong(f"{place}: {key} is {value!r}; {type_.__name__} wanted")
    return value


def _one_of(value: Any, known: tuple[str, ...], place: str) -> str:
    if value not in known:
        raise Wrong(f"{place}: {value!r} is not one of {', '.join(known)}")
    return value


def _only(table: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
    for key in table:
        if key not in known:
            raise Wrong(f"{place}: nothing is called {key!r} here; {nearest(key, known)}")
