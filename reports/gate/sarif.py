"""The gate's document as SARIF 2.1.0: findings at lines of the model, each with its counterexample as a code flow.

A counterexample stands at the statement of its last step's action; its code flow has every step at its action's line,
so that a viewer of code shows the way to the failure in the text. What the record expects is a note that is
suppressed: it is there to be looked at, and nobody has to mend it. Everything else that differs stands at its entry in
the gate file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..document import Document
from .terminal import run_condition_lines

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {"differs": "error", "inconclusive": "warning", "unrecorded": "warning"}
_GATE_RULES = {
    "counts": "The number of states, transitions or levels is not the recorded one.",
    "outcome": "The check ended otherwise than recorded.",
    "requirements": "An audit's requirements are met.",
}


def gate_sarif(document: Document) -> Document:
    """The SARIF log: one run."""
    findings = [
        (check, claim)
        for check in document["checks"]
        for claim in check["claims"]
        if claim["result"] != "ok" or claim["document"] is not None
    ]
    rules = _sarif_rules(claim for _, claim in findings)
    places = {rule["id"]: at for at, rule in enumerate(rules)}
    name, _, version = document["tool"].partition(" ")
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": name, "semanticVersion": version or "0.0.0", "rules": rules}},
                "automationDetails": {"id": f"tidegate gate/{document['tier']}/"},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
                "invocations": [_invocation(document)],
                "results": [_sarif_result(check, claim, places[claim["name"]]) for check, claim in findings],
            }
        ],
    }


def _sarif_rules(claims: Iterator[Mapping[str, Any]]) -> list[Document]:
    """A rule for each property, in the order they are met."""
    rules: dict[str, Document] = {}
    for claim in claims:
        says = claim["says"] or _GATE_RULES.get(claim["name"], f"{claim['name']} is as recorded.")
        rule = {"id": claim["name"], "shortDescription": {"text": says}, "properties": {"kind": claim["kind"]}}
        rules.setdefault(claim["name"], rule)
    return list(rules.values())


def _invocation(document: Document) -> Document:
    said = [f"not run: {skipped['name']}: {skipped['why']}" for skipped in document["not_run"]]
    said += [f"{check['name']}: {line}" for check in document["checks"] for line in run_condition_lines(check)]
    notes = [{"level": "note", "message": {"text": text}} for text in said]
    return {
        "executionSuccessful": not document["interrupted"],
        "exitCode": document["exit"],
        "startTimeUtc": f"{document['began'][:19]}Z",
        "toolExecutionNotifications": notes,
    }


def _sarif_result(check: Mapping[str, Any], claim: Mapping[str, Any], rule: int) -> Document:
    trace: Document | None = claim["document"]
    at_entry = [{"physicalLocation": _physical_location(check["file"], check["line"])}]
    made: Document = {
        "ruleId": claim["name"],
        "ruleIndex": rule,
        "kind": "fail",
        "level": "note" if claim["result"] == "ok" else _LEVELS.get(claim["result"], "error"),
        "message": {"text": "\n".join(_message_lines(check, claim))},
        "locations": at_entry if trace is None else [_failing_statement_location(trace, check)],
        "relatedLocations": [] if trace is None else _related_locations(trace, check),
        "partialFingerprints": {"tidegate/claimAndActions/v1": finding_fingerprint(check, claim)},
        "properties": {"check": check["name"], "result": claim["result"]},
    }
    if trace is not None:
        made["codeFlows"] = [_code_flow(trace)]
        made["properties"] |= {"replay": trace["replay"], "model": trace["model"], "bounds": trace["bounds"]}
    if claim["html"] is not None:
        made["attachments"] = [{"artifactLocation": {"uri": quote(claim["html"])},
                                "description": {"text": "The counterexample as a page."}}]  # fmt: skip
    if claim["result"] == "ok":
        why = f"recorded in {check['file']}:{check['line']}: this model must fail"
        made["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
    return made


def finding_fingerprint(check: Mapping[str, Any], claim: Mapping[str, Any]) -> str:
    """The same for the same finding: of its claim and the actions that lead there; of its check where none do."""
    trace: Document | None = claim["document"]
    way = [check["name"]] if trace is None else [trace["model"], *(step["action"] for step in trace["steps"])]
    return hashlib.sha256("\n".join((claim["name"], *way)).encode()).hexdigest()


def _message_lines(check: Mapping[str, Any], claim: Mapping[str, Any]) -> Iterator[str]:
    """What differs, the argument, and the line that replays it."""
    trace: Document | None = claim["document"]
    yield f"{check['name']}: {'; '.join(claim['differences']) or 'violated, as recorded'}"
    if trace is not None:
        if trace["failure"] is not None:
            yield trace["failure"]["message"]
        yield from (sentence["text"] for sentence in trace["argument"])
        yield trace["replay"]


# --- places -----------------------------------------------------------------------------------------------------------


def _failing_statement_location(trace: Document, check: Mapping[str, Any]) -> Document:
    """The statement that fails: of the failure, else of the last step, else of the property; else the entry."""
    failure: Mapping[str, Any] = trace["failure"] or {}
    if failure.get("place"):
        return {"physicalLocation": _place_location(failure["place"])}
    if trace["steps"]:
        last = trace["steps"][-1]
        logical = [{"name": last["action"], "kind": "function"}]
        return {"physicalLocation": _place_location(last.get("statement", last["where"])), "logicalLocations": logical}
    if trace["property"] is not None and trace["property"]["where"] is not None:
        return {"physicalLocation": _place_location(trace["property"]["where"])}
    return {"physicalLocation": _physical_location(check["file"], check["line"])}


def _related_locations(trace: Document, check: Mapping[str, Any]) -> list[Document]:
    """The property that is violated, and the entry of the gate file that asked."""
    related = [
        {"physicalLocation": _physical_location(check["file"], check["line"]), "message": {"text": "recorded here"}}
    ]
    claim = trace["property"]
    if claim is not None and claim["where"] is not None:
        related.insert(0, {"physicalLocation": _place_location(claim["where"]), "message": {"text": claim["says"]}})
    return [{"id": at, **location} for at, location in enumerate(related, 1)]


def _code_flow(trace: Document) -> Document:
    """Every step at its action's line, with what it changed."""
    locations = [
        {
            "location": {
                "physicalLocation": _place_location(step["where"]),
                "message": {"text": f"{step['i']}. {step['sentence']}"},
            },
            "executionOrder": step["i"],
            "importance": "essential" if step["kind"] == "fault" or step is trace["steps"][-1] else "important",
            "state": {cell: {"text": text} for cell, text in _changes_by_cell(step["changed"]).items()},
        }
        for step in trace["steps"]
    ]
    if not locations:
        locations = [{"location": {"message": {"text": "the initial state"}}, "executionOrder": 0}]
    return {"message": {"text": trace["title"]}, "threadFlows": [{"locations": locations}]}


def _changes_by_cell(change_texts: Sequence[str]) -> Mapping[str, str]:
    """What a step changed, by cell: `held` is `false -> true`."""
    cells: dict[str, list[str]] = {}
    for cell, _, what in (text.partition(": ") for text in change_texts):
        cells.setdefault(cell, []).append(what)
    return {cell: ", ".join(texts) for cell, texts in cells.items()}


def _place_location(place: Mapping[str, Any]) -> Document:
    return _physical_location(place["file"], place["line"], place["end_line"])


def _physical_location(file: str, line: int, end_line: int | None = None) -> Document:
    return {
        "artifactLocation": {"uri": relative_uri(file), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": line, "endLine": max(line, end_line or line)},
    }


def relative_uri(file: str) -> str:
    """A path from the root of the repository as a URI. Of a file that is in none: its path from here, or below the
    folder that packages are installed in, or its name, so that no path of one machine is shown."""
    path = Path(file)
    if path.is_absolute():
        parts = path.parts
        if "site-packages" in parts:
            path = Path(*parts[parts.index("site-packages") + 1 :])
        else:
            path = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else Path(path.name)
    return quote(path.as_posix())
