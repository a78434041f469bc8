"""Drives real brokers through everything that is recorded, and writes bench/confirmed.toml with what came out.

    python -m tests.capture.confirmed bench/confirmed.toml [--only PART [PROFILE[:PROPERTY[:RELEASE]]...]]

Each bug of the partition's model that a release in KRaft has, on that release and on the first with the repair; each
setting that loses records; each different loss that `audit` finds in examples/clusters; what controllers do, what
becomes of transactions, and what producers and consumers do. The site shows the record as the tables of
docs/confirmed.md. Needs Java 17, Maven, a C compiler, and about an hour.
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
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tidegate.audit.kafka.profiles import audited_model_definition
from tidegate.language.immutable import immutable
from tidegate.real.driving.nodes.releases import find_java
from tidegate.real.driving.verdict import confirm_trace
from tidegate.reports.confirm import WORDS

ROOT = Path(__file__).resolve().parent.parent.parent
Document = dict[str, Any]
Row = list[str]
"""The cells of a row of a table."""


@immutable
class Bug:
    """A mistake of a profile: the last release in KRaft that has it, the first with the repair, and the question whose
    counterexample is driven. `is_setting_repair`: the repair is a setting of that release, and not its code."""

    profile: str
    says: str
    release: str
    repaired_release: str
    question: tuple[str, ...]
    is_setting_repair: bool = False


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
        (*one("one_fault"), *ACKNOWLEDGED), is_setting_repair=True,
    ),
    Bug("acks_0", "acks=0", "4.1.0", "4.1.0", (*one("one_crash"), *KEPT), is_setting_repair=True),
    Bug("acks_1", "acks=1", "4.1.0", "4.1.0", (*one("one_crash"), *KEPT), is_setting_repair=True),
    Bug(
        "min_isr_1", "min.insync.replicas=1", "4.1.0", "4.1.0",
        (*one("one_fault", "isr_shrinks=2", "fences=0"), *KEPT), is_setting_repair=True,
    ),
    Bug("unclean_election", "unclean elections", "4.1.0", "4.1.0", (*one("crashes"), *KEPT), is_setting_repair=True),
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
    "leave_elr": ("no release", "it is what would mend a mistake, and loses nothing by that"),
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


def cells_of(found: Document) -> Row:
    """The cells of one run: release, steps, seconds, result."""
    steps = f"{len(found['steps'])}" if found["steps"] else ""
    seconds = f"{found['seconds']:.0f}" if found["steps"] else ""
    parted = next((f": {step['otherwise']}" for step in found["steps"] if step["otherwise"]), "")
    result = f"**{WORDS[found['result']]}**: {found['why']}{parted}"
    return [found["kafka"] or "", steps, seconds, result.replace("|", "/")]


def bugs(*only: str) -> Iterator[Row]:
    """The rows of bugs and settings, or those of some profiles."""
    for bug in BUGS:
        if only and bug.profile not in only:
            continue
        trace = found_by(f"partition:{bug.profile}", bug.question)
        yield [f"`{bug.profile}`", bug.says, *cells_of(driven(trace, bug.release))]
        if bug.is_setting_repair:
            after = driven(trace, bug.repaired_release, with_repair=True)
            yield ["", "the same with the repair's settings", *cells_of(after)]
        else:
            yield ["", "the same where it is mended", *cells_of(driven(trace, bug.repaired_release, anyway=True))]


def audit_rows() -> Iterator[Row]:
    """The rows of what audits find."""
    with tempfile.TemporaryDirectory() as folder:
        for names, release, trace in losses(Path(folder)):
            yield [trace["title"], names, *cells_of(driven(trace, release))]
            yield ["the same with the repair", "", *cells_of(driven(trace, release, with_repair=True))]


def not_driven() -> Iterator[Row]:
    """The rows of what was not tried."""
    for name, released in NOT_IN_KRAFT.items():
        yield [f"`partition:{name}`", released, "clusters are driven in KRaft from 3.3 on, and none of them has it"]
    for name, (released, why) in OTHERS.items():
        yield [f"`partition:{name}`", released, why]
    for name, why in module("controllers").NOT_DRIVEN.items():
        yield [f"`kraft:{name}`", "", why]
    for name, why in module("consumers").NOT_DRIVEN.items():
        yield [f"`consumer:{name}`", "", why]
    for name, why in module("outages").NOT_DRIVEN.items():
        yield [f"`offsets_outage:{name}`", "", why]


def module(name: str) -> Any:
    """The module of a table, which needs this one."""
    return importlib.import_module(f"{__package__}.confirmed_{name}")


RUN = ("release", "steps", "seconds", "result")
HEADS: Mapping[str, Sequence[str]] = {
    "bugs": ("profile", "what is wrong", *RUN),
    "audits": ("loss", "examples", *RUN),
    **{
        name: ("profile", "what it is about", *RUN)
        for name in ("controllers", "transactions", "producers", "consumers", "outages")
    },
}
"""The tables of runs that are made anew by themselves, in their order on the page."""


def rows_of(name: str, *only: str) -> Iterator[Row]:
    """The rows of a part, or some of them."""
    if name == "audits":
        return audit_rows()
    return bugs(*only) if name == "bugs" else getattr(module(name), name)(*only)


def drive_part(name: str, *only: str) -> list[Row]:
    """The rows of a part, or some of them, from a process of its own."""
    command = [sys.executable, "-m", "tests.capture.confirmed", "--part", name, *only]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the part {name} failed, see above")
    return [json.loads(line) for line in done.stdout.splitlines()]


def drive_again(record: Document, name: str, only: Sequence[str]) -> Document:
    """A record with the table of one part made anew, or some of its rows, and what was not driven."""
    rows = drive_part(name, *only)
    if only:
        of = BUGS if name == "bugs" else module(name).QUESTIONS
        rows = merge_rows(record[name]["rows"], rows, list(dict.fromkeys(one.profile for one in of)))
    return record | {name: table(HEADS[name], rows), "not_driven": table_of_not_driven()}


def merge_rows(old: Sequence[Row], new: Sequence[Row], order: Sequence[str]) -> list[Row]:
    """A table of some rows that are made anew, and the other rows that there are, in an order of profiles. Rows are
    the same that have the same profile, words and release; one without a profile belongs to the one before it."""
    groups = {tuple(group[0][:3]): group for group in (*together(old), *together(new))}
    ordered = sorted(groups.values(), key=lambda group: order.index(group[0][0].strip("`")))
    return [row for group in ordered for row in group]


def together(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of a table with a profile, each with those below it that have none."""
    found = list[list[Row]]()
    for row in rows:
        if row[0]:
            found.append([row])
        else:
            found[-1].append(row)
    return found


