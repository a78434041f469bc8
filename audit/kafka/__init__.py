"""What Kafka is, whatever a cluster states: its settings with their defaults, its releases and protocol versions.

Imports no other folder of the audit."""
