"""The document `tidegate.audit/1`: what was read, what was asked, what came out. Every face is a rendering of it."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...language.immutable import immutable
from ...traces.program import tool_version
from ..answers.answer import RACK, Answer, SubjectVerdict, facts_that_matter
from ..answers.outages import Outage
from ..answers.requirements import (
    UNDECIDED,
    Requirement,
    RequirementCheck,
    exit_code,
    requirements_of_subject,
    requirements_text,
)
from ..answers.scenario import is_without_acknowledgements, loss_scenario_sentences
from ..answers.transactions import assumption_about_transactions
from ..answers.verdicts import ON_DISK_OF_CONTROLLER
from ..cluster.cluster import SILENT, Cluster
from ..cluster.findings import Finding
from ..cluster.racks import missing_racks
from ..cluster.settings import base_family
from ..cluster.statements import Origin
from ..exploring.case_results import NO_TIME
from ..exploring.explorations import Explorations
from ..facts.placement import NODES, SERVERS, has_several_directories
from ..facts.producers import repeats_sequence_numbers, unnamed_producers_repeat_sequence_numbers
from ..kafka.internal_topics import OFFSETS
from ..kafka.keys import declared_key
from ..kafka.tools import put_address_into
from ..kafka.topic_settings import COMMIT_ACKS
from ..questions.questions import QUESTION, QUESTIONS
from ..questions.signature import Subject, UsedSetting, Variant
from ..questions.situations import BY_NAME, CELLS, LOST, SITUATIONS, UNREAD, Name, cell_title, faults_of_control_plane
from ..rules.group_members import consumers_down
from ..startup.nodes import DownNodes, nodes_down
from .deciding_settings import deciding_setting, setting_deciding_check, setting_text
from .headline import table_headline
from .operator_words import happens_when
from .places import Places, shared_places
from .subject_report import SubjectReport
from .summary import summarize

INTER_BROKER_PROTOCOL_VERSION = declared_key("inter.broker.protocol.version")

SCHEMA = "tidegate.audit/1"
Document = dict[str, Any]

NOTES = (
    "A loss was found by exploring the model and replayed. That nothing is lost is said of the model, of all runs of "
    "one partition with one or two records and the named fault alone, and never of everything that may happen.",
    "Crashes are of processes whose hosts stay up.",
)


NOTHING = "nothing was checked: the given files name no topic and no broker; add server.properties or the topics"
"""What an audit without signatures says: silence would be taken for a pass."""
NOTHING_REQUIRED = "nothing was checked: what is required is about none of the topics that were read; require what is"
"""What is said where no requirement is about any of the topics."""


@immutable
class AuditOutcome:
    """What came of an audit: the document, the exit, the explorations, to be asked for more, and the findings, in the
    document's order."""

    document: Document
    exit: int
    reports: Sequence[SubjectReport]
    explorations: Explorations
    findings: Sequence[Finding] = ()


def audit_outcome(
    cluster: Cluster,
    findings: Sequence[Finding],
    reports: Sequence[SubjectReport],
    requirements: Sequence[Requirement],
    today: datetime.date,
    explorations: Explorations,
) -> AuditOutcome:
    """What came of an audit, its document with the day and with what time did not suffice for."""
    exit_ = exit_code([check for report in reports for check in report.checks])
    if exit_ == 0 and any(finding.kind == "incomplete" for finding in findings):
        exit_ = UNDECIDED
    date = "" if today == datetime.date.max else today.isoformat()
    late = timeout_message(explorations, reports)
    made = audit_document(cluster, findings, reports, requirements, exit_, late, date)
    return AuditOutcome(made, made["exit"], reports, explorations, findings)


