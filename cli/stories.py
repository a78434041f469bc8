"""The stories of `tidegate demo`: commands, and what is said before each."""

from __future__ import annotations

from collections.abc import Mapping

from ..language.immutable import immutable
from ..reports.exits import Exit


@immutable
class Scene:
    """What is said, the command that shows it (a line of `tidegate`, without that word), and the exit it must have."""

    says: str
    command: str
    exit: Exit


@immutable
class Story:
    """A story: its title, in a few words, and its scenes."""

    title: str
    scenes: tuple[Scene, ...]


KIP_101 = Story(
    "the loss of records that KIP-101 describes, and its fix in every reachable state",
    (
        Scene(
            "Before KIP-101, a replica that began to follow a leader cut its log to its own high watermark. That mark "
            "lags behind the leader's by a fetch, so it could throw away a record that was already committed, and be "
            "elected right then. Is there a run in which that happens?",
            "check replication:truncate_to_hw --set replicas=2 --set log_size=1 --set max_records=1 "
            "--set max_leader_epoch=2 --property leader_completeness",
            Exit.SAFETY,
        ),
        Scene(
            "KIP-101, KIP-279 and KIP-320 replaced this with leader epochs: a follower cuts its log where it parts "
            "from the leader's, and a leader serves and counts only followers of its own epoch. This is every "
            "reachable state of that protocol within the bounds, with all properties checked:",
            "check replication:kip320 --set replicas=3 --set log_size=2 --set max_records=2 "
            "--set max_leader_epoch=2 --ghosts",
            Exit.HOLDS,
        ),
    ),
)

OUTAGE = Story(
    "the outage of __consumer_offsets: three brokers, one is killed, and every group stops",
    (
        Scene(
            "Three brokers run, and every topic has three replicas. One broker is killed, two are left, and all "
            "consumers stop: every partition of __consumer_offsets was on the one that is gone. How did it get there? "
            "Up to 0.10 the topic is made when the first group comes, with the lesser of its setting, 3, and of how "
            "many brokers run by then.",
            "check offsets_outage:kafka_0_10 --bounds one_up --property rest_goes_on --symmetry",
            Exit.SAFETY,
        ),
        Scene(
            "Since 0.11 the topic waits for as many brokers as it is to have replicas. With three, and a second one "
            "in sync for each commit, no group stops when one broker is killed:",
            "check offsets_outage:three_replicas --bounds one_up --property group_available --symmetry",
            Exit.HOLDS,
        ),
        Scene(
            "The server.properties that Kafka ships says one replica. Then the partitions are spread, and the groups "
            "of one broker stop with it:",
            "check offsets_outage:shipped --bounds all_up --property group_available --symmetry",
            Exit.SAFETY,
        ),
        Scene(
            "The remedy that articles have, deleting the topic's logs, takes every committed offset with it. With "
            "auto.offset.reset=latest groups skip what nobody has processed:",
            "check offsets_outage:shipped --bounds deleted --property nothing_skipped --symmetry",
            Exit.SAFETY,
        ),
        Scene(
            "A reassignment to three replicas keeps every offset:",
            "check offsets_outage:shipped --bounds moved --property offset_durable --symmetry",
            Exit.HOLDS,
        ),
    ),
)

WALK = Story(
    "the walk of log end offset and high watermark: one record, two replicas",
    (
        Scene(
            "One record goes from a producer to the leader A and the follower B. Both logs are empty, both high "
            "watermarks are 0. A appends: its log end offset is 1. B fetches: its own is 1 as well, and with the "
            "offset of its next fetch A learns that (in the model at once). A moves its high watermark to 1 and "
            "answers the producer; B's is still 0. The answer to the next fetch brings it: a follower is one fetch "
            "behind.",
            "replay partition:kafka_4_1 --set replicas=2 "
            '--steps "produce(A); fetch(A, B); advance_high_watermark(A); fetch(A, B)"',
            Exit.HOLDS,
        ),
        Scene(
            "So a follower that is elected in between begins with a mark behind what was committed:",
            "check partition:kafka_4_1 --bounds two_replicas_lag --property leader_is_behind "
            "--witness leader_is_behind",
            Exit.HOLDS,
        ),
        Scene(
            "That is harmless, unless it is what a log is cut at, as up to 0.10:",
            "check partition:kafka_0_10 --bounds two_replicas_fail_over --property leader_completeness",
            Exit.SAFETY,
        ),
    ),
)

