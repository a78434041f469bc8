"""Traces on real nodes: a small cluster that is driven through a run of a model.

`nodes/` starts processes of Kafka and speaks with them, whatever the trace is of. `stages.py` is one thing that a
driver does, and `outcome.py` what came of all of them. Each family of models has a folder of one shape: `plan.py`
(which release takes a trace, and what each of its steps is on real nodes), `cluster.py` (those nodes: what is done to
them, and what is seen of them) and `driver.py` (takes the steps, and compares after each). `verdict.py` says what came
out.
"""
