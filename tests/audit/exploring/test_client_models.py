"""What the models of clients say in an audit: explored afresh, by the client's settings, code and version.

Also of: `small_models`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.api.auditing import audit
from tidegate.audit.answers.answer import Answer, SubjectVerdict, Table
from tidegate.audit.cluster.cluster import Client
from tidegate.audit.cluster.statements import Origin, Setting, StatedValue
from tidegate.audit.exploring import small_models
from tidegate.audit.exploring.client_models import (
    DUPLICATES,
    DURABLE,
    LOST,
    ORDER,
    THERE,
    TOLD,
    TWICE,
    Sender,
    Settings,
    crash_costs,
    is_missing_a_cut,
    is_skipping_what_was_cut,
    possible_costs,
    result_of_lone_producer,
    send_under_another_leader,
)
from tidegate.audit.exploring.small_models import SmallModel, explore_small_model, results_kept_in
from tidegate.audit.questions.questions import QUESTIONS
from tidegate.audit.questions.situations import CELLS
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.report.document import audit_document
from tidegate.audit.report.subject_report import SubjectReport
from tidegate.audit.rules.clients import client_rules, way_to_commit
from tidegate.language.constants import Value
from tidegate.model.consumer.state import Commits, Reset
from tidegate.reports.audit.html import audit_index
from tidegate.reports.audit.markdown import audit_markdown
from tidegate.reports.audit.terminal import audit_page
from tidegate.reports.text_page import TextFormat

from ...conftest import Run
from ...support.facts import cluster_of, nodes, signatures

KEEPS = Answer("no loss found")


FILE = Origin("reader.properties", 1)


@pytest.mark.parametrize(
    ("sender", "fails"),
    [
        (Sender("none", careful=False, retries=True, max_in_flight=5), {ORDER}),
        (Sender("all", careful=False, retries=False, max_in_flight=5), {ORDER}),
        (Sender("leader", careful=False, retries=True, max_in_flight=1), {DUPLICATES, ORDER}),
        (Sender("all", careful=False, retries=True, max_in_flight=1), {DUPLICATES, ORDER}),
        (Sender("all", careful=True, retries=True, max_in_flight=1), set[str]()),
        (Sender("all", careful=True, retries=True, bumps_epoch=False, max_in_flight=1), {ORDER}),
    ],
)
def test_what_a_producer_does_with_a_record_that_it_gives_up(sender: Sender, fails: set[str], tidegate: Run) -> None:
    found = result_of_lone_producer(sender)
    assert set(found.steps) == fails and found.states > 40
    for name in fails:
        assert tidegate(*found.to_command(name).split()[1:]).exit == 1


def test_another_leader_makes_no_difference_to_who_is_careful_with_one_request_in_flight() -> None:
    found = send_under_another_leader(Sender("all", careful=True, max_in_flight=1, retries=True), loses=True)
    assert not found.steps and found.states > 1000


@pytest.mark.parametrize(
    ("acks", "retries", "fails"),
    [
        ("none", True, {DURABLE, TOLD, THERE}),
        ("leader", True, {DURABLE, TOLD, THERE}),
        ("all", False, {THERE}),
        ("all", True, set[str]()),
    ],
)
def test_what_one_record_may_come_to(acks: str, retries: bool, fails: set[str]) -> None:
    assert possible_costs(Sender(acks, careful=False, max_in_flight=1, retries=retries)) == fails


@pytest.mark.parametrize(
    ("settings", "fails"),
    [
        ((), {TWICE}),
        ((("hands_over", True),), {LOST, TWICE}),
        ((("background_commit", True),), {LOST, TWICE}),
        ((("commits", Commits.EACH),), {TWICE}),
        ((("commits", Commits.BEFORE),), {LOST}),
    ],
)
def test_what_a_crash_costs(settings: Settings, fails: set[str]) -> None:
    assert crash_costs(settings) == fails


def test_what_was_cut_is_skipped_by_who_does_not_see_it() -> None:
    assert (is_skipping_what_was_cut(sees_truncation=False), is_skipping_what_was_cut(sees_truncation=True)) == (
        True,
        False,
    )
    assert is_skipping_what_was_cut(sees_truncation=True, commits_epochs=False)
    assert [is_missing_a_cut(reset.value) for reset in Reset] == [True, False, False, True]


@pytest.mark.parametrize(
    ("family", "version", "own", "way"),
    [
        ("java", "3.9", {}, ()),
        ("java", "3.9", {"group.protocol": "consumer"}, (("background_commit", True),)),
        ("java", "4.0", {"group.protocol": "consumer"}, ()),
        ("java", "3.7", {"group.protocol": "consumer"}, (("background_commit", True),)),
        ("java", "3.6", {"group.protocol": "consumer"}, ()),  # it has the classic protocol alone
        ("java", None, {"group.protocol": "consumer"}, (("background_commit", True),)),
        ("librdkafka", "2.3", {}, (("background_commit", True),)),
        ("confluent-kafka-go", "2.3", {"enable.auto.offset.store": "false"}, (("commits", Commits.EACH),)),
        ("sarama", "1.40", {}, (("commits", Commits.EACH),)),
        ("kafkajs", "2.2", {}, None),
        (None, None, {}, None),
    ],
)
def test_how_a_client_commits_by_itself(
    family: str | None, version: str | None, own: dict[str, str], way: Settings | None
) -> None:
    settings = tuple(Setting(key, value, FILE) for key, value in own.items())
    code, of = (None if text is None else StatedValue(text, FILE) for text in (family, version))
    assert way_to_commit(Client("reader", "consumer", FILE, code, of, settings)) == way


@pytest.mark.parametrize(
    ("brokers", "client", "extra", "bumps"),
    [
        ("3.9.0", "java:3.9", "", {True}),
        ("3.9.0", "java:2.5", "", {True}),
        ("3.9.0", "java:2.4", "", {False}),
        ("3.9.0", "java", "", {True, False}),
        ("3.9.0", "librdkafka:2.3", "", {True, False}),
        ("3.9.0", "franz-go:1.15", "", {True}),  # five in flight, whatever is set
        ("3.9.0", "java:2.4", "max.in.flight.requests.per.connection=5\n", {True}),  # there it makes no difference
    ],
)
def test_whose_producer_goes_on_in_a_new_epoch(brokers: str, client: str, extra: str, bumps: set[bool]) -> None:
    """KIP-360: Java's since 2.5; of others it is not known here."""
    text = "acks=all\nenable.idempotence=true\nmax.in.flight.requests.per.connection=1\nbootstrap.servers=a:1\n" + extra
    cluster = cluster_of(nodes(producer__properties=text), brokers, clients=(client,))
    assert {signature.bumps_epoch for signature in signatures(cluster)} == bumps


