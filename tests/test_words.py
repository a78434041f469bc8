"""The words that users see: no dialect in pages, messages and docstrings, and one vocabulary of verdicts."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from tidegate.audit.answers import answer, requirements
from tidegate.gates import checks
from tidegate.language import proof, verdict
from tidegate.reports.verdicts import VOCABULARY, VerdictScope, meanings_by_word, verdict_text

from .conftest import ROOT

FOLDERS = (
    "api", "audit", "bench", "cli", "examples", "explorer", "gates", "invariants", "language", "model", "reports",
    "testing", "traces",
)  # fmt: skip
PAGES = ("*.md", "docs/**/*.md", "docs/**/*.svg", "spec/*.md", "spec/*.toml", "reports/trace/html/*.js", "bench/*.md")
OLD = {
    r"\btold\b|\btell(s|ing)?\b": "reported, shown, distinguished; `says`",
    r"\bjudg(ed|es|ing)\b": "checked",
    r"\bfaces\b": "reports, outputs",
    r"\bwants\b": "needs, asks for",
    r"\bthe lead\b": "leadership",
    r"\b(leads|is|are|does|do) no more\b": "no longer",
    r"\bnor one\b": "and no ... that",
    r"\bfor it all\b": "for the whole",
    r"\bthe house\b|\brooms\b": "the repository, folders",
    r"\bin the large\b": "altogether",
    r"\bin vain\b": "without an answer, and is refused",
    r"\blattice\b": "all combinations",
    r"\bnone any more\b|\bdoes so no more\b": "no longer",
    r"\bwhat stands there\b": "its content, which",
    r"\bhears? (that|where|whether)\b": "learns, receives",
    r"\blogs part\b": "logs diverge",
    r"\b(it|that|this|which) is no (?!longer|more\b|better|less|other|use\b|need|such\b|way\b)": "is not a",
    r"\bsome day\b": "eventually",
    r"\bwhatever [\w ]+ may be\b": "for every value of",
    r"\bhas not got\b|\bhave not got\b": "does not have, lacks",
}
"""What is not written, and what is written in its place."""


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that people read: of Python its strings, without what is filled in, and its comments."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            words = re.sub(r"\{[^{}]*\}", "", token.string) if token.string[:1] in "fF" else token.string
            yield from enumerate(words.splitlines(), token.start[0])


def old_words(path: Path) -> list[str]:
    """Each old word of a file, with its place and what to write."""
    return [
        f"{path.relative_to(ROOT)}:{number}: {found.group()}: write {instead}"
        for number, line in prose(path)
        for pattern, instead in OLD.items()
        if (found := re.search(pattern, line, re.IGNORECASE)) is not None
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_strings_docstrings_and_comments_are_plain_english(folder: str) -> None:
    """Published models, in examples/published, keep the words of their sources."""
    paths = [path for path in sorted((ROOT / folder).rglob("*.py")) if path.parent.name != "published"]
    found = [word for path in paths for word in old_words(path)]
    assert not found, "\n".join(found)


def test_pages_are_plain_english() -> None:
    found = [word for pattern in PAGES for path in sorted(ROOT.glob(pattern)) for word in old_words(path)]
    assert not found, "\n".join(found)


def test_an_old_word_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a message, a docstring and a comment; not in what a message is filled with, nor in code."""
    path = tmp_path / "some.py"
    path.write_text('"""It tells."""\njudged = f"{judged} is so"  # the lead\nraise ValueError("nobody was told")\n')
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert [word.partition(": write")[0] for word in old_words(path)] == [
        "some.py:1: tells", "some.py:2: the lead", "some.py:3: told",
    ]  # fmt: skip


WORDS: dict[VerdictScope, tuple[str, ...]] = {
    "check": get_args(verdict.Word),
    "property": get_args(verdict.PropertyWord),
    "prove": get_args(proof.Word),
    "audit": get_args(answer.Word),
    "requirement": get_args(requirements.Result),
    "gate": get_args(checks.ResultWord),
}


@pytest.mark.parametrize("of", WORDS)
def test_every_word_that_is_answered_has_its_meaning(of: VerdictScope) -> None:
    assert WORDS[of] and set(meanings_by_word(of)) == set(WORDS[of])


def test_no_word_of_a_kind_has_two_meanings() -> None:
    for of in WORDS:
        words = [word for meaning in VOCABULARY for word in meaning.words.get(of, ())]
        assert sorted(words) == sorted(set(words))


def test_the_page_of_verdicts_is_the_table() -> None:
    page = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    for meaning in VOCABULARY:
        cells = [", ".join(verdict_text(word) for word in meaning.words.get(of, ())) for of in WORDS]
        assert f"| {meaning.mark} | {meaning.says} | {' | '.join(cells)} |" in page
