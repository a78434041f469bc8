"""`python -m bench.transactions --tlc JAR --module FOLDER`: AddPartitionsToTxn as it is published, ours beside TLC.

FOLDER has `transactions/diary/02_AddPartitionsToTxn/tlaplus/` of github.com/Vanlightly/kafka-tlaplus and the modules of
TLA+'s CommunityModules that it extends, in it or in folders below. Without them ours is measured alone.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.language.constants import PlainValue

from .groups import compare, measure_line, search_natively, tlc

NAME = "transactions_published_partitions"
SPEC = Path(__file__).parent.parent / "spec" / f"{NAME}.toml"
SIZES = ("one_client", "upstream", "two_elections", "two_partitions", "three_clients")
"""Bounds of the file that may be compared."""
INVARIANTS = {
    "type_ok": "TypeOK",
    "clients_have_different_producer_epochs": "ClientsHaveDifferentProducerEpochs",
    "coordinators_have_different_epochs": "TCsHaveDifferentEpochs",
}
"""What both check, ours and the module's."""
NAMES = (
    *("InitPidRequest", "InitPidResponse", "AddPartitionsToTxnRequest", "AddPartitionsToTxnResponse", "Ready"),
    *("SentInitPidRequest", "HasPid", "BegunTxn", "Terminated", "Empty", "PrepareCommit", "PrepareAbort", "Ongoing"),
    *("CompleteAbort", "CompleteCommit", "PrepareEpochFence", "Dead", "Abort", "Commit", "IllegalState", "OK", "None"),
    *("NotCoordinator", "ConcurrentTransactions", "ProducerFenced", "InvalidTransition", "NotSupportedYet"),
    "InvalidProducerIdMapping",
)
"""The module's constants that stand for themselves."""


def size_of(bounds: str) -> CheckRecord:
    """What is recorded of these bounds."""
    return next(check for check in read_record_file(SPEC).checks if check.bounds == bounds)


def configuration(size: Mapping[str, PlainValue]) -> str:
    """TLC's configuration of the module at a size, with its VIEW and without its SYMMETRY."""
    sets = {
        "Clients": _members("c", size["clients"]),
        "Brokers": _members("b", size["brokers"]),
        "TopicPartitions": _members("tp", size["partitions"]),
        "TxnLogPartitions": ["p1"],
        "TransactionIds": ["tid1"],
    }
    return "\n".join(
        (
            "CONSTANTS",
            *(f"  {name} = {name}" for name in (*NAMES, *(member for members in sets.values() for member in members))),
            *(f"  {name} = {{{', '.join(members)}}}" for name, members in sets.items()),
            f"  MaxTxnLogLeaderElections = {size['elections']}",
            "SPECIFICATION Spec",
            "VIEW View",
            "INVARIANTS NoBadStateResponse " + " ".join(INVARIANTS.values()),
        )
    )


def _members(letter: str, count: PlainValue) -> list[str]:
    """Model values."""
    return [f"{letter}{number}" for number in range(1, int(str(count)) + 1)]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.transactions", description="AddPartitionsToTxn, published.")
    parser.add_argument("--tlc", type=Path, metavar="JAR", help="TLC's jar, to be run beside it")
    parser.add_argument("--module", type=Path, metavar="FOLDER", help="the published modules, for --tlc")
    parser.add_argument("--bounds", choices=SIZES, nargs="*", default=["two_partitions"], help=f"of spec/{NAME}.toml")
    options = parser.parse_args()
    if (options.tlc is None) != (options.module is None):
        parser.error("--tlc and --module are given together")
    print(f"AddPartitionsToTxn, the published module; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        for bounds in options.bounds:
            if options.tlc is None:
                print(measure_line(bounds, search_natively(size_of(bounds).constants, Path(folder), NAME, INVARIANTS)))
            else:
                print(
                    compare(
                        bounds,
                        lambda size: search_natively(size, Path(folder), NAME, INVARIANTS),
                        lambda size: tlc(options.tlc, options.module, configuration(size), "kafka_transactions"),
                        size_of,
                    )
                )


if __name__ == "__main__":
    main()
