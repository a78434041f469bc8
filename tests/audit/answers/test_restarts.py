"""Whether a broker may be restarted now: what stops, what can be lost, what to wait for, and what is not known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tidegate.audit.answers.restarts import RestartAnswer, cluster_state, restart_answer, restart_order
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster, Quorum, RespondingBrokers
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects

HEAD = "Topic: {}\tTopicId: x\tPartitionCount: 1\tReplicationFactor: {}\tConfigs: min.insync.replicas={}\n"
ROW = "\tTopic: {}\tPartition: 0\tLeader: {}\tReplicas: {}\tIsr: {}\n"
NODE = "process.roles=broker\nnode.id={}\ncontroller.quorum.voters=11@a:1,12@b:1,13@c:1\nlog.dirs=d\n"


@pytest.fixture(scope="module")
def explorations() -> Iterator[Explorations]:
    made = Explorations(None, 120.0, 1)
    yield made
    made.close()


def topic(name: str, replicas: str, isr: str, least: int = 2) -> str:
    leader = isr.partition(",")[0] or "none"
    return HEAD.format(name, replicas.count(",") + 1, least) + ROW.format(name, leader, replicas, isr)


def cluster_of(*topics: str, **answering: object) -> Cluster:
    files = [(f"b{id_}.properties", NODE.format(id_), True) for id_ in (1, 2, 3)]
    asked = Options(
        kafka_version="4.1.0", distribution="apache", acks="all", features=("eligible.leader.replicas.version=0",)
    )
    cluster = read_cluster_texts([*files, ("topics.txt", "".join(topics), True)], asked, "x")[0]
    state = RespondingBrokers(Origin("a:9092"), (1, 2, 3), told_by=1)
    return replace(cluster, answering=replace(state, **answering))


def ask_restart(cluster: Cluster, broker: int, explorations: Explorations) -> RestartAnswer:
    every = [one for one in cluster_subjects(cluster) if not one.topics[0].is_internal]
    return restart_answer(cluster, every, (), broker, explorations)


def test_a_broker_that_two_others_stand_in_for_may_be_restarted(explorations: Explorations) -> None:
    found = ask_restart(cluster_of(topic("orders", "1,2,3", "1,2,3")), 1, explorations)
    assert found == RestartAnswer(1, "yes")


@pytest.mark.parametrize(
    ("text", "stops", "waits"),
    [
        (
            topic("orders", "1,2,3", "1,2"),
            "orders partition 0: acks=all is refused (the ISR is {1} of 3 replicas)",
            "wait until the ISR of orders partition 0 has broker 3",
        ),
        (
            topic("single", "2", "2", 1),
            "single partition 0: no leader, so that nothing is written or read",
            "single partition 0 has no other replica: give it one, or accept that it stops",
        ),
        (
            topic("orders", "1,2,3", "1,2,3", 3),
            "orders partition 0: acks=all is refused (the ISR is {1,3} of 3 replicas)",
            "orders partition 0 needs all of its replicas in sync: lower min.insync.replicas, or accept that it stops",
        ),
    ],
)
def test_a_broker_without_which_something_stops(explorations: Explorations, text: str, stops: str, waits: str) -> None:
    found = ask_restart(cluster_of(text), 2, explorations)
    assert (found.word, found.stops, found.waits) == ("no", (stops,), (waits,))


def test_brokers_that_are_down_count_as_out_of_the_isr(explorations: Explorations) -> None:
    cluster = cluster_of(
        topic("orders", "1,2,3", "1,2,3"), answering_brokers=(1, 2), down=((3, "nothing listens at its port"),)
    )
    found = ask_restart(cluster, 2, explorations)
    assert found.word == "no" and found.waits == (
        "start broker 3, and wait until the ISR of orders partition 0 has it",
    )
    gone = ask_restart(cluster, 3, explorations)
    assert (gone.word, gone.waits) == ("no", ("it is down (nothing listens at its port): start it",))


def test_one_loss_of_power_while_it_is_away(explorations: Explorations) -> None:
    found = ask_restart(cluster_of(topic("orders", "1,2", "1,2", 1)), 2, explorations)
    assert (found.word, found.stops) == ("yes", ())
    assert found.loses == ("while it is away, one loss of power can lose acknowledged records of orders partition 0",)


def test_controllers_without_a_majority(explorations: Explorations) -> None:
    whole = topic("orders", "1,2,3", "1,2,3")
    headless = ask_restart(cluster_of(whole, headless=True), 1, explorations)
    assert headless.word == "no" and headless.waits == ("wait until a majority of controllers is up",)
    combined = replace(cluster_of(whole, late=(3,)), quorum=Quorum((1, 2, 3), Origin("a:9092"), leader=1))
    voter = ask_restart(combined, 2, explorations)
    assert voter.word == "no"
    assert voter.stops == ("it is a controller, and without it 1 of 3 are left: no majority",)
    assert voter.waits == ("wait until controllers 3 are up",)
    all_there = replace(combined, answering=RespondingBrokers(Origin("a:9092"), (1, 2, 3)))
    assert ask_restart(all_there, 2, explorations).word == "yes"
    assert restart_order(combined) == [2, 3, 1]


def test_what_is_not_known_is_not_answered(explorations: Explorations) -> None:
    cluster = cluster_of(topic("orders", "1,2,3", "1,2,3"))
    assert ask_restart(cluster, 9, explorations) == RestartAnswer(9, "not known", unknown=("no broker has this id",))
    many = topic("wide", "1,2,3,4,5,6,7", "1,2,3,4,5,6,7")
    found = ask_restart(cluster_of(many), 1, explorations)
    assert found.word == "not known"
    assert "what of wide partition 0 can be lost: it has 7 replicas, and the model has 1 to 5" in found.unknown


def test_what_changes_meanwhile_is_seen() -> None:
    before = cluster_of(topic("orders", "1,2,3", "1,2,3"))
    assert cluster_state(before) == cluster_state(cluster_of(topic("orders", "1,2,3", "1,2,3")))
    assert cluster_state(before) != cluster_state(cluster_of(topic("orders", "1,2,3", "1,2")))
    assert cluster_state(before) != cluster_state(
        cluster_of(topic("orders", "1,2,3", "1,2,3"), answering_brokers=(1, 2))
    )


def test_zookeeper_is_asked_by_nobody_and_leaves_it_open(explorations: Explorations) -> None:
    cluster = replace(cluster_of(topic("orders", "1,2,3", "1,2,3")), control_plane="zookeeper", quorum=None)
    found = ask_restart(cluster, 1, explorations)
    assert (
        found.word == "not known"
        and (
            "whether a majority of ZooKeeper's servers is up, without which it does not come back: each says so itself "
            "(echo srvr | nc HOST 2181)"
        )
        in found.unknown
    )


@pytest.mark.parametrize(("late", "word"), [((), "yes"), ((3,), "no")])
def test_a_node_of_both_roles_takes_its_vote_with_it(
    late: tuple[int, ...], word: str, explorations: Explorations
) -> None:
    """Of three voters one may be away; of two that fetch none may."""
    cluster = cluster_of(topic("orders", "1,2,3", "1,2,3"), late=late)
    both = replace(cluster, quorum=Quorum((1, 2, 3), Origin("a:9092"), 2, ()))
    found = ask_restart(both, 1, explorations)
    assert found.word == word
    assert [what.startswith("it is a controller, and without it 1 of 3 are left") for what in found.stops] == [
        True
    ] * len(late)
