"""What was given to an audit and not read. Whether a verdict rests on all that was given is decided by this alone."""

from __future__ import annotations

from ...language.immutable import immutable
from .findings import Finding
from .statements import Origin


@immutable
class Unread:
    """A file, a folder or an entry of an archive that no reader took. `reason` is a clause that follows its path, such
    as "it is an image". `may_be_configuration` says that nothing shows it to be anything else: the verdict is
    undecided then, and `to_do` says how to have it read."""

    path: str
    reason: str
    may_be_configuration: bool = False
    to_do: str = ""

    @property
    def finding(self) -> Finding:
        """What is found where it may be configuration."""
        to_do = self.to_do or "take it out of the folder if it is no configuration"
        return Finding("incomplete", "error", f"{self.path} was not read: {self.reason}", Origin(self.path), to_do)
