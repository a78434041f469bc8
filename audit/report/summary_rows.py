"""A row of the summary for each group of topics of which the same is said: what can happen, by which setting, at which
file and line, and what changes it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from ..answers.answer import ASSUMPTIONS, LATE
from ..cluster.cluster import RUNNING
from ..cluster.settings import BY_DEFAULT
from ..exploring.case_results import NO_TIME
from ..facts.facts import NOT_GIVEN
from ..kafka.tools import BOOTSTRAP
from ..questions.situations import BY_NAME, GRAVEST, LOST, UNREAD, Cell
from .operator_words import text_of_replicas_in_sync, what_happens
from .signals import warning_signs
from .summary_subjects import STOPS, WRITES, Document, Read, has_failed, silent_producers, topic_names, worst_result
from .word_lists import list_with_or

KEPT, GO_ON, NOT_ASKED = "kept", "go on", "not required"
MOST_FAULTS = 2
"""Faults that a row names for one answer; of more, how many."""
MOST_DECIDING = 4
"""Settings that a row names; of more, how many."""

_EVERYDAY = {"restart", "crash"}
"""Faults that stop writes alike: one broker is away for a while."""


def summary_rows(document: Read) -> Iterator[Document]:
    """Groups of topics of which the same is said, where each is in the document's order."""
    found: dict[str, Document] = {}
    root = common_folder(document)
    is_accepted = any(check["assumption"] for subject in document["subjects"] for check in subject["checks"])
    for subject in document["subjects"]:
        result = worst_result(subject)
        if result == "met":
            continue
        then = _further_step_text(subject, is_accepted=is_accepted)
        row = {
            "result": result,
            "records": _records_column_text(subject),
            "writes": _writes_column_text(subject),
            "records_word": _column_word(subject, writes=False),
            "writes_word": _column_word(subject, writes=True),
            "decided": list(_deciding_settings(subject, root)),
            "change": _change_column_text(subject, then),
            "hosts": [setting_at_its_place(used, root) for used in subject["deciding"] if used["becomes"] in _MOVES],
            "changes": subject["repair"]["change"] if subject["repair"] else [],
            "then": then,
        }
        watched = {"shown_by": list(_sign_texts(subject, document))}
        same = found.setdefault(repr(row), {**row, **watched, "topics": [], "subjects": []})
        same["topics"] += topic_names(subject)
        same["subjects"].append(subject["name"])
    yield from found.values()


def take_out_shared_hosts(rows: Sequence[Document]) -> str:
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


def assumable_text(rows: Sequence[Document]) -> str:
    """What the assumption means that a row speaks of, how it is looked at, and how it is accepted; "" where none
    does."""
    if not any(CATCH_UP in row["change"] for row in rows):
        return ""
    return (
        f"{CATCH_UP}: {ASSUMPTIONS[CATCH_UP]}; kafka-metadata-quorum.sh {BOOTSTRAP} describe --replication shows their "
        "lag. If whoever replaces a disk sees to that, this line of a file for --baseline accepts it"
    )


def assumable_toml(date: str) -> str:
    """The line of a file for `--baseline` that accepts the assumption, a year from a day on (ISO; "": for good)."""
    year, _, day = date.partition("-")
    expiry = f"{int(year) + 1}-{day.replace('02-29', '02-28')}" if date else "9999-12-31"
    return f'accepted = [{{assumption = "{CATCH_UP}", reason = "{_REASON}", expiry = {expiry}}}]'


_REASON = "our runbook waits for it"


CATCH_UP = "controllers-catch-up"
assert CATCH_UP in ASSUMPTIONS, "the assumption that rows speak of is one"


def _sign_texts(subject: Read, document: Read) -> Iterator[str]:
    """What an operator watches, since it shows beforehand the gravest of what fails."""
    failed = sorted((check for check in subject["checks"] if check["result"] == "failed"), key=_gravity_of_check)
    if failed:
        table = subject["table"][failed[0]["question"]]
        cells = [
            _cell_at_largest_isr(BY_NAME[check["cell"]], table, subject)
            for check in failed
            if check["question"] == failed[0]["question"]
        ]
        yield from warning_signs(
            cells, document["versions"]["control plane"], _replication_factor(subject), subject["least_isr"]
        )


def _cell_at_largest_isr(cell: Cell, table: Read, subject: Read) -> Cell:
    """A cell, with all in sync where its fault loses then as well, whether or not that is asked about, or where that is
    the same situation: all replicas that there are are needed."""
    replicas = _replication_factor(subject)
    is_smallest = replicas == 1 or (cell.situation.name == "min-isr" and subject["least_isr"] == replicas)
    in_sync = BY_NAME[f"{cell.fault.name}@all"]
    return in_sync if is_smallest or table[in_sync.name]["word"] == "can lose" else cell


