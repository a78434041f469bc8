"""The pages of what articles say are made from docs/claims.toml, and every command on them says what the table says."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from functools import cache
from typing import Any

import pytest
from tidegate.invariants.catalogue import find

from ..conftest import ROOT, Run
from ..support.shipped import tiered_rows


@cache
def maker() -> Any:
    """docs/claims.py, which is no module of a package."""
    spec = importlib.util.spec_from_file_location("claims", ROOT / "docs" / "claims.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOURCE = maker().read_source()
CLAIMS = SOURCE["claim"]
WITHOUT_RUN = ("bottleneck", "metadata-topic")
"""Claims of which there is nothing to run: they say so."""
RUNS = list(dict.fromkeys((command, result) for claim in CLAIMS for command, result in claim["run"]))
"""Each command with what must come of it; an audit is there for each of its findings."""
FIRST_OF_PARTS = {
    next(command for claim in CLAIMS for command, result in claim["run"] if claim["part"] == part and "," in result)
    for part in SOURCE["parts"]
}
"""The ordinary ones: of each part the first counterexample. The others are as quick, and take minutes together."""


@pytest.mark.parametrize("name", maker().PAGES)
def test_the_page_is_made_from_the_table(name: str) -> None:
    made = maker().page_text(SOURCE, maker().PAGES[name])
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == made, "python docs/claims.py writes it anew"


def test_each_claim_has_both_languages_a_verdict_and_a_short_command() -> None:
    assert len({claim["id"] for claim in CLAIMS}) == len(CLAIMS) == 88
    for claim in CLAIMS:
        assert claim["part"] in SOURCE["parts"] and claim["verdict"] in SOURCE["verdicts"], claim["id"]
        assert set(claim["by"].split(", ")) <= SOURCE["articles"].keys(), claim["id"]
        for english, chinese in (claim["said"], claim["so"]):
            assert not re.search("[\u4e00-\u9fff]", english) and re.search("[\u4e00-\u9fff]", chinese), claim["id"]
        assert bool(claim["run"]) != (claim["id"] in WITHOUT_RUN), claim["id"]
        assert ("othing to run" in claim["so"][0]) == (claim["id"] in WITHOUT_RUN), claim["id"]
    assert [command for command, _ in RUNS if len(command) > 100] == []


def test_a_check_has_one_result() -> None:
    checks = [command for command, _ in RUNS if command.startswith("tidegate check ")]
    assert len(checks) == len(set(checks)) > 80


def expected_text(command: str, result: str) -> str:
    """A pattern of what a command prints that comes out as the table says."""
    if not command.startswith("tidegate check "):
        return re.escape(result)
    name = re.escape(command.partition("--property ")[2].split()[0])
    if found := re.fullmatch(r"violated, (\d+) steps?", result):
        return f": {name} fails after {found[1]} steps?\\b"
    return {"holds": f" holds {name}\\b", "reached": f" reached {name} \\(", "missing": f"no state shows {name}:"}[
        result
    ]


EXITS = {"holds": 0, "reached": 0, "missing": 4, "violated": 1}


@pytest.mark.parametrize(("command", "result"), tiered_rows(RUNS, lambda run: run[0] in FIRST_OF_PARTS))
def test_a_command_says_what_the_table_says(command: str, result: str, tidegate: Run) -> None:
    done = tidegate(*shlex.split(command)[1:], "--width", "200")
    printed = " ".join((done.out + done.err).split())
    assert re.search(expected_text(command, result), printed), printed[:2000]
    if command.startswith("tidegate check "):
        assert done.exit == EXITS[result.partition(",")[0]]


# --- the names of configuration keys, against Kafka's own -------------------------------------------------------------

KEYS = tomllib.loads((ROOT / "tests" / "fixtures" / "kafka_quorum_keys.toml").read_text(encoding="utf-8"))["defaults"]
PAGE = (ROOT / "docs" / "kraft.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## The names of the timeouts")[2].partition("\n## ")[0]
ROWS = re.findall(r"^\| `([a-z.]+)` \| (\S+) \| (.*) \|$", SECTION, re.MULTILINE)


def test_the_articles_keys_are_none_of_kafkas() -> None:
    (said,) = (claim["said"][0] for claim in CLAIMS if claim["id"] == "quorum-keys")
    named = re.findall(r"`([a-z.]+)`", said)
    assert named == ["quorum.fetch.timeout.ms", "quorum.election.timeout.ms"]
    for key in named:
        assert key not in KEYS
        # What is missing is the prefix: with it the key is one of Kafka's, and no other of Kafka's ends so.
        assert [known for known in KEYS if known.endswith(key)] == [f"controller.{key}"]


def test_the_page_tells_kafkas_keys_and_defaults() -> None:
    timeouts = {key: str(default) for key, default in KEYS.items() if key.endswith(".ms") and "timeout" in key}
    assert {key: default for key, default, _ in ROWS} == timeouts


def test_the_steps_that_timeouts_bring_about_are_steps_of_the_model() -> None:
    steps = {step for _, _, what in ROWS for step in re.findall(r"`(\w+)`", what)}
    assert {"fetch_timeout", "election_timeout", "resign"} <= steps <= set(find("kraft")[0].names("action"))
