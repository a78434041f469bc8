"""Where reads are lost by unclean elections, records that were cut come back in the place of those that were read.

That is what the row about consumers says of such cells (`_answers_about_returning_records` in
`audit/answers/consumers.py`): the audit's own explorations have one record, and these have two.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import tidegate.model.partition as partition
from tidegate.audit.kafka.profiles import NEWEST
from tidegate.audit.questions.cases import cases_of_loss
from tidegate.audit.questions.questions import QUESTION
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.situations import BY_NAME, CELLS, OF_CONTROLLERS
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.invariants.catalogue import find
from tidegate.language.binding import Definition, load

from ...support import older_in_place

RETURNS, READS = load(partition, (older_in_place,)), find("partition")[0]
WITHOUT_A_DISK = ("disk-loss", "rack-loss")
"""Where what was read is on no broker, by which it would be known."""


def signature(replicas: int, min_isr: int, acks: str, unclean: bool = True) -> Signature:
    return Signature(NEWEST, (), replicas, min_isr, acks, unclean, False, False, 1, voters=3)


def fails(definition: Definition, name: str, of: Signature, cell: str, records: int, cache: Path) -> bool:
    """Whether a property fails in a cell, with so many records."""
    for case in cases_of_loss(of, BY_NAME[cell]):
        values = {**case.explored_case.values, "max_records": records}
        model = definition.bind("partition", values, None, properties=[name])
        (found,) = ENGINES["native"](model, Search(symmetry=True, deadlocks=False, cache=cache), None).properties
        assert found.verdict in ("holds", "violated")
        if found.verdict == "violated":
            return True
    return False


def comes_back(of: Signature, cell: str, cache: Path) -> bool:
    """Whether a leader serves an older record where consumers could have read another."""
    return fails(RETURNS, "no_older_in_place", of, cell, 2, cache)


@pytest.mark.parametrize(
    ("of", "cell", "is_so"),
    [
        (signature(3, 1, "all"), "two-crashes@one", True),
        (signature(3, 1, "all"), "crash@all", False),
        (signature(3, 1, "all", unclean=False), "two-crashes@one", False),
        (signature(2, 1, "all"), "all-crashes@all", True),
    ],
)
def test_a_leader_comes_back_with_an_older_record(of: Signature, cell: str, is_so: bool, cache: Path) -> None:
    assert comes_back(of, cell, cache) is is_so


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "of", [signature(2, 1, "all"), signature(2, 1, "leader"), signature(3, 1, "all"), signature(3, 1, "leader")]
)
def test_it_does_where_what_was_read_is_lost(of: Signature, cache: Path) -> None:
    names = [cell.name for cell in CELLS if cell.fault.name not in (*OF_CONTROLLERS, *WITHOUT_A_DISK)]
    lost = {
        cell
        for cell in names
        for name in QUESTION["no-unread"].invariants_for(of.acks)
        if fails(READS, name, of, cell, 1, cache)
    }
    assert {cell for cell in names if comes_back(of, cell, cache)} == lost
