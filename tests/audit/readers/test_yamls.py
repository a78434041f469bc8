"""YAML with its lines: scalars as they are written, and what YAML 1.1 makes of them."""

from __future__ import annotations

import pytest
from tidegate.audit.readers.yamls import YamlError, documents, typed_scalar

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
    first, second = documents(TEXT, "k.yaml")
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
        documents(text)
