"""What properties of whole runs ask of a graph: a bit for each predicate and each group of steps."""

from __future__ import annotations

import pytest
from tidegate.explorer.liveness.questions import divide_actions, questions_of
from tidegate.language.errors import UsageError

from ...support.traces import bind_model


def test_predicates_and_groups_have_a_bit_each() -> None:
    model = bind_model("examples/liveness/printer.py")
    questions = questions_of(model)
    assert len(questions.predicates) == len(set(questions.predicates))
    assert len(questions.questions) == sum(len(prop.cases) for prop in model.liveness)
    for question in questions.questions:
        assert questions.predicates[question.then] == question.case.then
        assert question.violating_runs.weak == question.weak and question.kind == question.prop.kind
        assert (
            len(questions.group_names(question.weak | question.strong)) == (question.weak | question.strong).bit_count()
        )


def test_each_part_of_an_action_has_the_groups_of_its_steps() -> None:
    model = bind_model("examples/liveness/printer.py")
    questions = questions_of(model)
    parts, groups = divide_actions(model, questions)
    assert len(parts.actions) == len(groups) >= len(model.actions)
    known = {group for group in groups if group}
    assert known and all(group < 1 << len(questions.groups) for group in known)


def test_more_than_a_word_has_bits_is_refused() -> None:
    model = bind_model("examples/liveness/printer.py")
    from dataclasses import replace

    (first, *_) = [prop for prop in model.liveness if prop.cases]
    cases = tuple(
        replace(case, then=replace(case.then, name=f"then_{number}"))
        for number in range(64)
        for case in first.cases[:1]
    )
    with pytest.raises(UsageError, match="at most 63 are checked"):
        questions_of(replace(model, liveness=(replace(first, cases=cases),)))
