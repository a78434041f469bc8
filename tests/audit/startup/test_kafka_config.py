"""The start-up verdict against Kafka's own class: what KafkaConfig refuses, the audit says, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tidegate.audit.kafka.keys import other_settings
from tidegate.language.errors import UsageError

from ...support.kafka_config import (
    audit_refusal,
    bases,
    kafka_refusals,
    record_verdicts,
    releases,
    startup_cases,
)

UPDATE = bool(os.environ.get("TIDEGATE_UPDATE"))


def test_the_audit_refuses_what_kafka_refuses() -> None:
    wrong = list[str]()
    for case in startup_cases():
        for release in releases():
            says, refused = audit_refusal(case.settings, release), release in case.refused
            if bool(says) != refused and not (case.later and says):
                wrong.append(f"{release} {case}: {says or 'nothing is said, and Kafka refuses it'}")
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong)


def test_where_no_release_is_stated_only_what_every_one_refuses_is_said() -> None:
    """Of those that have the control plane of the file."""
    wrong = list[str]()
    for case in startup_cases():
        says = audit_refusal(case.settings, None)
        might = [it for it in releases() if "process.roles" in case.settings or it < "4"]
        if says and not case.later and not set(might) <= set(case.refused):
            wrong.append(f"{case}: {says}; {sorted(set(might) - set(case.refused))} take it")
    assert not wrong, f"{len(wrong)} are said too much:\n" + "\n".join(wrong)


@pytest.mark.brokers
def test_the_recorded_verdicts_are_those_of_the_jars() -> None:
    files = [case.settings for case in startup_cases()]
    verdicts = {release: _refusals_or_skip(release, files) for release in releases()}
    if UPDATE:
        record_verdicts(startup_cases(), verdicts)
    wrong = [
        f"{release} {case}: {verdicts[release][at] or 'is taken'}"
        for at, case in enumerate(startup_cases())
        for release in releases()
        if bool(verdicts[release][at]) != (release in case.refused)
    ]
    assert UPDATE or not wrong, "\n".join(wrong)


@pytest.mark.brokers
@pytest.mark.parametrize("release", releases())
def test_settings_that_are_checked_by_type_alone_are_refused_alike(release: str) -> None:
    """Each at its least value and below, at the largest of its type and above, and with what is none of it."""
    files = list(_values_of_checked_settings())
    kafka = _refusals_or_skip(release, files)
    pairs = [(file, why, audit_refusal(file, release)) for file, why in zip(files, kafka, strict=True)]
    base = bases()["broker"]
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
        yield from ({**bases()["broker"], name: value} for value in values)


def _refusals_or_skip(release: str, files: list[dict[str, str]]) -> list[str]:
    try:
        return kafka_refusals(release, files)
    except UsageError as error:
        pytest.skip(f"the jars of Kafka {release} cannot be read here: {error}")
