"""Which version of the partition's model, with which settings, a history is held against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from ...audit.kafka.profiles import (
    NEWEST,
    audited_model_definition,
    defects_mended_in_release,
    profiles_within,
    switches_of_brokers,
)
from ...audit.kafka.releases import METADATA_VERSIONS, known_release
from ...audit.kafka.versions import releases_meant
from ...language.constants import Value
from ...language.errors import UsageError
from ...language.immutable import immutable
from ...language.model import Model
from ..history.assignments import MOST_BROKERS
from ..history.moments import (
    ELR_FEATURE,
    METADATA_VERSION,
    History,
    Moment,
    RecordedCluster,
    SettingsInForce,
    ZooKeeper,
)
from ..history.partitions import MIN_ISR, UNCLEAN
from .as_partition import BOUNDS, WITH_DIRECTORIES, WITH_LOSSES, WITH_MOVES

FIRST_WITH_LOGS = (1, 1)
FIRST_TO_SEE = (4, 0)
"""The first in which a broker leaves the ISR that registers before anybody noticed that it was down (KAFKA-18106)."""
MODEL = "partition"


@immutable
class Version:
    """The release that brokers run, as `kafka`, the model's profile for it, the switches in which the release differs
    from the newest profile, and what was taken for granted. `levels` are those of `metadata.version` that brokers
    registered with; none where somebody says which release it is."""

    kafka: str
    profile: str
    switches: Mapping[str, Value | str]
    assumptions: tuple[str, ...]
    zookeeper: bool = False
    levels: tuple[int, ...] = ()

    def switches_at(self, force: SettingsInForce) -> tuple[Mapping[str, Value | str], ...]:
        """The switches at a moment: of each release that may have run by then. While brokers are upgraded nothing says
        which one the controllers run, but none is older than the finalized `metadata.version`."""
        if self.zookeeper:
            return (self.switches,)
        finalized = _release_of_level(force.finalized_level) if self.levels else None
        may = {_release_of_level(level) for level in self.levels if level >= (force.finalized_level or 0)} - {None}
        made = [_kraft_profile(one, finalized or one, force.elr) for one in sorted(one or "" for one in may)]
        known = tuple(one[1] for one in made if one is not None)
        alone = _kraft_profile(self.kafka, self.kafka, force.elr)
        return known or ((self.switches,) if alone is None else (alone[1],))


def find_version(cluster: RecordedCluster, asked_version: str | None) -> Version:
    """The version of a cluster: as given, or by the newest `metadata.version` that its brokers registered with.

    UsageError where nothing says it, for a release without KRaft, and for what is no release.
    """
    if cluster.zookeeper is not None:
        return _version_with_zookeeper(cluster.zookeeper, asked_version)
    kafka, assumed = (_stated_release(asked_version), ()) if asked_version is not None else _registered_release(cluster)
    made = _kraft_profile(kafka, kafka, cluster.features.get(ELR_FEATURE, 0) > 0)
    if made is None:
        raise UsageError(f"Kafka {kafka} has no metadata log that is checked here: KRaft is modelled since 3.3")
    return Version(kafka, *made, assumed, levels=cluster.supported_levels if asked_version is None else ())


@cache
def _kraft_profile(kafka: str, finalized_version: str, elr: bool) -> tuple[str, Mapping[str, Value | str]] | None:
    """The profile and the switches of a release in KRaft, with the release of the finalized `metadata.version`; None
    where one of them is not modelled."""
    first = releases_meant(kafka)[0]
    known, spoken = (profiles_within(*releases_meant(one), kraft=True) for one in (kafka, finalized_version))
    if not known or not spoken:
        return None
    mended = defects_mended_in_release(first, known[-1], releases_meant(finalized_version)[0])
    made = dict(switches_of_brokers(known[-1], spoken[-1], kraft=True, elr=elr, mended_defects=mended))
    return known[-1], {**made, "register_unseen": first[:2] < FIRST_TO_SEE}


def _version_with_zookeeper(zookeeper: ZooKeeper, asked_version: str | None) -> Version:
    """The version of brokers with ZooKeeper, as they say when they start, and that of the protocol between them."""
    if asked_version is None and not zookeeper.releases:
        raise UsageError('no server.log says which Kafka ran ("Kafka version"); give --kafka-version')
    kafka = zookeeper.releases[-1] if asked_version is None else _stated_release(asked_version)
    first, last = releases_meant(kafka)
    known = profiles_within(first, last, kraft=False)
    if not known or last < FIRST_WITH_LOGS:
        raise UsageError(f"Kafka {kafka} has no controllers' logs on ZooKeeper that are read: 1.1 to 3.9 have")
    assumed = list[str]()
    if asked_version is None and len(zookeeper.releases) > 1:
        names = ", ".join(zookeeper.releases)
        assumed.append(f"brokers of several releases started ({names}), and all is checked as of {kafka}")
    spoken = (
        profiles_within(*releases_meant(zookeeper.protocols[-1]), kraft=False)
        if zookeeper.protocols and asked_version is None
        else known
    )
    if not zookeeper.protocols and asked_version is None:
        assumed.append("no server.log has inter.broker.protocol.version, which is taken for that of the release")
    made = switches_of_brokers(
        known[-1],
        (spoken or known)[-1],
        kraft=False,
        elr=False,
        mended_defects=defects_mended_in_release(first, known[-1]),
    )
    return Version(kafka, known[-1], {**dict(made), "by_zookeeper": True}, tuple(assumed), zookeeper=True)


def _stated_release(text: str) -> str:
    try:
        return known_release("--kafka-version", text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _registered_release(cluster: RecordedCluster) -> tuple[str, tuple[str, ...]]:
    """The release that knows the newest `metadata.version` of which brokers said that they know it."""
    levels = cluster.supported_levels
    if not levels or not 0 < levels[-1] <= len(METADATA_VERSIONS):
        what = f"level {levels[-1]} of it has no name here" if levels else "no broker registers in this log"
        raise UsageError(f"the log does not say which Kafka ran ({METADATA_VERSION}: {what}); give --kafka-version")
    kafka = _release_of_level(levels[-1])
    assert kafka is not None
    if len(levels) == 1:
        return kafka, ()
    names = ", ".join(name for level in levels if (name := _release_of_level(level)) is not None)
    then = "a moment may be of each that is not older than the metadata.version of its time"
    return kafka, (f"brokers of several releases registered ({names}), and {then}",)


def _release_of_level(level: int | None) -> str | None:
    """The release that knows a level of `metadata.version` as its newest; None where it has no name here."""
    if level is None or not 0 < level <= len(METADATA_VERSIONS):
        return None
    return METADATA_VERSIONS[level - 1].partition("-")[0]


@immutable
class ModelSetup:
    """The models that a history is held against: constants beyond the newest profile, and what was taken for granted.
    `constants` are those at the end, and `variants` all that there are, of which `variant_numbers` has the numbers for
    each moment: those by which it may be come to."""

    profile: str
    variants: tuple[Mapping[str, Value | str], ...]
    variant_numbers: tuple[tuple[int, ...], ...]
    assumptions: tuple[str, ...]
    ghosts: bool = False

    @property
    def constants(self) -> Mapping[str, Value | str]:
        """The constants at the end."""
        return self.variants[self.variant_numbers[-1][-1]]

    def bind(self, constants: Mapping[str, Value | str]) -> Model:
        """The model of a variant."""
        return audited_model_definition().bind(
            f"{MODEL}:{NEWEST}", constants=dict(constants), profile=NEWEST, ghosts=self.ghosts, properties=()
        )


def find_setup(
    history: History, version: Version, changed_settings: frozenset[str], asked_version: Mapping[str, Value]
) -> ModelSetup | str:
    """The models for a history, or why there are none. `asked_version` are constants that the user sets,
    `changed_settings` the settings that changed within the log."""
    if len(history.replicas) > MOST_BROKERS:
        return f"it has {len(history.replicas)} replicas, and the model has {MOST_BROKERS} at most"
    fewest = min((len(one.assignment.target) for one in history.moments if one.assignment is not None), default=None)
    lost = any(moment.shows_loss for moment in history.moments)
    common: dict[str, Value | str] = {
        **BOUNDS,
        **(WITH_LOSSES if lost else {}),
        **(WITH_MOVES if fewest is not None else {}),
        **(WITH_DIRECTORIES if any(moment.offline or moment.reassigned_brokers for moment in history.moments) else {}),
        "register_apart": True,
        "stop_fenced": True,
        "min_isr_is_set": True,
        "drop_together": True,
        "replicas": len(history.replicas),
    }
    variants, at = list[Mapping[str, Value | str]](), list[tuple[int, ...]]()
    for force in (_settings_in_force(history, moment) for moment in history.moments):
        least = force.min_isr or "1"
        if "min_isr" not in asked_version and not least.strip().isdecimal():
            wrong = f"{MIN_ISR} is {least!r} in the log, which is no number that Kafka takes"
            return f"{wrong}; --set min_isr=N says what holds"
        own = {
            "min_isr": 1 if "min_isr" in asked_version else min(int(least), MOST_BROKERS),
            "unclean": (force.unclean or "false").lower() == "true",
        }
        made = [{**switches, **common, **own, **asked_version} for switches in version.switches_at(force)]
        variants += [constants for constants in made if constants not in variants]
        at.append(tuple(variants.index(constants) for constants in made))
        wanted = asked_version.get("min_isr", int(least) if least.strip().isdecimal() else 1)
        if fewest is not None and isinstance(wanted, int) and wanted > fewest:
            return (
                f"it is reassigned to {fewest} brokers, fewer than {MIN_ISR}={wanted}, of which the model has no step"
            )
    assumed = (*version.assumptions, *_assumptions_of_history(history, changed_settings, asked_version, lost))
    return ModelSetup(version.profile, tuple(variants), tuple(at), assumed, lost)


def _settings_in_force(history: History, moment: Moment) -> SettingsInForce:
    """What holds at a moment: as the log has it then, or all the time, where nothing says when it does."""
    of = history.settings
    return moment.settings or SettingsInForce(of.get(MIN_ISR), of.get(UNCLEAN), elr=False, finalized_level=None)


def _assumptions_of_history(
    history: History, changed_settings: frozenset[str], asked_version: Mapping[str, Value], is_lossy: bool
) -> Iterator[str]:
    """What is taken for granted of a history."""
    held = [_settings_in_force(history, moment) for moment in history.moments]
    if "min_isr" not in asked_version and any(one.min_isr is None for one in held):
        yield f"{MIN_ISR} is not in the log, and taken for 1: --set min_isr=N says what brokers' files do"
    if "unclean" not in asked_version and any(one.unclean is None for one in held):
        yield f"{UNCLEAN} is not in the log, and taken for false: --set unclean=true says otherwise"
    if any(moment.settings is None for moment in history.moments):
        for name in sorted(changed_settings & {MIN_ISR, UNCLEAN}):
            yield f"{name} was changed within the log, and all is checked with its last value"
    if is_lossy and "disk_losses" not in asked_version:
        yield "no disk was lost or replaced: --set disk_losses=1 says otherwise"
