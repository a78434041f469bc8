"""An audit's document as JUnit XML: a suite for each group of topics, a case for each requirement, and one suite for
what is out of service and what was not read whole. A run without a failure is one that ends with 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from ..document import Document
from ..gate.junit import strip_invalid_xml, xml_token

CLUSTER_SUITE = "the cluster as it is, and as it was read"
"""The suite of what is no requirement, and decides the exit: what is out of service, and what was not read whole."""

_ELEMENTS = {"met": "", "failed": "failure", "depends": "failure", "not checked": "failure", "accepted": "skipped"}

Case = tuple[str, str, str, str]
"""A case: its name, its element ("" where it passes), what it comes to in a line, and all of it."""


def audit_junit(document: Document) -> str:
    """The XML document."""
    root = ElementTree.Element("testsuites")
    _add_suite(root, CLUSTER_SUITE, list(_outage_cases(document)))
    for subject in document["subjects"]:
        _add_suite(root, subject["name"], [_requirement_case(subject, check) for check in subject["checks"]])
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _outage_cases(document: Document) -> Iterator[Case]:
    """The outages that are certain, and what was not read whole; that nothing was asked is a failure, too."""
    for outage in document["outages"]:
        element = "failure" if outage["certain"] else ""
        yield outage["says"], element, outage["says"], outage["says"]
    for finding in document["findings"]:
        if finding["kind"] == "incomplete":
            yield finding["what"], "failure", finding["what"], f"{finding['what']}; {finding['to_do']}"
    if not document["subjects"]:
        yield "topics and brokers", "failure", document["headline"], document["headline"]


def _requirement_case(subject: Mapping[str, Any], check: Mapping[str, Any]) -> Case:
    on = f" on {', '.join(check['on'])}" if check["on"] else ""
    says = f"{check['require']} {check['result']}{on}: {subject['headline']}"
    lines = [says, *check["scenario"]]
    if check["result"] == "failed" and subject["repair"]:
        lines += [step["says"] for step in subject["repair"]["steps"]]
    return check["require"], _ELEMENTS[check["result"]], check["note"] or says, "\n".join(lines)


def _add_suite(root: ElementTree.Element, name: str, cases: Sequence[Case]) -> None:
    elements = [element for _, element, _, _ in cases]
    counts = {"tests": str(len(cases)), "failures": str(elements.count("failure")), "errors": "0"}
    counts |= {"skipped": str(elements.count("skipped")), "time": "0.000"}
    suite = ElementTree.SubElement(root, "testsuite", {"name": xml_token(name), **counts})
    for title, element, line, text in cases:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": "tidegate.audit", "name": xml_token(f"{title} [{name}]"), "time": "0.000"}
        )
        if element:
            made = ElementTree.SubElement(case, element, {"message": strip_invalid_xml(line)})
            made.text = strip_invalid_xml(text) if element == "failure" else None
