"""The verdict on clients that start against Kafka's own classes: what KafkaProducer and KafkaConsumer refuse, the audit
says, and nothing else."""

from __future__ import annotations

import os

import pytest

from ...support.kafka_config import CLIENTS, StartupCase, client_findings, client_refusal
from ...support.shipped import tier_parameters

UPDATE = bool(os.environ.get("TIDEGATE_UPDATE"))
ENDS = ("0.11.0.3", "2.4.1", "3.4.1", "4.4.0")
"""The oldest release and the newest, and two between, which every run looks at."""


def differences(release: str) -> list[str]:
    """Where the audit and a release are not of one mind."""
    wrong = list[str]()
    for case in CLIENTS.cases:
        says, refused = client_refusal(case, release), release in case.refusing_releases
        if bool(says) != refused and not (case.later and says) and not (case.asks and _is_asked(case, release)):
            wrong.append(f"{release} {case}: {says or 'nothing is said, and Kafka refuses it'}")
    return wrong


def _is_asked(case: StartupCase, release: str) -> bool:
    return any(case.asks in said and "does not start" in said for said in client_findings(case, release))


BETWEEN = sorted(set(CLIENTS.releases) - set(ENDS))


@pytest.mark.parametrize("release", ENDS)
def test_the_audit_refuses_what_the_clients_refuse(release: str) -> None:
    wrong = differences(release)
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong)


@pytest.mark.parametrize("release", tier_parameters(BETWEEN, lambda release: False, long=BETWEEN[::6].__contains__))
def test_the_audit_refuses_what_clients_of_each_release_refuse(release: str) -> None:
    wrong = differences(release)
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong)


def test_of_a_client_of_no_stated_release_only_what_all_refuse_is_said() -> None:
    wrong = list[str]()
    for case in CLIENTS.cases:
        says, takes = client_refusal(case, None), set(CLIENTS.releases) - set(case.refusing_releases)
        if "delivery.timeout.ms" in case.changes:
            takes -= set(CLIENTS.releases[: CLIENTS.releases.index("2.1.1")])  # which do not know the key
        if says and not case.later and takes:
            wrong.append(f"{case}: {says}; {sorted(takes)} take it")
    assert not wrong, f"{len(wrong)} are said too much:\n" + "\n".join(wrong)


@pytest.mark.brokers
@pytest.mark.timeout(1800)
def test_the_recorded_verdicts_are_those_of_the_jars() -> None:
    wrong = CLIENTS.differences(update=UPDATE)
    assert not wrong, "\n".join(wrong)
