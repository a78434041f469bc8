"""Random walks: the same seed gives the same walks, what they find is real, and what they say of themselves is true.

Also of: `walk_kernel`, `walker`.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from tidegate.explorer.native.search import check as native
from tidegate.explorer.native.walk_kernel import LIKE_SLOTS, MODES, REGISTERS
from tidegate.explorer.native.walker import estimate_distinct
from tidegate.explorer.native.walks import check as walk
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Progress, Search, Strategy, Walks
from tidegate.explorer.shrink import shrink_run
from tidegate.invariants.catalogue import find
from tidegate.language.errors import ModelErrors, UsageError
from tidegate.language.judge import holds, replay
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ...conftest import Run
from ...support import random_models
from ...support.engines import MEMORY, ask_engine, bind_text, text_of
from ...support.shipped import tier_parameters

SLOW = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
STRATEGIES: tuple[Strategy, ...] = ("uniform", "swarm", "guided")
NODE = "class Node(Domain, size=3, symmetric=True):\n    '''A node.'''\n"
FIELDS = "table: Map[Node, Small]\ncount: Annotated[int, Range(0, 9)]"
START = "table=Map({n: 0 for n in Node})\ncount=0"
BODY = """
@action
def rise(s: World, node: Node) -> None:
    '''Rises.'''
    limit(s.table[node] < 3)
    s.table[node] += 1

@action
def count(s: World) -> None:
    '''Counts.'''
    limit(s.count < 9)
    s.count += 1

@action(kind="fault")
def fall(s: World, node: Node) -> None:
    '''Falls.'''
    require(s.table[node] > 1)
    s.table[node] = 0

@invariant
def together(s: World) -> bool:
    '''Never all in the middle at once.'''
    return not all(s.table[n] == 2 for n in Node)

@reachable
def counted(s: World) -> bool:
    '''Counted on.'''
    return s.count == 5
