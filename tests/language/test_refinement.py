"""`@refines`: what it means in every engine, what it refuses, and what is said where a model refines no other."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search, Walks
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.binding import load
from tidegate.language.constants import Value
from tidegate.language.errors import ModelErrors
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict
from tidegate.traces.document import read_schema, trace_document

from ..conftest import ROOT, Run
from ..support.pages import page_with_appendix

EXAMPLES = ROOT / "examples"
HERE = ("python", "native", "walk")
"""The engines that need no cluster."""
CLOCK = (EXAMPLES / "hour_clock.py").read_text(encoding="utf-8")
WATCH = (EXAMPLES / "minute_clock.py").read_text(encoding="utf-8")
SMALL: Mapping[str, Value] = {"minutes": 3, "day": 4}


def bind_model(folder: Path, text: str = WATCH, abstract: str = CLOCK, **options: Any) -> Model:
    """A model that refines another, bound; both are files of a folder."""
    (folder / "hour_clock.py").write_text(abstract, encoding="utf-8")
    (folder / "watch.py").write_text(text, encoding="utf-8")
    return load(folder / "watch.py").bind(constants=SMALL, **options)


def ask_engine(engine: str, model: Model) -> Verdict:
    """What an engine says of a small model, however far it looks by itself."""
    return ENGINES[engine](model, Search(walks=Walks(number=20, depth=60)), None)


def verdict_and_length(verdict: Verdict, name: str = "as_hour_clock") -> tuple[str, int | None]:
    """What a verdict says of a property, and the steps of its run."""
    (found,) = (prop for prop in verdict.properties if prop.name == name)
    return found.verdict, None if found.run is None else len(found.run.steps)


# --- what it means ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", HERE)
def test_steps_that_stutter_or_are_abstract_steps_refine(engine: str, tmp_path: Path) -> None:
    verdict = ask_engine(engine, bind_model(tmp_path))
    assert verdict_and_length(verdict) == ("holds", None)
    assert verdict.verdict == "holds"


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize(
    ("correct", "planted", "steps"),
    [
        ("(2 if impatient else 1)", "2", 3),
        ("(s.hour + (2 if impatient else 1)) % day", "day - 1 - s.hour", 3),
        ("% day\n", "% (day - 1)\n", 9),
        ("hour=s.hour)", "hour=s.hour if s.minute != 1 else 0)", 4),
    ],
)
def test_planted_bugs_are_found(engine: str, correct: str, planted: str, steps: int, tmp_path: Path) -> None:
    assert WATCH.count(correct) == 1
    verdict = ask_engine(engine, bind_model(tmp_path, WATCH.replace(correct, planted)))
    assert verdict_and_length(verdict) == ("violated", steps)


@pytest.mark.parametrize("engine", HERE)
def test_an_initial_state_must_be_one_of_the_abstract_model(engine: str, tmp_path: Path) -> None:
    abstract = CLOCK.replace("    return Clock(hour=hour)", "    require(hour == 1)\n    return Clock(hour=hour)")
    abstract = abstract.replace("initial, state", "initial, require, state")
    verdict = ask_engine(engine, bind_model(tmp_path, abstract=abstract))
    assert verdict_and_length(verdict) == ("violated", 0)
    assert verdict.outcome == "safety"


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("hour=s.hour + s.minute // 2", "as_hour_clock: hour: 4 is outside 0..3", "return hour_clock"),
        ("hour=5", "as_hour_clock: hour: 5 is outside 0..3", "return hour_clock"),
    ],
)
def test_an_image_outside_the_abstract_types_is_an_error_at_its_line(
    engine: str, text: str, message: str, line: str, tmp_path: Path
) -> None:
    made = WATCH.replace("hour=s.hour)", f"{text})")
    verdict = ask_engine(engine, bind_model(tmp_path, made))
    assert verdict.outcome == "model_error"
    assert verdict.failure is not None
    assert verdict.failure.message == message
    number = next(at for at, written in enumerate(made.splitlines(), 1) if line in written)
    assert verdict.failure.where == f"{tmp_path / 'watch.py'}:{number}"


HELPED = """
def clock(hour: int) -> hour_clock.Clock:
    \"\"\"A clock that shows an hour.\"\"\"
    return hour_clock.Clock(hour=hour)
