"""One Kafka partition as it runs today: what a cluster's settings keep, and what they lose.

(text)
"""

from __future__ import annotations

from ..language import terminal
from .partition_broker import advance_high_watermark as advance_high_watermark
from .partition_broker import expand_isr as expand_isr
from .partition_broker import fail_to_produce as fail_to_produce
from .partition_broker import fetch as fetch
from .partition_broker import learn as learn
from .partition_broker import produce as produce
from .partition_broker import produce_again as produce_again
from .partition_broker import propose_expansion as propose_expansion
from .partition_broker import propose_shrink as propose_shrink
from .partition_broker import shrink_isr as shrink_isr
from .partition_broker import truncate as truncate
from .partition_controller import change_isr as change_isr
from .partition_controller import elect_preferred as elect_preferred
from .partition_controller import elect_uncleanly as elect_uncleanly
from .partition_controller import fence as fence
from .partition_controller import fence_alive as fence_alive
from .partition_controller import refuse_isr_change as refuse_isr_change
from .partition_controller import restart as restart
from .partition_controller import restart_unnoticed as restart_unnoticed
from .partition_controller import unfence as unfence
from .partition_faults import crash as crash
from .partition_faults import lose_controller as lose_controller
from .partition_faults import lose_disk as lose_disk
from .partition_faults import lose_host as lose_host
from .partition_faults import lose_power as lose_power
from .partition_faults import restore_controller as restore_controller
from .partition_faults import shut_down as shut_down
from .partition_faults import start_controller as start_controller
from .partition_state import Broker as Broker
from .partition_state import Partition as Partition
from .partition_state import start as start

_by_controller = {
    "alter_partition": False,
    "maximal_isr": False,
}
profiles = {
    "kafka_4_1": {},
    "kafka_3_7": {"elr": False, "heed_unclean": False},
}


@terminal
def nobody_leads(s: Partition) -> bool:
    """Nobody leads, and nobody who may be elected comes back."""
    return s.registered.leader is None
