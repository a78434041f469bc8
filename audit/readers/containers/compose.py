"""docker-compose: brokers by their `KAFKA_*` and `KAFKA_CFG_*` variables.

Apache's and Confluent's images write `.` as `_`, `_` as `__` and `-` as `___`; Bitnami's have `KAFKA_CFG_` before it.
A name is read only if it is a setting's under these rules; the images' own variables are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from ...cluster.statements import OF_IMAGE, Origin, Setting
from ...kafka import key_names as names
from ...kafka.releases import CONFLUENT
from .. import properties
from ..parsed_file import Part, in_latin
from ..programs import connect, frameworks
from ..programs import spring_names as relaxed
from ..programs import spring_profiles as profiles
from ..programs.active_profiles import VARIABLE, note_active
from ..yamls import Tree
from . import commands, volumes
from . import compose_services as started
from . import created_topics as created

IMAGES = {
    "apache/kafka": "apache",
    "apache/kafka-native": "apache",
    "confluentinc/cp-kafka": "cp-kafka",
    "confluentinc/cp-server": "cp-server",
    "bitnami/kafka": "bitnami",
    "bitnamilegacy/kafka": "bitnami",
}


def name_and_tag(image: str) -> tuple[str, str]:
    """`apache/kafka` and `4.1.0` of `apache/kafka:4.1.0`; a digest is of no account."""
    path, slash, last = image.partition("@")[0].rpartition("/")
    name, _, tag = last.partition(":")
    return f"{path}{slash}{name}", tag


SPRING = "SPRING_KAFKA_"
"""Variables that Spring Boot takes for `spring.kafka.*`, stronger than its files (Externalized Configuration)."""


PROGRAMS = re.compile(
    rf"(?i:spring[._]kafka[._]|SPRING_(APPLICATION_JSON|CONFIG_\w+)$)|{VARIABLE}$|CONNECT_|(CONFIG|OFFSET|STATUS)_STORAGE_TOPIC$"
)
"""Variables of programs that are set up by them: Spring's and Kafka Connect's."""


def _is_of_program(variable: str) -> bool:
    return PROGRAMS.match(variable) is not None or (
        frameworks.VARIABLES.fullmatch(variable) is not None and not frameworks.READ.match(variable)
    )


def recognised(tree: Tree) -> bool:
    """Whether a YAML document has compose services of which one is a broker, a program that is read by variables, or
    creates topics or alters settings."""
    services = tree.get("services")
    every = [service for _, service in services.items()] if services is not None else []
    return any(
        _is_broker(service)
        or any(_is_of_program(name) or relaxed.ARGUMENT.search(value) for name, value, _ in variables(service))
        or any(
            relaxed.ARGUMENT.search(text)
            for key in ("command", "entrypoint")
            if (words := service.get(key)) is not None
            for text in texts_of(words)
        )
        or created.CREATES.search(commands.text_of(service))
        or commands.ALTERS.search(commands.text_of(service))
        for service in every
    )


def _is_broker(service: Tree) -> bool:
    """Whether a service is a broker or a controller: it has a setting that only these have, or runs an image of Kafka's
    and has any setting.

    Other programs have Kafka in their images' and variables' names as well: kafka-ui, exporters, REST proxies. And
    Kafka's images run its tools, too: where what a broker needs is `ignored`, which Confluent's examples write.
    """
    given = [(name, value) for name, value, _ in variables(service) if key_of(name) is not None]
    if any(name in MARKS and value.lower() == "ignored" for name, value in given):
        return False
    return any(name in MARKS for name, _ in given) or (bool(given) and owner_of(service) is not None)


def owner_of(service: Tree) -> str | None:
    """The distribution whose image a service runs, or None: not one of Kafka's."""
    name, _ = name_and_tag(service.text("image") or "")
    return next((owner for known, owner in IMAGES.items() if name == known or name.endswith("/" + known)), None)


_OF_BROKERS = (
    "BROKER_ID", "NODE_ID", "PROCESS_ROLES", "ZOOKEEPER_CONNECT", "CONTROLLER_QUORUM_VOTERS",
    "CONTROLLER_QUORUM_BOOTSTRAP_SERVERS", "LISTENERS", "ADVERTISED_LISTENERS", "LOG_DIRS",
)  # fmt: skip

MARKS = frozenset(f"{prefix}{name}" for prefix in ("KAFKA_", "KAFKA_CFG_") for name in _OF_BROKERS)
"""Variables of settings that brokers and controllers have, and nobody else."""


