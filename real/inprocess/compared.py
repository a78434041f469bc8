"""What is compared of each voter, of the model and of Kafka's code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..driving.controllers.world import ControllerObservation

COMPARED = ("role", "epoch", "leader", "voted_for", "log", "high_watermark")
"""What is compared of each voter: its role, epoch, leader and vote, the records of its log with their epochs, and where
it leads, its high watermark."""


def differing_fields(
    of_model: Mapping[int, ControllerObservation], of_code: Mapping[int, ControllerObservation | None]
) -> tuple[str, ...]:
    """The fields in which a voter differs."""
    return tuple(
        field
        for field in COMPARED
        if any(_field(one, field) != _field(of_code[voter], field) for voter, one in of_model.items())
    )


def _field(observation: ControllerObservation | None, field: str) -> Any:
    return None if observation is None else getattr(observation, field)