"""


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize(
    ("hour", "steps"), [("s.hour", None), ("s.hour if s.minute != 1 else 0", 4), ("s.hour + s.minute // 2", -1)]
)
def test_a_helper_may_make_the_image(engine: str, hour: str, steps: int | None, tmp_path: Path) -> None:
    text = WATCH.replace("return hour_clock.Clock(hour=s.hour)", f"return clock({hour})")
    assert text != WATCH
    verdict = ask_engine(engine, bind_model(tmp_path, f"{text}{HELPED}"))
    if steps == -1:
        assert verdict.failure is not None
        assert verdict.failure.message == "as_hour_clock: hour: 4 is outside 0..3"
        assert verdict.failure.where.startswith(str(tmp_path / "watch.py"))
    else:
        assert verdict_and_length(verdict) == ("holds" if steps is None else "violated", steps)


@pytest.mark.parametrize("engine", HERE)
def test_an_abstract_action_that_breaks_its_types_is_an_error_at_its_line(engine: str, tmp_path: Path) -> None:
    abstract = CLOCK.replace("(s.hour + 1) % hours", "s.hour + 1")
    verdict = ask_engine(engine, bind_model(tmp_path, abstract=abstract))
    assert verdict.failure is not None
    assert verdict.failure.message == "as_hour_clock: hour: 4 is outside 0..3"
    assert re.fullmatch(r".*hour_clock\.py:\d+", verdict.failure.where)


def test_guards_and_limits_of_the_abstract_model_count(tmp_path: Path) -> None:
    for guard in ("require(s.hour != 2)", "limit(s.hour < 2)"):
        word = guard.partition("(")[0]
        abstract = CLOCK.replace("    s.hour =", f"    {guard}\n    s.hour =").replace("state\n", f"{word}, state\n", 1)
        for engine in HERE:
            assert verdict_and_length(ask_engine(engine, bind_model(tmp_path, abstract=abstract))) == ("violated", 9)


@pytest.mark.parametrize("engine", HERE)
def test_a_bound_of_the_abstract_models_steps_counts(engine: str, tmp_path: Path) -> None:
    slow = '\n\n@bound\ndef slow(before: Clock, after: Clock) -> bool:\n    """Slow."""\n'
    slow += "    return before.hour < 2 or after.hour < 2\n"
    abstract = CLOCK.replace("action, constant", "action, bound, constant") + slow
    assert verdict_and_length(ask_engine(engine, bind_model(tmp_path, abstract=abstract))) == ("violated", 9)


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize(("budget", "steps"), [(0, 3), (1, None)])
def test_a_budget_of_the_abstract_model_says_whether_a_fault_happens(
    engine: str, budget: int, steps: int | None, tmp_path: Path
) -> None:
    """With a budget it happens as often as it likes."""
    abstract = CLOCK.replace("@action\n", '@action(kind="fault", budget="faults")\n')
    abstract = abstract.replace("\nHour =", '\nfaults = constant(1, minimum=0, maximum=3, says="faults")\n\nHour =')
    text = WATCH.replace("hours=day", f"hours=day, faults={budget}")
    verdict = ask_engine(engine, bind_model(tmp_path, text, abstract))
    assert verdict_and_length(verdict) == ("holds" if steps is None else "violated", steps)


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize(
    ("parameter", "wanted", "steps"),
    [
        ("Hour | None", "given is not None and given == s.hour + 1", None),
        ("Hour | None", "given is not None and given == s.hour and s.hour < 1", 6),
        ("Hour | None", "given is None and s.hour < 3", 12),
        ("Map[Small, Hour]", "given[0] == s.hour and given[1] == s.hour + 1", None),
        ("Map[Small, bool]", "given[0] and not given[1] and s.hour < 2", 9),
        ("Set[Hour]", "given == Set({s.hour}) and s.hour < 2", 9),
    ],
)
def test_parameters_of_abstract_actions(
    engine: str, parameter: str, wanted: str, steps: int | None, tmp_path: Path
) -> None:
    """A step may be an abstract action with any argument. The last hour, which is followed by no larger one, is left by
    an action of its own."""
    text = CLOCK.replace("initial, state", "initial, require, state").replace(
        "import Range,", "import Map, Range, Set,"
    )
    text = text.replace("\nHour =", "\nSmall = Annotated[int, Range(0, 1)]\nHour =")
    head, _, rest = text.partition("@action\n")
    chosen = rest.replace("(s: Clock)", f"(s: Clock, given: {parameter})")
    chosen = chosen.replace("    s.hour =", f"    require({wanted})\n    s.hour =")
    last = rest.replace("def advance", "def wrap").replace(
        "    s.hour =", "    require(s.hour == hours - 1)\n    s.hour ="
    )
    abstract = f"{head}@action\n{chosen}\n\n@action\n{last}"
    if steps == 12:
        abstract = abstract.replace("require(s.hour == hours - 1)", "require(s.hour > hours)")
    verdict = ask_engine(engine, bind_model(tmp_path, abstract=abstract))
    assert verdict_and_length(verdict) == ("holds" if steps is None else "violated", steps)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_with_an_open_constant_of_the_abstract_model_nothing_is_said(engine: str, tmp_path: Path) -> None:
    verdict = ask_engine(engine, bind_model(tmp_path, open={"day"}))
    assert verdict_and_length(verdict) == ("not_checked", None)
    assert verdict.verdict == "inconclusive"


@pytest.mark.parametrize("engine", ["python", "native"])
def test_other_constants_may_be_open(engine: str, tmp_path: Path) -> None:
    model = bind_model(tmp_path, open={"impatient"})
    assert verdict_and_length(ask_engine(engine, model)) == ("holds", None)
    impatient = load(tmp_path / "watch.py").with_constants(model, "impatient", {"impatient": True})
    assert verdict_and_length(ask_engine(engine, impatient)) == ("violated", 3)


def test_it_is_chosen_as_a_property_is(tmp_path: Path) -> None:
    assert [prop.name for prop in bind_model(tmp_path).properties] == ["as_hour_clock"]
    assert bind_model(tmp_path, properties=()).properties == ()


# --- which abstract action an action is -------------------------------------------------------------------------------


def annotate_actions(may_be: str, text: str = WATCH) -> str:
    """The watch, with what its actions may be of the clock."""
    assert text.count("@refines(hour_clock, ") == 1
    return text.replace("@refines(hour_clock, ", f"@refines(hour_clock, {may_be}, ").replace(
        "import Range,", "import STUTTERS, Range,"
    )


TWIN = """
@action
def twin(s: Watch) -> None:
    \"\"\"It does what a tick does.\"\"\"
    if s.minute == minutes - 1:
        s.hour = (s.hour + 1) % day
    s.minute = (s.minute + 1) % minutes


