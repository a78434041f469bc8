"""The rows about those who read: what the answers about a topic, and about `__consumer_offsets`, mean for consumers.

Whether groups stop, and whether they skip records where offsets are lost, is asked of the model `offsets_outage`, in
`groups`, once the partition's model has said what the log of the offsets does. Whether a consumer skips records where
the log was cut below its position and filled again is asked of the model `consumer`, in `clients` (KIP-320). Who
begins at a committed offset sees that only if the leader's epoch was committed with it, which automatic commits do;
what an application names itself, as `new OffsetAndMetadata(offset)` in Java or as Spring's containers do, has none.
Nor has, in Java, a position that `auto.offset.reset` gave, until a record was read. And no consumer sees that records
were cut and are there again, which takes a leader that is elected uncleanly (`_answers_about_returning_records`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from ..cluster.cluster import Client, Cluster
from ..cluster.racks import missing_racks
from ..cluster.settings import base_family, setting_value
from ..cluster.statements import Unknown
from ..exploring.client_models import is_missing_a_cut, is_skipping_what_comes_back, is_skipping_what_was_cut
from ..exploring.group_models import SKIPPED, STOPPED, group_failures
from ..kafka.internal_topics import OFFSETS
from ..kafka.keys import declared_key, is_false, is_true
from ..kafka.versions import is_at_least
from ..questions.cases import loss_case
from ..questions.signature import Signature, Subject
from ..questions.situations import BY_NAME, CELLS, Name, possible_rack_sizes
from ..startup.client_settings import stated_setting
from .answer import RACK, Answer, SubjectVerdict, Table, gravest_answer, merge_answers

ENABLE_AUTO_COMMIT = declared_key("enable.auto.commit")
ENABLE_AUTO_OFFSET_STORE = declared_key("enable.auto.offset.store")

READERS, RESET, VERSION = "its consumers", declared_key("auto.offset.reset"), "the consumer's version"
COMMITS = "how the consumer commits"

ASKS: Mapping[str, str] = {
    OFFSETS: "kafka-topics.sh --describe, with internal topics, or a broker's server.properties",
    READERS: "which consumers read it, in audit.toml",
    RESET: "auto.offset.reset of the consumer, or its family with --client",
    VERSION: "the client's family and version, such as --client java:3.9",
    COMMITS: "enable.auto.commit=true; commits of the application need the leader's epoch (commitSync() has it)",
}
"""What the user may give, by fact."""

SEES_TRUNCATION = {"java": "2.3", "librdkafka": "2.1"}
"""Since when a client notices that the log was cut below its position: KAFKA-7747, librdkafka's notes of 2.1.0."""

_SEEN_BY_BROKERS = {"java": "2.3"}
"""Since when brokers answer a client's question where its position's epoch ends; before, the client does not ask
(OffsetsForLeaderEpochRequest, supportsTopicPermission)."""

_RESETS_WITHOUT_EPOCH = {"java"}
"""Whose position has no epoch after a reset (OffsetFetcherUtils, resetPositionIfNeeded). librdkafka takes the one that
the leader answers with (rd_kafka_toppar_handle_Offset)."""

_NOTICED = (
    "its consumers read again what is lost, or notice, if the application commits no offsets without their leader "
    "epoch beside the automatic commits"
)
"""What is assumed: no setting says what an application commits with `commitSync(offsets)`."""

_AT_THE_BEGINNING, _AN_ERROR = ("earliest", "smallest", "beginning"), ("none", "error")


def add_consumer_rows(every: Sequence[SubjectVerdict], cluster: Cluster) -> list[SubjectVerdict]:
    """Each subject with its rows `groups` and `no-skips`, and with what may be given to decide them."""
    offsets = next((subject for subject in every if subject.subject.topics[0].name == OFFSETS), None)
    asks = {**ASKS, **({} if offsets is None else offsets.subject.asks)}
    if offsets is not None:
        name, ask = missing_racks(cluster, offsets.subject.topics[0])
        asks |= {name: ask}
        other = _name_topic_of_missing_racks(offsets, name)
    else:
        other = None
    return [
        replace(
            subject,
            subject=replace(subject.subject, asks={**asks, **subject.subject.asks}),
            table={**subject.table, **_consumer_rows(subject, offsets if subject is offsets else other, cluster)},
        )
        for subject in every
    ]


def _name_topic_of_missing_racks(offsets: SubjectVerdict, name: str) -> SubjectVerdict:
    """The answers about the offsets topic, for those of others: what is missing of racks is missing of its own."""
    table = {
        cell: replace(answer, facts=tuple(name if on == RACK else on for on in answer.facts))
        for cell, answer in offsets.table.items()
    }
    return replace(offsets, table=table)


