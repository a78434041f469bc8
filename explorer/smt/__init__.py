"""Z3 on the same text: what a model's functions mean as formulas, for bounded checking and for proofs.

Read in this order: `terms` and `numbers` (truth values and integers that fold constants), `shapes` and `algebra` (how a
value of each type is made of them, and what can be done with it), `type_bounds` and `encoding` (the two encodings,
finite and unbounded), `states`, `expressions` and `statements` (the typed form evaluated), `predicate`, `clauses` and
`transition` (properties and actions as formulas). For proofs then `claims`, `questions`, `finite_instances`, `prover`,
`vacuity` and `induction`.

Everything here needs the extra `prove`. docs/smt.md describes the encodings.
"""
