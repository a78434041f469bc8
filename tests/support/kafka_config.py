"""What Kafka's own classes say of files of settings, recorded and asked again; and what the audit says.

`tests/fixtures/startup/cases.toml` has the cases of `KafkaConfig`, `clients.toml` those of `KafkaProducer` and
`KafkaConsumer`. Each is one of its bases with settings that are set and dropped, and has the releases that refuse it.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Client, Cluster
from tidegate.audit.joining.options import Options
from tidegate.audit.rules.clients import client_rules
from tidegate.audit.rules.group_members import consumers_down
from tidegate.audit.startup.nodes import nodes_down
from tidegate.audit.startup.producers import why_producer_stops
from tidegate.language.errors import UnavailableError
from tidegate.real.driving.nodes.releases import Release, fetch_client_release, fetch_release

from ..conftest import ROOT


@dataclass(frozen=True)
class StartupCase:
    """A file of settings: a base, and what is other in it. `later` says where a release refuses it after its class, ""
    if nowhere: of such a case the audit may say more. `asks` names what the program may state that the file does not:
    of such a case the audit says what happens where it does not."""

    base: str
    settings: Mapping[str, str]
    changes: Mapping[str, str]
    dropped_keys: tuple[str, ...]
    refusing_releases: tuple[str, ...]
    later: str = ""
    asks: str = ""

    def __str__(self) -> str:
        changes = [f"{key}={value}" for key, value in self.changes.items()] + [f"no {key}" for key in self.dropped_keys]
        return f"{self.base}: {', '.join(changes) or 'as it is'}"


@dataclass(frozen=True)
class VerdictTable:
    """The verdicts of one class of Kafka: where they are recorded, the program that asks for them, and whence its jars
    are. A run of the program reads so many files of `batch_size`."""

    path: Path
    program: Path
    fetch: Callable[[str], Release]
    batch_size: int

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases whose verdicts are recorded, oldest first."""
        return tuple(_document(self.path)["releases"])

    @property
    def bases(self) -> Mapping[str, Mapping[str, str]]:
        """The settings of each base."""
        return _document(self.path)["bases"]

    @property
    def cases(self) -> tuple[StartupCase, ...]:
        """Every recorded case."""
        return _cases(self.path)

    def refusals(self, release: str, files: Sequence[Mapping[str, str]]) -> list[str]:
        """Why a release refuses each, "" where it does not. Skips the test where its jars cannot be had."""
        try:
            found = self.fetch(release)
        except UnavailableError as error:
            pytest.skip(f"the jars of Kafka {release} cannot be read here: {error}")
        command = [found.java, "-cp", f"{found.jars}/*", str(self.program)]
        said = dict[str, str]()
        with tempfile.TemporaryDirectory() as scratch:
            paths = [Path(scratch) / str(number) for number in range(len(files))]
            for path, settings in zip(paths, files, strict=True):
                path.write_text(properties_text(settings), encoding="utf-8")
            for at in range(0, len(paths), self.batch_size):
                named = map(str, paths[at : at + self.batch_size])
                done = subprocess.run([*command, *named], capture_output=True, text=True, check=True, timeout=300)
                said |= dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)
        return [said[path.name] for path in paths]

    def differences(self, *, update: bool) -> list[str]:
        """The recorded verdicts that are not those of the jars; none with `update`, which records them."""
        files = [case.settings for case in self.cases]
        verdicts = {release: self.refusals(release, files) for release in self.releases}
        if update:
            self._record(verdicts)
            return []
        return [
            f"{release} {case}: {verdicts[release][at] or 'is taken'}"
            for at, case in enumerate(self.cases)
            for release in self.releases
            if bool(verdicts[release][at]) != (release in case.refusing_releases)
        ]

    def _record(self, verdicts: Mapping[str, Sequence[str]]) -> None:
        head, _, _ = self.path.read_text(encoding="utf-8").partition("cases = [")
        found = [
            replace(case, refusing_releases=tuple(release for release in self.releases if verdicts[release][at]))
            for at, case in enumerate(self.cases)
        ]
        self.path.write_text(f"{head}cases = [\n{''.join(map(_line_of, found))}]\n", encoding="utf-8")


@cache
def _document(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _cases(path: Path) -> tuple[StartupCase, ...]:
    bases = _document(path)["bases"]
    return tuple(
        StartupCase(
            it["base"],
            {**{key: value for key, value in bases[it["base"]].items() if key not in it["dropped"]}, **it["set"]},
            it["set"],
            tuple(it["dropped"]),
            tuple(it["refused"]),
            it.get("later", ""),
            it.get("asks", ""),
        )
        for it in _document(path)["cases"]
    )


def _line_of(case: StartupCase) -> str:
    given = ", ".join(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in case.changes.items())
    more = "".join(f", {name} = {json.dumps(text)}" for name in ("later", "asks") if (text := getattr(case, name)))
    lists = f"dropped = {json.dumps(case.dropped_keys)}, refused = {json.dumps(case.refusing_releases)}"
    return f"    {{ base = {json.dumps(case.base)}, set = {{ {given} }}, {lists}{more} }},\n".replace("{  }", "{}")


_FIXTURES, _PROGRAMS = ROOT / "tests" / "fixtures" / "startup", ROOT / "tests" / "capture"

NODES = VerdictTable(_FIXTURES / "cases.toml", _PROGRAMS / "StartUp.java", fetch_release, 400)
CLIENTS = VerdictTable(_FIXTURES / "clients.toml", _PROGRAMS / "ClientStartUp.java", fetch_client_release, 500)


def properties_text(settings: Mapping[str, str]) -> str:
    """A file of properties with these."""
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def audit_refusal(settings: Mapping[str, str], release: str | None) -> str:
    """Why the audit says that a node of a stated release does not start with these; "" if it says nothing."""
    options = Options(kafka_version=release, distribution="apache", acks="all")
    cluster, _ = read_cluster_texts([("server.properties", properties_text(settings), True)], options, "x")
    return "; ".join(node.why for node in nodes_down(cluster))


def client_refusal(case: StartupCase, release: str | None) -> str:
    """Why the audit says that a client of Java's, of a stated release, does not start with these."""
    cluster, client = _read_client(case, release)
    if case.base == "producer":
        return why_producer_stops(cluster, client)
    return "; ".join(finding.what for finding in consumers_down(cluster))


def client_findings(case: StartupCase, release: str) -> list[str]:
    """All that the audit's rules say of it."""
    cluster, _ = _read_client(case, release)
    return [finding.what for finding in client_rules(cluster)]


def _read_client(case: StartupCase, release: str | None) -> tuple[Cluster, Client]:
    options = Options(clients=(f"java:{release}" if release else "java",))
    text = properties_text(case.settings)
    cluster, _ = read_cluster_texts([(f"{case.base}.properties", text, True)], options, "x")
    (client,) = cluster.clients
    assert client.kind == case.base
    return cluster, client
