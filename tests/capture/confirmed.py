"""Drives real brokers through everything that is recorded, and writes docs/confirmed.md with what came out.

    python -m tests.capture.confirmed docs/confirmed.md [--only PART [PROFILE[:PROPERTY[:RELEASE]]...]]

Each bug of the partition's model that a release in KRaft has, on that release and on the first with the repair; each
setting that loses records; each different loss that `audit` finds in examples/clusters; what controllers do, what
becomes of transactions, and what producers and consumers do. Needs Java 17, Maven, a C compiler, and about an hour.
`--only` makes one table anew, or some rows of those of models whose traces are their steps, and leaves the others.
"""

from __future__ import annotations

import datetime
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tidegate.audit.kafka.profiles import definition
from tidegate.language.immutable import immutable
from tidegate.real.driving.nodes.releases import find_java
from tidegate.real.driving.verdict import confirm_trace
from tidegate.reports.confirm import WORDS

ROOT = Path(__file__).resolve().parent.parent.parent
Document = dict[str, Any]


@immutable
class Bug:
    """A mistake of a profile: the last release in KRaft that has it, the first with the repair, and the question whose
    counterexample is driven. `repaired`: the repair is a setting of that release, and not its code."""

    profile: str
    says: str
    release: str
    mended: str
    question: tuple[str, ...]
    repaired: bool = False


def one(bounds: str, *more: str) -> tuple[str, ...]:
    """Named bounds, and values besides."""
    return ("--bounds", bounds, *(word for value in more for word in ("--set", value)))


ACKNOWLEDGED = ("--property", "leader_completeness")
KEPT = ("--property", "acknowledged_kept")
BUGS = (
    Bug(
        "kafka_14139", "KIP-903: a broker joins the ISR that has started anew", "3.4.1", "3.5.0",
        (*one("one_fault", "keep_epoch=false"), *ACKNOWLEDGED),
    ),
    Bug(
        "kafka_15583", "what is committed has fewer copies than min.isr", "3.6.2", "3.7.0",
        (*one("two_replicas_lag", "elr=false"), "--ghosts", "--property", "min_isr_copies"),
    ),
    Bug(
        "last_replica_standing", "KIP-966: the last replica standing loses power", "3.9.1", "4.1.0",
        (*one("one_fault"), *ACKNOWLEDGED), repaired=True,
    ),
    Bug("acks_0", "acks=0", "4.1.0", "4.1.0", (*one("one_crash"), *KEPT), repaired=True),
    Bug("acks_1", "acks=1", "4.1.0", "4.1.0", (*one("one_crash"), *KEPT), repaired=True),
    Bug(
        "min_isr_1", "min.insync.replicas=1", "4.1.0", "4.1.0",
        (*one("one_fault", "isr_shrinks=2", "fences=0"), *KEPT), repaired=True,
    ),
    Bug("unclean_election", "unclean elections", "4.1.0", "4.1.0", (*one("crashes"), *KEPT), repaired=True),
    Bug(
        "kafka_15221", "a race in KIP-903's check, within a broker, where no gate reaches", "3.6.2", "3.7.0",
        (*one("one_fault"), *ACKNOWLEDGED),
    ),
    Bug(
        "kafka_15665", "a reassignment is complete with fewer in the ISR than min.isr", "3.7.2", "3.8.0",
        (*one("reassignment"), "--property", "reassignment_keeps_min_isr"),
    ),
    Bug(
        "kafka_14704", "a follower serves what it then truncates", "3.4.0", "3.4.1",
        (*one("fences", "fences=1"), "--property", "reads_below_high_watermark"),
    ),
    Bug(
        "kafka_14372", "consumers are sent to a follower that lags", "3.3.1", "3.3.2",
        (*one("two_replicas_lag", "min_isr=1", "fences=0"), "--property", "preferred_replica_complete"),
    ),
    Bug(
        "kafka_19522", "a leader is elected that is dead", "4.0.0", "4.1.0",
        (*one("two_replicas_dark"), "--property", "leader_unfenced"),
    ),
)  # fmt: skip
NOT_IN_KRAFT: Mapping[str, str] = {
    "kafka_2334": "to 2.1",
    "kafka_7128": "to 2.0.0",
    "kafka_7164": "to 2.0.0",
    "kafka_7235": "to 2.1",
    "kafka_7395": "to 2.0",
    "kafka_7415": "0.11 to 2.0.0",
    "kafka_9835": "1.1 to 2.5.0",
    "kafka_13091": "2.7 to 3.0",
    "kafka_13141": "2.7.0 to 2.8.0",
    "kafka_13207": "2.7.0 to 2.8.0",
    "kafka_13916": "KRaft to 3.2, before it was for production",
}
"""Mistakes that no release has which is driven: KRaft from 3.3 on."""
OTHERS: Mapping[str, tuple[str, str]] = {
    "follower_out_of_range": ("no release of the Java client", "there is nothing to drive it on"),
    "hw_checkpoint_stale": ("every release", "no record is lost by it where the other switches are the newest"),
    "pending_isr_ignored": ("no release", "there is nothing to drive it on"),
    "readded_replica": ("no release", "there is nothing to drive it on"),
    "not_idempotent": ("a setting of producers", "the driver sends each record once"),
}
"""Profiles that are no bug of a release, and why they are not driven."""


