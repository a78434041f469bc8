"""Kafka's jars: from a directory that somebody names, or from Maven Central into the user's cache."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ....explorer.cache import cache_directory
from ....language.errors import UsageError
from ....language.immutable import immutable

KNOWN_RELEASES = ("4.1.0", "3.9.1", "3.6.2", "3.4.1")
"""Releases that are taken, newest first, where nobody names one."""
NEEDED_JAVA = 17
_JAR = re.compile(r"kafka_2\.1[23]-(\d+\.\d+\.\d+)\.jar")
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
    """A release from the user's cache, which Maven fills: about 45 MB. UsageError where there is no Java, no Maven, or
    no such release."""
    runs = find_java()
    cache = cache_directory()
    if cache is None:
        raise UsageError(
            "the cache cannot be written, where Kafka's jars are kept; set TIDEGATE_CACHE, or give --kafka-home"
        )
    return Release(
        version, _artifact_folder(version, cache / "kafka" / version, "kafka_2.13", _LOGGING[version[0]]), runs
    )


def fetch_raft_release(version: str) -> Release:
    """The same, of Kafka's Raft alone and of what it needs: about 25 MB."""
    runs = find_java()
    cache = cache_directory()
    if cache is None:
        raise UsageError("the cache cannot be written, where Kafka's jars are kept; set TIDEGATE_CACHE")
    return Release(version, _artifact_folder(version, cache / "kafka-raft" / version, "kafka-raft"), runs)


def _artifact_folder(version: str, target: Path, artifact: str, *more: tuple[str, str, str]) -> Path:
    """The folder of an artifact's jars and of what they need; fetched where it is not there yet."""
    if not target.exists():
        _fetch(version, target, (("org.apache.kafka", artifact, version), *more))
    return target


def _fetch(version: str, target: Path, wanted: Sequence[tuple[str, str, str]]) -> None:
    """The jars, whole or not at all; Maven holds each against the registry's checksum."""
    maven = shutil.which("mvn")
    if maven is None:
        raise UsageError(
            f"Kafka {version} is not in {target}, and there is no Maven (mvn) to fetch it with; install Maven, or give "
            "--kafka-home DIR"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        pom, jars = Path(scratch) / "pom.xml", Path(scratch) / "jars"
        pom.write_text(_POM.format("".join(_DEPENDENCY.format(*one) for one in wanted)), encoding="utf-8")
        command = [maven, "-q", "-B", "-C", "dependency:copy-dependencies", f"-DoutputDirectory={jars}", "-f", str(pom)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not any(jars.glob(f"{wanted[0][1]}-*.jar")):
            said = (done.stdout + done.stderr).strip().splitlines()
            raise UsageError(f"Kafka {version} cannot be fetched: {said[0] if said else 'mvn says nothing'}")
        try:
            jars.rename(target)
        except OSError:  # another command was faster
            if not target.exists():
                raise


def find_java() -> str:
    """The Java to run brokers with: $JAVA_HOME's, or the first in the PATH. UsageError without one, or with one that
    is too old."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if found is None or not Path(found).exists():
        raise UsageError(f"real brokers need Java {NEEDED_JAVA}; set JAVA_HOME, or put java into the PATH")
    said = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', said)
    if version is None or int(version[1]) < NEEDED_JAVA:
        raise UsageError(f"real brokers need Java {NEEDED_JAVA} or newer; {found} is {said.splitlines()[:1] or 'none'}")
    return found
