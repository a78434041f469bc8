"""Transactions: what a producer with a `transactional.id` writes, and what readers of committed records get.

`protocol/` is the coordinator, its log, markers and fencing, by version: a model of the catalogue named `transactions`.
`published.py` is InitProducerId as its published TLA+ module has it, named `transactions_published`.
"""
