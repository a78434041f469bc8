"""A cluster as its files state it: the value that every later room reads, and what follows from it alone.

Imports `kafka`."""
