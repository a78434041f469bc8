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
            "Up to 0.10 the topic is made when the first group comes, with as many replicas as brokers run by then.",
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

FIGURE_8_STEPS = (
    "time_out(A); learn_of_term(B, 1); request_vote(A, B); learn_of_term(C, 1); request_vote(A, C); become_leader(A); "
    "write(A); append_entries(A, B); append_entries(A, C); learn_of_term(D, 1); append_entries(A, D); "
    "learn_of_term(E, 1); append_entries(A, E); restart(A, 1); time_out(A); learn_of_term(B, 2); request_vote(A, B); "
    "learn_of_term(C, 2); request_vote(A, C); become_leader(A); write(A); append_entries(A, B); restart(A, 2); "
    "time_out(E); time_out(E); learn_of_term(C, 3); request_vote(E, C); learn_of_term(D, 3); request_vote(E, D); "
    "become_leader(E); write(E); restart(E, 2); time_out(A); time_out(A); learn_of_term(B, 4); request_vote(A, B); "
    "learn_of_term(C, 4); request_vote(A, C); become_leader(A); append_entries(A, B); append_entries(A, C); "
    "append_entries(A, C); advance_commit_index(A); time_out(E); time_out(E); learn_of_term(B, 5); request_vote(E, B); "
    "learn_of_term(C, 5); request_vote(E, C); learn_of_term(D, 5); request_vote(E, D); become_leader(E)"
)

FIGURE_8 = Story(
    "Figure 8 of the Raft paper: what a majority has is overwritten, if copies of older terms are counted",
    (
        Scene(
            "A to E are S1 to S5. (a) A leads term 2 and brings its entry to B (step 22), then goes down. (b) E leads "
            "term 3 with the votes of C and D, writes another entry, and goes down. (c) A leads term 4 and brings the "
            "old entry to C: three of five have it. Whoever calls it committed now (step 43) is wrong: (d) E is "
            "elected for term 5 by B, C and D, and is to overwrite it.",
            "replay raft:count_replicas --set servers=5 --set max_term=6 --set log_size=4 --set client_values=4 "
            f'--set crashes=4 --property leader_completeness --steps "{FIGURE_8_STEPS}"',
            Exit.SAFETY,
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
            "check producer:acks_0 --bounds one_error --property no_silent_loss",
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

STORIES: Mapping[str, Story] = {
    "kip-101": KIP_101,
    "outage": OUTAGE,
    "walk": WALK,
    "assignors": ASSIGNORS,
    "figure-8": FIGURE_8,
    "acks": ACKS,
    "controllers": CONTROLLERS,
}
"""Every story by its name; the first is run where none is named."""
