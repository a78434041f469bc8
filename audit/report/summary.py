"""What an operator reads first, as a value: the headline, what is wrong now, and a row for each group of topics that
fails or is not decided, the worst first. Every face shows this, so that none of them can say something else.

    summary = summarize(document)        the document of an audit, whole; nothing is asked anew
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..answers.verdicts import ON_DISK_OF_CONTROLLER
from ..cluster.settings import ELR_FEATURE
from ..questions.situations import BY_NAME, GRAVEST, LOST, UNREAD, Cell
from .deciding_settings import NOT_GIVEN
from .operator_words import what_happens, while_in_sync
from .word_lists import list_with_or

Document = dict[str, Any]
Read = Mapping[str, Any]

WRITES = "writable"
KEPT, GO_ON, NOT_ASKED = "kept", "go on", "not required"
MOST_FAULTS = 2
"""Faults that a row names for one answer; of more, how many."""
MOST_DECIDING = 2
"""Settings that a row names."""

_STOPS = {
    "leader-move": "though nothing is wrong",
    "restart": "while one broker restarts",
    "crash": "while one broker is down",
}
_EVERYDAY = {"restart", "crash"}
"""Faults that stop writes alike: one broker is away for a while."""


def summarize(made: Read) -> Document:
    """The summary of a document. `rows` are what fails or is open, worst first; `passing` counts the topics of which
    neither is so; `stops_all`: nodes do not start, so that nothing is to be said of topics before they do."""
    rows = list(_rows(made))
    outages = [*(_outage(outage) for outage in _causes(made["outages"])), *_present(made)]
    stops_all = any(outage["kind"] == "does not start" for outage in made["outages"])
    return {
        "mark": _mark(made),
        "headline": _headline(made),
        "now": outages,
        "stops_all": stops_all,
        "rows": rows,
        "passing": _topic_count([subject for subject in made["subjects"] if _result(subject) == "met"]),
        "beyond": list(_remaining_losses(made)),
        "not_covered": [
            {"what": finding["what"], "to_do": finding["to_do"]}
            for finding in made["findings"]
            if finding["kind"] == "incomplete"
        ],
        "also": list(_also(made)),
        "read": _read_text(made),
    }


def _mark(made: Read) -> str:
    """✗ where something fails, ? where something is open or not covered, else ✓."""
    return {0: "✓", 1: "✗"}.get(made["exit"], "?")


def _causes(outages: Sequence[Read]) -> list[Read]:
    """The outages, but for partitions that are without a leader since all nodes that they miss do not start: that is
    said of the nodes."""
    down = {node for outage in outages if outage["kind"] == "does not start" for node in outage["nodes"]}
    return [one for one in outages if not (down and one["topic"] and one["nodes"] and set(one["nodes"]) <= down)]


def _outage(outage: Read) -> Document:
    return {"says": outage["says"], "kind": outage["kind"], "certain": outage["certain"]}


def _present(made: Read) -> Iterator[Document]:
    """What the present state of partitions means, where that was asked."""
    for subject in made["subjects"]:
        for group in subject["now"]["groups"] if subject["now"] else ():
            yield {"says": group["headline"], "kind": "present", "certain": False}


# --- rows -----------------------------------------------------------------------------------------------------------


def _rows(made: Read) -> Iterator[Document]:
    """Groups of topics of which the same is said, where each is in the document's order."""
    found: dict[str, Document] = {}
    root = _common_folder(made)
    for subject in made["subjects"]:
        result = _result(subject)
        if result == "met":
            continue
        row = {
            "result": result,
            "records": _records(subject),
            "writes": _writes(subject),
            "decided": list(_deciding_settings(subject, root)),
            "change": _change(subject),
        }
        same = found.setdefault(repr(row), {**row, "topics": [], "subjects": []})
        same["topics"] += topic_names(subject)
        same["subjects"].append(subject["name"])
    yield from found.values()


def topic_names(subject: Read) -> list[str]:
    """The names of a subject's topics."""
    return list(subject["topics"])


