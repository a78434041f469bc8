"""Which settings a loss comes from: all of them, so that what is accepted of one hides no other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tidegate.audit.answers.risky_settings import risky_settings
from tidegate.audit.cluster.cluster import Topic
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.facts.facts import UsedSetting
from tidegate.audit.questions.signature import Signature, Subject, Variant

from .test_verdicts import signature


def subject(one: Signature, **stated: str) -> Subject:
    used = tuple(UsedSetting(key.replace("_", "."), value, None, "") for key, value in stated.items())
    return Subject((Topic("t", Origin("x")),), None, (Variant((), one),), used)


@pytest.mark.parametrize(
    ("changed", "question", "keys"),
    [
        ({}, "no-loss", []),
        ({"acks": "1"}, "no-loss", ["acks"]),
        ({"acks": "1", "unclean": True, "min_isr": 1, "switches": (("heed_unclean", True),)}, "no-loss",
         ["acks", "unclean.leader.election.enable", "min.insync.replicas"]),
        ({"replicas": 1, "min_isr": 1}, "no-loss", ["replication factor"]),
        ({"min_isr": 3}, "writable", ["min.insync.replicas"]),
        ({"min_isr": 3}, "no-loss", []),
        ({"replicas": 1, "min_isr": 1}, "readable", ["replication factor"]),
    ],
)  # fmt: skip
def test_every_setting_that_matters_is_named(changed: dict[str, object], question: str, keys: list[str]) -> None:
    found = risky_settings(subject(replace(signature(replicas=3, min_isr=2), **changed)), question)
    assert found == tuple(f"{key} not given" for key in keys)


def test_a_setting_that_is_stated_has_its_value() -> None:
    assert risky_settings(subject(replace(signature(), acks="1"), acks="1"), "no-loss")[0] == "acks=1"
