"""`tidegate lsp`: the language server that an editor starts."""

from __future__ import annotations

import argparse

from ..language.errors import UsageError
from ..reports.exits import Exit
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate lsp            what an editor is given as the language server of Python files; it ends with the editor
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "Speaks the Language Server Protocol on standard input and output: docs/editor.md has what editors show."
    parser = add_verb(verbs, "lsp", about, EXAMPLES)
    parser.add_argument("--stdio", action="store_true", help="as without it: some clients give it to every server")
    parser.set_defaults(run=run)


def run(_options: argparse.Namespace) -> Exit:
    """Serves until the editor goes."""
    try:
        from ..editor.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UsageError("lsp needs pygls, which is not installed: pip install '.[editor]' in the clone") from None
    serve()
    return Exit.HOLDS
