"""Transactions as stories, and what was recorded of them. The steps are taken by the judge."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language import replace
from tidegate.language.judge import holds, initial_states, replay, run_text, state_shape
from tidegate.language.steptext import StepError
from tidegate.language.values import Map, Seq, Set
from tidegate.model.transactions import profiles
from tidegate.model.transactions.state import Cell, Client, Kind, Partition, Phase, Status, TxnState, last_stable_offset
from tidegate.traces.document import run_document
from tidegate.traces.picture import Picture

from ...conftest import ROOT
from ...support.pages import page_with_appendix
from ...support.shipped import bind_shipped, gate_parameters
from ..test_counts import assert_as_recorded, bind_check
from ..transactional_processing.test_stories import CHECKS as PROCESSING

A, B = Client(0), Client(1)
P, Q = Partition(0), Partition(1)
CHECKS = read_record_file(ROOT / "spec" / "transactions.toml").checks
PUBLISHED = (
    *read_record_file(ROOT / "spec" / "transactions_published.toml").checks,
    *read_record_file(ROOT / "spec" / "transactions_published_partitions.toml").checks,
)
BUDGETS = ("failovers", "timeouts", "late_inits", "late_adds", "late_produces", "late_ends", "late_markers", "losses")


class Story:
    """Clients A and B with one id, partitions P and Q; nobody has begun."""

    def __init__(self, profile: str = "kafka_4_2", **constants: Any) -> None:
        budgets = {name: 1 for name in BUDGETS}
        sizes = {"transactions": 3, "max_epoch": 8, "reads": 2, **budgets, **constants}
        self.model = bind_shipped(f"transactions:{profile}", sizes, called=profile)
        self.state: Any = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def opens(self, client: Client, *written: Partition) -> Story:
        """A client begins a transaction, and writes to some partitions."""
        self.step("begin", client=client)
        for partition in written:
            self.step("add_partition", client=client, partition=partition)
            self.step("produce", client=client, partition=partition)
        return self

    def ends(self, client: Client, *marked: Partition, commit: bool = True) -> Story:
        """A client asks for the end, and the coordinator writes the markers of all partitions."""
        return self.step("end", client=client, commit=commit).marks(*marked)

    def marks(self, *marked: Partition) -> Story:
        """The coordinator writes the markers of all partitions, and that the transaction is over."""
        for partition in marked:
            self.step("write_marker", partition=partition)
        return self.step("complete")

    def arrives(self, action: str) -> Story:
        """What is late arrives."""
        (request,) = self.state.late
        return self.step(action, request=request)

    def records_of(self, partition: Partition) -> list[tuple[int, str]]:
        """What a partition holds: of which transaction, and what became of it."""
        return [(cell.txn, cell.status.value) for cell in self.state.logs[partition]]

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}


def test_a_transaction_commits_in_two_partitions() -> None:
    story = Story().step("init_producer", client=A).opens(A, P, Q)
    assert [last_stable_offset(story.state, p) for p in (P, Q)] == [0, 0]
    story.step("end", client=A, commit=True)
    assert (story.state.phase[A], story.state.memory.state) == (Phase.READY, TxnState.PREPARE_COMMIT)
    story.step("write_marker", partition=P)
    # Each partition delivers the whole of its part, not all partitions at once.
    assert [last_stable_offset(story.state, p) for p in (P, Q)] == [1, 0]
    story.step("write_marker", partition=Q).step("complete")
    assert (story.records_of(P), story.records_of(Q)) == ([(1, "committed")], [(1, "committed")])
    # In version 2 the next transaction has the next epoch.
    assert (story.state.epoch[A], story.false()) == (2, set())


def test_another_coordinator_writes_the_markers_that_are_missing() -> None:
    story = Story("step_by_step").step("init_producer", client=A).step("log_commits").step("begin", client=A)
    for partition in (P, Q):
        story.step("add_partition", client=A, partition=partition).step("log_commits")
        story.step("produce", client=A, partition=partition)
    story.step("end", client=A, commit=True).step("log_commits").step("write_marker", partition=P)
    story.step("fail_over", survives=False).step("load")
    assert story.state.unmarked == Set({P, Q})
    story.marks(P, Q)
    assert (story.records_of(P), story.records_of(Q), story.false()) == ([(1, "committed")], [(1, "committed")], set())


def test_a_decision_that_was_not_committed_is_asked_for_again() -> None:
    story = Story("step_by_step").step("init_producer", client=A).step("log_commits").step("begin", client=A)
    story.step("add_partition", client=A, partition=P).step("log_commits").step("produce", client=A, partition=P)
    story.step("end", client=A, commit=True).step("fail_over", survives=False).step("load")
    assert (story.state.phase[A], story.state.memory.state) == (Phase.COMMITTING, TxnState.ONGOING)
    story.step("end", client=A, commit=True).step("log_commits")
    assert story.state.memory.state == TxnState.PREPARE_COMMIT


def test_a_zombie_is_fenced_and_what_it_wrote_is_aborted() -> None:
    story = Story("kafka_1_1").step("init_producer", client=A).opens(A, P).step("fence", client=B).marks(P)
    story.step("init_producer", client=B)
    assert (story.state.epoch[A], story.state.epoch[B]) == (1, 3)
    for action, arguments in (("produce", {"partition": P}), ("end", {"commit": True})):
        with pytest.raises(StepError):
            story.step(action, client=A, **arguments)
    assert story.step("is_fenced", client=A).state.phase[A] == Phase.ENDED
    assert (story.records_of(P), story.false()) == ([(1, "aborted")], set())


def test_a_transaction_that_takes_too_long_is_aborted_and_its_producer_refused_since_kafka_6119() -> None:
    story = Story("kafka_1_1").step("init_producer", client=A).opens(A, P).step("time_out").marks(P)
    with pytest.raises(StepError):
        story.step("add_partition", client=A, partition=Q)
    story = Story("kafka_0_11").step("init_producer", client=A).opens(A, P).step("time_out").marks(P)
    story.step("add_partition", client=A, partition=Q).step("produce", client=A, partition=Q).ends(A, Q)
    assert (story.records_of(P), story.records_of(Q)) == ([(1, "aborted")], [(1, "committed")])
    assert story.false() == {"atomic_visibility", "committed_is_not_lost"}


def give_up(profile: str) -> Story:
    """A has given up a write to P, which is late, and has aborted."""
    story = Story(profile).step("init_producer", client=A).step("begin", client=A)
    story.step("add_partition", client=A, partition=P).step("give_up_produce", client=A, partition=P)
    return story.ends(A, P, commit=False)


def test_a_write_that_is_late_opens_what_nobody_ends_until_kafka_asks_the_coordinator() -> None:
    story = give_up("kafka_2_5").arrives("late_produce_arrives")
    assert (story.records_of(P), story.false()) == ([(1, "open")], {"nothing_hangs"})
    # What comes after it is committed, and no reader gets it.
    story.step("bump_epoch", client=A).opens(A, Q).ends(A, Q)
    assert last_stable_offset(story.state, P) == 0
    for profile in ("kafka_3_6", "kafka_4_2"):
        with pytest.raises(StepError):
            give_up(profile).arrives("late_produce_arrives")


def test_a_write_that_is_late_is_committed_with_the_next_transaction() -> None:
    story = give_up("kafka_2_5").step("bump_epoch", client=A).step("begin", client=A)
    story.step("add_partition", client=A, partition=P).arrives("late_produce_arrives")
    story.step("produce", client=A, partition=P).ends(A, P)
    assert (story.records_of(P), story.false()) == (
        [(1, "committed"), (2, "committed")],
        {"aborted_is_never_delivered"},
    )


def test_a_marker_between_the_answer_and_the_append_is_seen_since_kafka_14884() -> None:
    for profile, appended in (("kafka_14884", True), ("verified_in_two_steps", False)):
        story = Story(profile).step("init_producer", client=A).step("begin", client=A)
        story.step("add_partition", client=A, partition=P).step("give_up_produce", client=A, partition=P)
        story.arrives("verify_late_produce").ends(A, P, commit=False)
        assert (len(story.state.verified) == 1) == appended, profile
        if appended:
            story.step("append_verified", request=next(iter(story.state.verified)))
            assert story.false() == {"nothing_hangs"}


def test_jepsens_torn_transaction_needs_one_epoch_for_two_transactions() -> None:
    story = Story("kafka_3_6").step("init_producer", client=A).opens(A, P)
    story.step("give_up_end", client=A, commit=True).ends(A, P)
    # The commit is asked for again, and done. The second transaction has written to P when the first request arrives.
    assert story.state.phase[A] == Phase.READY
    story.opens(A, P).arrives("late_end_arrives").marks(P)
    story.step("add_partition", client=A, partition=Q).step("produce", client=A, partition=Q)
    story.ends(A, Q, commit=False)
    assert (story.records_of(P)[1], story.records_of(Q)[0]) == ((2, "committed"), (2, "aborted"))
    assert story.false() == {"atomic_visibility", "aborted_is_never_delivered"}
    story = Story("kafka_4_0").step("init_producer", client=A).opens(A, P)
    story.step("give_up_end", client=A, commit=True).ends(A, P).opens(A, P)
    with pytest.raises(StepError):
        story.arrives("late_end_arrives")


def test_a_marker_that_is_sent_twice_ends_the_next_transaction_until_kip_1228() -> None:
    for profile, ended in (("kafka_4_0", True), ("kafka_4_2", False)):
        story = Story(profile).step("init_producer", client=A).opens(A, P).step("end", client=A, commit=True)
        story.step("repeat_marker", partition=P).marks(P).opens(A, P)
        if ended:
            assert story.arrives("late_marker_arrives").false() == {"aborted_is_never_delivered"}
        else:
            with pytest.raises(StepError):
                story.arrives("late_marker_arrives")


def test_a_producer_whose_transaction_was_timed_out_gets_the_next_epoch_in_version_2() -> None:
    story = Story().step("init_producer", client=A).opens(A, P).step("time_out").marks(P)
    story.step("end_is_answered", client=A, commit=False)
    assert (story.state.phase[A], story.state.epoch[A]) == (Phase.READY, 2)
    with pytest.raises(StepError):
        Story().step("init_producer", client=A).opens(A, P).step("time_out").marks(P).step(
            "end_is_answered", client=A, commit=True
        )


def test_in_4_0_0_who_is_fenced_loses_two_epochs() -> None:
    story = Story("kafka_4_0").step("init_producer", client=A).opens(A, P).step("time_out").marks(P)
    assert story.state.memory.epoch == 3
    with pytest.raises(StepError):
        story.step("end_is_answered", client=A, commit=False)
    story.step("is_fenced", client=A)
    # With one epoch left nobody gets a producer id any more (KAFKA-19367).
    for profile, stuck in (("kafka_4_0", True), ("kafka_4_1", False)):
        story = Story(profile, max_epoch=3).step("init_producer", client=A).opens(A, P).ends(A, P).opens(A, P)
        story.step("fence", client=B)
        assert story.false() == ({"no_bad_state"} if stuck else set())


def test_an_abort_that_is_asked_for_again_takes_the_last_epoch_until_kafka_20090() -> None:
    for profile, stuck in (("kafka_4_2", True), ("rotates_when_fenced", False)):
        story = Story(profile, max_epoch=3, producer_ids=2).step("init_producer", client=A).opens(A, P).ends(A, P)
        story.opens(A, P).step("time_out").marks(P).step("end_is_answered", client=A, commit=False)
        # The last epoch of the first producer id is 3; the first of the second one is counted as 4.
        assert story.state.epoch[A] == (3 if stuck else 4)
        story.opens(A, P)
        if stuck:
            assert story.step("fence", client=B).false() == {"no_bad_state"}
        else:
            story.ends(A, P)
            assert (story.state.memory.epoch, story.records_of(P)[-1], story.false()) == (5, (3, "committed"), set())


def test_a_second_producer_id_follows_when_epochs_run_out() -> None:
    """Before version 2 it is InitProducerId that gives it; leaders know each id by itself."""
    story = Story("kafka_3_6", max_epoch=3, producer_ids=2).step("init_producer", client=A).opens(A, P)
    story.step("fence", client=B).marks(P).step("init_producer", client=B)
    assert (story.state.epoch[B], story.state.memory.epoch) == (4, 4)
    story.opens(B, P)
    assert [story.state.producers[P][pid].epoch for pid in (0, 1)] == [2, 4]
    assert story.ends(B, P).false() == set()


def test_an_id_that_has_expired_is_not_known_and_the_next_client_gets_another_producer_id() -> None:
    story = Story("kafka_3_6", max_epoch=4, producer_ids=2, expirations=1).step("init_producer", client=A).opens(A, P)
    with pytest.raises(StepError):
        story.step("expire")  # a transaction is under way
    story.ends(A, P).step("expire").step("begin", client=A)
    assert story.state.memory.state == TxnState.DEAD
    with pytest.raises(StepError):
        story.step("add_partition", client=A, partition=P)
    story.step("is_fenced", client=A).step("init_producer", client=B).opens(B, P).ends(B, P)
    # The first producer id has the epochs 1 to 4, the second one those from 5 on.
    assert (story.state.epoch[B], story.state.producers[P][0].epoch, story.state.producers[P][1].epoch) == (5, 1, 5)
    assert story.false() == set()


def test_who_asks_for_the_next_epoch_of_an_id_that_has_expired_gets_a_producer_id() -> None:
    story = Story("kafka_3_6", max_epoch=4, producer_ids=2, expirations=1).step("init_producer", client=A)
    story.step("begin", client=A).step("add_partition", client=A, partition=P)
    story.step("give_up_produce", client=A, partition=P).ends(A, P, commit=False).step("expire")
    assert story.step("bump_epoch", client=A).state.epoch[A] == 5
    with pytest.raises(StepError):
        story.arrives("late_produce_arrives")


def test_in_version_2_the_end_of_a_transaction_gives_the_next_producer_id() -> None:
    story = Story(max_epoch=3, producer_ids=2).step("init_producer", client=A).opens(A, P).ends(A, P).opens(A, P)
    story.step("end", client=A, commit=True)
    assert (story.state.memory.epoch, story.state.memory.rotates, story.state.epoch[A]) == (3, True, 4)
    assert (story.marks(P).state.memory.epoch, story.false()) == (4, set())


def test_who_is_fenced_is_so_in_memory_before_the_log_says_it() -> None:
    story = Story("step_by_step").step("init_producer", client=A).step("log_commits").step("begin", client=A)
    story.step("add_partition", client=A, partition=P).step("log_commits").step("fence", client=B)
    assert story.state.memory.state == TxnState.PREPARE_EPOCH_FENCE
    with pytest.raises(StepError):
        story.step("add_partition", client=A, partition=Q)
    # A leader that asks is told what the log says: that the transaction is under way.
    story.step("produce", client=A, partition=P)
    story.step("fail_over", survives=False).step("load")
    assert (story.state.memory.state, story.state.memory.epoch) == (TxnState.ONGOING, 1)
    story.step("fence", client=B).step("write_fence").step("log_commits")
    assert (story.state.memory.state, story.state.memory.epoch) == (TxnState.PREPARE_ABORT, 2)


def test_a_client_knows_of_the_partitions_that_it_has_added_whatever_the_coordinator_has() -> None:
    """It does not ask about them again, though the transaction to which they were added is over."""
    for profile, written in (("kafka_1_1", True), ("kafka_3_6", False)):
        story = Story(profile).step("init_producer", client=A).opens(A, Q)
        story.step("give_up_end", client=A, commit=False).ends(A, Q, commit=False).step("begin", client=A)
        story.step("add_partition", client=A, partition=P).arrives("late_end_arrives").marks(P)
        story.step("add_partition", client=A, partition=Q)
        assert (story.state.added[A], story.state.memory.partitions) == (Set({P, Q}), Set({Q}))
        if written:
            assert story.step("produce", client=A, partition=P).false() == {"nothing_hangs"}
        else:
            with pytest.raises(StepError):
                story.step("produce", client=A, partition=P)


def test_an_init_producer_id_with_an_epoch_is_answered_again_since_kip_360() -> None:
    story = give_up("kafka_3_6").step("give_up_init", client=A)
    request = next(request for request in story.state.late if request.kind == Kind.INIT)
    story.step("late_init_arrives", request=request)
    assert (story.state.epoch[A], story.state.memory.epoch) == (1, 2)
    story.step("bump_is_answered_again", client=A)
    assert (story.state.epoch[A], story.state.memory.epoch, story.state.phase[A]) == (2, 2, Phase.READY)


def test_a_late_init_producer_id_of_who_is_fenced_aborts_what_is_under_way_and_gets_no_epoch() -> None:
    story = give_up("kafka_3_6").step("give_up_init", client=A).step("init_producer", client=B)
    request = next(request for request in story.state.late if request.kind == Kind.INIT)
    with pytest.raises(StepError):
        story.step("late_init_arrives", request=request)
    story.opens(B, P).step("late_init_fences", request=request).marks(P)
    assert (request.epoch, story.records_of(P), story.false()) == (1, [(2, "aborted")], set())
    assert story.step("is_fenced", client=B).step("is_fenced", client=A).state.memory.epoch == 3


def test_readers_stop_at_the_first_open_record() -> None:
    story = Story("replicated_later").step("init_producer", client=A).opens(A, P).step("replicate", partition=P)
    with pytest.raises(StepError):
        story.step("read", partition=P)
    story.ends(A, P).step("read", partition=P)
    assert story.state.delivered[P] == 1
    story = Story("kafka_9807").step("init_producer", client=A).step("look", partition=P).opens(A, P)
    story.step("replicate", partition=P).step("read_what_was_looked_for", partition=P)
    assert story.false() == {"readers_stop_at_what_is_open"}


def test_properties_that_no_profile_violates_can_fail() -> None:
    """In steps that no action takes."""
    story = Story().step("init_producer", client=A).opens(A, P).ends(A, P)
    before = story.state
    log = Seq([Cell(txn=1, batch=0, pid=0, status=Status.OPEN)])
    reopened = state_shape(story.model).replace(before, logs=Map({P: log, Q: before.logs[Q]}))
    prop = next(prop for prop in story.model.properties if prop.name == "last_stable_offset_only_rises")
    assert holds(story.model, prop, before, before)
    assert not holds(story.model, prop, before, reopened)


def test_every_property_turns_red_in_a_profile_that_is_recorded() -> None:
    """All but T11, which fails in no step that an action takes: see the test above."""
    text = (ROOT / "invariants" / "transactions" / "properties.py").read_text(encoding="utf-8")
    numbered = set(re.findall(r"^def (\w+)\(.*\n    \"\"\"T\d+: ", text, re.MULTILINE))
    red = {name for check in CHECKS for name, found in check.properties.items() if found.verdict == "violated"}
    assert numbered - red == {"last_stable_offset_only_rises"}


def test_every_property_of_the_catalogue_has_its_number() -> None:
    text = (ROOT / "invariants" / "transactions" / "properties.py").read_text(encoding="utf-8")
    assert sorted({int(number) for number in re.findall(r'"""T(\d+): ', text)}) == list(range(1, 16))


