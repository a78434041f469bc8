"""Which of Spring's profiles are active: as `SPRING_PROFILES_ACTIVE` of the services or containers that have it says,
if they agree, or `audit.toml`, which is stronger.

What is in force then: documents in the order of the file, and over them the files of the profiles, the last one that is
active over the others (Spring Boot reference, Profile Specific Files; `last wins`). Profiles that are included come
before those that are active. An expression (`prod & eu`) and groups of profiles are not read, and stay open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from ....language.immutable import immutable
from ...cluster.cluster import Client
from ...cluster.statements import CLOUD, ENVIRONMENT, GROUPED, INCLUDED, Origin, Setting
from ..parsed_file import Part

VARIABLE = "SPRING_PROFILES_ACTIVE"
BY_ARGUMENT = "spring.profiles"
"""What an argument, or an option of the Java machine, has that replaces the variable."""
STATED, SAID = "spring_profiles", "spring_profiles_said"
"""Facts: of services and containers, and of audit.toml."""

_OF_PROFILE = re.compile(r"(application)-([A-Za-z0-9_.\-]+?)(\.ya?ml|\.properties)")


@immutable
class ActiveProfiles:
    """The profiles that are active, in order, and where that is stated."""

    names: tuple[str, ...]
    origin: Origin

    @property
    def assumption_text(self) -> str:
        """The assumption: that what states them is about this application."""
        return f"the application with Spring Boot runs with the profiles {', '.join(self.names)} ({self.origin})"


def note_active_profiles(part: Part, variables: Sequence[tuple[str, str, Origin]], command: str) -> None:
    """Keeps what the variables of a service or container state; an argument that replaces them leaves it open."""
    for variable, value, where in variables:
        if variable == VARIABLE:
            replaced = BY_ARGUMENT in command or any(BY_ARGUMENT in text for _, text, _ in variables)
            part.fact(STATED, "" if replaced else value, where)


def active_profiles(parts: Sequence[Part]) -> ActiveProfiles | None:
    """The profiles that are active; None where nothing says, or services differ."""
    said = [fact for part in parts for fact in part.facts.get(SAID, ())]
    stated = [fact for part in parts for fact in part.facts.get(STATED, ())]
    if not said and len({fact.value for fact in stated}) != 1:
        return None
    fact = (said or stated)[0]
    names = tuple(name.strip() for name in fact.value.split(","))
    if not all(re.fullmatch(r"[A-Za-z0-9_.\-]+", name) for name in names):
        return None
    return ActiveProfiles(names, fact.origin)


def activate_profiles(client: Client, active: ActiveProfiles | None) -> Client:
    """A client with what is in force while these profiles are active, and without what is not."""
    if (
        active is None
        or any(setting.key == GROUPED for setting in client.settings)
        or profile_of_path(client.origin.path)
    ):
        return client
    included = [s.value for s in client.settings if s.key == INCLUDED and not s.when]
    names = [name.strip() for text in included for name in text.split(",")]
    every = tuple(dict.fromkeys((*(name for name in names if name not in active.names), *active.names)))
    kept = [setting for setting in client.settings if _is_in_force(setting, every) is not False]
    kept.sort(key=lambda setting: _profile_strength(setting, every))
    return replace(client, settings=tuple(replace(s, when="") if _is_in_force(s, every) else s for s in kept))


def _is_in_force(setting: Setting, active: Sequence[str]) -> bool | None:
    """Whether a setting is in force with these profiles; None where that is open."""
    if not setting.when:
        return True
    words = [word.strip() for word in setting.when.split(",")]
    plain = all(re.fullmatch(r"!?[A-Za-z0-9_.\-]+", word) for word in words)
    if setting.when.startswith((ENVIRONMENT, CLOUD)) or not plain:
        return None
    return any((word.removeprefix("!") in active) is not word.startswith("!") for word in words)


def _profile_strength(setting: Setting, active: Sequence[str]) -> int:
    """The files of profiles are stronger than the others, each more than those that are active before it."""
    profile = profile_of_path(setting.origin.path)
    return active.index(profile) + 1 if profile in active else 0


def profile_of_path(path: str) -> str:
    """`prod` of `application-prod.yml`; "" of a file of no profile."""
    found = _OF_PROFILE.fullmatch(PurePath(path).name)
    return "" if found is None else found[2]
