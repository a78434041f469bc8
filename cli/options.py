"""Options that several verbs share: which model, how to search, how to print. Declared and read here, into typed
values.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..explorer.cache import cache_directory
from ..language.errors import UsageError
from ..reports.text_page import TextFormat, detect_format
from .verbs import Parser

if TYPE_CHECKING:  # what a command needs that names no model, or searches nothing, is imported without these
    from ..api.models import ModelChoice
    from ..explorer.search import Search, SparkCluster, Walks

# --- which model ----------------------------------------------------------------------------------------------------


def add_model_options(
    parser: Parser,
    *,
    search: bool = True,
    ghosts: bool = True,
    pages: bool = False,
    what: str = "MODEL",
    says: str = "",
) -> None:
    """MODEL and how it is bound; `search` adds what only matters to engines, `ghosts` the choice to keep ghosts; with
    `pages`, `--open` without a name shows the page that was written. `what` names the argument where it may be
    something else too, and `says` what that is."""
    group = parser.add_argument_group("the model")
    group.add_argument(
        "model",
        metavar=what,
        help=f"{says}a built-in name, `replication` or `replication:kip320`, or a path: `mine.py`, `mine.py:profile`",
    )
    _add_repeatable(group.add_argument, "--set", "NAME=VALUE", "give a constant a value", "assignments")
    group.add_argument("--bounds", metavar="NAME", help="constants from the named bounds of the model's file in spec/")
    if ghosts:
        group.add_argument(
            "--ghosts",
            action=argparse.BooleanOptionalAction,
            default=None,
            help="keep ghost fields (default: if a checked property reads one; without them such a property is not "
            "checked)",
        )
    _add_repeatable(group.add_argument, "--property", "NAME", "check this property only", "properties")
    _add_repeatable(group.add_argument, "--without", "NAME", "do not check this property", "without")
    if search:
        _add_open_options(group.add_argument, pages=pages)


def _add_repeatable(add: Callable[..., object], option: str, metavar: str, says: str, dest: str) -> None:
    """An option that may be given several times, each time with one value."""
    add(option, metavar=metavar, action="append", default=[], dest=dest, help=f"{says} (repeatable)")


def _add_open_options(add: Callable[..., object], *, pages: bool) -> None:
    """`--open NAME`, and of a verb that writes pages `--open` alone."""
    says = "leave a constant open in the compiled code (repeatable)"
    if not pages:
        add("--open", metavar="NAME", action="append", default=[], help=says)
        return
    alone = "without NAME, with --out: show the page in the browser"
    add("--open", metavar="NAME", nargs="?", const="", action="append", default=[], help=f"{says}; {alone}")


def model_choice_of(options: argparse.Namespace) -> ModelChoice:
    """What `add_model_options` read. Raises `UsageError` for an assignment without `=`."""
    from ..api.models import ModelChoice

    return ModelChoice(
        model=options.model,
        assignments=tuple(parse_assignment(text) for text in options.assignments),
        bounds=options.bounds,
        open=tuple(filter(None, getattr(options, "open", ()))),
        properties=tuple(options.properties),
        ghosts=getattr(options, "ghosts", None),
        left_out=tuple(options.without),
    )


def parse_assignment(text: str) -> tuple[str, str]:
    """The name and the value of NAME=VALUE, which `--set` takes. UsageError for anything else."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise UsageError(f"--set {text}: write NAME=VALUE, for example --set replicas=3")
    return name.strip(), value.strip()


# --- how to search --------------------------------------------------------------------------------------------------


def add_search_options(parser: Parser) -> None:
    """How an engine searches."""
    group = parser.add_argument_group("the search")
    group.add_argument(
        "--engine",
        choices=("native", "python", "walk", "spark"),
        default="native",
        help="compiled code (default), plain Python, the slow reference, random walks: a sample, "
        "or spark: compiled code on many machines",
    )
    group.add_argument(
        "--symmetry",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="count states that differ by a renaming once; --no-symmetry: keep them all (default: a long search keeps "
        "one of them and counts all)",
    )
    group.add_argument(
        "--workers", metavar="N", type=parse_positive, default=1, help="threads that search (default: 1)"
    )
    group.add_argument(
        "--memory", metavar="SIZE", type=parse_size, help="end as inconclusive at this much memory: 500M, 2G"
    )
    group.add_argument("--time", metavar="SECONDS", type=parse_seconds, help="end as inconclusive after this long")
    group.add_argument(
        "--seed",
        metavar="N",
        type=parse_natural,
        default=0,
        help="draws the states that plain Python re-checks, and random walks (default: 0)",
    )
    group.add_argument(
        "--keep-going", action="store_true", help="explore everything and give every property's shortest counterexample"
    )
    group.add_argument(
        "--bounds-end-runs",
        action="store_true",
        help="what must happen: a limit or @bound ends a run, as a guard of the protocol would, and a fair step that it"
        " stops need not happen; without it such a claim is undecided",
    )
    group.add_argument("--no-deadlock", action="store_true", help="accept states in which nothing can happen")
    group.add_argument(
        "--projection",
        metavar="NAME",
        help="one state for each value of this @projection (TLC's VIEW): what is found is real, the rest undecided",
    )
    group.add_argument("--no-cache", action="store_true", help="compile anew and keep nothing on disk")


