"""An argument in a sentence or a few: what was promised, who took it back, why, and what that came to.

    In short: A committed 0a at step 6, and B lost it at step 8, because B's high watermark was 0.
    In short: A deletes the records before offset 1 (step 6). Now A's log start is 1 and A's snapshot is 0.

It is made of what the argument says: the last step by which something was lost, the last one before it by which it was
counted on (a high watermark that passed it, or whatever the author calls that), and the last step of all. Where nothing
was lost, the steps are said as they say themselves. The names of fields, which the argument has in back-quotes, are not
in it: it is for who does not know the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from ..language.immutable import immutable
from ..language.kinds import Domain
from ..language.lanes import LogLanes, TransactionLanes
from ..language.model import Model
from ..language.values import Seq, Set, State
from ..language.verdict import Run
from .sentences import capitalize_first
from .state_parts import StatePart
from .wording import Wording, enclosing_sequence, join_words, name_in_words

StepReason = Callable[[int, Sequence[StatePart]], str]
"""Why a step changed some cells, as `, because ...`; "" where nothing is worth saying."""

RECORDS_MAX = 3
"""Records that are named in it; of more only their number."""
FACTS_MAX = 3
"""The most facts of the end that it mentions; where there are more, it mentions none."""
FACT_MAX = 80
"""Characters of the longest fact that it mentions."""


_BECAME_LEADER = re.compile(r"(.+)'s (?:role became leader|leader became \1)")
_CAME_INTO_SET = re.compile(r"`(?P<a>\w+ed)` got (?P<b>[^`]+)|(?P<c>[^`]+) came into `(?P<d>\w+ed)`")
_SET_FACT = re.compile(r"`(\w+ed)` is [\[{]([^`]+)[\]}]")
_EMPTY_SET_FACT = re.compile(r"`(\w+ed)` is empty")
_MEMBER_FACT = re.compile(r"([^`]+) (is|is not) in `(\w+ed)`")
_RECORD_CODE = re.compile(r"\w\(\w+=")
_CAPITAL_WORD = re.compile(r"(?!Kafka|Java|Raft|Spark)[A-Z][a-z]+\b")
"""A first word that names nothing: within another sentence it has no capital."""


@immutable
class _Promise:
    """How records came to be counted on: in words, by whose high watermark ("" for nobody's), and which."""

    text: str
    lane: str
    records: list[Any]


@immutable
class Race:
    """A step that acted on what earlier ones had seen, after it had ceased to be so."""

    looks: dict[int, StatePart]
    """The steps that saw it, each with the cell by which it enabled a later one; the last is the one acted on."""
    fact: str
    """What they saw: `` `held` was false ``."""
    changing_step: int
    """The step after them that changed it."""
    cell: StatePart
    """What that step changed."""
    acting_step: int
    """The step that was enabled all the same."""


class Summary:
    """The sentence of one argument, of the steps that it mentions, each with the cells that it changed."""

    def __init__(
        self, model: Model, run: Run, words: Wording, mentioned_steps: Mapping[int, Sequence[StatePart]]
    ) -> None:
        self.run, self.words, self.mentioned = run, words, mentioned_steps
        self.states = run.states()
        is_of_replicas = isinstance(model.view, LogLanes) and not isinstance(model.view, TransactionLanes)
        view = model.view if is_of_replicas else None
        self.log, self.mark = ("", "") if view is None else (view.log, view.high_watermark)
        self.ended = model.view.log if isinstance(model.view, TransactionLanes) else ""

    def sentence_of_run(
        self, why: StepReason, sentence_of: Callable[[int], str], now: Sequence[str], race: Race | None = None
    ) -> str:
        """The sentence; "" where the argument mentions no step. `sentence_of` is a step's own sentence, `now` is what
        is so at the end, `race` why the run was possible, where that is a look that came too early."""
        loss = self._last_loss()
        if loss is not None:
            parts = self._summary_with_loss(*loss, why, sentence_of)
        else:
            parts = (
                self._summary_of_last_steps(why, sentence_of, now)
                if race is None
                else self._summary_with_race(race, sentence_of, now)
            )
        return f"In short: {'. '.join(map(capitalize_first, parts))}." if parts else ""

    def _summary_with_loss(
        self, step: int, lane: str, lost_records: list[Any], why: StepReason, sentence_of: Callable[[int], str]
    ) -> list[str]:
        """What was counted on, who lost it, and what came of that."""
        promise = self._find_promise(step, lost_records, sentence_of)
        what, who = self._name_records(lost_records), lane
        if promise is not None and (promise.records == lost_records or len(lost_records) == 1):
            what = "it" if len(lost_records) == 1 else "them"
        cells = [cell for cell in self.mentioned.get(step, ()) if cell.field == self.log]
        cause = _text_without_code(why(step, cells) if cells else "") or f" ({sentence_of(step).removesuffix('.')})"
        taken = f"lost {what} at step {step}{cause}"
        last = max(self.mentioned, default=0)
        then = [self._event_text(last, sentence_of)] if last > step else []
        if promise is None:
            return [f"{who} {taken}", *then]
        joined = f"{promise.text} and {taken}" if promise.lane == who else f"{promise.text}, and {who} {taken}"
        return [joined, *then]

    def _summary_of_last_steps(
        self, why: StepReason, sentence_of: Callable[[int], str], now: Sequence[str]
    ) -> list[str]:
        """What was counted on, if anything was, or the last step but one; the last step; and how things are now."""
        steps = sorted(self.mentioned)
        if not steps:
            return []
        promise = self._find_promise(steps[-1], list(self.words.mentioned), sentence_of)
        earlier = [step for step in steps[:-1] if self._is_end_of_transaction(step)][-1:] or steps[-2:-1]
        before = [promise.text] if promise else [self._event_text(step, sentence_of) for step in earlier]
        cause = _text_without_code(why(steps[-1], self.mentioned[steps[-1]]))
        last = f"{self._event_text(steps[-1], sentence_of)}{cause if cause.startswith(', because') else ''}"
        return [*before, last, *_present_clause(now)]

    def _summary_with_race(self, race: Race, sentence_of: Callable[[int], str], now: Sequence[str]) -> list[str]:
        """What was seen, that it ceased to be so, who acted on it all the same, and how things are now."""
        looks = [self._event_text(step, sentence_of) for step in race.looks]
        looks[-1] += _text_without_code(f", when {race.fact}")
        acted = self._event_text(race.acting_step, sentence_of)
        within = acted[0].lower() + acted[1:] if _CAPITAL_WORD.match(acted) else acted
        return [*looks, self._event_text(race.changing_step, sentence_of), f"Even so, {within}", *_present_clause(now)]

    def _last_loss(self) -> tuple[int, str, list[Any]] | None:
        """The last step that took records out of a log, whose, and which: of those mentioned, else of all, if what
        is mentioned is in no log any more."""
        for step in sorted(self.mentioned, reverse=True):
            lanes = {key for cell in self.mentioned[step] for key in _lanes_of_cell(cell) if cell.field == self.log}
            found = self._losses_in_step(step, lanes)
            if found:
                return step, *found[0]
        held = {record for _, log in self._logs_by_lane(self.states[-1]) for record in log}
        gone = [record for record in self.words.mentioned if record not in held]
        for step in range(len(self.run.steps), 0, -1) if gone and not held & set(self.words.mentioned) else ():
            for lane, lost in self._losses_in_step(step, None):
                if set(lost) & set(gone):
                    return step, lane, lost
        return None

    def _is_end_of_transaction(self, step: int) -> bool:
        """Whether a mentioned step committed or aborted records, of logs that have transactions."""
        cells = [
            enclosing_sequence(cell, self.states[step]) for cell in self.mentioned[step] if cell.field == self.ended
        ]
        lengths = [
            [len(cell.value_in(self.states[at])) for at in (step - 1, step)] for cell in cells if cell is not None
        ]
        return any(before == after for before, after in lengths)

    def _losses_in_step(self, step: int, lanes: set[Domain] | None) -> list[tuple[str, list[Any]]]:
        """Whose logs lost records in a step, and which."""
        after = dict(self._logs_by_lane(self.states[step]))
        rows: list[tuple[str, list[Any]]] = []
        for member, log in self._logs_by_lane(self.states[step - 1]):
            lost = [record for record in log if record not in after[member]]
            if lost and (lanes is None or member in lanes):
                rows.append((self.words.value_text(member), lost))
        return rows

    def _logs_by_lane(self, state: State) -> list[tuple[Domain, list[Any]]]:
        """The log of each lane, where the view draws a field that holds them."""
        held = getattr(state, self.log, None) if self.log.isidentifier() else None
        if not hasattr(held, "items"):
            return []
        logs = cast("Mapping[Domain, Any]", held).items()
        return [(member, list(cast("Seq[Any]", log))) for member, log in logs if isinstance(log, Seq)]

    def _find_promise(self, end: int, records: Sequence[Any], sentence_of: Callable[[int], str]) -> _Promise | None:
        """How some of these records came to be counted on before a step: as the argument says, else as a lane's
        high watermark first passed them."""
        for step in sorted((number for number in self.mentioned if number < end), reverse=True):
            for cell in self.mentioned[step]:
                found = self._promise_by_watermark(step, cell, records) or self._promise_in_container(
                    step, cell, records, sentence_of
                )
                if found is not None:
                    return found
        for step in range(1, end):
            for member, _ in self._logs_by_lane(self.states[step]):
                found = self._promise_by_watermark(step, StatePart("", self.mark, (("key", member),)), records)
                if found is not None:
                    return found
        return None

    def _promise_by_watermark(self, step: int, cell: StatePart, records: Sequence[Any]) -> _Promise | None:
        """What a lane's high watermark passed in a step, if it is of these records."""
        lanes = _lanes_of_cell(cell)
        is_mark = cell.field == self.mark and self.mark.isidentifier() and len(cell.parts) == 1
        if not is_mark or not lanes:
            return None
        old, new = cell.value_in(self.states[step - 1]), cell.value_in(self.states[step])
        log = dict(self._logs_by_lane(self.states[step])).get(lanes[0], [])
        passed = log[old:new] if isinstance(old, int) and isinstance(new, int) else []
        if not set(passed) & set(records):
            return None
        who = self.words.value_text(lanes[0])
        return _Promise(f"{who} committed {self._name_records(passed)} at step {step}", who, passed)

    def _promise_in_container(
        self, step: int, cell: StatePart, records: Sequence[Any], sentence_of: Callable[[int], str]
    ) -> _Promise | None:
        """What came into a set or a sequence that is nobody's own, if it is of these records: `acknowledged`."""
        if _lanes_of_cell(cell):
            return None
        before, after = self.states[step - 1], self.states[step]
        whole = enclosing_sequence(cell, before) or cell
        if not _is_addition(whole.value_in(before), whole.value_in(after)):
            return None
        text = join_words(self.words.effect_texts(cell, before, after))
        named = {self.words.value_text(record) for record in records}
        if not named & set(re.split(r"[ ,()]+", text)):
            return None
        came = _CAME_INTO_SET.fullmatch(text)
        if came is None:
            return _Promise(self._event_text(step, sentence_of), "", [])
        what, promised = came["b"] or came["c"], name_in_words(came["a"] or came["d"])
        return _Promise(f"{what} {'were' if ' and ' in what else 'was'} {promised} at step {step}", "", [])

    # --- words --------------------------------------------------------------------------------------------------------

    def _event_text(self, step: int, sentence_of: Callable[[int], str]) -> str:
        """What a mentioned step did: that somebody became leader, else the step as it says itself."""
        before, after = self.states[step - 1], self.states[step]
        texts = [text for cell in self.mentioned[step] for text in self.words.effect_texts(cell, before, after)]
        leads = [_BECAME_LEADER.sub(r"\1 became leader", text) for text in texts if _BECAME_LEADER.fullmatch(text)]
        return f"{leads[0]} at step {step}" if leads else f"{sentence_of(step).removesuffix('.')} (step {step})"

    def _name_records(self, records: Sequence[Any]) -> str:
        if len(records) > RECORDS_MAX:
            return f"{len(records)} records"
        return join_words([self.words.value_text(record) for record in records])


def _text_without_code(text: str) -> str:
    """A text, unless it has a field by the name that it has in the model, or a record as code has it."""
    return "" if "`" in text or _RECORD_CODE.search(text) else text


def _present_clause(facts: Sequence[str]) -> list[str]:
    """How things are at the end, if that is said in few words."""
    said = [fact for fact in map(_fact_with_owner, facts) if _text_without_code(fact) and len(fact) <= FACT_MAX]
    return [f"now {join_words(said)}"] if 0 < len(facts) <= FACTS_MAX and said else []


def _fact_with_owner(text: str) -> str:
    """A fact about a set that has no owner and the name of what became of its elements: `1a is committed`."""
    held = _SET_FACT.fullmatch(text)
    if held is not None:
        values = held[2].split(", ")
        return f"{join_words(values)} {'is' if len(values) == 1 else 'are'} {name_in_words(held[1])}"
    empty, member = _EMPTY_SET_FACT.fullmatch(text), _MEMBER_FACT.fullmatch(text)
    if empty is not None:
        return f"nothing is {name_in_words(empty[1])}"
    return text if member is None else f"{member[1]} {member[2]} {name_in_words(member[3])}"


def _lanes_of_cell(cell: StatePart) -> list[Domain]:
    """Whose a cell is, outermost first."""
    return [part for kind, part in cell.parts if kind == "key" and isinstance(part, Domain)]


def _is_addition(old: Any, new: Any) -> bool:
    """Whether something came in and nothing went."""
    if isinstance(old, Seq) and isinstance(new, Seq):
        return len(cast("Seq[Any]", new)) > len(cast("Seq[Any]", old))
    if isinstance(old, Set) and isinstance(new, Set):
        return bool(cast("Set[Any]", old) < cast("Set[Any]", new))
    return old is False and new is True
