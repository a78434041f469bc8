"""Python's collector looks seldom within an audit, and as before after it."""

from __future__ import annotations

import gc

from tidegate.audit.exploring.garbage_collection import OFTEN, rare_collection


def test_it_looks_seldom_inside_and_as_before_afterwards() -> None:
    before = gc.get_threshold()
    with rare_collection():
        assert gc.get_threshold() == OFTEN
    assert gc.get_threshold() == before