@refines"""


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize(
    ("may_be", "steps"),
    [
        ("{tick: (hour_clock.advance, STUTTERS)}", None),
        ("{'tick': ('advance', STUTTERS)}", None),
        ("{}", None),
        ("{tick: hour_clock.advance}", 1),
        ("{tick: STUTTERS}", 3),
    ],
)
def test_an_action_is_what_the_refinement_says(engine: str, may_be: str, steps: int | None, tmp_path: Path) -> None:
    verdict = ask_engine(engine, bind_model(tmp_path, annotate_actions(may_be)))
    assert verdict_and_length(verdict) == ("holds" if steps is None else "violated", steps)


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize("culprit", ["tick", "twin"])
def test_of_two_actions_with_one_effect_the_one_that_may_not_is_shown(
    engine: str, culprit: str, tmp_path: Path
) -> None:
    text = annotate_actions(f"{{{culprit}: STUTTERS}}", WATCH.replace("\n@refines", TWIN))
    verdict = ask_engine(engine, bind_model(tmp_path, text))
    assert verdict_and_length(verdict) == ("violated", 3)
    (run,) = (prop.run for prop in verdict.properties)
    assert run is not None
    assert run.steps[-1].action == culprit


@pytest.mark.parametrize("engine", HERE)
def test_an_abstract_action_that_breaks_breaks_only_what_may_be_it(engine: str, tmp_path: Path) -> None:
    abstract = CLOCK.replace("(s.hour + 1) % hours", "s.hour + 1")
    verdict = ask_engine(engine, bind_model(tmp_path, annotate_actions("{tick: STUTTERS}"), abstract))
    assert verdict_and_length(verdict) == ("violated", 3)
    verdict = ask_engine(
        engine, bind_model(tmp_path, annotate_actions("{tick: (hour_clock.advance, STUTTERS)}"), abstract)
    )
    assert verdict.failure is not None
    assert verdict.failure.message == "as_hour_clock: hour: 4 is outside 0..3"


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize(("ways", "steps"), [("hour_clock.advance", 1), ("(hour_clock.advance, STUTTERS)", 3)])
def test_a_fault_whose_budget_is_0_may_be_named_and_never_happens(
    engine: str, ways: str, steps: int, tmp_path: Path
) -> None:
    abstract = CLOCK.replace("@action\n", '@action(kind="fault", budget="faults")\n')
    abstract = abstract.replace(
        "\n\n\n@state", '\nfaults = constant(0, minimum=0, maximum=1, says="how often")\n\n\n@state'
    )
    verdict = ask_engine(engine, bind_model(tmp_path, annotate_actions(f"{{tick: {ways}}}"), abstract))
    assert verdict_and_length(verdict) == ("violated", steps)


def test_the_argument_says_what_an_action_may_be(tmp_path: Path) -> None:
    model = bind_model(tmp_path, annotate_actions("{tick: STUTTERS}"))
    assert argument(model, ask_engine("native", model))[-1] == (
        "However, tick is advance of hour_clock: hour: 0 -> 1. @refines says that tick stutters."
    )
    model = bind_model(tmp_path, annotate_actions("{tick: hour_clock.advance}"))
    assert argument(model, ask_engine("native", model))[-1] == (
        "However, tick stutters. @refines says that tick is advance of hour_clock. "
        "The nearest is advance: for it hour would have to be 1 and is 0."
    )


@pytest.mark.parametrize(
    ("may_be", "line", "cause"),
    [
        ("{'tock': STUTTERS}", "@refines(hour_clock, {'tock': STUTTERS}", "tock is not an action of this model"),
        ("{tick: 'retreat'}", "@refines(hour_clock, {tick: 'retreat'}", "retreat is not an action of hour_clock"),
        ("{tick: ()}", "@refines(hour_clock, {tick: ()}", "tick may be no abstract action at all"),
        ("{tick: 3}", "@refines(hour_clock, {tick: 3}", "actions are given as functions or names, and 3 is neither"),
        ("[tick]", "@refines(hour_clock, [tick]", "takes steps as a dict"),
    ],
)
def test_an_action_that_there_is_not_is_refused(may_be: str, line: str, cause: str, tmp_path: Path) -> None:
    ((_, text, message),) = find_mistakes(tmp_path, annotate_actions(may_be))
    assert text.startswith(line)
    assert cause in message


# --- what is refused --------------------------------------------------------------------------------------------------


def find_mistakes(folder: Path, text: str = WATCH, abstract: str = CLOCK) -> list[tuple[str, str, str]]:
    """The mistakes of a model: code, the text of its line, and cause."""
    with pytest.raises(ModelErrors) as caught:
        bind_model(folder, text, abstract)
    lines = {
        file: Path(file).read_text(encoding="utf-8").splitlines()
        for file in {e.where.file for e in caught.value.errors}
    }
    return [
        (error.code, lines[error.where.file][error.where.line - 1].strip(), error.message)
        for error in caught.value.errors
    ]


@pytest.mark.parametrize(
    ("correct", "wrong", "code", "line", "cause"),
    [
        ("hours=day", "hours=99", "TG317", "@refines(hour_clock, hours=99)", "it must be an integer from 2 to 24"),
        ("hours=day", "days=2", "TG317", "@refines(hour_clock, days=2)", "no constant days"),
        ("hour=s.hour)", ")", "TG211", "return hour_clock.Clock()", "also needs hour"),
        ("hour=s.hour)", "hour=s.our)", "TG202", "return hour_clock.Clock(hour=s.our)", "no field our"),
        ("hour=s.hour)", "our=s.hour)", "TG202", "return hour_clock.Clock(our=s.hour)", "no field our"),
        ("hour=s.hour)", "hour=s.hour > 1)", "TG203", "return hour_clock.Clock(hour=s.hour > 1)", "this is bool"),
        ("-> hour_clock.Clock", "-> int", "TG311", "def as_hour_clock(s: Watch) -> int:", "a function from the state"),
        (
            "(s: Watch) -> h",
            "(s: Watch, n: int) -> h",
            "TG311",
            "def as_hour_clock(s: Watch, n: int)",
            "is a refinement",
        ),
        (
            "    return hour",
            "    if s.minute == 0:\n        return hour",
            "TG220",
            "if s.minute == 0:",
            "without a value",
        ),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused_at_its_line(
    correct: str, wrong: str, code: str, line: str, cause: str, tmp_path: Path
) -> None:
    assert WATCH.count(correct) == 1
    (found,) = find_mistakes(tmp_path, WATCH.replace(correct, wrong))
    assert found[0] == code
    assert found[1].startswith(line)
    assert cause in found[2]


def test_a_constant_of_both_models_has_one_value(tmp_path: Path) -> None:
    text = WATCH.replace("import hour_clock\n", "import hour_clock\nfrom hour_clock import hours\n")
    ((code, line, cause),) = find_mistakes(tmp_path, text)
    assert (code, line, cause) == ("TG317", "@refines(hour_clock, hours=day)", "hours is a constant of this model, too")
    model = bind_model(
        tmp_path, text.replace(", hours=day", "").replace("(0, day - 1)", "(0, hours - 1)").replace("% day", "% hours")
    )
    assert verdict_and_length(ask_engine("native", model)) == ("holds", None)


def test_an_image_has_no_ghosts(tmp_path: Path) -> None:
    abstract = CLOCK.replace("    hour: Hour\n", "    hour: Hour\n    seen: Ghost[bool]\n", 1)
    abstract = abstract.replace("hour=hour)", "hour=hour, seen=False)").replace("import Range", "import Ghost, Range")
    assert verdict_and_length(ask_engine("native", bind_model(tmp_path, abstract=abstract))) == ("holds", None)
    ((code, _, cause),) = find_mistakes(tmp_path, WATCH.replace("hour=s.hour)", "hour=s.hour, seen=False)"), abstract)
    assert (code, cause) == ("TG202", "Clock.seen is a ghost, and an image has none")


def test_a_constant_that_comes_along_says_so(tmp_path: Path) -> None:
    """Its name is not in the model's file, and it is a constant of both models all the same."""
    text = WATCH.replace("import hour_clock\n", "import hour_clock\nfrom hour_clock import Hour\n")
    text = text.replace("(0, day - 1)", "(0, 23)", 1) + "\n\ndef first(hour: Hour) -> bool:\n    return hour == 0\n"
    ((code, _, cause),) = find_mistakes(tmp_path, text)
    assert code == "TG317"
    assert cause.endswith("of this model, too: it comes along with what is imported from hour_clock.py")


