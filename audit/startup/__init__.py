"""What does not start: nodes and producers whose settings Kafka refuses.

Imports `kafka` and `cluster`."""
