"""The gate's document as JUnit XML, the one format that every CI system shows: a suite for each check, a case for each
of its claims. It is valid against both schemas that are in use, Ant's and Jenkins's; so the pages of counterexamples
are named in the suite's `system-out`, which both know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from ..document import Document
from ..text_page import TextFormat
from ..trace.terminal import trace_page
from .terminal import run_condition_lines

_INVALID_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {
    "ok": "",
    "differs": "failure",
    "inconclusive": "failure",
    "unrecorded": "error",
    "cannot run": "error",
    "broke down": "error",
}
_CHECK_FACTS = ("model", "bounds", "engine", "symmetry", "ghosts", "tier", "source", "file", "line")


def gate_junit(document: Document) -> str:
    """The XML document."""
    root = ElementTree.Element("testsuites")
    for check in document["checks"]:
        _add_suite(root, document, check)
    _add_skipped(root, document)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add_suite(root: ElementTree.Element, document: Document, check: Mapping[str, Any]) -> None:
    results = [_ELEMENTS[claim["result"]] for claim in check["claims"]]
    suite = _suite_element(root, document, check["name"], check.get("model", "audit"), check["seconds"], results)
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _suite_properties(check):
        ElementTree.SubElement(properties, "property", {"name": name, "value": strip_invalid_xml(value)})
    for claim in check["claims"]:
        _add_case(suite, check, claim)
    pages = run_condition_lines(check)
    pages += [f"{claim['name']}: {claim['html']}" for claim in check["claims"] if claim["html"] is not None]
    ElementTree.SubElement(suite, "system-out").text = strip_invalid_xml("\n".join(pages)) or None
    ElementTree.SubElement(suite, "system-err")


def _suite_element(
    root: ElementTree.Element, document: Document, name: str, package: str, seconds: float, results: Sequence[str]
) -> ElementTree.Element:
    attributes = {
        "id": str(len(root)),
        "package": xml_token(package),
        "name": xml_token(name),
        "timestamp": document["began"][:19],
        "hostname": "localhost",
        "tests": str(len(results)),
        "failures": str(results.count("failure")),
        "errors": str(results.count("error")),
        "skipped": str(results.count("skipped")),
        "time": f"{seconds:.3f}",
    }
    return ElementTree.SubElement(root, "testsuite", attributes)


def _suite_properties(check: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What was run, and what it rests on."""
    for name in _CHECK_FACTS:
        if check.get(name) not in (None, ""):
            yield name, _property_text(check[name])
    for name, value in check.get("constants", {}).items():
        yield f"set.{name}", _property_text(value)
    for name in ("assurance", "distinct_states", "transitions", "depth"):
        if check["report"] is not None and check["report"][name] is not None:
            yield name, _property_text(check["report"][name])


def _property_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _add_case(suite: ElementTree.Element, check: Mapping[str, Any], claim: Mapping[str, Any]) -> None:
    attributes = {
        "classname": xml_token(f"tidegate.{check.get('model', 'audit')}"),
        "name": xml_token(f"{claim['name']} [{check['name']}]"),
        "time": f"{check['seconds'] / len(check['claims']):.3f}",
    }
    case = ElementTree.SubElement(suite, "testcase", attributes)
    element = _ELEMENTS[claim["result"]]
    if element:
        message = claim["differences"][0].splitlines()[0] if claim["differences"] else claim["result"]
        failure = ElementTree.SubElement(
            case, element, {"message": strip_invalid_xml(message), "type": claim["result"]}
        )
        failure.text = strip_invalid_xml("\n".join(failure_lines(claim)))


def failure_lines(claim: Mapping[str, Any]) -> Iterator[str]:
    """What differs, then the whole counterexample as people read it: why, the steps, the replay line, its page."""
    yield from claim["differences"]
    document: Document | None = claim["document"]
    if document is not None:
        yield trace_page(document, TextFormat()).text().rstrip("\n")
    if claim["html"] is not None:
        yield f"the page of this counterexample: {claim['html']}"


def _add_skipped(root: ElementTree.Element, document: Document) -> None:
    """What was not run, as skipped cases, or as errors where the gate was interrupted; not what --only left out."""
    rows = [skipped for skipped in document["not_run"] if skipped["why"] != "--only"]
    if not rows:
        return
    elements = ["error" if row["why"] == "interrupted" else "skipped" for row in rows]
    suite = _suite_element(root, document, "not run", "not run", 0.0, elements)
    ElementTree.SubElement(suite, "properties")
    for row, element in zip(rows, elements, strict=True):
        attributes = {"classname": "tidegate.not run", "name": xml_token(row["name"]), "time": "0.000"}
        case = ElementTree.SubElement(suite, "testcase", attributes)
        if element == "error":
            ElementTree.SubElement(case, "error", {"message": "the gate was interrupted", "type": "not run"})
        else:
            ElementTree.SubElement(case, "skipped", {"message": f"tier {row['tier']}"})
    ElementTree.SubElement(suite, "system-out")
    ElementTree.SubElement(suite, "system-err")


def xml_token(text: str) -> str:
    """A text as an XML token: one line, single spaces."""
    return " ".join(strip_invalid_xml(text).split()) or "-"


def strip_invalid_xml(text: str) -> str:
    """Without the characters that XML cannot hold at all."""
    return _INVALID_IN_XML.sub("\ufffd", text)