def test_the_table_of_what_fails_is_what_is_recorded() -> None:
    text = page_with_appendix("transactions.md")
    rows = re.findall(r"^\| `(\w+)` \| [^|]*\| `(\w+)` \| `(\w+)` \| (\d+) \|$", text, re.MULTILINE)
    shown = {(profile, fails, bounds, int(steps)) for profile, fails, bounds, steps in rows}
    assert shown == {
        (check.profile, name, check.bounds, expected.steps)
        for check in (*CHECKS, *PROCESSING)
        for name, expected in check.properties.items()
        if expected.verdict == "violated"
    }


REPAIRED_BY = {
    "kafka_0_11": "kafka_1_1",
    "goes_on_1_1": "kafka_1_1",
    "kafka_9666": "kafka_1_1",
    "kafka_1_1": "kafka_4_0",
    "kafka_2_5": "kafka_3_6",
    "goes_on_3_6": "kafka_3_6",
    "kafka_14884": "verified_in_two_steps",
    "kafka_3_6": "kafka_4_0",
    "kafka_4_0": "kafka_4_2",
    "kafka_4_1": "kafka_4_2",
    "kafka_4_2": "rotates_when_fenced",
    "log_lost": "kafka_4_2",
    "former_answers": "kafka_4_2",
    "former_answers_3_6": "former_answers",
    "forgetful_former": "forgetful_4_2",
    "kafka_7190": "unforgotten",
    "kafka_9144": "unforgotten",
    "unfenced_markers": "unforgotten",
    "kafka_9807": "replicated_later",
    "answers_early": "step_by_step",
    "offsets_1_1": "offsets_3_7",
    "offsets_2_4": "offsets_3_7",
    "offsets_2_5": "offsets_3_7",
    "offsets_3_7": "offsets_4_2",
    "offsets_4_2": "kafka_4_2",  # sequence numbers, which records have; no version gives them to commits of offsets
    "forgetful_2_5": "forgetful_4_2",
    "pipelined_3_6": "pipelined",
    "pipelined_4_0": "pipelined",
    "both_3_7": "both_4_2",
}
SHARES_ITS_FATE = ("kafka_4_2", "pipelined", "both_4_2", "two_steps_4_2")
"""In which a write of an epoch that is over is appended before its marker, which ends it: no version mends that."""


