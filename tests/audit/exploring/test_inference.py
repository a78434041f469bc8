"""What an audit infers from other cells is what an exploration of the cell itself finds."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.audit.answers.verdicts import explore_losses
from tidegate.audit.exploring.case_explorer import MANY, CaseExplorer, StopRule
from tidegate.audit.exploring.case_results import ScenarioStep
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.exploring.inference import case_to_explore, is_case_decided, knowledge_of
from tidegate.audit.kafka.profiles import switches_of_brokers, version_profiles
from tidegate.audit.questions.case_order import (
    BUDGETS,
    is_case_within,
    most_informative_cases,
    narrower_cases,
    wider_cases,
)
from tidegate.audit.questions.cases import (
    case_plan_of_signature,
    case_with,
    cases_in,
    cases_of_loss,
    is_loss_explored,
    loss_case,
    signature_to_ask_instead,
)
from tidegate.audit.questions.questions import KEPT_READS, OF_TOPICS, PROPERTIES, QUESTION, WITNESS, Case
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.situations import BY_NAME, CELLS
from tidegate.language.judge import holds, initial_states, replay
from tidegate.language.model import Model
from tidegate.language.steptext import parse_steps

from ...conftest import NewExplorations
from ...support.shipped import tier_parameters


def signatures() -> Iterator[Signature]:
    """Every version with up to three replicas, and each setting that decides what is lost."""
    planes = [(version.name, kraft) for version in version_profiles() for kraft in (True, False)]
    sizes = [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]
    for (profile, kraft), (replicas, least), unclean, acks, fsync, elr in itertools.product(
        planes, sizes, (False, True), ("leader", "all"), (False, True), (False, True)
    ):
        if not elr or (kraft and profile in ("kafka_3_9", "kafka_4_1")):
            made = switches_of_brokers(profile, profile, kraft=kraft, elr=elr)
            yield Signature(profile, made, replicas, least, acks, unclean, fsync, False, 1 + replicas // 3)


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


COSTLY = (0, 1, 2, 4, 5)
"""Seeds whose signatures take a quarter of a minute and more."""


@pytest.mark.parametrize("seed", tier_parameters(range(6), lambda seed: seed not in COSTLY))
def test_what_is_inferred_is_what_is_explored(
    seed: int, new_explorations: NewExplorations, explorations: Explorations
) -> None:
    """Every cell of some signatures: whatever is said without an exploration, its exploration says too."""
    inferred = 0
    for one in random.Random(seed).sample(list(signatures()), 2):
        alone = new_explorations()
        explore_losses([one], alone)
        cases = cases_in(one)
        for case in cases:
            said = knowledge_of(case, case_plan_of_signature(one), alone)
            if said.is_explored:
                continue
            inferred += 1
            found = explorations.result_of(case)
            for name in PROPERTIES[case.kind]:
                assert name not in said.losses or name in found.scenarios or found.held_invariants.isdisjoint({name}), (
                    one,
                    case,
                )
                assert name not in said.held_properties or name in found.held_invariants, (one, case, name)
                if name in said.losses and not found.stop_reason:
                    assert name not in found.held_invariants, (one, case, name)
            assert not said.is_reached or WITNESS in found.reached_witnesses
    assert inferred


@pytest.mark.parametrize("least", [1, 2])
def test_what_a_whole_exploration_says_others_would_not_change(
    least: int, explorations: Explorations, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case whose own exploration answers all is not compared with others; compared, the same is known of it."""
    one = next(
        one for one in signatures() if (one.replicas, one.min_isr, one.acks, one.unclean) == (2, least, "all", True)
    )
    explore_losses([one], explorations)
    plan = case_plan_of_signature(one)
    alone = {case: knowledge_of(case, plan, explorations) for case in plan.cases}
    explorations.forget_inferences()
    monkeypatch.setattr("tidegate.audit.exploring.inference._is_answering_all", lambda case, own: False)  # pyright: ignore
    compared = {case: knowledge_of(case, plan, explorations) for case in plan.cases}
    assert alone == compared
    assert any(found.is_explored and found.held_properties for found in alone.values())
    assert any(found.is_explored and found.losses for found in alone.values())


