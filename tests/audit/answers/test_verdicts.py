"""What the audit answers is what docs/partition-matrix.md says, and its parts keep their promises.

Also of: `requirements`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tidegate.audit.answers.answer import Answer, gravest_answer, merge_answers, unfinished_answer
from tidegate.audit.answers.consumers import worst_answer
from tidegate.audit.answers.requirements import DEFAULT, check_requirements
from tidegate.audit.answers.verdicts import answer_question as answer_in
from tidegate.audit.answers.verdicts import check_subjects
from tidegate.audit.cluster.cluster import Topic
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.exploring.case_results import NO_TIME, CaseResult
from tidegate.audit.exploring.explorations import Explorations, chunks_of
from tidegate.audit.exploring.saved_results import result_json, result_of_json
from tidegate.audit.kafka.profiles import (
    audited_model_definition,
    profiles_within,
    releases_text_of_profile,
    switches_of_brokers,
)
from tidegate.audit.kafka.versions import RELEASES
from tidegate.audit.questions.cases import case_with, loss_case, loss_cases, other_cases
from tidegate.audit.questions.questions import CALM, QUESTION, Case
from tidegate.audit.questions.signature import Signature, Subject, Variant
from tidegate.audit.questions.situations import BY_NAME, CELLS, FAULTS, Name
from tidegate.audit.repairs.changes import possible_setting_changes
from tidegate.audit.repairs.repair import find_repair
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search

from ...conftest import ROOT, NewExplorations, Run
from ...support.partition_pages import GOES_ON, ROWS, VERSIONS, MatrixCell, matrix_cells
from ...support.shipped import tier_parameters

MATRIX = ROOT / "docs" / "partition-matrix.md"
COLUMNS: dict[str, Name] = {
    "one dies": "crash@all",
    "each dies once": "all-crashes@all",
    "the others lag, then one dies": "crash@one",
    "... or its disk is lost": "disk-loss@one",
    "one loses power": "power-loss@all",
    "the others lag, then one loses power": "power-loss@one",
    "each loses power once": "rack-power-loss@all",
}
"""Every column of the matrix about losses, and the cell that asks the same."""


def signature(profile: str = "kafka_3_7", kraft: bool = True, **settings: Any) -> Signature:
    """A signature of three replicas, min.isr 2, acks=all, as settings have it."""
    elr = settings.pop("elr", profile >= "kafka_4")
    plain = Signature(
        profile=profile,
        switches=switches_of_brokers(profile, profile, kraft=kraft, elr=elr),
        replicas=3,
        min_isr=2,
        acks="all",
        unclean=False,
        fsync=False,
        co_located=False,
        replicas_in_rack=1,
    )
    return replace(plain, **settings)


def answer(one: Signature, question: Any, cell: Name, explorations: Explorations) -> Answer:
    """The answer to a question in a cell that is named."""
    return answer_in(one, question, BY_NAME[cell], explorations)


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


# --- against the matrix -----------------------------------------------------------------------------------------------


def cells() -> Iterator[tuple[MatrixCell, str]]:
    text = MATRIX.read_text(encoding="utf-8")
    part = text.partition("<!-- matrix: written by the tests -->\n")[2].partition("<!-- end of matrix -->\n")[0]
    yield from matrix_cells(part)


def of_cell(cell: MatrixCell) -> Signature:
    plane = next(plane for profile, _, plane in VERSIONS if profile == cell.profile)
    _, replicas, settings = ROWS[cell.row]
    own = {**settings, "replicas_in_rack": replicas, "replicas": replicas}
    return signature(cell.profile, plane == "KRaft", **own)


def test_every_column_of_the_matrix_has_a_cell() -> None:
    assert {*COLUMNS, GOES_ON} == {cell.column for cell, _ in cells()}


@pytest.mark.parametrize(
    "profile",
    tier_parameters(
        [version for version, _, _ in VERSIONS],
        {"kafka_3_9", "kafka_3_9_zookeeper", "kafka_4_1"}.__contains__,
    ),
)
def test_the_audit_says_what_the_matrix_says(profile: str, explorations: Explorations) -> None:
    """Every cell of the page, all of it: what the page has lost the audit loses, in as many steps where it explored
    just that, and what the page keeps the audit keeps. With acks=0 the audit's checks have a failing request, too."""
    compared = 0
    for cell, said in cells():
        if cell.profile != profile:
            continue
        if cell.column in COLUMNS:
            found = answer(of_cell(cell), QUESTION["no-loss"], COLUMNS[cell.column], explorations)
            one = of_cell(cell)
            # With ELR and unclean elections or a lost disk, and up to 0.10, the audit looks at replicas that are down,
            # too, which test_losses compares with checks: the page's only lag.
            disk = COLUMNS[cell.column].startswith("disk-loss")
            shut = profile == "kafka_0_10" or ((one.unclean or disk) and one.constants["elr"])
            down = shut and COLUMNS[cell.column].endswith("@one")
            lost = said.startswith("**lost**") or (down and found.word == "can lose")
            assert (found.word == "can lose") == lost, (cell, said, found)
            assert found.word in ("can lose", "no loss found")
            same = ROWS[cell.row][0] != "0" and found.case == loss_case(of_cell(cell), BY_NAME[COLUMNS[cell.column]])
            if found.word == "can lose" and same:
                assert str(len(found.steps)) == said.split(", ")[1], (cell, said)
            compared += 1
        elif ROWS[cell.row][0] == "all":
            found = answer(of_cell(cell), QUESTION["writable"], "crash@all", explorations)
            assert (found.word == "no loss found") == (said == "yes"), (cell, said, found)
            assert found.basis == "model"
            compared += 1
    assert compared == len(COLUMNS) * len(ROWS) + 6


