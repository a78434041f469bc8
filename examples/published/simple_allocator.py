"""Clients who ask for resources and give them back, after `allocator/SimpleAllocator.tla`.

400 states with three clients and two resources; a parameter that is a set is tried with every set.
"""

from tidegate.language import Domain, Map, Set, action, constant, initial, invariant, reachable, require, state

clients = constant(3, minimum=1, maximum=4, says="clients")
resources = constant(2, minimum=1, maximum=3, says="resources")


class Client(Domain, size=clients, symmetric=True):
    """Someone who needs resources."""


class Resource(Domain, size=resources, symmetric=True):
    """What one client at a time may have."""


@state
class Allocator:
    """What is asked for, and what is given."""

    wanted: Map[Client, Set[Resource]]  # what each client still waits for
    held: Map[Client, Set[Resource]]  # what each client has


@initial
def start() -> Allocator:
    """Nobody has anything."""
    return Allocator(wanted=Map({c: Set() for c in Client}), held=Map({c: Set() for c in Client}))


@action
def request(s: Allocator, client: Client, some: Set[Resource]) -> None:
    """{client} asks for {some}."""
    require(len(some) > 0)
    require(len(s.wanted[client]) == 0 and len(s.held[client]) == 0)
    s.wanted[client] = some


@action
def allocate(s: Allocator, client: Client, some: Set[Resource]) -> None:
    """{client} is given {some}."""
    require(len(some) > 0 and some <= s.wanted[client])
    require(all(len(some & s.held[other]) == 0 for other in Client))
    s.held[client] |= some
    s.wanted[client] -= some


@action
def give_back(s: Allocator, client: Client, some: Set[Resource]) -> None:
    """{client} gives {some} back."""
    require(len(some) > 0 and some <= s.held[client])
    s.held[client] -= some


@invariant
def mutual_exclusion(s: Allocator) -> bool:
    """No resource is held by two."""
    return all(a == b or len(s.held[a] & s.held[b]) == 0 for a in Client for b in Client)


@reachable
def all_is_held(s: Allocator) -> bool:
    """Every resource is held."""
    return all(any(r in s.held[c] for c in Client) for r in Resource)