def _consumer_rows(subject: SubjectVerdict, offsets: SubjectVerdict | None, cluster: Cluster) -> Table:
    readers = _consumers_of_topics(cluster, subject.subject)
    return {
        **{("groups", cell.name): _groups_answer(subject, offsets, cell.name) for cell in CELLS},
        **{
            ("no-skips", cell.name): _skipped_records_answer(subject, offsets, cell.name, cluster, readers)
            for cell in CELLS
        },
    }


def worst_answer(answers: Sequence[Answer]) -> Answer:
    """The gravest of several answers, with all that any as grave depends on."""
    gravest = gravest_answer(answers)
    on = dict.fromkeys(name for answer in answers if answer.word == gravest.word for name in answer.facts)
    return replace(gravest, facts=tuple(on))


def _reworded_answer(answer: Answer, why: str) -> Answer:
    """Another row's answer, with what it means here."""
    text = f"{why}: {answer.why}" if answer.why else why
    return Answer(answer.word, "arithmetic", text, answer.facts, stop_reason=answer.stop_reason)


def _answer_of_group_model(answer: Answer, why: str, bad: bool) -> Answer:
    """What the model of groups says where another row's answer is so. What is undecided stays as it is."""
    found = replace(_reworded_answer(answer, why), basis=answer.basis)
    if answer.word not in ("can lose", "no loss found"):
        return found
    return replace(found, word="can lose" if bad else "no loss found")


def _groups_answer(subject: SubjectVerdict, offsets: SubjectVerdict | None, cell: Name) -> Answer:
    """Whether groups stop: whether nobody takes their commits and lets consumers join. Of the offsets topic itself
    it has the run in which that takes no writes or serves no reads; of others it says that it rests on the offsets
    topic, whose brokers need not be theirs."""
    if subject.subject.is_internal and subject.subject.topics[0].name != OFFSETS:
        return Answer("not checked", "", "no group keeps its offsets in it")
    if offsets is None:
        return Answer("depends", "arithmetic", "", (OFFSETS,))
    found = worst_answer([offsets.table[name, cell] for name in ("writable", "readable")])
    why = f"groups commit to {OFFSETS}"
    said = _answer_of_group_model(found, why, STOPPED in group_failures(found.word == "can lose", loses=False))
    if subject is not offsets or said.word != found.word:
        return said
    return replace(said, steps=found.steps, case=found.case, property=found.property)


def _skipped_records_answer(
    subject: SubjectVerdict,
    offsets: SubjectVerdict | None,
    cell: Name,
    cluster: Cluster,
    readers: Sequence[Client | None],
) -> Answer:
    if subject.subject.is_internal:
        return Answer("not checked", "", "Kafka reads it itself")
    cut = worst_answer([subject.table[name, cell] for name in ("no-loss", "no-unread")])
    unknown = Answer("depends", "arithmetic", "", (OFFSETS,))
    forgotten = unknown if offsets is None else offsets.table["no-loss", cell]
    skipped = [answer for reader in readers for answer in _skip_answers(cluster, reader, cut, forgotten)]
    return worst_answer([*_answers_about_returning_records(subject, cell), *skipped])


def _answers_about_returning_records(subject: SubjectVerdict, cell: Name) -> Iterator[Answer]:
    """What any consumer skips where records were cut, and are in the log again: it has read others in their place.

    A leader is gone with a record, another one writes and is gone, too, and the first is elected before it has
    truncated its log. It is in no ISR then, and so that takes unclean elections. Where one of them costs what was read,
    it may be so: tests/audit/questions/test_returns.py explores the partition's model with both records, and compares.
    """
    kept = Answer("no loss found")
    variants = subject.subject.variants
    open_to_it = [may_elect_uncleanly(variant.signature, cell) for variant in variants]
    if not any(open_to_it):
        return
    answers = [table["no-unread", cell] if it else kept for it, table in zip(open_to_it, subject.tables, strict=True)]
    found = merge_answers(variants, answers)
    if found.word != "no loss found" and is_skipping_what_comes_back():
        says = (
            "no consumer sees that another replica, elected uncleanly, has older records where it has read newer ones"
        )
        yield replace(_reworded_answer(found, says), basis=found.basis)


@lru_cache(maxsize=100_000)
def may_elect_uncleanly(signature: Signature, cell: Name) -> bool:
    """Whether another replica may be made leader in a cell where no member of the ISR is left."""
    place = BY_NAME[cell]
    cases = (loss_case(signature, place, in_rack) for in_rack in possible_rack_sizes(place.fault, signature))
    return signature.elects_uncleanly and signature.replicas > 1 and any(case.is_taking_all_in_sync for case in cases)


