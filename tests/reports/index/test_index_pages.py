"""The pages that lead to others, `index.html` of an audit and of a check: their links lead somewhere, what fails has
its scenario, and what comes from files stands there as text."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from playwright.sync_api import Browser
from tidegate.audit.answers.answer import Answer
from tidegate.audit.answers.scenario import is_of_requests
from tidegate.audit.answers.scenario import step_sentences as scenario_said
from tidegate.audit.exploring.explorations import ScenarioStep
from tidegate.audit.facts.facts import UsedSetting
from tidegate.audit.kafka.profiles import definition
from tidegate.audit.repairs.after_repair import OmittedStep, take_steps
from tidegate.audit.report.cluster_words import step_said, title_of
from tidegate.audit.report.deciding_settings import NOT_GIVEN, PLACING, setting_text
from tidegate.language.judge import attempt, initial_states
from tidegate.language.steptext import parse_steps
from tidegate.language.values import State
from tidegate.language.verdict import Step
from tidegate.reports.audit.html import PROMISE_TEXTS, audit_index, repaired_scenario, split_by_table
from tidegate.reports.audit.markdown import audit_markdown
from tidegate.reports.audit.terminal import group_alike_subjects
from tidegate.reports.check.html import check_index
from tidegate.reports.gate.html import check_name
from tidegate.reports.index import sentence_html
from tidegate.traces.document import schema

from ...conftest import ROOT, Run
from ...support.browser import chromium, open_page

AROUND = r'<script type="application/json" id="around">(.*?)</script>'
CLUSTERS = ROOT / "examples" / "clusters"
OLD = ("--kafka-version", "3.9")


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with chromium() as started:
        yield started


def links(text: str) -> list[str]:
    """Where a page leads, but for its own parts."""
    return re.findall(r'<a [^>]*?href="([^"#][^"]*)"', text)


def cells_of(subject: dict[str, Any], word: str) -> set[str]:
    table = subject["table"]
    return {f"{question}={name}" for question, cells in table.items() for name in cells if cells[name]["word"] == word}


def test_each_cell_that_fails_opens_its_scenario(tidegate: Run, tmp_path: Path) -> None:
    done = tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--out", str(tmp_path / "out"))
    assert done.err.splitlines()[-1].startswith(f"saved {tmp_path / 'out' / 'index.html'}, which leads to audit.json")
    document = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))
    text = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert links(text)
    assert [link for link in links(text) if not (tmp_path / "out" / link).is_file()] == []
    failing = re.findall(r"<td class=\"bad\".*?</td>", text)
    assert failing and [cell for cell in failing if "<a href" not in cell] == []
    for subject in document["subjects"]:
        shown_ = {cell for one in subject["scenarios"] for cell in one["cells"]}
        assert shown_ <= cells_of(subject, "can lose")
        assert {cell for cell in cells_of(subject, "can lose") if cell.startswith("no-loss=")} <= shown_
        for one in subject["scenarios"]:
            trace = json.loads((tmp_path / "out" / one["html"]).with_suffix(".trace.json").read_text(encoding="utf-8"))
            assert trace["steps"]
            assert one["html"] in links(text)


def test_the_scenario_stands_beside_the_same_with_the_repair(tidegate: Run, tmp_path: Path) -> None:
    tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--out", str(tmp_path))
    document = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    orders = document["subjects"][0]
    assert [(one["key"], one["value"], one["where"]["line"], one["becomes"]) for one in orders["deciding"]] == [
        ("acks", "1", 1, "all")
    ]
    mended = [one for one in orders["scenarios"] if one["repaired"]]
    failed = {check["require"] for check in orders["checks"] if check["result"] == "failed"}
    assert mended
    assert all(failed & set(one["cells"]) for one in mended)
    for one in mended:
        after = one["repaired"]
        assert after["end"].startswith("Now ")
        both = tmp_path / after["html"]
        first, second = traces_in(both.read_text(encoding="utf-8"))
        alone = json.loads(re.findall(r'id="trace-page">(.*?)</script>', both.read_text(encoding="utf-8"))[0])["alone"]
        assert both.parent / alone == tmp_path / one["html"]
        assert (both.parent / alone).is_file()
        name = first["property"]["name"]
        assert "0" in first["truth"][name]
        assert set(second["truth"][name]) == {"1"}
        assert [step["sentence"] for step in second["steps"]] == after["scenario"]
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<h3>The same with the repair</h3>" in text
    assert "<code>acks=1</code>" in text
    assert "Before and after, side by side</a>" in text


def test_a_scenario_speaks_of_the_cluster(tidegate: Run, tmp_path: Path) -> None:
    """What an operator reads has no name of the model's: no field, no struct, no letter of a broker."""
    asked = ("--require", "no-loss=power-loss@one")
    tidegate("audit", str(CLUSTERS / "last-replica-standing"), *OLD, *asked, "--out", str(tmp_path))
    _is_read_in_ten_seconds((tmp_path / "index.html").read_text(encoding="utf-8"))
    (shown_,) = traces_in((tmp_path / "scenarios" / "01-orders.html").read_text(encoding="utf-8"))
    assert shown_["title"].startswith(
        "orders (producer producer.properties): an acknowledged record is lost when a host"
    )
    short = next(row["text"] for row in shown_["argument"] if row["role"] == "short")
    assert short == (
        "Record 0 was acknowledged (step 6). Broker 2, alone in the ISR, lost power before it was flushed (step 9), "
        "and came back as leader without it (step 12)."
    )
    assert shown_["lost"] == [{"lane": "broker 2", "offset": 0, "text": "0", "since": 9}]
    said = [row["text"] for row in shown_["argument"]] + shown_["disabled"]["steps"]
    said += [text for step in shown_["steps"] for text in (step["sentence"], *step["changed"])]
    for word in (r"`", r"\w+\[", r"\b\d[a-e]\b", r"AlterPartition", r"_", r"\b[B-E]\b"):
        assert [text for text in said if re.search(word, text)] == [], word
    trace, page = tmp_path / "scenarios" / "01-orders.trace.json", tmp_path / "page.html"
    tidegate("show", str(trace), "--html", str(page))
    assert traces_in(page.read_text(encoding="utf-8")) == [shown_], "show says what the audit's page says"
    _can_be_chosen_in_the_clusters_words((tmp_path / "scenarios" / "01-orders.html").read_text(encoding="utf-8"))
    terminal = tidegate("show", str(trace)).out
    assert " ".join(short.split()) in " ".join(terminal.split())
    above = terminal.partition("replay it:")[0]
    assert re.findall(r"acknowledged_kept|power_losses|\bs\.\w+|`", above) == []
    jsonschema.validate(json.loads(trace.read_text(encoding="utf-8")), schema())
    _explored_in_the_clusters_words(tidegate, trace, tmp_path)
    _says_what_happened_where_no_record_is_lost(tmp_path / "scenarios")