def test_a_model_two_steps_up_is_no_part_of_the_model(tmp_path: Path) -> None:
    """What it does is not missing here, though a type comes from its file."""
    (tmp_path / "above.py").write_text(CLOCK, encoding="utf-8")
    shown = "\n\n@refines(above, hours=hours)\ndef as_above(s: Clock) -> above.Clock:\n"
    shown += "    return above.Clock(hour=s.hour)\n"
    abstract = CLOCK.replace("from tidegate.language import ", "import above\nfrom tidegate.language import refines, ")
    text = WATCH.replace("import hour_clock\n", "import hour_clock\nfrom above import Chime\n")
    chime = "@record\nclass Chime:\n    rings: bool\n\n\n@state"
    above = CLOCK.replace("@state", chime, 1).replace("language import ", "language import record, ")
    bind_model(tmp_path, abstract=abstract + shown)
    (tmp_path / "above.py").write_text(above, encoding="utf-8")
    (tmp_path / "watch.py").write_text(text, encoding="utf-8")
    assert load(tmp_path / "watch.py").notes == ()


def test_a_decorator_without_a_module_is_refused(tmp_path: Path) -> None:
    ((code, line, cause),) = find_mistakes(tmp_path, WATCH.replace("@refines(hour_clock, hours=day)", "@refines"))
    assert (code, line) == ("TG002", "@refines")
    assert "takes the module of the abstract model" in cause