@pytest.mark.parametrize("min_isr", [1, 2, 3])
@pytest.mark.parametrize("profile", ["kafka_3_7", "kafka_4_1"])
def test_a_small_isr_has_what_a_stop_and_a_loss_of_power_can_do(
    profile: str, min_isr: int, explorations: Explorations
) -> None:
    """Whoever is shut down has left the ISR as one that lags has: nothing is overlooked by a cell's budgets."""
    one = signature(profile, min_isr=min_isr)
    ours = explorations.result_of(loss_case(one, BY_NAME["power-loss@one"]))
    wider = {**loss_case(one, BY_NAME["power-loss@one"]).values, "isr_shrinks": 3 - min_isr, "shutdowns": 1}
    theirs = explorations.result_of(Case("loss", tuple(sorted(wider.items()))))
    for name in ("acknowledged_kept", "acked_durable", "consistent_read"):
        assert name not in theirs.scenarios or name in ours.scenarios


@pytest.mark.parametrize(
    "profile", tier_parameters(("kafka_2_8", "kafka_3_7", "kafka_4_1"), lambda profile: profile == "kafka_3_7")
)
def test_more_copies_never_lose_where_fewer_did_not(profile: str, explorations: Explorations) -> None:
    """min.isr of 2 loses nothing that 1 keeps, in any cell, in any version: the audit rests on no such rule, repairs
    assume it."""
    for fault in FAULTS:
        for at in ("all", "one"):  # at min.isr the ISR is another one
            words = [
                answer(signature(profile, min_isr=n), QUESTION["no-loss"], f"{fault.name}@{at}", explorations).word
                for n in (1, 2)
            ]
            assert words != ["no loss found", "can lose"], (profile, fault.name, at)


# --- what fits a minute -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("elr", [False, True])
def test_five_replicas_whose_racks_are_not_stated_are_decided(elr: bool, explorations: Explorations) -> None:
    """All five in one rack: none is left that the record could be on. So it is the placement that decides."""
    one = signature("kafka_4_1" if elr else "kafka_3_7", replicas=5, min_isr=3, replicas_in_rack=0)
    for question in ("no-loss", "no-unread"):
        found = answer(one, QUESTION[question], "rack-power-loss@all", explorations)
        assert (found.word, found.facts) == ("depends", ("broker.rack",))
        assert sum(step.step.startswith("lose_power") for step in found.steps) == 5
    apart = answer(replace(one, replicas_in_rack=1), QUESTION["no-loss"], "rack-power-loss@all", explorations)
    assert apart.word == "no loss found"


