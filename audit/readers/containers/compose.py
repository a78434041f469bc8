"""docker-compose: brokers by their `KAFKA_*` and `KAFKA_CFG_*` variables.

Apache's and Confluent's images write `.` as `_`, `_` as `__` and `-` as `___`; Bitnami's have `KAFKA_CFG_` before it.
A name is read only if it is a setting's under these rules; the images' own variables are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from ...cluster.statements import Setting
from ..broker_properties import broker_part
from ..parsed_file import Part, decode_as_latin
from ..programs import connect, frameworks, spring_names
from ..programs.active_profiles import VARIABLE, note_active_profiles
from ..yaml_settings import origin_at
from ..yamls import Tree
from . import commands, compose_services, created_topics, volumes
from .compose_storage import note_storage
from .image_variables import (
    MARKS,
    condition_of_variable,
    image_distribution,
    note_conditional_variable,
    note_created_topics,
    note_image_facts,
    note_unread_variable,
    setting_of_variable,
    why_variable_unread,
)
from .spring_variables import command_texts, read_spring_application

PROGRAMS = re.compile(
    rf"(?i:spring[._]kafka[._]|SPRING_(APPLICATION_JSON|CONFIG_\w+)$)|{VARIABLE}$|CONNECT_|(CONFIG|OFFSET|STATUS)_STORAGE_TOPIC$"
)
"""Variables of programs that are set up by them: Spring's and Kafka Connect's."""


def _is_program_variable(variable: str) -> bool:
    return PROGRAMS.match(variable) is not None or (
        frameworks.VARIABLES.fullmatch(variable) is not None and not frameworks.READ.match(variable)
    )


def is_recognised(tree: Tree) -> bool:
    """Whether a YAML document has compose services of which one is a broker, a program that is read by variables, or
    creates topics or alters settings."""
    services = tree.get("services")
    every = [service for _, service in services.items()] if services is not None else []
    return any(
        _is_broker(service)
        or any(
            _is_program_variable(name) or spring_names.ARGUMENT.search(value)
            for name, value, _ in environment_variables(service)
        )
        or any(
            spring_names.ARGUMENT.search(text)
            for key in ("command", "entrypoint")
            if (words := service.get(key)) is not None
            for text in command_texts(words)
        )
        or created_topics.CREATES.search(commands.container_text(service))
        or commands.ALTERS.search(commands.container_text(service))
        for service in every
    )


def _is_broker(service: Tree) -> bool:
    """Whether a service is a broker or a controller: it has a setting that only these have, or runs an image of Kafka's
    and has any setting.

    Other programs have Kafka in their images' and variables' names as well: kafka-ui, exporters, REST proxies. And
    Kafka's images run its tools, too: where what a broker needs is `ignored`, which Confluent's examples write.
    """
    given = [
        (name, value) for name, value, _ in environment_variables(service) if setting_of_variable(name) is not None
    ]
    if any(name in MARKS and value.lower() == "ignored" for name, value in given):
        return False
    return any(name in MARKS for name, _ in given) or (bool(given) and image_distribution(service) is not None)


def environment_variables(service: Tree) -> list[tuple[str, str, Tree]]:
    """The environment as (name, value, place), from a mapping or from a list of `NAME=value`."""
    environment = service.get("environment")
    if environment is None:
        return []
    if environment.is_list:
        split = [((entry.text() or "").partition("="), entry) for _, entry in environment.items()]
        return [
            (name.strip(), value.strip() if mark else f"${{{name}}}", entry) for (name, mark, value), entry in split
        ]
    return [(name, _variable_value(name, sub), sub) for name, sub in environment.items()]


def _variable_value(name: str, value: Tree) -> str:
    """A variable's value; one without is passed on from where compose runs, which is filled in later."""
    found = value.text()
    return f"${{{name}}}" if found is None else found


def read_compose(path: str, tree: Tree) -> Part:
    """A compose file's brokers, each a service on the one host that compose runs on, whatever its `deploy` says."""
    part = Part("docker-compose")
    services = tree.get("services")
    every = services.items() if services is not None else []
    brokers = [(name, service) for name, service in every if _is_broker(service)]
    for name, service in compose_services.services_running(part, path, brokers):
        _read_broker_service(part, path, name, service, tree.get("volumes"))
    for name, service in every:
        commands.read_command_topics(part, path, service)
        _add_created_topics(part, path, name, service)
        if not _is_broker(service):
            _read_worker_service(part, path, name, service)
            _read_spring_service(part, path, name, service)
    note_storage(part, path, brokers, every, tree.get("volumes"))
    if any(service.get("deploy") is not None for _, service in brokers):
        part.assumptions.append(ONE_COMPUTER.format(path=path))
    part.whole = bool(part.brokers)
    return part


ONE_COMPUTER = (
    "the services of {path} run on one computer, as `docker compose up` starts them, which takes limits and replicas "
    "from `deploy` too; if a swarm places them on several, give each broker's server.properties instead"
)
"""What is assumed where services have `deploy`, which `docker stack deploy` and `docker compose up` both read."""


