"""What is reported of a subject: which loss, in which order, and how far that has come.

Also of: `subject_report`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from tidegate.audit.answers.answer import Answer, SubjectVerdict
from tidegate.audit.answers.requirements import Requirement, RequirementCheck, Result
from tidegate.audit.cluster.cluster import Topic
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.exploring.case_results import ScenarioStep
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.questions.questions import QUESTIONS
from tidegate.audit.questions.signature import Subject, Variant
from tidegate.audit.questions.situations import CELLS, Name
from tidegate.audit.repairs.changes import NO_REPAIR, SubjectRepair
from tidegate.audit.report.reporting import gravity_order, loss_to_report, progress_reporter, report_subject
from tidegate.audit.report.subject_report import SubjectReport

from ..answers.test_verdicts import signature

LOST = Answer("can lose", steps=(ScenarioStep("lose_power(broker=1)", "Broker 1 loses power.", fault=True),))


def verdict_of(losses: Mapping[tuple[str, Name], Answer], name: str = "orders") -> SubjectVerdict:
    """A verdict of one topic that loses in these cells, and in no other."""
    fine = Answer("no loss found")
    table = {(q.name, cell.name): losses.get((q.name, cell.name), fine) for q in QUESTIONS for cell in CELLS}
    topic = Topic(name, Origin("topics.txt", 1), replication_factor=3)
    return SubjectVerdict(Subject((topic,), None, (Variant((), signature()),), ()), (table,), table)


def check(question: str, cell: Name, result: Result = "failed", answer: Answer = LOST) -> RequirementCheck:
    return RequirementCheck(Requirement(question, cell), result, answer)


def test_the_loss_that_is_reported_is_the_gravest_that_must_not_be() -> None:
    losses = {("no-loss", "power-loss@one"): LOST, ("no-loss", "crash@one"): LOST, ("no-unread", "crash@one"): LOST}
    failed = [check("no-unread", "crash@one"), check("no-loss", "power-loss@one"), check("no-loss", "crash@one")]
    found = loss_to_report(SubjectReport(verdict_of(losses), failed))
    assert found == ("crash@one", "no-loss", LOST), "a crash is likelier than a loss of power, and a loss graver"
    only = loss_to_report(SubjectReport(verdict_of(losses), failed[:1]))
    assert only == ("crash@one", "no-unread", LOST), "what is not required is reported where nothing that is has failed"


def test_a_loss_is_reported_with_the_most_replicas_in_sync_that_it_has() -> None:
    """It is one with fewer as well, and nobody asks how these came out of the ISR."""
    losses = {("no-loss", f"crash@{situation}"): LOST for situation in ("all", "min-isr", "one")}
    found = loss_to_report(SubjectReport(verdict_of(losses), [check("no-loss", "crash@one")]))
    assert found is not None and found[0] == "crash@all"


def test_what_is_not_required_is_reported_as_well_and_where_nothing_is_lost_nothing_is() -> None:
    found = loss_to_report(SubjectReport(verdict_of({("no-loss", "crash@one"): LOST}), ()))
    assert found is not None and found[:2] == ("crash@one", "no-loss")
    assert loss_to_report(SubjectReport(verdict_of({}), ())) is None


def test_writes_that_stop_are_no_loss_that_a_run_is_shown_of() -> None:
    stopped = verdict_of({("writable", "crash@all"): LOST})
    assert loss_to_report(SubjectReport(stopped, [check("writable", "crash@all")])) is None


def test_reports_stand_in_the_order_of_their_gravity() -> None:
    """Failed, then what depends; a topic of users before one of Kafka's own; then the gravest loss; then the name."""
    depends = Answer("depends")
    power, crash = {("no-loss", "power-loss@one"): LOST}, {("no-loss", "crash@one"): LOST}
    in_order = [
        SubjectReport(verdict_of(crash, "z"), [check("no-loss", "crash@one")]),
        SubjectReport(verdict_of(power, "y"), [check("no-loss", "power-loss@one")]),
        SubjectReport(verdict_of(crash, "__consumer_offsets"), [check("no-loss", "crash@one")]),
        SubjectReport(verdict_of(crash, "w"), [check("no-loss", "crash@one", "depends", depends)]),
        SubjectReport(verdict_of({}, "a"), [check("no-loss", "crash@one", "met")]),
        SubjectReport(verdict_of({}, "b"), ()),
    ]
    for order in itertools.permutations(in_order):
        assert sorted(order, key=gravity_order) == in_order


def test_a_repair_or_why_there_is_none_is_reported_as_it_was_found() -> None:
    explorations = Explorations(None, 0.0)
    verdict, checks = verdict_of({}), [check("no-loss", "crash@one", "met")]
    none = report_subject(verdict, checks, NO_REPAIR, frozenset(), explorations, from_current=False)
    assert (none.repair, none.no_repair, none.changes, none.now, none.loss) == (None, "", (), None, None)
    why = SubjectRepair(why_none="no repair was found")
    assert report_subject(verdict, checks, why, frozenset(), explorations, from_current=False).no_repair == why.why_none
    found = SubjectRepair({"headline": "What repairs it"})
    assert (
        report_subject(verdict, checks, found, frozenset(), explorations, from_current=False).repair == found.document
    )


@pytest.mark.parametrize("heard", [True, False])
def test_progress_counts_the_cells_of_what_is_done(heard: bool) -> None:
    said: list[str] = []
    one, other = verdict_of({}, "a"), verdict_of({}, "b")
    count = progress_reporter([one, other], said.append if heard else None)
    count(SubjectReport(one, ()))
    count(SubjectReport(other, ()))
    cells = len(one.table)
    whole = f"auditing: {cells:,} of {2 * cells:,} cells done; looking for repairs"
    assert not heard or (said[0], len(said)) == (whole, 2)
    assert not heard or said[1].startswith(f"auditing: {2 * cells:,} of ")