def test_what_was_acknowledged_and_is_in_no_log_was_read_and_is_gone(explorations: Explorations) -> None:
    """With acks=all the one is the other: no cell has a loss of acknowledged records by it that it had not of reads."""
    for profile, name in itertools.product(("kafka_2_1", "kafka_3_7", "kafka_4_1"), sorted(set(COLUMNS.values()))):
        one = signature(profile, kraft=profile > "kafka_3", replicas_in_rack=3)
        found = explorations.result_of(loss_case(one, BY_NAME[name]))
        assert ("acked_durable" not in found.scenarios) or "consistent_read" in found.scenarios, (profile, name)


@pytest.mark.parametrize(
    ("own", "faults"),
    [
        ({"fsync": True}, {"crashes": 1, "isr_shrinks": 1}),
        ({"unclean": True}, {"crashes": 2, "power_losses": 1}),
        ({"idempotent": False, "max_in_flight": 1}, {"power_losses": 1, "isr_shrinks": 1}),
    ],
)
def test_what_does_not_matter_changes_nothing(
    own: dict[str, Any], faults: dict[str, int], explorations: Explorations
) -> None:
    """What is left out of a case as not asked for: with it the same states are found, and the same scenarios."""
    kept = case_with("loss", signature(**own), faults)
    assert kept == case_with("loss", signature(), faults)
    whole = Case("loss", tuple(sorted({**kept.values, **own}.items())))
    assert whole != kept and explorations.result_of(whole) == explorations.result_of(kept)


@pytest.mark.parametrize("co_located", [True, False])
def test_a_rack_with_all_three_replicas_that_is_cut_off_is_decided_with_lag_too(
    co_located: bool, explorations: Explorations
) -> None:
    """It was said to have too many states."""
    one = signature(replicas=3, min_isr=2, replicas_in_rack=3, co_located=co_located)
    assert answer_in(one, QUESTION["no-loss"], BY_NAME["rack-cut-off@min-isr"], explorations).word == "no loss found"


def test_cases_of_many_states_come_last_and_alone() -> None:
    signatures = [signature(replicas=replicas, min_isr=2, replicas_in_rack=0) for replicas in (5, 2, 3)]
    losses = [case for case_signature in signatures for _, ways in loss_cases(case_signature) for case in ways]
    cases = [*losses, *(case for case_signature in signatures for case in other_cases(case_signature))]
    chunks = list(chunks_of(list(dict.fromkeys(cases)), workers=2))
    weights = [case.weight for chunk in chunks for case in chunk]
    assert weights == sorted(weights)
    assert all(len(chunk) == 1 for chunk in chunks if chunk[0].weight >= 12) and weights[-1] > 12


# --- duplicates and order ---------------------------------------------------------------------------------------------


def delivery_words(one: Signature, explorations: Explorations) -> dict[str, str]:
    """The word of each cell, for duplicates and for order."""
    questions = (QUESTION["no-duplicates"], QUESTION["in-order"])
    return {
        cell.name: " / ".join(answer_in(one, question, cell, explorations).word for question in questions)
        for cell in CELLS
    }


ONE_FAULT = ("leader-move@all", "crash@all", "power-loss@all", "disk-loss@all")
BOTH_KEPT, BOTH_LOST = "no loss found / no loss found", "can lose / can lose"


@pytest.mark.parametrize("profile", ["kafka_2_8", "kafka_3_7", "kafka_4_1"])
def test_an_idempotent_producer_with_one_request_in_flight_is_safe_whatever_fails(
    profile: str, explorations: Explorations
) -> None:
    """In every cell: by the partition's model where it is asked, and by the producer's over what the log does."""
    for own in ({}, {"replicas": 2, "replicas_in_rack": 2}):
        one = signature(profile, kraft=profile > "kafka_3", max_in_flight=1, **own)
        assert set(delivery_words(one, explorations).values()) == {BOTH_KEPT}
        for cell, by in (("crash@all", "3 requests fail"), ("two-crashes@all", "one of them given up")):
            assert by in answer(one, QUESTION["in-order"], cell, explorations).why


