"""Recorded files: what they hold, and a mistake in one with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.gates.records import ExpectedVerdict, read_record_file
from tidegate.language.errors import UsageError

GOOD = """
schema = "tidegate.spec/1"
model = "lock.py"
[bounds.small]
says = "Two."
clients = 2
[[check]]
profile = "careful"
bounds = "small"
set = { compare_and_set = true }
distinct_states = 3
transitions = 4
depth = 2
[check.expect]
one_inside = "holds"
[[check]]
profile = "careless"
[check.expect]
one_inside = { violated = 4 }
"""


def test_a_recorded_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "lock.toml"
    path.write_text(GOOD)
    careful, careless = read_record_file(path).checks
    assert careful.constants == {"clients": 2, "compare_and_set": True}
    assert careful.target == f"{tmp_path / 'lock.py'}:careful"
    assert careful.counts == {"distinct_states": 3, "transitions": 4, "depth": 2}
    assert (careful.outcome, careless.outcome) == ("none", "safety")
    assert careless.properties == {"one_inside": ExpectedVerdict("violated", 4)}


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("depth = 2", "", "given together"),
        ("depth = 2", "deptj = 2", "nothing is called 'deptj' here; did you mean depth"),
        ('bounds = "small"', 'bounds = "smal"', r"no \[bounds.smal\] in this file; did you mean small"),
        ('"holds"', '"hold"', "'hold' is not one of holds, reached, missing"),
        ("tidegate.spec/1", "tidegate.spec/9", "this tidegate reads"),
        ("depth = 2", "depth = true", "it must be int"),
        ("[[check]]", "[[check", "not TOML"),
    ],
)
def test_a_mistake_in_a_recorded_file_is_reported_with_its_place(
    tmp_path: Path, old: str, new: str, shown: str
) -> None:
    path = tmp_path / "lock.toml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(UsageError, match=shown) as raised:
        read_record_file(path)
    assert str(path) in str(raised.value)
