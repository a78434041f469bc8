"""The refinements that ship with Tidegate: which model implements which, and that bugs planted in the models are
found."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import REFINEMENTS, find
from tidegate.language.binding import load
from tidegate.language.verdict import PropertyVerdict

from ..conftest import ROOT
from ..support.mutants import PLANTED, Mutant, plant
from ..support.shipped import tier_parameters, tiered_rows

CHECKS = {
    check.name: check for name in REFINEMENTS for check in read_record_file(ROOT / "spec" / f"{name}.toml").checks
}
"""What is recorded of each refinement."""

ORDINARY = [
    "replication_as_log:kip320 published, symmetric, ghosts",
    "replication_as_log:kip101 published, symmetric, ghosts, as_log violated",
    "raft_as_leadership:forgotten_votes one_term, symmetric, ghosts, as_leadership violated",
    "kraft_as_exchanges:kip595 timely_two",
    "kraft_as_exchanges:kip595 timely named_by_peers=false, as_exchanges violated",
    "kraft_as_leadership:lost_votes one_epoch, symmetric, ghosts, as_leadership violated",
    "raft_as_exchanges:paper late, symmetric, ghosts, as_exchanges violated",
    "raft_as_exchanges:paper two_servers, symmetric, ghosts, as_exchanges violated",
    "raft_as_exchanges:paper timely_log, symmetric, ghosts",
    "raft_as_log:no_up_to_date_check two_elections, symmetric, ghosts, as_log violated",
    "zk_controller_as_lumped:kafka_3_9 one_expiry",
    "transactions_as_lumped:kafka_4_2 late_write_and_end",
    "transactions_as_outcomes:kafka_3_6 late_end, ghosts, as_outcomes violated",
    "transactions_as_outcomes:kafka_4_2 two_batches, ghosts",
    "classic_group_as_generations:eager two_members, symmetric",
    "classic_group_as_lumped:cooperative three_generations, ghosts",
    "classic_group_as_generations:kafka_5154 two_members, symmetric, as_generations violated",
    "classic_group_as_generations:unfenced_appends two_members, symmetric, as_generations violated",
    "classic_group_as_generations:cooperative revocation",
    "classic_group_as_generations:kafka_14639 revocation, as_generations violated",
    "classic_group_as_generations:kafka_12983 revocation, as_generations violated",
    "coordinator_answers_as_log:kafka_4_3_1 one_move, symmetric",
    "coordinator_answers_as_log:kafka_4_3_0 one_move, symmetric, as_log violated",
]
"""Those that tests check, each second one the ordinary tests; the gate checks all."""


@pytest.mark.parametrize("name", tier_parameters(ORDINARY, ORDINARY[::2].__contains__))
def test_a_refinement_is_as_recorded(name: str, cache: Path) -> None:
    check: CheckRecord = CHECKS[name]
    definition, profile = find(check.target)
    model = definition.bind(check.target, check.constants, profile, ghosts=check.ghosts)
    verdict = ENGINES["native"](model, Search(symmetry=check.symmetry, cache=cache), None)
    (found,) = verdict.properties
    expected = check.properties[found.name]
    assert (found.verdict, steps_of(found)) == (expected.verdict, expected.steps)
    if check.counts:
        counted = {"distinct_states": verdict.distinct_states, "transitions": verdict.transitions}
        assert {**counted, "depth": verdict.depth} == check.counts


def steps_of(found: PropertyVerdict) -> int | None:
    """The steps of a counterexample; None where there is none."""
    return None if found.run is None else len(found.run.steps)


BOUNDS: dict[str, dict[str, int]] = {
    "replication_as_log": {"max_leader_epoch": 2},
    "partition_as_log": {},
    "raft_as_log": {"log_size": 1, "client_values": 2},
    "kraft_as_log": {"max_epoch": 2, "brokers_apply": True},
    "raft_as_leadership": {"log_size": 1, "client_values": 0, "crashes": 1},
    "raft_as_exchanges": {"servers": 2, "max_term": 1, "crashes": 0, "messages": 1, "timely": True},
    "kraft_as_leadership": {"max_epoch": 2, "max_records": 0},
    "kraft_as_exchanges": {
        "voters": 2,
        "max_epoch": 1,
        "crashes": 0,
        "messages": 1,
        "timely": True,
    },
    "zk_controller_as_lumped": {"max_epoch": 2, "cuts": 1},
    "transactions_as_lumped": {"partitions": 1, "late_produces": 1, "late_ends": 1, "late_markers": 1},
    "transactions_as_outcomes": {"partitions": 1, "late_produces": 1, "late_ends": 1},
    "classic_group_as_generations": {"partitions": 1, "entries": 3},
    "classic_group_as_lumped": {"partitions": 1, "entries": 3},
    "coordinator_answers_as_log": {"writes": 2, "moves": 1},
}
"""In which the bugs show, of the default profile of each refinement."""

MUTANTS = {
    "replication: the ISR grows by who is in another epoch": Mutant(
        "replication_as_log",
        "replication.py",
        "require(not fence_isr_expansion or are_in_one_epoch(s, follower, leader))\n",
        "require(True)\n",
    ),
    "replication: the log is cut one record too far": Mutant(
        "replication_as_log",
        "replication.py",
        "s.log[replica].truncate(end)",
        "s.log[replica].truncate(max(end - 1, 0))",
    ),
    "replication: a leader is elected outside of the ISR": Mutant(
        "replication_as_log",
        "replication.py",
        "    require(leader in s.quorum.isr)\n    require(leader != s",
        "    require(leader != s",
    ),
    "replication: the high watermark passes a laggard": Mutant(
        "replication_as_log",
        "replication.py",
        "            and has_reached(s, follower, leader, offset + 1)\n            for",
        "            and has_reached(s, follower, leader, offset)\n            for",
    ),
    "partition: the leader alone counts": Mutant(
        "partition_as_log",
        "partition/broker.py",
        "return (maximal(s, leader) if maximal_isr else s.view[leader].isr) | {leader}",
        "return Set({leader})",
    ),
    "partition: whoever fetches joins the ISR": Mutant(
        "partition_as_log",
        "partition/broker.py",
        "        and s.fetch_offset[leader][follower] >= s.high_watermark[leader]\n",
        "",
    ),
    "partition: the fastest member of the ISR counts": Mutant(
        "partition_as_log",
        "partition/broker.py",
        "return min(\n        s.fetch_offset[leader][broker] if",
        "return max(\n        s.fetch_offset[leader][broker] if",
    ),
    "raft: a candidate's log is not compared": Mutant(
        "raft_as_log",
        "raft/protocol.py",
        "not check_up_to_date or is_up_to_date(s, voter, request.index, request.log_term)",
        "True",
    ),
    "raft: a leader commits what it alone has": Mutant(
        "raft_as_log",
        "raft/protocol.py",
        "if at == leader or s.match_index[leader][at] > o), members",
        "if at == leader or s.match_index[leader][at] >= 0), members",
    ),
    "raft: a crash loses the log": Mutant(
        "raft_as_log", "raft/protocol.py", "    s.log[server].truncate(kept)\n", "    s.log[server].truncate(0)\n"
    ),
    "raft: a follower applies all of its log": Mutant(
        "raft_as_log",
        "raft/protocol.py",
        "s.commit_index[follower] = max(s.commit_index[follower], request.commit_index)",
        "s.commit_index[follower] = max(s.commit_index[follower], len(s.log[follower]))",
    ),
    "raft: a server votes twice": Mutant(
        "raft_as_leadership",
        "raft/protocol.py",
        "(s.voted_for[voter] is None or s.voted_for[voter] == request.source) and (",
        "(",
    ),
    "raft: one vote elects": Mutant(
        "raft_as_leadership",
        "raft/protocol.py",
        "require(is_quorum(s.votes_granted[candidate], members(s, candidate)))",
        "require(len(s.votes_granted[candidate]) >= 1)",
    ),
    "raft: a vote is forgotten": Mutant(
        "raft_as_leadership", "raft/protocol.py", "    s.voted_for[voter] = candidate\n", ""
    ),
    "raft: a vote is given and forgotten": Mutant(
        "raft_as_exchanges", "raft/protocol.py", "        s.voted_for[request.to] = request.source\n", ""
    ),
    "raft: one answer elects": Mutant(
        "raft_as_exchanges",
        "raft/protocol.py",
        "s.votes_granted[candidate].add(reply.source)",
        "s.role[candidate] = Role.LEADER",
    ),
    "raft: an answer counts for an entry more": Mutant(
        "raft_as_exchanges",
        "raft/protocol.py",
        "s.match_index[leader][follower] = max(known, reply.index)",
        "s.match_index[leader][follower] = max(known, reply.index + 1)",
    ),
    "kraft: a log is up to date that lacks one record": Mutant(
        "kraft_as_log",
        "kraft/quorum.py",
        "epoch == last_epoch(s, voter) and end >= len(s.log[voter])",
        "epoch == last_epoch(s, voter) and end + 1 >= len(s.log[voter])",
    ),
    "kraft: a candidate's log is not compared": Mutant(
        "kraft_as_log",
        "kraft/protocol.py",
        "    require(is_up_to_date(s, voter, len(s.log[candidate]), last_epoch(s, candidate)))\n    epoch",
        "    epoch",
    ),
    "kraft: a crash loses the log": Mutant(
        "kraft_as_log", "kraft/faults.py", "    s.log[voter].truncate(kept)\n", "    s.log[voter].truncate(0)\n"
    ),
    "kraft: a broker applies what is not committed": Mutant(
        "kraft_as_log",
        "kraft/protocol.py",
        "require(s.log_start[leader] <= end < s.high_watermark[leader])",
        "require(s.log_start[leader] <= end < len(s.log[leader]))",
    ),
    "kraft: a follower applies all of its log": Mutant(
        "kraft_as_log",
        "kraft/log_steps.py",
        "        s.high_watermark[follower] = min(high_watermark, len(s.log[follower]))\n",
        "        s.high_watermark[follower] = len(s.log[follower])\n",
    ),
    "kraft: a voter votes twice in an epoch": Mutant(
        "kraft_as_leadership", "kraft/protocol.py", "        and s.election[voter].voted_for is None\n", ""
    ),
    "kraft: a follower votes, too": Mutant(
        "kraft_as_leadership", "kraft/protocol.py", "        and s.election[voter].leader is None\n", ""
    ),
    "kraft: who hears of a leader knows none": Mutant(
        "kraft_as_exchanges",
        "kraft/messages.py",
        "    s.election[request.to] = follower_of(s, request)\n",
        "    s.election[request.to] = unattached_voter(request.epoch)\n",
    ),
    "kraft: who hears of an epoch votes at once": Mutant(
        "kraft_as_exchanges",
        "kraft/messages.py",
        "        s.election[message.to] = unattached_voter(message.epoch)",
        "        s.election[message.to] = voter_that_voted(message.epoch, message.source)",
    ),
    "kraft: a follower takes for committed what it fetches": Mutant(
        "kraft_as_exchanges",
        "kraft/messages.py",
        "take(s, follower, response.next, response.high_watermark, response.epoch)",
        "take(s, follower, response.next, len(s.log[follower]) + 1, response.epoch)",
    ),
    "kraft: a crash forgets epoch and vote": Mutant(
        "kraft_as_leadership",
        "kraft/faults.py",
        "        s.election[voter] = what_quorum_state_says(s.election[voter], voter)\n",
        "        s.election[voter] = unattached_voter(0)\n",
    ),
    "transactions: an EndTxn is forgotten that has the newest epoch": Mutant(
        "transactions_as_lumped",
        "transactions/lumping.py",
        "        return epochs_only_rise() and request.epoch < s.memory.epoch\n",
        "        return epochs_only_rise() and request.epoch <= s.memory.epoch\n",
    ),
    "transactions: a marker is forgotten that a partition has yet to take": Mutant(
        "transactions_as_lumped",
        "transactions/lumping.py",
        "        request.epoch < known.epoch\n",
        "        request.epoch <= known.epoch + 1\n",
    ),
    "transactions: a write is forgotten that has the newest epoch": Mutant(
        "transactions_as_lumped",
        "transactions/lumping.py",
        "        and request.epoch < s.memory.epoch\n",
        "        and request.epoch <= s.memory.epoch\n",
    ),
    "transactions: a transaction is over before its markers are written": Mutant(
        "transactions_as_outcomes",
        "transactions/coordinator.py",
        "    require(is_prepared(s.memory) and len(s.unmarked) == 0 and is_free(s))\n",
        "    require(is_prepared(s.memory) and is_free(s))\n",
    ),
    "transactions: a marker says the other thing": Mutant(
        "transactions_as_outcomes",
        "transactions/coordinator.py",
        "        commit=s.memory.state == TxnState.PREPARE_COMMIT,\n",
        "        commit=s.memory.state != TxnState.PREPARE_COMMIT,\n",
    ),
    "transactions: an EndTxn of any epoch counts": Mutant(
        "transactions_as_outcomes",
        "transactions/coordinator.py",
        "    return is_free(s) and s.memory.epoch == epoch and ends_something(s.memory, commit)\n",
        "    return is_free(s) and ends_something(s.memory, commit)\n",
    ),
    "transactions: a partition takes a write of an older epoch, whether the coordinator knows of it or not": Mutant(
        "transactions_as_outcomes",
        "transactions/partitions.py",
        "    return under_way and line.epoch == epoch and partition in line.partitions\n",
        "    return under_way and line.epoch >= epoch and partition in line.partitions\n",
    ),
    "zk_controller: a request is forgotten that a broker has yet to obey": Mutant(
        "zk_controller_as_lumped",
        "zk_controller/lumping.py",
        "        and request.partition.leader_epoch <= s.known[to].leader_epoch\n",
        "        and request.partition.leader_epoch >= s.known[to].leader_epoch\n",
    ),
    "zk_controller: a zombie forgets what it has yet to send": Mutant(
        "zk_controller_as_lumped",
        "zk_controller/lumping.py",
        "return is_replaced(s, broker) and len(s.owed[broker] - s.back[broker]) == 0\n",
        "return is_replaced(s, broker)\n",
    ),
    "zk_controller: the leader forgets the ISR": Mutant(
        "zk_controller_as_lumped",
        "zk_controller/lumping.py",
        "s.known[broker].leader_epoch >= s.partition.leader_epoch",
        "s.known[broker].leader_epoch > s.partition.leader_epoch",
    ),
    "zk_controller: the controller forgets who is registered": Mutant(
        "zk_controller_as_lumped",
        "zk_controller/lumping.py",
        "and s.held[broker] < s.controller_epoch",
        "and s.held[broker] <= s.controller_epoch",
    ),
    "coordinator answers: the high watermark passes a follower": Mutant(
        "coordinator_answers_as_log",
        "coordinator_answers.py",
        "len(s.log[broker]) > s.high[s.leader] for",
        "len(s.log[broker]) >= s.high[s.leader] for",
    ),
    "coordinator answers: all who wait are answered at once": Mutant(
        "coordinator_answers_as_log",
        "coordinator_answers.py",
        "if entry in s.written[broker][:high])",
        "if high > 0)",
    ),
    "coordinator answers: an unloaded coordinator answers with success": Mutant(
        "coordinator_answers_as_log",
        "coordinator_answers.py",
        "    s.refused = s.refused | s.waiting[broker]\n",
        "    s.answered = s.answered | s.waiting[broker]\n",
    ),
    "classic group: a commit of an older generation counts": Mutant(
        "classic_group_as_generations",
        "classic_group/members.py",
        "        and counts(group, commit.source, commit.generation)\n",
        "        and commit.source in group.members\n",
    ),
    "classic group: each member is answered with all partitions": Mutant(
        "classic_group_as_generations",
        "classic_group/joining.py",
        "partitions=group.assignment[member])",
        "partitions=Set(Partition))",
    ),
    "classic group: a coordinator that loads begins to count anew": Mutant(
        "classic_group_as_generations", "classic_group/state.py", "        generation=line.generation,\n", ""
    ),
    "classic group: a commit is forgotten that is of the generation there is": Mutant(
        "classic_group_as_lumped",
        "classic_group/lumping.py",
        "sent.generation < loaded_group(s, sent.to).generation",
        "sent.generation <= loaded_group(s, sent.to).generation",
    ),
    "classic group: a member that pauses, and is one, goes on": Mutant(
        "classic_group_as_lumped",
        "classic_group/lumping.py",
        "    return member in loaded_group(s, s.talks_to[member]).members or (",
        "    return (",
    ),
    "classic group: a coordinator that has resigned loads the log": Mutant(
        "classic_group_as_lumped",
        "classic_group/lumping.py",
        "coordinator == s.newest and not is_here(group)",
        "not is_here(group)",
    ),
}


def test_each_refinement_has_three_planted_bugs() -> None:
    planted = [mutant.model for mutant in MUTANTS.values()]
    assert {name: planted.count(name) >= 3 for name in REFINEMENTS} == dict.fromkeys(REFINEMENTS, True)


def test_what_each_planted_bug_replaces_is_there() -> None:
    """In all files that are collected: most of these bugs are planted in the long tier alone."""
    assert [mutant for mutant in PLANTED if not mutant.is_there] == []


SAMPLE = (*list(MUTANTS)[2:4], *list(MUTANTS)[10:12], "kraft: a follower votes, too")
"""The bugs that are looked for in every run of the tests; the long tier looks for all."""


@pytest.mark.parametrize("name", tier_parameters(MUTANTS, SAMPLE.__contains__))
def test_a_planted_bug_breaks_the_refinement(name: str, tmp_path: Path) -> None:
    mutant = MUTANTS[name]
    entry = REFINEMENTS[mutant.model]
    definition = load(plant(tmp_path, mutant)(f"invariants.{entry.properties}"))
    model = definition.bind(profile=entry.default_profile, constants=BOUNDS[mutant.model])
    (found,) = ENGINES["native"](model, Search(symmetry=True), None).properties
    assert found.verdict == "violated"


# --- what a granularity of Raft leaves out ----------------------------------------------------------------------------

TIMELY = {"servers": 2, "max_term": 2, "client_values": 2, "timely": True}


@pytest.mark.parametrize(
    ("constants", "steps", "action"),
    [
        ({"messages": 2}, 23, "receive_append_reply"),
        ({"messages": 1, "max_term": 1, "losses": 1}, 15, "advance_commit_index"),
    ],
)
def test_with_several_messages_or_lost_ones_raft_is_not_raft_in_one_step(
    constants: dict[str, int], steps: int, action: str, cache: Path
) -> None:
    """Though none is late: a leader asks again before it hears, and counts no answer that is lost."""
    definition, profile = find("raft_as_exchanges")
    model = definition.bind(profile=profile, constants={**TIMELY, **constants})
    (found,) = ENGINES["native"](model, Search(symmetry=True, cache=cache), None).properties
    assert (found.verdict, steps_of(found)) == ("violated", steps)
    assert found.run is not None
    assert found.run.steps[-1].action == action


# --- a high watermark is no history -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("replicas", "steps"), [(2, 11), (3, 12)])
def test_what_is_below_a_high_watermark_is_no_history(replicas: int, steps: int, cache: Path) -> None:
    """KIP-320 loses nothing, and its high watermarks go back: a follower takes over that of a leader which is behind.
    The log that is recorded for it, by the ghost `committed`, holds in these bounds."""
    definition = load(ROOT / "tests" / "fixtures" / "models" / "replication_as_watermarks.py")
    model = definition.bind(profile="kip320", constants={"replicas": replicas})
    (found,) = ENGINES["native"](model, Search(symmetry=True, cache=cache), None).properties
    assert (found.verdict, steps_of(found)) == ("violated", steps)
    assert found.run is not None
    *_, before, after = found.run.states()
    assert found.run.steps[-1].action == "fetch"
    assert max(mark for _, mark in before.high_watermark.items()) == 1
    assert max(mark for _, mark in after.high_watermark.items()) == 0


# --- a partition, and the replication of KIP-320 ----------------------------------------------------------------------

NO_FAULTS = {"fences": 0, "power_losses": 0}


def of_a_partition(engine: str, constants: dict[str, int | bool], cache: Path) -> PropertyVerdict:
    """What is said of a partition as replication; without more constants, as long as no leader is elected."""
    definition = load(ROOT / "tests" / "fixtures" / "models" / "partition_as_replication.py")
    model = definition.bind(profile="kafka_4_1", constants={**NO_FAULTS, **constants})
    (found,) = ENGINES[engine](model, Search(cache=cache), None).properties
    return found


def test_a_partition_without_elections_is_replication_with_four_differences(cache: Path) -> None:
    """Two records, and a follower that lags, leaves the ISR and joins it again."""
    assert of_a_partition("native", {"max_records": 2, "isr_shrinks": 1}, cache).verdict == "holds"


@pytest.mark.parametrize(
    ("difference", "constants", "steps", "action"),
    [
        ("begins_led", {"isr_shrinks": 0}, 0, None),
        ("fetches_high_watermark", {"isr_shrinks": 0}, 5, "fetch"),
        ("moves_past_several", {"isr_shrinks": 0, "max_records": 2}, 7, "advance_high_watermark"),
        ("drops_who_has_all", {"isr_shrinks": 1}, 2, "change_isr"),
    ],
)
def test_each_difference_between_a_partition_and_replication_is_one(
    difference: str, constants: dict[str, int | bool], steps: int, action: str | None, cache: Path
) -> None:
    found = of_a_partition("python", {**constants, difference: False}, cache)
    assert (found.verdict, steps_of(found)) == ("violated", steps)
    assert found.run is not None
    assert [step.action for step in found.run.steps[-1:]] == ([] if action is None else [action])


PARTITION_MUTANTS = {
    name: mutant for name, mutant in MUTANTS.items() if mutant.model == "partition_as_log" and "whoever" not in name
} | {
    "partition: what is fetched is committed": Mutant(
        "partition_as_log",
        "partition/broker.py",
        "        known = min(s.high_watermark[leader], reached)\n",
        "        known = reached\n",
    )
}
"""Bugs that show without elections."""


@pytest.mark.parametrize("name", PARTITION_MUTANTS)
def test_a_planted_bug_makes_a_partition_no_replication(name: str, tmp_path: Path) -> None:
    imported = plant(tmp_path, PARTITION_MUTANTS[name])
    (package,) = tmp_path.iterdir()
    for file in ("led_replication", "partition_as_replication"):
        text = (ROOT / "tests" / "fixtures" / "models" / f"{file}.py").read_text(encoding="utf-8")
        text = text.replace("tidegate.model", f"{package.name}.model")
        text = text.replace("import led_replication\n", f"from {package.name}.invariants import led_replication\n")
        text = text.replace("from led_replication import", f"from {package.name}.invariants.led_replication import")
        (package / "invariants" / f"{file}.py").write_text(text, encoding="utf-8")
    definition = load(imported("invariants.partition_as_replication"))
    model = definition.bind(profile="kafka_4_1", constants={**NO_FAULTS, "isr_shrinks": 0})
    (found,) = ENGINES["python"](model, Search(), None).properties
    assert found.verdict == "violated"
    assert found.run is not None
    assert found.run.steps[-1].action in ("fetch", "advance_high_watermark")


WITH_ELECTIONS = {"fences": 1, "isr_shrinks": 0, "max_records": 1}
PEELED = ("elects_at_once", "sends_newest", "hears_first", "cuts_on_fetch")
"""What is changed in the replication, one after another, so that a partition's elections are steps of it."""


@pytest.mark.parametrize(
    ("changed", "steps", "action"),
    tiered_rows(
        [
            (0, 1, "fence_alive"),
            (1, 1, "fence_alive"),
            (2, 2, "learn"),
            (3, 5, "fetch"),
            (4, 6, "advance_high_watermark"),
        ],
        lambda row: row[0] in (0, 4),
    ),
)
def test_a_partition_with_elections_is_not_replication(changed: int, steps: int, action: str, cache: Path) -> None:
    """With each change the run that is none of replication's is longer. The last one is that a leader goes by what a
    follower fetched, and not by where that one is now: replication does not have this memory."""
    found = of_a_partition("python", {**WITH_ELECTIONS, **dict.fromkeys(PEELED[:changed], True)}, cache)
    assert (found.verdict, steps_of(found)) == ("violated", steps)
    assert found.run is not None
    assert found.run.steps[-1].action == action
