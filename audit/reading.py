"""From files to a cluster: one reader a format, chosen by content and name, whose parts are joined. No rule is run."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from .cluster.cluster import Cluster, Use, is_called
from .cluster.findings import Finding, Kind
from .cluster.statements import MARK, Origin, UnreadableInputError
from .joining.cluster import join_parts
from .joining.options import Options
from .readers import audit_toml, properties, yamls, zookeeper
from .readers.containers import compose, compose_overrides, kubernetes, scripts, strimzi
from .readers.parsed_file import Part
from .readers.programs import connect, frameworks, spring_profiles
from .readers.running import descriptions

CONTROLS = tuple(chr(code) for code in range(32) if chr(code) not in "\t\n\f\r\x1b")
"""Characters that no text has; the escapes of a terminal's colours may be in what was copied from one."""

LARGEST = 256 << 20
"""Bytes of one file; 50,000 partitions are described in 6 MB."""

TERRAFORM = frozenset({".tf", ".tfvars", ".hcl"})
TEXTS = TERRAFORM | frozenset(
    {".properties", ".conf", ".cfg", ".config", ".txt", ".out", ".log", ".yaml", ".yml", ".toml", ".env", ""}
)
CONFIGURATION = TEXTS - {".out", ".log", ""}
"""Of files with these ends each is read or refused; of what has none, or `.log` and `.out`, a folder may hold logs."""
STATES = re.compile(r"\s*([\w\-\[\]$>]+(\.[\w\-\[\]$>]+)*\s*[=:]|[\w\-]+(\.[\w\-]+)+\s+\S+\s*$)")
"""A line that states a setting: `key=value`, `key: value`, or a key with dots, a blank and one word."""
PROSE = frozenset({"readme", "license", "notice", "changelog", "makefile", "dockerfile"})


def read_files(
    paths: Sequence[Path], options: Options | None = None, running: Sequence[tuple[str, Part]] = ()
) -> tuple[Cluster, list[Finding]]:
    """The cluster that files and directories state, and what was found on the way.

    A directory is read with everything below it; what is no configuration is passed over there. `running` is what was
    read of running brokers (`live.read`), each with its address. Raises UnreadableInputError for a path that does not
    exist, for a file named by the user that no reader understands, and for input without any fact.
    """
    texts = ((str(path), _text(path), named) for path, named in _files(paths))
    passed_over = [
        (part.findings[0].where.path, part)
        for path in paths
        if (part := compose_overrides.override_beside(path, paths)) is not None
    ]
    return read_texts(texts, options or Options(), ", ".join(map(str, paths)), [*running, *passed_over])


def read_texts(
    texts: Iterable[tuple[str, str, bool]], options: Options, whole: str, running: Sequence[tuple[str, Part]] = ()
) -> tuple[Cluster, list[Finding]]:
    """As `read`, of (path, text, whether the user named it). `whole` names all of it in a message."""
    parts = [part for _, part in running]
    files = [(address, part.format) for address, part in running]
    resources: list[tuple[str, yamls.Tree]] = []
    unknown: list[tuple[str, str, bool]] = []
    composed: dict[str, tuple[str, bool, yamls.Tree]] = {}
    for path, text, named in texts:
        if _is_binary(text) and Path(path).suffix.lower() in CONFIGURATION:
            raise UnreadableInputError(
                f"{path} is not a text file. Give the file as Kafka reads it, or take it out of the folder."
            )
        if found := _resources(path, text):
            resources += [(path, tree) for tree in found if strimzi.is_recognised(tree)]
            parts += _parts_beside_brokers(path, found)
            files.append((path, "Strimzi resources"))
            continue
        if (document := compose_overrides.document(path, text.lstrip(MARK))) is not None:
            composed[path] = text.lstrip(MARK), named, document
            continue
        part = None if not named and not _is_text(Path(path)) else part_of(path, text)
        part = connect.of_document(path, text.lstrip(MARK)) if part is None and _is_tree(Path(path)) else part
        if part is not None and part.clients and not named and _is_of_tests(path):
            part = _passed_over(path)
        if part is None:
            unknown.append((path, text, named))
        else:
            parts.append(part)
            files.append((path, part.format))
    for path, part in _of_compose(composed):
        if part is None:
            unknown.append((path, *composed[path][:2]))
        else:
            parts.append(part)
            files.append((path, part.format))
    _weaken_values_findings(parts)
    kubernetes.number(parts)
    spring_profiles.apply_profiles(parts)
    uses = [use for part in parts for use in part.uses]
    started_with = frozenset(Path(path).name for path, _ in files)
    for path, text, named in unknown:
        part = _as_mapped(path, text, uses) or _as_script(path, text, started_with, named=named)
        if part is not None:
            parts.append(part)
            files.append((path, part.format))
        elif named:
            raise UnreadableInputError(f"{path} is not a configuration that Tidegate knows. {KNOWN}")
    if resources:
        parts.append(strimzi.read(resources))
    if not files:
        raise UnreadableInputError(f"{whole}: nothing in it is a configuration that Tidegate knows. {KNOWN}")
    return join_parts(parts, options, tuple(files))


