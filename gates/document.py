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
from ..traces.places import path_in_repository
from ..traces.program import commit_of, tool_version
from .checks import Entry, GateDifference, GateSettings, Result, check_engine, entry_kind
from .proofs import proof_words
from .records import AuditRecord, CheckRecord, ProofRecord

SCHEMA = "tidegate.gate/1"

_UNDECIDED_WORDS = ("inconclusive", "unrecorded", "cannot run", "broke down")


@immutable
class GateRun:
    """When the gate began, the seconds it took, its exit, and whether it was interrupted."""

    began: datetime
    seconds: float
    exit: Exit
    is_interrupted: bool


def gate_document(
    results: Sequence[Result], not_run: Sequence[tuple[Entry, str]], gate_run: GateRun, settings: GateSettings
) -> Document:
    """The whole document. `not_run` are the entries that were not run, each with why."""
    numbers = Counter(result.result for result in results)
    return {
        "schema": SCHEMA,
        "tool": tool_version(),
        "commit": commit_of(Path.cwd()),
        "began": gate_run.began.isoformat(timespec="seconds"),
        "seconds": round(gate_run.seconds, 3),
        "tier": settings.tier,
        "exit": int(gate_run.exit),
        "interrupted": gate_run.is_interrupted,
        "numbers": dict(numbers),
        "checks": [_check_document(result, settings) for result in results],
        "not_run": [{"name": entry.name, "tier": entry.tier, "why": why} for entry, why in not_run],
    }


def _check_document(result: Result, settings: GateSettings) -> Document:
    entry = result.entry
    shared = {
        "name": entry.name,
        "kind": entry_kind(entry),
        "file": path_in_repository(entry.place.file),
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
        return {**shared, **asked, "claims": [_whole_claim("requirements", result)], "report": None}
    about = {"model": entry.target, "bounds": entry.bounds, "constants": dict(entry.constants)}
    if isinstance(entry, ProofRecord):
        expected = {"verdict": entry.verdict, "properties": dict(entry.properties)}
        return {**shared, **about, "expected": expected, "claims": list(_proof_claims(entry, result)), "report": None}
    return {
        **shared,
        **about,
        "engine": check_engine(entry, settings),
        "symmetry": entry.symmetry,
        "ghosts": bool(entry.ghosts),
        "expected": {
            "outcome": entry.outcome if entry.expects else None,
            "counts": dict(entry.counts),
            "properties": {
                name: _expected_document(prop.verdict, prop.steps) for name, prop in entry.properties.items()
            },
        },
        "claims": list(_check_claims(entry, result)),
        "report": None if result.report is None else _report_without_properties(result.report),
    }


def _expected_document(verdict: str, steps: int | None) -> Document:
    return {"verdict": verdict, "steps": steps}


def _report_without_properties(report: Mapping[str, Any]) -> Document:
    """A check's report without what stands elsewhere in the document: its properties and their traces."""
    left_out = ("properties", "failure", "schema", "constants", "levels")
    return {key: value for key, value in report.items() if key not in left_out}


# --- claims -----------------------------------------------------------------------------------------------------------


def _check_claims(check: CheckRecord, result: Result) -> Iterator[Document]:
    """What the check is about, claim by claim: its properties, its counts, and its outcome where that is of itself."""
    found = {} if result.report is None else {prop["name"]: prop for prop in result.report["properties"]}
    for name in check.properties or found:
        yield _property_claim(name, check, result, found.get(name, {}))
    if check.counts:
        yield _claim_document("counts", "counts", result, _differences_about(result, "counts"))
    failure: Mapping[str, Any] = (result.report or {}).get("failure") or {}
    if failure or _differences_about(result, "outcome") or not (check.properties or found or check.counts):
        claim = _claim_document("outcome", "outcome", result, _differences_about(result, "outcome"))
        recorded = bool(failure) and claim["result"] == "ok"
        yield {**claim, **_trace_fields(failure), "recorded": recorded, "message": failure.get("message", "")}


def _property_claim(name: str, check: CheckRecord, result: Result, property_report: Mapping[str, Any]) -> Document:
    wanted = check.properties.get(name)
    return {
        **_claim_document(name, property_report.get("kind", "property"), result, _differences_about(result, name)),
        "says": property_report.get("says", ""),
        "expected": None if wanted is None else _expected_document(wanted.verdict, wanted.steps),
        "verdict": property_report.get("verdict"),
        "why": property_report.get("why", ""),
        **(_trace_fields(property_report) if property_report.get("verdict") == "violated" else {}),
        "recorded": wanted is not None and wanted.verdict == "violated",
    }


def _claim_document(name: str, kind: str, result: Result, differences: Sequence[GateDifference]) -> Document:
    """One claim: what became of it follows from its differences, or from the whole entry where that was not decided."""
    undecided = result.result in _UNDECIDED_WORDS
    whole = _differences_about(result, "") if undecided else ()
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


def _proof_claims(entry: ProofRecord, result: Result) -> Iterator[Document]:
    """What a proof is about: each property with its word, and the word for all of it."""
    words: Mapping[str, str] = {} if result.report is None else proof_words(result.report)
    properties: Sequence[Mapping[str, str]] = [] if result.report is None else result.report["properties"]
    says = {prop["name"]: prop["says"] for prop in properties}
    for name in dict.fromkeys([*entry.properties, *words]):
        claim = _claim_document(name, "property", result, _differences_about(result, name))
        wanted = entry.properties.get(name)
        expected = None if wanted is None else _expected_document(wanted, None)
        yield {**claim, "says": says.get(name, ""), "expected": expected, "verdict": words.get(name)}
    found = None if result.report is None else result.report["verdict"]
    whole = _claim_document("outcome", "outcome", result, _differences_about(result, "outcome"))
    yield {**whole, "expected": _expected_document(entry.verdict, None), "verdict": found, "message": ""}


def _whole_claim(name: str, result: Result) -> Document:
    """The one claim of an entry that is not divided."""
    return _claim_document(name, "audit", result, () if result.result in _UNDECIDED_WORDS else result.differences)


def _trace_fields(property_report: Mapping[str, Any]) -> Document:
    return {key: property_report.get(key) for key in ("steps", "replay", "document")}


def _differences_about(result: Result, name: str) -> tuple[GateDifference, ...]:
    return tuple(difference for difference in result.differences if difference.subject == name)
