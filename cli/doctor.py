"""`tidegate doctor`: what works on this machine, and what each thing that is missing is for."""

from __future__ import annotations

import argparse
import platform
import re
import shutil
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Literal

from ..explorer.cache import cache_directory
from ..explorer.memory_limits import memory_for_search
from ..language.errors import UsageError
from ..language.immutable import immutable
from ..reports.exits import Exit
from ..reports.text_page import TextPage, bytes_text
from ..traces.program import tool_commit, tool_version
from .options import add_print_options, processor_count, text_format_of
from .output import print_json
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate doctor
  tidegate doctor --json
"""

Health = Literal["works", "missing", "broken"]
SIGNS: Mapping[Health, str] = {"works": "✓", "missing": "-", "broken": "✗"}

SMALL_MODEL = "leadership"
"""A built-in model that is explored in a moment."""
USES_BY_EXTRA: Mapping[str, str] = {
    "prove": "prove",
    "spark": "check --engine spark, Parquet",
    "live": "audit --bootstrap-server",
    "real": "confirm",
    "explore": "explore at a prompt with completion",
    "draw": "export --to svg",
    "editor": "lsp",
    "test": "the tests of this repository",
    "lint": "the checks of this repository",
    "docs": "the site of this repository",
}
"""What each extra of the package is for."""

LEAST_MEMORY, LEAST_DISK = 1 << 30, 1 << 30
"""Bytes below which larger models do not fit."""

_REQUIREMENT = re.compile(
    r"""^(?P<name>[\w.-]+)(?:\[[^]]*\])?(?P<least>[^;]*?)\s*;\s*extra == ["'](?P<extra>\w+)["']"""
)


@immutable
class DoctorFinding:
    """One thing that was looked at: its name, whether it works, and what was seen, with what to do where it does not.
    What every command needs is `is_needed`."""

    name: str
    health: Health
    observation: str
    is_needed: bool = False


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Looks at Python, native code, memory, the cache, each extra and the programs that some verbs start, and says "
        "what is missing, what it is for and how to get it. Exit 1 where something is broken that every command needs."
    )
    parser = add_verb(verbs, "doctor", about, EXAMPLES)
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Looks, and prints what was seen."""
    found = list(examine_machine())
    broken = [one for one in found if one.is_needed and one.health != "works"]
    if options.json:
        rows = [
            {"name": one.name, "health": one.health, "seen": one.observation, "needed": one.is_needed} for one in found
        ]
        print_json({"schema": "tidegate.doctor/1", "works": not broken, "findings": rows})
    else:
        print(_fill_page(found, broken, TextPage(text_format_of(options))).text(), end="")
    return Exit.SAFETY if broken else Exit.HOLDS


def _fill_page(findings: list[DoctorFinding], broken: list[DoctorFinding], page: TextPage) -> TextPage:
    missing = sum(one.health == "missing" for one in findings)
    if broken:
        page.line(f"✗ {', '.join(one.name for one in broken)}: needed by every command", style="bold")
    else:
        more = f"; {missing} of the optional parts are missing" if missing else ", with every optional part"
        page.line(f"✓ {tool_version()} works here{more}", style="bold")
    page.blank()
    page.columns([(SIGNS[one.health], one.name, one.observation) for one in findings], indent=0)
    return page


def examine_machine() -> Iterator[DoctorFinding]:
    """Everything that is looked at, what every command needs first."""
    yield _examine_python()
    yield _examine_native_code()
    yield _examine_memory()
    yield _examine_cache()
    yield from _examine_extras()
    yield from _examine_programs()


def _examine_python() -> DoctorFinding:
    seen = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {tool_version()}"
    commit = tool_commit()
    return DoctorFinding("python", "works", f"{seen} ({commit})" if commit else seen, is_needed=True)


def _examine_native_code() -> DoctorFinding:
    """A model of this program explored, after its code was compiled anew; plain Python looks at it again."""
    from ..api.checking import check

    try:
        states = check(SMALL_MODEL, cache=False).verdict.distinct_states
    except Exception as error:  # whatever breaks, a doctor says it and goes on
        return DoctorFinding("native code", "broken", f"{type(error).__name__}: {error}", is_needed=True)
    return DoctorFinding("native code", "works", f"compiled and run: {states} states of {SMALL_MODEL}", is_needed=True)


def _examine_memory() -> DoctorFinding:
    free = memory_for_search()
    seen = f"{bytes_text(free)} for states of one search, {processor_count()} processors"
    if free < LEAST_MEMORY:
        return DoctorFinding("memory", "broken", f"{seen}; larger models need more: raise the limit of this process")
    return DoctorFinding("memory", "works", seen)


def _examine_cache() -> DoctorFinding:
    folder = cache_directory()
    if folder is None:
        return DoctorFinding(
            "cache", "broken", "cannot be written: every command compiles again; set TIDEGATE_CACHE to a folder"
        )
    used = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    left = shutil.disk_usage(folder).free
    seen = f"{folder}: {bytes_text(used)}; {bytes_text(left)} of disk left"
    return DoctorFinding("cache", "works" if left >= LEAST_DISK else "broken", seen)


def _examine_extras() -> Iterator[DoctorFinding]:
    """Each extra that the package names, with what of it is not installed."""
    wanted: dict[str, list[str]] = {}
    for text in metadata.requires("tidegate") or ():
        if found := _REQUIREMENT.match(text):
            wanted.setdefault(found["extra"], []).append(found["name"])
    wanted.pop("all", None)
    for extra, names in wanted.items():
        lacking = [name for name in names if not _is_installed(name)]
        use = USES_BY_EXTRA[extra]
        if lacking:
            yield DoctorFinding(
                f"[{extra}]", "missing", f"{use}: without {', '.join(lacking)}; pip install '.[{extra}]' in the clone"
            )
        else:
            yield DoctorFinding(f"[{extra}]", "works", use)


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _examine_programs() -> Iterator[DoctorFinding]:
    yield _examine_java()
    for program, use in (("javac", "conform, hunt"), ("mvn", "fetching Kafka's jars"), ("git", "commits in reports")):
        place = shutil.which(program)
        if place is None:
            yield DoctorFinding(program, "missing", f"{use}: {program} is not in the PATH")
        else:
            yield DoctorFinding(program, "works", f"{use}: {place}")


def _examine_java() -> DoctorFinding:
    from ..real.driving.nodes.releases import find_java

    use = "confirm, conform, hunt, --engine spark"
    try:
        return DoctorFinding("java", "works", f"{use}: {find_java()}")
    except UsageError as error:
        return DoctorFinding("java", "missing", f"{use}: {error}")