"""


def world(folder: Path, body: str = BODY, **options: Any) -> Model:
    """A small model."""
    return bind_text(folder, text_of(FIELDS, START, body, before=NODE), **options)


KEPT: list[Path] = []
WALKS: dict[str, Any] = {"number": 300, "depth": 30}


@pytest.fixture(autouse=True)
def shared_kernels(cache: Path) -> None:
    """Kernels are compiled once."""
    KEPT[:] = [cache]


def walk_model(model: Model, **asked_: Any) -> Verdict:
    """A verdict by walks; `workers`, `seed`, `keep_going` and `seconds` go to the search, the rest to the walks."""
    search = {name: asked_.pop(name) for name in ("workers", "seed", "keep_going", "seconds") if name in asked_}
    return walk(model, Search(walks=Walks(**(WALKS | asked_)), cache=KEPT[0], **search))


def comparable_report(verdict: Verdict) -> Any:
    """What must not depend on the number of workers."""
    runs = {prop.name: (prop.verdict, prop.run) for prop in verdict.properties}
    return verdict.verdict, verdict.outcome, verdict.assurance, runs, verdict.failure


def counts(verdict: Verdict) -> Any:
    """What a search that ran to its end counted."""
    return verdict.distinct_states, verdict.transitions, verdict.depth, verdict.actions


# --- the same walks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_seed_gives_the_same_walks_on_any_number_of_workers(tmp_path: Path, strategy: Strategy) -> None:
    model = world(tmp_path)
    one, *others = [
        walk_model(model, strategy=strategy, seed=7, workers=workers, keep_going=True) for workers in (1, 1, 2, 5)
    ]
    for other in others:
        assert comparable_report(other) == comparable_report(one)
        assert counts(other) == counts(one)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_first_failure_does_not_depend_on_workers(strategy: Strategy) -> None:
    definition, profile = find("replication:kip101")
    bounds = {"log_size": 3, "max_records": 3, "max_leader_epoch": 3}
    model = definition.bind(profile=profile, constants=bounds, ghosts=False, properties=["strong_isr"])
    one, two = (walk_model(model, strategy=strategy, seed=3, number=20_000, workers=workers) for workers in (1, 2))
    assert one.outcome == "safety"
    violated = [[prop for prop in verdict.properties if prop.verdict == "violated"] for verdict in (one, two)]
    assert violated[0] == violated[1]


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.long), 2])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_long_walks_go_on_with_the_fast_kernel_and_are_the_same(
    strategy: Strategy, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    KEPT[:] = [tmp_path / "kernels"]
    model = world(tmp_path)
    verdicts, made = list[Verdict](), list[int]()
    for long in (1 << 62, 2_000, 0):
        monkeypatch.setattr("tidegate.explorer.native.walks.LONG_WALKS", long)
        verdicts.append(walk_model(model, strategy=strategy, seed=7, workers=workers, keep_going=True))
        made.append(len(list(KEPT[0].glob("*.o"))))
    assert made == [1, 2, 2], "the quick kernel; that and the fast one; the fast one is at hand"
    assert (verdicts[0].transitions or 0) > 2_000
    for other in verdicts[1:]:
        assert (comparable_report(other), counts(other)) == (comparable_report(verdicts[0]), counts(verdicts[0]))


def test_another_seed_gives_other_walks(tmp_path: Path) -> None:
    model = world(tmp_path)
    assert len({counts(walk_model(model, seed=seed, keep_going=True)) for seed in range(5)}) > 1


def test_an_open_constant_changes_nothing() -> None:
    definition, profile = find("replication:kip320")
    folded, opened = (definition.bind(profile=profile, ghosts=False, open=names) for names in ((), ("max_records",)))
    one, other = (walk_model(model, strategy="uniform") for model in (folded, opened))
    assert (one.transitions, one.depth, one.actions) == (other.transitions, other.depth, other.actions)


# --- what they find is real -------------------------------------------------------------------------------------------


def test_a_violation_is_a_run_that_plain_python_takes(tmp_path: Path) -> None:
    model = world(tmp_path)
    verdict = walk_model(model, number=5000)
    (broken,) = [prop for prop in verdict.properties if prop.name == "together"]
    assert (verdict.verdict, verdict.outcome, broken.verdict) == ("violated", "safety", "violated")
    assert verdict.assurance == "a counterexample, replayed in plain Python"
    assert broken.run is not None
    again = replay(model, broken.run.start, [(step.action, step.arguments) for step in broken.run.steps])
    assert again == broken.run
    (together,) = [prop for prop in model.properties if prop.name == "together"]
    assert shrink_run(model, broken.run, together) == broken.run, "it is shrunk already"
    *before, last = broken.run.states()
    assert not holds(model, together, last)
    assert all(holds(model, together, state) for state in before)


def test_a_transition_property_is_judged_on_every_step_that_could_be_taken(tmp_path: Path) -> None:
    body = BODY + "\n@transition\ndef up(before: World, after: World) -> bool:\n    '''Up.'''\n"
    model = world(tmp_path, body + "    return all(after.table[n] >= before.table[n] for n in Node)\n")
    verdict = walk_model(model, keep_going=True)
    (up,) = [prop for prop in verdict.properties if prop.name == "up"]
    assert up.verdict == "violated"
    assert up.run is not None
    assert up.run.steps[-1].action == "fall"


def test_a_deadlock_is_found_and_a_limit_is_none(tmp_path: Path) -> None:
    stuck = world(
        tmp_path, BODY.replace("limit(s.count < 9)", "require(s.count < 9)").replace("limit(s.t", "require(s.t")
    )
    quiet = world(tmp_path, BODY.replace("== 2 for", "== 2 and False for"))
    assert walk_model(stuck, depth=60, number=3000, strategy="uniform").outcome in ("deadlock", "safety")
    lonely = world(
        tmp_path,
        BODY.replace("limit(s.count < 9)", "require(s.count < 9)")
        .split("@action(kind")[0]
        .replace("limit(s.table[node] < 3)", "require(s.table[node] < 3)"),
    )
    found = walk_model(lonely)
    assert found.outcome == "deadlock"
    assert found.failure is not None
    assert len(found.failure.run.steps) == 18
    assert walk_model(quiet).outcome == "none"


def test_a_step_that_breaks_the_model_is_found(tmp_path: Path) -> None:
    verdict = walk_model(world(tmp_path, BODY.replace("    limit(s.count < 9)\n", "")), number=2000)
    assert verdict.outcome in ("model_error", "safety")
    alone = walk_model(world(tmp_path, BODY.replace("    limit(s.count < 9)\n", "").split("@invariant")[0]))
    assert alone.outcome == "model_error"
    assert alone.failure is not None
    assert (alone.failure.action, alone.failure.message) == ("count", "count: 10 is outside 0..9")


def test_keep_going_gives_every_property_its_first_run(tmp_path: Path) -> None:
    body = BODY + "\n@invariant\ndef few(s: World) -> bool:\n    '''Few.'''\n    return s.count < 4\n"
    verdict = walk_model(world(tmp_path, body), keep_going=True, number=5000)
    words = {prop.name: prop.verdict for prop in verdict.properties}
    assert words == {"together": "violated", "counted": "reached", "few": "violated"}


# --- against exhaustion -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", tier_parameters(STRATEGIES, lambda strategy: strategy == STRATEGIES[0]))
def test_walks_see_much_of_what_there_is_and_nothing_else(strategy: Strategy) -> None:
    definition, profile = find("replication:kip320")
    model = definition.bind(profile=profile, ghosts=False)
    exact = native(model, Search()).distinct_states or 0
    verdict = walk_model(model, number=100_000, depth=60, strategy=strategy)
    assert 0.4 * exact < (verdict.distinct_states or 0) < 1.06 * exact
    assert sum(action.firings for action in verdict.actions) == verdict.transitions


FALSE = """
@invariant
def on(s: World) -> bool:
    '''On.'''
    return s.count > 0