def _result(subject: Read) -> str:
    results = {check["result"] for check in subject["checks"]}
    return "failed" if "failed" in results else "open" if results & {"depends", "not checked"} else "met"


def _records(subject: Read) -> str:
    """Whether what was acknowledged is kept, and whatever else is asked of records."""
    failed = [check for check in subject["checks"] if check["result"] == "failed" and check["question"] != WRITES]
    if failed:
        questions = dict.fromkeys(check["question"] for check in sorted(failed, key=_gravity))
        first = [check for check in failed if check["question"] == next(iter(questions))]
        more = [what_happens(question) for question in list(questions)[1:]]
        return _when(first, subject) + (f"; also {list_with_or(more)}" if more else "")
    return _open_text(subject, writes=False)


def _gravity(check: Read) -> tuple[int, int]:
    question = {LOST: 0, UNREAD: 1}.get(check["question"], 2)
    return question, GRAVEST.index(BY_NAME[check["cell"]])


def _when(failed: Sequence[Read], subject: Read) -> str:
    """What happens to records, and when: the likeliest faults in the largest ISR in which they do it, whether or not
    that is asked about."""
    cells = sorted((BY_NAME[check["cell"]] for check in failed), key=GRAVEST.index)
    first = cells[0].situation
    faults = list(dict.fromkeys(cell.fault.when for cell in cells if cell.situation == first))
    named = list_with_or(faults[:MOST_FAULTS])
    more = f", and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
    shown = [cell.fault.name for cell in cells if cell.fault.when in faults[:MOST_FAULTS]]
    table = subject["table"][failed[0]["question"]]
    always = all(table[f"{name}@all"]["word"] == "can lose" for name in shown)
    within = "" if always else while_in_sync(cells[0], subject["least_isr"], _replicas(subject))
    return f"{what_happens(failed[0]['question'])} when {named}{within}{more}"


def _replicas(subject: Read) -> int | None:
    stated = (used["value"] for used in subject["settings"] if used["key"] == "replication factor")
    return next((int(value) for value in stated if value.isdecimal()), None)


def _writes(subject: Read) -> str:
    """Whether writes go on."""
    failed = [BY_NAME[check["cell"]] for check in subject["checks"] if _fails(check, WRITES)]
    if not failed:
        return _open_text(subject, writes=True)
    names = list(dict.fromkeys(cell.fault.name for cell in failed))
    if "leader-move" in names:
        return f"stop {_STOPS['leader-move']}"
    if set(names) >= _EVERYDAY:
        return "stop while one broker restarts or is down"
    return f"stop {_STOPS.get(names[0], f'when {failed[0].fault.when}')}"


def _fails(check: Read, question: str) -> bool:
    return check["result"] == "failed" and check["question"] == question


def _open_text(subject: Read, *, writes: bool) -> str:
    """Kept, or going on; or what is missing to know it."""
    checks = [check for check in subject["checks"] if (check["question"] == WRITES) == writes]
    on = dict.fromkeys(fact for check in checks if check["result"] == "depends" for fact in check["on"])
    if on:
        return f"not known: depends on {', '.join(on)}"
    why = next((check["why"] for check in checks if check["result"] == "not checked"), None)
    if why is not None:
        return f"not known: {_shorten_reason(why)}" if why else "not known"
    return NOT_ASKED if not checks else GO_ON if writes else KEPT


def _shorten_reason(why: str) -> str:
    """What is said before the first semicolon, and of what is long before the first colon: what to do about it stands
    elsewhere."""
    said = why.partition(";")[0]
    return said if len(said) <= _LONG else said.partition(":")[0]


_LONG = 90