def variables(service: Tree) -> list[tuple[str, str, Tree]]:
    """The environment as (name, value, place), from a mapping or from a list of `NAME=value`."""
    environment = service.get("environment")
    if environment is None:
        return []
    if environment.is_list:
        split = [((entry.text() or "").partition("="), entry) for _, entry in environment.items()]
        return [
            (name.strip(), value.strip() if mark else f"${{{name}}}", entry) for (name, mark, value), entry in split
        ]
    return [(name, _value(name, sub), sub) for name, sub in environment.items()]


def at(path: str, tree: Tree, place: str) -> Origin:
    """Where something is stated, in the file that it was merged from."""
    return Origin(tree.file or path, tree.line, place)


def _value(name: str, given: Tree) -> str:
    """A variable's value; one without is passed on from where compose runs, which is filled in later."""
    found = given.text()
    return f"${{{name}}}" if found is None else found


def read(path: str, tree: Tree) -> Part:
    """A compose file's brokers, each a service on the one host that compose runs on, whatever its `deploy` says."""
    part = Part("docker-compose")
    services = tree.get("services")
    every = services.items() if services is not None else []
    brokers = [(name, service) for name, service in every if _is_broker(service)]
    for name, service in started.running(part, path, brokers):
        _service(part, path, name, service, tree.get("volumes"))
    for name, service in every:
        commands.note_created(part, path, service)
        _created(part, path, name, service)
        if not _is_broker(service):
            _worker(part, path, name, service)
            _spring(part, path, name, service)
    _note_layers(part, path, brokers, tree.get("volumes"))
    if any(service.get("deploy") is not None for _, service in brokers):
        part.assumptions.append(ONE_COMPUTER.format(path=path))
    part.whole = bool(part.brokers)
    return part


ONE_COMPUTER = (
    "the services of {path} run on one computer, as `docker compose up` starts them, which takes limits and replicas "
    "from `deploy` too; if a swarm places them on several, give each broker's server.properties instead"
)
"""What is assumed where services have `deploy`, which `docker stack deploy` and `docker compose up` both read."""


def _note_layers(part: Part, path: str, brokers: Sequence[tuple[str, Tree]], named: Tree | None) -> None:
    """The finding that logs are in the containers' own files. A container that stops and starts has them still; one
    that is made anew has none, as for another image or other settings (docs.docker.com, docker compose up)."""
    nodes = {node.origin.place: node for node in part.brokers}
    found = [
        (name, service)
        for name, service in brokers
        if (node := nodes.get(f"services.{name}")) is not None
        and volumes.is_in_container(node.settings, owner_of(service), volumes.of_service(service, named)) is not False
        and "volumes_from" not in dict(service.items())
    ]
    if found:
        name, service = found[0]
        who = f"service {name}" if len(found) == 1 else f"{len(found)} services, such as {name}"
        what = (
            f"the log of {who} is in the container itself, as far as {path} says: `docker compose up` makes a new "
            "container where the image or the settings have changed, which is the loss of a disk"
        )
        to_do = "mount a volume where log.dirs is"
        part.note("advice", "warning", what, at(path, service, f"services.{name}"), to_do, "docs.docker.com, Volumes")


def _created(part: Part, path: str, name: str, service: Tree) -> None:
    """Topics that the start script of wurstmeister's image creates."""
    for variable, value, sub in variables(service):
        if variable == "KAFKA_CREATE_TOPICS" and value:
            created.of_variable(part, value, at(path, sub, f"services.{name}.environment.{variable}"))


def _spring(part: Part, path: str, name: str, service: Tree) -> None:
    place = f"services.{name}.environment"
    given = [(variable, value, at(path, sub, f"{place}.{variable}")) for variable, value, sub in variables(service)]
    texts = [
        (text, at(path, tree, f"services.{name}.{key}"))
        for key in ("command", "entrypoint")
        if (tree := service.get(key)) is not None
        for text in texts_of(tree)
    ]
    of_spring(part, path, name, given, texts)
    note_active(part, given, " ".join(text for text, _ in texts))


def texts_of(tree: Tree) -> list[str]:
    """Every text of a command, be it one or a list."""
    return [tree.text() or "", *(leaf.value for leaf in tree.leaves())]


