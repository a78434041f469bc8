"""What happens to the logs: records are produced and deleted, a log is truncated, a partition is added."""

from __future__ import annotations

from ...language import Set, action, limit, require
from ..parts.generations import max_generation
from ..parts.replicated_logs import Entry, appended, may_append, may_rewrite, rewritten
from .offsets import end
from .state import Consuming, Partition, deletions, grows, readers_diverge, records, returns, truncations


@action(kind="client")
def produce(s: Consuming, partition: Partition) -> None:
    """A record is produced to {partition}, at offset {len(s.logs[partition].committed)}."""
    require(partition in s.present)
    limit(sum(len(s.logs[p].appended) for p in Partition) < records)
    number = len(s.logs[partition].appended)
    assert may_append(s.logs[partition], number)
    s.written_at[partition][number] = end(s, partition)
    s.logs[partition] = appended(s.logs[partition], number, False, True)
    s.written_in[partition][number] = s.leader_epoch[partition]


@action(kind="fault", budget="deletions")
def delete_records(s: Consuming, partition: Partition) -> None:
    """The first record of {partition} is deleted, by its age or the log's size."""
    require(deletions > 0)
    require(s.first[partition] < end(s, partition))
    s.first[partition] += 1


@action(kind="fault", budget="truncations")
def truncate(s: Consuming, partition: Partition) -> None:
    """The log of {partition} loses its last record: a leader is elected that does not have it."""
    require(readers_diverge and truncations > 0 and s.first[partition] < end(s, partition))
    log = s.logs[partition]
    last = len(log.committed) - 1
    found: Set[Entry] = Set(entry for entry in log.committed if entry != log.committed[last])
    lead_anew(s, partition, found)


@action(kind="fault", budget="returns")
def come_back(s: Consuming, partition: Partition) -> None:
    """The log of {partition} is that of its first leader again, which has not truncated its own, and is elected."""
    require(readers_diverge and returns > 0)
    log = s.logs[partition]
    found: Set[Entry] = Set(entry for entry in log.appended if s.written_in[partition][entry] == 0)
    require(s.first[partition] <= len(found) and any(entry not in log.committed for entry in found))
    lead_anew(s, partition, found)


def lead_anew(s: Consuming, partition: Partition, found: Set[Entry]) -> None:
    """A leader is elected whose log is another, in an epoch that begins at its end."""
    log = s.logs[partition]
    assert may_rewrite(log, found, Set(), Set(), Set(), True)
    s.logs[partition] = rewritten(log, found, Set(), Set(), Set(), True)
    s.leader_epoch[partition] += 1


@action(kind="fault")
def add_partition(s: Consuming, partition: Partition) -> None:
    """{partition} is added to the topic; members will learn of it."""
    require(grows and partition not in s.present)
    s.present.add(partition)


@action
def discover_partition(s: Consuming) -> None:
    """A member's metadata have a partition that nobody has: the group rebalances."""
    require(grows and not s.rebalancing and len(s.group) > 0)
    require(any(all(partition not in s.owned[member] for member in s.group) for partition in s.present))
    limit(s.generation < max_generation)
    s.rebalancing = True
