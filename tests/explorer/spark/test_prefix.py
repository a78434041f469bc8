"""What this process can do alone it does."""

from __future__ import annotations

from pathlib import Path

from tidegate.explorer.search import Search
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ...support.sharded import counts
from ...support.shards import run_in_loop


def test_what_this_process_can_do_alone_it_does(
    kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path
) -> None:
    verdict = run_in_loop(kip320, tmp_path, Search(cache=cache), hand_over=200_000)
    assert counts(verdict) == counts(native_verdict) and verdict.assurance == "exhaustive within bounds"
    assert "no level was worth handing over" in verdict.notes[-1]