KNOWN = (
    "Known are server.properties, producer and consumer properties, what kafka-topics.sh, kafka-configs.sh, "
    "kafka-metadata-quorum.sh and kafka-features.sh describe, Strimzi's YAML, docker-compose, what `helm template` "
    "prints, Spring's application.yml, properties of Connect, Streams and MirrorMaker, connectors' JSON and "
    "properties, and audit.toml."
)


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Every file to read, and whether the user named it."""
    for path in paths:
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
                if file.is_file() and not hidden and (_is_text(file) or _is_small_script(file)):
                    yield file, False
        elif path.exists():
            yield path, True
        else:
            raise UnreadableInputError(f"{path} does not exist. Give files, or a directory of them.")


def _is_text(path: Path) -> bool:
    return path.suffix.lower() in TEXTS and path.stem.lower() not in PROSE


def _is_tree(path: Path) -> bool:
    return path.suffix.lower() in (".json", ".yaml", ".yml")


def _is_small_script(path: Path) -> bool:
    return scripts.is_script(path) and path.stat().st_size <= scripts.LARGEST


WIDE = MARK + MARK
"""What a text begins with that was in UTF-16: `Properties.load` of Java understands nothing of it."""


def _text(path: Path) -> str:
    """A file's text, with its byte order mark: what a reader makes of that is the reader's to say."""
    try:
        if path.stat().st_size > LARGEST:
            raise UnreadableInputError(f"{path} is larger than {LARGEST >> 20} MiB, which no configuration is.")
        raw = path.read_bytes()
    except OSError as error:
        raise UnreadableInputError(f"{path}: {error.strerror}.") from None
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # what PowerShell makes of `kafka-topics.bat > FILE`
        return WIDE + raw.decode("utf-16", errors="replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")  # what Java properties were before Java 9


def _is_binary(text: str) -> bool:
    """Whether it has what no configuration has: a zero byte, or control characters for more than one in twenty."""
    return "\0" in text or 20 * sum(map(text.count, CONTROLS)) > len(text)


def part_of(path: str, text: str) -> Part | None:
    """One file's facts; None if no reader knows it. Raises UnreadableInputError for a broken audit.toml."""
    suffix = Path(path).suffix.lower()
    plain = text.lstrip(MARK)
    if "\0" in text:
        return None
    if suffix == ".toml":
        return audit_toml.read(path, plain)
    if suffix in TERRAFORM:
        return _terraform(path, plain)
    if suffix in (".yaml", ".yml"):
        return of_yaml(path, plain)
    for reader in (
        descriptions.topics,
        descriptions.configs,
        descriptions.features,
        descriptions.read_quorum,
        zookeeper.read,
    ):
        part = reader(path, plain)
        if part is not None:
            return part
    if suffix in (".properties", ".conf", ".cfg", ".config", ".env", "") or "=" in text:
        if suffix in (".txt", ".out", ".log", "") and _is_prose(plain):
            return _prose(path, plain)
        return _wide(path, plain) if text.startswith(WIDE) else properties.read(path, text)
    return None


