"""Clusters that never run together and lie in one folder: `dev/` and `prod/`, `kafka-dev.yaml` and `kafka-prod.yaml`.
They are known by the words of environments in the names of folders and files, where each has brokers or topics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from ...language.immutable import immutable
from ..cluster.statements import Unread
from .kinds import CONFIG_HEAD, OF_BROKERS, TOPIC_LINE
from .texts import InputText

_SPELLINGS = {
    "dev": "dev devel develop development", "test": "test tst testing", "qa": "qa", "int": "int integration",
    "uat": "uat acceptance acc", "stage": "stage stg staging preprod preproduction pre-prod nonprod non-prod",
    "prod": "prod prd production live", "local": "local", "sandbox": "sandbox sbx", "demo": "demo", "perf": "perf",
}  # fmt: skip
WORDS = {spelling: word for word, spellings in _SPELLINGS.items() for spelling in spellings.split()}
"""What environments are called, and the word that stands for all spellings of one."""

_OF_CLUSTERS = re.compile(
    r"kind[\"']?:\s*[\"']?(Kafka|KafkaNodePool|KafkaTopic)\b|"
    r"\bKAFKA_(CFG_)?(BROKER_ID|NODE_ID|PROCESS_ROLES|ZOOKEEPER_CONNECT|CONTROLLER_QUORUM_\w+)\b"
)
"""What states brokers or topics, beside settings and what Kafka's tools print."""

_OF_PROGRAMS = ("application", "bootstrap")
"""What files of Spring begin with that have a profile's name: they are of one program, which reads several."""


@immutable
class Environment:
    """Files of one cluster among several: `name` is its word, "" where there is but one."""

    name: str
    texts: tuple[InputText, ...]
    unread: tuple[Unread, ...]


def split_environments(texts: Sequence[InputText], unread: Sequence[Unread]) -> list[Environment]:
    """The files of each environment, those that are of none with each; all of them as one where there are not two with
    a cluster. What the user named is of every environment."""
    paths = [*(path for path, _, named in texts if not named), *(left.path for left in unread)]
    of = _environment_of_paths(paths)
    stated = sorted({of[path] for path, text, named in texts if not named and path in of and states_cluster(text)})
    if len(stated) < 2:
        return [Environment("", tuple(texts), tuple(unread))]
    named = {path for path, _, by_name in texts if by_name}
    return [
        Environment(
            name,
            tuple(text for text in texts if text[0] in named or of.get(text[0], name) == name),
            tuple(left for left in unread if of.get(left.path, name) == name),
        )
        for name in stated
    ]


def states_cluster(text: str) -> bool:
    """Whether a text states brokers or topics."""
    return any(pattern.search(text) for pattern in (OF_BROKERS, TOPIC_LINE, CONFIG_HEAD, _OF_CLUSTERS))


def exclude_other_groups(environment: Environment, groups: Sequence[tuple[str, frozenset[str]]]) -> list[Environment]:
    """The same files once for each group, without those of the other groups."""
    made: list[Environment] = []
    for name, own in groups:
        others = frozenset(path for _, paths in groups for path in paths) - own
        kept = tuple(text for text in environment.texts if text[0] not in others)
        called = f"{environment.name}: {name}" if environment.name else name
        made.append(Environment(called, kept, tuple(left for left in environment.unread if left.path not in others)))
    return made


def _environment_of_paths(paths: Iterable[str]) -> dict[str, str]:
    """The environment of each path that has one: by its outermost part for which there are others of other words."""
    places: dict[tuple[str, ...], set[str]] = {}
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for path in paths:
        for place, word in _environment_words_of_path(path):
            places.setdefault(place, set()).add(word)
            found.setdefault(path, []).append((place, word))
    apart = ((path, [word for place, word in words if len(places[place]) > 1]) for path, words in found.items())
    return {path: words[0] for path, words in apart if words}


def _environment_words_of_path(path: str) -> Iterable[tuple[tuple[str, ...], str]]:
    """The words of environments in a path, each with the names down to there in which a star stands for it."""
    above: tuple[str, ...] = ()
    for part in PurePath(path).parts:
        if part.startswith(_OF_PROGRAMS):
            return
        tokens = re.split(r"([._\-]|(?<=[a-z])(?=\d))", part)
        known = [number for number, token in enumerate(tokens) if token.lower() in WORDS]
        if len(known) == 1:
            (place,) = known
            starred = "".join([*tokens[:place], "*", *tokens[place + 1 :]])
            yield (*above, starred), WORDS[tokens[place].lower()]
        above = (*above, part)
