"""The pages on partitions say what checks say. `TIDEGATE_UPDATE=1` writes their results anew."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from tidegate.gates.records import CheckRecord, ExpectedVerdict, read_record_file, set_argument

from ..conftest import ROOT
from ..support.partition_pages import (
    COPIES,
    DIRECTORY_VERSIONS,
    QUORUMS,
    READERS,
    TOLERANCES_HEAD,
    VERSIONS,
    MatrixCell,
    Pages,
    directory_lines,
    matrix_cells,
    matrix_text,
    tolerances,
)

SAID = ROOT / "docs" / "partition.md"
STORIES = ROOT / "docs" / "stories.md"
MATRIX = ROOT / "docs" / "partition-matrix.md"
CHECK = re.compile(r"`tidegate check (partition:[^`]*)` → ([^|]*) \|")
UPDATE = bool(os.environ.get("TIDEGATE_UPDATE"))


# --- what is said, against the record ---------------------------------------------------------------------------------


def recorded_result(command: str, checks: tuple[CheckRecord, ...]) -> str:
    """What the record says of a command: of each property in it, in a few words."""
    target, *options = shlex.split(command)
    given = list(zip(options[::2], options[1::2], strict=True))
    bounds = next((value for option, value in given if option == "--bounds"), "")
    own = dict(value.split("=") for option, value in given if option == "--set")
    properties = [value for option, value in given if option == "--property"]
    for check in checks:
        same = (check.target, check.bounds) == (target, bounds)
        if same and {name: set_argument(value) for name, value in check.own.items()} == own:
            found = [check.properties.get(name) for name in properties]
            if all(found):
                words = {expectation_words(claim) for claim in found if claim}
                assert len(words) == 1, f"{command}: several results, {words}"
                return words.pop()
    raise AssertionError(f"{command}: no such check is recorded in spec/partition.toml")


def expectation_words(expected: ExpectedVerdict) -> str:
    """What is recorded of a property."""
    if expected.steps is None:
        return expected.verdict
    return f"{expected.verdict}, {expected.steps} step{'s' if expected.steps != 1 else ''}"


def test_what_is_said_is_as_recorded() -> None:
    checks = read_record_file(ROOT / "spec" / "partition.toml").checks
    text = SAID.read_text(encoding="utf-8")
    made = CHECK.sub(lambda found: f"`tidegate check {found[1]}` → {recorded_result(found[1], checks)} |", text)
    if UPDATE:
        SAID.write_text(made, encoding="utf-8")
    assert CHECK.search(text)
    assert made == (SAID.read_text(encoding="utf-8") if UPDATE else text)
    assert "→ ?" not in made


# --- the matrix, against checks ---------------------------------------------------------------------------------------


STRIDE = {"matrix": 37, "readers": 117}
"""Of the cells of the matrix each run looks at one of so many, and `pytest -m matrix` at all."""
AS_LOG: dict[str, Sequence[int]] = {"matrix": range(20, 512, 95), "readers": range(20, 448, 85), "ordinary": (65,)}
"""Those of which the tests ask as well which log the partition is: the long tier, and every run."""


@pytest.fixture(scope="module")
def pages(cache: Path) -> Pages:
    return Pages(cache)


def split_at_part(text: str, name: str) -> tuple[str, str, str]:
    """What stands before, in and after a part of a page that is written from checks."""
    before, start, rest = text.partition(f"<!-- {name}: written by the tests -->\n")
    part, end, after = rest.partition(f"<!-- end of {name} -->\n")
    assert start and end, f"no part {name}"
    return before + start, part, end + after


def said_of(name: str) -> list[tuple[MatrixCell, str]]:
    """What the page says in each cell of its matrix, or of its matrix of readers."""
    _, part, _ = split_at_part(MATRIX.read_text(encoding="utf-8"), name)
    return list(matrix_cells(part, READERS if name == "readers" else ""))


def found_in(cell: MatrixCell, name: str, pages: Pages) -> str:
    """What a check of the partition finds."""
    return cell.reads(pages) if name == "readers" else cell.explore(pages)


def found_as_log(cell: MatrixCell, name: str, pages: Pages) -> str:
    """What checks find of the log that the partition is."""
    return cell.reads_as_log(pages) if name == "readers" else cell.as_log(pages)


@pytest.mark.parametrize("name", ["matrix", "readers"])
def test_the_matrix_is_what_checks_find(name: str, pages: Pages) -> None:
    before, part, after = split_at_part(MATRIX.read_text(encoding="utf-8"), name)
    about = READERS if name == "readers" else ""
    if UPDATE:
        part = matrix_text(lambda cell: found_in(cell, name, pages), about)
        MATRIX.write_text(before + part + after, encoding="utf-8")
    said = said_of(name)
    assert matrix_text(dict(said).__getitem__, about) == part
    for cell, text in said[:: STRIDE[name]]:
        assert (cell, found_in(cell, name, pages)) == (cell, text)


@pytest.mark.matrix
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", ["matrix", "readers"])
@pytest.mark.parametrize("profile", [profile for profile, _, _ in VERSIONS])
def test_every_cell_of_the_matrix_is_what_a_check_finds(profile: str, name: str, pages: Pages) -> None:
    said = {cell: text for cell, text in said_of(name) if cell.profile == profile}
    assert {cell: found_in(cell, name, pages) for cell in said} == said


@pytest.mark.parametrize("at", AS_LOG["ordinary"])
def test_readers_diverge_in_the_log_where_the_matrix_says_so(at: int, pages: Pages) -> None:
    cell, text = said_of("readers")[at]
    assert (cell, cell.reads_as_log(pages)) == (cell, text)


@pytest.mark.long  # the matrix itself is ordinary, and so is the refinement of each profile in test_refinements
@pytest.mark.parametrize("name", ["matrix", "readers"])
def test_a_partition_is_the_log_that_the_matrix_says(name: str, pages: Pages) -> None:
    said = said_of(name)
    for cell, text in (said[at] for at in AS_LOG[name]):
        assert (cell, found_as_log(cell, name, pages)) == (cell, text)


@pytest.mark.matrix
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", ["matrix", "readers"])
@pytest.mark.parametrize("profile", [profile for profile, _, _ in VERSIONS])
def test_every_partition_is_the_log_that_the_matrix_says(profile: str, name: str, pages: Pages) -> None:
    """With exactly the switches on of which the matrix says that this is lost, and the shortest loss as long as
    there."""
    said = {cell: text for cell, text in said_of(name) if cell.profile == profile}
    assert {cell: found_as_log(cell, name, pages) for cell in said} == said


@pytest.mark.long
def test_lost_disks_and_directories_are_what_checks_find(pages: Pages) -> None:
    _, part, _ = split_at_part(MATRIX.read_text(encoding="utf-8"), "directories")
    assert set(directory_lines(pages, DIRECTORY_VERSIONS[-1:])) <= set(part.splitlines())


@pytest.mark.matrix
def test_every_line_on_lost_disks_and_directories_is_what_checks_find(pages: Pages) -> None:
    before, part, after = split_at_part(MATRIX.read_text(encoding="utf-8"), "directories")
    found = "\n".join([*directory_lines(pages), ""])
    if UPDATE:
        MATRIX.write_text(before + found + after, encoding="utf-8")
    else:
        assert part == found


def test_majorities_and_the_isr_are_what_checks_find(pages: Pages) -> None:
    before, part, after = split_at_part(STORIES.read_text(encoding="utf-8"), "tolerances")
    if UPDATE:
        part = "\n".join([*TOLERANCES_HEAD, *tolerances(pages, QUORUMS, COPIES), ""])
        STORIES.write_text(before + part + after, encoding="utf-8")
    said = part.splitlines()
    assert said[:2] == TOLERANCES_HEAD
    assert len(said) == 2 + len(QUORUMS) + len(COPIES)
    assert set(tolerances(pages, QUORUMS[:1], [(3, 2)])) <= set(said)


# --- the high watermark waits for the maximal ISR alone ---------------------------------------------------------------

STEP = re.compile(r"(\w+)\(([^)]*)\)")
LEAVES_BY_LAG = {"propose_shrink", "shrink_isr"}
RETURNS = {"propose_expansion", "expand_isr"}


def fetches_outside_the_isr(steps: str) -> list[str]:
    """The brokers that left the ISR for their lag, fetched since, and were not added when a high watermark moved; of a
    run as the golden files have it."""
    outside: dict[str, bool] = {}
    found: list[str] = []
    for action, arguments in STEP.findall(steps):
        follower = dict(pair.split("=") for pair in arguments.split(", ") if "=" in pair).get("follower", "")
        if action in LEAVES_BY_LAG:
            outside[follower] = False
        elif action in RETURNS:
            outside.pop(follower, None)
        elif action == "fetch" and follower in outside:
            outside[follower] = True
        elif action == "advance_high_watermark":
            found += [broker for broker, has_fetched in outside.items() if has_fetched]
    return found


def test_no_recorded_loss_needs_a_replica_that_keeps_up_outside_the_isr() -> None:
    """Kafka's leader would wait for such a replica, or add it (docs/partition.md, what is left out)."""
    text = (ROOT / "tests" / "golden" / "arguments" / "partition.txt").read_text(encoding="utf-8")
    runs = re.findall(r"^## (.*)\n(.*)$", text, flags=re.MULTILINE)
    assert len(runs) > 50
    assert [name for name, steps in runs if fetches_outside_the_isr(steps)] == []
    beside = "shrink_isr(leader=A, follower=B); fetch(leader=A, follower=B); produce(A); advance_high_watermark(A)"
    assert fetches_outside_the_isr(beside) == ["B"]