def pairs(some: Sequence[Case]) -> list[tuple[Case, Case]]:
    """Pairs of which one has all the faults of the other."""
    return [(less, more) for less in some for more in some if less != more and is_case_within(less, more)]


@pytest.mark.parametrize("seed", tier_parameters(range(6), lambda seed: seed not in COSTLY[1:]))
def test_fewer_faults_lose_nothing_that_more_keep(seed: int, explorations: Explorations) -> None:
    """Any two cells of a signature that are ordered by their budgets are ordered by what is found in them."""
    one = random.Random(seed).choice(list(signatures()))
    some = random.Random(seed).sample(pairs(cases_in(one)), 12)
    for less, more in some:
        few, many = explorations.result_of(less), explorations.result_of(more)
        assert few.scenarios.keys() <= many.scenarios.keys() | ({*PROPERTIES[less.kind]} - many.held_invariants), (
            less,
            more,
        )
        assert not few.scenarios.keys() & many.held_invariants, (less, more)
        assert few.stop_reason or many.stop_reason or few.states <= many.states or few.scenarios or many.scenarios


def test_a_crash_is_a_loss_of_power_that_lost_nothing_and_a_disk_is_one_that_lost_all() -> None:
    one = next(signature for signature in signatures() if signature.replicas == 3 and not signature.fsync)

    def case(**faults: int) -> Case:
        return case_with("loss", one, faults)

    assert is_case_within(case(crashes=1), case(power_losses=1)) and is_case_within(
        case(crashes=2), case(power_losses=2)
    )
    assert is_case_within(case(disk_losses=1), case(power_losses=1)) and is_case_within(
        case(host_losses=2), case(power_losses=2)
    )
    assert is_case_within(case(crashes=1), case(crashes=1, isr_shrinks=1)) and is_case_within(case(), case(fences=1))
    assert not is_case_within(case(power_losses=1), case(crashes=1)) and not is_case_within(
        case(crashes=2), case(power_losses=1)
    )
    # What was flushed by one loss of power is not lost by the next: a crash flushes nothing.
    assert not is_case_within(case(crashes=1, power_losses=1), case(power_losses=2))
    assert not is_case_within(case(disk_losses=2), case(power_losses=2))
    assert not is_case_within(case(shutdowns=1, disk_losses=1), case(shutdowns=1, power_losses=1))
    assert not is_case_within(case(preferred_elections=1), case(fences=1, power_losses=2))


def test_what_is_on_the_disk_is_not_lost_with_power_but_with_the_disk() -> None:
    one = next(signature for signature in signatures() if signature.replicas == 3 and signature.fsync)
    crash, power, disk = (case_with("loss", one, {name: 1}) for name in ("crashes", "power_losses", "disk_losses"))
    assert crash == power and is_case_within(crash, power) and not is_case_within(disk, power)
    # More of them than the model has crashes stay what they are.
    all_, disk = case_with("loss", one, {"power_losses": 5}), case_with("loss", one, {"disk_losses": 1})
    assert all_.values["power_losses"] == 5 and is_case_within(crash, all_) and not is_case_within(disk, all_)


