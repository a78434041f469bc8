"""Whether our own code, as this process runs it, is still what its files say. Kept results are named by those files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

START_TIME = time.time()
"""When this process began to load our code, in seconds since the epoch: `tidegate.language` imports this file first."""


def text_digest(paths: Iterable[Path]) -> str:
    """A digest of files of ours, for naming what the code made from them computes.

    Where a file changed after this process began, the code that runs may be the older one: then the digest is one that
    nothing has and nothing will have, so that this process neither believes what is kept nor is believed.
    """
    total = sha256()
    for path in paths:
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        if path.stat().st_ctime > START_TIME:
            total.update(os.urandom(16))
    return total.hexdigest()
