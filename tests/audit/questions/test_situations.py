"""What operators must be able to tell apart differs in the cells where Kafka differs, and in what is required.

Also of: `cases`, `questions`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tidegate.audit.answers.requirements import DEFAULT, PRESETS, Requirement, check_requirements, parse_requirement
from tidegate.audit.answers.verdicts import answer_question, check_subjects
from tidegate.audit.cluster.cluster import Topic
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.kafka.profiles import switches_of_brokers
from tidegate.audit.questions.cases import is_loss_explored, loss_case, whole_isr_case
from tidegate.audit.questions.questions import QUESTION
from tidegate.audit.questions.signature import Signature, Subject, Variant
from tidegate.audit.questions.situations import BY_NAME, CELLS

from ...conftest import NewExplorations
from ...support.shipped import tier_parameters


def signature(profile: str = "kafka_3_9", **settings: object) -> Signature:
    """Three replicas in three racks, min.isr 2, acks=all, KRaft; ELR since 4.1."""
    made = switches_of_brokers(profile, profile, kraft=True, elr=profile in ("kafka_4_1", "kafka_4_3"))
    plain = Signature(profile, made, 3, 2, "all", False, False, False, 1, voters=3, voters_in_rack=1)
    return replace(plain, **settings)  # pyright: ignore[reportArgumentType]


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


def failed_requirements(one: Signature, requirements: tuple[Requirement, ...], explorations: Explorations) -> set[str]:
    """The requirements that a signature's topics fail. Each is decided."""
    subject = Subject((Topic("orders", Origin("topics.txt", 1)),), None, (Variant((), one),), ())
    checks = check_requirements(check_subjects([subject], explorations)[0], requirements)
    assert {check.result for check in checks} <= {"met", "failed"}
    return {check.requirement.to_text for check in checks if check.result == "failed"}


@pytest.mark.parametrize("profile", tier_parameters(["kafka_3_9", "kafka_4_1"], lambda profile: profile == "kafka_3_9"))
def test_the_default_tells_min_isr_and_unclean_elections_apart(profile: str, explorations: Explorations) -> None:
    standard = tuple(DEFAULT)
    assert failed_requirements(signature(profile), standard, explorations) == set()
    assert "no-loss=power-loss@min-isr" in failed_requirements(signature(profile, min_isr=1), standard, explorations)
    unclean = failed_requirements(signature(profile, unclean=True), standard, explorations)
    assert {"no-loss=two-crashes@min-isr", "no-loss=crash@one"} <= unclean
    assert "writable=crash@all" in failed_requirements(signature(profile, min_isr=3), standard, explorations)
    assert "no-loss=leader-move@min-isr" in failed_requirements(
        signature(profile, acks="leader"), standard, explorations
    )


@pytest.mark.parametrize("replicas", [1, 3])
def test_without_acks_a_request_that_fails_is_lost(replicas: int, explorations: Explorations) -> None:
    """The producer takes what it sent for written (Sender.sendProduceRequest expects no response with acks=0). That
    is so with nobody down, and so in every cell: also where only controllers are lost."""
    careless = signature(acks="none", replicas=replicas, min_isr=1)
    said = {cell.name: answer_question(careless, QUESTION["no-loss"], cell, explorations) for cell in CELLS}
    assert {cell for cell, found in said.items() if found.word != "can lose"} == set()
    assert any("reaches no leader" in step.says for step in said["crash@all"].steps)


def test_strict_can_be_met_and_dev_asks_little(explorations: Explorations) -> None:
    strict = PRESETS["strict"].requirements
    assert failed_requirements(signature("kafka_4_3", max_in_flight=1), strict, explorations) == set()
    of_two_batches = {
        f"{what}={fault}@all" for what in ("no-duplicates", "in-order") for fault in ("crash", "power-loss")
    }
    assert failed_requirements(signature("kafka_4_3"), strict, explorations) == of_two_batches, "KAFKA-15591"
    assert "no-loss=disk-loss@one" in failed_requirements(signature("kafka_4_1"), strict, explorations)
    assert "no-loss=power-loss@one" in failed_requirements(signature("kafka_3_9"), strict, explorations)
    single = signature(replicas=1, min_isr=1, voters=1)
    assert failed_requirements(single, PRESETS["dev"].requirements, explorations) == set()
    assert parse_requirement("strict") == strict


@pytest.mark.parametrize("switch", ["reject_restarted", "one_snapshot"])
def test_a_zombie_reaches_what_kip_903_mends(switch: str, explorations: Explorations) -> None:
    """KAFKA-14139 and KAFKA-15221, each alone in the newest version: a broker is cut off and one loses power. With all
    the switches on the same cells keep every record."""
    wrong = signature("kafka_4_1", switches=((switch, False),))
    cells = [BY_NAME[f"cut-off-power-loss@{at}"] for at in ("min-isr", "one")]
    found = {cell.name: explorations.result_of(loss_case(wrong, cell)).scenarios for cell in cells}
    assert any("acknowledged_kept" in scenarios for scenarios in found.values()), found.keys()
    for cell in cells:
        assert "acknowledged_kept" in explorations.result_of(loss_case(signature("kafka_4_1"), cell)).held_invariants


