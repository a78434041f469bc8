"""`tidegate demo`: a real loss found and shown, and its fix checked to the end."""

from __future__ import annotations

import argparse
import sys

from ..api.checking import trace_documents
from ..api.models import ModelChoice, bind_model
from ..explorer.cache import cache_directory
from ..explorer.search import Search
from ..reports.check.terminal import verdict_page
from ..reports.exits import Exit, exit_of_verdict
from ..reports.text_page import TextPage
from .check import failures_and_witnesses, run_check, traces_report
from .options import add_print_options, text_format_of
from .verbs import Parser, Verbs, add_verb

LOSING_MODEL = ModelChoice(
    "replication:truncate_to_hw",
    assignments=(("replicas", "2"), ("log_size", "1"), ("max_records", "1"), ("max_leader_epoch", "2")),
    properties=("leader_completeness",),
)
FIXED_MODEL = ModelChoice(
    "replication:kip320",
    assignments=(("replicas", "3"), ("log_size", "2"), ("max_records", "2"), ("max_leader_epoch", "2")),
    ghosts=True,
)

STORY_OF_LOSS = (
    "Before KIP-101, a replica that began to follow a leader cut its log to its own high watermark. That mark lags "
    "behind the leader's by a fetch, so it could throw away a record that was already committed, and be elected right "
    "then. Is there a run in which that happens?"
)
STORY_OF_FIX = (
    "KIP-101, KIP-279 and KIP-320 replaced this with leader epochs: a follower cuts its log where it parts from the "
    "leader's, and a leader serves and counts only followers of its own epoch. This is every reachable state of that "
    "protocol within the bounds, with all properties checked:"
)

EXAMPLES = """\
  tidegate demo
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Finds the data loss that Kafka's first replication protocol allowed, then shows that KIP-320 is free of it."
    )
    parser = add_verb(verbs, "demo", about, EXAMPLES)
    add_print_options(parser, json=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Exit 0 when the loss is found and the fix holds; 70 when either is otherwise, which would be a bug of ours."""
    broken = _run_story(STORY_OF_LOSS, LOSING_MODEL, options)
    print()
    fixed = _run_story(STORY_OF_FIX, FIXED_MODEL, options)
    if (broken, fixed) == (Exit.SAFETY, Exit.HOLDS):
        return Exit.HOLDS
    print(f"tidegate: the demonstration went wrong: exits {broken} and {fixed}, not 1 and 0", file=sys.stderr)
    return Exit.INCONCLUSIVE if Exit.INCONCLUSIVE in (broken, fixed) else Exit.INTERNAL


def _run_story(story: str, choice: ModelChoice, options: argparse.Namespace) -> Exit:
    text_format = text_format_of(options)
    page = TextPage(text_format)
    page.line(story, hang=0)
    print(page.text(), flush=True)
    model = bind_model(choice)
    verdict = run_check(model, "native", Search(cache=cache_directory()))
    print(verdict_page(verdict, text_format).text(), end="", flush=True)
    traces = trace_documents(model, verdict, failures_and_witnesses((), verdict))
    print(traces_report(verdict, traces, text_format), end="", flush=True)
    return exit_of_verdict(verdict)
