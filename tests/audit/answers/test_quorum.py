"""What a fault takes of the controllers beside a replica, and what one computer takes of all: writes and reads."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.audit.answers.verdicts import answer_question, answers_of_signature
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.questions.questions import QUESTION
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.situations import BY_NAME, FAULT, controllers_away
from tidegate.audit.report.headline import table_headline

from ...conftest import NewExplorations
from .test_verdicts import signature


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


def word(one: Signature, question: str, cell: str, explorations: Explorations) -> str:
    return answer_question(one, QUESTION[question], BY_NAME[cell], explorations).word


@pytest.mark.parametrize(
    ("fault", "settings", "away"),
    [
        ("crash", {"voters": 3}, (0,)),
        ("crash", {"voters": 2, "shared_voters": 2}, (1,)),
        ("two-crashes", {"voters": 3, "shared_voters": 3}, (2,)),
        ("leader-move", {"voters": 2, "shared_voters": 2}, (0,)),
        ("crash", {"voters": 3, "co_located": True}, (0,)),
        ("rack-loss", {"voters": 3, "voters_in_rack": 2}, (2,)),
        ("rack-loss", {"voters": 3, "voters_in_rack": 1}, (1,)),
        ("rack-loss", {"voters": 3}, (0, 2)),
        ("power-loss", {"voters": 3, "one_machine": True}, (3,)),
        ("crash", {"voters": 3, "one_machine": True}, (0,)),
    ],
)
def test_a_fault_takes_the_controllers_that_stand_there(
    fault: str, settings: dict[str, Any], away: tuple[int, ...]
) -> None:
    assert controllers_away(FAULT[fault], signature(**settings)) == away


def test_two_of_three_voters_in_one_rack_stop_writes_and_reads_with_it(explorations: Explorations) -> None:
    """Without a majority a leader that was in the rack is not replaced."""
    for question in ("writable", "readable"):
        assert word(signature(voters=3, voters_in_rack=2), question, "rack-loss@all", explorations) == "can lose"
        assert word(signature(voters=3, voters_in_rack=1), question, "rack-loss@all", explorations) == "no loss found"
        unknown = answer_question(signature(voters=3), QUESTION[question], BY_NAME["rack-loss@all"], explorations)
        assert unknown.word == "depends" and unknown.facts == ("broker.rack",)


@pytest.mark.parametrize(
    ("racks", "expected"),
    [
        (((0, 2), (1, 1)), "no loss found"),
        (((1, 2),), "can lose"),
        (((1, 1),), "no loss found"),
        (((1, 0), (2, 1)), "can lose"),
    ],
)
def test_voters_of_one_rack_do_not_go_with_the_replicas_of_another(
    racks: tuple[tuple[int, int], ...], expected: str, explorations: Explorations
) -> None:
    """Without a majority a leader that is there goes on; it is not replaced where it is lost as well."""
    one = signature(voters=3, racks=racks, replicas_in_rack=max(number for number, _ in racks), voters_in_rack=2)
    assert word(one, "writable", "rack-loss@all", explorations) == expected


def test_of_seven_voters_three_are_no_majority() -> None:
    seven = signature(voters=7, voters_in_rack=3)
    assert controllers_away(FAULT["rack-loss"], seven) == (2,)
    assert controllers_away(FAULT["rack-loss"], signature(voters=7, voters_in_rack=4)) == (3,)


def test_of_two_voters_beside_brokers_one_crash_leaves_no_majority(explorations: Explorations) -> None:
    for question in ("writable", "readable"):
        for shared, expected in ((2, "can lose"), (0, "no loss found")):
            one = signature(voters=2, shared_voters=shared)
            assert word(one, question, "crash@all", explorations) == expected, (question, shared)


def test_a_loss_of_power_takes_all_that_run_on_one_computer(explorations: Explorations) -> None:
    one = signature(one_machine=True)
    assert word(one, "no-loss", "power-loss@all", explorations) == "can lose"
    assert word(one, "writable", "power-loss@all", explorations) == "can lose"
    assert word(one, "no-loss", "crash@all", explorations) == "no loss found"
    assert word(signature(), "no-loss", "power-loss@all", explorations) == "no loss found"


def test_one_computer_is_in_one_rack(explorations: Explorations) -> None:
    """Nothing depends on broker.rack where all brokers run on one computer: its rack has them all."""
    one = signature(one_machine=True, replicas_in_rack=0)
    for question, cell in (
        ("no-loss", "rack-power-loss@all"),
        ("no-loss", "rack-loss@all"),
        ("writable", "rack-loss@all"),
    ):
        assert word(one, question, cell, explorations) == "can lose", cell
        assert word(signature(replicas_in_rack=0), question, cell, explorations) == "depends", cell
    assert controllers_away(FAULT["rack-loss"], one) == (one.voters,)


def test_acks_1_needs_the_quorum_too_and_since_3_7_the_min_isr_to_be_read(explorations: Explorations) -> None:
    """KAFKA-15583: with the ISR below min.insync.replicas the high watermark stands still."""
    lonely = signature(voters=2, shared_voters=2, acks="leader")
    assert word(lonely, "writable", "crash@all", explorations) == "can lose"
    for profile, expected in (("kafka_3_7", "can lose"), ("kafka_3_5", "no loss found")):
        one = signature(profile, acks="leader", voters=3)
        assert word(one, "readable", "crash@min-isr", explorations) == expected, profile
        assert word(one, "writable", "crash@min-isr", explorations) == "no loss found", profile


def test_what_is_never_written_says_why(explorations: Explorations) -> None:
    """Before 3.7 min.insync.replicas is not capped by the replicas: nothing is decided about losses, and no write goes
    through."""
    one = signature("kafka_3_5", replicas=1, min_isr=2)
    said = table_headline(one, answers_of_signature(one, explorations))
    assert said == (
        "every write with acks=all is refused, though nothing is wrong: min.insync.replicas=2 is above its only replica"
    )
    assert word(one, "writable", "leader-move@all", explorations) == "can lose"
    capped = signature(replicas=1, min_isr=2)
    assert "is refused" not in table_headline(capped, answers_of_signature(capped, explorations))


def test_real_losses_come_before_reads_that_are_taken_back(explorations: Explorations) -> None:
    """1.1 to 2.5 read more than there is (KAFKA-9835), with no fault at all: a power loss that loses comes first."""
    old = signature("kafka_2_1", kraft=False)
    assert word(old, "no-unread", "leader-move@all", explorations) == "can lose"
    assert "one power loss can lose acknowledged records" in table_headline(
        old, answers_of_signature(old, explorations)
    )


def test_a_controller_in_combined_mode_takes_its_broker_with_it(explorations: Explorations) -> None:
    """Five nodes, all combined, with three replicas: a majority of the voters may be all of the replicas."""
    five = signature(voters=5, shared_voters=3)
    assert word(five, "writable", "controllers-loss@all", explorations) == "can lose"
    assert word(five, "writable", "controller-loss@all", explorations) == "no loss found"
    only = signature(voters=1, shared_voters=1)
    assert word(only, "writable", "controller-loss@all", explorations) == "can lose"
    assert word(signature(voters=5), "writable", "controllers-loss@all", explorations) == "no loss found"


def test_a_lost_majority_of_zookeeper_is_a_level_like_one_of_controllers(explorations: Explorations) -> None:
    """Leaders go on without the ensemble, and nobody leaves the ISR: with followers that are down, writes stop."""
    for kraft in (True, False):
        apart = signature("kafka_3_9", kraft=kraft, voters=3)
        beside = signature("kafka_3_9", kraft=kraft, voters=3, shared_voters=3)
        for question in ("writable", "readable"):
            assert word(apart, question, "controller-loss@all", explorations) == "no loss found", kraft
            assert word(apart, question, "controllers-loss@all", explorations) == "no loss found", kraft
            assert word(beside, question, "controller-loss@all", explorations) == "no loss found", kraft
            assert word(beside, question, "controllers-loss@all", explorations) == "can lose", kraft


def test_the_disk_of_the_only_voter_has_the_metadata_too(explorations: Explorations) -> None:
    """Also where it is on a host of its own: one lost disk may be that one, and then there is no topic any more."""
    for alone in (signature(voters=1, shared_voters=1), signature(voters=1)):
        assert word(alone, "no-loss", "disk-loss@all", explorations) == "not checked"
        assert word(alone, "no-loss", "power-loss@all", explorations) == "no loss found"
        table = answers_of_signature(alone, explorations)
        assert "acknowledged records survive any one crash, cut-off broker or power loss " in table_headline(
            alone, table
        )
    for several in (signature(voters=3), signature(voters=3, shared_voters=3)):
        assert word(several, "no-loss", "disk-loss@all", explorations) == "no loss found"


@pytest.mark.parametrize(
    ("settings", "cell", "expected"),
    [
        # Three combined nodes among more brokers: one is down before, one crashes, and two of three voters are away.
        ({"voters": 3, "shared_voters": 3}, "crash@min-isr", "can lose"),
        ({"voters": 3, "shared_voters": 1}, "crash@min-isr", "no loss found"),
        ({"voters": 3}, "crash@min-isr", "no loss found"),
        ({"voters": 5, "shared_voters": 3}, "crash@min-isr", "no loss found"),
        # Two are down, and the leader that is left goes on without a majority.
        ({"voters": 3, "shared_voters": 3}, "leader-move@one", "no loss found"),
        ({"voters": 3, "co_located": True}, "leader-move@one", "no loss found"),
        ({"voters": 3, "co_located": True}, "crash@min-isr", "can lose"),
        ({"voters": 3, "co_located": True}, "crash@all", "no loss found"),
    ],
)
def test_replicas_that_are_down_take_their_controllers_with_them(
    settings: dict[str, Any], cell: str, expected: str, explorations: Explorations
) -> None:
    """Reads: a leader that dies is not replaced without a majority, and one that is there serves."""
    assert word(signature(**settings), "readable", cell, explorations) == expected


@pytest.mark.parametrize(
    ("racks", "open_voters", "question", "expected"),
    [
        (((1, 2),), 0, "readable", "can lose"),
        (((1, 1),), 1, "readable", "depends"),
        (((1, 1),), 2, "writable", "depends"),
        (((2, 0),), 3, "writable", "can lose"),  # two of three replicas are enough to stop writes
        (((2, 0),), 3, "readable", "depends"),
        (((1, 2), (1, 0)), 1, "readable", "can lose"),
    ],
)
def test_voters_whose_racks_are_open_may_be_in_the_one_that_is_lost(
    racks: tuple[tuple[int, int], ...], open_voters: int, question: str, expected: str, explorations: Explorations
) -> None:
    """What stops with none of them and with all of them in the rack stops; what differs depends on where they are."""
    one = signature(voters=3, racks=racks, replicas_in_rack=max(number for number, _ in racks), open_voters=open_voters)
    for cell in ("rack-loss@all", "rack-power-loss@all", "rack-cut-off@all"):
        assert word(one, question, cell, explorations) == expected, cell


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"voters": 3, "racks": ((1, 1),)}, "no loss found"),
        ({"voters": 3, "racks": ((1, 2),)}, "not checked"),
        ({"voters": 3, "racks": ((0, 2), (1, 1))}, "not checked"),
        ({"voters": 3, "racks": ((1, 1),), "open_voters": 1}, "depends"),
        ({"voters": 3, "voters_in_rack": 2}, "not checked"),
        ({"voters": 3}, "depends"),
        ({"voters": 3, "co_located": True}, "no loss found"),
        ({"voters": 3, "co_located": True, "replicas_in_rack": 2}, "not checked"),
    ],
)
def test_a_rack_that_is_gone_with_most_controllers_has_the_metadata(
    settings: dict[str, Any], expected: str, explorations: Explorations
) -> None:
    given: dict[str, Any] = {"replicas_in_rack": 1, **settings}
    one = signature(**given)
    assert word(one, "no-loss", "rack-loss@all", explorations) == expected
    assert word(one, "no-loss", "rack-power-loss@all", explorations) == "no loss found"
