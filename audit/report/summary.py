"""What an operator reads first, as a value: the headline, what is wrong now, and a row for each group of topics that
fails or is not decided, the worst first. Every face shows this, so that none of them can say something else.

    summary = summarize(document)        the document of an audit, whole; nothing is asked anew
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ..cluster.cluster import RUNNING
from .summary_headline import MOST_NAMES, causing_outages, headline_text, remaining_losses, topic_count
from .summary_rows import (
    assumable_text,
    assumable_toml,
    common_folder,
    origin_below_root,
    summary_rows,
    take_out_shared_hosts,
)
from .summary_subjects import Document, Read, worst_result


def summarize(document: Read) -> Document:
    """The summary of a document. `rows` are what fails or is open, worst first; `passing` counts the topics of which
    neither is so; `stops_all`: nodes do not start, so that nothing is to be said of topics before they do."""
    rows = list(summary_rows(document))
    everywhere = take_out_shared_hosts(rows)
    assumable = assumable_text(rows)
    outages = [
        *(_outage_summary(outage) for outage in causing_outages(document["outages"])),
        *_present_state_documents(document),
    ]
    stops_all = any(outage["kind"] == "does not start" for outage in document["outages"])
    return {
        "mark": _verdict_mark(document),
        "headline": headline_text(document),
        "now": outages,
        "stops_all": stops_all,
        "rows": rows,
        "everywhere": everywhere,
        "assumable": assumable,
        "assumable_toml": assumable_toml(document["date"]) if assumable else "",
        "passing": topic_count([subject for subject in document["subjects"] if worst_result(subject) == "met"]),
        "beyond": list(remaining_losses(document)),
        "not_covered": [
            {"what": finding["what"], "to_do": f"{finding['to_do']}{_source_text(finding)}"}
            for finding in document["findings"]
            if finding["kind"] == "incomplete"
        ],
        "also": list(_file_finding_texts(document, everywhere=bool(everywhere), assumable=bool(assumable))),
        "notes": sum(one["severity"] == "note" and one["kind"] != "incomplete" for one in document["findings"]),
        "read": _read_text(document),
    }


def _verdict_mark(document: Read) -> str:
    """✗ where something fails, ? where something is open or not covered, else ✓."""
    return {0: "✓", 1: "✗"}.get(document["exit"], "?")


def _outage_summary(outage: Read) -> Document:
    return {"says": outage["says"], "kind": outage["kind"], "certain": outage["certain"]}


def _present_state_documents(document: Read) -> Iterator[Document]:
    """What the present state of partitions means, where that was asked."""
    for subject in document["subjects"]:
        for group in subject["now"]["groups"] if subject["now"] else ():
            yield {"says": group["headline"], "kind": "present", "certain": False}


def _file_finding_texts(document: Read, *, everywhere: bool, assumable: bool) -> Iterator[str]:
    """The errors and warnings about the files, in this order, but for what is said above: what is out of service, what
    is not covered, what names a setting that a row says decides, at its line, hosts that nodes share where these are
    to blame `everywhere`, and what the assumption is about that is `assumable`."""
    root = common_folder(document)
    said = [outage["says"] for outage in document["outages"]]
    failing = (subject for subject in document["subjects"] if worst_result(subject) == "failed")
    decided = [
        (used["where"], used["key"])
        for subject in failing
        for used in (*subject["deciding"], *(used for check in subject["checks"] for used in check["deciding"]))
    ]
    for severity in ("error", "warning"):
        for finding in document["findings"]:
            if finding["severity"] != severity or finding["kind"] == "incomplete":
                continue
            if (everywhere and finding["kind"] == "one_host") or (assumable and _EMPTIED in finding["source"]):
                continue
            names = any(finding["where"] == where and key in finding["what"] for where, key in decided)
            in_a_row = finding["kind"] in ("client", "advice") and names
            if not in_a_row and not any(finding["what"] in text for text in said):
                place = origin_below_root(finding["where"], root)
                yield f"{place}: {finding['what']}; {finding['to_do']}{_source_text(finding)}"


_EMPTIED = "KAFKA-14077"
"""What the assumption on controllers is about."""


def _source_text(finding: Read) -> str:
    """The KIPs and issues of Kafka's in which it is written; the command that shows a run of the model is for --all."""
    parts = re.split(r"[;,] ", str(finding["source"]))
    named = [part for part in parts if part.startswith(("KIP-", "KAFKA-"))]
    return f" ({', '.join(named)})" if named else ""


def _read_text(document: Read) -> str:
    """`read 7 files, skipped 3 (README.md, values.schema.json, notes.txt)`; `asked localhost:9092`."""
    asked = [entry["path"] for entry in document["files"] if entry["format"] == RUNNING]
    files = len(document["files"]) - len(asked)
    paths, root = [left["path"] for left in document["unread"]], common_folder(document)
    names = [os.path.basename(path.rstrip("/")) or path for path in paths]
    within = [path.removeprefix(f"{root}/") if root else path for path in paths]
    skipped = [within[at] if names.count(name) > 1 else name for at, name in enumerate(names)]
    read = f"read {files:,} {'file' if files == 1 else 'files'}" if files or not asked else ""
    said = "; ".join(filter(None, (*(f"asked {address}" for address in asked), read)))
    if not skipped:
        return said
    more = f" and {len(skipped) - MOST_NAMES} more" if len(skipped) > MOST_NAMES else ""
    return f"{said}, skipped {len(skipped):,} ({', '.join(skipped[:MOST_NAMES])}{more})"
