"""Spring's clients in containers: by variables, and by the arguments of their commands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ...cluster.statements import Origin, Setting
from ..parsed_file import Part
from ..programs import frameworks, spring_names, spring_profiles
from ..yamls import Tree

SPRING = "SPRING_KAFKA_"
"""Variables that Spring Boot takes for `spring.kafka.*`, stronger than its files (Externalized Configuration)."""


def command_texts(tree: Tree) -> list[str]:
    """Every text of a command, be it one or a list."""
    return [tree.text() or "", *(leaf.value for leaf in tree.leaves())]


def read_spring_application(
    part: Part,
    path: str,
    name: str,
    variables: Sequence[tuple[str, str, Origin]],
    texts: Sequence[tuple[str, Origin]] = (),
) -> None:
    """The clients of an application with Spring Boot, by its variables and by its arguments, also those that variables
    hand to the Java machine; `name` is that of its service or container, `texts` are of its command."""
    mine = [Setting(spring_key(v), value, where) for v, value, where in variables if v.upper().startswith(SPRING)]
    mine += [replace(s, key=spring_names.documented_spelling(s.key)) for s in _dotted_settings(variables)]
    mine += spring_names.settings_of_arguments([*texts, *((value, where) for _, value, where in variables)])
    frameworks.note_unread_clients(part, name, variables)
    about = [setting for setting in mine if setting.key.startswith("spring.kafka.")]
    if about:
        made = spring_profiles.part_of_spring_settings(path, about, whole=False)
        part.clients += [replace(client, name=name) for client in made.clients]
        part.findings += made.findings
    elsewhere = [(v, where) for v, _, where in variables if v.upper() in ELSEWHERE]
    elsewhere += [(s.key, s.origin) for s in mine if re.match(r"spring\.(application\.json|config\.)", s.key)]
    for variable, where in elsewhere:
        what = f"`{variable}` of {name} names configuration that replaces what files set, and it was not read"
        part.note("incomplete", "error", what, where, spring_profiles.IN_FORCE, spring_profiles.EXTERNAL)


def _dotted_settings(variables: Sequence[tuple[str, str, Origin]]) -> list[Setting]:
    """Variables with dots in their names, which are taken as they are."""
    return [Setting(v, value, where) for v, value, where in variables if v.lower().startswith("spring.")]


ELSEWHERE = frozenset({
    "SPRING_APPLICATION_JSON", "SPRING_CONFIG_IMPORT", "SPRING_CONFIG_LOCATION", "SPRING_CONFIG_ADDITIONAL_LOCATION",
})  # fmt: skip
"""Variables by which an application of Spring's takes configuration from elsewhere."""


def spring_key(variable: str) -> str:
    """`spring.kafka.producer.acks` of `SPRING_KAFKA_PRODUCER_ACKS`; below `properties` each `_` is a dot of Kafka's."""
    words = variable[len(SPRING) :].lower().split("_")
    kind = words[0] if words[0] in ("producer", "consumer") else ""
    rest = words[1:] if kind else words
    text = f"properties.{'.'.join(rest[1:])}" if rest[:1] == ["properties"] else "-".join(rest)
    return ".".join(filter(None, ("spring.kafka", kind, text)))
