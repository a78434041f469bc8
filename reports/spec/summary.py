"""A model on one page that a person reads: state, actions and properties, all of them.

Every guard stands whole, and what several actions write alike stands once. What is longer than the page has room for,
the value of a field, a branch or a definition, says what it changes, or is an ellipsis; of a property stands what it
claims. `specification_text` of `mathematics` has all formulas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ...language import ir
from ...language.forms import Parameter
from ...language.model import Action, Initial, Liveness, Model, Property
from .effects import Part, action_phrases, definition_lines, initial_lines
from .mathematics import (
    CLAIMS,
    LIVENESS_CLAIMS,
    STEP_BOUND_CLAIM,
    TERMINAL_CLAIM,
    assumption_texts,
    data_lines,
    mark_code,
    signature_text,
)
from .notation import NotationScope, traverse_form, type_text

LINES = 300
"""How long a page should be."""
WIDTH = 118
NUMBERS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫"
LIMITS = (1200, 240, 120, 40)
"""Characters of what is written out, tried in this order until the page is short enough."""


def summary_text(model: Model, name: str) -> str:
    """The Markdown page of a model bound with its constants open."""
    pages = (_page_text(model, name, limit) for limit in LIMITS)
    short = next((page for page in pages if _count_printed_lines(page) <= LINES), None) or _page_text(
        model, name, LIMITS[-1]
    )
    return short if short.count("\n") <= LINES else _page_text(model, name, LIMITS[-1], defines=False)


def _count_printed_lines(page: str) -> int:
    """How many lines a page has where long ones are wrapped."""
    return sum(1 + len(line) // WIDTH for line in page.splitlines())


def _page_text(model: Model, name: str, limit: int, *, defines: bool = True) -> str:
    """A page with what is written out in `limit` characters; `defines`: with short definitions, too."""
    summaries = [_summarize_action(action, limit) for action in model.actions]
    shared = _number_shared_writes(summaries)
    parts = [
        f"# `{name}`\n<!-- Written by `tidegate spec`; `tidegate spec {name}` prints all formulas. -->",
        model.doc.partition("\n* ")[0].rpartition("\n\n")[0].strip() if "\n* " in model.doc else model.doc.strip(),
        f"All formulas, those of properties among them: `tidegate spec {name}`. Constants, profiles and bounds: "
        f"`tidegate models {name}`. What is recorded: [{name}.toml]({name}.toml). [Notation](README.md#notation); `…` "
        "stands for what is longer than a page.",
        *_section_lines("State", _code_block(data_lines(model))),
        _table_text(("field", "values", "what it is"), _field_rows(model)),
        *_section_lines("Start", (_initial_values_text(initial, model) for initial in model.initials)),
        *_section_lines("Actions", (line for summary in summaries for line in _action_lines(summary))),
        "Several actions write alike:" if shared else "",
        "\n".join(shared),
        "## Properties",
        *_property_tables(model),
        *(_section_lines("Definitions", _definition_lines(model, name, limit)) if defines else ()),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section_lines(title: str, lines: Iterable[str]) -> list[str]:
    text = "\n".join(lines)
    return [f"## {title}", text] if text else []


def _code_block(lines: Sequence[str]) -> list[str]:
    return ["```text", *lines, "```"] if lines else []


# --- state ----------------------------------------------------------------------------------------------------------


def _table_text(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown; nothing without rows."""
    lines = [f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *lines]) if lines else ""


def _field_rows(model: Model) -> Iterator[tuple[str, str, str]]:
    """A row for each field; what is left of each budget is one row for all of them."""
    budgets = {f"{action.budget}_left" for action in model.actions if action.budget}
    for field in model.fields:
        if field.name not in budgets:
            yield f"`{field.name}`", type_text(field.type), f"ghost: {field.says}" if field.ghost else field.says
    left = [f"`{field.name}`" for field in model.fields if field.name in budgets]
    if left:
        yield ", ".join(left), "", "what is left of budgets"


