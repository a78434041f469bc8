"""audit.toml: what is no TOML is refused, and never left out."""

from __future__ import annotations

import pytest
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.readers.audit_toml import first_line_with, read_audit_toml


def test_what_is_not_understood_is_refused() -> None:
    with pytest.raises(UnreadableInputError):
        read_audit_toml("audit.toml", "[topics.\n")


def test_a_word_has_its_line() -> None:
    assert first_line_with("a = 1\nproducer = 'x'\n", "producer") == 2 and first_line_with("a = 1\n", "none") is None


def test_a_field_and_a_section_that_there_are_not_leave_the_audit_open() -> None:
    found = read_audit_toml(
        "audit.toml", '[topic.orders]\nrequires = "strict"\n[group.billing]\nrequire = "strict"\n[topics]\n'
    )
    assert [(finding.kind, finding.what) for finding in found.findings] == [
        ("incomplete", "`requires` is not a field of topic"),
        ("incomplete", "`require` is not a field of group"),
        ("incomplete", "`topics` is not a section of audit.toml"),
    ]


@pytest.mark.parametrize("stated", ["[]", "3", '["strict", 1]'])
def test_what_is_required_is_text(stated: str) -> None:
    with pytest.raises(UnreadableInputError, match="`require` is a text that --require takes, or a list of them"):
        read_audit_toml("audit.toml", f"[topic.orders]\nrequire = {stated}\n")


def test_what_is_required_is_read_as_it_is_written() -> None:
    found = read_audit_toml(
        "audit.toml", '[topic.a]\nrequire = "strict"\n[topic.b]\nrequire = ["dev", "no-loss=crash@all"]\n'
    )
    assert [use.requirements for use in found.uses] == [("strict",), ("dev", "no-loss=crash@all")]
