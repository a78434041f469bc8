"""A proof by induction for a person at a terminal, and as one JSON object: what is proved, for what, and on what
grounds.

Adding a key to `tidegate.proof/2` is no change of the schema; taking one away or changing its meaning is. In
`tidegate.proof/1`, `proved` did not say whether it rested on lemmas that were not proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...language.errors import path_for_reader
from ...language.proof import Obligation, Proof, ProofFinding, PropertyStanding, UnstatedProperty
from ...language.verdict import Failure, PropertyVerdict
from ...traces.document import trace_document
from ..document import Document, json_value
from ..settings import switches_text
from ..text_page import TextFormat, TextPage, count_text, plural_of, seconds_text
from ..verdicts import meanings_by_word, styles_by_word

SCHEMA = "tidegate.proof/2"

MARKS: Mapping[str, str] = {word: meaning.mark for word, meaning in meanings_by_word("prove").items()}
_STYLES = styles_by_word("prove")
_STANDINGS: Mapping[PropertyStanding, str] = {
    "proved": "proved",
    "conditional": "conditional",
    "vacuous": "vacuous",
    "refuted": "refuted",
    "not proved": "not proved",
    "known false": "known to be false",
    "left out": "left out",
    "not stated": "not stated",
    "not asked for": "not asked for",
}
"""How the first line says what was said of properties, in this order."""
INITIAL_ROW = "initial states"
TYPES_GOAL = "no step breaks the model's types"


# --- the table --------------------------------------------------------------------------------------------------------


class ProofTable:
    """Lemmas by actions: a row for the initial states and for each action. `take_complete_rows` gives full rows.

    `goals` are the columns: the lemmas and the properties of two states. The first column of an action's row says
    whether its steps keep the model's types.
    """

    def __init__(self, goals: Sequence[str], actions: Sequence[str], obligations: Iterable[Obligation]) -> None:
        self.goals, self.actions = tuple(goals), tuple(actions)
        self.cells: dict[tuple[str, str], ProofFinding | None] = {
            (obligation.action, obligation.goal): None for obligation in obligations if obligation.kind != "consequence"
        }
        self._printed = 0

    def record_result(self, news: ProofFinding | UnstatedProperty) -> None:
        """Fills a cell, or takes the column away of what cannot be said."""
        if isinstance(news, UnstatedProperty):
            self.cells = {at: finding for at, finding in self.cells.items() if at[1] != news.goal}
            return
        at = (news.obligation.action, news.obligation.goal)
        if at in self.cells:
            self.cells[at] = news

    def take_complete_rows(self) -> list[str]:
        """The next rows of the table that are complete."""
        rows: list[str] = []
        names = ("", *self.actions)
        while self._printed < len(names) and self._is_row_full(names[self._printed]):
            if any(of == names[self._printed] for of, _ in self.cells):
                rows.append(self.row_text(names[self._printed]))
            self._printed += 1
        return rows

    def _is_row_full(self, action: str) -> bool:
        return all(finding is not None for (of, _), finding in self.cells.items() if of == action)

    def row_text(self, action: str) -> str:
        """`fetch   ✓ ✓✓✓✓✓ ✓✓?✓✓  1.2 s`."""
        width = max(len(name) for name in (INITIAL_ROW, *self.actions))
        marks = [self._cell_mark(action, goal) for goal in self.goals]
        groups = ["".join(marks[at : at + 5]) for at in range(0, len(marks), 5)]
        seconds = sum(
            finding.seconds for (of, _), finding in self.cells.items() if of == action and finding is not None
        )
        own = [finding for (of, _), finding in self.cells.items() if of == action and finding is not None]
        took = "kept" if own and all(finding.is_cached for finding in own) else seconds_text(seconds)
        return f"  {action or INITIAL_ROW:<{width}}  {self._cell_mark(action, '')} {' '.join(groups)}  {took}"

    def _cell_mark(self, action: str, goal: str) -> str:
        if (action, goal) not in self.cells:
            return " "
        finding = self.cells[action, goal]
        return "·" if finding is None else MARKS[finding.word]


def proof_legend(goals: Sequence[str], text_format: TextFormat) -> str:
    """Which column is which lemma: the columns stand in groups of five."""
    page = TextPage(text_format)
    for at in range(0, len(goals), 5):
        page.line(f"{at + 1:>3}  {', '.join(goals[at : at + 5])}", indent=2, hang=5)
    return page.text()


# --- the whole report -------------------------------------------------------------------------------------------------


def proof_page(proof: Proof, text_format: TextFormat) -> TextPage:
    """What is said after the table."""
    page = TextPage(text_format)
    mark = MARKS[proof.word]
    page.line(f"{mark} {proof.model}: {proof_headline(proof)}", style=_STYLES[proof.word])
    for sentence in proof_meaning_lines(proof):
        page.line(sentence, indent=2, hang=2)
    _write_goals(page, proof)
    _write_failures(page, proof)
    _write_doubts(page, proof)
    return page


def proof_headline(proof: Proof) -> str:
    """`proved for 3 voters, for every value of max_epoch, for every crashes of at least 1`."""
    sizes = _names_text([count_text(size, name.lower()) for name, size in proof.sizes.items()])
    whatever = [name for name in proof.boundless if name not in proof.above_zero]
    about = f" for {sizes}" * bool(sizes) + _values_text(whatever, proof.word) * bool(whatever)
    about += f", for every {_names_text(proof.above_zero)} of at least 1" * bool(proof.above_zero)
    if proof.word in ("proved", "vacuous"):
        return f"{proof.word}{about}{_counts_text(proof)}"
    if proof.word == "conditional":
        return (
            f"conditional{about}: it rests on {_lemma_count_text(proof.assumed_lemmas())} not proved "
            f"here{_counts_text(proof)}"
        )
    words = [finding.word for finding in proof.findings]
    parts = [f"{words.count(word)} {word}" for word in MARKS if word in words]
    return f"{proof.word}{about}: of {count_text(len(words), 'obligation')} {_names_text(parts)}{_counts_text(proof)}"


def _values_text(names: list[str], word: str) -> str:
    """Which values a result is about. What is refuted is refuted for some of them, not for each."""
    said = _names_text(names)
    return f", where {said} may have any value" if word in ("refuted", "not proved") else f", for every value of {said}"


def _counts_text(proof: Proof) -> str:
    """`; of 20 properties 18 are proved, 1 is known to be false and 1 is not stated`, each counted once; "" where all
    have the word that the result has."""
    standing = list(proof.standing().values())
    if set(standing) <= {proof.word}:
        return ""
    parts = [] if "proved" in standing or proof.word != "proved" else ["none is proved"]
    numbers = [(standing.count(word), says) for word, says in _STANDINGS.items()]
    parts += [f"{n} {'is' if n == 1 else 'are'} {says}" for n, says in numbers if n]
    return f"; of {count_text(len(standing), 'property', 'properties')} {_names_text(parts)}"


def proof_meaning_lines(proof: Proof) -> list[str]:
    """What the result means: what it is about, what it assumes, and what it is not."""
    fixed = {name: value for name, value in proof.constants.items() if name not in proof.boundless}
    others = [f"{name}={json_value(v)}" for name, v in fixed.items() if isinstance(v, int) and not isinstance(v, bool)]
    settings = "; ".join(part for part in (", ".join(others), switches_text(fixed)) if part)
    lines = [f"with {settings}"] if settings else []
    if proof.spent:
        lines.append(
            f"{_names_text(proof.spent)} {'never happens' if len(proof.spent) == 1 else 'never happen'}: a budget of 0"
        )
    if proof.switched_off:
        lines.append(f"switched off by constants: {', '.join(proof.switched_off)}")
    lines += _assumption_lines(proof)
    if proof.above_zero:
        zeros = [f"{name}=0" for name in proof.above_zero]
        lines.append(f"not proved for {_names_text(zeros)}, which --set proves apart")
    if proof.roomless:
        lines.append(
            f"not proved that {_names_text(proof.roomless)} "
            f"{'has' if len(proof.roomless) == 1 else 'have'} room for what "
            "is added, whatever the capacity; tidegate check looks at that within bounds"
        )
    lines.append("assumes that Z3 and the formulas given to it are right")
    members = _names_text([f"number of {plural_of(name.lower())}" for name in proof.sizes])
    lines.append(f"not proved for any other {members}" if members else "nothing else is proved")
    lines[-1] += "; liveness, what must happen eventually, is not proved"
    return lines


def _assumption_lines(proof: Proof) -> list[str]:
    """What a conditional result rests on, and how to have it proved."""
    assumed = proof.assumed_lemmas()
    unasked = [name for name in assumed if name not in proof.goals]
    failed = [name for name in assumed if name in proof.goals]
    lines: list[str] = []
    if unasked:
        number = _lemma_count_text(unasked)
        lines.append(f"assumes {number} not asked for; without --lemma and --property they are proved too, or refuted")
    if failed:
        lines.append(f"assumes {_lemma_count_text(failed)} not proved: {', '.join(failed)}")
    if proof.breaking():
        lines.append(
            f"assumes that no step of {_names_text(proof.breaking())} breaks the model's types, which is not proved"
        )
    return lines


def _lemma_count_text(lemmas: Sequence[str]) -> str:
    return f"{count_text(len(lemmas), 'lemma')} that {'is' if len(lemmas) == 1 else 'are'}"


def _names_text(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _write_goals(page: TextPage, proof: Proof) -> None:
    """Lemmas and properties by their word."""
    page.blank()
    properties = [goal for goal in proof.goals if goal not in proof.lemmas]
    lemmas = [goal for goal in proof.goals if goal in proof.lemmas]
    rows: list[tuple[str, str]] = []
    for word in MARKS:
        if word == "vacuous":
            continue  # each with its reason, below
        names = [prop for prop in properties if proof.word_of(prop) == word]
        rows += [(word, ", ".join(names))] if names else []
        number = sum(proof.word_of(lemma) == word for lemma in lemmas)
        if number:
            rows.append((word, count_text(number, "lemma") if word == "proved" else _goals_with_word(proof, word)))
    rows += [("vacuous", f"{goal.goal}: {goal.reason}" if goal.goal else goal.reason) for goal in proof.empty]
    rows += [
        ("not stated", f"{goal.goal}: {unstated_property_place(goal)}: {goal.reason}")
        for goal in proof.unstated_properties
    ]
    rows += [("left out", f"{goal.goal}: {goal.reason}") for goal in proof.left_out]
    rows += [("known false", f"{goal.goal}: {goal.reason}") for goal in proof.known_false]
    rows += [("elsewhere", f"{goal.goal}: {goal.reason}") for goal in proof.elsewhere]
    rows += [("not asked for", ", ".join(proof.not_asked))] if proof.not_asked else []
    page.columns(rows, styles=_STYLES)


def unstated_property_place(news: UnstatedProperty) -> str:
    """`mine.py:12`."""
    return f"{path_for_reader(news.file)}:{news.line}"


def _goals_with_word(proof: Proof, word: str) -> str:
    return ", ".join(lemma for lemma in proof.lemmas if lemma in proof.goals and proof.word_of(lemma) == word)


def _write_failures(page: TextPage, proof: Proof) -> None:
    """Every finding that is not a proof, in a sentence."""
    for finding in proof.findings:
        if finding.word != "proved":
            page.blank()
            page.line(f"{MARKS[finding.word]} {_finding_sentence(finding)}", style=_STYLES[finding.word])
            if finding.word == "not proved" and finding.reason:
                page.line(finding.reason, indent=4)
    for fall in proof.falls:
        page.blank()
        page.line(f"given up in round {fall.round}: {fall.lemma}", style="yellow")
        page.line(_finding_sentence(fall.finding), indent=4)


def _finding_sentence(finding: ProofFinding) -> str:
    """`refuted: fetch does not keep logs_are_copies`."""
    kind, goal, action = finding.obligation.kind, finding.obligation.goal, finding.obligation.action
    refuted = finding.word == "refuted"
    match kind:
        case "initial":
            said = f"{goal} is false at first" if refuted else f"that {goal} holds at first"
        case "step":
            said = f"{action} does not keep {goal}" if refuted else f"that {action} keeps {goal}"
        case "defined":
            said = f"{action} may break the model's types" if refuted else f"that {action} keeps the model's types"
        case "consequence":
            said = f"{goal} does not follow from the lemmas" if refuted else f"that {goal} follows from the lemmas"
    reachable = finding.counterexample is not None and finding.counterexample.reachable
    return f"{finding.word}: {said}{', in a state that can be reached' if reachable and kind != 'initial' else ''}"


def _write_doubts(page: TextPage, proof: Proof) -> None:
    """What a proof should be doubted for."""
    page.blank()
    if proof.idle:
        page.line(f"lemmas whose antecedent is never true here: {', '.join(proof.idle)}", indent=2, hang=4)
    states = count_text(proof.witnesses, "reachable state")
    page.line(f"plain Python evaluated all of this in {states}, within the bounds of the constants", indent=2, hang=4)
    if proof.symmetric:
        names = _names_text([plural_of(sort.lower()) for sort in proof.symmetric])
        page.line(f"one choice of {names} stands for all that differ by a renaming", indent=2)
    kept = sum(finding.is_cached for finding in proof.findings)
    page.line(
        f"{count_text(len(proof.findings), 'obligation')}, {count_text(kept)} of them kept from before, in "
        f"{seconds_text(proof.seconds)} with {count_text(proof.workers, 'process', 'processes')}",
        indent=2,
    )
    if proof.stop_reason:
        page.line(f"not finished: {proof.stop_reason}", indent=2, style="yellow")
    for note in proof.notes:
        page.line(f"note: {note}", indent=2, hang=6)


# --- counterexamples and JSON -----------------------------------------------------------------------------------------


def counterexample_document(finding: ProofFinding) -> Document:
    """The trace document of what refutes something. One to induction begins where the lemmas allow, not at the
    start."""
    found = finding.counterexample
    assert found is not None, "only what is refuted has a counterexample"
    if found.action is not None:
        failure = Failure(found.message, "", found.run, found.action, found.arguments)
        document = trace_document(found.model, failure, engine="z3", anywhere=not found.reachable)
    else:
        prop = {declared.name: declared for declared in found.model.properties}[finding.obligation.goal]
        subject = PropertyVerdict(prop.name, prop.kind, prop.says, "violated", found.run)
        document = trace_document(found.model, subject, engine="z3", anywhere=not found.reachable)
    if not found.reachable:
        document["begins"] = "induction"
        document["title"] = f"{found.model.name}: {_induction_title(finding.obligation)}"
        document["explored"] = found.reachability
        document["replay"] = None
    return document


def _induction_title(of: Obligation) -> str:
    what = f"{of.goal or TYPES_GOAL}, {of.action}" if of.action else of.goal
    return f"counterexample to induction ({what}); its first state may not be reachable"


def proof_document(proof: Proof, paths: Mapping[int, str]) -> Document:
    """The JSON object of a proof. `paths` says where the traces of findings are saved, by the finding's number; one
    that was not saved stands in the object."""
    return {
        "schema": SCHEMA,
        "model": proof.model,
        "verdict": proof.word,
        "claim": [proof_headline(proof), *proof_meaning_lines(proof)],
        "constants": {name: json_value(value) for name, value in proof.constants.items()},
        "boundless": list(proof.boundless),
        "sizes": dict(proof.sizes),
        "lemmas": [{"name": lemma, "verdict": proof.word_of(lemma)} for lemma in proof.lemmas if lemma in proof.goals],
        "properties": [
            {"name": name, "says": says, "verdict": proof.word_of(name)}
            for name, says in proof.goals.items()
            if name not in proof.lemmas
        ],
        "assumed": list(proof.assumed_lemmas()),
        "vacuous": [{"property": goal.goal or None, "reason": goal.reason} for goal in proof.empty],
        "unstated": [
            {"name": goal.goal, "where": unstated_property_place(goal), "reason": goal.reason}
            for goal in proof.unstated_properties
        ],
        "left_out": [{"name": goal.goal, "reason": goal.reason} for goal in proof.left_out],
        "known_false": [{"name": goal.goal, "reason": goal.reason} for goal in proof.known_false],
        "false_elsewhere": [{"name": goal.goal, "reason": goal.reason} for goal in proof.elsewhere],
        "not_asked": list(proof.not_asked),
        "room_not_proved": list(proof.roomless),
        "idle": list(proof.idle),
        "obligations": [_finding_document(at, finding, paths) for at, finding in enumerate(proof.findings)],
        "never": list(proof.never),
        "spent": list(proof.spent),
        "switched_off": list(proof.switched_off),
        "symmetric": list(proof.symmetric),
        "witnesses": proof.witnesses,
        "falls": [
            {"lemma": fall.lemma, "round": fall.round, "why": _finding_sentence(fall.finding)} for fall in proof.falls
        ],
        "seconds": round(proof.seconds, 3),
        "workers": proof.workers,
        "stopped": proof.stop_reason or None,
        "notes": list(proof.notes),
    }


def _finding_document(number: int, finding: ProofFinding, paths: Mapping[int, str]) -> dict[str, Any]:
    obligation = finding.obligation
    row: dict[str, Any] = {
        "kind": obligation.kind,
        "goal": obligation.goal or None,
        "action": obligation.action or None,
        "verdict": finding.word,
        "seconds": round(finding.seconds, 3),
        "kept": finding.is_cached,
    }
    if finding.reason:
        row["reason"] = finding.reason
    if finding.counterexample is not None:
        row["reachable"] = finding.counterexample.reachable
        row["explored"] = finding.counterexample.reachability or None
        row["trace"] = paths.get(number) or counterexample_document(finding)
    return row
