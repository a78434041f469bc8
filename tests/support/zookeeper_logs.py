"""What the tests of clusters with ZooKeeper share: recorded logs of brokers, and logs that are made."""

from __future__ import annotations

from ..conftest import ROOT

EXAMPLE = ROOT / "examples" / "histories" / "zookeeper"


NOBODY = frozenset[int]()
