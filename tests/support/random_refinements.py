"""Random pairs of models of which one may refine the other: an abstract model, and a copy of it with a field more, a
step that stutters, and, in most of them, a planted bug in its text or in its mapping.

    pair(seed, size, "abstract_1")      the two texts, and whether nothing was planted
"""

from __future__ import annotations

import random
import re

from .random_kinds import Kind
from .random_models import Writer

SHARED = (
    "Node, Pot, Seat, Color, Small, Signed, Large, Flat, Nest, Big, Ping, Quit, Message, ROW, ODD, NEAR, nodes, top, "
    "room, faults, quick"
)
FLIP = '''
@action
def flip(s: World) -> None:
    """Nothing of the abstract state changes."""
    s.junk = not s.junk
'''


class Plain(Writer):
    """Writes models of which an image can be compared: without ghosts."""

    def _choose_fields(self) -> dict[str, Kind]:
        chosen = super()._choose_fields().items()
        return {name: kind for name, kind in chosen if name != "ghost"}


def pair(seed: int, size: int, name: str) -> tuple[str, str, bool]:
    """The texts of an abstract model, kept in the file `name`, and of one that may refine it; and whether the second
    one is a true copy."""
    writer = Plain(random.Random(seed), size)
    text = writer.model()
    chosen = random.Random(seed + 1)
    behaviour = re.split(r"(?m)^@(?:invariant|reachable|transition|bound|terminal)$", text)[0]
    head, _, rest = behaviour.partition("@state\n")
    abstract = behaviour
    imports = head[: head.index("nodes = constant")].replace(" action,", " action, refines,")
    concrete = rest.replace("\n\n\n", "\n    junk: bool\n\n\n", 1)
    concrete = concrete.replace("return World(\n", "return World(\n        junk=False,\n", 1)
    planted = chosen.random() < 0.7
    mapping = {copied: f"s.{copied}" for copied in writer.fields}
    if planted and chosen.random() < 0.3:
        field = chosen.choice(list(mapping))
        writer.names, writer.states = {}, ("s",)
        mapping[field] = writer.value(writer.fields[field], 2)
    elif planted:
        concrete = mutate_text(concrete, chosen)
    shown = "".join(f"        {copied}={value},\n" for copied, value in mapping.items())
    claim = f"""

@refines({name})
def as_abstract(s: World) -> {name}.World:
    \"\"\"It is the abstract model.\"\"\"
    return {name}.World(
{shown}    )
"""
    made = f"{imports}import {name}\nfrom {name} import {SHARED}\n\n\n@state\n{concrete}{FLIP}{claim}"
    return abstract, made, not planted


def mutate_text(text: str, chosen: random.Random) -> str:
    """A text with a guard or a write of an action taken out."""
    lines = text.split("\n")
    begin = next(at for at, line in enumerate(lines) if line.startswith("def step0"))
    guards = r"\s+(require|limit)\(|\s+s\.[a-z0-9_\[\].A-Z()]+ ([|&^+-])?= .*[^(\[{,]$|\s+s\..*\.(add|append|discard)\("
    found = [at for at in range(begin, len(lines)) if re.match(guards, lines[at])]
    if found:
        at = chosen.choice(found)
        lines[at] = re.match(r"\s*", lines[at])[0] + "pass"  # type: ignore[index]
    return "\n".join(lines)
