"""A check that an editor asked for, and what it found, as one JSON document."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypedDict

from ..api.checking import check_model, trace_documents
from ..api.models import ModelChoice, bind_model
from ..explorer.cache import cache_directory
from ..explorer.search import Progress, Search
from ..language.model import Model
from ..language.verdict import Verdict
from ..reports.check.terminal import check_headline, verdict_page
from ..reports.exits import Exit, exit_of_verdict
from ..reports.files import write_trace
from ..reports.text_page import TextFormat, count_text, rate_text
from ..reports.trace.terminal import trace_page
from ..reports.verdicts import reason_text
from ..traces.document import Document

_WIDTH = 100
_SHOWN = ("violated", "missing", "vacuous")
"""The verdicts of a property that an editor shows at its head."""


class RunStep(TypedDict):
    """A step of a run: its number from 1, its sentence, and the file and line, from 1, of the statement that makes
    it."""

    number: int
    sentence: str
    file: str
    line: int


class CheckFinding(TypedDict):
    """What a check found: the property it is about ("" of a failure that is none's), whether it is wrong or only not
    shown, a sentence, the place of a failure, the run that shows it, and the file with its trace ("" without one)."""

    property: str
    wrong: bool
    message: str
    file: str
    line: int
    steps: list[RunStep]
    trace: str


class CheckAnswer(TypedDict):
    """What a check came to: its exit, its headline, everything that `tidegate check` prints, and what it found."""

    exit: int
    headline: str
    text: str
    findings: list[CheckFinding]


def check_file(model: str, prop: str, report: Callable[[str], None]) -> CheckAnswer:
    """Checks a model, `mine.py` or `mine.py:profile`, and of its properties one alone where it is named. `report` is
    told how far the search has come. Raises what `bind_model` and engines raise."""
    bound = bind_model(ModelChoice(model, properties=(prop,) if prop else ()))
    search = Search(cache=cache_directory())
    verdict = check_model(bound, "native", search, lambda progress: report(_progress_text(progress))).verdict
    found = [name for name, _, _ in _shown_verdicts(verdict)]
    traces = trace_documents(bound, verdict, found)
    text_format = TextFormat(width=_WIDTH)
    pages = [verdict_page(verdict, text_format), *(trace_page(trace, text_format) for trace in traces.values())]
    return {
        "exit": int(exit_of_verdict(verdict)),
        "headline": check_headline(verdict),
        "text": "\n".join(page.text() for page in pages),
        "findings": list(_check_findings(bound, verdict, traces)),
    }


def is_wrong(answer: CheckAnswer) -> bool:
    """Whether the check found something that must not be."""
    return answer["exit"] not in (Exit.HOLDS, Exit.VACUOUS, Exit.INCONCLUSIVE)


def _progress_text(progress: Progress) -> str:
    if progress.says:
        return progress.says
    states, rate = count_text(progress.distinct, "state"), rate_text(progress.states_per_second)
    return f"{states}, depth {progress.depth}, {rate}"


def _shown_verdicts(verdict: Verdict) -> Iterator[tuple[str, bool, str]]:
    """What an editor shows: the property, whether it is wrong, and the sentence."""
    for prop in verdict.properties:
        if prop.verdict in _SHOWN:
            words = [f"{prop.name} is {prop.verdict}:", prop.says, reason_text(prop.verdict, prop.why)]
            yield prop.name, prop.verdict == "violated", " ".join(word for word in words if word)
    if verdict.failure is not None:
        yield "", True, verdict.failure.message


def _check_findings(model: Model, verdict: Verdict, traces: Mapping[str, Document]) -> Iterator[CheckFinding]:
    for name, wrong, message in _shown_verdicts(verdict):
        trace = traces.get(name)
        file, line = "", 0
        if name == "" and verdict.failure is not None and verdict.failure.where:
            file, _, number = verdict.failure.where.rpartition(":")
            line = int(number)
        steps = [] if trace is None else list(_run_steps(model, trace))
        saved = "" if trace is None else _save_trace(model, name, trace)
        yield {
            "property": name,
            "wrong": wrong,
            "message": message,
            "file": file,
            "line": line,
            "steps": steps,
            "trace": saved,
        }


def _run_steps(model: Model, trace: Document) -> Iterator[RunStep]:
    """The steps of a run, with the files that the model's actions are read from."""
    files = {Path(file).name: file for file in model.files}
    for step in trace["steps"]:
        place = step["statement"] or step["where"]
        yield {
            "number": step["i"],
            "sentence": step["sentence"],
            "file": files.get(Path(place["file"]).name, ""),
            "line": place["line"],
        }


def _save_trace(model: Model, name: str, trace: Document) -> str:
    """The file with a trace, which stays until another check of the same model has one of this property; "" where
    nothing is kept."""
    kept = cache_directory()
    if kept is None:
        return ""
    where = hashlib.sha256(f"{Path.cwd()}\n{model.name}".encode()).hexdigest()[:8]
    stem = Path(model.name).name.replace(":", "-").replace(".py", "")
    folder = kept / "editor" / f"{stem}-{where}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name or 'failure'}.trace.json"
    write_trace(path, trace)
    return str(path)