def of_spring(
    part: Part,
    path: str,
    name: str,
    given: Sequence[tuple[str, str, Origin]],
    texts: Sequence[tuple[str, Origin]] = (),
) -> None:
    """The clients of an application with Spring Boot, by its variables and by its arguments, also those that variables
    hand to the Java machine; `name` is that of its service or container, `texts` are of its command."""
    mine = [Setting(spring_key(v), value, where) for v, value, where in given if v.upper().startswith(SPRING)]
    mine += [replace(s, key=relaxed.spelt(s.key)) for s in _dotted(given)]
    mine += relaxed.arguments([*texts, *((value, where) for _, value, where in given)])
    frameworks.of_variables(part, name, given)
    about = [setting for setting in mine if setting.key.startswith("spring.kafka.")]
    if about:
        made = properties.spring(path, about, whole=False)
        part.clients += [replace(client, name=name) for client in made.clients]
        part.findings += made.findings
    elsewhere = [(v, where) for v, _, where in given if v.upper() in ELSEWHERE]
    elsewhere += [(s.key, s.origin) for s in mine if re.match(r"spring\.(application\.json|config\.)", s.key)]
    for variable, where in elsewhere:
        what = f"`{variable}` of {name} names configuration that replaces what files set, and it was not read"
        part.note("incomplete", "error", what, where, profiles.IN_FORCE, profiles.EXTERNAL)


def _dotted(given: Sequence[tuple[str, str, Origin]]) -> list[Setting]:
    """Variables with dots in their names, which are taken as they are."""
    return [Setting(v, value, where) for v, value, where in given if v.lower().startswith("spring.")]


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


def _service(part: Part, path: str, name: str, service: Tree, named: Tree | None) -> None:
    given: list[Setting] = []
    for variable, value, sub in variables(service):
        key, origin = key_of(variable), at(path, sub, f"services.{name}.environment.{variable}")
        if why := unread(variable, service):
            note_unread(part, variable, why, origin)
        elif key is not None:
            note_perhaps(part, variable, service, origin)
            given.append(Setting(key, in_latin(value), origin, perhaps(variable, service)))
    made = properties.of_broker(path, commands.overridden(given, commands.overrides(path, service)))
    commands.note_unread(part, path, f"service {name}", service)
    _mounted(part, path, name, service)
    broker = made.brokers[0]
    extra = service.get("env_file")
    if extra is not None:
        what = f"service {name} has variables of `env_file`, which is not read"
        to_do = "give what `docker compose config` prints, which has all of them"
        part.note("incomplete", "error", what, at(path, extra, f"services.{name}.env_file"), to_do)
    where = at(path, service, f"services.{name}")
    machine = f"the computer that runs {path}"
    ephemeral = volumes.is_ephemeral(broker.settings, volumes.of_service(service, named))
    host = broker.host or name
    network = _network(service)
    here = replace(broker, origin=where, host=host, machine=machine, ephemeral=ephemeral, network=network)
    part.brokers.append(here)
    part.control_plane = made.control_plane or part.control_plane
    for fact, stated in made.facts.items():
        part.facts.setdefault(fact, []).extend(stated)
    image(part, path, service)


def _network(service: Tree) -> Literal["", "host", "inner"]:
    """Where others reach it: at its host, at ports that its host publishes, or in a network of containers alone."""
    ports = service.get("ports")
    if service.text("network_mode") == "host":
        return "host"
    return "" if ports is not None and ports.items() else "inner"


def _mounted(part: Part, path: str, name: str, service: Tree) -> None:
    """The finding that a service has a file of settings mounted, which its image merges with the variables."""
    listed = [section for key in ("volumes", "configs", "secrets") if (section := service.get(key)) is not None]
    for mount in (entry for entries in listed for _, entry in entries.items()):
        parts = (mount.text() or "").split(":")
        target = mount.text("target") or (parts[1] if len(parts) > 1 else "")
        if volumes.is_of_settings(target):
            what = f"service {name} has {target} mounted, which may have settings of Kafka, and it was not read"
            part.note("incomplete", "error", what, at(path, mount, f"services.{name}.{mount.path[-2]}"), commands.GIVE)


def unread(variable: str, service: Tree) -> str:
    """Why the image that runs does not read a variable that another one takes for a setting; "" if it does, or may.

    Bitnami's scripts take `KAFKA_CFG_*` and nothing else for settings (`kafka_configure_from_environment_variables`);
    Apache's (`KafkaDockerWrapper`) and Confluent's would write `cfg.*`, which Kafka does not know.
    """
    owner, key = owner_of(service), key_of(variable)
    if owner is None or key is None:
        return ""
    theirs = variable.startswith("KAFKA_CFG_")
    if owner != "bitnami" and theirs:
        return f"`{variable}` has no effect: only Bitnami's image reads KAFKA_CFG_, and this one is of {owner}"
    mine = key in names.by_scope()["broker"] and key not in ("broker.id", "node.id")
    if owner == "bitnami" and not theirs and mine:
        return f"`{variable}` has no effect: Bitnami's image reads KAFKA_CFG_ alone"
    return ""