def _initial_values_text(initial: Initial, model: Model) -> str:
    """The values of the fields in a row; budgets are whole."""
    budgets = {f"{action.budget}_left = {action.budget}" for action in model.actions if action.budget}
    lines = initial_lines(initial.form, [field.name for field in model.fields])
    values = _join_statement_lines(line for line in lines if line.strip() not in budgets)
    return f"* `{initial.name}{_parameters_text(initial.form.parameters)}`: `{'; '.join(values)}`"


def _join_statement_lines(lines: Iterable[str]) -> list[str]:
    """Lines of a body without labels, those that only go on being joined to the one before."""
    found: list[str] = []
    for line in lines:
        text = line[8:]
        if text.startswith(" ") and found:
            found[-1] += f" {text.strip()}"
        else:
            found.append(text.strip())
    return found


# --- actions --------------------------------------------------------------------------------------------------------


@dataclass
class _ActionSummary:
    """An action: who takes it with its sentence, names for values, guards, bounds, and what is written."""

    head: str
    names: list[str]
    guards: list[str]
    bounds: list[str]
    writes: list[str]


def _summarize_action(action: Action, limit: int) -> _ActionSummary:
    budget = f", at most {action.budget}" if action.budget else ""
    kind = "" if action.kind == "protocol" else f" ({action.kind}{budget})"
    head = f"`{action.name}{_parameters_text(action.form.parameters)}`{kind}: "
    phrases: dict[Part, list[str]] = {}
    for label, text in action_phrases(action.form, limit):
        if not _is_of_budget(text, action.budget):
            phrases.setdefault(label, []).append(text)
    guards, bounds, writes = (phrases.get(label, []) for label in ("when", "within", "then"))
    names = _used_names(
        [text for text in phrases.get("let", []) if not text.endswith("…")], [*guards, *bounds, *writes]
    )
    return _ActionSummary(
        head + _sentence_in_notation(action.doc.strip().partition("\n\n")[0]), names, guards, bounds, writes
    )


def _used_names(definitions: Sequence[str], phrases: Sequence[str]) -> list[str]:
    """The definitions whose name is in a phrase, or in a later one of them: others served what has no room."""
    used: list[str] = []
    texts = list(phrases)
    for definition in reversed(definitions):
        name = definition.partition(" ≜ ")[0]
        if any(re.search(rf"(?<![\w.]){name}\b", text) for text in texts):
            used.append(definition)
            texts.append(definition.partition(" ≜ ")[2])
    return used[::-1]


def _action_lines(summary: _ActionSummary) -> Iterator[str]:
    conditions = {"when": _conjunction_text(summary.guards), "within": _conjunction_text(summary.bounds)}
    yield f"* {summary.head}"
    for parts in ({"let": "; ".join(summary.names)}, conditions, {"then": "; ".join(summary.writes)}):
        texts = [f"{label} `{text}`" for label, text in parts.items() if text]
        if texts:
            yield f"    * {', '.join(texts)}"


def _number_shared_writes(summaries: Sequence[_ActionSummary]) -> list[str]:
    """Replaces what several actions write alike by a number; the lines that say what the numbers stand for."""
    lines: list[str] = []
    for number in NUMBERS:
        run = _longest_saving_run([summary.writes for summary in summaries])
        if not run:
            break
        for summary in summaries:
            summary.writes = _replace_run(summary.writes, run, number)
        lines.append(f"* {number} `{'; '.join(run)}`")
    return lines


