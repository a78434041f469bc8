"""From a cluster to signatures: what of a topic, its producer and its placement the model is asked about.

A fact that nobody states gives several signatures, each with the value that it supposes, and never one guess. Topics
with the same signatures are one `Subject`. What a version means is the model's own profiles, which are named after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache

from ...language.constants import PlainValue
from ...language.immutable import immutable
from ..cluster.cluster import Client, Topic
from ..facts.facts import OpenStatements, UsedSetting
from ..kafka.profiles import (
    MOST_REPLICAS,
    NEWEST,
    switches_of_profile,
)


@immutable
class Signature:
    """Everything that an answer depends on, and nothing else: equal ones are explored once.

    `profile` names the model's version, `switches` are what differs from the newest one. `replicas_in_rack` is the most
    replicas of one partition in one rack, 0 where racks are not stated. `voters` is 0 where nothing says how many there
    are, `voters_in_rack` is the most of them in one rack, 0 where that is not stated, and `shared_voters` the most that
    are on hosts of one partition's replicas. `one_machine`: all brokers and controllers run on one computer. `hosts`
    are replicas of one partition and voters at one host, `two_hosts` at two; () where no file says who shares. `racks`
    are the replicas and the voters in each rack, where the racks of all replicas are stated; of two racks of which one
    has no more of either, only the other. `open_voters` may be in any of them. `ephemeral`: a broker that stops comes
    back with an empty disk; `of_pod`: not one whose process dies, since it starts again in its pod. `passing`: its log
    is where a start of its host finds nothing. `empty_voters` are those that come back empty, and `disk_voters` those
    that do with a broker's lost disk, at most (`has_combined_nodes`: some node is a broker, too); with `enough_emptied`
    of them what others committed may be lost (0: with a majority alone). `bumps_epoch`: an idempotent producer goes on
    in a new epoch after a possible gap (KIP-360), as far as that matters. `gives_again`: it gives the sequence of a
    record that it gave up to the next one (Java's clients of 2.1 to 2.4).
    """

    profile: str
    switches: tuple[tuple[str, PlainValue], ...]
    replicas: int
    min_isr: int
    acks: str
    unclean: bool
    fsync: bool
    co_located: bool
    replicas_in_rack: int
    voters: int = 0
    voters_in_rack: int = 0
    shared_voters: int = 0
    one_machine: bool = False
    hosts: tuple[tuple[int, int], ...] = ()
    two_hosts: tuple[tuple[int, int], ...] = ()
    ephemeral: bool = False
    of_pod: bool = False
    passing: bool = False
    empty_voters: int = 0
    has_combined_nodes: bool = False
    directories: bool = False
    disk_voters: int = 0
    enough_emptied: int = 0
    racks: tuple[tuple[int, int], ...] = ()
    open_voters: int = 0
    idempotent: bool = True
    bumps_epoch: bool = True
    gives_again: bool = False
    max_in_flight: int = 5
    retries: bool = True
    follower_reads: bool = False

    @property
    def newest_switches(self) -> dict[str, PlainValue]:
        """Every switch of the newest version."""
        return dict(switches_of_profile(NEWEST))

    @property
    def constants(self) -> Mapping[str, PlainValue]:
        """The model's constants, without bounds and budgets."""
        return _constants_of_signature(self)

    @property
    def elects_uncleanly(self) -> bool:
        """Whether a replica out of the ISR is made leader where no other is left: it is set so, and heeded."""
        return self.unclean and bool(self.constants["heed_unclean"])

    @property
    def least_isr(self) -> int:
        """How many members the ISR must have for acks=all, in this version."""
        return self.least_isr_of(self.replicas)

    def least_isr_of(self, replicas: int) -> int:
        """The same with another number of replicas."""
        return min(self.min_isr, replicas) if self.constants["cap_min_isr"] else self.min_isr


@lru_cache(maxsize=10_000)
def _constants_of_signature(signature: Signature) -> Mapping[str, PlainValue]:
    """They are asked for with every partition and every cell, and so made once."""
    return {
        **signature.newest_switches,
        **dict(signature.switches),
        **{name: getattr(signature, name) for name in _ALIKE},
        "min_isr": min(signature.min_isr, MOST_REPLICAS),
    }


_ALIKE = ("replicas", "acks", "unclean", "fsync", "co_located", "idempotent", "max_in_flight", "follower_reads")


# --- versions: the model's own profiles -------------------------------------------------------------------------------


# --- facts, each with what it may be ----------------------------------------------------------------------------------


@immutable
class Variant:
    """A signature, and the facts that are not stated with the values that it supposes."""

    supposed_facts: tuple[tuple[str, str], ...]
    signature: Signature


@immutable
class Subject:
    """Topics that are alike in everything that is asked about, with their producer (None: not stated).
    `not_checked` says why nothing can be asked of them, and is "" if it can. `asks` are what the user may give, by
    fact. `is_planned` are topics that are not there yet: what one would be that is created with the brokers' defaults.
    `stops`: it is never written, or never read, since Kafka does not create it or its producer does not start; these
    questions are answered by that, and `not_checked` says why. `present` are the signatures that the present state of
    its partitions is checked by; they may have more replicas than the model. `hosts` are what the cluster's brokers are
    called, the first replica's first, where each of them has a replica of every partition, or any of them may, and no
    file says in which order; () elsewhere. `repairs` says with what a topic is created, or written, that is not.
    `requirements` is what audit.toml asks of them, as `--require` takes it; () where it asks nothing of its own.
    `open_statements` are what is stated of the facts that are open all the same, by fact. `stopped_by` are the
    settings by which it is never written, or nothing can be asked. `writes_nothing` is `producer.properties writes
    nothing` where its producer does not start, or its records are refused.
    """

    topics: tuple[Topic, ...]
    producer: Client | None
    variants: tuple[Variant, ...]
    used_settings: tuple[UsedSetting, ...]
    asks: Mapping[str, str] = field(default_factory=dict[str, str])
    not_checked: str = ""
    is_planned: bool = False
    stops: tuple[str, ...] = ()
    present: tuple[Signature, ...] = ()
    hosts: tuple[str, ...] = ()
    repairs: str = ""
    requirements: tuple[str, ...] = ()
    open_statements: Mapping[str, OpenStatements] = field(default_factory=dict[str, OpenStatements])
    stopped_by: tuple[UsedSetting, ...] = ()
    writes_nothing: str = ""

    @property
    def is_internal(self) -> bool:
        """Whether they are Kafka's own."""
        return self.topics[0].is_internal

    @property
    def name(self) -> str:
        """`orders and 811 like it`, or the one topic's name; with the producer, if it is stated."""
        shown, more = self.topics[0].name, len(self.topics) - 1
        if more:
            shown += f" and {more:,} like it" if more > 1 else " and one like it"
        return shown if self.producer is None else f"{shown} (producer {self.producer.name})"


# --- versions as facts ------------------------------------------------------------------------------------------------