def test_before_kip_360_a_record_that_was_given_up_may_come_late(explorations: Explorations) -> None:
    """Its request is of the producer id before, and no leader refuses it."""
    one = signature(max_in_flight=1, bumps_epoch=False)
    assert set(delivery_words(one, explorations).values()) == {"no loss found / can lose"}
    assert "9 steps of the producer" in answer(one, QUESTION["in-order"], "crash@all", explorations).why


@pytest.mark.parametrize("profile", ["kafka_2_8", "kafka_4_1"])
def test_an_idempotent_producers_second_batch_may_come_first(profile: str, explorations: Explorations) -> None:
    """KAFKA-15591: no fault is needed, only a first batch that is refused for now, and an answer that is lost."""
    one = signature(profile, kraft=profile > "kafka_3")
    assert set(delivery_words(one, explorations).values()) == {BOTH_LOST}
    found = answer(one, QUESTION["in-order"], "leader-move@all", explorations)
    assert [step.step for step in found.steps] == ["fail_to_produce", "produce(A)", "produce_again(leader=A, id=0)"]
    assert "KAFKA-15591" in found.why and "max.in.flight.requests.per.connection=1" in found.why


@pytest.mark.parametrize("acks", ["all", pytest.param("leader", marks=pytest.mark.long)])
def test_without_idempotence_retries_lose_in_every_cell(acks: str, explorations: Explorations) -> None:
    assert set(delivery_words(signature(acks=acks, idempotent=False), explorations).values()) == {BOTH_LOST}
    one_at_a_time = delivery_words(signature(acks=acks, idempotent=False, max_in_flight=1), explorations)
    assert set(one_at_a_time.values()) == {BOTH_LOST}, "what is given up on its way may come late"


@pytest.mark.parametrize("own", [{"acks": "none", "idempotent": False}, {"retries": False, "idempotent": False}])
def test_what_is_not_sent_again_is_not_there_twice_and_may_come_late(
    own: dict[str, Any], explorations: Explorations, tidegate: Run
) -> None:
    """As the producer's model says: a request that is given up with its connection may come after the next one."""
    assert set(delivery_words(signature(**own), explorations).values()) == {"no loss found / can lose"}
    why = answer(signature(**own), QUESTION["in-order"], "crash@all", explorations).why
    command = re.search(r"`tidegate (check [^`]*)`", why)
    assert command is not None
    assert tidegate(*command[1].split()).exit == 1


def test_nothing_is_said_of_the_order_of_what_is_never_written(explorations: Explorations) -> None:
    found = delivery_words(signature("kafka_3_5", min_isr=3, replicas=2), explorations)
    assert set(found.values()) == {"not checked / not checked"}


# --- versions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "last", "kraft", "expected"),
    [
        ((3, 7, 0, 0), (3, 7, 9, 0), True, ["kafka_3_7"]),
        ((3, 8, 0, 0), (3, 8, 9, 0), True, ["kafka_3_7"]),
        ((4, 0, 0, 0), (4, 0, 9, 0), True, ["kafka_3_9"]),
        ((4, 2, 0, 0), (4, 2, 9, 0), True, ["kafka_4_1"]),
        ((3, 0, 0, 0), (3, 9, 9, 9), True, ["kafka_3_3", "kafka_3_5", "kafka_3_7", "kafka_3_9"]),
        ((3, 2, 0, 0), (3, 2, 9, 0), True, []),
        ((0, 9, 0, 0), (0, 9, 9, 9), False, ["kafka_0_10"]),
        ((2, 8, 0, 0), (2, 8, 9, 0), False, ["kafka_2_8"]),
        ((4, 0, 0, 0), (4, 0, 9, 0), False, []),
    ],
)
def test_a_version_is_a_profile_of_the_model(
    first: tuple[int, ...], last: tuple[int, ...], kraft: bool, expected: list[str]
) -> None:
    assert profiles_within(first, last, kraft=kraft) == expected


