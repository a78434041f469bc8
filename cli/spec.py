"""`tidegate spec`: prints a model's formulas; writes the page of each protocol in spec/ and the digests of formulas, or
says which are out of date."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..api.models import find_definition
from ..gates.records import CheckRecord, ExpectedVerdict, read_record_file, set_argument, shipped_record_files
from ..invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS, current_name
from ..language.binding import Definition
from ..language.constants import Constant, ConstantExpression
from ..language.errors import UsageError
from ..reports.exits import Exit
from ..reports.files import write_text
from ..reports.spec.mathematics import (
    RecordedChecks,
    Specification,
    claim_sections,
    model_sections,
    refinement_text,
    section_digests,
    specification_text,
)
from ..reports.spec.summary import summary_text
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate spec kraft            print all formulas of a model
  tidegate spec mine.py          the same of a model of your own
  tidegate spec --dir formulas   write all formulas of every built-in model there, a page each
  tidegate spec                  write the pages of spec/, and the digests of all formulas beside what is recorded
  tidegate spec --check          exit 6 and show the difference when a page or a digest is out of date
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "The formal specification: a model's text in mathematical notation, beside what was recorded of it."
    parser = add_verb(verbs, "spec", about, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", nargs="?", help="print this model's formulas and write nothing")
    parser.add_argument("--check", action="store_true", help="write nothing; compare")
    parser.add_argument("--dir", metavar="DIR", type=Path, help="write all formulas of every built-in model there")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Writes, compares or prints."""
    if options.model is not None:
        print(model_page(options.model), end="")
        return Exit.HOLDS
    return (
        _compare_pages(spec_texts_by_path(options.dir))
        if options.check
        else _write_pages(spec_texts_by_path(options.dir, writing=True))
    )


def spec_texts_by_path(folder: Path | None, writing: bool = False) -> Mapping[Path, str]:
    """Each file with its text as the models' texts give it: all formulas in a folder, or, without one, what spec/ has.
    Raises UsageError where they cannot be written."""
    if folder is not None and not folder.is_dir():
        raise UsageError(f"--dir {folder}: there is no such directory")
    if folder is not None:
        return {folder / f"{name}.md": model_page(name) for name in (*CATALOGUE, *REFINEMENTS, *LIVENESS_CLAIMS)}
    own = spec_folder()
    if writing and not (own.parent / "pyproject.toml").is_file():
        raise UsageError(
            f"{own} belongs to an installed package and is not written to; name a directory with --dir DIR"
        )
    pages = {own / f"{name}.md": model_summary_page(name) for name in CATALOGUE}
    records = (own / f"{name}.toml" for name in (*CATALOGUE, *REFINEMENTS, *LIVENESS_CLAIMS))
    return {**pages, **{path: replace_digests(path.read_text("utf-8"), formula_digests(path.stem)) for path in records}}


def spec_folder() -> Path:
    """The spec/ folder of this installation."""
    return next(shipped_record_files()).parent


def model_page(name: str) -> str:
    """All formulas of a model, or of what is claimed of it by another: with the values of the claim's default
    profile."""
    name = current_name(name)
    definition, made = _definition_and_specification(name)
    claimed = _claim_subject(name, definition)
    return specification_text(made) if claimed is None else refinement_text(made, *claimed)


def model_summary_page(name: str) -> str:
    """The page of a model in spec/."""
    return summary_text(_definition_and_specification(name)[1].model, name)


def formula_digests(name: str) -> Mapping[str, str]:
    """The digest of each section of a model's formulas."""
    definition, made = _definition_and_specification(name)
    claimed = _claim_subject(name, definition)
    return section_digests(model_sections(made) if claimed is None else claim_sections(made, claimed[1]))


def replace_digests(text: str, digests: Mapping[str, str]) -> str:
    """A file of spec/ with these digests as its table `[formulas]`, which stands before every other table."""
    bare = re.sub(r"^\[formulas\].*?(?:\n\n|\Z)", "", text, count=1, flags=re.MULTILINE | re.DOTALL)
    table = "".join(f'{section} = "{digest}"\n' for section, digest in digests.items())
    at = re.search(r"^(?:#.*\n)*\[", bare, flags=re.MULTILINE)
    place = at.start() if at else len(bare)
    return f"{bare[:place]}[formulas] # written by `tidegate spec`\n{table}\n{bare[place:]}"