def _is_read_in_ten_seconds(text: str) -> None:
    """First of all a row for each group of topics, in words: no name of an option or of a folder."""
    overview = text.partition('<div class="overview">')[2].partition("</div></div>")[0]
    row = re.sub(r"<[^>]+>", " ", overview.partition("<tbody>")[2].partition("</tr>")[0])
    assert " ".join(row.split()) == (
        "✗ orders, __consumer_offsets, __transaction_state Acknowledged records are lost when a host loses power while "
        "only one replica is in sync eligible.leader.replicas.version=0 (default) eligible.leader.replicas.version=1"
    )
    assert re.findall(r"no-loss|@|/", re.sub(r"<[^>]+>", " ", overview)) == []
    assert text.index('class="overview"') < text.index("<section>")
    assert text.count('<details class="group" id="group-') and "<details open" not in text
    assert " open>" not in text


def _explored_in_the_clusters_words(tidegate: Run, trace: Path, out: Path) -> None:
    """States, steps, changes and values; commands and expressions have the model's letters, which is said first."""
    saved, commands = out / "mine.trace.json", "undo 3; 1; watch log[B]; watch registered.isr"
    shown_ = tidegate("explore", str(trace), "--do", f"{commands}; save {saved}; page {out / 'mine'}").out
    first, _, rest = shown_.partition("\n")
    assert first == "In commands and expressions, A is broker 2, B is broker 1, C is broker 3."
    assert "9  Broker 2's host loses power: the record had not been flushed." in rest
    assert "broker 2's log: - record 0 at 0" in rest and "1  Broker 1 learns that no broker leads in epoch 1." in rest
    assert "from step 2: [record 0]" in rest and "from step 8: {broker 2}" in rest
    said = [line for line in rest.splitlines() if not line.startswith("explore>")]
    assert [line for line in said if re.search(r"\b[B-E]\b|\b0a\b|Record\(", line.replace("log[B]", ""))] == []
    assert tidegate("replay", str(saved)).exit == 0, "what is saved has the model's letters"
    (last,) = re.findall(r"^ +10  (.+)$", shown_.partition("explore> 1\n")[2].partition("explore>")[0], re.MULTILINE)
    assert last in tidegate("show", str(saved)).out, "in the words of the cluster"
    _a_run_that_a_page_saved_is_taken_again(tidegate, trace, out)
    page = (out / "mine.html").read_text(encoding="utf-8")
    assert traces_in(page)[0]["cluster"]["letters"] == "A is broker 2, B is broker 1, C is broker 3"
    _can_be_chosen_in_the_clusters_words(page)