TWO_MEMBERS = "replay assignors --set members=2 --set topics=2 --set max_partitions=4 --steps "

ASSIGNORS = Story(
    "Range and RoundRobin with the numbers of the articles: 2 and 1, 2 and 2, 4 and 2, 3 and 3",
    (
        Scene(
            "Range, a topic of three partitions, two consumers: 2 and 1.",
            f'{TWO_MEMBERS}"start(partitions={{A: 3, B: 0}}, subscribed={{A: {{A}}, B: {{A}}}}); assign(RANGE)"',
            Exit.HOLDS,
        ),
        Scene(
            "Range, four partitions: 2 and 2.",
            f'{TWO_MEMBERS}"start(partitions={{A: 4, B: 0}}, subscribed={{A: {{A}}, B: {{A}}}}); assign(RANGE)"',
            Exit.HOLDS,
        ),
        Scene(
            "Range, two topics of three partitions each: 4 and 2, since each topic is divided by itself. With more "
            "topics it gets worse.",
            f'{TWO_MEMBERS}"start(partitions={{A: 3, B: 3}}, subscribed={{A: {{A, B}}, B: {{A, B}}}}); assign(RANGE)"',
            Exit.SAFETY,
        ),
        Scene(
            "RoundRobin, the same topics: 3 and 3.",
            f'{TWO_MEMBERS}"start(partitions={{A: 3, B: 3}}, subscribed={{A: {{A, B}}, B: {{A, B}}}}); '
            'assign(ROUND_ROBIN)"',
            Exit.HOLDS,
        ),
    ),
)

FIGURE_8_BOUNDS = "--set servers=5 --set max_term=6 --set log_size=4 --set client_values=4 --set crashes=4"
TO_C = (
    "time_out(A); learn_of_term(B, 1); request_vote(A, B); learn_of_term(C, 1); request_vote(A, C); become_leader(A); "
    "write(A); append_entries(A, B); append_entries(A, C); learn_of_term(D, 1); append_entries(A, D); "
    "learn_of_term(E, 1); append_entries(A, E); restart(A, 1); time_out(A); learn_of_term(B, 2); request_vote(A, B); "
    "learn_of_term(C, 2); request_vote(A, C); become_leader(A); write(A); append_entries(A, B); restart(A, 2); "
    "time_out(E); time_out(E); learn_of_term(C, 3); request_vote(E, C); learn_of_term(D, 3); request_vote(E, D); "
    "become_leader(E); write(E); restart(E, 2); time_out(A); time_out(A); learn_of_term(B, 4); request_vote(A, B); "
    "learn_of_term(C, 4); request_vote(A, C); become_leader(A); append_entries(A, B); append_entries(A, C); "
    "append_entries(A, C); "
)
"""(a) to (c) of the figure."""
TO_D = (
    "time_out(E); time_out(E); learn_of_term(B, 5); request_vote(E, B); learn_of_term(C, 5); request_vote(E, C); "
    "learn_of_term(D, 5); request_vote(E, D); become_leader(E); append_entries(E, B); append_entries(E, B); "
    "append_entries(E, C); append_entries(E, C); append_entries(E, D); learn_of_term(A, 5); append_entries(E, A); "
    "append_entries(E, A)"
)
"""On from there: (d)."""
TO_E = (
    "write(A); append_entries(A, B); append_entries(A, C); advance_commit_index(A); restart(A, 3); time_out(E); "
    "time_out(E); learn_of_term(B, 5); learn_of_term(C, 5); learn_of_term(D, 5); request_vote(E, D)"
)
"""The other way: (e)."""

