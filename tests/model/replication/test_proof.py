"""KIP-320 proved for any log and any epoch, bugs planted in it refuted, and its lemmas on every state that there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
import z3
from tidegate.cli.main import main
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.explorer.smt.encoding import finite_encoding, unbounded_encoding
from tidegate.explorer.smt.induction import FEW_OBLIGATIONS, Induction, ProofRequest
from tidegate.explorer.smt.predicate import clauses_of_predicate, evaluate_predicate
from tidegate.explorer.smt.states import constant_state, fresh_state
from tidegate.explorer.smt.terms import and_bits, boolean_term
from tidegate.invariants.catalogue import find
from tidegate.invariants.replication import properties
from tidegate.language.binding import import_file, load
from tidegate.language.errors import Diagnostics
from tidegate.language.ir import Function
from tidegate.language.judge import attempt, holds, run_text, state_shape
from tidegate.language.model import Model
from tidegate.language.proof import Proof, ProofFinding
from tidegate.language.values import Map, State
from tidegate.model import replication
from tidegate.reports.check.proof import counterexample_document
from tidegate.reports.exits import Exit

from ...support.shipped import tier_parameters
from ..test_mutants import Mutant, plant_mutant

REPLICATION, PROFILE = find("replication:kip320")
WORK = 5_000_000
"""Steps of the solver, which are the same on a busy machine."""
LEMMAS = REPLICATION.names("lemma")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where this module's proofs are kept: what a bug leaves alone is proved once."""
    return tmp_path_factory.mktemp("kept")


def bind_model(**constants: Any) -> Model:
    return REPLICATION.bind("replication:kip320", constants, PROFILE)


def prove_lemmas(folder: Path, *lemmas: str, **constants: Any) -> Proof:
    asked = ProofRequest(lemmas=lemmas, folder=folder)
    return Induction(REPLICATION, bind_model(**constants), asked).prove(lambda _: None)


@pytest.fixture(scope="module")
def three(folder: Path) -> Proof:
    return prove_lemmas(folder)


# --- the proof --------------------------------------------------------------------------------------------------------


def test_kip320_is_proved_for_three_replicas_whatever_the_bounds(three: Proof) -> None:
    assert [finding for finding in three.findings if finding.word != "proved"] == []
    assert (three.word, three.sizes) == ("proved", {"Replica": 3})
    assert three.boundless == ("log_size", "max_records", "max_leader_epoch")
    assert {*LEMMAS, "weak_isr", "strong_isr", "leader_in_isr", "one_leader_per_epoch"} <= set(three.goals)
    assert {"a_leaders_high_watermark_never_decreases", "log_matching", "committed_log_matching"} <= set(three.goals)
    assert {three.word_of(goal) for goal in three.goals} == {"proved"}


@pytest.mark.proof
def test_kip_320_is_proved_for_five_replicas(folder: Path) -> None:
    five = prove_lemmas(folder, replicas=5)
    assert [finding for finding in five.findings if finding.word != "proved"] == []
    assert (five.word, five.sizes) == ("proved", {"Replica": 5})


def test_every_action_can_happen_where_the_lemmas_hold(three: Proof) -> None:
    assert three.never == ()
    assert "fetch" in three.actions and "truncate" not in three.actions  # which is switched off
    assert three.witnesses > 10


def test_every_property_is_stated(three: Proof) -> None:
    assert three.unstated_properties == ()
    assert set(REPLICATION.names("invariant", "transition")) <= set(three.goals)


COUNTS = '''"""The true high watermark as a number, as the published specification has it."""

from __future__ import annotations

from tidegate.invariants.replication.properties import (
    no_truncation_below_true_high_watermark,
    true_high_watermark_never_decreases,
)
from tidegate.language import transition
from tidegate.model.replication import Partition


def true_high_watermark(s: Partition) -> int:
    """How many committed records every member of the ISR holds."""
    return sum(
        1 for id in s.committed if all(any(record.id == id for record in s.log[replica]) for replica in s.quorum.isr)
    )


@transition
def the_number_does_not_decrease(before: Partition, after: Partition) -> bool:
    """It says less than that the records stay: one of them may have taken another's place."""
    return (
        not true_high_watermark_never_decreases(before, after)
        or true_high_watermark(after) >= true_high_watermark(before)
    )


@transition
def no_log_becomes_shorter_than_the_number(before: Partition, after: Partition) -> bool:
    """The same of each log."""
    return not no_truncation_below_true_high_watermark(before, after) or all(
        len(after.log[replica]) >= true_high_watermark(before) for replica in before.quorum.isr
    )
'''


