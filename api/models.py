"""Which model, and bound how: from a name or a path to a bound model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..gates.records import named_bounds
from ..invariants.catalogue import CATALOGUE, current_name, find
from ..language import binding
from ..language.binding import Definition
from ..language.constants import Value
from ..language.errors import UsageError, suggest_name
from ..language.immutable import immutable
from ..language.model import Model
from ..language.model_parts import PROPERTIES
from . import arguments


@immutable
class ModelChoice:
    """Which model, bound how. `assignments` are constants with their values, as text or not. `properties` are all those
    of the model where none is named; `left_out` are left out of them. `ghosts` None keeps those that one of the
    properties reads, and a set of names those that it has."""

    model: str
    assignments: tuple[tuple[str, Value | str], ...] = ()
    bounds: str | None = None
    open: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    ghosts: bool | frozenset[str] | None = None
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """A built-in model is called by the name that it has now."""
        object.__setattr__(self, "model", current_name(self.model))


def find_definition(text: str) -> tuple[Definition, str | None]:
    """The definition and profile that MODEL names: `replication`, `replication:kip320`, `mine.py`, `mine.py:profile`.

    Raises `UsageError` for a name or path that is not there, `ModelErrors` for a text that is not a model.
    """
    path, colon, profile = text.partition(":")
    if path.endswith(".py") or "/" in path or (Path(path).is_dir() and current_name(path) not in CATALOGUE):
        return _definition_in_file(path, profile if colon else None)
    try:
        return find(text)
    except UsageError as error:
        if current_name(path) in CATALOGUE:
            raise
        raise UsageError(f"{error}\na model of your own is given by its path, as in ./{path}.py") from None


def _definition_in_file(path: str, profile: str | None) -> tuple[Definition, str | None]:
    """The definition in a user's own file."""
    if not Path(path).is_file():
        raise UsageError(
            f"{path}: {'a directory; name a .py file in it' if Path(path).is_dir() else 'there is no such file'}"
        )
    definition = binding.load(Path(path))
    if profile is not None and profile not in definition.profiles:
        hint = suggest_name(profile, definition.profiles) or "it has no profiles"
        raise UsageError(f"{path} has no profile {profile}; {hint}")
    return definition, profile


def bind_model(choice: ModelChoice, *, lemmas: bool = False) -> Model:
    """The model bound as asked: bounds first, then `assignments`. Ghosts are kept where asked for and, unless they are
    not wanted, where a property reads one; lemmas are bound where wanted."""
    return bind_definition(*find_definition(choice.model), choice, lemmas=lemmas)


def bind_definition(definition: Definition, profile: str | None, choice: ModelChoice, *, lemmas: bool = False) -> Model:
    """As `bind_model`, of a definition that is there already: a file that is imported again has other classes, whose
    values are no values of this definition."""
    constants: dict[str, Value | str] = dict(_chosen_bounds(choice))
    constants.update(choice.assignments)
    return definition.bind(
        choice.model,
        constants=constants,
        profile=profile,
        open=choice.open,
        ghosts=choice.ghosts,
        properties=_chosen_properties(definition, choice),
        lemmas=lemmas,
    )


def _chosen_properties(definition: Definition, choice: ModelChoice) -> tuple[str, ...] | None:
    """The names of the properties to judge, those that were left out gone; None for all that the model has."""
    both = sorted({*choice.properties} & {*choice.left_out})
    if both:
        raise UsageError(f"{', '.join(both)}: named by --property and left out by --without; give one of the two")
    if not choice.left_out:
        return choice.properties or None
    named = choice.properties or definition.names(*PROPERTIES)
    for name in choice.left_out:
        if name not in named:
            raise UsageError(f"--without {name}: no such property to leave out; {suggest_name(name, named)}")
    return tuple(name for name in named if name not in choice.left_out)


def _chosen_bounds(choice: ModelChoice) -> Mapping[str, Value | str]:
    if choice.bounds is None:
        return {}
    known = named_bounds(choice.model)
    if choice.bounds not in known:
        raise UsageError(
            f"--bounds {choice.bounds}: {suggest_name(choice.bounds, known) or 'this model has no named bounds'}"
        )
    return known[choice.bounds]


def merge_constants(
    given_values: Mapping[str, Value | str] | None, more: Mapping[str, Value | str]
) -> dict[str, Value | str]:
    """The constants given as a mapping and those given as keyword arguments. UsageError for one given twice."""
    twice = sorted(set(given_values or {}) & set(more))
    if twice:
        raise UsageError(f"{twice[0]} is given twice: in constants= and as a keyword argument")
    return {**(given_values or {}), **more}


def load(
    model: str | Path | Model,
    *,
    bounds: str | None = None,
    properties: str | Iterable[str] = (),
    without: str | Iterable[str] = (),
    ghosts: bool | None = None,
    open: str | Iterable[str] = (),
    constants: Mapping[str, Value | str] | None = None,
    **more_constants: Value | str,
) -> Model:
    """A model bound to its constants: `load("replication:kip320", bounds="small", replicas=2)`.

    `bounds` names constants that are recorded for a built-in model; constants given here come over them. `properties`
    keeps only those (one may stand alone, as text), `without` leaves some out, `ghosts` None keeps ghost fields where
    one of them reads one, `open` leaves constants open in compiled code. A model that is bound already is returned as
    it is. Raises UsageError for a name that does not exist, an argument of a wrong type or a value out of range, and
    ModelErrors, with every mistake at once, when the text is no model.
    """
    given = merge_constants(constants, more_constants)
    kept, free = arguments.check_names("properties", properties), arguments.check_names("open", open)
    left = arguments.check_names("without", without)
    bounds = arguments.check_text("bounds", bounds)
    if isinstance(model, Model):
        _check_nothing_is_given(
            model,
            given | {"bounds": bounds, "properties": kept, "without": left, "open": free, "ghosts": ghosts},
        )
        return model
    return bind_model(
        ModelChoice(str(arguments.check_path("model", model)), tuple(given.items()), bounds, free, kept, ghosts, left),
    )


def _check_nothing_is_given(model: Model, arguments_of_load: Mapping[str, object]) -> None:
    """UsageError, with the arguments' names, where something is given that only `load` takes."""
    named = [name for name, value in arguments_of_load.items() if value is not None and value != ()]
    if named:
        shown = ", ".join(f"{key}=" for key in named)
        raise UsageError(f"{model.name} is bound already, and {shown} cannot be changed: give it to load()")
