"""A large cluster's configuration, as the collecting script writes it: 1,000 topics, 50,000 partitions, 200 signatures.

Fifteen brokers of release 3.9 stand in three racks. What they say of a topic's settings is laid out as in the capture
of a real broker in `tests/fixtures/audit/`. Topics differ in replication factor, min.insync.replicas, unclean
elections, flushing, how their replicas are spread over racks, and who produces them. Which combinations there are is
chosen once and for all, by a seed: most with three replicas, good ones and bad ones.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tidegate.language.immutable import immutable

CAPTURED = Path(__file__).parent.parent / "tests" / "fixtures" / "audit" / "3.9.1-kraft" / "collected"
BROKERS, RACKS = 15, 3
SEED = 8

PRODUCERS: Mapping[str, Sequence[str]] = {
    "payments": ("acks=all", "enable.idempotence=true"),
    "orders": ("acks=all", "enable.idempotence=false", "max.in.flight.requests.per.connection=1"),
    "inventory": ("acks=all", "enable.idempotence=false", "max.in.flight.requests.per.connection=5"),
    "clicks": ("acks=1", "retries=10"),
    "metrics": ("acks=0",),
}
"""The settings of the producers, by the first word of their topics' names."""

MIXED: Mapping[int, int] = {1: 10, 2: 30, 3: 120, 4: 20, 5: 20}
"""How many of the signatures have so many replicas."""

LEAST: Mapping[int, Sequence[int]] = {1: (1,), 2: (1, 2), 3: (1, 2, 3), 4: (2, 3), 5: (2, 3)}
"""min.insync.replicas, for so many replicas."""

TOGETHER: Mapping[int, Sequence[int]] = {1: (1,), 2: (1, 2), 3: (1, 2, 3), 4: (2, 4), 5: (2, 3, 5)}
"""The most replicas of a partition in one rack, for so many replicas."""

SIZES = (10, 20, 30, 60, 130)
"""Partitions of a topic, one after the other: 50 on average."""


