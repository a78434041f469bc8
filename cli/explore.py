"""`tidegate explore MODEL|TRACE`: choose the next step, and see what comes of it."""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from ..api.models import bind_model
from ..explorer.search import Progress
from ..language.errors import UsageError
from ..language.judge import initial_states, run_text
from ..language.model import Model
from ..language.steptext import StepError, split_steps
from ..language.values import ModelError
from ..language.verdict import Run
from ..reports.exits import Exit
from .cluster_words import ClusterWords, cluster_words
from .explore_session import PROMPT, Session
from .options import add_model_options, add_print_options, model_choice_of, parse_natural, parse_size, text_format_of
from .saved_traces import bind_saved_model, blame_file, read_trace, replay_saved_trace
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate explore replication:kip101
  tidegate explore examples/lock.py:careless --set clients=3
  tidegate explore report/strong_isr.trace.json             from the end of a saved trace
  tidegate explore examples/lock.py:careless --steps "look(A); take(A)"     from where these steps lead
  tidegate explore replication:kip101 --web --open           in the browser
  tidegate explore replication:kip101 --do "2;why;go strong_isr;save run"

Where standard input is no terminal, each of its lines is a command.
exit: 0 when it ends, 64 usage, or a command of --do or of a file cannot be carried out, 65 the model's text is wrong
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Takes a model step by step as you choose: shows the state and what can happen in it as numbered sentences, "
        "goes back and forth, says why a step cannot happen, goes to the nearest state in which a property fails, "
        "watches expressions, and saves the run as a trace or as a page. `help` there lists the commands."
    )
    parser = add_verb(verbs, "explore", about, EXAMPLES)
    add_model_options(parser, search=False, what="MODEL|TRACE", says="a saved .trace.json file, or ")
    parser.add_argument(
        "--steps", metavar="TEXT", help="begin where these steps lead from the initial state, also of a saved trace"
    )
    parser.add_argument("--do", metavar="COMMANDS", help='carry these out and end: "2; go strong_isr; save run"')
    parser.add_argument(
        "--web", action="store_true", help="explore in the browser: serve the page on this machine until Ctrl-C"
    )
    parser.add_argument(
        "--port", metavar="N", type=parse_natural, default=0, help="with --web (default: any that is free)"
    )
    parser.add_argument("--open", action="store_true", dest="show", help="with --web: open it in the browser")
    parser.add_argument("--memory", metavar="SIZE", type=parse_size, help="of a search by go, at most: 500M, 2G")
    add_print_options(parser, json=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Explores until the end of what is typed."""
    model, begun, words = _read_model_and_run(options)
    if options.web:
        return _serve_page(model, begun, words, options)
    for name, given in {"--port": options.port != 0, "--open": options.show}.items():
        if given:
            raise UsageError(f"{name} is for --web")
    typed = options.do is None and sys.stdin.isatty()
    height = None if not typed else _screen_height()
    report = _write_progress if sys.stderr.isatty() else None
    session = Session(
        model, text_format_of(options), run=begun, height=height, report=report, memory=options.memory, words=words
    )
    if typed:
        read = _terminal_reader(session)
        print(session.state_text(), end="")
        _run_commands(session, read)
        return Exit.HOLDS
    print(session.state_text(), end="")
    for line in split_steps(options.do) if options.do is not None else _command_lines():
        print(f"{PROMPT}{line}")
        print(session.execute(line), end="", flush=True)
        if session.ended:
            break
    return Exit.HOLDS


def _serve_page(model: Model, begun_run: Run | None, words: ClusterWords | None, options: argparse.Namespace) -> Exit:
    """Serves the page until Ctrl-C."""
    if options.do is not None:
        raise UsageError("--do is for the terminal, and --web for a browser; give one of the two")
    from .explore_web import ExplorationHTTPServer, ExplorationServer

    first = next(initial_states(model), None)
    if first is None:
        raise UsageError(f"{model.name} has no initial state")
    try:
        server = ExplorationHTTPServer(
            ExplorationServer(model, begun_run or Run(first, ()), options.memory, words), options.port
        )
    except (OSError, OverflowError) as error:
        raise UsageError(f"--port {options.port}: cannot be listened on ({error}); give another, or none") from None
    print(f"exploring {model.name} at {server.address}")
    print("on this machine only; Ctrl-C ends it", flush=True)
    if options.show:
        webbrowser.open(server.address)
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return Exit.HOLDS
    return Exit.HOLDS


def _read_model_and_run(options: argparse.Namespace) -> tuple[Model, Run | None, ClusterWords | None]:
    """The model, of a saved trace its run, and of an audit's trace the words of the cluster. An audit's trace is asked
    about what its page shows, and nothing else."""
    if not options.model.endswith(".json"):
        model = bind_model(model_choice_of(options))
        return model, _run_of_steps(model, options.steps), None
    asked = {"--set": options.assignments, "--bounds": options.bounds, "--ghosts": options.ghosts}
    for name, value in asked.items():
        if value not in (None, []):
            raise UsageError(f"{name} is for a MODEL; {options.model} has its own")
    document = read_trace(Path(options.model))
    with blame_file(options.model):
        words = cluster_words(document)
        if words is not None:
            print(f"In commands and expressions, {words.letters}.")
        model = bind_saved_model(document, options.model, options.properties)
        if words is not None and not options.properties:
            shown = document["properties"]
            model = replace(model, properties=tuple(one for one in model.properties if one.name in shown))
        return model, _run_of_steps(model, options.steps) or replay_saved_trace(model, document, options.model), words


def _run_of_steps(model: Model, steps: str | None) -> Run | None:
    """The run of the steps that are given with --steps; None where none are."""
    if steps is None:
        return None
    try:
        return run_text(model, steps)
    except StepError as error:
        raise UsageError(f"--steps: {error}") from None
    except ModelError as error:
        raise UsageError(f"--steps: one breaks the model's own types: {error.message} ({error.where})") from None


def _screen_height() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).lines
    except OSError:
        return 24


def _command_lines() -> Iterator[str]:
    """The commands of a file or a pipe."""
    return (line.strip() for line in sys.stdin if line.strip() and not line.startswith("#"))


def _terminal_reader(session: Session) -> Callable[[], str]:
    """Reads a line of the terminal. UsageError, with what installs it, when prompt_toolkit is not there."""
    try:
        from .explore_prompt import prompt_session
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "prompt_toolkit":
            raise
        raise UsageError(
            "explore in a terminal needs prompt_toolkit, which is not installed: "
            "pip install '.[explore]' in the clone; without it, --do COMMANDS works, and commands from a file"
        ) from None
    prompt = prompt_session(session)
    return lambda: prompt.prompt(PROMPT)


def _run_commands(session: Session, read: Callable[[], str]) -> None:
    """Carries out what is typed; a mistake is said, and the next line read."""
    while not session.ended:
        try:
            line = read()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        session.height = _screen_height()
        try:
            print(session.execute(line), end="", flush=True)
        except UsageError as error:
            print(f"  {error}", flush=True)


def _write_progress(progress: Progress) -> None:
    """A line on standard error that says how far a search is."""
    text = progress.says or f"{progress.distinct:,} states"
    print(f"\r{text:<40}\r", end="", file=sys.stderr, flush=True)
