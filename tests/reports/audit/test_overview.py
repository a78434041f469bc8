"""The first screen of an audit: at most 40 lines of 100 columns, whatever there is to say."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tidegate.reports.audit.overview import MOST_COLUMNS, MOST_LINES, audit_headline, audit_overview
from tidegate.reports.audit.terminal import topic_page
from tidegate.reports.text_page import TextFormat

from ...audit.report.test_summary import audit_topics, topic_text


def page_lines(document: dict[str, Any], width: int = 100) -> list[str]:
    return audit_overview(document, TextFormat(width=width)).text().splitlines()


@pytest.fixture(scope="module")
def one_fails() -> dict[str, Any]:
    return audit_topics(topic_text("orders", 2) + topic_text("clickstream", 1))


def with_rows(document: dict[str, Any], count: int, name: str) -> dict[str, Any]:
    """The document with so many failing rows, whose topics have such names."""
    row = document["summary"]["rows"][0]
    rows = [{**row, "topics": [name.format(at)], "change": f"min.insync.replicas={at}"} for at in range(count)]
    return {**document, "summary": {**document["summary"], "rows": rows}}


def test_the_first_screen_has_headline_row_example_and_how_to_see_more(one_fails: dict[str, Any]) -> None:
    lines = page_lines(one_fails)
    assert lines[0].startswith("✗ 1 of 2 topics can lose acknowledged records when a host loses power: clickstream")
    heading = next(at for at, line in enumerate(lines) if line.startswith("topics "))
    assert lines[heading].split() == ["topics", "records", "writes", "decided", "by", "change"]
    assert lines[heading + 1].startswith("✗ clickstream")
    assert any("clickstream" in line and line.startswith(("How a record of ", "A run of ")) for line in lines)
    assert lines[-1] == "More: --all everything; --topic NAME one topic in full; --out DIR pages."
    assert "1 topic passes." in lines


def test_what_all_says_besides_is_counted_without_what_stands_here(one_fails: dict[str, Any]) -> None:
    summary = {**one_fails["summary"], "also": ["a.txt:1: one; mend it", "b.txt:2: two; mend it"], "notes": 3}
    text = " ".join(page_lines({**one_fails, "summary": summary}))
    assert "• a.txt:1: one" in text and "; --all has 3 notes on them. What is kept" in text
    hidden = {**summary, "also": ["x " * 2000], "notes": 0}
    assert "; --all has 1 warning on them." in " ".join(page_lines({**one_fails, "summary": hidden}))


@pytest.mark.parametrize("name", ["topic-{}", "x" * 240 + "-{}", "名前-{}"])
@pytest.mark.parametrize("width", [60, 80, 100])
def test_four_hundred_failing_topics_have_room(one_fails: dict[str, Any], name: str, width: int) -> None:
    lines = page_lines(with_rows(one_fails, 400, name), width)
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= MOST_COLUMNS
    assert any(re.fullmatch(r"and 3\d\d topics more; --all shows them", line) for line in lines)


def test_a_long_setting_parts_where_a_reader_parts_it(one_fails: dict[str, Any]) -> None:
    row = one_fails["summary"]["rows"][0]
    decided = ["server-1.properties:1 process.roles=broker,controller", "eligible.leader.replicas.version=0 (default)"]
    change = "transaction.state.log.replication.factor=3"
    rows = [{**row, "decided": decided, "change": change}]
    lines = page_lines({**one_fails, "summary": {**one_fails["summary"], "rows": rows}}, 80)
    at = next(number for number, line in enumerate(lines) if line.startswith("✗ clickstream"))
    words = " ".join(lines[at : lines.index("", at)]).split()
    keys = {part for text in (*decided, change) for part in re.findall(r"\w+", text)}
    parts = {part for word in words if re.search(r"[.=]", word) for part in re.findall(r"\w+", word)}
    assert parts <= keys and {"transaction", "eligible", "process", "controller"} <= keys
    assert {"process.roles=broker,controller", change} - {*words}


def test_rows_that_have_no_room_in_columns_are_paragraphs_with_cause_and_repair(one_fails: dict[str, Any]) -> None:
    row = one_fails["summary"]["rows"][0]
    change = "min.insync.replicas=2, a host for each node, 3 voters on hosts without brokers"
    rows = [{**row, "topics": [name], "change": change} for name in "abcdefghij"]
    lines = page_lines({**one_fails, "summary": {**one_fails["summary"], "rows": rows}})
    text = " ".join(line.strip() for line in lines)
    assert len(lines) <= MOST_LINES
    for name in "abcdefg":
        assert f"✗ {name}: acknowledged records are lost when a host loses power" in text
    assert text.count(f"decided by: topics.txt:3 min.insync.replicas=1; change: {change}") >= 7


def test_an_outage_is_said_once_whatever_it_stops(one_fails: dict[str, Any]) -> None:
    outage = {"says": "broker 2 does not start", "kind": "does not start", "certain": True}
    summary = {**one_fails["summary"], "now": [outage] * 5, "stops_all": True}
    lines = page_lines({**one_fails, "summary": summary})
    assert lines.count("now: broker 2 does not start") == 1
    assert not any(line.startswith("topics ") for line in lines)


def test_a_cluster_that_passes_has_ten_lines() -> None:
    lines = page_lines(audit_topics(topic_text("orders", 2)))
    assert lines[0] == "✓ the topic meets what is required (standard)"
    assert len(lines) <= 10


def test_the_headline_is_followed_by_acceptances_that_are_past() -> None:
    past = "orders: was accepted until 2025-06-01: runbook 12"
    note = past.removeprefix("orders: ")
    checks = [{"result": "not checked", "note": note}, {"result": "accepted", "note": "accepted"}]
    document = {
        "summary": {"mark": "?", "headline": "not known"},
        "subjects": [{"topics": ["orders"], "checks": checks}],
    }
    text = audit_headline(document, TextFormat(width=200)).text()
    assert text == f"? not known\n{past}\n"


def test_the_headline_alone(one_fails: dict[str, Any]) -> None:
    text = audit_headline(one_fails, TextFormat(width=200)).text()
    assert text == f"✗ {one_fails['summary']['headline']}\n"


def test_however_much_is_said_it_is_at_most_forty_lines(one_fails: dict[str, Any]) -> None:
    """As where time runs out on a busy machine, and much is missing."""
    long = "x" * 240
    summary = {
        **one_fails["summary"], "now": [{"says": f"{long} {at}", "kind": "x", "certain": True} for at in range(9)],
        "not_covered": [{"what": f"{long} {at}", "to_do": long} for at in range(9)], "beyond": [long] * 9,
        "headline": " ".join([long] * 4),
    }  # fmt: skip
    document = {**one_fails, "summary": summary, "assumptions": [long] * 9, "out_of_time": long}
    for width in (60, 100):
        lines = page_lines(with_rows(document, 400, "x" * 240 + "-{}"), width)
        assert len(lines) <= MOST_LINES
        assert lines[0].startswith("✗") and lines[-1].startswith(("More: ", "  "))
        assert "and more, for which there is no room; --all shows it" in lines


def test_of_a_topic_cause_and_repair_come_first(one_fails: dict[str, Any]) -> None:
    """Below the tables, a hundred lines down, nobody finds them."""
    lines = topic_page(one_fails, "clickstream", TextFormat()).text().splitlines()
    assert lines[0].startswith("✗ clickstream: acknowledged records are lost when")
    first = "\n".join(lines[:12])
    assert "decided by: topics.txt:3 min.insync.replicas=1; change:" in first
    assert "--add-config min.insync.replicas=2" in first
    assert sum("--add-config" in line for line in lines) == 1


def test_rows_that_fail_have_room_before_what_is_said_of_the_rest(one_fails: dict[str, Any]) -> None:
    """Five failing groups and long words on what passes, and on an assumption: each group has its cause and repair."""
    document = with_rows(one_fails, 7, "orders-{}")
    rest = {"beyond": ["one, two and three: pass; records can still be lost when a host loses power " * 2] * 3}
    rest |= {"assumable": "controllers-catch-up: " + "what it means " * 80, "assumable_toml": "accepted = []"}
    summary = {**document["summary"], **rest}
    lines = page_lines({**document, "summary": summary}, 80)
    assert len(lines) <= MOST_LINES
    assert all(any(line.startswith(f"✗ orders-{at}:") for line in lines) for at in range(7))
    assert sum("change:" in line for line in lines) == 7
    assert "controllers-catch-up: --all explains it, and prints the line that accepts it." in lines
