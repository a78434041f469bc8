"""Edges of a drawn graph: curves through their points, and labels that lie on nothing."""

from __future__ import annotations

import re

from tidegate.reports.trace.routes import curve_path


def test_a_curve_begins_and_ends_where_its_edge_does() -> None:
    path = curve_path([(0, 0), (10, 50), (0, 100)])
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path)]
    assert path.startswith("M") and numbers[:2] == [0, 0] and numbers[-2:] == [0, 100]
    assert 10 in numbers and 50 in numbers
