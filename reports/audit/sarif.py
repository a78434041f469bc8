"""An audit's document as SARIF 2.1.0: what fails and what was found, at the line of the setting that it rests on.

What keeps the exit from 0 is an error, and nothing else is: a log with an error is one of an audit that fails in CI.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..document import Document
from ..gate.sarif import SCHEMA, relative_uri
from .unmet import unmet_text

RUNNING = "a running cluster"
"""The format of what was asked, and is no file."""


def audit_sarif(document: Document) -> Document:
    """The SARIF log: one run."""
    results = [*_outage_results(document), *_failure_results(document), *_finding_results(document)]
    if document["not_asked"]:
        says = document["not_asked"]
        results.append(_sarif_result("nothing-checked", "error", says, _first_place(document), says))
    rules = list(dict.fromkeys(result["ruleId"] for result in results))
    name, _, version = document["tool"].partition(" ")
    asked = [entry["path"] for entry in document["files"] if entry["format"] == RUNNING]
    for result in results:
        result["locations"] = [_location_without_file(location, asked) for location in result["locations"]]
        result["ruleIndex"] = rules.index(result["ruleId"])
    driver = {"name": name, "semanticVersion": version or "0.0.0", "rules": [_sarif_rule(rule) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": "tidegate audit/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
        "invocations": [{"executionSuccessful": True, "exitCode": document["exit"]}],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _first_place(document: Document) -> Mapping[str, Any]:
    """What was read first, for what is about all of it."""
    read = [one["path"] for one in (*document["files"], *document["unread"])]
    return {"path": read[0] if read else ".", "line": None, "place": ""}


def _sarif_rule(name: str) -> Document:
    return {"id": name, "shortDescription": {"text": name.replace("-", " ").replace("_", " ")}}


def _outage_results(document: Document) -> Iterator[Document]:
    """What is out of service now: at the topic, or at the setting that a node refuses."""
    for outage in document["outages"]:
        level = "error" if outage["certain"] else "warning"
        yield _sarif_result("out-of-service", level, outage["says"], outage["where"], outage["says"])


def _failure_results(document: Document) -> Iterator[Document]:
    for subject in document["subjects"]:
        for check in _merged_unmet_checks(subject):
            level = "note" if check["result"] == "accepted" else "error"
            rule = check["require"].partition("=")[0]
            made = _sarif_result(
                rule,
                level,
                _failure_message(subject, check),
                check["where"],
                f"{subject['name']} {check['require']}",
            )
            if check["result"] == "accepted":
                made["suppressions"] = [{"kind": "external", "status": "accepted", "justification": check["note"]}]
            yield made


def _merged_unmet_checks(subject: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """One check for all cells of a question that come to the same by the same setting, with the names of all."""
    alike: dict[tuple[str, str, str, str], list[Mapping[str, Any]]] = {}
    for check in subject["checks"]:
        if check["result"] != "met":
            decided = "".join(one["says"] for one in check["deciding"])
            alike.setdefault((check["question"], check["result"], check["note"], decided), []).append(check)
    for (question, *_), checks in alike.items():
        require = f"{question}={', '.join(check['cell'] for check in checks)}"
        yield {**checks[0], "require": require, "texts": list(dict.fromkeys(check["text"] for check in checks))}


def _failure_message(subject: Mapping[str, Any], check: Mapping[str, Any]) -> str:
    first, *more = check["texts"]
    lines = [f"{subject['name']}: {unmet_text({**check, 'text': first}, subject)}"]
    lines += [*(f"and {text}" for text in more), *check["scenario"]]
    if check["result"] == "failed" and subject["repair"]:
        lines += [step["says"] for step in subject["repair"]["steps"]]
    return "\n".join(lines)


def _finding_results(document: Document) -> Iterator[Document]:
    """Findings: only what keeps the exit from 0 is an error, so that a red log never meets a green JUnit."""
    for finding in document["findings"]:
        text = f"{finding['what']}; {finding['to_do']}"
        decides = finding["kind"] == "incomplete"
        level = "error" if decides else "warning" if finding["severity"] == "error" else finding["severity"]
        yield _sarif_result(finding["kind"], level, text, finding["where"], finding["what"])


def _sarif_result(rule: str, level: str, message: str, where: Mapping[str, Any], subject_name: str) -> Document:
    fingerprint = hashlib.sha256(f"{rule}\n{subject_name}".encode()).hexdigest()
    return {
        "ruleId": rule,
        "kind": "fail",
        "level": level,
        "message": {"text": message},
        "locations": [_sarif_location(where)],
        "partialFingerprints": {"tidegate/audit/v1": fingerprint},
    }


def _sarif_location(where: Mapping[str, Any]) -> Document:
    """A file and its line, or the part of it that says so."""
    region = {} if where["line"] is None else {"region": {"startLine": where["line"]}}
    place = {"artifactLocation": {"uri": relative_uri(where["path"]), "uriBaseId": "%SRCROOT%"}, **region}
    within = where["line"] is None and where["place"]
    logical = {"logicalLocations": [{"fullyQualifiedName": f"{where['path']} {within}"}]} if within else {}
    return {"physicalLocation": place, **logical}


def _location_without_file(location: Document, addresses: Sequence[str]) -> Document:
    """A location in a running cluster, which is not a file, by the name of its resource alone."""
    uri = location["physicalLocation"]["artifactLocation"]["uri"]
    address = next((address for address in addresses if relative_uri(address) == uri), None)
    if address is None:
        return location
    return {"logicalLocations": location.get("logicalLocations", [{"fullyQualifiedName": address}])}
