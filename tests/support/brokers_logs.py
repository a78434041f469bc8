"""What the tests of losses share: logs of brokers beside a metadata log."""

from __future__ import annotations

from pathlib import Path

from tidegate.real.history.moments import History, Leadership
from tidegate.real.logs.broker_files import read_brokers
from tidegate.real.validation.losses import Evidence, Loss, find_losses

from ..conftest import ROOT

LOST = ROOT / "examples" / "histories" / "power_lost"


def leads(broker: int, epoch: int, end: int, high_watermark: int, identity: str = "Some(a)", second: int = 0) -> str:
    return (
        f"[2026-11-24 15:16:{second:02d},747] INFO [Broker id={broker}] Leader t-0 with topic id {identity} starts at "
        f"leader epoch {epoch} from offset {end} with partition epoch {10 * epoch}, high watermark {high_watermark}, "
        "ISR [1], ... (state.change.logger)\n"
    )


def shrinks(broker: int, high_watermark: int, second: int = 0) -> str:
    return (
        f"[2026-11-24 15:16:{second:02d},747] INFO [Partition t-0 broker={broker}] Shrinking ISR from 1,2 to 1. "
        f"Leader: (highWatermark: {high_watermark}, endOffset: 99). Out of sync replicas: (brokerId: 2, ...)\n"
    )


def of_leaders(*leaders: int, topic_id: str = "a") -> History:
    """A partition whose leader epochs have these leaders, and ten partition epochs each."""
    led = {epoch: Leadership(one, 10 * epoch, 10 * epoch + 9) for epoch, one in enumerate(leaders)}
    return History("t", 0, (1, 2, 3), (), {}, True, None, topic_id, led)


def read_lines(history: History, folder: Path, *lines: str) -> Evidence:
    (folder / "server.log").write_text("noise\n" + "".join(lines), "utf-8")
    return find_losses(history, read_brokers([folder]))


def short(losses: tuple[Loss, ...]) -> list[tuple[int, int, int]]:
    return [(loss.epoch, loss.first, loss.end) for loss in losses]
