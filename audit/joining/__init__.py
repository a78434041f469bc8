"""The parts of many files, joined to one cluster: by ids, names and hosts; what disagrees is a finding.

Imports `kafka`, `cluster` and `readers`."""
