"""When a search that was not asked about symmetry folds renamings: once it is long, where that changes nothing but the
time it takes. It begins again then, keeps one state of each orbit, and counts all that this one stands for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

from ...language.judge import initial_states
from ...language.model import Model
from ...language.verdict import Verdict
from ..renaming import canonical_keys, orbit_size
from ..search import Search
from ..symmetry import Symmetry, symmetry_of
from .effort import FULL_EFFORT, QUICK_EFFORT
from .initials import combination_counts
from .kernels import is_kernel_kept

FOLD_FROM = 1_000_000
"""A search that has found so many states begins again with renamings folded, if they can be: what it has done by then
takes about as long as to make a kernel that folds, for which smaller searches would wait longer than for their end."""

FOLD_SOONER = 250_000
"""The same where the kernel that folds is in the cache."""


PATIENCE = 1.0
"""Seconds after which a search that folds is given up if it finds states more slowly than the one before it."""

StopCondition: TypeAlias = Callable[[frozenset[str], int], bool]
"""Whether a search ends between two levels, given what is decided by name, and the number of states."""


class LateFolding:
    """Says between two levels of a search without symmetry whether to begin again with renamings folded: `symmetry` is
    then what is folded. `refusals` are the reasons why it is not, where members were declared alike."""

    def __init__(self, model: Model, search: Search, enough: StopCondition | None) -> None:
        self.model, self.enough, self.cache = model, enough, search.cache
        self.symmetry: Symmetry | None = None
        self.refusals: tuple[str, ...] = ()
        self.fold_from: int | None = None if search.projection is not None else min(FOLD_SOONER, FOLD_FROM)
        """From how many states on it is decided; None once it is."""

    def is_enough(self, decided_names: frozenset[str], states: int) -> bool:
        """Whether the search without symmetry ends here, given what is decided, and the number of states."""
        if self.enough is not None and self.enough(decided_names, states):
            return True
        if self.fold_from is not None and states >= self.fold_from and not self._is_violated(decided_names):
            self._decide_on_folding(states)
        return self.symmetry is not None

    def _is_violated(self, decided_names: frozenset[str]) -> bool:
        """Whether this search has found what must be shown of it."""
        return any(prop.name in decided_names and prop.kind != "reachable" for prop in self.model.properties)

    def _decide_on_folding(self, states: int) -> None:
        found = symmetry_of(self.model)
        if found.domains and states < FOLD_FROM and not self._has_kernel(found):
            self.fold_from = FOLD_FROM
            return
        self.fold_from, self.refusals = None, found.refusals
        if not found.domains:
            return
        if self._is_closed(found):
            self.symmetry = found
        else:
            names = ", ".join(domain.name for domain in found.domains)
            self.refusals += (f"{names} is not folded: a renaming of an initial state may be none",)

    def _has_kernel(self, symmetry: Symmetry) -> bool:
        """Whether a kernel that folds is in the cache."""
        efforts = (FULL_EFFORT, QUICK_EFFORT)
        return any(
            is_kernel_kept(self.model, symmetry.domains, self.cache, effort, is_weighted=True) for effort in efforts
        )

    def _is_closed(self, symmetry: Symmetry) -> bool:
        """Whether each renaming of an initial state is known to be one: only then all renamings of what is reached are
        reached, in as many steps. Many initial states are not looked at."""
        if self.model.liveness or combination_counts(self.model):
            return False
        key, size = canonical_keys(self.model, symmetry.domains), orbit_size(self.model, symmetry.domains)
        starts = {tuple(state): state for state in initial_states(self.model)}
        orbits = {key(state): state for state in starts.values()}
        return sum(map(size, orbits.values())) == len(starts)


class FoldingPace:
    """Says between two levels of a search that folds renamings whether it ends since it `is_behind`: where most members
    of large domains are alike in most states, each state has many renamings to try and stands for few others."""

    def __init__(self, whole: Verdict, enough: StopCondition | None) -> None:
        self.whole, self.enough = whole, enough
        self.is_behind = False
        self.began = time.perf_counter()

    def is_enough(self, decided_names: frozenset[str], states: int) -> bool:
        """Whether the search ends here, given what is decided, and how many states those stand for that it keeps."""
        if self.enough is not None and self.enough(decided_names, states):
            return True
        self.is_behind = self.is_slower(time.perf_counter() - self.began, states)
        return self.is_behind

    def is_slower(self, seconds: float, states: int) -> bool:
        """Whether so many states in so many seconds are fewer than the search before it found in as many."""
        known = (self.whole.distinct_states or 0) * seconds
        return seconds > PATIENCE + self.whole.seconds and states * self.whole.seconds < known