def _is_prose(text: str) -> bool:
    """Whether most lines state no setting, as in mails, logs, and what an audit has printed: Java's properties may be
    parted by a blank, so that each line of prose is one, too."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "!"))]
    return 2 * sum(STATES.match(line) is not None for line in lines) < len(lines)


def _prose(path: str, text: str) -> Part | None:
    """What is said of a text that names settings and is no list of them. None if it names none."""
    if scripts.SETS_OF_KAFKA.search(text) is None:
        return None
    part = Part("a text")
    what = f"{path} was not read: most of its lines state no setting"
    part.note("not_read", "warning", what, Origin(path), "name it .properties if a process is started with it")
    return part


def _wide(path: str, text: str) -> Part | None:
    """Properties in UTF-16, of which Java takes every byte for a character: no setting in it has a name."""
    if properties.read(path, text) is None:
        return None
    part = Part("properties in UTF-16")
    what = f"{path} was not read: it is in UTF-16, and Kafka reads no setting of it"
    part.note("not_read", "error", what, Origin(path), "save it as UTF-8 without a byte order mark")
    return part


def _as_mapped(path: str, text: str, uses: Sequence[Use]) -> Part | None:
    """A file that only audit.toml says to be a client's: all that matters in it may be left to its default."""
    kinds = dict.fromkeys(kind for use in uses for kind, name in use.client_names if is_called(path, name))
    if not kinds or "\0" in text or text.startswith(WIDE):
        return None
    if _is_tree(Path(path)) or Path(path).suffix.lower() == ".toml":
        part = Part("a client's file in another form")
        what = f"{path}, which audit.toml names, was not read: it has no settings of a client that are known here"
        part.note("incomplete", "error", what, Origin(path), f"give them as properties, or {connect.GIVE[5:]}")
        return part
    try:
        settings, _ = properties.entries(path, text)
    except ValueError:
        return None
    return properties.of_clients(path, settings, tuple(kinds))


def _as_script(path: str, text: str, files: frozenset[str], *, named: bool) -> Part | None:
    """A script or a template of a folder."""
    return None if named or "\0" in text or not scripts.is_script(Path(path)) else scripts.read(path, text, files)


def _resources(path: str, text: str) -> list[yamls.Tree]:
    """The documents of a file that has Strimzi's; none if it has no such, or cannot be read."""
    if Path(path).suffix.lower() not in (".yaml", ".yml") or "kafka.strimzi.io/" not in text or "\0" in text:
        return []
    try:
        trees = [tree for document in yamls.documents(text.lstrip(MARK)) for tree in _items(document)]
    except yamls.YamlError:
        return []
    return trees if any(map(strimzi.is_of_strimzi, trees)) else []


def _parts_beside_brokers(path: str, trees: Sequence[yamls.Tree]) -> list[Part]:
    """What else stands in a file with Strimzi's resources: its other kinds, and Kubernetes' own."""
    programs = [tree for tree in trees if strimzi.is_of_strimzi(tree) and not strimzi.is_recognised(tree)]
    others = kubernetes.read(path, [tree for tree in trees if not strimzi.is_of_strimzi(tree)])
    return [connect.of_resources(path, programs), *([] if others is None else [others])]


