"""Z3 on the same text: what a model's functions mean as formulas, for bounded checking and for proofs.

Read in this order: `terms` (numbers and truth values that fold constants), `shapes` (how a value of each type is made
of them), `encoding` (the two encodings, finite and unbounded), `states`, `expressions` and `statements` (the typed form
evaluated), `transition` and `predicate` (actions and properties as formulas), then the engines: `bmc` and `prove`.

Everything here needs the extra `prove`; `needed` says so in words when z3-solver is not installed.
"""