@pytest.mark.parametrize(
    ("client", "own", "idempotent"),
    [
        ("java:0.10.2", "enable.idempotence=true\n", False),  # there is none before 0.11
        ("java:0.10.2", "transactional.id=t\n", False),
        ("kafka-go:0.4.47", "enable.idempotence=true\n", False),
        ("kafka-go:0.4.47", "transactional.id=t\n", False),
        ("kafka-python:2.1.5", "", False),
        ("kafka-python:2.2.0", "enable.idempotence=true\n", True),
        ("java:3.9.1", "retries=0\n", False),
        ("franz-go:1.18.0", "retries=0\n", True),  # which gives up nothing that may be there
    ],
)
def test_whose_producer_is_idempotent(client: str, own: str, idempotent: bool) -> None:
    text = f"acks=all\nbootstrap.servers=a:1\nlinger.ms=1\n{own}"
    cluster = cluster_of(nodes(producer__properties=text), "3.9.0", clients=(client,))
    assert {signature.idempotent for signature in signatures(cluster)} == {idempotent}
    off = [finding.what for finding in client_rules(cluster) if "switches idempotence off" in finding.what]
    assert bool(off) is (client == "java:3.9.1")


@pytest.mark.parametrize(
    ("version", "own", "starts"),
    [
        ("2.1.5", "enable.idempotence=true\n", False),
        ("1.4.7", "enable.idempotence=false\n", False),
        ("2.1.5", "transactional.id=t\n", False),
        ("2.1.5", "", True),
        ("2.2.0", "enable.idempotence=true\n", True),
    ],
)
def test_kafka_python_refuses_what_it_has_no_name_for(version: str, own: str, starts: bool) -> None:
    text = f"acks=all\nbootstrap.servers=a:1\nretries=1\n{own}"
    cluster = cluster_of(nodes(producer__properties=text), "3.9.0", clients=(f"kafka-python:{version}",))
    said = [finding.what for finding in client_rules(cluster) if "unknown to kafka-python" in finding.what]
    assert bool(said) is not starts