def _deciding_settings(subject: Read, root: str) -> Iterator[str]:
    """The settings that decide what fails, each with its file and line, or whose default it is; none of what is open,
    which no value decides."""
    if _result(subject) == "open":
        return
    deciding = subject["deciding"] or list(_deciding_writes(subject))
    if _result(subject) == "open":  # what would decide a loss that is not asked about is none of its facts
        on = {fact for check in subject["checks"] if check["result"] == "depends" for fact in check["on"]}
        deciding = [used for used in subject["deciding"] if used["key"] in on]
    yield from list(dict.fromkeys(setting_at_its_place(used, root) for used in deciding))[:MOST_DECIDING]
    if not deciding and subject["where"] is not None and _result(subject) == "failed":
        yield place_text(subject["where"], root)


def _deciding_writes(subject: Read) -> Iterator[Read]:
    """Why writes stop, where nothing is lost: as many replicas must be in sync as there are."""
    if any(_fails(check, WRITES) for check in subject["checks"]):
        wanted = ("replication factor", "min.insync.replicas")
        yield from (used for used in subject["settings"] if used["key"] in wanted)


def setting_at_its_place(used: Read, root: str = "") -> str:
    """`broker-1.properties:7 min.insync.replicas=1`."""
    says = f"{used['key']} {used['value']}" if used["value"] == NOT_GIVEN else used["key"]
    if used["value"] not in ("", NOT_GIVEN):
        says += f"={used['value']}"
    if used["where"] is None:
        return f"{says} (default)" if used["source"] else says
    return f"{place_text(used['where'], root)} {says}"


def place_text(where: Read, root: str = "") -> str:
    """A file, below the folder that all share, and its line; of what has no lines, the part of it that said so."""
    path = os.path.relpath(where["path"], root) if root and where["path"].startswith(root) else where["path"]
    if where["line"] is not None:
        return f"{path}:{where['line']}"
    return f"{path} ({where['place']})" if where["place"] else path


def _common_folder(made: Read) -> str:
    paths = [os.path.dirname(entry["path"]) for entry in made["files"] if "://" not in entry["path"]]
    try:
        return os.path.commonpath(paths) if paths else ""
    except ValueError:
        return ""


def _change(subject: Read) -> str:
    """What repairs it, what decides it, or that nothing was found."""
    changes = [
        f"{used['key']}={used['becomes']}" if used["value"] else used["becomes"]
        for used in subject["deciding"]
        if used["becomes"]
    ]
    if changes and subject["repair"]:
        return ", ".join(changes) + ("; then some is not decided" if subject["repair"]["leaves_open"] else "")
    if _result(subject) == "open":
        asks = dict.fromkeys(
            subject["not_given"].get(fact, fact)
            for check in subject["checks"]
            if check["result"] == "depends"
            for fact in check["on"]
        )
        if any(check["why"] == ON_DISK_OF_CONTROLLER for check in subject["checks"]):
            return 'accept the assumption "controllers-catch-up" with --baseline, or give controllers their own hosts'
        return f"give {'; '.join(asks)}" if asks else ""
    return subject["repaired_by"] or ("none found" if subject["no_repair"] else "")


def _also(made: Read) -> Iterator[str]:
    """The errors and warnings about the files, in this order, but for what is said above: what is out of service, what
    is not covered, and what names a setting that a row says decides, at its line."""
    root = _common_folder(made)
    said = [outage["says"] for outage in made["outages"]]
    failing = (subject for subject in made["subjects"] if _result(subject) == "failed")
    decided = [(used["where"], used["key"]) for subject in failing for used in subject["deciding"]]
    for severity in ("error", "warning"):
        for finding in made["findings"]:
            if finding["severity"] != severity or finding["kind"] == "incomplete":
                continue
            names = any(finding["where"] == where and key in finding["what"] for where, key in decided)
            in_a_row = finding["kind"] in ("client", "advice") and names
            if not in_a_row and not any(finding["what"] in text for text in said):
                yield f"{place_text(finding['where'], root)}: {finding['what']}; {finding['to_do']}"


# --- the headline ---------------------------------------------------------------------------------------------------


