"""Hints: which lemmas were needed to prove what, so that the solver is asked with those first.

Beside a file with lemmas, `NAME_proof.py`, may lie `NAME_proof.hints.json`. It says for each action and each goal which
lemmas an earlier proof needed. The solver is led astray by what it does not need, and with few lemmas it answers at
once. Nothing rests on a hint: whatever follows from some of the lemmas follows from all of them, and where the hinted
ones do not suffice all are tried. A wrong hint costs time, and no more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from ...language import ir
from ...language.model import Property
from ...language.proof import Obligation
from .errors import HintsError

SCHEMA = "tidegate.hints/1"


class Hints:
    """The hints beside the file of the first of some lemmas, at `path`.

    UnreadableHints for a file that is not as `save_hints` writes it, unless they are written anew (`rewriting`): then
    `notes` says that what it held is lost.
    """

    def __init__(self, lemmas: Sequence[Property], *, rewriting: bool = False) -> None:
        self.names = [lemma.name for lemma in lemmas]
        self.path = Path(cast(ir.Function, lemmas[0].form).where.file).with_suffix(".hints.json") if lemmas else None
        self.notes = list[str]()
        self._needed = dict[tuple[str, str], frozenset[str]]()
        self._noted = dict[tuple[str, str], frozenset[str]]()
        if self.path is not None and self.path.exists():
            self._read_file(self.path, rewriting)

    def lemmas_for(self, obligation: Obligation) -> frozenset[str] | None:
        """The lemmas to begin with; None when there is no hint. Lemmas that are gone are left out."""
        return self._needed.get(_key_of(obligation))

    def note_needed_lemmas(self, obligation: Obligation, needed_lemmas: frozenset[str]) -> None:
        """Notes what a proof needed."""
        self._noted[_key_of(obligation)] = needed_lemmas

    def save_hints(self) -> str:
        """Writes down what was noted, beside the hints for all else, and says so in a sentence. Raises OSError."""
        assert self.path is not None
        held: dict[str, Any] = {"schema": SCHEMA}
        for (action, goal), names in sorted({**self._needed, **self._noted}.items()):
            held.setdefault(action, {})[goal] = " ".join(name for name in self.names if name in names)
        self.path.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
        return f"recorded the lemmas that {len(self._noted)} proofs needed in {self.path}"

    def _read_file(self, path: Path, rewriting: bool) -> None:
        try:
            self._needed = {key: names.intersection(self.names) for key, names in _parse_hints(path).items()}
        except HintsError as error:
            if not rewriting:
                raise
            self.notes.append(f"{error}; what it held is not kept")


def _key_of(obligation: Obligation) -> tuple[str, str]:
    """An obligation's action and goal, by the words that stand in a file where there is none."""
    return obligation.action or "no action", obligation.goal or "types"


def _parse_hints(path: Path) -> dict[tuple[str, str], frozenset[str]]:
    """What a file of hints holds, by action and goal. UnreadableHints, with the line, for one that holds no hints."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise HintsError(path, _line_at(error.object, error.start), "this is not UTF-8 text") from None
    except OSError as error:
        raise HintsError(path, 1, f"it cannot be read: {error.strerror}") from None
    _look_at_depth(path, text)
    try:
        held = json.loads(text)
    except json.JSONDecodeError as error:
        raise HintsError(path, error.lineno, f"this is not JSON: {error.msg}") from None
    except ValueError:  # an integer of more digits than Python converts
        raise HintsError(path, 1, "it holds a number, and hints have none") from None
    if not isinstance(held, dict) or cast("dict[str, Any]", held).pop("schema", None) != SCHEMA:
        raise HintsError(path, 1, f'it must be an object whose "schema" is "{SCHEMA}"')
    found: dict[tuple[str, str], frozenset[str]] = {}
    for action, goals in cast("dict[str, Any]", held).items():
        if not isinstance(goals, dict):
            raise HintsError(path, _line_of(text, action), f"{action}: an object is expected, its keys goals")
        for goal, names in cast("dict[str, Any]", goals).items():
            if not isinstance(names, str):
                line = _line_of(text, action, goal)
                raise HintsError(path, line, f"{action}, {goal}: a text is expected, the names of lemmas")
            found[action, goal] = frozenset(names.split())
    return found


_DEPTH = 2
_TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*"|[\[\]{}]')


def _look_at_depth(path: Path, text: str) -> None:
    """UnreadableHints, with the line, for what is nested more deeply than an action's goals: Python's reader of JSON
    gives up on very deep texts without a line."""
    depth = 0
    for match in _TOKENS.finditer(text):
        depth += match[0] in ("{", "[")
        depth -= match[0] in ("}", "]")
        if depth > _DEPTH:
            message = "this is nested too deeply: hints are an object of objects of texts"
            raise HintsError(path, _line_at(text, match.start()), message)


def _line_of(text: str, *keys: str) -> int:
    """The line of a key in a key, as they are written by `save_hints`; 1 when they are not found."""
    at = 0
    for key in keys:
        at = max(0, text.find(json.dumps(key), at))
    return _line_at(text, at)


def _line_at(text: str | bytes, offset: int) -> int:
    """The 1-based line of a place in a text."""
    return 1 + (text[:offset].count("\n") if isinstance(text, str) else text[:offset].count(b"\n"))
