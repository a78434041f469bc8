"""The files that `audit --out DIR` writes: index.html, which leads to the rest, audit.json, summary.md, results.sarif,
junit.xml, in scenarios/ pages of the losses, in repairs/ every command of each repair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..audit.answers.answer import Answer
from ..audit.answers.runs_shown import answer_with_shown_run, run_of_answer
from ..audit.answers.scenario import (
    broker_names_after_steps,
    broker_names_of_subject,
    has_only_request_faults,
    loss_scenario_sentences,
    loss_sentence,
    rename_brokers,
    step_sentences,
)
from ..audit.cluster.findings import ModelRun
from ..audit.exploring.client_models import Settings, run_of_producer
from ..audit.exploring.small_models import run_of_finding
from ..audit.kafka.internal_topics import OFFSETS
from ..audit.questions.questions import QUESTION
from ..audit.questions.situations import BY_NAME, cell_title
from ..audit.repairs.after_repair import RunWithRepair, run_with_repair
from ..audit.report.cluster_words import (
    LOST,
    ClusterRun,
    ScenarioWords,
    broker_letters_text,
    letters_note,
    scenario_title,
    trace_in_cluster_words,
)
from ..audit.report.document import AuditOutcome, Document
from ..audit.report.subject_report import SubjectReport
from ..language.immutable import immutable
from ..language.model import Model
from ..language.verdict import PropertyVerdict
from ..reports.audit.html import audit_index
from ..reports.audit.junit import audit_junit
from ..reports.audit.markdown import audit_markdown
from ..reports.audit.repair import repair_script
from ..reports.audit.sarif import audit_sarif
from ..reports.files import write_json, write_text, write_trace
from ..reports.text_page import count_text
from ..reports.trace.html import trace_html, viewer_texts
from ..traces.document import run_document, trace_document
from ..traces.neighbourhood import neighbourhood_document

FOLDER, REPAIRS = "scenarios", "repairs"
MAX_PAGES = 200
"""Runs that get a page: of each group of topics the loss that is reported, the worst first, then those of other
cells."""


@dataclass(slots=True)
class Scenario:
    """A run that gets a page: of whom, the answer that has it, its file, the cells of the table that it shows, and the
    same run with the repair made, where there is one. `others` are the names of groups that it is shown for, too."""

    report: SubjectReport
    subject: Document
    answer: Answer
    html: str
    title: str
    cells: list[str] = field(default_factory=list[str])
    run_with_repair: RunWithRepair | None = None
    others: list[str] = field(default_factory=list[str])


def assign_scenario_pages(outcome: AuditOutcome) -> list[Scenario]:
    """Says in the document which file will be the page of each loss and of each cell that can fail, so that what is
    printed is what is saved: those runs. Where there are more than `MAX_PAGES`, the rest have no page."""
    pairs = list(zip(outcome.document["subjects"], outcome.reports, strict=True))
    found = [made for subject, report in pairs if (made := _reported_scenario(subject, report)) is not None][:MAX_PAGES]
    for number, made in enumerate(found, 1):
        made.html = made.subject["loss"]["html"] = f"{FOLDER}/{number:02d}-{_subject_slug(made.subject)}.html"
    shared: dict[object, Scenario] = {}
    for subject, report in pairs:
        mine = [made for made in found if made.report is report]
        alike: list[Document] = []
        for made in list(_cell_scenarios(outcome, subject, report, mine)) if len(found) < MAX_PAGES else ():
            known = shared.get(key := _key_of_shared_page(made))
            if known is not None:
                known.others.append(subject["name"])
                alike.append({"html": known.html, "cells": made.cells, "repaired": None})
            elif len(found) < MAX_PAGES:
                made.html = _cell_page_name(len(found) + 1, made)
                found.append(made)
                shared |= {} if key is None else {key: made}
        subject["scenarios"] = [_scenario_document(outcome, made) for made in found if made.report is report] + alike
    offsets = next((subject for subject in outcome.document["subjects"] if subject["topics"][0] == OFFSETS), None)
    for subject, _ in pairs:
        subject["scenarios"] += _consumer_scenarios(subject, offsets)
    for made in assign_client_pages(outcome):
        made.subject["scenarios"].append({"html": made.html, "cells": made.cells, "repaired": None})
    for made in assign_finding_pages(outcome):
        made.finding["html"] = made.html
    return found


def _cell_page_name(number: int, scenario: Scenario) -> str:
    question, _, cell = scenario.cells[0].partition("=")
    return f"{FOLDER}/{number:02d}-{_subject_slug(scenario.subject)}-{question}-{cell.replace('@', '-')}.html"


def _key_of_shared_page(scenario: Scenario) -> object | None:
    """What the pages of two groups have in common that are the same but for the group's name: the run, its constants,
    what the brokers and the states are called. None for what fails a requirement, which is shown with the repair."""
    if {*scenario.cells} & _failed_cells(scenario.report):
        return None
    answer, called = scenario.answer, broker_names_of_subject(scenario.report.verdict.subject, scenario.answer.steps)
    return answer.property, answer.steps, answer.hosts_out, answer.case, scenario.subject["least_isr"], repr(called)


def _failed_cells(report: SubjectReport) -> set[str]:
    return {check.requirement.to_text for check in report.checks if check.result == "failed"}


@immutable
class FindingScenario:
    """A run of a model that gets a page since a finding says what it shows: the finding in the document, the run, and
    its file."""

    finding: Document
    run: ModelRun
    html: str


def assign_finding_pages(outcome: AuditOutcome) -> list[FindingScenario]:
    """The runs to what findings say, at most `MAX_PAGES`."""
    pairs = zip(outcome.document["findings"], outcome.findings, strict=True)
    shown = [(said, finding.run) for said, finding in pairs if finding.run is not None][:MAX_PAGES]
    return [
        FindingScenario(said, run, f"{FOLDER}/finding-{number:02d}-{run.fails}.html")
        for number, (said, run) in enumerate(shown, 1)
    ]


@immutable
class ClientScenario:
    """A run of the producer's model that gets a page: of whom, its property and constants, its file, and its cells."""

    subject: Document
    name: str
    settings: Settings
    html: str
    cells: list[str]

    @property
    def title(self) -> str:
        """What the page is called."""
        return f"{self.subject['name']}: {LOST[self.cells[0].partition('=')[0]]}, by what its producer does"