def _longest_saving_run(texts: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The writes in a row for which a number saves most, and at least two lines; () if there are none."""
    counts: Counter[tuple[str, ...]] = Counter()
    for writes in texts:
        spans = ((start, end) for start in range(len(writes)) for end in range(start + 1, len(writes) + 1))
        runs = {tuple(writes[start:end]) for start, end in spans}
        counts.update(run for run in runs if not any(text in NUMBERS for text in run))
    savings = {run: (count - 1) * len("; ".join(run)) for run, count in counts.items()}
    best = max(savings, key=lambda run: (savings[run], run), default=())
    return best if best and savings[best] >= 2 * WIDTH else ()


def _replace_run(writes: Sequence[str], run: Sequence[str], number: str) -> list[str]:
    for start in range(len(writes) - len(run) + 1):
        if tuple(writes[start : start + len(run)]) == tuple(run):
            return [*writes[:start], number, *_replace_run(writes[start + len(run) :], run, number)]
    return list(writes)


def _parameters_text(parameters: Sequence[Parameter]) -> str:
    """`(leader, follower ∈ Broker)`: those of one type in a row."""
    groups = groupby(parameters, key=lambda parameter: parameter.pool or type_text(parameter.type))
    texts = [f"{', '.join(parameter.name for parameter in group)} ∈ {of}" for of, group in groups]
    return f"({', '.join(texts)})" if texts else ""


def _sentence_in_notation(text: str) -> str:
    """A sentence with its expressions in notation, as far as they are plain."""
    plain = re.sub(r"\bs\.|(?<=\()s, ", "", mark_code(text).replace("`", ""))
    return " ".join(re.sub(r"\blen\(([^()]*)\)", r"|\1|", plain).split())


def _is_of_budget(text: str, budget: str | None) -> bool:
    """Whether a phrase only counts how often an action may happen, which its heading says."""
    return budget is not None and text in (
        f"{budget} > 0",
        f"{budget}_left > 0",
        f"{budget}_left′ = {budget}_left − 1",
    )


def _conjunction_text(phrases: Sequence[str]) -> str:
    return " ∧ ".join(f"({text})" if _needs_parentheses(text) else text for text in phrases)


def _needs_parentheses(text: str) -> bool:
    """Whether a guard is put in parentheses among others."""
    return any(sign in text for sign in (" ∨ ", " ⇒ ", ": ")) and not text.startswith("(")


# --- properties -----------------------------------------------------------------------------------------------------


def _property_tables(model: Model) -> Iterator[str]:
    """What is claimed, by its kind: a table for each."""
    for kind, group in groupby(model.properties, key=lambda prop: prop.kind):
        yield _claims_table(CLAIMS[kind], group)
    yield _table_text(
        ("what must happen", "claim"), ((f"`{prop.name}`", _liveness_text(prop)) for prop in model.liveness)
    )
    for claim, claims in ((TERMINAL_CLAIM, model.terminals), (STEP_BOUND_CLAIM, model.step_bounds)):
        yield _claims_table(claim, claims)


def _claims_table(claim: str, claims: Iterable[Property]) -> str:
    return _table_text(
        (claim.strip("*").removesuffix(":"), "claim"), ((f"`{prop.name}`", prop.says) for prop in claims)
    )


def _liveness_text(prop: Liveness) -> str:
    heads = [signature_text(form) for form in prop.forms]
    claim = LIVENESS_CLAIMS[prop.kind].format(*heads).strip("*").replace("`", "")
    return f"{prop.says} {claim} {' '.join(assumption_texts(prop)).replace('`', '')}".strip()


def _one_line_definition(form: ir.Function, scope: NotationScope) -> str:
    """A function of one expression; nothing where it has cases, which need their lines."""
    if len(form.body) != 1 or not isinstance(form.body[0], ir.Return):
        return ""
    return " ".join(line.strip() for line in definition_lines(form, scope))


def _definition_lines(model: Model, name: str, limit: int) -> Iterator[str]:
    """What is one expression of the helpers of actions and of what must happen, and how many others there are."""
    promised = [form for prop in model.liveness for form in prop.forms]
    calls = (
        part.function for action in model.actions for part in traverse_form(action.form) if isinstance(part, ir.Call)
    )
    functions = {function.name: function for function in [*calls, *promised]}
    texts = {function: _one_line_definition(functions[function], NotationScope()) for function in sorted(functions)}
    short = {function: text for function, text in texts.items() if text and len(text) <= min(limit, WIDTH)}
    for function, text in short.items():
        yield f"* `{signature_text(functions[function])} ≜ {text}`"
    if len(short) < len(texts):
        yield f"* {len(texts) - len(short)} more are longer: `tidegate spec {name}` has them."
