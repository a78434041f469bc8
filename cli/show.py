"""`tidegate show TRACE`: a saved trace document, as `check --out` writes it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, cast

from ..reports.counterexample import trace_page
from .exits import Exit
from .options import Parser, Verbs, Wrong, add_print_options, add_verb, paper_of

SCHEMA = "tidegate.trace/1"

EXAMPLES = """\
  tidegate check examples/lock.py:careless --out report; tidegate show report/one_inside.trace.json
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    parser = add_verb(verbs, "show", "print a saved trace", "Prints a trace that was saved with --out.", EXAMPLES)
    parser.add_argument("trace", metavar="TRACE", type=Path, help="a .trace.json file")
    add_print_options(parser, json=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Prints the trace."""
    document = document_of(options.trace)
    try:
        page = trace_page(document, paper_of(options)).text()
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise Wrong(f"{options.trace}: a trace with a part missing or wrong: {error}") from None
    print(page, end="")
    return Exit.HOLDS


def document_of(path: Path) -> dict[str, Any]:
    """The trace document in a file. Raises `Wrong` when there is none."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Wrong(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise Wrong(f"{path}: not a JSON document: {error}") from None
    schema = cast("dict[str, Any]", read).get("schema") if isinstance(read, dict) else None
    if schema != SCHEMA:
        raise Wrong(f'{path}: not a trace; its schema is {schema!r}, not "{SCHEMA}"')
    return cast("dict[str, Any]", read)