def add_walk_options(parser: Parser) -> None:
    """How random walks are taken."""
    group = parser.add_argument_group("random walks (--engine walk)")
    group.add_argument(
        "--walks",
        metavar="N",
        type=parse_positive,
        help="walks to take (default: 100000; with --time, as many as the time allows)",
    )
    group.add_argument(
        "--depth",
        metavar="D",
        type=parse_positive,
        help="steps after which a walk ends (default: 100). The depth that a check reports is in states, one more",
    )
    group.add_argument(
        "--strategy",
        choices=("uniform", "swarm", "guided"),
        help="every enabled step alike, random preferences a walk, or what the walk took rarely (default: guided)",
    )
    group.add_argument(
        "--novel",
        metavar="FIELD",
        action="append",
        default=[],
        help="guided: prefer states that are new in this field (repeatable)",
    )


def walks_of(options: argparse.Namespace) -> Walks | None:
    """What `add_walk_options` read; None for another engine. Raises `UsageError` where an option asks nothing of the
    engine."""
    from ..explorer.search import Walks

    given = {
        "walks": options.walks,
        "depth": options.depth,
        "strategy": options.strategy,
        "novel": options.novel or None,
    }
    if options.engine != "walk":
        for name, value in given.items():
            if value is not None:
                raise UsageError(f"--{name} is for --engine walk")
        return None
    if options.symmetry:
        raise UsageError("--symmetry is for engines that keep the states they saw; random walks keep none")
    if options.novel and options.strategy not in (None, "guided"):
        raise UsageError(f"--novel is for --strategy guided, not {options.strategy}")
    default = Walks()
    endless = options.walks is None and options.time is not None
    return Walks(
        number=None if endless else options.walks or default.number,
        depth=options.depth or default.depth,
        strategy=options.strategy or default.strategy,
        fields=tuple(options.novel),
    )


def add_spark_options(parser: Parser) -> None:
    """How a search is spread over Spark."""
    group = parser.add_argument_group("many machines (--engine spark; --master and --conf also with --engine walk)")
    group.add_argument(
        "--master",
        metavar="URL",
        help="Spark's, or sc://host:port of Connect (default: local[*]; random walks: none, this process)",
    )
    group.add_argument("--shards", metavar="K", type=parse_positive, help="who own the states (default: one a core)")
    group.add_argument(
        "--run-dir",
        metavar="DIR",
        type=Path,
        help="where levels are kept, seen by every executor under this path; a run that was ended goes on there",
    )
    group.add_argument(
        "--fingerprint", type=int, choices=(64, 128), help="bits of a state's fingerprint (default: 64)"
    )  # fmt: skip
    group.add_argument(
        "--hand-over",
        metavar="N",
        type=parse_natural,
        help="states that must wait before Spark takes over from this process (default: 200000)",
    )
    group.add_argument(
        "--scratch", metavar="DIR", type=Path, help="each machine's place for tables (default: for temporary files)"
    )
    group.add_argument(
        "--conf", metavar="KEY=VALUE", action="append", default=[], help="more of Spark's configuration (repeatable)"
    )
    group.add_argument(
        "--states-out", metavar="DIR", type=Path, help="write the reached states as Parquet, a column a field"
    )


_CLUSTER_OPTIONS = ("master", "shards", "run_dir", "fingerprint", "hand_over", "scratch", "conf", "states_out")


def spark_cluster_of(options: argparse.Namespace) -> SparkCluster | None:
    """What `add_spark_options` read; None for another engine. Raises `UsageError` where an option asks nothing of the
    engine."""
    from ..explorer.search import SparkCluster

    given = {name: getattr(options, name) for name in _CLUSTER_OPTIONS if getattr(options, name) not in (None, [])}
    spread = {"spark": _CLUSTER_OPTIONS, "walk": ("master", "conf") if options.master is not None else ("master",)}
    for name in given:
        if name not in spread.get(options.engine, ()):
            raise UsageError(f"--{name.replace('_', '-')} is for --engine spark{_misplaced_option_advice(name)}")
    if options.engine not in spread or (options.engine == "walk" and not given):
        return None
    if options.workers != 1:
        raise UsageError(f"--workers is for threads of one process; {_REPLACED_WORKERS_ADVICE[options.engine]}")
    if "conf" in given:
        given["conf"] = tuple(_parse_setting(text) for text in given["conf"])
    return SparkCluster(**given)