@pytest.mark.parametrize("seed", tier_parameters(range(4), lambda seed: seed == 1))
def test_who_waits_for_no_answer_reads_what_who_waits_for_one_reads(
    seed: int, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """acks=0 loses more, and its consumers read what those of acks=1 read: whole explorations say the same of it."""

    def never(rule: StopRule, decided: frozenset[str], states: int) -> bool:
        return False

    monkeypatch.setattr(StopRule, "is_here", never)
    bench, chance = CaseExplorer(cache), random.Random(seed)
    some = [signature for signature in signatures() if signature.acks == "leader" and signature.replicas < 3]
    for leader in chance.sample(some, 4):
        none = replace(leader, acks="none")
        assert [signature_to_ask_instead(topic, none) for topic in OF_TOPICS[:3]] == [none, leader, leader]
        for cell in chance.sample([cell for cell in CELLS if is_loss_explored(none, cell)], 4):
            found, other = bench.result_of(loss_case(none, cell)), bench.result_of(loss_case(leader, cell))
            assert not found.stop_reason and not other.stop_reason
            for name in ("consistent_read", "committed_log_matching"):
                assert (name in found.held_invariants) == (name in other.held_invariants), (none, cell)
                assert (name in found.scenarios) == (name in other.scenarios), (none, cell)


def test_a_case_for_one_question_ends_with_its_answer(cache: Path) -> None:
    one = next(
        signature
        for signature in signatures()
        if signature.replicas == 3 and signature.acks == "leader" and signature.least_isr == 2
    )
    crash = BY_NAME["crash@one"]
    ended, whole = StopRule(loss_case(replace(one, acks="none"), crash)), StopRule(loss_case(one, crash))
    assert ended.is_here(frozenset({"acknowledged_kept"}), 2) and not ended.given_up
    assert not ended.is_here(frozenset({"consistent_read"}), 3)
    assert not whole.is_here(frozenset({"acknowledged_kept", "consistent_read"}), 3)


def test_what_a_lost_cell_is_asked_beside_is_brief(new_explorations: NewExplorations) -> None:
    """Of a cell that has lost its records in one of its ways, the others are not searched to their losses: where logs
    diverge is asked in the beginning of their search, which finds what the whole one finds so soon."""
    one = next(of for of in signatures() if of.replicas == 3 and of.unclean and of.constants["heed_unclean"])
    one = replace(one, acks="all", min_isr=2)
    alone = new_explorations()
    explore_losses([one], alone)
    way = BY_NAME["crash@one"]
    first, *others = cases_of_loss(one, way)
    assert first.is_enough(frozenset(knowledge_of(first, case_plan_of_signature(one), alone).losses))
    divergence = QUESTION["no-divergence"]
    open_ = [
        case_to_explore(divergence, other, (first, *others), case_plan_of_signature(one), alone) for other in others
    ]
    brief = [case for case in open_ if case is not None]
    assert brief and all(case.brief for case in brief)
    for case in brief:
        begun, whole = alone.result_of(case), alone.result_of(replace(case, brief=False))
        assert begun.states <= whole.states and begun.scenarios.items() <= whole.scenarios.items()
    # By itself it is explored whole, and no brief one stands for it.
    lone = new_explorations()
    lone.result_of(brief[0])
    assert not knowledge_of(replace(brief[0], brief=False), case_plan_of_signature(one), lone).is_explored
    assert not StopRule(brief[0]).is_here(frozenset({"acknowledged_kept", "consistent_read"}), MANY)
    assert StopRule(brief[0]).is_here(frozenset(), MANY + 1)


def test_every_cell_is_ordered_below_itself_with_less_in_sync() -> None:
    for one in random.Random(1).sample(list(signatures()), 20):
        for cell in CELLS:
            whole = loss_case(one, BY_NAME[f"{cell.fault.name}@all"])
            assert is_case_within(whole, loss_case(one, cell)), cell.name


def test_waves_explore_less_than_there_is(new_explorations: NewExplorations) -> None:
    """Of the cells of a cluster that keeps records, and of one that loses them, a part is explored, and all decided.

    With acks=1 the smallest fault loses records but shows no reads that go; cells with more faults say which do.
    """
    for acks, most in (("all", 22), ("leader", 30)):
        one = replace(next(of for of in signatures() if of.replicas == 3 and of.profile == "kafka_3_7"),
                      acks=acks, min_isr=2)  # fmt: skip
        alone = new_explorations()
        explore_losses([one], alone)
        cases = cases_in(one)
        assert len(cases) == 43 and len(alone.known) <= most, (acks, len(alone.known))
        assert all(is_case_decided(case, knowledge_of(case, case_plan_of_signature(one), alone)) for case in cases)


def test_budgets_are_all_that_differs_between_cells() -> None:
    one = next(signatures())
    cases = cases_in(one)
    settings = [{name: value for name, value in case.constants if name not in (*BUDGETS, "fsync")} for case in cases]
    assert all(setting == settings[0] for setting in settings)


def test_who_asks_for_less_is_wider() -> None:
    one = next(
        candidate
        for candidate in signatures()
        if candidate.replicas == 3 and candidate.min_isr == 2 and candidate.acks == "all"
    )

    def make_case(acks: str, least: int) -> Case:
        return case_with("loss", replace(one, acks=acks, min_isr=least), {"crashes": 3})

    assert wider_cases(make_case("all", 2)) == (make_case("leader", 1), make_case("all", 1), make_case("leader", 2))
    assert wider_cases(make_case("leader", 2)) == (make_case("leader", 1),) and not wider_cases(make_case("leader", 1))
    assert not wider_cases(case_with("loss", replace(one, acks="none"), {"crashes": 1}))
    assert not wider_cases(case_with("loss", one, {"retries": 1})) and not wider_cases(case_with("reads", one, {}))
    cases = [make_case("all", 2), make_case("all", 1), make_case("leader", 2), case_with("loss", one, {"fences": 1})]
    assert most_informative_cases(cases) == [
        make_case("all", 1),
        make_case("leader", 2),
        case_with("loss", one, {"fences": 1}).explored_case,
    ]
    elr = next(candidate for candidate in signatures() if candidate.constants["elr"] and candidate.replicas == 3)
    assert case_with("loss", elr, {}).values["elr"] and not wider_cases(case_with("loss", elr, {}))


@pytest.mark.parametrize("seed", tier_parameters(range(4), lambda seed: seed == 3))
def test_what_is_kept_with_less_asked_for_is_kept_with_more(
    seed: int, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole explorations of both: where what is read is kept, the other case keeps all that can be asked of it; and a
    run that loses something with more asked for is one with less, step by step in plain Python, and loses it."""

    def never(rule: StopRule, decided: frozenset[str], states: int) -> bool:
        return False

    monkeypatch.setattr(StopRule, "is_here", never)
    bench, chance, kept, lost = CaseExplorer(cache), random.Random(seed), 0, 0
    some = [
        candidate
        for candidate in signatures()
        if candidate.replicas == 2 or (candidate.replicas == 3 and candidate.profile == "kafka_3_9")
    ]
    for one in chance.sample(some, 12):
        case = chance.choice([case for case in cases_in(one) if case.weight < 9])
        mine = bench.result_of(case)
        for other in chance.sample(wider_cases(case), min(2, len(wider_cases(case)))):
            theirs = bench.result_of(other)
            assert not mine.stop_reason and not theirs.stop_reason
            assert {*KEPT_READS} & theirs.held_invariants <= mine.held_invariants, (case, other)
            if {*KEPT_READS} <= theirs.held_invariants:
                kept += 1
                assert one.acks != "all" or {"acknowledged_kept", "acked_durable"} <= mine.held_invariants, (
                    case,
                    other,
                )
            for name, steps in mine.scenarios.items():
                lost += 1
                assert name in theirs.scenarios and is_violated(bench.model_of(other), name, steps), (case, other)
    assert kept and lost


def is_violated(model: Model, name: str, steps: Sequence[ScenarioStep]) -> bool:
    """Whether the steps are a run of a model, and a property is violated at its end."""
    run = replay(model, next(initial_states(model)), parse_steps(model, "; ".join(step.step for step in steps)))
    before, last = (run.start, *run.states())[-2:]
    about = next(prop for prop in model.properties if prop.name == name)
    return not (holds(model, about, before, last) if about.kind == "transition" else holds(model, about, last))


@pytest.mark.parametrize("seed", tier_parameters(range(3), lambda seed: seed == 0))
def test_what_is_inferred_from_other_settings_is_what_is_explored(
    seed: int, new_explorations: NewExplorations, explorations: Explorations
) -> None:
    """Signatures that differ in acks and min.insync.replicas, asked about together: whatever is said of one without an
    exploration of its own, its exploration says too."""
    some = [
        candidate
        for candidate in signatures()
        if candidate.replicas == 2 and candidate.min_isr == 2 and candidate.acks == "all"
    ]
    one = random.Random(seed).choice(some)
    alike = [replace(one, acks=acks, min_isr=least) for acks in ("all", "leader") for least in (1, 2)]
    together = new_explorations()
    explore_losses(alike, together)
    inferred = [
        (case, said)
        for candidate in alike
        for case in cases_in(candidate)
        if not (said := knowledge_of(case, case_plan_of_signature(candidate), together)).is_explored
    ]
    assert any(
        said.basis not in case_plan_of_signature(candidate).cases
        for candidate in alike
        for _, said in inferred
        if said.held_properties
    )
    for case, said in inferred:
        found = explorations.result_of(case)
        assert said.held_properties <= found.held_invariants, case
        assert not said.losses.keys() & found.held_invariants, case
        for name, lost in said.losses.items():
            assert is_violated(explorations.case_explorer.model_of(lost.case), name, lost.steps), (case, name)


def test_the_ends_of_a_row_are_explored_first() -> None:
    """Where most cases lose, both ends; where most keep, the widest."""
    one = next(
        candidate
        for candidate in signatures()
        if candidate.replicas == 3 and candidate.min_isr == 2 and not candidate.fsync
    )

    def row(**faults: int) -> list[Case]:
        numbers = [("leader", 1), ("all", 1), ("leader", 2), ("all", 2), ("all", 3)]
        return [case_with("loss", replace(one, acks=acks, min_isr=least), faults) for acks, least in numbers]

    lost, kept = row(power_losses=3), row(crashes=3)
    assert (
        narrower_cases(lost[0])[0].values["min_isr"] == 3
        and lost[-1] in narrower_cases(lost[2])
        and not narrower_cases(lost[-1])
    )
    assert most_informative_cases(lost) == [lost[0], lost[-1]] and most_informative_cases(kept) == kept[:1]
    whole = [
        case_with("loss", replace(one, replicas=5, acks="all", min_isr=least), {"power_losses": 3}) for least in (3, 1)
    ]
    assert most_informative_cases(whole) == whole[1:], (
        "two of five are beyond reach: what all of the ISR has is most likely kept"
    )


def test_where_a_single_fault_loses_no_more_are_looked_for(new_explorations: NewExplorations) -> None:
    """With acks=1 what is read is kept with min.insync.replicas=2 as with 1, and one broker that is cut off loses what
    was acknowledged: a rack that is cut off need not be explored once more, with as many followers that lag."""
    profile = "kafka_3_9"
    of_one = Signature(
        profile, switches_of_brokers(profile, profile, kraft=True, elr=False), 3, 1, "leader", False, False, False, 2
    )
    of_two, explorations = replace(of_one, min_isr=2), new_explorations()
    explore_losses([of_one, of_two], explorations)
    cell = BY_NAME["rack-cut-off@one"]
    wide, narrow = loss_case(of_one, cell), loss_case(of_two, cell)
    assert wide.explored_case in explorations.known and narrow.explored_case not in explorations.known
    said = knowledge_of(narrow, case_plan_of_signature(of_two), explorations)
    assert {"consistent_read", "acked_durable"} <= said.held_properties | said.losses.keys()
    explorations.explore_all([narrow])
    found = explorations.known[narrow.explored_case]
    assert said.held_properties <= found.held_invariants and not said.losses.keys() & found.held_invariants
