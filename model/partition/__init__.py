"""One Kafka partition as it runs today: what a cluster's settings keep, and what they lose.

A *leader* appends what producers send; *followers* fetch from it. Those that keep up are *in sync*: the ISR. A record
is *committed*, below the *high watermark*, once all of the ISR have it. The *controller* has on record who leads, in
which *epoch*, and who is in sync; it *fences* brokers that it does not hear of, and elects another leader from the
ISR. So a leader that dies is replaced by one with all that was committed. Unless

* the ISR was the leader alone (`min.insync.replicas`), or the producer had not waited for more (`acks`);
* somebody preferred a leader without the records to no leader (unclean election);
* what the ISR had was in page caches, and power was lost. Kafka acknowledges before it flushes. The last one in the
  ISR stayed in it even so, and was elected again: the *last replica standing*. Eligible leader replicas (ELR, KIP-966)
  remember who left the ISR with its log whole, and who stopped uncleanly is in neither;
* or one of the rules was missing by which the three, who hear of each other late, agree on what each one may count
  on. Each rule is a switch, named after the KIP or the issue that brought it.

A profile is a version with its switches as they were, or the current version with one mistake of the past, or with
one setting. Settings are constants of their own, at what is advised: three replicas, `acks=all`, a min.isr of 2, clean
elections. How often something goes wrong is a budget, one for each kind of fault: it says how much of it a
cluster survives. All of them may be left open (`--open`), so that one compiled kernel serves every cluster.

The files: `state.py` has bounds, settings, switches and the state, `releases.py` which of the switches a release has,
`broker.py` what brokers do, `controller.py` what the controller does and how copies move, `faults.py` what goes wrong.
What is put together, since no property distinguishes it:

* A fetch brings one record, and acknowledges it at once: the next fetch, which really does, may follow at once. What a
  leader knows of a follower it keeps when that one is gone, as in Kafka.
* A broker hears of the newest registration only, at any time after it was made, and skips those before. Late requests
  that are not the newest are in `model/replication.py`, together with KIP-101 to KIP-320.
* There are no broker epochs and partition epochs, only what they are compared for: whether a broker has registered anew
  since its leader asked to let it join, and whether the leader that asks knows the ISR as it is registered.
* Registering, catching up with the metadata and being unfenced is one step, as is a controlled shutdown.
* The answer to a producer arrives when it is sent. Where it is lost, the producer sends again.
* What reached the disk is decided when power is lost: any part of the log that is not known to be flushed.
* Reading is being readable: a consumer may read all that is below the high watermark of who serves it.
* There are no clocks: a follower may lag, and a heartbeat may be missed, at any time. Whom of several the controller
  elects is left open, where Kafka goes by the order of assignment.
* Log retention and several partitions are left out, and so is the metadata quorum but for its majority: without that,
  nothing is fenced, elected or changed.

The properties are in `invariants/partition/`, what was found in `spec/partition.toml`. The facts are from KIP-497,
841, 903 and 966, from Kafka's source at the tags named beside the switches, and from Jack Vanlightly's specification
of KIP-966 with its description (github.com/Vanlightly/kafka-tlaplus).
"""

from __future__ import annotations

from ...language import LogLanes, terminal
from . import broker, controller, faults, state
from .releases import profiles as profiles
from .state import Broker, Partition

modules = (state, broker, controller, faults)  # in the order of a record's life

words = {
    "registered.leader": "the leader on record with the controller",
    "registered.leader_epoch": "the leader epoch on record with the controller",
    "registered.isr": "the ISR on record with the controller",
    "registered.elr": "eligible leader replicas",
    "registered.last_known_leader": "the last known leader",
    "assignment.replicas": "the replicas",
    "assignment.adding": "replicas being added",
    "assignment.removing": "replicas being removed",
    "fenced": "fenced brokers",
    "up": "running brokers",
    "gone": "brokers whose host is lost",
    "unclean": "brokers that stopped uncleanly",
    "relocated": "brokers with a copy in a directory that the controller does not know of",
    "controllers_down": "controllers that are down",
    "voters_down": "hosts whose controller is down",
    "view[].leader": "the leader that {} knows",
    "view[].leader_epoch": "the leader epoch that {} knows",
    "view[].isr": "the ISR that {} knows",
    "truncating": "followers that have yet to ask where to truncate",
    "answer[]": "the answer on its way to {}",
    "log[]": "{}'s log",
    "flushed[]": "{}'s records on the disk",
    "high_watermark[]": "{}'s high watermark",
    "fetch_offset[][]": "{}'s record of where {} fetches next",
    "request[]": "{}'s request to the controller",
    "request[].answered": "the controller has answered {}",
    "request[].restarted": "the broker that {} asks about has restarted",
    "sent": "records sent",
    "acknowledged": "acknowledged records",
    "committed": "records that were ever committed",
    "read[]": "what could be read at offset {}",
    "refused": "records that were reported as failed",
    "lossy": "brokers that lost a part of their log",
    "left_isr": "brokers that left the ISR",
    "damaged": "brokers that lost a part of their log and have not caught up",
    "damaged_led": "one of them has led",
    "ever_unclean": "brokers that ever stopped uncleanly",
    "AlterPartition": "{change} {broker}",
    "DivergingEpoch": "the logs diverge at offset {end}",
    "SHRINK": "take out of the ISR:",
    "EXPAND": "take into the ISR:",
}
"""What its fields, structs and values are called where an operator reads of them; `{}` is a broker."""

view = LogLanes(
    lane=Broker,
    log="log",
    cell="{entry.epoch}{letter(entry.id)}",
    cell_epoch="entry.epoch",
    high_watermark="high_watermark",
    role="leads(s, lane) if s.view[lane].leader is not None else None",
    epoch="s.view[lane].leader_epoch",
    up="lane in s.up",
    isr="s.view[lane].isr if leads(s, lane) else None",
    controller_leader="s.registered.leader",
    controller_epoch="s.registered.leader_epoch",
    controller_isr="s.registered.isr",
    badges={"flushed to": "s.flushed[lane]"},
    board={"eligible leaders": "s.registered.elr", "fenced": "s.fenced", "acknowledged": "s.acknowledged"},
)


@terminal
def nobody_leads(s: Partition) -> bool:
    """Nobody leads, and nobody who may be elected comes back."""
    return s.registered.leader is None
