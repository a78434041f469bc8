"""Published TLA+ models, written anew in the language: their counts are those that TLC publishes for them.

The models are after tlaplus/Examples; the counts are those of its manifests. TLC counts initial states among the steps.
The manifest has no count for EWD998: TLC's own for the present text is used (its authors' 1.3 million, depth 60, are
of an earlier one). Its depth for the spanning tree is 6: TLC gives more than the shortest where several workers search;
5 is that of a search written by hand in plain Python, which has the manifest's states and steps. Nor has it one for the
distributed log, whose check ends with a liveness property that fails: within our own bound on a log's length the count
is ours, and the one of its VIEW is that of all triples of 0 to 3 of which one is 0. The simple ring ends where TLA+
has a step that changes nothing, of which TLC counts 31; so do Nano's ledgers, of which it counts 2,820.
TLC counts 54 steps out of each state of the monotonic counters, for each pair of nodes two of one node and twice two of
both; there are 24. Their depth, and that of the Disruptor, is that of what lies beyond the constraint.
The manifest has no counts for the store with transactions, EWD 687a and Dijkstra's mutual exclusion: they are TLC's,
for the store with two transactions. The transitive closure has no behaviour there, but an assumption. TLC counts in
EWD 687a the rest of who rests already, and in the broadcast each way to one step. Nor has the manifest one for the
checkpoints: it is TLC's, of three nodes and two indices; TLC counts a timeout for each node that has the request, and a
lease that is replaced for each reason. The bakery's there begins in any state of its invariant; TLC's count is that of
its behaviours, with numbers up to 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tidegate.explorer.native.effort import FULL_EFFORT, QUICK_EFFORT, CompileEffort
from tidegate.explorer.native.search import check
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Search
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.language.binding import load
from tidegate.language.model import Model

from ..conftest import ROOT
from ..support.engines import agree_on, compile_model, reachable_states
from ..support.shipped import tier_parameters

PUBLISHED = ROOT / "examples" / "published"


@dataclass(frozen=True)
class Count:
    """A published result: distinct states within the bound, steps (None where TLC counts a step several times), depth
    of the search."""

    name: str
    states: int
    steps: int | None
    depth: int
    symmetry: bool = False
    constants: dict[str, int] = field(default_factory=dict[str, int])
    large: bool = False


COUNTS = [
    Count("cigarette_smokers", 6, 12, 2),
    Count("lamport_mutex", 724_274, 2_729_078, 62, large=True),
    Count("paxos", 1_207, None, 22, symmetry=True),
    Count("ewd998", 1_520_618, None, 59, constants={"messages": 3}, large=True),
    Count("voting", 77, None, 11, symmetry=True),
    Count("chameneos", 34_534, 104_616, 13),
    Count("async_termination_detection", 4_097, 53_254, 14),
    Count("inner_fifo", 3_864, 9_624, 12),
    Count("ewd840", 302, None, 9),
    Count("two_phase_commit", 288, 1_145, 11),
    Count("token_ring", 46_656, 202_176, 1),
    Count("readers_writers", 21_527, 59_673, 13),
    Count("chang_roberts", 137, 219, 10),
    Count("prisoners", 214, 856, 14),
    Count("simple_allocator", 400, 1_632, 6),
    Count("coffee_can", 5_150, 14_852, 1),
    Count("moving_cat", 30, 48, 1),
    Count("single_lane_bridge", 3_605, None, 29),
    Count("majority_vote", 2_733, 2_367, 6),
    Count("spanning_tree", 1_236, 10_277, 5),
    Count("simple_ring", 723, 1_810, 11),
    Count("game_of_life", 65_536, 65_536, 1),
    Count("single_switch", 16, 48, 5),
    Count("distributed_replicated_log", 397, 2_868, 14),
    Count("nano_blockchain", 3_003, 3_262, 7),
    Count("atomic_commitment", 3_016, None, 7),
    Count("internal_memory", 4_408, 21_392, 10),
    Count("least_rotation", 8_554, 8_554, 95),
    Count("monotonic_counters", 25_000, 600_000, 17),
    Count("quicksort", 4_548, 11_103, 9),
    Count("write_through_cache", 5_196, 28_168, 18),
    Count("barrier", 64, 193, 7),
    Count("barriers", 29_279, 104_514, 93),
    Count("bcast_byz", 14_424, None, 7),
    Count("disruptor_spmc", 8_496, 28_048, 83),
    Count("disruptor_mpmc", 14_365, 44_580, 62),
    Count("key_value_store", 28_305, 314_964, 17),
    Count("ewd687a", 18_028, None, 27),
    Count("slush", 274_678, 1_621_538, 43, large=True),
    Count("dijkstra_mutex", 90_882, 282_807, 54),
    Count("transitive_closure", 512, 341, 1, large=True),
    Count("checkpoint_coordination", 34_380, None, 20, symmetry=True, constants={"nodes": 3, "indices": 2}),
    Count("bakery", 36_038, 281_279, 39, constants={"numbers": 5}),
    Count("fast_paxos", 25_617, 320_052, 22, symmetry=True, large=True),
]


def bind_model(count: Count) -> Model:
    """The model with its constants."""
    return load(PUBLISHED / f"{count.name}.py").bind(constants=count.constants)


def test_every_model_is_counted() -> None:
    assert {count.name for count in COUNTS} == {path.stem for path in PUBLISHED.glob("*.py")}


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(count, marks=[pytest.mark.long] if count.large or count in COUNTS[1::2] else [], id=count.name)
        for count in COUNTS
    ],
)
def test_published_counts(count: Count, cache: Path) -> None:
    verdict = check(bind_model(count), Search(symmetry=count.symmetry, cache=cache), None)
    within = (verdict.distinct_states or 0) - (verdict.states_beyond or 0)
    assert (verdict.verdict, within, verdict.depth) == ("holds", count.states, count.depth)
    assert count.steps in (None, verdict.transitions)


@pytest.mark.parametrize(
    ("name", "constants", "states", "within"),
    [("lamport_mutex", {"clocks": 3}, 19_267, 10_209), ("ewd998", {"messages": 1}, 50_733, 19_474)],
)
def test_smaller_bounds_of_large_models(
    name: str, constants: dict[str, int], states: int, within: int, cache: Path
) -> None:
    """Counts of our own, where the published ones take longer."""
    verdict = check(load(PUBLISHED / f"{name}.py").bind(constants=constants), Search(cache=cache), None)
    assert (verdict.verdict, verdict.distinct_states) == ("holds", states)
    assert (verdict.distinct_states or 0) - (verdict.states_beyond or 0) == within


@pytest.mark.parametrize(
    ("name", "constants", "states", "steps"),
    [("moving_cat", {"boxes": 6}, 48, 80), ("single_switch", {"light_known": False}, 62, 186)],
)
def test_further_published_counts(name: str, constants: dict[str, int], states: int, steps: int, cache: Path) -> None:
    verdict = check(load(PUBLISHED / f"{name}.py").bind(constants=constants), Search(cache=cache), None)
    assert (verdict.verdict, verdict.distinct_states, verdict.transitions) == ("holds", states, steps)


@pytest.mark.long
def test_the_disruptor_with_three_readers(cache: Path) -> None:
    model = load(PUBLISHED / "disruptor_mpmc.py").bind(constants={"readers": 3})
    verdict = check(model, Search(cache=cache), None)
    within = (verdict.distinct_states or 0) - (verdict.states_beyond or 0)
    assert (verdict.verdict, within, verdict.transitions) == ("holds", 112_929, 422_780)


def test_a_leader_that_replaces_its_own_lease_lets_two_nodes_take_a_checkpoint(cache: Path) -> None:
    """The failing configuration of the checkpoints, of which TLC finds as many steps."""
    constants = {"nodes": 3, "replaces_own_lease": True}
    model = load(PUBLISHED / "checkpoint_coordination.py").bind(constants=constants)
    verdict = check(model, Search(symmetry=True, cache=cache), None)
    found = {prop.name: len(prop.run.steps) for prop in verdict.properties if prop.verdict == "violated" and prop.run}
    assert found == {"one_at_a_time": 11}


@pytest.mark.parametrize("processes", [2, pytest.param(3, marks=pytest.mark.long)])
def test_the_bakery_is_proved_by_its_published_invariant(processes: int) -> None:
    definition = load(PUBLISHED / "bakery.py")
    model = definition.bind(constants={"processes": processes})
    proof = Induction(definition, model, ProofRequest()).prove(lambda _: None)
    assert proof.word == "proved" and proof.standing() == {"mutual_exclusion": "proved"}


def test_a_bakery_that_does_not_heed_flags_is_refuted(tmp_path: Path) -> None:
    text = (PUBLISHED / "bakery.py").read_text(encoding="utf-8")
    heedless = text.replace("require(q in s.unchecked[p] and not s.flag[q])", "require(q in s.unchecked[p])")
    assert heedless != text
    (tmp_path / "heedless.py").write_text(heedless, encoding="utf-8")
    definition = load(tmp_path / "heedless.py")
    proof = Induction(definition, definition.bind("heedless"), ProofRequest()).prove(lambda _: None)
    assert proof.word == "refuted"
    assert {it.obligation.action for it in proof.findings if it.word == "refuted"} == {"look_at"}


@pytest.mark.parametrize(("servers", "lag"), [(2, 3), (3, 3), (3, 2)])
def test_a_published_view_keeps_one_state_for_each_value(servers: int, lag: int) -> None:
    """Logs without end, of which TLC's VIEW keeps what is beyond the common beginning."""
    definition = load(PUBLISHED / "distributed_replicated_log.py")
    verdict = plain(
        definition.bind(constants={"servers": servers, "lag": lag}), Search(projection="beyond_what_all_have"), None
    )
    assert (verdict.verdict, verdict.distinct_states) == ("inconclusive", (lag + 1) ** servers - lag**servers)
    assert not any(
        guard.is_limit and guard.evaluations > guard.passes for action in verdict.actions for guard in action.guards
    )


