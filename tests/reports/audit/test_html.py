"""The index.html of an audit: what fails has its scenario, and a scenario speaks of the cluster."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tidegate.audit.repairs.after_repair import OmittedStep
from tidegate.reports.audit.html import (
    PROMISE_TEXTS,
    audit_index,
    failure_texts,
    repaired_scenario_html,
    split_group_by_table,
)
from tidegate.reports.audit.terminal import group_alike_subjects
from tidegate.traces.document import read_schema

from ...conftest import Run, SavedAudit
from ...support.index_pages import AROUND, CLUSTERS, OLD, links, traces_in


def cells_of(subject: dict[str, Any], word: str) -> set[str]:
    table = subject["table"]
    return {f"{question}={name}" for question, cells in table.items() for name in cells if cells[name]["word"] == word}


def test_writes_that_nobody_makes_are_not_said_to_be_open() -> None:
    row = {"records": "kept", "records_word": "met", "writes": "none: a.properties writes nothing"}
    assert [*failure_texts({**row, "writes_word": "silent"})] == ["Writes: none: a.properties writes nothing"]
    stop = {**row, "writes": "stop while one broker is down", "writes_word": "failed"}
    assert [*failure_texts(stop)] == ["Writes stop while one broker is down"]
    assert [*failure_texts({**row, "writes": "go on", "writes_word": "met"})] == []


def test_each_cell_that_fails_opens_its_scenario(saved_audit: SavedAudit) -> None:
    done, out = saved_audit(str(CLUSTERS / "acks-1"), *OLD)
    assert done.err.splitlines()[-1].startswith(f"saved {out / 'index.html'}, which leads to audit.json")
    document = json.loads((out / "audit.json").read_text(encoding="utf-8"))
    text = (out / "index.html").read_text(encoding="utf-8")
    assert links(text)
    assert [link for link in links(text) if not (out / link).is_file()] == []
    failing = re.findall(r"<td class=\"bad\".*?</td>", text)
    assert failing and [cell for cell in failing if "<a href" not in cell] == []
    for subject in document["subjects"]:
        shown_ = {cell for one in subject["scenarios"] for cell in one["cells"]}
        assert shown_ <= cells_of(subject, "can lose")
        assert {cell for cell in cells_of(subject, "can lose") if cell.startswith("no-loss=")} <= shown_
        for one in subject["scenarios"]:
            trace = json.loads((out / one["html"]).with_suffix(".trace.json").read_text(encoding="utf-8"))
            assert trace["steps"]
            assert one["html"] in links(text)


def test_the_scenario_stands_beside_the_same_with_the_repair(saved_audit: SavedAudit) -> None:
    _, out = saved_audit(str(CLUSTERS / "acks-1"), *OLD)
    document = json.loads((out / "audit.json").read_text(encoding="utf-8"))
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
        both = out / after["html"]
        first, second = traces_in(both.read_text(encoding="utf-8"))
        alone = json.loads(re.findall(r'id="trace-page">(.*?)</script>', both.read_text(encoding="utf-8"))[0])["alone"]
        assert both.parent / alone == out / one["html"]
        assert (both.parent / alone).is_file()
        name = first["property"]["name"]
        assert "0" in first["truth"][name]
        assert set(second["truth"][name]) == {"1"}
        assert [step["sentence"] for step in second["steps"]] == after["scenario"]
    text = (out / "index.html").read_text(encoding="utf-8")
    assert "<h3>The same with the repair</h3>" in text
    assert "<code>acks=1</code>" in text
    assert "Before and after, side by side</a>" in text


@pytest.mark.long
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
    jsonschema.validate(json.loads(trace.read_text(encoding="utf-8")), read_schema())
    _explored_in_the_clusters_words(tidegate, trace, tmp_path)
    _says_what_happened_where_no_record_is_lost(tmp_path / "scenarios")


def _is_read_in_ten_seconds(text: str) -> None:
    """First of all a row for each group of topics, in words: no name of an option or of a folder."""
    overview = text.partition('<div class="overview">')[2].partition("</div></div>")[0]
    assert "eligible.<wbr>leader.<wbr>replicas.<wbr>version=<wbr>0" in overview, "a line may end within a key"
    row = re.sub(r"<[^>]+>", " ", overview.partition("<tbody>")[2].partition("</tr>")[0].replace("<wbr>", ""))
    assert " ".join(row.split()) == (
        "✗ orders, __consumer_offsets, __transaction_state Acknowledged records are lost when a host loses power while "
        "only one replica is in sync eligible.leader.replicas.version=0 (default) min.insync.replicas=2 for the whole "
        "cluster, Kafka 4.3 with eligible.leader.replicas.version=1 UnderMinIsrPartitionCount above 0, where "
        "min.insync.replicas is above 1; one id in Isr of --describe; and once nobody leads, "
        "OfflinePartitionsCount above 0"
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
        "".join(repaired_scenario_html(repaired)).split("cannot happen any more")[1].split("it may still happen")
    )
    assert ('value="1"' in gone, 'value="2"' in left_out, 'class="gone"' in left_out) == (True, True, False)


def test_what_comes_from_files_is_text(saved_audit: SavedAudit) -> None:
    done, _ = saved_audit(str(CLUSTERS / "acks-1"), *OLD)
    document = json.loads(done.out.replace("orders", "<script>x</script>"))
    text = audit_index(document)
    assert "<script>x" not in text
    assert "&lt;script&gt;x&lt;/script&gt;" in text
    assert list(PROMISE_TEXTS) == [question["name"] for question in document["questions"]]


def test_its_top_says_of_which_cluster_when_and_by_what(saved_audit: SavedAudit) -> None:
    document = json.loads(saved_audit(str(CLUSTERS / "acks-1"), *OLD)[0].out)
    top = re.sub(r"<[^>]+>", "", audit_index(document).partition("</h1>")[2].partition("</p>")[0]).strip()
    assert top == f"acks-1, Kafka 3.9, {document['date']}, {document['tool']}; required: standard"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", document["date"])
    titles = re.findall(r'<th scope="col">(.*?)</th>', audit_index(document))[:4]
    assert titles == ["topics", "what can go wrong", "decided by", "change"]


def test_where_nodes_do_not_start_that_is_the_answer(saved_audit: SavedAudit) -> None:
    document = json.loads(saved_audit(str(CLUSTERS / "acks-1"), *OLD)[0].out)
    down = {"says": "broker 2 does not start", "kind": "does not start", "certain": True}
    page = audit_index(document | {"summary": document["summary"] | {"now": [down] * 5, "stops_all": True}})
    assert page.count("now: broker 2 does not start") == 1
    assert 'class="overview"' not in page


def test_a_table_holds_for_all_topics_that_are_named_over_it(tidegate: Run) -> None:
    """Topics with one headline and tables of their own: "kept" over one of them may be "depends" of another."""
    cluster = CLUSTERS / "last-replica-standing"
    asked = ("--client", "java:3.9", "--require", "no-loss=power-loss@one", "--json")
    document = json.loads(tidegate("audit", str(cluster), *OLD, *asked).out)
    group = group_alike_subjects(document["subjects"])[0]
    assert len(group) > 1
    assert len({json.dumps(subject["table"]) for subject in group}) > 1
    apart = split_group_by_table(group)
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
