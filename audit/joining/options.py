"""What the user states beside the files: options, which are stronger than files."""

from __future__ import annotations

import re
from collections.abc import Collection

from ...language.errors import suggest_name
from ...language.immutable import immutable
from ..cluster.statements import Origin, StatedValue, WrongOptionError
from ..kafka.keys import OTHER, client_families, wrapped_families
from ..kafka.releases import kafka_release, why_release_not_known
from ..kafka.versions import is_at_least, releases_meant

OPTIONS = Origin("command line")


@immutable
class Options:
    """What the user states beside the files; it is stronger than they are. Versions are text such as "3.9.1" or "4.1".

    `clients` are "FAMILY:VERSION" for every client, or "FILE=FAMILY:VERSION" for one. `acks` is "all", "1" or "0".
    """

    kafka_version: str | None = None
    metadata_version: str | None = None
    inter_broker_protocol: str | None = None
    features: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    distribution: str | None = None
    acks: str | None = None


def unnamed_clients(options: Options) -> tuple[str, StatedValue | None] | None:
    """The family and the version of clients of which no file was given: what is said of all."""
    said = [(family, version) for name, family, version in map(client_option, options.clients) if name is None]
    return said[-1] if said else None


def client_option(text: str) -> tuple[str | None, str, StatedValue | None]:
    """`[FILE=]FAMILY:VERSION` as a file or None, the family, the version. Raises WrongOptionError."""
    name, mark, rest = text.rpartition("=")
    family, _, version = rest.partition(":")
    if not re.fullmatch(r"[A-Za-z][\w.\-]*", family):
        raise WrongOptionError(f"--client {text}: write FAMILY:VERSION, such as java:3.9, or FILE=FAMILY:VERSION.")
    refuse_unknown("--client", text, "family", family, client_families())
    said = _version_of_client(family, version) if version else None
    return name if mark else None, family, said


def _version_of_client(family: str, version: str) -> StatedValue | None:
    """Java's is Kafka's release; the others count for themselves, or are that of the client within; None where it is
    not known which one that is."""
    if family in ("java", "spring"):
        said = stated_release("--client", version)
        if why := why_release_not_known(said.value):
            raise WrongOptionError(f"--client {family}:{version}: this release is not known: {why}.")
        return said
    try:
        releases_meant(version)
    except ValueError as error:
        raise WrongOptionError(f"--client: {error}.") from None
    within = wrapped_families().get(family, {}).get("within")
    if within is None:
        return StatedValue(version, OPTIONS)
    found = [inner for own, inner in within if is_at_least(version, own) is True]
    return StatedValue(found[-1], OPTIONS, f"{family} {version} has librdkafka {found[-1]}") if found else None


def refuse_unknown(option: str, text: str, what: str, name: str, every: Collection[str]) -> None:
    """WrongOptionError, with the nearest name, for a name that is not known: its defaults would be left out in
    silence."""
    if name not in every:
        hint = f"{suggest_name(name, sorted(every))} Give `{OTHER}` for one that is in no list"
        raise WrongOptionError(f"{option} {text}: there is no {what} {name}; {hint}")


def stated_release(option: str, text: str, *, confluent: bool = False) -> StatedValue:
    """The release that an option says, as Kafka counts (`kafka_release`). Raises WrongOptionError for what is none."""
    try:
        kafka, assumed = kafka_release(option, text, confluent=confluent)
    except ValueError as error:
        raise WrongOptionError(str(error)) from None
    return StatedValue(kafka, OPTIONS, assumed)
