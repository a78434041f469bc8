"""Hooks of the documentation's site: links to files beside `docs/` become plain text; the gallery's pages are made."""

from __future__ import annotations

import re
from typing import Any

import tidegate as tg
from tidegate.reports.trace.html import page

SCENARIOS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "truncate_to_hw": (
        "replication:truncate_to_hw",
        "leader_completeness",
        {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 2},
    ),
    "kip101": (
        "replication:kip101",
        "weak_isr",
        {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
    ),
    "acks_1": ("partition:acks_1", "acknowledged_kept", {"bounds": "one_crash"}),
    "last_replica_standing": ("partition:last_replica_standing", "leader_completeness", {"bounds": "one_fault"}),
    "unclean_election": ("partition:unclean_election", "leader_completeness", {"bounds": "crashes"}),
    "kafka_12619": ("kraft:kafka_12619", "leader_completeness", {"bounds": "figure_8"}),
}
"""Each page of the gallery: the model, the property that fails, and the rest of the question."""

TITLES = {
    "truncate_to_hw": "Truncation to the high watermark",
    "kip101": "Fast leader changes",
    "acks_1": "acks=1",
    "last_replica_standing": "The last replica standing",
    "unclean_election": "An unclean election",
    "kafka_12619": "KAFKA-12619",
}
"""The name of each page of the gallery, as docs/gallery.md has it in the first column of its table."""

DECISIONS_BOOST = 0.1
"""How a decision counts in a search, where a page for users counts 1: it is written for developers."""

OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?!decisions|tutorials)[^)]*\)")
"""A link to a file of the repository that is not a page of the site."""


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A page's text as readers see it: links to files outside the site are plain text, and the empty lines of samples,
    which doctest spells `<BLANKLINE>`, are empty."""
    depth = page.file.src_uri.count("/")
    if page.file.src_uri.startswith("decisions/"):
        page.meta["search"] = {"boost": DECISIONS_BOOST}
    if page.file.src_uri == "gallery.md":
        markdown = with_links(markdown)

    def plain(match: re.Match[str]) -> str:
        ups = match.group(0).count("../")
        return match.group(1) if ups > depth else match.group(0)

    return OUTSIDE.sub(plain, re.sub(r"^<BLANKLINE>$", "", markdown, flags=re.MULTILINE))


def with_links(markdown: str) -> str:
    """The gallery's table with each name a link to its page, which only the site has. ValueError where a page has no
    row, and the other way round."""
    rows = re.findall(r"^\| (?!scenario|---)(.+?) \|", markdown, flags=re.MULTILINE)
    if sorted(rows) != sorted(TITLES.values()) or set(TITLES) != set(SCENARIOS):
        raise ValueError(f"docs/gallery.md has rows for {rows}, docs/site.py pages for {list(TITLES.values())}")
    for name, title in TITLES.items():
        markdown = markdown.replace(f"| {title} |", f"| [{title}](gallery/{name}.html) |")
    return markdown


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """The site's files with a page for each scenario, found anew by exploring its model."""
    from mkdocs.structure.files import File

    for name, (model, claim, options) in SCENARIOS.items():
        result = tg.check(model, properties=[claim], symmetry=True, **options)
        text = page([result.trace(claim).document])
        files.append(File.generated(config, f"gallery/{name}.html", content=text))
    return files
