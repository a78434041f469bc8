"""A cluster as its files state it: the value that all later ones read, and what follows from it alone.

Imports `kafka`."""
