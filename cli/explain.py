"""`tidegate explain MODEL [ACTION]`: what a model's actions mean, in words and in notation."""

from __future__ import annotations

import argparse
import re

from ..api.models import ModelChoice, bind_model
from ..language.errors import UsageError, suggest_name
from ..language.model import Action, Model
from ..reports.exits import Exit
from ..reports.spec.effects import action_lines
from ..reports.spec.mathematics import parameters_text
from ..reports.text_page import TextPage
from .options import add_print_options, text_format_of
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate explain replication:kip320
  tidegate explain replication:kip320 fetch
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "A model's actions; of one of them, its guards, bounds and effect with the profile's switches folded in."
    parser = add_verb(verbs, "explain", about, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a built-in name or a path, with a profile if you like")
    parser.add_argument("action", metavar="ACTION", nargs="?", help="one action")
    add_print_options(parser, json=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Prints what is asked for."""
    model = bind_model(ModelChoice(options.model, ghosts=True))
    page = TextPage(text_format_of(options))
    if options.action is None:
        _write_overview(page, model)
    else:
        _write_action(page, _find_action(model, options.action))
    print(page.text(), end="")
    return Exit.HOLDS


def _find_action(model: Model, name: str) -> Action:
    known = {action.name: action for action in model.actions}
    if name not in known:
        raise UsageError(f"{model.name} has no action {name!r}; {suggest_name(name, known)}")
    return known[name]


def _write_overview(page: TextPage, model: Model) -> None:
    page.line(model.name, style="bold")
    for paragraph in model.doc.strip().split("\n\n"):
        _write_paragraph(page, paragraph)
        page.blank()
    rows = [(action.name, _kind_text(action), action.sentence) for action in model.actions]
    page.columns(rows)


_LIST_ITEM = re.compile(r"\s*([-*]|\d+\.|\|)\s")


def _write_paragraph(page: TextPage, text: str) -> None:
    """A paragraph of a docstring; of a list each item begins a line of its own. One that is indented is code, whose
    lines stay as they are."""
    lines = text.split("\n")
    if all(line.startswith("    ") for line in lines):
        for line in lines:
            page.exact(f"  {line}")
        return
    items: list[str] = []
    for line in lines:
        if items and not _LIST_ITEM.match(line):
            items[-1] += f" {line.strip()}"
        else:
            items.append(line.strip())
    for item in items:
        page.line(item, indent=2, hang=2 if _LIST_ITEM.match(item) else 0)


def _kind_text(action: Action) -> str:
    return "switched off" if action.switched_off else action.kind


def _write_action(page: TextPage, action: Action) -> None:
    page.line(f"{action.name}{parameters_text(action.form.parameters)}", style="bold")
    for paragraph in action.doc.strip().split("\n\n"):
        _write_paragraph(page, paragraph)
    page.blank()
    if action.switched_off:
        page.line("This profile's constants switch it off.", indent=2)
    for line in action_lines(action.form):
        page.exact(f"  {line}")
    page.blank()
    page.columns([("reads", ", ".join(sorted(action.form.reads))), ("writes", ", ".join(sorted(action.form.writes)))])