def _records_column_text(subject: Read) -> str:
    """Whether what was acknowledged is kept, and whatever else is asked of records."""
    failed = [check for check in subject["checks"] if check["result"] == "failed" and check["question"] != WRITES]
    if failed:
        questions = dict.fromkeys(check["question"] for check in sorted(failed, key=_gravity_of_check))
        first = [check for check in failed if check["question"] == next(iter(questions))]
        more = [what_happens(question) for question in list(questions)[1:]]
        return _loss_conditions_text(first, subject) + (f"; also {list_with_or(more)}" if more else "")
    return _open_text(subject, writes=False)


def _gravity_of_check(check: Read) -> tuple[int, int]:
    question = {LOST: 0, UNREAD: 1}.get(check["question"], 2)
    return question, GRAVEST.index(BY_NAME[check["cell"]])


def _loss_conditions_text(failing_subjects: Sequence[Read], subject: Read) -> str:
    """What happens to records, and when: the likeliest faults in the largest ISR in which they do it, whether or not
    that is asked about."""
    cells = sorted((BY_NAME[check["cell"]] for check in failing_subjects), key=GRAVEST.index)
    first = cells[0].situation
    faults = list(dict.fromkeys(cell.fault.when for cell in cells if cell.situation == first))
    named = list_with_or(faults[:MOST_FAULTS])
    left = len(faults) - MOST_FAULTS
    more = f", and by {left} more fault{'s' if left > 1 else ''}" if left > 0 else ""
    shown = [cell.fault.name for cell in cells if cell.fault.when in faults[:MOST_FAULTS]]
    table = subject["table"][failing_subjects[0]["question"]]
    always = all(table[f"{name}@all"]["word"] == "can lose" for name in shown)
    within = "" if always else text_of_replicas_in_sync(cells[0], subject["least_isr"], _replication_factor(subject))
    return f"{what_happens(failing_subjects[0]['question'])} when {named}{within}{more}"


def _replication_factor(subject: Read) -> int | None:
    stated = (used["value"] for used in subject["settings"] if used["key"] == "replication factor")
    return next((int(value) for value in stated if value.isdecimal()), None)


def _column_word(subject: Read, *, writes: bool) -> str:
    """What a column comes to, for programs: `failed`, `silent` (nothing is wrong with the brokers, and nothing is
    written), `open`, `met` or `not required`."""
    results = {check["result"] for check in subject["checks"] if (check["question"] == WRITES) == writes}
    if "failed" in results:
        return "silent" if writes and silent_producers([subject]) else "failed"
    return "open" if results & {"depends", "not checked"} else "met" if results else "not required"


def _writes_column_text(subject: Read) -> str:
    """Whether writes go on."""
    failed = [BY_NAME[check["cell"]] for check in subject["checks"] if has_failed(check, WRITES)]
    if not failed:
        return _open_text(subject, writes=True)
    names = list(dict.fromkeys(cell.fault.name for cell in failed))
    silent = silent_producers([subject])
    if silent:
        return f"none: {silent[0]}"
    if "leader-move" in names:
        return f"stop {STOPS['leader-move']}"
    if set(names) >= _EVERYDAY:
        return "stop while one broker restarts or is down"
    return f"stop {STOPS.get(names[0], f'when {failed[0].fault.when}')}"


def _open_text(subject: Read, *, writes: bool) -> str:
    """Kept, or going on; or what is missing to know it."""
    checks = [check for check in subject["checks"] if (check["question"] == WRITES) == writes]
    on = dict.fromkeys(fact for check in checks if check["result"] == "depends" for fact in check["on"])
    if on:
        return f"not known: depends on {', '.join(on)}"
    open_ = next((check for check in checks if check["result"] == "not checked"), None)
    if open_ is not None:
        return f"not known: {_short_reason(open_)}" if open_["why"] else "not known"
    return NOT_ASKED if not checks else GO_ON if writes else KEPT


def _short_reason(check: Read) -> str:
    """What is said before the first semicolon, and of what is long before the first colon: what to do about it stands
    elsewhere."""
    if check["stop_reason"] == NO_TIME:
        return "time ran out"
    said: str = check["why"].partition(";")[0]
    return said if len(said) <= _LONG else said.partition(":")[0]


_LONG = 90


def _deciding_settings(subject: Read, root: str) -> Iterator[str]:
    """The settings that decide what fails, each with its file and line, or whose default it is; of what is open, what
    leaves it so."""
    named = list(
        dict.fromkeys((_open_fact_texts if worst_result(subject) == "open" else _failure_place_texts)(subject, root))
    )
    yield from named[:MOST_DECIDING]
    if len(named) > MOST_DECIDING:
        yield f"{len(named) - MOST_DECIDING} more"


