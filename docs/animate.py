"""The animation at the head of README.md: a scenario of an audit, step by step, as one SVG that needs no script.

    python docs/animate.py report/scenarios/01-orders.html docs/last-replica-standing.svg

Each picture is the page's own, with its sentence above; a style of the SVG shows one after the other.
"""

from __future__ import annotations

import argparse
import html
import shutil
import textwrap
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

SECONDS = 2.2
"""How long a step is shown; the last one three times as long."""

HEAD, WIDTH = 92, 760
TITLE = 108
"""Characters of a title that a line has room for."""

_DRAWN = """() => {
  const lanes = document.querySelector("#panes .lanes");
  const wanted = (rule) => rule.selectorText && lanes.querySelector(rule.selectorText);
  const rules = [...document.styleSheets[0].cssRules]
    .filter((rule) => wanted(rule) || rule.cssText.startsWith(":root {"));
  return { box: lanes.getAttribute("viewBox").split(" ").map(Number), inner: lanes.innerHTML,
    style: rules.map((rule) => rule.cssText), sentence: document.querySelector("#sentence").textContent,
    title: document.querySelector("#model").textContent, where: document.querySelector("#where").textContent };
}"""


def frames(page: Page) -> list[dict[str, Any]]:
    """What is drawn at each step, from the first on."""
    page.keyboard.press("g")
    found: list[dict[str, Any]] = [page.evaluate(_DRAWN)]
    last = int(found[0]["where"].rpartition("/")[2])
    for _ in range(last):
        page.keyboard.press("j")
        found.append(page.evaluate(_DRAWN))
    return found


def animation(found: list[dict[str, Any]]) -> str:
    """The SVG of all frames."""
    _, _, width, height = found[0]["box"]
    scale = WIDTH / width
    whole = SECONDS * (len(found) + 2)
    style = "\n".join(dict.fromkeys(rule for frame in found for rule in frame["style"]))
    shown = 100 * SECONDS / whole
    moves = f"@keyframes step {{ 0%, {shown:.3f}% {{ opacity: 1; }} {shown + 0.001:.3f}%, 100% {{ opacity: 0; }} }}"
    ends = (
        f"@keyframes end {{ 0%, {3 * shown:.3f}% {{ opacity: 1; }} {3 * shown + 0.001:.3f}%, 100% {{ opacity: 0; }} }}"
    )
    parts = [_frame(frame, at, len(found) - 1, scale, whole) for at, frame in enumerate(found)]
    tall = round(HEAD + height * scale + 10)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" width="{WIDTH}" height="{tall}" '
        'role="img">'
        f"<title>{html.escape(found[0]['title'])}</title><style>{style}\n{moves}\n{ends}\n"
        "text { font-family: system-ui, sans-serif; fill: var(--ink); } .f { opacity: 0; }\n"
        "@media (prefers-reduced-motion: reduce) { .f { animation: none !important; } .last { opacity: 1; } }</style>"
        f'<rect width="{WIDTH}" height="{tall}" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def _frame(frame: dict[str, Any], at: int, last: int, scale: float, whole: float) -> str:
    name, kind = ("end", "f last") if at == last else ("step", "f")
    words, length = frame["sentence"], 92
    cut = words if len(words) <= length else f"{words[: length - 1]}…"
    inner = frame["inner"].replace("-now", f"-{at}")
    title = "".join(
        f'<tspan x="12" y="{24 + 17 * row}">{html.escape(line)}</tspan>'
        for row, line in enumerate(textwrap.wrap(frame["title"], TITLE))
    )
    return (
        f'<g class="{kind}" style="animation: {name} {whole:.2f}s step-end {at * SECONDS:.2f}s infinite">'
        f'<text font-size="13" opacity="0.75">{title}</text>'
        f'<text x="12" y="70" font-size="16" font-weight="600">{at}. {html.escape(cut)}</text>'
        f'<g class="lanes" transform="translate(0 {HEAD}) scale({scale:.4f})">{inner}</g></g>'
    )


def main() -> None:
    """Reads the page and writes the SVG."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("page", type=Path)
    parser.add_argument("svg", type=Path)
    options = parser.parse_args()
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light").new_page()
        page.goto(options.page.resolve().as_uri())
        options.svg.write_text(animation(frames(page)), encoding="utf-8")
        browser.close()


if __name__ == "__main__":
    main()
