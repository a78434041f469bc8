"""Tables in docs/ of the smallest bounds in which each published mistake shows, with what repairs it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tidegate.language.immutable import immutable

from .pages import page_with_appendix

TABLE = re.compile(r"^\| ((?:B|KAFKA-)\d+) \| [^|]* \| `([\w:]+)` \| `(\w+)` \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
SIZE = re.compile(r"`(\w+)=(\d+)`")
REPAIR = re.compile(r"`(\w+)` at `(\w+)`")


@immutable
class Smallest:
    """A mistake: its number, its profile, what fails in which bounds, and the repair with its recorded bounds."""

    number: str
    target: str
    fails: str
    sizes: dict[str, int]
    repair: str = ""
    bounds: str = ""

    @property
    def model(self) -> str:
        """The model's name."""
        return self.target.split(":")[0]


def smallest_of(page: str) -> Iterator[Smallest]:
    """The rows of the table in that page of docs/, with the sizes that they name and no others."""
    for number, target, fails, sizes, repair in TABLE.findall(page_with_appendix(page)):
        named = {name: int(size) for name, size in SIZE.findall(sizes)}
        found = REPAIR.match(repair)
        yield Smallest(number, target, fails, named, *(found.groups() if found else ("", "")))