def audit_document(
    cluster: Cluster,
    findings: Sequence[Finding],
    reports: Sequence[SubjectReport],
    requirements: Sequence[Requirement],
    exit_: int,
    what_time_lacked: str = "",
    date: str = "",
) -> Document:
    """The whole document. Subjects are worst first. `exit_` is what requirements come to: what is out of service for
    certain fails beside them. `what_time_lacked` says what time did not suffice for, `date` is the day of the audit."""
    outages = list(_outage_documents(cluster, reports))
    places = shared_places(cluster)
    subjects = [
        _name_missing_racks(_subject_document(report, requirements, places), report, cluster) for report in reports
    ]
    made: Document = {
        "schema": SCHEMA,
        "tool": tool_version(),
        "cluster": _cluster_name(cluster),
        "date": date,
        "exit": 1 if any(outage["certain"] for outage in outages) else exit_,
        "headline": subjects[0]["headline"] if subjects else NOTHING,
        "not_asked": _why_nothing_was_required(reports),
        "files": [{"path": path, "format": format_} for path, format_ in cluster.files],
        "unread": [
            {"path": left.path, "reason": left.reason, "may_be_configuration": left.may_be_configuration}
            for left in cluster.unread
        ],
        "versions": _versions_document(cluster),
        "unknown_release": cluster.versions.unknown.value if cluster.versions.unknown else "",
        "assumptions": list(_assumption_texts(cluster, reports)),
        "outages": outages,
        "faults": [
            {"name": fault.name, "title": fault.title, "says": _words_of_control_plane(fault.says, cluster)}
            for fault in faults_of_control_plane(cluster.control_plane, directories=has_several_directories(cluster))
        ],
        "situations": [
            {"name": situation.name, "title": situation.title, "says": situation.says} for situation in SITUATIONS
        ],
        "required": _required_text(requirements, reports),
        "questions": [{"name": question.name, "title": question.title} for question in QUESTIONS],
        "requirements": [{"require": requirement.to_text, "of": requirement.of} for requirement in requirements],
        "subjects": subjects,
        "summary": {},
        "diff": None,
        "out_of_time": what_time_lacked,
        "findings": [_finding_document(finding) for finding in findings],
        "notes": list(NOTES),
    }
    if cluster.answering is not None:
        made = put_address_into(made, cluster.answering.origin.path)
    made["summary"] = summarize(made)
    return made


def _cluster_name(cluster: Cluster) -> str:
    """What the cluster is called: the address at which it was asked, or the folder or file that states it."""
    if cluster.answering is not None:
        return cluster.answering.origin.path
    paths = [os.path.abspath(path) for path, _ in cluster.files if "://" not in path]
    return os.path.basename(os.path.commonpath([os.path.dirname(path) for path in paths])) if paths else ""


def _why_nothing_was_required(reports: Sequence[SubjectReport]) -> str:
    """Why no requirement was checked; "" where one was."""
    if any(report.checks for report in reports):
        return ""
    return NOTHING_REQUIRED if reports else NOTHING


def _outage_documents(cluster: Cluster, reports: Sequence[SubjectReport]) -> Iterator[Document]:
    """What is out of service: of the cluster, then of topics."""
    yield from _silent_node_outages(cluster)
    yield from (_down_nodes_outage(node) for node in nodes_down(cluster))
    yield from (_consumer_outage(reason) for reason in consumers_down(cluster))
    yield from (_outage_document(outage) for report in reports for outage in report.outages)


def _required_text(required_cells: Sequence[Requirement], reports: Sequence[SubjectReport]) -> str:
    """`standard`; with what audit.toml requires of some topics, `standard; of orders: strict`."""
    stated: dict[tuple[str, ...], list[str]] = {}
    for subject in (report.verdict.subject for report in reports):
        stated.setdefault(subject.requirements, []).extend(topic.name for topic in subject.topics)
    others = [requirements_text(required_cells)] if stated.pop((), None) or not stated else []
    return "; ".join(
        [*others, *(f"of {_first_names_text(names)}: {', '.join(texts)}" for texts, names in stated.items())]
    )


