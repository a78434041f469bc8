"""A reader a format: text in, a `Part` out. A reader runs no rule and explores nothing.

Imports `kafka` and `cluster`."""
