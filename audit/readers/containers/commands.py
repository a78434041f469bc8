"""What a container's command sets: `--override key=value` of kafka-server-start.sh, which is stronger than its file
(`kafka.Kafka.getPropsFromArgs`). Whatever else a command does to Kafka's configuration is not read, which is said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from ...cluster.statements import Origin, Setting
from ..parsed_file import Part
from ..yamls import Tree
from . import created_topics

KEYS = ("entrypoint", "command", "args")
"""Where a container says what it runs: compose has the first two, Kubernetes the last two."""

OVERRIDE = re.compile(
    r"""--override[\s=]+["']?(?P<key>[A-Za-z0-9][A-Za-z0-9._\-]*)=(?P<value>"[^"]*"|'[^']*'|[^\s;&|"']*)"""
)
PASSED_OVER = re.compile(r"\bKAFKA_(CFG_)?(BROKER_ID|NODE_ID|ADVERTISED_LISTENERS|HEAP_OPTS|OPTS|JMX_\w+)=")
"""Variables that differ from pod to pod, or are no settings: no answer is about them."""

SETS = re.compile(r"--override|kafka-server-start|\bkafka\.Kafka\b|\.properties\b|(?<![${\w])(?<!\$\()KAFKA_\w+")


def override_options(path: str, container: Tree) -> list[Setting]:
    """What a command sets with `--override`; a value that the shell fills in is `${}`."""
    return [
        Setting(found["key"], "${}" if "$" in found["value"] else found["value"].strip("\"'"), origin)
        for text, origin in _command_texts(path, container)
        for found in OVERRIDE.finditer(text)
    ]


def override_settings(settings: Sequence[Setting], stronger: Sequence[Setting]) -> list[Setting]:
    """The settings of a file or of variables, where `stronger` ones replace those of the same name."""
    replaced = {setting.key for setting in stronger}
    return [*(setting for setting in settings if setting.key not in replaced), *stronger]


STATES = re.compile(
    r"\b(min\.insync\.replicas|unclean\.leader\.election|default\.replication\.factor|broker\.id|node\.id|process\.roles|"
    r"zookeeper\.connect|log\.dirs|controller\.quorum|offsets\.topic\.replication|transaction\.state\.log)"
)
"""Settings of brokers that no other text has."""

TOOLS = re.compile(
    r"(/etc/(confluent|kafka)/docker/\w[\w.\-]*|/opt/bitnami/scripts/kafka/(entrypoint|run|setup)\.sh|/__cacert_entrypoint\.sh|"
    r"(\S*/)?kafka-(acls|broker-api-versions|client-metrics|cluster|configs|console-[a-z\-]+|consumer-[a-z\-]+|"
    r"delegation-tokens|delete-records|dump-log|e2e-latency|features|get-offsets|groups|jmx|leader-election|log-dirs|"
    r"metadata-(quorum|shell)|mirror-maker|preferred-replica-election|producer-perf-test|reassign-partitions|"
    r"replica-verification|run-class|server-st(art|op)|share-[a-z\-]+|storage|streams-[a-z\-]+|topics|transactions|"
    r"verifiable-[a-z\-]+)\.sh|(\S*/)?zookeeper-(server-st(art|op)|shell|security-migration)\.sh|"
    r"(\S*/)?connect-(distributed|standalone|mirror-maker|plugin-path)\.sh|"
    r"(\S*/)?wait-for(-it)?\.sh|\S*/start-kafka\.sh)(?=[\s;&|\"']|$)"
)
"""Start scripts of images, and Kafka's own tools (its bin/): they set nothing but what their arguments say. A script
with another name that begins so, such as the kafka-init.sh of Bitnami's chart, is none of them."""

SCRIPT = re.compile(r"""[^\s;&|"'=()]*[\w\-]\.(?:sh|bash|py|pl|rb)(?=[\s;&|"']|$)""")
PROGRAM = re.compile(r"/(?!bin/|usr/bin/|usr/local/bin/|sbin/|usr/sbin/)\S+")
"""What a container runs first, if it is not a program of the system."""

