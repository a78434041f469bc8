"""Proofs that are kept: a file for each, under a name that says everything it depends on.

Only what is proved is kept. A file that does not hold what it should is told, and proved again.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

from ...language.model import Model, Property
from ...language.proof import Obligation
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
        self._actions = {each.name: digest(each.form) for each in model.actions}
        self._goals = {each.name: _meaning(each) for each in (*model.properties, *model.lemmas)}
        self._start = digest(tuple(each.form for each in model.initials))
        self._rest = digest(tuple(sorted(_meaning(each) for each in model.lemmas if each.kind == "invariant")))
        types = tuple((each.name, each.type, each.budget or "") for each in model.fields)
        self._base = digest((own_text(), types, tuple(sorted(model.open))))

    def name_of(self, obligation: Obligation) -> str:
        """The name under which the proof of an obligation is kept."""
        goal = self._goals.get(obligation.goal, "")
        ground = self._start if obligation.kind == "initial" else self._rest
        action = self._actions.get(obligation.action, "")
        return digest((self._base, obligation.kind, ground, action, goal))

    def has(self, obligation: Obligation) -> bool:
        """Whether it was proved before."""
        path = self._path(obligation)
        if path is None or not path.exists():
            return False
        try:
            held = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
            good = held["schema"] == SCHEMA and held["name"] == path.stem and held["word"] == "proved"
        except (OSError, ValueError, KeyError, TypeError):
            good = False
        if not good:
            self.notes.append(f"{path} is no proof that was kept; it is proved again")
        return good

    def keep(self, obligation: Obligation, seconds: float) -> None:
        """Keeps a proof. A folder that cannot be written keeps nothing."""
        path = self._path(obligation)
        if path is None:
            return
        text = json.dumps(
            {
                "schema": SCHEMA,
                "name": path.stem,
                "word": "proved",
                "kind": obligation.kind,
                "goal": obligation.goal,
                "action": obligation.action,
                "seconds": round(seconds, 3),
            }
        )
        with suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            handle, part = tempfile.mkstemp(dir=path.parent, prefix=".")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(part).replace(path)

    def _path(self, obligation: Obligation) -> Path | None:
        return None if self.folder is None else self.folder / f"{self.name_of(obligation)}.json"


def _meaning(prop: Property) -> str:
    return digest((prop.kind, prop.form))
