"""The formal specification of a model as Markdown: what its text means, in mathematical notation, beside what was
recorded.

It is made from the typed form of the model with every constant left open, so that the reader sees the family and its
switches, not one member of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeAlias

from ...language import ir
from ...language.constants import Constant, Value
from ...language.declare import STUTTERS, Fairness
from ...language.forms import Parameter
from ...language.immutable import immutable
from ...language.model import Action, Initial, Liveness, LivenessKind, Model, Property, Refinement
from ...language.types import Enumeration, Identity, Record
from ..document import json_value
from .effects import action_lines, definition_lines, initial_lines
from .notation import NotationScope, bound_text, members_text, named_types, traverse_form, type_text

NOTATION = r"""*Notation.* A primed name is the value after the step; what no line mentions is unchanged. A line
under `when` is a guard of the protocol, under `within` a guard of the bounds only, under `let` a name for a value,
under `then` an effect. Lines are read from top to bottom; a field that is written again wears one prime more, and
inside `for each ... in order` the sign `≔` changes a value step by step. `[a, b)` holds the integers from a to b − 1,
`|x|` is a length or a size, `⟨x, y⟩` a sequence, `q[a..b)` a part of one, `q ∘ r` two in a row, `f[x]` the value of a
map at x, `[x ∈ S ↦ v]` a map, `[name ↦ v]` a record, `𝒫(S)` the subsets of S, `none` the empty option, 𝔹 the truth
values. Where a local name is spelled like a field, the field is written `s.name`."""


@immutable
class RecordedChecks:
    """What is recorded of one profile at one size: the counts, None where no exhaustive run is recorded, and what
    came of each property: `holds`, `reached`, `missing`, or the number of steps of the shortest counterexample."""

    profile: str
    constants: str
    marks: str
    distinct_states: int | None
    transitions: int | None
    depth: int | None
    properties: Mapping[str, str | int]


@immutable
class Specification:
    """What a page is made of: a model bound with its constants open, its profiles, and what was recorded of it."""

    title: str
    model: Model
    profiles: Mapping[str, Mapping[str, Value]]
    recorded_checks: Sequence[RecordedChecks]
    recorded_in: str


Sections: TypeAlias = Sequence[tuple[str, Sequence[str]]]
"""What a page consists of: titles, each with its parts as Markdown."""


def claim_sections(page: Specification, own: Mapping[str, Constant]) -> Sections:
    """What is claimed of a model: `own` are the constants that the claim adds."""
    model = page.model
    return _nonempty_sections(
        ("Constants of the claim", [_constants_table(own)] if own else []),
        ("The claim", [_property_text(prop, CLAIMS["transition"]) for prop in model.properties]),
        ("What must happen", [_run_condition_text(model), *(_liveness_text(prop) for prop in model.liveness)]),
        ("What a step may be", [_abstract_actions_text(prop) for prop in model.properties]),
        ("States from which nothing happens", [_property_text(bound, _END_TEXT) for bound in model.bounds]),
        (
            "Steps that are looked at",
            [_property_text(step_bound, STEP_BOUND_CLAIM) for step_bound in model.step_bounds],
        ),
        ("Definitions", [_code_block(_helper_texts(model, behaviour=False))] if _helper_texts(model, False) else []),
    )


def model_sections(page: Specification) -> Sections:
    """All formulas of a model."""
    model = page.model
    return _nonempty_sections(
        ("Constants", [_constants_table(model.constants)]),
        ("Profiles", [_profiles_table(page.profiles)] if page.profiles else []),
        ("Data", [_code_block(data_lines(model))] if data_lines(model) else []),
        ("State", [_state_table(model)]),
        ("Initial states", [_initial_text(initial, model) for initial in model.initials]),
        ("Actions", [_action_text(action) for action in model.actions]),
        ("Properties", [_property_text(prop, CLAIMS[prop.kind]) for prop in model.properties]),
        ("What must happen", [_run_condition_text(model), *(_liveness_text(prop) for prop in model.liveness)]),
        ("States that may end", [_property_text(terminal, TERMINAL_CLAIM) for terminal in model.terminals]),
        (
            "Steps that are looked at",
            [_property_text(step_bound, STEP_BOUND_CLAIM) for step_bound in model.step_bounds],
        ),
        ("Definitions", [_code_block(_helper_texts(model))] if _helper_texts(model) else []),
    )


def texts_by_name(model: Model) -> Mapping[str, str]:
    """What the page of a model says of each of its functions, by its name: a helper's text is its definition alone."""
    claims = [(prop, CLAIMS[prop.kind]) for prop in (*model.properties, *model.lemmas)]
    claims += [(prop, TERMINAL_CLAIM) for prop in model.terminals] + [(prop, _END_TEXT) for prop in model.bounds]
    claims += [(prop, STEP_BOUND_CLAIM) for prop in model.step_bounds]
    return {
        **{form.name: _code_block([_helper_text(form)]) for form in called_functions(model)},
        **{initial.name: _initial_text(initial, model) for initial in model.initials},
        **{action.name: _action_text(action) for action in model.actions},
        **{prop.name: _property_text(prop, claim) for prop, claim in claims},
        **{prop.name: _liveness_text(prop) for prop in model.liveness},
    }


