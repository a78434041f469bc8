"""From files to a cluster: one reader a format, chosen by content and name, whose parts are joined. No rule is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from .cluster.cluster import Cluster, TopicUse, is_called
from .cluster.findings import Finding
from .cluster.statements import MARK, AlternativesError, Origin, Unread, UnreadableInputError, WrongOptionError
from .joining.cluster import join_parts
from .joining.options import Options
from .readers import audit_toml, properties, yamls, zookeeper
from .readers.containers import (
    alternatives,
    charts,
    compose,
    compose_overrides,
    kubernetes,
    kustomizations,
    scripts,
    strimzi,
)
from .readers.containers.config_maps import ConfigMap, Manifests, config_maps
from .readers.environments import Environment, exclude_other_groups, split_environments
from .readers.inputs import read_inputs, read_text
from .readers.kinds import CONFIGURATION, LISTS, TEXTS, first_mark_of_kafka, name_of_other_program
from .readers.parsed_file import Part
from .readers.programs import connect, frameworks, spring_profiles
from .readers.running import descriptions, log_dirs, quorum_outputs
from .readers.texts import WIDE, InputText, is_binary, is_garbled

TERRAFORM = frozenset({".tf", ".tfvars", ".hcl"})
TREES = frozenset({".yaml", ".yml", ".json"})
STATES = re.compile(r"\s*(export\s+)?([\w\-\[\]$>]+(\.[\w\-\[\]$>]+)*\s*[=:]|[\w\-]+(\.[\w\-]+)+\s+\S+\s*$)")
"""A line that states a setting: `key=value`, `key: value`, or a key with dots, a blank and one word."""
ASSIGNS = re.compile(r"^\s*(?:[\w.\-\[\]:]+\s+){0,2}(?:-{0,2}[\w.\-]+\s*[=:]\s*\S+\s*)+$", re.M)
"""A line of assignments alone, after a host or a command: what inventories and scripts have, and prose has not."""
PRINTED = re.compile(r"\A\s*[✗✓?] ")
"""What an audit's own report begins with."""
SAVED = re.compile(r'\A\s*\{\s*"schema"\s*:\s*"tidegate\.audit/')
"""What its document begins with."""


def read_files(
    paths: Sequence[Path], options: Options | None = None, running: Sequence[tuple[str, Part]] = ()
) -> tuple[Cluster, list[Finding]]:
    """The one cluster that files and directories state, and what was found on the way. Raises UnreadableInputError as
    `read_clusters` does, and where there are several."""
    found = read_clusters(paths, options, running)
    if len(found) > 1:
        names = ", ".join(name for name, _ in found)
        raise UnreadableInputError(
            f"{len(found)} clusters that never run together are in {', '.join(map(str, paths))}: {names}. Give the "
            "files of one of them."
        )
    (_, one), *_ = found
    if isinstance(one, UnreadableInputError):
        raise one
    return one


ReadCluster = tuple[Cluster, list[Finding]]


def read_clusters(
    paths: Sequence[Path], options: Options | None = None, running: Sequence[tuple[str, Part]] = ()
) -> list[tuple[str, ReadCluster | UnreadableInputError]]:
    """The clusters that files and directories state, each with what it is called ("" where there is one) and what was
    found on the way, or why it cannot be read: several where what never runs together is clearly apart.

    A directory is read with everything below it, in archives and behind links too; what of it is not read is named in
    `Cluster.unread`. `running` is what was read of running brokers (`live.read_live_cluster`), each with its address:
    then there is one cluster. Raises UnreadableInputError for a path that does not exist, for a file named by the user
    that no reader understands, and for input without any fact.
    """
    texts, unread = read_inputs(paths)
    passed_over = [
        (part.findings[0].where.path, part)
        for path in paths
        if (part := compose_overrides.override_beside(path, paths)) is not None
    ]
    whole = ", ".join(map(str, paths))
    waiting = [Environment("", tuple(texts), tuple(unread))] if running else split_environments(texts, unread)
    found: list[tuple[str, ReadCluster | UnreadableInputError]] = []
    while waiting:
        here = waiting.pop(0)
        try:
            read = read_texts(here.texts, options or Options(), whole, [*running, *passed_over], here.unread)
            found.append((here.name, read))
        except AlternativesError as error:
            if running or not error.groups:
                found.append((here.name, error))
            else:
                waiting = [*exclude_other_groups(here, error.groups), *waiting]
        except WrongOptionError:
            raise
        except UnreadableInputError as error:
            found.append((here.name, error))
    if len(found) == 1 and isinstance(found[0][1], UnreadableInputError):
        raise found[0][1]
    return found


