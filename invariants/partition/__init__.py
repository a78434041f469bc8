"""What must hold of one Kafka partition (`properties`), whether it goes on to serve (`service`), and the lemmas that
prove what it keeps (`proof`)."""

from __future__ import annotations

from . import proof, properties, service

modules = (properties, service, proof)
