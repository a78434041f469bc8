"""Settings of a YAML map."""

from __future__ import annotations

from ..cluster.statements import Origin, Setting
from .parsed_file import decode_as_latin
from .yamls import Tree


def settings_of_tree(path: str, tree: Tree | None) -> tuple[Setting, ...]:
    """A `config:` block as settings."""
    if tree is None:
        return ()
    return tuple(
        Setting(name, decode_as_latin(value.strip()), Origin(path, sub.line, ".".join(sub.path)))
        for name, sub in tree.items()
        if (value := sub.typed_text()) is not None
    )


def origin_at(path: str, tree: Tree, place: str) -> Origin:
    """Where something is stated, in the file that it was merged from."""
    return Origin(tree.file or path, tree.line, place)
