"""Studies beside the protocols: history, published modules state for state, and functions on which protocols rest. No
verdict of the audit about a cluster rests on one.

* Published TLA+ modules: `async_isr.py`, `consumer_group_published/` (KIP-848), `transactions_published.py`
  (InitProducerId), `transactions_published_partitions.py` (AddPartitionsToTxn).
* Small things that Kafka did with ZooKeeper's znodes: `isr_notification.py`, `log_dir_notification.py`,
  `broker_registration.py`, `producer_ids.py`; and `znode_election.py`, the recipe by which it never elected anybody.
* `topic_deletion.py`: what a broker that was down has of a topic that was deleted meanwhile, and made again.
* `rebalance_window.py`: what begins a rebalance, and which partitions stand still in it, by protocol.
* Assignors, which divide partitions among members: `assignors.py` (Range and RoundRobin), `sticky_assignors/`,
  `uniform_assignor.py`, `uniform_heterogeneous.py`.
"""