@pytest.mark.parametrize("check", [check for check in CHECKS if not check.counts], ids=lambda check: check_name(check))
def test_what_repairs_a_mistake_is_exhausted_in_bounds_as_large(check: CheckRecord) -> None:
    (name,) = check.properties
    if check.profile in SHARES_ITS_FATE and name == "fenced_producers_have_no_effect":
        return
    repaired_by = REPAIRED_BY[check.profile or ""]
    if check.bounds == "last_epochs":
        repaired_by = "rotates_when_fenced"
    if repaired_by == "offsets_3_7" and name == "aborted_is_never_delivered":
        repaired_by = "offsets_4_2"  # verification is no repair of what has the epoch of the next transaction
    if name == "newest_batch_counts":
        repaired_by = "kafka_4_2"  # sequence numbers
    assert any(
        other.profile == repaired_by
        and other.counts
        and name in other.properties
        and other.properties[name].verdict == "holds"
        and all(sizes(other).get(key, 0) >= value for key, value in sizes(check).items())
        for other in CHECKS
    )


def sizes(check: CheckRecord) -> dict[str, int]:
    """The constants of a check that bounds give: all of them are numbers. `max_epoch` is 6 where they leave it out."""
    given = {name: value for name, value in check.constants.items() if isinstance(value, int)}
    assert len(given) == len(check.constants)
    return {"max_epoch": 6, **given}


