"""The controller of partitions: what its code has on record of a partition, beside the model."""
