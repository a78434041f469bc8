"""The rows about consumers follow from what is lost, from their settings, and from what their client can see.

Also of: `answer`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tidegate.audit.answers.answer import RACK, Answer, SubjectVerdict, Word, merge_answers
from tidegate.audit.answers.consumers import (
    COMMITS,
    READERS,
    RESET,
    VERSION,
    add_consumer_rows,
    may_elect_uncleanly,
    sees_truncation,
)
from tidegate.audit.answers.requirements import Requirement, check_requirements
from tidegate.audit.cluster.cluster import Broker, Client, Cluster, Topic, TopicUse, Versions
from tidegate.audit.cluster.statements import Origin, Setting, StatedValue
from tidegate.audit.exploring.group_models import SIZES, SKIPPED, STOPPED, group_failures
from tidegate.audit.kafka.internal_topics import OFFSETS
from tidegate.audit.kafka.profiles import NEWEST
from tidegate.audit.questions.questions import OF_TOPICS
from tidegate.audit.questions.signature import Signature, Subject, Variant
from tidegate.audit.questions.situations import CELLS, Name
from tidegate.audit.repairs.repair import wanted_cells

FILE = Origin("audit.toml", 1)


def verdict_of(name: str, *others: str, **words: Word) -> SubjectVerdict:
    """Topics of which nothing is lost in any cell, but for these questions with the last replica standing."""
    fine = Answer("no loss found", "model", "1 record")
    table: dict[tuple[str, Name], Answer] = {(q.name, place.name): fine for q in OF_TOPICS for place in CELLS}
    for question, word in words.items():
        on = ("acks",) if word == "depends" else ()
        table[question.replace("_", "-"), "power-loss@one"] = Answer(word, "model", "why", on)
    return SubjectVerdict(Subject(tuple(Topic(text, FILE) for text in (name, *others)), None, (), ()), (), table)


def consumer(family: str = "java", version: str | None = "3.9", **settings: str) -> Client:
    reported = tuple(Setting(key.replace("_", "."), value, FILE) for key, value in settings.items())
    return Client(
        "reader",
        "consumer",
        FILE,
        StatedValue(family, FILE),
        None if version is None else StatedValue(version, FILE),
        reported,
    )


def cluster(*clients: Client) -> Cluster:
    use = TopicUse("topic", "orders", FILE, (), tuple(client.name for client in clients))
    return Cluster(clients=clients, uses=(use,) if clients else ())


def cell(
    question: str, topic: SubjectVerdict, offsets: SubjectVerdict | None, of: Cluster, name: Name = "power-loss@one"
) -> Answer:
    every = [topic] if offsets is None else [topic, offsets]
    return add_consumer_rows(every, of)[0].table[question, name]


LOST = verdict_of(OFFSETS, no_loss="can lose")
CUT = verdict_of("orders", no_unread="can lose")
FINE, KEPT = verdict_of("orders"), verdict_of(OFFSETS)
OLD, EARLIEST = consumer(version="2.2"), consumer(auto_offset_reset="earliest")
MANUAL = Setting("enable.auto.commit", "false", FILE)


@pytest.mark.parametrize(
    ("topic", "offsets", "reader", "word"),
    [
        (FINE, KEPT, consumer(), "no loss found"),
        (FINE, KEPT, None, "no loss found"),  # whoever reads it: nothing that an offset rests on is lost
        (FINE, LOST, consumer(), "can lose"),  # latest is the default
        (FINE, LOST, consumer(auto_offset_reset="latest"), "can lose"),
        (FINE, LOST, consumer(auto_offset_reset="earliest"), "no loss found"),
        (FINE, LOST, consumer(auto_offset_reset="none"), "no loss found"),
        (FINE, LOST, consumer(auto_offset_reset="by_duration:PT1H"), "can lose"),
        (FINE, LOST, consumer("librdkafka", "2.5", auto_offset_reset="largest"), "can lose"),
        (FINE, LOST, None, "depends"),
        (CUT, KEPT, EARLIEST, "no loss found"),  # it goes back to where the logs part
        (CUT, KEPT, consumer(auto_offset_reset="none"), "no loss found"),
        (CUT, KEPT, consumer(), "can lose"),  # a position of a reset has no epoch
        (CUT, KEPT, consumer(auto_offset_reset="by_duration:PT1H"), "can lose"),
        (CUT, KEPT, consumer(auto_offset_reset="${RESET}"), "depends"),
        (CUT, KEPT, replace(EARLIEST, settings=(*EARLIEST.settings, MANUAL)), "depends"),  # an offset without an epoch
        (CUT, KEPT, consumer("spring", auto_offset_reset="earliest"), "depends"),
        (CUT, KEPT, consumer("spring"), "can lose"),
        (CUT, KEPT, consumer("librdkafka", "2.5", enable_auto_offset_store="false"), "depends"),
        (CUT, KEPT, consumer("librdkafka", "2.5"), "no loss found"),
        (CUT, KEPT, consumer(version="2.2", enable_auto_commit="false"), "can lose"),
        (CUT, KEPT, OLD, "can lose"),
        (CUT, KEPT, consumer("librdkafka", "2.0", auto_offset_reset="earliest"), "can lose"),
        (CUT, KEPT, consumer(version=None), "depends"),
        (CUT, KEPT, consumer("kafkajs", "2.2", auto_offset_reset="earliest"), "depends"),
        (verdict_of("orders", no_loss="depends"), KEPT, OLD, "depends"),
        (verdict_of("orders", no_loss="not checked"), KEPT, OLD, "not checked"),
        (verdict_of("orders", no_loss="not checked"), LOST, consumer(), "can lose"),
        (FINE, None, consumer(), "depends"),
        (FINE, None, consumer(auto_offset_reset="earliest"), "no loss found"),
    ],
)
def test_consumers_skip_records(
    topic: SubjectVerdict, offsets: SubjectVerdict | None, reader: Client | None, word: Word
) -> None:
    found = cell("no-skips", topic, offsets, cluster() if reader is None else cluster(reader))
    assert found.word == word, found
    if word != "not checked":
        modelled = word == "no loss found" or offsets is not None  # what is not known of it, no model says
        assert found.basis == ("model" if modelled else "arithmetic"), found
    assert bool(found.facts) == (word == "depends")


def test_what_is_noticed_is_not_said_to_be_kept() -> None:
    """An offset that is lost is not called kept because its consumer begins at the first record."""
    earliest = cluster(consumer(auto_offset_reset="earliest"))
    assert cell("no-skips", FINE, LOST, earliest).why == cell("no-skips", CUT, KEPT, earliest).why
    assert "no offset is lost" not in cell("no-skips", FINE, LOST, earliest).why


def test_what_was_cut_is_asked_of_the_consumers_model(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cell("no-skips", CUT, KEPT, cluster(OLD)).word == "can lose"

    def skips_never(*, sees_truncation: bool, commits_epochs: bool = True) -> bool:
        return False

    monkeypatch.setattr("tidegate.audit.answers.consumers.is_skipping_what_was_cut", skips_never)
    assert cell("no-skips", CUT, KEPT, cluster(OLD)).word == "no loss found"


def unclean(*variants: tuple[bool, Word], replicas: int = 3) -> SubjectVerdict:
    """A topic, in each variant with unclean elections or without, and with what is said of reads that are lost."""
    tables = [verdict_of("orders", no_unread=word).table for _, word in variants]
    made = tuple(
        Variant(
            (("unclean.leader.election.enable", str(on)),),
            Signature(NEWEST, (), replicas, 1, "all", on, False, False, 1),
        )
        for on, _ in variants
    )
    found = verdict_of("orders")
    merged = {at: merge_answers(made, [table[at] for table in tables]) for at in found.table}
    return replace(found, subject=replace(found.subject, variants=made), tables=tuple(tables), table=merged)


ON: tuple[bool, Word] = (True, "can lose")
OFF: tuple[bool, Word] = (False, "no loss found")


@pytest.mark.parametrize(
    ("topic", "reader", "word"),
    [
        (unclean(ON), EARLIEST, "can lose"),
        (unclean(ON), None, "can lose"),
        (unclean(ON), consumer(version=None), "can lose"),
        (unclean((True, "no loss found")), EARLIEST, "no loss found"),
        (unclean((True, "not checked")), EARLIEST, "not checked"),
        (unclean((False, "can lose")), EARLIEST, "no loss found"),
        (unclean(ON, replicas=1), EARLIEST, "no loss found"),
        (unclean(ON, OFF), EARLIEST, "depends"),
        (unclean(ON, (False, "can lose")), EARLIEST, "depends"),
    ],
)
def test_records_that_come_back_are_skipped_where_elections_are_unclean(
    topic: SubjectVerdict, reader: Client | None, word: Word
) -> None:
    found = cell("no-skips", topic, KEPT, cluster() if reader is None else cluster(reader))
    assert (found.word, found.facts) == (word, ("unclean.leader.election.enable",) if word == "depends" else ())
    assert ("elected uncleanly" in found.why) is (word != "no loss found")


def test_where_nobody_can_be_elected_uncleanly_nothing_comes_back() -> None:
    """Versions that lose as the leader is moved do so with a member of the ISR that runs."""
    (variant,) = unclean(ON).subject.variants
    cells = ("power-loss@one", "power-loss@all", "leader-move@one", "two-crashes@min-isr", "rack-loss@all")
    assert [may_elect_uncleanly(variant.signature, name) for name in cells] == [True, False, False, True, False]


def test_what_comes_back_is_asked_of_the_consumers_model(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cell("no-skips", unclean(ON), KEPT, cluster(EARLIEST)).basis == "model"
    monkeypatch.setattr("tidegate.audit.answers.consumers.is_skipping_what_comes_back", lambda: False)
    assert cell("no-skips", unclean(ON), KEPT, cluster(EARLIEST)).word == "no loss found"


def test_what_a_cell_depends_on_is_said() -> None:
    assert cell("no-skips", FINE, LOST, cluster()).facts == (READERS,)
    assert cell("no-skips", CUT, KEPT, cluster(consumer(version=None))).facts == (VERSION,)
    assert cell("no-skips", CUT, KEPT, cluster(consumer("spring", auto_offset_reset="earliest"))).facts == (COMMITS,)
    assert cell("no-skips", FINE, None, cluster(consumer())).facts == (OFFSETS,)
    assert cell("no-skips", FINE, LOST, cluster(consumer("kafkajs", "2.2"))).facts == (RESET,)
    assert cell("no-skips", verdict_of("orders", no_loss="depends"), KEPT, cluster(OLD)).facts == ("acks",)
    (verdict, _) = add_consumer_rows([FINE, LOST], cluster())
    assert {OFFSETS, READERS, RESET, VERSION, COMMITS} <= set(verdict.subject.asks)


def test_the_worst_reader_of_alike_topics_counts() -> None:
    both = (consumer(auto_offset_reset="earliest"), Client("late", "consumer", FILE, StatedValue("java", FILE), None))
    assert cell("no-skips", FINE, LOST, cluster(*both)).why.startswith("late starts anew where its offset is lost")
    assert cell("no-skips", verdict_of("orders", "bills"), LOST, cluster(both[0])).facts == (READERS,), (
        "nobody reads bills"
    )


@pytest.mark.parametrize(
    ("question", "word"), [("writable", "can lose"), ("readable", "can lose"), ("writable", "depends")]
)
def test_groups_are_stuck_with_the_offsets_topic(question: str, word: Word) -> None:
    words: dict[str, Word] = {question: word}
    stuck = verdict_of(OFFSETS, **words)
    assert cell("groups", FINE, stuck, cluster()).word == word
    assert cell("groups", FINE, stuck, cluster(), "crash@all").word == "no loss found"
    assert add_consumer_rows([FINE, stuck], cluster())[1].table["groups", "power-loss@one"].word == word


def test_groups_are_asked_of_the_model_whose_log_does_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = verdict_of(OFFSETS, writable="can lose")
    assert cell("groups", FINE, stuck, cluster()).basis == cell("groups", FINE, KEPT, cluster()).basis == "model"
    nothing = frozenset[str]()

    def fails_never(stops: bool, loses: bool, reset: str = "latest") -> frozenset[str]:
        return nothing

    monkeypatch.setattr("tidegate.audit.answers.consumers.group_failures", fails_never)
    assert cell("groups", FINE, stuck, cluster()).word == "no loss found"
    assert cell("no-skips", FINE, LOST, cluster(consumer())).word == "no loss found"


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("loses", [False, True])
@pytest.mark.parametrize("reset", ["latest", "earliest", "none"])
def test_what_fails_of_groups(stops: bool, loses: bool, reset: str) -> None:
    wanted = ({STOPPED} if stops else set[str]()) | ({SKIPPED} if loses and reset == "latest" else set[str]())
    assert group_failures(stops, loses, reset) == wanted


def test_an_exploration_of_groups_in_which_too_little_happens_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidegate.audit.exploring.group_models.SIZES", {**SIZES, "crashes": 0})
    with pytest.raises(RuntimeError, match="not explored to its end"):
        group_failures.__wrapped__(False, False)


def test_groups_without_an_offsets_topic_and_in_kafkas_other_topics() -> None:
    assert cell("groups", FINE, None, cluster()).facts == (OFFSETS,)
    assert cell("groups", verdict_of("__transaction_state"), KEPT, cluster()).word == "not checked"


def test_what_fails_of_consumers_is_not_repaired_at_the_topic() -> None:
    (verdict, _) = add_consumer_rows([FINE, LOST], cluster(consumer()))
    checks = check_requirements(verdict, [Requirement("no-skips", "power-loss@one")])
    assert [check.result for check in checks] == ["failed"] and wanted_cells(checks) == []


@pytest.mark.parametrize(
    ("family", "version", "sees"),
    [("java", "2.3", True), ("java", "2.2", False), ("librdkafka", "2.1", True), ("librdkafka", "2.0", False),
     ("java", "2", None), ("java", None, None), ("sarama", "1.40", None)],
)  # fmt: skip
def test_who_sees_that_a_log_was_cut(family: str, version: str | None, sees: bool | None) -> None:
    assert sees_truncation(cluster(), consumer(family, version)) is sees


def test_brokers_before_2_3_are_not_asked_where_an_epoch_ends() -> None:
    old = Versions(kafka=StatedValue("2.2.1", FILE))
    assert [sees_truncation(replace(cluster(), versions=old), one) for one in (EARLIEST, OLD)] == [False, False]
    assert sees_truncation(replace(cluster(), versions=Versions(kafka=StatedValue("2.3.0", FILE))), EARLIEST) is True


def test_what_is_missing_of_the_racks_is_that_of_the_offsets_topic() -> None:
    offsets = verdict_of(OFFSETS, no_loss="depends")
    table = {**offsets.table, ("no-loss", "power-loss@one"): Answer("depends", "model", "", (RACK,))}
    placed = Cluster(brokers=(Broker(1, FILE, rack=StatedValue("a", FILE), roles=("broker",)),))
    found = add_consumer_rows([verdict_of("orders"), replace(offsets, table=table)], placed)[0]
    cell = found.table["no-skips", "power-loss@one"]
    assert cell.facts == (f"which brokers have {OFFSETS}", READERS)
    assert "--describe" in found.subject.asks[f"which brokers have {OFFSETS}"]
