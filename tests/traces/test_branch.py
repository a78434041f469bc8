"""A run that is chosen step by step: what is undone is kept until another step is taken."""

from __future__ import annotations

from tidegate.language.judge import initial_states
from tidegate.language.steptext import format_step
from tidegate.language.verdict import Run
from tidegate.traces.branch import Branch, possible_steps

from ..support.steps import run_of
from ..support.traces import bind_model


def names(branch: Branch) -> list[str]:
    return [format_step(step.action, step.arguments) for step in branch.run.steps]


def test_steps_are_undone_and_taken_again() -> None:
    model = bind_model("examples/die_hard.py")
    run = run_of(model, "fill_big; big_to_small; empty_small")
    branch = Branch(model, run)
    back = branch.undo_steps(2)
    assert names(back) == ["fill_big"] and len(back.ahead) == 2
    assert names(back.redo_steps()) == ["fill_big", "big_to_small"]
    assert back.redo_steps(2).run == run and back.redo_steps(2).ahead == ()
    assert names(branch.undo_steps(9)) == [] and branch.undo_steps(9).last_state == run.start


def test_another_step_forgets_what_was_undone() -> None:
    model = bind_model("examples/die_hard.py")
    branch = Branch(model, run_of(model, "fill_big; big_to_small")).undo_steps()
    other = run_of(model, "fill_big; empty_big").steps[1]
    assert branch.append_steps(other).ahead == ()
    assert branch.append_steps(*run_of(model, "fill_big; big_to_small").steps[1:]).ahead == ()


def test_what_can_happen_in_the_order_of_the_text() -> None:
    model = bind_model("examples/lock.py:careful")
    (start,) = initial_states(model)
    listed = list(possible_steps(model, start))
    assert [(entry.text, entry.sentence, entry.kind, entry.breaks) for entry in listed] == [
        ("take(A)", "A takes the lock and goes in.", "protocol", ""),
        ("take(B)", "B takes the lock and goes in.", "protocol", ""),
    ]
    assert all(entry.step is not None for entry in listed)
    assert Branch(model, Run(start, ())).last_state == start


def test_a_step_that_breaks_the_model_is_listed_and_leads_nowhere() -> None:
    model = bind_model("tests/fixtures/models/courier.py", mistake="range")
    run = run_of_first(model, "wake({A}); write(A)")
    broken = [entry for entry in possible_steps(model, run.states()[-1]) if entry.breaks]
    assert broken and all(entry.step is None and "outside" in entry.breaks for entry in broken)


def run_of_first(model: object, text: str) -> Run:
    from tidegate.language.judge import run_text

    return run_text(model, f"morning(everyone=False); {text}")  # type: ignore[arg-type]
