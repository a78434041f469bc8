"""Switches: conditions that depend on constants alone."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from tidegate.language import ir
from tidegate.language.switches import is_constant

from ..support.frontend import SIGNATURE, bind_functions


@pytest.mark.parametrize(
    ("condition", "switch"),
    [
        ("brave", True),
        ("not brave", True),
        ("brave and top > 2", True),
        ("top - 1 == last", True),
        ("(top if brave else last) > 1", True),
        ("s.count > 0", False),
        ("brave and s.count > 0", False),
        ("flag", False),
        ("top > i", False),
    ],
)
def test_what_is_a_switch(condition: str, switch: bool, tmp_path: Path) -> None:
    text = f"@action\ndef step({SIGNATURE}) -> None:\n    x = {condition}\n    require(x)\n    s.count = 0\n"
    form = bind_functions(tmp_path, text, open=["brave", "top"]).actions[0].form
    assert is_constant(cast(ir.Let, form.body[0]).value) is switch
