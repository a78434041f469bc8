"""One compose file of several: `include`, `extends`, and the override file beside it, as `docker compose` merges them
(Compose Specification: merge, include, extends). What cannot be merged is noted, and leaves the audit undecided.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import PurePath
from typing import Any

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ...cluster.statements import Origin
from .. import yamls
from ..parsed_file import Part
from ..yamls import Tree

Load = Callable[[str], str | None]
"""A file's text by its path; None where it is not there."""

Pairs = list[tuple[Node, Node]]

CONFIG = "give what `docker compose config` prints, which is all of these files as they are merged, instead of them"
RESET, OVERRIDE = "!reset", "!override"
REPLACED = frozenset({"command", "entrypoint"})
"""Attributes of a service whose later value replaces the earlier one, whatever its type is."""

BY_NAME = frozenset({"environment", "labels", "annotations", "extra_hosts"})
"""Attributes that are `NAME=value` lists or mappings, and are merged by name."""

DEEPEST = 20
"""Files that include each other, and services that extend each other."""

MOST = 200
"""Files that one project includes, each as often as it is named."""


@dataclass
class Project:
    """One compose file with all that it names. `source_files` are the files that went into it, `included_count` is how
    many were included; `part` has what was not read."""

    load: Load
    part: Part = field(default_factory=lambda: Part("docker-compose"))
    source_files: set[str] = field(default_factory=set[str])
    included_count: int = 0

    def merged_document(self, path: str, tree: Tree, overriding: Sequence[tuple[str, Tree]] = ()) -> Tree:
        """A compose file's document with what it includes and extends, then with the files that override it."""
        node = self._file_document(path, tree, (path,))
        for other, later in overriding:
            node = merge_nodes(node, self._file_document(other, later, (other,)))
            self.source_files.add(other)
        for place in _resets_in_lists(node):
            self._note_unread_file(
                "`!reset` or `!override` of one entry of a list is not read", Origin(path, place.line)
            )
        return Tree(_drop_resets(node))

    def _note_unread_file(self, what: str, where: Origin) -> None:
        self.part.note("incomplete", "error", what, where, CONFIG)

    def _file_document(self, path: str, tree: Tree, chain: tuple[str, ...]) -> Node:
        """One file's document, its services as they extend others, and with what it includes."""
        services = tree.get("services")
        entries = services.items() if services is not None else []
        extended = {name: self._extended_service(path, tree, name, chain) for name, _ in entries}
        node = _with_values_below(tree.node, "services", extended) if extended else tree.node
        for included, where in self._included_files(path, tree, chain):
            node = self._join_services(node, included, where)
        return node

    def _join_services(self, node: Node, included_services: Node, where: Origin) -> Node:
        """With the services of an included file. Compose refuses a name that both have."""
        mine, theirs = (Tree(side).get("services") for side in (node, included_services))
        shared = {name for name, _ in mine.items()} & {name for name, _ in theirs.items()} if mine and theirs else ()
        for name in sorted(shared):
            self._note_unread_file(f"service {name} is in an included file as well, which Compose refuses", where)
        return merge_nodes(included_services, node)

    def _included_files(self, path: str, tree: Tree, chain: tuple[str, ...]) -> Iterator[tuple[Node, Origin]]:
        listed = tree.get("include")
        for _, entry in listed.items() if listed is not None else ():
            where = Origin(path, entry.line, "include")
            paths = entry.get("path")
            texts = [entry.text()] if paths is None else [leaf.value for leaf in paths.leaves()]
            nodes: list[Node] = []
            for text in texts:
                found = self._named_file(path, text or "", where, "included")
                if found is None:
                    continue
                if found[0] in chain or len(chain) > DEEPEST:
                    self._note_unread_file(f"{found[0]} includes itself, and was not read again", where)
                    continue
                self.included_count += 1
                if self.included_count > MOST:  # two files that each include the next ones twice are 2 ** DEEPEST
                    self._note_unread_file(
                        f"it includes more than {MOST:,} files, and these were not read", Origin(path)
                    )
                    return
                nodes.append(self._file_document(*found, (*chain, found[0])))
            if nodes:
                yield reduce(merge_nodes, nodes), where

    def _named_file(self, path: str, named_path: str, where: Origin, verb: str) -> tuple[str, Tree] | None:
        """Another file that a file names, relative to its own folder; None, and a note, where it is not read."""
        other = os.path.normpath(PurePath(path).parent / named_path) if named_path else ""
        remote = (
            not named_path
            or "$" in named_path
            or "://" in named_path
            or re.match(r"(git@|github\.com/)", named_path) is not None
        )
        text = None if remote else self.load(other)
        trees: Sequence[Tree] = ()
        if text is not None:
            try:
                trees = yamls.yaml_documents(text, other)
            except yamls.YamlError as error:
                self._note_unread_file(f"{other}, which is {verb}, was not read: {error}", where)
                return None
        if not trees:
            self._note_unread_file(
                f"`{named_path}`, which is {verb}, was not read: there is no such file beside {path}", where
            )
            return None
        self.source_files.add(other)
        return other, one_document(trees)

    def _extended_service(self, path: str, tree: Tree, name: str, chain: tuple[str, ...]) -> Node:
        """A service with what it extends. Its own attributes are stronger."""
        found = tree.get("services", name)
        assert found is not None, f"{path} has service {name}"
        extends = found.get("extends")
        if extends is None:
            return found.node
        where = Origin(path, extends.line, f"services.{name}.extends")
        own, base = _drop_key(found.node, "extends"), extends.text("service") or extends.text() or ""
        named, step = extends.text("file"), f"{path} {name}"
        other = (path, tree) if named is None else self._named_file(path, named, where, "extended")
        if other is None:
            return own
        if step in chain or len(chain) > DEEPEST:
            self._note_unread_file(f"service {name} extends itself, and that was not read", where)
            return own
        if other[1].get("services", base) is None:
            self._note_unread_file(
                f"service {name} extends {base or 'a service'}, which {other[0]} does not have", where
            )
            return own
        return merge_nodes(self._extended_service(*other, base, (*chain, step)), own)


