"""Is a history a run of the partition's model?

`as_partition.py` says what a moment is in the model, `settings.py` which version of it with which settings,
`losses.py` what brokers' own logs show of records that were lost. `validating.py` asks the explorer for a run, and
`traces.py` shows it.
"""