AT_ONCE = [
    pytest.param(profile, bounds, marks=pytest.mark.long if bounds == "time_out" else pytest.mark.matrix)
    for profile, switches in profiles.items()
    if "in_one_step" not in switches
    for bounds in ("time_out", "late_write", "late_end", "late_marker")
]


AT_ONCE.append(pytest.param("log_lost", "forgetting", marks=pytest.mark.long))


@pytest.mark.parametrize(("profile", "bounds"), AT_ONCE)
def test_each_property_has_one_verdict_whether_records_are_committed_at_once(
    profile: str, bounds: str, cache: Path
) -> None:
    """With epochs enough for either: where a record outlives its coordinator, and nobody is answered, one more goes,
    so that in 4.0.0 six run out in steps alone (KAFKA-19367, which is recorded in `last_epochs`)."""
    constants = {**next(sizes(check) for check in CHECKS if check.bounds == bounds), "max_epoch": 8}
    found: list[dict[str, str]] = []
    for at_once in (True, False):
        model = bind_shipped(f"transactions:{profile}", {**constants, "in_one_step": at_once})
        verdict = ENGINES["native"](model, Search(symmetry=True, keep_going=True, cache=cache), None)
        found.append({prop.name: prop.verdict for prop in verdict.properties if prop.kind != "reachable"})
    assert found[0] == found[1]
    assert {"undecided", "not_checked"}.isdisjoint(found[0].values())


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {'' if check.counts else next(iter(check.properties))}"


