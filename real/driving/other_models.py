"""Why traces of the other models are not driven: each has its own reason."""

from __future__ import annotations

from collections.abc import Mapping

_ZOOKEEPER = "it is about ZooKeeper, and only clusters in KRaft are driven"
_NO_NODES = "it says what others are to keep, and has no steps that nodes take"
_GROUPS = "the driver brings consumers to traces of `consumer`, and coordinators of groups to none of their own steps"
_ASSIGNOR = (
    "it is a function of topics and members, which tests hold against Kafka's own code, and no cluster is needed"
)
_PUBLISHED = "it is a published module, state for state; of transactions, traces of `transactions` are driven"
_CLAIM = "it is a claim of one model about another, and real nodes have one of the two alone"
_FOR_EVER = "it is about what happens in the end of endless runs, and a run of real nodes has an end"
WHY_NOT: Mapping[str, str] = {
    "replication": "it is replication as published, with ZooKeeper; of a partition, traces of `partition` are driven",
    "async_isr": "it is the ISR's protocol as published, alone; of a partition, traces of `partition` are driven",
    "catching_up": "it is what a leader and a follower do inside; of a partition, traces of `partition` are driven",
    "raft": "it is Raft that pushes, and Kafka's controllers pull: of them, traces of `kraft` are driven",
    "kraft_voters": "real controllers are formatted with one set of voters: of them, traces of `kraft` are driven, and "
    "with --in-process Kafka's own classes take this one",
    "log": _NO_NODES,
    "leadership": _NO_NODES,
    "generations": _NO_NODES,
    "transaction_outcomes": _NO_NODES,
    **dict.fromkeys(
        ("znode_election", "zk_controller", "isr_notification", "log_dir_notification", "broker_registration"),
        _ZOOKEEPER,
    ),
    "producer_ids": "it is about ZooKeeper and the way from there to KRaft, and only clusters in KRaft are driven",
    "end_to_end": "its effects are outside Kafka; its two halves are driven as traces of `producer` and `consumer`",
    **dict.fromkeys(("classic_group", "consumer_group_published", "modern_group", "static_members"), _GROUPS),
    **dict.fromkeys(("assignors", "uniform_assignor", "uniform_heterogeneous", "sticky_assignors"), _ASSIGNOR),
    "rebalance_window": "it is about which partitions stand still at once; of a group, its models are read, not driven",
    "share_group": "the driver's consumers are not share consumers",
    "lost_marker": "the driver does not elect uncleanly while a transaction is open",
    "tiered_log": "the driver's brokers have no remote storage",
    "coordinator_answers": "the driver does not hold a coordinator up between two of its events",
    "topic_deletion": "the driver does not delete a topic while a broker is down",
    "recreated_topic": "the driver does not delete a topic while consumers read it",
    "transactional_processing": "the driver's consumers and its transactions are not one application",
    "transactions_published": _PUBLISHED,
    "transactions_published_partitions": _PUBLISHED,
}
"""By model."""


def why_not_driven(model: str) -> str | None:
    """Why a trace of a model is not driven; None where nothing is known of such a model."""
    if model.endswith("_live"):
        return _FOR_EVER
    return _CLAIM if "_as_" in model else WHY_NOT.get(model)
