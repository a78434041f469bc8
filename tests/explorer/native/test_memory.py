"""Memory for millions of states: zero until it is written, and given back."""

from __future__ import annotations

from tidegate.explorer.native.memory import PageToucher, Region


def test_words_and_halves_are_where_they_were_written() -> None:
    region = Region(1 << 22)
    try:
        assert region.words(0, 4) == (0, 0, 0, 0)
        region.write(16, (1, 2**64 - 1))
        assert region.words(8, 4) == (0, 1, 2**64 - 1, 0)
        region.set_half(3, 7)
        assert region.half_word(3) == 7 and region.words(8, 1) == (7 << 32,)
        region.populate(0, 1 << 20)
        assert region.words(16, 1) == (1,), "pages that are taken keep what is in them"
        region.clear(64)
        assert region.words(0, 8) == (0,) * 8 and bytes(region.view(8)) == bytes(8)
    finally:
        region.close()


def test_pages_are_touched_ahead_and_nothing_is_changed() -> None:
    region, toucher = Region(1 << 22), PageToucher()
    region.write(0, (5,))
    toucher.touch_soon(region, 1 << 21)
    toucher.close()
    assert region.words(0, 2) == (5, 0)
    region.close()
