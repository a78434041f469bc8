"""What a container's command sets: `--override key=value` of kafka-server-start.sh, which is stronger than its file
(`kafka.Kafka.getPropsFromArgs`). Whatever else a command does to Kafka's configuration is not read, which is said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..cluster import Origin, Setting
from .parsed_file import Part
from .yamls import Tree

KEYS = ("entrypoint", "command", "args")
"""Where a container says what it runs: compose has the first two, Kubernetes the last two."""

OVERRIDE = re.compile(
    r"""--override[\s=]+["']?(?P<key>[A-Za-z0-9][A-Za-z0-9._\-]*)=(?P<value>"[^"]*"|'[^']*'|[^\s;&|"']*)"""
)
PASSED_OVER = re.compile(r"\bKAFKA_(CFG_)?(BROKER_ID|NODE_ID|ADVERTISED_LISTENERS|HEAP_OPTS|OPTS|JMX_\w+)=")
"""Variables that differ from pod to pod, or are no settings: no answer is about them."""

SETS = re.compile(r"--override|kafka-server-start|\bkafka\.Kafka\b|\.properties\b|(?<![${\w])(?<!\$\()KAFKA_\w+")


def overrides(path: str, container: Tree) -> list[Setting]:
    """What a command sets with `--override`; a value that the shell fills in is `${}`."""
    return [
        Setting(found["key"], "${}" if "$" in found["value"] else found["value"].strip("\"'"), origin)
        for text, origin in _texts(path, container)
        for found in OVERRIDE.finditer(text)
    ]


def overridden(given: Sequence[Setting], stronger: Sequence[Setting]) -> list[Setting]:
    """The settings of a file or of variables, where `stronger` ones replace those of the same name."""
    replaced = {each.key for each in stronger}
    return [*(each for each in given if each.key not in replaced), *stronger]


def note_unread(part: Part, path: str, name: str, container: Tree, files: Sequence[str] = ()) -> None:
    """The finding that a command may set what is not read. `files` are properties files that were read, by name: a
    command that starts Kafka with one of them, and sets nothing else, is read whole."""
    for text, origin in _texts(path, container):
        rest = PASSED_OVER.sub("", OVERRIDE.sub("", text))
        for each in files:
            rest = re.sub(rf"kafka-server-start(\.sh)?\s+(\S*/)?{re.escape(each)}(?=\s|$)", "", rest)
        if SETS.search(rest):
            what = f"the command of {name} starts Kafka by itself or changes its settings, and that was not read"
            to_do = "give the server.properties that its container runs with, instead of this file"
            part.note("incomplete", "error", what, origin, to_do)
            return


def _texts(path: str, container: Tree) -> Iterator[tuple[str, Origin]]:
    """All that a container runs as one text, at the line where it begins; nothing where the image alone says it."""
    stated = [found for key in KEYS if (found := container.get(key)) is not None]
    words = [leaf.value for each in stated for leaf in each.leaves()]
    if words:
        yield " ".join(words), Origin(stated[0].file or path, stated[0].line, ".".join(stated[0].path))
