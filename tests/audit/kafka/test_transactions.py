"""Kafka's releases as the model of transactions has them: each is a profile of the model."""

from __future__ import annotations

from tidegate.audit.kafka.transactions import BEFORE_VERSION_2, UNVERIFIED, WITH_VERSION_2
from tidegate.audit.kafka.versions import releases_meant
from tidegate.invariants.catalogue import find


def test_each_release_is_a_profile_of_its_model() -> None:
    transactions = find("transactions")[0].profiles
    for release in (*BEFORE_VERSION_2, *WITH_VERSION_2, UNVERIFIED):
        assert release.records in transactions


def test_releases_are_in_their_order() -> None:
    for releases in (BEFORE_VERSION_2, WITH_VERSION_2):
        begins = [releases_meant(release.since)[0] for release in releases]
        assert begins == sorted(begins) and len(set(begins)) == len(begins)
