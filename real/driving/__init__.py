"""Traces on real nodes: a small cluster that is driven through a run of a model.

`nodes/` starts processes of Kafka and speaks with them, whatever the trace is of. `fitting.py` says which release takes
a trace, `stages.py` what one thing is that a driver does, and how a driver goes through a plan. Each family of models
has a folder of one shape: `plan.py` (what each step of a trace is on real nodes), `world.py` (what its driver asks of
them, and what is to be seen of them), `cluster.py` (a world of real processes), `driver.py` (takes the steps, and
compares after each), and `family.py`, which puts these together as `family.py` here says. `families.py` lists them, and
`verdict.py` says what came out.
"""
