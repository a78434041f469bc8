"""What must hold of a consumer whose topic is deleted and made again under the same name."""

from __future__ import annotations

from ..language import invariant, reachable, transition
from ..model.recreated_topic import Topic, epoch_of, is_answered


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
    return s.seen_topic is not None or s.position == 0


@transition
def reads_what_is_validated(before: Topic, after: Topic) -> bool:
    """KIP-320: the position moves on only from one that was compared with the log, in the leader's newest epoch."""
    return not reads(before, after) or (before.validated and before.seen_epoch == before.epoch)


@transition
def reads_by_the_topics_id(before: Topic, after: Topic) -> bool:
    """KIP-516: nothing is read of a topic whose id is not the one that the consumer has heard of last, if any."""
    return not reads(before, after) or before.seen_topic is None or before.seen_topic == before.topic


@transition
def remembers_the_records_epoch(before: Topic, after: Topic) -> bool:
    """KIP-320: what the consumer remembers with its position is the epoch of the record that it has read last."""
    return not reads(before, after) or after.read_epoch == epoch_of(before, before.position)


def reads(before: Topic, after: Topic) -> bool:
    """Whether a record was read: the position has moved on, and not to what was committed."""
    return after.position > before.position and after.assigned == before.assigned


@transition
def validation_ends_in_the_epoch(before: Topic, after: Topic) -> bool:
    """KIP-320: a position that was compared with the leader's log is not beyond the end of the epoch it was read in.

    Where the leader knows nothing of that epoch, no position of it is left.
    """
    epoch = after.read_epoch
    if before.validated or not after.validated or epoch is None:
        return True
    return epoch <= after.epoch and after.position <= (after.end if epoch == after.epoch else after.starts[epoch + 1])


@invariant
def assignment_begins_at_the_start(s: Topic) -> bool:
    """KIP-848: who was assigned the partition of a topic by its id has read all that is before its position."""
    return s.assigned != s.topic or s.position <= s.read


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
