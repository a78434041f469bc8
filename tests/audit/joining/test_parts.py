"""What is put together: a value that the audit has no use for is kept by nobody."""

from __future__ import annotations

from tidegate.audit.joining.parts import JoinedParts, withhold_values
from tidegate.audit.readers.properties import property_entries


def test_a_value_without_use_is_withheld() -> None:
    settings, _ = property_entries(
        "s.properties", "min.insync.replicas=2\nmy.own.thing=hunter2\nssl.key.password=hunter2\n"
    )
    kept = {setting.key: setting.value for setting in withhold_values(settings)}
    assert kept["min.insync.replicas"] == "2"
    assert "hunter2" not in str(kept)


def test_what_leaves_the_audit_undecided_is_a_finding_at_its_place() -> None:
    settings, _ = property_entries("s.properties", "a.b=1\n")
    joined = JoinedParts([], [], [], [])
    joined.incomplete("something is open", settings[0].origin, "give it")
    joined.disagree("two say otherwise", settings[0].origin, settings[0].origin, "take one")
    assert joined.findings[0].kind == "incomplete" and joined.findings[0].where == settings[0].origin
    assert len(joined.findings) == 2
