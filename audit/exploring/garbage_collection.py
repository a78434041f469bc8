"""Python's collector of circles, which an audit has look less often: most of what is there stays to the end, and each
look at all of it took half a second."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

OFTEN = (100_000, 20, 20)
"""So many objects more are made before the collector looks at the new ones; by default 700."""


def collect_seldom() -> None:
    """From now on, in this process: what there is already is looked at no more."""
    gc.freeze()
    gc.set_threshold(*OFTEN)


@contextmanager
def rare_collection() -> Generator[None]:
    """The same within it; the collector looks as before once it is left."""
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
