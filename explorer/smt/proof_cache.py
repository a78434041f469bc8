"""The cache of proofs: a file for each, under a name that says everything it depends on, and sealed.

Only what is proved is kept, and what is found out about vacuity. A file that does not hold what was written is reported
and proved again. A file is believed if it has the seal of this user: a keyed digest, whose key lies with the user's
state and never in the folder of the proofs. So a folder that comes from elsewhere, or that others can write to, proves
nothing.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from ...language.model import Model, Property
from ...language.proof import Emptiness, Obligation
from ..traversal import digest
from .inputs import prover_digest
from .seal import Seal, seal_for

SCHEMA = "tidegate.proved/2"


class ProofCache:
    """The proofs of one bound model whose bounds are open, made with one choice of `symmetric` domains. `folder` None
    keeps nothing.

    Constants that have a value are folded into the typed forms: one that changes nothing in an action, in a lemma or in
    a type leaves the proofs about them as they are.
    """

    def __init__(self, folder: Path | None, model: Model, symmetric: frozenset[str] = frozenset()) -> None:
        self.folder = None if folder is None else folder / "proofs"
        self.notes = list[str]()
        self._seal: Seal | None = None
        if self.folder is not None:
            self._seal = seal_for(self.folder, self.notes)
        self._actions = {action.name: digest(action.form) for action in model.actions}
        self._goals = {prop.name: _digest_of(prop) for prop in (*model.properties, *model.lemmas)}
        self._start = digest(tuple(initial.form for initial in model.initials))
        self._rest = digest(tuple(sorted(_digest_of(lemma) for lemma in model.lemmas if lemma.kind == "invariant")))
        types = tuple((field.name, field.type, field.budget or "") for field in model.fields)
        minima = tuple((text, model.constants[text].minimum) for text in sorted(model.open))
        self._base = digest((prover_digest(), types, minima, tuple(sorted(symmetric))))

    def name_of(self, obligation: Obligation) -> str:
        """The name under which the proof of an obligation is kept."""
        goal = self._goals.get(obligation.goal, "")
        ground = self._start if obligation.kind == "initial" else self._rest
        action = self._actions.get(obligation.action, "")
        return digest((self._base, obligation.kind, ground, action, goal))

    def has_proof(self, obligation: Obligation) -> bool:
        """Whether it was proved before."""
        held = self._read_file(self.name_of(obligation))
        return held is not None and held.get("word") == "proved"

    def keep_proof(self, obligation: Obligation, seconds: float) -> None:
        """Keeps a proof."""
        kept = {"word": "proved", "kind": obligation.kind, "goal": obligation.goal, "action": obligation.action}
        self._write_file(self.name_of(obligation), {**kept, "seconds": round(seconds, 3)})

    # --- vacuity ------------------------------------------------------------------------------------------------------

    def known_emptiness(self, action: str, goal: str) -> Emptiness | None:
        """Whether an action can never happen, or a goal's antecedents are never true; None when it is not known."""
        held = self._read_file(self._name_of_check(action, goal))
        word = None if held is None else held.get("word")
        return word if word in ("empty", "barred", "limited", "full") else None

    def keep_emptiness(self, action: str, goal: str, word: Emptiness) -> None:
        """Keeps the answer."""
        kept = {"word": word, "goal": goal, "action": action}
        self._write_file(self._name_of_check(action, goal), kept)

    def _name_of_check(self, action: str, goal: str) -> str:
        parts = (self._start, self._rest, tuple(sorted(self._actions.items())))
        return digest((self._base, "doubt", *parts, action, self._goals.get(goal, "")))

    # --- files --------------------------------------------------------------------------------------------------------

    def _read_file(self, name: str) -> dict[str, Any] | None:
        """What a file keeps; None when there is none, or when it is not what was written there, which is noted."""
        if self.folder is None or self._seal is None:
            return None
        path = self.folder / f"{name}.json"
        if not path.exists():
            return None
        try:
            held = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
            seal = held.pop("seal")
            if held["schema"] == SCHEMA and held["name"] == name and self._seal.is_seal_on(_text(held), seal):
                return held
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass
        self.notes.append(f"{path} is not what was kept there by this user; it is not believed, and written anew")
        return None

    def _write_file(self, name: str, entries: Mapping[str, Any]) -> None:
        """Writes a file, whole or not at all. In a folder that cannot be written nothing is kept."""
        if self.folder is None or self._seal is None:
            return
        whole = {"schema": SCHEMA, "name": name, **entries}
        with suppress(OSError):
            self.folder.mkdir(exist_ok=True)
            handle, part = tempfile.mkstemp(dir=self.folder, prefix=".")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(json.dumps({**whole, "seal": self._seal.seal_text(_text(whole))}))
            Path(part).replace(self.folder / f"{name}.json")


def _text(entries: Mapping[str, Any]) -> str:
    return json.dumps(entries, sort_keys=True)


def _digest_of(prop: Property) -> str:
    return digest((prop.kind, prop.form, *((prop.action_forms, prop.start) if prop.refinement is not None else ())))
