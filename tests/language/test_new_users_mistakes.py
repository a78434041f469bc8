"""What those who know TLA+ or Python write first, and what the error says: cause, place and the nearest legal form."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors

from ..support.engines import agree, bind_text, text_of

BEFORE = """
class Node(Domain, size=2):
    '''A node.'''


@record
class Vote:
    '''A vote.'''

    by: Node
    term: Small


@record
class Ack:
    '''An answer. Every record has the node.'''

    by: Node
    done: bool


Message = Vote | Ack


@record
class Few:
    '''At most two.'''

    count: Annotated[int, Range(0, 2)]


def few(count: int) -> Few:
    '''So many.'''
    return Few(count=count)


def is_late(vote: Vote) -> bool:
    '''Late.'''
    return vote.term > 2


left = constant(2, minimum=1, maximum=3, says="one number")
right = constant(2, minimum=1, maximum=3, says="another")
"""
FIELDS = """
count: Annotated[int, Range(0, 9)]
on: bool
sent: Annotated[Set[Message], Capacity(2)]
last: Message
row: Annotated[Seq[Small], Capacity(2)]
"""
START = "count=0\non=False\nsent=Set()\nlast=Ack(by=Node(0), done=False)\nrow=Seq()"
BODY = '''
@action
def up(s: World) -> None:
    """Up."""
    s.count = (s.count + 1) % 4


'''


def text(body: str, more: str = "") -> str:
    """The text of the model with this body, and more before its state."""
    return text_of(FIELDS, START, BODY + body, before=BEFORE + more)


MISTAKES = {
    "bool is visited": (
        "@action\ndef act(s: World) -> None:\n    '''Act.'''\n    for b in bool:\n        s.on = b\n",
        "TG216",
        "for b in (False, True)",
    ),
    "an invariant with a parameter": (
        "@invariant\ndef low(s: World, node: Node) -> bool:\n    '''Low.'''\n    return s.count < 9\n",
        "TG311",
        "all(... for node in ...) or any(... for node in ...) over the states alone",
    ),
    "an invariant of a step": (
        "@invariant\ndef low(before: World, after: World) -> bool:\n    '''Low.'''\n    return after.count < 9\n",
        "TG311",
        "def holds(s: World) -> bool; or @transition, for what holds of every step",
    ),
    "a transition of a state": (
        "@transition\ndef low(s: World) -> bool:\n    '''Low.'''\n    return s.count < 9\n",
        "TG311",
        "def grows(before: World, after: World) -> bool; or @invariant, for what holds of every state",
    ),
    "a number that is added to a sequence": (
        "@action\ndef act(s: World) -> None:\n    '''Act.'''\n    s.row += s.row[0]\n",
        "TG205",
        "s.row.append(s.row[0]); or s.row + Seq([s.row[0]])",
    ),
    "a member that is added to a set": (
        "@action\ndef act(s: World, node: Node) -> None:\n    '''Act.'''\n    s.on = node in Set(Node) + node\n",
        "TG205",
        "Set(Node) | {node}",
    ),
    "EXCEPT": (
        "@action\ndef act(s: World, node: Node) -> None:\n    '''Act.'''\n    s.row = {**s.row, 1: 2}\n",
        "TG111",
        "s.field[key] = value, for each key that has another value",
    ),
    "an action that waits": (
        "@action\nasync def act(s: World) -> None:\n    '''Act.'''\n    s.count = 1\n",
        "TG114",
        "def act(...)",
    ),
    "del": (
        "@action\ndef act(s: World) -> None:\n    '''Act.'''\n    del s.row[0]\n",
        "TG114",
        ".discard(x) of a Set, .truncate(n) of a Seq, or another value for the field",
    ),
    "text": (
        "@action\ndef act(s: World) -> None:\n    '''Act.'''\n    s.count = 1\n    name = f'{s.count}'\n",
        "TG110",
        "a member of an Enum or of a Domain",
    ),
    "one record of a union as a parameter": (
        "@action\ndef act(s: World, ack: Ack) -> None:\n    '''Act.'''\n    s.on = ack.done\n",
        "TG308",
        "ack: Ack | Vote, and match ack: case Ack(...): ...",
    ),
    "isinstance as a proof": (
        "@invariant\ndef low(s: World) -> bool:\n    '''Low.'''\n"
        "    return not (isinstance(s.last, Vote) and is_late(s.last))\n",
        "TG203",
        "match it: case Vote() as x: ...; isinstance says so only of a name that keeps its value",
    ),
    "messages that are numbered": (
        "@invariant\ndef low(s: World) -> bool:\n    '''Low.'''\n    return all(i < 3 for i, x in enumerate(s.sent))\n",
        "TG216",
        "a Seq, a range of known ends, an enum, or an ordered domain",
    ),
    "a step helper that calls itself": (
        "def down(s: World, n: int) -> None:\n    '''Down.'''\n    s.count = n\n    down(s, n - 1)\n\n\n"
        "@action\ndef act(s: World) -> None:\n    '''Act.'''\n    down(s, 2)\n",
        "TG106",
        "a loop over a bounded range; only a helper that returns a value may be @recursive",
    ),
}


LINES = {
    "bool is visited": "for b in bool",
    "an invariant with a parameter": "def low",
    "an invariant of a step": "def low",
    "a transition of a state": "def low",
    "a number that is added to a sequence": "s.row +=",
    "a member that is added to a set": "Set(Node) + node",
    "EXCEPT": "{**s.row",
    "an action that waits": "@action",
    "del": "del s.row",
    "text": "name = f",
    "a set of messages from a set of messages": "s.sent = {",
    "a tuple as a parameter": "def act",
    "one record of a union as a parameter": "def act",
    "isinstance as a proof": "is_late(s.last)",
    "messages that are numbered": "enumerate(s.sent)",
    "a step helper that calls itself": "    down(s, n - 1)",
}
"""What stands at the place of each."""


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_refused_with_what_to_write(what: str, tmp_path: Path) -> None:
    body, code, hint = MISTAKES[what]
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text(body))
    (error,) = caught.value.errors
    assert (error.code, error.hint) == (code, hint)
    assert LINES[what] in text(body).splitlines()[error.where.line - 1]


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("from tidegate.language import Capcity", "did you mean Capacity?"),
        ("from tidegate.language import invariants, state", "did you mean invariant?"),
        (
            "from tidegate.language import eventually",
            "or @eventually_always, with weak(...) or strong(...)",
        ),
        ("from tidegate.langage import state", "; did you mean tidegate.language?"),
        ("import tidegat", "; did you mean tidegate?"),
        ("import helprs", "; did you mean helpers?"),
    ],
)
def test_a_misspelled_import_has_the_nearest_name(line: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text('"""Helpers."""\n', encoding="utf-8")
    path = tmp_path / "misspelled.py"
    path.write_text(f'"""A model."""\n\n{line}\n', encoding="utf-8")
    with pytest.raises(ModelErrors) as caught:
        load(path)
    (error,) = caught.value.errors
    assert (error.code, error.where.line) == ("TG002", 3)
    assert error.hint.endswith(hint)


@pytest.mark.parametrize(
    "asked",
    ["Set([left]) == Set([right])", "left in Set([right])", "Set([left]) <= Set([right])", "len(Set([left, right]))",
     "Set([left]) & Set([right])", "2 in Set([left])", "Set([Set([left])]) == Set([Set([right])])",
     "Set([Vote(Node(0), left)]) == Set([Vote(Node(0), 2)])", "len(Set([Vote(Node(0), left), Vote(Node(0), 2)]))",
     "Vote(Node(0), left) in Set([Vote(Node(0), 2)])",
     "left in Set([2])", "Set([Seq([left])]) == Set([Seq([2])])", "Set([2]) | {left} == Set([2])",
     "Set([2]) == {left}", "Set([Map({1: left})]) == Set([Map({1: 2})])", "Set([(left, 1)]) == Set([(2, 1)])"],
)  # fmt: skip
def test_a_set_of_constants_is_not_compared_before_they_have_values(asked: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text("", f"SAME = {asked}\n"))
    (error,) = caught.value.errors
    assert error.code == "TG002"
    assert "a constant has a value only when the model is bound" in error.message


def test_a_set_of_constants_is_compared_where_they_have_values(tmp_path: Path) -> None:
    both = "@reachable\ndef one(s: World) -> bool:\n    '''One.'''\n    return len(BOTH) == 1 and left in BOTH\n"
    verdict = agree(bind_text(tmp_path, text(both, "BOTH = Set([left, right])\n")))
    assert verdict is not None
    assert {prop.name: prop.verdict for prop in verdict.properties} == {"one": "reached"}


def test_a_union_whose_every_record_has_a_member_of_a_domain(tmp_path: Path) -> None:
    body = '''
@action
def send(s: World, by: Node) -> None:
    """Send."""
    limit(len(s.sent) < 2)
    s.sent.add(Vote(by=by, term=s.count))
    s.last = Vote(by=by, term=s.count)


@action
def answer(s: World, message: Message) -> None:
    """Answer."""
    s.sent.remove(message)
    s.last = Ack(by=message.by, done=isinstance(message, Vote))
'''
    verdict = agree(bind_text(tmp_path, text(body)))
    assert verdict is not None
    assert verdict.outcome == "none"


RANGES = '''
@action
def act(s: World) -> None:
    """Act."""
    some = Few(count=s.count + 3)
    end = some.count
    require(any(i == 3 for i in range(some.count)) and all(i < 6 for i in range(end)))
    require(max((i for i in range(few(s.count + 3).count)), default=0) == s.count + 2)
    for i in range(end):
        s.count = i


@reachable
def far(s: World) -> bool:
    """Far."""
    return sum(i for i in range(few(s.count + 2).count)) == 10


@invariant
def short(s: World) -> bool:
    """Not so."""
    return all(i < 5 for i in range(few(s.count + 2).count))
'''


def test_a_range_to_a_number_of_a_record_made_on_the_way(tmp_path: Path) -> None:
    model = bind_text(tmp_path, text(RANGES))
    verdict = agree(model)
    assert verdict is not None
    assert {prop.name: prop.verdict for prop in verdict.properties} == {"far": "reached", "short": "violated"}


def test_a_range_on_the_way_ends_at_the_line_that_stores_too_much(tmp_path: Path) -> None:
    stored = RANGES.replace("s.count = i\n", "s.row = Seq([i])\n")
    verdict = agree(bind_text(tmp_path, text(stored)))
    assert verdict is not None
    assert verdict.failure is not None
    assert verdict.failure.message.startswith("row: 4 is outside 0..3")


@pytest.mark.parametrize(
    ("line", "hint"),
    [("s.count++", "s.count += 1"), ("s.m[r]--;", "s.m[r] -= 1"), ("s.count ++  # up", "s.count += 1"),
     ("s.count +", "a file that Python itself accepts: python -m py_compile FILE")],
)  # fmt: skip
def test_a_step_up_as_other_languages_have_it(line: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text(f'@action\ndef up(s: World) -> None:\n    """Up."""\n    {line}\n'))
    (error,) = caught.value.errors
    assert (error.code, error.hint) == ("TG001", hint)


def test_a_set_of_records_with_a_condition_is_made_at_the_beginning(tmp_path: Path) -> None:
    was = "sent=Set()"
    assert was in text("")
    for now in (
        "sent={Vote(by=Node(0), term=x) for x in range(2) if x > 0}",
        "sent={Vote(by=Node(0), term=x) for x in range(2)} if left > 1 else {Vote(by=x, term=0) for x in Node}",
    ):
        verdict = agree(bind_text(tmp_path, text("").replace(was, now)))
        assert verdict is not None
        assert verdict.outcome != "model_error"


@pytest.mark.parametrize(
    ("decorator", "cause", "hint"),
    [
        ('@bound("act")', "by keyword", '@bound(stops="act")'),
        ('@bound(stop="act")', "and stop is given", '@bound, or @bound(stops="action")'),
        ("@bound()", "and nothing is given", '@bound, or @bound(stops="action")'),
        ("@bound(stops=())", "names no action", 'stops="action", or stops=("action", "other")'),
        ("@bound(stops=3)", "names no action", 'stops="action"'),
        ("@invariant()", "missing 1 required", "@invariant without parentheses"),
        ('@reachable("far")', "stands above a function", "@reachable alone, above the function"),
    ],
)
def test_a_decorator_with_something_else_in_its_parentheses(
    decorator: str, cause: str, hint: str, tmp_path: Path
) -> None:
    marked = f"{decorator}\ndef within(before: World, after: World) -> bool:\n    '''Within.'''\n    return True\n"
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text(marked))
    (error,) = caught.value.errors
    assert (error.code, cause in error.message, hint in error.hint) == ("TG002", True, True), error


CLAIM = "def claim(s: World) -> bool:\n    '''Claim.'''\n    return s.count < 9\n"
WORDS = "always_eventually, always_possible, eventually_always, leads_to, lemma, projection, strong, weak"
ROLES = ("action", "always_eventually", "always_possible", "bound", "eventually_always", "initial", "invariant",
         "lemma", "leads_to(_there)", "projection", "reachable", "terminal", "transition")  # fmt: skip


def find_mistake(folder: Path, body: str) -> tuple[str, str, str, str]:
    """The one mistake of a model with more functions: its code, the text of its line, its cause and its hint."""
    there = "\n\ndef _there(s: World) -> bool:\n    return s.on\n\n\n"
    with pytest.raises(ModelErrors) as caught:
        bind_text(folder, text(there + body, f"from tidegate.language import {WORDS}\n"))
    (error,) = caught.value.errors
    line = Path(error.where.file).read_text(encoding="utf-8").splitlines()[error.where.line - 1]
    return error.code, line, error.message, error.hint


@pytest.mark.parametrize("swapped", [False, True])
def test_a_function_has_one_role(swapped: bool, tmp_path: Path) -> None:
    """Each role above its neighbour in the alphabet and below it: the outer decorator would replace what the inner one
    says, and nothing would check that."""
    pairs = list(zip(ROLES, (*ROLES[1:], ROLES[0]), strict=True))
    for inner, outer in [(second, first) for first, second in pairs] if swapped else pairs:
        code, line, cause, _ = find_mistake(tmp_path, f"@{outer}\n@{inner}\n{CLAIM}")
        assert (code, line) == ("TG002", f"@{outer}")
        if (inner, outer) != ("action", "always_eventually"):
            was, then = inner.partition("(")[0], outer.partition("(")[0]
            assert cause == f"claim has the role @{was} already, and @{then} would take its place"


@pytest.mark.parametrize(("first", "second"), [("record", "state"), ("state", "record")])
def test_a_class_has_one_role(first: str, second: str, tmp_path: Path) -> None:
    code, line, cause, _ = find_mistake(
        tmp_path, f"@{second}\n@{first}\nclass Both:\n    '''Both.'''\n\n    on: bool\n"
    )
    assert (code, line) == ("TG002", f"@{second}")
    assert cause == f"Both has the role @{first} already, and @{second} would take its place"


@pytest.mark.parametrize(
    ("decorator", "hint"),
    [
        ("leads_to", "@leads_to(then) or @leads_to(then, weak(action))"),
        ("weak", "the decorator of a role: "),
        ("strong", "the decorator of a role: "),
        ("always_eventually(_same)", "the decorator of a role: "),
    ],
)
def test_a_decorator_that_takes_the_function_as_its_argument_leaves_no_claim_out(
    decorator: str, hint: str, tmp_path: Path
) -> None:
    before = "def _same(s: World) -> bool:\n    return True\n\n\n"
    code, line, cause, instead = find_mistake(tmp_path, f"{before}@{decorator}\n{CLAIM}")
    assert (code, line) == ("TG010", f"@{decorator}")
    assert cause == f"@{decorator} takes claim as its argument, and leaves nothing of it in the model"
    assert instead.startswith(hint)


@pytest.mark.parametrize(
    ("decorators", "cause", "hint"),
    [
        (
            '@always_eventually(weak(up, each=["p"]))',
            "each of weak names one parameter, or several in a tuple, and is given ['p']",
            "weak(up, each=",
        ),
        (
            "@leads_to(_there, strong(up, each=Node))",
            "each of strong names one parameter, or several in a tuple, and is given Node",
            "strong(up, ",
        ),
        ("@always_eventually(weak)", "takes fairness, and is given weak", "@always_eventually(weak(action))"),
        (
            "@eventually_always(weak(up), strong)",
            "takes fairness, and is given strong",
            "@eventually_always(weak(action))",
        ),
        ("@leads_to(_there, weak)", "takes fairness, and is given weak", "@leads_to(answered, weak(action))"),
        ("@leads_to(weak)", "what comes then as a function, and is given weak", "@leads_to(answered, weak(fetch))"),
        ("@always_eventually(up)", "and is given the action up", "@always_eventually(weak(up))"),
        ("@eventually_always(weak(strong))", "given as functions or names, and strong is neither", ""),
        ("@invariant\n@leads_to", "and is given a decorator that lacks its arguments", "@invariant alone"),
    ],
)
def test_fairness_that_is_written_otherwise(decorators: str, cause: str, hint: str, tmp_path: Path) -> None:
    code, line, found, instead = find_mistake(tmp_path, f"{decorators}\n{CLAIM}")
    assert (code, line, cause in found, hint in instead) == ("TG002", decorators.partition("\n")[0], True, True), found


def test_two_functions_of_one_name_and_a_forgotten_decorator_hide_nothing(tmp_path: Path) -> None:
    step = "@action\ndef act(s: World) -> None:\n    '''Act.'''\n    s.count = s.none\n\n\n"
    forgotten = "def forgotten(s: World) -> bool:\n    return s.count < 9\n"
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text(step + step + forgotten))
    assert [error.code for error in caught.value.errors] == ["TG009", "TG202", "TG010"]


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("require(s.count => 3)", "`not a or b`"),
        ("require(s.count =< 3)", "<=, where `=<` stands"),
        ("require(s.on /\\ s.on)", "and, where"),
        ("require(s.on && s.on)", "and, where"),
    ],
)
def test_an_operator_of_another_language(line: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text(f"@action\ndef up(s: World) -> None:\n    '''Up.'''\n    {line}\n"))
    (error,) = caught.value.errors
    assert error.code == "TG001" and hint in error.hint


def test_a_set_in_a_set_of_members_is_asked_for_with_an_order(tmp_path: Path) -> None:
    lines = "@invariant\ndef both(s: World) -> bool:\n    '''Both.'''\n    return {1, 2} in s.few\n"
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text_of(FIELDS + "few: Set[Small]", START + "\nfew=Set()", BODY + lines, before=BEFORE))
    (error,) = caught.value.errors
    assert error.code == "TG203"
    assert error.hint.startswith("{1, 2} <= ...")


def test_a_name_of_the_language_is_imported(tmp_path: Path) -> None:
    lines = "@invariant\ndef kept(s: World) -> bool:\n    '''Kept.'''\n    return {}\n"
    for used, name in (("is_majority(Set(Node))", "is_majority"), ("any(q <= q for q in subsets(Node))", "subsets")):
        given = text(lines.format(used)).replace(f" {name},", "").replace(f"{name}, ", "")
        assert name not in given.partition("class Node")[0]
        with pytest.raises(ModelErrors) as caught:
            bind_text(tmp_path, given)
        assert f"from tidegate.language import {name}" in {error.hint for error in caught.value.errors}


def test_what_is_of_python_itself_is_not_imported(tmp_path: Path) -> None:
    path = tmp_path / "importing.py"
    path.write_text("from tidegate.language import next\n", encoding="utf-8")
    with pytest.raises(ModelErrors) as caught:
        load(path)
    assert caught.value.errors[0].hint == "next without an import: it is Python's own"


@pytest.mark.parametrize("annotation", ["Seq[Node, 3]", "Set[Node, 3]", "Bag[Vote, 2]"])
@pytest.mark.parametrize(("later", "code"), [(False, "TG002"), (True, "TG209")])
def test_a_capacity_stands_beside_the_type(annotation: str, later: bool, code: str, tmp_path: Path) -> None:
    """Whether Python evaluates annotations when the file is imported, or not at all."""
    body = '@action\ndef clear(s: World) -> None:\n    """Clears."""\n    s.some = Set()\n'
    written = text_of(f"some: {annotation}", "some=Set()", body, before=BEFORE)
    begins = "from enum import Enum\n"
    assert begins in written
    file = tmp_path / "capacity.py"
    file.write_text(written.replace(begins, f"from __future__ import annotations\n{begins}") if later else written)
    with pytest.raises(ModelErrors) as caught:
        load(file).bind()
    hints = [error.hint for error in caught.value.errors if error.code == code]
    assert hints and all("Annotated[Seq[Node], Capacity(3)]" in hint for hint in hints)


def test_every_file_of_a_model_that_is_not_python_is_reported(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text("from second import b\n\na = = 1\n", encoding="utf-8")
    (tmp_path / "second.py").write_text("b = 1\nb ++ \n", encoding="utf-8")
    for line in ("from first import a", "from first import a\na =="):
        path = tmp_path / "whole.py"
        path.write_text(f'"""A model."""\n\n{line}\n', encoding="utf-8")
        with pytest.raises(ModelErrors) as caught:
            load(path)
        found = [(error.code, Path(error.where.file).name, error.where.line) for error in caught.value.errors]
        own = [("TG001", "whole.py", 4)] if "==" in line else []
        assert found == [("TG001", "first.py", 3), ("TG001", "second.py", 2), *own]
        assert caught.value.render().endswith("errors; the rest of the model is read once it can be imported")


def test_a_state_made_in_an_action_is_no_matter_of_returns(tmp_path: Path) -> None:
    """`s_next = Box(...)` is how another language writes a step."""
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, STATE_MADE)
    (error,) = caught.value.errors
    assert (error.code, error.hint) == ("TG107", "s.field = value, for each that changes")


STATE_MADE = '''"""A box."""

from tidegate.language import action, initial, state


@state
class Box:
    full: bool


@initial
def empty() -> Box:
    return Box(full=False)


@action
def fill(s: Box) -> None:
    """The box is filled."""
    s_next = Box(full=True)
'''
