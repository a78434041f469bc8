"""Takes every recorded counterexample on Kafka's own classes, of each release that is hosted, and writes the table of
docs/conformance.md.

    python -m tests.capture.hosted docs/conformance.md [FILE]

With FILE, what `tidegate confirm --all --in-process --json` printed, nothing is taken again. Needs a JDK 17 and Maven.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tidegate.reports.confirm_all import confirm_all_markdown

BEGIN, END = "<!-- python -m tests.capture.hosted -->\n", "<!-- end -->\n"


def page_with(text: str, table: str, begin: str = BEGIN) -> str:
    """A page with another table between the marks. SystemExit where it has none."""
    before, found, rest = text.partition(begin)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise SystemExit(f"the page has no {begin.strip()} ... {END.strip()}")
    return f"{before}{begin}\n{table}\n{END}{after}"


if __name__ == "__main__":
    page = Path(sys.argv[1])
    if len(sys.argv) > 2:
        printed = Path(sys.argv[2]).read_text("utf-8")
    else:
        command = [sys.executable, "-m", "tidegate", "confirm", "--all", "--in-process", "--json"]
        printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    page.write_text(page_with(page.read_text("utf-8"), confirm_all_markdown(json.loads(printed))), encoding="utf-8")
