"""The outage of `__consumer_offsets` as stories, and what was recorded of it. The steps are taken by the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.judge import holds, initial_states, replay, state_shape
from tidegate.language.steptext import StepError
from tidegate.language.values import Map, Set, State
from tidegate.model.offsets_outage import Broker, Group, Home

from ...conftest import ROOT
from ...support.shipped import bind_shipped, gate_parameters
from ..test_counts import assert_as_recorded, bind_check

ONE, TWO, THREE = Broker(0), Broker(1), Broker(2)
G, H = Group(0), Group(1)
P, Q = Home(0), Home(1)
CHECKS = read_record_file(ROOT / "spec" / "offsets_outage.toml").checks
SIZES = {"crashes": 2, "disk_losses": 1, "reassignments": 2, "deletions": 1, "changes": 1, "entries": 4}


class Story:
    """Three brokers, of which none runs yet, and groups G and H, whose offsets are in partitions P and Q."""

    def __init__(self, profile: str, **constants: Any) -> None:
        self.model = bind_shipped(f"offsets_outage:{profile}", {**SIZES, **constants}, called=profile)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def start(self, *brokers: Broker) -> Story:
        """They start, one after the other."""
        for broker in brokers:
            self.step("start_broker", broker=broker)
        return self

    def make(self, p: set[Broker], q: set[Broker]) -> Story:
        """The topic is used for the first time: P and Q have their replicas there."""
        return self.step("first_use", placement=Map({P: Set(p), Q: Set(q)}))

    def consume(self) -> Story:
        """A record is produced, and both groups process it and commit."""
        return self.step("produce").step("consume", group=G, home=P).step("consume", group=H, home=Q)

    def goes_on(self, group: Group, home: Home) -> bool:
        """Whether a group can commit."""
        before = self.state
        try:
            self.step("produce").step("consume", group=group, home=home)
        except StepError:
            return False
        finally:
            self.state = before
        return True

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}


def test_before_0_11_one_broker_that_is_up_at_the_first_use_has_all_partitions_and_stops_every_group() -> None:
    story = Story("kafka_0_10").start(ONE).make({ONE}, {ONE}).start(TWO, THREE).consume().step("kill", broker=ONE)
    assert not story.goes_on(G, P) and not story.goes_on(H, Q)
    assert story.false() == {"group_available", "some_group_goes_on", "consumers_read_on", "rest_goes_on"}
    # The broker is back, and so are the offsets.
    story.start(ONE)
    assert story.goes_on(G, P) and story.goes_on(H, Q) and story.false() == set()


def test_before_0_11_the_topic_has_three_replicas_where_three_brokers_are_up_at_the_first_use() -> None:
    story = Story("kafka_0_10").start(ONE, TWO, THREE)
    with pytest.raises(StepError):
        story.make({ONE}, {TWO})
    everywhere = {ONE, TWO, THREE}
    story.make(everywhere, everywhere).consume().step("kill", broker=ONE)
    assert story.goes_on(G, P) and story.goes_on(H, Q) and story.false() == set()


def test_since_0_11_the_topic_is_not_made_until_there_are_enough_brokers() -> None:
    with pytest.raises(StepError):
        Story("three_replicas").start(ONE).make({ONE}, {ONE})


def test_the_shipped_setting_stops_those_groups_whose_partition_was_on_the_broker_that_was_killed() -> None:
    story = Story("shipped").start(ONE, TWO, THREE).make({ONE}, {TWO}).consume().step("kill", broker=ONE)
    assert (story.goes_on(G, P), story.goes_on(H, Q)) == (False, True)
    assert story.false() == {"group_available"}


def test_a_partition_without_a_leader_is_reassigned_only_once_its_broker_is_back() -> None:
    story = Story("shipped", repaired=2).start(ONE, TWO, THREE).make({ONE}, {TWO}).consume().step("kill", broker=ONE)
    # The reassignment is under way, and there is nobody to copy from.
    story.step("reassign", home=P, target=Set({TWO, THREE}))
    with pytest.raises(StepError, match="leads"):
        story.step("copy", home=P, broker=TWO)
    story.start(ONE).step("copy", home=P, broker=TWO).step("copy", home=P, broker=THREE)
    story.step("finish_reassignment", home=P).step("kill", broker=THREE)
    assert (story.goes_on(G, P), story.false()) == (True, set())


def test_the_old_replica_stays_until_the_new_ones_have_copied_its_log() -> None:
    story = Story("shipped", repaired=2).start(ONE, TWO, THREE).make({ONE}, {TWO}).consume()
    story.step("reassign", home=P, target=Set({TWO, THREE})).step("copy", home=P, broker=TWO)
    with pytest.raises(StepError, match="in_sync"):
        story.step("finish_reassignment", home=P)
    assert story.state.replicas[P] == Set({ONE, TWO, THREE})
    story.step("copy", home=P, broker=THREE).step("finish_reassignment", home=P)
    assert (story.state.replicas[P], len(story.state.copies[P][ONE])) == (Set({TWO, THREE}), 0)
    story.step("kill", broker=THREE)
    assert (story.goes_on(G, P), story.false()) == (True, set())


# --- what consumers do without a coordinator --------------------------------------------------------------------------


def story_without_coordinator(profile: str) -> Story:
    """G has processed and committed a record; another one is there; and nobody leads G's partition."""
    story = Story(profile, records=3).start(ONE, TWO, THREE).make({ONE}, {TWO}).consume().step("produce")
    return story.step("kill", broker=ONE)