def read_texts(
    texts: Iterable[InputText],
    options: Options,
    whole: str,
    running: Sequence[tuple[str, Part]] = (),
    unread: Iterable[Unread] = (),
) -> tuple[Cluster, list[Finding]]:
    """As `read`, of (path, text, whether the user named it). `whole` names all of it in a message, and `unread` is what
    is known not to be read."""
    read = _Files([part for _, part in running], [(address, part.format) for address, part in running], [*unread])
    texts, charted = charts.split_charts(list(texts))
    texts, patches = kustomizations.split_patches(texts)
    read.unread += [*charted, *patches]
    maps = _manifests_of_texts(texts)
    resources: list[tuple[str, yamls.Tree]] = []
    unknown: list[InputText] = []
    composed: dict[str, tuple[str, bool, yamls.Tree]] = {}
    for path, text, named in texts:
        if named and is_binary(text) and Path(path).suffix.lower() in CONFIGURATION:
            raise UnreadableInputError(f"{path} is not a text file. Give the file as Kafka reads it.")
        if found := _strimzi_documents(path, text):
            resources += [(path, tree) for tree in found if strimzi.is_recognised(tree)]
            read.parts += _parts_beside_strimzi(path, found, maps)
            read.files.append((path, "Strimzi resources"))
        elif (document := compose_overrides.compose_document(path, text.lstrip(MARK))) is not None:
            composed[path] = text.lstrip(MARK), named, document
        elif not read.add_if_read(path, _read_one(path, text, maps, is_named=named)):
            unknown.append((path, text, named))
    for path, part in _parts_of_compose_files(composed):
        if not read.add_if_read(path, part):
            unknown.append((path, *composed[path][:2]))
    _weaken_unrendered(read, resources)
    read.parts += [] if (unused := kubernetes.note_unused(maps, read.parts)) is None else [unused]
    alternatives.refuse_namespaces([part for part in read.parts if part.format == kubernetes.FORMAT])
    kubernetes.number_pods(read.parts)
    spring_profiles.apply_profiles(read.parts)
    uses = [use for part in read.parts for use in part.uses]
    started_with = frozenset(Path(path).name for path, _ in read.files)
    for path, text, named in unknown:
        part = _part_mapped_to_client(path, text, uses) or _part_of_script(path, text, started_with, is_named=named)
        if named and part is None:
            if SAVED.search(text):
                raise UnreadableInputError(f"{path} is what `audit --json` printed: --diff {path} compares with it")
            raise UnreadableInputError(f"{path} is not a configuration that Tidegate knows. {KNOWN}")
        read.add_if_read(path, part or _unknown_file_unread(path, text))
    if resources:
        read.parts.append(strimzi.read_strimzi(resources, is_described=any(map(_names_nodes, read.parts))))
    if not read.files and not any(left.may_be_configuration for left in read.unread):
        raise UnreadableInputError(f"{whole}: nothing in it is a configuration that Tidegate knows. {KNOWN}")
    return join_parts(read.parts, options, tuple(read.files), read.unread)


@dataclass
class _Files:
    """What was read of all files, and what was not."""

    parts: list[Part]
    files: list[tuple[str, str]]
    unread: list[Unread]

    def add_if_read(self, path: str, part_or_unread: Part | Unread | None) -> bool:
        """Adds what a file says, or why it is not read; False if neither is known."""
        if isinstance(part_or_unread, Unread):
            self.unread.append(part_or_unread)
        elif part_or_unread is not None:
            self.parts.append(part_or_unread)
            self.files.append((path, part_or_unread.format))
        return part_or_unread is not None


def _names_nodes(part: Part) -> bool:
    """Whether a description calls nodes by their ids."""
    described = any(topic.partitions for topic in part.topics)
    return described or bool(part.quorums or part.per_broker or part.whole_brokers)


