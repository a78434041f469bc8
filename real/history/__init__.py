"""What each partition of a cluster went through, moment by moment.

`partitions.py` has it from a metadata log, with `assignments.py` for who has a copy; `zookeeper.py` from lines of
controllers with ZooKeeper, which `zookeeper_logs.py` finds in a folder of logs.
"""