def test_a_consumer_up_to_2_4_is_given_no_record_without_a_coordinator() -> None:
    with pytest.raises(StepError, match="is_given_records"):
        story_without_coordinator("consumers_2_4").step("process", group=G)


def test_since_2_5_a_consumer_reads_on_and_what_it_did_not_commit_is_read_again() -> None:
    story = story_without_coordinator("shipped").step("process", group=G)
    assert story.state.position[G] == 2 and story.false() == {"group_available"}
    # The broker is back before the consumer has to join again: it commits.
    committed = Story("shipped", records=3)
    committed.state = story.state
    committed.start(ONE).step("commit", group=G, home=P)
    assert (committed.state.confirmed[G], committed.false()) == (2, set())
    # It is started again: it waits, and begins with what was committed before.
    story.step("restart", group=G).step("produce")
    with pytest.raises(StepError, match="waiting"):
        story.step("process", group=G)
    story.start(ONE).step("begin_again", group=G)
    assert (story.state.position[G], story.false()) == (1, {"nothing_read_again"})


def test_a_position_is_validated_with_a_coordinator_by_the_classic_consumer_and_without_by_kip_848s() -> None:
    story = story_without_coordinator("shipped").step("move_leader")
    assert story.false() == {"group_available", "consumers_read_on"}
    with pytest.raises(StepError, match="is_given_records"):
        story.step("process", group=G)
    assert not story.start(ONE).state.unsure and story.goes_on(G, P)
    other = story_without_coordinator("consumers_kip_848")
    with pytest.raises(StepError, match="validates_without_coordinator"):
        other.step("move_leader")
    other.step("process", group=G)


@pytest.mark.parametrize(
    ("profile", "begins", "false"),
    [
        ("shipped", 2, {"nothing_skipped"}),
        ("earliest", 0, {"nothing_read_again", "nothing_confirmed_read_again"}),
        ("none", 1, {"nobody_stops_for_good"}),
    ],
)
def test_deleting_the_logs_loses_every_offset_and_the_consumers_setting_says_where_it_begins(
    profile: str, begins: int, false: set[str]
) -> None:
    story = Story(profile).start(ONE, TWO, THREE).make({ONE}, {TWO}).consume()
    story.step("delete_logs").step("produce").make({ONE, TWO, THREE}, {ONE, TWO, THREE})
    assert story.false() == {"offset_durable", "in_sync_has_all"}
    story.step("begin_again", group=G)
    assert (story.state.position[G], story.false()) == (begins, {"offset_durable", "in_sync_has_all"} | false)


def test_the_disk_of_the_only_replica_is_lost_and_the_offsets_with_it() -> None:
    for profile, lost in (("shipped", True), ("three_replicas", False)):
        story = Story(profile).start(ONE, TWO, THREE)
        places = ({ONE}, {TWO}) if lost else ({ONE, TWO, THREE}, {ONE, TWO, THREE})
        story.make(*places).consume().step("kill", broker=ONE).step("lose_disk", broker=ONE).start(ONE)
        assert story.false() == ({"offset_durable", "in_sync_has_all"} if lost else set[str]())


def test_groups_look_for_their_offsets_elsewhere_when_the_number_of_partitions_is_changed_up_to_0_8_2() -> None:
    everywhere = {ONE, TWO, THREE}
    for profile, home in (("three_replicas", Q), ("kafka_2336", P)):
        story = Story(profile).start(*everywhere).make(everywhere, everywhere).consume().step("change_setting")
        assert story.goes_on(H, home)
        assert story.false() == (set() if home == Q else {"offset_durable", "coordinator_mapping"})


# --- what is recorded -------------------------------------------------------------------------------------------------


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {' '.join(check.properties) if len(check.properties) < 3 else 'rest'}"


def is_quick(check: CheckRecord) -> bool:
    """Those with brokers that an article is about: the others have a kernel each, too."""
    return (check.profile, check.bounds) in {("kafka_0_10", "one_up"), ("shipped", "repaired"), ("log_loses", "a_log")}


@pytest.mark.parametrize("check", gate_parameters(CHECKS, is_quick, check_name))
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_plain_python_counts_the_same(cache: Path) -> None:
    bounds = {"brokers": 2, "factor": 2, "repaired": 2, "crashes": 1, "disk_losses": 1, "entries": 2}
    model = find("offsets_outage")[0].bind("small", bounds, "three_replicas", properties=["group_available"])
    search = Search(symmetry=True, cache=cache)
    native, plain = (ENGINES[name](model, search, None) for name in ("native", "python"))
    counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
    assert counts[0] == counts[1]


def test_every_invariant_is_violated_by_a_profile_or_is_what_the_repair_keeps() -> None:
    violated = {name for check in CHECKS for name, it in check.properties.items() if it.verdict == "violated"}
    invariants = {prop.name for prop in find("offsets_outage")[0].bind("all").properties if prop.kind == "invariant"}
    by_mistakes_alone = {"somebody_is_in_sync", "who_has_a_coordinator_is_sure"}  # tests/model/test_group_mutants.py
    assert invariants - violated == {"type_ok", "repaired_group_available"} | by_mistakes_alone


def test_a_repaired_partition_whose_replicas_are_all_out_of_sync_would_fail_what_the_repair_keeps() -> None:
    everywhere = {ONE, TWO, THREE}
    story = Story("three_replicas").start(*everywhere).make(everywhere, everywhere)
    logs = story.state.logs
    stopped = Map({home: logs[home] if home == Q else Story("shipped").state.logs[P] for home in (P, Q)})
    story.state = state_shape(story.model).replace(story.state, logs=stopped)
    assert "repaired_group_available" in story.false()
