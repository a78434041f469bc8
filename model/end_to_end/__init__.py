"""From a producer to an effect: an application sends records, a group of consumers reads them, and each has an effect,
such as a row that is written or an email that is sent. How often does it come to pass?

The group and its log are those of `../consumer/`, action by action: members that poll, process and commit, crashes,
pauses, rebalances. What the producer leaves in the log is asked of `producer`, and is one of three here (`written`):

* `ONCE`: one life of an idempotent producer, with acks=all, whose first batch is not refused;
* `TWICE`: retries without idempotence, or an application that starts again and sends what had no answer. So it is with
  an *outbox*: the application writes its row and the record to be sent in one transaction of its database, and a relay
  sends the record, marks it, and sends it again where it died in between;
* `NEVER`: a record that was given up, or one whose application wrote its row, died, and had not sent it (two writes
  without a transaction). An outbox is what rules that out.

An effect is one of three kinds. One of the world, as an email, happens as often as a record is processed. A sink that
knows the records it has (`knows_records`: a key that is unique, an upsert) takes a copy for what it is. And a database
may have the effect and the group's offset in one transaction (`Commits.TOGETHER`).

What is abstracted away: what the effect says, so that an older row that replaces a newer one is not seen; how the sink
forgets. The first record of each partition is the one that is there twice or never. Transactions of Kafka, where the
effect is a record again, are `transactional_processing`.

Properties are in `invariants/end_to_end.py`.
"""

from __future__ import annotations

from .. import consumer
from ..consumer.state import Commits, Reset
from . import effects
from .effects import Written

modules = (*consumer.modules, consumer, effects)
view = consumer.view

profiles = {
    "email": {},
    "email_before": {"commits": Commits.BEFORE},
    "email_sent_again": {"written": Written.TWICE},
    "upsert": {"commits": Commits.AFTER, "knows_records": True},
    "two_writes": {"commits": Commits.AFTER, "knows_records": True, "written": Written.NEVER},
    "outbox": {"commits": Commits.AFTER, "knows_records": True, "written": Written.TWICE},
    "outbox_email": {"commits": Commits.AFTER, "written": Written.TWICE},
    "offset_in_sink": {"commits": Commits.TOGETHER},
    "offset_in_sink_sent_again": {"commits": Commits.TOGETHER, "written": Written.TWICE},
    "upsert_latest": {"commits": Commits.AFTER, "knows_records": True, "offset_losses": 1},
    "upsert_earliest": {
        "commits": Commits.AFTER,
        "knows_records": True,
        "offset_losses": 1,
        "reset": Reset.EARLIEST,
    },
}
