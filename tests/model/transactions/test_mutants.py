"""Mistakes planted in the model of transactions, one at a time: each turns the property red that is about it, within
bounds in which the model's own text keeps it. Mistakes that are switches have profiles, and are recorded in spec/.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import read_record_file
from tidegate.invariants.catalogue import find

from ...conftest import ROOT
from ...support.mutants import TURNS_RED, Case, Mutant, plant_mutant
from ...support.shipped import tier_parameters


def case(says: str, file: str, text: str, by: str, profile: str, bounds: str, fails: str) -> Case:
    """A mistake in one of the protocol's files."""
    return Case(says, Mutant("transactions", f"transactions/{file}.py", text, by), profile, bounds, fails)


def processing(says: str, text: str, by: str, profile: str, fails: str, file: str = "transactional_processing") -> Case:
    """A mistake in consuming, processing and producing."""
    return Case(says, Mutant("transactional_processing", f"{file}.py", text, by), profile, "two_members", fails)


CASES = (
    case(
        "a partition takes a write of an older epoch",
        "partitions",
        "any_number) == Check.NEXT",
        "any_number) in (Check.NEXT, Check.FENCED)",
        "kafka_1_1",
        "late_write",
        "nothing_hangs",
    ),
    case(
        "an EndTxn of any epoch counts",
        "coordinator",
        "return is_free(s) and s.memory.epoch == epoch and ends_something(s.memory, commit)",
        "return is_free(s) and ends_something(s.memory, commit)",
        "kafka_4_2",
        "late_end",
        "committed_is_not_lost",
    ),
    case(
        "a transaction is over before its markers are written",
        "coordinator",
        "    require(is_prepared(s.memory) and len(s.unmarked) == 0 and is_free(s))\n",
        "    require(is_prepared(s.memory) and is_free(s))\n",
        "kafka_4_2",
        "failing_over",
        "nothing_hangs",
    ),
    case(
        "a new coordinator writes no markers of what was decided",
        "coordinator",
        "        s.unmarked = line.partitions\n\n\n@action\ndef former_learns",
        "        s.unmarked = Set()\n\n\n@action\ndef former_learns",
        "kafka_4_2",
        "failing_over",
        "nothing_hangs",
    ),
    case(
        "a marker says the other thing",
        "coordinator",
        "        commit=s.memory.state == TxnState.PREPARE_COMMIT,\n",
        "        commit=s.memory.state != TxnState.PREPARE_COMMIT,\n",
        "kafka_4_2",
        "failing_over",
        "aborted_is_never_delivered",
    ),
    case(
        "who is fenced keeps its epoch",
        "coordinator",
        "    return s.memory.epoch + (1 if unraised else 0) + (1 if fence_takes_two else 0)\n",
        "    return s.memory.epoch + (0 if unraised else 0) + (1 if fence_takes_two else 0)\n",
        "kafka_4_2",
        "late_write",
        "each_end_has_its_epoch",
    ),
    case(
        "a client commits that does not know what became of a write",
        "clients",
        "        return len(s.unsure[client]) == 0 and any(s.wrote[client][p] > 0 for p in Partition)\n",
        "        return any(s.wrote[client][p] > 0 for p in Partition)\n",
        "kafka_4_2",
        "late_write",
        "committed_is_not_lost",
    ),
    case(
        "a commit of which nobody is told leaves out a write",
        "clients",
        "        return len(s.unsure[client]) == 0 and any(s.wrote[client][p] > 0 for p in Partition)\n",
        "        return any(s.wrote[client][p] > 0 for p in Partition)\n",
        "kafka_4_2",
        "late_write",
        "atomic_visibility",
    ),
    case(
        "who is fenced adds a partition",
        "coordinator",
        "    return is_free(s) and s.memory.epoch == epoch and (is_over(s.memory) or",
        "    return is_free(s) and (is_over(s.memory) or",
        "kafka_4_2",
        "failing_over",
        "fenced_producers_have_no_effect",
    ),
    case(
        "a request of who is fenced adds a partition",
        "coordinator",
        "    require(request.kind == Kind.ADD and may_add(s, request.epoch) and partition is not None)\n",
        "    require(request.kind == Kind.ADD and may_add(s, s.memory.epoch) and partition is not None)\n",
        "kafka_3_6",
        "late_add",
        "fenced_producers_have_no_effect",
    ),
    case(
        "who is fenced gets the epoch after the one of who fenced it",
        "coordinator",
        "    return line.epoch == epoch or line.state == TxnState.DEAD\n",
        "    return True\n",
        "kafka_3_6",
        "late_write",
        "fenced_producers_have_no_effect",
    ),
    case(
        "an EndTxn of who is fenced counts",
        "coordinator",
        "    return is_free(s) and s.memory.epoch == epoch and ends_something(s.memory, commit)\n",
        "    return is_free(s) and ends_something(s.memory, commit)\n",
        "kafka_3_6",
        "late_init",
        "fenced_producers_have_no_effect",
    ),
    case(
        "a late EndTxn of who is fenced counts, and its decision is committed in a step of its own",
        "coordinator",
        "    require(late_ends > 0 and request.kind == Kind.END and may_end(s, request.epoch, request.commit))\n",
        "    require(late_ends > 0 and request.kind == Kind.END and may_end(s, s.memory.epoch, request.commit))\n",
        "step_by_step",
        "late_end",
        "fenced_producers_have_no_effect",
    ),
    case(
        "a client commits while a batch that it sent ahead is not answered",
        "clients",
        "    if partition not in s.ahead[client]:\n        s.unsure[client].discard(partition)\n",
        "    s.unsure[client].discard(partition)\n",
        "pipelined_3_6",
        "sent_ahead_two",
        "committed_is_not_lost",
    ),
    case(
        "a leader takes a number below those that it has for a copy",
        "partitions",
        "        and known.first <= sequence\n",
        "",
        "pipelined_3_6",
        "sent_ahead",
        "atomic_visibility",
    ),
    case(
        "a late InitProducerId of who is fenced raises the epoch",
        "coordinator",
        "    require(request.epoch == 0 or may_go_on(s.memory, request.epoch))\n",
        "",
        "kafka_3_6",
        "late_init",
        "fenced_producers_have_no_effect",
    ),
    case(
        "readers of committed records get what is open",
        "partitions",
        "    s.delivered[partition] = last_stable_offset(s, partition)\n",
        "    s.delivered[partition] = s.replicated[partition]\n",
        "replicated_later",
        "reading",
        "readers_stop_at_what_is_open",
    ),
    case(
        "a copy of a batch is appended after a later one",
        "partitions",
        "any_number) == Check.NEXT",
        "any_number) in (Check.NEXT, Check.OUT_OF_ORDER)",
        "kafka_4_2",
        "batches_late",
        "newest_batch_counts",
    ),
    case(
        "a batch is appended whose predecessor is not there",
        "partitions",
        "any_number) == Check.NEXT",
        "any_number) != Check.FENCED",
        "kafka_4_2",
        "batches_late",
        "sequences_have_no_gap",
    ),
    processing(
        "an offset counts that a member says, of whatever generation",
        "    return is_current(s.members, s.generation, member, s.known[member])\n",
        "    return member in s.members\n",
        "kafka_2_5",
        "exactly_once",
    ),
    processing(
        "an offset is fetched between the decision and its marker",
        "    return any(s.transactions[c][partition].pending for c in Consumer)\n",
        "    return any(s.transactions[c][partition].pending and is_ongoing(s, c, partition) for c in Consumer)\n",
        "kafka_2_5",
        "exactly_once",
    ),
    processing(
        "an offset counts whose transaction is aborted",
        "    if made_by_marker(now.state) == Status.COMMITTED:\n        s.offset",
        "    if is_decided(now.state):\n        s.offset",
        "kafka_2_5",
        "exactly_once",
    ),
    processing(
        "a result counts whose transaction is aborted",
        "close_output(s.output, member, partition, made_by_marker(state))\n",
        "close_output(s.output, member, partition, Status.COMMITTED)\n",
        "kafka_2_5",
        "exactly_once",
    ),
    processing(
        "the offset is that of the record, and not the one after it",
        "        s.offset[partition] = now.number + 1\n",
        "        s.offset[partition] = now.number\n",
        "kafka_2_5",
        "exactly_once",
    ),
    processing(
        "who takes over, or a timeout, aborts what is decided",
        "    return stage == Stage.ONGOING\n",
        "    return stage in (Stage.ONGOING, Stage.PREPARE_COMMIT)\n",
        "id_per_partition",
        "exactly_once",
        "parts/outcomes",
    ),
    processing(
        "who takes over does not wait for the end of the transaction before",
        "    require(all(not is_under_way(s, c, partition) for c in Consumer))\n    for c",
        "    for c",
        "id_per_partition",
        "exactly_once",
    ),
    processing(
        "who takes over does not fence the one before",
        "        s.holds[c].discard(partition)\n",
        "        if c == member:\n            s.holds[c].discard(partition)\n",
        "id_per_partition",
        "exactly_once",
    ),
    processing(
        "a generation gives a partition to two",
        "a == b or (len(share[a] & share[b]) == 0 and len(share[a] & owned[b]) == 0) for a in heard for b in heard\n",
        "a == b or len(share[a] & owned[b]) == 0 for a in heard for b in heard\n",
        "kafka_2_5",
        "exactly_once",
        "parts/generations",
    ),
    processing(
        "a producer that was fenced goes on",
        "    return has_newest and stage == Stage.ONGOING\n",
        "    return stage != Stage.NONE\n",
        "kafka_2_5",
        "exactly_once",
        "parts/outcomes",
    ),
    processing(
        "an aborted transaction's marker takes the offset back",
        "        s.offset[partition] = now.number + 1\n    s.tr",
        "        s.offset[partition] = now.number + 1\n    else:\n        s.offset[partition] = 0\n    s.tr",
        "kafka_2_5",
        "offset_only_rises",
    ),
    processing(
        "two offsets of a partition may be under way",
        "    require(not fence_offsets or counts(s, member))\n",
        "    require(not fence_offsets or member in s.members)\n",
        "kafka_2_5",
        "one_transaction_at_a_time",
    ),
)


