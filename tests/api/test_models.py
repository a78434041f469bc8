"""Which model a name means, and how it is bound: bounds first, then constants, then which properties are judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.api.models import ModelChoice, bind_model, find_definition, load, merge_constants
from tidegate.language.errors import UsageError

from ..conftest import ROOT

LOCK = str(ROOT / "examples" / "lock.py")


def test_a_name_is_a_built_in_model_and_a_path_is_a_file() -> None:
    definition, profile = find_definition("replication:kip101")
    assert (definition.name, profile) == ("replication", "kip101")
    definition, profile = find_definition(f"{LOCK}:careless")
    assert profile == "careless" and "compare_and_set" in definition.constants
    assert find_definition(LOCK)[1] is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("replicaton", r"did you mean replication(.|\n)*its path, as in \./replicaton\.py"),
        ("replication:kip99", "replication has no profile kip99"),
        ("nowhere.py", r"nowhere\.py: there is no such file"),
        (f"{LOCK}:carefull", "has no profile carefull; did you mean careful"),
    ],
)
def test_what_there_is_not_is_named_with_what_there_is(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        find_definition(text)


def test_a_directory_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a directory; name a \.py file in it"):
        find_definition(str(tmp_path))


def test_constants_come_over_bounds() -> None:
    bounds = bind_model(ModelChoice("replication:kip320", bounds="small"))
    other = bind_model(ModelChoice("replication:kip320", (("replicas", "3"),), "small"))
    assert (bounds.values["replicas"], other.values["replicas"]) == (2, 3)
    assert bounds.values["log_size"] == other.values["log_size"]
    with pytest.raises(UsageError, match="--bounds smal: did you mean small"):
        bind_model(ModelChoice("replication:kip320", bounds="smal"))


def test_properties_are_named_or_left_out_and_not_both() -> None:
    def judged(*named: str, without: tuple[str, ...] = ()) -> set[str]:
        return {prop.name for prop in bind_model(ModelChoice(LOCK, properties=named, left_out=without)).properties}

    assert judged() == {"one_inside", "somebody_inside"}
    assert judged("one_inside") == {"one_inside"} == judged(without=("somebody_inside",))
    with pytest.raises(UsageError, match="one_inside: named by --property and left out by --without"):
        judged("one_inside", without=("one_inside",))
    with pytest.raises(UsageError, match="--without one_insid: no such property to leave out; did you mean one_inside"):
        judged(without=("one_insid",))


def test_a_constant_is_given_once() -> None:
    assert merge_constants({"a": 1}, {"b": 2}) == {"a": 1, "b": 2} and merge_constants(None, {}) == {}
    with pytest.raises(UsageError, match="a is given twice"):
        merge_constants({"a": 1}, {"a": 2})
    with pytest.raises(UsageError, match="clients is given twice"):
        load(LOCK, constants={"clients": 2}, clients=3)
