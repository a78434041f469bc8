"""A running cluster: what Kafka's tools print of it, what its admin API says, and the script that collects both."""
