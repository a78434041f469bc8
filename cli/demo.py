"""`tidegate demo [STORY]`: commands that show a story of Kafka's high availability, one after the other."""

from __future__ import annotations

import argparse
import shlex
import sys

from ..language.errors import UsageError, suggest_name
from ..reports.exits import Exit
from ..reports.text_page import TextFormat, TextPage
from .options import add_print_options, text_format_of
from .stories import STORIES, Scene
from .verbs import Parser, Verbs, add_verb, command_parser

EXAMPLES = """\
  tidegate demo                          a loss of records, and its fix
  tidegate demo outage
  tidegate demo walk
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "Shows a story by commands: a real loss or outage, found and shown, and what keeps it away."
    parser = add_verb(verbs, "demo", about, EXAMPLES)
    stories = "; ".join(f"{name}: {story.title}" for name, story in STORIES.items())
    parser.add_argument("story", metavar="STORY", nargs="?", help=stories)
    add_print_options(parser, json=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Exit 0 when each command of the story ends as it must; 70 when one does not, which would be a bug of ours."""
    name = options.story or next(iter(STORIES))
    if name not in STORIES:
        raise UsageError(f"no story is called {name}; {suggest_name(name, STORIES)}")
    text_format = text_format_of(options)
    wrong = Exit.HOLDS
    for scene in STORIES[name].scenes:
        found = _run_scene(scene, options, text_format)
        if found is not scene.exit:
            print(f"tidegate: the story went wrong: exit {found}, not {scene.exit}", file=sys.stderr)
            wrong = Exit.INCONCLUSIVE if found is Exit.INCONCLUSIVE else Exit.INTERNAL
    if options.story is None:
        print(_other_stories(name, text_format), end="")
    return wrong


def _run_scene(scene: Scene, options: argparse.Namespace, text_format: TextFormat) -> Exit:
    page = TextPage(text_format)
    page.line(scene.says, hang=0)
    page.blank()
    page.exact(f"$ tidegate {scene.command}")
    print(page.text(), flush=True)
    arguments = shlex.split(scene.command)
    printed = ["--ascii"] * options.ascii + ["--color", options.color]
    printed += [] if options.width is None else ["--width", str(options.width)]
    of_scene = command_parser(arguments[0]).parse_args([*arguments, *printed])
    of_scene.arguments = arguments
    found = of_scene.run(of_scene)
    print(flush=True)
    return found


def _other_stories(told_story: str, text_format: TextFormat) -> str:
    page = TextPage(text_format)
    page.line("Other stories:")
    for name, story in STORIES.items():
        if name != told_story:
            page.line(f"tidegate demo {name:<12} {story.title}", indent=2, hang=29)
    return page.text()
