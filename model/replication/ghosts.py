"""What properties and proof remember of a run; no guard reads it."""

from __future__ import annotations

from .state import Epoch, LeaderAndIsr, Partition, Record, Replica


def note_epoch(s: Partition, decided: LeaderAndIsr) -> None:
    """The controller has decided on an epoch."""
    s.elected[s.next_leader_epoch] = decided.leader
    s.first_isr[s.next_leader_epoch] = decided.isr
    s.last_isr[s.next_leader_epoch] = decided.isr


def note_beginning(s: Partition, leader: Replica, epoch: Epoch) -> None:
    """A leader learns of its epoch."""
    s.began[epoch] = True
    s.leader_log[epoch] = s.log[leader]


def note_written(s: Partition, leader: Replica, written: Record) -> None:
    """A leader appends a record in its epoch."""
    s.leader_log[s.leader_epoch[leader]].append(written)


def note_committed(s: Partition, leader: Replica, offset: int) -> None:
    """A leader's high watermark is past an offset."""
    s.committed.add(s.log[leader][offset].id)
    s.leader_committed[s.leader_epoch[leader]] = offset + 1
    s.committed_by[leader] = s.leader_epoch[leader]
