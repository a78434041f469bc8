"""Kafka's own commands: which release first has an option, and how a topic's settings and replicas are changed by it.

Read in `ConfigCommand`, `ReassignPartitionsCommand`, `TopicCommand`, `FeatureCommand`, `MetadataQuorumCommand` and
`ClusterTool` of the tags 0.9.0.0 to 3.9.0, and of 4.0.0 to 4.3.0.
"""

from __future__ import annotations

import shlex
from typing import Any, cast

from ...language.immutable import immutable
from .versions import is_at_least

BOOTSTRAP = "--bootstrap-server HOST:9092"
ZOOKEEPER = "--zookeeper HOST:2181"


def put_address_into(texts: Any, address: str) -> Any:
    """Texts, in lists and dictionaries too, whose commands ask the brokers at an address."""
    if isinstance(texts, str):
        return texts.replace(BOOTSTRAP, f"--bootstrap-server {address}")
    if isinstance(texts, dict):
        return {key: put_address_into(value, address) for key, value in cast("dict[str, Any]", texts).items()}
    if isinstance(texts, list):
        return [put_address_into(value, address) for value in cast("list[Any]", texts)]
    return texts


@immutable
class ToolOption:
    """Words that a command has, the first release whose tool takes them together, and the first one that no longer
    does; "" where all do."""

    tool: str
    words: tuple[str, ...]
    since: str
    until: str = ""


OPTIONS = (
    ToolOption("kafka-topics.sh", ("--bootstrap-server",), "2.2"),  # KIP-377
    ToolOption("kafka-configs.sh", ("--bootstrap-server", "--entity-type topics"), "2.5"),
    ToolOption("kafka-configs.sh", ("--bootstrap-server", "--entity-type brokers"), "1.1"),  # KIP-226
    ToolOption("kafka-configs.sh", ("--zookeeper", "--entity-type topics"), "0.9", "3.0"),
    ToolOption("kafka-reassign-partitions.sh", ("--bootstrap-server",), "2.6"),  # KIP-455
    ToolOption("kafka-reassign-partitions.sh", ("--zookeeper",), "0.9", "3.0"),
    ToolOption("kafka-features.sh", ("upgrade", "--feature"), "3.3"),  # KIP-778
    ToolOption("kafka-features.sh", ("--bootstrap-controller",), "3.7"),  # KIP-919
    ToolOption("kafka-features.sh", ("upgrade", "--release-version"), "4.0"),  # KIP-1022
    ToolOption("kafka-metadata-quorum.sh", ("describe", "--bootstrap-server"), "3.3"),  # KIP-836
    ToolOption("kafka-metadata-quorum.sh", ("--bootstrap-controller",), "3.7"),
    ToolOption("kafka-metadata-quorum.sh", ("add-controller",), "3.9"),  # KIP-853
    ToolOption("kafka-cluster.sh", ("unregister",), "2.8"),
)


def is_command_supported(command: str, release: str) -> bool:
    """Whether the tool of a release takes a command; KeyError if the table has no such command."""
    options = [
        option
        for option in OPTIONS
        if command.startswith(f"{option.tool} ") and all(word in command for word in option.words)
    ]
    if not options:
        raise KeyError(command)
    return all(
        is_at_least(release, option.since) is not False
        and (not option.until or is_at_least(release, option.until) is not True)
        for option in options
    )


def topic_alteration_command(topic: str, setting: str, release: str | None) -> str:
    """The command that sets a topic's setting, of the tool of a release (None: it is not stated)."""
    rest = f"--alter --entity-type topics --entity-name {shlex.quote(topic)} --add-config {setting}"
    made = f"kafka-configs.sh {BOOTSTRAP} {rest}"
    return made if release is None or is_command_supported(made, release) else f"kafka-configs.sh {ZOOKEEPER} {rest}"


def reassignment_command(file: str, release: str | None) -> str:
    """The command that executes a plan of reassignments."""
    rest = f"--reassignment-json-file {file} --execute"
    made = f"kafka-reassign-partitions.sh {BOOTSTRAP} {rest}"
    return (
        made
        if release is None or is_command_supported(made, release)
        else f"kafka-reassign-partitions.sh {ZOOKEEPER} {rest}"
    )
