"""`tidegate export MODEL --to tla`: a module of TLA+, and the configuration with which TLC runs it."""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
from pathlib import Path

from ..api.models import bind_definition, find_definition
from ..language.errors import ModelErrors, UsageError
from ..language.model import Model
from ..reports.exits import Exit
from ..reports.files import write_text
from ..reports.tla.module import TLAExport, export_to_tla
from ..reports.tla.values import NotInTLAError
from .options import model_choice_of


def write_tla(options: argparse.Namespace) -> Exit:
    """Writes the module to `--output FILE.tla` and its configuration beside it, or both to standard output."""
    if options.model.endswith(".json"):
        raise UsageError(f"--to tla takes a model, and {options.model} is a saved trace; name the model")
    path: Path | None = options.output
    if path is not None and (path.suffix != ".tla" or not re.fullmatch(r"[A-Za-z]\w*", path.stem)):
        raise UsageError(f"--output {path}: TLC needs a file NAME.tla whose NAME is letters, digits and underscores")
    stem = Path(options.model.partition(":")[0]).stem if path is None else path.stem
    export = _export(options, re.sub(r"\W", "_", stem))
    configuration = export.configuration(export.invariants, export.properties)
    for name, why in export.left_out:
        print(f"tidegate: left out: {name}: {why}", file=sys.stderr)
    if path is None:
        print(f"{export.module}\n\\* {export.name}.cfg\n(*\n{configuration}*)")
        return Exit.HOLDS
    try:
        write_text(path, export.module)
        write_text(path.with_suffix(".cfg"), configuration)
        for abstract in export.abstract:
            write_text(path.with_name(f"{abstract.name}.tla"), abstract.module)
    except OSError as error:
        raise UsageError(f"--output {path}: cannot be written ({error.strerror})") from None
    command = f"java -cp tla2tools.jar tlc2.TLC {path.stem}"
    print(f"tidegate: wrote {path} and {path.with_suffix('.cfg')}; in that folder run: {command}", file=sys.stderr)
    return Exit.HOLDS


def _export(options: argparse.Namespace, name: str) -> TLAExport:
    """The model in TLA+. UsageError, with the place, for what cannot be said there."""
    try:
        return export_to_tla(_bind_openly(options), name)
    except NotInTLAError as error:
        place = f" ({error.where.file}:{error.where.line})" if error.where is not None else ""
        raise UsageError(f"{options.model} cannot be written in TLA+: {error.message}{place}") from None


def _bind_openly(options: argparse.Namespace) -> Model:
    """The model with its constants open, so that the module names them; bound to their values where its text needs
    these (a depth of recursion, for one)."""
    choice = model_choice_of(options)
    definition, profile = find_definition(choice.model)
    try:
        return bind_definition(definition, profile, dataclasses.replace(choice, open=tuple(definition.constants)))
    except ModelErrors:
        return bind_definition(definition, profile, choice)
