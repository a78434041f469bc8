"""YAML with its lines: scalars as they are written, and what YAML 1.1 makes of them."""

from __future__ import annotations

import pytest
from tidegate.audit.readers.yamls import YamlError, typed_scalar, yaml_documents

TEXT = """\
kind: Kafka
spec:
  config: &c
    acks: all
    retries: 010
  other:
    <<: *c
    quoted: "yes"
---
- one
"""


@pytest.mark.parametrize(
    ("text", "meant"),
    [("yes", "true"), ("off", "false"), ("0x10", "16"), ("010", "8"), ("1_000", "1000"), ("all", "all"), ("0b11", "3")],
)
def test_what_yaml_1_1_makes_of_a_scalar(text: str, meant: str) -> None:
    assert typed_scalar(text) == meant


def test_parts_have_their_lines_and_merged_entries() -> None:
    first, second = yaml_documents(TEXT, "k.yaml")
    config = first.get("spec", "config")
    assert config is not None and config.is_map and config.line == 3 and config.file == "k.yaml"
    assert first.text("spec", "config", "retries") == "010"
    assert first.text("spec", "other", "acks") == "all" and first.get("spec", "none") is None
    assert second.is_list and [name for name, _ in second.items()] == ["0"]
    leaves = {".".join(leaf.path): (leaf.value, leaf.is_plain) for leaf in first.leaves()}
    assert leaves["spec.other.quoted"] == ("yes", False) and leaves["kind"] == ("Kafka", True)


@pytest.mark.parametrize("text", ["a: [", "a: {{ value }}: b", "[" * 500])
def test_what_no_parser_reads(text: str) -> None:
    with pytest.raises(YamlError):
        yaml_documents(text)


BOMB = "a0: &a0 {k: v}\n" + "".join(
    f"a{i}: &a{i} {{{', '.join(f'k{j}: *a{i - 1}' for j in range(9))}}}\n" for i in range(1, 12)
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BOMB, "its aliases make more than 20,000 values of 14"),
        (
            "a0: &a0 {k: v}\n" + "".join(f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}\n" for i in range(1, 20)),
            "values of",
        ),
        ("a: &a {b: *a}", "it is nested too deeply, or within itself by an alias"),
        ("a: &a [*a]", "it is nested too deeply, or within itself by an alias"),
        ("a0: &a0 [v]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 70)), "nested too deeply"),
        ("a:\n  <<: text", "`<<` at line 2 merges what is no mapping"),
    ],
)
def test_what_no_walk_goes_through(text: str, why: str) -> None:
    with pytest.raises(YamlError, match=why):
        yaml_documents(text)


def test_a_large_document_without_aliases_is_read_to_its_end() -> None:
    (tree,) = yaml_documents("\n".join(f"- {number}" for number in range(30_000)))
    assert sum(1 for _ in tree.leaves()) == 30_000


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ("{<<: *a}", {"k": "a", "only": "a"}),
        ("{<<: [*a, *b]}", {"k": "a", "only": "a", "more": "b"}),
        ("{<<: [*b, *a]}", {"k": "b", "only": "a", "more": "b"}),
        ("{<<: *nested}", {"k": "own", "only": "a", "more": "b"}),
        ("{<<: [*nested, *a], more: here}", {"k": "own", "only": "a", "more": "here"}),
        ("{k: first, <<: *a, k: last}", {"k": "last", "only": "a"}),
        ("{<<: *a, <<: *b}", {"k": "b", "only": "a", "more": "b"}),
        ('{"<<": a}', {"<<": "a"}),
    ],
)
def test_merged_mappings(mapping: str, expected: dict[str, str]) -> None:
    """yaml.org/type/merge: what is its own counts first, then the earlier of the merged ones, however deep."""
    anchors = "a: &a {k: a, only: a}\nb: &b {k: b, more: b}\nn: &nested {<<: [*a, *b], k: own}\n"
    (tree,) = yaml_documents(f"{anchors}here: {mapping}")
    here = tree.get("here")
    assert here is not None and {name: value.text() for name, value in here.items()} == expected
