"""Traces on real brokers: a small cluster that is driven through a run of the partition's model.

`plan.py` says which release can take a trace, and what each of its steps is on real brokers: commanded, permitted or
awaited. `releases.py` has Kafka's jars, `nodes.py` starts processes that end with this one, `gates.py` holds requests
between them, `wire.py` speaks Kafka's protocol as a client, `disks.py` reads and cuts what brokers wrote. `cluster.py`
puts them together, `driver.py` takes the steps and compares after each, `verdict.py` says what came out.
"""