def _misplaced_option_advice(name: str) -> str:
    return {"master": " and --engine walk", "conf": " and, with --master, --engine walk"}.get(name, "")


_REPLACED_WORKERS_ADVICE = {
    "spark": "with --engine spark, --master and --shards say how many",
    "walk": "with --master, Spark takes the walks with all of its cores",
}


def _parse_setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        raise UsageError(f"--conf {text}: write spark.NAME=VALUE, for example --conf spark.executor.memory=4g")
    return name, value


def search_of(options: argparse.Namespace) -> Search:
    """What `add_search_options` read."""
    from ..explorer.search import Search

    return Search(
        symmetry=options.symmetry,
        memory_bytes=options.memory,
        seconds=options.time,
        workers=options.workers,
        seed=options.seed,
        keep_going=options.keep_going,
        deadlocks=not options.no_deadlock,
        bounds_end_runs=options.bounds_end_runs,
        projection=getattr(options, "projection", None),
        cache=None if options.no_cache else cache_directory(),
    )


# --- Kafka's own code in one process --------------------------------------------------------------------------------


def add_hosted_options(parser: Parser, written_text: str) -> None:
    """Which release's classes are run, from which seed and for how long; `written_text` says what `--out` writes."""
    parser.add_argument("--kafka-version", metavar="VERSION", help="the release, such as 4.1.1")
    parser.add_argument("--seed", metavar="N", type=parse_positive, default=1, help="draws the runs (default: 1)")
    parser.add_argument("--runs", metavar="N", type=parse_positive, help="end after so many runs")
    parser.add_argument(
        "--time",
        metavar="SECONDS",
        type=parse_seconds,
        help="end after so long (default: 60, where no --runs is given)",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help=written_text)


def hosted_version_of(options: argparse.Namespace, releases: Iterable[str]) -> str:
    """The release that `add_hosted_options` read. Raises `UsageError`, which names the known ones, if there is none."""
    if options.kafka_version is None:
        raise UsageError(f"give the release with --kafka-version; known are {', '.join(releases)}")
    return options.kafka_version


def hosted_seconds_of(options: argparse.Namespace) -> float | None:
    """For how long runs are taken: `--time`, or a minute where neither it nor `--runs` says an end."""
    return 60.0 if options.time is None and options.runs is None else options.time


def parse_size(text: str) -> int:
    """`2G`, `500M`, `1.5GiB`, `1048576` in bytes; K, M, G, T are powers of 1024."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None or float(match[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; write 500M or 2G")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))


def parse_positive(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def parse_natural(text: str) -> int:
    """A whole number from 0 that fits 63 bits."""
    if not text.isdecimal() or int(text) >= 1 << 63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 2^63 - 1")
    return int(text)


def parse_seconds(text: str) -> float:
    """A time in seconds, above 0."""
    try:
        read = float(text)
    except ValueError:
        read = 0
    if not 0 < read < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return read


# --- how to print ---------------------------------------------------------------------------------------------------


def add_print_options(parser: Parser, *, json: bool = True) -> None:
    """How results are printed."""
    group = parser.add_argument_group("the report")
    if json:
        group.add_argument("--json", action="store_true", help="one JSON object on standard output, nothing else there")
    group.add_argument("--ascii", action="store_true", help="print ASCII only")
    group.add_argument(
        "--width",
        metavar="COLUMNS",
        type=parse_positive,
        help="print this wide (default: the terminal's width up to 100, else 80)",
    )
    group.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="styles on a terminal (default: auto; NO_COLOR is heeded)",
    )


def add_open_option(parser: Parser, option: str = "--out") -> None:
    """`--open`, of a verb that writes pages."""
    parser.add_argument(
        "--open", dest="browse", action="store_true", help=f"with {option}: show the page in the browser"
    )


def is_page_to_open(options: argparse.Namespace) -> bool:
    """Whether the page that is written is to be shown in the browser."""
    return getattr(options, "browse", False) or "" in getattr(options, "open", ())


def text_format_of(options: argparse.Namespace) -> TextFormat:
    """What `add_print_options` read, for standard output."""
    return detect_format(sys.stdout, width=options.width, ascii=options.ascii, color=options.color)


def processor_count() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
