"""Pages of the documentation as tests read them."""

from __future__ import annotations

from ..conftest import ROOT


def page_with_appendix(name: str) -> str:
    """The text of a page of docs/, and of its appendix, if it has one."""
    page, appendix = ROOT / "docs" / name, ROOT / "docs" / "appendix" / name
    return page.read_text(encoding="utf-8") + (appendix.read_text(encoding="utf-8") if appendix.is_file() else "")
