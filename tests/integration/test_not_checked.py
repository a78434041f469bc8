"""What was not checked is never said to hold: ghosts that are folded away, deadlocks behind spent budgets, samples that
ended early."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.api.models import ModelChoice, bind_model
from tidegate.cli.main import main
from tidegate.explorer import ENGINES
from tidegate.explorer.native.outcome import Confirmation
from tidegate.explorer.search import Search, Walks
from tidegate.language.errors import UsageError
from tidegate.language.model import Model
from tidegate.language.verdict import DisagreementError, Verdict
from tidegate.reports.check.terminal import check_headline
from tidegate.reports.exits import Exit, exit_of_verdict

from ..support.engines import text_of

COUNTER = '''
"""A counter that remembers."""
from __future__ import annotations
from typing import Annotated
from tidegate.language import Ghost, Range, action, initial, invariant, limit, state

@state
class Counter:
    """A number."""
    value: Annotated[int, Range(0, 3)]
    highest: Ghost[Annotated[int, Range(0, 3)]]

@initial
def zero() -> Counter:
    return Counter(value=0, highest=0)

@action
def count(s: Counter) -> None:
    """It counts."""
    s.value = (s.value + 1) % 4
    s.highest = max(s.highest, s.value)

@invariant
def is_small(s: Counter) -> bool:
    """It is small."""
    return s.value <= 3

@invariant
def was_never_three(s: Counter) -> bool:
    """It never was three."""
    return s.highest < 3
'''

FORKS = '''
"""Two philosophers, two forks, and forks that break."""
from __future__ import annotations
from tidegate.language import Domain, Option, action, constant, initial, invariant, limit, require, state

breaks = constant(1, minimum=0, maximum=2, says="forks that break")
thefts = constant(1, minimum=0, maximum=2, says="forks that a client takes away")

class Philosopher(Domain, size=2):
    """A philosopher."""

@state
class Table:
    """Two forks."""
    left: Option[Philosopher]
    right: Option[Philosopher]
    whole: bool

@initial
def start() -> Table:
    return Table(left=None, right=None, whole=True)

@action
def take_left(s: Table, who: Philosopher) -> None:
    """{who} takes the left fork."""
    require(s.left is None)
    s.left = who

@action
def take_right(s: Table, who: Philosopher) -> None:
    """{who} takes the right fork."""
    require(s.right is None)
    s.right = who

@action
def put_down(s: Table, who: Philosopher) -> None:
    """{who} has eaten."""
    require(s.left == who)
    require(s.right == who)
    s.left = None
    s.right = None

@action(kind="fault", budget="breaks")
def fork_breaks(s: Table) -> None:
    """A fork breaks."""
    s.whole = not s.whole

@invariant
def is_table(s: Table) -> bool:
    """Nobody takes the table."""
    return s.whole or not s.whole
'''

EXHAUSTIVE = ("native", "python")
ENGINE_NAMES = (*EXHAUSTIVE, "walk")


def write_model(tmp_path: Path, text: str) -> str:
    path = tmp_path / "model.py"
    path.write_text(text)
    return str(path)


def search_model(model: Model, engine: str, search: Search | None = None) -> Verdict:
    asked = search or Search()
    return ENGINES[engine](model, replace(asked, walks=Walks(300, 40) if engine == "walk" else None), None)


def words(verdict: Verdict) -> dict[str, str]:
    return {prop.name: prop.verdict for prop in verdict.properties}


# --- ghosts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_a_violated_invariant_that_reads_a_ghost_is_found_without_being_named(tmp_path: Path, engine: str) -> None:
    verdict = search_model(bind_model(ModelChoice(write_model(tmp_path, COUNTER))), engine)
    assert (verdict.verdict, verdict.outcome) == ("violated", "safety")
    assert words(verdict)["was_never_three"] == "violated"


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_without_ghosts_a_property_that_reads_one_is_not_judged_and_nothing_holds(tmp_path: Path, engine: str) -> None:
    verdict = search_model(bind_model(ModelChoice(write_model(tmp_path, COUNTER), ghosts=False)), engine)
    assert (verdict.verdict, exit_of_verdict(verdict)) == ("inconclusive", Exit.INCONCLUSIVE)
    assert words(verdict) == {"is_small": "holds", "was_never_three": "not_checked"}
    assert verdict.assurance.endswith("but was_never_three is not checked")


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_a_property_that_was_left_out_by_name_is_not_missed(tmp_path: Path, engine: str) -> None:
    model = bind_model(ModelChoice(write_model(tmp_path, COUNTER), ghosts=False, left_out=("was_never_three",)))
    verdict = search_model(model, engine)
    assert (verdict.verdict, words(verdict)) == ("holds", {"is_small": "holds"})
    assert not bind_model(ModelChoice(write_model(tmp_path, COUNTER), properties=("is_small",))).ghosts


def test_a_property_to_leave_out_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--without was_never_four: no such property to leave out; did you mean"):
        bind_model(ModelChoice(write_model(tmp_path, COUNTER), left_out=("was_never_four",)))


def test_a_replay_without_ghosts_does_not_say_that_every_property_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_model(tmp_path, COUNTER)
    assert main(["replay", path, "--steps", "count", "--no-ghosts"]) == Exit.INCONCLUSIVE
    assert "not checked: was_never_three" in capsys.readouterr().out
    assert main(["replay", path, "--steps", "count"]) == Exit.HOLDS
    assert main(["replay", path, "--steps", "count; count; count"]) == Exit.SAFETY


def test_the_gate_keeps_ghosts_where_an_expected_property_reads_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_model(tmp_path, COUNTER)
    gate = tmp_path / "model.toml"
    head = 'schema = "tidegate.spec/1"\nmodel = "model.py"\n[[check]]\n'
    gate.write_text(f'{head}expect = {{ was_never_three = "holds" }}\n')
    assert main(["gate", str(gate)]) == Exit.UNEXPECTED
    gate.write_text(f'{head}ghosts = false\nexpect = {{ was_never_three = "holds" }}\n')
    assert main(["gate", str(gate)]) == Exit.INCONCLUSIVE
    assert "was_never_three is not checked" in capsys.readouterr().out


def test_a_model_without_properties_says_that_none_was_judged(tmp_path: Path) -> None:
    model = bind_model(ModelChoice(write_model(tmp_path, COUNTER), left_out=("is_small", "was_never_three")))
    verdict = search_model(model, "native")
    assert any(note.startswith("no property was checked") for note in verdict.notes)


# --- deadlocks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINE_NAMES)
@pytest.mark.parametrize("breaks", [0, 1, 2])
def test_a_spent_budget_of_a_fault_hides_no_deadlock(tmp_path: Path, engine: str, breaks: int) -> None:
    model = bind_model(ModelChoice(write_model(tmp_path, FORKS), (("breaks", str(breaks)),)))
    verdict = search_model(model, engine)
    assert verdict.outcome == "deadlock"
    assert verdict.failure is not None
    assert "@terminal" in verdict.failure.message
    assert verdict.failure.message.endswith("within larger bounds only faults could: fork_breaks")
    assert engine == "walk" or len(verdict.failure.run.steps) == 2 + breaks


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_a_limit_in_a_fault_hides_no_deadlock(tmp_path: Path, engine: str) -> None:
    text = FORKS.replace('(kind="fault", budget="breaks")', '(kind="fault")')
    text = text.replace("    s.whole = not s.whole", "    limit(s.whole)\n    s.whole = False")
    assert search_model(bind_model(ModelChoice(write_model(tmp_path, text))), engine).outcome == "deadlock"


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_a_spent_budget_of_a_client_is_a_bound(tmp_path: Path, engine: str) -> None:
    text = FORKS.replace('kind="fault", budget="breaks"', 'kind="client", budget="thefts"')
    verdict = search_model(bind_model(ModelChoice(write_model(tmp_path, text))), engine)
    assert verdict.verdict == "holds"
    if engine in ("native", "python"):
        assert verdict.held_states == 2, "each philosopher has one fork, the client is done"


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_deadlocks_are_no_failure_where_they_are_not_looked_for(tmp_path: Path, engine: str) -> None:
    verdict = search_model(bind_model(ModelChoice(write_model(tmp_path, FORKS))), engine, Search(deadlocks=False))
    assert verdict.verdict == "holds"
    assert "deadlocks were not looked for: --no-deadlock" in verdict.notes


def test_the_verdict_counts_states_that_only_bounds_stop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(tmp_path, FORKS.replace('kind="fault", budget="breaks"', 'kind="client", budget="thefts"'))
    for workers in ("1", "2"):
        assert main(["check", path, "--workers", workers, "--no-cache"]) == Exit.HOLDS
        assert "2 states have no next step because of these limits alone" in capsys.readouterr().out
    assert main(["check", path, "--no-deadlock", "--no-cache"]) == Exit.HOLDS
    assert "note: deadlocks were not looked for" in capsys.readouterr().out


def test_a_bound_that_stops_states_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "@action\ndef go(s: World) -> None:\n    '''A step.'''\n    s.count += 1\n"
    few = "\n\n@bound\ndef few(s: World) -> bool:\n    '''Few.'''\n    return s.count < 2\n"
    path = write_model(tmp_path, text_of("count: Small", "count=0", body + few))
    assert main(["check", path, "--no-cache"]) == Exit.HOLDS
    said = " ".join(capsys.readouterr().out.split())
    assert "1 state has no next step because of @bound few alone; it is not counted as a deadlock" in said
    assert main(["simulate", path]) == Exit.HOLDS
    assert "the last state is beyond @bound few, where nothing happens" in capsys.readouterr().out


# --- samples ----------------------------------------------------------------------------------------------------------


def test_walks_that_ended_at_a_violation_call_nothing_else_holds(tmp_path: Path) -> None:
    model = bind_model(ModelChoice(write_model(tmp_path, COUNTER)))
    assert words(search_model(model, "walk")) == {"is_small": "undecided", "was_never_three": "violated"}
    whole = search_model(model, "walk", Search(keep_going=True))
    assert words(whole) == {"is_small": "holds", "was_never_three": "violated"}


BESIDE = '''
"""A counter whose one step is wrong in three ways, and right in a fourth."""
from __future__ import annotations
from typing import Annotated
from tidegate.language import Range, action, initial, invariant, reachable, require, state, transition

@state
class Counter:
    """A number, and what it was at most."""
    value: Annotated[int, Range(0, 4)]
    highest: Annotated[int, Range(0, 4)]

@initial
def one() -> Counter:
    return Counter(value=1, highest=1)

@action
def count(s: Counter) -> None:
    """It counts."""
    require(s.value < 3)
    s.value += 1
    s.highest = max(s.highest, s.value)

@action
def wrap(s: Counter) -> None:
    """It begins again."""
    require(s.value == 3)
    s.value = 0

@invariant
def is_not_zero(s: Counter) -> bool:
    """The number is above 0."""
    return s.value > 0

@transition
def never_goes_back(before: Counter, after: Counter) -> bool:
    """The number grows."""
    return before.value <= after.value

@invariant
def was_not_higher(s: Counter) -> bool:
    """The number is what it was at most."""
    return s.value == s.highest

@reachable
def wraps(s: Counter) -> bool:
    """The number was higher."""
    return s.value < s.highest

@invariant
def is_small(s: Counter) -> bool:
    """The number is at most 3."""
    return s.value <= 3
'''


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_what_a_counterexample_violates_besides_is_not_open(tmp_path: Path, engine: str) -> None:
    verdict = search_model(bind_model(ModelChoice(write_model(tmp_path, BESIDE))), engine)
    broken = dict.fromkeys(("is_not_zero", "never_goes_back", "was_not_higher"), "violated")
    assert words(verdict) == {**broken, "wraps": "reached", "is_small": "undecided"}
    assert {prop.name: len(prop.run.steps) for prop in verdict.properties if prop.run is not None} == dict.fromkeys(
        (*broken, "wraps"), 3
    )


def test_the_first_line_says_that_not_every_state_was_looked_at(tmp_path: Path) -> None:
    chosen = bind_model(ModelChoice(write_model(tmp_path, BESIDE), properties=("is_small",)))
    assert " holds in what was looked at: " in check_headline(search_model(chosen, "walk", Search()))


# --- what any and all do not look at ----------------------------------------------------------------------------------

EARLY = '''
"""A sequence that is shorter than the loop over it."""
from __future__ import annotations
from typing import Annotated
from tidegate.language import Capacity, Range, Seq, action, initial, invariant, reachable, require, state

Number = Annotated[int, Range(0, 3)]

@state
class Queue:
    """A queue."""
    count: Number
    items: Annotated[Seq[Number], Capacity(3)]

@initial
def start() -> Queue:
    return Queue(count=0, items=Seq([0]))

@action
def count(s: Queue) -> None:
    """It counts."""
    require(any(s.items[at] == 0 for at in range(3)))
    s.count = (s.count + 1) % 4

@invariant
def not_all_one(s: Queue) -> bool:
    """Not all are one."""
    return not all(s.items[at] == 1 for at in range(3))

@reachable
def divides(s: Queue) -> bool:
    """Something divides."""
    return any(3 // (2 - at) > 2 for at in range(3))
'''


@pytest.mark.parametrize("engine", EXHAUSTIVE)
def test_any_and_all_end_where_they_are_decided(tmp_path: Path, engine: str) -> None:
    verdict = search_model(bind_model(ModelChoice(write_model(tmp_path, EARLY))), engine)
    assert verdict.failure is None
    assert words(verdict)["not_all_one"] == "holds"


def test_a_disagreement_names_the_line_and_both_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = bind_model(ModelChoice(write_model(tmp_path, COUNTER), properties=("is_small",)))

    def never(*_: object) -> bool:
        return False

    monkeypatch.setattr(Confirmation, "_property_value", never)
    with pytest.raises(
        DisagreementError, match=r"is_small \(.*model.py:24\) is true natively and is false in plain Python"
    ):
        search_model(model, "native")


# --- traces, and the verbs beside check -------------------------------------------------------------------------------


def test_show_gives_the_whole_state_and_the_first_one_is_never_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_model(tmp_path, COUNTER.replace('    """It counts."""\n', ""))
    assert main(["check", path, "--out", str(tmp_path / "report"), "--no-cache"]) == Exit.SAFETY
    trace = str(tmp_path / "report" / "was_never_three.trace.json")
    assert "1  count\n" in capsys.readouterr().out
    assert main(["show", trace, "--step", "2", "--all"]) == Exit.HOLDS
    assert "highest  2" in capsys.readouterr().out
    assert main(["show", trace, "--step", "0"]) == Exit.HOLDS
    assert "value    0" in capsys.readouterr().out
    assert main(["show", trace, "--all"]) == Exit.USAGE


def test_a_step_without_a_docstring_prints_its_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(tmp_path, FORKS.replace('    """{who} takes the left fork."""\n', ""))
    assert main(["replay", path, "--steps", "take_left(B)"]) == Exit.HOLDS
    assert "1  take_left(B)\n" in capsys.readouterr().out


def test_replay_says_that_given_steps_end_in_a_deadlock(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(tmp_path, FORKS)
    stuck = ["replay", path, "--set", "breaks=0", "--steps", "take_left(A); take_right(B)"]
    assert main(stuck) == Exit.DEADLOCK
    assert "nothing can happen here" in capsys.readouterr().out
    assert main([*stuck[:-1], "take_left(A)"]) == Exit.HOLDS
    capsys.readouterr()
    path = write_model(tmp_path, FORKS + "\n@invariant\ndef is_free(s: Table) -> bool:\n    return s.left is None\n")
    assert main(["replay", path, *stuck[2:]]) == Exit.SAFETY, "a property that fails goes first"


def test_a_property_that_is_named_and_left_out_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["check", write_model(tmp_path, COUNTER), "--property", "was_never_three", "--without", "was_never_three"]
    assert main(asked) == Exit.USAGE
    assert "was_never_three: named by --property and left out by --without" in capsys.readouterr().err


def test_sweep_says_what_never_happens_and_deadlocks_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(tmp_path, FORKS)
    assert main(["sweep", path, "--vary", "breaks=0", "--processes", "1"]) == Exit.HOLDS
    assert "deadlock; 9 states" in capsys.readouterr().out
    may_end = "\n@terminal\ndef both_wait(s: Table) -> bool:\n    return s.left != s.right\n"
    path = write_model(tmp_path, FORKS.replace("require, state", "require, state, terminal") + may_end)
    assert main(["check", path, "--set", "breaks=0", "--no-cache"]) == Exit.HOLDS
    assert "\n! never happens: fork_breaks\n" in capsys.readouterr().out
    assert main(["sweep", path, "--vary", "breaks=0", "--processes", "1"]) == Exit.HOLDS
    assert "fork_breaks never happens; 9 states" in capsys.readouterr().out


# --- more properties than a word has bits -----------------------------------------------------------------------------

MANY = """

