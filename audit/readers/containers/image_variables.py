"""Settings as variables: which image takes which `KAFKA_*` for a setting, and what its name says of the release."""

from __future__ import annotations

import re

from ...cluster.statements import OF_IMAGE, Origin
from ...kafka import key_names
from ...kafka.advised_names import advise_name
from ...kafka.releases import CONFLUENT
from ..parsed_file import Part
from ..yaml_settings import origin_at
from ..yamls import Tree, YamlLeaf
from . import created_topics

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


def image_distribution(service: Tree) -> str | None:
    """The distribution whose image a service runs, or None: not one of Kafka's."""
    name, _ = name_and_tag(service.text("image") or "")
    return next((owner for known, owner in IMAGES.items() if name == known or name.endswith("/" + known)), None)


_OF_BROKERS = (
    "BROKER_ID", "NODE_ID", "PROCESS_ROLES", "ZOOKEEPER_CONNECT", "CONTROLLER_QUORUM_VOTERS",
    "CONTROLLER_QUORUM_BOOTSTRAP_SERVERS", "LISTENERS", "ADVERTISED_LISTENERS", "LOG_DIRS",
)  # fmt: skip

MARKS = frozenset(f"{prefix}{name}" for prefix in ("KAFKA_", "KAFKA_CFG_") for name in _OF_BROKERS)
"""Variables of settings that brokers and controllers have, and nobody else."""


def why_variable_unread(variable: str, service: Tree) -> str:
    """Why the image that runs does not read a variable that another one takes for a setting; "" if it does, or may.

    Bitnami's scripts take `KAFKA_CFG_*` and nothing else for settings (`kafka_configure_from_environment_variables`);
    Apache's (`KafkaDockerWrapper`) and Confluent's would write `cfg.*`, which Kafka does not know.
    """
    owner, key = image_distribution(service), setting_of_variable(variable)
    if owner is None or key is None:
        return ""
    theirs = variable.startswith("KAFKA_CFG_")
    if owner != "bitnami" and theirs:
        return f"`{variable}` has no effect: only Bitnami's image reads KAFKA_CFG_, and this one is of {owner}"
    mine = key in key_names.names_by_scope()["broker"] and key not in ("broker.id", "node.id")
    if owner == "bitnami" and not theirs and mine:
        return f"`{variable}` has no effect: Bitnami's image reads KAFKA_CFG_ alone"
    return ""


def condition_of_variable(variable: str, service: Tree) -> str:
    """When a variable has an effect, as `Setting.when`: `KAFKA_CFG_*` only if its image is like Bitnami's."""
    known = image_distribution(service) is not None
    return "" if known or not variable.startswith("KAFKA_CFG_") else OF_IMAGE


def note_conditional_variable(part: Part, variable: str, service: Tree, origin: Origin) -> None:
    """The finding, once a file, that variables may have an effect or not."""
    what = "nothing says whether this image reads KAFKA_CFG_, as Bitnami's does: what these variables set is open"
    if condition_of_variable(variable, service) and not any(finding.what == what for finding in part.findings):
        part.note("not_read", "warning", what, origin, "give the server.properties that its container runs with")
    image = service.text("image")
    if image_distribution(service) is None and variable.startswith("KAFKA_") and not variable.startswith("KAFKA_CFG_"):
        assumed = (
            f"{image or 'an image that is built'} takes KAFKA_* for settings, as Apache's and Confluent's images do"
        )
        part.assumptions += [assumed] if assumed not in part.assumptions else []


def note_unread_variable(part: Part, variable: str, value: str, why: str, origin: Origin) -> None:
    """The finding of a variable that nobody reads, with the name that is read, unless what it sets would do harm."""
    bare = variable.removeprefix("KAFKA_CFG_").removeprefix("KAFKA_")
    read_name = f"KAFKA_{'' if 'KAFKA_CFG_' in variable else 'CFG_'}{bare}"
    to_do = advise_name(read_name, setting_of_variable(variable) or "", value)
    part.note("typo", "error", why, origin, to_do)


def _leaves_below(container: Tree, key: str) -> list[YamlLeaf]:
    found = container.get(key)
    return list(found.leaves()) if found is not None else []


_CREATES_TOPICS = "wurstmeister/kafka"
"""The image whose start script reads `KAFKA_CREATE_TOPICS` (create-topics.sh); no other image of Kafka does."""


def note_created_topics(part: Part, container: Tree, value: str, origin: Origin) -> None:
    """The topics that a container's image creates for its `KAFKA_CREATE_TOPICS`. One that does not read it creates
    none, which is said; of one that is not known, and of a container whose command reads it, nobody knows."""
    name, _ = name_and_tag(container.text("image") or "")
    variable, owner = created_topics.VARIABLE, image_distribution(container)
    words = [leaf.value for key in ("entrypoint", "command", "args") for leaf in _leaves_below(container, key)]
    if f"/{name}".endswith(f"/{_CREATES_TOPICS}"):
        created_topics.read_topics_of_variable(part, value, origin)
    elif owner is None or any(variable in word for word in words):
        what = f"whether {name or 'an image that is built'} creates the topics of {variable} is not known"
        part.note("incomplete", "error", what, origin, created_topics.TO_DO)
    else:
        what = f"`{variable}` has no effect: only wurstmeister's image reads it, and this one is of {owner}"
        to_do = f"remove it; create the topics with kafka-topics.sh, and {created_topics.TO_DO}"
        part.note("typo", "error", what, origin, to_do)


def note_image_facts(part: Part, path: str, service: Tree) -> None:
    """What the image's name and tag say about the distribution and the release."""
    named, place = service.text("image"), service.get("image")
    if named is None or place is None:
        return
    name, tag = name_and_tag(named)
    owner = image_distribution(service)
    if owner is None:
        return
    origin = origin_at(path, place, ".".join(place.path))
    part.fact("distribution", owner, origin, f"the image is {name}")
    release = re.match(r"v?(\d+\.\d+)(\.\d+)?", tag)
    if release and owner in ("cp-kafka", "cp-server"):
        if release[1] in CONFLUENT:
            part.fact("kafka", CONFLUENT[release[1]], origin, f"Confluent Platform {release[1]}")
        else:
            part.fact("unknown_release", f"Confluent Platform {release[1]}", origin)
    elif release:
        part.fact("kafka", release[0].lstrip("v"), origin, f"the image's tag is {tag}")


def setting_of_variable(variable: str) -> str | None:
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