def _a_run_that_a_page_saved_is_taken_again(tidegate: Run, trace: Path, out: Path) -> None:
    """Its steps alone, from which the rest is made; one that cannot be taken is named."""
    document = json.loads(trace.read_text(encoding="utf-8"))
    kept = {key: document[key] for key in ("model", "bounds", "ghosts", "called", "tool", "commit")}
    branch = kept | {"schema": "tidegate.steps/1", "properties": ["acked_durable"], "wording": {"before": 0}}
    branch |= {"steps": [step["step"] for step in document["steps"][:2]]}
    saved = out / "branch.trace.json"
    saved.write_text(json.dumps(branch), encoding="utf-8")
    assert tidegate("replay", str(saved)).exit == 0
    sentences = [
        step["sentence"] for step in traces_in(next(out.glob("scenarios/01-*.html")).read_text("utf-8"))[0]["steps"]
    ]
    said = tidegate("show", str(saved)).out
    assert all(sentence in said for sentence in sentences[:2]) and sentences[2] not in said
    assert (
        f"  2  {sentences[1]}"
        in tidegate("explore", str(trace), "--steps", "; ".join(branch["steps"]), "--do", "quit").out
    )
    saved.write_text(json.dumps(branch | {"steps": ["fetch(B, A)", "nothing"]}), encoding="utf-8")
    refused = tidegate("show", str(saved))
    assert refused.exit == 64 and str(saved) in refused.err and "nothing" in refused.err


def _can_be_chosen_in_the_clusters_words(page: str) -> None:
    """What could happen in each state of the run: its steps, where they lead and what they change."""
    (shown_,), (beside,) = traces_in(page), json.loads(f"[{re.findall(AROUND, page)[0]}]")
    nodes, values = beside["nodes"], beside["values"]
    assert len(beside["path"]) == len(shown_["steps"]) + 1 == len(beside["calls"]) + 1
    for at, step in zip(beside["path"], shown_["steps"], strict=False):
        there = [values[one["sentence"]] for one in nodes[at]["next"]]
        assert step["sentence"] in there
    steps = [one for at in beside["path"] for one in nodes[at]["next"]]
    said = [text for one in steps for text in (values[one["sentence"]], *values[one["changed"]])]
    assert [text for text in said if re.search(r"`|\w+\[|\b\d[a-e]\b|_|\b[B-E]\b", text)] == []
    assert {"lose_power(broker=A, kept=0)", "produce(A)"} <= {values[one["call"]] for one in steps} | {*beside["calls"]}
    lanes = values[nodes[0]["lanes"]["broker 2"]], values[nodes[beside["path"][1]]["lanes"]["broker 2"]]
    assert [[cell["text"] for cell in lane["cells"]] for lane in lanes] == [[], ["00"]]


