"""A trace in a terminal, as exact text."""

from __future__ import annotations

import pytest
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict
from tidegate.reports.text_page import TextFormat
from tidegate.reports.trace.terminal import trace_page
from tidegate.traces.document import trace_document

from ...support.terminal import violated_lock

NARROW = """\
--------------------------------------------------------------------------------
X lock:careless: one_inside fails after 4 steps
  At most one client is inside.
  clients=2
--------------------------------------------------------------------------------
Why this violates one_inside: At most one client is inside.
  In short: A looks and finds the lock free (step 1). B looks and finds the lock
    free (step 2). A takes the lock and goes in (step 3). Even so, B takes the
    lock and goes in (step 4). Now A's place is inside and B's place is inside.
    - A's place became at the door at step 1, when `held` was false: A looks and
      finds the lock free.
    - B's place became at the door at step 2, when `held` was false: B looks and
      finds the lock free.
    - A's place became inside and `held` became true at step 3: A takes the lock
      and goes in.
    - B's place became inside at step 4: B takes the lock and goes in.
  However, A's place is inside and B's place is inside; so `a == b or s.place[a]
    != Place.INSIDE or s.place[b] != Place.INSIDE` is false for a = A, b = B.

  1  A looks and finds the lock free.
         place[A]: OUTSIDE -> AT_THE_DOOR
  2  B looks and finds the lock free.
         place[B]: OUTSIDE -> AT_THE_DOOR
  3  A takes the lock and goes in.
         held: false -> true
         place[A]: AT_THE_DOOR -> INSIDE
  4X B takes the lock and goes in.
         place[B]: AT_THE_DOOR -> INSIDE

one_inside is false, because this is:
  a == b or s.place[a] != Place.INSIDE or s.place[b] != Place.INSIDE
    where a = A, b = B

replay it:
  tidegate replay lock:careless --property one_inside --steps "look(A); look(B); take(A); take(B)"
"""


@pytest.fixture
def violation() -> tuple[Model, Verdict]:
    return violated_lock()


def test_a_counterexample_in_ascii(violation: tuple[Model, Verdict]) -> None:
    model, verdict = violation
    document = trace_document(model, verdict.properties[0])
    assert trace_page(document, TextFormat(width=80, ascii=True)).text() == NARROW


def test_only_rules_and_wrapping_know_the_width(violation: tuple[Model, Verdict]) -> None:
    model, verdict = violation
    document = trace_document(model, verdict.properties[0])
    wide = trace_page(document, TextFormat(width=100, ascii=True)).text()
    assert wide.replace("-" * 100, "-" * 80).split() == NARROW.split()
    assert max(map(len, wide.splitlines())) == 100


def test_a_witness_is_shown_as_one(violation: tuple[Model, Verdict]) -> None:
    model, verdict = violation
    text = trace_page(trace_document(model, verdict.properties[1]), TextFormat()).text()
    assert "✓ lock:careless: a witness of somebody_inside after 2 steps" in text
    assert "is false" not in text
