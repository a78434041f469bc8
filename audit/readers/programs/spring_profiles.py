"""Spring's profiles: documents and files that are in force only while a profile is active.

A document with `spring.config.activate.on-profile` (before 2.4 `spring.profiles`) applies with that profile alone, one
with `spring.config.activate.on-cloud-platform` on that platform alone, and the file `application-PROFILE.yml` beside
`application.yml` with its profile. Of two files of one name in one folder, properties are stronger than YAML (Spring
Boot reference, Externalized Configuration). Which profiles are active is said where the application starts
(audit/startup/), and not in its files for certain: what they state as `spring.profiles.active` is a default that a
variable or an argument replaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Literal

from ...cluster.cluster import Client
from ...cluster.statements import CLOUD, ENVIRONMENT, GROUPED, IMPORTED, INCLUDED, Origin, Setting, StatedValue
from ...kafka import key_names
from ...kafka.advised_names import REMOVE, loses_records
from ..parsed_file import Part
from ..yamls import Tree
from . import spring_names
from .active_profiles import activate_profiles, active_profiles, profile_of_path

ACTIVATION = ("spring.config.activate.on-profile", "spring.config.activate.onProfile", "spring.profiles")
ON_CLOUD = ("spring.config.activate.on-cloud-platform", "spring.config.activate.onCloudPlatform")
IMPORT, INCLUDE = (re.compile(re.escape(name) + r"(\.\d+|\[\d+\])?") for name in (IMPORTED, INCLUDED))
IN_FORCE = "give the values that are in force as a file of the producer's, and name it in audit.toml"
EXTERNAL = "docs.spring.io, Spring Boot, Externalized Configuration"
WEAKER_FIRST = (".yaml", ".yml", ".properties")
"""The order in which Spring Boot reads files of one name: a later one replaces what an earlier one sets."""

SEPARATOR = re.compile(r"[#!]---\s*")
"""A line between two documents of a properties file, since Spring Boot 2.4."""


def spring_document_settings(path: str, tree: Tree) -> list[Setting]:
    """The settings of Kafka in one document of an `application.yml`."""
    named = [(spring_names.documented_spelling(".".join(leaf.path)), leaf) for leaf in tree.leaves()]
    when = _activation_condition([(re.sub(r"\.\d+$", "", name), leaf.value) for name, leaf in named])
    return [
        Setting(name, leaf.typed_text, Origin(path, leaf.line, name), when)
        for name, leaf in named
        if name.startswith(("spring.kafka.", f"{GROUPED}.")) or IMPORT.fullmatch(name) or INCLUDE.fullmatch(name)
    ]


def application_wide_settings(settings: Sequence[Setting]) -> list[Setting]:
    """What is not about one client and counts for all: that configuration is imported, and which profiles are included.
    What is imported is not kept, since an address may hold a secret."""
    imports = [replace(setting, key=IMPORTED, value="") for setting in settings if IMPORT.fullmatch(setting.key)]
    groups = [replace(setting, key=GROUPED, value="") for setting in settings if setting.key.startswith(f"{GROUPED}.")]
    return [*imports, *groups, *(replace(s, key=INCLUDED) for s in settings if INCLUDE.fullmatch(s.key))]


def settle_includes(client: Client) -> Client:
    """With what included profiles set as in force: they are, whichever are active (`spring.profiles.include`)."""
    named = [setting for setting in client.settings if setting.key == INCLUDED and not setting.when]
    included = {name.strip() for setting in named for name in setting.value.split(",")}
    if not included:
        return client
    whole = (replace(setting, when="") if setting.when in included else setting for setting in client.settings)
    return replace(client, settings=tuple(whole))


def spring_line_settings(settings: Sequence[Setting], text: str) -> list[Setting]:
    """The settings of an `application.properties`, each with the profile of its document."""
    ends = [number for number, line in enumerate(text.splitlines(), 1) if SEPARATOR.fullmatch(line)]
    document = [sum(end < (setting.origin.line or 0) for end in ends) for setting in settings]
    stated: dict[int, list[tuple[str, str]]] = {}
    for place, setting in zip(document, settings, strict=True):
        stated.setdefault(place, []).append((spring_names.documented_spelling(setting.key), setting.value))
    of = {place: _activation_condition(pairs) for place, pairs in stated.items()}
    return [replace(setting, when=of[place]) for place, setting in zip(document, settings, strict=True)]


def _activation_condition(conditions: Sequence[tuple[str, str]]) -> str:
    """What a document says of when it is in force, as `Setting.when`."""
    profiles = ", ".join(value for key, value in conditions if key in ACTIVATION)
    platforms = ", ".join(value for key, value in conditions if key in ON_CLOUD)
    if not platforms:
        return profiles
    return f"{CLOUD}{platforms}" + (f" and the profile {profiles}" if profiles else "")


def apply_profiles(parts: Sequence[Part]) -> None:
    """Puts `application-PROFILE` and `application` of one folder together. The latter says what holds with each of its
    profiles; the former, if `audit.toml` names it, what holds with its own."""
    given = [client for part in parts for client in part.clients]
    for part in parts:
        part.clients = [_merge_formats(client, given) for client in part.clients]
    clients = [client for part in parts for client in part.clients]
    bases = {
        (str(where.parent), client.kind): client
        for client in clients
        if (where := _client_path(client)).stem == "application"
    }
    active = active_profiles(parts)
    for part in parts:
        part.clients = [_client_with_base(client, bases, clients) for client in part.clients]
        if active is not None and any(_is_spring_client(client) for client in part.clients):
            part.assumptions.append(active.assumption_text)
        part.clients = [
            _rank_settings(
                _add_environments(
                    settle_includes(activate_profiles(client, active) if _is_spring_client(client) else client), clients
                )
            )
            for client in part.clients
        ]


def _rank_settings(client: Client) -> Client:
    """In Spring's order: what a client's own settings say is stronger than what is common, in whatever file."""
    of_spring = client.family is not None and client.family.value == "spring"
    return (
        replace(client, settings=tuple(sorted(client.settings, key=spring_names.strength_rank)))
        if of_spring
        else client
    )


def _merge_formats(client: Client, clients: Sequence[Client]) -> Client:
    """With what files of its name and folder say in another format: Spring Boot reads them all."""
    path = _client_path(client)
    if path.stem != "application" and not profile_of_path(client.origin.path):
        return client
    alike = [other for other in clients if _is_spring_client(other) and other.kind == client.kind]
    mine = [other for other in alike if _client_path(other).with_suffix("") == path.with_suffix("")]
    if not _is_spring_client(client) or len(mine) < 2:
        return client
    mine.sort(key=lambda other: WEAKER_FIRST.index(_client_path(other).suffix))
    return replace(client, settings=tuple(setting for other in mine for setting in other.settings))


def _is_spring_client(client: Client) -> bool:
    return client.family is not None and client.family.value == "spring" and _client_path(client).suffix in WEAKER_FIRST


def _add_environments(client: Client, clients: Sequence[Client]) -> Client:
    """With what services set by variables, which are stronger than files: whose application it is, nothing says."""
    if not _client_path(client).stem.startswith("application"):
        return client
    services = [other for other in clients if other.kind == client.kind and other.name != _client_path(other).name]
    spring_clients = [
        service for service in services if service.family is not None and service.family.value == "spring"
    ]
    more = [replace(s, when=f"{ENVIRONMENT}{service.name}") for service in spring_clients for s in service.settings]
    return replace(client, settings=(*client.settings, *more))


def _client_with_base(client: Client, bases: dict[tuple[str, str], Client], clients: Sequence[Client]) -> Client:
    folder = str(_client_path(client).parent)
    base, own = bases.get((folder, client.kind)), profile_of_path(client.origin.path)
    if base is None:
        return client
    if own:
        return replace(client, settings=(*base.settings, *client.settings), is_embedded=True)
    if _client_path(client).stem != "application":
        return client
    beside = [other for other in clients if other.kind == client.kind and str(_client_path(other).parent) == folder]
    of_profiles = [(profile, other) for other in beside if (profile := profile_of_path(other.origin.path))]
    more = [
        replace(s, when=f"{profile} & {s.when}" if s.when else profile)
        for profile, other in of_profiles
        for s in other.settings
    ]
    return replace(client, settings=(*client.settings, *more))


def _client_path(client: Client) -> PurePath:
    return PurePath(client.origin.path)


UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "": 1}


def part_of_spring_settings(path: str, spring_settings: Sequence[Setting], *, whole: bool = True) -> Part:
    """Spring Boot's `spring.kafka.producer.*` and `spring.kafka.consumer.*`, and the properties of both, which make a
    client where they are a producer's, or a consumer's. `whole`: where nothing is, the application has both."""
    part = Part("Spring Boot properties")
    settings = [replace(setting, key=spring_names.documented_spelling(setting.key)) for setting in spring_settings]
    kinds = _client_kinds(settings, whole=whole)
    settings = list(_bound_settings(settings, part))
    for kind in kinds:
        mine = [_kafka_setting(setting, kind) for setting in settings if _setting_prefix(setting.key, kind) is not None]
        mine.sort(key=spring_names.strength_rank)
        origin = Origin(path)
        where = mine[0].origin if mine else origin
        family = StatedValue("spring", where, "Spring's client is the Java client with defaults of its own")
        every = (*mine, *application_wide_settings(settings))
        part.clients.append(Client(PurePath(path).name, kind, origin, family, None, every))
    for setting in settings if part.clients else ():
        if IMPORT.fullmatch(setting.key):
            what = f"`{setting.key}` names configuration that replaces what this file sets, and it was not read"
            part.note("incomplete", "error", what, setting.origin, IN_FORCE, EXTERNAL)
    streams = next((setting for setting in settings if setting.key.startswith("spring.kafka.streams.")), None)
    if streams is not None:
        what = f"`{streams.key}` sets up Kafka Streams, whose settings in Spring's files are not read"
        part.note("incomplete", "error", what, streams.origin, IN_FORCE, EXTERNAL)
    return part


def _bound_settings(settings: Sequence[Setting], part: Part) -> Iterator[Setting]:
    """The settings without those that Spring Boot binds to nothing, each of which is named."""
    for setting in settings:
        own = re.match(r"spring\.kafka\.(producer|consumer)\.(?!properties[.\[])(.+)", setting.key)
        if own is None or spring_names.is_bound(own[2], own[1]):
            yield setting
            continue
        what = (
            f"`{setting.key}` has no effect: Spring Boot has no such setting, and what an application reads itself is "
            "not known here"
        )
        to_do = f"remove it, or, if it is meant, write Kafka's own name below spring.kafka.{own[1]}.properties"
        to_do = (
            REMOVE
            if loses_records(spring_names.documented_spelling(own[2]).replace("-", "."), setting.value)
            else to_do
        )
        part.note("unknown_key", "warning", what, setting.origin, to_do, "Spring Boot, KafkaProperties")


KINDS: tuple[Literal["producer", "consumer"], ...] = ("producer", "consumer")


def _client_kinds(settings: Sequence[Setting], *, whole: bool) -> Sequence[Literal["producer", "consumer"]]:
    """Which clients an application has: those with settings of their own, and those that common settings are about."""
    own = {kind for kind in KINDS if any(setting.key.startswith(f"spring.kafka.{kind}.") for setting in settings)}
    common = {_kafka_setting(s, "").key for s in settings if _setting_prefix(s.key, "") is not None}
    every = key_names.names_by_scope()
    for kind, other in (KINDS, KINDS[::-1]):
        own |= {kind} if common & (every[kind] - every[other]) else set()
    if not own and whole and any(setting.key.startswith("spring.kafka.") for setting in settings):
        streams = all(re.match(r"spring\.kafka\.(streams|admin)\.", s.key) for s in settings if "kafka" in s.key)
        return () if streams else KINDS
    return tuple(kind for kind in KINDS if kind in own)


def _setting_prefix(key: str, kind: str) -> str | None:
    """What stands before the name of Kafka's in a setting of this kind of clients, or of all."""
    base = f"spring.kafka.{kind}." if kind else "spring.kafka.properties."
    every = (f"{base}properties.", f"{base}properties[", base, "spring.kafka.properties.", "spring.kafka.properties[")
    return next((prefix for prefix in every if key.startswith(prefix)), None)


def _kafka_setting(setting: Setting, kind: str) -> Setting:
    prefix = _setting_prefix(setting.key, kind) or ""
    name, origin = setting.key[len(prefix) :], setting.origin
    if not spring_names.PLACED.search(origin.place):
        origin = replace(origin, place=setting.key)
    if "properties" in prefix:
        return replace(setting, key=name.strip("[]"), origin=origin)
    key, value = spring_names.kafka_name(name), setting.value
    length = re.fullmatch(r"(\d{1,12})\s*(ms|s|m|h|d|)", value)
    if key.endswith(".ms") and length:
        value = str(int(length[1]) * UNITS[length[2]])
    if key == "isolation.level":
        value = value.lower().replace("-", "_")
    return replace(setting, key=key, value=value, origin=origin)
