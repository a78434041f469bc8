"""What an operator reads first, as a value: the headline, what is wrong now, and a row for each group of topics that
fails or is not decided, the worst first. Every face shows this, so that none of them can say something else.

    summary = summarize(document)        the document of an audit, whole; nothing is asked anew
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..answers.answer import LATE
from ..answers.verdicts import ASSUMPTIONS
from ..cluster.cluster import RUNNING
from ..cluster.settings import ELR_FEATURE
from ..exploring.explorations import NO_TIME
from ..questions.situations import BY_NAME, GRAVEST, LOST, UNREAD, Cell
from .deciding_settings import NOT_GIVEN
from .operator_words import what_happens, while_in_sync
from .signals import shown_beforehand
from .word_lists import list_with_or

Document = dict[str, Any]
Read = Mapping[str, Any]

WRITES = "writable"
KEPT, GO_ON, NOT_ASKED = "kept", "go on", "not required"
MOST_FAULTS = 2
"""Faults that a row names for one answer; of more, how many."""
MOST_DECIDING = 4
"""Settings that a row names; of more, how many."""

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
    everywhere = _take_out_shared_hosts(rows)
    assumable = _assumable_text(rows)
    outages = [*(_outage(outage) for outage in _causes(made["outages"])), *_present(made)]
    stops_all = any(outage["kind"] == "does not start" for outage in made["outages"])
    return {
        "mark": _mark(made),
        "headline": _headline(made),
        "now": outages,
        "stops_all": stops_all,
        "rows": rows,
        "everywhere": everywhere,
        "assumable": assumable,
        "passing": _topic_count([subject for subject in made["subjects"] if _result(subject) == "met"]),
        "beyond": list(_remaining_losses(made)),
        "not_covered": [
            {"what": finding["what"], "to_do": f"{finding['to_do']}{_source_text(finding)}"}
            for finding in made["findings"]
            if finding["kind"] == "incomplete"
        ],
        "also": list(_also(made, everywhere=bool(everywhere), assumable=bool(assumable))),
        "notes": sum(one["severity"] == "note" and one["kind"] != "incomplete" for one in made["findings"]),
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
            "hosts": [setting_at_its_place(used, root) for used in subject["deciding"] if used["becomes"] in _MOVES],
            "changes": subject["repair"]["change"] if subject["repair"] else [],
            "then": _then(subject),
        }
        watched = {"shown_by": list(_shown_by(subject, made))}
        same = found.setdefault(repr(row), {**row, **watched, "topics": [], "subjects": []})
        same["topics"] += topic_names(subject)
        same["subjects"].append(subject["name"])
    yield from found.values()


def _take_out_shared_hosts(rows: Sequence[Document]) -> str:
    """What is to blame at all topics that fail, hosts that several nodes share: taken out of the rows, and said once;
    "" where it is not at several of them."""
    failing = [row for row in rows if row["result"] == "failed"]
    hosts = [host for host in (failing[0]["hosts"] if failing else ()) if all(host in row["hosts"] for row in failing)]
    moved = [change for change in _MOVES if all(change in row["changes"] for row in failing)]
    is_shared = len(failing) > 1 and hosts and moved
    for row in failing if is_shared else ():
        row["decided"] = [decided for decided in row["decided"] if decided not in hosts] or [_AS_ABOVE]
        others = [change for change in row["changes"] if change not in moved]
        row["change"] = _change_text(others or [f"{', '.join(moved)} (above)"], row["then"])
    for row in rows:
        del row["hosts"], row["changes"], row["then"]
    if not is_shared:
        return ""
    return f"{'; '.join(hosts)}: what that host loses, all copies lose; change: {', '.join(moved)}"


_MOVES = ("a host for each node",)
_AS_ABOVE = "the host that they share (above)"


def _assumable_text(rows: Sequence[Document]) -> str:
    """What the assumption means that a row speaks of, how it is looked at, and how it is accepted; "" where none
    does."""
    if not any(CATCH_UP in row["change"] for row in rows):
        return ""
    return (
        f"{CATCH_UP}: {ASSUMPTIONS[CATCH_UP]}; kafka-metadata-quorum.sh --bootstrap-server HOST:9092 describe "
        f"--replication shows their lag. To accept it, write [[accepted]] with assumption, reason and expiry into a "
        "file for --baseline"
    )


CATCH_UP = "controllers-catch-up"
assert CATCH_UP in ASSUMPTIONS, "the assumption that rows speak of is one"


def _shown_by(subject: Read, made: Read) -> Iterator[str]:
    """What an operator watches, since it shows beforehand the gravest of what fails."""
    failed = sorted((check for check in subject["checks"] if check["result"] == "failed"), key=_gravity)
    if failed:
        table = subject["table"][failed[0]["question"]]
        cells = [
            _as_it_stands(BY_NAME[check["cell"]], table, subject)
            for check in failed
            if check["question"] == failed[0]["question"]
        ]
        yield from shown_beforehand(cells, made["versions"]["control plane"], _replicas(subject), subject["least_isr"])


def _as_it_stands(cell: Cell, table: Read, subject: Read) -> Cell:
    """A cell, with all in sync where its fault loses then as well, whether or not that is asked about, or where that is
    the same situation: all replicas that there are are needed."""
    replicas = _replicas(subject)
    is_smallest = replicas == 1 or (cell.situation.name == "min-isr" and subject["least_isr"] == replicas)
    in_sync = BY_NAME[f"{cell.fault.name}@all"]
    return in_sync if is_smallest or table[in_sync.name]["word"] == "can lose" else cell


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
    left = len(faults) - MOST_FAULTS
    more = f", and by {left} more fault{'s' if left > 1 else ''}" if left > 0 else ""
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
    """The settings that decide what fails, each with its file and line, or whose default it is; of what is open, what
    leaves it so."""
    named = list(dict.fromkeys((_left_open if _result(subject) == "open" else _failing_by)(subject, root)))
    yield from named[:MOST_DECIDING]
    if len(named) > MOST_DECIDING:
        yield f"{len(named) - MOST_DECIDING} more"


def _failing_by(subject: Read, root: str) -> list[str]:
    """What decides what fails; the topic itself where no setting is to blame."""
    deciding = subject["deciding"] if subject["repair"] else _deciding_checks(subject)
    deciding = deciding or list(_deciding_writes(subject))
    return [setting_at_its_place(used, root) for used in deciding] or [place_text(subject["where"], root)]


def _left_open(subject: Read, root: str) -> Iterator[str]:
    """What is not given, a setting by which nothing can be said, that time ran out, or else the topic."""
    for check in subject["checks"]:
        if check["result"] == "depends":
            yield from (f"not given: {fact}" for fact in check["on"])
        elif check["result"] == "not checked" and check["deciding"]:
            yield from (setting_at_its_place(used, root) for used in check["deciding"])
        elif check["result"] == "not checked":
            yield TOO_LITTLE_TIME if NO_TIME in check["why"] else place_text(subject["where"], root)


TOO_LITTLE_TIME = "time: it ran out"
"""What leaves open what was not explored."""


def _deciding_checks(subject: Read) -> list[Read]:
    """What the requirements that fail come from, the gravest first."""
    failed = sorted((check for check in subject["checks"] if check["result"] == "failed"), key=_gravity)
    return [used for check in failed for used in check["deciding"]]


def _deciding_writes(subject: Read) -> Iterator[Read]:
    """Why writes stop, where nothing is lost: as many replicas must be in sync as there are."""
    if any(_fails(check, WRITES) for check in subject["checks"]):
        wanted = ("replication factor", "min.insync.replicas")
        yield from (used for used in subject["settings"] if used["key"] in wanted)


def setting_at_its_place(used: Read, root: str = "") -> str:
    """`broker-1.properties:7 min.insync.replicas=1`; of a running cluster the resource and where its value comes from:
    `min.insync.replicas=1 (topic orders, set on the topic)`."""
    says = f"{used['key']} {used['value']}" if used["value"] == NOT_GIVEN else used["key"]
    if used["value"] not in ("", NOT_GIVEN):
        says += f"={used['value']}"
    where = used["where"]
    if where is None:
        return f"{says} (default)" if used["source"] else says
    if _is_asked(where):
        return f"{says} ({where['place']})" if used["value"] else says
    return f"{place_text(where, root)} {says}"


def place_text(where: Read, root: str = "") -> str:
    """A file, below the folder that all share, and its line; of what has no lines, the part of it that said so; of a
    running cluster the resource."""
    if _is_asked(where):
        return str(where["place"])
    path = os.path.relpath(where["path"], root) if root and where["path"].startswith(root) else where["path"]
    if where["line"] is not None:
        return f"{path}:{where['line']}"
    return f"{path} ({where['place']})" if where["place"] else path


def _is_asked(where: Read) -> bool:
    """Whether a running cluster said so: its name is the addresses at which it was asked."""
    return where["line"] is None and where["place"] != "" and _ADDRESSES.fullmatch(where["path"]) is not None


_ADDRESSES = re.compile(r"[^/\s,]+:\d+(,[^/\s,]+:\d+)*")


def _is_no_file(entry: Read) -> bool:
    return entry["format"] == RUNNING or "://" in entry["path"]


def _common_folder(made: Read) -> str:
    paths = [os.path.dirname(entry["path"]) for entry in made["files"] if not _is_no_file(entry)]
    try:
        return os.path.commonpath(paths) if paths else ""
    except ValueError:
        return ""


def _change(subject: Read) -> str:
    """What repairs it, what decides it, or that nothing was found."""
    if subject["repair"]:
        return _change_text(subject["repair"]["change"], _then(subject))
    if _result(subject) == "open":
        asks = dict.fromkeys(
            subject["not_given"].get(fact, fact)
            for check in subject["checks"]
            if check["result"] == "depends"
            for fact in check["on"]
        )
        if any(check["assumable"] for check in subject["checks"]):
            return f"accept {CATCH_UP} (below), or give controllers hosts of their own"
        return f"give {'; '.join(asks)}" if asks else ""
    if LATE in subject["no_repair"]:
        return "not found in this time: give a longer --time"
    return subject["repaired_by"] or ("none found" if subject["no_repair"] else "")


def _then(subject: Read) -> str:
    """What a repair takes besides: a lost disk that may be a controller's is not decided without an assumption."""
    repair = subject["repair"]
    if not repair:
        return ""
    if repair["leaves_open"]:
        return "some is not decided"
    is_moved = any("without brokers" in change for change in repair["change"])
    is_open = not is_moved and any(check["assumable"] for check in subject["checks"])
    return f"accept {CATCH_UP} (below)" if repair["assumes"] or is_open else ""