def assign_client_pages(outcome: AuditOutcome) -> list[ClientScenario]:
    """The runs of producers by which cells fail, each once in a group of topics, at most `MAX_PAGES`."""
    found: dict[tuple[int, str, Settings], ClientScenario] = {}
    for number, (subject, report) in enumerate(zip(outcome.document["subjects"], outcome.reports, strict=True)):
        for (question, cell), answer in report.verdict.table.items():
            if answer.word != "can lose" or answer.client is None:
                continue
            name, settings = answer.client
            html = f"{FOLDER}/client-{len(found) + 1:02d}-{_subject_slug(subject)}-{question}.html"
            made = ClientScenario(subject, name, settings, html, [])
            found.setdefault((number, name, settings), made).cells.append(f"{question}={cell}")
    return list(found.values())[:MAX_PAGES]


def _write_model_page(html: str, title: str, model_run: tuple[Model, PropertyVerdict], report_folder: Path) -> None:
    """The page of a run of a model that is not the partition's, with the trace beside it."""
    (report_folder / FOLDER).mkdir(exist_ok=True)
    name = Path(html).with_suffix("")
    trace = trace_document(*model_run)
    trace["title"] = title
    write_trace(report_folder / f"{name}.trace.json", trace)
    write_text(
        report_folder / f"{name}.html", trace_html([trace], whole_file=f"{name.name}.trace.json", shares_viewer=True)
    )


_CAUSES_OF_GROUP_FAILURES: Mapping[str, Sequence[str]] = {
    "groups": ("writable", "readable"),
    "no-skips": ("no-loss", "no-unread"),
}
"""The questions whose loss is what consumers suffer from."""


def _consumer_scenarios(subject: Document, offsets: Document | None) -> list[Document]:
    """The scenarios of cells that fail because of another one: groups stop, or skip records, by what happens to the
    topic, or to the topic in which they keep their offsets."""
    causes = [one for one in (subject, offsets) if one is not None]
    pages = [{cell: one["html"] for one in cause["scenarios"] for cell in one["cells"]} for cause in causes]
    found: dict[str, list[str]] = {}
    for question, sources in _CAUSES_OF_GROUP_FAILURES.items():
        of = list(reversed(pages)) if question == "groups" else pages
        for name, cell in subject["table"][question].items():
            own = f"{question}={name}"
            html = next((page[key] for page in of for key in (f"{one}={name}" for one in sources) if key in page), None)
            if cell["word"] == "can lose" and own not in pages[0] and html is not None:
                found.setdefault(html, []).append(own)
    return [{"html": html, "cells": cells, "repaired": None} for html, cells in found.items()]


def _scenario_document(outcome: AuditOutcome, scenario: Scenario) -> Document:
    """A scenario as the document has it; `repaired` is the same with the repair, where that is known to mend it."""
    failed = _failed_cells(scenario.report)
    cell = next((cell for cell in scenario.cells if cell in failed), None)
    if cell is not None:
        question, _, name = cell.partition("=")
        of = scenario.report.verdict
        scenario.run_with_repair = run_with_repair(
            of, scenario.report.changes, question, name, scenario.answer, of.table[question, name], outcome.explorations
        )
    return {"html": scenario.html, "cells": scenario.cells, "repaired": _repaired_document(scenario)}


