"""What a producer takes for acknowledged though it is not there, whatever the log keeps, as its model says."""

from __future__ import annotations

from ..exploring.client_models import DURABLE, Sender, result_of_false_acknowledgement
from ..questions.signature import Signature
from .answer import Answer

NO_LOSS = "no-loss"

_WHY = (
    "{} steps of the producer: its record's time is over when the connection is lost, the next one gets its sequence, "
    "and is acknowledged and not there, up to 2.4 (`{}`)"
)


def client_loss(signature: Signature) -> Answer | None:
    """How its producer has a record acknowledged that is not there; None if it has not, or if nothing is written."""
    refused = signature.least_isr > signature.replicas
    if not signature.gives_again or not signature.idempotent or signature.acks != "all" or refused:
        return None
    sender = Sender("all", careful=True, max_in_flight=signature.max_in_flight, retries=True, bumps_epoch=False)
    found = result_of_false_acknowledgement(sender)
    if DURABLE not in found.steps:
        return None
    why = _WHY.format(found.steps[DURABLE], found.to_command(DURABLE))
    return Answer("can lose", "model", why, client=(DURABLE, found.settings))