@pytest.mark.parametrize(
    ("hashes", "states", "steps", "depth"),
    [(3, 3_003, 3_262, 7), pytest.param(4, 530_587, 612_078, 11, marks=pytest.mark.long)],
)
def test_a_published_view_in_native_code(hashes: int, states: int, steps: int, depth: int, cache: Path) -> None:
    """TLC's VIEW of Nano's ledgers, with its counts. Without it there are 552,991 states of four hashes."""
    model = load(PUBLISHED / "nano_blockchain.py").bind(constants={"hashes": hashes})
    verdict = check(model, Search(projection="ledgers_and_mail", cache=cache), None)
    assert (verdict.verdict, verdict.distinct_states, verdict.depth) == ("inconclusive", states, depth)
    assert verdict.transitions == steps


@pytest.mark.parametrize(
    "effort",
    tier_parameters((QUICK_EFFORT, FULL_EFFORT), lambda effort: effort is QUICK_EFFORT, lambda effort: effort.name),
)
@pytest.mark.parametrize("count", tier_parameters(COUNTS, COUNTS[::2].__contains__, lambda count: count.name))
def test_plain_python_agrees(count: Count, effort: CompileEffort) -> None:
    native = compile_model(bind_model(count), effort=effort)
    agree_on(native, reachable_states(native.model, 20, seed=3))
    native.frontier.close()