def _change_text(changes: Sequence[str], then: str) -> str:
    """The changes of a repair, and what is left to do then."""
    return "; then ".join(part for part in (", ".join(changes), then) if part)


def _also(made: Read, *, everywhere: bool, assumable: bool) -> Iterator[str]:
    """The errors and warnings about the files, in this order, but for what is said above: what is out of service, what
    is not covered, what names a setting that a row says decides, at its line, hosts that nodes share where these are
    to blame `everywhere`, and what the assumption is about that is `assumable`."""
    root = _common_folder(made)
    said = [outage["says"] for outage in made["outages"]]
    failing = (subject for subject in made["subjects"] if _result(subject) == "failed")
    decided = [(used["where"], used["key"]) for subject in failing for used in subject["deciding"]]
    for severity in ("error", "warning"):
        for finding in made["findings"]:
            if finding["severity"] != severity or finding["kind"] == "incomplete":
                continue
            if (everywhere and finding["kind"] == "one_host") or (assumable and _EMPTIED in finding["source"]):
                continue
            names = any(finding["where"] == where and key in finding["what"] for where, key in decided)
            in_a_row = finding["kind"] in ("client", "advice") and names
            if not in_a_row and not any(finding["what"] in text for text in said):
                place = place_text(finding["where"], root)
                yield f"{place}: {finding['what']}; {finding['to_do']}{_source_text(finding)}"


