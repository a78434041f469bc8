"""Debian's chromium, driven through its developer tools: pages that are opened from a file, as people open them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

MOST = 300_000
"""Milliseconds after which something in the browser hangs, and is not only slow on a busy machine."""
expect.set_options(timeout=MOST)
MISSING = "no chromium here; `apt-get install chromium` brings it"


@contextmanager
def chromium() -> Generator[Browser]:
    """The browser. Where there is none tests are skipped, with the reason; in CI, which installs it, they fail."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None and os.environ.get("CI"):
        pytest.fail(MISSING)
    if path is None:
        pytest.skip(MISSING)
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=path, timeout=MOST, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@dataclass
class OpenPage:
    """A page in the browser, what it complained of and what it asked the network for."""

    page: Page
    complaints: list[str] = field(default_factory=list[str])
    requests: list[str] = field(default_factory=list[str])

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def where(self) -> str:
        """Where one is: `8 / 8`."""
        return self.text("#where")

    @property
    def live(self) -> str:
        """What a screen reader announced last."""
        return self.text("#live")

    def text(self, selector: str) -> str:
        """The text of an element."""
        return self.page.locator(selector).text_content() or ""

    def all(self, selector: str) -> Locator:
        """The elements that a selector finds."""
        return self.page.locator(selector)

    def count(self, selector: str) -> int:
        """How many elements a selector finds."""
        return self.page.locator(selector).count()

    def is_visible(self, selector: str) -> bool:
        """Whether an element is to be seen."""
        return self.page.locator(selector).is_visible()

    def waits(self, selector: str, reported: str) -> None:
        """Waits until an element's text is this."""
        expect(self.page.locator(selector)).to_have_text(reported)

    def passes(self, milliseconds: int) -> None:
        """Lets time pass in the page, where it stands still otherwise: what was due by then has happened."""
        self.page.clock.run_for(milliseconds)

    def run(self, script: str) -> Any:
        """What a script gives in the page."""
        return self.page.evaluate(script)


_BLANK: WeakKeyDictionary[Browser, list[Page]] = WeakKeyDictionary()
"""Pages without options of their own that show nothing now. To begin one takes thrice as long as what most tests do."""


@contextmanager
def blank(browser: Browser, **options: Any) -> Generator[Page]:
    """A blank page whose clock stands still. One without options serves several tests, but none after a test that
    failed."""
    kept = [] if options else _BLANK.setdefault(browser, [])
    if kept:
        page = kept.pop()
    else:
        given: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light", **options}
        made = browser.new_context(**given)
        made.set_default_timeout(MOST)
        page = made.new_page()
        page.clock.install(time=0)
        page.clock.pause_at(1000)
    try:
        yield page
    except BaseException:
        page.context.close()
        raise
    if options:
        page.context.close()
    else:
        page.goto("about:blank")
        kept.append(page)


@contextmanager
def open_page(
    browser: Browser, file: Path, place: str = "", at: str = "#steps [aria-selected=true]", **options: Any
) -> Generator[OpenPage]:
    """The page of a file, at a place such as `s=3`, once the element `at` is there; afterwards it must have complained
    of nothing, and asked for nothing but itself and the viewer that pages beside it share. The page's clock stands
    still but for `passes`, so that nothing depends on this machine's load. With `options` of a browser's context the
    page is in one of its own.
    """
    address = file.as_uri()
    with blank(browser, **options) as page:
        one = OpenPage(page)
        heard: dict[Any, Callable[[Any], None]] = {
            "console": lambda message: one.complaints.append(f"{message.type}: {message.text}"),
            "pageerror": lambda error: one.complaints.append(str(error)),
            "request": lambda request: one.requests.append(request.url),
        }
        for event, hear in heard.items():
            page.on(event, hear)
        page.goto(f"{address}#{place}" if place else address)
        page.wait_for_selector(at, state="attached")
        yield one
        for event, hear in heard.items():
            page.remove_listener(event, hear)
    assert not one.complaints
    shared = {file.with_name(f"viewer.{kind}").as_uri() for kind in ("css", "js")}
    assert {url.partition("#")[0] for url in one.requests} <= {address, *shared}