def _says_what_happened_where_no_record_is_lost(scenarios: Path) -> None:
    """Who is missing has not lost its host for good; a record that is written twice is the one that is named."""
    shorts: dict[str, str] = {}
    for page in scenarios.glob("*.html"):
        for found in traces_in(page.read_text(encoding="utf-8")):
            said = [row["text"] for row in found["argument"]]
            if "writes_resume" in found["properties"]:
                assert [text for text in (*said, *found["disabled"]["steps"]) if "for good" in text] == [], page
            sentences = {step["i"]: step["sentence"].removesuffix(".") for step in found["steps"]}
            events = [row for row in found["argument"] if row["role"] == "event"]
            assert [row for row in events if not row["text"].startswith(sentences[row["step"]])] == [], page
            shorts[found["property"]["name"] if found["property"] else ""] = next(iter(said[1:2]), "")
    assert shorts["no_duplicate"].endswith(
        "Record 1 is appended (step 2), and again (step 4). Now the record is in the log twice."
    )
    assert "Record 1 is appended (step 2), and record 0 after it (step 3)." in shorts["producer_order"]


def traces_in(text: str) -> list[dict[str, Any]]:
    found = re.findall(r'<script type="application/json" id="trace(?:-\d)?">(.*?)</script>', text)
    return [json.loads(one) for one in found]


def test_what_cannot_happen_with_the_repair_is_left_out_with_its_guard() -> None:
    """With more replicas the leader waits for fetches, which are added; without unclean elections one is left out."""
    model = definition().bind("partition", {"replicas": 2, "power_losses": 1, "min_isr": 2, "acks": "all"}, None)
    steps = ("produce(A)", "advance_high_watermark(A)", "elect_uncleanly(B)", "lose_power(broker=A, kept=2)")
    lost = tuple(ScenarioStep(step, step, fault=False) for step in steps)
    made = take_steps(model, Answer("can lose", steps=lost, property="acknowledged_kept"))
    assert [step.step.partition("(")[0] for step in made.steps] == [
        "produce", "fetch", "advance_high_watermark", "lose_power"
    ]  # fmt: skip
    assert made.aligned_states == (0, 1, 3, 3, 4)
    assert list(made.left_out) == [3]
    assert re.match(r"(blocked by the model's bound: )?.* is false", made.left_out[3].why)


@pytest.mark.parametrize(("shrinks", "left_out"), [(0, [1, 2, 3, 4]), (1, [4])])
def test_a_step_beyond_the_faults_of_a_cell_is_not_said_to_be_impossible(shrinks: int, left_out: list[int]) -> None:
    """Kafka drops a follower from the ISR whatever min.insync.replicas is; only the cell has no such fault left."""
    settings = {"replicas": 3, "isr_shrinks": shrinks, "power_losses": 0, "min_isr": 2, "acks": "all"}
    model = definition().bind("partition", settings, None)
    steps = (
        "propose_shrink(leader=A, follower=B)",
        "change_isr(A)",
        "learn(A)",
        "propose_shrink(leader=A, follower=C)",
    )
    lost = tuple(ScenarioStep(step, step, fault=False) for step in steps)
    made = take_steps(model, Answer("can lose", steps=lost, property="acknowledged_kept"))
    assert list(made.left_out) == left_out
    assert made.left_out[4].is_beyond_faults


def test_steps_that_are_impossible_stand_apart_from_those_beyond_a_cell() -> None:
    impossible, beyond = (
        OmittedStep("s.up[A] is false", is_beyond_faults=False),
        OmittedStep("the budget is spent", is_beyond_faults=True),
    )
    repaired = {"scenario": [], "end": "", "html": "x.html", "left_out": [
        {"step": number, "says": "B lags.", "why": left.why, "beyond": left.is_beyond_faults}
        for number, left in enumerate((impossible, beyond), 1)
    ]}  # fmt: skip
    gone, left_out = (
        "".join(repaired_scenario(repaired)).split("cannot happen any more")[1].split("it may still happen")
    )
    assert ('value="1"' in gone, 'value="2"' in left_out, 'class="gone"' in left_out) == (True, True, False)


