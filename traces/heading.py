"""What a trace document says of the run as a whole: of which commit and tool it is, and the command that replays it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..language.constants import Value
from ..language.judge import format_run
from ..language.model import Model
from ..language.verdict import Run


def replay_line(
    model: Model, run: Run, breaking: str | None = None, property_name: str | None = None, failing: Sequence[str] = ()
) -> str:
    """The command that replays a run, and after it the step that breaks the model, if there is one: what differs from
    the constants' defaults, or from the profile that the model's name ends with, is set in it. It asks for the property
    that the run is `property_name`, so that it answers with that one; without one, for those that the model was bound
    to, but for the `failing` ones, which would be shown in place of the deadlock in which the run ends."""
    steps = "; ".join(part for part in (format_run(model, run), breaking) if part)
    if property_name is not None:
        return replay_command(model, steps, (property_name,))
    kept = [prop.name for prop in (*model.properties, *model.liveness) if prop.name not in failing]
    without = (*model.left_out, *failing)
    few = 0 < len(kept) <= len(without)
    return replay_command(model, steps, kept if few else (), () if few else without)


def replay_line_of(model: Model, run: Run, loop: int | None, claim: str) -> str:
    """The command that replays a run that is about a property of liveness; it returns to state `loop` after its last
    step, where it goes round for ever."""
    return replay_line(model, run, property_name=claim) + ("" if loop is None else f" --loop {loop}")


def replay_command(model: Model, steps: str, properties: Iterable[str] = (), left_out: Iterable[str] = ()) -> str:
    """The command that replays a text of steps with the constants that a model is bound to, and checks these properties
    alone; without any, all but those `left_out` which it is to be taken."""
    settings = [f"--set {name}={value}" for name, value in _replay_settings(model)]
    ghosts = ["--ghosts"] if model.ghosts and any(field.ghost for field in model.fields) else []
    asked = [*(f"--property {name}" for name in properties), *(f"--without {name}" for name in left_out)]
    return " ".join(["tidegate replay", shlex.quote(model.name), *settings, *ghosts, *asked, f'--steps "{steps}"'])


def _replay_settings(model: Model) -> Iterator[tuple[str, str]]:
    profiles: Mapping[str, Mapping[str, Value]] = model.namespace.get("profiles", {})
    profile = profiles.get(model.name.rpartition(":")[2], {})
    for name, constant in model.constants.items():
        if model.values[name] != profile.get(name, constant.default):
            yield name, str(command_line_value(model.values[name])).lower()


def command_line_value(value: Value) -> bool | int | str:
    """A constant's value as it is given on the command line: an enum by its value."""
    return value if isinstance(value, int) else str(value.value)