def of_yaml(path: str, text: str) -> Part | None:
    """A YAML file without Strimzi's resources: compose, what a Helm chart renders, Spring's application.yml."""
    try:
        trees = [tree for document in yamls.documents(text) for tree in _items(document)]
    except yamls.YamlError as error:
        part = Part("YAML")
        to_do = "correct it; render templates first (helm template, kustomize build)"
        part.note(_gravity(text), "error", f"{path} was not read: {error}", Origin(path), to_do)
        return part
    rendered = kubernetes.read(path, trees)
    if rendered is not None:
        return rendered
    spring = [setting for tree in trees for setting in spring_profiles.of_document(path, tree)]
    framework = frameworks.of(re.sub(r"\.\d+", "", ".".join(leaf.path)) for tree in trees for leaf in tree.leaves())
    if not any(setting.key.startswith("spring.kafka.") for setting in spring):
        return frameworks.unread(path, framework) if framework else _values_of_a_chart(path, text)
    part = spring_profiles.spring(path, spring)
    if framework:
        part.findings += frameworks.unread(path, framework).findings
    return part if part.clients or part.findings else None


def _of_compose(given: Mapping[str, tuple[str, bool, yamls.Tree]]) -> Iterator[tuple[str, Part | None]]:
    """Compose files, each with what it includes, extends and is overridden by; None for one without anything known."""
    documents = {path: tree for path, (_, _, tree) in given.items()}
    texts = {path: text for path, (text, _, _) in given.items()}
    named = [path for path, (_, by_name, _) in given.items() if by_name]
    whole, rest = compose_overrides.projects(documents, texts, _text, named)
    for path, tree, notes in whole:
        part = compose.read(path, tree) if compose.is_recognised(tree) else of_yaml(path, texts[path])
        if part is not None:
            part.findings += notes.findings
        yield path, part or (notes if notes.findings else None)
    yield from rest.items()


def _values_of_a_chart(path: str, text: str) -> Part | None:
    """What is said of a file of Helm values: what becomes of them is the chart's to say."""
    if not Path(path).stem.lower().startswith("values"):
        return None
    part = Part(VALUES)
    what = f"{path} was not read: values become configuration only when their chart renders them"
    to_do = f"helm template NAME CHART -f {path} > rendered.yaml, and give that"
    part.note(_gravity(text), "error", what, Origin(path), to_do)
    return part


def _gravity(text: str) -> Kind:
    """`incomplete`, so that the audit is undecided, where a text that is not read has settings of brokers or topics."""
    return "not_read" if scripts.SETS_OF_KAFKA.search(text) is None else "incomplete"


def _weaken_values_findings(parts: Sequence[Part]) -> None:
    """Values of a chart decide nothing beside what the chart has rendered."""
    if any(part.format == kubernetes.FORMAT and part.brokers for part in parts):
        for part in (candidate for candidate in parts if candidate.format == VALUES):
            part.findings = [replace(finding, kind="not_read") for finding in part.findings]


VALUES = "Helm values"


def _is_of_tests(path: str) -> bool:
    """Whether a build tool takes it for the tests of a program alone (Maven's and Gradle's standard directories)."""
    return ("src", "test") in pairwise(Path(path).parts)


def _passed_over(path: str) -> Part:
    part = Part("a client's file of tests")
    what = f"{path} was not read: it is of a program's tests, and says nothing of the program that runs"
    part.note("not_read", "warning", what, Origin(path), "name the file on the command line to have it read")
    return part


def _terraform(path: str, text: str) -> Part:
    """What is said of Terraform's files: their values may come from variables, modules and states."""
    part = Part("Terraform")
    if scripts.note_msk(part, path, text):
        return part
    what = f"{path} was not read: Terraform's settings are known when they are applied"
    to_do = "give what they become: kafka-topics.sh --describe, the server_properties as a file, or --bootstrap-server"
    part.note(_gravity(text), "error", what, Origin(path), to_do)
    return part


def _items(tree: yamls.Tree) -> list[yamls.Tree]:
    """`kubectl get -o yaml` gives one list of many."""
    if tree.text("kind") != "List":
        return [tree]
    items = tree.get("items")
    return [replace(resource, path=()) for _, resource in items.items()] if items is not None else []
