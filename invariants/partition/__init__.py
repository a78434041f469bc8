"""What must hold of one Kafka partition (`properties`), and whether it goes on to serve (`service`)."""

from __future__ import annotations

from . import properties, service

modules = (properties, service)
