"""Renamings by brute force: one key for a whole orbit, and another for every other state."""

from __future__ import annotations

from tidegate.explorer.renaming import canonical_keys, symmetry_test
from tidegate.language.judge import initial_states

from ..support.steps import run_of
from ..support.traces import bind_model

LOCK = bind_model("examples/lock.py:careless", clients=3)


def test_states_that_differ_by_a_renaming_have_one_key() -> None:
    key = canonical_keys(LOCK, LOCK.domains)
    one, other = (run_of(LOCK, text).states()[-1] for text in ("look(A); look(B)", "look(C); look(A)"))
    inside = run_of(LOCK, "look(A); look(B); take(A)").states()[-1]
    assert one != other and key(one) == key(other) != key(inside)


def test_without_domains_only_equal_states_have_one_key() -> None:
    key = canonical_keys(LOCK, ())
    one, other = (run_of(LOCK, text).states()[-1] for text in ("look(A)", "look(B)"))
    assert key(one) != key(other)


def test_what_no_renaming_changes() -> None:
    same = symmetry_test(LOCK, LOCK.domains[0])
    (start,) = initial_states(LOCK)
    assert same(start) and not same(run_of(LOCK, "look(A)").states()[-1])
    assert same(run_of(LOCK, "look(A); look(B); look(C)").states()[-1])