def _consumers_of_topics(cluster: Cluster, subject: Subject) -> Sequence[Client | None]:
    """The consumers of any of the topics, each once; None if they are not stated of one of them."""
    found: dict[Client | None, None] = {}
    for use in map(cluster.use_of, [topic.name for topic in subject.topics]):
        names = () if use is None else use.consumers
        found |= dict.fromkeys([cluster.client(name, "consumer") for name in names] or [None])
    return list(found)


def _skip_answers(cluster: Cluster, reader: Client | None, cut: Answer, forgotten: Answer) -> Iterator[Answer]:
    """What a consumer skips if the log was cut as in `cut`, and if its offset was forgotten as in `forgotten`."""
    lost = cut.word != "no loss found" or forgotten.word != "no loss found"
    why = _NOTICED if lost else "no offset is lost, and no record below one"
    asked = SKIPPED not in group_failures(stops=False, loses=False)
    yield Answer("no loss found", "model" if asked else "arithmetic", why)
    if cut.word != "no loss found":
        yield from _answers_about_cut_log(cluster, reader, cut)
    if forgotten.word != "no loss found":
        starts = None if reader is None else setting_value(cluster, reader, RESET)
        if starts is None or isinstance(starts, Unknown):
            if SKIPPED in group_failures(stops=False, loses=True):
                may = _consequence_of_loss(forgotten, READERS if reader is None else RESET, "it may start at the end")
                yield replace(may, basis=forgotten.basis)
        else:
            says = f"{_consumer_name(reader)} starts anew where its offset is lost, with {RESET}={starts.value}"
            bad = SKIPPED in group_failures(stops=False, loses=True, reset=_offset_reset_in_model(starts.value))
            yield from (replace(_consequence_of_loss(forgotten, None, says), basis=forgotten.basis),) if bad else ()


def _answers_about_cut_log(cluster: Cluster, reader: Client | None, cut: Answer) -> Iterator[Answer]:
    """What a consumer skips if the log was cut as in `cut` below its position, or below its group's offset."""
    sees = None if reader is None else sees_truncation(cluster, reader)
    if reader is None or not sees:
        fact = READERS if reader is None else VERSION
        says = f"{_consumer_name(reader)} does not see that the log was cut below its offset, before KIP-320"
        if is_skipping_what_was_cut(sees_truncation=False):
            yield replace(_consequence_of_loss(cut, fact if sees is None else None, says), basis=cut.basis)
        return
    starts = setting_value(cluster, reader, RESET)
    fact = RESET if isinstance(starts, Unknown) else None
    reset = "latest" if isinstance(starts, Unknown) else _offset_reset_in_model(starts.value)
    if base_family(reader) in _RESETS_WITHOUT_EPOCH and is_missing_a_cut(reset):
        says = f"{reader.name} does not see a cut below where {RESET} had it begin, until it has read a record"
        yield replace(_consequence_of_loss(cut, fact, says), basis=cut.basis)
    if not commits_epochs(cluster, reader) and is_skipping_what_was_cut(sees_truncation=True, commits_epochs=False):
        says = f"{reader.name} sees that the log was cut below a committed offset only if its epoch was committed"
        yield replace(_consequence_of_loss(cut, COMMITS, says), basis=cut.basis)


def _offset_reset_in_model(value: str) -> str:
    """`auto.offset.reset` as the model has it: what is neither the beginning nor an error is taken for the end."""
    return "earliest" if value in _AT_THE_BEGINNING else "none" if value in _AN_ERROR else "latest"


def _consumer_name(reader: Client | None) -> str:
    return "a consumer" if reader is None else reader.name


def _consequence_of_loss(answer: Answer, fact: str | None, why: str) -> Answer:
    """What follows where the answer is a loss; `fact` decides it too, if there is one."""
    found = _reworded_answer(answer, why)
    if fact is None or answer.word == "not checked":
        return found
    return replace(found, word="depends", facts=(*found.facts, fact))


def sees_truncation(cluster: Cluster, reader: Client) -> bool | None:
    """Whether a consumer notices that the log was cut below its position; None if nothing says."""
    family, kafka = base_family(reader) or "", cluster.versions.kafka
    if kafka is not None and family in _SEEN_BY_BROKERS and is_at_least(kafka.value, _SEEN_BY_BROKERS[family]) is False:
        return False
    since = SEES_TRUNCATION.get(family)
    return None if since is None or reader.version is None else is_at_least(reader.version.value, since)


def commits_epochs(cluster: Cluster, reader: Client) -> bool:
    """Whether a consumer that has KIP-320 is known to commit the leader's epoch with each offset: it commits by itself
    what it has read (SubscriptionState.allConsumed). With an offset alone a position is not validated."""
    stores = stated_setting(reader, ENABLE_AUTO_OFFSET_STORE)
    if stores is not None and is_false(stores.value):
        return False
    answer = setting_value(cluster, reader, ENABLE_AUTO_COMMIT)
    return not isinstance(answer, Unknown) and is_true(answer.value)
