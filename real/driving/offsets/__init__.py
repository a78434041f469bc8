"""Traces of `offsets_outage`: brokers that have `__consumer_offsets`, and are lost."""
