"""The sentence of a step: the first line of an action's docstring, read as a template over the state before the step.

    "{follower} fetches from {s.leader} at offset {len(s.log[follower])}."     "B fetches from A at offset 0."

Between braces stands any expression over the parameters and the state; `{{` and `}}` are braces. Values print as
people write them (`containers.value_text`), and a text as it is, so that what happens chooses the words:

    "{replica} restarts{'' if kept else ' with an empty log'}."
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any, cast

from ..language.judge import state_shape, to_model_error
from ..language.kinds import Domain
from ..language.model import Action, Model
from ..language.steptext import format_step
from ..language.values import ModelError, State, value_text


def action_sentence(
    model: Model, action: Action, state: State, arguments: Mapping[str, Any], name_of: Callable[[str], str] = str
) -> str:
    """What the step says, `state` being the one before it. An action without a docstring says its name, with its
    arguments. `name_of` may put
    other words for what the template's expressions show, such as the names that a user's own brokers have.

    ModelError when an expression in the template cannot be evaluated here.
    """
    if not action.sentence:
        return format_step(action.name, arguments)
    pieces, values = _compiled_sentence(model, action)
    try:
        shown = [
            value if isinstance(value, str) else name_of(value_text(value)) for value in values(state, **arguments)
        ]
    except Exception as error:
        raise to_model_error(model, error, action.name, arguments) from error
    return "".join(text + value for text, value in zip(pieces, [*shown, ""], strict=True))


def step_sentence(model: Model, action: Action, state: State, arguments: Mapping[str, Any]) -> str:
    """As `action_sentence`, of a step of an argument: the action's name where the sentence cannot be evaluated."""
    try:
        return action_sentence(model, action, state, arguments)
    except ModelError:
        return f"{action.name}."


def capitalize_first(text: str) -> str:
    """The text with its first letter as a capital, as a sentence begins; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def sentence_subject(model: Model, action: Action, state: State, arguments: Mapping[str, Any]) -> Domain | None:
    """The member of a domain that the step's sentence begins with: whose step it is, as people read it."""
    pieces, values = _compiled_sentence(model, action)
    if pieces[0].strip():
        return None
    try:
        first = values(state, **arguments)[:1]
    except Exception:  # the sentence itself cannot be filled in either, and says so
        return None
    return first[0] if first and isinstance(first[0], Domain) else None


_CompiledSentence = tuple[list[str], Callable[..., tuple[Any, ...]]]


def _compiled_sentence(model: Model, action: Action) -> _CompiledSentence:
    """The texts between the expressions, and a function from state and arguments to the expressions' values."""
    memo = state_shape(model).memo
    known = memo.get(("sentence", action.name))
    if known is None:
        known = memo["sentence", action.name] = _compile_sentence(action)
    return cast(_CompiledSentence, known)


def _compile_sentence(action: Action) -> _CompiledSentence:
    texts, expressions = [""], list[ast.expr]()
    for piece in split_template(action.sentence or action.name):
        if isinstance(piece, str):
            texts[-1] += piece
        else:
            expressions.append(piece)
            texts.append("")
    names = [action.form.state, *(parameter.name for parameter in action.form.parameters)]
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    function = ast.Lambda(arguments, ast.Tuple(expressions, ast.Load()))
    code = compile(ast.fix_missing_locations(ast.Expression(function)), f"<sentence of {action.name}>", "eval")
    return texts, eval(code, cast(FunctionType, action.run).__globals__)


def split_template(template: str) -> Iterator[str | ast.expr]:
    """The pieces of a template: plain text, and the expressions between braces.

    SyntaxError when a brace is left open or what stands between braces is no expression.
    """
    at = 0
    while at < len(template):
        character = template[at]
        if character in "{}" and template[at : at + 2] == character * 2:
            yield character
            at += 2
        elif character == "{":
            end = _closing_brace(template, at)
            yield ast.parse(template[at + 1 : end].strip(), mode="eval").body
            at = end + 1
        elif character == "}":
            raise SyntaxError(f"single '}}' in {template!r}")
        else:
            yield character
            at += 1


def _closing_brace(template: str, opening: int) -> int:
    """Where the brace that opens at `opening` closes, brackets inside it paired."""
    depth = 0
    for at in range(opening, len(template)):
        depth += (template[at] in "{[(") - (template[at] in "}])")
        if depth == 0:
            return at
    raise SyntaxError(f"'{{' is never closed in {template!r}")