def _failure_place_texts(subject: Read, root: str) -> list[str]:
    """What decides what fails; the topic itself where no setting is to blame."""
    deciding = subject["deciding"] if subject["repair"] else _settings_behind_failures(subject)
    deciding = deciding or list(_deciding_writes(subject))
    return [setting_at_its_place(used, root) for used in deciding] or [origin_below_root(subject["where"], root)]


def _open_fact_texts(subject: Read, root: str) -> Iterator[str]:
    """What is not given, or is said twice and not alike, a setting by which nothing can be said, that time ran out, or
    else the topic."""
    for check in subject["checks"]:
        if check["result"] == "depends":
            yield from (open_fact_text(fact, subject, root) for fact in check["on"])
        elif check["result"] == "not checked" and check["deciding"]:
            yield from (setting_at_its_place(used, root) for used in check["deciding"])
        elif check["result"] == "not checked":
            yield TOO_LITTLE_TIME if check["stop_reason"] == NO_TIME else origin_below_root(subject["where"], root)


def open_fact_text(fact: str, subject: Read, root: str = "") -> str:
    """`not given: acks`; of what is given all the same each statement with its place, and why it decides nothing."""
    stated = subject["stated"].get(fact)
    if stated is None:
        return f"not given: {fact}"
    named = [setting_at_its_place(used, root) for used in stated["settings"]]
    more = f", {len(named) - MOST_DECIDING} more" if len(named) > MOST_DECIDING else ""
    return f"{stated['why']}: {', '.join(named[:MOST_DECIDING])}{more}"


TOO_LITTLE_TIME = "time: it ran out"
"""What leaves open what was not explored."""


def _settings_behind_failures(subject: Read) -> list[Read]:
    """What the requirements that fail come from, the gravest first."""
    failed = sorted((check for check in subject["checks"] if check["result"] == "failed"), key=_gravity_of_check)
    return [used for check in failed for used in check["deciding"]]


def _deciding_writes(subject: Read) -> Iterator[Read]:
    """Why writes stop, where nothing is lost: as many replicas must be in sync as there are."""
    if any(has_failed(check, WRITES) for check in subject["checks"]):
        wanted = ("replication factor", "min.insync.replicas")
        yield from (used for used in subject["settings"] if used["key"] in wanted)


def setting_at_its_place(setting: Read, root: str = "") -> str:
    """`broker-1.properties:7 min.insync.replicas=1`; of a running cluster the resource and where its value comes from:
    `min.insync.replicas=1 (topic orders, set on the topic)`."""
    says = f"{setting['key']} {setting['value']}" if setting["value"] == NOT_GIVEN else setting["key"]
    if setting["value"] not in ("", NOT_GIVEN):
        says += f"={setting['value']}"
    where = setting["where"]
    if where is None:
        return f"{says} (default)" if setting["source"] else says
    if _is_asked(where):
        return f"{says} ({where['place']})" if setting["value"] else says
    return f"{origin_below_root(where, root)} {says}{f' ({BY_DEFAULT})' if setting['source'] == BY_DEFAULT else ''}"


def origin_below_root(where: Read, root: str = "") -> str:
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


def common_folder(document: Read) -> str:
    """The folder that all files which were read are in; "" if there is none."""
    paths = [os.path.dirname(entry["path"]) for entry in document["files"] if not _is_no_file(entry)]
    try:
        return os.path.commonpath(paths) if paths else ""
    except ValueError:
        return ""


def _change_column_text(subject: Read, then: str) -> str:
    """What repairs it, and what is left to do `then`; what decides it, or that nothing was found."""
    if subject["repair"]:
        return _change_text(subject["repair"]["change"], then)
    if worst_result(subject) == "open":
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


def _further_step_text(subject: Read, *, is_accepted: bool) -> str:
    """What a repair takes besides: a lost disk that may be a controller's is not decided without an assumption, unless
    that `is_accepted`."""
    repair = subject["repair"]
    if not repair:
        return ""
    if repair["leaves_open"]:
        first, *more = repair["left"]
        others = f", and {len(more)} more" if more else ""
        return f"it is not decided whether {first}{others}"
    is_moved = any("without brokers" in change for change in repair["change"])
    is_open = not is_moved and any(check["assumable"] for check in subject["checks"])
    return f"accept {CATCH_UP} (below)" if not is_accepted and (repair["assumes"] or is_open) else ""


def _change_text(changes: Sequence[str], then: str) -> str:
    """The changes of a repair, and what is left to do then."""
    return "; then ".join(part for part in (", ".join(changes), then) if part)
