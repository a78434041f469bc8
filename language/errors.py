"""The errors that an author or a user sees when something is wrong before a model runs.

A `Diagnostic` is one mistake in a model's text: a code, a place, the cause, and the nearest legal form. `ModelErrors`
carries all of them at once, in the order of the text. `UsageError` is a mistake in what was asked, not in the model.
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterable, Iterator

from .immutable import immutable
from .where import Where

CODES: dict[str, str] = {
    # TG0xx: reading the file
    "TG001": "the file is not Python",
    "TG002": "the file fails when it is imported",
    "TG003": "no state",
    "TG004": "more than one state",
    "TG005": "no initial state",
    "TG006": "no action",
    "TG007": "a profile that does not fit the constants",
    "TG008": "the text of a function cannot be found",
    "TG009": "two things of one name",
    "TG010": "something that would be left out of the model",
    "TG011": "something that is nested too deep",
    # TG1xx: not in the language
    "TG101": "a loop without a bound",
    "TG102": "an exception",
    "TG103": "a lambda",
    "TG104": "a definition inside a function",
    "TG105": "a number that is not an integer",
    "TG106": "a recursive helper",
    "TG107": "a call that is not in the language",
    "TG108": "a write through a local name",
    "TG109": "a jump out of a loop",
    "TG110": "a string",
    "TG111": "a container that is not a value of the language",
    "TG112": "an operator that is not in the language",
    "TG113": "an expression that is not in the language",
    "TG114": "a statement that is not in the language",
    "TG115": "a return where none belongs",
    "TG116": "a loop of a shape that is not in the language",
    "TG117": "a range with a step",
    "TG118": "a pattern that is not in the language",
    "TG119": "a method that is not in the language",
    "TG120": "a write into a record",
    "TG121": "a slice with a step",
    "TG122": "a signature that is not in the language",
    # TG2xx: types
    "TG201": "an unknown name",
    "TG202": "an unknown field or member",
    "TG203": "a value of another type",
    "TG204": "a condition that is not a bool",
    "TG205": "arithmetic on something that is not an integer",
    "TG206": "an order on something that has none",
    "TG207": "a comparison of different types",
    "TG208": "a test for None of something that is never None",
    "TG209": "an unknown type",
    "TG210": "a missing annotation",
    "TG211": "arguments that do not fit",
    "TG212": "a name that may have no value here",
    "TG213": "a name that changes its type",
    "TG214": "an empty container of unknown type",
    "TG215": "an index into something that has none",
    "TG216": "a loop over something that has no elements",
    "TG217": "a container over a type that it cannot hold",
    "TG218": "an option of an option",
    "TG219": "messages inside another value",
    "TG220": "a function that may end without a value",
    "TG221": "a type used as a value",
    # TG3xx: rules of a step
    "TG301": "a require after a write",
    "TG302": "a require after a limit",
    "TG303": "behaviour that depends on a ghost",
    "TG304": "a write in a helper that returns a value",
    "TG305": "a write in a property",
    "TG306": "an unknown budget",
    "TG307": "a message parameter that could come from several fields",
    "TG308": "a parameter without a finite choice",
    "TG309": "a sentence that cannot be filled in",
    "TG310": "a guard outside an action",
    "TG311": "a role with the wrong signature",
    "TG312": "an assignment to the state itself",
    "TG313": "a limit after a write",
    "TG314": "a value where a step helper needs a piece of the state",
    "TG315": "an unknown kind of action",
    "TG316": "a bound that is meant to stop no action of the model",
    "TG317": "a refinement that cannot be checked",
    "TG318": "what must happen, claimed of what is not there",
    # TG4xx: bounds
    "TG401": "an empty range",
    "TG402": "a set over more than 64 members",
    "TG403": "a range beyond 62 bits",
    "TG404": "an integer without a range",
    "TG405": "a container without a capacity",
    "TG406": "a negative capacity",
    "TG407": "a domain with an impossible size",
    "TG408": "a bound that is not an integer",
    "TG409": "a negative index",
    "TG410": "an integer that may leave 62 bits",
    "TG411": "a domain that is ordered and symmetric",
    "TG412": "a loop over too many values",
    "TG413": "members whose names cannot be read again",
}
"""Every code and its one-line meaning. A code is never reused for something else."""
UNREAD = ("TG001", "TG002", "TG011")
"""The mistakes that keep a model from being imported, so that only the text of its files can be checked."""


@immutable
class Diagnostic:
    """One mistake in a model's text. `message` is the cause, `hint` the nearest legal form ("" when there is none)."""

    code: str
    where: Where
    message: str
    hint: str

    def render(self) -> str:
        """The mistake as people read it: code and meaning, place, source line with a caret, cause, and what to write
        instead."""
        number = str(self.where.line)
        margin = " " * len(number)
        lines = [
            f"{self.code}: {CODES[self.code]}",
            f"{margin}--> {path_for_reader(self.where.file)}:{number}:{self._first_column() + 1}",
        ]
        text = self._source_line()
        if text.strip():
            lines += [f"{number} | {text}", f"{margin} | {' ' * self._first_column()}{'^' * self._caret_width(text)}"]
        lines += [f"{margin} = called at: {place}" for place in self._calls_to_place()]
        lines.append(f"{margin} = cause: {self.message}")
        if self.hint:
            lines.append(f"{margin} = instead: {self.hint}")
        return "\n".join(lines)

    def _calls_to_place(self) -> Iterator[str]:
        """The calls that lead to a place in a step helper, the innermost first."""
        call = self.where.call
        while call is not None:
            text = linecache.getline(call.file, call.line).strip()
            yield f"{path_for_reader(call.file)}:{call.line}: {text}"
            call = call.call

    def _source_line(self) -> str:
        return linecache.getline(self.where.file, self.where.line).rstrip("\r\n")

    def _column_in_characters(self, column: int) -> int:
        """A column as characters: Python's `ast` counts the bytes of the line in UTF-8."""
        return len(self._source_line().encode()[:column].decode(errors="ignore"))

    def _first_column(self) -> int:
        return self._column_in_characters(self.where.column)

    def _caret_width(self, text: str) -> int:
        several_lines = self.where.end_line != self.where.line
        end = len(text.split("#")[0].rstrip()) if several_lines else self._column_in_characters(self.where.end_column)
        return max(1, end - self._first_column())


