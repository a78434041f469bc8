"""Why a run violates a property, in words, made by going back from the failing conjunct's witness.

    Why this violates strong_isr
      Let 0a be the record that came into A's log at offset 0 in step 4.
      In short: A committed 0a at step 6, and B lost it at step 8, because B's high watermark was 0.
      - A's high watermark went from 0 to 1 at step 6: A moves its high watermark past offset 0, which its ISR has.
      - B's log lost 0a at step 8, because B's high watermark was 0: B learns that A leads epoch 1, and follows it.
      However, B's log is empty; so `offset < len(s.log[other])` is false for one = A, other = B, offset = 0.

The cells that make the conjunct false come from the typed form (`support`); each is traced back to the step that
changed it last, and from there to the faults and the votes that made that step possible. `because` gives all that the
values written rested on, `when` the most informative part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from ..language import types
from ..language.kinds import Domain
from ..language.model import Action, Model, Property
from ..language.values import ModelError, Seq, Set, State
from ..language.verdict import Run
from ..language.where import Where
from .abstract import refinement_argument
from .evidence import Effects, StateEvaluation
from .explanation import Reason
from .sentences import capitalize_first, step_sentence
from .state_parts import ABSENT, StatePart
from .summary import Race, Summary
from .wording import Wording, enclosing_sequence, is_record, join_words, parent_cell

Document = dict[str, Any]

EVENTS_MAX = 10
"""The most steps that an argument mentions: those nearest to the failure."""
STEPS_BEHIND_MAX = 60
"""Steps behind those that are looked at for faults."""
FACTS_MAX = 3
"""Facts that a because clause is made of; the conclusion may have twice as many."""
CODE_MAX = 100
"""Characters of a conjunct that is quoted."""


def property_argument(model: Model, prop: Property, run: Run, state_number: int, reason: Reason) -> list[Document]:
    """The argument that `prop` fails in state `state_number` of a run, for the reason given; nothing where the
    property's form cannot be evaluated."""
    if prop.form is None:
        return []
    if prop.refinement is not None:
        return refinement_argument(model, prop, run, state_number)
    try:
        return _ArgumentText(model, prop, run, state_number, reason).sentences_of_argument()
    except ModelError:
        return []


