"""Every loss that a check of the model finds has a cell in the audit's table, and every cell that loses has a loss.

For each version and row of docs/partition-matrix.md, and each of the audit's cells, a check finds out whether a record
is lost, in the way in which the page is made. It takes nothing from the audit: what happens in a cell is written here
once more, and settings come from the model's own profiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tidegate.audit.answers.verdicts import answer_question
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.kafka.profiles import switches_of_brokers
from tidegate.audit.questions.questions import QUESTION
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.situations import BY_NAME, CELLS

from ...conftest import NewExplorations
from ...support.partition_pages import ROWS, VERSIONS, Pages, Settings, faults
from ...support.shipped import tier_parameters

HAPPENS: Mapping[str, Settings] = {
    "leader-move": {"preferred_elections": 1},
    "restart": {"shutdowns": 1},
    "crash": {"crashes": 1},
    "cut-off": {"fences": 1},
    "power-loss": {"power_losses": 1},
    "disk-loss": {"disk_losses": 1},
    "directory-loss": {"disk_losses": 1},  # each broker has one directory
    "two-crashes": {"crashes": 2},
    "cut-off-power-loss": {"fences": 1, "power_losses": 1, "preferred_elections": 1},
    "two-power-losses": {"power_losses": 2},
    "rack-power-loss": {"power_losses": 1},
    "rack-cut-off": {"fences": 1},
    "rack-loss": {"host_losses": 1},
    "controller-loss": {"controller_losses": 1},
    "controllers-loss": {"controller_losses": 2},
}
"""What happens in each fault's cells where every replica has a rack, and three controllers stand apart; but for
`all-crashes`, which depends on the number of replicas."""

Place = tuple[str, int, str]
"""A version's profile, a row of the matrix, and a cell's name."""


def places() -> list[Place]:
    """All of them."""
    return [(profile, row, cell.name) for profile, _, _ in VERSIONS for row in range(len(ROWS)) for cell in CELLS]


def signature_of(profile: str, row: int) -> Signature:
    """What the audit is asked about."""
    _, replicas, settings = ROWS[row]
    kraft = next(plane for name, _, plane in VERSIONS if name == profile) == "KRaft"
    version = profile.removesuffix("_zookeeper")
    return Signature(
        profile=version,
        switches=switches_of_brokers(version, version, kraft=kraft, elr=profile >= "kafka_4"),
        replicas=replicas,
        min_isr=int(settings["min_isr"]),
        acks=str(settings.get("acks", "all")),
        unclean=bool(settings.get("unclean", False)),
        fsync=False,
        co_located=False,
        replicas_in_rack=1,
        voters=3,
        voters_in_rack=1,
    )


def lagging_followers(row: int, situation: str) -> int:
    """How many followers may be out of the ISR."""
    _, replicas, settings = ROWS[row]
    return replicas - {"all": replicas, "min-isr": int(settings["min_isr"]), "one": 1}[situation]


def losses(pages: Pages, place: Place) -> Iterator[str]:
    """What checks find, by the number of those out of the ISR that are down: `kept`, or `lost` and in how many steps.

    With acks=0 a request may fail, whatever else goes wrong. Who is down may be elected later where elections are
    unclean, or where a lost disk makes who is eligible forgotten, and before KIP-320 a broker
    that is shut down may make one the leader that has cut off acknowledged records.
    """
    profile, row, cell = place
    fault, _, situation = cell.partition("@")
    _, replicas, settings = ROWS[row]
    happens = HAPPENS.get(fault, {"crashes": replicas})
    fails = settings.get("acks") == "none"
    own = {**settings, **happens, "replicas": replicas, "retries": int(fails)}
    out = lagging_followers(row, situation)
    eligible = profile >= "kafka_4" and "disk_losses" in happens
    for down in range(out + 1 if settings.get("unclean") or profile == "kafka_0_10" or eligible else 1):
        stopped = int(own.get("shutdowns", 0)) + down
        yield pages.loss_words(profile, {**own, "isr_shrinks": out - down, "shutdowns": stopped})


def compare_cell(place: Place, pages: Pages, explorations: Explorations) -> None:
    """A cell loses if and only if a check finds a loss."""
    profile, row, cell = place
    said = answer_question(signature_of(profile, row), QUESTION["no-loss"], BY_NAME[cell], explorations)
    found: list[str] = []
    for loss in losses(pages, place):
        found.append(loss)
        if loss != "kept":
            break
    assert said.word == ("no loss found" if set(found) == {"kept"} else "can lose"), (place, found, said.why)


@pytest.fixture(scope="module")
def pages(cache: Path) -> Pages:
    return Pages(cache)


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


STRIDES = (341, 149)
"""Of the cells the ordinary run compares one of so many, the long one more, and `pytest -m matrix` all."""


def test_every_fault_is_written_here_once_more() -> None:
    assert {*HAPPENS, "all-crashes"} == {cell.fault.name for cell in CELLS}
    columns = [column for column, one in faults(3).items() if one in HAPPENS.values()]
    assert columns == ["one dies", "one loses power"]


@pytest.mark.parametrize("stride", tier_parameters(STRIDES, lambda stride: stride == max(STRIDES)))
def test_some_cells_lose_where_checks_find_a_loss(stride: int, pages: Pages, explorations: Explorations) -> None:
    some = places()[::stride]
    assert len({profile for profile, _, _ in some}) == len(VERSIONS)
    assert len({row for _, row, _ in some}) == len(ROWS)
    for place in some:
        compare_cell(place, pages, explorations)


@pytest.mark.matrix
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("row", range(len(ROWS)))
@pytest.mark.parametrize("profile", [profile for profile, _, _ in VERSIONS])
def test_every_cell_loses_where_a_check_finds_a_loss(
    profile: str, row: int, pages: Pages, explorations: Explorations
) -> None:
    for place in places():
        if place[:2] == (profile, row):
            compare_cell(place, pages, explorations)