def fields_by_name(model: Model) -> Mapping[str, str]:
    """The type and meaning of each field of the state, by its name, as Markdown."""
    return {
        field.name: f"`{field.name}` ∈ `{type_text(field.type)}`\n\n{_field_text(field.says, field.ghost)}"
        for field in model.fields
    }


def refinement_text(page: Specification, model_name: str, own: Mapping[str, Constant]) -> str:
    """The Markdown page of what is claimed of a model: the model's text has a page of its own, named `model_name`."""
    link = f"[{model_name}]({model_name}.md)"
    said = f"The text is that of {link}, with its constants and profiles; the claim stands here."
    return _page_text(page, [said], claim_sections(page, own))


def specification_text(page: Specification) -> str:
    """The Markdown page of a model."""
    return _page_text(page, [], model_sections(page))


def section_digests(sections: Sections) -> Mapping[str, str]:
    """For each section, named in lower case with `_` for spaces, the first 12 hexadecimal digits of its SHA-256."""
    return {
        title.lower().replace(" ", "_"): sha256("\n\n".join(parts).encode("utf-8")).hexdigest()[:12]
        for title, parts in sections
    }


def _page_text(page: Specification, more: Sequence[str], sections: Sections) -> str:
    named = [*sections, *_nonempty_sections(("Recorded results", _recorded_checks_table(page)))]
    parts = [f"# {page.title}", page.model.doc.strip(), *more, NOTATION]
    parts += [part for title, inside in named for part in (f"## {title}", *inside)]
    return "\n\n".join(part.rstrip() for part in parts if part) + "\n"


def _nonempty_sections(*sections: tuple[str, Iterable[str]]) -> Sections:
    """The sections that have something, with the parts that are not empty."""
    kept = ((title, [part for part in parts if part]) for title, parts in sections)
    return [(title, parts) for title, parts in kept if parts]


def _abstract_actions_text(prop: Property) -> str:
    """The actions of the abstract model, one of which a step is that does not stutter."""
    if prop.refinement is None:
        return ""
    abstract = prop.refinement.abstract
    rows = [
        (f"`{action.name}{parameters_text(action.form.parameters)}`", mark_code(action.sentence))
        for action in abstract.actions
    ]
    said = f"One of `{abstract.name}`, as far as the constants have it, or it stutters:"
    return f"{said}\n\n" + _markdown_table(("action", "what happens"), rows)


def _code_block(lines: Iterable[str]) -> str:
    return "\n".join(["```text", *lines, "```"])


def _markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return "\n".join([line(header), "|" + "---|" * len(header), *(line(row) for row in rows)])


# --- data -----------------------------------------------------------------------------------------------------------


