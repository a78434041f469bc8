"""What must happen in the published replication module (`invariants/replication/live.py`), with what is safe beside it:
for `bench.liveness` and what TLC says of the same. `bench.liveness` has these properties as a module that extends
`Kip320.tla`."""

from __future__ import annotations

from tidegate.invariants.replication.live import FIVE, is_behind, is_not_behind
from tidegate.invariants.replication.live import all_is_written as all_is_written
from tidegate.invariants.replication.live import high_watermark_moves_with_fetches as high_watermark_moves_with_fetches
from tidegate.invariants.replication.live import high_watermark_moves_with_three as high_watermark_moves_with_three
from tidegate.invariants.replication.live import leader_is_followed_with_five as leader_is_followed_with_five
from tidegate.invariants.replication.live import leader_is_followed_with_one as leader_is_followed_with_one
from tidegate.invariants.replication.live import leader_is_informed_with_five as leader_is_informed_with_five
from tidegate.invariants.replication.live import leader_is_informed_with_one as leader_is_informed_with_one
from tidegate.invariants.replication.live import (
    leader_is_informed_without_fairness as leader_is_informed_without_fairness,
)
from tidegate.invariants.replication.properties import strong_isr as strong_isr
from tidegate.invariants.replication.properties import weak_isr as weak_isr
from tidegate.language import leads_to
from tidegate.model import replication
from tidegate.model.replication import Partition

modules = (replication,)
profiles = replication.profiles
view = replication.view


@leads_to(is_not_behind, *FIVE)
def high_watermark_moves_with_five(s: Partition) -> bool:
    """A high watermark that is behind comes to the end of the log, though followers may stop to fetch."""
    return is_behind(s)
