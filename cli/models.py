"""`tidegate models`: what there is to check, and how a MODEL on the command line becomes a bound model."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ..explorer.cache import cache_directory, write_whole
from ..invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS, BuiltIn, current_name
from ..language.code_digest import text_digest
from ..language.constants import Constant
from ..language.model import LIVENESS
from ..reports.document import json_value
from ..reports.exits import Exit
from ..reports.text_page import TextFormat, TextPage, count_text
from .options import add_print_options, text_format_of
from .output import print_json
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate models                     the names of the built-in models, and what each is
  tidegate models replication         everything about one of them
  tidegate models mine.py --json      a file of your own, as JSON
  tidegate models --json              everything about every built-in model
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "The names of the built-in models; of each MODEL that is named, its constants (defaults and ranges), profiles, "
        "bounds and properties."
    )
    parser = add_verb(verbs, "models", about, EXAMPLES)
    parser.add_argument(
        "models", metavar="MODEL", nargs="*", help="built-in names or paths (default: a list of the built-in models)"
    )
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Prints the models."""
    if options.json:
        names = options.models or (*CATALOGUE, *REFINEMENTS, *LIVENESS_CLAIMS)
        print_json({"schema": "tidegate.models/1", "models": [describe_model(name) for name in names]})
    elif options.models:
        described = [describe_model(name) for name in options.models]
        print("\n".join(_model_page(model, text_format_of(options)).text() for model in described), end="")
    else:
        print(_models_page(text_format_of(options)).text(), end="")
    return Exit.HOLDS


def _models_page(text_format: TextFormat) -> TextPage:
    """The built-in models by name, each with what it is."""
    page, says = TextPage(text_format), _cached_summaries()
    page.columns([(name, says[name]) for name in CATALOGUE], indent=0)
    page.blank()
    page.line("One model claimed to implement another; the claim is its only property:", style="bold")
    page.columns([(name, says[name]) for name in REFINEMENTS], indent=0)
    page.blank()
    page.line("What must happen in one of them in the end:", style="bold")
    page.columns([(name, says[name]) for name in LIVENESS_CLAIMS], indent=0)
    page.blank()
    page.line("tidegate models NAME: its profiles, constants, bounds and properties")
    return page