FIGURE_8 = Story(
    "Figure 8 of the Raft paper: what a majority has is overwritten, if copies of older terms are counted",
    (
        Scene(
            "A to E are S1 to S5. (a) A leads term 2 and brings its entry to B (step 22), then goes down. (b) E leads "
            "term 3 with the votes of C and D, writes another entry, and goes down. (c) A leads term 4 and brings the "
            "old entry to C: three of five have it. Whoever calls it committed now (step 43) is wrong: (d) E is "
            "elected for term 5 by B, C and D (step 52), and overwrites it with its own: at B (54), at C (56), and in "
            "the end at A, which has applied it (60). Unlike the figure, A has no entry of its own term 4 yet in (c), "
            "and is deposed in (d) by hearing of term 5, where S1 crashes.",
            f"replay raft:count_replicas {FIGURE_8_BOUNDS} --property committed_entries_stay "
            f'--steps "{TO_C}advance_commit_index(A); {TO_D}"',
            Exit.SAFETY,
        ),
        Scene(
            "By Raft's rule A does not call it committed. The same election, and the same entry overwritten on all "
            "servers: nobody has applied it, and every property holds. So (c) and (d) happen in Raft, too.",
            f'replay raft {FIGURE_8_BOUNDS} --steps "{TO_C}{TO_D}"',
            Exit.HOLDS,
        ),
        Scene(
            "(e) A first brings an entry of its own term 4 to B and C, and commits it and the older one with it. It "
            "dies, and E asks: D votes for it, and B and C may not, since their logs end in term 4 and E's in term 3. "
            "Two votes of five elect nobody, and neither entry is overwritten.",
            f'replay raft {FIGURE_8_BOUNDS} --steps "{TO_C}{TO_E}"',
            Exit.HOLDS,
        ),
        Scene(
            "Three servers and two commands are enough; this is the shortest such run:",
            "check raft:count_replicas --bounds figure_8 --property leader_completeness --symmetry",
            Exit.SAFETY,
        ),
        Scene(
            "An empty entry at the start of a term does not prevent it:",
            "check raft:count_replicas_no_op --bounds no_commands --property leader_completeness --symmetry",
            Exit.SAFETY,
        ),
        Scene(
            "Raft's rule does: a leader counts entries of its own term alone, and commits older ones with them.",
            "check raft --bounds figure_8 --property leader_completeness --symmetry",
            Exit.HOLDS,
        ),
        Scene(
            "Kafka's own Raft has the same rule, and had it off by one (KAFKA-12619):",
            "check kraft:kafka_12619 --bounds figure_8 --property leader_completeness --symmetry",
            Exit.SAFETY,
        ),
    ),
)

ACKS = Story(
    "acks and min.insync.replicas: what each loses, and what does not",
    (
        Scene(
            "acks=0: nobody answers. A request is lost on its way, and the producer takes the record for written.",
            "check producer:acks_0 --bounds connection --property no_silent_loss",
            Exit.SAFETY,
        ),
        Scene(
            "acks=1: the leader alone has it, answers, and dies.",
            "check partition:acks_1 --bounds one_crash --property acknowledged_kept",
            Exit.SAFETY,
        ),
        Scene(
            "acks=all with min.insync.replicas=1: the ISR may shrink to the leader alone, and all is one.",
            "check partition:min_isr_1 --bounds one_fault --property leader_completeness",
            Exit.SAFETY,
        ),
        Scene(
            "acks=all with min.insync.replicas=2 of three, without eligible leader replicas: the last replica in sync "
            "may lose power, and leads again without the record.",
            "check partition:last_replica_standing --bounds one_fault --property leader_completeness",
            Exit.SAFETY,
        ),
        Scene(
            "The same with eligible leader replicas (KIP-966), as new clusters of 4.1 have them: one fault loses "
            "nothing.",
            "check partition:kafka_4_1 --bounds one_fault --property leader_completeness",
            Exit.HOLDS,
        ),
        Scene(
            "And min.insync.replicas as large as the replicas stops writes with the first broker that is lost for "
            "good:",
            "check partition:kafka_4_1 --bounds hosts --set min_isr=3 --property writes_go_on",
            Exit.VACUOUS,
        ),
    ),
)

LEADERS = Story(
    "who elects a partition's leader: the controller, from the ISR, on ZooKeeper and in KRaft",
    (
        Scene(
            "On ZooKeeper. Broker C is the controller, all three are in the ISR, and the session of A, which leads, "
            "expires. The controller reads who is gone and makes the first of the ISR in the order of the assignment "
            "the leader: B. No replica is asked.",
            "replay zk_controller --property leader_is_elected_from_the_isr "
            '--steps "become_controller(C); lose_connection(A); end_session(A); '
            'read_partition(C); read_brokers(C); elect(C)"',
            Exit.HOLDS,
        ),
        Scene(
            "In KRaft. B lags and has left the ISR, and the controller takes A for down: it registers C as leader.",
            'replay partition:kafka_4_1 --steps "propose_shrink(A, B); change_isr(A); fence_alive(A, C); learn(C)"',
            Exit.HOLDS,
        ),
        Scene(
            "What KRaft's voters elect is the controller that is active, at most one in an epoch:",
            "check kraft --bounds small --property election_safety --symmetry",
            Exit.HOLDS,
        ),
        Scene(
            "In no reachable state of the model of ZooKeeper is anybody elected who was not in the ISR:",
            "check zk_controller:kafka_3_9 --bounds deleted --property leader_is_elected_from_the_isr",
            Exit.HOLDS,
        ),
        Scene(
            "unclean.leader.election.enable=true allows others, and they may be without what was acknowledged:",
            "check partition:unclean_election --bounds crashes --property leader_completeness",
            Exit.SAFETY,
        ),
    ),
)

