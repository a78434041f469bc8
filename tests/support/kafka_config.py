"""What Kafka's own class `KafkaConfig` says of server.properties, recorded and asked again; and what the audit says.

`tests/fixtures/startup/cases.toml` has the cases. Each is one of its bases with settings that are set and dropped, and
has the releases that refuse it.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.startup.nodes import nodes_down
from tidegate.real.driving.nodes.releases import fetch_release

from ..conftest import ROOT

CASES = ROOT / "tests" / "fixtures" / "startup" / "cases.toml"
PROGRAM = ROOT / "tests" / "capture" / "StartUp.java"
AT_ONCE = 400
"""How many files one run of the program reads."""


@dataclass(frozen=True)
class StartupCase:
    """A server.properties: a base, and what is other in it. `later` says where a release refuses it after KafkaConfig,
    "" if nowhere: of such a case the audit may say more than KafkaConfig."""

    base: str
    given: Mapping[str, str]
    dropped: tuple[str, ...]
    refused: tuple[str, ...]
    later: str = ""

    @property
    def settings(self) -> dict[str, str]:
        """All that the file has."""
        kept = {key: value for key, value in bases()[self.base].items() if key not in self.dropped}
        return {**kept, **self.given}

    def __str__(self) -> str:
        changes = [f"{key}={value}" for key, value in self.given.items()] + [f"no {key}" for key in self.dropped]
        return f"{self.base}: {', '.join(changes) or 'as it is'}"


@cache
def releases() -> tuple[str, ...]:
    """The releases whose verdicts are recorded, oldest first."""
    return tuple(tomllib.loads(CASES.read_text(encoding="utf-8"))["releases"])


@cache
def bases() -> Mapping[str, Mapping[str, str]]:
    """The settings of each base."""
    return tomllib.loads(CASES.read_text(encoding="utf-8"))["bases"]


@cache
def startup_cases() -> tuple[StartupCase, ...]:
    """Every recorded case."""
    found = tomllib.loads(CASES.read_text(encoding="utf-8"))["cases"]
    return tuple(
        StartupCase(it["base"], it["set"], tuple(it["dropped"]), tuple(it["refused"]), it.get("later", ""))
        for it in found
    )


def properties_text(settings: Mapping[str, str]) -> str:
    """A server.properties with these."""
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def kafka_refusals(release: str, files: Sequence[Mapping[str, str]]) -> list[str]:
    """Why a release refuses each, "" where it does not. UsageError where its jars cannot be had."""
    found = fetch_release(release)
    command = [found.java, "-cp", f"{found.jars}/*", str(PROGRAM)]
    said = dict[str, str]()
    with tempfile.TemporaryDirectory() as scratch:
        paths = [Path(scratch) / str(number) for number in range(len(files))]
        for path, settings in zip(paths, files, strict=True):
            path.write_text(properties_text(settings), encoding="utf-8")
        for at in range(0, len(paths), AT_ONCE):
            done = subprocess.run(
                [*command, *map(str, paths[at : at + AT_ONCE])], capture_output=True, text=True, check=True, timeout=300
            )
            said |= dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)
    return [said[path.name] for path in paths]


def audit_refusal(settings: Mapping[str, str], release: str | None) -> str:
    """Why the audit says that a node of a stated release does not start with these; "" if it says nothing."""
    options = Options(kafka_version=release, distribution="apache", acks="all")
    cluster, _ = read_cluster_texts([("server.properties", properties_text(settings), True)], options, "x")
    return "; ".join(node.why for node in nodes_down(cluster))


def record_verdicts(cases: Iterable[StartupCase], verdicts: Mapping[str, Sequence[str]]) -> None:
    """Write the cases again, each with the releases that refuse it."""
    head, _, _ = CASES.read_text(encoding="utf-8").partition("cases = [")
    found = [
        replace(case, refused=tuple(release for release in releases() if verdicts[release][at]))
        for at, case in enumerate(cases)
    ]
    CASES.write_text(f"{head}cases = [\n{''.join(map(_line_of, found))}]\n", encoding="utf-8")


def _line_of(case: StartupCase) -> str:
    given = ", ".join(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in case.given.items())
    later = f", later = {json.dumps(case.later)}" if case.later else ""
    lists = ", ".join(f"{name} = {json.dumps(getattr(case, name))}" for name in ("dropped", "refused"))
    return f"    {{ base = {json.dumps(case.base)}, set = {{ {given} }}, {lists}{later} }},\n".replace("{  }", "{}")
