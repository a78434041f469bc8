"""The tables of docs/producer-matrix.md and docs/consumer-matrix.md, each cell from checks: what is written there was
found by the engine just now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.invariants.catalogue import find
from tidegate.language.constants import Value

Settings = Mapping[str, Value | str]


@dataclass(frozen=True, slots=True)
class Matrix:
    """A model with settings as rows, and what goes wrong as columns."""

    model: str
    sizes: Settings
    rows: Mapping[str, Settings]
    columns: Mapping[str, Settings]
    words: Mapping[str, str]  # of each property that may fail, what is written then
    symmetry: bool

    def cells(self) -> list[tuple[str, str]]:
        """All of them, row by row."""
        return [(row, column) for row in self.rows for column in self.columns]

    def explore_cell(self, row: str, column: str, cache: Path) -> str:
        """What fails in a cell, and after how many steps at the soonest; `kept` where nothing does."""
        definition, profile = find(self.model)
        constants = {**self.sizes, **self.rows[row], **self.columns[column]}
        asked, failed = list(self.words), dict[str, int]()
        while asked:
            model = definition.bind(self.model, constants, profile, properties=asked)
            verdict = ENGINES["native"](model, Search(symmetry=self.symmetry, recheck=10, cache=cache), None)
            wrong = {p.name: len(p.run.steps) for p in verdict.properties if p.verdict == "violated" and p.run}
            if not wrong:
                assert verdict.verdict == "holds" and verdict.distinct_states, f"{row}, {column}: {verdict.assurance}"
                break
            failed |= wrong
            asked = [name for name in asked if name not in wrong]
        return "; ".join(f"**{self.words[name]}**, {failed[name]}" for name in self.words if name in failed) or "kept"

    def text(self, cells: Mapping[tuple[str, str], str]) -> str:
        """The table."""
        head = ["settings", *self.columns]
        lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
        lines += [f"| {row} | {' | '.join(cells[row, column] for column in self.columns)} |" for row in self.rows]
        return "\n".join(lines) + "\n"

    def cells_of_text(self, text: str) -> dict[tuple[str, str], str]:
        """The cells of a page."""
        lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
        rows = [line.strip("| ").split(" | ") for line in lines]
        columns = rows[0][1:]
        return {(row[0], column): cell for row in rows[1:] for column, cell in zip(columns, row[1:], strict=True)}


_NO_ANSWER: Settings = {"acknowledges_uncommitted": True, "loses_acknowledged": True, "idempotent": False}
_PRODUCER_CALM = {"elections": 0, "refusals": 0, "cuts": 0, "expiries": 0, "restarts": 0, "expirations": 0}

PRODUCER = Matrix(
    model="producer",
    sizes={"records": 2, "entries": 6, "max_in_flight": 2, **_PRODUCER_CALM},
    rows={
        "acks=0": {**_NO_ANSWER, "no_answer": True},
        "acks=1": _NO_ANSWER,
        "acks=all, no retries": {"idempotent": False, "retries": 0},
        "acks=all, two in flight": {"idempotent": False},
        "acks=all, two in flight, up to 1.1": {"idempotent": False, "turns_around": False},
        "acks=all, one in flight": {"idempotent": False, "max_in_flight": 1},
        "idempotent": {},
        "idempotent, one at a time": {"waits": True},
        "idempotent, up to 2.4": {"bumps_epoch": False, "refuses_late_begin": True},
        "idempotent, 4.5, a partition that never had records": {"refuses_late_begin": True},
        "idempotent, 4.5, a partition with records": {"refuses_late_begin": True, "has_records": True},
        "idempotent, sends again on errors": {"on_error": "SEND_AGAIN"},
        "idempotent, forgets when it dies": {"sends_again": False},
    },
    columns={
        "one error to be retried": {"refusals": 1},
        "a connection is lost": {"cuts": 1},
        "another leader": {"elections": 1},
        "delivery.timeout.ms is over": {"cuts": 1, "expiries": 1},
        "the application dies": {"restarts": 1},
        "the leader forgets the producer": {"cuts": 1, "expirations": 1},
    },
    words={
        "acknowledged_is_durable": "lost",
        "no_silent_loss": "no error",
        "no_duplicates": "twice",
        "order_per_key": "order",
        "no_gap": "gap",
    },
    symmetry=False,
)

_CONSUMER_CALM = {"crashes": 0, "pauses": 0, "exceptions": 0, "offset_losses": 0, "deletions": 0}
_A_CUT: Settings = {"truncations": 1, "readers_diverge": True}

CONSUMER = Matrix(
    model="consumer",
    sizes={"records": 3, "entries": 3, "partitions": 1, "max_generation": 2, **_CONSUMER_CALM},
    rows={
        "automatic": {},
        "after processing": {"commits": "AFTER"},
        "after processing, now and then": {"commits": "AFTER", "polls_uncommitted": True},
        "before processing": {"commits": "BEFORE"},
        "after each record": {"commits": "EACH"},
        "automatic, another thread processes": {"hands_over": True},
        "after each record, a pool processes": {"commits": "EACH", "hands_over": True, "pool": True},
        "automatic, in the background": {"background_commit": True},
    },
    columns={
        "a rebalance": {},
        "a commit fails": {"commit_losses": 1},
        "a crash": {"crashes": 1},
        "a pause": {"pauses": 1},
        "an exception, and close()": {"exceptions": 1},
        "latest, the offset is lost": {"offset_losses": 1},
        "earliest, the offset is lost": {"offset_losses": 1, "reset": "EARLIEST"},
        "latest, records are deleted": {"deletions": 1},
        "earliest, records are deleted": {"deletions": 1, "reset": "EARLIEST"},
        "the log is cut, before KIP-320": {**_A_CUT, "detects_truncation": False},
        "the log is cut": _A_CUT,
        "the log is cut, commits have no epoch": {**_A_CUT, "commits_epochs": False},
        "the log is cut, and its first leader comes back": {**_A_CUT, "returns": 1},
    },
    words={
        "at_least_once": "lost",
        "nothing_skipped": "skipped",
        "nothing_expires_unread": "deleted",
        "at_most_once": "twice",
        "in_order": "order",
    },
    symmetry=True,
)

MATRICES = {"producer-matrix": PRODUCER, "consumer-matrix": CONSUMER}
