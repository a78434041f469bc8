"""What is said of a log and of who writes it."""

from __future__ import annotations

from tidegate.audit.answers.acknowledgements import add_client_losses
from tidegate.audit.answers.answer import SubjectVerdict, Table
from tidegate.audit.questions.questions import QUESTIONS
from tidegate.audit.questions.situations import CELLS
from tidegate.audit.questions.subjects import cluster_subjects

from ...support.facts import cluster_of, nodes
from ..exploring.test_client_models import KEEPS


def test_where_a_fact_decides_whether_its_producer_loses_a_cell_depends_on_it() -> None:
    """Kafka's log keeps, and only one of the variants of its producer loses: that is no "keeps"."""
    cluster = cluster_of(nodes(), "3.9.0", clients=("java:2.4",), acks="all")
    found = [one for one in cluster_subjects(cluster) if not one.is_internal]
    assert found
    for subject in found:
        keeps: Table = {(question.name, cell.name): KEEPS for question in QUESTIONS for cell in CELLS}
        (said,) = add_client_losses([SubjectVerdict(subject, (keeps,) * len(subject.variants), keeps)])
        answers = [said.table["no-loss", cell.name] for cell in CELLS]
        assert {one.word for one in answers} == {"depends"}
        assert {one.facts for one in answers} == {("enable.idempotence",)}