_EMPTIED = "KAFKA-14077"
"""What the assumption on controllers is about."""


def _source_text(finding: Read) -> str:
    """Where it is written, if that is a KIP or an issue of Kafka's."""
    source = str(finding["source"])
    return f" ({source})" if source.startswith(("KIP-", "KAFKA-")) else ""


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
    return f"{len(names):,} of {_topics_text(made)} {', or '.join(clauses)}: {_some(names)}"


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
        f"of {len(names):,} of {_topics_text(made)} it is not known whether they meet what is "
        f"required ({made['required']}): {_some(names)}"
    )


def _passing_text(made: Read) -> str:
    many = _topic_count(made["subjects"])
    meet = "the topic meets" if many == 1 else f"all {_topics_text(made)} meet"
    said = f"{meet} what is required ({made['required']})"
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
    if len(ranked) <= _MOST_NAMES + 1:  # "and 1 more" would be no shorter
        return ", ".join(ranked)
    return f"{', '.join(ranked[:_MOST_NAMES])} and {len(ranked) - _MOST_NAMES} more"


_MOST_NAMES = 4


def _topics_text(made: Read) -> str:
    """How many topics there are, and how many of them nobody made: `7 topics (2 are Kafka's own)`."""
    every = _topic_count(made["subjects"])
    own = _topic_count([subject for subject in made["subjects"] if subject["internal"]])
    return f"{every:,} topics" + (f" ({own} {'is' if own == 1 else 'are'} Kafka's own)" if own else "")


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
        yield f"{_some(names)}: {'passes' if len(names) == 1 else 'pass'}; records can still be lost when {says}"


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
    """`read 7 files, skipped 3 (README.md, values.schema.json, notes.txt)`; `asked localhost:9092`."""
    asked = [entry["path"] for entry in made["files"] if entry["format"] == RUNNING]
    files = len(made["files"]) - len(asked)
    skipped = [os.path.basename(left["path"].rstrip("/")) or left["path"] for left in made["unread"]]
    read = f"read {files:,} {'file' if files == 1 else 'files'}" if files or not asked else ""
    said = "; ".join(filter(None, (*(f"asked {address}" for address in asked), read)))
    if not skipped:
        return said
    more = f" and {len(skipped) - _MOST_NAMES} more" if len(skipped) > _MOST_NAMES else ""
    return f"{said}, skipped {len(skipped):,} ({', '.join(skipped[:_MOST_NAMES])}{more})"
