"""Which version of the partition's model, with which settings, a history is held against."""

from __future__ import annotations

from collections.abc import Mapping

from ..audit.cluster import Origin, WrongOption
from ..audit.keys import span
from ..audit.readers.releases import METADATA_VERSIONS, release
from ..audit.signature import definition, mended_in, profiles_within, switches
from ..language.constants import Value
from ..language.errors import UsageError
from ..language.immutable import immutable
from ..language.model import Model
from .as_partition import BOUNDS, WITH_LOSSES, WITH_MOVES
from .history import METADATA_VERSION, Cluster, History, ZooKeeper

MOST_REPLICAS = 5
ELR_FEATURE = "eligible.leader.replicas.version"
MIN_ISR, UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"
FIRST_WITH_LOGS = (1, 1)
MODEL, NEWEST = "partition", "kafka_4_1"


@immutable
class Version:
    """The release that brokers run, as `kafka`, the model's profile for it, the switches in which the release differs
    from the newest profile, and what was taken for granted."""

    kafka: str
    profile: str
    switches: Mapping[str, Value | str]
    assumed: tuple[str, ...]
    zookeeper: bool = False


def version_of(cluster: Cluster, given: str | None) -> Version:
    """The version of a cluster: as given, or by the newest `metadata.version` that its brokers registered with.

    UsageError where nothing says it, for a release without KRaft, and for what is no release.
    """
    if cluster.zookeeper is not None:
        return _with_zookeeper(cluster.zookeeper, given)
    kafka, assumed = (_stated(given), ()) if given is not None else _registered(cluster)
    first, last = span(kafka)
    known = profiles_within(first, last, kraft=True)
    if not known:
        raise UsageError(f"Kafka {kafka} has no metadata log that is checked here: KRaft is modelled since 3.3")
    elr = cluster.features.get(ELR_FEATURE, 0) > 0
    made = switches(known[-1], known[-1], kraft=True, elr=elr, mended=mended_in(first, known[-1]))
    return Version(kafka, known[-1], dict(made), assumed)


def _with_zookeeper(said: ZooKeeper, given: str | None) -> Version:
    """The version of brokers with ZooKeeper, as they say when they start, and that of the protocol between them."""
    if given is None and not said.releases:
        raise UsageError('no server.log says which Kafka ran ("Kafka version"); give --kafka-version')
    kafka = said.releases[-1] if given is None else _stated(given)
    first, last = span(kafka)
    known = profiles_within(first, last, kraft=False)
    if not known or last < FIRST_WITH_LOGS:
        raise UsageError(f"Kafka {kafka} has no controllers' logs on ZooKeeper that are read: 1.1 to 3.9 have")
    assumed = list[str]()
    if given is None and len(said.releases) > 1:
        names = ", ".join(said.releases)
        assumed.append(f"brokers of several releases started ({names}), and all is checked as of {kafka}")
    spoken = profiles_within(*span(said.protocols[-1]), kraft=False) if said.protocols and given is None else known
    if not said.protocols and given is None:
        assumed.append("no server.log has inter.broker.protocol.version, which is taken for that of the release")
    made = switches(known[-1], (spoken or known)[-1], kraft=False, elr=False, mended=mended_in(first, known[-1]))
    return Version(kafka, known[-1], {**dict(made), "by_zookeeper": True}, tuple(assumed), zookeeper=True)


def _stated(text: str) -> str:
    try:
        stated = release("--kafka-version", text, Origin("--kafka-version"))
    except WrongOption as error:
        raise UsageError(str(error)) from None
    assert stated is not None
    return stated.value


def _registered(cluster: Cluster) -> tuple[str, tuple[str, ...]]:
    """The release that knows the newest `metadata.version` of which brokers said that they know it."""
    levels = cluster.supported
    if not levels or not 0 < levels[-1] <= len(METADATA_VERSIONS):
        what = f"level {levels[-1]} of it has no name here" if levels else "no broker registers in this log"
        raise UsageError(f"the log does not say which Kafka ran ({METADATA_VERSION}: {what}); give --kafka-version")
    kafka = METADATA_VERSIONS[levels[-1] - 1].partition("-")[0]
    if len(levels) == 1:
        return kafka, ()
    known = [METADATA_VERSIONS[level - 1] for level in levels if level <= len(METADATA_VERSIONS)]
    names = ", ".join(name.partition("-")[0] for name in known)
    return kafka, (f"brokers of several releases registered ({names}), and all is checked as of {kafka}",)


@immutable
class Setup:
    """A model that a history is held against: its constants beyond the newest profile, and what was taken for
    granted."""

    profile: str
    constants: Mapping[str, Value | str]
    assumed: tuple[str, ...]
    ghosts: bool = False

    def bind(self) -> Model:
        """The model."""
        return definition().bind(
            f"{MODEL}:{NEWEST}", constants=dict(self.constants), profile=NEWEST, ghosts=self.ghosts, properties=()
        )


def setup_of(history: History, version: Version, changed: frozenset[str], given: Mapping[str, Value]) -> Setup | str:
    """The model for a history, or why there is none. `given` are constants that the user sets,
    `changed` the settings that changed within the log."""
    if len(history.replicas) > MOST_REPLICAS:
        return f"it has {len(history.replicas)} replicas, and the model has {MOST_REPLICAS} at most"
    assumed = list(version.assumed)
    settings = history.settings
    if "min_isr" not in given and MIN_ISR not in settings:
        assumed.append(f"{MIN_ISR} is not in the log, and taken for 1: --set min_isr=N says what brokers' files do")
    if "unclean" not in given and UNCLEAN not in settings:
        assumed.append(f"{UNCLEAN} is not in the log, and taken for false: --set unclean=true says otherwise")
    for name in sorted(changed & {MIN_ISR, UNCLEAN}):
        assumed.append(f"{name} was changed within the log, and all is checked with its last value")
    least = settings.get(MIN_ISR, "1")
    if "min_isr" not in given and not least.strip().isdecimal():
        return (
            f"{MIN_ISR} is {least!r} in the log, which is no number that Kafka takes; --set min_isr=N says what holds"
        )
    fewest = min((len(one.assignment.target) for one in history.moments if one.assignment is not None), default=None)
    wanted = given.get("min_isr", int(least) if least.strip().isdecimal() else 1)
    if fewest is not None and isinstance(wanted, int) and wanted > fewest:
        return f"it is reassigned to {fewest} brokers, fewer than {MIN_ISR}={wanted}, of which the model has no step"
    lost = any(moment.lost for moment in history.moments)
    if lost and "disk_losses" not in given:
        assumed.append("no disk was lost or replaced: --set disk_losses=1 says otherwise")
    constants: dict[str, Value | str] = {
        **version.switches,
        **BOUNDS,
        **(WITH_LOSSES if lost else {}),
        **(WITH_MOVES if fewest is not None else {}),
        "register_apart": True,
        "stop_fenced": True,
        "min_isr_is_set": True,
        "drop_together": True,
        "replicas": len(history.replicas),
        "min_isr": 1 if "min_isr" in given else min(int(least), MOST_REPLICAS),
        "unclean": settings.get(UNCLEAN, "false").lower() == "true",
        **given,
    }
    return Setup(version.profile, constants, tuple(assumed), lost)
