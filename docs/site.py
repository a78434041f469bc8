"""Hooks of the documentation's site: links to files beside `docs/` become their paths in the repository, what is copied
of a session is what a reader types, and the gallery's pages are made."""

from __future__ import annotations

import html
import importlib.util
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tidegate as tg
from tidegate.cli.spec import model_page as formulas_page
from tidegate.cli.verbs import command_parser
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS
from tidegate.reports.trace.html import trace_html

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
    "offsets_outage": ("offsets_outage:kafka_0_10", "some_group_goes_on", {"bounds": "one_up"}),
    "offsets_deleted": ("offsets_outage:shipped", "nothing_skipped", {"bounds": "deleted"}),
}
"""Each page of the gallery: the model, the property that fails, and the rest of the question."""

TITLES = {
    "truncate_to_hw": "Truncation to the high watermark",
    "kip101": "Fast leader changes",
    "acks_1": "acks=1",
    "last_replica_standing": "The last replica standing",
    "unclean_election": "An unclean election",
    "kafka_12619": "KAFKA-12619",
    "offsets_outage": "The outage of `__consumer_offsets`",
    "offsets_deleted": "Its logs are deleted",
}
"""The name of each page of the gallery, as docs/gallery.md has it in the first column of its table."""

ROOT = Path(__file__).parents[1]
TABLE = re.compile(r"^<!-- table (\w+) of (\S+\.toml) -->$", re.MULTILINE)
"""A line that stands for a recorded table: the table's name in a file of the repository."""

RUN = re.compile(r"`(tidegate check [^`]*)` → (\w+(?:, \d+ steps?)?)")
"""A command of the pages of claims, and what comes of it."""

DECISIONS_BOOST = 0.1
"""How a decision counts in a search, where a page for users counts 1: it is written for developers."""

