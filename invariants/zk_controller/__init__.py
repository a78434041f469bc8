"""What must hold of the controller on ZooKeeper (`properties`)."""

from __future__ import annotations

from . import properties

modules = (properties,)
