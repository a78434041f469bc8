"""The pages of what articles say are made from docs/claims.toml, and every command on them says what the table says."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import tomllib
from functools import cache
from typing import Any

import pytest
from tidegate.gates.records import read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.frontend.traversal import fields_read, fields_written

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
} | {command for command, _ in RUNS if "one_replica_crashes" in command}
"""The ordinary ones: of each part the first counterexample, and one that holds. The others are as quick, and take
minutes together."""


@pytest.mark.parametrize("name", maker().PAGES)
def test_the_page_is_made_from_the_table(name: str) -> None:
    made = maker().page_text(SOURCE, maker().PAGES[name])
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == made, "python docs/claims.py writes it anew"


def test_each_claim_has_both_languages_a_verdict_and_a_short_command() -> None:
    assert len({claim["id"] for claim in CLAIMS}) == len(CLAIMS) == 89
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
    return {"reached": f" reached {name} \\(", "missing": f"no state shows {name}:"}[result]


EXITS = {"reached": 0, "missing": 4, "violated": 1}


@pytest.mark.parametrize(("command", "result"), tiered_rows(RUNS, lambda run: run[0] in FIRST_OF_PARTS))
def test_a_command_says_what_the_table_says(command: str, result: str, tidegate: Run) -> None:
    if result == "holds":
        report = json.loads(tidegate(*shlex.split(command)[1:], "--json").out)
        assert report["verdict"] == "holds" and [prop["verdict"] for prop in report["properties"]] == ["holds"]
        assert missing_steps(command, report) == [] and unmoved_fields(command, report) == set()
        return
    done = tidegate(*shlex.split(command)[1:], "--width", "200")
    printed = " ".join((done.out + done.err).split())
    assert re.search(expected_text(command, result), printed), printed[:2000]
    if command.startswith("tidegate check "):
        assert done.exit == EXITS[result.partition(",")[0]]


# --- one word for one thing, in Chinese ------------------------------------------------------------------------------

OTHER_WORDS = {
    "偏移量": "位移", "重平衡": "再均衡", "重均衡": "再均衡", "协调者": "协调器", "控制者": "控制器",
    "领导者": "leader", "跟随者": "follower", "从副本": "follower", "事物": "事务", "话题": "主题", "断电": "掉电",
    "页面缓存": "页缓存", "不干净的": "不完全", "脏选举": "不完全首领选举",
    "短暂节点": "临时节点", "多数派": "过半", "高水位线": "高水位",
}  # fmt: skip
"""Words that mean what one of the list means, and which one that is."""


def test_the_chinese_page_has_one_word_for_one_thing() -> None:
    text = "".join(chinese for claim in CLAIMS for _, chinese in (claim["said"], claim["so"]))
    assert [word for word in OTHER_WORDS if word in text] == []
    body = text + "".join(title for _, title in SOURCE["parts"].values())
    unused = [term for term in SOURCE["terms"].values() if not any(word in body for word in words_in(term))]
    assert unused == []


def words_in(term: str) -> list[str]:
    """The words by which a term of the list is known in the text: itself, and what is in brackets."""
    return [word for word in re.split("[（），]", term) if word]


# --- where each row leads -------------------------------------------------------------------------------------------


@cache
def sections_of(page: str) -> dict[str, str]:
    """The text below each heading of a page, by the anchor that a link to it has."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    without_code = re.sub(
        r"^```.*?^```", lambda block: re.sub("^#", " #", block[0], flags=re.M), text, flags=re.M | re.S
    )
    _, *parts = re.split(r"^##+ (.*)$", without_code, flags=re.MULTILINE)
    return {anchor_of(head): f"{head}\n{text}" for head, text in zip(parts[::2], parts[1::2], strict=True)}