@pytest.mark.parametrize(
    ("client", "timed"), [("java:3.9.1", True), ("sarama:1.43.0", False), ("kafka-go:0.4.47", False)]
)
def test_whose_retries_a_time_limit_bounds(client: str, timed: bool) -> None:
    text = "acks=all\nbootstrap.servers=a:1\nlinger.ms=1\nretries=0\n"
    cluster = cluster_of({"producer.properties": text}, "3.9.0", clients=(client,))
    (found,) = [finding for finding in client_rules(cluster) if "has retries=0" in finding.what]
    assert ("a time limit alone" in found.to_do) is timed and ("KIP-91" in found.source) is timed


@pytest.mark.parametrize(("version", "bumps"), [("2.4.1", False), ("2.5.0", True)])
def test_brokers_before_2_5_let_no_producer_bump_its_epoch(version: str, bumps: bool) -> None:
    text = "acks=all\nenable.idempotence=true\nmax.in.flight.requests.per.connection=1\nbootstrap.servers=a:1\n"
    node = "broker.id={}\nzookeeper.connect=z:2181\nlog.dirs=data\ndefault.replication.factor=3\n"
    files = {f"b{number}.properties": node.format(number) for number in (1, 2, 3)}
    cluster = cluster_of({**files, "producer.properties": text}, version, clients=("java:3.9",))
    assert {signature.bumps_epoch for signature in signatures(cluster)} == {bumps}


def test_what_a_small_model_finds_is_kept_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = SmallModel("producer", alone_values(), (DUPLICATES, ORDER), frozenset({"send"}))
    with results_kept_in(tmp_path):
        found = explore_small_model(small)
        (kept,) = (tmp_path / "audit").iterdir()
        monkeypatch.setattr("tidegate.audit.exploring.small_models.find", None)  # nothing is explored any more
        assert explore_small_model(small) == found and found.states > 40
        kept.write_text("{", encoding="utf-8")
        with pytest.raises(TypeError):
            explore_small_model(small)
    with pytest.raises(TypeError):  # and nothing is kept for who asks for no cache
        explore_small_model(small)


def test_what_reading_asks_of_small_models_is_kept_for_the_next_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said of a client's own settings is said while files are read, and is kept as what the tables need."""
    monkeypatch.setenv("TIDEGATE_CACHE", str(tmp_path / "cache"))
    files = nodes(producer__properties="bootstrap.servers=a:1\nacks=1\n", reader__properties="group.id=a\n")
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    said: list[object] = []
    for find in (small_models.find, None):  # the second time nothing can be explored
        monkeypatch.setattr(small_models, "find", find)
        possible_costs.cache_clear()
        crash_costs.cache_clear()
        done = audit(*(tmp_path / name for name in files), kafka_version="3.9", clients="java:3.9", time=0.01)
        said.append(done.document()["findings"])
    assert said[0] == said[1] and "acks=1" in str(said[0])


def test_an_exploration_in_which_nothing_happens_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="not explored to its end"):
        explore_small_model(SmallModel("producer", alone_values(), (DUPLICATES,), frozenset({"add_partition"})))


def alone_values() -> dict[str, Value]:
    sender = Sender("all", careful=True, max_in_flight=1, retries=True)
    return {**dict(result_of_lone_producer(sender).settings), "records": 1}


@pytest.mark.parametrize(
    ("client", "producer", "assumed"),
    [
        (None, False, True),
        ("java", False, True),
        ("java:3.9", False, False),
        ("java:2.4", False, False),
        ("librdkafka:2.3.0", False, False),
        (None, True, True),
        ("java:3.9", True, False),
    ],
)
def test_that_a_client_is_no_old_one_is_said_in_every_report(client: str | None, producer: bool, assumed: bool) -> None:
    """On the terminal, in JSON and on the page; of producers without a file as well."""
    text = "acks=all\nenable.idempotence=true\nbootstrap.servers=a:1\n"
    files = nodes(producer__properties=text) if producer else nodes()
    clients = () if client is None else (client,)
    cluster = cluster_of(files, "3.9.0", clients=clients, acks=None if producer else "all")
    table: Table = {(question.name, cell.name): KEEPS for question in QUESTIONS for cell in CELLS}
    verdicts = [SubjectVerdict(one, (table,) * len(one.variants), table) for one in cluster_subjects(cluster)]
    made = audit_document(cluster, (), [SubjectReport(one, ()) for one in verdicts], (), 0)
    said = [one for one in made["assumptions"] if "Java producer" in one and "2.1 to 2.4" in one and "KIP-360" in one]
    assert bool(said) is assumed and len(said) <= 1
    shown = audit_page(made, TextFormat(width=400)).text()
    for report in (shown, audit_markdown(made), audit_index(made)):
        assert ("2.1 to 2.4" in report and "--client java:VERSION" in report) is assumed