def perhaps(variable: str, service: Tree) -> str:
    """When a variable has an effect, as `Setting.when`: `KAFKA_CFG_*` only if its image is like Bitnami's."""
    known = owner_of(service) is not None
    return "" if known or not variable.startswith("KAFKA_CFG_") else OF_IMAGE


def note_perhaps(part: Part, variable: str, service: Tree, origin: Origin) -> None:
    """The finding, once a file, that variables may have an effect or not."""
    what = "nothing says whether this image reads KAFKA_CFG_, as Bitnami's does: what these variables set is open"
    if perhaps(variable, service) and not any(finding.what == what for finding in part.findings):
        part.note("not_read", "warning", what, origin, "give the server.properties that its container runs with")
    image = service.text("image")
    if owner_of(service) is None and variable.startswith("KAFKA_") and not variable.startswith("KAFKA_CFG_"):
        assumed = (
            f"{image or 'an image that is built'} takes KAFKA_* for settings, as Apache's and Confluent's images do"
        )
        part.assumptions += [assumed] if assumed not in part.assumptions else []


def note_unread(part: Part, variable: str, why: str, origin: Origin) -> None:
    """The finding of a variable that nobody reads, with the name that is read."""
    bare = variable.removeprefix("KAFKA_CFG_").removeprefix("KAFKA_")
    part.note("typo", "error", why, origin, f"write `KAFKA_{'' if 'KAFKA_CFG_' in variable else 'CFG_'}{bare}`")


def _worker(part: Part, path: str, name: str, service: Tree) -> None:
    """A worker of Connect; and the finding that it has variables which are not read."""
    given = [(v, value, at(path, sub, f"services.{name}.environment.{v}")) for v, value, sub in variables(service)]
    connect.of_variables(part, path, name, given)
    extra = service.get("env_file")
    if extra is not None and any(PROGRAMS.match(variable) for variable, _, _ in given):
        what = f"service {name} has variables of `env_file`, which is not read"
        to_do = "give what `docker compose config` prints, which has all of them"
        part.note("incomplete", "error", what, at(path, extra, f"services.{name}.env_file"), to_do)


def image(part: Part, path: str, service: Tree) -> None:
    """What the image's name and tag say about the distribution and the release."""
    named, place = service.text("image"), service.get("image")
    if named is None or place is None:
        return
    name, tag = name_and_tag(named)
    owner = owner_of(service)
    if owner is None:
        return
    origin = at(path, place, ".".join(place.path))
    part.fact("distribution", owner, origin, f"the image is {name}")
    release = re.match(r"v?(\d+\.\d+)(\.\d+)?", tag)
    if release and owner in ("cp-kafka", "cp-server"):
        if release[1] in CONFLUENT:
            part.fact("kafka", CONFLUENT[release[1]], origin, f"Confluent Platform {release[1]}")
    elif release:
        part.fact("kafka", release[0].lstrip("v"), origin, f"the image's tag is {tag}")


def key_of(variable: str) -> str | None:
    """The setting that a variable stands for, or None: the image's own, or no broker's."""
    if variable.startswith("KAFKA_CFG_"):
        rest = variable.removeprefix("KAFKA_CFG_")
    elif variable.startswith("KAFKA_"):
        rest = variable.removeprefix("KAFKA_")
    else:
        return None
    if rest in OWN or rest.startswith(("JMX_", "KRAFT_", "CLIENT_", "INTER_BROKER_USER", "CONTROLLER_USER")):
        return None
    text = rest.lower().replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")
    return text if re.fullmatch(r"[a-z0-9][a-z0-9._\-]{0,199}", text) else None


OWN = frozenset(
    {"HEAP_OPTS", "OPTS", "JVM_PERFORMANCE_OPTS", "GC_LOG_OPTS", "CLUSTER_ID", "HOME", "VERSION", "SCALA_VERSION"}
    | {"LOG4J_OPTS", "LOG4J_LOGGERS", "LOG4J_ROOT_LOGLEVEL", "LOG4J_TOOLS_ROOT_LOGLEVEL", "TOOLS_LOG4J_LOGLEVEL"}
    | {"ENABLE_KRAFT", "CREATE_TOPICS", "DEBUG", "EXTRA_ARGS", "CERTIFICATE_PASSWORD", "VOLUME_DIR", "MOUNTED_CONF_DIR"}
    | {"CFG", "BROKER_RACK_COMMAND", "PORT_COMMAND", "HOSTNAME_COMMAND", "TLS_TYPE", "ADVERTISED_PORT", "MODE"}
)
"""Variables of the images' start scripts, which are no settings."""
