"""Rules about controllers: how many may fail, what they do not hear, and ZooKeeper."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster
from tidegate.audit.joining.options import Options
from tidegate.audit.startup.nodes import nodes_down

from ...support.rules import SOUND, findings, one, three

ALONE = ": while no majority is up, no partition gets a new leader"


KRAFT = "node.id={id}\nprocess.roles={roles}\nlog.dirs=d\nbroker.rack=r\ncontroller.quorum.voters={voters}\n" + SOUND


def kraft(roles: str = "broker", voters: str = "1@a:1,2@b:1,3@c:1", extra: str = "") -> dict[str, str]:
    return {"server.properties": KRAFT.format(id=9, roles=roles, voters=voters) + extra}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("3.8.1", "ignores it in this version"),
        (None, "ignores it before 3.9.0 (the version is not stated)"),
        ("3.9", None),
    ],
)
def test_unclean_elections_are_latent_in_kraft_before_3_9(
    tmp_path: Path, version: str | None, expected: str | None
) -> None:
    files = kraft("broker,controller", extra="unclean.leader.election.enable=true\n")
    found = findings(tmp_path, files, Options(version, distribution="apache"))
    latent = [finding for finding in found if finding.kind == "latent"]
    assert [expected in finding.what for finding in latent if expected] == ([True] if expected else [])
    assert bool(latent) == bool(expected)


CONTROLLER = "node.id={id}\nprocess.roles=controller\ncontroller.quorum.voters=101@c:1\nlog.dirs=m\n"


DYNAMIC = (
    "Dynamic configs for broker 1 are:\n  unclean.leader.election.enable=true sensitive=false "
    "synonyms={DYNAMIC_BROKER_CONFIG:unclean.leader.election.enable=true}\n"
)


UNCLEAN = "unclean.leader.election.enable=true\n"


@pytest.mark.parametrize("version", ["3.8.1", "3.9.0", "4.1.0", None])
@pytest.mark.parametrize(("one", "more"), [(UNCLEAN, {}), ("", {"broker-configs.txt": DYNAMIC})])
def test_unclean_elections_of_brokers_alone_have_no_effect_in_kraft_and_are_no_contradiction(
    tmp_path: Path, version: str | None, one: str, more: dict[str, str]
) -> None:
    broker = KRAFT.format(id="{id}", roles="broker", voters="101@c:1")
    files = {"b1.properties": broker.format(id=1) + one, "b2.properties": broker.format(id=2)}
    given = {"c.properties": CONTROLLER.format(id=101)}
    for controllers, has in (({}, "and their files were not given"), (given, "and have false")):
        found = findings(tmp_path, files | more | controllers, Options(version, distribution="apache"))
        about = [(finding.kind, finding.what) for finding in found if "unclean" in finding.what]
        what = "`unclean.leader.election.enable=true` of brokers alone has no effect: in KRaft the controllers decide"
        assert about == [("advice", f"{what}, {has}")]
    heard = {"c.properties": CONTROLLER.format(id=101) + UNCLEAN}
    found = findings(tmp_path, files | more | heard, Options(version, distribution="apache"))
    assert not [finding for finding in found if "has no effect" in finding.what]


@pytest.mark.parametrize(
    ("voters", "word"),
    [
        ("1@a:1", f"there is 1 controller with a vote, so none may fail{ALONE}"),
        ("1@a:1,2@b:1", f"there are 2 controllers with a vote, so none may fail{ALONE}"),
        ("1@a:1,2@b:1,3@c:1,4@d:1", "there are 4 controllers with a vote, so 1 may fail, no more than with 3"),
    ],
)
def test_how_many_controllers_may_fail(tmp_path: Path, voters: str, word: str) -> None:
    assert one(findings(tmp_path, kraft(voters=voters)), "with a vote").what == word


def test_three_controllers_are_enough_and_combined_ones_are_reported(tmp_path: Path) -> None:
    found = findings(tmp_path, kraft(roles="broker,controller"))
    assert [finding.what for finding in found if finding.kind != "not_modelled"] == [
        "1 node is broker and controller at once: one crash takes both a replica and a vote"
    ]


def test_zookeeper_is_gone_in_4_0(tmp_path: Path) -> None:
    found = findings(tmp_path, three(SOUND), Options("4.0.0", distribution="apache"))
    assert not [finding for finding in found if "zookeeper.connect" in finding.what]
    cluster, _ = read_cluster([tmp_path], Options("4.0.0", distribution="apache"))
    (down,) = nodes_down(cluster)
    assert down.why == "its file has no `process.roles`, which 4.0 and later require: migrate to KRaft on 3.9 first"


@pytest.mark.parametrize(
    ("other", "own", "said"),
    [
        ("1@a:1,2@b:1,3@d:1", 9, True),
        ("1@a:1,2@b:1,3@c:2", 9, True),
        ("1@a:1,2@b:1,3@c.example:1", 9, False),
        ("1@a:1,2@b:1,3@d:1", 3, False),  # for itself
        ("1@a:1,2@b:1,3@localhost:1", 9, False),  # said otherwise
    ],
)
def test_a_voter_at_two_addresses(tmp_path: Path, other: str, own: int, *, said: bool) -> None:
    files = kraft() | {"other.properties": KRAFT.format(id=own, roles="broker", voters=other).replace("id=9", "id=8")}
    found = [finding for finding in findings(tmp_path, files) if "unless both lead to it" in finding.what]
    assert [finding.kind for finding in found] == (["incomplete"] if said else [])
