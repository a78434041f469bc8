"""A model on one page that a person reads: state, actions and properties, all of them, each formula as far as the page
has room for it.

Every guard stands whole. What is longer than the page has room for, the value of a field, a branch, a property's
formula or a definition, says what it changes, or is an ellipsis: `specification_text` of `mathematics` has it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import wrap

from ...language import ir
from ...language.model import Action, Initial, Liveness, Model, Property
from .effects import Part, action_phrases, definition_lines, initial_lines
from .mathematics import CLAIMS, MAY_END, MUST, WITHIN, assumption_texts, data_lines, head_of, mark_code
from .notation import NotationScope, traverse_form, type_text

LINES = 300
"""How long a page should be."""
WIDTH = 118
LIMITS = (1200, 240, 120, 40)
"""Characters of what is written out, tried in this order until the page is short enough."""


def summary_text(model: Model, name: str) -> str:
    """The Markdown page of a model bound with its constants open."""
    pages = (_page(model, name, limit) for limit in LIMITS)
    return next((page for page in pages if page.count("\n") <= LINES), _page(model, name, LIMITS[-1]))


def _page(model: Model, name: str, limit: int) -> str:
    parts = [
        f"# `{name}`",
        f"<!-- Written by `tidegate spec`; `tidegate spec {name}` prints all formulas. -->",
        model.doc.partition("\n* ")[0].rpartition("\n\n")[0].strip() if "\n* " in model.doc else model.doc.strip(),
        f"All formulas: `tidegate spec {name}`. Constants, profiles and bounds: `tidegate models {name}`. What is "
        f"recorded: [{name}.toml]({name}.toml).\n[Notation](README.md#notation); `…` stands for what is longer than a "
        "page.",
        *_section("State", [*data_lines(model), "", *_state(model)]),
        *_section("Start", (line for initial in model.initials for line in _initial(initial, model))),
        *_section("Actions", _separate_blocks(_action(action, limit) for action in model.actions)),
        *_section("Properties", _separate_blocks(_properties(model, limit))),
        *_section("Definitions", _definitions(model, limit)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(title: str, lines: Iterable[str]) -> list[str]:
    text = "\n".join(lines).strip("\n")
    return [f"## {title}", f"```text\n{text}\n```"] if text else []


def _separate_blocks(blocks: Iterable[Sequence[str]]) -> list[str]:
    return [line for block in blocks if block for line in (*block, "")]


def _wrap_text(head: str, text: str, indent: int) -> list[str]:
    """A text after its head, its further lines indented; nothing where there is no text."""
    if not text:
        return []
    return wrap(f"{head}{text}", WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


# --- state ----------------------------------------------------------------------------------------------------------


def _state(model: Model) -> Iterator[str]:
    """A line for each field; what is left of each budget is one line for all of them."""
    budgets = {f"{action.budget}_left" for action in model.actions if action.budget}
    fields = [field for field in model.fields if field.name not in budgets]
    width = max((len(field.name) for field in fields), default=0)
    for field in fields:
        says = f"ghost: {field.says}" if field.ghost else field.says
        yield from _wrap_text(f"{field.name.ljust(width)} : ", f"{type_text(field.type)}   {says}".rstrip(), width + 3)
    left = [field.name for field in model.fields if field.name in budgets]
    yield from _wrap_text("left of budgets: ", ", ".join(left), width + 3)


def _initial(initial: Initial, model: Model) -> Iterator[str]:
    """The values of the fields in a row; budgets are whole."""
    budgets = {f"{action.budget}_left = {action.budget}" for action in model.actions if action.budget}
    lines = initial_lines(initial.form, [field.name for field in model.fields])
    values = _statements(line for line in lines if line.strip() not in budgets)
    yield from _wrap_text(f"{initial.name}{_parameters(initial.form.parameters)}: ", "; ".join(values), 2)


def _statements(lines: Iterable[str]) -> list[str]:
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


def _action(action: Action, limit: int) -> list[str]:
    """An action: who takes it, its sentence, names for values, guards, bounds, and what is written."""
    budget = f", at most {action.budget}" if action.budget else ""
    kind = "" if action.kind == "protocol" else f" ({action.kind}{budget})"
    head = f"{action.name}{_parameters(action.form.parameters)}{kind}: "
    phrases: dict[Part, list[str]] = {}
    for label, text in action_phrases(action.form, limit):
        if not _is_of_budget(text, action.budget):
            phrases.setdefault(label, []).append(text)
    lines = _wrap_text(head, _sentence(action.doc.strip().partition("\n\n")[0]), 2)
    named = [text for text in phrases.get("let", []) if not text.endswith("…")]
    lines += _wrap_text("  let    ", "; ".join(named), 9)
    guards, bounds = (_conjunction(phrases.get(label, [])) for label in ("when", "within"))
    lines += _wrap_text("  when   ", guards + (f"   within {bounds}" if bounds else ""), 9)
    lines += _wrap_text("  then   ", "; ".join(phrases.get("then", [])), 9)
    return lines


def _parameters(parameters: Sequence[ir.Parameter]) -> str:
    """`(leader, follower ∈ Broker)`: those of one type in a row."""
    groups = groupby(parameters, key=lambda parameter: parameter.pool or type_text(parameter.type))
    texts = [f"{', '.join(parameter.name for parameter in group)} ∈ {of}" for of, group in groups]
    return f"({', '.join(texts)})" if texts else ""


def _sentence(text: str) -> str:
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


def _conjunction(phrases: Sequence[str]) -> str:
    return " ∧ ".join(f"({text})" if _is_loose(text) else text for text in phrases)


def _is_loose(text: str) -> bool:
    """Whether a guard is put in parentheses among others."""
    return any(sign in text for sign in (" ∨ ", " ⇒ ", ": ")) and not text.startswith("(")


# --- properties -----------------------------------------------------------------------------------------------------


def _properties(model: Model, limit: int) -> Iterator[list[str]]:
    """What is claimed, by its kind."""
    for kind, group in groupby(model.properties, key=lambda prop: prop.kind):
        yield _group(CLAIMS[kind], group, limit)
    for prop in model.liveness:
        yield _liveness(prop, limit)
    for claim, claims in ((MAY_END, model.terminals), (WITHIN, model.step_bounds)):
        yield _group(claim, claims, limit)


def _group(claim: str, claims: Iterable[Property], limit: int) -> list[str]:
    lines = [line for prop in claims for line in _property(prop, limit)]
    return [claim.strip("*"), *lines] if lines else []


def _property(prop: Property, limit: int) -> list[str]:
    assert prop.form is not None, "models of the catalogue claim no refinement"
    scope = NotationScope(states={state: index for index, state in enumerate(prop.form.states)})
    return [*_wrap_text(f"  {prop.name}: ", prop.says, 4), *_formula(prop.form, scope, limit)]


def _liveness(prop: Liveness, limit: int) -> list[str]:
    heads = [head_of(form) for form in prop.forms]
    claim = MUST[prop.kind].format(*heads).strip("*").replace("`", "")
    fair = " ".join(assumption_texts(prop)).replace("`", "")
    lines = _wrap_text(f"{prop.name}: ", f"{prop.says} {claim} {fair}", 2)
    for form, head in zip(prop.forms, heads, strict=True):
        lines += _formula(form, NotationScope(states={form.states[0]: 0}), limit, f"{head} ≜ ")
    return lines


def _formula(form: ir.Function, scope: NotationScope, limit: int, head: str = "") -> list[str]:
    text = _one_line(form, scope)
    return _wrap_text(f"    {head}", text, 6) if len(text) <= limit else []


def _one_line(form: ir.Function, scope: NotationScope) -> str:
    """A function of one expression; nothing where it has cases, which need their lines."""
    if len(form.body) != 1 or not isinstance(form.body[0], ir.Return):
        return ""
    return " ".join(line.strip() for line in definition_lines(form, scope))


def _definitions(model: Model, limit: int) -> Iterator[str]:
    """The helpers that are one expression, and the names of the others."""
    forms: list[ir.Function] = [prop.form for prop in (*model.properties, *model.terminals) if prop.form is not None]
    roots = [*(action.form for action in model.actions), *forms]
    roots += [form for prop in model.liveness for form in prop.forms]
    calls = (part.function for form in roots for part in traverse_form(form) if isinstance(part, ir.Call))
    functions = {function.name: function for function in calls}
    longer: list[str] = []
    for function in (functions[name] for name in sorted(functions)):
        text = _one_line(function, NotationScope())
        if text and len(text) <= min(limit, WIDTH):
            yield from _wrap_text(f"{head_of(function)} ≜ ", text, 4)
        else:
            longer.append(head_of(function))
    yield from _wrap_text("Longer: ", ", ".join(longer), 2)