@pytest.mark.parametrize(("kraft", "first", "last"), [(True, "3.3", "4.4"), (False, "0.10", "3.9")])
def test_no_release_is_left_out_between_the_profiles(kraft: bool, first: str, last: str) -> None:
    """4.0 has a profile with 3.9: whoever reads `3.9 to 4.0 or 4.1` misses none."""
    names = profiles_within((0,), (1 << 30,), kraft=kraft)
    said = [releases_text_of_profile(name, (0,), (1 << 30,), kraft=kraft).split(" to ") for name in names]
    numbers = [[RELEASES.index(tuple(map(int, text.split(".")))) for text in (span[0], span[-1])] for span in said]
    assert all(after[0] == before[1] + 1 for before, after in itertools.pairwise(numbers))
    assert (said[0][0], said[-1][-1]) == (first, last)
    assert releases_text_of_profile("kafka_3_7", (3, 7, 0, 0), (3, 7, 9, 0), kraft=kraft) == "3.7"


def test_zookeeper_has_what_the_models_own_profile_has() -> None:
    """The overlay for ZooKeeper, and the profile that the model has for its last version, are the same."""
    theirs = dict(audited_model_definition().profiles["kafka_3_9_zookeeper"])
    assert dict(switches_of_brokers("kafka_3_9", "kafka_3_9", kraft=False, elr=False)) == theirs


# --- the same by another way ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "own",
    [
        pytest.param({"elr": False, "power_losses": 1, "isr_shrinks": 1}, marks=pytest.mark.long),
        {"acks": "leader", "crashes": 1},
    ],
)
def test_a_revalued_model_is_the_bound_one(own: dict[str, Any], cache: Path) -> None:
    """One kernel and a revalued model find what a model bound for these values finds, and plain Python too."""
    opened = [
        name for name in audited_model_definition().constants if name not in ("replicas", "max_records", "log_size")
    ]
    base = audited_model_definition().bind(
        "x", {"replicas": 2, **CALM}, None, opened, properties=("acknowledged_kept",)
    )
    revalued = audited_model_definition().with_constants(base, "x", own)
    bound = audited_model_definition().bind(
        "x", {"replicas": 2, **CALM, **own}, None, opened, properties=("acknowledged_kept",)
    )
    assert revalued.values == bound.values
    assert [a.switched_off for a in revalued.actions] == [a.switched_off for a in bound.actions]
    search = Search(keep_going=True, cache=cache, recheck=5)
    found = [
        (v.distinct_states, v.transitions, [len(p.run.steps) for p in v.properties if p.run])
        for v in (ENGINES[e](m, search, None) for m in (revalued, bound) for e in ("native", "python"))
    ]
    assert len(set(map(str, found))) == 1


def test_what_is_kept_comes_back(explorations: Explorations, cache: Path) -> None:
    case = loss_case(signature(acks="leader"), BY_NAME["crash@all"])
    first = explorations.result_of(case)
    again = Explorations(cache, workers=1)
    assert again.result_of(case) == first and again.explored == 0
    assert result_of_json(result_json(first)) == first
    assert result_of_json({"scenarios": 3}) is None and result_of_json([]) is None


def test_a_broken_cache_is_explored_again(tmp_path: Path, cache: Path) -> None:
    case = loss_case(signature(), BY_NAME["leader-move@all"])
    some = Explorations(tmp_path, workers=1)
    some.case_explorer.folder = cache
    found = some.result_of(case)
    (path,) = (tmp_path / "audit").iterdir()
    path.write_text("{", encoding="utf-8")
    again = Explorations(tmp_path, workers=1)
    again.case_explorer.folder = cache
    assert again.result_of(case) == found and again.explored == 1


def test_out_of_time_is_not_checked_and_not_kept(tmp_path: Path) -> None:
    late = Explorations(tmp_path, seconds=-1, workers=1)
    found = answer(signature(), QUESTION["no-loss"], "crash@all", late)
    assert found.word == "not checked" and "inconclusive" in found.why
    assert not list(tmp_path.rglob("*.json"))


# --- several variants, repairs ----------------------------------------------------------------------------------------


def subject(*variants: Variant) -> Subject:
    return Subject((Topic("orders", Origin("topics.txt", 1), replication_factor=3),), None, variants, ())


