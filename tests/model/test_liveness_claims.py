"""What must happen in the shipped models: with the fairness that it needs, and not without; and the mistakes of the
past that keep it from happening. spec/*_live.toml has all of it, and the gate counts it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.liveness.questions import BITS, questions_of
from tidegate.explorer.search import Search
from tidegate.gates.records import read_record_file
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, find
from tidegate.language import judge
from tidegate.language.constants import Value
from tidegate.language.judge import initial_states
from tidegate.language.model import LIVENESS, Model
from tidegate.language.model_parts import PROPERTIES
from tidegate.language.steptext import format_step
from tidegate.language.verdict import Verdict

from ..conftest import ROOT
from ..support.pages import page_with_appendix
from ..support.shipped import bind_shipped

SMALL: dict[str, Value] = {
    "replicas": 2, "log_size": 1, "max_leader_epoch": 4, "isr_shrinks": 0, "fences": 0, "power_losses": 0, "crashes": 1,
}  # fmt: skip


def check_claims(model: Model, cache: Path, engine: str = "native") -> Verdict:
    return ENGINES[engine](model, Search(cache=cache, keep_going=True), None)


def words(verdict: Verdict) -> dict[str, str]:
    return {prop.name: prop.verdict for prop in verdict.properties}


@pytest.mark.parametrize("name", LIVENESS_CLAIMS)
def test_a_claim_has_all_of_its_model_and_liveness_alone(name: str) -> None:
    """And witnesses, that what a claim begins with happens within the bounds."""
    definition, own = find(name.removesuffix("_live"))[0], find(name)[0]
    assert own.names(*PROPERTIES) == own.names(*LIVENESS, "reachable")
    assert len(own.names(*LIVENESS)) >= (1 if name == "kraft_voters_live" else 3)  # KL3 is its one claim
    for role in ("initial", "action", "terminal"):
        assert own.names(role) == definition.names(role)
    assert own.profiles == definition.profiles
    assert LIVENESS_CLAIMS[name].default_profile == CATALOGUE[name.removesuffix("_live")].default_profile


@pytest.mark.parametrize("name", LIVENESS_CLAIMS)
def test_all_claims_of_a_model_are_asked_at_once_in_each_profile(name: str) -> None:
    """With its default sizes: what several claims ask of a state is one question."""
    definition = find(name)[0]
    profiles = {check.profile for check in read_record_file(ROOT / "spec" / f"{name}.toml").checks}
    for profile in profiles:
        questions = questions_of(definition.bind(profile=profile))
        assert 0 < len(questions.predicates) <= BITS


@pytest.mark.parametrize("name", LIVENESS_CLAIMS)
def test_each_claim_is_recorded_as_holding_and_as_failing(name: str) -> None:
    """Also what fails under fairness that is too weak, and where a mistake is made."""
    found: dict[str, set[str]] = {}
    for check in read_record_file(ROOT / "spec" / f"{name}.toml").checks:
        for prop, expected in check.properties.items():
            found.setdefault(prop, set()).add(expected.verdict)
    assert sorted(found) == sorted(find(name)[0].names(*LIVENESS, "reachable"))
    assert any("holds" in verdicts for verdicts in found.values())
    for witness in find(name)[0].names("reachable"):
        assert found[witness] == {"reached"}
    claims = find(name)[0].names(*LIVENESS)
    unbroken = {prop for prop in found if prop in claims and not found[prop] & {"violated", "undecided"}}
    alone = {
        prop for prop in unbroken if not any(other.startswith(beginning(prop)) for other in found if other != prop)
    }
    assert alone == set()


def beginning(claim: str) -> str:
    """What the names of a claim and of the same with less fairness begin with."""
    return "_".join(claim.split("_")[:3])


def test_a_partition_goes_on_and_both_engines_say_so(cache: Path) -> None:
    model = bind_shipped("partition_live:kafka_4_1", SMALL, ghosts=False)
    native, plain = (check_claims(model, cache, engine) for engine in ("native", "python"))
    assert words(native) == words(plain)
    assert native.distinct_states == plain.distinct_states
    violated = {name for name, word in words(native).items() if word == "violated"}
    assert "high_watermark_moves_on_without_fetches" in violated
    assert {name for name in violated if "_without_" not in name and "_though_" not in name} == {"accepts_writes_again"}
    headline = ("gets_a_leader", "high_watermark_moves_on", "acknowledged_is_readable_again", "writes_are_answered")
    assert {words(native)[name] for name in headline} == {"holds"}


def test_an_isolated_leader_leads_for_ever_without_check_quorum(cache: Path) -> None:
    """B59, KAFKA-15489. Time passes in the loop, or there is none: nothing that must happen makes the leader resign."""
    bounds: dict[str, Value] = {"max_epoch": 2, "max_records": 0, "crashes": 0}
    mistaken = bind_shipped("kraft_live:kafka_15489", bounds, ghosts=False)
    mistake = check_claims(mistaken, cache)
    mended = check_claims(bind_shipped("kraft_live:check_quorum", bounds, ghosts=False), cache)
    assert words(mended)["old_leader_goes"] == "holds"
    lasso = next(prop for prop in mistake.properties if prop.name == "old_leader_goes")
    assert lasso.verdict == "violated"
    assert lasso.run is not None
    assert lasso.loop is not None
    members = mistaken.namespace["Voter"]
    ((_, old),) = lasso.arguments
    for state in lasso.run.states()[lasso.loop :]:
        assert state.election[old].role.name == "LEADER"
        assert any(state.election[voter].epoch > state.election[old].epoch for voter in members)


def test_a_claim_of_each_member_may_have_an_open_number_of_them(cache: Path) -> None:
    definition, profile = find("kraft_live:check_quorum")
    bounds: dict[str, Value] = {"voters": 2, "max_epoch": 1, "max_records": 0, "crashes": 0}
    closed = definition.bind("kraft_live", bounds, profile, ghosts=False)
    opened = definition.bind("kraft_live", bounds, profile, ghosts=False, open=["voters"])
    assert words(check_claims(opened, cache)) == words(check_claims(closed, cache))


def test_a_member_that_sends_heartbeats_alone_keeps_the_group_from_getting_stable(cache: Path) -> None:
    """B89, KAFKA-12890. The coordinator waits for the assignment for ever; with a timeout of its own it does not."""
    bounds: dict[str, Value] = {
        "partitions": 1, "records": 0, "commits": 0, "failovers": 0, "max_generation": 6, "entries": 8,
        "appends_in_turn": True,
    }  # fmt: skip
    mistake = check_claims(bind_shipped("classic_group_live:kafka_12890", bounds, ghosts=False), cache)
    stuck = next(prop for prop in mistake.properties if prop.name == "gets_stable")
    assert stuck.verdict == "violated"
    assert stuck.run is not None
    last = stuck.run.states()[-1]
    (silent,) = last.paused
    assert last.phase[silent].name == "SYNCING"
    assert last.groups[last.newest].state.name == "COMPLETING_REBALANCE"
    mended = words(check_claims(bind_shipped("classic_group_live:eager", bounds, ghosts=False), cache))
    assert mended["gets_stable"] == "holds"
    assert mended["gets_stable_without_timeouts"] == "violated"


def test_a_server_that_hears_no_leader_and_is_heard_keeps_others_from_having_one(cache: Path) -> None:
    """B49, B50. The loop is of elections, in terms that are counted from the lowest; pre-vote ends it."""
    bounds: dict[str, Value] = {"client_values": 0, "crashes": 0, "cuts": 1, "max_term": 3}
    mistake = check_claims(bind_shipped("raft_live:timely", bounds, ghosts=False), cache)
    lasso = next(prop for prop in mistake.properties if prop.name == "somebody_leads_for_good")
    assert lasso.verdict == "violated"
    assert lasso.run is not None
    assert lasso.loop is not None
    states = lasso.run.states()[lasso.loop :]
    assert len({server for state in states for server in state.role if state.role[server].name == "LEADER"}) == 2
    for profile, word in {"timely_check_quorum": "violated", "timely_pre_vote": "holds"}.items():
        mended = check_claims(bind_shipped(f"raft_live:{profile}", bounds, ghosts=False), cache)
        assert words(mended)["somebody_leads_for_good"] == word


def test_a_leader_alone_answers_nobody_until_a_follower_fetches(cache: Path) -> None:
    """B31, KAFKA-13091: the record is above the high watermark of a leader that is the whole ISR."""
    bounds: dict[str, Value] = {**SMALL, "crashes": 0, "host_losses": 1, "isr_shrinks": 1, "min_isr": 1}
    stuck = check_claims(bind_shipped("partition_live:kafka_13091", bounds, ghosts=False), cache)
    claim = next(prop for prop in stuck.properties if prop.name == "writes_are_answered_though_nobody_returns")
    assert claim.verdict == "violated"
    assert claim.run is not None
    last = claim.run.states()[-1]
    (leader,) = last.registered.isr
    assert (last.high_watermark[leader], len(last.log[leader])) == (0, 1)
    mended = check_claims(bind_shipped("partition_live:kafka_4_1", bounds, ghosts=False), cache)
    assert words(mended)["writes_are_answered_though_nobody_returns"] == "holds"


@pytest.mark.parametrize(
    ("mistake", "repair", "claim", "bounds", "word"),
    [
        ("kafka_14154", "kafka_3_9", "leader_may_write_in_the_end", "one_expiry", "holds"),
        pytest.param(
            "kafka_2729", "kafka_2_6", "leader_knows_in_the_end", "returning", "undecided", marks=pytest.mark.long
        ),
    ],
)
def test_a_leader_that_cannot_write_its_isr_for_ever(
    mistake: str, repair: str, claim: str, bounds: str, word: str, cache: Path
) -> None:
    """B40, KAFKA-14154, and B39, KAFKA-2729: nothing happens any more, and the leader was refused, or is behind. With
    the second repair no run within the bounds is so, but some come to where a limit on versions stops elections."""
    recorded = read_record_file(ROOT / "spec/zk_controller_live.toml").bounds[bounds]
    constants: dict[str, Value] = {name: value for name, value in recorded.items() if not isinstance(value, str)}
    mistaken = bind_shipped(f"zk_controller_live:{mistake}", constants, ghosts=False)
    stuck = next(prop for prop in check_claims(mistaken, cache).properties if prop.name == claim)
    assert stuck.verdict == "violated"
    assert stuck.run is not None
    last = stuck.run.states()[-1]
    ((_, leader),) = stuck.arguments
    assert last.partition.leader == leader
    assert (leader in last.refused) == (mistake == "kafka_14154")
    assert (last.known[leader].version < last.partition.version) == (mistake == "kafka_2729")
    mended = bind_shipped(f"zk_controller_live:{repair}", constants, ghosts=False)
    answer = next(prop for prop in check_claims(mended, cache).properties if prop.name == claim)
    assert answer.verdict == word
    assert word == "holds" or answer.why.startswith("after a run of 6 steps a limit stops a step that must happen")


LOST = """join(A); receive_join(A); begin_generation(coordinator=0, leader=A); take_join_answer(A)
assign(member=A, target={P: A}); log_commits(0); answer_sync(A); take_assignment(A); process(member=A, partition=P)
commit(member=A, partition=P); accept_commit(Commit(source=A, to=0, generation=1, partition=P, offset=1))
fail_over(false)"""
"""A fail-over loses the append of an offset: its member has no answer, and nothing was committed."""


def test_a_commit_that_a_fail_over_loses_ends_what_is_claimed_of_commits_and_the_claim_says_so() -> None:
    """It said that a commit is committed or refused, and holds where a commit is lost."""
    sizes: dict[str, Value] = {"max_generation": 6, "partitions": 1, "entries": 8, "pauses": 0, "appends_in_turn": True}
    model = bind_shipped("classic_group_live:eager", sizes)
    claim = next(prop for prop in model.liveness if prop.name == "commits_are_answered")
    case, states = claim.cases[0], list(initial_states(model))[:1]
    assert case.when is not None
    for wanted in LOST.replace("\n", "; ").split("; "):
        states.append(
            next(
                step.state_after
                for step in judge.steps(model, states[-1])
                if format_step(step.action, step.arguments) == wanted
            )
        )
    names = [field.name for field in model.fields]
    under_way, lost = states[-2:]
    assert judge.holds(model, case.when, under_way) and not judge.holds(model, case.then, under_way)
    assert judge.holds(model, case.then, lost) and lost[names.index("confirmed")] == states[0][names.index("confirmed")]
    page = page_with_appendix("liveness.md")
    row = next(line for line in page.splitlines() if "`commits_are_answered`" in line)
    assert "lost in a fail-over" in claim.says and "lost in a fail-over" in row
