"""Liveness of published models: what TLC says of them, and of one the loop that it finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.bench.liveness import answer_with_guards
from tidegate.explorer.native.search import check
from tidegate.explorer.search import Search
from tidegate.language.binding import load
from tidegate.language.constants import Value
from tidegate.language.steptext import format_step
from tidegate.language.verdict import PropertyVerdict, Verdict

from ...conftest import ROOT

CLAIMS = {
    "dining_philosophers": """
@always_eventually(weak(look, eat, think, each="seat"))
def nobody_starves(s: Table, seat: Seat) -> bool:
    '''Each philosopher eats again and again, as each goes on.'''
    return not s.hungry[seat]


@always_eventually(weak(think, each="seat"))
def fails_if_philosophers_stop(s: Table, seat: Seat) -> bool:
    '''Each philosopher eats again and again, though a philosopher may stop with the forks.'''
    return not s.hungry[seat]
""",
    "peterson": """
def gets_in(s: Memory, process: Process) -> bool:
    '''It is inside.'''
    return is_inside(s, process)


@leads_to(gets_in, weak(raise_flag, give_way, enter, work, leave, each="process"))
def wants_leads_to_inside(s: Memory, process: Process) -> bool:
    '''Who wants in gets in.'''
    return s.at[process] == NextStep.RAISE_FLAG


@leads_to(gets_in, weak(want, each="process"))
def fails_if_processes_stop(s: Memory, process: Process) -> bool:
    '''Who wants in gets in, though a process may stop on the way.'''
    return s.at[process] == NextStep.RAISE_FLAG
""",
    "published/ewd840": """
def is_known(s: Ring) -> bool:
    '''Termination is detected.'''
    return may_announce(s)


@leads_to(is_known, weak(initiate_probe, pass_token))
def termination_is_detected(s: Ring) -> bool:
    '''Once everyone is idle, this is detected.'''
    return all(not s.active[node] for node in range(nodes))


@leads_to(is_known, weak(deactivate))
def fails_if_the_token_rests(s: Ring) -> bool:
    '''Once everyone is idle, this is detected, though the token need not go on.'''
    return all(not s.active[node] for node in range(nodes))
""",
    "published/ewd998": """
def is_known(s: Ring) -> bool:
    '''Termination is detected.'''
    return may_announce(s)


@leads_to(is_known, weak(initiate_probe, pass_token))
def termination_is_detected(s: Ring) -> bool:
    '''Once everyone is idle and nothing is on its way, this is detected.'''
    return all(not s.active[node] and s.pending[node] == 0 for node in Node)
""",
}
"""Properties as the modules of the same names state them (tlaplus/Examples), each beside one without its fairness."""


def with_claims(name: str, folder: Path, **constants: int) -> Verdict:
    text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    words = "always_eventually, leads_to, weak"
    first = "from tidegate.language import"
    assert first in text
    path = folder / f"{Path(name).name}.py"
    path.write_text(text.replace(first, f"{first} {words}\n{first}", 1) + CLAIMS[name], encoding="utf-8")
    names = [prop.split("(")[0].strip() for prop in CLAIMS[name].split("def ")[1:]]
    model = load(path).bind(
        constants=constants, properties=[name for name in names if name not in ("gets_in", "is_known")]
    )
    return check(model, Search(keep_going=True, deadlocks=False), None)


TLC_OF_REPLICATION = {
    "leader_is_informed_without_fairness": "violated",
    "leader_is_informed_with_one": "holds",
    "leader_is_informed_with_five": "holds",
    "leader_is_followed_with_five": "holds",
    "high_watermark_moves_with_three": "violated",
    "high_watermark_moves_with_five": "violated",
    "all_is_written": "violated",
}
"""What TLC says of `bench/replication_claims.py`, of the published module, at each of the sizes below."""


@pytest.mark.parametrize(
    ("states", "size"),
    [
        (957, (2, 2, 2, 1)),
        *(
            pytest.param(states, size, marks=pytest.mark.long)
            for states, size in ((5_973, (2, 2, 2, 2)), (6_787, (3, 1, 1, 1)), (39_619, (3, 2, 2, 1)))
        ),
    ],
)
def test_what_tlc_says_of_the_published_replication(states: int, size: tuple[int, ...], cache: Path) -> None:
    """With its own fairness. A limit is a guard in TLC: what is undecided here because of one holds or is violated
    there. Writes are fair, and limited, so that of all that takes the five for granted nothing is decided."""
    names = ("replicas", "log_size", "max_records", "max_leader_epoch")
    constants = dict[str, Value](zip(names, size, strict=True))
    model = load(ROOT / "bench/replication_claims.py").bind(constants=constants, profile="kip320", ghosts=False)
    verdict = check(model, Search(keep_going=True, deadlocks=False, cache=cache), None)
    found = words_of(verdict)
    assert verdict.distinct_states == states
    assert {"weak_isr": "holds", "strong_isr": "holds"}.items() <= found.items()
    assert {prop.name: answer_with_guards(prop) for prop in verdict.properties if prop.name in TLC_OF_REPLICATION} == (
        TLC_OF_REPLICATION
    )
    undecided = {prop.name: prop.why for prop in verdict.properties if prop.verdict == "undecided"}
    assert undecided.keys() == {name for name in TLC_OF_REPLICATION if name.endswith("_with_five")}
    assert all("a limit stops a step that must happen" in why and "write(" in why for why in undecided.values())


OF_GROUPS = """
from __future__ import annotations
from tidegate.invariants.studies.consumer_group_published.live import has_not_converged
from tidegate.language import leads_to, weak, limits_of
from tidegate.model.studies import consumer_group_published
from tidegate.model.studies.consumer_group_published import has_converged as has_converged
from tidegate.model.studies.consumer_group_published.protocol import (
    complete_leave, complete_reconciliation, receive_answer, receive_refusal, send_heartbeat
)
from tidegate.model.studies.consumer_group_published.protocol import (
    dead_member_expires, fence, receive_heartbeat, receive_heartbeat_and_assign, receive_leave, refuse_unknown,
    start_to_leave
)
from tidegate.model.studies.consumer_group_published.state import Group, is_converged

