"""States being written: a `Shape` makes the states of one bound model, and the drafts that its actions write to.

Inside a bound model the name of the `@state` class stands for its `Shape`: `Partition(log=..., ...)` makes a checked
state. An action receives a `Draft`: an object with the state's fields, whose containers are views, and whose every
store is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from operator import itemgetter
from typing import Any, Protocol

from . import types
from .checks import TypeCheck, blank_of, check_for
from .constants import Value
from .containers import Container, ModelError, stale_view_error
from .declare import LimitError, ghosts_of
from .values import State


class DeclaredField(Protocol):
    """What a shape needs of a `model.Field`."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> types.Type: ...
    @property
    def budget(self) -> str | None: ...


class Shape:
    """The states of one bound model: their fields, how each is checked, and the ghosts that were folded away.

    Calling it makes a state from one value per field, as the author's `@initial` functions do. Folded ghosts are
    ignored; the fields that hold what is left of a budget start with the whole budget. `bind` gives the defaults that
    the class has their meaning in the bound model.
    """

    def __init__(
        self,
        state_class: type[Any],
        fields: tuple[DeclaredField, ...],
        values: Mapping[str, Value],
        bind: Callable[[Any], Any] = lambda given: given,
    ) -> None:
        self.name = state_class.__name__
        self.python = state_class
        self.names = tuple(field.name for field in fields)
        self.checks: dict[str, TypeCheck] = {field.name: check_for(field.type, values) for field in fields}
        self.budgets = {field.budget: field.name for field in fields if field.budget is not None}
        remembered = tuple(name for cls in ghosts_of(state_class) for name in cls.__annotations__)
        self._order = (*state_class.__annotations__, *remembered)
        self.folded = frozenset(self._order) - frozenset(self.names)
        self.values = values
        self.state = _state_class(self.name, self.names, tuple(field.type for field in fields))
        self._given = {name: bind(vars(state_class)[name]) for name in self.names if name in vars(state_class)}
        self._given |= {name: values[budget] for budget, name in self.budgets.items()}
        for field in fields:
            if field.name in remembered:
                with suppress(TypeError):  # without a blank value it must be given
                    self._given[field.name] = blank_of(field.type, values)
        self.memo: dict[Any, Any] = {}
        self._spare: Cells | None = None

    def __repr__(self) -> str:
        return self.name

    def __call__(self, *values: Any, **field_values: Any) -> State:
        """The state with these values; ModelError when one is missing, unknown or outside its type."""
        known = self._given | dict(zip(self._order, values, strict=False)) | field_values
        for name in known:
            if name not in self.checks and name not in self.folded:
                raise ModelError(f"{self.name} has no field {name}")
        return self.state(self._check_value(name, known) for name in self.names)

    def _check_value(self, name: str, field_values: Mapping[str, Any]) -> Any:
        if name not in field_values:
            raise ModelError(f"{self.name} needs a value for its field {name}")
        return self.checked_value(name, field_values[name])

    def checked_value(self, name: str, value: Any) -> Any:
        """The value in the form that field `name` stores; ModelError when it is outside its type."""
        try:
            return self.checks[name](value)
        except ModelError as error:
            raise ModelError(f"{name}: {error.message}") from None

    def fresh_cells(self, state: State, is_sealed: bool = False) -> Cells:
        """The cells of a fresh draft of a state: those of the last draft, when nobody wrote to it."""
        spare, self._spare = self._spare, None
        if spare is not None and spare.origin is state and spare.sealed == is_sealed:
            return spare
        return Cells(self, state, is_sealed)

    def keep_for_reuse(self, cells: Cells) -> None:
        """Keeps the cells of a draft that its guards stopped, for the next attempt on the same state."""
        if not cells.written:
            cells.hit_seal = False
            self._spare = cells

    def replace(self, state: State, **changes: Any) -> State:
        """The state with some fields changed, checked."""
        fields = zip(self.names, state, strict=True)
        return self.state(
            self.checked_value(name, changes[name]) if name in changes else value for name, value in fields
        )


def _state_class(name: str, names: tuple[str, ...], of: tuple[types.Type, ...]) -> type[State]:
    members: dict[str, Any] = {field: property(itemgetter(at)) for at, field in enumerate(names)}
    return type(name, (State,), {"__slots__": (), "__match_args__": names, "__types__": of, **members})


