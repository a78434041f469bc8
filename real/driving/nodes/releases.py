"""Kafka's jars: from a directory that somebody names, or from Maven Central into the user's cache."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ....explorer.cache import cache_directory
from ....language.errors import UnavailableError, UsageError
from ....language.immutable import immutable
from .kept_folders import kept_folder

KNOWN_RELEASES = ("4.1.0", "3.9.1", "3.6.2", "3.4.1")
"""Releases that are taken, newest first, where nobody names one."""
NEEDED_JAVA = 17
_JAR = re.compile(r"kafka_2\.1[23]-(\d+\.\d+\.\d+)\.jar")
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_LOGGING = {
    "3": ("org.slf4j", "slf4j-reload4j", "1.7.36"),
    "4": ("org.apache.logging.log4j", "log4j-slf4j-impl", "2.24.3"),
}
_DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
_POM = (
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>tidegate</groupId>'
    "<artifactId>real</artifactId><version>1</version><dependencies>{}</dependencies></project>"
)


@immutable
class Release:
    """A release of Kafka on this machine: its version, the folder of its jars, and the Java that runs it."""

    version: str
    jars: Path
    java: str

    @property
    def parts(self) -> tuple[int, ...]:
        """The version as numbers."""
        return tuple(map(int, self.version.split(".")))


def release_in(home: Path) -> Release:
    """The release in a directory as Kafka is unpacked, or in a folder of its jars. UsageError where none is."""
    for folder in (home / "libs", home):
        for path in sorted(folder.glob("kafka_2.1*.jar")):
            if found := _JAR.fullmatch(path.name):
                return Release(found[1], folder.resolve(), find_java())
    raise UsageError(f"--kafka-home {home}: no kafka_2.13-VERSION.jar is in it or in its libs; unpack a release there")


def fetch_release(version: str) -> Release:
    """A release from the user's cache, which Maven fills: about 45 MB. UnavailableError where there is no Java or no
    Maven, or the registry cannot be reached, UsageError where it has no such release, UnreadableError where the cache
    is damaged."""
    return _fetch_artifacts(version, "kafka", "kafka_2.13", _LOGGING.get(version[0], _LOGGING["4"]))


def fetch_raft_release(version: str) -> Release:
    """The same, of Kafka's Raft alone and of what it needs: about 25 MB."""
    return _fetch_artifacts(version, "kafka-raft", "kafka-raft")


def fetch_controller_release(version: str) -> Release:
    """The same, of a controller's record of brokers and partitions, with Raft, and of what they need: about 30 MB."""
    return _fetch_artifacts(version, "kafka-metadata", "kafka-metadata")


def fetch_client_release(version: str) -> Release:
    """The same, of Kafka's clients in Java alone and of what they need: about 15 MB."""
    return _fetch_artifacts(version, "kafka-clients", "kafka-clients")


def _fetch_artifacts(version: str, place: str, artifact: str, *more: tuple[str, str, str]) -> Release:
    """A release whose jars are those of an artifact and of what it needs."""
    runs = find_java()
    cache = cache_directory()
    if cache is None:
        raise UsageError(
            "the cache cannot be written, where Kafka's jars are kept; set TIDEGATE_CACHE, or give --kafka-home"
        )
    target = cache / place / version
    wanted = (("org.apache.kafka", artifact, version), *more)
    return Release(version, kept_folder(target, lambda jars: _download_jars(version, target, wanted, jars)), runs)


def _download_jars(version: str, target: Path, artifacts: Sequence[tuple[str, str, str]], jars: Path) -> None:
    """Puts jars into a folder; Maven holds each against the registry's checksum."""
    maven = shutil.which("mvn")
    if maven is None:
        raise UnavailableError(
            f"Kafka {version} is not in {target}, and there is no Maven (mvn) to fetch it with; install Maven, or give "
            "--kafka-home DIR"
        )
    pom = jars.with_name("pom.xml")
    pom.write_text(_POM.format("".join(_DEPENDENCY.format(*one) for one in artifacts)), encoding="utf-8")
    command = [maven, "-q", "-B", "-C", "-U", "dependency:copy-dependencies", f"-DoutputDirectory={jars}"]
    done = subprocess.run([*command, "-f", str(pom)], capture_output=True, text=True, check=False)
    if done.returncode or not any(jars.glob(f"{artifacts[0][1]}-*.jar")):
        said = (done.stdout + done.stderr).strip()
        if re.search(
            rf"Could not find artifact {re.escape(':'.join(artifacts[0][:2]))}:jar:{re.escape(version)} ", said
        ):
            raise UsageError(
                f"there is no Kafka {version}: Maven's registry does not serve {artifacts[0][1]} {version}"
            )
        first = next(iter(said.splitlines()), "mvn says nothing")
        raise UnavailableError(f"Kafka {version} cannot be fetched: {_ESCAPES.sub('', first)[:300]}")


def find_java() -> str:
    """The Java to run Kafka with: $JAVA_HOME's, or the first in the PATH. UnavailableError without one, or with one
    that is too old."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if found is None or not Path(found).exists():
        raise UnavailableError(
            f"Java {NEEDED_JAVA} or newer is needed, and there is none; set JAVA_HOME, or put java into the PATH"
        )
    check_java_version(found, "Java")
    return found


def check_java_version(program: str, what: str) -> None:
    """UnavailableError where a program of Java's, `java` or `javac`, is too old, or does not say how old it is."""
    done = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'(?:version "|javac )((\d+)[^"\s]*)', done.stderr + done.stdout)
    if version is None:
        raise UnavailableError(f"{what} {NEEDED_JAVA} or newer is needed, and {program} does not say which it is")
    if int(version[2]) < NEEDED_JAVA:
        raise UnavailableError(f"{what} {NEEDED_JAVA} or newer is needed, and {program} is {version[1]}")
