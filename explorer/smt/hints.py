"""Hints: which lemmas were needed to prove what, so that the solver is asked with those first.

Beside a file with lemmas, `NAME_proof.py`, may lie `NAME_proof.hints.json`. It says for each action and each goal which
lemmas an earlier proof needed. The solver is led astray by what it does not need, and with few lemmas it answers at
once. Nothing rests on a hint: whatever follows from some of the lemmas follows from all of them, and where the hinted
ones do not suffice all are tried. A wrong hint costs time, and no more.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from ...language import ir
from ...language.model import Property
from ...language.proof import Obligation

SCHEMA = "tidegate.hints/1"


class Hints:
    """The hints beside the file of the first of some lemmas, at `path`. `notes` says that they cannot be read."""

    def __init__(self, lemmas: Sequence[Property]) -> None:
        self.names = [each.name for each in lemmas]
        self.path = Path(cast(ir.Function, lemmas[0].form).where.file).with_suffix(".hints.json") if lemmas else None
        self.notes = list[str]()
        self._needed = dict[tuple[str, str], frozenset[str]]()
        self._noted = dict[tuple[str, str], frozenset[str]]()
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def of(self, obligation: Obligation) -> frozenset[str] | None:
        """The lemmas to begin with; None when there is no hint. Lemmas that there are no more are left out."""
        return self._needed.get(_key(obligation))

    def note(self, obligation: Obligation, needed: frozenset[str]) -> None:
        """Notes what a proof needed."""
        self._noted[_key(obligation)] = needed

    def save(self) -> str:
        """Writes down what was noted, beside the hints for all else, and says so in a sentence. Raises OSError."""
        assert self.path is not None
        held: dict[str, Any] = {"schema": SCHEMA}
        for (action, goal), names in sorted({**self._needed, **self._noted}.items()):
            held.setdefault(action, {})[goal] = " ".join(each for each in self.names if each in names)
        self.path.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
        return f"recorded the lemmas that {len(self._noted)} proofs needed in {self.path}"

    def _read(self, path: Path) -> None:
        try:
            held = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
            if held.pop("schema") != SCHEMA:
                raise ValueError
            for action, goals in cast("dict[str, dict[str, str]]", held).items():
                for goal, names in goals.items():
                    self._needed[action, goal] = frozenset(names.split()).intersection(self.names)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self._needed.clear()
            self.notes.append(f"{path} holds no hints that can be read; the proof goes without them")


def _key(obligation: Obligation) -> tuple[str, str]:
    """An obligation's action and goal, by the words that stand in a file where there is none."""
    return obligation.action or "no action", obligation.goal or "types"
