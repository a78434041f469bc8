"""Which services of a compose file are started: by their `scale`, `deploy.replicas` and `profiles` (Compose
Specification, services and profiles)."""

from __future__ import annotations

from collections.abc import Sequence

from ...cluster.statements import Origin
from ..parsed_file import Part
from ..yamls import Tree

Named = tuple[str, Tree]
"""A service with its name."""


def services_running(part: Part, path: str, services: Sequence[Named]) -> list[Named]:
    """The brokers' services but for those that are scaled to 0; what is not known of the others is noted in `part`.

    A service with a profile counts: that the profile is active is an assumption where every service has it, and leaves
    the audit undecided where only some have it.
    """
    found = [service for service in services if _may_run_container(part, path, *service)]
    _note_assumed_profiles(part, path, found)
    return found


def _may_run_container(part: Part, path: str, name: str, service: Tree) -> bool:
    """Whether at least one container of a service is started, or may be."""
    for keys in (("scale",), ("deploy", "replicas")):
        written, place = service.text(*keys), service.get(*keys)
        if place is None or written in (None, "1"):
            continue
        key, none = ".".join(keys), written == "0"
        what = (
            f"`{key}: 0` of service {name}: no container of it is started, and it counts as no broker"
            if none
            else f"`{key}` of service {name} is not 1: how many containers have this one node id is not read"
        )
        to_do = f"remove `{key}`, or take the service out of {path} and out of the voters"
        part.note("incomplete", "error", what, Origin(place.file or path, place.line, f"services.{name}.{key}"), to_do)
        if none:
            return False
    return True


def _note_assumed_profiles(part: Part, path: str, services: Sequence[Named]) -> None:
    """What is assumed of profiles, or not known: nothing in a compose file says which profiles are active."""
    of_each = [_profiles_of_service(service) for _, service in services]
    if not any(of_each):
        return
    if shared := set[str].intersection(*of_each):
        part.assumptions.append(f"{path} is started with `--profile {min(shared)}`, which its brokers need")
        return
    name, service = next(named_service for named_service, mine in zip(services, of_each, strict=True) if mine)
    place = service.get("profiles") or service
    what = f"service {name} starts only with a profile that not every broker has, and no file says which are active"
    to_do = "remove `profiles`, or give what `docker compose --profile NAME config` prints"
    part.note("incomplete", "error", what, Origin(place.file or path, place.line, f"services.{name}.profiles"), to_do)


def _profiles_of_service(service: Tree) -> set[str]:
    listed = service.get("profiles")
    return {leaf.value for leaf in listed.leaves()} if listed is not None else set()
