"""YAML with its lines. ruamel.yaml composes nodes, whose scalars are text as written: no type is guessed."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ...language.immutable import immutable

DEEPEST = 60
"""Mappings and lists within each other, aliases followed."""

MOST_REPEATED = 20_000
"""Values that a document's aliases may stand for beside those that are written: each walk goes through all of them."""


class YamlError(Exception):
    """Text that no YAML parser reads, or that is nested too deeply; where and why."""


class TemplateError(YamlError):
    """Text that becomes YAML when a template engine has filled it in."""


@immutable
class YamlLeaf:
    """A scalar: its path of keys from the document's root, its text, its line from 1, whether it has no quotes."""

    path: tuple[str, ...]
    value: str
    line: int
    is_plain: bool = False

    @property
    def typed_text(self) -> str:
        """Its text as YAML 1.1 has it."""
        return typed_scalar(self.value) if self.is_plain else self.value


@immutable
class Tree:
    """One document. `get` walks mappings by keys; `leaves` lists the scalars below a place."""

    node: Node
    path: tuple[str, ...] = ()

    def get(self, *keys: str) -> Tree | None:
        """The part below these keys, or None."""
        here: Tree | None = self
        for key in keys:
            here = None if here is None else next((sub for name, sub in here.items() if name == key), None)
        return here

    def items(self) -> list[tuple[str, Tree]]:
        """A mapping's entries, or a list's with their numbers; none for a scalar."""
        if isinstance(self.node, MappingNode):
            entries = [
                (key.value if isinstance(key, ScalarNode) else "?", sub) for key, sub in mapping_pairs(self.node)
            ]
        elif isinstance(self.node, SequenceNode):
            entries = [(str(i), sub) for i, sub in enumerate(self.node.value)]
        else:
            entries = []
        return [(name, Tree(sub, (*self.path, name))) for name, sub in entries]

    @property
    def is_list(self) -> bool:
        """Whether it is a sequence."""
        return isinstance(self.node, SequenceNode)

    @property
    def is_map(self) -> bool:
        """Whether it is a mapping, though it may be empty."""
        return isinstance(self.node, MappingNode)

    @property
    def line(self) -> int:
        """Its first line, from 1."""
        return self.node.start_mark.line + 1

    @property
    def file(self) -> str:
        """The file that it was read from, if `yaml_documents` was given its name; else ""."""
        return str(getattr(self.node.start_mark, "name", ""))

    def text(self, *keys: str) -> str | None:
        """A scalar's text below these keys; None if there is none, or if it is null."""
        found = self.get(*keys)
        if found is None or not isinstance(found.node, ScalarNode):
            return None
        value = found.node.value
        return None if value in ("", "null", "~") and found.node.style is None else value

    def typed_text(self) -> str | None:
        """A scalar's text as a reader of YAML 1.1 hands it on, such as Kubernetes' and Spring's."""
        text = self.text()
        plain = isinstance(self.node, ScalarNode) and self.node.style is None
        return typed_scalar(text) if text is not None and plain else text

    def leaves(self) -> Iterator[YamlLeaf]:
        """Every scalar below, with its path."""
        if isinstance(self.node, ScalarNode):
            yield YamlLeaf(self.path, self.node.value, self.line, self.node.style is None)
        for _, sub in self.items():
            yield from sub.leaves()


_BOOLEANS = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}
_BASES = ((r"0x([0-9a-f_]+)", 16), (r"0b([01_]+)", 2), (r"0([0-7_]+)", 8), (r"([1-9][0-9_]*)", 10))


def typed_scalar(text: str) -> str:
    """What YAML 1.1 makes of a scalar without quotes: of `yes`, `off` and their like a boolean, of `0x2`, `010` and
    `1_000` a number (yaml.org/type); any other text is as it was."""
    if text in (text.lower(), text.upper(), text.capitalize()) and text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    sign, bare = ("-", text[1:]) if text.startswith("-") else ("", text.removeprefix("+"))
    for pattern, base in _BASES:
        if (found := re.fullmatch(pattern, bare, re.ASCII)) is not None and found[1].strip("_"):
            return f"{sign}{int(found[1].replace('_', ''), base)}"
    return text


def mapping_pairs(node: Node) -> list[tuple[Node, Node]]:
    """A mapping's entries, none for anything else: its own, then those merged with `<<`, which may be merged there
    themselves. Its own keys are stronger than merged ones, and of a list of mappings the first that has a key counts
    (yaml.org/type/merge). Of a key that is stated twice, and of `<<` itself, the last counts: programs take that, or
    refuse the file."""
    if not isinstance(node, MappingNode):
        return []
    own = [(key, value) for key, value in node.value if not _is_merge(key)]
    last = {key.value: number for number, (key, _) in enumerate(own) if isinstance(key, ScalarNode)}
    found = [
        (key, value)
        for number, (key, value) in enumerate(own)
        if not isinstance(key, ScalarNode) or last[key.value] == number
    ]
    names = {*last}
    for source in (source for key, value in reversed(node.value) if _is_merge(key) for source in _merged_nodes(value)):
        for key, value in mapping_pairs(source):
            if isinstance(key, ScalarNode) and key.value not in names:
                names.add(key.value)
                found.append((key, value))
    return found


