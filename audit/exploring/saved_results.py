"""Results of cases, kept on disk under names that say all that they depend on."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from ...explorer.cache import write_whole
from ...language.immutable import immutable
from ..questions.questions import Case
from .case_results import CaseResult, ScenarioStep
from .digest import answers_digest


@immutable
class SavedResults:
    """What cases found in earlier audits, a file for each below `folder`; None keeps nothing."""

    folder: Path | None

    def load(self, case: Case) -> CaseResult | None:
        """What a case found; None where nothing is kept, or what is kept is not whole."""
        path = self._path(case)
        try:
            return None if path is None else result_of_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return None

    def is_saved(self, case: Case) -> bool:
        """Whether there is a file of what a case found."""
        path = self._path(case)
        return path is not None and path.is_file()

    def save(self, case: Case, result: CaseResult) -> None:
        """Keeps what a case found."""
        path = self._path(case)
        if path is not None:
            write_whole(path, json.dumps(result_json(result), ensure_ascii=False).encode())

    def _path(self, case: Case) -> Path | None:
        return None if self.folder is None else self.folder / "audit" / f"{case_key(case)}.json"


def case_key(case: Case) -> str:
    """A name for what a case finds, from the case and a digest of all that answers come from."""
    return hashlib.sha256(json.dumps([answers_digest(), case.kind, case.constants, case.brief]).encode()).hexdigest()


def result_json(result: CaseResult) -> dict[str, object]:
    """A finished case as JSON has it."""
    steps = {name: [[t.step, t.says, t.fault] for t in scenario] for name, scenario in result.scenarios.items()}
    names = {"reached": sorted(result.reached_witnesses), "checked": sorted(result.held_invariants)}
    return {"scenarios": steps, **names, "states": result.states, "depth": result.depth, "stopped": result.stop_reason}


def result_of_json(entry: Any) -> CaseResult | None:
    """A finished case from what `json.loads` gives; None if it is not one."""
    try:
        scenarios = {name: tuple(ScenarioStep(*step) for step in steps) for name, steps in entry["scenarios"].items()}
        names = frozenset(entry["reached"]), frozenset(entry["checked"])
        return CaseResult(scenarios, *names, entry["states"], entry["depth"], entry["stopped"])
    except (KeyError, TypeError, AttributeError):
        return None