def _headline(made: Read) -> str:
    """One sentence: what does not start or is refused now, else how many topics fail, how, and which."""
    if made["unknown_release"]:
        return str(made["unknown_release"])
    if not made["subjects"]:
        return str(made["not_asked"])
    now = "; ".join(_now_text(_causes(made["outages"])))
    failed = [subject for subject in made["subjects"] if _result(subject) == "failed"]
    opened = [subject for subject in made["subjects"] if _result(subject) == "open"]
    if any(outage["kind"] == "does not start" for outage in made["outages"]):
        return now
    said = _failing_text(failed, made) if failed else _open_headline(opened, made) if opened else made["not_asked"]
    if not said:
        said = _passing_text(made)
    return f"{now}; {said}" if now else said


_OF_NODES = {
    "is down": "is down",
    "does not answer": "does not answer",
    "a controller is down": "is down",
    "does not start": "does not start",
}
"""Kinds of outages that are of nodes, and what is said of one."""


def _now_text(outages: Sequence[Read]) -> Iterator[str]:
    """What is out of service for certain, the gravest first."""
    certain = [outage for outage in outages if outage["certain"]]
    kinds = {outage["kind"] for outage in certain}
    if "no controller" in kinds:
        yield "no majority of controllers answers"
    for kind, says in _OF_NODES.items():
        if kind in kinds:
            nodes = sorted({node for outage in certain if outage["kind"] == kind for node in outage["nodes"]})
            yield _nodes_text(nodes, "a controller" if kind == "a controller is down" else "a node", says)
    if "no consumer" in kinds:
        yield "some consumers do not start or join their groups"
    topics = dict.fromkeys(outage["topic"] for outage in certain if outage["topic"])
    if topics:
        yield f"partitions of {_some(list(topics))} refuse writes or reads now"


def _nodes_text(nodes: Sequence[int], otherwise: str, says: str) -> str:
    """`node 2 is down`, `nodes 2, 3 are down`."""
    if len(nodes) < 2:
        return f"node {nodes[0]} {says}" if nodes else f"{otherwise} {says}"
    return f"nodes {', '.join(map(str, nodes))} {says.replace('is', 'are').replace('does', 'do')}"


def _failing_text(failed: Sequence[Read], made: Read) -> str:
    """`3 of 5 topics can lose acknowledged records when a host loses power, or stop when one broker is down: a, b`."""
    clauses = list(_clauses(failed))
    names = [name for subject in failed for name in topic_names(subject)]
    many = f"{len(names):,} of {_topic_count(made['subjects']):,} topics"
    return f"{many} {', or '.join(clauses)}: {_some(names)}"


_VERBS = {LOST: "can lose acknowledged records", UNREAD: "can take back what was read", WRITES: "stop"}


def _clauses(failed: Sequence[Read]) -> Iterator[str]:
    checks = [check for subject in failed for check in subject["checks"] if check["result"] == "failed"]
    for question, verb in _VERBS.items():
        cells = sorted((BY_NAME[check["cell"]] for check in checks if check["question"] == question), key=GRAVEST.index)
        if cells:
            yield f"{verb} {_event(question, cells)}"
    others = dict.fromkeys(check["question"] for check in checks if check["question"] not in (LOST, UNREAD, WRITES))
    if others:
        yield f"fail: {list_with_or([what_happens(question) for question in others])}"


def _event(question: str, cells: Sequence[Cell]) -> str:
    """The likeliest of the faults; of writes that stop, that nothing is wrong, or that one broker is away."""
    names = {cell.fault.name for cell in cells}
    for name in ("leader-move", "crash", "restart") if question == WRITES else ():
        if name in names:
            return _STOPS[name]
    return f"when {cells[0].fault.when}"


def _open_headline(opened: Sequence[Read], made: Read) -> str:
    names = [name for subject in opened for name in topic_names(subject)]
    return (
        f"of {len(names):,} of {_topic_count(made['subjects']):,} topics it is not known whether they meet what is "
        f"required ({made['required']}): {_some(names)}"
    )


