"""Once time is out an audit explores nothing, infers nothing anew, looks for no repair, and says so."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tidegate.audit.answers import verdicts
from tidegate.audit.answers.verdicts import answer_question
from tidegate.audit.auditing import AuditRequest, audit, read_cluster, read_cluster_texts
from tidegate.audit.exploring.case_explorer import CaseExplorer
from tidegate.audit.exploring.case_results import NO_TIME
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.exploring.inference import knowledge_of
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.cases import case_plan_of_signature
from tidegate.audit.questions.questions import QUESTION, Case
from tidegate.audit.questions.situations import BY_NAME
from tidegate.explorer.cache import cache_directory

from ..conftest import ROOT, RunHere
from .exploring.test_inference import signatures

OPTIONS = Options(kafka_version="3.9.0", distribution="apache", acks="all")
BROKER = "process.roles=broker\nnode.id={id}\nlog.dirs=d\nmin.insync.replicas=1\n"
DESCRIBED = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=1\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
)


def test_nothing_is_compiled_or_inferred_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def never(bench: CaseExplorer, case: Case) -> None:
        raise AssertionError("nothing is explored once time is out")

    monkeypatch.setattr(CaseExplorer, "engine", never)
    one = next(signature for signature in signatures() if signature.replicas == 3)
    plan, explorations = case_plan_of_signature(one), Explorations(tmp_path, 0.0, workers=2)
    assert explorations.is_late
    before = knowledge_of(plan.cases[1], plan, explorations)
    explorations.explore_all(plan.cases[:1] * 50)
    assert knowledge_of(plan.cases[1], plan, explorations) is before and not before.is_explored
    explorations.explore_all(plan.cases)
    assert {found.stop_reason for found in explorations.known.values()} == {NO_TIME}
    assert explorations.unfinished_count == len(explorations.known) == len({case.explored_case for case in plan.cases})
    after = knowledge_of(plan.cases[1], plan, explorations)
    assert after.is_explored and after.stop_reason == NO_TIME and not after.held_properties and not after.losses


def test_what_was_inferred_is_inferred_again_once_more_is_known(tmp_path: Path) -> None:
    one = next(signature for signature in signatures() if signature.replicas == 1)
    plan, explorations = case_plan_of_signature(one), Explorations(None)
    before = knowledge_of(plan.cases[1], plan, explorations)
    explorations.explore_all(plan.cases[:1])
    assert knowledge_of(plan.cases[1], plan, explorations) is not before


def test_what_is_asked_long_after_time_is_out_is_open_without_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many topics there are, the report is made in a part of the time that was given."""
    one = next(signature for signature in signatures() if signature.replicas == 3)
    explorations, now = Explorations(None, 8.0), time.time()
    assert not explorations.is_time_over
    monkeypatch.setattr(verdicts, "case_plan_of_signature", None)
    monkeypatch.setattr(time, "time", lambda: now + 11.0)
    assert explorations.is_late and explorations.is_time_over
    found = answer_question(one, QUESTION["no-loss"], BY_NAME["crash@all"], explorations)
    assert found.word == "not checked" and NO_TIME in found.why
    explorations.interrupt()
    assert not explorations.is_time_over, "an interruption leaves time for the report"


def test_what_was_not_said_in_time_is_counted_though_all_was_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, findings = read_cluster_texts([("t.txt", DESCRIBED, True)], OPTIONS, "x")
    asked = AuditRequest(folder=cache_directory(), seconds=600.0)
    assert audit(cluster, findings, asked).document["out_of_time"] == ""
    monkeypatch.setattr(Explorations, "is_time_over", True)
    said = audit(cluster, findings, asked).document["out_of_time"]
    assert said.startswith("time ran out before all was said that the explorations say: ")


def test_a_repair_is_not_looked_for() -> None:
    brokers = [(f"b{number}.properties", BROKER.format(id=number), True) for number in (1, 2, 3)]
    cluster, findings = read_cluster_texts([*brokers, ("t.txt", DESCRIBED, True)], OPTIONS, "x")
    done = audit(cluster, findings, AuditRequest(seconds=0.0))
    assert done.exit and not done.explorations.explored - len(done.explorations.known)
    assert "time ran out before" in done.document["out_of_time"]
    cells = [cell for subject in done.reports for cell in subject.verdict.table.values()]
    open_ = sum("out of time" in cell.why for cell in cells)
    assert f": {open_:,} of {len(cells):,} cells are not decided" in done.document["out_of_time"] and open_
    assert "nothing is kept for the next audit" in done.document["out_of_time"]
    for subject in done.document["subjects"]:
        assert subject["repair"] is None
        assert not subject["no_repair"] or "not decided in time" in subject["no_repair"] or "no repair is" in subject[
            "no_repair"]  # fmt: skip


def test_a_kernel_is_not_begun_that_time_does_not_suffice_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing interrupts a compiler: how long one took says whether another one is begun."""
    three, one = (next(s for s in signatures() if s.replicas == number) for number in (3, 1))
    bench, case, other = (
        CaseExplorer(None),
        case_plan_of_signature(three).cases[0],
        case_plan_of_signature(one).cases[0],
    )
    assert bench.is_in_time(case, 0.001), "nothing is known yet of how long it takes"
    assert bench.result_of(case, time.time() + 3600).held_invariants and bench.slowest > 0
    assert bench.is_in_time(case, 0.001), "its kernel is there"
    assert not bench.is_in_time(other, bench.slowest / 2) and bench.is_in_time(other, bench.slowest * 2)

    monkeypatch.setattr(bench, "slowest", 10_000.0)
    assert bench.result_of(other, time.time() + 3600).stop_reason == NO_TIME
    assert bench.result_of(case, time.time() + 3600).held_invariants


def test_reading_counts(monkeypatch: pytest.MonkeyPatch, run_here: RunHere) -> None:
    """Of 120 s 130 go by until the files are read: nothing is explored."""
    moments = iter([0.0, 130.0])
    monkeypatch.setattr("tidegate.cli.audit.monotonic", lambda: next(moments))
    folder = ROOT / "examples" / "clusters" / "acks-1"
    options = ("--kafka-version", "3.9", "--client", "java:3.9", "--distribution", "apache", "--no-cache")
    exit_, out = run_here("audit", str(folder), *options)
    assert exit_ == 5 and "Note: time ran out before" in out


def test_an_interrupted_audit_reports_what_it_knows(tmp_path: Path) -> None:
    """Ctrl-C and SIGTERM, once: all that is not known by then is open. A second one ends it."""
    cluster, findings = read_cluster([ROOT / "examples" / "clusters" / "shipped-defaults"], Options("4.1.0"))
    done = audit(cluster, findings, AuditRequest(folder=tmp_path, seconds=None, workers=1, report=interrupt_once()))
    assert done.explorations.interrupted and done.exit in (1, 5)
    assert done.document["out_of_time"].startswith("the audit was interrupted before ")
    with pytest.raises(KeyboardInterrupt):
        audit(cluster, findings, AuditRequest(folder=tmp_path, seconds=None, workers=1, report=interrupt_always))


def interrupt_once() -> Callable[[str], None]:
    """What interrupts where progress is first said."""
    interrupts = iter([KeyboardInterrupt()])

    def report(_says: str) -> None:
        if (error := next(interrupts, None)) is not None:
            raise error

    return report


def interrupt_always(_says: str) -> None:
    raise KeyboardInterrupt
