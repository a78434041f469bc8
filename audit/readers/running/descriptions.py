"""What Kafka's own tools print: kafka-topics.sh, kafka-configs.sh, kafka-features.sh.

Their layouts are those of `tests/fixtures/audit/`, captured from real brokers. A line is read by its labels, not by
its columns: releases add labels (`TopicId`, `Elr`) and older ones have no blank after the colon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ....language.immutable import immutable
from ...cluster.cluster import Partition, Topic
from ...cluster.statements import HIDDEN, OF_ASKED, OPEN, Origin, Setting, StatedValue
from ...kafka import key_names
from ...kafka.keys import NEVER_EMPTY, settings_table, why_illegal
from ...kafka.versions import is_version
from ..kinds import CONFIG_HEAD, FEATURE, TOPIC_LINE
from ..parsed_file import Part, parse_numbers

LABEL = re.compile(
    r"(?:^|(?<=\s))(TopicId|Topic|PartitionCount|ReplicationFactor|Configs|Partition|Leader|Replicas|Isr|Elr|"
    r"LastKnownElr|Adding Replicas|Removing Replicas|MarkedForDeletion|[A-Za-z]+):[ ]?"
)
"""Any word before a colon is a label, also one that is not read here: a vendor's tools print more of them, such as
Confluent's `Offline`, `Observers` and `LiveObservers`, whose brokers are in no ISR."""

CONFIG_LINE = re.compile(r"^  ([A-Za-z0-9_.\-]{1,200})=(.*?) sensitive=(true|false) synonyms=\{(.*)\}\s*$")
BY_ZOOKEEPER = re.compile(r"^Configs for (topic|broker)s? '[^']*' are ", re.M)
CUT_LINE = re.compile(r"^  [a-z][a-z0-9_\-]*(\.[a-z0-9_\-]+)*(=|$)")
OF_EVERY_TOPIC = ("min.insync.replicas", "unclean.leader.election.enable")
"""Settings that topics have in every release that kafka-configs.sh can describe with --all."""

PAIR = re.compile(r"(?:^|,\s?)([a-z][a-z0-9]*(?:\.[a-z0-9]+)+)=")
LAYER = re.compile(r"([A-Z]+(?:_[A-Z]+)*_CONFIG):([^=]+)=(.*?)(?=, [A-Z_]+_CONFIG:|$)")


def labelled_values(line: str) -> dict[str, str]:
    """A line's labels and what follows each, up to the next one."""
    head, mark, configs = line.partition("Configs:")
    found = list(LABEL.finditer(head))
    ends = [*(match.start() for match in found[1:]), len(head)]
    read = {match[1]: head[match.end() : end].strip() for match, end in zip(found, ends, strict=False)}
    if mark:
        read["Configs"] = configs.strip()
    return read