def is_quick(case: Case) -> bool:
    """The quickest one."""
    return case.fails == "aborted_is_never_delivered"


@pytest.mark.parametrize("case", tier_parameters(CASES, is_quick, lambda case: f"{case.says} {case.fails}"))
def test_a_mistake_turns_its_property_red(case: Case, tmp_path: Path, cache: Path) -> None:
    assert case.verdicts(tmp_path, Search(symmetry=True, deadlocks=False, cache=cache)) == TURNS_RED


WAITS = Mutant(
    "transactions",
    "transactions/clients.py",
    "    require(is_free(s) and is_refused(s, client))\n",
    "    require(is_free(s) and is_refused(s, client))\n"
    "    require(s.memory.state not in (TxnState.PREPARE_COMMIT, TxnState.PREPARE_ABORT))\n",
)
"""In version 2 Kafka says CONCURRENT_TRANSACTIONS to whoever asks while an end is under way, whatever the epoch."""


@pytest.mark.long
def test_what_must_happen_does_so_without_a_client_that_learns_early_that_it_is_refused(
    tmp_path: Path, cache: Path
) -> None:
    """Such a client only adds runs, so that properties of states and steps hold without it; what must happen might
    hold because of it."""
    bounds = read_record_file(ROOT / "spec" / "transactions_live.toml").bounds["late_write"]
    values = {constant: str(value) for constant, value in bounds.items()}
    found = list[tuple[dict[str, str], int]]()
    for definition in (find("transactions_live")[0], plant_mutant(tmp_path, WAITS, "transactions_live")):
        claims = [name for name in definition.names("leads_to") if "_without_" not in name and "_though_" not in name]
        model = definition.bind("transactions_live", values, "kafka_4_2", properties=claims)
        verdict = ENGINES["native"](model, Search(cache=cache, keep_going=True), None)
        found.append(({prop.name: prop.verdict for prop in verdict.properties}, verdict.distinct_states or 0))
    (as_it_is, more), (waiting, fewer) = found
    assert waiting == as_it_is and "holds" in waiting.values() and fewer < more
