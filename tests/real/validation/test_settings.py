"""The switches of a release by what it has finalized: a binary is not its metadata.version."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tidegate.audit.kafka.releases import METADATA_VERSIONS
from tidegate.real.history.moments import SettingsInForce
from tidegate.real.history.partitions import recorded_cluster
from tidegate.real.logs.metadata_log import read_metadata_log
from tidegate.real.validation.settings import Version, find_version
from tidegate.real.validation.validating import validate_histories

from ...conftest import ROOT

OF_3_9 = METADATA_VERSIONS.index("3.9-IV0") + 1


@pytest.mark.parametrize(("finalized", "keeps"), [("3.5-IV2", False), ("3.6-IV0", True), ("3.9-IV0", True)])
def test_a_smaller_isr_keeps_its_epoch_by_the_finalized_metadata_version(finalized: str, keeps: bool) -> None:
    """PartitionChangeBuilder of 3.6.0 asks MetadataVersion.isLeaderEpochBumpRequiredOnIsrShrink."""
    version = Version("3.9", "kafka_3_9", {}, (), levels=(OF_3_9,))
    (made,) = version.switches_at(SettingsInForce(None, None, False, METADATA_VERSIONS.index(finalized) + 1))
    assert made.get("keep_epoch", True) is keeps


def test_brokers_of_3_9_that_have_not_finalized_it_make_an_epoch_of_each_smaller_isr() -> None:
    """The log is of 3.4.1, and could be of 3.9 as well that was upgraded and not finalized."""
    found = recorded_cluster(read_metadata_log(ROOT / "examples" / "histories" / "kafka_14139.log"))
    version = replace(find_version(found, None), kafka="3.9", levels=(OF_3_9,))
    answers = validate_histories(found, found.histories, version, {})
    assert [answer.result for answer in answers] == ["shown"]
