"""What `tidegate explore` does at each line that is typed: takes a step, goes back, explains, searches, saves. Nothing
here knows of a terminal: a line comes in, and what to print goes out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..explorer.cache import cache_directory
from ..explorer.nearest_state import find_nearest_state
from ..explorer.search import Report, Search
from ..language.errors import UsageError, suggest_name
from ..language.immutable import immutable
from ..language.judge import attempt, initial_states, instances, is_deadlock, replay, stop_reason
from ..language.model import Model
from ..language.steptext import StepError, format_step, parse_steps, step_name
from ..language.values import ModelError, State
from ..language.verdict import Run
from ..language.watch import WatchedExpression, parse_watch
from ..reports.document import Document
from ..reports.files import write_text, write_trace
from ..reports.text_page import TextFormat, TextPage, count_text
from ..reports.trace.html import trace_html as html_page
from ..reports.trace.lanes import has_lanes
from ..reports.trace.terminal import write_state
from ..traces.branch import Branch, PossibleStep, possible_steps
from ..traces.choices import step_choices
from ..traces.document import run_document
from ..traces.neighbourhood import neighbourhood_document
from .cluster_words import ClusterWords
from .export import small_graph
from .output import open_page

PROMPT = "explore> "
MIN_STEPS_SHOWN = 5
"""Steps that are listed however low the terminal is."""
SEARCH_SECONDS = 60.0
"""How long `go` searches unless it is given a time."""


@immutable
class SessionCommand:
    """A command: what is written after its name, what it does, and the method that does it."""

    usage: str
    says: str
    run: Callable[[Session, str], str]


class Session:
    """An exploration of one model: where it is, what is watched, and what each command answers. `height` is how many
    lines a screen has; None where everything is listed. `words` has, of an audit's trace, the words of the cluster:
    states, steps and values are shown in them, and commands have the model's."""

    def __init__(
        self,
        model: Model,
        text_format: TextFormat,
        *,
        run: Run | None = None,
        height: int | None = None,
        report: Report | None = None,
        memory: int | None = None,
        words: ClusterWords | None = None,
    ) -> None:
        self.model, self.text_format, self.height, self.report, self.memory = model, text_format, height, report, memory
        self.words = words
        self.starts = tuple(initial_states(model))
        if not self.starts:
            raise UsageError(f"{model.name} has no initial state")
        self.branch = Branch(model, run or Run(self.starts[0], ()))
        self.watches: list[WatchedExpression] = []
        self.ended = False

    # --- what is shown ----------------------------------------------------------------------------------------------

    def state_text(self, *, every: bool = False, whole: bool = False) -> str:
        """The state, what the last step changed, and what can happen; `every` step, and the `whole` state."""
        document, at = self.document_in_words(), len(self.branch.run.steps)
        page = TextPage(self.text_format)
        page.rule()
        sentence = document["steps"][-1]["sentence"] if at else f"{self.model.name}: the initial state."
        page.line(f"{at:>4}  {sentence}", hang=6, style="bold")
        write_state(page, document, at, whole=whole or not has_lanes(document), with_held=False)
        for watch in self.watches:
            value = self._value_words(watch.value_words(self.branch.last_state))
            page.line(f"watch     {watch.text} = {value}", indent=3, hang=10, style="cyan")
        page.blank()
        self._write_possible_steps(page, every=every)
        return page.text()

    def document(self) -> Document:
        """The run so far as a trace document."""
        document = run_document(self.model, self.branch.run)
        return document if self.words is None else self.words.saved_document(document)

    def document_in_words(self) -> Document:
        """The same as it is shown: of an audit's trace, in the words of the cluster."""
        document = self.document()
        return document if self.words is None else self.words.document_in_words(document, self.model, self.branch.run)

    def _value_words(self, value: str) -> str:
        """A value of the model as it is shown."""
        return value if self.words is None else self.words.value_in_words(value)

    def possible_steps(self) -> list[PossibleStep]:
        """The steps that can happen here."""
        found = list(possible_steps(self.model, self.branch.last_state))
        words, state = self.words, self.branch.last_state
        if words is None:
            return found
        return [
            one if one.step is None else replace(one, sentence=words.step_in_words(self.model, state, one.step))
            for one in found
        ]

    def _write_possible_steps(self, page: TextPage, *, every: bool) -> None:
        """The steps that can happen, numbered: as many as the screen has room for. Those that say the same have what
        they are called beside it."""
        steps = self.possible_steps()
        if not steps:
            stuck = is_deadlock(self.model, self.branch.last_state)
            page.line("Nothing can happen here" + (": a deadlock." if stuck else " within the bounds."), indent=2)
            return
        listed, said = TextPage(self.text_format), Counter(step.sentence for step in steps)
        room = math.inf if every or self.height is None else max(self.height - len(page.lines) - 3, MIN_STEPS_SHOWN)
        width = len(str(len(steps)))
        for number, step in enumerate(steps, 1):
            mark = f"  ({step.kind})" if step.kind != "protocol" else ""
            mark += "  ✗ breaks the model's types" if step.breaks else ""
            style = "yellow" if step.kind == "fault" else ""
            mark += f"  {step.text}" if said[step.sentence] > 1 else ""
            before = len(listed.lines)
            listed.line(f"{number:>{width}}  {step.sentence}{mark}", indent=2, hang=width + 2, style=style)
            if len(listed.lines) > room - (number < len(steps)):
                del listed.lines[before:]
                more = f"… and {len(steps) - number + 1} more, as far as {len(steps)}: steps lists them all"
                listed.line(more, indent=2)
                break
        page.lines += listed.lines

    # --- commands ---------------------------------------------------------------------------------------------------

    def execute(self, line: str) -> str:
        """What a line answers. UsageError, with what to do, where it cannot be done."""
        word, _, rest = line.strip().partition(" ")
        if not word:
            return self.state_text()
        if word.isdecimal():
            return self._take_numbered_step(int(word), line)
        command = COMMANDS.get(SHORT_COMMANDS.get(word, word))
        return self._take_steps(line) if command is None else command.run(self, rest.strip())

    def _take_numbered_step(self, number: int, line: str) -> str:
        steps = self.possible_steps()
        if not 1 <= number <= len(steps) or line.strip() != str(line.strip()):
            raise UsageError(f"{line.strip()}: write a number from 1 to {len(steps)}, as steps lists them")
        chosen = steps[number - 1]
        if chosen.step is None:
            raise UsageError(f"{chosen.text} breaks the model's own types and leads nowhere: {chosen.breaks}")
        self.branch = self.branch.append_steps(chosen.step)
        return self.state_text()

    def _take_steps(self, text: str) -> str:
        """Takes steps that are written out: `produce; fetch(B)`."""
        names = [action.name for action in self.model.actions]
        if step_name(text.split(";")[0]) not in names:
            word = step_name(text.split(" ")[0])
            raise UsageError(f"{word} is neither a command nor a step; {suggest_name(word, [*COMMANDS, *names])}")
        try:
            run = replay(self.model, self.branch.last_state, parse_steps(self.model, text))
        except StepError as error:
            raise UsageError(str(error)) from None
        except ModelError as error:
            raise UsageError(f"the step breaks the model's own types: {error.message} ({error.where})") from None
        self.branch = self.branch.append_steps(*run.steps)
        return self.state_text()

    def undo(self, rest: str) -> str:
        """Goes back."""
        if not self.branch.run.steps:
            raise UsageError("this is the initial state: there is nothing to undo")
        self.branch = self.branch.undo_steps(_parse_number(rest, "undo"))
        return self.state_text()

    def redo(self, rest: str) -> str:
        """Takes again what was undone."""
        if not self.branch.ahead:
            raise UsageError("nothing was undone that could be taken again from here")
        self.branch = self.branch.redo_steps(_parse_number(rest, "redo"))
        return self.state_text()

    def why(self, rest: str) -> str:
        """Why a step, or every other one, cannot happen here: the first guard that is false."""
        asked = rest.removeprefix("not ").strip() if rest != "not" else ""
        page = TextPage(self.text_format)
        if not asked:
            self._write_all_reasons(page)
        elif asked in [action.name for action in self.model.actions]:
            page.columns(self._reasons_of_action(asked), indent=2)
        else:
            page.columns([(asked, self._reason_of_step(asked))], indent=2)
        return page.text()

    def _write_all_reasons(self, page: TextPage) -> None:
        """Every reason with the steps that it stops."""
        found = step_choices(self.model, {0: self.branch.last_state})
        for number, stopped in found["states"]["0"]["disabled"]:
            reason = found["reasons"][number]
            names = [found["steps"][step] for step in stopped]
            few = "; ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            page.line(few, indent=2, style="bold")
            where = reason["where"]
            place = f"  ({where['file']}:{where['line']})" if where else ""
            page.line(f"{reason['why']}{place}", indent=6, hang=2)
        if not found["states"]["0"]["disabled"]:
            page.line("Every step of the model can happen here.", indent=2)

    def _reasons_of_action(self, name: str) -> list[tuple[str, str]]:
        """Each instance of an action with why it cannot happen."""
        action = self.model.action(name)
        if action.switched_off:
            return [(name, "this profile's constants switch it off")]
        every = [arguments for owner, arguments in instances(self.model, self.branch.last_state) if owner is action]
        if not every:
            return [(name, "there is nothing here that it could be done with")]
        texts = [format_step(name, arguments) for arguments in every]
        return [(text, self._reason_of_step(text)) for text in texts]

    def _reason_of_step(self, text: str) -> str:
        try:
            parsed = parse_steps(self.model, text)
        except StepError as error:
            raise UsageError(str(error)) from None
        if len(parsed) != 1:
            raise UsageError(f"why {text}: ask about one step")
        action, arguments = parsed[0]
        if action.switched_off:
            return "this profile's constants switch it off"
        try:
            result = attempt(self.model, self.branch.last_state, action, arguments)
        except ModelError as error:
            return f"it breaks the model's own types: {error.message} ({error.where})"
        if isinstance(result, State):
            texts = [step.text for step in self.possible_steps()]
            named = format_step(action.name, arguments)
            return f"it can happen: step {texts.index(named) + 1} of the list" if named in texts else "it can happen"
        return stop_reason(self.model, self.branch.last_state, action, arguments, result)

    def go(self, rest: str) -> str:
        """Goes to the nearest state in which a property fails, or a witness is reached."""
        name, _, given = rest.partition(" ")
        known = {prop.name: prop for prop in self.model.properties}
        if name not in known:
            lasting = name in [claim.name for claim in self.model.liveness]
            whole = f"it is of whole runs; tidegate check --property {name} looks for one that violates it"
            hint = whole if lasting else suggest_name(name, known)
            raise UsageError(f"go {name}: no property of states or steps is called so; {hint}")
        prop = known[name]
        if not prop.applicable:
            raise UsageError(f"{name} reads ghosts that are folded away here; start with --ghosts")
        search = Search(memory_bytes=self.memory, seconds=_parse_seconds(given), cache=cache_directory())
        found = find_nearest_state(self.model, self.branch.last_state, prop, search, self.report)
        what = "reached" if prop.kind == "reachable" else "violated"
        looked = f"{count_text(found.states, 'state')} explored from here"
        if found.run is None:
            end = (
                f"the search ended first: {found.stop_reason}" if found.stop_reason else "that is all within the bounds"
            )
            return f"{name} is not {what} in {looked}; {end}\n"
        if not found.run.steps:
            return f"{name} is {what} here already\n"
        self.branch = self.branch.append_steps(*found.run.steps)
        return f"{name} is {what} after {count_text(len(found.run.steps), 'step')} more ({looked})\n{self.state_text()}"

    def watch(self, rest: str) -> str:
        """Watches an expression: its value in every state so far, and from now on."""
        if rest:
            self.watches.append(parse_watch(self.model, rest))
        if not self.watches:
            return "nothing is watched; write watch EXPRESSION, for example " + f"watch {self.model.fields[0].name}\n"
        page = TextPage(self.text_format)
        states = self.branch.run.states()
        for number, watch in enumerate(self.watches, 1):
            page.line(f"{number}  {watch.text}", indent=2, style="bold")
            before = None
            for at, value in enumerate(watch.shown_in(states)):
                if value != before:
                    since = f"{'from step' if at else 'at first'} {at or ''}".strip()
                    page.line(f"{since}: {self._value_words(value)}", indent=5)
                before = value
        return page.text()

    def unwatch(self, rest: str) -> str:
        """Ends a watch."""
        number = _parse_number(rest, "unwatch")
        if number > len(self.watches):
            raise UsageError(f"unwatch {number}: {count_text(len(self.watches), 'expression')} watched")
        del self.watches[number - 1]
        return self.state_text()

    def begin(self, rest: str) -> str:
        """Begins anew, in another initial state if the model has several."""
        number = _parse_number(rest, "start")
        if number > len(self.starts):
            raise UsageError(f"start {number}: {self.model.name} has {count_text(len(self.starts), 'initial state')}")
        self.branch = Branch(self.model, Run(self.starts[number - 1], ()))
        return self.state_text()

    def steps_so_far(self, _rest: str) -> str:
        """The steps so far."""
        page = TextPage(self.text_format)
        document = self.document_in_words()
        for step in document["steps"]:
            mark = "" if step["kind"] == "protocol" else f"  ({step['kind']})"
            page.line(f"{step['i']:>4}  {step['sentence']}{mark}", hang=6)
        page.line(document["replay"], style="bold") if not self.text_format.color else page.exact(
            document["replay"], style="bold"
        )
        return page.text()

    def steps(self, _rest: str) -> str:
        """All steps that can happen."""
        return self.state_text(every=True)

    def whole(self, _rest: str) -> str:
        """All fields."""
        return self.state_text(whole=True)

    def save(self, rest: str) -> str:
        """Saves the run as a trace."""
        path = Path(rest or "run")
        path = path if path.name.endswith(".trace.json") else path.with_name(f"{path.name}.trace.json")
        _write_file(path, lambda: write_trace(path, self.document()))
        return f"saved {path}; take it again with: tidegate replay {path}\n"

    def page(self, rest: str) -> str:
        """Writes the run as a page, and shows it."""
        words = rest.split()
        shown = "--open" in words
        names = [word for word in words if word != "--open"]
        path = Path(names[0] if names else "run.html")
        path = path if path.suffix == ".html" else path.with_name(f"{path.name}.html")
        _write_file(path, lambda: write_text(path, self.html()))
        if shown:
            open_page(path)
            return f"saved {path}\n"
        return f"saved {path}; page {path} --open shows it in the browser\n"

    def html(self) -> str:
        """The run as a page in which other steps can be taken, too."""
        run = self.branch.run
        words = None if self.words is None else self.words.neighbourhood_words(self.model, run)
        beside = neighbourhood_document(self.model, run, watches=self.watches, words=words)
        return html_page([self.document_in_words()], around=beside, graph="" if words else small_graph(self.model, run))

    def help(self, _rest: str) -> str:
        """All commands."""
        page = TextPage(self.text_format)
        rows = [("NUMBER", "take that step; or write it out: " + self._example_step())]
        rows += [(f"{name} {command.usage}".strip(), command.says) for name, command in COMMANDS.items()]
        page.columns(rows, indent=2)
        return page.text()

    def _example_step(self) -> str:
        steps = self.possible_steps()
        return steps[0].text if steps else self.model.actions[0].name

    def quit(self, _rest: str) -> str:
        """Ends."""
        self.ended = True
        return ""