CONTROLLERS = Story(
    "two controllers on ZooKeeper, and what keeps the older one harmless",
    (
        Scene(
            "A controller pauses, its session expires, and another one takes over. The first does not know: two "
            "believe that they are the controller.",
            "check zk_controller:kafka_3_9 --bounds one_expiry --property at_most_one_believes_to_be_controller",
            Exit.SAFETY,
        ),
        Scene(
            "Up to 2.0 the older one can still write to ZooKeeper (KAFKA-6082):",
            "check zk_controller:kafka_6082 --bounds deleted --property no_zombie_effect",
            Exit.SAFETY,
        ),
        Scene(
            "Since 2.1 each write compares the controller's epoch, and so do brokers that have heard of the newer one. "
            "In no reachable state has the older one an effect:",
            "check zk_controller:kafka_3_9 --bounds deleted --property no_zombie_effect",
            Exit.HOLDS,
        ),
    ),
)

LINKS = Story(
    "a link is cut and every broker runs: to the leader, to the controllers, between two controllers",
    (
        Scene(
            "A follower does not reach its leader; both reach the controllers. It lags, its leader drops it from the "
            "ISR, and writes go on while min.insync.replicas are left. Nothing that is acknowledged is lost:",
            "check partition:kafka_4_1 --set fences=0 --set power_losses=0 --property acknowledged_kept",
            Exit.HOLDS,
        ),
        Scene(
            "A leader does not reach the controllers; its clients and followers reach it. The controllers elect "
            "another one, and two brokers lead, in different epochs:",
            "check partition:kafka_4_1 --bounds fences --property two_brokers_lead --witness two_brokers_lead",
            Exit.HOLDS,
        ),
        Scene(
            "With acks=1 the former leader goes on to acknowledge alone what it will truncate:",
            "check partition:acks_1 --set replicas=2 --set fences=1 --set power_losses=0 --property acknowledged_kept",
            Exit.SAFETY,
        ),
        Scene(
            "With acks=all it cannot: whom it counts follows the new leader, and it learns nothing from the fetches "
            "of an epoch that it does not know (KIP-320), nor may it change the ISR.",
            "check partition:kafka_4_1 --set fences=1 --set power_losses=0 --property acknowledged_kept",
            Exit.HOLDS,
        ),
        Scene(
            "Two of three controllers do not reach each other, and the third reaches both. As Raft has it, whoever "
            "hears no leader begins a term, and elections may go on for ever, as in a cluster of etcd in 2020:",
            "check raft_live:timely --bounds one_cut --property somebody_leads_for_good",
            Exit.LIVENESS,
        ),
        Scene(
            "With pre-votes (KIP-996, Kafka 4.0) a voter asks first, and whoever hears the leader does not grant it:",
            "check raft_live:timely_pre_vote --bounds one_cut --property somebody_leads_for_good",
            Exit.HOLDS,
        ),
    ),
)

PARTITION_COPIES = "sweep partition:kafka_4_3 --symmetry --set fences=0 --set power_losses=0"

