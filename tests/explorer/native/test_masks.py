"""Masks: the bits of a state's words that distinguish states."""

from __future__ import annotations

from tidegate.explorer.native.layout import Layout
from tidegate.explorer.native.masks import field_masks, masks_of, protocol_masks

from ...support.shipped import bind_shipped
from ...support.steps import run_of
from ...support.traces import bind_model


def test_the_bits_of_a_field_are_those_that_change_with_it() -> None:
    model = bind_model("examples/die_hard.py")
    layout = Layout(model.fields, model.values)
    start, big = (layout.encode(tuple(state)) for state in run_of(model, "fill_big").states())
    small = layout.encode(tuple(run_of(model, "fill_small").states()[-1]))
    mask = field_masks(model, ["big"])
    assert any((one ^ other) & bits for one, other, bits in zip(start, big, mask, strict=True))
    assert not any((one ^ other) & bits for one, other, bits in zip(start, small, mask, strict=True))


def test_ghosts_distinguish_nothing_of_the_protocol() -> None:
    whole, protocol = bind_shipped("replication:kip320"), protocol_masks(bind_shipped("replication:kip320"))
    ghosts = field_masks(whole, [field.name for field in whole.fields if field.ghost])
    assert not any(one & other for one, other in zip(protocol, ghosts, strict=True)) and any(ghosts)
    assert masks_of(whole, None) == ()