@{kind}
def property_{number}({states}: Counter) -> bool:
    return s.value {claim}
"""


@pytest.mark.parametrize("engine", ["native", "walk"])
@pytest.mark.parametrize(("kind", "states"), [("invariant", "s"), ("transition", "b: Counter, s"), ("reachable", "s")])
def test_more_properties_than_fit_are_refused(tmp_path: Path, engine: str, kind: str, states: str) -> None:
    """Those beyond the word were never checked: 70 transition properties held, with the last one violated."""
    claims = ["> 7" if kind == "reachable" else "< 9"] * 69 + ["> 2" if kind == "reachable" else "< 3"]
    many = "".join(
        MANY.format(kind=kind, number=number, states=states, claim=claim) for number, claim in enumerate(claims)
    )
    text = COUNTER.split("@invariant")[0].replace("limit, state", "limit, reachable, state, transition") + many
    names = [f"property_{number}" for number in range(70)]
    path = write_model(tmp_path, text)
    with pytest.raises(UsageError, match=f"has 70 properties of the kind {kind}, and native code checks at most 63"):
        search_model(bind_model(ModelChoice(path)), engine)
    fitting = bind_model(ModelChoice(path, properties=tuple(names[7:])))
    assert words(search_model(fitting, engine))["property_69"] == ("reached" if kind == "reachable" else "violated")
    whole = search_model(bind_model(ModelChoice(path)), "python")
    assert words(whole)["property_69"] == ("reached" if kind == "reachable" else "violated")
