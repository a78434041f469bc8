"""`tidegate sweep MODEL`: a check for every combination of constants, or with one switch dropped at a time, as a
table of verdicts."""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..api.models import ModelChoice, bind_model
from ..explorer.commands import CommandResult, run_command
from ..explorer.search import SparkCluster
from ..language.errors import UsageError
from ..reports.document import SCHEMA
from ..reports.exits import Exit
from ..reports.text_page import TextFormat, TextPage, count_text
from .options import (
    add_model_options,
    add_print_options,
    model_choice_of,
    parse_positive,
    parse_seconds,
    parse_size,
    text_format_of,
)
from .output import print_json
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate sweep replication:kip320 --drop --property strong_isr
  tidegate sweep replication:kip320 --vary max_leader_epoch=1,2 --vary truncation=common_prefix,end_of_epoch
  tidegate sweep replication:kip320 --drop --engine spark --master "local[2]" --out verdicts.parquet

exit: 0 every check gave a verdict, whatever it is; 5 one was inconclusive, 70 one broke down,
64 usage
"""

Point = Mapping[str, str]


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "Checks a model at every combination of the given values, or with one of its switches flipped at a time."
    parser = add_verb(verbs, "sweep", about, EXAMPLES)
    add_model_options(parser, search=False)
    group = parser.add_argument_group("the sweep")
    group.add_argument(
        "--vary", metavar="NAME=A,B", action="append", default=[], help="values of a constant (repeatable: combined)"
    )
    group.add_argument("--drop", action="store_true", help="each boolean constant flipped, one at a time")
    group.add_argument(
        "--engine", choices=("native", "spark"), default="native", help="where checks run; each natively"
    )
    group.add_argument("--master", metavar="URL", default="local[*]", help="Spark's (default: local[*])")
    group.add_argument(
        "--workers",
        "--processes",
        metavar="N",
        type=parse_positive,
        default=2,
        help="checks at a time, here (default: 2)",
    )
    group.add_argument(
        "--symmetry", action="store_true", help="count states that differ by a renaming once, in each check"
    )
    group.add_argument("--memory", metavar="SIZE", type=parse_size, help="of one check: 500M, 2G")
    group.add_argument("--time", metavar="SECONDS", type=parse_seconds, help="of one check")
    group.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help="write the table as Parquet, a column for each property and varied constant (needs the extra spark)",
    )
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Checks every point and prints the table."""
    choice = model_choice_of(options)
    points = list(sweep_points(choice, options.vary, drop=options.drop))
    commands = [_point_command(choice, point, options) for point in points]
    varied = [_parse_axis(text)[0] for text in options.vary]
    rows = [
        point_row(point, finished, varied)
        for point, finished in zip(points, _run_commands(commands, options), strict=True)
    ]
    if options.json:
        print_json({"schema": "tidegate.sweep/1", "model": choice.model, "rows": rows})
    else:
        print(sweep_page(choice.model, rows, text_format_of(options)).text(), end="", flush=True)
    if options.out is not None:
        _save_rows(rows, options.out)
    words = {row["verdict"] for row in rows}
    return Exit.INTERNAL if "broke down" in words else Exit.INCONCLUSIVE if "inconclusive" in words else Exit.HOLDS


def sweep_points(choice: ModelChoice, vary: Sequence[str], *, drop: bool) -> Iterator[Point]:
    """The points: each combination of the values to vary, by itself and, to drop, with each switch turned."""
    model = bind_model(choice)
    axes = [_parse_axis(text) for text in vary]
    for name in dict(axes):
        if name not in model.constants:
            raise UsageError(f"--vary {name}: {choice.model} has no such constant; tidegate models shows them")
    for name, values in axes:
        for value in values:  # a value that cannot be is reported before anything runs
            bind_model(replace(choice, assignments=(*choice.assignments, (name, value))))
    switches = [name for name, value in model.values.items() if isinstance(value, bool)] if drop else []
    if not axes and not switches:
        raise UsageError("nothing to sweep: give --vary NAME=A,B, or --drop for a model that has switches")
    for values in itertools.product(*(axis[1] for axis in axes)):
        point = dict(zip((axis[0] for axis in axes), values, strict=True))
        yield point
        for name in switches:
            if name not in point:
                yield {**point, name: str(not model.values[name]).lower()}


def _parse_axis(text: str) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    found = [value.strip() for value in values.split(",") if value.strip()]
    if not equals or not name.strip() or not found:
        raise UsageError(f"--vary {text}: write NAME=A,B, for example --vary max_leader_epoch=1,2")
    return name.strip(), found


def _point_command(choice: ModelChoice, point: Point, options: argparse.Namespace) -> list[str]:
    settings = {**dict(choice.assignments), **point}
    sets = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    properties = [part for name in choice.properties for part in ("--property", name)]
    given = {"--bounds": choice.bounds, "--memory": options.memory, "--time": options.time}
    limits = [part for name, value in given.items() if value is not None for part in (name, str(value))]
    ghosts = [] if choice.ghosts is None else ["--ghosts" if choice.ghosts else "--no-ghosts"]
    symmetry = ["--symmetry"] * options.symmetry
    properties += [part for name in choice.left_out for part in ("--without", name)]
    return ["-m", "tidegate", "check", choice.model, *sets, *properties, *limits, *ghosts, *symmetry, "--json"]


