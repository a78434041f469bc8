"""Asking the models: cases that are explored once and kept, in several processes, and what one says of others.

Imports `questions` and below; the engines come from `explorer`."""
