"""`audit --may-restart`: which brokers, how often the cluster is asked, what is printed, and with which exit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster, RespondingBrokers
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.joining.options import Options
from tidegate.cli.audit_restart import MOST_LOOKS, UNSETTLED, may_restart_document, parse_brokers
from tidegate.language.errors import UsageError
from tidegate.reports.audit.restarts import restarts_page
from tidegate.reports.text_page import TextFormat

from ..conftest import Run

HEAD = "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
ROW = "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: {}\n"
NODE = "process.roles=broker\nnode.id={}\ncontroller.quorum.voters=11@a:1,12@b:1,13@c:1\nlog.dirs=d\n"


def cluster_of(isr: str) -> tuple[Cluster, Sequence[Finding]]:
    files = [(f"b{id_}.properties", NODE.format(id_), True) for id_ in (1, 2, 3)]
    asked = Options(kafka_version="4.1.0", distribution="apache", acks="all")
    cluster, _ = read_cluster_texts([*files, ("topics.txt", HEAD + ROW.format(isr), True)], asked, "x")
    return replace(cluster, answering=RespondingBrokers(Origin("a:9092"), (1, 2, 3), told_by=1)), ()


def ask_until_safe(*states: str, wanted: Sequence[int] | None = (2,)) -> tuple[dict[str, object], str, int]:
    """The document, the page and how often the cluster was asked, where it shows these ISRs one after the other."""
    left = list(states)
    asked = 0

    def read() -> tuple[Cluster, Sequence[Finding]]:
        nonlocal asked
        asked += 1
        return cluster_of(left.pop(0) if len(left) > 1 else left[0])

    found = may_restart_document(wanted, read, None, 60.0, 1)
    return found, restarts_page(found, TextFormat(width=200)).text(), asked


def test_the_answer_is_the_first_line_and_the_cluster_is_asked_twice() -> None:
    found, page, asked = ask_until_safe("1,2,3")
    assert (found["exit"], asked) == (0, 2)
    assert page.splitlines()[0] == "✓ broker 2 may be restarted now"
    assert "As broker 1 of a:9092 knows it: 3 of 3 brokers answered; asked again, nothing had changed." in page


def test_a_cluster_that_changes_meanwhile_is_looked_at_anew() -> None:
    found, page, asked = ask_until_safe("1,2,3", "1,2", "1,2")
    assert (found["exit"], asked) == (1, 3)
    assert page.splitlines()[:3] == [
        "✗ broker 2 must not be restarted now",
        "  stops: orders partition 0: acks=all is refused (the ISR is {1} of 3 replicas)",
        "  first: wait until the ISR of orders partition 0 has broker 3",
    ]
    assert "it changed meanwhile, and look 2 is given" in page


def test_a_cluster_that_does_not_settle_is_not_answered() -> None:
    found, page, asked = ask_until_safe("1,2,3", "1,2", "1,3", "1,2,3")
    assert (found["exit"], asked) == (5, MOST_LOOKS + 1)
    assert page.splitlines()[:2] == [
        "? broker 2 may be restarted or not: that is not known",
        f"  not known: {UNSETTLED}",
    ]


def test_all_brokers_in_order() -> None:
    found, page, _ = ask_until_safe("1,2,3", wanted=None)
    assert [line for line in page.splitlines() if "may be restarted now" in line] == [
        f"✓ broker {id_} may be restarted now" for id_ in (1, 2, 3)
    ]
    assert "In this order, each after the one before is in the ISR of all of its partitions again." in page
    assert found["exit"] == 0


def test_what_may_be_named() -> None:
    assert (parse_brokers("all"), parse_brokers("2"), parse_brokers("2,3")) == (None, [2], [2, 3])
    for text in ("b2", "", "2,", "02", "+2", "-1", "1_0", "٢", "2147483648"):
        with pytest.raises(
            UsageError, match=r"write the id of a broker, several with commas, or all; an id is a number"
        ):
            parse_brokers(text)


def test_as_files_describe_it(tidegate: Run) -> None:
    good = ("audit", "examples/clusters/good/topics.txt", "--kafka-version", "3.9", "--distribution", "apache")
    done = tidegate(*good, "--acks", "all", "--may-restart", "1")
    assert done.out.splitlines()[0].endswith("broker 1 may be restarted now")
    assert "As the files describe the cluster; --bootstrap-server asks it as it is now." in done.out
    refused = tidegate(*good, "--may-restart", "1", "--out", "x")
    assert refused.exit == 64 and "--may-restart answers for now and writes no files: leave out --out" in refused.err
    port = tidegate("audit", "--bootstrap-server", "a:99999")
    assert port.exit == 64 and "a:99999: 99999 is no port; write one of 1 to 65535" in port.err
