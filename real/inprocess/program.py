"""The program that hosts Kafka's classes: its source is in `host/`, and is compiled against the jars of a release.

One text is for all releases. A line that ends in a mark is for some of them alone: `//[3.9-]` from 3.9 on, `//[-3.8]`
up to 3.8. A class that has moved to another package is imported from where the jars have it, and one that bears another
name in them is known by that.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ...language.errors import UnavailableError, UnreadableError, UsageError
from ...language.immutable import immutable
from ..driving.nodes.kept_folders import kept_folder
from ..driving.nodes.releases import (
    NEEDED_JAVA,
    Release,
    check_java_version,
    fetch_controller_release,
    fetch_raft_release,
)
from ..driving.verdict import full_version

SOURCES = Path(__file__).parent / "host"
MAIN = "tidegate.Host"


@immutable
class Tenant:
    """A part of Kafka's classes that is hosted: whose sources, beside those that all share, are in a folder; the class
    that answers commands; the first release that it knows; and what fetches the jars of a release."""

    folder: str
    answers: str
    oldest: tuple[int, int]
    fetch: Callable[[str], Release]


QUORUM = Tenant("raft", "org.apache.kafka.raft.Quorums", (3, 5), fetch_raft_release)
"""Controllers that elect one of them, and replicate its log."""
CONTROLLER = Tenant("partition", "org.apache.kafka.controller.Partitions", (3, 7), fetch_controller_release)
"""What a controller has on record of brokers, settings and a partition. Before 3.7 it knows no directories."""
FORMER_NAMES: Mapping[str, str] = {"RaftLog": "ReplicatedLog"}
"""Classes that older releases have by another name (KAFKA-19713: 4.3)."""
_MARK = re.compile(r" *//\[(\d+\.\d+)?-(\d+\.\d+)?\]$")
_IMPORT = re.compile(r"^import (org\.apache\.kafka\.[\w.]+\.)(\w+);")
_CLASS = re.compile(r"(org/apache/kafka/[\w/]+)/(\w+)\.class")


class HostError(Exception):
    """The process that hosts Kafka's classes ended, did not answer, or could not do what it was asked."""


class ShapeError(HostError):
    """Kafka's classes have another shape than the program knows: what they do is not known."""

    def __init__(self, release: Release, why: str) -> None:
        super().__init__(f"the classes of Kafka {release.version} have another shape than this program knows: {why}")


def fetch_hosted_release(version: str, tenant: Tenant = QUORUM) -> Release:
    """The jars of a release that can be hosted. UsageError where it is none, or is older than all that are hosted; and
    as `fetch_raft_release`."""
    full = full_version(version)
    if tuple(map(int, full.split(".")))[:2] < tenant.oldest:
        raise UsageError(
            f"Kafka {version} is not hosted in one process; {'.'.join(map(str, tenant.oldest))} and newer are"
        )
    return tenant.fetch(full)


def compiled_folder(release: Release, tenant: Tenant = QUORUM) -> Path:
    """The folder of the program's classes for a release, next to its jars; compiled where it is not there yet.
    UnavailableError where there is no compiler, UnreadableError where the folder is damaged, ShapeError where Kafka's
    classes have another shape than the program knows."""
    texts = dict(adapted_sources(release, tenant))
    digest = hashlib.sha256("\0".join(f"{name}\0{text}" for name, text in sorted(texts.items())).encode()).hexdigest()
    target = release.jars.parent / f"{release.jars.name}-host-{digest[:16]}"
    return kept_folder(target, lambda classes: _compile(release, texts, classes))


def adapted_sources(release: Release, tenant: Tenant = QUORUM) -> Iterator[tuple[str, str]]:
    """Each source file of a tenant, by name, as it is for a release."""
    places = _places(release.jars)
    for path in sorted((*SOURCES.glob("*.java"), *(SOURCES / tenant.folder).glob("*.java"))):
        lines = (_line(line, release.parts[:2], places) for line in path.read_text("utf-8").splitlines())
        yield path.name, "".join(f"{line}\n" for line in lines if line is not None)


def _line(line: str, release: tuple[int, ...], places: Mapping[str, str]) -> str | None:
    """A line as a release has it; None where it has none."""
    if mark := _MARK.search(line):
        first, last = (tuple(map(int, part.split("."))) if part else None for part in mark.groups())
        if (first is not None and release < first) or (last is not None and release > last):
            return None
        line = line[: mark.start()]
    if found := _IMPORT.match(line):
        package, name = found.groups()
        if name in places and places[name] != package:
            line = line.replace(package, places[name], 1)
    for name, former in FORMER_NAMES.items():
        if name not in places:
            line = re.sub(rf"\b{name}\b", former, line)
    return line


def _places(jars: Path) -> dict[str, str]:
    """The package of each class of Kafka's whose name only one package has, or the shortest of them."""
    found: dict[str, str] = {}
    for path in sorted(jars.glob("kafka-*.jar")):
        for name in _names_in(path):
            if one := _CLASS.fullmatch(name):
                package = one[1].replace("/", ".") + "."
                if one[2] not in found or _package_order(package) < _package_order(found[one[2]]):
                    found[one[2]] = package
    return found


def _names_in(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as jar:
            return jar.namelist()
    except zipfile.BadZipFile:
        raise UnreadableError(f"{path} is no jar") from None


def _package_order(package: str) -> tuple[bool, int]:
    """Of two packages with a class of one name, that of Raft and of what all share comes before others."""
    return not re.match(r"org\.apache\.kafka\.(raft|snapshot|common|server\.common)\.", package), len(package)


def _compile(release: Release, texts: Mapping[str, str], classes: Path) -> None:
    compiler = _compiler(release)
    sources = classes.with_name("sources")
    sources.mkdir()
    for name, text in texts.items():
        (sources / name).write_text(text, encoding="utf-8")
    files = [str(path) for path in sorted(sources.iterdir())]
    options = ["-nowarn", "-Xlint:none", "-proc:none", "--release", str(NEEDED_JAVA), "-cp", f"{release.jars}/*"]
    command = [compiler, *options, "-d", str(classes), *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ShapeError(release, _first_error(done.stderr))


def _first_error(output: str) -> str:
    """What a compiler says first: in which line, what, and of which class or method."""
    lines = [line.strip() for line in output.splitlines()]
    at = next((at for at, line in enumerate(lines) if "error:" in line), None)
    if at is None:
        return "javac says nothing"
    symbol = next((line for line in lines[at : at + 5] if line.startswith("symbol:")), "")
    return " ".join((lines[at].rpartition("/")[2], *symbol.split()[1:]))


def _compiler(release: Release) -> str:
    beside = Path(release.java).with_name("javac")
    found = str(beside) if beside.exists() else shutil.which("javac")
    if found is None:
        raise UnavailableError(
            f"a Java compiler (javac) is needed to host Kafka's classes, and {release.java} has none beside it; "
            f"install a JDK {NEEDED_JAVA} or newer"
        )
    check_java_version(found, "a JDK")
    return found
