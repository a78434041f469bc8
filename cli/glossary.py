"""`tidegate glossary [TERM]`: what a word means in documents, messages and code."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from ..language.errors import UsageError, suggest_name
from ..reports.exits import Exit
from ..reports.text_page import TextPage
from .options import add_print_options, text_format_of
from .output import print_json
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate glossary                 every word
  tidegate glossary vacuous         one of them, and those whose meaning names it
"""

PAGE = Path(__file__).parents[1] / "docs" / "glossary.md"
"""The one place of the words' meanings, which a wheel holds too."""

_ROW = re.compile(r"^\| (?!word \||---)(?P<word>[^|]+) \| (?P<meaning>.+) \|$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([^)#]*)[^)]*\)")
_EMPHASIS = re.compile(r"\*([^*]+)\*")


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "What a word means here, in documents, messages and code: of one TERM, or of all."
    parser = add_verb(verbs, "glossary", about, EXAMPLES)
    parser.add_argument("term", metavar="TERM", nargs="*", help="a word, or several that are one (default: all words)")
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Prints the words. UsageError for one that is not there."""
    found = find_meanings(" ".join(options.term))
    if options.json:
        print_json({"schema": "tidegate.glossary/1", "words": dict(found)})
    else:
        page = TextPage(text_format_of(options))
        page.columns(list(found.items()), indent=0)
        print(page.text(), end="")
    return Exit.HOLDS


def find_meanings(term: str) -> Mapping[str, str]:
    """The word itself, its meaning first, and each whose meaning names it; all of them for an empty term. UsageError
    for a word that is not there."""
    words = read_meanings(PAGE.read_text(encoding="utf-8"))
    if not term:
        return words
    own = next((word for word in words if word.lower() in (term.lower(), term.lower().removesuffix("s"))), None)
    whole = re.compile(rf"(?i)\b{re.escape(own or term)}s?\b")
    naming = {word: meaning for word, meaning in words.items() if word != own and whole.search(meaning)}
    if own is None and not naming:
        raise UsageError(
            f"the glossary has no word {term!r}; {suggest_name(term, words)}\nall of them: tidegate glossary"
        )
    return ({own: words[own]} if own is not None else {}) | naming


def read_meanings(text: str) -> Mapping[str, str]:
    """Each word of the page's table with its meaning, as plain text."""
    return {row["word"]: _strip_markdown(row["meaning"]) for row in _ROW.finditer(text)}


def _strip_markdown(meaning: str) -> str:
    """A meaning without Markdown's signs: a link to a page is that page's path."""
    linked = _LINK.sub(lambda link: f"docs/{link[2]}" if link[1] == link[2] else f"{link[1]} (docs/{link[2]})", meaning)
    return _EMPHASIS.sub(r"\1", linked).replace("`", "")