def _definition_and_specification(name: str) -> tuple[Definition, Specification]:
    definition, profile = find_definition(name)
    claim = name in REFINEMENTS or name in LIVENESS_CLAIMS
    opened = tuple(constant for constant in definition.constants if constant not in _given_constants(definition))
    return definition, Specification(
        title=f"`{Path(name).stem}`, formally",
        model=definition.bind(name, profile=profile if claim else None, open=opened),
        profiles=definition.profiles,
        recorded_checks=_recorded_rows(recorded_checks(name), definition),
        recorded_in=f"{Path(name).stem}.toml",
    )


def _claim_subject(name: str, definition: Definition) -> tuple[str, Mapping[str, Constant]] | None:
    """Of a claim the model that it is about, and the constants that it adds; None of a model."""
    if name not in REFINEMENTS and name not in LIVENESS_CLAIMS:
        return None
    of = name.removesuffix("_live") if name in LIVENESS_CLAIMS else name.partition("_as_")[0]
    known = CATALOGUE[of].definition().constants
    return of, {key: constant for key, constant in definition.constants.items() if key not in known}


def _given_constants(definition: Definition) -> frozenset[str]:
    """The constants of which abstract models have the values: they are bound to these."""
    given = [value for _, mark in definition.functions for _, value in mark.constant_values]
    return frozenset(name for value in given if isinstance(value, ConstantExpression) for name in value.names())


def recorded_checks(name: str) -> tuple[CheckRecord, ...]:
    """What spec/ records of a built-in model, or the TOML file beside a user's own."""
    beside = Path(name).with_suffix(".toml")
    paths = (
        [beside]
        if name.endswith(".py") and beside.is_file()
        else [path for path in shipped_record_files() if path.stem == name]
    )
    return tuple(check for path in paths for check in read_record_file(path).checks)


def _recorded_rows(checks: Iterable[CheckRecord], definition: Definition) -> list[RecordedChecks]:
    """One row for all that is recorded of a profile at one size, in the order of the file."""
    groups: dict[tuple[str, str, str], list[CheckRecord]] = {}
    for check in checks:
        known = [name for name in definition.constants if name in check.constants]
        constants = " ".join(f"{name}={set_argument(check.constants[name])}" for name in known)
        groups.setdefault((check.profile, constants, ", ".join(check.marks)), []).append(check)
    return [_recorded_row(profile, constants, marks, group) for (profile, constants, marks), group in groups.items()]


def _recorded_row(profile: str, constants: str, marks: str, checks: Iterable[CheckRecord]) -> RecordedChecks:
    counts: dict[str, int] = {}
    found: dict[str, str | int] = {}
    for check in checks:
        counts.update(check.counts)
        found.update({name: _result_text(prop) for name, prop in check.properties.items()})
    return RecordedChecks(
        profile=profile,
        constants=constants,
        marks=marks,
        distinct_states=counts.get("distinct_states"),
        transitions=counts.get("transitions"),
        depth=counts.get("depth"),
        properties=found,
    )


def _result_text(expected_verdict: ExpectedVerdict) -> str | int:
    return expected_verdict.verdict if expected_verdict.steps is None else expected_verdict.steps


def _write_pages(files: Mapping[Path, str]) -> Exit:
    for path, text in files.items():
        try:
            write_text(path, text)
        except OSError as error:
            raise UsageError(f"{path}: cannot be written ({error.strerror}); name another place with --dir") from None
        print(f"wrote {path}", file=sys.stderr)
    return Exit.HOLDS


def _compare_pages(files: Mapping[Path, str]) -> Exit:
    stale = 0
    for path, text in files.items():
        present = path.read_text(encoding="utf-8") if path.is_file() else ""
        if present != text:
            stale += 1
            lines = difflib.unified_diff(
                present.splitlines(), text.splitlines(), str(path), "the model's text", "", "", 1, ""
            )
            print("\n".join(lines))
    if stale:
        print("tidegate: out of date; `tidegate spec` writes them anew", file=sys.stderr)
    return Exit.UNEXPECTED if stale else Exit.HOLDS
