"""What brokers' logs say of records that were committed: a loss that they show is one, and the model has to have it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tidegate.language.errors import UsageError
from tidegate.real.broker_logs import Loss, losses_of, read_brokers

from .conftest import ROOT, Run

LOST = ROOT / "examples" / "histories" / "power_lost"


def test_a_power_loss_is_in_the_run_that_loses_what_was_committed(tidegate: Run) -> None:
    done = tidegate("validate", str(LOST / "controller"), "--brokers", str(LOST), "--json")
    (partition,) = json.loads(done.out)["partitions"]
    steps = [step["action"] for leg in partition["legs"] for step in leg["steps"]]
    (loss,) = partition["losses"]
    assert (done.exit, partition["result"], steps.count("lose_power")) == (1, "shown", 1)
    assert (loss["broker"], loss["epoch"], loss["first"], loss["end"]) == (1, 2, 0, 1)
    assert [moment["lost"] for moment in partition["moments"]].count(True) == 1


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


# --- what lines and checkpoints say -----------------------------------------------------------------------------------


def leads(broker: int, epoch: int, end: int, high_watermark: int, identity: str = "Some(a)") -> str:
    return (
        f"[2026-11-24 15:16:17,747] INFO [Broker id={broker}] Leader t-0 with topic id {identity} starts at leader "
        f"epoch {epoch} from offset {end} with partition epoch 4, high watermark {high_watermark}, ISR [1], ...\n"
    )


def follows(broker: int, epoch: int, end: int, high_watermark: int) -> str:
    return (
        f"[2026-11-24 15:16:17,747] INFO [Broker id={broker}] Follower t-0 starts at leader epoch {epoch} from offset "
        f"{end} with partition epoch 4 and high watermark {high_watermark}. Current leader is 1. ...\n"
    )


def shrinks(broker: int, high_watermark: int) -> str:
    return (
        f"[2026-11-24 15:16:17,747] INFO [Partition t-0 broker={broker}] Shrinking ISR from 1,2 to 1. Leader: "
        f"(highWatermark: {high_watermark}, endOffset: 99). Out of sync replicas: (brokerId: 2, ...)\n"
    )


def losses(folder: Path, *lines: str) -> list[tuple[int, int, int]]:
    (folder / "server.log").write_text("noise\n" + "".join(lines), "utf-8")
    return [(loss.epoch, loss.first, loss.end) for loss in losses_of("t-0", read_brokers([folder]))]


@pytest.mark.parametrize(
    ("lines", "lost"),
    [
        ((leads(1, 0, 0, 0), shrinks(1, 90), leads(1, 2, 80, 80)), [(2, 80, 90)]),
        ((leads(1, 0, 0, 0), shrinks(1, 90), leads(2, 2, 90, 80)), []),
        ((leads(1, 0, 0, 0), follows(3, 1, 95, 91), leads(2, 2, 90, 80)), [(2, 90, 91)]),
        ((leads(2, 2, 80, 80), follows(3, 2, 95, 91)), []),
        ((shrinks(1, 90), leads(1, 2, 80, 80)), []),
        ((leads(1, 0, 0, 0), follows(1, 1, 5, 5), shrinks(1, 90), leads(1, 2, 80, 80)), []),
        ((leads(1, 0, 0, 0), shrinks(1, 90), leads(1, 2, 80, 80), leads(2, 3, 85, 85)), [(2, 80, 90)]),
        ((leads(1, 0, 9, 9), leads(1, 1, 5, 5, "Some(b)"), leads(1, 2, 3, 3)), []),
    ],
    ids=[
        "a leader starts without",
        "and with",
        "a follower knew",
        "a high watermark of the same epoch is no evidence",
        "nobody knows the epoch of a leader that did not start",
        "nor of one that does not lead any more",
        "what is lost is lost once",
        "another topic of that name",
    ],
)
def test_a_loss_is_a_leader_that_starts_below_an_earlier_high_watermark(
    tmp_path: Path, lines: tuple[str, ...], lost: list[tuple[int, int, int]]
) -> None:
    assert losses(tmp_path, *lines) == lost


def test_checkpoints_say_it_too(tmp_path: Path) -> None:
    shutil.copytree(LOST, tmp_path, dirs_exist_ok=True)
    for log in tmp_path.rglob("server.log"):
        log.unlink()
    data = tmp_path / "broker-2" / "data"
    (data / "replication-offset-checkpoint").write_text("0\n1\norders 0 1\n", "utf-8")
    (data / "orders-0" / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n", "utf-8")
    (loss,) = losses_of("orders-0", read_brokers([tmp_path]))
    assert loss == Loss(
        "orders-0",
        2,
        0,
        1,
        2,
        str(data / "replication-offset-checkpoint"),
        str(tmp_path / "broker-1" / "data" / "orders-0" / "leader-epoch-checkpoint"),
    )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("replication-offset-checkpoint", "0\n1\nt 0\n", "is no row of a checkpoint"),
        ("meta.properties", "version=1\n", "does not say which broker"),
    ],
)
def test_files_that_say_nothing_are_said(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / "meta.properties").write_text("node.id=1\n", "utf-8")
    (tmp_path / "replication-offset-checkpoint").write_text("0\n1\nt 0 5\n", "utf-8")
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(UsageError, match=said):
        read_brokers([tmp_path])


def test_a_folder_without_such_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="says where a leader starts"):
        read_brokers([tmp_path])
    with pytest.raises(UsageError, match="there is no such file"):
        read_brokers([tmp_path / "none"])
