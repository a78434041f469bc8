"""`tidegate models`: what there is to check, and how a MODEL on the command line becomes a bound model."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..gates.records import named_bounds
from ..invariants.catalogue import CATALOGUE, find
from ..language.binding import PROPERTIES, Definition, load
from ..language.constants import Constant, Value
from ..language.errors import UsageError, nearest
from ..language.model import Model
from ..reports.document import plain
from ..reports.exits import Exit
from ..reports.paper import Page, Paper
from .options import Chosen, Parser, Verbs, Wrong, add_print_options, add_verb, paper_of
from .output import print_json

EXAMPLES = """\
  tidegate models                     every built-in model
  tidegate models replication         one of them
  tidegate models mine.py --json      a file of your own, as JSON
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "The models with their constants (defaults and ranges), profiles, bounds and properties."
    parser = add_verb(verbs, "models", "the models, their constants, profiles and properties", about, EXAMPLES)
    parser.add_argument(
        "models", metavar="MODEL", nargs="*", help="built-in names or paths (default: every built-in model)"
    )
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Prints the models."""
    described = [describe(name) for name in options.models or CATALOGUE]
    if options.json:
        print_json({"schema": "tidegate.models/1", "models": described})
    else:
        print("\n".join(_page(each, paper_of(options)).text() for each in described), end="")
    return Exit.HOLDS


# --- from what was typed to a model ---------------------------------------------------------------------------------


def definition_of(text: str) -> tuple[Definition, str | None]:
    """The definition and profile that MODEL names: `replication`, `replication:kip320`, `mine.py`, `mine.py:profile`.

    Raises `Wrong` for a name or path that is not there, `ModelErrors` for a text that is no model.
    """
    path, colon, profile = text.partition(":")
    if path.endswith(".py") or "/" in path or Path(path).is_dir():
        return _own(path, profile if colon else None)
    try:
        return find(text)
    except UsageError as error:
        if path in CATALOGUE:
            raise
        raise Wrong(f"{error}\na model of your own is given by its path, as in ./{path}.py") from None


def _own(path: str, profile: str | None) -> tuple[Definition, str | None]:
    """The definition in a user's own file."""
    if not Path(path).is_file():
        raise Wrong(
            f"{path}: {'a directory; name a .py file in it' if Path(path).is_dir() else 'there is no such file'}"
        )
    definition = load(Path(path))
    if profile is not None and profile not in definition.profiles:
        hint = nearest(profile, definition.profiles) or "it has no profiles"
        raise Wrong(f"{path} has no profile {profile}; {hint}")
    return definition, profile


def bound(choice: Chosen, *, lemmas: bool = False) -> Model:
    """The model bound as asked: bounds first, then `--set`. Ghosts are kept where asked for and, unless they are not
    wanted, where a property reads one; lemmas are bound where wanted."""
    definition, profile = definition_of(choice.model)
    constants: dict[str, Value | str] = dict(_bounds(choice))
    constants.update(choice.assignments)
    return definition.bind(
        choice.model,
        constants=constants,
        profile=profile,
        open=choice.open,
        ghosts=choice.ghosts,
        properties=_properties(definition, choice),
        lemmas=lemmas,
    )


def _properties(definition: Definition, choice: Chosen) -> tuple[str, ...] | None:
    """The names of the properties to judge, those that were left out gone; None for all that the model has."""
    if not choice.without:
        return choice.properties or None
    named = choice.properties or definition.names(*PROPERTIES)
    for each in choice.without:
        if each not in named:
            raise Wrong(f"--without {each}: no such property to leave out; {nearest(each, named)}")
    return tuple(each for each in named if each not in choice.without)


def _bounds(choice: Chosen) -> Mapping[str, Value | str]:
    if choice.bounds is None:
        return {}
    known = named_bounds(choice.model)
    if choice.bounds not in known:
        raise Wrong(f"--bounds {choice.bounds}: {nearest(choice.bounds, known) or 'this model has no named bounds'}")
    return known[choice.bounds]


# --- describing -----------------------------------------------------------------------------------------------------


def describe(text: str) -> dict[str, Any]:
    """A model's constants, profiles, bounds and properties as JSON has them."""
    definition, profile = definition_of(text)
    model = definition.bind(text, profile=profile)
    return {
        "name": text,
        "says": model.doc.strip().split("\n\n")[0].replace("\n", " "),
        "constants": [_constant(name, each) for name, each in definition.constants.items()],
        "profiles": _plain_values(definition.profiles),
        "bounds": _plain_values(named_bounds(text)),
        "domains": [{"name": each.name, "symmetric": each.symmetric} for each in model.domains],
        "actions": [{"name": each.name, "kind": each.kind, "says": each.sentence} for each in model.actions],
        "properties": [
            {"name": each.name, "kind": each.kind, "says": each.says, "ghosts": sorted(each.ghosts)}
            for each in model.properties
        ],
    }


def _plain_values(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: {key: plain(value) for key, value in values.items()} for name, values in settings.items()}


def _constant(name: str, each: Constant) -> dict[str, Any]:
    described: dict[str, Any] = {"name": name, "default": plain(each.default), "says": each.says}
    if each.minimum is not None:
        return {**described, "minimum": each.minimum, "maximum": each.maximum}
    return {**described, "choices": [plain(choice) for choice in each.choices()]}


def _page(described: dict[str, Any], paper: Paper) -> Page:
    page = Page(paper)
    page.line(described["name"], style="bold")
    page.line(described["says"], indent=2, hang=0)
    _section(page, "constants", [(_default(each), _range(each), each["says"]) for each in described["constants"]])
    for title in ("profiles", "bounds"):
        _section(page, title, [(name, _values(values)) for name, values in described[title].items()])
    _section(page, "properties", [(each["name"], _kind(each), each["says"]) for each in described["properties"]])
    return page


def _section(page: Page, title: str, rows: list[tuple[str, ...]]) -> None:
    if rows:
        page.blank()
        page.line(title, indent=2, style="bold")
        page.columns(rows, indent=4)


def _default(each: dict[str, Any]) -> str:
    return f"{each['name']}={_text(each['default'])}"


def _range(each: dict[str, Any]) -> str:
    return f"{each['minimum']}..{each['maximum']}" if "minimum" in each else "|".join(map(_text, each["choices"]))


def _values(values: dict[str, Any]) -> str:
    return " ".join(f"{name}={_text(value)}" for name, value in values.items()) or "the defaults"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _kind(each: dict[str, Any]) -> str:
    return f"{each['kind']} (ghosts)" if each["ghosts"] else each["kind"]
