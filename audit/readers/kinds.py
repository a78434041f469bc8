"""Kinds of files that cannot be configuration of a cluster, by their names, and what shows that a text may be one."""

from __future__ import annotations

import re
from pathlib import PurePath

from ..kafka.keys import settings_by_any_name
from .texts import decode_text, is_binary

LISTS = frozenset({".properties", ".conf", ".cfg", ".config", ".env", ""})
"""What files of settings end with, one a line."""

CONFIGURATION = (LISTS - {""}) | frozenset({".tf", ".tfvars", ".hcl", ".txt", ".yaml", ".yml", ".json", ".toml"})
TEXTS = CONFIGURATION | frozenset({".out", ".log", ""})
"""What texts end with that may be of any form; of those without an end, or with `.log` and `.out`, a folder may hold
logs."""

_BY_END = {
    "an image": "png jpg jpeg gif svg ico webp bmp tif tiff psd drawio",
    "a document": "md markdown mdx rst adoc asciidoc html htm pdf doc docx odt rtf tex ppt pptx xls xlsx css scss",
    "source code": "java kt kts scala groovy py pyi ipynb go rs c h cc cpp hpp cs fs js jsx mjs cjs ts tsx vue rb php"
    " pl lua swift clj ex exs erl proto avsc avdl avro thrift graphql gradle sbt xsd xsl dtd",
    "a program": "class so dylib dll exe o a pyc wasm",
    "a certificate or a key": "pem crt cer der key p12 pfx jks keystore truststore csr srl pub sig sha256 sha512 md5",
    "sound or film": "mp3 mp4 wav mov avi webm ogg",
    "a font": "ttf otf woff woff2 eot",
    "a list of what is installed": "lock sum mod",
}
_ENDS = {f".{end}": kind for kind, ends in _BY_END.items() for end in ends.split()}

_BY_STEM = {
    "a document": "readme license licence copying notice authors contributors contributing maintainers changelog"
    " changes codeowners code_of_conduct security governance adopters news todo",
}
_STEMS = {stem: kind for kind, stems in _BY_STEM.items() for stem in stems.split()}

_BY_NAME = {
    "a file of version control": ".gitignore .gitattributes .gitmodules .gitkeep .keep .mailmap .hgignore",
    "a file of a tool that makes or checks programs": ".dockerignore .helmignore .editorconfig .prettierrc"
    " .prettierignore .eslintrc .eslintignore .flake8 .pylintrc .yamllint .markdownlint.json .nvmrc .npmrc"
    " .python-version .tool-versions .ds_store .terraform.lock.hcl pom.xml package.json package-lock.json tsconfig.json"
    " requirements.txt pyproject.toml cargo.toml pipfile gemfile gradlew mvnw gradlew.bat mvnw.cmd"
    " gradle-wrapper.properties maven-wrapper.properties chart.lock thumbs.db",
}
_NAMES = {name: kind for kind, names in _BY_NAME.items() for name in names.split()}

TOOLS = frozenset({
    ".git", ".hg", ".svn", ".idea", ".vscode", ".terraform", ".venv", ".tox", ".gradle", ".mvn", ".cache",
    ".pytest_cache", ".mypy_cache", ".ruff_cache", "__pycache__", "node_modules",
})  # fmt: skip
"""Folders that tools keep for themselves."""


def file_kind(name: str) -> str:
    """What a file is by its name, with its article, such as "an image"; "" where it may be configuration."""
    path = PurePath(name.lower())
    stem = path.name.split(".")[0]
    prose = path.suffix in (".txt", "") or path.suffix in _ENDS
    return _NAMES.get(path.name) or _ENDS.get(path.suffix) or (_STEMS.get(stem, "") if prose else "")


_OTHERS = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "a dashboard of Grafana": r'(?s)\{.*"(panels|schemaVersion)"\s*:.*"(panels|schemaVersion|templating)"\s*:',
        "rules of Prometheus": r"(?m)(?s:.*?)(^\s*-\s*alert:|^\s*-\s*record:|^scrape_configs:|^\s*-\s*job_name:)",
        "rules of a metrics exporter": r"(?m)(?s:.*?)(^\s*lowercaseOutput|^\s*\w+ObjectNames:|^rules:\s*-\s*pattern:)",
        "settings of a logging library": r"log4j\d?\.|rootLogger|status\s*=|Configuration:"
        r"|(?s:.*?)<(log4j:)?[Cc]onfiguration\b",
        "settings of a login": r"\w+\s*\{\s*[\w.]+\s+(required|requisite|sufficient|optional)\b",
    }.items()
}
"""What a text begins with, or has somewhere, that is of another program."""


