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
from ...model.classic_group import everybody_runs as everybody_runs
from ...model.classic_group.coordinator import fail_over, find_coordinator, group_is_empty, load, log_commits, resign
from ...model.classic_group.joining import (
    answer_sync,
    assign,
    begin_generation,
    join,
    receive_join,
    refuse_join,
    refuse_sync,
    take_assignment,
    take_join_answer,
)
from ...model.classic_group.lumping import (
    commits_that_matter,
    groups_that_matter,
    late_commit_that_matters,
    pauses_that_matter,
    what_is_owned,
    what_it_does,
    where,
)
from ...model.classic_group.members import (
    accept_commit,
    commit,
    hear_of_loss,
    hear_of_rebalance,
    leave,
    pause,
    poll_times_out,
    process,
    rebalance_times_out,
    refuse_commit,
    resume,
    session_times_out,
)
from ...model.classic_group.state import Cluster, Consumer, Partition

modules = classic_group.modules
profiles = classic_group.profiles
view = classic_group.view


@refines(
    classic_group,
    {
        join: STUTTERS,
        load: (load, STUTTERS),
        resume: (resume, STUTTERS),
        pause: (pause, STUTTERS),
        refuse_commit: (refuse_commit, STUTTERS),
        resign: (resign, STUTTERS),
        receive_join: receive_join,
        refuse_join: refuse_join,
        begin_generation: begin_generation,
        take_join_answer: take_join_answer,
        assign: assign,
        answer_sync: answer_sync,
        take_assignment: take_assignment,
        refuse_sync: refuse_sync,
        hear_of_rebalance: hear_of_rebalance,
        hear_of_loss: hear_of_loss,
        process: process,
        commit: commit,
        accept_commit: accept_commit,
        leave: leave,
        session_times_out: session_times_out,
        rebalance_times_out: rebalance_times_out,
        poll_times_out: poll_times_out,
        group_is_empty: group_is_empty,
        log_commits: log_commits,
        fail_over: fail_over,
        find_coordinator: find_coordinator,
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
