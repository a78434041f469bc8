"""What must hold of the published module of KIP-848 (`properties`)."""

from __future__ import annotations

from . import properties

modules = (properties,)
