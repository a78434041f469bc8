"""Mutants of producers and consumers: the model's own text with one piece replaced, which turns a property red that
holds without it. What a catalogue of mutants names is recorded as a profile."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.binding import Definition

from ..conftest import ROOT
from ..support.mutants import TURNS_RED, Case, Mutant, plant_mutant
from ..support.shipped import tier_parameters

CATALOGUE = {
    ("consumer", "unfenced", "offset_never_goes_back"),  # no fence of generations
    ("consumer", "before", "at_least_once"),  # commit before processing
    ("producer", "no_memory", "appended_once"),  # a window of no batches
}

_OLDER = "the time of older batches is not over with a younger one's"
MUTANTS: dict[str, tuple[Mutant, str, str, str]] = {
    "a batch that is sent again waits behind those after it": (
        Mutant("producer", "producer/client.py", "place = place_of(s, batch)\n", "place = len(s.waiting)\n"),
        "one_in_flight", "error_and_cut", "order_per_key",
    ),
    "a batch of two records takes one sequence": (
        Mutant(
            "producer",
            "producer/client.py",
            "[partition] += batch.last - batch.first + 1\n    else:",
            "[partition] += 1\n    else:",
        ),
        "batches", "error_and_cut", "accepted_is_there",
    ),
    "a late request's sequence is not looked at": (
        Mutant("producer", "producer/brokers.py", "and check_sequence(s, request.batch) == Check.NEXT\n", ""),
        "idempotent", "network", "appended_once",
    ),
    _OLDER: (
        Mutant(
            "producer",
            "producer/client.py",
            "    if on_error == ErrorHandling.SEND_AGAIN:  # there a record's number does not say how old it is\n",
            "    if True:\n",
        ),
        "gives_up", "network", "older_is_given_up_first",
    ),
    "a late request of an older epoch is not refused": (
        Mutant("producer", "parts/producer_state.py", "    if epoch < known:\n        return Check.FENCED\n", ""),
        "gives_up_one_at_a_time", "network", "order_per_key",
    ),
    "a rebalance does not wait for who processes": (
        Mutant("consumer", "consumer/protocol.py", "s.rebalancing and has_time(s, member))", "s.rebalancing)"),
        "auto", "one_crash", "at_least_once",
    ),
    "a commit does not wait until what was polled is processed": (
        Mutant("consumer", "consumer/protocol.py", "has_time(s, member) or (backgr", "True or (backgr"),
        "auto", "one_crash", "at_least_once",
    ),
    "a consumer goes back too little where a log was truncated": (
        Mutant(
            "consumer",
            "consumer/protocol.py",
            "since = goes_back_to(s, partition, position, s.position_epoch[member][partition])\n",
            "since = end(s, partition)\n",
        ),
        "kip_320", "three_records", "nothing_skipped",
    ),
}  # fmt: skip
"""Each with the profile, bounds and property in which it shows."""


@pytest.mark.parametrize(
    "name", tier_parameters(MUTANTS, lambda name: name == "a rebalance does not wait for who processes")
)
def test_a_mutant_turns_its_property_red(name: str, tmp_path: Path, cache: Path) -> None:
    assert Case(name, *MUTANTS[name]).verdicts(tmp_path, Search(cache=cache)) == TURNS_RED


_ONE_IS_GIVEN_UP = {
    "records": 2, "entries": 6, "max_in_flight": 2, "elections": 1, "expiries": 1, "refusals": 0,
    "cuts": 0, "restarts": 0,
}  # fmt: skip
GIVING_UP: dict[str, tuple[Mutant, int | None]] = {
    _OLDER: (MUTANTS[_OLDER][0], 13),
    "the producer looks at once whose time is over": (
        Mutant("producer", "producer/client.py", "s.overdue = s.in_flight[turn].batch.first + 1\n", "s.overdue = 0\n"),
        None,
    ),
}
"""What a batch that is given up has to do with others, and after how many steps a record is there twice with the
mistake. Without it that takes 14: the producer has not looked at the time of the oldest batch when an error comes."""


@pytest.mark.long
@pytest.mark.parametrize("name", GIVING_UP)
def test_a_mistake_in_giving_up_changes_how_a_record_is_there_twice(name: str, tmp_path: Path, cache: Path) -> None:
    mutant, steps = GIVING_UP[name]
    definitions = find("producer")[0], plant_mutant(tmp_path, mutant)
    assert tuple(steps_to_a_duplicate(definition, cache) for definition in definitions) == (14, steps)


def steps_to_a_duplicate(definition: Definition, cache: Path) -> int | None:
    """After how many steps `no_duplicates` fails; None where it holds."""
    model = definition.bind("producer", dict(_ONE_IS_GIVEN_UP), "refuses_late_begin", properties=["no_duplicates"])
    (found,) = ENGINES["native"](model, Search(cache=cache), None).properties
    assert found.verdict == ("holds" if found.run is None else "violated")
    return None if found.run is None else len(found.run.steps)


def test_the_mutants_of_the_catalogue_are_profiles_that_turn_red() -> None:
    red = {
        (model, check.profile, name)
        for model in ("producer", "consumer")
        for check in read_record_file(ROOT / "spec" / f"{model}.toml").checks
        for name, expected in check.properties.items()
        if expected.verdict == "violated"
    }
    assert red >= CATALOGUE