def _read_one(path: str, text: str, maps: Manifests, *, is_named: bool) -> Part | Unread | None:
    """What one file says by itself."""
    if not is_named and _is_tree(Path(path)) and (kind := name_of_other_program(text)):
        return Unread(path, f"it is {kind}")
    found = part_of_file(path, text, maps, is_named=is_named)
    if not isinstance(found, Part) and _is_tree(Path(path)):
        found = connect.connectors_of_document(path, text.lstrip(MARK)) or found
    if isinstance(found, Unread) and is_named and not PRINTED.match(text):  # it is given as configuration
        return replace(found, may_be_configuration=True)
    if isinstance(found, Part) and found.clients and not is_named and _is_of_tests(path):
        return _passed_over_part(path)
    return found


def _unknown_file_unread(path: str, text: str) -> Unread:
    """Why a file is read by nobody: whose it is, or that nothing in it is of Kafka, or else that it may be
    configuration."""
    if kind := name_of_other_program(text):
        return Unread(path, f"it is {kind}")
    if scripts.OF_KAFKA.fullmatch(Path(path).name.lower()):
        return Unread(path, "it is a script of Kafka's own")
    if PRINTED.match(text) or scripts.OURS.search(text):
        return Unread(path, "it is what an audit has printed")
    if REASSIGNS.search(text):
        reason = "it is a plan of kafka-reassign-partitions.sh, and whether that has been carried out is not in it"
        return Unread(path, reason, may_be_configuration=True, to_do=AFTER_PLAN)
    if is_garbled(text):
        reason = "it is in an encoding that is not known, such as EBCDIC"
        return Unread(path, reason, may_be_configuration=True, to_do="save it as UTF-8")
    if mark := first_mark_of_kafka(text):
        reason = f"it has `{mark}`, and is in no form that is known here"
        return Unread(path, reason, may_be_configuration=True, to_do=f"give what comes of it: {FORMS}")
    return Unread(path, "nothing in it is a setting of Kafka")


REASSIGNS = re.compile(r'"version"\s*:\s*\d+\s*,\s*"partitions"\s*:\s*\[\s*\{[^{}]*"replicas"\s*:')
"""A plan of reassignment, as kafka-reassign-partitions.sh takes it (KIP-455), and as it prints it."""

AFTER_PLAN = "give what kafka-topics.sh --describe prints when it is done, and take the plan out"

FORMS = "server.properties, properties of clients, or what kafka-topics.sh --describe and kafka-configs.sh print"


KNOWN = (
    "Known are server.properties, producer and consumer properties, what kafka-topics.sh, kafka-configs.sh, "
    "kafka-metadata-quorum.sh, kafka-log-dirs.sh and kafka-features.sh describe, Strimzi's YAML, docker-compose, what "
    "`helm template` prints, Spring's application.yml, properties of Connect, Streams and MirrorMaker, connectors' "
    "JSON and properties, and audit.toml."
)


def _is_tree(path: Path) -> bool:
    return path.suffix.lower() in TREES


def part_of_file(path: str, text: str, maps: Manifests, *, is_named: bool = True) -> Part | Unread | None:
    """One file's facts, or why it is not read; None if no reader knows it. What the user did not name is a list of
    settings only if it is called so. Raises UnreadableInputError for a broken audit.toml."""
    suffix = Path(path).suffix.lower()
    plain = text.lstrip(MARK)
    if "\0" in text:
        return None
    if suffix == ".toml":
        return audit_toml.read_audit_toml(path, plain) if is_named or audit_toml.is_recognised(path, plain) else None
    if suffix in TERRAFORM:
        return _unread_terraform(path, plain)
    if suffix in TREES and (found := part_of_yaml(path, plain, maps)) is not None:
        return found
    for reader in (
        descriptions.read_topics,
        descriptions.read_configs,
        descriptions.read_features,
        quorum_outputs.read_quorum,
        log_dirs.read_log_dirs,
        zookeeper.read_zookeeper_file,
    ):
        part = reader(path, plain)
        if part is not None:
            return part
    listed = suffix in LISTS or "=" in text
    if listed and suffix not in TREES and (is_named or suffix in TEXTS):
        if suffix in (".txt", ".out", ".log", "") and _is_prose(plain):
            return _unread_prose(path, plain)
        return _part_in_utf_16(path, plain) if text.startswith(WIDE) else properties.read_properties(path, text)
    return None


