"""Clusters of a few numbers, as their files describe them, and the same with an audit's advice followed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

EVERYDAY = ("leader-move", "restart", "crash", "cut-off")
QUESTIONS = ("writable", "readable", "no-loss", "no-unread")


@dataclass(frozen=True)
class AdvisedCluster:
    """Brokers and three controllers, one topic, `orders` (described, or not there yet), and a producer (`acks` None: no
    file of one). `least` is the topic's min.insync.replicas, `of_brokers` what the brokers' files have, `of_cluster`
    what is set for the whole cluster; `of_controllers` whether controllers' files have what the brokers' have."""

    release: str = "3.9"
    brokers: int = 3
    replicas: int = 3
    least: int = 2
    acks: str | None = "all"
    unclean: bool = False
    elr: bool = False
    is_described: bool = True
    offsets: int = 3
    transactions: int = 3
    of_brokers: int = 2
    of_cluster: int | None = None
    of_controllers: bool = True
    idempotent: bool | None = None
    max_in_flight: int | None = None

    def texts(self) -> Iterator[tuple[str, str, bool]]:
        """The files, as `read_cluster_texts` takes them."""
        voters = "controller.quorum.voters=101@c1:9093,102@c2:9093,103@c3:9093\ncontroller.listener.names=CONTROLLER\n"
        of_both = (
            f"default.replication.factor={self.replicas}\nmin.insync.replicas={self.of_brokers}\n"
            f"unclean.leader.election.enable={str(self.unclean).lower()}\n"
        )
        internal = (
            f"offsets.topic.replication.factor={self.offsets}\n"
            f"transaction.state.log.replication.factor={self.transactions}\n"
            f"transaction.state.log.min.isr={min(2, self.transactions)}\n"
        )
        for id_ in range(1, self.brokers + 1):
            head = f"process.roles=broker\nnode.id={id_}\nlisteners=PLAINTEXT://h{id_}:9092\nlog.dirs=/data\n"
            yield f"c/broker-{id_}.properties", f"{head}{voters}{of_both}{internal}", True
        for id_ in (101, 102, 103):
            head = (
                f"process.roles=controller\nnode.id={id_}\nlisteners=CONTROLLER://c{id_ - 100}:9093\nlog.dirs=/data\n"
            )
            yield f"c/controller-{id_}.properties", f"{head}{voters}{of_both if self.of_controllers else ''}", True
        if self.is_described:
            yield "c/topics.txt", self._topic(), True
        if self.of_cluster is not None:
            yield "c/brokers.txt", _DYNAMIC.format(self.of_cluster), True
        if self.acks is not None:
            yield "c/producer.properties", self._producer(), True

    def _topic(self) -> str:
        hosts = ",".join(map(str, range(1, self.replicas + 1)))
        configs = f"min.insync.replicas={self.least},unclean.leader.election.enable={str(self.unclean).lower()}"
        return (
            f"Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: {self.replicas}\tConfigs: {configs}\n"
            f"\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: {hosts}\tIsr: {hosts}\n"
        )

    def _producer(self) -> str:
        said = {"enable.idempotence": self.idempotent, "max.in.flight.requests.per.connection": self.max_in_flight}
        more = "".join(f"{key}={str(value).lower()}\n" for key, value in said.items() if value is not None)
        return f"bootstrap.servers=h1:9092\nacks={self.acks}\n{more}"


_DYNAMIC = (
    "Default configs for brokers in the cluster are:\n"
    "  min.insync.replicas={0} sensitive=false synonyms={{DYNAMIC_DEFAULT_BROKER_CONFIG:min.insync.replicas={0}}}\n"
)


def follow_advice(cluster: AdvisedCluster, document: Mapping[str, Any]) -> AdvisedCluster:
    """The cluster with what the `change` column of each failing row says, and nothing else."""
    for row in document["summary"]["rows"]:
        if row["result"] == "failed" and row["change"] != "none found":
            for text in row["change"].partition("; ")[0].split(", "):
                of_topic = cluster.is_described and row["topics"] == ["orders"]
                cluster = _follow(cluster, re.sub(r" \(or .*\)$| on brokers and controllers$", "", text), of_topic)
    return cluster


def follow_cause(cluster: AdvisedCluster, row: Mapping[str, Any]) -> AdvisedCluster:
    """The cluster with that part of a row's advice alone that changes the setting that is named first."""
    key = re.sub(r"^\S+:\d+ |^\S+ \([^)]*\) |[= ](?!factor).*$", "", row["decided"][0])
    aliases = {
        "replication factor": r"(\d brokers|.*replication.factor)",
        "eligible.leader.replicas.version": r".*eligible.*",
    }
    for text in row["change"].partition("; ")[0].split(", "):
        if re.match(aliases.get(key, rf".*{re.escape(key)}"), text):
            plain = re.sub(r" \(or .*\)$| on brokers and controllers$", "", text)
            cluster = _follow(cluster, plain, cluster.is_described and row["topics"] == ["orders"])
    return cluster


