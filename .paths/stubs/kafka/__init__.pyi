"""The part of kafka-python that this project uses; it has no types of its own."""
