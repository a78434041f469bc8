"""Whether a partition serves those who wait for all of the ISR, whatever `acks` is: no step without a record depends on
`acks`, so that one exploration answers for all of them (`audit.questions`).

The catalogue does not have it: there `writes_resume` and `reads_resume` say it of the producer that `acks` is of.
"""

from __future__ import annotations

from ...language import invariant
from ...model.partition.state import Partition
from .service import is_settled, serves_all, takes_with_all


@invariant
def writes_resume_with_all(s: Partition) -> bool:
    """Without a repair by hand a leader takes records again, and answers producers with acks=all."""
    return not is_settled(s) or takes_with_all(s)


@invariant
def reads_resume_with_all(s: Partition) -> bool:
    """Without a repair by hand what was acknowledged with acks=all can be read again."""
    return not is_settled(s) or serves_all(s)