def _passing_text(made: Read) -> str:
    many = _topic_count(made["subjects"])
    said = f"{'the topic meets' if many == 1 else f'all {many:,} topics meet'} what is required ({made['required']})"
    accepted = [check for subject in made["subjects"] for check in subject["checks"] if check["result"] == "accepted"]
    assumed = dict.fromkeys(check["assumption"] for check in accepted if check["assumption"])
    if any(not check["assumption"] for check in accepted):
        said += ", but for what is accepted"
    if assumed:
        said += f", assuming that {'; '.join(assumed)}"
    missing = next((finding["what"] for finding in made["findings"] if finding["kind"] == "incomplete"), "")
    return f"of what was read {said}, but something is not covered: {missing}" if missing else said


def _some(names: Sequence[str]) -> str:
    """The first names, users' topics before Kafka's own."""
    ranked = sorted(dict.fromkeys(names), key=lambda name: name.startswith("__"))
    more = f" and {len(ranked) - _MOST_NAMES} more" if len(ranked) > _MOST_NAMES else ""
    return f"{', '.join(ranked[:_MOST_NAMES])}{more}"


_MOST_NAMES = 4


def _topic_count(subjects: Sequence[Read]) -> int:
    return len({name for subject in subjects for name in topic_names(subject)})


def _remaining_losses(made: Read) -> Iterator[str]:
    """What a topic that meets everything can still lose by, the likeliest first."""
    said: dict[str, list[str]] = {}
    for subject in made["subjects"]:
        refused = dict.fromkeys(check["note"] for check in subject["checks"] if check["result"] != "accepted")
        yield from (f"{_some(topic_names(subject))}: {note}" for note in refused if note)
        if subject["accepted"]:
            yield f"{_some(topic_names(subject))}: {subject['accepted']}"
        elif _result(subject) == "met" and subject["loss"]:
            said.setdefault(f"{_loss_clause(subject)}{_mended_later(subject)}", []).extend(topic_names(subject))
    for says, names in said.items():
        yield f"{_some(names)}: passes; records can still be lost when {says}"


def _loss_clause(subject: Read) -> str:
    """By which fault, and when; where a lost directory loses what a lost disk does, by both."""
    says, question = str(subject["loss"]["says"]), subject["loss"]["question"]
    fault, _, situation = subject["loss"]["cell"].partition("@")
    if fault == "disk-loss" and subject["table"][question][f"directory-loss@{situation}"]["word"] == "can lose":
        return says.replace("a disk is lost", "a disk or a directory is lost", 1)
    return says


def _mended_later(subject: Read) -> str:
    """From which release on eligible leader replicas keep what can be lost while one replica is in sync (KIP-966). What
    stops on storage that is ephemeral loses its disk: up to 4.2 that is lost all the same."""
    fault, _, situation = subject["loss"]["cell"].partition("@")
    if situation != "one" or (subject["least_isr"] or 0) < 2:
        return ""
    ephemeral = any(used["key"] == "storage" and used["value"] == "ephemeral" for used in subject["settings"])
    if ephemeral or fault in ("disk-loss", "directory-loss"):
        return "; Kafka 4.3 with eligible.leader.replicas.version=1 keeps them"
    if any(used["key"] == ELR_FEATURE for used in subject["deciding"]):
        return "; eligible.leader.replicas.version=1 keeps them, from Kafka 4.0 on"
    return ""


def _read_text(made: Read) -> str:
    """`read 7 files, skipped 3 (README.md, values.schema.json, notes.txt)`."""
    files = len(made["files"])
    skipped = [os.path.basename(left["path"].rstrip("/")) or left["path"] for left in made["unread"]]
    said = f"read {files:,} {'file' if files == 1 else 'files'}"
    if not skipped:
        return said
    more = f" and {len(skipped) - _MOST_NAMES} more" if len(skipped) > _MOST_NAMES else ""
    return f"{said}, skipped {len(skipped):,} ({', '.join(skipped[:_MOST_NAMES])}{more})"
