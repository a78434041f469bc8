"""Where something stands in an author's text."""

from __future__ import annotations

from .immutable import immutable


@immutable
class Where:
    """A place in a file, 1-based line, 0-based column, end exclusive; in a step helper also its call."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    call: Where | None = None

    def outermost(self) -> Where:
        """The place in the function's own text: the outermost call, or the place itself."""
        return self if self.call is None else self.call.outermost()