def _run_commands(commands: Sequence[Sequence[str]], options: argparse.Namespace) -> list[CommandResult]:
    if options.engine == "native":
        with ThreadPoolExecutor(options.workers) as pool:
            return list(pool.map(run_command, commands))
    return run_on_spark(SparkCluster(master=options.master), commands, [1.0] * len(commands))


def run_on_spark(
    cluster: SparkCluster, commands: Sequence[Sequence[str]], weights: Sequence[float]
) -> list[CommandResult]:
    """Commands as Spark tasks, the heaviest first. UsageError when pyspark is missing."""
    try:
        from ..explorer.spark.matrix import run_commands
    except ModuleNotFoundError as error:
        raise UsageError(
            f"--engine spark needs {error.name}, which is not installed: pip install '.[spark]' in the clone"
        ) from None
    return run_commands(cluster, commands, weights)


def point_row(point: Point, command_result: CommandResult, varied_names: Sequence[str]) -> dict[str, Any]:
    """A row of the table: the point, the switch dropped in it, what else was varied, and what came of it. A check that
    broke down is a row too."""
    row: dict[str, Any] = {
        "point": " ".join(f"{name}={value}" for name, value in point.items()) or "as it is",
        "dropped": next((name for name in point if name not in varied_names), None),
        "varied": {name: value for name, value in point.items() if name in varied_names}, "properties": {},
    }  # fmt: skip
    report = _printed_report(command_result)
    if report is None:
        says = (
            command_result.stderr.strip() or f"the process ended with {command_result.exit} and printed nothing"
        ).splitlines()[-1]
        return {**row, "verdict": "broke down", "outcome": says, "seconds": command_result.seconds}
    violated = {prop["name"]: prop["steps"] for prop in report["properties"] if prop["verdict"] == "violated"}
    return {
        **row, **{name: report[name] for name in ("verdict", "outcome", "distinct_states", "transitions", "depth")},
        "properties": {prop["name"]: prop["verdict"] for prop in report["properties"]},
        "idle": _idle_text(report), "violated": ", ".join(violated), "steps": min(violated.values(), default=None),
        "constants": json.dumps(report["constants"]), "seconds": command_result.seconds,
    }  # fmt: skip


def _printed_report(command_result: CommandResult) -> dict[str, Any] | None:
    """The report that a check printed, whole; None where it printed none, or what it ended with instead."""
    try:
        read = json.loads(command_result.stdout)
    except json.JSONDecodeError:
        return None
    return read if read.get("schema") == SCHEMA else None


def _idle_text(report: Mapping[str, Any]) -> str:
    """What should happen in a check and never does, and what should not and does."""
    never = report["never_happens"]
    said = [f"{', '.join(never)} never happens"] if never else []
    live = (action for action in report["actions"] if not action["switched_off"])
    said += [f"{action['name']} happens" for action in live if action["fired"] and action["stopped_by"] is not None]
    return ", ".join(said)


def sweep_page(model: str, rows: Sequence[Mapping[str, Any]], text_format: TextFormat) -> TextPage:
    """The table."""
    page = TextPage(text_format)
    page.line(f"{model}: {count_text(len(rows), 'check')}", style="bold")
    page.columns([(row["point"], _verdict_word(row), _row_text(row)) for row in rows], indent=2)
    return page


def _verdict_word(row: Mapping[str, Any]) -> str:
    """The verdict of a check; where it asks of one state alone whether it exists, whether it does."""
    words = list(row["properties"].values())
    return words[0] if words in (["reached"], ["missing"]) else str(row["verdict"])


def _row_text(row: Mapping[str, Any]) -> str:
    if row.get("violated"):
        return f"{row['violated']} after {row['steps']} steps"
    if "distinct_states" not in row:
        return str(row["outcome"])
    counted = row["distinct_states"] is not None
    found = f"{row['distinct_states']:,} states, depth {row['depth']}" if counted else f"depth {row['depth']}"
    said = {"vacuous": f"vacuous: {row['idle']}", "deadlock": "deadlock", "model_error": "breaks its own types"}
    text = said.get(row["outcome"], row["idle"] if row["outcome"] == "none" else "")
    return f"{text}; {found}" if text else found


def _save_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    try:
        from ..explorer.spark.columns import write_rows
    except ModuleNotFoundError as error:
        raise UsageError(
            f"--out needs {error.name}, which is not installed: pip install '.[spark]' in the clone"
        ) from None
    try:
        write_rows(rows, path)
    except OSError as error:
        raise UsageError(f"--out {path}: the table could not be saved: {error}") from None
    print(f"saved {path}", file=sys.stderr)
