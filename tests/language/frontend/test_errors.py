"""Every error code has a file that makes it, with its exact text beside it. TIDEGATE_UPDATE=1 records the texts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tidegate.language.binding import load
from tidegate.language.errors import CODES, Diagnostics, ModelErrors
from tidegate.language.frontend.source import NESTED_MAX
from tidegate.language.judge import initial_states, steps
from tidegate.language.steptext import format_step, parse_steps
from tidegate.language.where import Where

from ...conftest import ROOT, Run

FIXTURES = ROOT / "tests" / "fixtures" / "errors"
HABITS = ("habits", "members_on_import", "constant_on_import", "switch_on_import")


def errors_of(path: Path) -> ModelErrors:
    """What is wrong with a file that is meant to be wrong."""
    with pytest.raises(ModelErrors) as caught:
        load(path).bind()
    return caught.value


def assert_text(path: Path, text: str) -> None:
    """Compares with the recorded text, or records it when asked to."""
    if os.environ.get("TIDEGATE_UPDATE"):
        path.write_text(text + "\n", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text + "\n"


@pytest.mark.parametrize("code", CODES)
def test_each_code_has_its_exact_text(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)
    errors = errors_of(FIXTURES / f"{code}.py")
    assert {error.code for error in errors.errors} == {code}
    assert_text(FIXTURES / f"{code}.txt", errors.render())


def test_all_mistakes_of_a_file_are_found_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)
    errors = errors_of(FIXTURES / "ten_mistakes.py")
    assert len({error.code for error in errors.errors}) == len(errors.errors) == 10
    lines = [error.where.line for error in errors.errors]
    assert lines == sorted(lines)
    assert_text(FIXTURES / "ten_mistakes.txt", errors.render())


def test_no_fixture_without_a_code() -> None:
    assert {path.stem for path in FIXTURES.glob("*.py")} == {*CODES, "ten_mistakes", *HABITS}


@pytest.mark.parametrize("name", HABITS)
def test_habits_of_python_have_hints_of_their_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)
    assert_text(FIXTURES / f"{name}.txt", errors_of(FIXTURES / f"{name}.py").render())


def test_a_code_that_is_not_in_the_table_is_refused() -> None:
    with pytest.raises(AssertionError):
        Diagnostics().add("TG999", Where("m.py", 1, 0, 1, 1), "cause")


def test_the_caret_counts_characters_and_ast_counts_bytes(tmp_path: Path) -> None:
    file = tmp_path / "accents.py"
    file.write_text("é = 1 + x\n", encoding="utf-8")
    notes = Diagnostics()
    notes.add("TG201", Where(str(file), 1, 9, 1, 10), "nothing here is called x")
    with pytest.raises(ModelErrors) as caught:
        notes.raise_if_any()
    assert "\n1 | é = 1 + x\n  |         ^\n" in caught.value.render()


# --- further ways to make them ----------------------------------------------------------------------------------------

COUNTER = '''
from typing import Annotated
from tidegate.language import *

careful = constant(True)

class Node(Domain, size=SIZE):
    """A node."""

@state
class Counter:
    """A number."""
    count: Annotated[int, Range(0, 3)]
    nodes: Set[Node]

@initial
def start() -> Counter:
    """Zero."""
    return Counter(count=0, nodes=Set())

@action
def step(s: Counter, node: Node) -> None:
    """SENTENCE"""
    s.count = 1
    BODY

MORE
'''

OTHERS: dict[str, tuple[dict[str, str], str, str]] = {
    "a domain whose size is a bool": ({"SIZE": "careful"}, "TG408", "careful is not an integer"),
    "a constant without a name": ({"SIZE": "constant(1, minimum=1, maximum=2)"}, "TG408", "this constant has no name"),
    "an open brace": ({"SENTENCE": "Counts {s.count"}, "TG309", "this brace is never closed"),
    "a choice by no condition": ({"SENTENCE": "Counts{' on' if s.count else ''}."}, "TG309", "this is int, not a bool"),
    "a text that nothing chooses": ({"SENTENCE": "Counts{' on'}."}, "TG309", "text is not a value of the language"),
    "a closing brace": ({"SENTENCE": "Counts }"}, "TG309", "this brace closes nothing"),
    "profiles that are none": ({"MORE": "profiles = ['a']"}, "TG007", "these are no settings by name"),
    "a file that exits": ({"MORE": "raise SystemExit('no')"}, "TG002", "SystemExit: no"),
    "a call of an action": (
        {"BODY": "step(s, node)"},
        "TG107",
        "step is an action function",
    ),
    "a name of a number": ({"BODY": "s.nodes = {Node(s.count)}"}, "TG107", "a name is not made from a number"),
    "a state made in an action": ({"BODY": "x = Counter(count=0, nodes=Set())"}, "TG107", "a state is made by"),
    "an identity test of numbers": ({"BODY": "assert node is not node"}, "TG112", "`is` compares objects"),
    "a loop with an else": ({"BODY": "for i in range(2): pass\n    else: s.count = 1"}, "TG116", "a loop has no else"),
    "a loop over a reused name": ({"BODY": "for node in Node: pass"}, "TG213", "the loop would overwrite node"),
    "a field of a name": ({"BODY": "s.count = node.index"}, "TG202", "Node has no field index"),
    "a set of maps": (
        {"BODY": "x = {Map({n: True for n in Node})}"},
        "TG217",
        "a set of Map[Node, bool] cannot be made here",
    ),
    "keys of another type": (
        {"BODY": "x: Map[Node, bool] = Map({i: True for i in range(2)})"},
        "TG203",
        "the keys are",
    ),
    "a guard with a value": ({"BODY": "x = require(s.count > 0)"}, "TG310", "require(...) has no value"),
    "an f-string": ({"BODY": "x = f'{s.count}'"}, "TG110", "text is not a value of the language"),
    "an await": ({"BODY": "x = [*s.nodes]"}, "TG111", "a list is not a value of the language"),
    "a modules list": ({"MORE": "import math\nmodules = [math]"}, "TG010", "as a tuple of imported modules"),
    "an action without its decorator": (
        {"MORE": "def reset(s: Counter) -> None:\n    s.count = 0"},
        "TG010",
        "reset takes the state, has no decorator",
    ),
    "a default of an action's parameter": (
        {"MORE": "@action\ndef set_to(s: Counter, many: bool = True) -> None:\n    s.count = 0"},
        "TG122",
        "set_to is an action: every value of its parameters is tried",
    ),
    "a default of an initial function's parameter": (
        {"MORE": "@initial\ndef other(many: bool = True) -> Counter:\n    return Counter(count=0, nodes=Set())"},
        "TG122",
        "other is an initial function",
    ),
    "a with": ({"BODY": "with open('x') as f: s.count = 7.5"}, "TG105", "7.5 is not an integer"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_mistakes_are_reported_apart(what: str, tmp_path: Path) -> None:
    changes, code, message = OTHERS[what]
    text = COUNTER
    for word, usual in {"SIZE": "2", "SENTENCE": "Counts.", "BODY": "pass", "MORE": ""}.items():
        text = text.replace(word, changes.get(word, usual))
    file = tmp_path / "counter.py"
    file.write_text(text, encoding="utf-8")
    errors = errors_of(file).errors
    assert (code, True) in [(error.code, message in error.message) for error in errors], [
        str(error) for error in errors
    ]


def write_model(tmp_path: Path, more: str) -> Path:
    file = tmp_path / "counter.py"
    text = COUNTER.replace("BODY", "pass").replace("SIZE", "2").replace("SENTENCE", "Counts.").replace("MORE", more)
    file.write_text(text, encoding="utf-8")
    return file


HELPERS = {
    "a helper of a property": "def low(s: Counter) -> bool: return s.count < 3\n"
    "@invariant\ndef holds(s: Counter) -> bool: return low(s)",
    "a query for tests": "def total(s: Counter) -> int: return s.count",
    "a query with an underscore": "def _low(s: Counter) -> bool: return s.count < 3",
    "a helper of a sentence": "def low(s: Counter) -> bool: return s.count < 3\n"
    '@action\ndef reset(s: Counter) -> None:\n    """It was low: {low(s)}."""\n    s.count = 0',
}


@pytest.mark.parametrize("what", HELPERS)
def test_a_function_that_something_calls_needs_no_decorator(what: str, tmp_path: Path) -> None:
    load(write_model(tmp_path, HELPERS[what])).bind()


def test_a_file_with_nothing_but_helpers_is_part_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "arithmetic.py").write_text("def following(count: int) -> int:\n    return (count + 1) % 4\n")
    more = "from arithmetic import following\n@action\ndef up(s: Counter) -> None:\n    s.count = following(s.count)"
    model = load(write_model(tmp_path, more)).bind()
    assert str(tmp_path / "arithmetic.py") in model.files


def test_a_condition_of_a_number_in_or_says_what_was_meant(tmp_path: Path) -> None:
    body = "@action\ndef one(s: Counter) -> None:\n    require(s.count == 1 or 2)\n    s.count = 0"
    (error,) = errors_of(write_model(tmp_path, body)).errors
    assert error.code == "TG204"
    assert "x == 1 or x == 2" in error.hint


def test_marked_functions_of_a_file_that_was_imported_from_are_named(tmp_path: Path) -> None:
    write_model(tmp_path, "@invariant\ndef low(s: Counter) -> bool: return s.count < 4")
    variant = tmp_path / "variant.py"
    variant.write_text(
        "from tidegate.language import *\nfrom counter import Counter, start\n"
        "@action\ndef reset(s: Counter) -> None:\n    s.count = 0\n"
    )
    (note,) = load(variant).bind().notes
    assert note == (
        "step (@action), low (@invariant) of counter.py are not in this model: import them by name too, if they belong "
        "to it"
    )
    assert load(tmp_path / "counter.py").bind().notes == ()
    variant.write_text(variant.read_text().replace("import Counter, start", "import Counter, start, low"))
    (note,) = load(variant).bind().notes
    assert note == "step (@action) of counter.py is not in this model: import it by name too, if it belongs to it"


def test_a_comprehension_may_shadow_the_state(tmp_path: Path) -> None:
    file = tmp_path / "counter.py"
    body = "s.count = sum(1 for s in s.nodes if s == node)"
    text = COUNTER.replace("BODY", body).replace("SIZE", "2").replace("SENTENCE", "Counts.").replace("MORE", "")
    file.write_text(text, encoding="utf-8")
    assert load(file).bind().actions[0].form.writes == {"count"}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("def f(s: World) -> None:\n    pass\n\nclass World:\n    pass\n", "World above its first use"),
        ("x: invarant = 1\n", "did you mean invariant?"),
        ("import a_module_of_mine\n", "a_module_of_mine.py beside the file"),
    ],
)
def test_a_file_that_cannot_be_imported_says_what_is_missing(text: str, hint: str, tmp_path: Path) -> None:
    file = tmp_path / "unnamed.py"
    file.write_text(text)
    with pytest.raises(ModelErrors, match="TG002") as caught:
        load(file)
    assert hint in str(caught.value)


NESTED = '''"""A counter."""
from typing import Annotated
from tidegate.language import Range, action, initial, invariant, lemma, limit, state
@state
class Counter:
    """A number."""
    n: Annotated[int, Range(0, 3)]
@initial
def start() -> Counter:
    """Zero."""
    return Counter(n=0)
@action
def up(s: Counter) -> None:
    """Up."""
    limit(s.n < 3)
    s.n += 1
@lemma
def small(s: Counter) -> bool:
    """Small."""
'''
ROWS: dict[str, Callable[[int], str]] = {
    "sum": lambda count: f"    return {' + '.join(['s.n'] * count)} >= 0\n",
    "and": lambda count: f"    return {' and '.join(['s.n >= 0'] * count)}\n",
    "not": lambda count: f"    return {'not ' * (2 * (count // 2))}s.n < 9\n",
    "elif": lambda count: (
        "    if s.n > 3:\n        return False\n"
        + "".join(f"    elif s.n == {number + 4}:\n        return False\n" for number in range(count))
        + "    return True\n"
    ),
}


@pytest.mark.parametrize("engine", ["native", "python", "prove"])
@pytest.mark.parametrize("kind", ROWS)
def test_what_is_nested_as_deep_as_allowed_is_read_by_every_engine(
    kind: str, engine: str, tmp_path: Path, tidegate: Run
) -> None:
    file = tmp_path / "nested.py"
    file.write_text(NESTED + ROWS[kind](NESTED_MAX - 10))
    verb = ["prove", str(file)] if engine == "prove" else ["check", str(file), "--engine", engine]
    done = tidegate(*verb)
    assert (done.exit, done.err) == (0, "")


@pytest.mark.parametrize("count", [NESTED_MAX + 1, 3_000, 30_000])
@pytest.mark.parametrize("kind", ROWS)
def test_what_is_nested_deeper_is_refused_at_its_line(kind: str, count: int, tmp_path: Path) -> None:
    file = tmp_path / "nested.py"
    file.write_text(NESTED + ROWS[kind](count))
    with pytest.raises(ModelErrors, match="TG011") as caught:
        load(file)
    assert [error.where.line in (18, 20) for error in caught.value.errors] == [True]
    beside = tmp_path / "beside.py"
    beside.write_text(NESTED.replace("@state", "from nested import small as other\n@state") + "    return True\n")
    with pytest.raises(ModelErrors, match="TG011") as caught:
        load(beside)
    assert [Path(error.where.file).name for error in caught.value.errors] == ["nested.py"]


@pytest.mark.parametrize(
    ("labels", "cause"),
    [
        (["x y", "z"], "has the label 'x y', which is not a name"),
        (["a,b", "z"], "has the label 'a,b', which is not a name"),
        (["z", ""], "has the label '', which is not a name"),
        (["is", "z"], "has the label 'is', which is not a name"),
        (["A", "A"], "has the label 'A' for two members"),
        (["None", "A"], "has the label 'None', which stands for what an option is without a value"),
    ],
)
def test_a_label_that_is_not_read_back_is_refused(labels: list[str], cause: str, tmp_path: Path) -> None:
    file = tmp_path / "labels.py"
    file.write_text(LABELS.replace("LABELS", str(labels)))
    with pytest.raises(ModelErrors, match="TG413") as caught:
        load(file).bind()
    assert cause in str(caught.value)


@pytest.mark.parametrize("labels", [["B1", "B_2"], ["1", "2"], ["broker-1", "broker-2"], ["-1", "é"], ["true", "s"]])
def test_a_label_that_is_accepted_is_read_back(labels: list[str], tmp_path: Path) -> None:
    file = tmp_path / "labels.py"
    file.write_text(LABELS.replace("LABELS", str(labels)))
    model = load(file).bind()
    for start in initial_states(model):
        for run in steps(model, start):
            text = format_step(run.action, run.arguments)
            assert parse_steps(model, text)[0][1] == run.arguments


LABELS = '''"""Names."""
from tidegate.language import Domain, Option, Set, action, initial, state
class Node(Domain, size=2, labels=LABELS):
    """A node."""
@state
class World:
    """One node."""
    at: Node
@initial
def start(at: Node) -> World:
    """Somewhere."""
    return World(at=at)
@action
def move(s: World, to: Node, by: Option[Node], over: Set[Node]) -> None:
    """It moves to {to}."""
    s.at = to
'''
