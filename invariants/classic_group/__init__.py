"""What must hold of the classic group protocol (`properties`)."""

from __future__ import annotations

from . import properties

modules = (properties,)