def _follow(cluster: AdvisedCluster, text: str, of_topic: bool) -> AdvisedCluster:
    """One change made; of_topic: of the described topic alone. Raises ValueError for what nobody can follow."""
    if match := re.fullmatch(r"(\d) brokers", text):
        return replace(cluster, brokers=max(cluster.brokers, int(match[1])))
    if match := re.fullmatch(r"Kafka (\d\.\d) with eligible\.leader\.replicas\.version=1", text):
        return replace(cluster, release=match[1], elr=True)
    if match := re.fullmatch(r"min\.insync\.replicas=(\d) for the whole cluster", text):
        return replace(cluster, of_cluster=int(match[1]))
    key, equals, value = text.partition("=")
    if not equals or key not in _FIELDS:
        raise ValueError(f"nobody can follow {text!r}")
    if key == "min.insync.replicas" and not of_topic:
        return replace(cluster, of_cluster=int(value))
    named = _FIELDS[key]
    made = {"false": False, "true": True}.get(value, int(value) if value.isdecimal() else value)
    more = {"of_controllers": True} if key == "default.replication.factor" else {}
    return replace(cluster, **{named: bool(int(value)) if named == "elr" else made}, **more)


_FIELDS = {
    "acks": "acks",
    "default.replication.factor": "replicas",
    "eligible.leader.replicas.version": "elr",
    "enable.idempotence": "idempotent",
    "max.in.flight.requests.per.connection": "max_in_flight",
    "min.insync.replicas": "least",
    "offsets.topic.replication.factor": "offsets",
    "replication factor": "replicas",
    "transaction.state.log.replication.factor": "transactions",
    "unclean.leader.election.enable": "unclean",
}


def wrong_advice(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with advice that was followed: what it names and does not repair, what it breaks of everyday events
    and of what is required. `after` is the document of the same cluster with it."""
    advised = {
        topic
        for row in before["summary"]["rows"]
        if row["result"] == "failed" and row["change"] and row["change"] != "none found"
        for topic in row["topics"]
    }
    then = dict(_checks(after))
    for (topic, require), result in _checks(before):
        if result == "failed" and topic in advised and then.get((topic, require), "met") != "met":
            yield f"{topic} {require}: {then[topic, require]}, as before"
        if result == "met" and then.get((topic, require)) == "failed":
            yield f"{topic} {require}: failed, and was met"
    words = dict(_words(after))
    for cell, word in _words(before):
        if word == "no loss found" and words.get(cell) == "can lose":
            yield f"{' '.join(cell)}: went well, and does not"


def _checks(document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    for subject in document["subjects"]:
        for check in subject["checks"]:
            yield from (((topic, check["require"]), check["result"]) for topic in subject["topics"])


def _words(document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str, str], str]]:
    for subject in document["subjects"]:
        for question in QUESTIONS:
            for fault in EVERYDAY:
                word = subject["table"][question][f"{fault}@all"]["word"]
                yield from (((topic, question, fault), word) for topic in subject["topics"])
