"""Recorded checks, and how a gate compares what comes out with what is recorded."""