def anchor_of(heading: str) -> str:
    """What GitHub and the site make of a heading."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower()))


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim["run"]], ids=lambda claim: claim["id"])
def test_a_row_leads_to_the_page_of_its_run(claim: Any) -> None:
    """The section is there, and is about the model that runs, the story that is told, or the audit."""
    page, _, anchor = claim["page"].partition("#")
    assert anchor in sections_of(page), claim["page"]
    text = sections_of(page)[anchor]
    words = {word for command, result in claim["run"] for word in words_about(command, result)}
    assert page.endswith("audit.md") or any(re.search(rf"\b{re.escape(word)}\b", text) for word in words), words


def words_about(command: str, result: str) -> set[str]:
    """Of a check the profile, or its release, and the property; the story; what a replay is refused; the key that an
    audit names."""
    _, verb, what, *rest = shlex.split(command)
    if verb == "demo":
        return {f"demo {what}"}
    if verb != "check":
        return set(re.findall(r"`([\w.]+)`", result)) or {result.partition("(")[0]}
    profile = what.partition(":")[2]
    release = [f"Kafka {profile[6:].replace('_', '.')}"] if profile.startswith("kafka_") else []
    return {rest[rest.index("--property") + 1], *([profile] if profile else []), *release}


# --- what holds holds of something that happens -----------------------------------------------------------------------

HOLDING: dict[str, list[str]] = {
    command: actions
    for claim in CLAIMS
    for command, actions in zip(
        [command for command, result in claim["run"] if result == "holds"], claim.get("happens", []), strict=True
    )
}
"""Each command whose property holds, and the steps without which that would say nothing."""


def test_of_each_that_holds_it_is_said_what_must_happen() -> None:
    assert len(HOLDING) >= 35 and all(HOLDING.values())
    for command, actions in HOLDING.items():
        model = shlex.split(command)[2].partition(":")[0]
        assert set(actions) <= set(find(model)[0].names("action")), command


def missing_steps(command: str, report: Any) -> list[str]:
    """What must happen in a run and does not."""
    fired = {action["name"]: action["fired"] for action in report["actions"] if not action["switched_off"]}
    return [action for action in HOLDING[command] if not fired.get(action)]


def unmoved_fields(command: str, report: Any) -> set[str]:
    """What a property reads and no step of a run changes, though one might that is no fault: of it nothing is said."""
    model, _, profile = report["model"].partition(":")
    name = command.partition("--property ")[2].split()[0]
    bound = find(model)[0].bind(profile=profile or None, constants=report["constants"], properties=[name])
    (form,) = (prop.form for prop in bound.properties if prop.name == name)
    assert form is not None, name
    happened = {action["name"] for action in report["actions"] if action["fired"]}
    might, did = (
        {
            field
            for action in bound.actions
            if not action.switched_off
            if action.name in happened or (everything and action.kind != "fault")
            for field in fields_written(action.form.body)
        }
        for everything in (True, False)
    )
    return (fields_read(*form.body).keys() & might) - did


def test_a_property_of_what_nothing_changes_is_found_out(tidegate: Run) -> None:
    """No consumer starts again in it, so that none can skip anything."""
    command = "tidegate check offsets_outage:three_replicas --bounds one_up --property nothing_skipped"
    report = json.loads(tidegate(*shlex.split(command)[1:], "--json").out)
    assert report["verdict"] == "holds" and unmoved_fields(command, report) == {"skipped"}


def test_a_step_that_never_happens_is_missed(tidegate: Run) -> None:
    command = next(command for command in HOLDING if "one_replica_crashes" in command)
    report = json.loads(tidegate(*shlex.split(command)[1:], "--set", "crashes=0", "--json").out)
    assert missing_steps(command, report) == ["crash", "restart"]


# --- the appendix -----------------------------------------------------------------------------------------------------

APPENDIX = (ROOT / "docs" / "appendix" / "claims.md").read_text(encoding="utf-8")
FOLLOW_UPS = (5283, 7801, 9004, 9672, 12181, 12686, 13884, 14457, 16144, 16531, 17332)
BY_NUMBER = ("B08", "B15", "B16", "B19", "B59", "B64", "B79", "B95")


def test_each_follow_up_and_each_number_has_a_row() -> None:
    names = [line.split(" | ")[0].strip("| ") for line in APPENDIX.splitlines() if line.startswith("| ")]
    told = {ticket for name in names for ticket in re.findall(r"KAFKA-(\d+)", name)}
    assert told == {str(number) for number in FOLLOW_UPS}
    assert tuple(name for name in names if re.fullmatch(r"B\d\d", name)) == BY_NUMBER


def test_the_appendix_names_profiles_and_sections_that_there_are() -> None:
    profiles = re.findall(r"`(\w+):(\w+)`", APPENDIX)
    assert len(profiles) >= 15
    for model, profile in profiles:
        assert profile in find(model)[0].profiles, f"{model}:{profile}"
    for page, anchor in re.findall(r"\]\((\S+?\.md)#(\S+?)\)", APPENDIX):
        inside = page.removeprefix("../") if page.startswith("../") else f"appendix/{page}"
        assert anchor in sections_of(inside), f"{page}#{anchor}"


RECORDED = re.findall(r"`(\w+):(\w+)` fails `(\w+)` after (\d+) steps?", APPENDIX)


@pytest.mark.parametrize(("model", "profile", "prop", "steps"), RECORDED)
def test_what_the_appendix_says_fails_is_recorded(model: str, profile: str, prop: str, steps: str) -> None:
    checks = read_record_file(ROOT / "spec" / f"{model}.toml").checks
    found = {
        check.properties[prop].steps
        for check in checks
        if check.target == f"{model}:{profile}" and prop in check.properties
    }
    assert int(steps) in found


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
