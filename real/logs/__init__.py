"""What nodes write, read as it stands, with no opinion on it.

`encoding.py` and `metadata_records.py` read records of controllers, `batches.py` says up to where a segment is whole,
`metadata_log.py` finds the log in segments, snapshots and what `kafka-dump-log` prints, `segments.py` reads a
partition's own. `broker_files.py` and `zookeeper_lines.py` read lines of brokers' logs and their checkpoints.
"""
