"""The document `tidegate.gate/1`: what the gate ran, what was expected, what came out. Every report of the gate (text,
report.json, JUnit, SARIF, Markdown) is a rendering of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ..language.immutable import immutable
from ..reports.document import Document
from ..reports.exits import Exit
from ..traces.heading import commit_of, tool
from ..traces.places import within_repository
from .checks import Difference, Entry, Result, Settings, engine_of, kind_of
from .proofs import claims_of
from .records import AuditRecord, Proved, Recorded

SCHEMA = "tidegate.gate/1"

_UNDECIDED = ("inconclusive", "unrecorded", "cannot run", "broke down")


@immutable
class EndedRun:
    """When the gate began, the seconds it took, its exit, and whether it was interrupted."""

    began: datetime
    seconds: float
    exit: Exit
    interrupted: bool


def gate_document(
    results: Sequence[Result], not_run: Sequence[tuple[Entry, str]], ended: EndedRun, settings: Settings
) -> Document:
    """The whole document. `not_run` are the entries that were not run, each with why."""
    numbers = Counter(result.result for result in results)
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "commit": commit_of(Path.cwd()),
        "began": ended.began.isoformat(timespec="seconds"),
        "seconds": round(ended.seconds, 3),
        "tier": settings.tier,
        "exit": int(ended.exit),
        "interrupted": ended.interrupted,
        "numbers": dict(numbers),
        "checks": [_check(result, settings) for result in results],
        "not_run": [{"name": entry.name, "tier": entry.tier, "why": why} for entry, why in not_run],
    }


def _check(result: Result, settings: Settings) -> Document:
    entry = result.entry
    shared = {
        "name": entry.name,
        "kind": kind_of(entry),
        "file": within_repository(entry.place.file),
        "line": entry.place.line,
        "tier": entry.tier,
        "source": entry.source,
        "result": result.result,
        "exit": int(result.exit),
        "seconds": round(result.seconds, 3),
        "differences": [difference.text for difference in result.differences],
    }
    if isinstance(entry, AuditRecord):
        asked = {"files": list(entry.files), "require": list(entry.require)}
        return {**shared, **asked, "claims": [_whole("requirements", result)], "report": None}
    about = {"model": entry.target, "bounds": entry.bounds, "constants": dict(entry.constants)}
    if isinstance(entry, Proved):
        expected = {"verdict": entry.verdict, "properties": dict(entry.properties)}
        return {**shared, **about, "expected": expected, "claims": list(_proved(entry, result)), "report": None}
    return {
        **shared,
        **about,
        "engine": engine_of(entry, settings),
        "symmetry": entry.symmetry,
        "ghosts": bool(entry.ghosts),
        "expected": {
            "outcome": entry.outcome if entry.expects else None,
            "counts": dict(entry.counts),
            "properties": {name: _expected(prop.verdict, prop.steps) for name, prop in entry.properties.items()},
        },
        "claims": list(_claims(entry, result)),
        "report": None if result.report is None else _bare(result.report),
    }


def _expected(verdict: str, steps: int | None) -> Document:
    return {"verdict": verdict, "steps": steps}


def _bare(report: Mapping[str, Any]) -> Document:
    """A check's report without what stands elsewhere in the document: its properties and their traces."""
    left_out = ("properties", "failure", "schema", "constants", "levels")
    return {key: value for key, value in report.items() if key not in left_out}


# --- claims -----------------------------------------------------------------------------------------------------------


def _claims(check: Recorded, result: Result) -> Iterator[Document]:
    """What the check is about, claim by claim: its properties, its counts, and its outcome where that is of itself."""
    found = {} if result.report is None else {prop["name"]: prop for prop in result.report["properties"]}
    for name in check.properties or found:
        yield _property(name, check, result, found.get(name, {}))
    if check.counts:
        yield _claim("counts", "counts", result, _about(result, "counts"))
    failure: Mapping[str, Any] = (result.report or {}).get("failure") or {}
    if failure or _about(result, "outcome") or not (check.properties or found or check.counts):
        claim = _claim("outcome", "outcome", result, _about(result, "outcome"))
        recorded = bool(failure) and claim["result"] == "ok"
        yield {**claim, **_trace(failure), "recorded": recorded, "message": failure.get("message", "")}


def _property(name: str, check: Recorded, result: Result, found: Mapping[str, Any]) -> Document:
    wanted = check.properties.get(name)
    return {
        **_claim(name, found.get("kind", "property"), result, _about(result, name)),
        "says": found.get("says", ""),
        "expected": None if wanted is None else _expected(wanted.verdict, wanted.steps),
        "verdict": found.get("verdict"),
        "why": found.get("why", ""),
        **(_trace(found) if found.get("verdict") == "violated" else {}),
        "recorded": wanted is not None and wanted.verdict == "violated",
    }


def _claim(name: str, kind: str, result: Result, differences: Sequence[Difference]) -> Document:
    """One claim: what became of it follows from its differences, or from the whole entry where that was not decided."""
    undecided = result.result in _UNDECIDED
    whole = _about(result, "") if undecided else ()
    return {
        "name": name,
        "kind": kind,
        "result": result.result if undecided else "differs" if differences else "ok",
        "differences": [difference.text for difference in (*differences, *whole)],
        "says": "",
        "why": "",
        "trace": None,
        "html": None,
        "replay": None,
        "steps": None,
        "recorded": False,
        "document": None,
    }


def _proved(entry: Proved, result: Result) -> Iterator[Document]:
    """What a proof is about: each property with its word, and the word for all of it."""
    words: Mapping[str, str] = {} if result.report is None else claims_of(result.report)
    properties: Sequence[Mapping[str, str]] = [] if result.report is None else result.report["properties"]
    says = {prop["name"]: prop["says"] for prop in properties}
    for name in dict.fromkeys([*entry.properties, *words]):
        claim = _claim(name, "property", result, _about(result, name))
        wanted = entry.properties.get(name)
        expected = None if wanted is None else _expected(wanted, None)
        yield {**claim, "says": says.get(name, ""), "expected": expected, "verdict": words.get(name)}
    found = None if result.report is None else result.report["verdict"]
    whole = _claim("outcome", "outcome", result, _about(result, "outcome"))
    yield {**whole, "expected": _expected(entry.verdict, None), "verdict": found, "message": ""}


def _whole(name: str, result: Result) -> Document:
    """The one claim of an entry that is not divided."""
    return _claim(name, "audit", result, () if result.result in _UNDECIDED else result.differences)


def _trace(found: Mapping[str, Any]) -> Document:
    return {key: found.get(key) for key in ("steps", "replay", "document")}


def _about(result: Result, name: str) -> tuple[Difference, ...]:
    return tuple(difference for difference in result.differences if difference.about == name)
