"""A search that keeps of a state the cone of what is asked finds what a search that keeps all of it finds.

Also of: `frontier`.
"""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.audit.exploring.case_explorer import CaseExplorer
from tidegate.audit.kafka.profiles import audited_model_definition
from tidegate.audit.questions.cases import cases_in, delivery_case, service_cases
from tidegate.audit.questions.questions import PROPERTIES, Case
from tidegate.explorer.native.cone import Cones, cone_of
from tidegate.explorer.native.effort import QUICK_EFFORT
from tidegate.explorer.native.frontier import Frontier
from tidegate.explorer.native.kernels import kernel_of
from tidegate.explorer.native.outcome import conclude
from tidegate.explorer.native.search import Driver, explore
from tidegate.explorer.search import Search
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.errors import ModelErrors
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ...audit.exploring.test_inference import signatures
from ...support import random_models
from ...support.engines import MEMORY, bind_text, define_text, length, text_of
from ...support.shipped import tier_parameters

BEFORE = """
swift = constant(False, says="whether the note is read")
last = constant(2, minimum=0, maximum=3, says="how far it goes")
"""
FIELDS = """
place: Small
note: Small
aside: Small
seen: Ghost[Set[Small]]
"""
START = """
place=0
note=0
aside=0
seen=Set()
"""
BODY = '''
def is_late(s: World, other: int) -> bool:
    """Whether the place is beyond another one, if it is swift."""
    if not swift:
        return False
    return s.place > other


@action
def walk(s: World) -> None:
    """One place on."""
    require(s.place < last)
    onward = s.note if swift else s.place
    s.seen.add(s.place)
    s.place = min(3, onward + 1)


@action
def jot(s: World, number: Small) -> None:
    """A note is taken."""
    require(not is_late(s, s.aside))
    s.note = number


@action
def put_aside(s: World) -> None:
    """The note is put aside."""
    require(s.place > 0)
    s.aside = s.note


@invariant
def stays_low(s: World) -> bool:
    """It never gets to the end."""
    return s.place < 2
'''
TEXT = text_of(FIELDS, START, BODY, before=BEFORE)


@contextmanager
def explore_model(model: Model, *, cone: bool) -> Generator[tuple[Frontier, Verdict]]:
    """A search to its end, with symmetry where there is any, and its frontier."""
    symmetry, search = symmetry_of(model), Search(keep_going=True, deadlocks=False, memory_bytes=MEMORY, recheck=20)
    kernel = kernel_of(model, symmetry.domains, None, effort=QUICK_EFFORT, cone=cone)
    frontier = Frontier(kernel.program, kernel.code, MEMORY)
    try:
        driver = Driver(model, search, kernel, frontier, None)
        driver.run()
        yield frontier, conclude(model, search, kernel, frontier, driver.findings)
    finally:
        frontier.close()


def states_of(frontier: Frontier) -> set[tuple[int, ...]]:
    """The words of every state of a store."""
    return {frontier.state_words(index) for index in range(frontier["COUNT"])}


def compare(model: Model) -> tuple[int, int]:
    """Both searches of a model: what is found, by runs of the same length, and the states that the smaller one keeps,
    which are the cones of those of the other one. How many states each has."""
    with explore_model(model, cone=False) as (whole, full), explore_model(model, cone=True) as (part, less):
        if full.outcome == "model_error":
            return 0, 0
        said = [{prop.name: (prop.verdict, length(prop.run)) for prop in one.properties} for one in (full, less)]
        assert said[0] == said[1]
        assert full.depth >= less.depth
        mine, theirs = states_of(part), states_of(whole)
        assert mine == {part.canonical_words(words) for words in theirs}
        return len(theirs), len(mine)


def test_what_nothing_asked_depends_on_is_not_kept(tmp_path: Path) -> None:
    slow, swift = (bind_text(tmp_path, TEXT, constants={"swift": value}) for value in (False, True))
    assert cone_of(slow) == {"place"} and cone_of(swift) == {"place", "note", "aside"}
    assert compare(slow)[1] == 3
    full, less = compare(swift)
    assert full > less > 3


def test_open_constants_have_their_present_values(tmp_path: Path) -> None:
    """A kernel that serves several values keeps for each what is in its cone; what was found for one serves another
    whose conditions are the same."""
    text = define_text(tmp_path, TEXT)
    model, cones = text.bind(open=["swift", "last"]), Cones()
    found = [
        cones.cached_cone(text.with_constants(model, "it", {"swift": swift, "last": last}))
        for swift in (False, True)
        for last in (1, 2)
    ]
    assert found == [{"place"}, {"place"}, {"place", "note", "aside"}, {"place", "note", "aside"}]


@pytest.mark.parametrize("seeds", tier_parameters((range(8), range(8, 120)), lambda seeds: 0 in seeds))
def test_random_models_have_the_same_answers(seeds: range, tmp_path: Path) -> None:
    smaller = 0
    for seed in seeds:
        try:
            model = bind_text(tmp_path, random_models.text(seed, 1 + seed % 3))
        except ModelErrors:
            continue
        full, less = compare(model)
        smaller += less < full
    assert smaller


def draw_case(seed: int) -> Case:
    """A case of an audit with two replicas, of any kind."""
    chance = random.Random(seed)
    one = chance.choice([one for one in signatures() if one.replicas == 2])
    if chance.random() < 0.2:
        return delivery_case(replace(one, acks="all"))
    some = cases_in(one) if chance.random() < 0.6 else [case for ways in service_cases(one) for case in ways]
    return chance.choice([case for case in some if case.weight < 8])


@pytest.mark.parametrize("seeds", tier_parameters((range(4), range(4, 24)), lambda seeds: 0 in seeds))
def test_cases_of_audits_have_the_same_answers(seeds: range) -> None:
    smaller = 0
    for seed in seeds:
        case = draw_case(seed)
        model = audited_model_definition().bind("partition", case.values, properties=PROPERTIES[case.kind])
        full, less = compare(model)
        smaller += less < full
    assert smaller


def test_an_audit_keeps_what_is_in_the_cone() -> None:
    """Otherwise an audit explores many times more."""
    case = draw_case(1)
    program = CaseExplorer(None).engine(case).kernel.program
    assert program.cones is not None


def test_several_workers_cannot_keep_a_cone(tmp_path: Path) -> None:
    model = bind_text(tmp_path, TEXT)
    kernel = kernel_of(model, (), None, effort=QUICK_EFFORT, cone=True)
    with pytest.raises(ValueError, match="a kernel that keeps a cone is for one worker"):
        explore(model, Search(workers=2, memory_bytes=MEMORY), kernel, symmetry_of(model))