def test_what_an_image_cannot_be_compared_with_is_refused(tmp_path: Path) -> None:
    many = "(s: Clock, given: Map[Small, bool | None]) -> None"
    text = CLOCK.replace("(s: Clock) -> None", many).replace("import Range,", "import Map, Range,")
    text = text.replace("\nHour =", "\nSmall = Annotated[int, Range(0, 6)]\nHour =")
    assert [mistake[2] for mistake in find_mistakes(tmp_path, abstract=text)] == [
        "given can be made in more than 64 ways, too many to try an image's step with (hour_clock, line 29)"
    ]


def test_a_class_of_the_models_own_is_not_the_abstract_models(tmp_path: Path) -> None:
    color = '\n\nclass Color(Enum):\n    """A color."""\n\n    RED = 1\n    BLUE = 2\n'
    abstract = CLOCK.replace("from typing", "from enum import Enum\nfrom typing").replace(
        "\n\n@state", f"{color}\n\n@state"
    )
    abstract = abstract.replace("    hour: Hour\n", "    hour: Hour\n    color: Color\n")
    abstract = abstract.replace("Clock(hour=hour)", "Clock(hour=hour, color=Color.RED)")
    own = WATCH.replace("from typing", "from enum import Enum\nfrom typing").replace("\n\n@state", f"{color}\n\n@state")
    own = own.replace("hour=s.hour)", "hour=s.hour, color=Color.RED)")
    ((code, line, cause),) = find_mistakes(tmp_path, own, abstract)
    assert (code, line) == ("TG317", "return hour_clock.Clock(hour=s.hour, color=Color.RED)")
    assert cause == "color holds a Color of the abstract model, and this is another class of that name"
    shared = own.replace(color, "").replace("color=Color.RED", "color=hour_clock.Color.RED")
    assert verdict_and_length(ask_engine("native", bind_model(tmp_path, shared, abstract))) == ("holds", None)


