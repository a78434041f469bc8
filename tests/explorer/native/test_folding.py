"""A long search folds renamings, and says what a search without symmetry says: the same verdict, counts and runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from tidegate.api.models import load
from tidegate.explorer.native import folding, outcome, search
from tidegate.explorer.native.frontier import Frontier
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Progress, Search
from tidegate.explorer.symmetry import symmetry_of
from tidegate.gates.records import CheckRecord, read_record_file, shipped_record_files
from tidegate.language.errors import ModelErrors
from tidegate.language.model import Model
from tidegate.language.values import ModelError
from tidegate.language.verdict import DisagreementError, Verdict

from ...support import random_models
from ...support.engines import MEMORY, bind_text, summary, text_of
from ...support.shipped import tier_parameters
from ..test_random_models import DEEP
from ..test_symmetry import BODY, FIELDS, START, TWO, community

MOST = 60_000
"""Distinct states of the recorded checks that are made again in both ways."""


@pytest.fixture(autouse=True)
def _make_every_search_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search is a long one."""
    monkeypatch.setattr(folding, "FOLD_FROM", 0)


def summary_unfolded(verdict: Verdict) -> dict[str, Any]:
    """What must not depend on whether renamings are folded: all but which domains are."""
    guards = [[(guard.text, guard.evaluations, guard.passes) for guard in action.guards] for action in verdict.actions]
    notes = [note for note in verdict.notes if "is not folded" not in note]
    return {**summary(verdict), "symmetry": None, "guards": guards, "notes": notes, "never": verdict.never_happens}


def agree_folded(model: Model, search: Search) -> Verdict:
    """Both searches of a model; every difference is an AssertionError. The one that folds."""
    whole, folded = native(model, search), native(model, replace(search, symmetry=None))
    assert summary_unfolded(folded) == summary_unfolded(whole)
    assert whole.orbits is None
    if folded.symmetry:
        assert folded.orbits is not None and folded.orbits <= (folded.distinct_states or 0)
    return folded