def _repaired_document(scenario: Scenario) -> Document | None:
    """The scenario with the repair in sentences, the steps that it leaves out, and its page."""
    if scenario.run_with_repair is None:
        return None
    subject = scenario.report.verdict.subject
    without = loss_scenario_sentences(subject, scenario.answer)
    return {
        "html": f"{scenario.html.removesuffix('.html')}-repaired.html",
        "scenario": step_sentences(
            scenario.run_with_repair.steps,
            _broker_names_after(scenario, scenario.run_with_repair),
            scenario.run_with_repair.property,
            scenario.answer.hosts_out,
        ),
        "end": loss_sentence(
            scenario.run_with_repair.property, bool(scenario.run_with_repair.run.states()[-1].acknowledged)
        ),
        "left_out": [
            {"step": number, "says": without[number - 1], "why": left.why, "beyond": left.is_beyond_faults}
            for number, left in scenario.run_with_repair.left_out.items()
        ],
    }


def _broker_names_after(scenario: Scenario, repaired_run: RunWithRepair) -> Mapping[str, str]:
    """What the brokers of a run with the repair are called."""
    replicas = next(domain.size for domain in repaired_run.model.domains if domain.name == "Broker")
    return broker_names_after_steps(scenario.report.verdict.subject, scenario.answer.steps, replicas)


def _reported_scenario(subject: Document, report: SubjectReport) -> Scenario | None:
    """The run of the loss that is reported of a group of topics."""
    if subject["loss"] is None or report.loss is None:
        return None
    cell, question, _, answer = report.loss
    return Scenario(report, subject, answer, "", f"{subject['name']}: {subject['headline']}", [f"{question}={cell}"])


def _cell_scenarios(
    outcome: AuditOutcome, subject: Document, report: SubjectReport, known_scenarios: list[Scenario]
) -> Iterator[Scenario]:
    """The runs of the cells that can fail, each once; a cell with a run that is known is added to it."""
    every = {(made.answer.property, made.answer.steps, made.answer.hosts_out): made for made in known_scenarios}
    reported = {cell for made in known_scenarios for cell in made.cells}
    for (question, name), answer in report.verdict.table.items():
        if answer.word != "can lose" or not answer.steps or f"{question}={name}" in reported:
            continue
        cell = BY_NAME[name]
        shown = answer_with_shown_run(report.verdict, question, cell, answer, outcome.explorations)
        made = every.get((shown.property, shown.steps, shown.hosts_out))
        if made is not None:
            made.cells.append(f"{question}={name}")
            continue
        title = f"{subject['name']}: {QUESTION[question].title}, {cell_title(cell)}"
        made = Scenario(report, subject, shown, "", title, [f"{question}={name}"])
        every[shown.property, shown.steps, shown.hosts_out] = made
        yield made


def save_audit(outcome: AuditOutcome, scenarios: list[Scenario], report_folder: Path) -> int:
    """Writes the files, then the pages that `assign_scenario_pages` named, which take longer;
    how many those are. Raises OSError."""
    _remove_old_pages(report_folder)
    clients, findings = assign_client_pages(outcome), assign_finding_pages(outcome)
    _write_repairs(outcome.document, report_folder)
    write_text(report_folder / "summary.md", audit_markdown(outcome.document))
    write_json(report_folder / "results.sarif", audit_sarif(outcome.document))
    write_text(report_folder / "junit.xml", audit_junit(outcome.document))
    write_json(report_folder / "audit.json", outcome.document)
    write_text(report_folder / "index.html", audit_index(outcome.document))
    if scenarios or clients or findings:
        _write_viewer(report_folder)
    for made in scenarios:
        _write_scenario_page(outcome, made, report_folder)
    for client in clients:
        _write_model_page(client.html, client.title, run_of_producer(client.name, client.settings), report_folder)
    for finding in findings:
        _write_model_page(finding.html, finding.finding["what"], run_of_finding(finding.run), report_folder)
    return len(scenarios) + len(clients) + len(findings)


def _write_viewer(report_folder: Path) -> None:
    """What all pages of scenarios share."""
    (report_folder / FOLDER).mkdir(exist_ok=True)
    for name, text in viewer_texts().items():
        write_text(report_folder / FOLDER / name, text)


def _remove_old_pages(report_folder: Path) -> None:
    """Takes away what an earlier audit wrote about single groups of topics: a loss that is repaired has no page."""
    pages = (
        f"{FOLDER}/{named}{end}"
        for named in ("[0-9][0-9]*-*", "client-[0-9]*-*", "finding-[0-9]*-*")
        for end in (".html", ".trace.json")
    )
    for pattern in (*pages, f"{REPAIRS}/[0-9][0-9]*-*/*"):
        for old in report_folder.glob(pattern):
            old.unlink()
    for folder in report_folder.glob(f"{REPAIRS}/[0-9][0-9]*-*"):
        folder.rmdir()


