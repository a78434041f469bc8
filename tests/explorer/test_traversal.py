"""Going through the typed form: every node once, and a digest of what it means."""

from __future__ import annotations

from pathlib import Path

from tidegate.explorer.traversal import children, digest, fields_of_property, is_expression, traverse
from tidegate.language import ir

from ..conftest import ROOT
from ..support.engines import bind_text as of_text
from ..support.traces import bind_model

LOCK = (ROOT / "examples" / "lock.py").read_text(encoding="utf-8")


def test_every_node_is_met_once_and_helpers_where_they_are_asked_for() -> None:
    form = bind_model("replication:kip320").actions[2].form
    nodes = list(traverse(form.body))
    assert len(nodes) == len({id(node) for node in nodes})
    without = list(traverse(form.body, helpers=False))
    assert not any(isinstance(node, ir.Function) for node in without) and len(without) < len(nodes)
    first = form.body[0]
    assert set(map(id, children(first))) <= set(map(id, nodes))
    assert [is_expression(node) for node in (first, children(first)[0])] == [False, True]


def test_a_digest_is_of_the_meaning(tmp_path: Path) -> None:
    plain, commented, other = (
        of_text(tmp_path, text)
        for text in (LOCK, LOCK.replace("@action\n", "# a comment\n@action\n"), LOCK.replace("= True", "= False"))
    )
    digests = [digest(model.action("take").form.body) for model in (plain, commented, other)]
    assert digests[0] == digests[1] != digests[2]


def test_the_fields_that_a_property_reads() -> None:
    model = bind_model("examples/lock.py:careful")
    assert fields_of_property(model.properties[0]) == {"place"}
