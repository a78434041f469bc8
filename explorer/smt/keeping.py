"""Proofs that are kept: a file for each, under a name that says everything it depends on.

Only what is proved is kept. A file that does not hold what it should is told, and proved again.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

from ...language.model import Model, Property
from ...language.proof import Obligation, Unstated
from ..walk import digest

SCHEMA = "tidegate.proved/1"


@cache
def own_text() -> str:
    """A digest of what a proof depends on besides the model: the solver, and all of our text that makes formulas."""
    import z3

    folder = Path(__file__).parent
    total = hashlib.sha256(z3.get_full_version().encode())
    language = folder.parent.parent / "language"
    for path in sorted([*folder.glob("*.py"), folder.parent / "walk.py", *language.glob("**/*.py")]):
        total.update(path.read_bytes())
    return total.hexdigest()


class Shelf:
    """The proofs of one bound model whose bounds are open. `folder` None keeps nothing.

    Constants that have a value are folded into the typed forms: one that changes nothing in an action, in a lemma or in
    a type leaves the proofs about them as they are.
    """

    def __init__(self, folder: Path | None, model: Model) -> None:
        self.folder = None if folder is None else folder / "proofs"
        self.notes = list[str]()
        self._files = model.files
        self._actions = {each.name: digest(each.form) for each in model.actions}
        self._goals = {each.name: _meaning(each) for each in (*model.properties, *model.lemmas)}
        self._start = digest(tuple(each.form for each in model.initials))
        self._rest = digest(tuple(sorted(_meaning(each) for each in model.lemmas if each.kind == "invariant")))
        types = tuple((each.name, each.type, each.budget or "") for each in model.fields)
        minima = tuple((each, model.constants[each].minimum) for each in sorted(model.open))
        self._base = digest((own_text(), types, minima))

    def name_of(self, obligation: Obligation) -> str:
        """The name under which the proof of an obligation is kept."""
        goal = self._goals.get(obligation.goal, "")
        ground = self._start if obligation.kind == "initial" else self._rest
        action = self._actions.get(obligation.action, "")
        return digest((self._base, obligation.kind, ground, action, goal))

    def has(self, obligation: Obligation) -> bool:
        """Whether it was proved before."""
        held = self._read(self._path(obligation))
        return held is not None and held.get("word") == "proved"

    def _read(self, path: Path | None) -> dict[str, Any] | None:
        """What a file keeps; None when there is none, or when it is not what was written there, which is noted."""
        if path is None or not path.exists():
            return None
        try:
            held = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
            if held["schema"] == SCHEMA and held["name"] == path.stem:
                return held
        except (OSError, ValueError, KeyError, TypeError):
            pass
        self.notes.append(f"{path} is not what was kept there; it is not believed, and written anew")
        return None

    def unstated(self, goal: str) -> Unstated | None:
        """Why a property cannot be said without bounds, if that was found out before from the very same files."""
        held = self._read(self._unstated_path(goal))
        if held is None or held.get("word") != "unstated":
            return None
        return Unstated(goal, str(held["reason"]), str(held["file"]), int(held["line"]))

    def keep_unstated(self, news: Unstated) -> None:
        """Keeps the reason, which names a place in a file."""
        held = {"word": "unstated", "goal": news.goal, "reason": news.reason, "file": news.file, "line": news.line}
        self._write(self._unstated_path(news.goal), held)

    def _unstated_path(self, goal: str) -> Path | None:
        if self.folder is None:
            return None
        return self.folder / f"{digest((self._base, 'unstated', goal, self._goals[goal], _texts(self._files)))}.json"

    def keep(self, obligation: Obligation, seconds: float) -> None:
        """Keeps a proof."""
        kept = {"word": "proved", "kind": obligation.kind, "goal": obligation.goal, "action": obligation.action}
        self._write(self._path(obligation), {**kept, "seconds": round(seconds, 3)})

    def _write(self, path: Path | None, held: Mapping[str, Any]) -> None:
        """Writes a file, whole or not at all. In a folder that cannot be written nothing is kept."""
        if path is None:
            return
        with suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            handle, part = tempfile.mkstemp(dir=path.parent, prefix=".")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(json.dumps({"schema": SCHEMA, "name": path.stem, **held}))
            Path(part).replace(path)

    def _path(self, obligation: Obligation) -> Path | None:
        return None if self.folder is None else self.folder / f"{self.name_of(obligation)}.json"


def _texts(files: Iterable[str]) -> str:
    """A digest of some files: where they are, and what is in them."""
    total = hashlib.sha256()
    for each in files:
        total.update(each.encode() + b"\0" + Path(each).read_bytes())
    return total.hexdigest()


def _meaning(prop: Property) -> str:
    return digest((prop.kind, prop.form))
