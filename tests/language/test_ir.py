"""The typed form: places that are compared, and forms that are values."""

from __future__ import annotations

from pathlib import Path

from tidegate.language import ir

from ..support.traces import bind_model


def test_the_form_of_an_action_says_what_it_reads_and_writes() -> None:
    model = bind_model("examples/lock.py:careful")
    take, leave = model.action("take").form, model.action("leave").form
    assert (take.reads, take.writes) == ({"held", "place"}, {"held", "place"})
    assert [type(statement) for statement in leave.body] == [ir.Require, ir.Store, ir.Store]
    assert [parameter.name for parameter in take.parameters] == ["client"]


def test_a_place_is_where_the_author_wrote() -> None:
    model = bind_model("examples/lock.py:careful")
    guard = model.action("leave").form.body[0]
    assert isinstance(guard, ir.Require)
    line = Path(guard.where.file).read_text(encoding="utf-8").splitlines()[guard.where.line - 1]
    assert line[guard.where.column : guard.where.end_column] == guard.text


def test_forms_are_equal_by_their_parts() -> None:
    forms = [bind_model("examples/lock.py:careful").action("leave").form.body for _ in range(2)]
    assert forms[0] == forms[1]
    assert forms[0] != bind_model("examples/lock.py:careful").action("take").form.body