@pytest.mark.parametrize(("nodes", "pots"), [(3, 2), (1, 4)])
@pytest.mark.parametrize("workers", [1, 2])
def test_every_count_is_that_of_all_states(
    nodes: int, pots: int, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidegate.explorer.native.search.STATES_FOR_ONE_WORKER", 10)
    before = TWO.format(nodes=nodes, pots=pots)
    few = BODY.replace("limit(len(s.notes) < 2)", "limit(len(s.notes) < 1)")
    start = START.replace("first=Node(0)", "first=first")
    text = text_of(FIELDS, start, few, before=before).replace("def start()", "def start(first: Node)")
    folded = agree_folded(bind_text(tmp_path, text), Search(workers=workers, recheck=40))
    assert folded.symmetry == (("Node", "Pot") if nodes > 1 else ("Pot",))
    assert (folded.distinct_states or 0) > (folded.orbits or 0) > 10


def test_nothing_is_folded_unless_all_begin_alike(tmp_path: Path) -> None:
    folded = agree_folded(community(tmp_path, 2, 2), Search())
    assert folded.symmetry == () and folded.orbits is None
    assert "Node, Pot is not folded: a renaming of an initial state may be none" in folded.notes


SMALLEST: dict[tuple[str, str, str], CheckRecord] = {}
"""Of each model, profile and outcome, the recorded check that is the smallest."""
OF_MODELS: dict[tuple[str, str], CheckRecord] = {}
"""The same of each model and outcome, whatever the profile."""


def _size_of(check: CheckRecord | None) -> int:
    return MOST if check is None else check.counts.get("distinct_states", MOST if check.outcome == "none" else 1)


for _path in shipped_record_files():
    for _check in read_record_file(_path).checks:
        _key = (_check.model, _check.profile, _check.outcome)
        if _size_of(_check) < _size_of(SMALLEST.get(_key)):
            SMALLEST[_key] = _check
        if _size_of(_check) < _size_of(OF_MODELS.get((_check.model, _check.outcome))):
            OF_MODELS[_check.model, _check.outcome] = _check


@pytest.mark.parametrize(
    "check",
    tier_parameters(
        SMALLEST.values(),
        lambda check: check.target in ("replication:kip320", "consumer:auto", "static_members:kip_345", "raft:paper"),
        lambda check: check.name,
        lambda check: check is OF_MODELS[check.model, check.outcome],
    ),
)
def test_shipped_models(check: CheckRecord) -> None:
    constants = dict(check.constants)
    model = load(check.target, properties=check.properties, ghosts=check.ghosts, open=check.open, constants=constants)
    if not any(domain.symmetric and domain.size > 1 for domain in model.domains):
        return
    agree_folded(model, Search(keep_going=check.keep_going))


@pytest.mark.parametrize("examples", tier_parameters((6, 20, 60), (6).__eq__, long=(20).__eq__))
def test_random_models(examples: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """TIDEGATE_DEEP=1 draws new ones, and a thousand of them."""

    @settings(
        max_examples=1000 if DEEP else examples,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        phases=[Phase.explicit, Phase.generate],
    )
    @given(seed=st.integers(0, 2**32), size=st.integers(1, 4), going_on=st.booleans())
    def try_one(seed: int, size: int, going_on: bool) -> None:
        text = random_models.text(seed, size).replace("symmetric=False", "symmetric=True")
        try:
            model = bind_text(tmp_path_factory.mktemp("random"), text)
        except ModelErrors:
            reject()
        if not symmetry_of(model).domains:
            reject()
        try:
            agree_folded(model, Search(keep_going=going_on, memory_bytes=MEMORY))
        except ModelError:  # of an initial state
            reject()

    try_one()


LATE = """
@action
def rise(s: World, node: Node) -> None:
    '''Rises.'''
    s.up[node] = True

@invariant
def low(s: World) -> bool:
    '''Not all are up.'''
    return not all(s.up[n] for n in Node)

@reachable
def two_up(s: World) -> bool:
    '''Two are up.'''
    return sum(1 for n in Node if s.up[n]) == 2
"""


def late_model(folder: Path, body: str = LATE) -> Model:
    """Nodes that rise one by one."""
    text = text_of("up: Map[Node, bool]", "up=Map({n: False for n in Node})", dedent(body))
    return bind_text(folder, text.replace("symmetric=False", "symmetric=True"))


def holding_model(folder: Path) -> Model:
    """As `late_model`, of which everything holds."""
    return late_model(folder, LATE.replace("return not all(s.up[n] for n in Node)", "return True"))


def test_a_violation_has_the_run_that_it_has_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = late_model(tmp_path)
    monkeypatch.setattr(folding, "FOLD_FROM", 2)
    for going_on in (False, True):
        whole = native(model, Search(keep_going=going_on))
        folded = native(model, Search(symmetry=None, keep_going=going_on))
        assert summary_unfolded(folded) == summary_unfolded(whole) and folded.outcome == "safety"
        assert [prop.run for prop in folded.properties] == [prop.run for prop in whole.properties]


def test_only_a_long_search_folds_and_nothing_else_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = holding_model(tmp_path)
    assert native(model, Search(symmetry=None)).symmetry == ("Node",)
    assert native(model, Search(symmetry=False)).symmetry == ()
    counted_once = native(model, Search(symmetry=True))
    assert counted_once.distinct_states == counted_once.orbits
    monkeypatch.setattr(folding, "FOLD_FROM", 1000)
    assert native(model, Search(symmetry=None)).symmetry == ()


def test_a_kernel_that_is_made_is_used_sooner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = holding_model(tmp_path)
    monkeypatch.setattr(folding, "FOLD_SOONER", 2)
    monkeypatch.setattr(folding, "FOLD_FROM", 1000)
    asked = Search(symmetry=None, cache=tmp_path / "kernels")
    assert native(model, asked).symmetry == ()
    monkeypatch.setattr(folding, "FOLD_FROM", 2)
    assert native(model, asked).symmetry == ("Node",)
    monkeypatch.setattr(folding, "FOLD_FROM", 1000)
    assert native(model, asked).symmetry == ("Node",)
    assert native(model, replace(asked, cache=None)).symmetry == ()


def test_what_ends_early_counts_what_it_has_found(tmp_path: Path) -> None:
    model = holding_model(tmp_path)
    looks = list[Progress]()

    def stop(progress: Progress) -> None:
        looks.append(progress)
        if progress.depth > 2 and len(looks) > 6:
            raise KeyboardInterrupt

    ended = native(model, Search(symmetry=None), stop)
    whole = native(model, Search())
    assert [level.states for level in ended.levels] == [level.states for level in whole.levels][: len(ended.levels)]
    assert ended.distinct_states == sum(level.states or 0 for level in ended.levels)


def test_an_interrupt_while_the_kernel_is_made_leaves_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "FOLD_FROM", 2)
    right = search.first_kernel

    def interrupt(*arguments: Any, **options: Any) -> Any:
        if options["is_weighted"]:
            raise KeyboardInterrupt("SIGTERM")
        return right(*arguments, **options)

    monkeypatch.setattr(search, "first_kernel", interrupt)
    ended = native(holding_model(tmp_path), Search(symmetry=None))
    assert (ended.verdict, ended.assurance, ended.is_interrupted) == ("inconclusive", "none: stopped by SIGTERM", True)
    assert ended.distinct_states == 3


def end_at_once(asked: Search, _: float) -> Search:
    """The search, of which no time is left."""
    return replace(asked, seconds=1e-9)


def test_what_ends_sooner_than_the_first_search_says_what_that_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "FOLD_FROM", 2)
    monkeypatch.setattr(search, "_search_in_time_left", end_at_once)
    ended = native(holding_model(tmp_path), Search(symmetry=None, seconds=500))
    assert (ended.verdict, ended.assurance) == ("inconclusive", "none: the time limit of 500 s was reached")
    assert (ended.distinct_states, ended.symmetry) == (3, ())


