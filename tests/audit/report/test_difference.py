"""Two audits compared, topic by topic and cell by cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.report.difference import MOST, compare_documents, read_document
from tidegate.audit.report.document import SCHEMA

WORDS = ("no loss found", "not checked", "depends", "can lose")
"""From the best to the worst."""


def audit(words: dict[str, str]) -> dict[str, Any]:
    """An audit in which each topic has one cell."""
    return {
        "schema": SCHEMA,
        "headline": "as it is",
        "summary": {},
        "subjects": [
            {"topics": [topic], "producer": None, "settings": [], "table": {"no-loss": {"calm": {"word": word}}}}
            for topic, word in words.items()
        ],
    }


TABLES = some.dictionaries(some.sampled_from("abcde"), some.sampled_from(WORDS))


@given(TABLES, TABLES)
def test_what_is_worse_is_better_the_other_way_round(old: dict[str, str], new: dict[str, str]) -> None:
    found, back = compare_documents(audit(old), audit(new)), compare_documents(audit(new), audit(old))
    assert [row["topic"] for row in found["worse"]] == [
        topic for topic in new if topic in old and WORDS.index(new[topic]) > WORDS.index(old[topic])
    ]
    assert {row["topic"] for row in found["better"]} == {row["topic"] for row in back["worse"]}
    assert (found["new"], found["gone"]) == (sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys()))
    for row in found["worse"]:
        assert (row["before"], row["after"]) == (old[row["topic"]], new[row["topic"]])
        assert (row["producer"], row["question"], row["cell"]) == ("", "no-loss", "calm")


@pytest.mark.parametrize(
    ("before", "after", "begins"),
    [
        ("no loss found", "can lose", "worse: orders: an acknowledged record is lost when "),
        ("not checked", "can lose", "worse: orders: an acknowledged record is lost when "),
        ("can lose", "no loss found", "better: orders: an acknowledged record is lost when "),
        ("no loss found", "not checked", "not known now: orders: whether an acknowledged record is lost when "),
        ("can lose", "depends", "not known now: orders: whether an acknowledged record is lost when "),
        ("not checked", "no loss found", "decided now: orders: whether an acknowledged record is lost when "),
    ],
)
def test_what_is_not_decided_is_never_called_a_loss(before: str, after: str, begins: str) -> None:
    """An audit that had too little time makes nothing worse, and says that it had."""
    old, new = audit({"orders": before}), audit({"orders": after})
    for document, word in ((old, before), (new, after)):
        document["subjects"][0]["table"] = {"no-loss": {"crash@all": {"word": word}}}
    (says,) = compare_documents(old, new)["says"]
    assert says.startswith(begins) and says.endswith(f"({before} → {after})")
    assert compare_documents(old, {**new, "out_of_time": "time ran out"})["says"][0] == "not whole: time ran out"


def test_no_more_are_named_than_anybody_reads() -> None:
    many = {str(number): "no loss found" for number in range(MOST + 5)}
    worse = compare_documents(audit(many), audit(dict.fromkeys(many, "can lose")))["worse"]
    assert len(worse) == MOST and len(compare_documents(audit({}), audit(many))["new"]) == MOST


def test_an_older_audit_that_is_not_whole_is_refused() -> None:
    for broken in ({"subjects": [{"topics": ["a"]}]}, {"subjects": [3]}, {}):
        with pytest.raises(UnreadableInputError, match="--diff: the older audit is not whole; make it again"):
            compare_documents(broken, audit({"a": "depends"}))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not JSON: "),
        ("[1]", f"not what `tidegate audit --json` prints ({SCHEMA})"),
        ('{"schema": "tidegate.trace/1"}', f"not what `tidegate audit --json` prints ({SCHEMA})"),
        (None, "No such file or directory"),
    ],
)
def test_a_file_that_is_no_audit_is_refused(text: str | None, why: str, tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableInputError) as raised:
        read_document(path)
    assert str(raised.value).startswith(f"--diff {path}: {why}")


def test_an_audit_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps(audit({"a": "depends"})), encoding="utf-8")
    assert read_document(path) == audit({"a": "depends"})


def test_writes_and_reads_go_on_or_stop_and_lose_nothing() -> None:
    old, new = audit({"a": "no loss found"}), audit({"a": "can lose"})
    for made in (old, new):
        cell = made["subjects"][0]["table"].pop("no-loss")["calm"]
        made["subjects"][0]["table"] = {"writable": {"leader-move@all": cell}, "readable": {"crash@all": cell}}
    says = compare_documents(old, new)["says"]
    assert len(says) == 2 and all(line.endswith("(go on → stop)") for line in says)
    assert "writes stop" in says[0] and "reads stop" in says[1]
