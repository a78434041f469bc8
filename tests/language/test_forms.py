"""The typed forms of what a model declares."""

from __future__ import annotations

from tidegate.language import ir
from tidegate.language.forms import InitialForm, Parameter

from ..support.traces import bind_model


def test_the_form_of_an_action_says_what_it_reads_and_writes() -> None:
    model = bind_model("examples/lock.py:careful")
    take, leave = model.action("take").form, model.action("leave").form
    assert (take.reads, take.writes) == ({"held", "place"}, {"held", "place"})
    assert [type(statement) for statement in leave.body] == [ir.Require, ir.Store, ir.Store]
    assert [parameter.name for parameter in take.parameters] == ["client"]
    assert all(isinstance(parameter, Parameter) and parameter.pool is None for parameter in take.parameters)


def test_the_form_of_an_initial_function_ends_in_one_state() -> None:
    model = bind_model("examples/lock.py:careful")
    form = model.initials[0].form
    assert isinstance(form, InitialForm)
    assert [field.type for field in form.result.fields] == [field.type for field in model.fields]
