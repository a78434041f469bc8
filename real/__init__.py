"""Real clusters against the model: what one wrote, and whether the model does so.

`flexible.py` and `metadata_records.py` read what controllers write, `metadata_log.py` finds it in segments, snapshots
and what `kafka-dump-log` prints, `batches.py` as far as they are whole. `history.py` is what it says of each partition,
moment by moment, `assignments.py` who has a copy of it. `as_partition.py`
says what a moment is in the partition's model, `settings.py` which version of it with which settings, and
`validating.py` asks the explorer for a run.
"""
