"""The driver of a search in shards: what is counted is what is recorded, however it is interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Progress, Search
from tidegate.explorer.spark.driver import SparkSearch
from tidegate.explorer.spark.prefix import Prefix
from tidegate.explorer.spark.rundir import RunDirectory
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ...conftest import ROOT
from ...support.sharded import comparable_verdict, counts
from ...support.shards import Loop, run_in_loop
from ...support.shipped import tier_parameters

SMALL = 12_000


def recorded_checks() -> Iterator[CheckRecord]:
    """What is recorded, of a size that a loop in Python explores in a second or two."""
    for name in ("replication", "async_isr", "raft", "kraft"):
        checks = read_record_file(ROOT / "spec" / f"{name}.toml").checks
        small = [check for check in checks if 300 < check.counts.get("distinct_states", 0) <= SMALL]
        violated = [record for record in small if any(prop.steps for prop in record.properties.values())]
        yield from (*small[:2], *violated[:2])


def states_of(check: CheckRecord) -> int:
    """The states that are recorded."""
    return check.counts["distinct_states"]


def check_name(check: CheckRecord) -> str:
    """A check's name in the list of tests."""
    return f"{check.target} {states_of(check)}"


def model_of(check: CheckRecord) -> Model:
    definition, profile = find(check.target)
    texts = {name: str(value) for name, value in check.constants.items()}
    return definition.bind(check.target, texts, profile, ghosts=check.ghosts, properties=tuple(check.properties))


@pytest.mark.parametrize(
    "check",
    tier_parameters(
        recorded_checks(), lambda check: check.target.endswith("truncate_to_hw") and states_of(check) < 5000, check_name
    ),
)
def test_shards_count_what_is_recorded(check: CheckRecord, tmp_path: Path, cache: Path) -> None:
    search = Search(symmetry=check.symmetry, keep_going=True, cache=cache)
    verdict = run_in_loop(model_of(check), tmp_path, search)
    assert {name: getattr(verdict, name) for name in check.counts} == dict(check.counts)
    for name, want in check.properties.items():
        got = next(prop for prop in verdict.properties if prop.name == name)
        assert want.steps is None or (got.run is not None and len(got.run.steps) == want.steps)
    assert counts(verdict) == counts(native(model_of(check), search))


def test_progress_is_reported(kip320: Model, tmp_path: Path, cache: Path) -> None:
    reported = list[Progress]()
    run_in_loop(kip320, tmp_path, Search(cache=cache), report=reported.append)
    assert "distinct, level" in reported[-1].says and reported[-1].distinct == 1501


def interrupting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as it is, at whose beginning Ctrl-C comes."""

    def interrupt(*arguments: Any, **more: Any) -> Any:
        assert threading.current_thread() is threading.main_thread()
        signal.raise_signal(signal.SIGINT)
        return function(*arguments, **more)

    return interrupt


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (Prefix, "run"),
        (Prefix, "give"),
        (Prefix, "close"),
        (RunDirectory, "write"),
        (SparkSearch, "_ship"),
        (SparkSearch, "_running"),
        (SparkSearch, "_fold"),
        (Loop, "run"),
    ],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_a_search_that_is_interrupted_anywhere_goes_on(
    kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path, owner: type, name: str
) -> None:
    search, before = Search(cache=cache), signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, interrupting(getattr(owner, name)))
        first = run_in_loop(kip320, tmp_path, search, hand_over=60)
    assert first.verdict == "inconclusive" and "stopped by Ctrl-C" in first.assurance
    assert signal.getsignal(signal.SIGINT) is before
    then = run_in_loop(kip320, tmp_path, search, hand_over=60)
    assert (comparable_verdict(then), counts(then)) == (comparable_verdict(native_verdict), counts(native_verdict))
