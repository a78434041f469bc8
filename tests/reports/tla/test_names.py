"""Names of a module."""

from __future__ import annotations

from tidegate.reports.tla.names import Names, free_name


def test_a_name_that_is_taken_gets_a_number_and_a_thing_keeps_its_name() -> None:
    names = Names()
    assert names.declare("field", "log") == "log"
    assert names.declare("helper", "log") == "log__2"
    assert names.declare("field", "log") == "log" == names.declared_name("field")


def test_words_of_tla_are_no_names() -> None:
    names = Names()
    assert names.declare(1, "Init") == "Init__2"
    assert names.declare(2, "SUBSET") == "SUBSET__2"
    assert free_name("WF_it", ()) == "v_WF_it"


def test_what_is_private_in_python_loses_its_underscore() -> None:
    assert free_name("_end", {"end"}) == "end_2"
    assert free_name("_", ()) == "it"


def test_the_name_of_a_helper_that_comes_later_is_in_use_and_still_free_for_it() -> None:
    names = Names()
    names.reserve("_members")
    assert "members" in names.used_names()
    assert names.declare("helper", "_members") == "members"
