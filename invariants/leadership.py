"""What must hold of the terms of Raft, and what must be possible."""

from __future__ import annotations

from ..language import invariant, reachable, transition
from ..model.leadership import Leadership, Terms, terms


@invariant
def type_ok(s: Terms) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def one_leader(s: Terms) -> bool:
    """No term has several leaders."""
    return all(s.leadership[term] != Leadership.SEVERAL for term in range(terms + 1))


@transition
def over_is_over(before: Terms, after: Terms) -> bool:
    """A term whose leader no longer leads gets no other."""
    return all(
        before.leadership[term] != Leadership.OVER or after.leadership[term] == Leadership.OVER
        for term in range(terms + 1)
    )


@reachable
def two_terms_have_leaders(s: Terms) -> bool:
    """An old leader has not heard of the new one yet."""
    return sum(1 for term in range(terms + 1) if s.leadership[term] == Leadership.ONE) > 1
