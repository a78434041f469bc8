"""Random walks as tasks, without Spark: the walks of one process, however they are shared out.

Also of: `shipping`.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.native.compiler import Target
from tidegate.explorer.native.walks import check as walk
from tidegate.explorer.search import Progress, Report, Search, Strategy, Walks
from tidegate.explorer.spark import walks
from tidegate.explorer.spark.driver import SearchStoppedError, TimeLimitError
from tidegate.explorer.spark.shipping import ShippedKernel
from tidegate.explorer.spark.walks import WalkShare, WalksTaken
from tidegate.language.model import Model
from tidegate.language.verdict import DisagreementError, Verdict

from ...support.engines import bind_text, text_of
from ...support.shipped import tier_parameters
from ..native.test_walks import BODY, FIELDS, NODE, START, comparable_report, counts


class Loop:
    """Does shares one after the other, each as if on another machine."""

    def __init__(self, shards: int, target: Target | None = None) -> None:
        self.core_count, self.target = shards, target or Target.host()
        self.rounds, self.closed = list[list[WalkShare]](), False

    def walk(self, shares: Sequence[WalkShare], seconds: float | None) -> list[WalksTaken]:
        """Each share, sent there and back."""
        self.rounds.append(list(shares))
        return [WalksTaken.from_json(walks.take_share(pickle.loads(pickle.dumps(share))).to_json()) for share in shares]

    def close(self, job: None) -> None:
        """Nothing is left."""
        self.closed = True


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Three nodes and a count; an invariant that fails, a witness that is met."""
    return bind_text(tmp_path_factory.mktemp("model"), text_of(FIELDS, START, BODY, before=NODE))


def searching(cache: Path, number: int | None = 2000, strategy: Strategy = "guided", **options: Any) -> Search:
    return Search(cache=cache, walks=Walks(number, 30, strategy), **options)


def walk_model(model: Model, search: Search, runner: Loop, report: Report | None = None) -> Verdict:
    verdict = walks.check(model, search, lambda: runner, report)
    assert runner.closed
    return verdict


@pytest.mark.parametrize(
    "strategy", tier_parameters(("uniform", "swarm", "guided"), lambda strategy: strategy == "guided")
)
def test_tasks_take_the_walks_of_one_process(model: Model, cache: Path, strategy: Strategy) -> None:
    search = searching(cache, strategy=strategy, seed=5, keep_going=True)
    here = walk(model, search)
    for shards in (1, 2, 7):
        there = walk_model(model, search, Loop(shards))
        assert comparable_report(there) == comparable_report(here) and counts(there) == counts(here)


def test_the_first_failure_is_that_of_one_process(model: Model, cache: Path) -> None:
    for seed in range(4):
        search = searching(cache, seed=seed)
        here = walk(model, search)
        assert here.outcome == "safety"
        for shards in (1, 3):
            runner = Loop(shards)
            assert comparable_report(walk_model(model, search, runner)) == comparable_report(here)
            assert len(runner.rounds) == 1, "nothing is begun after it"


def test_every_walk_is_in_one_share(model: Model, cache: Path) -> None:
    runner = Loop(3)
    walk_model(model, searching(cache, number=5001, keep_going=True), runner)
    shares = [share for round_ in runner.rounds for share in round_]
    assert [share.first for share in shares] == [0, *(share.last for share in shares[:-1])]
    assert shares[-1].last == 5001 and len(runner.rounds) > 1


def test_a_kernel_for_another_machine_is_compiled_from_its_text(
    model: Model, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = searching(cache, keep_going=True)
    here = walk(model, search)
    assert counts(walk_model(model, search, Loop(2, Target.baseline()))) == counts(here)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    elsewhere = Target("elsewhere", "", "")

    def pack_text(text: str, *_: object) -> ShippedKernel:
        return ShippedKernel("t", zlib.compress(text.encode()), elsewhere.cache_key, b"")

    monkeypatch.setattr(walks, "kernel_for_target", pack_text)
    assert counts(walk_model(model, search, Loop(2, elsewhere))) == counts(here)
    assert list(tmp_path.glob("tidegate-kernel-t-*.o"))


class Late(Loop):
    """Does one round."""

    def __init__(self, error: Exception) -> None:
        super().__init__(2)
        self.error = error

    def walk(self, shares: Sequence[WalkShare], seconds: float | None) -> list[WalksTaken]:
        """Nothing the second time."""
        if self.rounds:
            raise self.error
        return super().walk(shares, seconds)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (SearchStoppedError("stopped by Ctrl-C"), "stopped by Ctrl-C"),
        (TimeLimitError(), "the time limit of 600 s was reached"),
    ],
)
def test_what_ends_it_is_said(cache: Path, tmp_path: Path, error: Exception, says: str) -> None:
    calm = bind_text(tmp_path, text_of(FIELDS, START, BODY.replace("== 2 for", "== 9 for"), before=NODE))
    said = list[Progress]()
    verdict = walk_model(calm, searching(cache, number=10_000, seconds=600.0), Late(error), said.append)
    assert (verdict.verdict, verdict.assurance) == ("inconclusive", f"none: {says}")
    assert verdict.transitions is not None and verdict.transitions > 1000 and said[0].walks == 2 * walks.FIRST_ROUND
    endless = walk_model(calm, searching(cache, number=None, seconds=0.5), Loop(2))
    assert endless.verdict == "holds" and endless.assurance.startswith("sampled ")


def test_a_task_that_tells_what_is_not_so_is_found_out(model: Model, cache: Path) -> None:
    class Wrong(Loop):
        def walk(self, shares: Sequence[WalkShare], seconds: float | None) -> list[WalksTaken]:
            return [
                replace(node, spots=tuple((kind, bit, walk, steps + 1) for kind, bit, walk, steps in node.spots))
                for node in super().walk(shares, seconds)
            ]

    with pytest.raises(DisagreementError, match=r"a task met .* \(.*\.py:\d+\) in walk .*, which took it again"):
        walks.check(model, searching(cache), lambda: Wrong(2), None)
