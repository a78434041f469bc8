"""Which name each thing of a model has in its TLA+ module, where no name may be used twice in one place."""

from __future__ import annotations

from collections.abc import Iterable

_WORDS = """
ACTION ASSUME ASSUMPTION AXIOM BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN ELSE ENABLED
EXCEPT EXTENDS HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED ONLY OTHER PICK PROOF
PROPOSITION PROVE QED RECURSIVE SF_ STATE SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM UNCHANGED UNION USE VARIABLE
VARIABLES WF_ WITH WITNESS TRUE FALSE BOOLEAN STRING Nat Int Len Head Tail Append SubSeq SelectSeq Seq Cardinality
IsFiniteSet Print PrintT Assert JavaTime Permutations SortSeq RandomElement Any ToString TLCGet TLCSet TLCEval
EmptyBag SetToBag BagToSet BagIn BagCardinality CopiesIn BagCup BagUnion BagOfAll IsABag SubBag None Init Next Spec
vars TypeOK Symmetry Fold Sum Minimum Maximum Min Max ToSeq Range UpTo SeqsUpTo PlaceIn Ascending
"""
RESERVED = frozenset(_WORDS.split())
"""Words of TLA+, names of its standard modules, and those that every module of ours defines."""


class Names:
    """The names that all of a module sees."""

    def __init__(self) -> None:
        self.taken: set[str] = set(RESERVED)
        self._globals: dict[object, str] = {}
        self._reserved: set[str] = set()

    def reserve(self, wanted_name: str) -> None:
        """Keeps a name for a helper that will be declared, so that no formula before it uses the name."""
        self._reserved.add(strip_underscores(wanted_name))

    def used_names(self) -> frozenset[str]:
        """What no formula may name something of its own."""
        return frozenset(self.taken | self._reserved)

    def declare(self, key: object, wanted_name: str) -> str:
        """The name of a thing that all of the module sees: as wanted, or, if that is taken, with a number that no name
        of a formula has."""
        if key not in self._globals:
            self._globals[key] = free_name(wanted_name, self.taken, "__")
            self.taken.add(self._globals[key])
        return self._globals[key]

    def declared_name(self, key: object) -> str:
        """The name of a thing that was declared; KeyError for another."""
        return self._globals[key]


def free_name(wanted_name: str, taken_names: Iterable[str], separator: str = "_") -> str:
    """The name itself, or the first of `name_2`, `name_3`, ... that is free. TLA+ has no names that begin with WF_."""
    used = taken_names if isinstance(taken_names, set | frozenset) else set(taken_names)
    base = strip_underscores(wanted_name)
    base = f"v_{base}" if base.startswith(("WF_", "SF_")) or base[0].isdigit() else base
    found, number = base, 1
    while found in used:
        number += 1
        found = f"{base}{separator}{number}"
    return found


def strip_underscores(name: str) -> str:
    """A name without the underscores of what is private in Python, where no module reads another's text."""
    return name.lstrip("_") or "it"
