"""The pieces that reports are made of: paper, JUnit, exit codes, recorded files, notation."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tidegate.cli.options import parse_size
from tidegate.cli.output import prepare_directory
from tidegate.gates.records import ExpectedVerdict, read_record_file
from tidegate.language import ir
from tidegate.language.errors import UsageError
from tidegate.language.types import Bool, Identity, Int, Map, Seq, Subset
from tidegate.reports.exits import Exit, worst_exit
from tidegate.reports.gate.junit import gate_junit
from tidegate.reports.spec.effects import action_lines
from tidegate.reports.spec.notation import NotationScope, lay_out_expression, show_expression, type_text
from tidegate.reports.text_page import TextFormat, TextPage, bytes_text, detect_format, rate_text, seconds_text

HERE = ir.Where("model.py", 1, 0, 1, 1)
REPLICA = Identity("Replica", 2, True, ("A", "B"), int)
OFFSET = Int(0, 2)


# --- paper ----------------------------------------------------------------------------------------------------------


def test_lines_are_wrapped_to_the_paper_and_hang() -> None:
    page = TextPage(TextFormat(width=40))
    page.line("one two three four five six seven eight nine ten", indent=2, hang=4)
    assert all(len(line) <= 40 for line in page.lines)
    assert page.lines[1].startswith("      ")


def test_columns_line_up_and_the_last_one_wraps_under_itself() -> None:
    page = TextPage(TextFormat(width=50))
    page.columns([("holds", "weak_isr", "every record below the high watermark"), ("violated", "x", "short")])
    assert page.text().splitlines() == [
        "  holds     weak_isr  every record below the high",
        "                      watermark",
        "  violated  x         short",
    ]


def test_ascii_paper_has_ascii_only() -> None:
    page = TextPage(TextFormat(ascii=True))
    page.line("✓ x → y ≠ ∅ ☃")
    assert page.text() == "+ x -> y != {} ?\n"


def test_no_color_and_pipes_are_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert not detect_format(io.StringIO()).color, "a pipe takes no colour"
    assert detect_format(io.StringIO(), color="always").color

    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    assert detect_format(Terminal()).color
    monkeypatch.setenv("NO_COLOR", "1")
    assert not detect_format(Terminal()).color


def test_numbers_read_well() -> None:
    assert [seconds_text(seconds) for seconds in (0.0042, 0.414, 12.34, 200)] == [
        "0.004 s",
        "0.41 s",
        "12.3 s",
        "3 min 20 s",
    ]
    assert [bytes_text(length) for length in (12, 2048, 3 << 30)] == ["12 B", "2.0 KiB", "3.0 GiB"]
    assert rate_text(4_812_345) == "4.81 million states/s"


# --- options and exits ----------------------------------------------------------------------------------------------


def test_the_worst_exit_wins() -> None:
    assert worst_exit([Exit.HOLDS, Exit.VACUOUS, Exit.INCONCLUSIVE]) is Exit.INCONCLUSIVE
    assert worst_exit([Exit.SAFETY, Exit.MODEL_BROKE, Exit.DEADLOCK]) is Exit.MODEL_BROKE
    assert worst_exit([Exit.INTERNAL, Exit.MODEL_TEXT]) is Exit.INTERNAL
    assert worst_exit([]) is Exit.HOLDS


def test_sizes() -> None:
    assert [parse_size(text) for text in ("2G", "500M", "1.5GiB", "4096", "3kb")] == [
        2 << 30,
        500 << 20,
        3 << 29,
        4096,
        3072,
    ]


def test_an_out_directory_is_proved_before_anything_runs(tmp_path: Path) -> None:
    assert prepare_directory(tmp_path / "new").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="it is a file"):
        prepare_directory(tmp_path / "file")
    with pytest.raises(UsageError, match="does not exist"):
        prepare_directory(tmp_path / "no" / "such")


# --- recorded files -------------------------------------------------------------------------------------------------

GOOD = """
schema = "tidegate.spec/1"
model = "lock.py"
[bounds.small]
says = "Two."
clients = 2
[[check]]
profile = "careful"
bounds = "small"
set = { compare_and_set = true }
distinct_states = 3
transitions = 4
depth = 2
[check.expect]
one_inside = "holds"
[[check]]
profile = "careless"
[check.expect]
one_inside = { violated = 4 }
"""


def test_a_recorded_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "lock.toml"
    path.write_text(GOOD)
    careful, careless = read_record_file(path).checks
    assert careful.constants == {"clients": 2, "compare_and_set": True}
    assert careful.target == f"{tmp_path / 'lock.py'}:careful"
    assert careful.counts == {"distinct_states": 3, "transitions": 4, "depth": 2}
    assert (careful.outcome, careless.outcome) == ("none", "safety")
    assert careless.properties == {"one_inside": ExpectedVerdict("violated", 4)}


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("depth = 2", "", "given together"),
        ("depth = 2", "deptj = 2", "nothing is called 'deptj' here; did you mean depth"),
        ('bounds = "small"', 'bounds = "smal"', r"no \[bounds.smal\] in this file; did you mean small"),
        ('"holds"', '"hold"', "'hold' is not one of holds, reached, missing"),
        ("tidegate.spec/1", "tidegate.spec/9", "this tidegate reads"),
        ("depth = 2", "depth = true", "it must be int"),
        ("[[check]]", "[[check", "not TOML"),
    ],
)
def test_a_mistake_in_a_recorded_file_is_reported_with_its_place(
    tmp_path: Path, old: str, new: str, shown: str
) -> None:
    path = tmp_path / "lock.toml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(UsageError, match=shown) as raised:
        read_record_file(path)
    assert str(path) in str(raised.value)


# --- JUnit ----------------------------------------------------------------------------------------------------------


def test_junit_counts_and_survives_odd_characters() -> None:
    claim: dict[str, Any] = {"name": "a", "result": "ok", "differences": [], "document": None, "html": None}
    failed = {**claim, "name": "b", "result": "differs", "differences": ["no\x00 <good>\nsecond"]}
    check: dict[str, Any] = {
        "name": "m  small",
        "model": "m",
        "seconds": 0.75,
        "report": None,
        "claims": [claim, failed],
    }
    document: dict[str, Any] = {"began": "2026-01-02T03:04:05+00:00", "checks": [check], "not_run": []}
    suite = ElementTree.fromstring(gate_junit(document).partition("\n")[2])[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("2", "1", "0.750")
    shown = suite.findall("testcase")[1][0]
    assert shown.get("message") == "no\ufffd <good>"
    assert shown.text == "no\ufffd <good>\nsecond"


# --- notation -------------------------------------------------------------------------------------------------------


def name(text: str) -> ir.Name:
    return ir.Name(text, REPLICA, HERE)


def state_field(field: str, state: str = "s") -> ir.StateField:
    return ir.StateField(state, field, Map(REPLICA, Bool()), HERE)


def up(replica: str, state: str = "s") -> ir.Index:
    return ir.Index(state_field("up", state), name(replica), Bool(), HERE)


def number(value: int) -> ir.Const:
    return ir.Const(value, OFFSET, HERE)


def every(body: ir.Expr, *conditions: ir.Expr) -> ir.Quantified:
    generator = ir.Generator("r", REPLICA, ir.Members(REPLICA, HERE), conditions)
    return ir.Quantified("all", (generator,), body, None, Bool(), HERE)


def test_connectives_bind_as_in_mathematics() -> None:
    either = ir.Or((up("a"), up("b")), Bool(), HERE)
    both = ir.And((either, ir.Not(up("c"), Bool(), HERE)), Bool(), HERE)
    assert show_expression(both, NotationScope()) == "(up[a] ∨ up[b]) ∧ ¬up[c]"
    assert show_expression(ir.Not(both, Bool(), HERE), NotationScope()) == "¬((up[a] ∨ up[b]) ∧ ¬up[c])"


def test_not_a_or_b_reads_as_an_implication() -> None:
    implication = ir.Or((ir.Not(up("a"), Bool(), HERE), up("b")), Bool(), HERE)
    assert show_expression(implication, NotationScope()) == "up[a] ⇒ up[b]"
    assert show_expression(ir.And((implication, up("c")), Bool(), HERE), NotationScope()) == "(up[a] ⇒ up[b]) ∧ up[c]"


def test_quantifiers_and_their_conditions() -> None:
    assert show_expression(every(up("r")), NotationScope()) == "∀ r ∈ Replica: up[r]"
    assert show_expression(every(up("r"), up("a")), NotationScope()) == "∀ r ∈ Replica: up[a] ⇒ up[r]"
    assert (
        show_expression(replace(every(up("r"), up("a")), kind="any"), NotationScope()) == "∃ r ∈ Replica: up[a] ∧ up[r]"
    )
    assert show_expression(replace(every(number(1), up("r")), kind="sum"), NotationScope()) == "|{r ∈ Replica : up[r]}|"
    assert show_expression(replace(every(name("r"), up("r")), kind="set"), NotationScope()) == "{r ∈ Replica : up[r]}"


def test_the_state_after_a_step_wears_a_prime() -> None:
    change = ir.Compare("!=", up("a", "before"), up("a", "after"), Bool(), HERE)
    assert show_expression(change, NotationScope(states={"before": 0, "after": 1})) == "up[a] ≠ up′[a]"


def test_long_formulas_break_at_their_connectives() -> None:
    long = ir.And(tuple(every(up("r"), up("a" * 30)) for _ in range(3)), Bool(), HERE)
    lines = lay_out_expression(long, NotationScope(), 4)
    assert [line[:8] for line in lines] == ["    ∧ ∀ "] * 3


def test_types_are_sets() -> None:
    assert type_text(Map(REPLICA, Seq(OFFSET, 3))) == "[Replica → Seq(0..2, ≤ 3)]"
    assert type_text(Subset(REPLICA)) == "𝒫(Replica)"


def test_effects_prime_what_they_write_and_a_second_write_again() -> None:
    cell = ir.Place("count", (name("a"),), OFFSET, HERE)
    other = ir.Place("count", (name("b"),), OFFSET, HERE)

    def plus_one(place: ir.Place, index: str) -> ir.Store:
        old = ir.Index(state_field("count"), name(index), OFFSET, HERE)
        return ir.Store(place, ir.Arithmetic("+", old, number(1), OFFSET, HERE), HERE)

    body = (
        ir.Require(up("a"), "s.up[a]", HERE),
        ir.Limit(up("b"), "s.up[b]", HERE),
        plus_one(cell, "a"),
        plus_one(other, "b"),
        plus_one(cell, "a"),
    )
    lines = action_lines(ir.ActionForm("act", "s", (), body, frozenset(), frozenset(), HERE))
    assert lines == [
        "when    up[a]",
        "within  up[b]",
        "then    count′[a] = count[a] + 1",
        "        count″[b] = count′[b] + 1",
        "        count‴[a] = count″[a] + 1",
    ]


def test_a_loop_over_its_own_cells_is_for_all_and_any_other_goes_in_order() -> None:
    def loop(index: str) -> list[str]:
        place = ir.Place("up", (name(index),), Bool(), HERE)
        body = (ir.Store(place, ir.Not(up(index), Bool(), HERE), HERE),)
        statement = ir.For("r", REPLICA, ir.Members(REPLICA, HERE), body, HERE)
        return action_lines(ir.ActionForm("act", "s", (), (statement,), frozenset(), frozenset(), HERE))

    assert loop("r") == ["then    ∀ r ∈ Replica:", "          up′[r] = ¬up[r]"]
    assert loop("a") == ["then    for each r ∈ Replica in order:", "          up′[a] ≔ ¬up′[a]"]
