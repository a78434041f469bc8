"""`python -m tidegate`: the command `tidegate`."""

from __future__ import annotations

from .cli.entry import run

if __name__ == "__main__":
    run()
