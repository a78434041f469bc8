"""Exhaustive exploration spread over Spark: shards own states by fingerprint, every level is a stage.

Read in this order: `job` (what a task must know), `levels` (the files that hold what was found: the truth), `seen` (a
shard's table of fingerprints: a cache), `step` (one shard's share of a level: pure, and all that tasks do), `rundir`
(the run directory and its manifest), `adapter`, `daemon` and `session` (Spark), `interrupts` (Ctrl-C), `driver` (the
search) and `verdict` (the verdict). Beside them, and without levels: `walks` (random walks), `matrix` (many checks),
`columns` (results as tables).

Only `adapter`, `daemon`, `session`, `matrix` and `columns` need the extra `spark`; the rest runs, and is tested,
without it.
"""
