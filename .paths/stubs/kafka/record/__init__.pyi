"""The part of kafka-python's record batches that this project uses."""
