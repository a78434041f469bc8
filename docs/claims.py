"""`python docs/claims.py`: docs/claims.md and docs/claims.zh.md, from docs/claims.toml, what articles say."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
SOURCE = DOCS / "claims.toml"
PAGES = {"claims.md": 0, "claims.zh.md": 1}
"""The pages, and which of a pair of texts each has: English, Chinese."""

HEADS = (
    ("article", "what is said", "verdict", "what is so", "a command, and what comes of it"),
    ("文章", "说法", "判断", "实际情况", "命令与结果"),
)

Source = Mapping[str, Any]


def read_source() -> Source:
    """The table of claims."""
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))


def page_text(source: Source, language: int) -> str:
    """A page, in English (0) or Chinese (1)."""
    comma, colon = (", ", ": ") if language == 0 else ("；", "：")
    articles = comma.join(f"{letter}{colon}{names[language]}" for letter, names in source["articles"].items())
    terms = comma.join(f"{english} {chinese}" for english, chinese in source["terms"].items())
    parts = [source["introduction"][language].format(articles=articles, terms=terms)]
    for name, titles in source["parts"].items():
        rows = [_row(claim, source, language) for claim in source["claim"] if claim["part"] == name]
        head = [_line(HEADS[language]), _line(["---"] * len(HEADS[language]))]
        parts.append("\n".join([f"## {titles[language]}", "", *head, *rows, ""]))
    return "\n".join(parts)


def claim_verdict_text(claim: Mapping[str, Any], source: Source, language: int) -> str:
    """Whether a claim is right, and since or until which release."""
    verdict = claim["verdict"] if language == 0 else source["verdicts"][claim["verdict"]]
    if "before" in claim:
        before = claim["before"] if language == 0 else source["verdicts"][claim["before"]]
        since = claim["since"]
        return f"{verdict} since {since}; before, {before}" if language == 0 else f"{since} 起{verdict}，以前{before}"
    if "since" in claim:
        return f"{verdict} since {claim['since']}" if language == 0 else f"{claim['since']} 起{verdict}"
    if "until" in claim:
        return f"{verdict} up to {claim['until']}" if language == 0 else f"{claim['until']} 及以前{verdict}"
    return verdict


def _row(claim: Mapping[str, Any], source: Source, language: int) -> str:
    said = f'"{claim["said"][0]}"' if language == 0 else f"“{claim['said'][1].rstrip('。')}”"
    anchor = f'<a id="{claim["id"]}"></a>'
    runs = "<br>".join([*_runs(claim), *_page(claim, language)]) or "-"
    return _line(
        [f"{anchor}{claim['by']}", said, claim_verdict_text(claim, source, language), claim["so"][language], runs]
    )


def _page(claim: Mapping[str, Any], language: int) -> Iterator[str]:
    """A link to what the run is part of."""
    if "page" in claim:
        name = Path(claim["page"].partition("#")[0]).with_suffix("")
        yield f"{('more in', '详见')[language]} [{name}]({claim['page']})"


def _runs(claim: Mapping[str, Any]) -> Iterator[str]:
    for command, result in claim["run"]:
        of_check = command.startswith("tidegate check ")
        yield f"`{command}` → {result}" if of_check else f"`{command}` → *{result}*"


def _line(cells: Iterator[str] | list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Writes both pages."""
    source = read_source()
    for name, language in PAGES.items():
        (DOCS / name).write_text(page_text(source, language), encoding="utf-8")


if __name__ == "__main__":
    main()
