"""Spring's profiles: documents and files that are in force only while a profile is active.

A document with `spring.config.activate.on-profile` (before 2.4 `spring.profiles`) applies with that profile alone, and
so does the file `application-PROFILE.yml` beside `application.yml` (Spring Boot reference, Externalized Configuration).
Which profiles are active is said where the application starts, and not in its files for certain: what they state as
`spring.profiles.active` is a default that a variable or an argument replaces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from ..cluster import ENVIRONMENT, Client, Origin, Setting
from .parsed_file import Part
from .yamls import Tree

ACTIVATION = ("spring.config.activate.on-profile", "spring.config.activate.onProfile", "spring.profiles")
SEPARATOR = re.compile(r"[#!]---\s*")
"""A line between two documents of a properties file, since Spring Boot 2.4."""

_OF_PROFILE = re.compile(r"(application)-([A-Za-z0-9_.\-]+?)(\.ya?ml|\.properties)")


def of_document(path: str, tree: Tree) -> list[Setting]:
    """The settings of Kafka in one document of an `application.yml`."""
    named = [(".".join(leaf.path), leaf) for leaf in tree.leaves()]
    words = [leaf.value for name, leaf in named if re.sub(r"\.\d+$", "", name) in ACTIVATION]
    return [
        Setting(name, leaf.value, Origin(path, leaf.line, name), ", ".join(words))
        for name, leaf in named
        if name.startswith("spring.kafka.")
    ]


def of_lines(settings: Sequence[Setting], text: str) -> list[Setting]:
    """The settings of an `application.properties`, each with the profile of its document."""
    ends = [number for number, line in enumerate(text.splitlines(), 1) if SEPARATOR.fullmatch(line)]
    document = [sum(end < (each.origin.line or 0) for end in ends) for each in settings]
    of = {place: each.value for place, each in zip(document, settings, strict=True) if each.key in ACTIVATION}
    return [replace(each, when=of.get(place, "")) for place, each in zip(document, settings, strict=True)]


def together(parts: Sequence[Part]) -> None:
    """Puts `application-PROFILE` and `application` of one folder together. The latter says what holds with each of its
    profiles; the former, if `audit.toml` names it, what holds with its own."""
    clients = [client for part in parts for client in part.clients]
    bases = {(str(where.parent), each.kind): each for each in clients if (where := _path(each)).stem == "application"}
    for part in parts:
        part.clients = [_whole(each, bases, clients) for each in part.clients]
        part.clients = [_in_environments(each, clients) for each in part.clients]


def _in_environments(client: Client, clients: Sequence[Client]) -> Client:
    """With what services set by variables, which are stronger than files: whose application it is, nothing says."""
    if not _path(client).stem.startswith("application"):
        return client
    services = [each for each in clients if each.kind == client.kind and each.name != _path(each).name]
    spring = [each for each in services if each.family is not None and each.family.value == "spring"]
    more = [replace(s, when=f"{ENVIRONMENT}{each.name}") for each in spring for s in each.settings]
    return replace(client, settings=(*client.settings, *more))


def _whole(client: Client, bases: dict[tuple[str, str], Client], clients: Sequence[Client]) -> Client:
    folder = str(_path(client).parent)
    base, own = bases.get((folder, client.kind)), _profile(client)
    if base is None:
        return client
    if own:
        return replace(client, settings=(*base.settings, *client.settings), embedded=True)
    if base is not client:
        return client
    beside = [each for each in clients if each.kind == client.kind and str(_path(each).parent) == folder]
    more = [replace(s, when=_profile(each)) for each in beside if _profile(each) for s in each.settings]
    return replace(client, settings=(*client.settings, *more))


def _path(client: Client) -> PurePath:
    return PurePath(client.origin.path)


def _profile(client: Client) -> str:
    found = _OF_PROFILE.fullmatch(_path(client).name)
    return "" if found is None else found[2]
