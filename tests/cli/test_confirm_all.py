"""`tidegate confirm --all --in-process`: every recorded counterexample of `kraft`, on Kafka's own classes."""

from __future__ import annotations

import json

import pytest
from tidegate.cli.confirm_all import confirm_all_document
from tidegate.gates.records import read_record_file, shipped_record_files
from tidegate.real.inprocess.confirming import HOSTED_MODELS

from ..conftest import Run, RunHere
from ..support.hosting import hosted_release

REFUSED = "--all is of --in-process, and takes beside it --kafka-version, --json and how to print alone"


@pytest.mark.parametrize(
    "more",
    [(), ("--in-process", "any.trace.json"), ("--in-process", "--anyway"), ("--in-process", "--repeat", "2")],
    ids=["brokers", "a trace", "anyway", "repeat"],
)
def test_what_is_refused(run_here: RunHere, more: tuple[str, ...]) -> None:
    assert run_here("confirm", "--all", *more) == (64, f"tidegate: {REFUSED}\n")


def test_what_is_not_hosted_is_counted() -> None:
    records = [check for path in shipped_record_files() for check in read_record_file(path).checks]
    others = [check for check in records if check.model not in HOSTED_MODELS]
    found = confirm_all_document(others, ["3.9.1"], lambda text: None)
    assert not found["rows"] and not found["not_found"]
    assert found["not_hosted"]["partition"] > 10 and not HOSTED_MODELS & found["not_hosted"].keys()


@pytest.mark.nightly
def test_every_recorded_counterexample_is_taken_or_counted(tidegate: Run) -> None:
    hosted_release("3.9.1")
    done = tidegate("confirm", "--all", "--in-process", "--kafka-version", "3.9.1", "--json")
    found = json.loads(done.out)
    assert done.exit == 0 and not found["not_found"]
    results = {
        (row["model"], row["bounds"], row["property"]): row["results"]["3.9.1"]["result"] for row in found["rows"]
    }
    assert results["kraft:kip595", "empty_disk", "leader_completeness"] == "confirmed"
    assert results["kraft:lost_votes", "one_epoch", "election_safety"] == "not_driven"
    assert results["kraft_voters:misses_voters", "truncated", "leader_completeness"] == "confirmed"
    assert "not_confirmed" not in results.values()
    records = [check for path in shipped_record_files() for check in read_record_file(path).checks]
    violated = [claim.verdict for check in records for claim in check.properties.values()].count("violated")
    assert len(found["rows"]) + sum(found["not_hosted"].values()) == violated
