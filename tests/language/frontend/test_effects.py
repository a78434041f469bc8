"""Assignments to local names that were meant as writes to the state are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import ModelErrors

from ...support.frontend import action_body, bind_functions


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("count = s.count + 1", "nothing reads count, and step writes nothing to the state"),
        ("if flag:\n    a, b = 1, 2\n    require(a == 1)", "nothing reads b, and step writes nothing to the state"),
    ],
)
def test_a_step_that_only_names_values(body: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        action_body(tmp_path, body)
    assert [(error.code, error.message) for error in caught.value.errors] == [("TG108", said)]


def test_a_name_beside_a_write_is_the_authors_own_matter(tmp_path: Path) -> None:
    assert len(action_body(tmp_path, "unused = 1\ns.count = 0")) == 2


def test_a_parameter_of_a_step_helper_keeps_what_was_given(tmp_path: Path) -> None:
    text = """
    def raise_to(s: World, number: Number) -> None:
        number = number + 1
        s.count = number

    @action
    def step(s: World, i: Number) -> None:
        raise_to(s, i)
    """
    with pytest.raises(ModelErrors) as caught:
        bind_functions(tmp_path, text)
    (error,) = caught.value.errors
    assert error.code == "TG108"
    assert error.message == "number is a parameter of raise_to: this changes the name, not what the caller gave"
