"""How a graph looks: with colours of its own in a file, and with those of the page within one."""

from __future__ import annotations

import re

from tidegate.reports.trace.graph_style import FILE_STYLE, PAGE_STYLE


def test_a_file_defines_the_colours_that_it_uses() -> None:
    used = set(re.findall(r"var\((--[\w-]+)\)", FILE_STYLE))
    assert used and used <= set(re.findall(r"(--[\w-]+):", FILE_STYLE))


def test_a_page_has_all_its_rules_about_the_graph_alone() -> None:
    selectors = re.findall(r"^([^{}\n]+?)\s*\{", PAGE_STYLE, flags=re.MULTILINE)
    assert selectors and all("#graph" in selector for selector in selectors if not selector.startswith("@"))
