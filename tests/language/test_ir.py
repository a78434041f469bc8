"""The typed form: its terms are values."""

from __future__ import annotations

from tidegate.language import ir

from ..support.traces import bind_model


def test_terms_are_equal_by_their_parts() -> None:
    bodies = [bind_model("examples/lock.py:careful").action("leave").form.body for _ in range(2)]
    assert isinstance(bodies[0][0], ir.Require)
    assert bodies[0] == bodies[1]
    assert bodies[0] != bind_model("examples/lock.py:careful").action("take").form.body
