"""Loading and binding: from a module or a file to a model, and what is said when that cannot be."""

from __future__ import annotations

import importlib
import sys
import types
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.native.search import check
from tidegate.explorer.search import Search
from tidegate.invariants.catalogue import CATALOGUE
from tidegate.language.binding import Definition, load
from tidegate.language.errors import ModelErrors, UsageError, suggest_name
from tidegate.language.types import Identity, Int, Pool, Seq
from tidegate.model import replication
from tidegate.model.studies import async_isr

from ..conftest import ROOT
from ..support.engines import agree

EVERYTHING = ROOT / "tests" / "fixtures" / "models" / "every_construct.py"

SMALL = '''
"""A small model."""
from typing import Annotated
from tidegate.language import *

top = constant(3, minimum=1, maximum=5, says="how far to count")
last = top - 1
profiles = {"far": {"top": 5}}

@state
class Counter:
    """One number."""
    count: Annotated[int, Range(0, top)]  # so far

@initial
def start() -> Counter:
    """Zero."""
    return Counter(count=0)

@action(kind="client")
def step(s: Counter) -> None:
    """Counts on from {s.count}.

    More is not shown.
    """
    limit(s.count < last)
    s.count += 1

@invariant
def small(s: Counter) -> bool:
    """It stays small."""
    return s.count <= top
'''


def small(tmp_path: Path, text: str = SMALL) -> Definition:
    """The definition in a file with this text."""
    file = tmp_path / "small.py"
    file.write_text(text, encoding="utf-8")
    return load(file)


# --- loading ----------------------------------------------------------------------------------------------------------


def test_a_file_becomes_a_definition(tmp_path: Path) -> None:
    definition = small(tmp_path)
    assert (definition.name, definition.doc) == ("small", "A small model.")
    assert list(definition.constants) == ["top"]
    assert definition.constants["top"].name == "top"
    assert definition.profiles == {"far": {"top": 5}}
    assert definition.names("action", "invariant") == ("step", "small")
    assert definition.files == (str(tmp_path / "small.py"),)


def test_a_file_is_imported_afresh_under_a_private_name(tmp_path: Path) -> None:
    one = small(tmp_path)
    other = small(tmp_path, SMALL.replace("def step", "def count_on"))
    assert (one.names("action"), other.names("action")) == (("step",), ("count_on",))
    assert one.state_class is not other.state_class
    assert "small" not in sys.modules
    assert str(tmp_path) not in sys.path


def test_a_shipped_module_is_a_definition_too() -> None:
    definition = load(replication)
    assert definition.name == "replication"
    assert "kip320" in definition.profiles
    assert list(definition.constants)[:2] == ["replicas", "log_size"]


def test_a_missing_file_is_a_mistake_in_what_was_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        load(tmp_path / "nothing.py")


