"""What must hold of transactions (`properties`)."""

from __future__ import annotations

from . import properties

modules = (properties,)
