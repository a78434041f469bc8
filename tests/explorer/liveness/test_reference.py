"""Properties of whole runs of random models: native code and plain Python find the same answers, and loops that the
judge accepts."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Search
from tidegate.language.errors import ModelErrors

from ...support import random_models
from ...support.engines import define_text
from ...support.shipped import tier_parameters

MOST = 300
"""Models with more states than these take plain Python long."""
SEARCH = Search(keep_going=True, deadlocks=False, recheck=0)


def with_claims(text: str, is_bounded: bool) -> str | None:
    """A model with claims about its runs, made of its first invariant and of its first actions that are no faults, and
    with it as a bound; None where it has neither."""
    block = re.search(r"^@invariant\ndef \w+\(s: World\) -> bool:\n((?:    .*\n|\n)+)", text, re.MULTILINE)
    actions = re.findall(
        r"^@action(?:\((?![^)]*fault)[^)]*\))?\ndef (\w+)\(s: World(.*)\) -> None:", text, re.MULTILINE
    )
    if block is None or not actions:
        return None
    first = f"weak({actions[0][0]})"
    last, parameters = actions[-1]
    node = re.search(r"(\w+): Node\b(?! \|)", parameters)
    second = f"strong({last}, each={node[1]!r})" if node else f"strong({last})"
    claims = "".join(
        f"\n\n@{decorator}\ndef {name}(s: World) -> bool:\n    '''A claim.'''\n    return {value}\n"
        for name, decorator, value in (
            ("claim0", "always_possible", "claimed(s)"),
            ("claim1", "always_possible", "not claimed(s)"),
            ("claim2", f"always_eventually({first})", "claimed(s)"),
            ("claim3", f"eventually_always({second})", "not claimed(s)"),
            ("claim4", f"leads_to(is_claimed, {first}, {second})", "not claimed(s)"),
            ("claim5", f"leads_to(is_not_claimed, {second})", "claimed(s)"),
            ("claim6", f"initially_leads_to(is_claimed, {first}, {second})", "not claimed(s)"),
            ("claim7", f"leads_to_always(is_claimed, {first}, {second})", "not claimed(s)"),
        )
    )
    helpers = (
        f"\n\ndef claimed(s: World) -> bool:\n{block[1].rstrip()}\n"
        "\n\ndef is_claimed(s: World) -> bool:\n    return claimed(s)\n"
        "\n\ndef is_not_claimed(s: World) -> bool:\n    return not claimed(s)\n"
    )
    if is_bounded:
        claims += "\n\n@bound\ndef within(s: World) -> bool:\n    '''A bound.'''\n    return claimed(s)\n"
    words = (
        "always_eventually, always_possible, bound, eventually_always, initially_leads_to, leads_to, leads_to_always"
    )
    start = text.index("from tidegate.language import")
    return f"{text[:start]}from tidegate.language import {words}, strong, weak\n{text[start:]}{helpers}{claims}"


@pytest.mark.parametrize("seeds", tier_parameters((range(12), range(12, 400)), lambda seeds: len(seeds) == 12), ids=len)
def test_engines_agree_on_what_must_happen(seeds: range, tmp_path: Path, cache: Path) -> None:
    words: Counter[str] = Counter()
    for seed in seeds:
        text = with_claims(random_models.text(seed, 1 + seed % 2), is_bounded=seed % 3 == 2)
        if text is None:
            continue
        try:
            model = define_text(tmp_path, text).bind(properties=[f"claim{number}" for number in range(8)])
        except ModelErrors:
            continue
        found = native(model, SEARCH)
        if found.outcome == "model_error" or (found.distinct_states or 0) > MOST:
            continue
        expected = plain(model, SEARCH)
        assert [(prop.name, prop.verdict) for prop in found.properties] == [
            (prop.name, prop.verdict) for prop in expected.properties
        ], seed
        words.update(prop.verdict for prop in found.properties)
    assert words, "some models are compared"