class _ArgumentText:
    """One argument being made."""

    def __init__(self, model: Model, prop: Property, run: Run, state_number: int, reason: Reason) -> None:
        self.model, self.prop, self.run, self.at, self.reason = model, prop, run, state_number, reason
        self.states = run.states()
        self.words = Wording(model)
        form = prop.form
        assert form is not None
        given = (
            self.states[state_number - 1 : state_number + 1]
            if prop.kind == "transition"
            else self.states[state_number : state_number + 1]
        )
        self.index = dict(zip(form.states, range(state_number - len(given) + 1, state_number + 1), strict=True))
        reading = StateEvaluation(model, dict(zip(form.states, given, strict=True)))
        _, cells = reading.evaluate_property(form)
        self.shown_fields = {
            field.name for field in model.fields if not isinstance(field.type, types.Pool) and field.budget is None
        }
        self.cells = self._cells_to_mention(cells)
        self.compared = [cell for where, some in reading.compared for cell in some if _is_inside(where, reason)]
        self.moving = {
            name for name, *values in zip(given[0].__match_args__, *self.states, strict=True) if len(set(values)) > 1
        }

    def sentences_of_argument(self) -> list[Document]:
        """Its sentences in order."""
        mentioned = self._events_to_mention()
        race = self._find_race(mentioned)
        mentioned = mentioned if race is None else _merge_race(mentioned, race)
        events = [
            _argument_row("event", step, self._event_text(step, cells, race)) for step, cells in mentioned.items()
        ]
        however = self._closing_sentence()
        lets = [_argument_row("let", step, text) for step, text in sorted(self._parameter_sentences(set(mentioned)))]
        title = _argument_row("title", self.at, f"Why this violates {self.prop.name}: {self.prop.says}")
        now = [] if self.prop.kind == "transition" else self._closing_facts()
        short = Summary(self.model, self.run, self.words, mentioned).sentence_of_run(
            self._cause_text, self._step_sentence, now, race
        )
        shorts = [_argument_row("short", self.at, short)] if short else []
        return [title, *lets, *shorts, *events, _argument_row("however", self.at, however)]

    def _cause_text(self, step: int, cells: Sequence[StatePart]) -> str:
        return self._reason_text(step, self.model.action(self.run.steps[step - 1].action), cells)

    def _cells_to_mention(self, cells: Iterable[StatePart]) -> list[StatePart]:
        """The cells to mention: not messages, not budgets, and not what other cells say as well."""
        return _drop_implied_cells(cell for cell in cells if cell.field in self.shown_fields)

    # --- what happened ------------------------------------------------------------------------------------------------

    def _events_to_mention(self) -> dict[int, list[StatePart]]:
        """The steps to mention, each with the cells that it changed: those that changed the conjunct's cells last, and,
        of the steps behind these, the faults, what was taken back, and the votes that were given."""
        found: dict[int, list[StatePart]] = {}
        for cell in self.cells:
            step = self._last_change(cell, self.index[cell.state])
            if step is not None:
                found.setdefault(step, []).append(cell)
        found = {step: found[step] for step in sorted(found)[-EVENTS_MAX:]}
        for step, cell in self._steps_behind(sorted(found, reverse=True)):
            if step not in found and len(found) < EVENTS_MAX:
                found[step] = [cell]
            elif cell not in found.get(step, [cell]) and self._is_unmentioned_part(step, cell, found):
                found[step].append(cell)
        return dict(sorted(found.items()))

    def _steps_behind(self, steps: Sequence[int]) -> Iterator[tuple[int, StatePart]]:
        """The informative steps behind some steps, each with the cell by which they mattered."""
        waiting, direct, seen = list(steps), set(steps), set(steps)
        while waiting and len(seen) < STEPS_BEHIND_MAX:
            step = waiting.pop(0)
            for cell in self._cells_to_mention(self._effects_of_step(step).reads()):
                changed = self._last_change(cell, step - 1)
                if changed is None:
                    continue
                if self._is_informative(changed, cell, direct=step in direct):
                    yield changed, cell
                if changed not in seen:
                    seen.add(changed)
                    waiting.append(changed)

    def _is_informative(self, step: int, cell: StatePart, *, direct: bool) -> bool:
        """Whether a change was a fault's, took something back, or, where it is looked at directly, gave a vote."""
        old, new = cell.value_in(self.states[step - 1]), cell.value_in(self.states[step])
        if self.model.action(self.run.steps[step - 1].action).kind == "fault":
            return True
        if isinstance(old, Set) and isinstance(new, Set):
            return direct and cast("Set[Any]", old) < cast("Set[Any]", new) and len(cast("Set[Any]", old)) > 0
        is_sequence = isinstance(old, Seq) and isinstance(new, Seq)
        return is_sequence and len(cast("Seq[Any]", new)) < len(cast("Seq[Any]", old))

    def _is_unmentioned_part(self, step: int, cell: StatePart, mentioned_parts: Mapping[int, list[StatePart]]) -> bool:
        """Whether a further cell of a step that is mentioned is a part of the state that is not mentioned yet."""
        return all((part.field, part.parts[:1]) != (cell.field, cell.parts[:1]) for part in mentioned_parts[step])

    def _last_change(self, cell: StatePart, end: int) -> int | None:
        """The step that last changed a cell, of those before a state; None when none did."""
        now = cell.value_in(self.states[end])
        for step in range(end, 0, -1):
            if cell.value_in(self.states[step - 1]) != now:
                return step
        return None

    def _effects_of_step(self, step: int) -> Effects:
        taken = self.run.steps[step - 1]
        action = self.model.action(taken.action)
        return StateEvaluation(self.model, {action.form.state: self.states[step - 1]}).effects_of_step(
            action, taken.arguments
        )

    # --- what was looked at, and was no longer so ---------------------------------------------------------------------

    def _find_race(self, mentioned_steps: Mapping[int, Sequence[StatePart]]) -> Race | None:
        """Why a run whose steps rest on nothing else that is worth saying was possible: the last mentioned step
        was enabled by an earlier look at a cell which is no longer as it was, by a step between the two."""
        actions = {step: self.model.action(self.run.steps[step - 1].action) for step in mentioned_steps}
        if not mentioned_steps or any(
            self._reason_text(step, actions[step], cells) for step, cells in mentioned_steps.items()
        ):
            return None
        acted = max(mentioned_steps)
        for looked, _ in self._enabling_steps(acted):
            for cell in self._cells_to_mention(self._effects_of_step(looked).guards):
                seen, left, now = (cell.value_in(self.states[at]) for at in (looked - 1, looked, acted - 1))
                changed = self._last_change(cell, acted - 1)
                if cell.field in self.moving and changed is not None and seen == left != now:
                    fact = self.words.fact_text(cell, self.states[looked - 1], is_past=True)
                    return Race(self._earlier_looks(mentioned_steps, cell, looked), fact, changed, cell, acted)
        return None

    def _earlier_looks(self, mentioned_steps: Iterable[int], cell: StatePart, last: int) -> dict[int, StatePart]:
        """The steps that saw a cell as the last of them did, and enabled mentioned steps: each with what it wrote."""
        seen = cell.value_in(self.states[last - 1])
        found = {
            looked: shown for step in mentioned_steps for looked, shown in self._enabling_steps(step) if looked <= last
        }
        same = (
            step
            for step in found
            if _cell_without_state(cell) in map(_cell_without_state, self._effects_of_step(step).guards)
        )
        return {step: found[step] for step in sorted(same) if cell.value_in(self.states[step - 1]) == seen}

    def _enabling_steps(self, step: int) -> Iterator[tuple[int, StatePart]]:
        """The steps that wrote what the guards of a step read, each with the cell."""
        for cell in self._cells_to_mention(self._effects_of_step(step).guards):
            changed = self._last_change(cell, step - 1)
            if changed is not None:
                yield changed, cell

    def _event_text(self, number: int, cells: Sequence[StatePart], race: Race | None = None) -> str:
        before, after = self.states[number - 1], self.states[number]
        effects = list(dict.fromkeys(text for cell in cells for text in self.words.effect_texts(cell, before, after)))
        step = self.run.steps[number - 1]
        action = self.model.action(step.action)
        said = step_sentence(self.model, action, before, step.arguments)
        why = f", when {race.fact}" if race and number in race.looks else self._reason_text(number, action, cells)
        return capitalize_first(f"{join_words(effects)} at step {number}{why}: {said}")

    def _reason_text(self, number: int, action: Action, cells: Sequence[StatePart]) -> str:
        """What the values written rested on: all of it with `because`, the most informative part with `when`."""
        if action.kind == "client":
            return ""
        before = self.states[number - 1]
        effects = self._effects_of_step(number)
        own = {_cell_without_state(enclosing_sequence(cell, before) or cell) for cell in cells}
        causes = [cell for cell in _causes_of_writes(effects, cells) if self._is_worth_saying(cell, before, own)]
        facts = self._facts_of_cells(causes, before)
        if 0 < len(facts) <= FACTS_MAX:
            return f", because {join_words(facts)}"
        guards = [cell for cell in effects.guards if self._is_worth_saying(cell, before, own)]
        logs = [cell for cell in (*guards, *causes) if enclosing_sequence(cell, before)]
        others = [cell for cell in causes if cell.value_in(before)]
        chosen = self._facts_of_cells([*logs, *others], before)[:FACTS_MAX]
        return f", when {join_words(chosen)}" if any(not fact.endswith("empty") for fact in chosen) else ""

    def _facts_of_cells(self, cells: Iterable[StatePart], state: State) -> list[str]:
        """The facts of cells, those of a sequence as a whole."""
        whole = dict.fromkeys(enclosing_sequence(cell, state) or cell for cell in cells)
        return list(dict.fromkeys(self.words.fact_text(cell, state, is_past=True) for cell in whole))

    def _is_worth_saying(self, cell: StatePart, state: State, own: set[StatePart]) -> bool:
        """Whether a cell is informative: not what is mentioned already, nor a message that the step was given, nor what
        never changes."""
        if cell.field not in self.moving or (cell.parts and cell.parts[-1][0] == "member"):
            return False
        whole = enclosing_sequence(cell, state)
        value = cell.value_in(state)
        is_large = whole is None and is_record(value)
        return value is not ABSENT and not is_large and _cell_without_state(whole or cell) not in own

    def _parameter_sentences(self, mentioned_steps: set[int]) -> Iterator[tuple[int, str]]:
        for record, name in list(self.words.mentioned.items()):
            step, cell = self._first_occurrence(record)
            if cell is not None:
                where = (
                    f"came into {self.words.cell_name(parent_cell(cell))} at offset {cell.parts[-1][1]} in step {step}"
                )
                said = "." if step in mentioned_steps else f": {self._step_sentence(step)}"
                yield step, f"Let {name} be the {type(record).__name__.lower()} that {where}{said}"

    def _step_sentence(self, step: int) -> str:
        taken = self.run.steps[step - 1]
        return step_sentence(self.model, self.model.action(taken.action), self.states[step - 1], taken.arguments)

    def _first_occurrence(self, record: Any) -> tuple[int, StatePart | None]:
        """The first step after which a record is in a sequence, and where."""
        for number, state in enumerate(self.states):
            for field, value in zip(state.__match_args__, state, strict=True):
                for cell, held in _sequences_in(StatePart("s", field), value):
                    if record in held:
                        at = list(held).index(record)
                        return number, StatePart(cell.state, cell.field, (*cell.parts, ("at", at))) if number else None
        return 0, None

    def _closing_facts(self) -> list[str]:
        """The facts that make the property false, in the states that it is about."""
        cells = self._cells_to_mention(cell for cell in self.compared if cell in self.cells)
        cells.sort(key=lambda cell: self.index[cell.state])
        return list(dict.fromkeys(self._present_fact(cell) for cell in cells))

    def _closing_sentence(self) -> str:
        facts = self._closing_facts()
        inner = self.reason.innermost()
        if len(inner.conjunct) > CODE_MAX:
            so = f"{self.prop.name} is false"
        else:
            named = ", ".join(f"{name} = {self.words.value_text(value)}" for name, value in inner.witness.items())
            so = f"`{inner.conjunct}` is false" + (f" for {named}" if named else "")
        return f"However, {join_words(facts)}; so {so}." if 0 < len(facts) <= 2 * FACTS_MAX else f"However, {so}."

    def _present_fact(self, cell: StatePart) -> str:
        at = self.index[cell.state]
        return self.words.fact_text(cell, self.states[at], is_past=at < self.at)


