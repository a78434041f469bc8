"""Every node once, with all that parts say of it."""

from __future__ import annotations

from tidegate.audit.cluster.cluster import Broker, Quorum
from tidegate.audit.cluster.statements import Origin, Setting, StatedValue
from tidegate.audit.joining.nodes import joined_nodes
from tidegate.audit.joining.parts import JoinedParts
from tidegate.audit.readers.parsed_file import Part

ONE, TWO = Origin("one.properties", 3), Origin("two.properties", 4)


def setting(key: str, value: str, origin: Origin = ONE) -> Setting:
    return Setting(key, value, origin)


def node(number: int | None, *settings: Setting, origin: Origin = ONE) -> Broker:
    return Broker(number, origin, roles=("broker",), settings=settings)


def join_texts(
    *parts: Part, quorum: Quorum | None = None, of_msk: bool = False
) -> tuple[JoinedParts, tuple[Broker, ...]]:
    found = JoinedParts(parts)
    return found, joined_nodes(found, (), quorum, of_msk=of_msk)


def test_nodes_are_in_the_order_of_their_ids_and_those_without_one_are_last() -> None:
    part = Part("x", brokers=[node(None), node(3), node(1)])
    _, found = join_texts(part)
    assert [broker.id for broker in found] == [1, 3, None]


def test_two_files_with_one_id_are_two_nodes_of_which_the_first_counts() -> None:
    first, second = node(1, setting("num.partitions", "2")), node(1, setting("num.partitions", "3", TWO), origin=TWO)
    parts, (found,) = join_texts(Part("x", brokers=[first]), Part("x", brokers=[second]))
    assert [stated.value for stated in found.settings] == ["2"]
    assert [(twice.node.origin, twice.second) for twice in parts.twice] == [(ONE, TWO)]
    (finding,) = parts.findings
    assert finding.what == "`node.id=1` is of another node already (one.properties:3); the first is used"
    assert finding.where == TWO


def test_a_node_that_is_only_named_takes_the_settings_of_its_file() -> None:
    parts, (found,) = join_texts(
        Part("x", brokers=[node(1)]), Part("y", brokers=[node(1, setting("num.partitions", "3"))])
    )
    assert [stated.value for stated in found.settings] == ["3"] and not parts.findings and not parts.twice


def test_what_runs_completes_the_file_and_a_difference_is_said() -> None:
    file = Part("x", brokers=[node(1, setting("num.partitions", "2"), setting("log.dirs", "data"))])
    said = {"num.partitions": "3", "min.insync.replicas": "2", "log.dirs": "/d"}
    running = [setting(key, value, TWO) for key, value in said.items()]
    parts, (found,) = join_texts(file, Part("y", whole_brokers={1: running}))
    assert {stated.key: stated.value for stated in found.settings}["min.insync.replicas"] == "2"
    assert {stated.key: stated.value for stated in found.settings}["num.partitions"] == "2", "the file's own counts"
    (finding,) = parts.findings
    assert finding.what == (
        "`num.partitions` of broker 1 is 2 in its file, and 3 in the running broker (one.properties:3)"
    )


def test_dynamic_settings_make_a_node_that_no_file_has() -> None:
    _, (found,) = join_texts(Part("x", per_broker={7: [setting("min.insync.replicas", "2", TWO)]}))
    assert (found.id, found.settings, [stated.value for stated in found.dynamic]) == (7, (), ["2"])


def test_voters_without_a_file_are_controllers_and_a_broker_that_votes_is_both() -> None:
    quorum = Quorum((1, 9), TWO)
    named = Part("x", brokers=[node(1)])
    assert [broker.roles for broker in join_texts(named, quorum=quorum)[1]] == [
        ("broker", "controller"),
        ("controller",),
    ]
    stated = Part("x", brokers=[node(1, setting("num.partitions", "2"))])
    assert join_texts(stated, quorum=quorum)[1][0].roles == ("broker",), "its own file says what it is"


def test_one_configuration_of_msk_is_of_all_brokers_that_are_described() -> None:
    revision = Part("x", brokers=[node(None, setting("num.partitions", "2"))])
    described = Part("y", brokers=[node(2), node(1)])
    parts, found = join_texts(revision, described, of_msk=True)
    assert [(broker.id, [stated.value for stated in broker.settings]) for broker in found] == [(1, ["2"]), (2, ["2"])]
    assert parts.assumptions == ["brokers 1, 2 run the configuration in one.properties, as MSK's all do"]
    assert len(join_texts(revision, described)[1]) == 3, "of another owner it is a node of its own"


def test_what_is_said_of_all_computers_places_those_of_an_inner_network() -> None:
    inner = Broker(1, ONE, machine="engine", network="inner")
    apart, outer = Broker(2, ONE, machine="engine"), Broker(3, ONE, machine="engine", network="inner")
    shared = Part("x", brokers=[inner, apart, outer], facts={"computers": [StatedValue("shared", TWO)]})
    assert [(broker.machine, broker.network) for broker in join_texts(shared)[1]] == [
        ("one computer, as audit.toml says", ""), ("engine", ""), ("one computer, as audit.toml says", ""),
    ]  # fmt: skip
    assert {broker.machine for broker in join_texts(Part("x", brokers=[inner, apart, outer]))[1]} == {"engine"}