def is_quick(check: CheckRecord) -> bool:
    """Whether it is one of those that take a tenth of a second."""
    return check.bounds in ("log_lost", "time_out")


@pytest.mark.parametrize(
    "check", gate_parameters([check for check in CHECKS if check.tier == "commit"], is_quick, check_name)
)
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    search = Search(symmetry=check.symmetry, cache=cache)
    assert_as_recorded(check, ENGINES["native"](bind_check(check), search, None))


@pytest.mark.parametrize(
    "check",
    gate_parameters(PUBLISHED, lambda check: check.bounds in ("two_clients", "upstream"), lambda check: check.name),
)
def test_the_published_module_has_as_many_states(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(cache=cache), None))


def test_plain_python_counts_the_same(cache: Path) -> None:
    small = {"clients": 2, "partitions": 1, "transactions": 1, "late_ends": 1, "max_epoch": 4}
    model = find("transactions")[0].bind("small", small, "kafka_3_6", properties=["nothing_hangs"])
    search = Search(symmetry=True, cache=cache)
    native, plain = (ENGINES[name](model, search, None) for name in ("native", "python"))
    counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
    assert counts[0] == counts[1]


def test_a_picture_has_coordinator_and_clients_beside_the_partitions() -> None:
    story = Story("kafka_3_6").step("init_producer", client=A).opens(A, P).step("give_up_end", client=A, commit=True)
    picture = Picture(story.model, story.model.view)
    lanes = picture.lanes(story.state)
    assert list(lanes) == ["coordinator", "A", "B", "P", "Q"]
    assert [lanes[name].get("kind") for name in lanes] == ["group", "group", "group", None, None]
    assert (lanes["coordinator"]["role"], lanes["coordinator"]["chips"]) == ("ongoing", ["P"])
    assert (lanes["A"]["role"], lanes["A"]["epoch"], lanes["A"]["badges"]["transaction"]) == ("committing", 1, "1")
    assert (lanes["B"]["role"], lanes["B"]["epoch"]) == ("out", None)
    assert [(cell["text"], lanes["P"]["last_stable_offset"]) for cell in lanes["P"]["cells"]] == [("1?", 0)]
    assert picture.board(story.state) == {"late": "EndTxn of epoch 1 (commit)"}


