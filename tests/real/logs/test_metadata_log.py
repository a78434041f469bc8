"""A metadata log that is not whole, or cannot be one, is refused: what is missing may be what matters."""

from __future__ import annotations

import itertools
import json
import random
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidegate.language.errors import UsageError
from tidegate.real.history.partitions import recorded_cluster
from tidegate.real.logs.metadata_log import read_metadata_log
from tidegate.real.validation.settings import find_version
from tidegate.real.validation.validating import validate_histories

from ...conftest import ROOT, Run
from ...support.metadata_logs import restarts

HISTORIES = ROOT / "examples" / "histories"
STANDING = HISTORIES / "last_replica_standing.log"
PRINTED = STANDING.with_suffix(".txt")


def batches(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The batches of a segment, each with its first offset."""
    at = 0
    while at < len(data):
        first, length = struct.unpack(">qi", data[at : at + 12])
        yield first, data[at : at + 12 + length]
        at += 12 + length


def segment(folder: Path, first: int, last: int) -> Path:
    """The batches of a range of offsets as a segment of their own."""
    path = folder / f"{first:020d}.log"
    path.write_bytes(b"".join(batch for offset, batch in batches(STANDING.read_bytes()) if first <= offset <= last))
    return path


def test_segments_one_after_the_other_are_one_log(tmp_path: Path) -> None:
    segment(tmp_path, 0, 29)
    segment(tmp_path, 30, 99)
    assert read_metadata_log(tmp_path).entries == read_metadata_log(STANDING).entries


def test_a_segment_that_is_missing_is_said(tidegate: Run, tmp_path: Path) -> None:
    segment(tmp_path, 0, 29)
    segment(tmp_path, 47, 99)
    done = tidegate("validate", str(tmp_path))
    assert done.exit == 64
    assert "offsets 30 to 46 are missing before it" in done.err


def test_a_later_segment_alone_is_refused(tidegate: Run, tmp_path: Path) -> None:
    done = tidegate("validate", str(segment(tmp_path, 30, 99)))
    assert done.exit == 64
    assert "offsets 0 to 29 are missing before it; give the controller's directory" in done.err


def test_a_snapshot_without_its_end_is_refused(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, 29).rename(tmp_path / "00000000000000000030-0000000001.checkpoint")
    with pytest.raises(UsageError, match="the snapshot is not whole: it has no footer"):
        read_metadata_log(path)


# --- printed logs -----------------------------------------------------------------------------------------------------

Change = Callable[[str], str]


def drop_record(kind: str, field: str = "") -> Change:
    """A printed log without the first record of a kind, all offsets after it one less."""

    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        place = next(place for place, line in enumerate(lines) if f'"{kind}"' in line and field in line)
        offset = int(re.findall(r"offset: (\d+)", lines[place])[0])
        del lines[place]
        return "".join(_earlier(line, offset) for line in lines)

    return change


def _earlier(line: str, offset: int) -> str:
    """Where offsets beyond one are one less. A batch without a record is gone."""

    def less(found: re.Match[str]) -> str:
        number = int(found[2])
        return found[1] + str(number - (number > offset or (found[1] == "lastOffset: " and number == offset)))

    changed = re.sub(r"(\b(?:baseOffset|lastOffset|offset): )(\d+)", less, line, count=2 if line[0] == "b" else 1)
    numbers = re.findall(r"^baseOffset: (\d+) lastOffset: (-?\d+)", changed)
    return "" if numbers and int(numbers[0][0]) > int(numbers[0][1]) else changed


def replace_text(old: str, new: str) -> Change:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def drop_pattern(pattern: str) -> Change:
    def change(text: str) -> str:
        changed, number = re.subn(pattern, "", text)
        assert number
        return changed

    return change


def twice(text: str) -> str:
    return text + text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (drop_record("REGISTER_BROKER_RECORD"), "is about broker 1, which has not registered before"),
        (
            replace_text('"brokerEpoch":8,"fenced":1', '"brokerEpoch":7,"fenced":1'),
            "is about broker 1 in broker epoch 7",
        ),
        (drop_record("TOPIC_RECORD"), "which is not created before"),
        (drop_record("PARTITION_RECORD"), "which is not created"),
        (replace_text('"isr":[1,2,3]', '"isr":[1,2,9]'), "has 9 lead or be in sync"),
        (replace_text('"leader":1', '"leader":7'), "has 7 lead or be in sync"),
        (replace_text('"leader":1,', '"leader":[1],'), "the record cannot be read: its leader is [1]"),
        (
            replace_text('"name":"min.insync.replicas"', '"name":null'),
            "the record cannot be read: its name is None",
        ),
        (replace_text('"leader":1,', ""), "has other fields than such a record: 'leader'"),
        (replace_text('"replicas":[1,2,3]', '"replicas":[1,1,2,3]'), "has the replicas"),
        (drop_pattern(r"(?<=\})\}(?=\n)"), "is no whole record"),
        (drop_pattern(r"\| offset: 30 .*\n"), "offset 30 to 30 are missing before it"),
        (drop_pattern(r"baseOffset: 30 .*\n"), "is not the record at offset"),
        (drop_pattern(r"baseOffset: .*\n"), "is not the record at offset 0"),
        (drop_pattern(r"baseOffset: 30 .*\n.*\n"), "offsets 30 to 30 are missing before it"),
        (twice, "is there twice"),
    ],
    ids=[
        "a registration is missing",
        "a fence of another broker epoch",
        "a topic is missing",
        "a partition is missing",
        "a stranger is in sync",
        "a stranger leads",
        "a field of another type",
        "a name that is none",
        "a field is missing",
        "a broker is there twice",
        "a line without its end",
        "a record is missing",
        "a batch's line is missing",
        "all batches' lines are missing",
        "a batch is missing",
        "a log twice",
    ],
)
def test_a_printed_log_that_cannot_be_one_is_refused(tidegate: Run, tmp_path: Path, change: Change, said: str) -> None:
    path = tmp_path / "metadata.txt"
    path.write_text(change(PRINTED.read_text("utf-8")), "utf-8")
    done = tidegate("validate", str(path))
    assert (done.exit, said in " ".join(done.err.split())) == (64, True), done.err


@pytest.mark.parametrize("cut", [3, 30, 130])
def test_a_printed_log_that_ends_within_a_line_is_read_up_to_there(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "metadata.txt"
    whole = PRINTED.read_text("utf-8")
    place = whole.rindex("PARTITION_CHANGE")
    path.write_text(whole[: whole.rindex("\n", 0, place) + cut], "utf-8")
    log = read_metadata_log(path)
    assert "the last line is not whole, and is left out" in log.notes[0]
    assert 0 < len(log.entries) < len(read_metadata_log(PRINTED).entries)


def test_the_end_of_the_last_line_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "metadata.txt"
    path.write_text(PRINTED.read_text("utf-8").rstrip("\n"), "utf-8")
    assert (read_metadata_log(path).entries, read_metadata_log(path).notes) == (read_metadata_log(PRINTED).entries, ())


def test_what_a_printed_snapshot_has_is_no_creation(tmp_path: Path) -> None:
    path = tmp_path / "metadata.txt"
    text = PRINTED.read_text("utf-8")
    assert all(history.whole for history in recorded_cluster(read_metadata_log(PRINTED)).histories)
    path.write_text(re.sub("^Dumping .*", "Dumping 00000000000000000051-0000000001.checkpoint", text), "utf-8")
    assert not any(history.whole for history in recorded_cluster(read_metadata_log(path)).histories)


def test_a_topic_that_was_deleted_has_no_more_to_check(tidegate: Run, tmp_path: Path) -> None:
    path = tmp_path / "metadata.txt"
    text = restarts(3, 1, 1)
    offset = int(re.findall(r"offset: (\d+) Create", text)[-1]) + 1
    removed = json.dumps({"type": "REMOVE_TOPIC_RECORD", "version": 0, "data": {"topicId": "T"}})
    text += f"baseOffset: {offset} lastOffset: {offset} count: 1\n"
    path.write_text(f"{text}| offset: {offset} CreateTime: 1800000000000 keySize: -1 payload: {removed}\n", "utf-8")
    done = tidegate("validate", str(path))
    assert (done.exit, "checked until the topic was deleted" in done.out) == (0, True)


# --- settings ---------------------------------------------------------------------------------------------------------


def test_the_release_is_the_one_that_registered_last(tmp_path: Path) -> None:
    path = tmp_path / "metadata.txt"

    def levels(first: int, last: int) -> tuple[int, ...]:
        text = restarts(3, 1, 1)
        head, old, tail = text.partition('"maxSupportedVersion": 21')
        text = f'{head}"maxSupportedVersion": {first}' + (old + tail)[len(old) :]
        place = text.rindex('"maxSupportedVersion": 21')
        path.write_text(text[:place] + text[place:].replace("21", str(last), 1), "utf-8")
        return recorded_cluster(read_metadata_log(path)).supported_levels

    assert levels(8, 21) == (8, 21)
    assert levels(8, 8) == (21, 8)
    version = find_version(recorded_cluster(read_metadata_log(path)), None)
    assert (version.kafka, "a moment may be of each" in version.assumptions[0]) == ("3.4", True)


def test_a_setting_that_is_no_number_leaves_the_partition_unchecked(tidegate: Run, tmp_path: Path) -> None:
    path = tmp_path / "metadata.txt"
    bad = replace_text('"min.insync.replicas","value":"2"', '"min.insync.replicas","value":"x"')
    path.write_text(bad(PRINTED.read_text("utf-8")), "utf-8")
    done = tidegate("validate", str(path))
    assert done.exit == 5 and "min.insync.replicas is 'x' in the log" in " ".join(done.out.split())
    assert tidegate("validate", str(path), "--set", "min_isr=2").exit == 0


@pytest.mark.parametrize("given", ["replicas=2", "max_leader_epoch=3"])
def test_what_the_log_says_is_not_set(tidegate: Run, given: str) -> None:
    done = tidegate("validate", str(STANDING), "--set", given)
    assert done.exit == 64
    assert f"--set {given.partition('=')[0]}: " in done.err


def test_a_report_overwrites_no_other_page(tidegate: Run, tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text("mine", "utf-8")
    done = tidegate("validate", str(STANDING), "--out", str(tmp_path))
    assert (done.exit, page.read_text("utf-8")) == (64, "mine")
    assert "is no report of validate" in done.err
    page.unlink()
    for _ in range(2):
        assert tidegate("validate", str(STANDING), "--out", str(tmp_path)).exit == 0


# --- ELR that is cleared ----------------------------------------------------------------------------------------------


def write_cleared_log(folder: Path, topic: str) -> Path:
    """A log of 4.1 in which ELRs are cleared while one has a broker: the controller does so where min.insync.replicas
    is set."""
    entries = read_metadata_log(HISTORIES / "eligible_leader_replicas.log").entries
    path = folder / "metadata.txt"
    last = next(entry.offset for entry in entries if entry.record.fields.get("eligibleLeaderReplicas"))
    records = {entry.offset: (entry.record.kind, dict(entry.record.fields)) for entry in entries}
    more: list[tuple[str, dict[str, Any]]] = [records.get(at, ("NO_OP_RECORD", {})) for at in range(last + 1)]
    setting = {"resourceType": 2, "resourceName": "orders", "name": "min.insync.replicas", "value": "2"}
    more += [("CONFIG_RECORD", setting), ("CLEAR_ELR_RECORD", {"topicName": topic})]
    path.write_text(
        "".join(
            f"baseOffset: {at} lastOffset: {at} count: 1\n| offset: {at} CreateTime: {at} keySize: -1 payload: "
            f"{json.dumps({'type': kind, 'version': 0, 'data': fields})}\n"
            for at, (kind, fields) in enumerate(more)
        ),
        "utf-8",
    )
    return path


@pytest.mark.parametrize("topic", ["orders", ""])
def test_an_elr_that_is_cleared_is_a_step(tidegate: Run, tmp_path: Path, topic: str) -> None:
    path = write_cleared_log(tmp_path, topic)
    (history,) = recorded_cluster(read_metadata_log(path)).histories
    before, last = history.moments[-2:]
    assert (history.end_reason, bool(before.elr), bool(last.elr), last.clears_elr) == (None, True, False, True)
    (partition,) = json.loads(tidegate("validate", str(path), "--json").out)["partitions"]
    assert (partition["result"], partition["legs"][-1]["steps"][-1]["action"]) == ("shown", "clear_elr")
    assert tidegate("validate", str(path), "--set", "min_isr_is_set=false").exit == 1


def test_nothing_but_a_record_of_it_clears_an_elr(tmp_path: Path) -> None:
    found = recorded_cluster(read_metadata_log(write_cleared_log(tmp_path, "orders")))
    (history,) = found.histories
    quiet = replace(history, moments=(*history.moments[:-1], replace(history.moments[-1], clears_elr=False)))
    for one, result in ((history, "shown"), (quiet, "not_shown")):
        (answer,) = validate_histories(found, [one], find_version(found, None), {})
        assert answer.result == result


def test_of_another_topic_it_is_not(tmp_path: Path) -> None:
    (history,) = recorded_cluster(read_metadata_log(write_cleared_log(tmp_path, "payments"))).histories
    assert history.end_reason is None


def snapshot(folder: Path, first_after: int) -> Path:
    """A snapshot with what is recorded before an offset."""
    path = folder / f"{first_after:020d}-0000000001.checkpoint"
    held = [(offset, data) for offset, data in batches(STANDING.read_bytes()) if offset < first_after]
    footer = struct.pack(">q", held[-1][0] + 1) + held[0][1][8:]
    path.write_bytes(b"".join(data for _, data in held) + footer)
    return path


def test_of_several_snapshots_alone_the_newest_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "__cluster_metadata-0"
    folder.mkdir()
    snapshot(folder, 30)
    newest = snapshot(folder, 60)
    log = read_metadata_log(tmp_path)
    assert log.paths == (newest,) and log.entries == read_metadata_log(newest).entries


def test_a_snapshot_of_several_batches_creates_no_partition(tmp_path: Path) -> None:
    log = read_metadata_log(snapshot(tmp_path, 100))
    assert len({entry.batch for entry in log.entries}) > 1
    assert not any(history.whole for history in recorded_cluster(log).histories)


# --- damage, at random ------------------------------------------------------------------------------------------------

DAMAGES = 250
"""How many damaged copies of each log."""


def damage_bytes(data: bytes, drawn: random.Random) -> tuple[str, int, bytes]:
    """A copy with a byte changed, a bit turned, bytes made zeros, one put in, two that change places, or the end cut
    off: what was done, and where."""
    kind, at, copy = (
        drawn.choice(["byte", "bit", "zeros", "insert", "swap", "cut"]),
        drawn.randrange(len(data)),
        bytearray(data),
    )
    other = drawn.randrange(len(data))
    if kind == "byte":
        copy[at] = drawn.randrange(256)
    elif kind == "bit":
        copy[at] ^= 1 << drawn.randrange(8)
    elif kind == "zeros":
        copy[at : at + drawn.randrange(1, 64)] = bytes(len(copy[at : at + drawn.randrange(1, 64)]))
    elif kind == "insert":
        copy[at:at] = bytes([drawn.randrange(256)])
    elif kind == "swap":
        copy[at], copy[other] = copy[other], copy[at]
    else:
        del copy[at:]
    return kind, at, bytes(copy)


@pytest.mark.parametrize("name", ["last_replica_standing.log", "kafka_14139.log", "min_isr_1.log"])
def test_damage_is_refused_or_changes_nothing_that_is_read_or_leaves_out_the_end(name: str, tmp_path: Path) -> None:
    """What is accepted: an end that was cut off, with a note unless a batch ended there; and the four bytes of a
    batch's leader epoch, which its checksum does not cover, where epochs do not go back."""
    data = (HISTORIES / name).read_bytes()
    begins = list(itertools.accumulate((len(batch) for _, batch in batches(data)), initial=0))
    whole, drawn, path = read_metadata_log(HISTORIES / name), random.Random(name), tmp_path / f"{0:020d}.log"
    accepted = Counter[str]()
    for _ in range(DAMAGES):
        kind, at, copy = damage_bytes(data, drawn)
        path.write_bytes(copy)
        try:
            read = read_metadata_log(path)
        except UsageError:
            continue
        if copy == data:
            continue
        if kind == "cut":
            assert read.entries == whole.entries[: len(read.entries)]
            assert read.notes or at in begins
        else:
            inside = at - max(begin for begin in begins if begin <= at)
            left_out = read.notes and read.entries == whole.entries[: len(read.entries)]
            assert left_out or (read.entries == whole.entries and 12 <= inside < 16), (kind, at, inside)
        accepted[kind] += 1
    assert accepted["cut"] > 10


def test_a_leader_epoch_that_goes_back_is_refused(tmp_path: Path) -> None:
    copy = bytearray(STANDING.read_bytes())
    second = next(itertools.islice(itertools.accumulate(len(batch) for _, batch in batches(bytes(copy))), 3, None))
    copy[second + 12 : second + 16] = (0).to_bytes(4)
    path = tmp_path / f"{0:020d}.log"
    path.write_bytes(bytes(copy))
    with pytest.raises(UsageError, match=r"is damaged: it is of leader epoch 0, after one of 1$"):
        read_metadata_log(path)


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ('"type":"PARTITION_RECORD"', '"type":"PARTITI0N_RECORD"', "its kind is 'PARTITI0N_RECORD'"),
        ('"leaderEpoch":0', '"leaderEpock":0', "it has 'leaderEpock', which no PARTITION_RECORD"),
        ("payload: ", "payl0ad: ", "has no payload, and is no control record"),
        ('"version":', '"version":9', "is the newest that is known"),
    ],
)
def test_a_printed_log_with_another_letter_is_refused(was: str, now: str, says: str, tmp_path: Path) -> None:
    """It has no checksum that could be compared; a digit that is changed is another log."""
    path = tmp_path / "metadata.txt"
    text = PRINTED.read_text("utf-8")
    assert was in text
    lines = [
        line.replace(was, now, 1) if '"PARTITION_RECORD"' in line else line for line in text.splitlines(keepends=True)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_metadata_log(path)
    assert says in str(caught.value)