@immutable
class TopicKind:
    """Topics that are alike. `together` is the most replicas of a partition in one rack."""

    replicas: int
    min_isr: int
    unclean: bool
    is_flushed: bool
    together: int
    producer: str

    def replicas_at(self, partition_number: int) -> list[int]:
        """The brokers of one partition; `partition_number` moves them along."""
        left, rack, found = self.replicas, partition_number, list[int]()
        while left:
            number = min(self.together, left)
            found += [
                rack % RACKS + 1 + RACKS * ((partition_number // RACKS + offset) % (BROKERS // RACKS))
                for offset in range(number)
            ]
            left, rack = left - number, rack + 1
        return found


@immutable
class WrittenTopic:
    """A topic to write down."""

    name: str
    kind: TopicKind
    partitions: int


def counts_by_replicas(most: int) -> dict[int, int]:
    """How many of the signatures have so many replicas, if none has more than `most` (3 to 5)."""
    found = {replicas: number for replicas, number in MIXED.items() if replicas <= most}
    return found | {most: sum(number for replicas, number in MIXED.items() if replicas >= most)}


def topic_kinds(most: int) -> list[TopicKind]:
    """The signatures, no two alike."""
    chance = random.Random(SEED)
    found: list[TopicKind] = []
    for replicas, number in counts_by_replicas(most).items():
        flags = (False, True)
        every = itertools.product(LEAST[replicas], flags, flags, TOGETHER[replicas], PRODUCERS)
        found += chance.sample([TopicKind(replicas, *choices) for choices in every], number)
    return found


def written_topics(number: int = 1000, most: int = 5) -> list[WrittenTopic]:
    """So many topics, of which Kafka's own are two: each kind has one, and a few have many."""
    chance, every = random.Random(SEED), topic_kinds(most)
    found = [
        WrittenTopic(name, TopicKind(3, 2, False, False, 1, ""), 50)
        for name in ("__consumer_offsets", "__transaction_state")
    ]
    chance.shuffle(every)
    own = number - len(found)
    for at in range(own):
        kind = every[at] if at < len(every) else every[int(len(every) * chance.random() ** 3)]
        whole = at < own // len(SIZES) * len(SIZES)
        found.append(WrittenTopic(f"{kind.producer}.{at:04}", kind, SIZES[at % len(SIZES)] if whole else 50))
    return found


def write(folder: Path, number: int = 1000, most: int = 5) -> list[WrittenTopic]:
    """Writes the whole directory; what is in it. No topic has more than `most` replicas (3 to 5)."""
    made = written_topics(number, most)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "topics.txt": "".join(line for topic in made for line in topic_lines(topic)),
        "configs-topics.txt": "".join(line for topic in made for line in setting_lines(topic, _captured_settings())),
        "features.txt": (CAPTURED / "features.txt").read_text(encoding="utf-8"),
        "audit.toml": "".join(_topic_name(name) for name in PRODUCERS),
        "reader.properties": "auto.offset.reset=earliest\ngroup.id=reader\n",
        **{f"{name}.properties": "\n".join([*lines, ""]) for name, lines in PRODUCERS.items()},
        **{f"{number:02}-server.properties": _broker_text(number) for number in range(1, BROKERS + 1)},
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return made


def topic_lines(topic: WrittenTopic) -> Iterator[str]:
    """As kafka-topics.sh describes it."""
    settings = ",".join(f"{name}={value}" for name, value in topic_overrides(topic.kind).items())
    start = f"Topic: {topic.name}\tTopicId: 2klHJtMBR12u4S4fX6kMDg\tPartitionCount: {topic.partitions}\t"
    yield f"{start}ReplicationFactor: {topic.kind.replicas}\tConfigs: {settings}\n"
    for at in range(topic.partitions):
        placed = topic.kind.replicas_at(at)
        all_ = ",".join(map(str, placed))
        yield (
            f"\tTopic: {topic.name}\tPartition: {at}\tLeader: {placed[0]}\tReplicas: {all_}\tIsr: {all_}\tElr: \t"
            "LastKnownElr: \n"
        )


def setting_lines(topic: WrittenTopic, lines: Sequence[str]) -> Iterator[str]:
    """As kafka-configs.sh --all describes its settings. `lines` are those of a real topic."""
    own = topic_overrides(topic.kind)
    yield f"All configs for topic {topic.name} are:\n"
    for line in lines:
        key = line.strip().partition("=")[0]
        if key in own:
            source = f"DYNAMIC_TOPIC_CONFIG:{key}={own[key]}"
            yield f"  {key}={own[key]} sensitive=false synonyms={{{source}}}\n"
        else:
            yield line


def topic_overrides(kind: TopicKind) -> dict[str, str]:
    """The settings that its topics have of their own."""
    unclean = {"unclean.leader.election.enable": "true"} if kind.unclean else {}
    flushed = {"flush.messages": "1"} if kind.is_flushed else {}
    return {"min.insync.replicas": str(kind.min_isr), **unclean, **flushed}


def _captured_settings() -> list[str]:
    """The settings of one topic, as a real broker reported them."""
    text = (CAPTURED / "configs-topics.txt").read_text(encoding="utf-8")
    first = re.split(r"^All configs .*$\n", text, flags=re.M)[1]
    return first.splitlines(keepends=True)


def _topic_name(name: str) -> str:
    return f'[topic."{name}\\\\..*"]\nproducer = "{name}.properties"\nconsumer = "reader.properties"\n'


def _broker_text(number: int) -> str:
    voters = ",".join(f"{100 + controller}@controller-{controller}:9093" for controller in (1, 2, 3))
    return "\n".join([
        "process.roles=broker", f"node.id={number}", f"controller.quorum.voters={voters}",
        "controller.listener.names=CONTROLLER", "listeners=PLAINTEXT://:9092", "log.dirs=/var/lib/kafka/data",
        f"broker.rack=rack-{'abc'[(number - 1) % RACKS]}", "default.replication.factor=3", "min.insync.replicas=2",
        "offsets.topic.replication.factor=3", "transaction.state.log.replication.factor=3",
        "transaction.state.log.min.isr=2", "auto.create.topics.enable=false", "",
    ])  # fmt: skip
