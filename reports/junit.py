"""Results as JUnit XML, the one format that every CI system shows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Case:
    """One test case: a claim about one model. `status` says how it went, `message` is one line, `detail` the whole
    story.
    """

    suite: str
    name: str
    seconds: float
    status: Literal["passed", "failed", "error", "skipped"]
    message: str = ""
    detail: str = ""


_ELEMENTS = {"failed": "failure", "error": "error", "skipped": "skipped"}


def junit_text(name: str, cases: Iterable[Case]) -> str:
    """The XML document: one suite per model, its cases in order."""
    suites: dict[str, list[Case]] = {}
    for case in cases:
        suites.setdefault(case.suite, []).append(case)
    root = ElementTree.Element("testsuites", _totals(name, [case for each in suites.values() for case in each]))
    for suite, members in suites.items():
        element = ElementTree.SubElement(root, "testsuite", _totals(suite, members))
        for case in members:
            _add(element, case)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _totals(name: str, cases: list[Case]) -> dict[str, str]:
    def number(status: str) -> str:
        return str(sum(case.status == status for case in cases))

    seconds = sum(case.seconds for case in cases)
    return {
        "name": _clean(name),
        "tests": str(len(cases)),
        "failures": number("failed"),
        "errors": number("error"),
        "skipped": number("skipped"),
        "time": f"{seconds:.3f}",
    }


def _add(suite: ElementTree.Element, case: Case) -> None:
    attributes = {
        "classname": f"tidegate.{_clean(case.suite)}",
        "name": _clean(case.name),
        "time": f"{case.seconds:.3f}",
    }
    element = ElementTree.SubElement(suite, "testcase", attributes)
    if case.status != "passed":
        told = ElementTree.SubElement(element, _ELEMENTS[case.status], {"message": _clean(case.message)})
        told.text = _clean(case.detail) or None


def _clean(text: str) -> str:
    """Without the characters that XML cannot hold at all."""
    return _NOT_XML.sub("\ufffd", text)
