"""Four uses that Kafka makes of znodes, as stories, and what was recorded of them: notifications of ISR changes and of
directories that fail, blocks of producer ids, and the registration of a broker. The steps are taken by the judge."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find

from ...conftest import ROOT
from ..test_counts import assert_as_recorded, bind_check

MODELS = ("isr_notification", "log_dir_notification", "producer_ids", "broker_registration")


CHECKS = [
    check
    for model in MODELS
    for check in read_record_file(ROOT / "spec" / f"{model}.toml").checks
    if check.tier == "commit"
]


# --- what is recorded -------------------------------------------------------------------------------------------------
def check_name(check: CheckRecord) -> str:
    properties = " ".join(check.properties) if len(check.properties) < 3 else "rest"
    return f"{check.model} {check.profile} {check.bounds} {properties}"


@pytest.mark.parametrize("check", CHECKS, ids=check_name)
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_plain_python_counts_the_same(cache: Path) -> None:
    smallest = (
        ("isr_notification", {"changes": 1, "cuts": 1}),
        ("log_dir_notification", {"failures": 1, "restarts": 1, "cuts": 0}),
        ("producer_ids", {"blocks": 2}),
    )
    for name, small in smallest:
        model = find(name)[0].bind("small", small, None)
        native, plain = (ENGINES[engine](model, Search(cache=cache), None) for engine in ("native", "python"))
        counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
        assert counts[0] == counts[1]