# --- what is said -----------------------------------------------------------------------------------------------------


def argument(model: Model, verdict: Verdict) -> list[str]:
    """The sentences of the argument of the one property that is violated."""
    (broken,) = (prop for prop in verdict.properties if prop.verdict == "violated")
    return [row["text"] for row in trace_document(model, broken, engine="native")["argument"]]


def test_the_argument_has_each_steps_abstract_step_and_the_nearest_action(tmp_path: Path) -> None:
    model = bind_model(tmp_path, WATCH.replace("% day\n", "% (day - 1)\n"))
    said = argument(model, ask_engine("native", model))
    assert said[1:] == [
        "In short: A minute passes (step 9). For this to be advance of hour_clock, hour would have to be 3 and is 0.",
        "Steps 1 to 2 stutter.",
        "tick is advance of hour_clock: hour: 0 -> 1.",
        "Steps 4 to 5 stutter.",
        "tick is advance of hour_clock: hour: 1 -> 2.",
        "Steps 7 to 8 stutter.",
        "However, no action of hour_clock does this: hour: 2 -> 0. The nearest is advance: for it hour would have to "
        "be 3 and is 0.",
    ]


def test_the_argument_names_the_first_false_guard(tmp_path: Path) -> None:
    abstract = CLOCK.replace("    s.hour =", "    require(s.hour != 2)\n    s.hour =").replace(
        "state\n", "require, state\n", 1
    )
    model = bind_model(tmp_path, abstract=abstract)
    said = argument(model, ask_engine("native", model))
    assert said[-1].endswith("The nearest is advance, of which the guard `s.hour != 2` is false.")
    assert said[1] == (
        "In short: A minute passes (step 9). "
        "For this to be advance of hour_clock, what that requires would have to be true."
    )


def test_the_argument_of_an_initial_state(tmp_path: Path) -> None:
    abstract = CLOCK.replace("    return Clock(hour=hour)", "    require(hour == 1)\n    return Clock(hour=hour)")
    model = bind_model(tmp_path, abstract=abstract.replace("initial, state", "initial, require, state"))
    assert argument(model, ask_engine("native", model))[-1] == (
        "However, Clock(hour=0), the image of the initial state, is not an initial state of hour_clock."
    )


def test_a_trace_has_the_abstract_run_beside_it(tmp_path: Path) -> None:
    model = bind_model(tmp_path, WATCH.replace("% day\n", "% (day - 1)\n"))
    (broken,) = ask_engine("native", model).properties
    document = trace_document(model, broken, engine="native")
    jsonschema.validate(document, read_schema())
    (lane,) = document["abstract"]
    assert (lane["property"], lane["model"]) == ("as_hour_clock", "hour_clock")
    assert lane["states"] == {"0": {"hour": 0}, "3": {"hour": 1}, "6": {"hour": 2}, "9": {"hour": 0}}
    assert lane["steps"] == {"3": "advance", "6": "advance", "9": None}


def test_a_trace_says_where_the_abstract_run_does_not_begin(tmp_path: Path) -> None:
    abstract = CLOCK.replace("    return Clock(hour=hour)", "    require(hour == 1)\n    return Clock(hour=hour)")
    model = bind_model(tmp_path, abstract=abstract.replace("initial, state", "initial, require, state"))
    (broken,) = ask_engine("native", model).properties
    (lane,) = trace_document(model, broken, engine="native")["abstract"]
    assert lane["steps"] == {"0": None}


