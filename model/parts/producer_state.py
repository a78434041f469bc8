"""What a partition's leader makes of a batch's epoch and sequence, from what it knows of the producer id.

Leaders keep an entry for each producer id: the newest epoch, and the sequence that comes next. What they go by is one
rule, and stands here. Where the entry comes from is the models' own: `../producer` reads it from the batches of the
log, since the window of the last five decides what is a copy; `../transactions` keeps it as a field, since markers
raise an epoch without a batch, and since it says nothing of more than one batch.

Leaders up to 2.4 refuse who is not known and does not begin with 0: OUT_OF_ORDER_SEQUENCE_NUMBER in 0.11, else
UNKNOWN_PRODUCER_ID. Since 2.5 (KIP-360) they take any sequence of it; in transaction version 2, since 4.1, 0 alone.

Source: ProducerAppendInfo (checkProducerEpoch, checkSequence) of Kafka 0.11.0.0 to 4.2.0.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import Option, Range

Number = Annotated[int, Range(-1_000, 1_000)]
"""An epoch or a sequence: models have small ones."""


class Check(Enum):
    """What a leader makes of a batch's sequence."""

    NEXT = "next"
    COPY = "copy"
    FENCED = "fenced"
    OUT_OF_ORDER = "out of order"


def check_batch(
    known: Option[Number], expected: Number, epoch: Number, sequence: Number, takes_unknown: bool = True
) -> Check:
    """What a batch is to a leader that knows this newest epoch of its producer id, of which `expected` is the next
    sequence; a newer epoch begins with 0, an older one is fenced. Of an id that it does not know it takes 0 for the
    next, or any sequence where it `takes_unknown`."""
    if known is None:
        return Check.NEXT if sequence == 0 or takes_unknown else Check.OUT_OF_ORDER
    if epoch < known:
        return Check.FENCED
    return Check.NEXT if sequence == (expected if epoch == known else 0) else Check.OUT_OF_ORDER