@pytest.mark.parametrize("prop", ["the_number_does_not_decrease", "no_log_becomes_shorter_than_the_number"])
def test_records_that_stay_are_a_number_that_does_not_decrease(prop: str, tmp_path: Path) -> None:
    """In every two states of the types, whether or not a step leads from the one to the other."""
    file = tmp_path / "counts.py"
    file.write_text(COUNTS)
    counts = import_file(file, Diagnostics())
    definition = load(replication, (properties, counts))
    model = definition.bind(None, {"log_size": 3, "max_records": 3}, "kip320", properties=[prop])
    encoding = finite_encoding(model)
    before, after = (fresh_state(model, encoding, prefix) for prefix in "01")
    said = evaluate_predicate(cast(Function, model.properties[0].form), encoding, before, after)
    solver = z3.Solver()
    solver.add(boolean_term(before.valid), boolean_term(after.valid))
    assert solver.check() == z3.sat
    solver.add(z3.Not(boolean_term(and_bits(said.value, said.definedness))))
    assert solver.check() == z3.unsat


def test_nothing_is_proved_twice(three: Proof, folder: Path) -> None:
    again = prove_lemmas(folder)
    assert again.word == "proved"
    assert all(finding.is_cached for finding in again.findings)


def test_two_replicas_are_another_proof(three: Proof, folder: Path) -> None:
    two = prove_lemmas(folder, "logs_are_copies", replicas=2)
    assert (two.word, two.sizes) == ("conditional", {"Replica": 2})
    assert not any(finding.is_cached for finding in two.findings)


def test_the_solver_accepts_the_lemmas_of_states_that_can_be_reached_and_of_no_others() -> None:
    """Contradictory hypotheses would prove anything. They are checked on real states, as formulas, and the
    solver finds nothing wrong; changed a little they are wrong."""
    model = Induction(REPLICATION, bind_model(), ProofRequest()).model
    within = REPLICATION.bind("replication:kip320", {}, PROFILE, lemmas=True)
    story = "controller_elect_leader(A); become_leader({0}); become_follower({0}, B); write(A); write(A); fetch(A, B); "
    story = story.format("LeaderAndIsr(leader=A, leader_epoch=0, isr={A, B, C})")
    states = run_text(within, story + "shrink_isr(A, C); advance_high_watermark(A)").states()
    assert all(check_lemmas_at(model, state) != z3.unsat for state in states)
    shape, last = state_shape(within), states[-1]
    assert check_lemmas_at(model, shape.replace(last, next_leader_epoch=0)) == z3.unsat
    assert check_lemmas_at(model, shape.replace(last, leader_committed=Map({0: 0, 1: 0}))) == z3.unsat
    assert check_lemmas_at(model, shape.replace(last, leader_committed=Map({0: 2, 1: 0}))) == z3.unsat


def check_lemmas_at(model: Model, state: State) -> z3.CheckSatResult:
    """What the solver says of all lemmas about one state, in the encoding without bounds."""
    encoding = unbounded_encoding(model)
    here = constant_state(model, encoding, state)
    solver = z3.Solver()
    solver.set("rlimit", WORK)
    for lemma in model.lemmas:
        if lemma.kind == "invariant":
            solver.add(
                *(
                    clause.as_assumption()
                    for clause in clauses_of_predicate(cast(Function, lemma.form), encoding, here, suffix="h")
                )
            )
    return solver.check()


# --- planted bugs -----------------------------------------------------------------------------------------------------