class Cells:
    """The cells of a draft: what its views write to. `is_sealed` cells are those of a step whose budget is spent: it
    stops with `LimitError` after its last `require` (see `spend_budget`), at the latest at the first write."""

    __slots__ = ("hit_seal", "origin", "sealed", "shape", "values", "written")

    def __init__(self, shape: Shape, state: State, is_sealed: bool = False) -> None:
        self.shape = shape
        self.origin = state
        self.sealed = is_sealed
        self.hit_seal = False
        self.written = False
        self.values: dict[str, Any] = {}
        for name, value in zip(shape.names, state, strict=True):
            self.values[name] = (
                value.with_owner(self, name, shape.checks[name]) if isinstance(value, Container) else value
            )
        for name in shape.folded:
            self.values[name] = SINK

    def put(self, key: str, old: Container, new: Container) -> None:
        """Stores a container's successor; see `containers.Owner`."""
        self._note_write()
        if not old.has_same_elements(self.values[key]):
            raise stale_view_error(key)
        self.values[key] = new.with_owner(self, key, self.shape.checks[key])

    def element(self, key: str) -> Any:
        """What the field holds now."""
        return self.values[key]

    def path(self, key: str) -> str:
        """The name of the field."""
        return key

    def assign(self, name: str, value: Any) -> None:
        """Stores a whole field, checked; a folded ghost swallows it."""
        if name in self.shape.folded:
            return
        if name not in self.shape.checks:
            raise ModelError(f"{self.shape.name} has no field {name}")
        self._note_write()
        kept = self.shape.checked_value(name, value)
        self.values[name] = (
            kept.with_owner(self, name, self.shape.checks[name]) if isinstance(kept, Container) else kept
        )

    def _note_write(self) -> None:
        """Notes a write, or stops it."""
        self.stop_if_sealed()
        self.written = True

    def stop_if_sealed(self) -> None:
        """Stops the step when its budget is spent."""
        if self.sealed:
            self.hit_seal = True
            raise LimitError

    def finish_draft(self) -> State:
        """The state that the draft has become; the draft is of no more use."""
        state = self.state_at_present()
        self.values.clear()  # breaks the circle of cells and views, so that memory is freed at once
        return state

    def state_at_present(self) -> State:
        """The state as the cells are now."""
        values = self.values
        return self.shape.state(
            value.plain() if isinstance(value := values[name], Container) else value for name in self.shape.names
        )


class Draft:
    """A state that an action is writing: its fields are attributes, and nothing else is (so no field's name can
    clash)."""

    __slots__ = ("__cells__", "__dict__")
    __cells__: Cells

    def __init__(self, cells: Cells) -> None:
        object.__setattr__(self, "__cells__", cells)
        object.__setattr__(self, "__dict__", cells.values)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__cells__.assign(name, value)

    def __delattr__(self, name: str) -> None:
        raise ModelError(f"the field {name} cannot be deleted")

    def __getattr__(self, name: str) -> Any:
        raise ModelError(f"{self.__cells__.shape.name} has no field {name}")

    def __repr__(self) -> str:
        return repr(self.__cells__.state_at_present())


def current(piece: Any) -> Any:
    """What a piece of the state that a step helper was given is now, whatever was written since; a value is itself."""
    return piece.current() if isinstance(piece, Container) else piece


def spend_budget(draft: Draft) -> None:
    """Stops a step whose budget is spent: what an action with a budget calls after its last `require`."""
    draft.__cells__.stop_if_sealed()


class Sink:
    """What a folded ghost reads as: it swallows every write and answers every question, since only other ghosts may
    ask."""

    __slots__ = ()

    def _sink(self, *_: Any, **__: Any) -> Sink:
        return self

    def _ignore(self, *_: Any) -> None:
        return None

    def _return_false(self, *_: Any) -> bool:
        return False

    def _zero(self) -> int:
        return 0

    def __iter__(self) -> Any:
        return iter(())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "(ghost)"

    __setitem__ = __setattr__ = _ignore
    __getitem__ = __call__ = _sink
    __contains__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = _return_false
    __len__ = __index__ = __int__ = _zero
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _sink
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _sink
    __or__ = __ror__ = __and__ = __rand__ = __xor__ = __rxor__ = _sink


SINK = Sink()