def _is_prose(text: str) -> bool:
    """Whether most lines state no setting, as in mails, logs, and what an audit has printed: Java's properties may be
    parted by a blank, so that each line of prose is one, too."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "!"))]
    return 2 * sum(STATES.match(line) is not None for line in lines) < len(lines)


def _unread_prose(path: str, text: str) -> Unread | None:
    """What is said of a text that names settings and is no list of them. None if it names none."""
    if scripts.SETS_OF_KAFKA.search(text) is None:
        return None
    if PRINTED.match(text):
        return Unread(path, "it is what an audit has printed")
    what, to_do = "most of its lines state no setting", "name it .properties if a process is started with it"
    assigned = any(first_mark_of_kafka(found[0]) for found in ASSIGNS.finditer(text))
    return Unread(path, what, may_be_configuration=assigned, to_do=to_do)


def _part_in_utf_16(path: str, text: str) -> Part | None:
    """Properties in UTF-16, of which Java takes every byte for a character: no setting in it has a name."""
    if properties.read_properties(path, text) is None:
        return None
    part = Part("properties in UTF-16")
    what = f"{path} was not read: it is in UTF-16, and Kafka reads no setting of it"
    part.note("not_read", "error", what, Origin(path), "save it as UTF-8 without a byte order mark")
    return part


def _part_mapped_to_client(path: str, text: str, uses: Sequence[TopicUse]) -> Part | None:
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
        settings, _ = properties.property_entries(path, text)
    except ValueError:
        return None
    return properties.part_of_clients(path, settings, tuple(kinds))


def _part_of_script(path: str, text: str, files: frozenset[str], *, is_named: bool) -> Part | None:
    """A script or a template of a folder."""
    return (
        None
        if is_named or "\0" in text or not scripts.is_script(Path(path))
        else scripts.read_script(path, text, files)
    )


def _strimzi_documents(path: str, text: str) -> list[yamls.Tree]:
    """The documents of a file that has Strimzi's; none if it has no such, or cannot be read."""
    if not _is_tree(Path(path)) or "kafka.strimzi.io/" not in text or "\0" in text:
        return []
    try:
        trees = [tree for document in yamls.yaml_documents(text.lstrip(MARK)) for tree in _flatten_list(document)]
    except yamls.YamlError:
        return []
    return trees if any(map(strimzi.is_of_strimzi, trees)) else []


_STORES = re.compile(r"""\bkind["']?\s*:\s*["']?\w*(ConfigMap|Secret|Set|Deployment\w*|Job|Rollout)\b""")
"""Where a text may have what resources of other files refer to, which is seen before it is parsed."""


def _manifests_of_texts(texts: Iterable[InputText]) -> Manifests:
    """What resources of one file refer to in another."""
    found: list[ConfigMap] = []
    makers: set[tuple[str | None, str | None]] = set()
    for path, text, _ in texts:
        if _is_tree(Path(path)) and _STORES.search(text) and "\0" not in text:
            try:
                trees = [
                    tree for document in yamls.yaml_documents(text.lstrip(MARK)) for tree in _flatten_list(document)
                ]
            except yamls.YamlError:
                continue  # which the file's own reader says
            found += config_maps(path, trees)
            makers |= {(tree.text("kind"), tree.text("metadata", "name")) for tree in trees}
    return Manifests(found, makers)


def _parts_beside_strimzi(path: str, trees: Sequence[yamls.Tree], maps: Manifests) -> list[Part]:
    """What else stands in a file with Strimzi's resources: its other kinds, and Kubernetes' own."""
    programs = [tree for tree in trees if strimzi.is_of_strimzi(tree) and not strimzi.is_recognised(tree)]
    others = kubernetes.read_kubernetes(path, [tree for tree in trees if not strimzi.is_of_strimzi(tree)], maps)
    return [connect.part_of_connect_resources(path, programs), *([] if others is None else [others])]