def _value_text(value: Any) -> str:
    value = json_value(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _constants_table(constants: Mapping[str, Constant]) -> str:
    rows = [
        (f"`{name}`", _choices_text(constant), f"`{_value_text(constant.default)}`", constant.says)
        for name, constant in constants.items()
    ]
    return _markdown_table(("constant", "values", "default", "meaning"), rows) if rows else "None."


def _choices_text(constant: Constant) -> str:
    if constant.minimum is not None:
        return f"{constant.minimum}..{constant.maximum}"
    return "{" + ", ".join(_value_text(choice) for choice in constant.choices()) + "}"


def _profiles_table(profiles: Mapping[str, Mapping[str, Value]]) -> str:
    names = list(dict.fromkeys(name for values in profiles.values() for name in values))
    rows = [
        (f"`{profile}`", *(_value_text(values[name]) if name in values else "default" for name in names))
        for profile, values in profiles.items()
    ]
    return _markdown_table(("profile", *(f"`{name}`" for name in names)), rows)


def data_lines(model: Model) -> list[str]:
    """The records, enums and domains of a model, a line each."""
    parameters = [parameter.type for action in model.actions for parameter in action.form.parameters]
    types = [field.type for field in model.fields] + parameters
    named = dict.fromkeys(named_type for type_ in types for named_type in named_types(type_))
    return [_type_definition(data_type) for data_type in named]


def _type_definition(data_type: Record | Enumeration | Identity) -> str:
    match data_type:
        case Record(name=name, fields=fields):
            inside = ", ".join(f"{field}: {type_text(type_)}" for field, type_ in fields)
            return f"{name} ≜ [{inside}]"
        case Enumeration(name=name):
            return f"{name} ≜ {{{', '.join(members_text(data_type))}}}"
        case Identity(name=name, labels=labels, size=size, size_open=size_open, symmetric=symmetric):
            kind = "names without an order, all alike" if symmetric else "names without an order"
            return f"{name} ≜ {{{', '.join(labels[:2])}, …}} of size {bound_text(size, size_open)}   ({kind})"


def _state_table(model: Model) -> str:
    rows = [
        (f"`{field.name}`", f"`{type_text(field.type)}`", _field_text(field.says, field.ghost))
        for field in model.fields
    ]
    return _markdown_table(("field", "type", "meaning"), rows)


def _field_text(says: str, ghost: bool) -> str:
    return f"*ghost:* {says}" if ghost else says


# --- behaviour ------------------------------------------------------------------------------------------------------


def _initial_text(initial: Initial, model: Model) -> str:
    heading = initial.name + parameters_text(initial.form.parameters)
    return _code_block(
        [heading, *(f"  {line}" for line in initial_lines(initial.form, [field.name for field in model.fields]))]
    )


def _action_text(action: Action) -> str:
    kind = "" if action.kind == "protocol" else f" ({action.kind}{_budget_text(action)})"
    heading = action.name + parameters_text(action.form.parameters)
    lines = _code_block([heading, *(f"  {line}" for line in action_lines(action.form))])
    return f"### {action.name}{kind}\n\n{mark_code(action.doc.strip())}\n\n{lines}"


def mark_code(sentence: str) -> str:
    """A sentence's expressions as code: `{s.leader}` as `s.leader` in backticks; a choice between texts in words."""
    chosen = re.sub(r" ?\{'([^'{}]*)' if ([^{}]+?) else '([^'{}]*)'\}", _choice_text, sentence)
    return re.sub(r"\{([^{}]+)\}", r"`\1`", chosen)


def _choice_text(match: re.Match[str]) -> str:
    """` (if `arrives`: a request arrives)`, where both texts say something with what is said otherwise."""
    yes, condition, no = match.groups()
    then, otherwise = (text.lstrip(",; ") for text in (yes, no))
    if not then:
        return f" (unless `{condition}`: {otherwise})"
    return f" (if `{condition}`: {then}{f'; else: {otherwise}' if otherwise else ''})"


def _budget_text(action: Action) -> str:
    return f", at most `{action.budget}` times" if action.budget else ""


def parameters_text(parameters: Sequence[Parameter]) -> str:
    """`(follower ∈ Replica)`, or nothing for an action without parameters."""
    inside = ", ".join(f"{parameter.name} ∈ {parameter.pool or type_text(parameter.type)}" for parameter in parameters)
    return f"({inside})" if inside else ""


CLAIMS = {
    "invariant": "*In every reachable state:*",
    "transition": "*In every step:*",
    "reachable": "*In some reachable state:*",
}
TERMINAL_CLAIM = "*A run may end where:*"
_END_TEXT = "*A state is checked, and nothing happens from it, where this is false:*"
STEP_BOUND_CLAIM = "*Of the steps that actions allow, those are looked at for which:*"


def _refinement_text(prop: Property, refinement: Refinement) -> str:
    """A refinement: the abstract model, what its constants are, the mapping, and what actions may be."""
    scope = NotationScope(states={state: index for index, state in enumerate(refinement.mapping.states)})
    name = refinement.abstract.name
    given = ", ".join(f"`{constant}` = `{value}`" for constant, value in refinement.constant_texts)
    claim = f"*A refinement of* `{name}`{f', with {given}' if given else ''}. *Of every step the images are equal (it"
    claim += " stutters), or an action of the abstract model leads from one to the other:*"
    may_be = [f"* `{action}` {_allowed_text(allowed)}" for action, allowed in refinement.may_be.items()]
    lines = _code_block([f"{prop.name} ≜", *definition_lines(refinement.mapping, scope)])
    return "\n\n".join([f"### {prop.name}", f"{prop.says} {claim}", lines, *(["\n".join(may_be)] if may_be else [])])


def _allowed_text(allowed_actions: Sequence[str]) -> str:
    ways = [f"is `{name}`" for name in allowed_actions if name != STUTTERS]
    return " or ".join([*ways, *(["stutters"] if STUTTERS in allowed_actions else [])])


def _property_text(prop: Property, claim: str) -> str:
    if prop.refinement is not None:
        return _refinement_text(prop, prop.refinement)
    if prop.form is None:
        return ""
    scope = NotationScope(states={state: index for index, state in enumerate(prop.form.states)})
    ghosts = f" It reads the ghost {', '.join(f'`{name}`' for name in sorted(prop.ghosts))}." if prop.ghosts else ""
    lines = _code_block([f"{prop.name} ≜", *definition_lines(prop.form, scope)])
    return f"### {prop.name}\n\n{prop.says}{ghosts} {claim}\n\n{lines}"


LIVENESS_CLAIMS: Mapping[LivenessKind, str] = {
    "always_possible": "*From every reachable state some run leads to a state where `{0}`.*",
    "leads_to": "*In every fair run, after each state where `{0}` comes one where `{1}`.*",
    "initially_leads_to": "*Every fair run that begins where `{0}` comes to a state where `{1}`.*",
    "leads_to_always": "*In every fair run, once `{0}` in some state, from some time on `{1}` in every state.*",
    "always_eventually": "*In every fair run, again and again `{0}`.*",
    "eventually_always": "*In every fair run, from some time on `{0}` in every state.*",
}


def _run_condition_text(model: Model) -> str:
    """Of which runs it is said that a claim holds, whatever it names itself."""
    limited = [
        f"`{action.name}`"
        for action in model.actions
        if action.kind == "fault"
        and (
            action.budget is not None
            or any(isinstance(part, ir.Limit) and not part.bound_name for part in traverse_form(action.form.body))
        )
    ]
    if not limited or all(prop.kind == "always_possible" for prop in model.liveness):
        return ""
    return f"What holds of fair runs holds of those that stay within the limits of {', '.join(limited)}."


def _liveness_text(prop: Liveness) -> str:
    """A property of whole runs: the claim, its fairness, and its predicates."""
    heads = [signature_text(form) for form in prop.forms]
    parameters = [f"{name} ∈ {type_text(type_)}" for name, type_ in prop.forms[0].parameters]
    every = f" Of each {', '.join(f'`{parameter}`' for parameter in parameters)}." if parameters else ""
    fair = "".join(f" {text}" for text in assumption_texts(prop))
    ghosts = f" It reads the ghost {', '.join(f'`{name}`' for name in sorted(prop.ghosts))}." if prop.ghosts else ""
    lines = [
        line
        for form, head in zip(prop.forms, heads, strict=True)
        for line in (f"{head} ≜", *definition_lines(form, NotationScope(states={form.states[0]: 0})))
    ]
    claim = LIVENESS_CLAIMS[prop.kind].format(*heads)
    return f"### {prop.name}\n\n{prop.says}{ghosts} {claim}{every}{fair}\n\n{_code_block(lines)}"


def signature_text(form: ir.Function) -> str:
    """A function's name and parameters."""
    names = ", ".join(name for name, _ in form.parameters)
    return f"{form.name}({names})" if names else form.name


def assumption_texts(prop: Liveness) -> Iterator[str]:
    """What a property of whole runs takes for granted: each fairness, and within which limits runs stay."""
    yield from map(fairness_text, prop.fairness)
    if prop.respected_limits:
        yield f"Within the limits of {', '.join(f'`{name}`' for name in prop.respected_limits)}."


def fairness_text(fairness: Fairness) -> str:
    """`Weak fairness of `fetch`, for each `follower`.`"""
    names = " or ".join(f"`{name}`" for name in fairness.actions)
    every = ", for each " + " and ".join(f"`{name}`" for name in fairness.parameters) if fairness.parameters else ""
    where = "" if fairness.where is None else f", where `{fairness.where.name}`"
    return f"{'Strong' if fairness.strong else 'Weak'} fairness of {names}{where}{every}."


def _helper_texts(model: Model, behaviour: bool = True) -> list[str]:
    """What is called, as text."""
    texts = dict.fromkeys(_helper_text(function) for function in called_functions(model, behaviour))
    return "\n\n".join(sorted(texts)).split("\n") if texts else []


def called_functions(model: Model, behaviour: bool = True) -> list[ir.Function]:
    """What is called: by the model's behaviour, too, or only by what is claimed of it."""
    claims = (*model.properties, *(model.terminals if behaviour else model.bounds), *model.step_bounds)
    claimed = [claim.form if claim.refinement is None else claim.refinement.mapping for claim in claims]
    claimed += [form for prop in model.liveness for form in prop.forms]
    conditions = (fairness.where for prop in model.liveness for fairness in prop.fairness)
    claimed += [condition.form for condition in conditions if condition is not None]
    forms = [*((declared.form for declared in (*model.initials, *model.actions)) if behaviour else ()), *claimed]
    return [part.function for form in forms for part in traverse_form(form) if isinstance(part, ir.Call)]


def _helper_text(function: ir.Function) -> str:
    parameters = ", ".join(name for name, _ in function.parameters)
    heading = f"{function.name}({parameters}) ≜" if parameters else f"{function.name} ≜"
    return "\n".join([heading, *definition_lines(function, NotationScope())])


# --- what was recorded ----------------------------------------------------------------------------------------------


def _recorded_checks_table(page: Specification) -> list[str]:
    if not page.recorded_checks:
        return []
    words = ("holds", "reached", "missing", "undecided")
    header = ("model", "distinct states", "transitions", "depth", "fails, in steps", *words)
    rows = [
        (
            ", ".join(
                part for part in (f"`{check.profile}`" * bool(check.profile), check.constants, check.marks) if part
            ),
            _number_text(check.distinct_states),
            _number_text(check.transitions),
            _number_text(check.depth),
            ", ".join(f"`{name}` {steps}" for name, steps in check.properties.items() if isinstance(steps, int)),
            *(_names_with_word(check, word) for word in words),
        )
        for check in page.recorded_checks
    ]
    kept = [i for i in range(len(header)) if i < 4 or any(row[i] for row in rows)]
    about = f"""\
From `{page.recorded_in}`, compared by `tidegate gate`. Depth counts states on the longest shortest path, the initial
one being 1; after a property that fails stands the number of steps of its shortest counterexample."""
    if page.model.liveness:
        about += _WHOLE_RUNS_NOTE
    return [about, _markdown_table([header[i] for i in kept], [[row[i] for i in kept] for row in rows])]


_WHOLE_RUNS_NOTE = """ Of what must
happen that is the way to a loop and the loop, once around. What is undecided a limit of the model leaves open."""


def _names_with_word(checks: RecordedChecks, word: str) -> str:
    return ", ".join(f"`{name}`" for name, found in checks.properties.items() if found == word)


def _number_text(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
