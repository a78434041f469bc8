"""A bound model: its parts by name, and what of it cannot be checked."""

from __future__ import annotations

import pytest

from ..support.shipped import bind_shipped


def test_parts_are_found_by_name() -> None:
    model = bind_shipped("replication:kip320")
    assert model.field("log").name == "log" and model.action(model.actions[1].name) is model.actions[1]
    for part in (model.field, model.action):
        with pytest.raises(KeyError):
            part("none")


def test_what_reads_a_folded_ghost_is_not_checked() -> None:
    whole, without = bind_shipped("replication:kip320"), bind_shipped("replication:kip320", ghosts=False)
    assert whole.not_checked == ()
    reads_ghosts = {prop.name for prop in whole.properties if prop.ghosts}
    assert reads_ghosts and set(without.not_checked) == reads_ghosts
    assert {field.name for field in whole.fields if field.ghost}.isdisjoint(field.name for field in without.fields)
