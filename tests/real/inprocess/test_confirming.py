"""Traces of `kraft` on Kafka's own classes in one process: what real controllers did, they do."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.real.inprocess.confirming import confirmed_in_process

from ...conftest import Run
from ...support.hosting import hosted_release
from ..driving.controllers.test_driver import (
    BOTH_LEAD,
    COMMITTED,
    DEPOSED_BY_PRE_VOTE,
    EMPTY_DISK,
    KIP_996,
    WIPED,
    document,
)

MISSING = {"check_quorum": "missing"}


def test_a_trace_of_another_model_says_that_brokers_take_it() -> None:
    made = document(COMMITTED, "record_is_committed") | {"model": "producer"}
    found = confirmed_in_process(made)
    assert found["result"] == "not_driven"
    assert found["why"] == "Kafka's code for traces of producer is not hosted in one process, and real brokers take it"


@pytest.mark.parametrize("more", [("--repaired",), ("--keep", "kept"), ("--kafka-home", "home")])
def test_options_of_brokers_are_refused(tidegate: Run, more: tuple[str, ...]) -> None:
    done = tidegate("confirm", "any.trace.json", "--in-process", *more)
    assert (done.exit, done.err) == (
        64,
        "tidegate: --in-process takes no --repaired, --keep or --kafka-home: it starts no brokers\n",
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("steps", "property_", "constants", "kafka", "anyway", "result"),
    [
        (EMPTY_DISK, "leader_completeness", WIPED, "3.9.1", False, "confirmed"),
        (BOTH_LEAD, "old_leader_resigns", MISSING, "3.6.2", False, "confirmed"),
        (BOTH_LEAD, "old_leader_resigns", MISSING, "3.9.1", True, "not_confirmed"),
        (COMMITTED, "record_is_committed", {}, "3.5.2", False, "confirmed"),
        (DEPOSED_BY_PRE_VOTE, "no_disruption", KIP_996, "4.1.1", False, "confirmed"),
    ],
)
def test_hosted_controllers_do_what_real_ones_did(
    steps: str, property_: str, constants: dict[str, Any], kafka: str, anyway: bool, result: str
) -> None:
    hosted_release(kafka)
    found = confirmed_in_process(document(steps, property_, **constants), kafka=kafka, anyway=anyway)
    assert found["result"] == result, found["why"]
