"""What runs brokers in containers: compose files, Kubernetes and Strimzi manifests, the scripts beside them."""
