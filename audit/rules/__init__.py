"""What is wrong with a cluster whatever the partition's model says of it: each rule gives findings.

Imports `exploring` and below, and no answer."""