def _merge_race(mentioned_steps: Mapping[int, Sequence[StatePart]], race: Race) -> dict[int, list[StatePart]]:
    """The steps to mention with those of a race."""
    found = {step: list(cells) for step, cells in mentioned_steps.items()}
    for step, cell in (*race.looks.items(), (race.changing_step, race.cell)):
        if cell not in found.setdefault(step, []):
            found[step].append(cell)
    return dict(sorted(found.items()))


def _cell_without_state(cell: StatePart) -> StatePart:
    """The cell whatever the text calls its state."""
    return StatePart("", cell.field, cell.parts)


def _argument_row(role: str, step: int | None, text: str) -> Document:
    return {"role": role, "step": step, "text": text}


def _drop_implied_cells(cells: Iterable[StatePart]) -> list[StatePart]:
    """The cells without those that others imply: a member, an offset, the length of a whole that is there, and
    the length of a sequence of which an element is there."""
    some = dict.fromkeys(cells)
    elements = {parent_cell(cell) for cell in some if cell.parts and cell.parts[-1][0] == "at"}
    return [cell for cell in some if not _is_implied(cell, some, elements)]


def _is_implied(cell: StatePart, some: Mapping[StatePart, None], elements: set[StatePart]) -> bool:
    wholes = [StatePart(cell.state, cell.field, cell.parts[:end]) for end in range(len(cell.parts))]
    is_length = bool(cell.parts) and cell.parts[-1][0] == "length"
    return any(whole in some for whole in wholes) or (is_length and wholes[-1] in elements)


