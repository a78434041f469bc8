"""What must hold of the log of transactions: it depends on whether a producer writes transactions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tidegate.audit.answers.transactions import writes_transactions
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.transactions import BEFORE_VERSION_2, WITH_VERSION_2, ReleasesSince
from tidegate.audit.kafka.versions import is_at_least
from tidegate.audit.rules.advice import advice_findings
from tidegate.audit.rules.transactions import (
    HANGS,
    HANGS_IN_OFFSETS,
    MARKER,
    OLDER_COUNTS,
    TEARS,
    UNFENCED,
    Hazard,
    run_to_hazard,
)
from tidegate.cli.main import main

from ...support.shipped import tier_parameters

BROKER = "broker.id={id}\nzookeeper.connect=z\ntransaction.state.log.min.isr=1\n"


PLAIN = "key.serializer=x\nacks=all\n"


def cluster_of(**clients: str) -> Cluster:
    texts = {f"b{i}.properties": BROKER.format(id=i) for i in (1, 2, 3)}
    texts |= {f"{name}.properties": text for name, text in clients.items()}
    return read_cluster_texts([(name, text, True) for name, text in texts.items()], Options(kafka_version="3.9"), "x")[
        0
    ]


FOUND = {
    "kafka_0_11": {HANGS, TEARS, MARKER},
    "kafka_1_1": {HANGS, TEARS, MARKER},
    "kafka_2_5": {HANGS, TEARS, MARKER},
    "kafka_3_6": {TEARS, MARKER},
    "kafka_4_0": {MARKER},
    "kafka_4_1": {MARKER},
    "kafka_4_2": set[Hazard](),
    "offsets_1_1": {HANGS_IN_OFFSETS, UNFENCED, OLDER_COUNTS},
    "offsets_2_4": {HANGS_IN_OFFSETS, UNFENCED, OLDER_COUNTS},
    "offsets_2_5": {HANGS_IN_OFFSETS, UNFENCED, OLDER_COUNTS},
    "offsets_3_7": {OLDER_COUNTS},
}


HAZARDS = (HANGS, TEARS, MARKER, HANGS_IN_OFFSETS, UNFENCED, OLDER_COUNTS)


RELEASES = (*BEFORE_VERSION_2, *WITH_VERSION_2)


def is_quick(release: ReleasesSince) -> bool:
    """What other tests explore anyway."""
    return release.records in ("kafka_2_5", "kafka_4_2")


@pytest.mark.parametrize(
    "release", tier_parameters(RELEASES, is_quick, lambda release: f"{release.since} {release.records}")
)
def test_what_a_version_does_to_transactions_is_found_by_the_model(release: ReleasesSince) -> None:
    found = {hazard for hazard in HAZARDS if run_to_hazard(hazard, release) is not None}
    assert {hazard for hazard in found if not hazard.of_offsets} == FOUND[release.records]
    if release.offsets in FOUND:
        assert {hazard for hazard in found if hazard.of_offsets} == FOUND[release.offsets]


def test_the_command_of_a_row_shows_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    found = [one for one in advice_of("3.5.2", "java:3.5") if "open for ever" in one.what]
    command, _, source = found[0].source.partition("; ")
    assert source == "KAFKA-6119, KAFKA-14402"
    assert main(command.split()[1:]) == 1
    assert "violates nothing_hangs" in capsys.readouterr().out


def test_what_a_row_says_is_shown_step_by_step_where_pages_are_written(tmp_path: Path) -> None:
    for name, text in (("b1.properties", BROKER.format(id=1)), ("p.properties", TRANSACTIONAL)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = ["audit", str(tmp_path), "--kafka-version", "3.5.2", "--client", "java:3.5", "--time", "1"]
    main([*command, "--out", str(tmp_path / "out")])
    made = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))
    shown = {one["html"]: one["what"] for one in made["findings"] if one["html"] is not None}
    hangs = next(html for html, what in shown.items() if "open for ever" in what)
    assert hangs == "scenarios/finding-01-nothing_hangs.html" and len(shown) == 4
    index = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    for html in shown:
        assert f'<a href="{html}">how, step by step</a>' in index
        assert (tmp_path / "out" / html).is_file()
    trace = json.loads((tmp_path / "out" / hangs.replace(".html", ".trace.json")).read_text(encoding="utf-8"))
    assert trace["title"] == shown[hangs] and "arrives late at P" in trace["steps"][-1]["sentence"]


def test_what_a_fenced_producer_commits_is_told_up_to_3_6() -> None:
    for version, expected in (("2.4.1", True), ("3.5.2", True), ("3.6.2", True), ("3.7.0", False), ("4.2.0", False)):
        assert any("that was fenced" in one.what for one in advice_of(version, "java:3.6")) == expected


@pytest.mark.parametrize(
    ("version", "level", "profile"),
    [("3.9.1", None, "offsets_3_7"), ("4.2.0", "2", "offsets_4_2"),
     ("4.2.0", "0", "offsets_3_7"), (None, None, "offsets_3_7")],
)  # fmt: skip
def test_a_second_commit_of_offsets_in_a_transaction_is_told_in_every_version(
    version: str | None, level: str | None, profile: str
) -> None:
    features = () if level is None else (f"transaction.version={level}",)
    (found,) = taken_back(advice_of(version, "java:4.2", *features))
    assert found.severity == "note" and found.what.startswith("where an application calls sendOffsetsToTransaction")
    assert found.run is not None and (found.run.model, found.run.fails) == (
        f"transactions:{profile}",
        "newest_batch_counts",
    )


def taken_back(found: list[Finding]) -> list[Finding]:
    return [one for one in found if "takes the group's offset back" in one.what]


def test_streams_commits_the_offsets_of_a_transaction_once_but_an_application_beside_it_may_do_so_twice() -> None:
    assert not taken_back(advice_of("4.2.0", "java:4.2", producer=STREAMS))
    texts = [("b1.properties", BROKER.format(id=1), True), ("s.properties", STREAMS, True)]
    beside = [*texts, ("p.properties", TRANSACTIONAL, True)]
    assert (
        len(taken_back(list(advice_findings(read_cluster_texts(beside, Options(kafka_version="4.2.0"), "x")[0])))) == 1
    )


def test_the_epoch_of_a_commit_of_offsets_is_checked_since_2_4_1() -> None:
    """ProducerAppendInfo.maybeValidateDataBatch of 2.4.1 checks it whoever appends; ValidationType.None of 2.4.0 does
    not."""
    of = {version: [r.offsets for r in BEFORE_VERSION_2 if is_at_least(version, r.since)][-1] for version in OFFSETS_OF}
    assert of == OFFSETS_OF
    assert "is not checked before 2.4.1" in UNFENCED.what


OFFSETS_OF = {"2.4.0": "offsets_1_1", "2.4": "offsets_1_1", "2.4.1": "offsets_2_4", "2.5.0": "offsets_2_5"}


@pytest.mark.parametrize(
    ("version", "hangs", "tears"),
    [
        ("0.11.0", True, True),
        ("2.4.1", True, True),
        ("3.5.2", True, True),
        ("3.6.0", True, True),  # commits of offsets are not verified before 3.7
        ("3.7.0", False, True),
        ("3.9.1", False, True),
        ("4.1.0", False, True),
        ("4.2.0", False, True),
        (None, True, True),
    ],
)
def test_a_transactional_producer_is_warned_by_version(version: str | None, hangs: bool, tears: bool) -> None:
    for producer, asked in ((PLAIN, False), (PLAIN + "transactional.id=t\n", True)):
        texts = [("b1.properties", BROKER.format(id=1), True), ("p.producer.properties", producer, True)]
        found = [
            finding.what
            for finding in advice_findings(read_cluster_texts(texts, Options(kafka_version=version), "x")[0])
        ]
        assert sum("open for ever" in what for what in found) == (asked and hangs)
        assert any("end the next" in what for what in found) == (asked and tears)
        assert not any("cannot hang" in what for what in found)


TRANSACTIONAL = PLAIN + "transactional.id=t\n"


STREAMS = "application.id=app\nbootstrap.servers=b:1\nprocessing.guarantee=exactly_once_v2\nreplication.factor=3\n"


def severities(version: str | None, client: str, *features: str, producer: str = TRANSACTIONAL) -> dict[str, str]:
    """What is said of transactions, and how severe it is."""
    found = advice_of(version, client, *features, producer=producer)
    return {f.what: f.severity for f in found if "the next" in f.what or "open for ever" in f.what}


def advice_of(version: str | None, client: str, *features: str, producer: str = TRANSACTIONAL) -> list[Finding]:
    """All advice."""
    texts = [("b1.properties", BROKER.format(id=1), True), ("p.properties", producer, True)]
    options = Options(kafka_version=version, features=features, clients=(client,))
    return list(advice_findings(read_cluster_texts(texts, options, "x")[0]))


@pytest.mark.parametrize(
    ("version", "client", "level", "severity"),
    [
        ("4.2.0", "java:4.2", "2", None),
        ("4.2.0", "java:4.2", "0", "warning"),
        ("4.2.0", "java:4.2", None, "note"),
        ("4.2.0", "java:3.9", "2", "warning"),
        ("4.2.0", "librdkafka:2.3", "2", "warning"),
        ("4.0.0", "java:4.0", "1", "warning"),
        (None, "java:4.0", "0", "warning"),
    ],
)
def test_the_version_of_transactions_that_is_stated_counts(
    version: str | None, client: str, level: str | None, severity: str | None
) -> None:
    features = () if level is None else (f"transaction.version={level}",)
    torn = {
        what: how for what, how in severities(version, client, *features).items() if "half of a transaction" in what
    }
    assert list(torn.values()) == ([] if severity is None else [severity])
    assert all(what.startswith("a request" if how == "warning" else "without") for what, how in torn.items())


def test_a_marker_sent_twice_is_warned_of_in_4_1_whatever_the_version_of_transactions() -> None:
    said = severities("4.1.0", "java:4.1", "transaction.version=2")
    assert list(said) == ["a marker that is sent twice can end the next transaction in one partition"]


def test_commits_of_offsets_are_verified_since_3_7() -> None:
    for version, expected in (("3.5.2", False), ("3.6.2", True), ("3.7.0", False)):
        assert any("__consumer_offsets" in what for what in severities(version, "java:3.6")) == expected
    assert HANGS.to_do.startswith("brokers of 3.7 or later")


def test_streams_that_processes_exactly_once_writes_transactions() -> None:
    assert writes_transactions(cluster_of(streams=STREAMS)) == "yes"
    assert writes_transactions(cluster_of(streams=STREAMS.replace("exactly_once_v2", "at_least_once"))) == "unknown"
    assert severities("3.5.0", "java:3.5", producer=STREAMS) == severities("3.5.0", "java:3.5")