def one_document(trees: Sequence[Tree]) -> Tree:
    """The documents of one file, which Compose merges as it does files, the later ones stronger."""
    return Tree(reduce(merge_nodes, (tree.node for tree in trees)))


def merge_nodes(earlier: Node, later: Node, key: str = "", *, null_counts: bool = False) -> Node:
    """Two values as Compose merges them: mappings by key, lists one behind the other, else the later one."""
    if _node_tag(later) in (OVERRIDE, RESET) or key in REPLACED:
        return later
    if key in BY_NAME:
        earlier, later = _as_mapping(earlier), _as_mapping(later)
    if isinstance(earlier, MappingNode) and isinstance(later, MappingNode):
        return _mapping_node([*_merged_pairs(earlier, later, null_counts=key in BY_NAME)], later)
    if isinstance(earlier, SequenceNode) and isinstance(later, SequenceNode):
        new = [entry.node for _, entry in Tree(later).items()]
        targets = {_mount_target(volume) for volume in new} if key == "volumes" else set[str]()
        return _sequence_node(
            [*(e.node for _, e in Tree(earlier).items() if _mount_target(e.node) not in targets), *new], later
        )
    return earlier if _is_null(later) and not null_counts else later


def _merged_pairs(earlier: Node, later: Node, *, null_counts: bool) -> Iterator[tuple[Node, Node]]:
    stronger, weaker = dict(_named_entries(later)), {name for name, _ in _named_entries(earlier)}
    for name, value in _named_entries(earlier):
        other = stronger.get(name)
        yield (
            _scalar_node(name, value),
            value if other is None else merge_nodes(value, other, name, null_counts=null_counts),
        )
    yield from ((_scalar_node(name, value), value) for name, value in _named_entries(later) if name not in weaker)


def _named_entries(node: Node) -> list[tuple[str, Node]]:
    """A mapping's entries whose keys are words, as all of Compose's are."""
    return [(str(key.value), value) for key, value in yamls.mapping_pairs(node) if isinstance(key, ScalarNode)]


def _as_mapping(node: Node) -> Node:
    """A list of `NAME=value` as a mapping; a name alone is passed on from where Compose runs."""
    if not isinstance(node, SequenceNode):
        return node
    found: Pairs = []
    for _, entry in Tree(node).items():
        name, mark, value = (entry.text() or "").partition("=")
        found.append(
            (_scalar_node(name.strip(), entry.node), _scalar_node(value.strip(), entry.node, '"' if mark else None))
        )
    return _mapping_node(found, node)


def _mount_target(volume: Node) -> str:
    """Where a volume is mounted: of two mounts at one place the later one counts."""
    tree = Tree(volume)
    short = tree.text()
    if short is None:
        return tree.text("target") or f"line {tree.line}"
    parts = short.split(":")
    return parts[1] if len(parts) > 1 else parts[0]


def _node_tag(node: Node) -> str:
    return str(getattr(node, "tag", ""))


def _is_null(node: Node) -> bool:
    return isinstance(node, ScalarNode) and Tree(node).text() is None


_SCALAR: Any = ScalarNode  # whose constructors have no types
_MAPPING: Any = MappingNode
_SEQUENCE: Any = SequenceNode


def _scalar_node(value: str, like: Node, style: Any = None) -> Node:
    return _SCALAR("tag:yaml.org,2002:str", value, like.start_mark, like.start_mark, style=style)


def _mapping_node(entries: Pairs, like: Node) -> Node:
    return _MAPPING("tag:yaml.org,2002:map", entries, like.start_mark, like.start_mark)


def _sequence_node(entries: list[Node], like: Node) -> Node:
    return _SEQUENCE("tag:yaml.org,2002:seq", entries, like.start_mark, like.start_mark)


def _mapping_like(entries: Iterable[tuple[str, Node]], like: Node) -> Node:
    return _mapping_node([(_scalar_node(name, value), value) for name, value in entries], like)


def _with_values_below(node: Node, name: str, values: dict[str, Node]) -> Node:
    """A document with other values in the mapping below one key."""
    return _mapping_like(
        ((key, _mapping_like(values.items(), value) if key == name else value) for key, value in _named_entries(node)),
        node,
    )


def _drop_key(node: Node, name: str) -> Node:
    return _mapping_like(((key, value) for key, value in _named_entries(node) if key != name), node)


def _drop_resets(node: Node) -> Node:
    if not isinstance(node, MappingNode):
        return node
    kept = ((name, value) for name, value in _named_entries(node) if _node_tag(value) != RESET)
    return _mapping_like(((name, _drop_resets(value)) for name, value in kept), node)


def _resets_in_lists(node: Node) -> Iterator[Tree]:
    """Entries of lists with a tag of their own."""
    for _, entry in Tree(node).items():
        if isinstance(node, SequenceNode) and _node_tag(entry.node) in (RESET, OVERRIDE):
            yield entry
        yield from _resets_in_lists(entry.node)
