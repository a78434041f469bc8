"""A picture that a model draws itself: its `view` is a function of the state that returns SVG.

    def view(s: River) -> str:
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><circle r="{len(s.east)}"/></svg>'

It is called once for each state, by plain Python. What it returns is only ever shown as an image, which a browser shows
without scripts, styles of the page, or anything from elsewhere; and nothing is let through that would act outside of
one, since pictures are saved and sent as well.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any
from xml.parsers import expat

from ..language.effort import Effort, EffortExceededError
from ..language.lanes import GroupLanes, LogLanes
from ..language.model import Model
from ..language.values import State
from .picture import Picture, UndrawableError

Document = dict[str, Any]

SVG = "http://www.w3.org/2000/svg"
STEPS = 1_000_000
"""Steps of Python that a picture of a state may take."""
MAX_CHARACTERS = 100_000
"""Characters of one picture."""
SHAPES = frozenset({
    "svg", "g", "defs", "symbol", "use", "title", "desc", "style", "switch", "path", "rect", "circle", "ellipse",
    "line", "polyline", "polygon", "text", "tspan", "textPath", "image", "marker", "linearGradient",
    "radialGradient", "stop", "pattern", "clipPath", "mask",
})  # fmt: skip
"""The elements that a picture may have."""
_INSIDE_ADDRESS = re.compile(r"#|data:image/(png|jpeg|gif|webp);base64,")
"""How an address begins that stays within the picture."""
_OUTSIDE_REFERENCE = re.compile(r"url\s*\(\s*(?!['\"]?#)|@import|image-set|\\|javascript:", re.IGNORECASE)
"""What a style, or an attribute, must not hold. An escape could hide any of it."""


class ViewImage:
    """What a model's own `view(s)` draws of each state, with the parts of a `Picture`; it has no lanes.

    Raises `UndrawableError` where the function does not take one state, and `board` does where it cannot be called, or
    what it returns may not be shown.
    """

    def __init__(self, draw: Callable[[State], Any]) -> None:
        taken = inspect.signature(draw).parameters
        if len(taken) != 1:
            raise UndrawableError(
                f"view: a function that draws takes the state alone, and this takes {len(taken)} values"
            )
        self._draw = draw

    def document(self, frames: Mapping[str, Document]) -> Document:
        """What the frames are of."""
        return {"kind": "drawing", "domain": "drawing", "lanes": [], "badges": [], "columns": 0}

    def lanes(self, state: State) -> dict[str, Document]:
        """None: a drawing is of the whole state."""
        return {}

    def board(self, state: State) -> Document:
        """The picture of a state: its `svg`, and what it `says` to whom cannot see it, from its `<title>`."""
        try:
            with Effort(STEPS):
                text = self._draw(state)
        except EffortExceededError:
            raise UndrawableError(f"view(s) takes more than {STEPS:,} steps of Python in a state") from None
        except Exception as error:
            raise UndrawableError(f"view(s) cannot be evaluated: {type(error).__name__}: {error}") from error
        return {"svg": text, "says": check_svg(text)}


def view_picture(model: Model) -> Picture | ViewImage | None:
    """What draws the states of a model; None where it declares no view. Raises `UndrawableError`."""
    if model.view is None:
        return None
    if isinstance(model.view, (LogLanes, GroupLanes)):
        return Picture(model, model.view)
    if not isinstance(model.view, FunctionType):
        raise UndrawableError(
            f"view has to be lanes, or a function of the state, and is of type {type(model.view).__name__}"
        )
    return ViewImage(model.view)


def check_svg(text: object) -> str:
    """The title of a picture. Raises `UndrawableError` where it is not SVG, or holds what may not be shown: elements
    that draw nothing (scripts, other languages, animations), handlers of events, and addresses outside of itself."""
    if not isinstance(text, str):
        raise UndrawableError(f"view(s) is of type {type(text).__name__}, and has to be a str of SVG")
    if len(text) > MAX_CHARACTERS:
        raise UndrawableError(f"view(s) has {len(text):,} characters, and a picture has at most {MAX_CHARACTERS:,}")
    return _SvgReader().title_of(text)


class _SvgReader:
    """Reads a picture once, and refuses what is not to be in it."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.title = ""
        self.style = ""
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._begins
        self.parser.EndElementHandler = self._end_element
        self.parser.CharacterDataHandler = self._add_text
        self.parser.StartDoctypeDeclHandler = self._refuse_declaration
        self.parser.ProcessingInstructionHandler = lambda target, _: self._refuse_svg(f"<?{target}?>")

    def title_of(self, text: str) -> str:
        """The title."""
        try:
            self.parser.Parse(text, True)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            raise UndrawableError(f"view(s) is no SVG, which is XML: line {error.lineno}: {what}") from None
        return " ".join(self.title.split())

    def _refuse_svg(self, what: str) -> None:
        raise UndrawableError(f"view(s): line {self.parser.CurrentLineNumber}: {what} may not be in a picture")

    def _refuse_declaration(self, *_: object) -> None:
        self._refuse_svg("a DOCTYPE")

    def _begins(self, name: str, attributes: Mapping[str, str]) -> None:
        space, _, tag = name.rpartition(" ")
        if not self.open and (space, tag) != (SVG, "svg"):
            raise UndrawableError(f'view(s) has to be an <svg xmlns="{SVG}"> element, and is <{tag}>')
        if space != SVG or tag not in SHAPES:
            self._refuse_svg(f"<{tag}>")
        self.open.append(tag)
        for attribute, value in attributes.items():
            self._read_attribute(attribute.rpartition(" ")[2].lower(), value)

    def _read_attribute(self, name: str, value: str) -> None:
        if name.startswith("on") or name in ("base", "src"):
            self._refuse_svg(f"the attribute {name}")
        if name == "href" and not _INSIDE_ADDRESS.match(value):
            self._refuse_svg(f"the address {value[:60]}")
        if name != "href":
            self._check_style(value)

    def _check_style(self, text: str) -> None:
        found = _OUTSIDE_REFERENCE.search(text)
        if found is not None:
            self._refuse_svg(f"{found[0]!r} in a style or an attribute")

    def _end_element(self, name: str) -> None:
        if self.open.pop() == "style":
            self._check_style(self.style)
            self.style = ""

    def _add_text(self, text: str) -> None:
        if self.open == ["svg", "title"]:
            self.title += text
        if self.open[-1] == "style":
            self.style += text
