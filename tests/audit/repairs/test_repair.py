"""The smallest change that repairs all that fails, and what it leaves undecided where there is none such."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.audit.answers.answer import Answer
from tidegate.audit.answers.requirements import check_requirements, parse_requirement
from tidegate.audit.answers.verdicts import check_subjects
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.signature import Variant
from tidegate.audit.repairs import repair
from tidegate.audit.repairs.repair import MOST_CHANGES, RefutedSets, find_repair
from tidegate.explorer.cache import cache_directory

from ...conftest import NewExplorations
from ..answers.test_verdicts import signature, subject

COMPOSE = """
services:
  kafka:
    image: apache/kafka:4.1.0
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:9092
      KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@localhost:9093
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
    volumes: ["data:/var/lib/kafka/data"]
"""


def repair_of_new_topics(*texts: tuple[str, str, bool]) -> dict[str, Any]:
    asked = AuditRequest(folder=cache_directory(), seconds=600.0)
    made = audit(*read_cluster_texts(texts, Options(), "x"), asked).document
    return next(subject["repair"] for subject in made["subjects"] if subject["name"] == "(new topics)")


def test_more_changes_that_repair_all_come_before_fewer_that_leave_something_undecided() -> None:
    """One broker needs more of them than are tried at once, and with the fewer ones it was not green after all."""
    repair = repair_of_new_topics(("docker-compose.yml", COMPOSE, True))
    assert not repair["leaves_open"] and repair["left"] == []
    assert repair["change"] == [
        "3 brokers", "default.replication.factor=3", "min.insync.replicas=2", "acks=all", "a host for each node",
        "three controllers on hosts without brokers",
    ]  # fmt: skip
    assert len(repair["change"]) > MOST_CHANGES


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


def test_a_search_that_begins_anew_asks_of_what_lost_nothing(
    explorations: Explorations, monkeypatch: pytest.MonkeyPatch
) -> None:
    weak = signature(acks="leader", min_isr=1, unclean=True)
    (checked,) = check_subjects([subject(Variant((), weak))], explorations)
    checks = check_requirements(checked, parse_requirement("no-loss=crash@min-isr"))
    refuted = RefutedSets()
    first = find_repair(checked, checks, explorations, refuted)
    assert first is not None and refuted.losing
    good = {needed.change.name for needed in first.changes}
    assert good not in refuted.losing
    whole, asked = repair.answer_of_log_and_client, list[Any]()

    def asked_answer(changed: Any, *rest: Any) -> Answer:
        asked.append(changed)
        return whole(changed, *rest)

    monkeypatch.setattr(repair, "answer_of_log_and_client", asked_answer)
    again = find_repair(checked, checks, explorations, refuted)
    assert again is not None and {needed.change.name for needed in again.changes} == good
    assert len(set(asked)) == 1 + len(good), "the set that repairs it, and it without each of its changes"
    alone = find_repair(checked, checks, explorations)
    assert alone is not None and {needed.change.name for needed in alone.changes} == good
