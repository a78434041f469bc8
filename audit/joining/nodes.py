"""The nodes of a cluster, as all files together say: by id, with their roles, their settings and where they run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..cluster.cluster import DESCRIBED, Broker, DuplicateId, Quorum, Topic
from ..cluster.findings import Finding
from ..cluster.statements import HIDDEN, Origin, Setting
from ..kafka.keys import LARGEST, declared_key, settings_by_name
from ..readers.broker_properties import broker_of_settings
from .options import OPTIONS
from .parts import JoinedParts, withhold_values

NODE_ID = declared_key("node.id")


def joined_nodes(
    joined_parts: JoinedParts, topics: tuple[Topic, ...], quorum: Quorum | None, *, of_msk: bool
) -> tuple[Broker, ...]:
    """Every node once, with all that is said of it. `of_msk`: they are Amazon MSK's."""
    nameless: list[Broker] = []
    found: dict[int, Broker] = {}
    for broker in (node for part in joined_parts.parts for node in part.brokers):
        if broker.id is None:
            nameless.append(replace(broker, settings=withhold_values(broker.settings)))
        elif broker.id in found:
            found[broker.id] = _note_duplicate_id(joined_parts, found[broker.id], broker)
        else:
            found[broker.id] = replace(broker, settings=withhold_values(broker.settings))
    for number, settings in _settings_by_broker(part.whole_brokers for part in joined_parts.parts).items():
        _add_running_settings(joined_parts, found, number, joined_parts.agree(f"broker {number}", settings))
    for number, settings in _settings_by_broker(part.per_broker for part in joined_parts.parts).items():
        known_as = found.get(number, Broker(number, settings[0].origin if settings else Origin(DESCRIBED[0])))
        found[number] = replace(known_as, dynamic=joined_parts.agree(f"broker {number}", settings))
    for number, origin in {
        n: partition.origin for topic in topics for partition in topic.partitions for n in partition.replicas
    }.items():
        mine = found.get(number, Broker(number, origin))
        found[number] = mine if mine.roles else replace(mine, roles=("broker",))
    for number in quorum.voters if quorum else ():
        found.setdefault(number, Broker(number, quorum.origin if quorum else OPTIONS, roles=("controller",)))
    voters = set(quorum.voters) if quorum else set[int]()
    if of_msk:
        nameless = _brokers_of_one_configuration(joined_parts, found, nameless)
    every = tuple(_broker_with_roles(found[number], voters) for number in sorted(found)) + tuple(nameless)
    return tuple(_place_broker(joined_parts, broker, number) for number, broker in enumerate(every, 1))


def _settings_by_broker(parts: Iterable[Mapping[int, Sequence[Setting]]]) -> dict[int, list[Setting]]:
    """All that parts describe of each broker."""
    found: dict[int, list[Setting]] = {}
    for part in parts:
        for number, settings in part.items():
            found.setdefault(number, []).extend(settings)
    return found


def _brokers_of_one_configuration(
    joined_parts: JoinedParts, broker_by_id: dict[int, Broker], nameless: list[Broker]
) -> list[Broker]:
    """A configuration of Amazon MSK has no ids, since a cluster runs one revision on all of its brokers: where only
    descriptions name these, each has it. What is left without an id."""
    bare = [broker for broker in broker_by_id.values() if not broker.settings]
    if len(nameless) != 1 or not bare or len(bare) < len(broker_by_id):
        return nameless
    (revision,) = nameless
    for broker in bare:
        assert broker.id is not None, "who is found has an id"
        broker_by_id[broker.id] = replace(broker, settings=revision.settings)
    which = ", ".join(map(str, sorted(broker_by_id)))
    joined_parts.assumptions.append(f"brokers {which} run the configuration in {revision.origin.path}, as MSK's all do")
    return []


def _place_broker(joined_parts: JoinedParts, broker: Broker, number: int) -> Broker:
    """A pod, or a service, as audit.toml says of all: each pod on a node of its own, whatever it advertises, and those
    of a compose file on a computer of their own; or all on one."""
    word, one = ("nodes", "one node") if broker.pod is not None else ("computers", "one computer")
    said = joined_parts.one_fact(word)
    if said is None or (broker.pod is None and broker.network != "inner"):
        return broker
    own = broker.machine if broker.pod is None else f"node {number} of pods"
    machine = f"{one}, as audit.toml says" if said.value == "shared" else own
    return replace(broker, pod=None, network="", machine=machine)


def _broker_with_roles(broker: Broker, voters: set[int]) -> Broker:
    """A broker whose replicas are listed and which votes as well is both, if no file says."""
    combined = broker.roles == ("broker",) and broker.id in voters and not broker.settings
    return replace(broker, roles=("broker", "controller")) if combined else broker


def _note_duplicate_id(joined_parts: JoinedParts, first: Broker, second: Broker) -> Broker:
    pairs = {setting.key: setting.value for setting in first.settings}
    differ = [setting for setting in second.settings if setting.key in pairs and pairs[setting.key] != setting.value]
    if differ or (first.settings and second.settings and first.origin.path != second.origin.path):
        where = differ[0].origin if differ else second.origin
        what = f"`{_id_key(second)}={first.id}` is of another node already ({first.origin}); the first is used"
        to_do = "give each node an id of its own, or remove one file if both are of the same node"
        joined_parts.findings.append(Finding("contradiction", "error", what, where, to_do))
        joined_parts.twice.append(DuplicateId(first, where))
    return first if first.settings else replace(second, settings=withhold_values(second.settings))


def _id_key(broker: Broker) -> str:
    return next(
        (setting.key for setting in broker.settings if setting.key in settings_by_name()[NODE_ID].broker_names), NODE_ID
    )


def _add_running_settings(
    joined_parts: JoinedParts, broker_by_id: dict[int, Broker], number: int, running: Sequence[Setting]
) -> None:
    """What a running broker says of itself completes its file; where they differ, it has not been restarted since."""
    if number not in broker_by_id:
        where = running[0].origin if running else OPTIONS
        broker_by_id[number] = replace(broker_of_settings(tuple(running), where), id=number)
        return
    file = {setting.key: setting for setting in broker_by_id[number].settings}
    for setting in running:
        mine = file.get(setting.key)
        if (
            mine is not None
            and mine.value != setting.value
            and HIDDEN not in (mine.value, setting.value)
            and _is_comparable_setting(mine)
        ):
            what = (
                f"`{setting.key}` of broker {number} is {mine.value} in its file, "
                f"and {setting.value} in the running broker"
            )
            joined_parts.disagree(
                what, mine.origin, setting.origin, "restart the broker, or give the file that it was started from"
            )
    missing = tuple(setting for setting in running if setting.key not in file)
    broker_by_id[number] = replace(broker_by_id[number], settings=(*missing, *broker_by_id[number].settings))


def _is_comparable_setting(setting: Setting) -> bool:
    key = settings_by_name().get(setting.key)
    return key is not None and key.type in (*LARGEST, "boolean") and "${" not in setting.value
