"""How a model is drawn: a `view` of lanes, one for each member of a domain, declared beside its state.

    view = LogLanes(lane=Replica, log="log", high_watermark="high_watermark", epoch="leader_epoch", ...)

Every attribute but `lane` is the text of an expression over the state `s` and the lane's member `lane`, evaluated with
the model's own names: `"s.quorum.isr"`, `"presumes_leadership(s, lane)"`. The bare name of a field is that field, at
the lane where it is a map over the lanes. An attribute that is left out is not drawn. Attributes of the whole picture,
not of a lane, see `s` only.

A view may also be a function of the state that returns a picture as SVG:

    def view(s: River) -> str:
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">{boat(s)}</svg>'

Only the trace document reads a view (`picture` and `view_image` evaluate it); it changes nothing in what a model means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from .declare import mark_of
from .kinds import Domain
from .model import Model
from .namespace import Namespace


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLanes:
    """A lane with a log: cells by offset, high watermark and end, the role, its epoch, who is in sync.

    `log` is a sequence, or a number of cells without content. `cell` is the template of a cell's text over `entry` and
    `offset`, `cell_epoch` the expression of the number that colours it. `role` is a text, an enum, or whether the lane
    leads. `isr` is who is in sync as the lane sees it; `controller_leader`, `controller_epoch` and `controller_isr` are
    the controller's, which decide whether a leader is stale. `badges` are further expressions to show, by name. `words`
    has what the protocol itself calls an `offset`, the `high watermark`, its `HW` in the picture and an `epoch`, and
    what a `cell` says, for the legend; `first` is the number of the first cell.
    """

    lane: type[Any]
    log: str
    cell: str = "{offset}"
    cell_epoch: str = ""
    high_watermark: str = ""
    log_end: str = ""
    role: str = ""
    epoch: str = ""
    up: str = ""
    isr: str = ""
    controller_leader: str = ""
    controller_epoch: str = ""
    controller_isr: str = ""
    badges: Mapping[str, str] = field(default_factory=dict[str, str])
    board: Mapping[str, str] = field(default_factory=dict[str, str])
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    first: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLanes:
    """A lane for each member of a group: its state, its generation, and what it is assigned, as chips.

    `assignment` is a set or a sequence; `board` is the coordinator's side, by name. Where `lane` is a text there is one
    lane with that name, of no domain.
    """

    lane: type[Any] | str
    state: str
    generation: str = ""
    assignment: str = ""
    up: str = ""
    badges: Mapping[str, str] = field(default_factory=dict[str, str])
    board: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionLanes(LogLanes):
    """A log lane with transactions over it: logs of their own, not replicas of one.

    `transactions` is an iterable of `(start, end, text)`: the cells from `start` to before `end`, which is None while
    the transaction is open. `last_stable_offset` is the offset before which a reader of committed records may read.
    `participants` is who takes part and has no log, in lanes above: clients, a coordinator.
    """

    transactions: str = ""
    last_stable_offset: str = ""
    participants: tuple[GroupLanes, ...] = ()


View = LogLanes | GroupLanes | TransactionLanes
"""Views of lanes. A view may also be a function of the state that returns the SVG that is shown."""


def bound_view(view: Any, namespace: Namespace) -> Any:
    """A module's `view` over bound names; none where the name is that of a module, an action or a property."""
    if isinstance(view, ModuleType) or (isinstance(view, FunctionType) and mark_of(view) is not None):
        return None
    return namespace.function(view) if isinstance(view, FunctionType) else view


class LaneNames:
    """The name of every member of every domain: its label, and before it the domain where two domains share one.

    `names[member]` is the name; `listed` has them all in order, with the domain in lower case.
    """

    def __init__(self, model: Model) -> None:
        members = {identity: domain_members(model, identity.python) for identity in model.domains}
        labels = [repr(member) for some in members.values() for member in some]
        self.listed: list[tuple[str, str]] = []
        self._names: dict[Domain, str] = {}
        for domain, some in members.items():
            for member in some:
                clash = labels.count(repr(member)) > 1
                self._names[member] = f"{domain.name} {member!r}" if clash else repr(member)
                self.listed.append((self._names[member], domain.name.lower()))

    def __getitem__(self, member: Domain) -> str:
        return self._names.get(member, repr(member))


def domain_members(model: Model, domain: type[Domain]) -> tuple[Domain, ...]:
    """The members that a domain of the model has, its size being what the constants make it."""
    type_ = next(identity for identity in model.domains if identity.python is domain)
    size = type_.size if type_.size_open is None else type_.size_open.value(model.values)
    return tuple(domain(index) for index in range(size))
