"""What must hold of the published module of InitProducerId (`properties`)."""

from __future__ import annotations

from . import properties

modules = (properties,)
