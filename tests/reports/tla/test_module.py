"""A whole model as a module, and what TLC said of each that is shipped."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from tidegate.language.binding import load
from tidegate.reports.tla.module import export_to_tla
from tidegate.reports.tla.values import NotInTLAError

from bench.tlc import RECORD, TLC, ExportedModel, compare, digest_of, exported_model, subjects

from ...conftest import ROOT

RECORDED = tomllib.loads(RECORD.read_text("utf-8"))
SUBJECTS = tuple(subjects())

LOCK = """\
-------------------------------- MODULE lock ---------------------------------
\\* A lock kept in one cell, taken by looking first or by compare-and-set.
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    None,             \\* what an option holds that holds nothing
    Client,           \\* Somebody who takes the lock.
    clients,          \\* who want the lock
    compare_and_set   \\* looking and taking are one step

VARIABLES
    held,   \\* what the cell says
    place   \\* where each client is

vars == <<held, place>>

Place == {"outside", "at_the_door", "inside"}
Symmetry == Permutations(Client)
"""


def test_a_model_is_a_module_and_a_configuration() -> None:
    definition = load(ROOT / "examples/lock.py")
    export = export_to_tla(definition.bind("lock", None, "careful", open=tuple(definition.constants)), "lock")
    assert export.module.startswith(LOCK)
    assert export.configuration(export.invariants, (), symmetry=True).splitlines() == [
        "SPECIFICATION Spec",
        "CHECK_DEADLOCK FALSE",
        "CONSTANTS",
        "    None = None",
        "    Client = {A, B}",
        "    clients = 2",
        "    compare_and_set = TRUE",
        "SYMMETRY Symmetry",
        "INVARIANTS",
        "    TypeOK",
        "    one_inside",
        "\\* To see how something is reached, ask for its violation:",
        "\\* INVARIANT never_somebody_inside",
    ]


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.target)
def test_every_export_is_the_text_that_tlc_ran(subject: ExportedModel) -> None:
    """Where this fails, run TLC again: `python -m bench.tlc --classes PATH MODEL`."""
    recorded = RECORDED[subject.name]
    if "refused" in recorded:
        with pytest.raises(NotInTLAError):
            exported_model(subject)
    else:
        assert recorded["digest"] == digest_of(exported_model(subject))


def test_at_most_three_models_cannot_be_written_in_tla() -> None:
    assert sorted(RECORDED) == sorted(subject.name for subject in SUBJECTS)
    assert sum("refused" in recorded for recorded in RECORDED.values()) <= 3


@pytest.mark.skipif("TLC_CLASSES" not in os.environ, reason="TLC_CLASSES names no classpath of TLC")
@pytest.mark.parametrize("name", ["leadership", "log", "examples/die_hard.py"])
def test_tlc_agrees(name: str, tmp_path: Path) -> None:
    subject = next(subject for subject in SUBJECTS if subject.name == name)
    record, differences = compare(subject, TLC(os.environ["TLC_CLASSES"], tmp_path))
    assert differences == []
    assert record == {key: value for key, value in record.items() if RECORDED[name].get(key, value) == value}