def _is_merge(key: Node) -> bool:
    return isinstance(key, ScalarNode) and key.value == "<<" and key.style is None


def _merged_nodes(value: Node) -> list[Node]:
    """What `<<` names: one mapping or a list of them."""
    return value.value if isinstance(value, SequenceNode) else [value]


class _NamedText(io.StringIO):
    """A text with the name of its file, which the parser keeps with every place."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name


@lru_cache(maxsize=64)
def yaml_documents(text: str, name: str = "") -> Sequence[Tree]:
    """Every document of a YAML text, of a file with this name. Raises YamlError. Templates (`{{ ... }}`) are not YAML
    until they are rendered."""
    if re.search(r"^[ \t\-\[{&*]{200,}", text, re.M):
        raise YamlError("it is nested too deeply")
    text = _join_surrogates(text)
    try:
        named: Any = _NamedText(text, name)
        nodes = [node for node in YAML(typ="safe", pure=True).compose_all(named) if node is not None]
    except YAMLError as error:
        raise _yaml_error(text, error) from None
    except RecursionError:
        raise YamlError("it is nested too deeply") from None
    except (ValueError, AttributeError, IndexError, AssertionError) as error:
        raise YamlError(f"its YAML is broken: {type(error).__name__}") from None
    _refuse_repetition(nodes)
    return [Tree(node) for node in nodes]


def _refuse_repetition(nodes: Sequence[Node]) -> None:
    """Raises YamlError for documents that are more than any walk can go through, or no YAML: an alias within what it
    names, aliases of aliases, `<<` of what is no mapping."""
    known: dict[int, tuple[int, int]] = {}
    size = sum(_node_count_and_depth(node, 0, known)[0] for node in nodes)
    if size - len(known) > MOST_REPEATED:
        raise YamlError(f"its aliases make more than {MOST_REPEATED:,} values of {len(known):,}")


def _node_count_and_depth(node: Node, depth: int, measure_by_node: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """How many values a node has, aliases followed, and how deep they lie in each other; `measure_by_node` has those of
    nodes that were seen."""
    height = measure_by_node[id(node)][1] if id(node) in measure_by_node else 0
    if depth + height > DEEPEST:
        raise YamlError("it is nested too deeply, or within itself by an alias")
    if id(node) not in measure_by_node:
        inner = [_node_count_and_depth(sub, depth + 1, measure_by_node) for sub in _child_nodes(node)]
        measure_by_node[id(node)] = 1 + sum(size for size, _ in inner), 1 + max((deep for _, deep in inner), default=-1)
    return measure_by_node[id(node)]


def _child_nodes(node: Node) -> list[Node]:
    """The nodes in a mapping or a list, without keys that are scalars."""
    if isinstance(node, SequenceNode):
        return node.value
    if not isinstance(node, MappingNode):
        return []
    for key, value in node.value:
        if _is_merge(key) and not all(isinstance(source, MappingNode) for source in _merged_nodes(value)):
            raise YamlError(f"`<<` at line {key.start_mark.line + 1} merges what is no mapping")
    return [value for _, value in node.value] + [key for key, _ in node.value if not isinstance(key, ScalarNode)]


_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?|\\u[dD][c-fC-F][0-9a-fA-F]{2}")


def _join_surrogates(text: str) -> str:
    """JSON writes a character beyond the first plane as two halves, which YAML takes for two characters."""
    return _PAIR.sub(_decode_surrogates, text) if "\\ud" in text.lower() else text


def _decode_surrogates(match: re.Match[str]) -> str:
    if match[2] is None:
        return "\ufffd"
    return chr(0x10000 + ((int(match[1], 16) & 0x3FF) << 10) + (int(match[2], 16) & 0x3FF))


def _yaml_error(text: str, error: YAMLError) -> YamlError:
    """Why a text is no YAML, and where. The parser's own words quote the text, and are not used."""
    if (template := re.search(r"\{\{|\{%|<%", text)) is not None:
        line = text.count("\n", 0, template.start()) + 1
        return TemplateError(f"it is a template (`{template[0]}` at line {line}), which is filled in before it is YAML")
    mark = getattr(error, "problem_mark", None)
    line: int | None = None if mark is None else mark.line
    if line is not None and re.match(r"\s*\t", "".join(text.splitlines()[line : line + 1])):
        return YamlError(f"line {line + 1} is indented with a tab, which YAML does not allow")
    at = "" if line is None else f" at line {line + 1}"
    return YamlError(f"its YAML is broken{at} ({type(error).__name__})")
