"""The start-up verdict against Kafka's own class: what KafkaConfig refuses, the audit says, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tidegate.audit.kafka.keys import other_settings

from ...support.kafka_config import NODES, audit_refusal

UPDATE = bool(os.environ.get("TIDEGATE_UPDATE"))


def test_the_audit_refuses_what_kafka_refuses() -> None:
    wrong = list[str]()
    for case in NODES.cases:
        for release in NODES.releases:
            says, refused = audit_refusal(case.settings, release), release in case.refusing_releases
            if bool(says) != refused and not (case.later and says):
                wrong.append(f"{release} {case}: {says or 'nothing is said, and Kafka refuses it'}")
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong)


def test_where_no_release_is_stated_only_what_every_one_refuses_is_said() -> None:
    """Of those that have the control plane of the file."""
    wrong = list[str]()
    for case in NODES.cases:
        says = audit_refusal(case.settings, None)
        might = [it for it in NODES.releases if "process.roles" in case.settings or it < "4"]
        if says and not case.later and not set(might) <= set(case.refusing_releases):
            wrong.append(f"{case}: {says}; {sorted(set(might) - set(case.refusing_releases))} take it")
    assert not wrong, f"{len(wrong)} are said too much:\n" + "\n".join(wrong)


@pytest.mark.brokers
def test_the_recorded_verdicts_are_those_of_the_jars() -> None:
    wrong = NODES.differences(update=UPDATE)
    assert not wrong, "\n".join(wrong)


@pytest.mark.brokers
@pytest.mark.parametrize("release", NODES.releases)
def test_settings_that_are_checked_by_type_alone_are_refused_alike(release: str) -> None:
    """Each at its least value and below, at the largest of its type and above, and with what is none of it."""
    files = list(_values_of_checked_settings())
    kafka = NODES.refusals(release, files)
    pairs = [(file, why, audit_refusal(file, release)) for file, why in zip(files, kafka, strict=True)]
    base = NODES.bases["broker"]
    wrong = [
        f"{[(key, value) for key, value in file.items() if base.get(key) != value]}: {says or why}"
        for file, why, says in pairs
        if bool(why) != bool(says)
    ]
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong)


def _values_of_checked_settings() -> Iterator[dict[str, str]]:
    for name, key in other_settings().items():
        if not key.only_checked:
            continue
        values = ["x", "true", *key.legal]
        if key.type in ("int", "long"):
            least, most = key.least, 2 ** (31 if key.type == "int" else 63) - 1
            values += [str(most), str(most + 1), "-2", *([] if least is None else [str(least), str(least - 1)])]
        yield from ({**NODES.bases["broker"], name: value} for value in values)