def _add_created_topics(part: Part, path: str, name: str, service: Tree) -> None:
    """Topics that the service's image creates, if it is one that does."""
    for variable, value, sub in environment_variables(service):
        if variable == created_topics.VARIABLE and value:
            where = origin_at(path, sub, f"services.{name}.environment.{variable}")
            note_created_topics(part, service, value, where)


def _read_spring_service(part: Part, path: str, name: str, service: Tree) -> None:
    place = f"services.{name}.environment"
    given = [
        (variable, value, origin_at(path, sub, f"{place}.{variable}"))
        for variable, value, sub in environment_variables(service)
    ]
    texts = [
        (text, origin_at(path, tree, f"services.{name}.{key}"))
        for key in ("command", "entrypoint")
        if (tree := service.get(key)) is not None
        for text in command_texts(tree)
    ]
    read_spring_application(part, path, name, given, texts)
    note_active_profiles(part, given, " ".join(text for text, _ in texts))


def _read_broker_service(part: Part, path: str, name: str, service: Tree, named_volumes: Tree | None) -> None:
    given: list[Setting] = []
    for variable, value, sub in environment_variables(service):
        key, origin = setting_of_variable(variable), origin_at(path, sub, f"services.{name}.environment.{variable}")
        if why := why_variable_unread(variable, service):
            note_unread_variable(part, variable, value, why, origin)
        elif key is not None:
            note_conditional_variable(part, variable, service, origin)
            given.append(Setting(key, decode_as_latin(value), origin, condition_of_variable(variable, service)))
    made = broker_part(path, commands.override_settings(given, commands.override_options(path, service)))
    commands.note_unread_command(part, path, f"service {name}", service)
    _note_mounted_settings(part, path, name, service)
    broker = made.brokers[0]
    extra = service.get("env_file")
    if extra is not None:
        what = f"service {name} has variables of `env_file`, which is not read"
        to_do = "give what `docker compose config` prints, which has all of them"
        part.note("incomplete", "error", what, origin_at(path, extra, f"services.{name}.env_file"), to_do)
    where = origin_at(path, service, f"services.{name}")
    machine = f"the computer that runs {path}"
    ephemeral = volumes.is_ephemeral(broker.settings, volumes.mounts_of_service(service, named_volumes))
    host = broker.host or name
    network = _reachability_of_service(service)
    here = replace(broker, origin=where, host=host, machine=machine, ephemeral=ephemeral, network=network)
    part.brokers.append(replace(here, log_mounts=_log_mounts(service, here.settings, named_volumes)))
    part.control_plane = made.control_plane or part.control_plane
    for fact, stated in made.facts.items():
        part.facts.setdefault(fact, []).extend(stated)
    note_image_facts(part, path, service)


def _log_mounts(service: Tree, settings: Sequence[Setting], named_volumes: Tree | None) -> tuple[tuple[str, str], ...]:
    """Its log directories with what each lies on, where that is known: neither another service's volumes, nor a
    command, nor a swarm that chooses its host decides it."""
    unknown = service.get("volumes_from") is not None or service.get("deploy", "placement") is not None
    if unknown or commands.may_set_unread_settings(commands.container_text(service)):
        return ()
    return tuple(volumes.log_mounts(settings, image_distribution(service), service, named_volumes))


def _reachability_of_service(service: Tree) -> Literal["", "host", "inner"]:
    """Where others reach it: at its host, at ports that its host publishes, or in a network of containers alone."""
    ports = service.get("ports")
    if service.text("network_mode") == "host":
        return "host"
    return "" if ports is not None and ports.items() else "inner"


def _note_mounted_settings(part: Part, path: str, name: str, service: Tree) -> None:
    """The finding that a service has a file of settings mounted, which its image merges with the variables."""
    listed = [section for key in ("volumes", "configs", "secrets") if (section := service.get(key)) is not None]
    for mount in (entry for entries in listed for _, entry in entries.items()):
        parts = (mount.text() or "").split(":")
        target = mount.text("target") or (parts[1] if len(parts) > 1 else "")
        if volumes.may_hold_settings(target):
            what = f"service {name} has {target} mounted, which may have settings of Kafka, and it was not read"
            part.note(
                "incomplete", "error", what, origin_at(path, mount, f"services.{name}.{mount.path[-2]}"), commands.GIVE
            )


def _read_worker_service(part: Part, path: str, name: str, service: Tree) -> None:
    """A worker of Connect; and the finding that it has variables which are not read."""
    given = [
        (v, value, origin_at(path, sub, f"services.{name}.environment.{v}"))
        for v, value, sub in environment_variables(service)
    ]
    connect.read_worker_of_variables(part, path, name, given)
    extra = service.get("env_file")
    if extra is not None and any(PROGRAMS.match(variable) for variable, _, _ in given):
        what = f"service {name} has variables of `env_file`, which is not read"
        to_do = "give what `docker compose config` prints, which has all of them"
        part.note("incomplete", "error", what, origin_at(path, extra, f"services.{name}.env_file"), to_do)
