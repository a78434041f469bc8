"""What brokers have of the controllers: they apply the metadata that is committed, and register (KIP-631).

A broker is an observer: it fetches like a voter, and is not counted. What it fetches it applies once it is committed.
When it starts it registers with the active controller, which writes a record of it. Once that is committed the broker
gets the record's offset, and this is its *broker epoch*: a later registration has a greater one, so that controllers
distinguish a broker from what it was before it started again. A registration that is not answered is sent again.
"""

from __future__ import annotations

from ...language import action, require
from .quorum import Broker, Quorum, Role, Voter, append, brokers_apply, brokers_register, is_active


@action
def apply(s: Quorum, broker: Broker, leader: Voter) -> None:
    """{broker} fetches from {leader} and applies the record at offset {len(s.applied[broker])}, which is committed."""
    require(brokers_apply)
    require(s.election[leader].role == Role.LEADER)
    end = len(s.applied[broker])
    require(s.log_start[leader] <= end < s.high_watermark[leader])
    require(end == 0 or s.applied[broker][end - 1].epoch == s.log[leader][end - 1].epoch)  # else it fails, for good
    s.applied[broker].append(s.log[leader][end])


@action(kind="client")
def register(s: Quorum, broker: Broker, controller: Voter) -> None:
    """{broker} registers with {controller}, which writes a record of it at offset {len(s.log[controller])}."""
    require(brokers_register)
    require(is_active(s, controller))
    append(s, controller)
    s.registering[broker] = s.written


@action
def hear_broker_epoch(s: Quorum, broker: Broker, controller: Voter) -> None:
    """{broker} learns from {controller} that its registration is committed, and at which offset."""
    require(brokers_register and s.registering[broker] > 0)
    require(s.election[controller].role == Role.LEADER)
    committed = s.log[controller][: s.high_watermark[controller]]
    require(any(record.number == s.registering[broker] for record in committed))
    s.broker_epoch[broker] = max(
        offset for offset in range(len(committed)) if committed[offset].number == s.registering[broker]
    )
    s.registering[broker] = 0