"""


def test_a_property_that_is_false_at_the_start_ends_with_a_run_of_no_steps(tmp_path: Path) -> None:
    verdict = walk_model(world(tmp_path, BODY + FALSE))
    (violated,) = [prop for prop in verdict.properties if prop.verdict == "violated"]
    assert violated.name == "on"
    assert violated.run is not None and not violated.run.steps


@pytest.mark.parametrize("examples", tier_parameters((3, 12), lambda examples: examples == 3))
def test_on_random_models_walks_find_only_what_exhaustion_finds(
    examples: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    @settings(max_examples=examples, suppress_health_check=SLOW, phases=[Phase.generate])
    @given(random_models.texts(), st.sampled_from(STRATEGIES), st.integers(0, 2**40))
    def try_one(text: str, strategy: Strategy, seed: int) -> None:
        only_what_exhaustion_finds(tmp_path_factory.mktemp("random"), text, strategy, seed)

    try_one()


def only_what_exhaustion_finds(folder: Path, text: str, strategy: Strategy, seed: int) -> None:
    """Walks of a model violate, reach and fire nothing that the exhaustive search does not."""
    try:
        model = bind_text(folder, text)
    except ModelErrors:
        reject()
    exact = ask_engine(native, model, Search(keep_going=True, memory_bytes=MEMORY))
    search = Search(keep_going=True, seed=seed, walks=Walks(number=200, depth=20, strategy=strategy))
    sampled = ask_engine(walk, model, search)
    if isinstance(exact, str) or isinstance(sampled, str):
        assert exact == sampled
        return
    if exact.verdict == "inconclusive" or exact.outcome == "model_error":
        return  # a broken model ends the search at its first broken step; walks meet another one first
    assert sampled.outcome != "model_error"
    words = {prop.name: prop.verdict for prop in exact.properties}
    for prop in sampled.properties:
        if prop.verdict in ("violated", "reached"):
            assert words[prop.name] == prop.verdict
            assert prop.run is not None
    fired = {action.name for action in exact.actions if action.firings}
    assert {action.name for action in sampled.actions if action.firings} <= fired


# --- what they say of themselves --------------------------------------------------------------------------------------


def test_the_assurance_says_how_much_was_sampled(tmp_path: Path) -> None:
    model = world(tmp_path, BODY.split("@invariant")[0])
    verdict = walk_model(model, number=1234, depth=17, seed=5, strategy="swarm")
    assert (verdict.verdict, verdict.outcome) == ("holds", "none")
    assert verdict.assurance == "sampled 1,234 walks of depth 17, seed 5"
    assert verdict.depth == 18
    assert verdict.notes[0].startswith(f"swarm walks: {verdict.transitions:,} steps, the longest walk 17; about ")


def test_time_as_the_goal_is_a_sample_and_time_as_a_limit_is_undecided(tmp_path: Path) -> None:
    model = world(tmp_path, BODY.split("@invariant")[0])
    goal, cut = (walk_model(model, number=number, seconds=0.3) for number in (None, 10**12))
    assert (goal.verdict, cut.verdict) == ("holds", "inconclusive")
    assert cut.assurance == "none: the time limit of 0.3 s was reached"


def test_progress_is_reported(tmp_path: Path) -> None:
    reported_: list[Progress] = []
    model = world(tmp_path, BODY.split("@invariant")[0])
    walk(model, Search(cache=KEPT[0], walks=Walks(number=1000)), reported_.append)
    assert reported_[-1].walks == 1000


def test_an_unknown_field_is_reported_with_what_is_near(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no field tabel; did you mean table"):
        walk_model(world(tmp_path), fields=("tabel",))


def test_novel_fields_change_the_walks_and_not_their_truth(tmp_path: Path) -> None:
    model = world(tmp_path)
    plainly, choosily = (walk_model(model, keep_going=True, fields=fields) for fields in ((), ("table",)))
    assert counts(plainly) != counts(choosily)
    exact = plain(model, Search(keep_going=True))
    assert (choosily.distinct_states or 0) <= 1.06 * (exact.distinct_states or 0)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 60_000), st.integers())
def test_the_estimate_is_near(many: int, seed: int) -> None:
    chosen = random.Random(seed)
    registers = [0] * REGISTERS
    for _ in range(many):
        word = chosen.getrandbits(64)
        rank = 53 - ((word & (1 << 52) - 1) >> 0).bit_length()
        registers[word >> 52] = max(registers[word >> 52], rank)
    assert abs(estimate_distinct(registers) - many) <= max(5, 0.08 * many)


def test_numbers_that_the_driver_and_the_machine_share() -> None:
    assert list(MODES) == list(STRATEGIES)
    assert LIKE_SLOTS == 1 << (64 - 52)
    assert REGISTERS == 1 << (64 - 52)


# --- on the command line ----------------------------------------------------------------------------------------------


def test_a_sampled_pass_and_a_failure_on_the_command_line(tidegate: Run) -> None:
    passed = tidegate("check", "replication", "--engine", "walk", "--walks", "500", "--seed", "3", "--json")
    document = json.loads(passed.out)
    assert passed.exit == 0
    assert document["assurance"] == "sampled 500 walks of depth 100, seed 3"
    failed = tidegate("check", "replication:kip101", "--engine", "walk", "--property", "strong_isr",
        "--set", "max_leader_epoch=3", "--set", "log_size=3", "--set", "max_records=3")  # fmt: skip
    assert failed.exit == 1
    assert "walk engine:" in failed.out
    assert "note: found in walk" in failed.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--walks", "3"), "--walks is for --engine walk"),
        (("--strategy", "swarm"), "--strategy is for --engine walk"),
        (("--engine", "walk", "--symmetry"), "--symmetry is for engines that keep the states they saw"),
        (("--engine", "walk", "--novel", "log", "--strategy", "swarm"), "--novel is for --strategy guided, not swarm"),
        (("--engine", "walk", "--novel", "lgo"), "has no field lgo; did you mean log"),
        (("--engine", "walk", "--walks", "0"), "'0' is not a number from 1"),
        (("--engine", "walk", "--seed", "-1"), "'-1' is not a number from 0"),
    ],
)
def test_what_cannot_be_asked(tidegate: Run, arguments: tuple[str, ...], message: str) -> None:
    refused = tidegate("check", "replication", *arguments)
    assert refused.exit == 64
    assert message in refused.err
