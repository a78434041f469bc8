"""The controller on ZooKeeper with every step and every field (`lumped=false`), claimed to be the one that forgets what
can make no difference any more (`lumped=true`): one model, and two values of one constant.

Each property in `invariants/zk_controller/properties.py` that is true of a state's image is true of the state: it reads
what the image keeps, or what is forgotten makes it harder to keep. So what holds of the smaller one holds of the larger
one.
"""

from __future__ import annotations

from ...language import STUTTERS, Map, Option, refines, replace
from ...model import zk_controller
from ...model.parts.zookeeper import Session, is_alive
from ...model.zk_controller import protocol
from ...model.zk_controller.lumping import *
from ...model.zk_controller.state import Broker, Cluster, Partition

modules = zk_controller.modules
profiles = zk_controller.profiles
view = zk_controller.view


@refines(
    zk_controller,
    {
        protocol.lose_connection: STUTTERS,
        protocol.connect_again: STUTTERS,
        protocol.end_session: protocol.lose_session,
        protocol.leave_znodes: protocol.lose_session,
        protocol.learn: STUTTERS,
        protocol.register: protocol.register,
        protocol.become_controller: protocol.become_controller,
        protocol.announce: (protocol.announce, STUTTERS),
        protocol.resign: (protocol.resign, STUTTERS),
        protocol.read_partition: (protocol.read_partition, STUTTERS),
        protocol.refuse: (protocol.refuse, STUTTERS),
        protocol.refuse_metadata: (protocol.refuse_metadata, STUTTERS),
    },
    lumped=True,
)
def as_lumped(s: Cluster) -> Cluster:
    """What is forgotten makes no difference: each step is one of the controller on ZooKeeper that forgets it."""
    return replace(
        s,
        session=Map({node: Session.CONNECTED if is_alive(s.session[node]) else Session.EXPIRED for node in Broker}),
        requests=requests_that_matter(s),
        updating=updates_that_matter(s),
        stopping=stops_that_matter(s),
        known=what_is_known(s),
        owed=what_is_owed(s),
        live=who_is_live(s),
        back=who_is_back(s),
        read=Map({node: is_read(s, node) for node in Broker}),
    )


def is_read(s: Cluster, broker: Broker) -> Option[Partition]:
    """What a controller has read of the partition: whoever becomes it reads what nobody else may write then."""
    if has_ended(s, broker):
        return None
    if reads_at_once() and 0 < s.held[broker] == s.controller_epoch:
        return s.partition
    return s.read[broker]
