"""What a producer takes for acknowledged though it is not there is a loss in every cell."""

from __future__ import annotations

import pytest
from tidegate.audit.answers.acknowledgements import add_client_losses
from tidegate.audit.answers.answer import SubjectVerdict, Table
from tidegate.audit.answers.client_losses import client_loss
from tidegate.audit.facts.producers import repeats_sequence_numbers
from tidegate.audit.questions.questions import QUESTIONS
from tidegate.audit.questions.situations import CELLS
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.repairs.changes import possible_sending_changes
from tidegate.audit.report.headline import FALSELY_ACKNOWLEDGED, table_headline

from ...support.facts import cluster_of, nodes, signatures
from ..exploring.test_client_models import KEEPS
from .test_verdicts import signature


@pytest.mark.parametrize(
    ("client", "again"),
    [
        ("java:2.0.1", False),
        ("java:2.1", True),
        ("java:2.4.1", True),
        ("java:2.5.0", False),
        ("java:2", None),
        ("java", None),
        ("librdkafka:1.2.0", False),
        (None, None),
    ],
)
def test_what_is_acknowledged_and_not_there_is_a_loss_in_every_cell(client: str | None, again: bool | None) -> None:
    """Java's idempotent producers of 2.1 to 2.4: the record that is lost is kept by no setting of the brokers."""
    text = "acks=all\nenable.idempotence=true\nbootstrap.servers=a:1\n"
    clients = () if client is None else (client,)
    cluster = cluster_of(nodes(producer__properties=text), "3.9.0", clients=clients)
    assert repeats_sequence_numbers(cluster, cluster.clients[0]) is again
    of_topics = [one for one in cluster_subjects(cluster) if one.producer is not None]
    for subject in of_topics:
        keeps: Table = {(question.name, cell.name): KEEPS for question in QUESTIONS for cell in CELLS}
        (said,) = add_client_losses([SubjectVerdict(subject, (keeps,) * len(subject.variants), keeps)])
        words = {said.table["no-loss", cell.name].word for cell in CELLS}
        assert words == {"can lose" if again else "no loss found"}
        assert {said.table["no-unread", cell.name].word for cell in CELLS} == {"no loss found"}
        line = table_headline(subject.variants[0].signature, keeps)
        assert line.startswith(FALSELY_ACKNOWLEDGED) is bool(again)
        offered = [change.setting for change in possible_sending_changes(subject.variants[0].signature, {"no-loss"})]
        assert offered == (["Java's client 2.5"] if again else [])
    assert of_topics


def test_a_producer_that_is_not_idempotent_gives_no_sequence_to_another_record() -> None:
    text = "acks=all\nbootstrap.servers=a:1\n"
    cluster = cluster_of(nodes(producer__properties=text), "3.9.0", clients=("java:2.4.1",))
    assert not any(one.gives_again for one in signatures(cluster))
    assert client_loss(signature(gives_again=True)) is not None
    assert client_loss(signature("kafka_3_5", gives_again=True, min_isr=4)) is None, "nothing is written"
