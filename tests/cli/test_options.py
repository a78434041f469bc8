"""Options: sizes of memory as people write them."""

from __future__ import annotations

from tidegate.cli.options import parse_size


def test_sizes() -> None:
    assert [parse_size(text) for text in ("2G", "500M", "1.5GiB", "4096", "3kb")] == [
        2 << 30,
        500 << 20,
        3 << 29,
        4096,
        3072,
    ]
