"""What must hold of one Kafka partition (`properties`)."""

from __future__ import annotations

from . import properties

modules = (properties,)
