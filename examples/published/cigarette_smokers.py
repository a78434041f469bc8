"""Smokers who each lack two of three ingredients, after `CigaretteSmokers/CigaretteSmokers.tla`.

6 states.
"""

from tidegate.language import Domain, Map, Set, action, choose, initial, invariant, require, state


class Ingredient(Domain, size=3, labels=["matches", "paper", "tobacco"]):
    """What a cigarette is made of; each smoker has plenty of one."""


@state
class Table:
    """The smokers, by what they have, and what lies on the table."""

    smoking: Map[Ingredient, bool]  # who smokes
    offer: Set[Ingredient]  # what the dealer has put down


@initial
def start(offer: Set[Ingredient]) -> Table:
    """The dealer offers two ingredients."""
    require(len(offer) == 2)
    return Table(smoking=Map({i: False for i in Ingredient}), offer=offer)


@action
def start_smoking(s: Table) -> None:
    """The smoker who has what lacks takes the offer."""
    require(len(s.offer) > 0)
    offer = s.offer
    for i in Ingredient:
        s.smoking[i] = offer | {i} == Set(Ingredient)
    s.offer = Set()


@action
def stop_smoking(s: Table, offer: Set[Ingredient]) -> None:
    """The smoker has finished; the dealer offers {offer}."""
    require(len(s.offer) == 0 and len(offer) == 2)
    s.smoking[choose(i for i in Ingredient if s.smoking[i])] = False
    s.offer = offer


@invariant
def at_most_one(s: Table) -> bool:
    """At most one smokes."""
    return sum(1 for i in Ingredient if s.smoking[i]) <= 1
