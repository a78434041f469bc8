"""A trace document for a person at a terminal: what fails, the steps as sentences with what each changed, why, and
how to replay.

Everything here is laid out from the document; nothing is computed from a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ..document import Document, first_state_text, not_replayed_text
from ..settings import sizes_text
from ..text_page import TextFormat, TextPage, count_text
from .cut import count_steps, cut_trace
from .lanes import board_at, has_lanes, write_lanes
from .states import document_states

_KIND_COLUMN = 10
_STEPS_AROUND = 4
"""Steps before and behind one that is shown."""


def trace_page(document: Document, text_format: TextFormat, others: Sequence[Document] = ()) -> TextPage:
    """The trace as a page; of a very long one its beginning and its end. `others` are documents of the same run for
    other properties that it violates: its steps are printed once, and why it violates each of them."""
    document = cut_trace(document)
    page = TextPage(text_format)
    page.rule()
    _write_heading(page, document, others)
    page.rule()
    for same in (document, *others):
        _write_argument(page, same["argument"])
    _write_steps(page, document)
    if document["failure"] is not None:
        _write_failure(page, document["failure"], count_steps(document) + 1)
    for same in () if "cluster" in document else (document, *others):
        _write_reason(page, same["property"])
    _write_notes(page, document)
    page.blank()
    if document["replay"] is None:
        page.line(not_replayed_text(document))
        return page
    if document["truncated"] is not None:
        page.line("replay it from its file, which holds every step: tidegate replay FILE.trace.json", style="bold")
        return page
    page.line("replay it:", style="bold")
    page.exact(f"  {_replay_command(document['replay'], (document, *others)) if others else document['replay']}")
    return page


def group_by_run(documents: Iterable[Document]) -> list[list[Document]]:
    """Documents of one run that fail at the same step, beside each other: in their order, each group where its first
    is."""
    groups: dict[object, list[Document]] = {}
    for number, document in enumerate(documents):
        claim: Mapping[str, Any] = document["property"] or {}
        replay: str | None = document["replay"] if document["loop"] is None else None
        step = (claim.get("fails") or {"step": None})["step"]
        alike = document["kind"] == "counterexample"
        key = (_replay_command(replay, ()), step) if alike and replay is not None else number
        groups.setdefault(key, []).append(document)
    return list(groups.values())


def _replay_command(replay: str, others: Sequence[Document]) -> str:
    """The command that replays a run, for the properties of other documents of it in place of its own, if there are
    any; without others, for no property in particular."""
    before, steps, after = replay.partition(" --steps ")
    named = [f"--property {other['property']['name']}" for other in others]
    return " ".join([before.partition(" --property ")[0], *named]) + steps + after


def step_page(document: Document, state_number: int, text_format: TextFormat, *, whole: bool = False) -> TextPage:
    """One state of the trace: the steps, the picture after step `state_number`, what changed, messages, and what holds;
    with `whole` every field of the state.

    ValueError when the document has no such state.
    """
    if str(state_number) not in document["states"]:
        raise ValueError(f"the trace has no step {state_number}")
    page = TextPage(text_format)
    page.rule()
    _write_heading(page, document)
    page.rule()
    _write_step_list(page, document, state_number)
    page.rule()
    write_state(page, document, state_number, whole=whole)
    return page


def pictures_page(document: Document, text_format: TextFormat, *, whole: bool = False) -> TextPage:
    """Every state of the trace, one after the other; with `whole` every field of each."""
    page = TextPage(text_format)
    page.rule()
    _write_heading(page, document)
    for at in states_of_document(document):
        page.rule()
        _write_marked_step(page, document, at, is_marked=False)
        write_state(page, document, at, whole=whole)
    return page


def states_of_document(document: Document) -> list[int]:
    """The states that the document has, in order."""
    return sorted(int(at) for at in document["states"] if at != "keyframe_every")


def write_state(
    page: TextPage, document: Document, state_number: int, *, whole: bool = False, with_held: bool = True
) -> None:
    """The lanes in a state, what the step before it changed, the messages, and which properties hold. Every field is
    there with `whole`, and of the first state where no lanes are drawn; without `with_held` only properties that
    fail."""
    write_lanes(page, document, state_number)
    if whole or (state_number == 0 and not has_lanes(document)):
        page.columns(_field_rows(document, state_number), indent=3)
    rows = [
        ("", f"{name}: {value_text(value)}") for name, value in _board_with_messages(document, state_number).items()
    ]
    step = _step_at(document, state_number)
    changed: list[str] = [] if step is None else step["changed"]
    rows += [("changed", change) for change in _merge_changes_of_cell(changed)]
    rows += [("messages", text) for text in _message_lines(document, state_number)]
    true = [
        name
        for name, truth in document["truth"].items()
        if truth[state_number] == "1" and not _is_witness(document, name)
    ]
    failed = [
        name
        for name, truth in document["truth"].items()
        if truth[state_number] == "0" and not _is_witness(document, name)
    ]
    words: Mapping[str, str] = document.get("cluster", {}).get("properties", {})
    rows += [("holds", ", ".join(words.get(name, name) for name in true))] if with_held and true else []
    rows += [("fails", ", ".join(words.get(name, name) for name in failed))] if failed else []
    if has_lanes(document):
        page.blank()
    before = ""
    for name, text in rows:
        page.columns([(name if name != before else "", text)], indent=3, gap=10 - len(name if name != before else ""))
        before = name


def _field_rows(document: Document, state_number: int) -> list[tuple[str, str]]:
    """Every field of a state with its value."""
    state = next(values for number, values in document_states(document) if number == state_number)
    return [(field["name"], value_text(state[field["name"]])) for field in document["fields"]]


def _is_witness(document: Document, name: str) -> bool:
    return document["properties"][name]["kind"] == "reachable"


def _board_with_messages(document: Document, state_number: int) -> Document:
    return board_at(document, state_number) if has_lanes(document) else {}


def _message_lines(document: Document, state_number: int) -> Iterator[str]:
    """The messages in flight in a state; those that stay for ever are shown only while nobody has handled them."""
    for message in document["messages"]:
        handled = any(event["step"] <= state_number for event in message["received"])
        if (
            message["sent"] <= state_number
            and (message["ended"] is None or message["ended"] > state_number)
            and not handled
        ):
            yield f"in flight since step {message['sent']}: {message['text']}"


def _step_at(document: Document, state_number: int) -> Document | None:
    return next((step for step in document["steps"] if step["i"] == state_number), None)


def _write_step_list(page: TextPage, document: Document, state_number: int) -> None:
    """The steps around one, that one marked."""
    numbers = states_of_document(document)
    here = numbers.index(state_number)
    first = max(0, min(here - _STEPS_AROUND, len(numbers) - 2 * _STEPS_AROUND - 1))
    for number in numbers[first : first + 2 * _STEPS_AROUND + 1]:
        _write_marked_step(page, document, number, is_marked=number == state_number)


def _write_marked_step(page: TextPage, document: Document, state_number: int, *, is_marked: bool) -> None:
    step = _step_at(document, state_number)
    width = len(str(states_of_document(document)[-1])) + 2
    failing = [name for name, truth in document["truth"].items() if "0" in truth and truth.index("0") == state_number]
    words: Mapping[str, str] = document.get("cluster", {}).get("properties", {})
    failing = [words.get(name, name) for name in failing if not _is_witness(document, name)]
    text = first_state_text(document) if step is None else step["sentence"]
    right = f"✗ {', '.join(failing)}" if failing else "" if step is None or step["kind"] == "protocol" else step["kind"]
    line = f"{'>' if is_marked else ' '}{state_number:>{width}}  {text}"
    style = "red" if failing else "bold" if is_marked else ""
    if right and len(line) + len(right) + 2 <= page.text_format.width:
        page.exact(line.ljust(page.text_format.width - len(right)) + right, style=style)
    else:
        page.line(f"{line} ({right})" if right else line, hang=width + 3, style=style)


def argument_page(argument: Sequence[Document], text_format: TextFormat) -> TextPage:
    """An argument by itself."""
    page = TextPage(text_format)
    _write_argument(page, argument)
    return page


def _write_argument(page: TextPage, argument: Sequence[Document]) -> None:
    """Why this is a violation, in words."""
    for row in argument:
        match row["role"]:
            case "title":
                page.line(row["text"], style="bold")
            case "short":
                page.line(row["text"], indent=2, style="bold")
            case "event":
                page.line(f"- {row['text']}", indent=4)
            case _:
                page.line(row["text"], indent=2)
    if argument:
        page.blank()


def _write_notes(page: TextPage, document: Document) -> None:
    """That it repeats for ever, what is left out, and what could not be done."""
    if document["loop"] is not None:
        page.blank()
        at = document["loop"]
        last = count_steps(document)
        again = f"then it is as after step {at} again: steps {at + 1} to {last} repeat for ever"
        page.line(again if at < last else "then nothing more happens, for ever", style="bold")
    for note in document["notes"]:
        page.line(f"note: {note}", indent=2, hang=6)


_TRUTH_MARKS = {"counterexample": "✗ ", "deadlock": "✗ ", "error": "✗ ", "witness": "✓ ", "run": ""}
_STYLES = {"✗ ": "red bold", "✓ ": "green bold", "": "bold"}


def _write_heading(page: TextPage, document: Document, others: Sequence[Document] = ()) -> None:
    mark = _TRUTH_MARKS[document["kind"]]
    page.line(mark + _trace_title(document, others), style=_STYLES[mark])
    if "cluster" in document:
        return  # the title says it all, and the bounds are the model's
    if document["failure"] is None and document["property"] is not None and not others:
        page.line(document["property"]["says"], indent=2, hang=0)
    page.line(sizes_text(document["bounds"]), indent=2, style="dim")


def _trace_title(document: Document, others: Sequence[Document]) -> str:
    """What the run shows, in one line: of several properties, all of their names."""
    if not others:
        return document["title"]
    *names, last = (same["property"]["name"] for same in (document, *others))
    length = count_text(count_steps(document), "step")
    return f"{document['model']}: {', '.join(names)} and {last} fail after {length}, in the same run"


def _write_steps(page: TextPage, document: Document) -> None:
    width = max(3, len(str(count_steps(document))) + 1)
    claim: Mapping[str, Any] = document["property"] or {}
    fails = (claim.get("fails") or {"step": None})["step"]
    if document["replay"] is None or not document["steps"] or fails == 0:
        page.line("0".rjust(width) + f"  {first_state_text(document)}", hang=width + 2)
        page.columns(_field_rows(document, 0), indent=width + 6)
    left_out: Mapping[str, Any] = document["truncated"] or {"last": -1, "says": ""}
    for step in document["steps"]:
        if step["i"] == left_out["last"] + 1:
            page.line(f"... {left_out['says']} ...", indent=2, style="dim")
        if document["loop"] == step["i"] - 1:
            page.line("from here on it repeats for ever:", indent=2, style="bold")
        _write_sentence(page, step, width, failing=step["i"] == fails)
        for change in _merge_changes_of_cell(step["changed"]):
            page.line(change, indent=width + 6, hang=4, style="cyan")


def _merge_changes_of_cell(change_texts: Sequence[str]) -> Iterator[str]:
    """Changes of one cell on one line: `isr[A]: + A, + B`."""
    for cell, group in groupby((text.partition(": ") for text in change_texts), key=lambda parts: parts[0]):
        yield f"{cell}: " + ", ".join(what for _, _, what in group)


def _write_sentence(page: TextPage, step: Mapping[str, Any], width: int, *, failing: bool) -> None:
    """The step's number and sentence, and at the right margin its kind where that is not the protocol's own."""
    kind = "" if step["kind"] == "protocol" else step["kind"]
    mark = "✗" if failing else " "
    text = f"{step['i']:>{width}}{mark} {step['sentence']}"
    if kind and len(text) + _KIND_COLUMN <= page.text_format.width:
        text = text.ljust(page.text_format.width - len(kind)) + kind
        page.exact(text, style="red" if failing else "bold")
        return
    page.line(f"{text} ({kind})" if kind else text, hang=width + 2, style="red" if failing else "bold")


def _write_reason(page: TextPage, claim: Mapping[str, Any] | None) -> None:
    """The first false conjunct, and inside the helpers that it calls the reason there."""
    if claim is None or claim["fails"] is None:
        return
    page.blank()
    page.line(f"{claim['name']} is false, because this is:", style="bold")
    indent, reason = 2, claim["fails"]
    while reason is not None:
        page.line(reason["conjunct"], indent=indent, hang=4, style="red")
        values = ", ".join(f"{name} = {value_text(value)}" for name, value in reason["witness"].items())
        if values:
            page.line(f"where {values}", indent=indent + 2, hang=6)
        reason = reason.get("because")
        indent += 2
        if reason is not None:
            page.line("because in it this is false:", indent=indent)
            indent += 2


def _write_failure(page: TextPage, failure: Mapping[str, Any], number: int) -> None:
    page.blank()
    if failure["step"] is not None:
        page.line(f"then step {number} breaks it: {failure['sentence']}  [{failure['step']}]", style="bold")
    where = f" ({failure['where']})" if failure["where"] else ""
    page.line(f"{failure['message']}{where}", indent=2, style="red")
    if failure["disabled"]:
        page.line("why no step can be taken:", indent=2)
        page.columns([(action["step"], action["why"]) for action in failure["disabled"]], indent=4)


def value_text(value: Any) -> str:
    """A value of the document as people write it: `A`, `{id: 0, epoch: 1}`, `Ack(id=0)`, `[1, 2]`, `none`, `true`."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict) and "@" in value:
        parts = ", ".join(f"{name}={value_text(held)}" for name, held in value.items() if name != "@")  # pyright: ignore
        return f"{value['@']}({parts})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {value_text(held)}" for key, held in value.items()) + "}"  # pyright: ignore
    if isinstance(value, list):
        return "[" + ", ".join(value_text(setting) for setting in value) + "]"  # pyright: ignore
    return str(value)
