"""What must hold of Kafka's replication (`properties`), and the lemmas that prove it (`proof`)."""

from __future__ import annotations

from . import proof, properties

modules = (properties, proof)