def _cached_summaries() -> Mapping[str, str]:
    """What each built-in model is, by name. To read all their texts takes a second: the summaries are kept, under a
    digest of these texts."""
    root, folder = Path(__file__).parents[1], cache_directory()
    patterns = ("language/**/*.py", "model/**/*.py", "invariants/**/*.py", "cli/models.py")
    place = f"models-{text_digest(path for pattern in patterns for path in sorted(root.glob(pattern)))}.json"
    try:
        kept: Any = {} if folder is None else json.loads((folder / place).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        kept = {}
    models = {**CATALOGUE, **REFINEMENTS, **LIVENESS_CLAIMS}
    if isinstance(kept, dict) and cast(dict[str, Any], kept).keys() == models.keys():
        return cast(dict[str, str], kept)
    made = {name: _model_summary(model) for name, model in models.items()}
    if folder is not None:
        write_whole(folder / place, json.dumps(made, ensure_ascii=False).encode())
    return made


def _model_summary(model: BuiltIn) -> str:
    """A model's first sentences, and how many profiles it has unless it is a claim."""
    definition = model.definition()
    says = _first_paragraph(definition.doc)
    if model.default_profile is None or model.claim is not None:
        return says
    return f"{says} {count_text(len(definition.profiles), 'profile')}; by default {model.default_profile}."


def _first_paragraph(doc: str) -> str:
    return doc.strip().split("\n\n")[0].replace("\n", " ")


# --- describing -----------------------------------------------------------------------------------------------------


def describe_model(text: str) -> dict[str, Any]:
    """A model's constants, profiles, bounds and properties as JSON has them."""
    from ..api.models import find_definition  # here, since the list of names needs neither
    from ..gates.records import named_bounds

    definition, profile = find_definition(text)
    text = current_name(text)
    model = definition.bind(text, profile=profile)
    return {
        "name": text,
        "says": _first_paragraph(model.doc),
        "constants": [_constant_document(name, constant) for name, constant in definition.constants.items()],
        "profiles": _settings_document(definition.profiles),
        "bounds": _settings_document(named_bounds(text)),
        "domains": [{"name": domain.name, "symmetric": domain.symmetric} for domain in model.domains],
        "actions": [{"name": action.name, "kind": action.kind, "says": action.sentence} for action in model.actions],
        "properties": [
            {
                "name": prop.name,
                "kind": prop.kind,
                "says": prop.says,
                "ghosts": sorted(prop.ghosts),
                "refines": None if prop.refinement is None else prop.refinement.abstract.name,
            }
            for prop in model.properties
        ]
        + [
            {
                "name": prop.name,
                "kind": prop.kind,
                "says": prop.says,
                "ghosts": sorted(prop.ghosts),
                "refines": None,
                "fairness": [fairness.text() for fairness in prop.fairness],
                "within_limits": list(prop.respected_limits),
            }
            for prop in model.liveness
        ],
    }


def _settings_document(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: {key: json_value(value) for key, value in values.items()} for name, values in settings.items()}


def _constant_document(name: str, constant: Constant) -> dict[str, Any]:
    described: dict[str, Any] = {"name": name, "default": json_value(constant.default), "says": constant.says}
    if constant.minimum is not None:
        return {**described, "minimum": constant.minimum, "maximum": constant.maximum}
    return {**described, "choices": [json_value(choice) for choice in constant.choices()]}


def _model_page(description: dict[str, Any], text_format: TextFormat) -> TextPage:
    page = TextPage(text_format)
    page.line(description["name"], style="bold")
    page.line(description["says"], indent=2, hang=0)
    _write_section(
        page,
        "constants",
        [(_default_text(constant), _range_text(constant), constant["says"]) for constant in description["constants"]],
    )
    for title in ("profiles", "bounds"):
        _write_section(page, title, [(name, _values_text(values)) for name, values in description[title].items()])
    _write_section(
        page, "properties", [(prop["name"], _kind_text(prop), _claim_text(prop)) for prop in description["properties"]]
    )
    return page


def _write_section(page: TextPage, title: str, rows: list[tuple[str, ...]]) -> None:
    if rows:
        page.blank()
        page.line(title, indent=2, style="bold")
        page.columns(rows, indent=4)


def _default_text(constant: dict[str, Any]) -> str:
    return f"{constant['name']}={_value_text(constant['default'])}"


def _range_text(constant: dict[str, Any]) -> str:
    return (
        f"{constant['minimum']}..{constant['maximum']}"
        if "minimum" in constant
        else "|".join(map(_value_text, constant["choices"]))
    )


def _values_text(values: dict[str, Any]) -> str:
    return " ".join(f"{name}={_value_text(value)}" for name, value in values.items()) or "the defaults"


def _value_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _claim_text(prop: dict[str, Any]) -> str:
    """What a property says; of one of whole runs, also which runs it is about."""
    if prop["kind"] not in LIVENESS or prop["kind"] == "always_possible":
        return prop["says"]
    fair, limited = ", ".join(prop["fairness"]), ", ".join(prop["within_limits"])
    within = f" that stay within the limits of {limited}" if limited else ""
    if fair or within:
        return f"{prop['says']} Of the runs{f' with {fair}' if fair else ''}{within}."
    return f"{prop['says']} Of all runs: nothing has to happen."


def _kind_text(prop: dict[str, Any]) -> str:
    kind = prop["kind"] if prop["refines"] is None else f"refines {prop['refines']}"
    return f"{kind} (ghosts)" if prop["ghosts"] else kind
