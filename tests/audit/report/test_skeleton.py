"""`audit --init`: what is written is accepted as it is, states what is assumed, and each pattern is of its topics."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.report.skeleton import MOST_IN_PATTERN, audit_toml_skeleton, topic_patterns

from .test_summary import topic_text

OPTIONS = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
TOPICS = "".join((
    topic_text("orders", 1, 1), topic_text("clicks.eu", 2, 1), topic_text("clicks.us", 2, 1),
    topic_text("audit-log", 1, 1), topic_text("audit-mail", 3, 1), topic_text("__consumer_offsets", 1, 1),
))  # fmt: skip
"""Topics of one replica, about which all is decided soon."""
FILES = {
    "c/topics.txt": TOPICS,
    "c/pay.properties": "bootstrap.servers=b:9092\nacks=1\nkey.serializer=x\n",
    "c/batch.properties": "bootstrap.servers=b:9092\nacks=all\nkey.serializer=x\n",
    "c/ledger.properties": "group.id=ledger\nbootstrap.servers=b:9092\n",
}
MAPPING = (
    '[topic.orders]\nproducers = ["pay.properties", "batch.properties"]\nconsumer = "ledger.properties"\n'
    'critical = true\nrequire = ["dev", "no-loss=crash@all"]\n[topic."clicks.*"]\nproducer = "batch.properties"\n'
)


def audit_texts(files: dict[str, str], seconds: float = 0.0) -> dict[str, Any]:
    texts = [(path, text, True) for path, text in files.items()]
    return audit(*read_cluster_texts(texts, OPTIONS, "x"), AuditRequest(seconds=seconds)).document


def skeleton_of(files: dict[str, str]) -> str:
    cluster, _ = read_cluster_texts([(path, text, True) for path, text in files.items()], OPTIONS, "x")
    return audit_toml_skeleton(cluster, cluster_subjects(cluster), ["standard"])


def uncomment(text: str) -> str:
    """The file as it is once each line that states something counts."""
    return re.sub(r"^#(?=[^ \n])", "", text, flags=re.M)


@pytest.mark.parametrize("mapping", [{}, pytest.param({"c/own-audit.toml": MAPPING}, marks=pytest.mark.long)])
@pytest.mark.parametrize("change", [str, pytest.param(uncomment, marks=pytest.mark.long)])
def test_the_verdict_is_the_same_with_it_and_with_what_it_states(mapping: dict[str, str], change: Any) -> None:
    files = FILES | mapping
    before = audit_texts(files, seconds=60.0)
    written = change(skeleton_of(files))
    after = audit_texts({**files, "c/audit.toml": written}, seconds=60.0)
    for part in ("exit", "outages", "required") if change is str else ("exit", "outages"):
        assert after[part] == before[part]
    assert sorted(map(verdict_texts, after["subjects"])) == sorted(map(verdict_texts, before["subjects"]))


def verdict_texts(subject: dict[str, Any]) -> list[str]:
    checks = [f"{check['require']} {check['result']} {check['on']}" for check in subject["checks"]]
    return [*subject["topics"], subject["producer"] or "", subject["headline"], *checks]


def test_every_line_of_it_is_a_comment_and_what_it_states_is_what_is_assumed() -> None:
    text = skeleton_of({**FILES, "c/own-audit.toml": MAPPING})
    assert all(line.startswith("#") for line in text.splitlines() if line)
    assert max(map(len, text.splitlines())) <= 100
    stated = tomllib.loads(uncomment(text))["topic"]
    assert stated["orders"] == {
        "require": ["dev", "no-loss=crash@all"], "producer": ["pay.properties", "batch.properties"],
        "consumer": "ledger.properties", "critical": True,
    }  # fmt: skip
    assert stated[r"clicks\..*"] == {"require": "standard", "producer": "batch.properties"}
    assert not any("__consumer_offsets" in pattern for pattern in stated)
    assert "# producers that were read: pay.properties, batch.properties\n# consumers that were read: ledger" in text


def test_of_a_cluster_without_topics_it_shows_what_an_entry_is() -> None:
    text = skeleton_of({"c/pay.properties": FILES["c/pay.properties"]})
    assert '# [topic."payments.*"]\n# require = "standard"\n' in text
    assert tomllib.loads(uncomment(text)) == {}


NAMES = st.lists(st.text("ab.-_", min_size=1, max_size=5), min_size=1, max_size=12, unique=True)


@given(NAMES, st.data())
def test_patterns_match_their_topics_and_no_others(every: list[str], data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    found = list(topic_patterns(names, every))
    assert sorted(name for _, those in found for name in those) == sorted(names)
    for pattern, those in found:
        assert {name for name in every if re.fullmatch(pattern, name)} == set(those)
        assert pattern.count("|") < MOST_IN_PATTERN