def read_topics(path: str, text: str) -> Part | None:
    """`kafka-topics.sh --describe`: one line a topic, then one a partition."""
    if not TOPIC_LINE.search(text):
        return None
    part = Part("kafka-topics.sh --describe")
    heads: dict[str, tuple[dict[str, str], Origin]] = {}
    partitions: dict[str, list[Partition]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        read = labelled_values(line)
        origin = Origin(path, number)
        name = read.get("Topic", "")
        if not name:
            if line.strip():
                part.note("not_read", "note", "a line that describes no topic", origin, "nothing, if it is a log line")
        elif "Partition" in read:
            _add_partition(part, partitions.setdefault(name, []), read, origin)
        else:
            before = heads.setdefault(name, (read, origin))
            if before[0] != read:
                part.note_stated_twice(f"topic {name}", before[1], origin)
    observed = "Observers:" in text
    for name in dict.fromkeys([*heads, *partitions]):
        head, origin = heads.get(name, ({}, partitions[name][0].origin if partitions.get(name) else Origin(path)))
        part.topics.append(_described_topic(part, name, head, origin, partitions.get(name, []), has_observers=observed))
    return part


def _add_partition(part: Part, partitions: list[Partition], read: dict[str, str], origin: Origin) -> None:
    """Confluent's observers are listed as replicas and apart; those that were not promoted count for nothing here."""
    number = parse_numbers(read["Partition"])
    if not number or any(read.get(label, ",").endswith(",") for label in ("Leader", "Replicas", "Isr")):
        part.note("not_read", "warning", "a line that describes no whole partition", origin, "collect it again")
        return
    if odd := next((label for label in ("Replicas", "Isr") if re.search(r"[^\d,\s\[\]]", read.get(label, ""))), None):
        of = f"partition {number[0]} of {read.get('Topic', '?')}"
        what = f"{of} has in `{odd}:` what is not a list of brokers: {read[odd]}"
        part.note("incomplete", "error", what, origin, "collect it again, unchanged")
        return
    leader, isr = parse_numbers(read.get("Leader", "")), parse_numbers(read.get("Isr", ""))
    observers = {*parse_numbers(read.get("Observers", "")), *parse_numbers(read.get("LiveObservers", ""))} - {*isr}
    partitions.append(
        Partition(
            number[0],
            leader[0] if leader else None,
            tuple(replica for replica in parse_numbers(read["Replicas"]) if replica not in observers),
            isr,
            origin,
            _set_or_none(read.get("Elr")),
            _set_or_none(read.get("LastKnownElr")),
            parse_numbers(read.get("Adding Replicas", "")),
            parse_numbers(read.get("Removing Replicas", "")),
        )
    )


def _set_or_none(text: str | None) -> tuple[int, ...] | None:
    """`N/A` is printed for brokers that know no eligible leader replicas."""
    return None if text is None or text == "N/A" else parse_numbers(text)


def _described_topic(
    part: Part, name: str, head: dict[str, str], origin: Origin, partitions: list[Partition], *, has_observers: bool
) -> Topic:
    count, factor = parse_numbers(head.get("PartitionCount", "")), parse_numbers(head.get("ReplicationFactor", ""))
    if count and partitions and count[0] != len({partition.number for partition in partitions}):
        what = f"topic {name} has {count[0]} partitions, and {len(partitions)} are described"
        part.note("not_read", "warning", what, origin, "give the whole output of kafka-topics.sh --describe")
    found = Topic(
        name,
        origin,
        tuple(sorted(partitions, key=lambda partition: partition.number)),
        count[0] if count else len(partitions) or None,
        factor[0] if factor else None,
        tuple(replace(setting, whose=OPEN) for setting in parse_settings(head.get("Configs", ""), origin)),
        complete="TopicId" in head,  # printed from what a broker says, with every setting that is not its default
    )
    doubt, where = why_topic_is_impossible(found, has_observers=has_observers)
    cut = _missing_settings_text(head)
    if not doubt and cut:
        return replace(found, doubt=cut)
    if doubt:
        to_do = "give what kafka-topics.sh --describe prints, unchanged and of one moment"
        part.note("contradiction", "error", f"topic {name}: {doubt}", where, to_do)
    return replace(found, doubt=doubt)


NO_CONFIGS = "its line with `Configs:` is not in the description, so that its own settings are not known"


def _missing_settings_text(head: Mapping[str, str]) -> str:
    """What is missing of a topic's own settings; "" if nothing is. kafka-topics.sh prints `Configs:` of every topic."""
    text = head.get("Configs")
    if text is None:
        return NO_CONFIGS
    if text.endswith(("...", "\u2026")) or (text and not PAIR.match(text)):
        return "its `Configs:` are cut short"
    for pair in parse_settings(text, Origin("")):
        key, last = settings_table().get(pair.key), pair.value.rpartition(",")[2]
        named = last.partition("=")[0].strip()
        begins = "," in pair.value and any(k.startswith(named) for k in key_names.names_by_scope()["topic"])
        wrong_now = key is not None and (
            (not pair.value and key.type in NEVER_EMPTY) or why_illegal(key, pair.value) != ""
        )
        if wrong_now or (begins and (key is None or key.type != "list")):
            return "its `Configs:` are cut short"
    return ""


def why_topic_is_impossible(topic: Topic, *, has_observers: bool) -> tuple[str, Origin]:
    """In which way a description is of no topic that Kafka can have, and where; "" if it is of one. `has_observers`:
    some of the replicas that it counts are Confluent's observers, which are not among `replicas`."""
    first: dict[int, Partition] = {}
    for partition in topic.partitions:
        doubt = _why_partition_is_impossible(partition)
        before = first.setdefault(partition.number, partition)
        if not doubt and before is not partition and replace(before, origin=partition.origin) != partition:
            doubt = f"partition {partition.number} is described twice, and not as the same"
        if doubt:
            return doubt, partition.origin
    sizes = {
        len(many)
        for partition in topic.partitions
        for many in (partition.replicas, {*partition.replicas} - {*partition.adding})
    }
    if sizes and topic.replication_factor is not None and topic.replication_factor not in sizes and not has_observers:
        listed = ", ".join(map(str, sorted(sizes)))
        return f"its ReplicationFactor is {topic.replication_factor}, and its partitions list {listed}", topic.origin
    return "", topic.origin


def _why_partition_is_impossible(partition: Partition) -> str:
    who = f"partition {partition.number}"
    if len(set(partition.replicas)) < len(partition.replicas):
        return f"{who} lists a replica twice"
    if len(set(partition.isr)) < len(partition.isr):
        return f"the ISR of {who} has a broker twice"
    strange = sorted(set(partition.isr) - set(partition.replicas))
    if strange:
        return f"broker {strange[0]} is in the ISR of {who}, and has no replica of it"
    if partition.leader is not None and partition.leader not in partition.isr:
        return f"broker {partition.leader} leads {who}, and is not in its ISR"
    return ""


def parse_settings(text: str, origin: Origin) -> tuple[Setting, ...]:
    """`a.b=1,c.d=x,y`: settings whose values may hold commas."""
    found = list(PAIR.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    return tuple(
        Setting(match[1], text[match.end() : end].strip(), origin) for match, end in zip(found, ends, strict=False)
    )


Layers = list[tuple[str, str, str]]


@immutable
class DescribedSetting:
    """One setting as a broker describes it: the value in force, whether it is withheld, and the layers that give it,
    strongest first, as (source, name, value). `source` is Kafka's `ConfigSource`. A value of null is "null".
    """

    key: str
    value: str
    sensitive: bool
    layers: Layers


def read_configs(path: str, text: str) -> Part | None:
    """`kafka-configs.sh --describe`, of topics, of brokers and of all brokers, with `--all` or without."""
    if not CONFIG_HEAD.search(text):
        return _note_zookeeper_output(path, text)
    part = Part("kafka-configs.sh --describe")
    into: list[Setting] = []
    dynamic: list[Setting] = []
    for number, line in enumerate(text.splitlines(), 1):
        head = CONFIG_HEAD.match(line)
        read = CONFIG_LINE.match(line)
        if head is not None:
            into, dynamic = _lists_to_fill_of_heading(part, head)
        elif read is not None:
            layers: Layers = re.findall(LAYER, read[4])
            described = DescribedSetting(read[1], read[2].strip(), read[3] == "true", layers)
            add_setting(part, into, dynamic, described, Origin(path, number))
        elif CUT_LINE.match(line):
            what = "a setting's line is cut short, so that its other settings are not known"
            part.note(
                "incomplete", "error", what, Origin(path, number), "give the whole of kafka-configs.sh --describe"
            )
        elif line.strip():
            part.note("not_read", "note", "a line that states no setting", Origin(path, number), "nothing")
    _note_missing_settings(part, path)
    drop_facts_unread_in_kraft(part)
    return part


def _note_zookeeper_output(path: str, text: str) -> Part | None:
    """What `kafka-configs.sh --zookeeper` prints, which is not read: it has no word of where a value comes from."""
    found = BY_ZOOKEEPER.search(text)
    if found is None:
        return None
    part = Part("kafka-configs.sh --zookeeper --describe")
    what = f"{path} was not read: it is what kafka-configs.sh prints with --zookeeper"
    where = Origin(path, text.count("\n", 0, found.start()) + 1)
    part.note("incomplete", "error", what, where, "describe again with --bootstrap-server")
    return part


def _note_missing_settings(part: Part, path: str) -> None:
    """With --all every setting of a topic is listed: where one is not that every release has, the rest is missing."""
    for name in sorted(part.whole_topics):
        missing = [key for key in OF_EVERY_TOPIC if key not in {setting.key for setting in part.of_topics[name]}]
        if missing:
            part.whole_topics.discard(name)
            what = f"all settings of topic {name} are described, and {missing[0]} is not among them"
            to_do = "give the whole of kafka-configs.sh --describe --all"
            part.note("incomplete", "error", what, Origin(path), to_do)


def drop_facts_unread_in_kraft(part: Part) -> None:
    """After the last setting: what is known only now."""
    if part.control_plane == "kraft":
        part.facts.pop("inter_broker_protocol", None)  # KRaft has the setting, and does not read it


def add_setting(
    part: Part, settings: list[Setting], dynamic: list[Setting], setting: DescribedSetting, origin: Origin
) -> None:
    """Everything that one described setting says, into the lists of its entity (`lists_to_fill`). All of an
    entity's settings have the value in force first, and then those of the layers below, which count too.
    """
    _note_facts(part, setting, origin)
    value = HIDDEN if setting.sensitive else _empty_for_null(setting.value)
    first = setting.layers[0][0] if setting.layers else ""
    if settings is dynamic or not first.startswith("DYNAMIC_"):
        settings.append(Setting(setting.key, value, _origin_with_layer(origin, first), whose=_owner_of_layer(first)))
        return
    wide = first == "DYNAMIC_DEFAULT_BROKER_CONFIG"
    (part.dynamic if wide else dynamic).append(Setting(setting.key, value, _origin_with_layer(origin, first)))
    for layer, name, below in setting.layers:
        if name == setting.key and not layer.startswith("DYNAMIC_"):
            settings.append(
                Setting(
                    name, HIDDEN if setting.sensitive else _empty_for_null(below), _origin_with_layer(origin, layer)
                )
            )
            return


_LAYERS: Mapping[str, str] = {
    "DYNAMIC_TOPIC_CONFIG": "set on the topic",
    "DYNAMIC_BROKER_CONFIG": "set on the broker",
    "DYNAMIC_DEFAULT_BROKER_CONFIG": "set for all brokers",
    "STATIC_BROKER_CONFIG": "from the broker's file",
    "DEFAULT_CONFIG": "Kafka's default",
}
"""Where a value comes from, by the source that a broker gives with it (`ConfigSource`)."""


def _origin_with_layer(origin: Origin, layer: str) -> Origin:
    """Where a value of a running cluster is stated, with where it comes from; a file's line says so by itself."""
    if origin.line is not None or layer not in _LAYERS:
        return origin
    return replace(origin, place=f"{origin.place}, {_LAYERS[layer]}")


def _owner_of_layer(layer: str) -> str:
    """Whose a topic's setting is whose value the layer gives. A broker's own is stronger than the cluster's."""
    if layer == "DYNAMIC_TOPIC_CONFIG":
        return ""
    return OPEN if layer in ("", "DYNAMIC_DEFAULT_BROKER_CONFIG") else OF_ASKED


def _note_facts(part: Part, setting: DescribedSetting, origin: Origin) -> None:
    """What a running broker's settings say about the release: its default protocol is that release's."""
    if setting.key == "process.roles" and setting.value:
        part.control_plane = "kraft"
    elif setting.key == "zookeeper.connect" and setting.value not in ("", "null"):
        part.control_plane = part.control_plane or "zookeeper"
    elif setting.key == "inter.broker.protocol.version":
        part.fact("inter_broker_protocol", setting.value, origin)
        defaults = (below for layer, name, below in setting.layers if layer == "DEFAULT_CONFIG" and name == setting.key)
        default = next(defaults, "")
        release = re.match(r"\d+\.\d+", default)
        if release:
            part.fact("kafka", release[0], origin, f"the broker's default of {setting.key} is {default}")


def _empty_for_null(value: str) -> str:
    return "" if value == "null" else value


def _lists_to_fill_of_heading(part: Part, head: re.Match[str]) -> tuple[list[Setting], list[Setting]]:
    """The lists of a heading's entity. Of users: nowhere."""
    if head[1]:
        return lists_to_fill(part, "brokers", "", whole=False)
    if head[2] == "topic" or (head[2] == "broker" and parse_numbers(head[3])):
        return lists_to_fill(part, head[2], head[3], whole=head[0].startswith("All"))
    return [], []


def lists_to_fill(part: Part, kind: str, name: str, *, whole: bool) -> tuple[list[Setting], list[Setting]]:
    """Where the settings of an entity go, and those that are its own dynamic ones. `kind` is "brokers" (all of them),
    "topic" or "broker", whose name is a number; `whole` says that every setting is described.
    """
    if kind == "brokers":
        return part.dynamic, part.dynamic
    if kind == "topic":
        if whole:
            part.whole_topics.add(name)
        settings = part.of_topics.setdefault(name, [])
        return settings, settings
    number = parse_numbers(name)[0]
    own = part.per_broker.setdefault(number, [])
    return (part.whole_brokers.setdefault(number, []) if whole else own), own


NO_NAME = "the release of a metadata.version without a name"
"""What runs where the tool that described the features knew no name for its level."""


def read_features(path: str, text: str) -> Part | None:
    """`kafka-features.sh describe`: the finalized level of each feature, and with it the metadata version."""
    found = list(FEATURE.finditer(text))
    if not found:
        return None
    part = Part("kafka-features.sh describe")
    part.all_features = True
    for match in found:
        origin = Origin(path, text.count("\n", 0, match.start()) + 1)
        name, most, level = match[1], match[2], match[3]
        if name == "metadata.version":
            part.control_plane = "kraft"
            if level not in ("-", "0"):
                known = is_version(level)
                part.fact("metadata_version" if known else "unknown_release", level if known else NO_NAME, origin)
            release = re.match(r"\d+\.\d+", most)
            if release:
                part.fact("kafka", release[0], origin, f"the brokers know metadata.version up to {most}")
        elif level != "-":
            before = part.features.setdefault(name, StatedValue(level, origin))
            if before.value != level:
                part.note_stated_twice(name, before.origin, origin)
    return part
