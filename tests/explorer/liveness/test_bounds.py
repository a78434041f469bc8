"""What is said of claims of whole runs where limits and `@bound`s stop steps: random models, against trying every set
of states, and against the same protocol without its bounds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.language.binding import load
from tidegate.language.model import Model

from ...support.random_limits import ALL, RandomModel, Space, draw_model, expected_answer, untrue
from ...support.shipped import tier_parameters

HEADER = """
from __future__ import annotations
from typing import Annotated
from tidegate.language import *

class Node(Domain, size=2, symmetric={symmetric}):
    '''A node.'''


"""
SEARCH = Search(keep_going=True, deadlocks=False, recheck=0, cache=None)
FOLDED = Search(keep_going=True, deadlocks=False, cache=None, symmetry=True)
SEEDS = tier_parameters(
    (("native", range(5)), ("python", range(8, 48)), ("native", range(48, 90)), ("python", range(90, 500))),
    lambda row: row[1].stop <= 48,
    lambda row: f"{row[0]}, {row[1].start} to {row[1].stop - 1}",
)


def model_of(folder: Path, made: RandomModel, seed: int) -> Model:
    path = folder / "mine.py"
    path.write_text(HEADER.format(symmetric=seed % 2 == 1) + made.text(), encoding="utf-8")
    return load(path).bind()


@pytest.mark.parametrize("row", SEEDS)
def test_an_answer_is_what_every_set_of_states_gives_and_is_true_of_the_protocol(
    row: tuple[str, range], tmp_path: Path
) -> None:
    """What is violated is violated by a fair run of the protocol without bounds, and what holds is violated by no fair
    run of the protocol in which only steps have bounds that no fairness of the claim is about."""
    engine, seeds = row
    words: Counter[str] = Counter()
    for seed in seeds:
        made = draw_model(seed)
        verdict = ENGINES[engine](model_of(tmp_path, made, seed), SEARCH, None)
        found = {prop.name: prop.verdict for prop in verdict.properties}
        space, free, mended = Space(made), Space(made, ALL), Space(made, ALL[:2])
        assert verdict.distinct_states == len(space.stopped_pairs), seed
        for claim in made.claims:
            assert found[claim.name] == expected_answer(space, claim), (seed, claim.name)
            assert not list(untrue(space, free, mended, claim, found[claim.name])), (seed, claim.name)
        words.update(found.values())
    assert min(words[word] for word in ("holds", "violated", "undecided")) > len(seeds) // 2


@pytest.mark.parametrize(
    "seeds", tier_parameters((range(7, 13, 2), range(13, 61, 2)), lambda seeds: len(seeds) < 5), ids=len
)
def test_renamings_change_no_answer(seeds: range, tmp_path: Path) -> None:
    """They are folded where only `@always_possible` is asked, and not where runs are."""
    folded = 0
    for seed in seeds:
        model = model_of(tmp_path, draw_model(seed), seed)
        whole = {prop.name: prop.verdict for prop in ENGINES["native"](model, SEARCH, None).properties}
        possible = [prop.name for prop in model.liveness if prop.kind == "always_possible"]
        for names in ([*whole], possible) if possible else ([*whole],):
            verdict = ENGINES["native"](model_of_some(tmp_path, names), FOLDED, None)
            assert {prop.name: prop.verdict for prop in verdict.properties} == {name: whole[name] for name in names}
            assert names == possible or not verdict.symmetry, seed
            folded += bool(verdict.symmetry)
    assert folded, "some model's claims name no member"


def model_of_some(folder: Path, names: list[str]) -> Model:
    return load(folder / "mine.py").bind(properties=names)


MAPPED = """
@refines(mine, {fairness})
def as_mine(s: World) -> mine.World:
    '''The same, as another model.'''
    return mine.World(at=s.at, on=s.on)
"""


@pytest.mark.parametrize("seeds", tier_parameters((range(100, 108), range(108, 180)), lambda seeds: len(seeds) == 8))
def test_what_an_abstract_model_claims_is_the_same_of_images(seeds: range, tmp_path: Path) -> None:
    """A model that refines itself: what it claims of the images of its runs is what it claims of its runs."""
    words: Counter[str] = Counter()
    for seed in seeds:
        made = draw_model(seed)
        (tmp_path / "mine.py").write_text(HEADER.format(symmetric=False) + made.text(), encoding="utf-8")
        own, space = replace(made, claims=()).text(), Space(made)
        head = HEADER.format(symmetric=False).partition("class Node")[0] + "import mine\nfrom mine import Node\n\n\n"
        for claim in made.claims:
            given = [fairness.text("") for fairness in claim.fairness if fairness.where is None]
            given += [f"limits_of({', '.join(claim.limiting_rules)})"] if claim.limiting_rules else []
            if len(given) < len(claim.fairness) + bool(claim.limiting_rules) or not given:
                continue
            text = head + own + "\n\n" + MAPPED.format(fairness=", ".join(given))
            (tmp_path / "other.py").write_text(text, encoding="utf-8")
            model = load(tmp_path / "other.py").bind(properties=[f"as_mine_{claim.name}"])
            (prop,) = ENGINES["native" if seed % 2 else "python"](model, SEARCH, None).properties
            assert prop.verdict == expected_answer(space, claim), (seed, claim.name)
            words[prop.verdict] += 1
    assert min(words[word] for word in ("holds", "violated", "undecided")) > 0