IDLE = frozenset({
    "CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "ServiceAccount",
    "Namespace", "Service", "Ingress", "NetworkPolicy", "PodDisruptionBudget", "StorageClass", "PersistentVolume",
    "PersistentVolumeClaim", "HorizontalPodAutoscaler", "ServiceMonitor", "PodMonitor", "PrometheusRule", "Certificate",
    "Issuer", "ClusterIssuer", "PriorityClass", "LimitRange", "ResourceQuota", "Endpoints", "IngressClass",
})  # fmt: skip
"""Kinds of Kubernetes' resources that run nothing and set nothing up for what runs."""


def name_of_other_program(text: str) -> str:
    """Whose file it is by what it says, in words, where that is a program without topics, producers or consumers."""
    kinds = set(re.findall(r"^kind:\s*[\"']?(\w+)", text, re.M))
    if kinds and kinds <= IDLE and re.search(r"^apiVersion:", text, re.M):
        return "of resources of Kubernetes that run nothing"
    lines = [
        line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "!", "//", "---"))
    ]
    stated = "\n".join(lines).lstrip()
    return next((kind for kind, pattern in _OTHERS.items() if pattern.match(stated)), "")


_DECIDING = re.compile(
    r"replication\.factor|min\.isr|min\.insync|unclean|idempotence|transactional\.id|auto\.commit|flush"
)
_WORDS = ("acks", "replication.factor", "kafka.cfg", "kafka.strimzi.io", "auto.offset.reset", "isolation.level")
_MARKS = {name.replace(".", ""): name for name in (*filter(_DECIDING.search, settings_by_any_name()), *_WORDS)}
"""What shows that a text is about a cluster, by how it is written without what parts its words: settings that answers
rest on, and that other programs do not have."""

OF_BROKERS = re.compile(
    r"^\s*(broker\.id|node\.id|process\.roles|zookeeper\.connect|controller\.quorum\.\w+|log\.dirs?)(?=\s*[=:])", re.M
)
"""What lists of a broker's settings have, and nothing else as it is written there."""

TOPIC_LINE = re.compile(r"^\s*Topic: ?\S+\s", re.M)
CONFIG_HEAD = re.compile(
    r"^(?:Dynamic configs|All configs|Configs|Default configs) for "
    r"(?:(brokers) in the cluster|(topic|broker) (\S+?)|.*?) are:",
    re.M,
)
FEATURE = re.compile(r"^Feature: ?(\S+)\s.*?SupportedMaxVersion: ?(\S+)\s+FinalizedVersionLevel: ?(\S+)", re.M)
"""What Kafka's tools print, by which a text is known whatever its file is called."""

_COMMANDS = re.compile(
    r"kafka-topics(\.sh)?\b[^;&|\n]*--create\b|kafka-configs(\.sh)?\b[^;&|\n]*--(alter|add-config)\b"
)


_PARTS = "\x1f"
"""What stands between the words of a name in camel case (`requiredAcks`) while it is looked for: no text has it."""


def first_mark_of_kafka(text: str) -> str:
    """The first thing that shows a text to be about a cluster's brokers, topics or clients: what Kafka's tools print,
    or a setting that answers rest on, as files of other tools spell it (`min_insync_replicas`); "" where nothing does.
    """
    for pattern in (TOPIC_LINE, CONFIG_HEAD, FEATURE, _COMMANDS, OF_BROKERS):
        if (found := pattern.search(text)) is not None:
            return " ".join(found[0].split())[:60]
    squeezed = re.sub(r"[._\-]", "", text.lower())
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", _PARTS, text)
    for name in (_MARKS[mark] for mark in _MARKS if mark in squeezed):
        spelt = rf"[._\-{_PARTS}]?".join(map(re.escape, name.split(".")))
        found = re.search(rf"(?i)([a-z0-9]{{1,40}}{_PARTS}){{0,6}}(?<![a-z0-9]){spelt}(?![a-z0-9])", parted)
        if found is not None:
            return found[0].replace(_PARTS, "")
    return ""


def is_disguised(name: str, kind: str, head: bytes) -> bool:
    """Whether a file that is called like something else, an image or a certificate, begins as a text about a cluster.
    Source code and pages are about one, and are no configuration for it; what one of Kafka's tools has printed is no
    document, whatever it is called (`news.txt` of a topic `news`)."""
    text = decode_text(head)
    if kind == "source code" or is_binary(text):
        return False
    if kind != "a document":
        return bool(first_mark_of_kafka(text))
    plain = PurePath(name.lower()).suffix in (".txt", "")
    return plain and any(pattern.search(text) for pattern in (TOPIC_LINE, CONFIG_HEAD, FEATURE))
