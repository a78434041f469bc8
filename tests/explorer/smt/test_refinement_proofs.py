"""`prove` with a refinement as its goal: proved from lemmas, and never where it is false."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.explorer.smt.errors import NotUnboundedError
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors, UsageError
from tidegate.language.proof import Obligation, Proof
from tidegate.language.values import ModelError
from tidegate.reports.check.proof import counterexample_document

from ...conftest import ROOT, Run
from ...support import random_refinements
from ...support.shipped import tier_parameters, tiered_rows

EXAMPLES = ROOT / "examples"
TCOMMIT = (EXAMPLES / "tcommit.py").read_text(encoding="utf-8")
TWO_PHASE = (EXAMPLES / "two_phase.py").read_text(encoding="utf-8")


def proof_of(folder: Path, text: str, abstract: Mapping[str, str], without: tuple[str, ...] = ()) -> Proof:
    """The proof of a model in a folder, with the abstract models beside it."""
    for name, source in abstract.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    (folder / "mine.py").write_text(text, encoding="utf-8")
    definition = load(folder / "mine.py")
    return Induction(definition, definition.bind("mine"), ProofRequest(excluded_properties=without)).prove(
        lambda _: None
    )


def words(proof: Proof, goal: str) -> set[str]:
    """What was found of each obligation about a goal."""
    return {finding.word for finding in proof.findings if finding.obligation.goal == goal}


def test_a_refinement_is_proved_from_lemmas(tmp_path: Path) -> None:
    proof = proof_of(tmp_path, TWO_PHASE, {"tcommit": TCOMMIT})
    assert words(proof, "as_transaction_commit") == {"proved"}
    asked = [finding.obligation for finding in proof.findings if finding.obligation.goal == "as_transaction_commit"]
    assert [obligation.kind for obligation in asked].count("initial") == 1
    assert {obligation.action for obligation in asked if obligation.kind == "step"} == set(proof.actions)


def test_the_command_says_that_it_is_proved(tidegate: Run) -> None:
    done = tidegate("prove", str(EXAMPLES / "two_phase.py"), "--width", "120")
    assert done.exit == 0
    assert "proved  consistent, as_transaction_commit" in done.out


FALSE = [
    ("    require(s.prepared == Set(Manager))\n", "", "refuted"),
    ("    require(order in s.orders)\n", "", "refuted"),
    ("    s.prepared.add(report.source)", "    s.prepared |= Set(Manager)", "refuted"),
    ("Status.COMMITTED if order == Decision.COMMIT", "Status.COMMITTED if order == Decision.ABORT", "refuted"),
    ("    s.status[manager] = Status.PREPARED\n", "    s.status[manager] = Status.ABORTED\n", "refuted"),
    ("receive: STUTTERS", "receive: tcommit.abort", "refuted"),
    ("Status.WORKING for manager in Manager", "Status.ABORTED for manager in Manager", "refuted"),
]


@pytest.mark.parametrize(
    ("correct", "planted", "word"), tiered_rows(FALSE, lambda row: "require" in row[0] or "WORKING" in row[0])
)
def test_a_false_refinement_is_not_proved(correct: str, planted: str, word: str, tmp_path: Path) -> None:
    assert TWO_PHASE.count(correct) == 1
    proof = proof_of(tmp_path, TWO_PHASE.replace(correct, planted), {"tcommit": TCOMMIT})
    assert word in words(proof, "as_transaction_commit")


def test_without_a_lemma_that_it_needs_it_is_not_proved(tmp_path: Path) -> None:
    text = TWO_PHASE[: TWO_PHASE.index("@lemma\ndef commit_when_all")]
    proof = proof_of(tmp_path, text, {"tcommit": TCOMMIT})
    assert words(proof, "as_transaction_commit") == {"proved", "refuted"}
    against = [finding.counterexample for finding in proof.findings if finding.word == "refuted"]
    assert {counterexample is not None and counterexample.reachable for counterexample in against} == {False}


def test_a_counterexample_to_induction_speaks_of_the_step_and_not_of_where_it_begins(tmp_path: Path) -> None:
    """The image of the state where it begins need be no initial one."""
    text = TWO_PHASE[: TWO_PHASE.index("@lemma\ndef an_order_is")].replace("# --- what is wanted", f"{REVIVE}# ---")
    text = text.replace("        abort: STUTTERS,\n", "        abort: STUTTERS,\n        revive: STUTTERS,\n")
    proof = proof_of(tmp_path, text, {"tcommit": TCOMMIT})
    step = Obligation("step", "as_transaction_commit", "revive")
    (found,) = [finding for finding in proof.findings if finding.obligation == step]
    assert found.counterexample is not None and not found.counterexample.reachable
    document = counterexample_document(found)
    assert document["truth"]["as_transaction_commit"] == "-0"
    assert document["property"]["fails"]["step"] == 1
    assert "0" not in document["abstract"][0]["steps"]
    said = [row["text"] for row in document["argument"]]
    assert not any("is not an initial state of tcommit" in sentence for sentence in said)
    assert any("no action of tcommit does this" in sentence or "@refines says" in sentence for sentence in said)


REVIVE = '''@action
def revive(s: Transaction, manager: Manager) -> None:
    """It never happens, which no lemma says."""
    require(Decision.ABORT in s.orders and s.decision is None and s.status[manager] == Status.ABORTED)
    s.status[manager] = Status.WORKING


'''


LEMMA = '\n\n@lemma\ndef small(s: {}) -> bool:\n    """Always so."""\n    return s.{} >= 0\n'


def test_an_image_of_open_constants_is_not_stated(tidegate: Run, tmp_path: Path) -> None:
    """A clock of any number of hours: the abstract clock has a number of them."""
    clock, watch = ((EXAMPLES / f"{name}_clock.py").read_text(encoding="utf-8") for name in ("hour", "minute"))
    (tmp_path / "hour_clock.py").write_text(clock, encoding="utf-8")
    for planted in (watch, watch.replace("(2 if impatient else 1)", "2")):
        text = planted.replace("initial, refines", "initial, lemma, refines") + LEMMA.format("Watch", "minute")
        (tmp_path / "mine.py").write_text(text, encoding="utf-8")
        done = tidegate("prove", str(tmp_path / "mine.py"), "--property", "as_hour_clock")
        assert done.exit != 0
        said = " ".join((done.out + done.err).split())
        assert "hour_clock is bound to values of its constants, and a proof has none for day; check it" in said


@pytest.mark.parametrize("examples", tier_parameters((1, 10, 40), (1).__eq__, long=(10).__eq__))
def test_random_refinements_that_are_false_are_not_proved(
    examples: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    @settings(
        max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        phases=[Phase.explicit, Phase.generate],
    )
    @given(seed=st.integers(0, 2**32))
    def try_one(seed: int) -> None:
        folder = tmp_path_factory.mktemp("refinement")
        abstract, concrete, _ = random_refinements.pair(seed, 1, "abstract")
        lemma = '\n\n@lemma\ndef something(s: World) -> bool:\n    """Always so."""\n    return s.junk or not s.junk\n'
        text = concrete.replace(" action, refines,", " action, lemma, refines,") + lemma
        (folder / "abstract.py").write_text(abstract, encoding="utf-8")
        (folder / "concrete.py").write_text(concrete, encoding="utf-8")
        try:
            verdict = ENGINES["native"](load(folder / "concrete.py").bind(), Search(seconds=20), None)
        except (ModelError, ModelErrors):  # a pair with a text that is refused, or with a start that breaks its types
            reject()
        if not any(prop.name == "as_abstract" and prop.verdict == "violated" for prop in verdict.properties):
            reject()
        try:
            proof = proof_of(folder, text, {})
        except (
            NotUnboundedError,
            UsageError,
            ModelErrors,
        ):  # its text needs values for constants that are open in a proof
            return
        assert words(proof, "as_abstract") != {"proved"}

    try_one()