def _causes_of_writes(effects: Effects, cells: Iterable[StatePart]) -> list[StatePart]:
    """What the writes to these cells rested on, themselves apart."""
    mains = {(cell.field, cell.parts[:1]) for cell in cells}
    found: dict[StatePart, None] = {}
    for write in effects.writes:
        whole = not write.cell.parts and any(write.cell.field == field for field, _ in mains)
        if whole or (write.cell.field, write.cell.parts[:1]) in mains:
            found |= dict.fromkeys(cell for cell in write.reads if (cell.field, cell.parts[:1]) not in mains)
    return _drop_implied_cells(found)


def _is_inside(where: Where, reason: Reason) -> bool:
    """Whether a comparison stands in the text of the innermost reason."""
    text = reason.innermost().where
    if text is None or text.file != where.file:
        return False
    begins = (text.line, text.column) <= (where.line, where.column)
    return begins and (where.end_line, where.end_column) <= (text.end_line, text.end_column)


def _sequences_in(cell: StatePart, value: Any) -> Iterator[tuple[StatePart, Seq[Any]]]:
    """Every sequence in a field that is one, or is a map of them."""
    if isinstance(value, Seq):
        yield cell, value
    elif hasattr(value, "items"):
        for key, held in value.items():
            if isinstance(key, Domain) and isinstance(held, Seq):
                yield StatePart(cell.state, cell.field, (("key", key),)), held
