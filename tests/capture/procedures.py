"""Takes the procedures that change KRaft's voters on the model, and writes the tables of docs/changing-controllers.md.

    python -m tests.capture.procedures docs/changing-controllers.md [NAME ...]

With names, only these. It takes some minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..support.voter_procedures import PROCEDURES, moments
from .hosted import page_with


def begin_of(name: str) -> str:
    """The mark before the table of a procedure."""
    return f"<!-- python -m tests.capture.procedures {name} -->\n"


def procedure_table(name: str) -> str:
    """The moments of a procedure: what was done, who votes then, whether that is committed, and who may fail."""
    rows = ["| | voters | committed | may fail | not one of |", "|---|---|---|---|---|"]
    for number, moment in enumerate(moments(name), 1):
        committed = "yes" if moment.is_committed else "no"
        cells = (moment.voters, committed, str(max(0, moment.may_fail)), moment.needed_controllers)
        rows.append(f"| {number}. {moment.step_text} | {' | '.join(cells)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    page = Path(sys.argv[1])
    for given in sys.argv[2:] or PROCEDURES:
        text = page_with(page.read_text("utf-8"), procedure_table(given), begin_of(given))
        page.write_text(text, encoding="utf-8")
