"""What a coordinator finds in the log: the group and its offsets, as the newest records have them."""

from __future__ import annotations

from ...language import Map, replace
from .state import Cluster, Group, GroupLine, GroupState, OffsetLine, Offsets, Partition, nothing


def read(s: Cluster, end: int) -> Group:
    """The group and its offsets, as the newest records of the log have them, up to that one."""
    group = nothing(GroupState.DEAD)
    offsets: Offsets = Map({p: 0 for p in Partition})
    for entry in s.log.committed:
        group_line = s.group_lines[entry]
        offset_line = s.offset_lines[entry]
        if entry <= end and entry not in s.log.lost and group_line is not None:
            group = loaded(group_line)
        if entry <= end and entry not in s.log.lost and offset_line is not None:
            offsets = with_offset(offsets, offset_line)
    return replace(group, offsets=offsets)


def loaded(line: GroupLine) -> Group:
    """The group that a record of the log describes."""
    return replace(
        nothing(GroupState.STABLE if len(line.members) > 0 else GroupState.EMPTY),
        generation=line.generation,
        members=line.members,
        assignment=line.assignment,
    )


def with_offset(offsets: Offsets, line: OffsetLine) -> Offsets:
    """Offsets, with what a record of the log says."""
    return Map({p: line.offset if p == line.partition else offsets[p] for p in Partition})
