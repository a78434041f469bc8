"""Pictures of a page share the parts that are alike."""

from __future__ import annotations

from typing import Any

from tidegate.reports.trace.html.pictures import share_picture_parts


def trace(*pictures: str | None, kind: str = "drawing") -> dict[str, Any]:
    frames = {str(at): {"board": None if svg is None else {"svg": svg}} for at, svg in enumerate(pictures)}
    return {"view": {"kind": kind}, "frames": frames}


def test_each_part_stands_once_and_the_pictures_can_be_put_together_again() -> None:
    one, other = "<svg><circle/>A</svg>", "<svg><circle/>B</svg>"
    (made,), parts = share_picture_parts([trace(one, other, None)])
    assert len(parts) == len(set(parts)) < len("".join(parts))
    drawn: list[list[int]] = [made["frames"][at]["board"]["svg"] for at in ("0", "1")]
    assert ["".join(parts[number] for number in numbers) for numbers in drawn] == [one, other]
    assert made["frames"]["2"]["board"] is None


def test_what_draws_no_picture_stays_as_it_is() -> None:
    lanes = trace("<svg/>", kind="lanes")
    assert share_picture_parts([lanes, {"view": None, "frames": {}}]) == ([lanes, {"view": None, "frames": {}}], [])
