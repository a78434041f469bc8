"""The verdicts of a proof: conditional, vacuous, left out and known false, each with a word and an exit of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tidegate.cli.main import main
from tidegate.explorer.smt.claims import Claims
from tidegate.explorer.smt.effort import SolverEffort
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.questions import ProofQuestions
from tidegate.explorer.smt.unbounded import boundless_constants
from tidegate.explorer.smt.vacuity import denied_antecedents
from tidegate.gates.records import known_violations, violations_elsewhere
from tidegate.invariants.catalogue import find
from tidegate.language.binding import load
from tidegate.language.proof import Obligation, Proof
from tidegate.reports.exits import Exit

from ..conftest import ROOT

FOLLOWER = ROOT / "tests" / "fixtures" / "models" / "follower.py"
TEXT = FOLLOWER.read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a cache, and a working directory, of its own."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("TIDEGATE_CACHE", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def write_model(text: str, name: str = "mine.py") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def with_invariant(body: str, text: str = TEXT) -> str:
    return write_model(f'{text}\n\n@invariant\ndef extra(s: Pair) -> bool:\n    """One more."""\n    return {body}\n')


def proof_of(path: str, asked: ProofRequest | None = None) -> Proof:
    definition = load(Path(path))
    return Induction(definition, definition.bind(path), asked or ProofRequest()).prove(lambda _: None)


def report(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[Exit, dict[str, object]]:
    capsys.readouterr()
    exit_ = Exit(main(["prove", *arguments, "--json"]))
    return exit_, json.loads(capsys.readouterr().out)


# --- conditional ------------------------------------------------------------------------------------------------------


def test_a_property_alone_is_conditional(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(TEXT)
    assert main(["prove", path, "--property", "not_ahead_by_two"]) is Exit.CONDITIONAL
    said = " ".join(capsys.readouterr().out.split())
    assert "~ mine.py: conditional, for every value of top: it rests on 1 lemma that is not proved here" in said
    assert "assumes 1 lemma that is not asked for; without --lemma and --property they are proved too" in said
    assert "✓ mine.py" not in said and "conditional not_ahead_by_two" in said
    exit_, document = report(path, "--property", "not_ahead_by_two", capsys=capsys)
    assert (exit_, document["verdict"], document["assumed"]) == (Exit.CONDITIONAL, "conditional", ["in_order"])
    assert document["properties"] == [
        {"name": "not_ahead_by_two", "says": "The lower one is not ahead by two.", "verdict": "conditional"}
    ]


def test_a_conditional_result_stays_so_when_the_lemmas_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(TEXT)
    assert main(["prove", path]) is Exit.HOLDS
    assert main(["prove", path, "--property", "not_ahead_by_two"]) is Exit.CONDITIONAL
    assert main(["prove", path, "--property", "not_ahead_by_two", "--lemma", "in_order"]) is Exit.HOLDS


def test_what_rests_on_a_refuted_lemma_is_conditional() -> None:
    path = write_model(TEXT.replace("return s.low <= s.high", "return s.low != s.high + 1"))
    proof = proof_of(path)
    assert proof.word == "refuted"
    assert (proof.word_of("in_order"), proof.assumed_lemmas()) == ("refuted", ("in_order",))
    path = with_invariant("s.low != s.high + 1", TEXT.replace("return s.low <= s.high", "return s.low != s.high + 1"))
    assert proof_of(path).word_of("extra") == "conditional"


def test_what_rests_on_steps_that_may_break_the_types_is_conditional() -> None:
    path = write_model(TEXT.replace("require(not careful or s.low < s.high)", "assert s.low < s.high"))
    proof = proof_of(path)
    assert (proof.word, proof.breaking()) == ("refuted", ("follow",))
    assert proof.word_of("not_ahead_by_two") == "conditional"


@pytest.mark.parametrize(
    ("model", "given"),
    [
        ("kraft:kafka_12619", ["--property", "leader_completeness"]),
        ("raft:paper", ["--property", "leader_completeness", "--set", "commit_rule=count_replicas"]),
    ],
)
@pytest.mark.long  # a small model with a false lemma, and a recorded violation, are ordinary
def test_figure_8_is_not_proved(model: str, given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Both lose what was committed, and that is recorded: that the property follows from lemmas, one of which is false,
    proves nothing."""
    exit_, document = report(model, *given, capsys=capsys)
    assert (exit_, document["verdict"]) == (Exit.SAFETY, "refuted")
    assert [prop["verdict"] for prop in document["properties"]] == ["refuted"]  # type: ignore[attr-defined]


