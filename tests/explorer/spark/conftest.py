"""What the tests of shards ask about: a model, and what the native engine says of it."""

from __future__ import annotations

import pytest
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ...support import sharded


@pytest.fixture
def kip320() -> Model:
    """A model of 1,501 states."""
    return sharded.kip320()


@pytest.fixture
def native_verdict() -> Verdict:
    """What the native engine says of it."""
    return sharded.native_verdict()
