"""Every shipped counterexample is argued for in words, and these are the words.

`golden/arguments/MODEL.txt` has, per counterexample recorded in spec/, its name, the steps, and the argument. The steps
are replayed by the judge, not searched for again. `TIDEGATE_UPDATE=1` writes, searching only where the steps do not
fail any more, `TIDEGATE_UPDATE=MODEL` the file of one model; look at what changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.binding import load
from tidegate.language.judge import format_run, holds, run_text
from tidegate.language.model import Model, Property
from tidegate.language.steptext import StepError
from tidegate.language.values import ModelError
from tidegate.language.verdict import Run
from tidegate.reports.text_page import TextFormat
from tidegate.reports.trace.terminal import argument_page
from tidegate.traces.argument import property_argument
from tidegate.traces.explanation import explain_false
from tidegate.traces.heading import replay_line

from ..conftest import ROOT
from ..support.shipped import tier_parameters

GOLDEN = ROOT / "tests" / "golden" / "arguments"
UPDATE = os.environ.get("TIDEGATE_UPDATE", "")
EXAMPLES = {
    "lock:careless one_inside": ("lock", "careless", "look(A); look(B); take(A); take(B)"),
}


def recorded_counterexamples() -> Iterator[tuple[str, CheckRecord, str]]:
    """Every counterexample that the commit tier records: its name, its check, and the property. Of what must happen
    there is no argument but the loop itself."""
    for path in sorted((ROOT / "spec").glob("*.toml")):
        for check in read_record_file(path).checks:
            for name, expected in check.properties.items():
                if expected.verdict == "violated" and check.tier == "commit" and check.outcome != "liveness":
                    yield f"{check.target} {check.bounds} {words(check)}{name}", check, name


def words(check: CheckRecord) -> str:
    return "".join(f"{name}={value} " for name, value in check.own.items())


RECORDED = {name: (check, prop) for name, check, prop in recorded_counterexamples()}


def model_of(check: CheckRecord, prop: str) -> Model:
    definition, profile = find(check.target)
    texts = {name: str(value) for name, value in check.constants.items()}
    return definition.bind(check.target, texts, profile, ghosts=check.ghosts, properties=[prop])


def text_of(model: Model, run: Run, prop: Property) -> str:
    """The argument as it is printed, the steps before it."""
    states = run.states()
    about = states[-2:] if prop.kind == "transition" else states[-1:]
    rows = property_argument(model, prop, run, len(run.steps), explain_false(model, prop, *about))
    return format_run(model, run) + "\n" + argument_page(rows, TextFormat(width=100)).text()


def golden() -> Mapping[str, str]:
    """The texts by name."""
    found: dict[str, str] = {}
    for path in sorted(GOLDEN.glob("*.txt")):
        for section in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            name, _, text = section.partition("\n")
            found[name] = text.rstrip("\n") + "\n"
    return found


TEXTS = golden()


def summary(text: str) -> str:
    """What an argument says in short, of which there is one."""
    (said,) = re.findall(r"\n  In short: (.*?)(?=\n    - |\n  However)", text, re.DOTALL)
    return " ".join(said.split())


def test_every_counterexample_has_its_argument(cache: Path) -> None:
    if UPDATE:
        update(cache)
    assert sorted(golden()) == sorted([*RECORDED, *EXAMPLES])


def update(cache: Path) -> None:
    """Searches for every counterexample anew and writes the texts."""
    sections: dict[str, list[str]] = {}
    for name, (check, prop) in RECORDED.items():
        if UPDATE not in ("1", check.model):
            continue
        model = model_of(check, prop)
        text = text_of(model, known_run(name, model) or search_run(check, model, cache), model.properties[0])
        sections.setdefault(check.model, []).append(f"## {name}\n{text}")
    for name, (file, profile, steps) in EXAMPLES.items() if UPDATE == "1" else ():
        model = load(ROOT / "examples" / f"{file}.py").bind(profile=profile)
        text = text_of(model, run_text(model, steps), model.properties[0])
        sections.setdefault("examples", []).append(f"## {name}\n{text}")
    for model_name, texts in sections.items():
        (GOLDEN / f"{model_name}.txt").write_text("\n".join(texts), encoding="utf-8")


def known_run(name: str, model: Model) -> Run | None:
    """The run that is written down, if it still fails at its end."""
    try:
        run = run_text(model, TEXTS[name].partition("\n")[0])
    except (KeyError, StepError, ModelError):
        return None
    prop, states = model.properties[0], run.states()
    about = states[-2:] if prop.kind == "transition" else states[-1:]
    return None if holds(model, prop, *about) else run


def search_run(check: CheckRecord, model: Model, cache: Path) -> Run:
    run = ENGINES["native"](model, Search(symmetry=check.symmetry, cache=cache), None).properties[0].run
    assert run is not None, check.name
    return run


FIRST = {(check.model, prop): name for name, (check, prop) in reversed(RECORDED.items())}
"""Of each property of a model, the first counterexample; the others are of other profiles and bounds. Each second
one of these is ordinary, and the others of them are long."""


@pytest.mark.parametrize(
    "name", tier_parameters(RECORDED, [*FIRST.values()][::2].__contains__, long=set(FIRST.values()).__contains__)
)
def test_the_argument_of(name: str) -> None:
    check, prop = RECORDED[name]
    model = model_of(check, prop)
    run = run_text(model, TEXTS[name].partition("\n")[0])
    assert text_of(model, run, model.properties[0]) == TEXTS[name]


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_what_is_said_in_short_is_for_who_does_not_know_the_model(name: str) -> None:
    """No field by the name that it has in the text of the model, no step as code has it, no number that went from one
    to another; an end, and no more than a person reads at once. What a refinement needs has the abstract model's
    names."""
    said = re.sub("`?__consumer_offsets`?", "", summary(TEXTS[name]))  # a topic's name, by which Kafka's users know it
    assert "`" not in said and not re.search(r"\bwent from\b|\w\(\w+=", said), said
    assert "as_" in name or not re.search(r"[a-z]_[a-z]", said), said
    assert said.endswith(".") and len(said) <= 500


def test_the_argument_of_an_example() -> None:
    for name, (file, profile, steps) in EXAMPLES.items():
        model = load(ROOT / "examples" / f"{file}.py").bind(profile=profile)
        assert text_of(model, run_text(model, steps), model.properties[0]) == TEXTS[name]
        assert summary(TEXTS[name])


def test_an_argument_names_who_lost_what_and_why() -> None:
    """The first loss that KIP-101 tells of, in the words that a person would want."""
    text = " ".join(TEXTS["replication:truncate_to_hw two_replicas weak_isr"].split())
    for said in ("B's log lost 0a at step 8, because B's high watermark was 0", "However, B's log is empty"):
        assert said in text
    assert len({name.partition(" ")[0] for name in TEXTS}) >= 10


def test_steps_that_are_replayed_still_fail_where_they_did() -> None:
    name = "raft:count_replicas figure_8 leader_completeness"
    check, prop = RECORDED[name]
    model = model_of(check, prop)
    run = run_text(model, TEXTS[name].partition("\n")[0])
    assert [holds(model, model.properties[0], state) for state in run.states()[-2:]] == [True, False]
    assert replay_line(model, run).startswith("tidegate replay raft:count_replicas ")


SHORT = {
    "replication:truncate_to_hw two_replicas weak_isr": (
        "A committed 0a at step 6, and B lost it at step 8, because B's high watermark was 0."
    ),
    "replication:kip320 one_record_three_epochs await_epoch_start=False leader_completeness": (
        "0a was committed at step 8. C became leader at step 13. Now C's log is empty."
    ),
    "raft:no_fsync two_elections committed_entries_stay": (
        "A committed 1a at step 7 and lost it at step 8 (A crashes and starts again, with 0 of its 1 entries)."
    ),
    "partition:kafka_4_1 two_replicas_dark acked_durable": (
        "0a was acknowledged at step 3, and A lost it at step 5 (A's host loses power; its log had been "
        "flushed up to offset 0)."
    ),
}


def test_in_short_there_is_one_sentence_of_who_lost_what_and_why() -> None:
    for name, said in SHORT.items():
        assert f"In short: {said}" in " ".join(TEXTS[name].split()), name