OUTSIDE = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+)((?!decisions|tutorials)[^)#]*)[^)]*\)")
"""A link to a file of the repository that is not a page of the site."""
SIBLING = re.compile(r"\[([\w/-]+\.md)\]\(([^)#]*)(#[^)]*)?\)")
"""A link between pages that names the file."""
CODE = re.compile(r'<div class="highlight">(<pre>.*?</pre>)</div>', re.DOTALL)
"""A block of code of a page as HTML."""
PROMPTS = {"$ ": "> ", ">>> ": "... "}
"""What a line begins with that a reader types, and each further line of it."""


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """A page's text as readers see it: links to files outside the site are their paths in the repository, links between
    pages have the names of the menu, and the empty lines of samples, which doctest spells `<BLANKLINE>`, are empty."""
    depth = page.file.src_uri.count("/")
    if page.file.src_uri.startswith("decisions/"):
        page.meta["search"] = {"boost": DECISIONS_BOOST}
    if page.file.src_uri == "audit-table.md":
        markdown = audit_table()
    if page.file.src_uri == "gallery.md":
        markdown = with_links(markdown) + embedded_runs()
    markdown = with_tables(markdown)
    if page.file.src_uri in ("claims.md", "claims.zh.md"):
        markdown = RUN.sub(lambda match: f"`{match[1]}` → [{match[2]}]({run_page(*match.groups())})", markdown)

    def plain(match: re.Match[str]) -> str:
        return in_clone(match[1], match[3]) if match[2].count("../") > depth else match[0]

    def named(match: re.Match[str]) -> str:
        title = titles.get(match[2].removeprefix("../"))
        return match[0] if title is None else f"[{title}]({match[2]}{match[3] or ''})"

    titles = dict(entries(config.nav or []))
    text = re.sub(r"^<BLANKLINE>$", "", markdown, flags=re.MULTILINE)
    return SIBLING.sub(named, OUTSIDE.sub(plain, text))


def with_tables(markdown: str) -> str:
    """A page with each table that a line names in place of the line, and the day on which it was driven, if any."""

    def shown(match: re.Match[str]) -> str:
        table = tomllib.loads((ROOT / match[2]).read_text(encoding="utf-8"))[match[1]]
        rows = (table["head"], ["---"] * len(table["head"]), *table["rows"])
        day = [f"Driven on {table['driven']}.", ""] if "driven" in table else []
        return "\n".join([*day, *(f"| {' | '.join(row)} |" for row in rows)])

    return TABLE.sub(shown, markdown)


def run_page(command: str, result: str) -> str:
    """The page of a claim's command: its trace, if it has one, or else the formulas that hold."""
    model, *words = command.removeprefix("tidegate check ").split()
    if result in ("holds", "missing"):
        return f"formulas/{model.partition(':')[0]}.md"
    return f"runs/{re.sub(r'[^a-z0-9_]+', '-', ' '.join((model, *words[1::2])))}.html"


def runs() -> Iterator[tuple[str, str]]:
    """The page of each claim's trace, found anew by exploring the model: its path and its text."""
    source = tomllib.loads((ROOT / "docs" / "claims.toml").read_text(encoding="utf-8"))
    commands = {command: result for claim in source["claim"] for command, result in claim["run"]}
    for command, result in commands.items():
        if command.startswith("tidegate check ") and result not in ("holds", "missing"):
            options = command_parser("check").parse_args(shlex.split(command)[1:])
            (name,), sizes = options.properties, dict(map(_pair, options.assignments))
            found = tg.check(options.model, properties=[name], bounds=options.bounds, symmetry=True, constants=sizes)
            yield run_page(command, result), trace_html([found.trace(name).document])


def _pair(assignment: str) -> tuple[str, str]:
    name, _, value = assignment.partition("=")
    return name, value


def audit_table() -> str:
    """The page of what the audit answers, with the tables that are recorded."""
    path = ROOT / "bench" / "audittable.py"
    spec = importlib.util.spec_from_file_location("audittable", path)
    assert spec is not None and spec.loader is not None
    module = sys.modules["audittable"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.page_text()


def in_clone(text: str, path: str) -> str:
    """What stands for a link to a file of the repository: its path, after the words that do not name it already."""
    return f"`{path}`" if text.strip("`") == path else f"{text} (`{path}`)"


def entries(menu: Any) -> Iterator[tuple[str, str]]:
    """Each page of the site's menu (a list as mkdocs.yml has it): its file, and its name there."""
    for entry in menu:
        for name, inside in entry.items():
            yield from entries(inside) if isinstance(inside, list) else [(inside, name)]


def on_page_content(content: str, **_: Any) -> str:
    """A page whose blocks of code say what is copied of a session: what a reader types, without prompts and answers."""

    def copied(match: re.Match[str]) -> str:
        text = typed(html.unescape(re.sub(r"<[^>]+>", "", match[1])))
        return f'<div class="highlight" data-copy="{html.escape(text)}">{match[1]}</div>' if text else match[0]

    return CODE.sub(copied, content)


def typed(text: str) -> str:
    """What a reader types of a session in a shell or in Python; nothing where the text is none."""
    for prompt, more in PROMPTS.items():
        if text.startswith(prompt):
            return "".join(f"{line}\n" for line in _typed(text.splitlines(), prompt, more))
    return ""


def _typed(lines: list[str], prompt: str, more: str) -> Iterator[str]:
    going = False
    for line in lines:
        begins = line.startswith(prompt)
        going = begins or (going and (line.startswith(more) or line == more.rstrip()))
        if going:
            yield line[len(prompt if begins else more) :]


def with_links(markdown: str) -> str:
    """The gallery's table with each name a link to its page, which only the site has. ValueError where a page has no
    row, and the other way round."""
    rows = re.findall(r"^\| (?!scenario|---)(.+?) \|", markdown, flags=re.MULTILINE)
    if sorted(rows) != sorted(TITLES.values()) or set(TITLES) != set(SCENARIOS):
        raise ValueError(f"docs/gallery.md has rows for {rows}, docs/site.py pages for {list(TITLES.values())}")
    for name, title in TITLES.items():
        markdown = markdown.replace(f"| {title} |", f"| [{title}](gallery/{name}.html) |")
    return markdown


def embedded_runs() -> str:
    """Each page of the gallery, in a frame that is loaded when a reader comes to it."""
    frame = '<iframe src="gallery/{name}.html" title="{title}" loading="lazy" width="100%" height="640"></iframe>'
    parts = (f"\n## {title}\n\n{frame.format(name=name, title=title.strip('`'))}\n" for name, title in TITLES.items())
    return "".join(parts)


def formulas() -> Iterator[tuple[str, str]]:
    """All formulas, a page for each built-in model and each claim, and the list of them."""
    names = (*CATALOGUE, *REFINEMENTS, *LIVENESS_CLAIMS)
    rows = "\n".join(f"* [{name}]({name}.md)" for name in names)
    about = "Every model in mathematical notation, as `tidegate spec MODEL` prints it, with what is recorded of it."
    yield "index", f"# Formulas\n\n{about}\n\n{rows}\n"
    for name in names:
        yield name, formulas_page(name)


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """The site's files with a page for each scenario, found anew by exploring its model, and one for the formulas of
    each model."""
    from mkdocs.structure.files import File

    for name, text in formulas():
        files.append(File.generated(config, f"formulas/{name}.md", content=text))

    for path, text in runs():
        files.append(File.generated(config, path, content=text))
    for name, (model, claim, options) in SCENARIOS.items():
        result = tg.check(model, properties=[claim], symmetry=True, **options)
        text = trace_html([result.trace(claim).document])
        files.append(File.generated(config, f"gallery/{name}.html", content=text))
    return files
