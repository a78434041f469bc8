"""The numbers of releases: what a version's text may mean, and whether it is another one or later."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

Span = tuple[tuple[int, ...], tuple[int, ...]]


WIDTH = 4


ENDLESS = 1 << 30


def releases_meant(version: str) -> Span:
    """The releases that a text may mean, first and last: "3.1" is any 3.1.x. ValueError if it is not a version."""
    found = re.fullmatch(r"v?(\d{1,6}(?:\.\d{1,6}){0,3})(?:\.x)?(?:[-+_].*)?", version.strip())
    if found is None:
        raise ValueError(f"`{version}` is not a version: write it like 3.9.1, or 3.9")
    parts = tuple(int(part) for part in found[1].split("."))
    missing = WIDTH - len(parts)
    patch_known = len(parts) >= 3 and (parts[0] > 0 or len(parts) == WIDTH)
    return parts + (0,) * missing, parts + (0 if patch_known else ENDLESS,) * missing


def is_at_least(version: str, release: str) -> bool | None:
    """Whether what runs is that release or later; None if the version's text leaves it open."""
    first, last = releases_meant(version)
    wanted = releases_meant(release)[0]
    return True if first >= wanted else (False if last < wanted else None)


def is_version(text: str) -> bool:
    """Whether a text is a release, as `releases_meant` reads it."""
    try:
        releases_meant(text)
    except ValueError:
        return False
    return True


ControlPlane = Literal["zookeeper", "kraft"]


RELEASES = (
    (0, 9), (0, 10), (0, 11), (1, 0), (1, 1), *((2, n) for n in range(9)), *((3, n) for n in range(10)),
    *((4, n) for n in range(5)),
)  # fmt: skip
"""The releases that are known, oldest first. Before 0.9 a replica left the ISR by the number of records that it lacked
(replica.lag.max.messages, KIP-16), which is not modelled."""

SPANS: Mapping[ControlPlane, Span] = {
    "kraft": (releases_meant("3.3")[0], (ENDLESS,) * WIDTH),  # KRaft before 3.3 was not ready for production (KIP-833)
    "zookeeper": ((0,) * WIDTH, releases_meant("3.9")[1]),  # Kafka has no ZooKeeper since 4.0
}
"""The releases that may run on a control plane, where nobody states which does."""