MAJORITIES = Story(
    "the ISR beside majorities: how many failures PacificA, Raft, Viewstamped Replication and ZAB survive, and CAP",
    (
        Scene(
            "Raft, as KRaft's controllers have it: a record is committed once a majority has it, 2 of 3, 3 of 4, 3 of "
            "5 voters, and elections and writes go on with 1, 1 and 2 voters down: with a fourth no more may be down. "
            "And when disks are lost? Of three voters one may be, through a later election: a copy survives.",
            "sweep kraft:kip853 --symmetry --set crashes=0 --set max_epoch=2 --set voters=3 --vary wipes=1,2 "
            "--property acked_value_not_lost",
            Exit.HOLDS,
        ),
        Scene(
            "Of four and of five a copy survives two lost disks. That is all that is asked here, in one epoch: with "
            "four nobody can be elected then, since an emptied voter does not vote for who it was.",
            "sweep kraft:kip853 --symmetry --set crashes=0 --set max_epoch=1 --set wipes=2 --vary voters=4,5 "
            "--property acked_value_not_lost",
            Exit.HOLDS,
        ),
        Scene(
            "ZAB (ZooKeeper's) and Viewstamped Replication go on without as many servers, by their papers: f of 2f+1. "
            "Of lost disks this says nothing: ZAB's servers have stable storage, and in Viewstamped Replication who "
            "lost its state comes back by a protocol of its own. They are no models here. The ISR has another "
            "arithmetic: with min.insync.replicas=2 a copy survives one lost disk, and not two, of 3 or 5 copies. "
            "Followers lag as far as writes still go on:",
            f"{PARTITION_COPIES} --set isr_shrinks=3 --set min_isr=2 --vary replicas=3,5 --vary disk_losses=1,2 "
            "--property acked_durable",
            Exit.HOLDS,
        ),
        Scene(
            "And writes go on with all brokers down but two: one of 3, three of 5, where a majority of 5 goes on with "
            "two down. Who is down must have left the ISR before.",
            f"{PARTITION_COPIES} --set isr_shrinks=0 --set min_isr=2 --vary replicas=3,5 --vary host_losses=1,3 "
            "--property writes_go_on",
            Exit.HOLDS,
        ),
        Scene(
            "PacificA, from which the ISR comes, is min.insync.replicas=1: a record is committed when all of the "
            "configuration have it, however few they are. n copies survive n-1 failures one after the other, and when "
            "the configuration has shrunk to one, its disk is all there is:",
            f"{PARTITION_COPIES} --set isr_shrinks=4 --set min_isr=1 --set disk_losses=1 --vary replicas=3,5 "
            "--property acked_durable",
            Exit.HOLDS,
        ),
        Scene(
            "CAP, of Raft: when the network falls apart the side with a majority goes on, and the other one stops "
            "writing. A leader on the smaller side does not know yet that it is none; if it answers reads by its own "
            "word they are old, so that it is available and not consistent:",
            "check raft:own_word --bounds one_read --property linearizable_reads --symmetry",
            Exit.SAFETY,
        ),
        Scene(
            "If it asks a majority first it answers nothing on the smaller side, and never what is old: consistent and "
            "not available.",
            "check raft:read_index --bounds one_read --property linearizable_reads --symmetry",
            Exit.HOLDS,
        ),
        Scene(
            "CAP, of ZAB: as Raft for writes. A server that follows answers reads from its own copy, which may be old. "
            "A sync before it helps, and is no guarantee: it asks no majority, and a leader that was deposed and does "
            "not know may answer it. A server without a majority answers nothing, so that Kafka on "
            "ZooKeeper elects no leaders then; the leaders that there are go on:",
            "check zk_controller --bounds majority_lost --property leader_serves_without_majority",
            Exit.HOLDS,
        ),
        Scene(
            "CAP, of Viewstamped Replication: as Raft. A view changes only with a majority, and a primary that is cut "
            "off commits nothing. CAP, of PacificA and of the ISR: the side goes on that has the leader and reaches "
            "whoever agrees on the configuration (in Kafka the controllers), to take the others out of it. With "
            "acks=all and clean elections nothing that is acknowledged is lost, and a partition whose ISR is down "
            "waits. PacificA's primary stops when its lease has ended; in Kafka a leader that is cut off leads on "
            "beside its successor, and commits nothing:",
            "check partition:kafka_4_1 --set fences=1 --set power_losses=0 --property acknowledged_kept",
            Exit.HOLDS,
        ),
        Scene(
            "Kafka leaves the choice to a setting: with unclean.leader.election.enable=true a partition without an "
            "in-sync replica is available again, by giving up what was acknowledged.",
            "check partition:unclean_election --bounds crashes --property leader_completeness",
            Exit.SAFETY,
        ),
    ),
)

STORIES: Mapping[str, Story] = {
    "kip-101": KIP_101,
    "outage": OUTAGE,
    "walk": WALK,
    "assignors": ASSIGNORS,
    "figure-8": FIGURE_8,
    "acks": ACKS,
    "leaders": LEADERS,
    "controllers": CONTROLLERS,
    "links": LINKS,
    "majorities": MAJORITIES,
}
"""Every story by its name; the first is run where none is named."""