# --- vacuous ----------------------------------------------------------------------------------------------------------


def test_without_an_initial_state_everything_is_vacuous(capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXT.replace("    return Pair(low=0, high=0)", "    require(top > 9)\n    return Pair(low=0, high=0)")
    assert text != TEXT
    assert main(["prove", write_model(text)]) is Exit.VACUOUS
    said = capsys.readouterr().out
    assert "✗ mine.py: vacuous" in said and "✓ mine.py" not in said
    assert "there is no initial state within the bounds that were given" in said


def test_an_action_whose_guard_contradicts_the_lemmas_is_vacuous(capsys: pytest.CaptureFixture[str]) -> None:
    never = '\n\n@action\ndef jump(s: Pair) -> None:\n    """Never."""\n    require(s.low > s.high)\n    s.low = 0\n'
    path = write_model(TEXT + never)
    for _ in range(2):  # once more, from what was kept
        assert main(["prove", path]) is Exit.VACUOUS
        assert "vacuous  jump can never happen: its guard contradicts the lemmas" in capsys.readouterr().out


EMPTY = [
    "all(s.low == 7 for n in range(s.high) if n < 0)",
    "not s.low > s.high or s.low == 7",
    "s.low <= s.high + 1 if s.low > s.high else True",
    "all(not s.low > s.high or s.low == 7 for n in range(s.high))",
    "s.low != s.high + 5 or s.low == 9",
]


@pytest.mark.parametrize("body", EMPTY)
def test_an_antecedent_that_is_never_true_is_vacuous(body: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = with_invariant(body)
    for _ in range(2):
        assert main(["prove", path]) is Exit.VACUOUS
        said = " ".join(capsys.readouterr().out.split())
        assert "vacuous extra: its antecedent is never true, by the lemmas" in said


SAYING = [
    "all(s.low <= s.high for n in range(s.high) if n >= 0)",
    "not s.low > 3 or s.high > 3",  # true of no state within the bounds, and of states beyond
    "s.low <= s.high + 1",
    "True",
]


@pytest.mark.parametrize("body", SAYING)
def test_what_says_something_is_not_vacuous(body: str) -> None:
    proof = proof_of(with_invariant(body))
    assert (proof.word, proof.word_of("extra"), proof.empty) == ("proved", "proved", ())


def test_a_step_property_whose_antecedent_is_never_true(capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXT.replace("lemma, limit, require, state", "lemma, limit, require, state, transition")
    extra = '\n\n@transition\ndef goes_on(before: Pair, after: Pair) -> bool:\n    """It goes on."""\n    return {}\n'
    path = write_model(text + extra.format("not after.high < before.high or after.low == 7"))
    assert main(["prove", path]) is Exit.VACUOUS
    assert "vacuous  goes_on: its antecedent is never true" in capsys.readouterr().out
    path = write_model(text + extra.format("not after.high > before.high or after.low == before.low"))
    assert main(["prove", path]) is Exit.HOLDS


@pytest.mark.parametrize("lemmas", [["--lemma", "in_order"], []], ids=["with the lemma", "without"])
def test_asking_for_fewer_lemmas_makes_no_result_milder(lemmas: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A property that is vacuous makes the result so, also where another one is conditional."""
    path = with_invariant("not s.low > s.high or s.low == 7")
    names = ["--property", "not_ahead_by_two", "--property", "extra"]
    exit_, document = report(path, "--workers", "1", *names, *lemmas, capsys=capsys)
    assert (exit_, document["verdict"]) == (Exit.VACUOUS, "vacuous")
    words = {prop["name"]: prop["verdict"] for prop in document["properties"]}  # type: ignore[attr-defined]
    assert words == {"not_ahead_by_two": "proved" if lemmas else "conditional", "extra": "vacuous"}
    said = "1 is proved and 1 is vacuous" if lemmas else "1 is conditional and 1 is vacuous"
    assert str(document["claim"][0]).endswith(f"; of 2 properties {said}")  # type: ignore[index]


def test_what_denies_every_antecedent_leaves_a_plain_statement_alone() -> None:
    definition = load(Path(with_invariant("s.low <= s.high and (not s.low > 2 or s.high > 2)")))
    forms = {prop.name: prop.form for prop in definition.bind("mine.py").properties}
    assert forms["extra"] is not None and denied_antecedents(forms["extra"]) is None


# --- left out ---------------------------------------------------------------------------------------------------------

FEATURE = (
    TEXT.replace("    high: Number\n", "    high: Number\n    marks: Number\n")
    .replace("high=0)", "high=0, marks=0)")
    .replace("careful = constant(", 'marking = constant(False, says="whether there are marks")\ncareful = constant(')
    + '''

@action
def mark(s: Pair) -> None:
    """A mark."""
    require(marking and s.high > 0)
    s.marks = s.high


@invariant
def marks_are_below(s: Pair) -> bool:
    """No mark is above."""
    return s.marks == 0 or s.marks <= s.high


@invariant
def marking_is_off(s: Pair) -> bool:
    """Marks are on, or there is nothing to see."""
    return not marking or s.marks <= s.high
'''
)


def test_what_is_about_a_feature_that_is_off_is_left_out_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(FEATURE)
    assert main(["prove", path]) is Exit.HOLDS
    said = " ".join(capsys.readouterr().out.split())
    assert "left out marks_are_below: nothing changes marks (switched off: mark)" in said
    assert "left out marking_is_off: it is true of every state with marking=false" in said
    exit_, document = report(path, "--property", "marks_are_below", capsys=capsys)
    assert (exit_, document["verdict"]) == (Exit.VACUOUS, "vacuous")


def test_a_feature_that_is_on_is_not_left_out() -> None:
    definition = load(Path(write_model(FEATURE)))
    induction = Induction(definition, definition.bind("mine.py", {"marking": True}), ProofRequest())
    assert induction.properties_not_claimed == {}
    assert "marks" not in Claims(induction.model).fixed_fields()


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        (
            "raft:paper",
            {
                "linearizable_reads",
                "no_disruption",
                "snapshot_replaces_what_differs",
                "snapshots_are_committed",
                "snapshots_never_shrink",
            },
        ),
        (
            "kraft:kip595",
            {
                "snapshot_covers_log_start",
                "replica_can_be_rebuilt",
                "snapshots_hold_what_is_committed",
                "old_leader_resigns",
                "voter_key_matches",
                "broker_epoch_increases",
                "no_disruption_after_fetch",
            },
        ),
        ("replication:kip320", set[str]()),
    ],
)
def test_what_the_published_models_do_not_have(name: str, left_out: set[str]) -> None:
    definition, profile = find(name)
    induction = Induction(definition, definition.bind(name, {}, profile), ProofRequest())
    assert {goal for goal, why in induction.properties_not_claimed.items() if hasattr(why, "line") is False} == left_out
    changed = induction.sample.changed_fields()
    assert changed
    assert Claims(induction.model, changed).fixed_fields().keys() == Claims(induction.model).fixed_fields().keys()


# --- known false ------------------------------------------------------------------------------------------------------

RECORD = """schema = "tidegate.spec/1"
model = "mine.py"

[[check]]
set = { careful = false }
says = "the lower one does not look"
expect = { not_ahead_by_two = { violated = 2 } }
"""


LOOKS = TEXT.replace("return s.low <= s.high", "return s.low >= 0 or s.high >= 0")
"""The lemma says nothing: what is recorded as violated does not follow from it."""


def test_a_recorded_violation_is_not_claimed(capsys: pytest.CaptureFixture[str]) -> None:
    path = with_invariant("s.low >= 0", LOOKS)
    Path("mine.toml").write_text(RECORD, encoding="utf-8")
    assert main(["prove", path, "--set", "careful=false"]) is Exit.HOLDS
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "known false not_ahead_by_two: a violation in 2 steps is recorded within the default bounds (mine.toml:4): "
        "the lower one does not look"
    ) in said
    assert ", for every value of top; of 2 properties 1 is proved and 1 is known to be false" in said
    assert main(["prove", path, "--set", "careful=false", "--property", "not_ahead_by_two"]) is Exit.SAFETY
    assert main(["prove", path]) is Exit.SAFETY  # the record is of another value of the constant


def test_where_every_property_is_known_to_be_false_nothing_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(LOOKS)
    Path("mine.toml").write_text(RECORD, encoding="utf-8")
    exit_, document = report(path, "--set", "careful=false", capsys=capsys)
    assert (exit_, document["verdict"]) == (Exit.VACUOUS, "vacuous")
    assert document["vacuous"] == [
        {"property": None, "reason": "no property is proved: each is known to be false, left out or not stated"}
    ]
    assert main(["prove", path, "--set", "careful=false", "--lemma", "in_order"]) is Exit.HOLDS


def test_what_is_recorded_as_violated_is_never_called_proved(capsys: pytest.CaptureFixture[str]) -> None:
    """Asked for by name, also where lemmas that are not proved here would show it."""
    path = write_model(TEXT)
    Path("mine.toml").write_text(RECORD.replace("careful = false", "careful = true"), encoding="utf-8")
    for lemmas in ([], ["--lemma", "in_order"]):
        exit_, document = report(path, "--property", "not_ahead_by_two", *lemmas, capsys=capsys)
        assert (exit_, document["verdict"]) == (Exit.SAFETY, "refuted")
        assert [prop["verdict"] for prop in document["properties"]] == ["refuted"]  # type: ignore[attr-defined]


def test_a_bound_that_may_be_0_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """There is no such thing then: it is another model, of which nothing is proved. The first line says so too."""
    path = write_model(TEXT.replace("minimum=1", "minimum=0"))
    assert main(["prove", path]) is Exit.HOLDS
    said = " ".join(capsys.readouterr().out.split())
    assert "✓ mine.py: proved, for every top of at least 1" in said and "value of top" not in said
    assert "not proved for top=0, which --set proves apart" in said
    assert main(["prove", write_model(TEXT, "other.py")]) is Exit.HOLDS
    said = " ".join(capsys.readouterr().out.split())
    assert "✓ other.py: proved, for every value of top" in said
    assert "top=0" not in said and "of at least 1" not in said


CRASHES = """from tidegate.language import action, constant, initial, invariant, lemma, require, state, transition

crashes = constant(1, minimum=0, maximum=4, says="crashes")


@state
class Node:
    up: bool
    used: bool


@initial
def started() -> Node:
    return Node(up=True, used=False)


@action
def use(s: Node) -> None:
    require(s.up)
    s.used = True


@action(kind="fault", budget="crashes")
def crash(s: Node) -> None:
    require(s.up)
    s.up = False


@lemma
def stays_up(s: Node) -> bool:
    return s.up


@invariant
def always_up(s: Node) -> bool:
    return s.up


@transition
def stays_used(before: Node, after: Node) -> bool:
    return after.used or not before.used
"""


def test_an_action_whose_budget_is_0_never_happens(capsys: pytest.CaptureFixture[str]) -> None:
    """As `check` has it. Of a budget of at least 1 nothing is known but that."""
    path = write_model(CRASHES)
    assert main(["prove", path, "--set", "crashes=0", "--workers", "1"]) is Exit.HOLDS
    said = " ".join(capsys.readouterr().out.split())
    assert "crash never happens: a budget of 0" in said and "not proved for" not in said
    assert "left out always_up: nothing changes up (switched off: crash)" in said
    exit_, document = report(path, "--set", "crashes=0", "--workers", "1", capsys=capsys)
    assert (exit_, document["spent"], document["never"]) == (Exit.HOLDS, ["crash"], [])
    assert document["lemmas"] == [{"name": "stays_up", "verdict": "proved"}]
    assert [prop["verdict"] for prop in document["properties"]] == ["proved"]  # type: ignore[attr-defined]
    exit_, document = report(path, "--set", "crashes=1", "--workers", "1", capsys=capsys)
    assert (exit_, document["spent"]) == (Exit.SAFETY, [])
    assert document["lemmas"] == [{"name": "stays_up", "verdict": "refuted"}]


def test_a_guard_of_an_action_whose_budget_is_0_may_break_the_types(capsys: pytest.CaptureFixture[str]) -> None:
    """`check` evaluates it too."""
    path = write_model(
        CRASHES.replace("    require(s.up)\n    s.up = False", "    require(1 // (1 if s.used else 0) == 1)")
    )
    assert main(["check", path, "--set", "crashes=0"]) is Exit.MODEL_BROKE
    capsys.readouterr()
    assert main(["prove", path, "--set", "crashes=0", "--workers", "1"]) is Exit.SAFETY
    assert "refuted: crash may break the model's types" in capsys.readouterr().out


def test_where_every_budget_is_0_and_nothing_else_happens_everything_is_vacuous(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write_model(
        CRASHES.replace("    require(s.up)\n    s.used = True", "    require(crashes > 4)\n    s.used = True")
    )
    exit_, document = report(path, "--set", "crashes=0", "--workers", "1", capsys=capsys)
    assert exit_ is Exit.VACUOUS
    assert {"property": None, "reason": "the constants switch every action off"} in document["vacuous"]  # type: ignore[operator]


def test_what_only_a_limit_stops_leaves_the_answers_of_the_properties(capsys: pytest.CaptureFixture[str]) -> None:
    """With a bound of 0 no step is within it: that action is vacuous, and what is said of the others is not."""
    path = write_model(TEXT.replace("minimum=1", "minimum=0"))
    for _ in range(2):  # once more, from what was kept
        exit_, document = report(path, "--set", "top=0", "--workers", "1", capsys=capsys)
        why = "lead can never happen: with these constants none of its steps is within the limits and the types"
        assert (exit_, document["verdict"]) == (Exit.VACUOUS, "vacuous")
        assert {"property": None, "reason": why} in document["vacuous"]  # type: ignore[operator]
        words = {prop["name"]: prop["verdict"] for prop in document["properties"]}  # type: ignore[attr-defined]
        assert words == {"not_ahead_by_two": "proved"}
    main(["prove", path, "--set", "top=0", "--workers", "1"])
    assert "proved not_ahead_by_two" in " ".join(capsys.readouterr().out.split())


POOL = """from typing import Annotated
from tidegate.language import {kind}, Capacity, Range, action, constant, initial, invariant, lemma, record, state

most = constant(1, minimum=1, maximum=4, says="messages at a time")


@record
class Note:
    number: Annotated[int, Range(0, 1)]


@state
class Mail:
    sent: Annotated[{kind}[Note], Capacity({capacity})]


@initial
def nothing() -> Mail:
    return Mail(sent={kind}())


@action
def send(s: Mail, number: Annotated[int, Range(0, 1)]) -> None:
    s.sent.add(Note(number=number))


@lemma
def notes_have_numbers(s: Mail) -> bool:
    return all(note.number <= most for note in s.sent)
"""


@pytest.mark.parametrize("kind", ["Set", "Bag"])
def test_a_capacity_without_a_bound_is_named_as_not_proved(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` stops such a model, since it breaks its own types."""
    path = write_model(POOL.format(kind=kind, capacity="most"))
    assert main(["check", path, "--property", "notes_have_numbers"]) is Exit.MODEL_BROKE
    capsys.readouterr()
    line = "not proved that sent has room for what is added, whatever the capacity; tidegate check looks at that "
    assert main(["prove", path, "--workers", "1"]) is Exit.HOLDS
    assert f"{line}within bounds" in " ".join(capsys.readouterr().out.split())
    _, document = report(path, "--workers", "1", capsys=capsys)
    assert document["room_not_proved"] == ["sent"]
    assert f"{line}within bounds" in document["claim"]  # type: ignore[operator]


@pytest.mark.parametrize("kind", ["Set", "Bag"])
def test_room_within_a_capacity_that_is_a_number_is_looked_at(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    exit_, document = report(write_model(POOL.format(kind=kind, capacity="1")), "--workers", "1", capsys=capsys)
    assert (exit_, document["room_not_proved"]) == (Exit.SAFETY, [])


# --- not asked for ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "exit_", "headline", "not_asked"),
    [
        ([], Exit.SAFETY, None, []),
        (["--without", "extra"], Exit.HOLDS, "of 2 properties 1 is proved and 1 is not asked for", ["extra"]),
        (
            ["--lemma", "in_order"],
            Exit.HOLDS,
            "of 2 properties none is proved and 2 are not asked for",
            ["not_ahead_by_two", "extra"],
        ),
        (
            ["--lemma", "in_order", "--property", "not_ahead_by_two"],
            Exit.HOLDS,
            "of 2 properties 1 is proved and 1 is not asked for",
            ["extra"],
        ),
        (
            ["--property", "not_ahead_by_two"],
            Exit.CONDITIONAL,
            "1 lemma that is not proved here; of 2 properties 1 is conditional and 1 is not asked for",
            ["extra"],
        ),
    ],
    ids=["all", "without one", "a lemma", "a lemma and a property", "a property"],
)
def test_what_is_not_asked_for_is_counted_and_named(
    options: list[str], exit_: Exit, headline: str | None, not_asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A property that is false at some bound, and so of the model: what passes it over says so."""
    path = with_invariant("s.high < 2 or s.low > 0")
    found, document = report(path, "--workers", "1", *options, capsys=capsys)
    assert (found, document["not_asked"], document["left_out"]) == (exit_, not_asked, [])
    said = str(document["claim"][0])  # type: ignore[index]
    assert said.endswith(headline) if headline else "asked" not in said
    main(["prove", path, "--workers", "1", *options])
    assert (f"not asked for {', '.join(not_asked)}" in " ".join(capsys.readouterr().out.split())) is bool(not_asked)


def test_where_every_property_is_passed_over_nothing_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    exit_, document = report(write_model(TEXT), "--without", "not_ahead_by_two", capsys=capsys)
    why = "no property is proved: each is known to be false, left out, not stated or not asked for"
    assert (exit_, document["vacuous"]) == (Exit.VACUOUS, [{"property": None, "reason": why}])


def test_no_disruption_is_known_to_be_false_of_kip_595() -> None:
    definition, profile = find("kraft:kip595")
    model = definition.bind("kraft:kip595", {}, profile)
    known = known_violations(definition, model, boundless_constants(definition, model))
    assert set(known) == {"no_disruption"}
    assert "a violation in 4 steps is recorded within two_epochs (kraft.toml:" in known["no_disruption"]
    assert "deposes a leader whom a majority follows; KIP-996" in known["no_disruption"]


def test_what_is_known_of_other_profiles_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(TEXT)
    assert main(["prove", path, "--workers", "1"]) is Exit.HOLDS
    assert "elsewhere" not in capsys.readouterr().out
    Path("mine.toml").write_text(RECORD, encoding="utf-8")
    why = "false of mine.py (careful=false): the lower one does not look"
    assert main(["prove", path, "--workers", "1"]) is Exit.HOLDS
    assert f"elsewhere not_ahead_by_two: {why}" in " ".join(capsys.readouterr().out.split())
    exit_, document = report(path, "--workers", "1", capsys=capsys)
    assert (exit_, document["false_elsewhere"]) == (Exit.HOLDS, [{"name": "not_ahead_by_two", "reason": why}])
    _, document = report(path, "--workers", "1", "--lemma", "in_order", capsys=capsys)
    assert document["false_elsewhere"] == []


def test_what_is_known_of_no_disruption_is_said_of_the_default_profile() -> None:
    """Of KIP-996 it is false while a follower has not fetched. Were it otherwise, it would be true of three voters."""
    definition, profile = find("kraft")
    three, five, never = (
        definition.bind("kraft", sizes, profile)
        for sizes in ({"voters": 3}, {"voters": 5}, {"grants_until_fetch": False})
    )
    open_ = boundless_constants(definition, three)
    known = known_violations(definition, three, open_)
    assert set(known) == {"no_disruption"}
    assert "a violation in 7 steps is recorded within two_epochs (kraft.toml:" in known["no_disruption"]
    assert "a follower that has not fetched from its leader yet grants a pre-vote" in known["no_disruption"]
    assert known_violations(definition, never, open_) == {}
    said = violations_elsewhere(definition, never, open_)["no_disruption"]
    assert "kraft:kip595 (directory_ids=false, pre_vote=false): a voter that hears from nobody deposes" in said
    assert "kraft:kip996 (grants_until_fetch=true): a follower that has not fetched" in said
    known = known_violations(definition, five, open_)
    assert set(known) == {"no_disruption", "no_disruption_after_fetch"}
    assert "a violation in 10 steps is recorded within five_voters (kraft.toml:" in known["no_disruption"]


# --- an empty range is empty ------------------------------------------------------------------------------------------


def test_positions_in_what_has_no_room_are_none() -> None:
    """Where a log may only be empty, nothing is said of its records, least of all that all of them are the same."""
    path = ROOT / "tests" / "fixtures" / "models" / "two_logs.py"
    definition = load(path)
    induction = Induction(definition, definition.bind("two_logs.py"), ProofRequest())
    questions = ProofQuestions(induction.model, induction.symmetric, SolverEffort())
    assert not questions.ask_solver(Obligation("consequence", "same"), hard=True).is_proved