ALTERS = re.compile(r"kafka-configs(\.sh)?\b[^;&|\n]*--(alter|add-config)|kafka_conf_set|kafka_server_conf_set")


def may_set_unread_settings(text: str, files: Sequence[str] = (), scripts: Mapping[str, str] | None = None) -> bool:
    """Whether a command may set what is not read. `files` are properties files that were read, by name: a command that
    starts Kafka with one of them, and sets nothing else, is read whole. `scripts` are texts of scripts, by name."""
    rest = PASSED_OVER.sub("", OVERRIDE.sub("", text))
    for file in files:
        rest = re.sub(rf"kafka-server-start(\.sh)?\s+(\S*/)?{re.escape(file)}(?=\s|$)", "", rest)
    if SETS.search(rest) or ALTERS.search(rest):
        return True
    rest = TOOLS.sub("", rest)
    named = [found[0] for found in SCRIPT.finditer(rest)]
    first = PROGRAM.match(rest.lstrip())
    named += [first[0]] if first is not None else []
    inner = [(scripts or {}).get(PurePath(script).name) for script in named]
    return any(body is None or may_set_unread_settings(body, files) for body in inner)


def note_unread_command(
    part: Part,
    path: str,
    name: str,
    container: Tree,
    files: Sequence[str] = (),
    scripts: Mapping[str, str] | None = None,
) -> None:
    """The finding that a command may set what is not read (`may_set_unread_settings`)."""
    for text, origin in _command_texts(path, container):
        if may_set_unread_settings(text, files, scripts):
            what = f"the command of {name} starts Kafka by itself or changes its settings, and that was not read"
            part.note("incomplete", "error", what, origin, GIVE)
            return


GIVE = "give the server.properties that its container runs with, instead of this file"


def note_hooks(
    part: Part, path: str, name: str, container: Tree, files: Sequence[str], scripts: Mapping[str, str]
) -> None:
    """The finding that a hook of a container's start or stop may set what is not read."""
    for hook in ("postStart", "preStop"):
        found = container.get("lifecycle", hook, "exec", "command")
        text = " ".join(leaf.value for leaf in found.leaves()) if found is not None else ""
        if found is not None and may_set_unread_settings(text, files, scripts):
            what = f"the {hook} hook of {name} may change Kafka's settings, and that was not read"
            part.note("incomplete", "error", what, Origin(path, found.line, f"lifecycle.{hook}"), GIVE)


def note_init_containers(part: Part, path: str, name: str, container: Tree, scripts: Mapping[str, str]) -> None:
    """The finding that a container which runs before the broker may write its settings."""
    texts = [text for text, _ in _command_texts(path, container)]
    if not texts or any(may_set_unread_settings(text, (), scripts) for text in texts):
        what = f"init container {name} may write Kafka's settings, and what it runs was not read"
        part.note("incomplete", "error", what, Origin(path, container.line, f"initContainers.{name}"), GIVE)


def read_command_topics(part: Part, path: str, container: Tree) -> None:
    """The topics that a container's command creates, and the finding that it alters what brokers or topics have."""
    for text, origin in _command_texts(path, container):
        created_topics.read_topics_of_command(part, text, origin)
        if ALTERS.search(text):
            what = "a command alters settings of brokers or topics, and what it sets was not read"
            part.note("incomplete", "error", what, origin, "give what `kafka-configs.sh --describe` prints, too")


IDS = re.compile(r"\bKAFKA_(CFG_)?(BROKER|NODE)_ID=")
"""Where a command gives its node an id."""


def container_text(container: Tree) -> str:
    """All that a container runs as one text; "" where the image alone says it."""
    return next((text for text, _ in _command_texts("", container)), "")


def _command_texts(path: str, container: Tree) -> Iterator[tuple[str, Origin]]:
    """All that a container runs as one text, at the line where it begins; nothing where the image alone says it."""
    stated = [found for key in KEYS if (found := container.get(key)) is not None]
    words = [leaf.value for part in stated for leaf in part.leaves()]
    if words:
        yield " ".join(words), Origin(stated[0].file or path, stated[0].line, ".".join(stated[0].path))