def _first_names_text(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    more = f" and {len(unique) - _MOST_NAMED} more" if len(unique) > _MOST_NAMED else ""
    return f"{', '.join(unique[:_MOST_NAMED])}{more}"


_MOST_NAMED = 3


def _assumption_texts(cluster: Cluster, reports: Sequence[SubjectReport]) -> Iterator[str]:
    """What was taken for granted, each once: to put the files together, and for any of the topics."""
    only = cluster.only_producer
    assumed = [used for report in reports for used in report.verdict.subject.used_settings if used.key == "producer"]
    if only is not None and assumed:
        yield (
            f"{only.name}, the only producer's file that was given, writes every topic for which audit.toml names none"
        )
    writers = dict.fromkeys(report.verdict.subject.producer for report in reports)
    for writer in (one for one in writers if one is not None and repeats_sequence_numbers(cluster, one) is None):
        yield (f"{writer.name} is of no Java producer of 2.1 to 2.4 (KIP-360); --client java:VERSION says which it is")
    if unnamed_producers_repeat_sequence_numbers(cluster) is None and any(
        _may_be_idempotent(report.verdict.subject) for report in reports
    ):
        yield (
            "no Java producers of 2.1 to 2.4 among those of which no file was given (KIP-360); --client java:VERSION "
            "says which they are"
        )
    if assumed := assumption_about_transactions(cluster):
        yield assumed
    yield from cluster.assumptions


def _may_be_idempotent(subject: Subject) -> bool:
    """Whether what is said rests on a producer that no file is of, and that may be idempotent."""
    kafkas = subject.is_internal or all(topic.is_made_by_program for topic in subject.topics)
    asks = any(one.signature.idempotent and one.signature.acks == "all" for one in subject.variants)
    return subject.producer is None and not kafkas and asks


def _outage_document(outage: Outage) -> Document:
    partitions = [partition.number for partition in outage.partitions]
    return {"topic": outage.topic.name, "partitions": partitions, "nodes": list(outage.absent_nodes),
            "kind": outage.kind, "certain": outage.certain, "says": outage.to_sentence,
            "where": _place_document(outage.topic.origin)}  # fmt: skip


def _silent_node_outages(cluster: Cluster) -> Iterator[Document]:
    """Controllers, then brokers, of a running cluster that do not answer, each as an outage of no topic."""
    answering = cluster.answering
    if answering is None:
        return
    where = _place_document(answering.origin)
    down = [id_ for id_, why in answering.down if not why.startswith(SILENT)]
    kind, nodes = ("is down", down) if down else ("does not answer", [id_ for id_, _ in answering.down])
    controllers = "no controller" if answering.headless else "a controller is down"
    for name, says, of in ((controllers, answering.controllers, list[int]()), (kind, answering.to_sentence, nodes)):
        if says:
            yield {"topic": "", "partitions": [], "nodes": of, "kind": name, "certain": True, "says": says,
                   "where": where}  # fmt: skip


def _down_nodes_outage(down: DownNodes) -> Document:
    """Nodes that do not start, as an outage of no topic."""
    nodes = [node.id for node in down.nodes if node.id is not None]
    return {"topic": "", "partitions": [], "nodes": nodes, "kind": "does not start", "certain": True,
            "says": down.to_sentence, "where": _place_document(down.where)}  # fmt: skip


def _consumer_outage(reason: Finding) -> Document:
    """A consumer that does not start, as an outage of no topic."""
    return {"topic": "", "partitions": [], "nodes": [], "kind": "no consumer", "certain": True,
            "says": f"{reason.what} ({reason.where})", "where": _place_document(reason.where)}  # fmt: skip


def _versions_document(cluster: Cluster) -> Document:
    found = cluster.versions
    stated = {
        "kafka": found.kafka,
        "metadata.version": found.metadata_version,
        INTER_BROKER_PROTOCOL_VERSION: found.inter_broker_protocol,
        "distribution": found.distribution,
    }
    texts = {name: "not stated" if fact is None else fact.value for name, fact in stated.items()}
    before = found.upgraded_from
    texts["upgraded from"] = "" if before is None else before.value
    return {**texts, "features": {name: feature.value for name, feature in found.features.items()},
            "control plane": cluster.control_plane or "not stated"}  # fmt: skip


def _subject_document(report: SubjectReport, requirements: Sequence[Requirement], places: Places) -> Document:
    subject, verdict = report.verdict.subject, report.verdict
    conditional = list(_conditional_headlines(verdict))
    main = subject.not_checked and f"{'' if subject.stops else 'not checked: '}{subject.not_checked}"
    main = main or (conditional[0]["says"] if len(conditional) == 1 else _facts_the_headline_depends_on(verdict))
    deciding = _settings_that_decide(report, places)
    where = _place_document(subject.topics[0].origin)
    return {
        "name": subject.name,
        "topics": [topic.name for topic in subject.topics],
        "internal": subject.is_internal,
        "least_isr": _least_isr(subject),
        "planned": subject.is_planned,
        "producer": None if subject.producer is None else subject.producer.name,
        "writes_nothing": subject.writes_nothing,
        "headline": main,
        "short": _short_headline(verdict) or main,
        "conditional": conditional if len(conditional) > 1 else [],
        "depends": list(_deciding_fact_names(verdict)) if verdict.tables else [],
        "required": requirements_text(requirements_of_subject(subject, requirements)),
        "failed": [c.requirement.to_text for c in report.checks if c.result == "failed"],
        "accepted": "; ".join(dict.fromkeys(c.note for c in report.checks if c.result == "accepted")),
        "checks": [
            _add_place_of_repair(_check_document(check, verdict, places), deciding, where) for check in report.checks
        ],
        "table": {
            question.name: {cell.name: _answer_document(verdict.table[question.name, cell.name]) for cell in CELLS}
            for question in QUESTIONS
        },
        "settings": [_setting_document(used) for used in subject.used_settings],
        "not_given": dict(subject.asks),
        "stated": {
            fact: {"why": stated.why, "settings": [_setting_document(used) for used in stated.settings]}
            for fact, stated in subject.open_statements.items()
        },
        "loss": _loss_document(report),
        "scenarios": [],
        "deciding": deciding,
        "repair": report.repair,
        "no_repair": report.no_repair,
        "repaired_by": subject.repairs,
        "now": report.now,
        "where": where,
    }


def _settings_that_decide(report: SubjectReport, places: Places) -> list[Document]:
    """The settings that decide the loss that is reported, with what the repair makes of them."""
    if report.loss is None and not report.changes:
        return []
    cell = ""
    constants: Mapping[str, Any] = {}
    if report.loss is not None and report.loss[3].case is not None:
        cell, constants = report.loss[0], report.loss[3].case.values
    found = deciding_setting(report.verdict.subject, report.changes, cell, constants, places)
    return [_deciding_document(used, becomes) for used, becomes in found]


def _add_place_of_repair(check: Document, deciding: Sequence[Document], topic: Document) -> Document:
    """A check with where it is mended: at the line of the setting that decides it, or of a running cluster at the
    resource that has it, as it is or by the topic's default; else at the topic. A setting that is right is never blamed
    for what another one decides."""
    stated = [one["where"] for one in (*check["deciding"], *deciding) if one["where"] is not None]
    is_unmet = check["result"] != "met"
    at_line = (place for place in stated if place["line"] is not None or place["place"])
    where = next(at_line, topic) if is_unmet else topic
    return {**check, "where": where}


def _deciding_document(setting: UsedSetting, becomes: str = "") -> Document:
    """A setting that decides, and what the repair makes of it."""
    return {**_setting_document(setting), "says": setting_text(setting), "becomes": becomes}


def _name_missing_racks(subject: Document, report: SubjectReport, cluster: Cluster) -> Document:
    """With what is missing of the racks by its name, wherever an answer depends on them."""
    name, ask = missing_racks(cluster, report.verdict.subject.topics[0])
    subject["not_given"][name] = ask
    cells = [cell for cells in subject["table"].values() for cell in cells.values()]
    for entry in (*subject["checks"], *cells):
        entry["on"] = [name if on == RACK else on for on in entry["on"]]
        entry["why"] = _words_of_control_plane(entry["why"], cluster)
    subject["depends"] = [name if on == RACK else on for on in subject["depends"]]
    for said in (subject, *subject["conditional"]):
        for part in ("headline", "short", "says"):
            if part in said:
                said[part] = _words_of_control_plane(said[part], cluster)
    return subject


def _words_of_control_plane(why: str, cluster: Cluster) -> str:
    """Without ZooKeeper where the cluster has none, and without controllers of KRaft where it has ZooKeeper."""
    called = {"kraft": "controller", "zookeeper": "ZooKeeper server"}.get(cluster.control_plane or "")
    return why if called is None else _EITHER_PLANE.sub(rf"{called}\1", why)


_EITHER_PLANE = re.compile(r"controller(s?), or (?:ZooKeeper server\1|of ZooKeeper's servers),")


def _facts_the_headline_depends_on(verdict: SubjectVerdict) -> str:
    """On what the headline depends; the cases are `conditional`."""
    return f"depends on {', '.join(_deciding_fact_names(verdict))}"


def _headlines_of_variants(verdict: SubjectVerdict) -> list[str]:
    """The headline of each variant."""
    every = zip(verdict.subject.variants, verdict.tables, strict=True)
    return [table_headline(variant.signature, table) for variant, table in every]


def _short_headline(verdict: SubjectVerdict) -> str:
    """What goes wrong, where the headline depends on nothing; "" where it does."""
    every = zip(verdict.subject.variants, verdict.tables, strict=True)
    said = {table_headline(variant.signature, table, short=True) for variant, table in every}
    return said.pop() if len(said) == 1 and not _deciding_fact_names(verdict) else ""


def _deciding_fact_names(verdict: SubjectVerdict) -> Sequence[str]:
    """The facts that are not stated and that the headline depends on."""
    lines = _headlines_of_variants(verdict)
    return facts_that_matter(verdict.subject.variants, lines) if len(set(lines)) > 1 else ()


def _least_isr(subject: Subject) -> int | None:
    """The smallest ISR that acks=all is taken with; None where that is not known."""
    every = {min(variant.signature.least_isr, variant.signature.replicas) for variant in subject.variants}
    return every.pop() if len(every) == 1 else None


def _conditional_headlines(verdict: SubjectVerdict) -> Iterator[Document]:
    """The headline under each combination of the facts that it depends on."""
    subject = verdict.subject
    if not verdict.tables:
        return
    lines = _headlines_of_variants(verdict)
    matter = _deciding_fact_names(verdict)
    every = _fact_values(subject.variants, matter)
    for line in dict.fromkeys(lines):
        alike = [variant for variant, said in zip(subject.variants, lines, strict=True) if said == line]
        given = _fact_values(alike, matter)
        decide = {name: values for name, values in given.items() if values != every[name]} or given
        cases = [
            f"{name}{_IS.get(name, '=')}{version_spans_text(values, every[name])}" for name, values in decide.items()
        ]
        yield {"if": ", ".join(cases), "says": line}


_IS: Mapping[str, str] = {"version": " ", "placement": " ", "in flight": " ", NODES: " are ", SERVERS: " are "}
"""What stands between a fact and its value, where it is not a setting."""


def _fact_values(variants: Sequence[Variant], names: Sequence[str]) -> dict[str, list[str]]:
    """What each of these facts may be in these variants, in order."""
    found: dict[str, dict[str, None]] = {name: {} for name in names}
    for variant in variants:
        for name, value in variant.supposed_facts:
            if name in found:
                found[name][value] = None
    return {name: list(values) for name, values in found.items()}


_RELEASE = re.compile(r"(\d+\.\d+)(?: to (\d+\.\d+))?(.*)")


def version_spans_text(values: Sequence[str], every: Sequence[str]) -> str:
    """Values of a fact in words, neighbouring versions as a span: `3.3 to 4.0 with kraft or 4.1`. `every` has all that
    there are, the oldest first."""
    runs: list[list[str]] = []
    for value in values:
        at = every.index(value)
        if (
            runs
            and at
            and every[at - 1] == runs[-1][-1]
            and _text_after_version(value) == _text_after_version(runs[-1][-1]) != ""
        ):
            runs[-1].append(value)
        else:
            runs.append([value])
    said = [_version_span_text(run) for run in runs]
    return (", or " if any(" " in text for text in said) else " or ").join(said)


def _text_after_version(value: str) -> str:
    """What stands behind a version's number, with a mark; "" for what is no version."""
    found = _RELEASE.fullmatch(value)
    return "" if found is None else f"~{found[3]}"


def _version_span_text(run: Sequence[str]) -> str:
    first, last = run[0], run[-1]
    if len(run) == 1:
        return first
    begins, ends = _RELEASE.fullmatch(first), _RELEASE.fullmatch(last)
    assert begins is not None and ends is not None, f"{first} and {last} are versions"
    return f"{begins[1]} to {ends[2] or ends[1]}{ends[3]}"


def _answer_document(answer: Answer) -> Document:
    said = {"word": answer.word, "basis": answer.basis, "why": answer.why, "on": list(answer.facts)}
    return {**said, "proved": answer.is_proved, "race": answer.race}


def _check_document(check: RequirementCheck, verdict: SubjectVerdict, places: Places) -> Document:
    """What came of a requirement; where it failed, `scenario` is the run that shows it, step by step. That it fails is
    said for the largest ISR in which it does, so that nobody takes it for safe with all in sync."""
    subject = verdict.subject
    on = list(check.answer.facts) if check.answer is not None else []
    why, stop_reason = (check.answer.why, check.answer.stop_reason) if check.answer is not None else ("", "")
    asked = check.requirement
    said = {"require": asked.to_text, "question": asked.question, "cell": asked.cell, "result": check.result}
    failed = check.result == "failed" and check.answer is not None and check.answer.steps
    scenario = loss_scenario_sentences(subject, check.answer) if failed and check.answer is not None else []
    cell = BY_NAME[asked.cell]
    replicas = {variant.signature.replicas for variant in subject.variants}
    in_sync = BY_NAME[f"{cell.fault.name}@all"]
    always = check.result == "failed" and verdict.table[asked.question, in_sync.name].word == "can lose"
    happens = in_sync if always else cell
    text = happens_when(asked.question, happens, _least_isr(subject), replicas.pop() if len(replicas) == 1 else None)
    found: Sequence[UsedSetting] = ()
    if check.result in ("failed", "accepted") and check.answer is not None:
        found = setting_deciding_check(subject, asked.question, asked.cell, check.answer, places)
    assumable = why == ON_DISK_OF_CONTROLLER and check.result == "not checked"
    deciding = [_deciding_document(used) for used in (places.hosts if assumable else found)]
    return {**said, "says": cell_title(cell), "text": text, "on": on, "why": why, "stop_reason": stop_reason,
            "note": check.note,
            "scenario": scenario, "deciding": deciding, "assumption": check.assumption,
            "assumable": assumable}  # fmt: skip


def _setting_document(setting: UsedSetting) -> Document:
    where = None if setting.origin is None else _place_document(setting.origin)
    return {"key": setting.key, "value": setting.value, "where": where, "source": setting.source}


def _place_document(origin: Origin) -> Document:
    return {"path": origin.path, "line": origin.line, "place": origin.place}


def _finding_document(finding: Finding) -> Document:
    own = {"kind": finding.kind, "severity": finding.severity, "what": finding.what}
    where = _place_document(finding.where)
    return {**own, "where": where, "to_do": finding.to_do, "source": finding.source, "html": None}


_MAIN = (LOST, UNREAD)


def _loss_document(subject: SubjectReport) -> Document | None:
    if subject.loss is None:
        return None
    cell, question, reported, answer = subject.loss
    return {
        "cell": cell,
        "says": "a request fails, and nothing else"
        if is_without_acknowledgements(answer)
        else cell_title(BY_NAME[cell]),
        "question": question,
        "title": "How it is lost" if question in _MAIN else f"How it goes wrong, {QUESTION[question].title}",
        "supposed": _suppositions(subject.verdict, cell, question, reported),
        "scenario": loss_scenario_sentences(subject.verdict.subject, answer),
        "steps": [step.step for step in answer.steps],
        "constants": {} if answer.case is None else answer.case.values,
        "source": _source_of_loss(subject.verdict.subject, cell, answer) if question in _MAIN else "",
        "html": None,
    }


def _source_of_loss(subject: Subject, cell: Name, answer: Answer) -> str:
    """The KIP or the issue that a loss is about."""
    if answer.case is None:
        return ""
    constants = answer.case.values
    if constants.get("acks") != "all" and subject.topics[0].name == OFFSETS:
        return f"KIP-1041: {COMMIT_ACKS} is -1 by default, and 4.0 has no other"
    if constants.get("acks") != "all":
        is_java = subject.producer is None or base_family(subject.producer) == "java"
        return "KIP-679: acks=all is the default of Java's producer since 3.0" if is_java else ""
    if constants.get("unclean") and constants.get("heed_unclean"):
        return "KIP-106: unclean.leader.election.enable is false by default since 0.11"
    if constants.get("truncation") == "high_watermark":
        return "KIP-101: truncation to the high watermark, before 0.11"
    if not constants.get("detect_restart", True):
        return (
            "KAFKA-7235: before 2.2 a controller does not notice a broker whose session ends and which registers anew "
            "before the controller reads who is registered; the broker leads again, in the same leader epoch, with the "
            "next LeaderAndIsr, such as that of a controller that takes over because its host was this one"
        )
    if cell.startswith("rack-"):
        return "KIP-36: rack-aware placement"
    return "KIP-966: the last replica standing" if constants.get("isr_shrinks") and not constants.get("elr") else ""


def _suppositions(verdict: SubjectVerdict, cell: Name, question: str, answer: Answer) -> str:
    """Under which of the facts that are not stated it happens: those that decide it."""
    answers = [table[question, cell] for table in verdict.tables]
    if len({other.word for other in answers}) == 1:
        return ""
    matter = facts_that_matter(verdict.subject.variants, [other.word for other in answers])
    given = verdict.subject.variants[answers.index(answer)].supposed_facts
    return ", ".join(f"{name}{_IS.get(name, ' ')}{value}" for name, value in given if name in matter)


def timeout_message(explorations: Explorations, reports: Sequence[SubjectReport]) -> str:
    """That time did not suffice, how much is open for want of it, and what to do; "" where it did."""
    left, asked = explorations.unfinished_count, len(explorations.known)
    cells = [cell for report in reports for cell in report.verdict.table.values()]
    open_ = sum(cell.stop_reason == NO_TIME for cell in cells)
    if not left and not open_:
        return ""
    begins = "nothing is kept for the next audit" if explorations.folder is None else _GOES_ON
    why = "the audit was interrupted" if explorations.interrupted else "time ran out"
    when = f"{left:,} of {asked:,} explorations had ended" if left else "all was said that the explorations say"
    return (
        f"{why} before {when}: {open_:,} of {len(cells):,} cells are not "
        f"decided, and what is not decided here, or depends on something, may be decided with more time; {begins}; "
        "give a longer --time"
    )


_GOES_ON = "what was found is kept, so that the same audit goes on from there"
"""What an audit that had too little time is for the next one."""
