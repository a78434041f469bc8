"""Replicas out of the ISR lag, or are down: a loss is one in either, and where it makes no difference it makes none."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tidegate.audit.answers.verdicts import answer_question
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.kafka.profiles import switches_of_brokers, version_profiles
from tidegate.audit.questions.cases import cases_of_loss, loss_case
from tidegate.audit.questions.questions import PROPERTIES, QUESTION
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.situations import BY_NAME, CELLS, Cell, lagging_followers

from ...conftest import NewExplorations
from ...support.shipped import tier_parameters
from ..answers.test_verdicts import signature


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


def word(one: Signature, cell: str, explorations: Explorations) -> str:
    return answer_question(one, QUESTION["no-loss"], BY_NAME[cell], explorations).word


@pytest.mark.parametrize("profile", ["kafka_2_8", "kafka_3_9", "kafka_4_1"])
@pytest.mark.parametrize("replicas", [2, 3])
def test_the_only_copy_in_sync_loses_power_while_the_others_are_down(
    profile: str, replicas: int, explorations: Explorations
) -> None:
    """With min.insync.replicas as many as there are replicas all have the record. If those out of the ISR are up, one
    is elected uncleanly, and has it; if they are down, the one in sync comes back without it, and leads again."""
    kraft, elr = profile != "kafka_2_8", profile == "kafka_4_1"
    unclean = signature(profile, kraft=kraft, elr=elr, replicas=replicas, min_isr=replicas, unclean=True)
    for fault in ("power-loss", "disk-loss"):
        assert word(unclean, f"{fault}@one", explorations) == "can lose", fault
        assert word(unclean, f"{fault}@all", explorations) == "no loss found", fault
    assert word(unclean, "crash@one", explorations) == "no loss found"


@pytest.mark.parametrize("fault", ["restart", "crash", "cut-off", "power-loss", "disk-loss"])
def test_unclean_elections_with_elr_lose_what_only_those_that_are_down_have(
    fault: str, explorations: Explorations
) -> None:
    """KIP-966: the last to leave the ISR is elected before any other; if it is down, another that lags is."""
    unclean = signature("kafka_4_1", elr=True, unclean=True)
    assert word(unclean, f"{fault}@one", explorations) == "can lose"
    assert word(unclean, f"{fault}@min-isr", explorations) == "no loss found"
    assert word(signature("kafka_4_3", elr=True), f"{fault}@one", explorations) == "no loss found"


def test_up_to_4_2_a_lost_disk_makes_who_is_eligible_forgotten(explorations: Explorations) -> None:
    """apache/kafka#20716, seen on brokers of 4.1.0: with the ISR at one and another shut down, the empty one leads."""
    assert word(signature("kafka_4_1", elr=True), "disk-loss@one", explorations) == "can lose"
    assert word(signature("kafka_4_1", elr=True), "disk-loss@min-isr", explorations) == "no loss found"
    several = replace(signature("kafka_4_3", elr=True), directories=True)
    assert word(several, "directory-loss@one", explorations) == "can lose"
    assert word(several, "disk-loss@one", explorations) == "no loss found"


@pytest.mark.parametrize("unclean", [False, True])
@pytest.mark.parametrize("profile", ["kafka_0_10", "kafka_0_11", "kafka_2_0", "kafka_2_1"])
def test_up_to_2_0_one_that_cut_its_log_leads_where_another_is_shut_down(
    profile: str, unclean: bool, explorations: Explorations
) -> None:
    """KIP-101, KIP-279, KIP-320: after two changes of the leader one that has cut off what was acknowledged leads."""
    old = signature(profile, kraft=False, min_isr=1, unclean=unclean)
    says = "no loss found" if profile == "kafka_2_1" else "can lose"
    assert word(old, "leader-move@min-isr", explorations) == says


def left_out() -> Iterator[tuple[Signature, Cell]]:
    """Signatures and cells of which one exploration is made though replicas are out of the ISR."""
    planes = [(version.name, kraft) for version in version_profiles() for kraft in (True, False)]
    sizes = [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]
    for (profile, kraft), (replicas, least), unclean, acks, elr in itertools.product(
        planes, sizes, (False, True), ("leader", "all"), (False, True)
    ):
        if not elr or (kraft and profile in ("kafka_3_9", "kafka_4_1")):
            made = switches_of_brokers(profile, profile, kraft=kraft, elr=elr)
            one = Signature(profile, made, replicas, least, acks, unclean, False, False, 1)
            yield from (
                (one, cell)
                for cell in CELLS
                if lagging_followers(cell.situation, one) and len(cases_of_loss(one, cell)) == 1
            )


FEW = ("leader-move", "restart", "crash", "cut-off", "power-loss", "disk-loss")


@pytest.mark.parametrize("seed", tier_parameters(range(4), lambda seed: seed in (0, 3)))
def test_who_is_never_elected_may_as_well_be_down(seed: int, explorations: Explorations) -> None:
    every = [(one, cell) for one, cell in left_out() if cell.fault.name in FEW]
    judged = ("acknowledged_kept", "acked_durable", "committed_log_matching")
    found: set[bool] = set()
    for one, cell in random.Random(seed).sample(every, 12):
        lagging = explorations.result_of(loss_case(one, cell))
        for down in range(1, lagging_followers(cell.situation, one) + 1):
            other = explorations.result_of(loss_case(one, cell, None, down))
            for names in (judged[:2], judged[2:]):
                lost, also = ({*result.scenarios} & {*names} for result in (lagging, other))
                assert bool(lost) == bool(also), (one, cell.name, down)
                found.add(bool(lost))
    assert found == {False, True}
    assert {*judged} <= {*PROPERTIES["loss"]}


def test_a_way_that_loses_saves_the_others(new_explorations: NewExplorations) -> None:
    """Of the ways of a cell those after one that loses records are not explored."""
    one, alone = signature("kafka_3_9", unclean=True), new_explorations()
    assert len(cases_of_loss(one, BY_NAME["crash@one"])) == 3
    answer_question(one, QUESTION["no-loss"], BY_NAME["crash@one"], alone)
    assert cases_of_loss(one, BY_NAME["crash@one"])[1].explored_case not in alone.known