class ModelErrors(Exception):
    """Everything that is wrong with a model's text, in the order of the text."""

    def __init__(self, errors: Iterable[Diagnostic]) -> None:
        self.errors: tuple[Diagnostic, ...] = tuple(errors)
        super().__init__(self.render())

    def render(self) -> str:
        """Every diagnostic, an empty line between two, and how many there are."""
        count = len(self.errors)
        summary = "1 error" if count == 1 else f"{count} errors"
        if any(error.code in UNREAD for error in self.errors):
            summary += "; the rest of the model is read once it can be imported"
        return "\n\n".join([*(error.render() for error in self.errors), summary])


class UsageError(Exception):
    """What was asked for cannot be: an unknown constant, profile or property, or a value out of its range."""


class UnreadableError(UsageError):
    """A file that cannot be read at all, is damaged, or is no TOML: exit 66."""


class UnavailableError(UsageError):
    """A program or a download that is needed cannot be had on this machine: exit 69."""


class AbandonedError(Exception):
    """Ends the reading of one phrase inside the front end, once what is wrong with it has been noted."""


class Diagnostics:
    """Collects diagnostics while the text is read; each mistake once, however often its function is elaborated."""

    def __init__(self) -> None:
        self._errors: dict[tuple[str, Where], Diagnostic] = {}

    def add(self, code: str, where: Where, message: str, hint: str = "") -> None:
        """Notes one mistake. The first message for a code at a place stays.

        A mistake in a step helper is noted for the first call of it; one of the rules of a step, which depend on what
        is around the call, for every call.
        """
        assert code in CODES, f"{code} has no meaning in the table"
        call = where.call if code.startswith("TG3") else None
        key = code, Where(where.file, where.line, where.column, 0, 0, call)
        self._errors.setdefault(key, Diagnostic(code, where, message, hint))

    @property
    def count(self) -> int:
        """How many different mistakes there are so far."""
        return len(self._errors)

    def has_other_than(self, *codes: str) -> bool:
        """Whether there is a mistake of another code."""
        return any(code not in codes for code, _ in self._errors)

    def include(self, others: ModelErrors) -> None:
        """Notes the mistakes of another reading of the same text."""
        for error in others.errors:
            self.add(error.code, error.where, error.message, error.hint)

    def first_message(self) -> str:
        """The cause of the first mistake that was noted; "" without any."""
        return next((error.message for error in self._errors.values()), "")

    def raise_if_any(self) -> None:
        """Raises `ModelErrors` with all that was collected, in the order of the text."""
        if self._errors:
            raise ModelErrors(sorted(self._errors.values(), key=_sort_key))


def _sort_key(error: Diagnostic) -> tuple[str, int, int]:
    return (error.where.file, error.where.line, error.where.column)


def suggest_name(name: str, known_names: Iterable[str]) -> str:
    """`did you mean ...?`, or all the known names when none is near; "" when there are none."""
    names = list(known_names)
    import difflib  # a model without mistakes needs none of it

    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"known: {', '.join(names)}" if names else ""


def place_text(where: Where) -> str:
    """`file:line`, as people click on it."""
    return f"{path_for_reader(where.file)}:{where.line}"


def path_for_reader(file: str) -> str:
    """A path as a reader expects it: relative when it lies below the working directory."""
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative
