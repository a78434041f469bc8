"""The documentation's site: it is built without a warning, every link leads somewhere, and it needs no network.

It is built in the long tier; that each page is in the navigation, and each file that a page refers to is there, is
ordinary.
"""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ..conftest import ROOT

GALLERY = ("truncate_to_hw", "kip101", "acks_1", "last_replica_standing", "unclean_election", "kafka_12619")
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "spec").glob("*.md")), *sorted(ROOT.glob("*.md"))]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """The site, built with every warning an error: a link to nowhere is one."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "TIDEGATE_CACHE": str(cache)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    unlisted = [page.name for page in (ROOT / "docs").glob("*.md") if f": {page.name}\n" not in navigation]
    assert not unlisted


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_refers_to_is_there(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    assert not [link for link in links if "://" not in link and not (page.parent / link).exists()]


@pytest.mark.long
def test_every_page_is_in_the_site(site: Path) -> None:
    written = {page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")}
    names = {Path("index.html") if path.name == "README.html" and len(path.parts) == 1 else path for path in written}
    missing = [name for name in names if not (site / name).exists() and name.name != "README.html"]
    assert not missing


@pytest.mark.long
@pytest.mark.parametrize("name", ["partition", "kraft_as_log", "raft_live"])
def test_the_formulas_of_each_model_and_claim_are_a_page(site: Path, name: str) -> None:
    assert "≜" in (site / "formulas" / f"{name}.html").read_text(encoding="utf-8")
    assert f'href="{name}.html"' in (site / "formulas" / "index.html").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("name", GALLERY)
def test_each_scenario_of_the_gallery_is_a_page(site: Path, name: str) -> None:
    text = (site / "gallery" / f"{name}.html").read_text(encoding="utf-8")
    assert "tidegate replay" in text
    gallery = (site / "gallery.html").read_text(encoding="utf-8")
    assert f'href="gallery/{name}.html"' in gallery and f'<iframe src="gallery/{name}.html"' in gallery


@pytest.mark.long
@pytest.mark.parametrize("name", ["claims", "claims.zh"])
def test_each_claim_leads_to_the_page_of_its_run(site: Path, name: str) -> None:
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    rows = re.findall(r"<code>(tidegate check [^<]*)</code> → (.{9})([^\"]*)", text)
    assert len(rows) > 80 and {link for _, link, _ in rows} == {'<a href="'}
    assert [page for _, _, page in rows if not (site / page).exists()] == []
    traces = [page for _, _, page in rows if page.startswith("runs/")]
    assert len(traces) > 50 and all("tidegate replay" in (site / page).read_text(encoding="utf-8") for page in traces)


@pytest.mark.long
def test_the_first_page_says_how_to_install_and_what_to_run(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    words = html.unescape(re.sub(r"<[^>]+>", "", text))
    assert 'id="installing"' in text and "pip install -q '.[all]'" in words
    assert "tidegate demo" in words and 'src="kip-101.svg"' in text and (site / "kip-101.svg").exists()


@pytest.mark.long
def test_a_search_shows_pages_for_users_before_decisions(site: Path) -> None:
    entries = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    boosts = {entry["location"]: entry.get("boost", 1) for entry in entries}
    decisions = {boost for place, boost in boosts.items() if place.startswith("decisions/")}
    assert decisions and max(decisions) < 1
    assert {boost for place, boost in boosts.items() if place.startswith(("audit.html", "cli.html"))} == {1}


@pytest.mark.long
def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    fetched: list[str] = []
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"<(?:script|img|iframe)[^>]*\ssrc=\"(?:https?:)?//[^\"]*\"", text)
        found += re.findall(r"<link[^>]*rel=\"(?:stylesheet|preconnect|icon)\"[^>]*href=\"(?:https?:)?//[^\"]*\"", text)
        fetched += [f"{path.name}: {one}" for one in found]
    assert not fetched


@pytest.mark.long
def test_what_is_copied_of_a_session_is_what_a_reader_types(site: Path) -> None:
    """The theme's copy button takes the attribute `data-copy` of the block, where there is one."""
    text = (site / "tutorials" / "first-audit.html").read_text(encoding="utf-8")
    copied = [html.unescape(block) for block in re.findall(r'data-copy="([^"]*)"', text)]
    assert copied[0].startswith("mkdir shop\ncat > shop/server.properties <<'END'\nprocess.roles=broker\n")
    assert copied[0].endswith(
        "acks=all\nEND\ntidegate audit shop --kafka-version 3.9 --client java:3.9 --distribution apache\n"
    )
    python = (site / "api.html").read_text(encoding="utf-8")
    assert 'data-copy="import tidegate as tg\n"' in python
    scripts = "".join(
        path.read_text(encoding="utf-8") for path in (site / "assets" / "javascripts").glob("bundle.*.js")
    )
    assert 'closest("[data-copy]")' in scripts


@pytest.mark.long
def test_a_file_outside_the_site_is_named_by_its_path_and_a_page_by_its_name(site: Path) -> None:
    text = (site / "zookeeper.html").read_text(encoding="utf-8")
    assert "<code>model/parts/zookeeper.py</code>" in text
    assert "<code>spec/README.md</code>" in (site / "cli.html").read_text(encoding="utf-8")
    text = (site / "partition.html").read_text(encoding="utf-8")
    assert '<a href="partition-matrix.html">What each setting keeps</a>' in text


LONGEST_PAGE = 2_500
"""So many words of prose a page has at most that is no appendix: blocks of code and tables are not read from end to
end."""


def test_no_page_is_longer_than_a_reader_reads() -> None:
    long: list[tuple[str, int]] = []
    for page in (ROOT / "docs").rglob("*.md"):
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        words = len(re.findall(r"\w[\w'-]*", re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)))
        long += [(page.name, words)] if words > LONGEST_PAGE and page.parent.name != "appendix" else []
    assert not long
