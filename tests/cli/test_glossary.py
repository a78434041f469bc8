"""`tidegate glossary`: the words of docs/glossary.md, without the page."""

from __future__ import annotations

import json

from tidegate.cli.glossary import PAGE, read_meanings

from ..conftest import Run


def test_every_row_of_the_page_is_a_word(tidegate: Run) -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 50
    assert len(json.loads(tidegate("glossary", "--json").out)["words"]) == len(rows)


def test_a_word_comes_first_and_those_that_name_it_follow(tidegate: Run) -> None:
    lines = tidegate("glossary", "guards", "--width", "200").out.splitlines()
    assert lines[0].startswith("guard ") and "without which a step cannot happen" in lines[0]
    assert any(line.startswith("limit ") for line in lines[1:])


def test_a_word_may_be_several(tidegate: Run) -> None:
    assert tidegate("glossary", "ghost", "field").out.startswith("ghost field")


def test_a_word_that_is_not_there_is_refused_with_the_nearest(tidegate: Run) -> None:
    done = tidegate("glossary", "invariannt")
    assert done.exit == 64
    assert done.err == (
        "tidegate: the glossary has no word 'invariannt'; did you mean invariant or variant?\n"
        "all of them: tidegate glossary\n"
    )


def test_a_meaning_is_plain_text_and_a_link_is_a_path() -> None:
    table = "| word | meaning |\n|---|---|\n| run | *Weak*, of `a`: see [this.md](this.md#x) and [words](that.md). |\n"
    assert read_meanings(table) == {"run": "Weak, of a: see docs/this.md and words (docs/that.md)."}