PLANTED = [
    ({"await_epoch_start": False}, "expand_isr", "an_isr_has_what_is_committed"),
    ({"await_epoch_start": False}, "expand_isr", "an_isr_has_every_committed_record"),
    ({"fence_high_watermark": False}, "advance_high_watermark", "an_isr_has_what_is_committed"),
    ({"fence_isr_expansion": False}, "expand_isr", "an_isr_has_what_is_committed"),
    ({"fence_fetch": False}, "fetch", "logs_are_copies"),
    ({"fence_truncation": False}, "become_follower", "logs_are_copies"),
    ({"truncation": "high_watermark"}, "become_follower", "an_isr_has_what_is_committed"),
    ({"truncation": "end_of_epoch"}, "become_follower", "logs_are_copies"),
]


OTHERS = (
    {"await_epoch_start": False}, {"fence_fetch": False}, {"fence_truncation": False}, {"truncation": "end_of_epoch"},
)  # fmt: skip
"""Bugs of a lemma and an action that others in the list have, too."""


@pytest.mark.parametrize(
    "planted", tier_parameters(PLANTED, lambda planted: planted[0] not in OTHERS, lambda planted: str(planted[0]))
)
def test_a_planted_bug_is_refuted_by_the_action_that_has_it(
    three: Proof, folder: Path, planted: tuple[dict[str, Any], str, str]
) -> None:
    bug, action, lemma = planted
    proof = prove_lemmas(folder, lemma, **bug)
    assert proof.word == "refuted"
    refuted = [finding for finding in proof.findings if finding.word == "refuted"]
    assert action in {finding.obligation.action for finding in refuted}
    for finding in refuted:
        assert_counterexample(finding)


def assert_counterexample(finding: ProofFinding) -> None:
    """Plain Python agrees: all lemmas hold, the step can be taken, and leads where the lemma does not hold."""
    found = finding.counterexample
    assert found is not None
    properties = {prop.name: prop for prop in found.model.properties}
    before, step = found.run.states()[-2], found.run.steps[-1]
    lemmas = [properties[lemma] for lemma in LEMMAS if properties[lemma].kind == "invariant"]
    assert all(holds(found.model, lemma, before) for lemma in lemmas)
    assert attempt(found.model, before, found.model.action(step.action), step.arguments) == step.state_after
    assert not holds(found.model, properties[finding.obligation.goal], step.state_after)


def test_only_what_a_switch_changes_is_proved_again(three: Proof, folder: Path) -> None:
    proof = prove_lemmas(folder, await_epoch_start=False)
    again = {finding.obligation.action for finding in proof.findings if not finding.is_cached}
    assert again == {"expand_isr"}


@pytest.mark.long  # a small model's answer, which does not depend on what is kept, is ordinary
def test_what_little_changed_comes_to_the_same_as_with_nothing_kept(three: Proof, folder: Path, tmp_path: Path) -> None:
    """Of what alone is new copies are searched before it is asked: that is quicker, and no other answer."""
    after, anew = (prove_lemmas(into, await_epoch_start=False) for into in (folder, tmp_path))
    assert sum(finding.is_cached for finding in after.findings) > FEW_OBLIGATIONS * sum(
        not finding.is_cached for finding in after.findings
    )
    assert not any(finding.is_cached for finding in anew.findings)
    words = [{finding.obligation: finding.word for finding in proof.findings} for proof in (after, anew)]
    assert words[0] == words[1] and "refuted" in words[0].values()


def test_a_counterexample_to_induction_is_a_trace_document(three: Proof, folder: Path) -> None:
    proof = prove_lemmas(folder, "an_isr_has_what_is_committed", await_epoch_start=False)
    refuted = next(finding for finding in proof.findings if finding.word == "refuted")
    document = counterexample_document(refuted)
    assert (document["schema"], document["begins"], document["replay"]) == ("tidegate.trace/1", "induction", None)
    assert document["property"]["name"] == "an_isr_has_what_is_committed"
    assert [step["action"] for step in document["steps"]] == ["expand_isr"]
    assert document["truth"]["an_isr_has_what_is_committed"] == "10"
    json.dumps(document)