class ReplayedScenario:
    """The run of a scenario, replayed: its trace as `replay` takes it, `shown` in the words of who runs the cluster,
    and what could happen `around` it, in the same words."""

    def __init__(self, outcome: AuditOutcome, scenario: Scenario) -> None:
        self.model, self.run = run_of_answer(outcome.explorations, scenario.answer)
        self.called = broker_names_of_subject(scenario.report.verdict.subject, scenario.answer.steps)
        self.trace = self._trace(scenario)
        self.shown = trace_in_cluster_words(self.trace, self.model, self.run)
        words = ScenarioWords(self.model, self.run, self.called, scenario.answer.hosts_out, scenario.answer.property)
        self.around = neighbourhood_document(self.model, self.run, size=0, words=words)

    def _trace(self, scenario: Scenario) -> dict[str, Any]:
        answer = scenario.answer
        broken = next(prop for prop in self.model.properties if prop.name == answer.property)
        about = PropertyVerdict(broken.name, broken.kind, broken.says, "violated", self.run)
        trace = trace_document(self.model, about, engine="native")
        question, says = (
            scenario.cells[0].partition("=")[0],
            loss_scenario_sentences(scenario.report.verdict.subject, answer),
        )
        because = answer.why.partition(": ")[2]
        return trace | {
            "title": _page_title(scenario),
            "called": dict(self.called),
            "wording": {"verdict": f"✗ {LOST[question]}", "sentences": says, "before": answer.hosts_out},
            "notes": [*trace["notes"], *([because] if because else []), letters_note(self.called)],
        }


def _page_title(scenario: Scenario) -> str:
    """What a page is called, with what decides where that is known of its cells."""
    loss = scenario.subject["loss"]
    decided = scenario.run_with_repair is not None or (loss is not None and loss["html"] == scenario.html)
    deciding = scenario.subject["deciding"] if decided else ()
    least, requests = scenario.subject["least_isr"], has_only_request_faults(scenario.answer)
    more = f" and {count_text(len(scenario.others), 'group')} like it" if scenario.others else ""
    name = scenario.subject["name"] + more
    return scenario_title(name, scenario.cells, deciding, least_isr=least, of_requests=requests)


def _write_scenario_page(outcome: AuditOutcome, scenario: Scenario, report_folder: Path) -> None:
    (report_folder / FOLDER).mkdir(exist_ok=True)
    name = Path(scenario.html).with_suffix("")
    told = ReplayedScenario(outcome, scenario)
    write_trace(report_folder / f"{name}.trace.json", told.trace)
    beside = f"{name.name}.trace.json"
    page = trace_html([told.shown], whole_file=beside, around=told.around, saved_trace=beside, shares_viewer=True)
    write_text(report_folder / f"{name}.html", page)
    if scenario.run_with_repair is not None:
        after = _trace_after_repair(scenario, scenario.run_with_repair)
        alone = f"{name.name}.html"
        aligned = scenario.run_with_repair.aligned_states
        both = trace_html([told.shown, after], other_states=aligned, alone=alone, shares_viewer=True)
        write_text(report_folder / f"{name}-repaired.html", both)


def _trace_after_repair(scenario: Scenario, repaired_run: RunWithRepair) -> dict[str, Any]:
    """The trace of the run with the repair, with the brokers' names in the user's cluster."""
    called = _broker_names_after(scenario, repaired_run)
    told = ClusterRun(repaired_run.model, repaired_run.run, repaired_run.property, called, scenario.answer.hosts_out)
    title = f"{scenario.subject['name']}: the same with the repair"
    shown = told.page_document(
        rename_brokers(run_document(repaired_run.model, repaired_run.run), called),
        title,
        "✓ kept",
        broker_letters_text(called),
    )
    left_out = [
        f"Step {number} of it is left out, and may still happen: it is more than this cell of the table looks at."
        if left.is_beyond_faults
        else f"Step {number} of it cannot happen: {left.why}."
        for number, left in repaired_run.left_out.items()
    ]
    return shown | {"notes": [*left_out, *shown["notes"]]}


def _write_repairs(document: Document, report_folder: Path) -> None:
    repaired = [subject for subject in document["subjects"] if subject["repair"] is not None]
    for number, subject in enumerate(repaired, 1):
        folder = report_folder / REPAIRS / f"{number:02d}-{_subject_slug(subject)}"
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / "steps.txt", repair_script(subject["name"], subject["repair"]))
        for step in subject["repair"]["steps"]:
            if step["file"] is not None:
                write_json(folder / step["file"]["name"], step["file"]["document"])


def _subject_slug(subject: Document) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", subject["topics"][0])[:80].strip("-.")