def test_partitions_of_a_transaction_are_no_replicas_so_that_none_lacks_what_another_has() -> None:
    steps = (
        "init_producer(A); begin(A); add_partition(client=A, partition=P); add_partition(client=A, partition=Q); "
        "produce(client=A, partition=P); produce(client=A, partition=Q); give_up_end(client=A, commit=true); "
        "end(client=A, commit=true); write_marker(P); write_marker(Q); complete; begin(A); "
        "add_partition(client=A, partition=P); produce(client=A, partition=P); late_end_arrives(Request(kind=END, "
        "epoch=1, partition=none, txn=0, batch=0, sequence=0, commit=true, coordinator=0)); write_marker(P); complete; "
        "add_partition(client=A, partition=Q); produce(client=A, partition=Q); end(client=A, commit=false); "
        "write_marker(Q)"
    )
    asked = ["atomic_visibility"]
    model = find("transactions")[0].bind("torn", {"late_ends": 1}, "kafka_3_6", properties=asked)
    document = run_document(model, run_text(model, steps))
    (short,) = [row["text"] for row in document["argument"] if row["role"] == "short"]
    assert "lost" not in document
    assert "P gets the marker of PREPARE_COMMIT, epoch 1 (step 16). Q gets the marker of PREPARE_ABORT" in short


def test_a_late_request_says_what_it_is() -> None:
    story = Story("kafka_3_6").step("init_producer", client=A).opens(A, P).step("give_up_end", client=A, commit=True)
    (request,) = story.state.late
    assert (request.kind, request.epoch, request.commit) == (Kind.END, 1, True)
    assert replace(request, epoch=0) not in story.state.late
