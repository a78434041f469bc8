"""Kafka's own classes in one process of Java, where a schedule of ours chooses every message, timeout and crash."""
