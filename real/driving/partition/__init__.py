"""Traces of a partition, `partition`, on three brokers; and random commands, whose history is held against it."""
