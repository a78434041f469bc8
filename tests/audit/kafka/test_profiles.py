"""Kafka's releases as the model's profiles, and what their switches are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tidegate.audit.kafka.profiles import (
    BY_METADATA,
    FIRST_KRAFT,
    LAST_ZOOKEEPER,
    MENDED,
    NEWEST,
    OF_FETCHED_TRUNCATION,
    RELEASES,
    audited_model_definition,
    defects_mended_in_release,
    profiles_within,
    release_of_profile,
    releases_text_of_profile,
    switches_of_brokers,
    switches_of_profile,
    version_profiles,
)
from tidegate.audit.kafka.versions import releases_meant

NAMES = [profile.name for profile in version_profiles()]
RELEASE = some.sampled_from(RELEASES)


def test_profiles_are_named_after_releases_and_are_in_their_order() -> None:
    sinces = [profile.since for profile in version_profiles()]
    assert sinces == sorted(set(sinces)) and set(sinces) <= set(RELEASES) and NAMES[-1] == NEWEST
    assert all(release_of_profile(profile.name) == "{}.{}".format(*profile.since) for profile in version_profiles())


@given(RELEASE)
def test_a_release_has_one_profile_with_each_control_plane(release: tuple[int, int]) -> None:
    """The last one that is not newer than it; with ZooKeeper the first stands for all before it, up to 3.9."""
    older = [profile.name for profile in version_profiles() if profile.since <= release]
    with_zookeeper = [name for name in older if name in profiles_within((0, 0), (99, 0), kraft=False)] or NAMES[:1]
    expected = with_zookeeper[-1:] if release <= LAST_ZOOKEEPER else []
    assert profiles_within(release, release, kraft=False) == expected
    if release >= FIRST_KRAFT:
        assert profiles_within(release, release, kraft=True) == older[-1:]


@given(RELEASE, RELEASE, some.booleans())
def test_a_span_of_releases_has_the_profiles_of_all_of_them(
    first: tuple[int, int], last: tuple[int, int], kraft: bool
) -> None:
    first, last = min(first, last), max(first, last)
    of_all = [profiles_within(one, one, kraft=kraft) for one in RELEASES if first <= one <= last]
    assert set(profiles_within(first, last, kraft=kraft)) == {name for names in of_all for name in names}


@given(some.sampled_from(NAMES), some.sampled_from(NAMES), some.booleans(), some.booleans())
def test_switches_are_what_differs_from_the_newest(binary: str, protocol: str, kraft: bool, elr: bool) -> None:
    """Those of the metadata are the protocol's, unless ZooKeeper has no such thing; the others are the binary's."""
    found = switches_of_brokers(binary, protocol, kraft=kraft, elr=elr)
    assert list(found) == sorted(found)
    whole = {**switches_of_profile(NEWEST), **dict(found)}
    assert whole["elr"] is elr
    of_zookeeper = {"heed_unclean", "await_target", *dict(switches_of_brokers(NEWEST, NEWEST, kraft=False, elr=True))}
    apart = {"elr", "check_last_leader", *OF_FETCHED_TRUNCATION, *([] if kraft else [*of_zookeeper, "keep_epoch"])}
    for name in switches_of_profile(NEWEST).keys() - apart:
        assert whole[name] == switches_of_profile(protocol if name in BY_METADATA else binary)[name], name
    assert switches_of_brokers(NEWEST, NEWEST, kraft=True, elr=bool(switches_of_profile(NEWEST)["elr"])) == ()


def test_the_model_takes_the_switches_of_every_profile() -> None:
    for name in NAMES:
        for kraft in (True, False):
            values = dict(switches_of_brokers(name, name, kraft=kraft, elr=False))
            assert values.keys() <= audited_model_definition().constants.keys(), name


def test_the_last_leader_is_not_looked_at_in_4_0_with_elr() -> None:
    """KAFKA-19522: 4.1.0 has it not."""
    assert ("check_last_leader", False) in switches_of_brokers("kafka_3_9", "kafka_3_9", kraft=True, elr=True)
    assert "check_last_leader" not in dict(switches_of_brokers("kafka_4_1", "kafka_4_1", kraft=True, elr=True))
    assert "check_last_leader" not in dict(switches_of_brokers("kafka_3_9", "kafka_3_9", kraft=True, elr=False))


def test_records_of_an_old_format_are_truncated_as_the_first_profile_does() -> None:
    old = dict(switches_of_brokers(NEWEST, NEWEST, kraft=True, elr=False, old_format=True))
    assert old["truncation"] == switches_of_profile(NAMES[0])["truncation"]


def test_a_release_has_what_it_mends_once_its_line_has_it() -> None:
    """Of 2.0.1 and 2.1.0: 2.0.1 has it, 2.0.0 not; of a line that never had it, from the last named release on."""
    binary = profiles_within((2, 0), (2, 0), kraft=False)[0]
    assert "record_epoch" in defects_mended_in_release(
        (2, 0, 1), binary
    ) and "record_epoch" not in defects_mended_in_release((2, 0, 0), binary)
    binary = profiles_within((2, 8), (2, 8), kraft=False)[0]
    for release, has in (
        ((2, 8, 0), False),
        ((2, 8, 1), True),
        ((3, 0, 0), True),
    ):
        assert ("skip_diverging" in defects_mended_in_release(release, binary)) is has, release
    assert defects_mended_in_release((9, 9, 9), NEWEST) == (), "what the newest profile has is not mended"
    assert MENDED.keys() <= audited_model_definition().constants.keys()


def test_the_releases_that_a_profile_stands_for_are_named_by_the_first_and_the_last() -> None:
    assert releases_text_of_profile("kafka_3_9", (3, 9, 1), (3, 9, 1), kraft=True) == "3.9"
    assert releases_text_of_profile("kafka_3_9", (0, 10), (9, 9), kraft=False) == "3.9"
    for name in NAMES:
        assert releases_text_of_profile(name, (0, 10), (4, 4), kraft=True).split(" to ")[0] == release_of_profile(name)


def test_followers_truncate_on_a_fetchs_answer_since_2_8_and_protocol_2_7() -> None:
    """KAFKA-10554: AbstractFetcherThread of 2.7.2 has no truncateOnFetchResponse, that of 2.8.0 has it from 2.7-IV1."""

    def lacks(binary: str, protocol: str) -> set[str]:
        return {name for name, _ in switches_of_brokers(binary, protocol, kraft=False, elr=False)} & {
            *OF_FETCHED_TRUNCATION
        }

    assert (
        lacks("kafka_2_7", "kafka_2_7") == lacks("kafka_2_2", "kafka_2_2") == lacks("kafka_2_8", "kafka_2_2") == set()
    )
    assert lacks("kafka_2_8", "kafka_2_8") == lacks("kafka_2_8", "kafka_2_7") == {*OF_FETCHED_TRUNCATION}
    assert lacks("kafka_3_3", "kafka_2_2") == set() and lacks("kafka_3_3", "kafka_2_8") == {"truncate_first"}


@pytest.mark.parametrize(
    ("release", "spoken", "keeps"),
    [("3.9", "3.5", False), ("3.9", "3.6", True), ("3.9", None, True), ("3.6.2", "3.5", False), ("3.6.2", None, True)],
)
def test_a_smaller_isr_keeps_the_epoch_by_the_metadata_version(release: str, spoken: str | None, keeps: bool) -> None:
    """MetadataVersion.isLeaderEpochBumpRequiredOnIsrShrink, which PartitionChangeBuilder of 3.6.0 asks."""
    first, last = releases_meant(release)
    binary, protocol = (profiles_within(*releases_meant(one), kraft=True)[-1] for one in (release, spoken or release))
    assert binary == profiles_within(first, last, kraft=True)[-1]
    mended = defects_mended_in_release(first, binary, releases_meant(spoken)[0] if spoken else None)
    found = dict(switches_of_brokers(binary, protocol, kraft=True, elr=False, mended_defects=mended))
    assert found.get("keep_epoch", True) is keeps


@pytest.mark.parametrize("name", [name for name in NAMES if name <= "kafka_3_9"])
def test_only_zookeepers_controller_makes_an_epoch_of_each_isr_that_it_makes_smaller(name: str) -> None:
    """ReplicaStateMachine.doRemoveReplicasFromIsr and KafkaController.processAlterIsr, in every release."""
    assert dict(switches_of_brokers(name, name, kraft=False, elr=False))["epochs_by_zookeeper"] is True
    assert name < "kafka_3_3" or "epochs_by_zookeeper" not in dict(
        switches_of_brokers(name, name, kraft=True, elr=False)
    )


@pytest.mark.parametrize("name", [name for name in NAMES if name <= "kafka_3_9"])
def test_with_zookeeper_a_reassignment_awaits_its_target(name: str) -> None:
    """KafkaController.isReassignmentComplete, in every release."""
    assert dict(switches_of_brokers(name, name, kraft=False, elr=False)).get("await_target", True) is True
