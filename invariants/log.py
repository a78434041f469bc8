"""What a replicated log promises, and what must be possible. Each switch of the log takes one of these back."""

from __future__ import annotations

from ..language import invariant, reachable, transition
from ..model.log import OneLog, readers
from ..model.parts.replicated_logs import entries

impossible = {"unavailable_while_down": ("writes_go_on",)}


@invariant
def type_ok(s: OneLog) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def acknowledged_stay(s: OneLog) -> bool:
    """What was acknowledged is there. `loses_acknowledged` takes it back."""
    return len(s.log.lost) == 0


@invariant
def acknowledged_is_committed(s: OneLog) -> bool:
    """What was acknowledged, and is there, is committed. `acknowledges_uncommitted` takes it back."""
    return all(entry in s.log.committed for entry in s.log.acknowledged - s.log.lost)


@invariant
def committed_was_appended(s: OneLog) -> bool:
    """Nothing is committed that nobody appended."""
    return all(entry in s.log.appended for entry in s.log.committed)


@transition
def committed_only_grows(before: OneLog, after: OneLog) -> bool:
    """What is committed stays at its offset. `readers_diverge` takes it back."""
    return after.log.committed[: len(before.log.committed)] == before.log.committed


@invariant
def readers_agree(s: OneLog) -> bool:
    """Of two readers, what the one has seen goes as far as the other's, or further. `readers_diverge` takes it back."""
    return all(
        s.seen[one][offset] == s.seen[other][offset]
        for one in range(readers)
        for other in range(readers)
        for offset in range(min(len(s.seen[one]), len(s.seen[other])))
    )


@reachable
def all_acknowledged(s: OneLog) -> bool:
    """Everything that can be written is acknowledged."""
    return len(s.log.acknowledged) == entries


@reachable
def all_read(s: OneLog) -> bool:
    """A reader has seen everything that can be written."""
    return any(len(s.seen[reader]) == entries for reader in range(readers))


@reachable
def writes_go_on(s: OneLog) -> bool:
    """A broker is down, and the log can be written to. `unavailable_while_down` takes it away."""
    return s.log.down and s.log.available