def table(head: Sequence[str], rows: Sequence[Row]) -> Document:
    """A table that was driven today."""
    return {"driven": datetime.date.today(), "head": head, "rows": rows}


def table_of_not_driven() -> Document:
    """The table of what was not driven."""
    return {"head": ["profile", "released", "why it could not be driven"], "rows": list(not_driven())}


def drive_all() -> Document:
    """The record, after all of it was driven."""
    version = subprocess.run([find_java(), "-version"], capture_output=True, text=True, check=False).stderr
    return {
        "all": {
            "driven": datetime.date.today(),
            "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors beside other work",
            "java": version.splitlines()[0].replace('"', ""),
        },
        **{name: table(head, drive_part(name)) for name, head in HEADS.items()},
        "not_driven": table_of_not_driven(),
    }


def record_text(record: Document) -> str:
    """A record as TOML, a line for each row."""
    lines = [
        "# What real brokers did, part by part of docs/confirmed.md. Written by `python -m tests.capture.confirmed`."
    ]
    for name, part in record.items():
        lines += ["", f"[{name}]"]
        for key, value in part.items():
            if key == "rows":
                lines += ["rows = [", *(f"    {json.dumps(row, ensure_ascii=False)}," for row in value), "]"]
            else:
                shown = value if isinstance(value, datetime.date) else json.dumps(value, ensure_ascii=False)
                lines.append(f"{key} = {shown}")
    return "\n".join(lines) + "\n"


def profiles_that_lack() -> set[str]:
    """The profiles of one mistake or setting that no table has: none."""
    listed = {bug.profile for bug in BUGS} | NOT_IN_KRAFT.keys() | OTHERS.keys()
    versions = {
        name
        for name in audited_model_definition().profiles
        if len(name.rpartition("_")[2]) < 4 and name.startswith("kafka_")
    }
    return set(audited_model_definition().profiles) - versions - listed - {"kafka_3_9_zookeeper"}


if __name__ == "__main__":
    if sys.argv[1] == "--part":
        for cells in rows_of(*sys.argv[2:]):
            print(json.dumps(cells, ensure_ascii=False))
    else:
        file = Path(sys.argv[1])
        only = sys.argv[3:] if sys.argv[2:3] == ["--only"] else []
        made = drive_again(tomllib.loads(file.read_text("utf-8")), only[0], only[1:]) if only else drive_all()
        file.write_text(record_text(made), encoding="utf-8")