def test_a_setting_that_nobody_gave_is_not_called_given() -> None:
    """acks of unknown producers, and where nodes run, decide, and no file has them."""
    assert setting_text(UsedSetting("acks", NOT_GIVEN, None)) == "acks not given"
    assert (setting_text(PLACING), setting_text(UsedSetting("acks", "1", None))) == ("where the nodes run", "acks=1")
    title = title_of("orders", ["no-loss=restart@all"], [{"says": setting_text(PLACING), "where": None}])
    assert title == (
        "orders: an acknowledged record is lost when a broker is restarted in a controlled way, "
        "with all replicas in sync (because of where the nodes run)"
    )
    least = {
        "says": setting_text(UsedSetting("min.insync.replicas", "1", None)),
        "where": {"path": "a/t.txt", "line": 3},
    }
    both = [least, {"says": setting_text(PLACING), "where": None}]
    because = [title_of("orders", [f"no-loss={fault}@min-isr"], both, least_isr=1).partition("with the ")[2]
               for fault in ("power-loss", "disk-loss")]  # fmt: skip
    assert because == [
        "ISR at min.insync.replicas (1) (because of min.insync.replicas=1, t.txt:3)",
        "ISR at min.insync.replicas (1) (because of min.insync.replicas=1, t.txt:3; where the nodes run)",
    ]


def test_who_is_out_before_a_fault_and_which_controller_is_down_is_said() -> None:
    """Of a run about service; the same in a page, in the audit's list and in what `explore` shows."""
    settings = {"replicas": 3, "host_losses": 2, "controller_losses": 2, "voters": 3, "power_losses": 0}
    whole = definition().bind("partition", settings, None)
    model = replace(whole, properties=tuple(prop for prop in whole.properties if prop.name == "writes_resume"))
    state = next(iter(initial_states(model)))
    called = {letter: f"broker {number}" for number, letter in enumerate("ABC", 7)}
    texts: list[str] = []
    for text in ("lose_host(B)", "lose_host(C)", "lose_controller", "lose_controller"):
        action, arguments = parse_steps(model, text)[0]
        after = attempt(model, state, action, arguments)
        assert isinstance(after, State)
        texts.append(step_said(model, state, Step(action.name, arguments, after), called, before=1))
        state = after
    assert texts == [
        "Broker 8 is unavailable already, before the fault.",
        "Broker 9 is unavailable while the fault lasts.",
        "A controller goes down: 1 of 3 is down now.",
        "A controller goes down: 2 of 3 are down now.",
    ]
    steps = [ScenarioStep(text, "", fault=True) for text in ("lose_host(B)", "lose_host(broker=C)")]
    assert scenario_said(steps, called, "writes_resume", 1) == texts[:2]


def test_a_gates_page_has_no_folder_of_its_machine() -> None:
    check = {
        "name": "/srv/models/lock.py defaults",
        "model": "/srv/models/lock.py",
        "result": "ok",
        "kind": "check",
    }
    assert (check_name(check), check_name({"name": "audit a b"})) == ("lock.py defaults", "audit a b")


def test_the_title_of_a_page_fits_all_cells_that_share_it() -> None:
    shared_ = ["no-loss=power-loss@all", "no-loss=power-loss@one", "no-loss=two-power-losses@one"]
    lost = "orders: an acknowledged record is lost when a host loses power, with all replicas in sync or one replica"
    assert title_of("orders", shared_, ()) == f"{lost} in sync; when two hosts lose power, with one replica in sync"
    both = ["no-loss=crash@all", "no-unread=crash@all"]
    assert "is lost and a record that consumers have read is gone when a process dies" in title_of("orders", both, ())
    many = [f"no-loss={fault}@one" for fault in ("crash", "power-loss", "disk-loss", "two-crashes")]
    few = "when a process dies or a host loses power, with one replica in sync; and under 2 other faults"
    assert title_of("orders", many, ()).endswith(few)


def test_a_run_in_which_only_requests_fail_has_no_title_of_another_fault() -> None:
    steps = ("fail_to_produce", "produce(A)", "produce_again(leader=A, id=0)")
    answers = [
        Answer("can lose", steps=tuple(ScenarioStep(step, step, fault=False) for step in some))
        for some in (steps, (*steps, "elect_preferred(A)"))
    ]
    assert [is_of_requests(one) for one in answers] == [True, False]
    title = title_of("orders", ["no-duplicates=leader-move@all"], (), of_requests=True)
    assert "when requests fail or lose their answers, and nothing else goes wrong" in title


