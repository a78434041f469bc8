"""Files of a folder that set up brokers in a form that is not read: scripts, units of systemd, Dockerfiles, templates,
and YAML or JSON of other tools. They are named where they have settings of a broker, or start one."""

from __future__ import annotations

import re
from pathlib import Path

from ...cluster.statements import Origin
from ...kafka import key_names
from ..kinds import first_mark_of_kafka
from ..parsed_file import Part
from . import commands, created_topics
from .image_variables import setting_of_variable

SCRIPTS = frozenset({".sh", ".bash", ".service", ".ps1", ".bat", ".cmd", ".dockerfile", ".conf", ".cfg", ".env", ""})
"""What units, drop-ins, files of variables and scripts end with, if no reader knows them."""

TEMPLATES = frozenset({".j2", ".jinja", ".tpl", ".tmpl", ".template", ".erb", ".epp", ".json", ".yaml", ".yml"})
BUILDS = frozenset({"dockerfile", "containerfile", "makefile", "justfile", "procfile"})
OF_KAFKA = re.compile(r"(kafka|connect|zookeeper|trogdor|windows)[\w\-]*\.(sh|bat)")
"""Scripts of Kafka's own distribution, which set nothing by themselves."""

LARGEST = 4 << 20
"""Bytes of such a file."""

STARTS = re.compile(r"kafka-server-start|\bkafka\.Kafka\b|--override\b|\b(?P<variable>KAFKA_[A-Z]\w*)\s*[=:]")
RUNS = re.compile(r"(kafka-server-start(?:\.sh|\.bat)?(?:\s+-daemon)?)\s+(?P<file>[^\s;&|]+)")
SETS_OF_KAFKA = re.compile(
    r"in[-._]?sync|min[-_]?isr|replication[-._]?factor|unclean[-._]?leader|configurationOverrides|overrideConfiguration|extraConfig|"
    r"KAFKA_CFG|server[._]properties|aws_msk|kafka_topic|kafka_(acl|cluster)|kafkaTopic",
    re.I,
)
"""What values of a chart, Terraform's files and templates of YAML have that set up brokers or topics."""

OPERATORS = re.compile(
    r"apiVersion:\s*[\"']?(platform\.confluent\.io|kafka\.banzaicloud\.io|kafka\.services\.k8s\.aws|kafka\.aws\.|"
    r"cluster\.redpanda\.com|kafka\.aiven\.io|kafka\.confluent\.)"
)
"""Resources of operators other than Strimzi's, which make brokers or topics."""

KUSTOMIZE = re.compile(
    r"^(patches\w*|replicas|configMapGenerator|secretGenerator|components|replacements|helmCharts|generators|vars):",
    re.M,
)
"""What a kustomization.yaml changes of the resources beside it."""

PROGRAMS = re.compile(
    r"\b(SPRING_KAFKA_|CONNECT_(PRODUCER|CONSUMER|(OFFSET|CONFIG|STATUS)_STORAGE)_|MP_MESSAGING_|QUARKUS_KAFKA_)\w+\s*[=:]|"
    r"(?<![\w.])spring\.kafka\.[\w.\-\[\]]+=|^\s*(export\s+|ENV\s+)?(?!KAFKA_(CFG_)?OFFSETS)(\w+_)?ACKS\s*=",
    re.IGNORECASE | re.MULTILINE,
)
"""What sets up clients of Spring, Connect and other programs, by variables or arguments."""

ACKS = re.compile(r"(?<![\w.\-])[\"'\[]*([\w.\-]+[.\-_])?acks[\]\"']*\s*[:=]\s*\S", re.IGNORECASE)
"""Where a tree of settings that no reader knows sets what a producer waits for."""

OURS = re.compile(r'"tool":\s*"tidegate')
"""An audit's own document."""

SETS = re.compile(
    r"(min[._]?insync[._]?replicas|unclean[._]?leader[._]?election|default[._]?replication[._]?factor)", re.I
)


MSK = re.compile(r"\baws_msk_configuration\b|\bserver_properties\b|\bAWS::MSK::Configuration\b|\bServerProperties\b")
"""What sets up brokers of Amazon MSK in Terraform's and CloudFormation's files."""

OF_MSK = (
    "`aws kafka describe-configuration-revision --arn ARN --revision N --query ServerProperties --output text "
    "| base64 -d` prints what a revision has: give that as a file, with --distribution msk and --kafka-version"
)


def sets_up_kafka(text: str) -> bool:
    """Whether values of a chart, templates or resources have settings of brokers, topics or clients."""
    return SETS_OF_KAFKA.search(text) is not None or bool(first_mark_of_kafka(text))


def note_msk(part: Part, path: str, text: str) -> bool:
    """The finding that a configuration of MSK was not read, where a text has one; whether it has."""
    found = MSK.search(text)
    if found is not None:
        where = Origin(path, text.count("\n", 0, found.start()) + 1, found[0])
        what = f"{path} sets up Amazon MSK's brokers, and was not read: which revision a cluster runs is not in it"
        part.note("incomplete", "error", what, where, OF_MSK, "docs.aws.amazon.com/msk")
    return found is not None


def is_script(path: Path) -> bool:
    """Whether a file may be a script, a unit or a template."""
    name = path.name.lower()
    build = path.stem.lower() in BUILDS or name.split(".")[0] in BUILDS
    return (build or path.suffix.lower() in SCRIPTS | TEMPLATES) and OF_KAFKA.fullmatch(name) is None


def read_script(path: str, text: str, files: frozenset[str]) -> Part | None:
    """What is said of such a file; None where nothing in it is of a broker. `files` are the names of the properties
    files that were read: a script that starts Kafka with one of them, and sets nothing else, says nothing new."""
    part = Part("a script or template")
    template = Path(path).suffix.lower() in TEMPLATES
    if template and note_msk(part, path, text):
        return part
    found = _unread_setting_in_template(path, text) if template else _unread_setting_in_script(text, files)
    if found is None or OURS.search(text):
        return None
    where = Origin(path, text.count("\n", 0, found.start()) + 1)
    what = f"{path} has `{found[0].strip()[:60]}`, and what it sets was not read"
    part.note("incomplete", "error", what, where, "give the server.properties that comes of it, and take it out")
    return part


def _unread_setting_in_template(path: str, text: str) -> re.Match[str] | None:
    kustomized = Path(path).stem.lower() == "kustomization"
    found = SETS.search(text) or OPERATORS.search(text) or (KUSTOMIZE.search(text) if kustomized else None)
    return found or ACKS.search(text) or PROGRAMS.search(text)


def _unread_setting_in_script(text: str, files: frozenset[str]) -> re.Match[str] | None:
    """The first place where a script sets or starts what is not read."""
    for pattern in (created_topics.CREATES, commands.ALTERS, STARTS):
        for found in pattern.finditer(text):
            if not _is_read(text, found, files):
                return found
    return PROGRAMS.search(text)


def _is_read(text: str, start_match: re.Match[str], files: frozenset[str]) -> bool:
    """Whether it starts Kafka with a file that was read, or sets a variable that is not a setting."""
    variable = start_match.groupdict().get("variable")
    if variable is not None:
        passed_over = commands.PASSED_OVER.match(text, start_match.start()) is not None
        return passed_over or setting_of_variable(variable) not in key_names.names_by_scope()["broker"]
    runs = RUNS.match(text, start_match.start())
    return runs is not None and Path(runs["file"].strip("\"'")).name in files
