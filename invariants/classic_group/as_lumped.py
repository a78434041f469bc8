"""Kafka's classic group with every step and every field (`lumped=false`), claimed to be one that forgets what can make
no difference any more (`lumped=true`): one model, and two values of one constant.

Each property in `invariants/classic_group/properties.py` that is true of a state's image is true of the state. The
image has a coordinator that has loaded the log wherever the state has one that has yet to, and says nothing of it
there. It has the members, generations and assignments that properties read, the claims of those that have joined, and
the commits that may be accepted. What a consumer that is in no group owned, no property counts. `one_owner_at_a_time`
does, of a cooperative one whose heartbeat thread has left in a pause: Kafka does not keep it, and it is asked of the
larger one.
"""

from __future__ import annotations

from ...language import STUTTERS, Map, refines, replace
from ...model import classic_group
from ...model.classic_group import coordinator, joining, members
from ...model.classic_group.lumping import *
from ...model.classic_group.state import Cluster, Consumer, Partition

modules = (*classic_group.modules, classic_group)
profiles = classic_group.profiles
view = classic_group.view


@refines(
    classic_group,
    {
        joining.join: STUTTERS,
        coordinator.load: (coordinator.load, STUTTERS),
        members.resume: (members.resume, STUTTERS),
        members.pause: (members.pause, STUTTERS),
        members.refuse_commit: (members.refuse_commit, STUTTERS),
        coordinator.resign: (coordinator.resign, STUTTERS),
        joining.receive_join: joining.receive_join,
        joining.refuse_join: joining.refuse_join,
        joining.begin_generation: joining.begin_generation,
        joining.take_join_answer: joining.take_join_answer,
        joining.assign: joining.assign,
        joining.answer_sync: joining.answer_sync,
        joining.take_assignment: joining.take_assignment,
        joining.refuse_sync: joining.refuse_sync,
        members.hear_of_rebalance: members.hear_of_rebalance,
        members.hear_of_loss: members.hear_of_loss,
        members.process: members.process,
        members.commit: members.commit,
        members.accept_commit: members.accept_commit,
        members.leave: members.leave,
        members.session_times_out: members.session_times_out,
        members.rebalance_times_out: members.rebalance_times_out,
        members.poll_times_out: members.poll_times_out,
        coordinator.group_is_empty: coordinator.group_is_empty,
        coordinator.log_commits: coordinator.log_commits,
        coordinator.fail_over: coordinator.fail_over,
        coordinator.find_coordinator: coordinator.find_coordinator,
    },
    lumped=True,
)
def as_lumped(s: Cluster) -> Cluster:
    """What is forgotten makes no difference: each step is one of the group that forgets it."""
    return replace(
        s,
        groups=groups_that_matter(s),
        commits=commits_that_matter(s),
        late_commit=late_commit_that_matters(s),
        paused=pauses_that_matter(s),
        owned=Map({member: what_is_owned(s, member) for member in Consumer}),
        position=Map({member: Map({p: where(s, member, p) for p in Partition}) for member in Consumer}),
        phase=Map({member: what_it_does(s, member) for member in Consumer}),
    )