modules = consumer_group_published.modules
profiles = consumer_group_published.profiles
view = consumer_group_published.view


def has_target(s: Group) -> bool:
    '''All have what the target says.'''
    return is_converged(s)


@leads_to(
    has_target,
    weak(send_heartbeat, each="client"),
    weak(receive_refusal, each="client"),
    weak(receive_answer, each="client"),
    weak(complete_reconciliation, each="client"),
    weak(complete_leave, each="client"),
    weak(receive_heartbeat, receive_heartbeat_and_assign, each="client"),
    weak(receive_leave, each="client"),
    weak(refuse_unknown, fence, each="client"),
    weak(dead_member_expires),
    limits_of(start_to_leave),
)
def eventually_converges(s: Group) -> bool:
    '''EventuallyConverges, as the module has it.'''
    return has_not_converged(s)
"""


@pytest.mark.parametrize(
    ("clients", "perturbations", "word", "states"), [(2, 0, "holds", 4_009), (1, 1, "violated", 388)]
)
def test_what_tlc_says_of_the_published_consumer_groups(
    clients: int, perturbations: int, word: str, states: int, cache: Path, tmp_path: Path
) -> None:
    """The module's LivenessSpec and EventuallyConverges: where the only client may leave, nobody converges any more.
    TLC ends at that violation, and has no count of all states then."""
    path = tmp_path / "groups.py"
    path.write_text(OF_GROUPS, encoding="utf-8")
    constants: dict[str, Value] = {
        "clients": clients, "topics": 1, "partitions": 1, "perturbations": perturbations
    }  # fmt: skip
    model = load(path).bind(constants=constants, profile="published", ghosts=False, properties=["eventually_converges"])
    verdict = check(model, Search(keep_going=True, deadlocks=False, cache=cache), None)
    assert (words_of(verdict), verdict.distinct_states) == ({"eventually_converges": word}, states)


def words_of(verdict: Verdict) -> dict[str, str]:
    return {prop.name: prop.verdict for prop in verdict.properties}


@pytest.mark.parametrize("name", ["dining_philosophers", "peterson", "published/ewd840"])
def test_what_tlc_says_of_classics(name: str, tmp_path: Path) -> None:
    verdict = with_claims(name, tmp_path)
    found = words_of(verdict)
    assert verdict.distinct_states == {"dining_philosophers": 67, "peterson": 42}.get(name, verdict.distinct_states)
    assert {word for prop, word in found.items() if prop.startswith("fails_if")} == {"violated"}
    assert {word for prop, word in found.items() if not prop.startswith("fails_if")} == {"holds"}


def test_the_alternating_bit_has_tlcs_states_and_its_loop(cache: Path) -> None:
    """MCAlternatingBit has 240 states; its `PermanentBitDisagreement` fails with a bit sent back and received."""
    model = load(ROOT / "examples/liveness/alternating_bit.py").bind()
    verdict = check(model, Search(keep_going=True, cache=cache), None)
    assert verdict.distinct_states == 240
    assert words_of(verdict) == {
        "sent_is_received": "holds",
        "sent_is_received_if_weakly_fair": "violated",
        "bits_differ_for_good": "violated",
    }
    loop = next(prop for prop in verdict.properties if prop.name == "bits_differ_for_good")
    assert _steps(loop) == ["acknowledge", "receive_bit_back"]
    assert loop.loop == 0


def _steps(prop: PropertyVerdict) -> list[str]:
    assert prop.run is not None
    return [format_step(step.action, step.arguments) for step in prop.run.steps]


@pytest.mark.long
def test_safras_algorithm_detects_termination(tmp_path: Path) -> None:
    """TLC has 19,474 states within the constraint; those beyond it, which it does not count, are here too."""
    verdict = with_claims("published/ewd998", tmp_path, messages=1)
    assert (verdict.distinct_states, words_of(verdict)) == (50_733, {"termination_is_detected": "undecided"})
    assert [answer_with_guards(prop) for prop in verdict.properties] == ["holds"], (
        "as TLC says: the constraint is a guard to it"
    )
    assert 50_733 - (verdict.states_beyond or 0) == 19_474