def test_models_and_spec_name_what_is_refined(tidegate: Run) -> None:
    listed = tidegate("models", str(EXAMPLES / "two_phase.py"), "--width", "120")
    assert "as_transaction_commit  refines tcommit  The resource managers" in listed.out
    described = json.loads(tidegate("models", str(EXAMPLES / "two_phase.py"), "--json").out)["models"][0]
    assert {prop["name"]: prop["refines"] for prop in described["properties"]} == {
        "consistent": None,
        "all_commit": None,
        "as_transaction_commit": "tcommit",
    }
    page = tidegate("spec", str(EXAMPLES / "minute_clock.py")).out
    assert "*A refinement of* `hour_clock`, with `hours` = `day`." in page
    assert "as_hour_clock ≜\n  [hour ↦ hour]\n" in page
    page = tidegate("spec", str(EXAMPLES / "two_phase.py")).out
    assert "* `obey` is `commit` or is `abort` or stutters\n* `receive` stutters\n" in page


# --- the examples -----------------------------------------------------------------------------------------------------


def test_two_phase_commit_is_transaction_commit_and_keeps_its_symmetry() -> None:
    model = load(EXAMPLES / "two_phase.py").bind()
    assert [domain.name for domain in symmetry_of(model).domains] == ["Manager"]
    verdict = ENGINES["native"](model, Search(symmetry=True), None)
    assert (verdict_and_length(verdict, "as_transaction_commit"), verdict.distinct_states) == (("holds", None), 80)


@pytest.mark.parametrize(
    ("name", "correct", "planted"),
    [
        ("two_phase", "(status=s.status)", "(status=s.status if s.status[Manager(0)] == Status.WORKING else s.status)"),
        ("tcommit", "    require(s.status[manager] == Status.PREPARED)\n", "    require(manager != Manager(0))\n"),
    ],
)
def test_symmetry_is_refused_at_the_line_where_a_member_is_named(
    name: str, correct: str, planted: str, tmp_path: Path
) -> None:
    for model in ("two_phase", "tcommit"):
        text = (EXAMPLES / f"{model}.py").read_text(encoding="utf-8")
        assert text.count(correct) == (model == name)
        (tmp_path / f"{model}.py").write_text(text.replace(correct, planted), encoding="utf-8")
    symmetry = symmetry_of(load(tmp_path / "two_phase.py").bind())
    lines = (tmp_path / f"{name}.py").read_text(encoding="utf-8").splitlines()
    number = next(at for at, line in enumerate(lines, 1) if "Manager(0)" in line)
    assert symmetry.domains == ()
    (refusal,) = symmetry.refusals
    assert refusal.startswith("Manager is not folded: ")
    assert refusal.endswith(f"{name}.py:{number} names one member")


@pytest.mark.parametrize(
    ("correct", "planted"),
    [
        ("    require(s.prepared == Set(Manager))\n", ""),
        ("    require(order in s.orders)\n", ""),
        ("    s.prepared.add(report.source)", "    s.prepared |= Set(Manager)"),
        ("Status.COMMITTED if order == Decision.COMMIT", "Status.COMMITTED if order == Decision.ABORT"),
        ("    s.status[manager] = Status.PREPARED\n", "    s.status[manager] = Status.ABORTED\n"),
    ],
)
def test_bugs_planted_in_two_phase_commit_are_found(correct: str, planted: str, tmp_path: Path) -> None:
    text = (EXAMPLES / "two_phase.py").read_text(encoding="utf-8")
    assert text.count(correct) == 1
    (tmp_path / "tcommit.py").write_text((EXAMPLES / "tcommit.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "two_phase.py").write_text(text.replace(correct, planted), encoding="utf-8")
    model = load(tmp_path / "two_phase.py").bind(constants={"managers": 2}, properties=["as_transaction_commit"])
    lengths = {
        verdict_and_length(ENGINES[engine](model, Search(), None), "as_transaction_commit")
        for engine in ("python", "native")
    }
    assert len(lengths) == 1
    assert lengths.pop()[0] == "violated"


def test_the_page_shows_the_examples_text() -> None:
    page = page_with_appendix("refinement.md")
    files = [
        (EXAMPLES / f"{name}.py").read_text(encoding="utf-8") for name in ("hour_clock", "minute_clock", "two_phase")
    ]
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    assert all(any(block in text for text in files) for block in blocks)
