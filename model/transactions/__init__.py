"""Transactions: what a producer with a `transactional.id` writes, and what readers of committed records get.

`protocol/` is the coordinator, its log, markers and fencing, by version: a model of the catalogue named `transactions`.
`processing.py` is consume, process, produce: offsets of a group in transactions (KIP-447), named
`transactional_processing`.
`published.py` is InitProducerId as its published TLA+ module has it, named `transactions_published`, and
`published_partitions.py` AddPartitionsToTxn, as the second one has it, named `transactions_published_partitions`.
"""