def part_of_yaml(path: str, text: str, maps: Manifests) -> Part | Unread | None:
    """A YAML file without Strimzi's resources: compose, what a Helm chart renders, Spring's application.yml."""
    try:
        trees = [tree for document in yamls.yaml_documents(text) for tree in _flatten_list(document)]
    except yamls.YamlError as error:
        may, to_do = "kafka" in text.lower() or bool(first_mark_of_kafka(text)), "correct it"
        if isinstance(error, yamls.TemplateError):
            to_do = "render it first (helm template, ansible-playbook, kustomize build), and give what comes of it"
        return Unread(path, str(error), may_be_configuration=may, to_do=to_do)
    rendered = kubernetes.read_kubernetes(path, trees, maps)
    if rendered is not None:
        return rendered
    spring = [setting for tree in trees for setting in spring_profiles.spring_document_settings(path, tree)]
    framework = frameworks.framework_of_keys(
        re.sub(r"\.\d+", "", ".".join(leaf.path)) for tree in trees for leaf in tree.leaves()
    )
    if not any(setting.key.startswith("spring.kafka.") for setting in spring):
        return frameworks.unread_clients(path, framework) if framework else _values_of_a_chart(path, text)
    part = spring_profiles.part_of_spring_settings(path, spring)
    if framework:
        part.findings += frameworks.unread_clients(path, framework).findings
    return part if part.clients or part.findings else None


def _parts_of_compose_files(
    value: Mapping[str, tuple[str, bool, yamls.Tree]],
) -> Iterator[tuple[str, Part | Unread | None]]:
    """Compose files, each with what it includes, extends and is overridden by; None for one without anything known."""
    documents = {path: tree for path, (_, _, tree) in value.items()}
    texts = {path: text for path, (text, _, _) in value.items()}
    named = [path for path, (_, by_name, _) in value.items() if by_name]
    whole, rest = compose_overrides.read_projects(documents, texts, read_text, named)
    stacks: list[alternatives.ComposeStack] = []
    for path, tree, notes in whole:
        part = (
            compose.read_compose(path, tree)
            if compose.is_recognised(tree)
            else part_of_yaml(path, texts[path], Manifests())
        )
        if isinstance(part, Part) and (stack := alternatives.compose_stack(path, tree, part)) is not None:
            stacks.append(stack)
        if isinstance(part, Part):
            part.findings += notes.findings
        yield path, part or (notes if notes.findings else None)
    yield from rest.items()
    alternatives.refuse_alternatives(stacks)


def _values_of_a_chart(path: str, text: str) -> Unread | None:
    """What is said of a file of Helm values: what becomes of them is the chart's to say."""
    if not Path(path).stem.lower().startswith("values"):
        return None
    reason = "values become configuration only when their chart renders them"
    to_do = f"helm template NAME CHART -f {path} > rendered.yaml, and give that"
    return Unread(path, reason, may_be_configuration=scripts.sets_up_kafka(text), to_do=to_do)


def _weaken_unrendered(read: _Files, resources: Sequence[tuple[str, yamls.Tree]]) -> None:
    """A chart and its values decide nothing beside what it has rendered."""
    brokers = any(part.format == kubernetes.FORMAT and part.brokers for part in read.parts)
    if brokers or any(tree.text("kind") == "Kafka" for _, tree in resources):
        read.unread = [charts.weaken_beside_rendered(left) for left in read.unread]


def _is_of_tests(path: str) -> bool:
    """Whether a build tool takes it for the tests of a program alone (Maven's and Gradle's standard directories)."""
    return ("src", "test") in pairwise(Path(path).parts)


def _passed_over_part(path: str) -> Part:
    part = Part("a client's file of tests")
    what = f"{path} was not read: it is of a program's tests, and says nothing of the program that runs"
    part.note("not_read", "warning", what, Origin(path), "name the file on the command line to have it read")
    return part


def _unread_terraform(path: str, text: str) -> Part | Unread:
    """What is said of Terraform's files: their values may come from variables, modules and states."""
    part = Part("Terraform")
    if scripts.note_msk(part, path, text):
        return part
    may = scripts.SETS_OF_KAFKA.search(text) is not None or bool(first_mark_of_kafka(text))
    to_do = "give what they become: kafka-topics.sh --describe, the server_properties as a file, or --bootstrap-server"
    return Unread(path, "Terraform's settings are known when they are applied", may_be_configuration=may, to_do=to_do)


def _flatten_list(tree: yamls.Tree) -> list[yamls.Tree]:
    """`kubectl get -o yaml` and `-o json` give one list of many, and a template of OpenShift has its objects."""
    kind = tree.text("kind") or ""
    items = tree.get("items") if kind.endswith("List") else tree.get("objects") if kind == "Template" else None
    if items is None:
        return [tree]
    return [inner for _, resource in items.items() for inner in _flatten_list(replace(resource, path=()))]
