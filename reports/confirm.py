"""What `confirm` found, in the terminal and as JUnit XML: each step, what was done, what was seen, the result."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from .gate.junit import strip_invalid_xml, xml_token
from .text_page import TextFormat, TextPage, count_text

_SIGNS = {"confirmed": "✓", "not_confirmed": "✗", "not_driven": "?"}
_STYLES = {"confirmed": "bold green", "not_confirmed": "bold red", "not_driven": "bold yellow"}
WORDS = {"confirmed": "confirmed", "not_confirmed": "not confirmed", "not_driven": "could not be driven"}


def confirm_text(results: Sequence[Mapping[str, Any]], text_format: TextFormat, *, steps: bool) -> str:
    """All results, with the steps of each."""
    page = TextPage(text_format)
    for number, result in enumerate(results):
        if number:
            page.blank()
        _write_result(page, result, steps)
    if len(results) > 1:
        page.blank()
        page.line(confirm_headline(results), style="bold")
    return page.text()


def confirm_headline(results: Sequence[Mapping[str, Any]]) -> str:
    """How many there are of each result: `2 traces: 1 confirmed, 1 could not be driven.`."""
    numbers = {name: sum(result["result"] == name for result in results) for name in WORDS}
    said = ", ".join(f"{number} {WORDS[name]}" for name, number in numbers.items() if number)
    return f"{count_text(len(results), 'run')}: {said}."


def result_sentence(result: Mapping[str, Any]) -> str:
    """A result in one sentence, for a page of the trace."""
    with_ = " with the repair" if result["repaired"] else ""
    on = f" on Kafka {result['kafka']}{with_}" if result["kafka"] else ""
    return f"{WORDS[result['result']].capitalize()}{on}: {result['why']}."


def _write_result(page: TextPage, result: Mapping[str, Any], steps: bool) -> None:
    page.line(result["title"], style="bold")
    if result["steps"]:
        page.line(_cluster_text(result))
        clocks = ", ".join(f"{name}={value}" for name, value in sorted(result["clocks"].items()))
        page.line(f"shortened clocks: {clocks}")
        if result["skipped"]:
            page.line(f"steps that these settings do not allow: {', '.join(map(str, result['skipped']))}")
    if result["steps"] and (steps or result["result"] == "not_confirmed"):
        _write_steps(page, result)
    if result["result"] == "not_driven" and result["step"]:
        page.line(f"step {result['step']} of the trace is the first that cannot be had", indent=2)
    page.line(f"{_SIGNS[result['result']]} {result_sentence(result)}", style=_STYLES[result["result"]])


def _cluster_text(result: Mapping[str, Any]) -> str:
    settings = ", ".join(f"{name}={str(value).lower()}" for name, value in result["settings"].items())
    order = " ".join(map(str, result["order"]))
    if _observation_in_words(result["steps"][0]["seen"]) is not None:
        who = "controllers" if "controllers" in result["steps"][0]["seen"] else "one controller, brokers"
        return f"Kafka {result['kafka']}, KRaft, {who} {order}; {settings}"
    return f"Kafka {result['kafka']}, KRaft, one controller, replicas {order} in this order; {settings}"


def _observation_in_words(observation: Mapping[str, Any]) -> Mapping[str, str] | None:
    """What was seen of controllers, transactions, clients or groups, which is in words already; None of a partition."""
    return next(
        (observation[name] for name in ("controllers", "transactions", "clients", "groups") if observation.get(name)),
        None,
    )


def _write_steps(page: TextPage, result: Mapping[str, Any]) -> None:
    for step in result["steps"]:
        numbers = f"{step['first']}" if step["first"] == step["last"] else f"{step['first']}-{step['last']}"
        page.line(f"{numbers:>5}  {step['kind']:<9} {step['seconds']:5.1f} s  {step['says']}", indent=0, hang=26)
        if step["did"]:
            page.line(step["did"], indent=26)
        if step["otherwise"]:
            page.line(f"✗ {step['otherwise']}", indent=26, style="bold red")
            page.line(f"expected: {_observation_text(step['expected'])}", indent=26)
        if step is result["steps"][-1] or step["otherwise"]:
            page.line(f"seen: {_observation_text(step['seen'])}", indent=26)
    if result["not_taken"]:
        page.line(f"not taken any more: steps {', '.join(map(str, result['not_taken']))}")
    if _observation_in_words(result["steps"][0]["seen"]) is not None:
        return
    read = (
        "nothing can be read"
        if result["read"] is None
        else f"a consumer reads records {_record_numbers_text(result['read'])}"
    )
    leads = "nobody leads" if result["leader"] is None else f"broker {result['leader']} leads"
    page.line(
        f"acknowledged: {_record_numbers_text(result['acknowledged'])}. All brokers started again: {leads}, and {read}."
    )


def _record_numbers_text(records: Sequence[int]) -> str:
    return ", ".join(map(str, records)) or "none"


def _observation_text(observation: Mapping[str, Any]) -> str:
    """`leader 1, epoch 2, ISR 1 2, logs 1: 0 (epoch 0); 2: empty`; what is in words already as it is."""
    if (worded := _observation_in_words(observation)) is not None:
        return "; ".join(f"{one}: {text}" for one, text in worded.items())
    parts = [
        f"leader {'none' if observation['leader'] is None else observation['leader']}",
        f"epoch {observation['leader_epoch']}",
    ]
    parts.append(f"ISR {' '.join(map(str, observation['isr'])) or 'empty'}")
    parts += [f"{name.upper()} {' '.join(map(str, observation[name]))}" for name in ("elr",) if observation[name]]
    parts += [f"fenced {' '.join(map(str, observation['fenced']))}"] if observation["fenced"] else []
    logs = "; ".join(
        f"{broker}: {_record_numbers_text([record for record, _ in log])}"
        for broker, log in observation["logs"].items()
    )
    return f"{', '.join(parts)}; records in logs {logs}"


def random_rounds_text(document: Mapping[str, Any], text_format: TextFormat) -> str:
    """What random commands did: each round that differs with its commands, and how many did not."""
    page = TextPage(text_format)
    rounds: Sequence[Mapping[str, Any]] = document["rounds"]
    for one in rounds:
        if one["result"] == "fine":
            continue
        page.line(f"{_ROUND_SIGNS[one['result']]} seed {one['seed']}: {one['why']}", style="bold red")
        least = one["smaller"] or one
        if one["smaller"]:
            page.line(f"with {count_text(len(least['commands']), 'command')} as well: {least['why']}", indent=2)
        for command in least["commands"]:
            page.line(command, indent=4)
    numbers = {name: sum(one["result"] == name for one in rounds) for name in _ROUND_SIGNS}
    said = ", ".join(f"{number} {name}" for name, number in numbers.items() if number)
    kept = sum(one["acknowledged"] for one in rounds)
    page.line(
        f"Kafka {document['kafka']}, {count_text(len(rounds), 'round')} from seed {document['seed']}: {said}; "
        f"{count_text(kept, 'acknowledged record')}, {sum(len(one['lost']) for one in rounds)} gone.",
        style="bold",
    )
    return page.text()


_ROUND_SIGNS = {"fine": "✓", "differs": "✗", "undecided": "?"}


# --- for pages of traces ----------------------------------------------------------------------------------------------


def comparison_section(results: Sequence[Mapping[str, Any]]) -> str:
    """What the model and real brokers did, step by step beside each other, as a section of a trace's page; "" where no
    brokers took a step."""
    driven = [result for result in results if result["steps"]]
    if not driven:
        return ""
    tables = "\n".join(map(_comparison_table, driven))
    title = '<h2 id="brokers-title">Real brokers</h2>'
    return f'<section id="brokers" aria-labelledby="brokers-title">{title}\n{tables}\n</section>'


def _comparison_table(result: Mapping[str, Any]) -> str:
    rows = "\n".join(map(_comparison_row, result["steps"]))
    head = "".join(f"<th>{name}</th>" for name in ("step", "the model", f"Kafka {html.escape(result['kafka'])}"))
    broken = ' class="otherwise"' if result["result"] == "not_confirmed" else ""
    table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"
    return f"<p{broken}>{html.escape(result_sentence(result))}</p>\n{table}"


def _comparison_row(step: Mapping[str, Any]) -> str:
    numbers = f"{step['first']}" if step["first"] == step["last"] else f"{step['first']} to {step['last']}"
    said = f"{step['kind']}: {step['did']}" if step["did"] else step["kind"]
    broken = ' class="otherwise"' if step["otherwise"] else ""
    model = f"{html.escape(step['says'])}<br>{html.escape(_observation_text(step['expected']))}"
    brokers = "<br>".join(
        html.escape(text) for text in (said, _observation_text(step["seen"]), step["otherwise"]) if text
    )
    return f"<tr><th>{numbers}</th><td>{model}</td><td{broken}>{brokers}</td></tr>"


# --- for servers of builds --------------------------------------------------------------------------------------------


def confirm_junit(results: Sequence[Mapping[str, Any]]) -> str:
    """The XML document: a case for each result. What could not be driven is an error, and what is not confirmed a
    failure."""
    root = ElementTree.Element("testsuites")
    found = [result["result"] for result in results]
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        {
            "name": "tidegate.confirm",
            "tests": str(len(found)),
            "failures": str(found.count("not_confirmed")),
            "errors": str(found.count("not_driven")),
            "skipped": "0",
            "time": f"{sum(result['seconds'] for result in results):.3f}",
        },
    )
    for number, result in enumerate(results, 1):
        name = xml_token(f"{number}. {result['title']} [Kafka {result['kafka'] or 'none'}]")
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": "tidegate.confirm", "name": name, "time": f"{result['seconds']:.3f}"}
        )
        if result["result"] != "confirmed":
            kind = "failure" if result["result"] == "not_confirmed" else "error"
            made = ElementTree.SubElement(case, kind, {"message": strip_invalid_xml(result_sentence(result))})
            made.text = strip_invalid_xml("\n".join(step["otherwise"] for step in result["steps"] if step["otherwise"]))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"
