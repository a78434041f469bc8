"""`tidegate prove MODEL`: proof by induction, whatever the bounds."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..api.models import bind_definition, find_definition
from ..explorer.cache import cache_directory
from ..explorer.smt.effort import SolverEffort
from ..explorer.smt.errors import HintsError, NotUnboundedError, UnsayableError
from ..gates.records import known_violations, violations_elsewhere
from ..language.binding import Definition
from ..language.errors import UsageError, path_for_reader, place_text
from ..language.model import Model
from ..language.proof import Obligation, Proof, ProofFinding, UnstatedProperty, Word
from ..reports.check.html import proof_index
from ..reports.check.proof import ProofTable, counterexample_document, proof_document, proof_legend, proof_page
from ..reports.document import Document
from ..reports.exits import Exit, worst_exit
from ..reports.files import write_json, write_text
from ..reports.text_page import TextFormat, count_text, to_ascii
from ..reports.trace.html import trace_html
from ..reports.trace.terminal import trace_page
from .options import (
    add_model_options,
    add_open_option,
    add_print_options,
    model_choice_of,
    parse_positive,
    parse_seconds,
    text_format_of,
)
from .output import check_open_option, prepare_directory, print_json, print_page_path
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate prove replication:kip320
  tidegate prove replication:kip320 --set replicas=5 --workers 2
  tidegate prove replication:kip320 --set await_epoch_start=false --out report/
  tidegate prove mine.py --lemma logs_are_copies
  tidegate prove mine.py --candidates
  tidegate prove mine.py --record-hints

exit: 0 proved, 1 refuted, 4 vacuous (it is true of nothing), 5 not proved (or out of time, or interrupted),
8 conditional (it rests on lemmas that are not proved), 64 usage, 65 the model's text is wrong or says something
that has no meaning without bounds, 66 the hints cannot be read, 70 the solver and plain Python disagree
"""

_EXITS: Mapping[Word, Exit] = {
    "proved": Exit.HOLDS,
    "conditional": Exit.CONDITIONAL,
    "vacuous": Exit.VACUOUS,
    "refuted": Exit.SAFETY,
    "not proved": Exit.INCONCLUSIVE,
}

_MAX_MILLIONS = 4000.0
"""The most millions of steps that the solver can count to in one query."""

_TRACE_FILE = ".trace.json"

_INSTALL_ADVICE = "prove needs z3-solver, which is not installed: pip install '.[prove]' in the clone"


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Proves a model by induction on its lemmas, for its number of replicas and whatever its other bounds are. "
        "Each lemma is proved, refuted with a counterexample to induction, or not proved."
    )
    parser = add_verb(verbs, "prove", about, EXAMPLES)
    add_model_options(parser, search=False, ghosts=False)
    group = parser.add_argument_group("the proof")
    group.add_argument(
        "--lemma",
        metavar="NAME",
        action="append",
        default=[],
        dest="lemmas",
        help="prove this lemma only (repeatable; all: every lemma, beside what --property names)",
    )
    group.add_argument("--candidates", action="store_true", help="keep the largest set of lemmas that prove each other")
    group.add_argument(
        "--workers", metavar="N", type=parse_positive, default=2, help="processes that prove (default: 2)"
    )
    group.add_argument("--time", metavar="SECONDS", type=parse_seconds, help="give up after this long")
    group.add_argument(
        "--query-work",
        metavar="MILLIONS",
        type=_parse_millions,
        default=SolverEffort().work,
        help="for one query, in millions of the solver's steps "
        f"(default: {SolverEffort().work:g}, about as many seconds)",
    )
    group.add_argument(
        "--seed", metavar="N", type=int, default=0, help="draws the states plain Python evaluates (default: 0)"
    )
    group.add_argument("--no-cache", action="store_true", help="prove everything anew and keep nothing on disk")
    group.add_argument(
        "--record-hints",
        action="store_true",
        help="prove everything anew, and write down beside the lemmas which of them each proof needs",
    )
    group.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help="also write report.json, each counterexample with its page, and index.html",
    )
    add_open_option(parser)
    add_print_options(parser)
    parser.set_defaults(run=run)


def _parse_millions(text: str) -> float:
    """A number of millions above 0."""
    try:
        read = float(text)
    except ValueError:
        read = 0
    if not 0 < read <= _MAX_MILLIONS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of millions above 0 and at most {_MAX_MILLIONS:g}")
    return read


def run(options: argparse.Namespace) -> Exit:
    """Proves, prints, then saves."""
    out: Path | None = None if options.out is None else prepare_directory(options.out)
    check_open_option(options)
    choice = model_choice_of(options)
    definition, profile = find_definition(choice.model)
    everything = definition.names("invariant", "transition", "reachable", "lemma")
    whole = dataclasses.replace(choice, properties=everything, left_out=(), ghosts=True)
    model = bind_definition(definition, profile, whole, lemmas=True)
    if options.record_hints and options.candidates:
        raise UsageError("--record-hints is of a proof that is found: leave out --candidates")
    if not definition.names("lemma"):
        raise UsageError(
            f"{model.name} has no lemmas to prove it by; docs/proofs.md says how to write them, marked @lemma"
        )
    try:
        proof = _run_proof(definition, model, options)
    except NotUnboundedError as error:
        place = place_text(error.where)
        return _report_unstated_model(f"{place}: {error.message}; {error.remedy}")
    except UnsayableError as error:
        return _report_unstated_model(f"{path_for_reader(error.file)}:{error.line}: {error}")
    except HintsError as error:
        print(f"tidegate: {error}; correct it, remove it, or write it anew with --record-hints", file=sys.stderr)
        return Exit.UNREADABLE
    refuted = {at: finding for at, finding in enumerate(proof.findings) if finding.counterexample}
    paths = {} if out is None else {at: str(out / _trace_file_name(finding)) for at, finding in refuted.items()}
    document = proof_document(proof, paths)
    if options.json:
        print_json(document)
    else:
        text_format, late = text_format_of(options), refuted.values() if options.candidates else ()
        pages = [
            proof_page(proof, text_format),
            *(trace_page(counterexample_document(finding), text_format) for finding in late),
        ]
        print("\n".join(page.text() for page in pages), end="", flush=True)
    found = _EXITS[proof.word]
    if out is None:
        return found
    traces = {at: counterexample_document(finding) for at, finding in refuted.items()}
    return _save_result(out, document, traces, paths, found, options)