def found_by(model: str, question: Sequence[str]) -> Document:
    """The counterexample that `tidegate check` finds."""
    command = [sys.executable, "-m", "tidegate", "check", model, *question, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    document = json.loads(done.stdout)["properties"][0]["document"]
    if document is None:
        raise SystemExit(f"{' '.join(command)} finds nothing")
    return document


def losses(folder: Path) -> Iterator[tuple[str, str | None, Document]]:
    """Each different loss that an audit of an example reports: the examples, the release that it states, the trace."""
    same: dict[str, tuple[list[str], str | None, Document]] = {}
    for cluster in sorted((ROOT / "examples" / "clusters").iterdir()):
        out = folder / cluster.name
        command = [sys.executable, "-m", "tidegate", "audit", str(cluster), "--out", str(out), "--json"]
        document = json.loads(subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout)
        stated = document["versions"]["kafka"]
        release = stated if stated[0].isdigit() else None
        for subject in document["subjects"]:
            loss = subject["loss"]
            if loss is None or loss["html"] is None:
                continue
            path = out / loss["html"].removesuffix("-repaired.html").removesuffix(".html")
            trace = json.loads(path.with_name(f"{path.name}.trace.json").read_text("utf-8"))
            steps = [step["step"] for step in trace["steps"]]
            about = [loss["says"], release, steps, trace["bounds"]["replicas"], trace["bounds"]["min_isr"]]
            names, _, _ = same.setdefault(json.dumps(about), ([], release, trace | {"title": loss["says"]}))
            if cluster.name not in names:
                names.append(cluster.name)
    for names, release, trace in same.values():
        yield ", ".join(names), release, trace


def driven(trace: Document, kafka: str | None, **more: Any) -> Document:
    """What came out; said while it runs."""
    found = confirm_trace(trace, kafka=kafka, limit=30.0, **more)
    print(f"{found['kafka']}: {found['result']}, {found['why']}", file=sys.stderr, flush=True)
    return found


def row(cells: Sequence[object]) -> str:
    """A row of a table."""
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def cells_of(found: Document) -> list[object]:
    """The cells of one run: release, steps, seconds, result."""
    steps = f"{len(found['steps'])}" if found["steps"] else ""
    seconds = f"{found['seconds']:.0f}" if found["steps"] else ""
    parted = next((f": {step['otherwise']}" for step in found["steps"] if step["otherwise"]), "")
    result = f"**{WORDS[found['result']]}**: {found['why']}{parted}"
    return [found["kafka"] or "", steps, seconds, result.replace("|", "/")]


def bugs(*only: str) -> Iterator[str]:
    """The table of bugs and settings, or the rows of some profiles."""
    yield row(("profile", "what is wrong", "release", "steps", "seconds", "result"))
    yield row(("---",) * 6)
    for bug in BUGS:
        if only and bug.profile not in only:
            continue
        trace = found_by(f"partition:{bug.profile}", bug.question)
        yield row((f"`{bug.profile}`", bug.says, *cells_of(driven(trace, bug.release))))
        if bug.repaired:
            after = driven(trace, bug.mended, with_repair=True)
            yield row(("", "the same with the repair's settings", *cells_of(after)))
        else:
            yield row(("", "the same where it is mended", *cells_of(driven(trace, bug.mended, anyway=True))))


def audited() -> Iterator[str]:
    """The table of what audits find."""
    yield row(("loss", "examples", "release", "steps", "seconds", "result"))
    yield row(("---",) * 6)
    with tempfile.TemporaryDirectory() as folder:
        for names, release, trace in losses(Path(folder)):
            yield row((trace["title"], names, *cells_of(driven(trace, release))))
            yield row(("the same with the repair", "", *cells_of(driven(trace, release, with_repair=True))))


def not_driven() -> Iterator[str]:
    """The table of what was not tried."""
    yield row(("profile", "released", "why it could not be driven"))
    yield row(("---",) * 3)
    for name, released in NOT_IN_KRAFT.items():
        yield row(
            (f"`partition:{name}`", released, "clusters are driven in KRaft from 3.3 on, and none of them has it")
        )
    for name, (released, why) in OTHERS.items():
        yield row((f"`partition:{name}`", released, why))
    for name, why in module("controllers").NOT_DRIVEN.items():
        yield row((f"`kraft:{name}`", "", why))
    for name, why in module("consumers").NOT_DRIVEN.items():
        yield row((f"`consumer:{name}`", "", why))
    for name, why in module("outages").NOT_DRIVEN.items():
        yield row((f"`offsets_outage:{name}`", "", why))


def module(name: str) -> Any:
    """The module of a table, which needs this one."""
    return importlib.import_module(f"{__package__}.confirmed_{name}")


HEADERS = {
    "bugs": "## Bugs of the past, and settings",
    "audits": "## What audits find",
    "controllers": "## Controllers",
    "transactions": "## Transactions",
    "producers": "## Producers",
    "consumers": "## Consumers",
    "outages": "## The topic of offsets",
}
"""The sections of runs that are made anew by themselves, in their order on the page."""
NOT_DRIVEN = "## What was not driven"


def rows_of(name: str, *only: str) -> Iterator[str]:
    """The table of a part, or some of its rows."""
    if name == "audits":
        return audited()
    return bugs(*only) if name == "bugs" else getattr(module(name), name)(*only)


def parts() -> list[str]:
    """The tables of runs: each in a process of its own, one after the other."""
    return [part(name) for name in HEADERS]


def part(name: str, *only: str) -> str:
    """The table of a run, or some of its rows."""
    command = [sys.executable, "-m", "tests.capture.confirmed", "--part", name, *only]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the part {name} failed, see above")
    return done.stdout.rstrip("\n")


def with_anew(old: str, name: str, only: Sequence[str]) -> str:
    """A page with the table of one part made anew, or some of its rows, and what was not driven."""
    sections = old.partition(NOT_DRIVEN)[0].split("\n## ")
    kept = [f"## {one}".rstrip("\n") if at else one.rstrip("\n") for at, one in enumerate(sections)]
    before = [one for one in kept if not one.startswith(HEADERS[name])]
    later = tuple(list(HEADERS.values())[list(HEADERS).index(name) + 1 :])
    place = next((at for at, one in enumerate(before) if one.startswith(later)), len(before))
    table = part(name, *only)
    if only:
        of = BUGS if name == "bugs" else module(name).QUESTIONS
        order = list(dict.fromkeys(one.profile for one in of))
        table = "\n".join(merged([one for one in kept if one.startswith(HEADERS[name])], table, order))
    section = about(name, table).rstrip("\n")
    return "\n\n".join([*before[:place], section, *before[place:], "\n".join(rest())])


def merged(sections: Sequence[str], table: str, order: Sequence[str]) -> list[str]:
    """A table of some rows that are made anew, and the other rows that a section has, in an order of profiles. Rows are
    the same that have the same profile, words and release; one without a profile belongs to the one before it."""
    head, rule, *new = table.split("\n")
    old = [line for section in sections for line in section.split("\n")]
    rows = {tuple(one.split(" | ")[:3]): one for one in (*together(old), *together(new))}
    ordered = sorted(rows.values(), key=lambda one: order.index(one.split("`")[1]))
    return [head, rule, *(line for one in ordered for line in one.split("\n"))]


def together(lines: Sequence[str]) -> list[str]:
    """The rows of a table with a profile, each with those below it that have none."""
    found = list[str]()
    for line in lines:
        if line.startswith("| `"):
            found.append(line)
        elif line.startswith("|  |"):
            found[-1] += f"\n{line}"
    return found


ABOUT: Mapping[str, str] = {
    "bugs": "Traces of `partition`, {today}.",
    "audits": """\
Each different loss of the clusters in `examples/clusters`, on the release that the cluster states, or else the
newest that takes it, {today}.""",
    "controllers": """\
Traces of `kraft` on three real controllers, {today}. Where a release is mended, the trace
is driven as the model of the mistake has it, to see where the release does otherwise.""",
    "transactions": """\
Traces of `transactions` on two real brokers, {today}. The driver is the producer. Where a
release is mended, the trace is driven as the model of the mistake has it, to see where the release does
otherwise.""",
    "producers": "Traces of `producer` with the producer of the release on two real brokers, {today}.",
    "consumers": "Traces of `consumer` with the consumer of the release on a real broker, {today}.",
    "outages": """\
Traces of `offsets_outage` on three real brokers, and one beside them that has the topic which
groups consume, {today}.""",
}
"""What each section says before its table."""


def about(name: str, table: str) -> str:
    """A section: what it says, and its table."""
    return "\n".join([HEADERS[name], "", ABOUT[name].format(today=datetime.date.today()), "", table])


def rest() -> list[str]:
    """The section of what was not driven."""
    return [NOT_DRIVEN, "", *not_driven(), ""]


def page() -> str:
    """The page, after all of it was driven."""
    java_is = subprocess.run(
        [find_java(), "-version"], capture_output=True, text=True, check=False
    ).stderr.splitlines()[0]
    lines = [
        "# What real brokers did",
        "",
        "Written by a run of `python -m tests.capture.confirmed docs/confirmed.md`, which drives real brokers through",
        "each of these traces once, as [`tidegate confirm`](real-kafka.md#confirm) does. "
        "Nothing here is edited by hand.",
        "",
        f"{datetime.date.today()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} processors beside other work,",
        f"{java_is.replace(chr(34), '')}.",
        "Seconds are of the steps and the end, without the start of the cluster.",
        "",
        *(line for name, table in zip(HEADERS, parts(), strict=True) for line in (about(name, table), "")),
        *rest(),
    ]
    return "\n".join(lines)


def profiles_that_lack() -> set[str]:
    """The profiles of one mistake or setting that no table has: none."""
    listed = {bug.profile for bug in BUGS} | NOT_IN_KRAFT.keys() | OTHERS.keys()
    versions = {
        name for name in definition().profiles if len(name.rpartition("_")[2]) < 4 and name.startswith("kafka_")
    }
    return set(definition().profiles) - versions - listed - {"kafka_3_9_zookeeper"}


if __name__ == "__main__":
    if sys.argv[1] == "--part":
        print("\n".join(rows_of(*sys.argv[2:])))
    else:
        file = Path(sys.argv[1])
        only = sys.argv[3:] if sys.argv[2:3] == ["--only"] else []
        made = with_anew(file.read_text("utf-8"), only[0], only[1:]) if only else page()
        file.write_text(made, encoding="utf-8")
