"""For users' tests: a model as the oracle of their own implementation."""

from __future__ import annotations

from .machine import state_machine

__all__ = ["state_machine"]