# --- the published module ---------------------------------------------------------------------------------------------


@pytest.mark.long
def test_whoever_has_an_empty_isr_has_no_record_to_commit(tmp_path: Path) -> None:
    """The published module lets a replica with an empty ISR raise its high watermark, whether it leads or not. Its text
    without our guard is proved as well: nobody with an empty ISR ever has a record, so that nobody does."""
    guard = 'has."""\n    require(presumes_leadership(s, leader))\n'
    published = Mutant("replication", "replication.py", guard, 'has."""\n')
    definition = plant_mutant(tmp_path, published)
    model = definition.bind("replication:kip320", {"replicas": 2}, "kip320")
    proof = Induction(definition, model, ProofRequest()).prove(lambda _: None)
    assert [finding for finding in proof.findings if finding.word != "proved"] == []


# --- the lemmas, on every state that can be reached -------------------------------------------------------------------

SIZES = {
    "small": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1},
    "one_record": {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1},
    "two_replicas": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
    "medium": {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 1},
}


@pytest.mark.parametrize("sizes", tier_parameters(SIZES, {"one_record", "two_replicas"}.__contains__))
def test_every_lemma_holds_on_every_reachable_state(sizes: str) -> None:
    model = REPLICATION.bind("replication:kip320", SIZES[sizes], PROFILE, properties=LEMMAS)
    verdict = ENGINES["native"](model, Search(), None)
    assert {prop.name: prop.verdict for prop in verdict.properties} == dict.fromkeys(LEMMAS, "holds")


def test_a_lemma_is_judged_only_when_it_is_named() -> None:
    model = bind_model()
    assert not set(LEMMAS) & {prop.name for prop in model.properties}
    assert [field.name for field in model.fields if field.ghost] == ["committed", "left_isr"]
    named = REPLICATION.bind(
        "replication:kip320", {}, PROFILE, properties=["logs_are_copies", "what_is_committed_stays"]
    )
    assert [(prop.name, prop.kind) for prop in named.properties] == [
        ("logs_are_copies", "invariant"),
        ("what_is_committed_stays", "transition"),
    ]
    assert "leader_log" in {field.name for field in named.fields}


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def own_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEGATE_CACHE", str(folder))


def test_the_report_says_for_what_it_is_proved(
    three: Proof, own_cache: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prove", "replication:kip320"]) is Exit.HOLDS
    said = " ".join(capsys.readouterr().out.split())
    assert "✓ replication:kip320: proved for 3 replicas, for every value of log_size and max_records, for every" in said
    assert "for every max_leader_epoch of at least 1 with" in said
    assert "not proved for any other number of replicas; liveness, what must happen eventually, is not proved" in said
    assert "fetch ✓ ✓✓✓✓✓" in said and "kept" in said


def test_the_json_object_has_every_obligation(
    three: Proof, own_cache: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prove", "replication:kip320", "--json"]) is Exit.HOLDS
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["verdict"], document["sizes"]) == (
        "tidegate.proof/2",
        "proved",
        {"Replica": 3},
    )
    assert len(document["obligations"]) == len(three.findings)
    assert {prop["verdict"] for prop in document["properties"]} == {"proved"}


def test_a_refutation_is_saved_and_shown(
    three: Proof, own_cache: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ["--set", "await_epoch_start=false", "--lemma", "an_isr_has_what_is_committed"]
    assert main(["prove", "replication:kip320", *wanted, "--out", str(tmp_path)]) is Exit.SAFETY
    said = capsys.readouterr().out
    assert "refuted: expand_isr does not keep an_isr_has_what_is_committed" in said
    assert "A counterexample to induction: all lemmas hold in its first state" in said
    trace = tmp_path / "expand_isr--an_isr_has_what_is_committed.trace.json"
    assert main(["show", str(trace)]) is Exit.HOLDS
    assert "a state that the lemmas allow" in capsys.readouterr().out
    assert json.loads((tmp_path / "report.json").read_text())["verdict"] == "refuted"
