"""Traces of `consumer`, with a group of Kafka's own consumers and a broker."""
