"""What brokers' logs say of records that were committed: a loss that they show is one, and the model has to have it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ...conftest import Run
from ...support.brokers_logs import LOST, leads, of_leaders, read_lines, short, shrinks

OWN = "IcGu95YKRJi3wo_OVqs_sA"
"""The cluster that its brokers say they are of."""


def test_a_power_loss_is_in_the_run_that_loses_what_was_committed(tidegate: Run) -> None:
    done = tidegate("validate", str(LOST / "controller"), "--brokers", str(LOST), "--json")
    (partition,) = json.loads(done.out)["partitions"]
    steps = [step["action"] for leg in partition["legs"] for step in leg["steps"]]
    (loss,) = partition["losses"]
    assert (done.exit, partition["result"], steps.count("lose_power")) == (1, "shown", 1)
    assert (loss["broker"], loss["epoch"], loss["first"], loss["end"]) == (1, 2, 0, 1)
    assert [moment["lost"] for moment in partition["moments"]].count(True) == 1


@pytest.mark.parametrize(("cluster", "exits"), [(OWN, 1), ("another", 64)])
def test_brokers_of_another_cluster_are_refused(tidegate: Run, tmp_path: Path, cluster: str, exits: int) -> None:
    """Of two clusters with a topic of one name a loss was reported."""
    shutil.copytree(LOST, tmp_path, dirs_exist_ok=True)
    log = tmp_path / "data" / "__cluster_metadata-0"
    shutil.copytree(LOST / "controller", log)
    (tmp_path / "data" / "meta.properties").write_text(f"node.id=100\ncluster.id={OWN}\n", encoding="utf-8")
    about = tmp_path / "broker-2" / "data" / "meta.properties"
    about.write_text(about.read_text("utf-8").replace(OWN, cluster), encoding="utf-8")
    brokers = [word for number in (1, 2, 3) for word in ("--brokers", str(tmp_path / f"broker-{number}"))]
    done = tidegate("validate", str(log), *brokers)
    assert done.exit == exits
    assert (f"it is of cluster another, and the metadata log is of {OWN}" in done.err) == (exits == 64)


def test_without_brokers_logs_a_crash_explains_the_same(tidegate: Run) -> None:
    done = tidegate("validate", str(LOST / "controller"), "--json")
    (partition,) = json.loads(done.out)["partitions"]
    assert (done.exit, partition["losses"]) == (0, [])
    assert not any(step["action"] == "lose_power" for leg in partition["legs"] for step in leg["steps"])


@pytest.mark.parametrize("more", [("power_losses=0",), ("fsync=true",)])
def test_a_loss_that_the_model_does_not_have_is_shown_by_no_run(tidegate: Run, more: tuple[str, ...]) -> None:
    given = [word for one in more for word in ("--set", one)]
    done = tidegate("validate", str(LOST / "controller"), "--brokers", str(LOST), *given)
    assert done.exit == 1
    assert "then seen" in done.out
    assert "the leader lacks records that were committed" in " ".join(done.out.split())


def test_the_page_names_the_records_and_the_moment(tidegate: Run, tmp_path: Path) -> None:
    tidegate("validate", str(LOST / "controller"), "--brokers", str(LOST), "--out", str(tmp_path))
    (partition,) = json.loads((tmp_path / "validate.json").read_text("utf-8"))["partitions"]
    told = (tmp_path / partition["html"]).read_text("utf-8")
    assert "record 0 was below the high watermark of broker 1" in told
    assert "1 partition lost committed records" in (tmp_path / "index.html").read_text("utf-8")
    trace = json.loads((tmp_path / partition["traces"][0]).read_text("utf-8"))
    assert (trace["kind"], trace["property"]["name"]) == ("counterexample", "consistent_read")
    assert tidegate("replay", str(tmp_path / partition["traces"][0])).exit == 1


def follows(broker: int, epoch: int, end: int, high_watermark: int, leader: int = 1, later: int = 0) -> str:
    return (
        f"[2026-11-24 15:16:00,747] INFO [Broker id={broker}] Follower t-0 starts at leader epoch {epoch} from offset "
        f"{end} with partition epoch {10 * epoch + later} and high watermark {high_watermark}. Current leader is "
        f"{leader}. ... (state.change.logger)\n"
    )


@pytest.mark.parametrize(
    ("leaders", "lines", "lost"),
    [
        ((1, -1, 1), (leads(1, 0, 0, 0), shrinks(1, 90), leads(1, 2, 80, 80)), [(2, 80, 90)]),
        ((1, -1, 2), (leads(1, 0, 0, 0), shrinks(1, 90), leads(2, 2, 90, 80)), []),
        ((1, 1, 2), (leads(1, 0, 0, 0), follows(3, 1, 95, 91), leads(2, 2, 90, 80)), [(2, 90, 91)]),
        ((1, -1, 1), (shrinks(1, 90), leads(1, 2, 80, 80)), []),
        ((1, 3, 1), (leads(1, 0, 0, 0), follows(1, 1, 5, 5, 3), shrinks(1, 90), leads(1, 2, 80, 80)), []),
        ((1, 1, 1, 2), (leads(1, 0, 0, 0), shrinks(1, 90), leads(1, 2, 80, 80), leads(2, 3, 85, 85)), [(2, 80, 90)]),
        ((1, 2, 3), (leads(2, 1, 1, 1), follows(2, 2, 7, 5, 3), leads(3, 2, 3, 0)), [(2, 3, 5)]),
        ((1, 2, 3), (leads(2, 1, 1, 1), follows(2, 2, 7, 1, 3), follows(2, 2, 7, 5, 3), leads(3, 2, 3, 0)), []),
        ((1, 2, 3), (follows(3, 0, 7, 5), leads(2, 1, 3, 3), leads(3, 2, 7, 5)), [(1, 3, 5)]),
    ],
    ids=[
        "a leader starts without",
        "and with",
        "a follower knew",
        "nobody knows the epoch of a leader that did not start",
        "nor of one that does not lead any more",
        "what is lost is lost once",
        "a follower knew it before its own epoch",
        "after a restart it may be of its own epoch",
        "a leader knew it before its own epoch",
    ],
)
def test_a_loss_is_a_leader_that_starts_below_an_earlier_high_watermark(
    tmp_path: Path, leaders: tuple[int, ...], lines: tuple[str, ...], lost: list[tuple[int, int, int]]
) -> None:
    evidence = read_lines(of_leaders(*leaders), tmp_path, *lines)
    assert (short(evidence.losses), short(evidence.possible)) == (lost, [])


@pytest.mark.parametrize(
    ("end", "leader", "lost"),
    [(3, 3, [(2, 3, 5)]), (5, 3, []), (6, 3, []), (3, 2, [])],
    ids=["below its high watermark", "at it", "above it", "by the word of another leader"],
)
def test_a_follower_that_truncates_below_its_high_watermark_shows_a_loss(
    tmp_path: Path, end: int, leader: int, lost: list[tuple[int, int, int]]
) -> None:
    """Of the leader nothing is known: its files are not there. Records above the mark may be uncommitted."""
    cut = (
        f"[2026-11-24 15:16:17,780] INFO [ReplicaFetcher replicaId=2, leaderId={leader}, fetcherId=0] Truncating "
        f"partition t-0 with TruncationState(offset={end}, completed=true) due to leader epoch and offset "
        f"EpochEndOffset(leaderEpoch=1, endOffset={end}) (kafka.server.ReplicaFetcherThread)\n"
    )
    evidence = read_lines(of_leaders(1, 2, 3), tmp_path, leads(2, 1, 1, 1), follows(2, 2, 7, 5, 3), cut)
    assert (short(evidence.losses), short(evidence.possible)) == (lost, [])


@pytest.mark.parametrize(
    ("lines", "possible"),
    [
        ((leads(2, 1, 1, 1), follows(2, 2, 7, 5, 3, later=4), leads(3, 2, 3, 0)), [(2, 3, 5)]),
        ((follows(2, 2, 7, 5, 3), leads(3, 2, 3, 0)), [(2, 3, 5)]),
        ((follows(2, 2, 7, 5, 3, later=4), leads(3, 2, 3, 0)), []),
        ((follows(2, 1, 9, 9, 3), leads(3, 2, 3, 0)), [(2, 3, 9)]),
    ],
    ids=[
        "it may have restarted in an epoch that is not new",
        "lines before it may be missing",
        "and where the epoch is not new, that says nothing",
        "who followed another leader may be of another topic",
    ],
)
def test_what_may_be_a_loss_is_in_doubt(
    tmp_path: Path, lines: tuple[str, ...], possible: list[tuple[int, int, int]]
) -> None:
    evidence = read_lines(of_leaders(1, 2, 3), tmp_path, *lines)
    assert (short(evidence.losses), short(evidence.possible)) == ([], possible)


def test_logging_as_kafka_ships_it_shows_the_same_loss(tidegate: Run, tmp_path: Path) -> None:
    """`state.change.logger` goes to a file of its own (config/log4j.properties)."""
    shutil.copytree(LOST, tmp_path, dirs_exist_ok=True)
    for log in tmp_path.rglob("server.log"):
        lines = log.read_text("utf-8").splitlines(keepends=True)
        log.write_text("".join(line for line in lines if "(state.change.logger)" not in line), "utf-8")
        apart = "".join(line for line in lines if "(state.change.logger)" in line)
        log.with_name("state-change.log").write_text(apart, "utf-8")
    done = tidegate("validate", str(tmp_path / "controller"), "--brokers", str(tmp_path))
    assert done.exit == 1
    assert "record 0 was below the high watermark of broker 1" in " ".join(done.out.split())


# --- which topic ------------------------------------------------------------------------------------------------------
LOSS = (leads(1, 0, 0, 0), shrinks(1, 90), leads(1, 2, 80, 80))


@pytest.mark.parametrize("other", [leads(1, 7, 9, 9, "Some(old)"), leads(1, 0, 0, 0, "None")])
def test_lines_of_another_topic_do_not_hide_a_loss(tmp_path: Path, other: str) -> None:
    assert short(read_lines(of_leaders(1, -1, 1), tmp_path, other, *LOSS).losses) == [(2, 80, 90)]


def test_lines_of_another_topic_show_no_loss(tmp_path: Path) -> None:
    evidence = read_lines(of_leaders(1, -1, 1, topic_id="b"), tmp_path, *LOSS)
    assert (evidence.losses, evidence.possible) == ((), ())
    assert {note.what.partition(",")[0] for note in evidence.notes} == {
        "brokers' logs are of another topic of this name as well",
        "brokers' logs say nothing of it",
    }


def test_a_follower_of_a_topic_that_was_deleted_shows_no_loss(tmp_path: Path) -> None:
    lines = (follows(2, 0, 1000, 1000), leads(1, 0, 0, 0), leads(1, 2, 0, 0))
    old = leads(2, 3, 9, 9, "Some(old)")
    evidence = read_lines(of_leaders(1, -1, 1), tmp_path, old, *lines)
    assert (evidence.losses, evidence.possible) == ((), ())


def test_a_cluster_is_not_held_against_the_logs_of_another(tidegate: Run) -> None:
    done = tidegate("validate", str(LOST.parent / "clean_election.log"), "--brokers", str(LOST), "--json")
    document = json.loads(done.out)
    assert document["partitions"][0]["losses"] == []
    assert any("brokers' logs are of another topic of this name" in note for note in document["notes"])


def test_what_may_be_a_loss_is_undecided(tidegate: Run, tmp_path: Path) -> None:
    shutil.copytree(LOST / "broker-1", tmp_path, dirs_exist_ok=True)
    log = tmp_path / "server.log"
    line = next(one for one in log.read_text("utf-8").splitlines() if "Follower" in one)
    starts = [one for one in log.read_text("utf-8").splitlines() if "Leader orders-0" in one]
    line = line.replace("id=1", "id=2").replace("high watermark 0", "high watermark 9").replace("epoch 3", "epoch 2")
    log.write_text("\n".join([line, *starts]) + "\n", "utf-8")
    done = tidegate("validate", str(LOST / "controller"), "--brokers", str(tmp_path))
    assert done.exit == 5
    assert "1 partition may have lost committed records" in " ".join(done.out.split())
    assert "? orders-0" in done.out


def test_an_epoch_whose_start_nobody_wrote_down_is_said(tmp_path: Path) -> None:
    (note,) = read_lines(of_leaders(1, 2, -1, 3), tmp_path, leads(1, 0, 0, 0), leads(3, 3, 0, 0)).notes
    assert (note.more, note.what.startswith("no file says where the leader of an epoch starts")) == ("epoch 1", True)