def _parse_number(text: str, command: str) -> int:
    """How many, or which: 1 where nothing is given."""
    if text and (not text.isdecimal() or int(text) < 1):
        raise UsageError(f"{command} {text}: write a number from 1")
    return int(text or 1)


def _parse_seconds(text: str) -> float:
    try:
        read = float(text or SEARCH_SECONDS)
    except ValueError:
        read = 0.0
    if not 0 < read < float("inf"):
        raise UsageError(f"go PROPERTY {text}: write how many seconds to search, for example 30")
    return read


def _write_file(path: Path, write: Callable[[], None]) -> None:
    try:
        write()
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}); name another file") from None


COMMANDS: Mapping[str, SessionCommand] = {
    "undo": SessionCommand("[N]", "go back a step, or N", Session.undo),
    "redo": SessionCommand("[N]", "take again what was undone", Session.redo),
    "why": SessionCommand(
        "[not STEP]", "why a step cannot happen here: its first false guard; without STEP, all", Session.why
    ),
    "go": SessionCommand(
        "PROPERTY [SECONDS]", "to the nearest state where it fails, or a witness is reached", Session.go
    ),
    "watch": SessionCommand("[EXPRESSION]", "show it in every state: len(log[A])", Session.watch),
    "unwatch": SessionCommand("N", "end a watch", Session.unwatch),
    "steps": SessionCommand("", "every step that can happen here", Session.steps),
    "state": SessionCommand("", "every field of the state", Session.whole),
    "run": SessionCommand("", "the steps so far, and the command that replays them", Session.steps_so_far),
    "start": SessionCommand("[N]", "begin anew, in the model's Nth initial state", Session.begin),
    "save": SessionCommand("[FILE]", "save the run as a trace, FILE.trace.json", Session.save),
    "page": SessionCommand("[FILE] [--open]", "write the run as a page, FILE.html", Session.page),
    "help": SessionCommand("", "this list", Session.help),
    "quit": SessionCommand("", "end (Ctrl-D)", Session.quit),
}
"""Every command by its name."""

SHORT_COMMANDS: Mapping[str, str] = {"u": "undo", "r": "redo", "w": "why", "?": "help", "q": "quit", "exit": "quit"}
"""Shorter names."""


def completions_of(session: Session, line: str) -> Sequence[str]:
    """What may come where a line ends: commands and steps, properties after `go`, steps after `why not`."""
    first, space, _ = line.lstrip().partition(" ")
    if not space:
        return [*COMMANDS, *(step.text for step in session.possible_steps())]
    if first == "go":
        return [prop.name for prop in session.model.properties if prop.applicable]
    if first in ("why", "w"):
        able = {step.text for step in session.possible_steps()}
        every = [
            format_step(action.name, given) for action, given in instances(session.model, session.branch.last_state)
        ]
        return ["not", *(text for text in every if text not in able)]
    if first == "watch":
        return [field.name for field in session.model.fields]
    return []
