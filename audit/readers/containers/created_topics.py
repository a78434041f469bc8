"""Topics that commands create: `kafka-topics.sh --create` of a container, and `KAFKA_CREATE_TOPICS` of its image."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from ...cluster.cluster import LEGAL_NAME, Topic
from ...cluster.statements import Origin, Setting
from ..parsed_file import Part, parse_numbers

CREATES = re.compile(r"kafka-topics(?:\.sh)?\s+([^;&|\n)]*--create\b[^;&|\n)]*)")
"""A command that creates a topic, up to where the shell's next one begins."""

TO_DO = "give what `kafka-topics.sh --describe` prints of the topics"


def read_topics_of_command(part: Part, text: str, origin: Origin) -> None:
    """The topics that a command creates, for `part`; where one is not literal the audit is left undecided."""
    for found in CREATES.finditer(text.replace("\\\n", " ")):
        made = _created_topic(found[1], origin)
        if made is None:
            what = "a command creates a topic, and which one with which settings was not read"
            part.note("incomplete", "error", what, origin, TO_DO)
        else:
            part.created_topics.append(made)


def _created_topic(arguments: str, origin: Origin) -> Topic | None:
    try:
        words = shlex.split(arguments)
    except ValueError:
        return None
    options = list(_option_values(words))
    one = dict(options)
    name, factor, count = one.get("topic", ""), one.get("replication-factor"), one.get("partitions")
    settings = [value.partition("=") for option, value in options if option == "config"]
    if "$" in arguments or not name or "replica-assignment" in one:
        return None
    return Topic(
        name,
        origin,
        partition_count=next(iter(parse_numbers(count or "")), None),
        replication_factor=next(iter(parse_numbers(factor or "")), None),
        settings=tuple(Setting(key, value, origin) for key, _, value in settings),
    )


def _option_values(words: list[str]) -> Iterator[tuple[str, str]]:
    """`--name value` and `--name=value`."""
    for place, word in enumerate(words):
        if word.startswith("--"):
            name, mark, value = word[2:].partition("=")
            following = words[place + 1] if place + 1 < len(words) else ""
            yield name, value if mark else "" if following.startswith("--") else following


VARIABLE = "KAFKA_CREATE_TOPICS"


def read_topics_of_variable(part: Part, value: str, origin: Origin) -> None:
    """`name:partitions:replicas`, several with commas between them (wurstmeister/kafka, README)."""
    for topic in value.split(","):
        fields = [field.strip() for field in topic.split(":")]
        counts = [parse_numbers(field) for field in fields[1:3]]
        if "$" in topic or len(counts) < 2 or not all(counts) or not LEGAL_NAME.fullmatch(fields[0]):
            what = f"{VARIABLE} creates topics, and which ones was not read"
            part.note("incomplete", "error", what, origin, TO_DO)
            return
        made = Topic(fields[0], origin, partition_count=counts[0][0], replication_factor=counts[1][0])
        part.created_topics.append(made)
