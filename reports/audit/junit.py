"""An audit's document as JUnit XML: a suite for each group of topics, a case for each requirement, and one suite for
what is out of service and what was not read whole. A run without a failure is one that ends with 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from ...language.immutable import immutable
from ..document import Document
from ..gate.junit import strip_invalid_xml, xml_token
from ..gate.sarif import relative_uri
from .terminal import origin_text
from .unmet import unmet_text

CLUSTER_SUITE = "the cluster as it is, and as it was read"
"""The suite of what is no requirement, and decides the exit: what is out of service, and what was not read whole."""

_ELEMENTS = {"met": "", "failed": "failure", "depends": "failure", "not checked": "failure", "accepted": "skipped"}


@immutable
class JUnitCase:
    """A case: its name, its element ("" where it passes), what it comes to in a line, all of it, and where it is
    mended (None: nowhere)."""

    name: str
    element: str
    line: str
    text: str
    where: Mapping[str, Any] | None


def audit_junit(document: Document) -> str:
    """The XML document."""
    root = ElementTree.Element("testsuites")
    _add_suite(root, CLUSTER_SUITE, list(_cluster_cases(document)))
    for subject in document["subjects"]:
        _add_suite(root, subject["name"], [_requirement_case(subject, check) for check in subject["checks"]])
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _cluster_cases(document: Document) -> Iterator[JUnitCase]:
    """The outages, of which those that are certain fail, what was not read whole, and that nothing was checked."""
    for outage in document["outages"]:
        element = "failure" if outage["certain"] else ""
        yield JUnitCase(outage["says"], element, outage["says"], outage["says"], outage["where"])
    for finding in document["findings"]:
        if finding["kind"] == "incomplete":
            text = f"{finding['what']}; {finding['to_do']}"
            yield JUnitCase(finding["what"], "failure", finding["what"], text, finding["where"])
    if document["not_asked"]:
        yield JUnitCase("topics and brokers", "failure", document["not_asked"], document["not_asked"], None)


def _requirement_case(subject: Mapping[str, Any], check: Mapping[str, Any]) -> JUnitCase:
    says = unmet_text(check, subject)
    lines = [says, *check["scenario"]]
    if check["result"] == "failed" and subject["repair"]:
        lines += [step["says"] for step in subject["repair"]["steps"]]
    return JUnitCase(check["require"], _ELEMENTS[check["result"]], says, "\n".join(lines), check["where"])


def _add_suite(root: ElementTree.Element, name: str, cases: Sequence[JUnitCase]) -> None:
    elements = [case.element for case in cases]
    counts = {"tests": str(len(cases)), "failures": str(elements.count("failure")), "errors": "0"}
    counts |= {"skipped": str(elements.count("skipped")), "time": "0.000"}
    suite = ElementTree.SubElement(root, "testsuite", {"name": xml_token(name), **counts})
    for case in cases:
        _add_case(suite, name, case)


def _add_case(suite: ElementTree.Element, name: str, case: JUnitCase) -> None:
    """A case. Its file and line are attributes, which viewers of CI systems lead to, and begin what is said."""
    attributes = {"classname": "tidegate.audit", "name": xml_token(f"{case.name} [{name}]"), "time": "0.000"}
    place = ""
    if case.where is not None:
        place = f"{origin_text(case.where)}: "
        if case.where["line"] is not None:
            attributes |= {"file": relative_uri(case.where["path"]), "line": str(case.where["line"])}
    added = ElementTree.SubElement(suite, "testcase", attributes)
    if case.element:
        made = ElementTree.SubElement(added, case.element, {"message": strip_invalid_xml(f"{place}{case.line}")})
        made.text = strip_invalid_xml(f"{place}{case.text}") if case.element == "failure" else None
