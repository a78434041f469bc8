"""What a command does not do, so that its answer comes soon: nothing is made that nobody reads."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from pathlib import Path
from typing import Any

import pytest
from tidegate.api import checking
from tidegate.api.models import load
from tidegate.cli.main import main
from tidegate.explorer.native import kernels
from tidegate.language.errors import ModelErrors
from tidegate.language.frontend import source
from tidegate.language.immutable import immutable

from ..conftest import ROOT

LOCK = str(ROOT / "examples" / "lock.py")


@immutable
class Point:
    """A record of its own."""

    x: int
    y: tuple[int, ...] = ()
    says: str = dataclasses.field(default="", compare=False, repr=False)
    notes: list[int] = dataclasses.field(default_factory=list[int], compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Model:
    """The same, by the standard library."""

    x: int
    y: tuple[int, ...] = ()
    says: str = dataclasses.field(default="", compare=False, repr=False)
    notes: list[int] = dataclasses.field(default_factory=list[int], compare=False)


@pytest.mark.parametrize("cls", [Point, Model])
def test_an_immutable_class_is_a_frozen_dataclass(cls: type[Point]) -> None:
    one, same, other = cls(1, (2,), "a"), cls(x=1, y=(2,), says="b"), cls(2)
    assert one == same != other and hash(one) == hash(same) and len({one, same, other}) == 2
    assert repr(one) == f"{cls.__name__}(x=1, y=(2,), notes=[])"
    assert dataclasses.replace(one, x=2, y=()) == other
    assert [field.name for field in dataclasses.fields(one)] == ["x", "y", "says", "notes"]
    assert one.notes == [] and one.notes is not same.notes
    back = pickle.loads(pickle.dumps(one))
    assert back == one and back.says == "a"
    assert one.__match_args__ == ("x", "y", "says", "notes") and not hasattr(one, "__dict__")  # pyright: ignore
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.x = 3  # pyright: ignore
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.x  # pyright: ignore
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        cls()  # pyright: ignore
    assert one != (1, (2,)) and Point(1) != Model(1)


def test_an_immutable_class_refuses_what_it_would_do_otherwise() -> None:
    with pytest.raises(TypeError, match="Child: a class whose base has fields"):

        @immutable
        class Child(Point):
            """More fields."""

            z: int = 0

    with pytest.raises(TypeError, match="KeywordField: these fields need a dataclass: x"):

        @immutable
        class KeywordField:
            """A field by keyword alone."""

            x: int = dataclasses.field(kw_only=True)

    with pytest.raises(TypeError, match="Late: a field without a default follows one with a default"):

        @immutable
        class Late:
            """Fields that no call could leave out."""

            x: int = 0
            y: int  # pyright: ignore


@immutable
class Pair:
    """As many fields as another class of this file, of other names and with other defaults."""

    left: int
    right: list[int] = dataclasses.field(default_factory=lambda: [7])
    text: str = "pair"
    last: tuple[int, ...] = (1,)


def test_classes_of_as_many_fields_share_no_names_and_no_defaults() -> None:
    assert list(inspect.signature(Pair).parameters) == ["left", "right", "text", "last"]
    assert (Pair(0).right, Pair(0).text, Pair(0).last) == ([7], "pair", (1,))
    assert (Pair(0, text="b"), Pair(0, [7], "b", (1,))) == (Pair(left=0, right=[7], text="b"),) * 2
    assert (Point(1).says, Point(1, notes=[2]).notes) == ("", [2])
    with pytest.raises(TypeError, match=r"Pair.__init__\(\) got an unexpected keyword argument 'says'"):
        Pair(0, says="")  # pyright: ignore


@pytest.mark.parametrize(
    ("options", "made"), [((), 0), (("--witness", "somebody_inside"), 1), (("--json",), 1), (("--out",), 1)]
)
def test_a_trace_document_is_made_only_for_who_reads_it(
    options: tuple[str, ...], made: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made_for = list[str]()
    real = checking.trace_document

    def count_calls(model: object, about: object, **others: object) -> object:
        made_for.append(about.name)  # pyright: ignore
        return real(model, about, **others)  # pyright: ignore

    monkeypatch.setattr(checking, "trace_document", count_calls)
    given = (*options, str(tmp_path)) if options == ("--out",) else options
    main(["check", LOCK, *given])
    assert made_for == ["somebody_inside"] * made


def test_a_model_is_read_and_its_meaning_worked_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed, meant = list[str](), list[str]()
    parse: Any = source.ast.parse
    meaning = kernels.digest_of_meaning

    def counted_parse(text: str, name: str = "", *others: Any, **named: Any) -> Any:
        parsed.append(name)
        return parse(text, name, *others, **named)

    def counted_meaning(model: Any, symmetric: Any) -> str:
        meant.append(model.name)
        return meaning(model, symmetric)

    path = tmp_path / "lock.py"
    path.write_text(Path(LOCK).read_text("utf-8"), "utf-8")
    monkeypatch.setattr(source.ast, "parse", counted_parse)
    monkeypatch.setattr(kernels, "digest_of_meaning", counted_meaning)
    for times in (1, 2):
        assert main(["check", str(path)]) == 0
        assert (parsed.count(str(path)), len(meant)) == (1, times)


def test_a_helper_that_only_its_own_text_names_is_still_reported(tmp_path: Path) -> None:
    text = Path(LOCK).read_text("utf-8")
    state = next(line.split()[1].strip(":") for line in text.split("@state\n")[1].splitlines() if "class" in line)
    helper = f'\n\ndef alone(s: {state}) -> bool:\n    """Looks like an invariant, in alone."""\n    return True\n'
    path = tmp_path / "lock.py"
    path.write_text(text + helper, "utf-8")
    with pytest.raises(ModelErrors, match="alone takes the state, has no decorator, and nothing calls it"):
        load(str(path))
    decorator = "\n\ndef shown(_: object) -> object:\n    return lambda value: value\n"
    path.write_text(text + helper + decorator + "\n\n@shown(alone)\ndef used() -> None:\n    pass\n", "utf-8")
    load(str(path))
