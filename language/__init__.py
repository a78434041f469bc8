"""The language: everything an author of a model writes with. `from tidegate.language import ...` is all a model
needs."""

from . import code_digest as code_digest  # the first: it notes when the process begins to load our code
from .constants import constant
from .declare import (
    STUTTERS,
    action,
    bound,
    ghosts,
    initial,
    invariant,
    lemma,
    limit,
    projection,
    reachable,
    record,
    recursive,
    refines,
    require,
    state,
    terminal,
    transition,
)
from .kinds import Capacity, Domain, Ghost, Member, Option, Range
from .lanes import GroupLanes, LogLanes, TransactionLanes
from .orders import choose, position, previous, subsets
from .temporal import always_eventually, always_possible, eventually_always, leads_to, limits_of, strong, weak
from .values import Bag, Map, Seq, Set, is_majority, replace

__all__ = [
    "STUTTERS",
    "Bag",
    "Capacity",
    "Domain",
    "Ghost",
    "GroupLanes",
    "LogLanes",
    "Map",
    "Member",
    "Option",
    "Range",
    "Seq",
    "Set",
    "TransactionLanes",
    "action",
    "always_eventually",
    "always_possible",
    "bound",
    "choose",
    "constant",
    "eventually_always",
    "ghosts",
    "initial",
    "invariant",
    "is_majority",
    "leads_to",
    "lemma",
    "limit",
    "limits_of",
    "position",
    "previous",
    "projection",
    "reachable",
    "record",
    "recursive",
    "refines",
    "replace",
    "require",
    "state",
    "strong",
    "subsets",
    "terminal",
    "transition",
    "weak",
]