def test_what_is_not_stated_decides_or_does_not() -> None:
    some = [Variant((("acks", a), ("version", v)), signature()) for a in ("all", "1") for v in ("3.5", "3.7")]
    reported = merge_answers(
        some, [Answer("no loss found"), Answer("no loss found"), Answer("can lose"), Answer("can lose")]
    )
    assert (reported.word, reported.facts) == ("depends", ("acks",))
    assert merge_answers(some, [Answer("can lose")] * 4).word == "can lose"


TWO_PLANES = [Variant((("control plane", plane),), signature()) for plane in ("kraft", "zookeeper")]
PROVED_ANSWER = Answer("no loss found", "model", "proved; 1 record", is_proved=True)
WITHIN_BOUNDS = Answer("no loss found", "model", "within bounds; 1 record")


@pytest.mark.parametrize("answers", [(PROVED_ANSWER, WITHIN_BOUNDS), (WITHIN_BOUNDS, PROVED_ANSWER)])
@pytest.mark.parametrize("merge", [gravest_answer, worst_answer, partial(merge_answers, TWO_PLANES)])
def test_what_is_proved_in_one_of_several_ways_alone_is_not_proved(
    answers: Sequence[Answer], merge: Callable[[Sequence[Answer]], Answer]
) -> None:
    assert merge(answers) == WITHIN_BOUNDS
    assert merge([PROVED_ANSWER, PROVED_ANSWER]) == PROVED_ANSWER


def test_a_loss_that_takes_a_fault_is_said_before_a_rare_race() -> None:
    race, loss = Answer("can lose", race="KAFKA-15591"), Answer("can lose", steps=())
    assert merge_answers(TWO_PLANES, [race, loss]) == loss == gravest_answer([race, loss])


def test_what_is_open_for_lack_of_time_is_not_said_to_depend_on_a_fact() -> None:
    fine, late = Answer("no loss found"), unfinished_answer(NO_TIME)
    some = [Variant((("version", text),), signature()) for text in ("3.8", "3.9")]
    assert merge_answers(some, [fine, late]) == late
    assert merge_answers(some, [Answer("can lose"), late]).word == "depends"
    assert merge_answers(some, [fine, Answer("not checked", "", "no record is written")]).word == "depends"


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        pytest.param(signature(acks="leader"), {"acks"}, marks=pytest.mark.long),
        (signature(replicas=1, min_isr=1), {"replicas", "min_isr"}),
        pytest.param(signature(min_isr=3), {"lower_min_isr"}, marks=pytest.mark.long),
        (signature(replicas=1, min_isr=1, acks="leader"), {"acks", "replicas", "min_isr"}),
        # 2.5.1 mends KAFKA-7235 and KAFKA-9835, both.
        pytest.param(signature("kafka_2_1", kraft=False), {"release"}, marks=pytest.mark.long),
    ],
)
def test_a_repair_is_minimal(one: Signature, expected: set[str], explorations: Explorations) -> None:
    (checked,) = check_subjects([subject(Variant((), one))], explorations)
    checks = check_requirements(checked, DEFAULT)
    assert any(check.result == "failed" for check in checks)
    found = find_repair(checked, checks, explorations)
    assert found is not None
    assert {needed.change.name for needed in found.changes} == expected
    for needed in found.changes:
        without = one
        for other in found.changes:
            without = without if other is needed else other.change.change_signature(without)
        question, cell = needed.cell
        assert answer(without, QUESTION[question], cell, explorations).word != "no loss found"


def test_every_offered_change_changes_something() -> None:
    worst = signature(replicas=2, min_isr=1, acks="none", unclean=True, idempotent=False, replicas_in_rack=2)
    for change in possible_setting_changes(worst):
        assert change.change_signature(worst) != worst
    assert len({change.name for change in possible_setting_changes(worst)}) == len(
        list(possible_setting_changes(worst))
    )


def test_a_scenario_names_brokers_only_where_brokers_are(explorations: Explorations) -> None:
    found: CaseResult = explorations.result_of(loss_case(signature(), BY_NAME["power-loss@one"]))
    says = [step.says for steps in found.scenarios.values() for step in steps]
    assert says and all(not re.search(r"(?<!⟨)\b[B-E]\b(?!⟩)", text) for text in says)
