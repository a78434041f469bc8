"""A loss in sentences with the user's own names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...traces.sentences import capitalize_first
from ..exploring.case_results import ScenarioStep
from ..questions.signature import Subject
from .answer import Answer

ENDS: Mapping[str, str] = {
    "acknowledged_kept": "Now {leader} leads, and a record that was acknowledged is not in its log.",
    "acked_durable": "Now no broker has a record that was acknowledged.",
    "consistent_read": "Now {leader} leads, and a record that consumers may have read is not in its log.",
    "committed_log_matching": "Now two logs differ below both high watermarks.",
    "no_duplicate": "Now the record is in the log twice.",
    "producer_order": "Now the records are in another order than they were sent in.",
    "writes_resume": "Now no write is taken until what is missing is back, or an operator acts.",
    "reads_resume": "Now no leader serves reads until what is missing is back, or an operator acts.",
}
UNMOVED: Mapping[str, str] = {
    "acknowledged_kept": "Now a record that was acknowledged is not in the leader's log.",
    "consistent_read": "Now a record that consumers may have read is not in the leader's log.",
}
"""The same of runs in which nobody is elected."""
UNHEARD = "Now no leader's log has a record that the producer, with acks=0, takes for written."
"""The same of a producer that waits for no answer, and whose request did not arrive."""


SERVICE = ("writes_resume", "reads_resume")
"""The properties of runs about service."""


def is_without_acknowledgements(answer: Answer) -> bool:
    """Whether a loss is one of a request alone: with acks=0 nothing else has to go wrong."""
    acks = None if answer.case is None else answer.case.values.get("acks")
    return acks == "none" and all(step.step.startswith("fail_to_produce") for step in answer.steps)


def has_only_request_faults(answer: Answer) -> bool:
    """Whether nothing goes wrong in a run but requests that fail, or whose answers are lost: no broker has a fault."""
    actions = {step.step.partition("(")[0] for step in answer.steps}
    return "fail_to_produce" in actions and actions <= {"fail_to_produce", "produce", "produce_again"}


def broker_names_of_subject(subject: Subject, steps: Sequence[ScenarioStep]) -> Mapping[str, str]:
    """What the model's brokers are called in the user's cluster: the first to be written to is the preferred leader."""
    replicas = next(
        (partition.replicas for topic in subject.topics for partition in topic.partitions if partition.replicas), ()
    )
    letters = "ABCDE"
    used = {letter for step in steps for letter in re.findall(r"⟨(.)⟩", step.says)}
    first = next((m[1] for step in steps if (m := re.match(r"produce\((?:leader=)?([A-E])", step.step))), "A")
    order = [first, *(letter for letter in letters if letter != first)]
    called = [f"broker {id_}" for id_ in replicas] or subject.hosts
    if called:
        return dict(zip(order, called, strict=False))
    return {letter: f"broker {letter}" for letter in order if letter in used or letter == first}


def broker_names_after_steps(subject: Subject, steps: Sequence[ScenarioStep], replicas: int) -> Mapping[str, str]:
    """The same of a run of so many `replicas`, of which a repair may have added some: these have no number yet."""
    called = broker_names_of_subject(subject, steps)
    added = [letter for letter in "ABCDE"[:replicas] if letter not in called]
    if all(name == f"broker {letter}" for letter, name in called.items()):
        return {**called, **{letter: f"broker {letter}" for letter in added}}
    which = [""] if len(added) == 1 else [f" {number}" for number in range(1, len(added) + 1)]
    return {**called, **{letter: f"added broker{number}" for letter, number in zip(added, which, strict=True)}}


def name_brokers_in_sentence(text: str, broker_names: Mapping[str, str]) -> str:
    """A sentence with the names that brokers have in `broker_names`."""
    return _name_brokers(text, broker_names)


def step_sentences(
    steps: Sequence[ScenarioStep], broker_names: Mapping[str, str], property_: str = "", brokers_out: int = 0
) -> list[str]:
    """Steps in sentences, with the names that brokers have in `broker_names`. In a run that violates a property about
    service `brokers_out` are unavailable before the fault."""
    texts: list[str] = []
    gone = 0
    for step in steps:
        lost = re.match(r"lose_host\((?:broker=)?([A-E])", step.step) if property_ in SERVICE else None
        if lost is None:
            texts.append(_name_brokers(step.says, broker_names))
        else:
            texts.append(
                _name_brokers(
                    unavailable_broker_sentence(f"⟨{lost[1]}⟩", is_before_fault=gone < brokers_out), broker_names
                )
            )
            gone += 1
    return texts


_KEPT_AFTER: Mapping[str, str] = {
    "writes_resume": "Now writes go on.",
    "reads_resume": "Now reads go on.",
    "no_duplicate": "Now the record is in the log once.",
    "producer_order": "Now the records are in the order that they were sent in.",
    "committed_log_matching": "Now the logs agree below both high watermarks.",
}


def loss_sentence(name: str, was_acknowledged: bool) -> str:
    """What a scenario comes to with the repair, by the property that it violates without. `was_acknowledged`: whether a
    record was."""
    if name in _KEPT_AFTER:
        return _KEPT_AFTER[name]
    if was_acknowledged:
        return "Now every record that was acknowledged is kept."
    return "Now no acknowledged record is lost: the record was not acknowledged, so that its producer sends it again."


def unavailable_broker_sentence(broker: str, *, is_before_fault: bool) -> str:
    """A broker that a run about service is without: whatever the fault, the model takes its host away for good. One
    that is out `is_before_fault` the fault belongs to the situation that the fault happens in."""
    return f"{broker} is unavailable {'already, before the fault' if is_before_fault else 'while the fault lasts'}."


def loss_scenario_sentences(subject: Subject, answer: Answer) -> list[str]:
    """The scenario of a loss, step by step, and what is lost at its end."""
    called = broker_names_of_subject(subject, answer.steps)
    texts = step_sentences(answer.steps, called, answer.property, answer.hosts_out)
    leader = next((found for step in reversed(answer.steps) if (found := _leader_text_after(step))), "")
    ends = ENDS if leader else {**ENDS, **UNMOVED}
    end = ends.get(answer.property, "").format(leader=called.get(leader, f"broker {leader}"))
    end = UNHEARD if answer.steps and is_without_acknowledgements(answer) else end
    return [*texts, end] if end else texts


def _leader_text_after(step: ScenarioStep) -> str:
    """Who leads by what a step says of it; "" if it says nothing of that."""
    found = re.search(r"(?:successor=|^elect_(?:preferred|uncleanly)\((?:broker=)?)([A-E])", step.step)
    found = found or re.search(r"⟨([A-E])⟩ (?:becomes|stays) leader|follows ⟨([A-E])⟩, the leader", step.says)
    return next(filter(None, found.groups()), "") if found else ""


def _name_brokers(text: str, broker_names: Mapping[str, str]) -> str:
    return capitalize_first(re.sub(r"⟨(.)⟩", lambda found: broker_names.get(found[1], found[1]), text))


_KEPT = frozenset({
    "schema", "kind", "title", "model", "says", "commit", "engine", "tool", "bounds", "budgets", "replay", "where",
    "statement", "call", "conjunct", "notes", "fields", "truth", "called", "wording",
})  # fmt: skip
"""Parts of a trace that are about the model, and not about what happens in it."""

_BROKER = re.compile(
    r"\b([A-E])\b(?! (?:record|broker|leader|follower|member|controller|majority|log|host|consumer|producer)\b)"
)
"""A broker of the model in a text; `A record` is an article."""


def replace_broker_letters(text: str, names: Mapping[str, str]) -> str:
    """A text of the model with its brokers' letters as `names` has them."""
    return _BROKER.sub(lambda found: names.get(found[1], found[1]), text)


def rename_brokers_in(value: Any, names: Mapping[str, str]) -> Any:
    """A value of JSON, or a part of a trace document, with its brokers as `names` has them."""
    if isinstance(value, str):
        return replace_broker_letters(value, names)
    if isinstance(value, list):
        return [rename_brokers_in(element, names) for element in cast("list[Any]", value)]
    if isinstance(value, Mapping):
        held = cast("Mapping[str, Any]", value).items()
        return {
            replace_broker_letters(key, names): element if key in _KEPT else rename_brokers_in(element, names)
            for key, element in held
        }
    return value


def rename_brokers(trace: Mapping[str, Any], broker_names: Mapping[str, str]) -> dict[str, Any]:
    """A trace document with the brokers' names in the user's cluster, in lanes, states and sentences alike.

    `broker_names` has them by the model's letters. The line that replays it keeps the letters.
    """
    names = {lane["id"]: broker_names.get(lane["id"], f"broker {lane['id']}") for lane in trace["lanes"]}
    made: dict[str, Any] = rename_brokers_in(trace, names)
    for step in (*made["steps"], *made["argument"]):
        name = "sentence" if "sentence" in step else "text"
        step[name] = capitalize_first(step[name])
    return made