def test_in_markdown_a_mark_begins_no_list_and_the_end_is_no_step(tidegate: Run) -> None:
    document = json.loads(tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--json").out)
    subject = document["subjects"][0]
    subject["table"]["no-loss"]["crash@all"] |= {"word": "not checked", "why": "there was no time"}
    text = audit_markdown(document)
    assert "- \\- there was no time" in text
    assert "- - " not in text
    assert f"\n\n{subject['loss']['scenario'][-1][:12]}" in text


def test_a_gate_leads_to_its_counterexamples(tidegate: Run, tmp_path: Path) -> None:
    done = tidegate("gate", str(ROOT / "examples" / "two_phase.toml"), "--out", str(tmp_path / "out"))
    assert done.err.splitlines()[-1].startswith(f"saved {tmp_path / 'out' / 'index.html'}, which leads to report.json")
    text = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert [link for link in links(text) if not (tmp_path / "out" / link).is_file()] == []
    assert "as recorded</h2>" in text


def test_a_gate_prints_where_the_page_of_a_counterexample_is(tidegate: Run, tmp_path: Path) -> None:
    record = f'schema = "tidegate.spec/1"\nmodel = "{ROOT}/examples/lock.py"\n[[check]]\nprofile = "careless"\n'
    (tmp_path / "lock.toml").write_text(f'{record}expect = {{ one_inside = "holds" }}\n', encoding="utf-8")
    done = tidegate("gate", str(tmp_path / "lock.toml"), "--out", str(tmp_path / "out"))
    pages = [line.strip() for line in done.out.splitlines() if line.endswith(".html")]
    assert len(pages) == 1 and Path(pages[0]).is_file()


def test_what_comes_from_files_is_text(tidegate: Run, tmp_path: Path) -> None:
    done = tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--json")
    document = json.loads(done.out.replace("orders", "<script>x</script>"))
    text = audit_index(document)
    assert "<script>x" not in text
    assert "&lt;script&gt;x&lt;/script&gt;" in text
    assert list(PROMISE_TEXTS) == [question["name"] for question in document["questions"]]


def test_its_top_says_of_which_cluster_when_and_by_what(tidegate: Run) -> None:
    document = json.loads(tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--json").out)
    top = re.sub(r"<[^>]+>", "", audit_index(document).partition("</h1>")[2].partition("</p>")[0]).strip()
    assert top == f"acks-1, Kafka 3.9, {document['date']}, {document['tool']}; required: standard"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", document["date"])
    titles = re.findall(r'<th scope="col">(.*?)</th>', audit_index(document))[:4]
    assert titles == ["topics", "what can go wrong", "decided by", "change"]


def test_where_nodes_do_not_start_that_is_the_answer(tidegate: Run) -> None:
    document = json.loads(tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--json").out)
    down = {"says": "broker 2 does not start", "kind": "does not start", "certain": True}
    page = audit_index(document | {"summary": document["summary"] | {"now": [down] * 5, "stops_all": True}})
    assert page.count("now: broker 2 does not start") == 1
    assert 'class="overview"' not in page


def test_what_stands_in_backticks_is_code() -> None:
    assert sentence_html("`a<b` is, and c`d is not") == "<code>a&lt;b</code> is, and c`d is not"


def test_a_table_holds_for_all_topics_that_are_named_over_it(tidegate: Run) -> None:
    """Topics with one headline and tables of their own: "kept" over one of them may be "depends" of another."""
    cluster = CLUSTERS / "last-replica-standing"
    asked = ("--client", "java:3.9", "--require", "no-loss=power-loss@one", "--json")
    document = json.loads(tidegate("audit", str(cluster), *OLD, *asked).out)
    group = group_alike_subjects(document["subjects"])[0]
    assert len(group) > 1
    assert len({json.dumps(subject["table"]) for subject in group}) > 1
    apart = split_by_table(group)
    assert [subject for alike in apart for subject in alike] == group
    assert [len({json.dumps(subject["table"]) for subject in alike}) for alike in apart] == [1] * len(apart)
    text = audit_index(document)
    for alike in apart:
        heading = f"</span> {', '.join(subject['name'] for subject in alike)}</h2>"
        assert heading in text
    body = text.partition(f"</span> {apart[-1][0]['name']}</h2>")[2].partition("</section>")[0]
    rows = {fault["name"] for fault in document["faults"]}
    table = apart[-1][0]["table"]
    said = [cell["word"] for cells in table.values() for name, cell in cells.items() if name.partition("@")[0] in rows]
    marks = [body.count(f'<td class="{look}"') for look in ("bad", "good", "open")]
    glance = 3 * len(document["questions"])
    assert sum(marks) == len(said) + glance
    for look, words in (("bad", ["can lose"]), ("good", ["no loss found"]), ("open", ["depends", "not checked"])):
        here = body.count(f'<td class="{look}"')
        assert sum(said.count(word) for word in words) <= here <= sum(said.count(word) for word in words) + glance


def test_a_check_leads_to_its_traces(tidegate: Run, tmp_path: Path) -> None:
    done = tidegate("check", "replication:kip101", "--out", str(tmp_path))
    assert done.err.splitlines()[-1].startswith(f"saved {tmp_path / 'index.html'}, which leads to report.json")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<h1 class="bad">replication:kip101 violates 2 properties</h1>' in text
    verdicts = re.findall(r'<tr><td class="(\w+)"', text)
    assert verdicts == sorted(verdicts, key=("bad", "open", "good").index) and verdicts[0] == "bad"
    assert [link for link in links(text) if not (tmp_path / link).is_file()] == []
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert len(links(text)) == len(list(tmp_path.glob("*.trace.json")))
    (within,) = re.findall(r"Bounds: (.*?)\.</p>", text)
    assert within.startswith("replicas=3, log_size=2") and "Switches: truncation=end_of_epoch; off: " in text
    assert f"{report['distinct_states']:,} distinct states, depth {report['depth']}; native engine" in text
    good = check_index(report | {"verdict": "holds", "outcome": "none"}, {"": "failure.html"})
    assert '<h1 class="good">' in good
    assert links(good) == ["failure.html"]
    walked = check_index(report | {"verdict": "holds", "outcome": "none", "engine": "walk"}, {})
    assert '<h1 class="good">replication:kip101 holds in what was looked at</h1>' in walked


def test_the_page_is_opened_in_the_browser_that_is_set(
    tidegate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    script = tmp_path / "browser"
    script.write_text(f"#!{sys.executable}\nimport sys\nopen({str(seen)!r}, 'w').write(sys.argv[1])\n")
    script.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{script} %s")
    tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--out", str(tmp_path / "out"), "--open")
    assert seen.read_text() == (tmp_path / "out" / "index.html").as_uri()
    done = tidegate("audit", str(CLUSTERS / "acks-1"), "--open")
    assert (done.exit, "--open shows the page that --out writes" in done.err) == (64, True)


@pytest.mark.long
def test_in_chromium_it_asks_for_nothing_and_a_failing_cell_leads_to_its_page(
    tidegate: Run, browser: Browser, tmp_path: Path
) -> None:
    tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--out", str(tmp_path / "out"))
    with open_page(browser, tmp_path / "out" / "index.html", at="h1") as one:
        wide = one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        link = one.page.locator("td.bad a").first.get_attribute("href")
    assert (wide, link is not None) == (True, True)
    with open_page(browser, tmp_path / "out" / str(link), "s=1") as scenario:
        assert "lost" in scenario.page.title() or "orders" in scenario.page.title()
        offered = scenario.page.locator("#choices li:not(.taken) button.step").first
        sentence = offered.inner_text()
        offered.click()
        assert (scenario.text("#sentence"), scenario.text("#model")) == (
            sentence, "What else could happen after step 1"
        )  # fmt: skip
        assert not re.search(r"broker \d", scenario.text("#facts dd:nth-of-type(8)"))