def test_only_python_files_are_models(tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text(SMALL, encoding="utf-8")
    with pytest.raises(UsageError, match=r"is not a \.py file"):
        load(tmp_path / "model.txt")


def test_broken_syntax_is_shown_where_it_breaks(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        small(tmp_path, SMALL.replace("s.count += 1", "s.count + = 1"))
    (error,) = caught.value.errors
    assert (error.code, error.message) == ("TG001", "invalid syntax")
    assert "    s.count + = 1\n" in error.render()


def test_a_file_that_fails_names_its_own_line(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        small(tmp_path, SMALL + "\n\nimport nowhere_to_be_found\n")
    (error,) = caught.value.errors
    assert error.code == "TG002"
    assert error.where.line == SMALL.count("\n") + 3
    assert "No module named 'nowhere_to_be_found'" in error.message


PROPERTIES = '''
from {home} import Counter, top
from tidegate.language import invariant, reachable, constant

margin = constant(1, minimum=0, maximum=2)

def near(s: Counter) -> bool:
    return s.count + margin >= top

@reachable
def gets_near(s: Counter) -> bool:
    """It gets near the top."""
    return near(s)
'''


def module_of(path: Path, name: str, text: str) -> types.ModuleType:
    """An imported module with this text."""
    path.write_text(text, encoding="utf-8")
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    exec(compile(text, str(path), "exec"), vars(module))
    return module


def test_further_modules_bring_properties_and_constants(tmp_path: Path) -> None:
    model = module_of(tmp_path / "counting.py", "a_counting_model", SMALL)
    lemmas = module_of(tmp_path / "lemmas.py", "its_lemmas", PROPERTIES.format(home="a_counting_model"))
    definition = load(model, properties=(lemmas,))
    assert definition.names("invariant", "reachable") == ("small", "gets_near")
    assert list(definition.constants) == ["top", "margin"]
    assert definition.files == (str(tmp_path / "counting.py"), str(tmp_path / "lemmas.py"))
    verdict = check(definition.bind(), Search())
    assert [prop.verdict for prop in verdict.properties] == ["holds", "reached"]


def test_two_constants_of_one_name_are_refused(tmp_path: Path) -> None:
    model = module_of(tmp_path / "counting.py", "another_counting_model", SMALL)
    text = PROPERTIES.format(home="another_counting_model").replace("margin", "top")
    lemmas = module_of(tmp_path / "lemmas.py", "other_lemmas", text)
    with pytest.raises(ModelErrors) as caught:
        load(model, properties=(lemmas,))
    assert [error.code for error in caught.value.errors] == ["TG009"]


# --- binding ----------------------------------------------------------------------------------------------------------


def test_a_bound_model_says_all_about_itself(tmp_path: Path) -> None:
    model = small(tmp_path).bind()
    (field,) = model.fields
    (action,) = model.actions
    assert (model.name, model.state_name, model.values) == ("small", "Counter", {"top": 3})
    assert (field.name, field.says, field.ghost, field.type) == ("count", "so far", False, Int(0, 3))
    assert (action.kind, action.sentence) == ("client", "Counts on from {s.count}.")
    assert action.doc.endswith("More is not shown.")
    assert model.properties[0].says == "It stays small."


def test_values_come_from_defaults_then_profile_then_the_user(tmp_path: Path) -> None:
    definition = small(tmp_path)
    assert definition.bind(profile="far").values == {"top": 5}
    assert definition.bind(profile="far").name == "small:far"
    assert definition.bind(profile="far", constants={"top": "2"}).values == {"top": 2}
    assert definition.bind("mine").name == "mine"


def test_binding_twice_gives_two_models(tmp_path: Path) -> None:
    definition = small(tmp_path)
    two, four = definition.bind(constants={"top": 2}), definition.bind(constants={"top": 4})
    assert [check(model, Search()).distinct_states for model in (two, four)] == [2, 4]
    assert [model.field("count").type for model in (two, four)] == [Int(0, 2), Int(0, 4)]


def test_folded_and_open_constants_count_the_same(tmp_path: Path) -> None:
    definition = small(tmp_path)
    for top in (1, 4):
        how: dict[str, Any] = {"constants": {"top": top}}
        folded, opened = definition.bind(**how), definition.bind(**how, open=["top"])
        assert check(folded, Search()).distinct_states == check(opened, Search()).distinct_states


def test_only_the_chosen_properties_are_bound(tmp_path: Path) -> None:
    definition = small(tmp_path)
    assert definition.bind(properties=[]).properties == ()
    assert [prop.name for prop in definition.bind(properties=["small"]).properties] == ["small"]


class Mode(Enum):
    """Not the model's own."""

    OFF = "off"


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown constant": ({"constants": {"nods": 2}}, "has no constant nods; did you mean nodes"),
    "an unknown profile": ({"profile": "fsat"}, "every_construct has no profile fsat; did you mean fast?"),
    "an unknown property": ({"properties": ["someone_own"]}, "no property someone_own; did you mean someone_owns"),
    "an unknown open constant": ({"open": ["roof"]}, "no constant roof to leave open; did you mean room"),
    "a number out of range": ({"constants": {"nodes": 9}}, "nodes=9: it must be an integer from 1 to 3"),
    "text that is not a number": ({"constants": {"nodes": "two"}}, "nodes=two: it must be an integer from 1 to 3"),
    "a number for a bool": ({"constants": {"careful": 1}}, "careful=1: it must be true or false"),
    "a bool for a number": ({"constants": {"nodes": True}}, "nodes=true: it must be an integer from 1 to 3"),
    "a member that is none": ({"constants": {"mode": "quick"}}, "mode=quick: it must be one of off, slow, fast"),
    "another enum's member": ({"constants": {"mode": Mode.OFF}}, "mode=off: it must be one of off, slow, fast"),
}


@pytest.fixture(scope="module")
def everything() -> Definition:
    """The model that uses every type and construct."""
    return load(EVERYTHING)


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_bound_is_said(what: str, everything: Definition) -> None:
    how, message = BAD[what]
    with pytest.raises(UsageError) as caught:
        everything.bind(**how)
    assert message in str(caught.value)


@pytest.mark.parametrize(("text", "name"), [("fast", "FAST"), ("FAST", "FAST"), ("off", "OFF")])
def test_an_enum_is_given_by_value_or_name(text: str, name: str, everything: Definition) -> None:
    mode = everything.bind(constants={"mode": text, "careful": "False", "nodes": "1"}).values["mode"]
    assert isinstance(mode, Enum)
    assert mode.name == name


def test_nearest_names() -> None:
    assert suggest_name("replica", ["replicas", "log_size"]) == "did you mean replicas?"
    assert suggest_name("zzz", ["replicas", "log_size"]) == "known: replicas, log_size"
    assert suggest_name("zzz", []) == ""


# --- open bounds ------------------------------------------------------------------------------------------------------


def test_an_open_bound_is_kept_beside_its_static_one() -> None:
    model = load(replication).bind(open=["replicas", "log_size", "max_leader_epoch"], constants={"replicas": 2})
    replica = model.domains[0]
    assert isinstance(replica, Identity)
    assert (replica.size, len(replica.labels)) == (6, 6)
    assert replica.size_open is not None
    assert replica.size_open.value(model.values) == 2
    log = model.field("log").type
    assert isinstance(inner := log.value, Seq)  # type: ignore[union-attr]
    assert (inner.capacity, inner.capacity_open is None) == (8, False)
    requests = model.field("requests").type
    assert isinstance(requests, Pool)
    assert requests.capacity == 15


# --- the shipped models -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", [None, *load(replication).profiles])
@pytest.mark.parametrize("ghosts", [True, False])
def test_the_replication_family_binds(profile: str | None, ghosts: bool) -> None:
    model = CATALOGUE["replication"].definition().bind(profile=profile, ghosts=ghosts)
    assert [field.name for field in model.fields if field.ghost] == (["committed", "left_isr"] if ghosts else [])
    off = {action.name for action in model.actions if action.switched_off}
    assert off == (set() if profile == "kip320_first_try" else {"truncate"})


@pytest.mark.parametrize(
    ("properties", "kept"),
    [
        (None, ["committed", "left_isr"]),
        (["leader_completeness"], ["committed"]),
        (["isr_shrinks_and_grows_back", "weak_isr"], ["left_isr"]),
        (["weak_isr"], []),
    ],
)
def test_only_the_ghosts_are_kept_that_a_property_reads(properties: list[str] | None, kept: list[str]) -> None:
    definition = CATALOGUE["replication"].definition()
    small = {"max_leader_epoch": 1, "replicas": 2}
    model = definition.bind(constants=small, profile="kip320", ghosts=None, properties=properties)
    assert ([field.name for field in model.fields if field.ghost], model.ghosts) == (kept, kept != [])
    every = definition.bind(constants=small, profile="kip320", ghosts=True, properties=properties)
    assert [field.name for field in every.fields if field.ghost] == ["committed", "left_isr"]
    mine, theirs = (check(bound, Search()) for bound in (model, every))
    said = [
        [(prop.name, prop.verdict, prop.run and len(prop.run.steps)) for prop in it.properties] for it in (mine, theirs)
    ]
    assert said[0] == said[1] and mine.verdict == theirs.verdict
    assert (mine.distinct_states or 0) <= (theirs.distinct_states or 0)


def test_other_values_of_open_constants_keep_the_same_ghosts() -> None:
    definition = CATALOGUE["replication"].definition()
    chosen = ["leader_completeness"]
    model = definition.bind(profile="kip320", open=["max_leader_epoch"], ghosts=None, properties=chosen)
    other = definition.with_constants(model, "other", {"max_leader_epoch": 1})
    assert [field.name for field in other.fields] == [field.name for field in model.fields]


def test_the_asynchronous_isr_binds() -> None:
    assert load(async_isr).bind().actions


# --- a model in several files -----------------------------------------------------------------------------------------

PEOPLE = '''"""Who there is."""

from tidegate.language import Domain, Map, Range, constant, state
from typing import Annotated

people = constant(3, minimum=1, maximum=4, says="people")


class Person(Domain, size=people, symmetric=True):
    """A person."""


@state
class Room:
    """A room."""

    mood: Map[Person, Annotated[int, Range(0, 2)]]
'''
MOVES = '''"""What they do."""

from tidegate.language import action, limit
from people import Person, Room


@action
def cheer(s: Room, person: Person) -> None:
    """{person} cheers up."""
    limit(s.mood[person] < 2)
    s.mood[person] += 1
'''
ROOM = '''"""People in a room."""

from tidegate.language import Map, action, initial, require
from people import Person, Room
from moves import cheer


@initial
def start() -> Room:
    """All sad."""
    return Room(mood=Map({person: 0 for person in Person}))


@action
def sadden(s: Room, person: Person) -> None:
    """{person} is sad."""
    require(s.mood[person] > 0)
    s.mood[person] = 0
'''


def room(folder: Path, moves: str = MOVES) -> Definition:
    """The definition of a model in three files."""
    folder.mkdir(exist_ok=True)
    for name, text in (("people", PEOPLE), ("moves", moves), ("room", ROOM)):
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return load(folder / "room.py")


def test_a_model_may_lie_in_several_files(tmp_path: Path) -> None:
    definition = room(tmp_path)
    assert definition.names("initial", "action") == ("cheer", "start", "sadden")  # an import stands where it is written
    assert list(definition.constants) == ["people"]
    model = definition.bind()
    verdict = ENGINES["python"](model, Search(symmetry=True), None)
    assert (verdict.distinct_states, verdict.transitions) == (10, 40)
    assert [Path(file).name for file in definition.files] == ["room.py", "people.py", "moves.py"]


def test_a_helper_of_another_file_may_have_the_name_of_an_action_with_a_budget(tmp_path: Path) -> None:
    """The question to the budget belongs to the action alone; with the helper it would be put to the wrong value."""
    moves = MOVES + "\n\ndef sulk(mood: int) -> int:\n    return mood + 1\n"
    moves = moves.replace("s.mood[person] += 1", "s.mood[person] = sulk(s.mood[person])")
    room(tmp_path, moves)
    text = (tmp_path / "room.py").read_text("utf-8").replace("import Map, action,", "import Map, action, constant,")
    text += (
        "\n\nspells = constant(1, minimum=0, maximum=3, says='how often')\n\n\n@action(budget='spells')\n"
        "def sulk(s: Room, person: Person) -> None:\n    require(s.mood[person] == 2)\n    s.mood[person] = 1\n"
    )
    (tmp_path / "room.py").write_text(text, encoding="utf-8")
    agree(load(tmp_path / "room.py").bind())


def test_files_of_one_name_beside_different_models_are_different(tmp_path: Path) -> None:
    def states(folder: str, limit: int) -> int:
        definition = room(tmp_path / folder, MOVES.replace("< 2", f"< {limit}"))
        return ENGINES["python"](definition.bind(), Search(), None).distinct_states or 0

    assert [states("one", 2), states("other", 1), states("one", 0)] == [27, 8, 1]
    assert not {"people", "moves", "room"} & set(sys.modules)


@pytest.mark.parametrize("where", ["numbered", "passed_on"])
@pytest.mark.parametrize(
    ("name", "field", "most"),
    [
        ("MOST", "Annotated[int, Range(0, 9)]", "MOST[False]"),
        ("NEXT", "Annotated[int, Range(0, 9)]", "NEXT"),
        ("Number", "Number", "4"),
    ],
)
def test_what_holds_a_constant_is_imported_without_it(
    name: str, field: str, most: str, where: str, tmp_path: Path
) -> None:
    """The constant comes along, and may be set, though the model's own file does not name it."""
    head = "from typing import Annotated\nfrom tidegate.language import *\n"
    text = f"{head}top = constant(2, minimum=1, maximum=8, says='top')\nNEXT = top + 1\n"
    text += "MOST = Map({False: NEXT, True: 1})\nNumber = Annotated[int, Range(0, top)]\n"
    (tmp_path / "numbered.py").write_text(text, encoding="utf-8")
    (tmp_path / "passed_on.py").write_text(f"{head}from numbered import {name}\n", encoding="utf-8")
    (tmp_path / "mine.py").write_text(
        f"""{head}from {where} import {name}
@state
class Counter:
    n: {field}
@initial
def start() -> Counter: return Counter(n=0)
@action
def step(s: Counter) -> None:
    limit(s.n < {most})
    s.n += 1
""",
        encoding="utf-8",
    )
    definition = load(tmp_path / "mine.py")
    assert list(definition.constants) == ["top"]
    verdict = ENGINES["python"](definition.bind(constants={"top": 4}), Search(), None)
    assert (verdict.verdict, verdict.distinct_states) == ("holds", 5 if name == "Number" else 6)


@pytest.mark.parametrize("place", ["sub/people", "people"])
def test_two_models_share_no_part(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one in a subfolder, nor one whose name something has imported from elsewhere before."""
    text = "from __future__ import annotations\n\nSTEP = {}\n"
    name = place.replace("/", ".")
    model = f"""
from __future__ import annotations
from typing import Annotated
from tidegate.language import Range, action, initial, invariant, require, state, terminal
from {name} import STEP


@state
class World:
    '''W.'''

    n: Annotated[int, Range(0, 9)]


@initial
def start() -> World:
    '''S.'''
    return World(n=0)


@action
def up(s: World) -> None:
    '''U.'''
    require(s.n < 4)
    s.n += STEP


@terminal
def end(s: World) -> bool:
    '''E.'''
    return s.n >= 4


@invariant
def never(s: World) -> bool:
    '''N.'''
    return s.n != 6
"""
    for folder, step in (("elsewhere", 1), ("one", 1), ("other", 3)):
        part = tmp_path / folder / f"{place}.py"
        part.parent.mkdir(parents=True)
        part.write_text(text.format(step))
        (tmp_path / folder / "model.py").write_text(model)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "elsewhere"), *sys.path])
    earlier = importlib.import_module(name)
    models = [load(tmp_path / folder / "model.py").bind() for folder in ("one", "other")]
    found = [ENGINES["python"](edition, Search(), None).verdict for edition in models]
    assert found == ["holds", "violated"]
    assert sys.modules.pop(name) is earlier
    sys.modules.pop("sub", None)


def test_a_mistake_in_a_second_file_is_shown_there(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        room(tmp_path, MOVES.replace("+= 1", "/= 2")).bind()
    (error,) = caught.value.errors
    assert (Path(error.where.file).name, error.where.line) == ("moves.py", 11)
