"""Renders verdicts of checks and proofs."""
