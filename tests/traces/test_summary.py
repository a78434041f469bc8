"""An argument in short: who lost what, and why, in a sentence."""

from __future__ import annotations

import pytest

from ..support.traces import counterexample


@pytest.mark.parametrize(
    ("name", "prop", "words"),
    [
        ("replication:truncate_to_hw", "strong_isr", ("lost", "step")),
        ("examples/lock.py:careless", "one_inside", ("step",)),
    ],
)
def test_the_sentence_names_the_loss_and_its_steps(name: str, prop: str, words: tuple[str, ...]) -> None:
    document = counterexample(name, prop)
    short = [row["text"] for row in document["argument"] if row["role"] == "short"]
    assert len(short) == 1
    assert all(word in short[0] for word in words) and short[0].endswith(".")
