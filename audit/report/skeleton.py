"""What `tidegate audit --init` writes: an audit.toml in which everything is a comment, made of what was read. Whoever
takes the mark from a line that begins with `#` and no space states what the audit assumes anyway, and can change it.

    text = audit_toml_skeleton(cluster, subjects(cluster), ["standard"])
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from ...language.immutable import immutable
from ..answers.requirements import PRESETS
from ..cluster.cluster import Cluster, Topic
from ..questions.signature import Subject

MOST_IN_PATTERN = 8
"""Names that one pattern lists; more of them are several entries."""
_SEPARATORS = re.compile(r"[._-]")
_LEGAL = re.compile(r"[A-Za-z0-9._-]+")
"""What Kafka takes as a topic's name (`Topic.LEGAL_CHARS`)."""
_WIDTH = 100


@immutable
class TopicGroup:
    """Topics that are alike, with all who write them and what is required of them."""

    topics: tuple[Topic, ...]
    producers: tuple[str, ...]
    requirements: tuple[str, ...]


def audit_toml_skeleton(cluster: Cluster, subjects: Sequence[Subject], requirements: Sequence[str]) -> str:
    """The file's text. `requirements` is what is asked of all topics, as `require` takes it."""
    every = {topic.name for topic in cluster.topics}
    parts = [list(_heading_lines(requirements)), list(_client_lines(cluster))]
    for group in _topic_groups(subjects):
        for pattern, names in topic_patterns([topic.name for topic in group.topics], every):
            parts.append(list(_topic_entry_lines(pattern, names, group, cluster, requirements)))
    if len(parts) == 2:
        parts.append(
            [
                *_comment_lines("No topic was read. An entry is such as this one."),
                *_comment_lines('[topic."payments.*"]'),
                *_comment_lines(f"require = {_toml_value_text(requirements)}"),
            ]
        )
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _topic_groups(subjects: Iterable[Subject]) -> Iterator[TopicGroup]:
    """Users' topics, those together that are in the same subjects: a topic with two producers is in two."""
    of: dict[str, list[Subject]] = {}
    known: dict[str, Topic] = {}
    for subject in subjects:
        for topic in () if subject.is_internal or subject.is_planned else subject.topics:
            of.setdefault(topic.name, []).append(subject)
            known[topic.name] = topic
    alike: dict[tuple[int, ...], list[str]] = {}
    for name, those in of.items():
        alike.setdefault(tuple(map(id, those)), []).append(name)
    for names in alike.values():
        those = of[names[0]]
        producers = tuple(one.producer.name for one in those if one.producer is not None)
        yield TopicGroup(tuple(known[name] for name in names), producers, those[0].requirements)


def topic_patterns(names: Sequence[str], every: Iterable[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Regular expressions that match these topics, and no others of `every`, each with those that it matches: what
    begins alike up to a separator is one, where all topics that begin so are among them."""
    mine, left = set(names), list(names)
    others = [name for name in every if name not in mine]
    begins: dict[str, list[str]] = {}
    for name in names:
        found = _SEPARATORS.search(name, 1)
        if found is not None:
            begins.setdefault(name[: found.end()], []).append(name)
    for begin, alike in begins.items():
        if len(alike) > 1 and not any(other.startswith(begin) for other in others):
            yield f"{_escape_topic_name(begin)}.*", alike
            left = [name for name in left if not name.startswith(begin)]
    for at in range(0, len(left), MOST_IN_PATTERN):
        some = left[at : at + MOST_IN_PATTERN]
        yield "|".join(map(_escape_topic_name, some)), some


def _escape_topic_name(name: str) -> str:
    return name.replace(".", r"\.") if _LEGAL.fullmatch(name) else re.escape(name)


def _heading_lines(requirements: Sequence[str]) -> Iterator[str]:
    yield from _comment_lines(
        "What files and brokers do not say of this cluster, for `tidegate audit`. Everything is a comment, so that it "
        "changes nothing. A line with # and no space after it states what the audit takes for granted now: take the # "
        "away, and change it. The name in quotes is a regular expression that whole names of topics match. An entry of "
        "a topic's own name is stronger than patterns, and of several patterns all count."
    )
    yield "#"
    yield from _comment_lines(
        "`require` is what must hold of an entry's topics: a preset, QUESTION=FAULT@SITUATION such as "
        f"no-loss=power-loss@one, or a list of these. Of all other topics {', '.join(requirements)} is required, or "
        "what --require says. Presets:"
    )
    for preset in PRESETS.values():
        says = f"{preset.name}: {preset.says}"
        yield from textwrap.wrap(says, _WIDTH, initial_indent="#   ", subsequent_indent="#     ")


def _client_lines(cluster: Cluster) -> Iterator[str]:
    """The files that an entry may name."""
    kinds: tuple[Literal["producer", "consumer"], ...] = ("producer", "consumer")
    for kind in kinds:
        names = list(dict.fromkeys(client.name for client in cluster.clients if client.kind == kind))
        yield from _comment_lines(
            f"{kind}s that were read: {', '.join(names)}" if names else f"no {kind}'s file was read"
        )


def _topic_entry_lines(
    pattern: str, names: Sequence[str], group: TopicGroup, cluster: Cluster, required_names: Sequence[str]
) -> Iterator[str]:
    if len(names) > 1:
        yield from _comment_lines(f"{len(names):,} topics that are alike: {_names_text(names)}")
    quoted = f"'{pattern}'" if "\\" in pattern and "'" not in pattern else json.dumps(pattern)
    yield f"#[topic.{quoted}]"
    yield f"#require = {_toml_value_text(group.requirements or required_names)}"
    use = cluster.use_of(names[0])
    if group.producers:
        yield f"#producer = {_toml_value_text(group.producers)}"
    elif not group.topics[0].is_made_by_program:  # else a program writes it, as its own file says
        yield '# producer = "FILE.properties" would say who writes it'
    if use is not None and use.consumers:
        yield f"#consumer = {_toml_value_text(use.consumers)}"
    else:
        yield '# consumer = "FILE.properties" would say who reads it'
    if use is not None and use.critical:
        yield "#critical = true"


def _names_text(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_IN_PATTERN:,} more" if len(names) > MOST_IN_PATTERN else ""
    return f"{', '.join(names[:MOST_IN_PATTERN])}{more}"


def _toml_value_text(texts: Sequence[str]) -> str:
    """One text, or a list of them."""
    listed = [json.dumps(text, ensure_ascii=False) for text in texts]
    return listed[0] if len(listed) == 1 else f"[{', '.join(listed)}]"


def _comment_lines(text: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False, break_long_words=False
    )