def test_acks_1_below_min_isr_is_written_and_not_read(explorations: Explorations) -> None:
    """KAFKA-15583: since 3.7 the high watermark stands still there."""
    cell = BY_NAME["leader-move@one"]
    for profile, read in (("kafka_3_5", "no loss found"), ("kafka_3_9", "can lose")):
        one = signature(profile, acks="leader")
        assert answer_question(one, QUESTION["writable"], cell, explorations).word == "no loss found"
        assert answer_question(one, QUESTION["readable"], cell, explorations).word == read


def test_up_to_three_replicas_nearly_every_cell_is_asked() -> None:
    left = [cell.name for cell in CELLS if not is_loss_explored(signature(replicas_in_rack=3), cell)]
    assert set(left) == {f"{name}@{at}" for name in ("rack-power-loss", "rack-loss")
                         for at in ("min-isr", "one")}  # fmt: skip
    assert all(is_loss_explored(signature(), cell) for cell in CELLS)
    unclean = [cell.name for cell in CELLS if not is_loss_explored(signature(replicas_in_rack=3, unclean=True), cell)]
    assert {*unclean} - {*left} == {"rack-cut-off@min-isr", "rack-cut-off@one"}


@pytest.mark.parametrize("least", [1, 2])
def test_a_rack_that_is_cut_off_is_decided_by_one_broker_where_leaders_are_elected_uncleanly(
    least: int, explorations: Explorations
) -> None:
    one = signature(replicas_in_rack=3, unclean=True, min_isr=least)
    for question in ("no-loss", "no-unread"):
        assert answer_question(one, QUESTION[question], BY_NAME["rack-cut-off@one"], explorations).word == "can lose"


@pytest.mark.long
def test_a_rack_of_five_that_loses_power_where_all_is_flushed_has_too_many_states(explorations: Explorations) -> None:
    """Its exploration is given up, with no loss found by then, and is not made in an audit. Where less is in the rack,
    or leaders are elected uncleanly, it is."""
    cell, five = BY_NAME["rack-power-loss@all"], signature(replicas=5, fsync=True, replicas_in_rack=5)
    assert not is_loss_explored(five, cell)
    found = explorations.result_of(loss_case(five, cell))
    assert found.stop_reason.startswith("given up") and not found.scenarios
    for other in (replace(five, replicas_in_rack=4), replace(five, unclean=True), replace(five, fsync=False)):
        assert is_loss_explored(other, cell)


LATTICE = [(replicas, least) for replicas in range(1, 6) for least in range(1, replicas + 1)]


@pytest.mark.parametrize("profile", ["kafka_3_9", "kafka_4_1"])
@pytest.mark.parametrize(
    "size", tier_parameters(LATTICE, lambda size: size[0] < 4, lambda size: f"{size[0]}-{size[1]}")
)
def test_the_default_fails_for_every_unclean_election_and_for_min_isr_1(
    size: tuple[int, int], profile: str, explorations: Explorations
) -> None:
    """In every cluster with acks=all, whatever its replication factor; clean ones of three lose nothing with a margin.

    Of four and five replicas only the requirements that decide it are asked, each of which few states answer.
    """
    replicas, least = size
    for unclean in (False, True):
        one = signature(profile, replicas=replicas, min_isr=least, unclean=unclean, voters=5)
        deciding = {"writable=crash@all"} if least == replicas else set[str]()
        deciding |= {"no-loss=power-loss@min-isr"} if least == 1 else set()
        deciding |= {"no-loss=all-crashes@min-isr"} if unclean and least < replicas else set()
        words = requirement_results(one, explorations, deciding if replicas > 3 else None)
        assert {words[name] for name in deciding} <= {"can lose"}, (one, words)
        if not unclean and 1 < least < replicas < 4:
            assert set(words.values()) == {"no loss found"}


def requirement_results(one: Signature, explorations: Explorations, names: set[str] | None = None) -> dict[str, str]:
    """What comes of each requirement of the default that is about a signature's topics, or of those that are named."""
    subject = Subject((Topic("orders", Origin("topics.txt", 1)),), None, (Variant((), one),), ())
    asked = [
        requirement
        for requirement in DEFAULT
        if requirement.is_about(subject) and (names is None or requirement.to_text in names)
    ]
    whole_isr = whole_isr_case(one)
    explorations.explore_all([] if whole_isr is None else [whole_isr])
    return {
        requirement.to_text: answer_question(
            one, QUESTION[requirement.question], BY_NAME[requirement.cell], explorations
        ).word
        for requirement in asked
    }


@pytest.mark.parametrize("switch", ["prefer_in_sync", "truncate_first"])
def test_follower_reads_are_asked_about_where_on(switch: str, explorations: Explorations) -> None:
    """KAFKA-14372 sends consumers to replicas that lag, and KAFKA-14704 serves them what is cut off; without these, or
    without followers that are read, nothing is wrong."""
    cell, question = BY_NAME["leader-move@min-isr"], QUESTION["no-stale-reads"]
    wrong = signature("kafka_4_1", switches=((switch, False),), follower_reads=True)
    assert answer_question(wrong, question, cell, explorations).word == "can lose"
    fixed = answer_question(signature("kafka_4_1", follower_reads=True), question, cell, explorations)
    assert (fixed.word, fixed.basis) == ("no loss found", "model")
    off = answer_question(replace(wrong, follower_reads=False), question, cell, explorations)
    assert (off.word, off.basis) == ("no loss found", "arithmetic")