def test_a_search_that_folds_and_is_slower_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "FOLD_FROM", 2)
    model, looks = holding_model(tmp_path), list[int]()

    def tell_behind(_: folding.FoldingPace, seconds: float, states: int) -> bool:
        looks.append(states)
        return len(looks) == 2

    monkeypatch.setattr(folding.FoldingPace, "is_slower", tell_behind)
    found, whole = native(model, Search(symmetry=None)), native(model, Search())
    assert summary_unfolded(found) == summary_unfolded(whole)
    assert (found.symmetry, found.orbits, len(looks)) == ((), None, 2)


@pytest.mark.parametrize(
    ("seconds", "states", "slower"), [(2.9, 0, False), (3.1, 1_500, True), (3.1, 1_600, False), (1000.0, 499_999, True)]
)
def test_slower_is_fewer_states_in_a_second(seconds: float, states: int, slower: bool, tmp_path: Path) -> None:
    whole = replace(native(holding_model(tmp_path), Search()), distinct_states=1_000, seconds=2.0)
    assert folding.FoldingPace(whole, None).is_slower(seconds, states) is slower


def test_a_wrong_weight_is_a_disagreement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = holding_model(tmp_path)
    right = Frontier.orbit_state_count

    def wrong(self: Frontier, begin: int, end: int) -> int:
        return right(self, begin, end) + 1

    monkeypatch.setattr(Frontier, "orbit_state_count", wrong)
    with pytest.raises(DisagreementError, match="stands for 2 states natively, and for 1 in plain Python"):
        native(model, Search(symmetry=None))
    monkeypatch.setattr(outcome, "RENAMINGS_RECHECKED", 0)
    with pytest.raises(DisagreementError):
        native(model, Search(symmetry=None))
