"""Real Kafka configuration in, what can be lost out: files become a `Cluster`, a cluster questions to the model."""