def _report_unstated_model(message: str) -> Exit:
    """Reports a text that says something which has no meaning without bounds."""
    print(f"tidegate: {message}", file=sys.stderr)
    return Exit.MODEL_TEXT


def _run_proof(definition: Definition, model: Model, options: argparse.Namespace) -> Proof:
    """The proof, its table printed as it fills."""
    try:
        from ..explorer.smt.houdini import prove_with_candidates
        from ..explorer.smt.induction import Induction, ProofRequest
        from ..explorer.smt.unbounded import boundless_constants
    except ModuleNotFoundError as error:
        if error.name != "z3":
            raise
        raise UsageError(_INSTALL_ADVICE) from None
    boundless = boundless_constants(definition, model)
    asked = ProofRequest(
        lemmas=definition.names("lemma") if "all" in options.lemmas else tuple(options.lemmas),
        properties=tuple(options.properties),
        excluded_properties=tuple(options.without),
        effort=SolverEffort(work=options.query_work),
        seconds=options.time,
        workers=options.workers,
        seed=options.seed,
        folder=None if options.no_cache else cache_directory(),
        record=options.record_hints,
        known_violations=known_violations(definition, model, boundless),
        violations_elsewhere=violations_elsewhere(definition, model, boundless),
    )
    with _LiveTable(options) as watched:
        if options.candidates:
            return prove_with_candidates(definition, model, asked, watched.receive_result)
        induction = Induction(definition, model, asked, boundless=boundless)
        watched.print_legend(induction.actions(), induction.obligations())
        proof = induction.prove(watched.receive_result)
    if options.record_hints:
        try:
            print(induction.hints.save_hints(), file=sys.stderr)
        except OSError as error:
            raise UsageError(f"the hints could not be recorded: {error}") from None
    return proof


class _LiveTable:
    """Prints the table's rows as they fill, each counterexample as soon as it is there (of candidates, most of which
    may fall, neither), and on a terminal a line that says how much of everything is done, and what was found last: it
    stands there while the solver is at what is left."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.text_format: TextFormat = text_format_of(options)
        self.table: ProofTable | None = None
        self.silent = bool(options.json)
        self.lines = sys.stderr.isatty() and not self.silent
        self.done, self.all = 0, 0

    def print_legend(self, actions: Sequence[str], obligations: Sequence[Obligation]) -> None:
        """Says which column is which."""
        goals = list(
            dict.fromkeys(
                obligation.goal for obligation in obligations if obligation.goal and obligation.kind == "step"
            )
        )
        self.table, self.all = ProofTable(goals, actions, obligations), len(obligations)
        if not self.silent and goals:
            print(proof_legend(goals, self.text_format))

    def receive_result(self, news: ProofFinding | UnstatedProperty) -> None:
        """Notes what was found."""
        self.done += 1
        if self.lines:
            said = (
                news.goal if isinstance(news, UnstatedProperty) else f"{news.obligation.action} {news.obligation.goal}"
            )
            of = f" of {count_text(self.all)}" * bool(self.all)
            sys.stderr.write(f"\r\x1b[Kproving: {count_text(self.done)}{of} done, last: {said.strip()}")
            sys.stderr.flush()
        if self.table is None:
            return
        if isinstance(news, ProofFinding) and news.counterexample is not None:
            self._print("\n" + trace_page(counterexample_document(news), self.text_format).text())
        self.table.record_result(news)
        rows = "\n".join(self.table.take_complete_rows())
        self._print(to_ascii(rows) if self.text_format.ascii else rows)

    def _print(self, text: str) -> None:
        if text and not self.silent:
            self._erase()
            print(text, flush=True)

    def _erase(self) -> None:
        if self.lines:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def __enter__(self) -> _LiveTable:
        return self

    def __exit__(self, *_: object) -> None:
        self._erase()
        if self.table is not None and not self.silent:
            print()


def _trace_file_name(finding: ProofFinding) -> str:
    of = finding.obligation
    return "--".join(part for part in (of.action, of.goal or of.kind) if part) + _TRACE_FILE


def _save_result(
    folder: Path,
    document: Document,
    traces: Mapping[int, Document],
    paths: Mapping[int, str],
    exit_code: Exit,
    options: argparse.Namespace,
) -> Exit:
    try:
        for at, path in paths.items():
            write_json(Path(path), traces[at])
            write_text(
                Path(path.removesuffix(_TRACE_FILE) + ".html"), trace_html([traces[at]], whole_file=Path(path).name)
            )
        write_json(folder / "report.json", document)
        pages = {Path(path).name.removesuffix(_TRACE_FILE) + ".html": traces[at] for at, path in paths.items()}
        write_text(folder / "index.html", proof_index(document, pages))
    except OSError as error:
        print(f"tidegate: --out {folder}: the report could not be saved: {error}", file=sys.stderr)
        return worst_exit((exit_code, Exit.USAGE)) if exit_code is Exit.HOLDS else exit_code
    also = f" and {count_text(len(paths), 'trace')}, each as JSON and as an .html page" if paths else ""
    print_page_path(folder / "index.html", f", which leads to report.json{also}", options)
    return exit_code
