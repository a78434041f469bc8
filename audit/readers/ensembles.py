"""ZooKeeper's own file, `zoo.cfg`: which servers vote, where they are, and what of it is not modelled.

ZooKeeper Administrator's Guide, Cluster Options; ZooKeeper Observers; ZooKeeper Dynamic Reconfiguration.
"""

from __future__ import annotations

import re

from ..cluster import Origin
from .parsed_file import Part

_SERVER = re.compile(
    r"^\s*server\.(?P<number>\d+)\s*=\s*(?P<host>\[[^\]]+\]|[^\s:;|\[\]]+):(?P<peer>\d+):\d+(?P<rest>\S*)\s*$",
    re.MULTILINE,
)
_PORT = re.compile(r"^\s*clientPort\s*=\s*(\d+)\s*$", re.MULTILINE)
_WEIGHTS = re.compile(r"^\s*(group|weight)\.\d+\s*=", re.MULTILINE)


def read(path: str, text: str) -> Part | None:
    """The voting servers of an ensemble, with the ports of clients; None of a file that lists none.

    Observers do not vote (`:observer`). A server that is listed with several addresses is at the first of them. Of two
    on one host that name no port for clients, the second is named by its port for the other servers.
    """
    found = list(_SERVER.finditer(text))
    if not found:
        return None
    part = Part("zoo.cfg")
    default = port[1] if (port := _PORT.search(text)) is not None else "2181"
    for match in found:
        if ":observer" not in match["rest"]:
            own = re.search(r";(?:.*:)?(\d+)$", match["rest"])
            name = f"{match['host']}:{own[1] if own is not None else default}"
            part.ensemble.append(name if name not in part.ensemble else f"{match['host']}:{match['peer']}")
    if (weights := _WEIGHTS.search(text)) is not None:
        line = text.count("\n", 0, weights.start()) + 1
        what = "groups and weights of ZooKeeper's servers are not modelled: which of them are a majority is not known"
        part.note("incomplete", "error", what, Origin(path, line), "ask about an ensemble in which each server counts")
    return part
