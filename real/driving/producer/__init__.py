"""Traces of `producer`, with Kafka's own producer and two brokers."""
