"""What must hold of a consumer whose topic is deleted and made again under the same name."""

from __future__ import annotations

from ...language import invariant, reachable, transition
from ...model.groups.recreated_topic import Topic, is_answered


@invariant
def type_ok(s: Topic) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def newest_metadata_count(s: Topic) -> bool:
    """KAFKA-12257: who has the newest metadata that there are, asks the leader, in its epoch.

    Else the consumer is refused whatever it asks. That it reads in the end is a claim about what must happen; this is
    the state in which it cannot.
    """
    return not s.is_newest or is_answered(s)


@transition
def epoch_never_goes_back(before: Topic, after: Topic) -> bool:
    """KIP-320: of one topic, the consumer never takes the metadata of an older leader epoch for the newest."""
    seen, now = before.seen_epoch, after.seen_epoch
    return seen is None or now is None or before.seen_topic != after.seen_topic or now >= seen


@invariant
def deletion_is_a_new_begin(s: Topic) -> bool:
    """Who has heard that there is no such topic begins anew: no position of the one that is gone is left."""
    return s.seen_leader is not None or s.position == 0


@transition
def reads_what_is_validated(before: Topic, after: Topic) -> bool:
    """KIP-320: the position moves on only from one that was compared with the log, in the leader's newest epoch."""
    return after.position <= before.position or (before.validated and before.seen_epoch == before.epoch)


@invariant
def nothing_skipped(s: Topic) -> bool:
    """G10: no record of a topic is read before one that is ahead of it in the log. Kafka does not keep that."""
    return not s.skipped


# --- what must be possible --------------------------------------------------------------------------------------------


@reachable
def reads_the_new_topic(s: Topic) -> bool:
    """The consumer has read a topic that was made again, whose epoch is older than one that it has heard of before."""
    return s.topic > 0 and s.exists and s.read > 0 and s.read == s.end


@reachable
def learns_of_a_deletion(s: Topic) -> bool:
    """The consumer has learned that there is no such topic, while it has been made again."""
    return s.exists and s.topic > 0 and s.seen_topic is None and s.seen_epoch is not None


@reachable
def gets_old_metadata(s: Topic) -> bool:
    """The consumer knows the newest metadata, and has got older ones since."""
    return is_answered(s) and s.epoch > 0 and not s.is_newest and s.seen_topic == s.topic
