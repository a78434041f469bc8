"""A trace as a sequence diagram, in the spelling of Mermaid, of sequencediagram.org and of PlantUML.

A step is a note over the lane whose step it is; a message is an arrow, drawn at the step that handles it, or ending in
a cross where it is lost. Beyond `MAX_STEPS` steps those that neither fail nor handle a message, and are no faults,
are left out, and the diagram says how many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ...language.immutable import immutable
from ..document import Document

MAX_STEPS = 60
OTHER_PARTICIPANT = "others"
"""Who sends and acts that is not a lane: a controller, a client."""


@immutable
class DiagramNote:
    """A text over some participants; `fault` for a crash and its like."""

    participants: tuple[str, ...]
    text: str
    fault: bool = False


@immutable
class Arrow:
    """A message from one participant to another, or to where it is not handled any more."""

    source: str
    target: str
    text: str
    end: Literal["received", "lost", "in flight"]


@immutable
class RepeatedPart:
    """Where the part that repeats for ever begins and ends."""

    begins: bool


Event = DiagramNote | Arrow | RepeatedPart


@immutable
class Diagram:
    """The participants from left to right and what happens from top to bottom."""

    title: str
    participants: tuple[str, ...]
    events: tuple[Event, ...]


# --- from the document ------------------------------------------------------------------------------------------------


def sequence_diagram(document: Document) -> Diagram:
    """The diagram of a trace."""
    shown = [step for step in document["steps"] if _is_step_drawn(document, step)]
    turns = _first_repeated_step(document, shown)
    events = [event for step in shown for event in _step_events(document, step, begins=step["i"] == turns)]
    known = [lane["id"] for lane in document["lanes"]]
    met = {name for event in events for name in _participants_of(event)}
    participants = [name for name in known if name in met] + (
        [OTHER_PARTICIPANT] if OTHER_PARTICIPANT in met or not met else []
    )
    everyone = tuple(dict.fromkeys((participants[0], participants[-1])))
    closing = [
        *([RepeatedPart(begins=False)] if turns is not None else []),
        *(DiagramNote(everyone, text) for text in _closing_notes(document, len(shown), repeats=turns is not None)),
        *_messages_in_flight(document),
    ]
    names = {name for event in closing for name in _participants_of(event)} - set(participants)
    return Diagram(document["title"], (*participants, *sorted(names)), (*events, *closing))


def _is_step_drawn(document: Document, step: Mapping[str, Any]) -> bool:
    if len(document["steps"]) <= MAX_STEPS:
        return True
    handles = any(message["event"] != "sent" for message in step["messages"])
    return handles or step["kind"] == "fault" or step["i"] == _failing_step(document)


def _failing_step(document: Document) -> int | None:
    claim: Mapping[str, Any] = document["property"] or {}
    return (claim.get("fails") or {"step": None})["step"]


def _first_repeated_step(document: Document, shown_steps: Sequence[Mapping[str, Any]]) -> int | None:
    """The first step that is drawn of those that repeat for ever; None where none is, as in a run that stays put."""
    loop = document["loop"]
    return None if loop is None else next((step["i"] for step in shown_steps if step["i"] > loop), None)


def _step_events(document: Document, step: Mapping[str, Any], *, begins: bool) -> Iterator[Event]:
    """What is drawn of a step; where it `begins` what repeats for ever, that too."""
    if begins:
        yield RepeatedPart(begins=True)
    for event in step["messages"]:
        message = document["messages"][event["id"]]
        if event["event"] == "received":
            yield _message_arrow(message, step["lane"], "received")
        elif event["event"] == "lost":
            yield _message_arrow(message, message["to"], "lost")
    yield DiagramNote((step["lane"] or OTHER_PARTICIPANT,), f"{step['i']}. {step['sentence']}", step["kind"] == "fault")


def _message_arrow(
    message: Mapping[str, Any], target: str | None, end: Literal["received", "lost", "in flight"]
) -> Arrow:
    to = message["to"] or target or OTHER_PARTICIPANT
    sent = f"sent in step {message['sent']}" if message["sent"] else "there at first"
    copy = ", a copy" if message["copy"] else ""
    return Arrow(message["source"] or OTHER_PARTICIPANT, to, f"{message['name']} ({sent}{copy})", end)


def _messages_in_flight(document: Document) -> Iterator[Event]:
    for message in document["messages"]:
        if message["end"] == "in flight" and not message["received"]:
            yield _message_arrow(message, None, "in flight")


def _closing_notes(document: Document, shown_count: int, *, repeats: bool) -> Iterator[str]:
    """What is said at the end: how it goes on for ever, unless it `repeats` what is drawn, what fails, and what the
    diagram does not show."""
    claim, failure, loop = document["property"], document["failure"], document["loop"]
    last = len(document["steps"])
    if loop is not None and not repeats:
        yield f"steps {loop + 1} to {last} repeat for ever" if loop < last else "nothing more happens, for ever"
    if failure is not None:
        yield failure["message"]
    elif claim is not None and claim["fails"] is not None:
        yield f"{claim['name']} fails: {claim['says']}"
    elif claim is not None and document["kind"] == "witness":
        yield f"{claim['name']} is reached: {claim['says']}"
    dropped = len(document["steps"]) - shown_count
    if dropped:
        yield f"{dropped} of {len(document['steps'])} steps are not drawn: they handle no message"
    if document["truncated"] is not None:
        yield document["truncated"]["says"]


def _participants_of(event: Event) -> tuple[str, ...]:
    match event:
        case DiagramNote(participants=over):
            return over
        case Arrow(source=source, target=target):
            return (source, target)
        case RepeatedPart():
            return ()


# --- the spellings ----------------------------------------------------------------------------------------------------


def to_mermaid(document: Document) -> str:
    """The diagram as Mermaid reads it, for Markdown and comments."""
    made = sequence_diagram(document)
    names = _identifiers(made.participants)
    lines = ["sequenceDiagram"]
    lines += [
        f"  participant {names[participant]}" + _alias_text(names[participant], participant)
        for participant in made.participants
    ]
    lines += [f"  {_mermaid_event(event, names)}" for event in made.events]
    return "\n".join(lines) + "\n"


def _mermaid_event(event: Event, names: Mapping[str, str]) -> str:
    match event:
        case DiagramNote(participants=(who,), text=text, fault=True):
            return f"{names[who]}-x{names[who]}: {_mermaid_text(text)}"
        case DiagramNote(participants=over, text=text):
            return f"Note over {','.join(names[lane] for lane in over)}: {_mermaid_text(text)}"
        case Arrow(source=source, target=target, text=text, end=end):
            sign = {"received": "->>", "lost": "-x", "in flight": "--)"}[end]
            return f"{names[source]}{sign}{names[target]}: {_mermaid_text(_text_with_end(text, end))}"
        case RepeatedPart(begins=begins):
            return "loop for ever" if begins else "end"


def _mermaid_text(text: str) -> str:
    """A text on one line; what would end it, or begin an entity or a comment, is written as an entity."""
    return re.sub("[#;%]", lambda found: f"#{ord(found[0])};", _one_line(text))


def to_seqdiag(document: Document) -> str:
    """The diagram as sequencediagram.org reads it."""
    made = sequence_diagram(document)
    lines = [
        f"title {_one_line(made.title)}",
        *(f'participant "{_quote_name(participant)}"' for participant in made.participants),
    ]
    lines += [_seqdiag_event(event) for event in made.events]
    return "\n".join(lines) + "\n"


def _seqdiag_event(event: Event) -> str:
    match event:
        case DiagramNote(participants=over, text=text, fault=fault):
            return f"note over {_names_text(over)}:{'fault: ' if fault else ''}{_one_line(text)}"
        case Arrow(source=source, target=target, text=text, end=end):
            sign = {"received": "->", "lost": "-x", "in flight": "-->"}[end]
            return f'"{_quote_name(source)}"{sign}"{_quote_name(target)}":{_one_line(_text_with_end(text, end))}'
        case RepeatedPart(begins=begins):
            return "loop for ever" if begins else "end"


def to_plantuml(document: Document) -> str:
    """The diagram as PlantUML reads it."""
    made = sequence_diagram(document)
    lines = ["@startuml", f"title {_one_line(made.title)}"]
    lines += [f'participant "{_quote_name(participant)}"' for participant in made.participants]
    lines += [_plantuml_event(event) for event in made.events]
    return "\n".join([*lines, "@enduml"]) + "\n"


def _plantuml_event(event: Event) -> str:
    match event:
        case DiagramNote(participants=over, text=text, fault=fault):
            return f"{'h' if fault else ''}note over {_names_text(over)} : {_one_line(text)}"
        case Arrow(source=source, target=target, text=text, end=end):
            sign = {"received": "->", "lost": "->x", "in flight": "-->"}[end]
            return f'"{_quote_name(source)}" {sign} "{_quote_name(target)}" : {_one_line(_text_with_end(text, end))}'
        case RepeatedPart(begins=begins):
            return "loop for ever" if begins else "end"


SPELLINGS: Mapping[str, Callable[[Document], str]] = {
    "mermaid": to_mermaid,
    "seqdiag": to_seqdiag,
    "plantuml": to_plantuml,
}
"""Every spelling by the name that `export --to` takes."""


def _text_with_end(text: str, end: str) -> str:
    return text if end == "received" else f"{text}, {end}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _quote_name(name: str) -> str:
    return name.replace('"', "'")


def _names_text(names: tuple[str, ...]) -> str:
    return ",".join(f'"{_quote_name(text)}"' for text in names)


def _identifiers(participants: tuple[str, ...]) -> Mapping[str, str]:
    """What Mermaid calls each: its own name where that is a plain word and none of Mermaid's."""
    return {
        name: name if re.fullmatch(r"[A-Z][A-Za-z0-9]*|others", name) else f"p{at}"
        for at, name in enumerate(participants, 1)
    }


def _alias_text(identifier: str, name: str) -> str:
    return "" if identifier == name else f" as {_mermaid_text(name)}"
