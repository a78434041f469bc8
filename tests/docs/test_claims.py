"""Claims of articles that no model decides: the names of configuration keys, against Kafka's own."""

from __future__ import annotations

import re
import tomllib

from tidegate.invariants.catalogue import find

from ..conftest import ROOT

KEYS = tomllib.loads((ROOT / "tests" / "fixtures" / "kafka_quorum_keys.toml").read_text(encoding="utf-8"))["defaults"]
PAGE = (ROOT / "docs" / "kraft.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## The names of the timeouts")[2].partition("\n## ")[0]
ROWS = re.findall(r"^\| `([a-z.]+)` \| (\S+) \| (.*) \|$", SECTION, re.MULTILINE)


def test_the_articles_keys_are_none_of_kafkas() -> None:
    said = re.search(r'^\| "(`quorum[^"]*)" \| imprecise \|', PAGE, re.MULTILINE)
    assert said is not None
    named = re.findall(r"`([a-z.]+)`", said[1])
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
