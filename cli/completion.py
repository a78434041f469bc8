"""Completion for shells: `eval "$(tidegate --print-completion bash)"`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from typing import cast

import shtab

from .verbs import VERBS, Parser, new_parser


def completion(shell: str) -> str:
    """The script that completes verbs, options and files in a shell: one of `shtab.SUPPORTED_SHELLS`."""
    whole, verbs = new_parser()
    for each in VERBS.values():
        import_module(each.module).add(verbs)
    for parser in (whole, *(found for action in whole._actions for found in _below(action))):  # pyright: ignore[reportPrivateUsage]
        for action in parser._actions:  # pyright: ignore[reportPrivateUsage]  # argparse has no other way to its actions
            if _takes_a_file(action):
                action.complete = shtab.FILE  # pyright: ignore[reportAttributeAccessIssue]  # where shtab looks for it
    return shtab.complete(whole, shell)


def _below(action: argparse.Action) -> Iterator[Parser]:
    """The parsers of the verbs, if the action has them."""
    if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
        yield from cast("dict[str, Parser]", action.choices).values()  # pyright: ignore[reportUnknownMemberType]


def _takes_a_file(action: argparse.Action) -> bool:
    """Whether its value is a file or a directory, by what the help calls it."""
    names = action.metavar if isinstance(action.metavar, str) else ""
    return any(part in ("FILE", "DIR", "MODEL", "TRACE", "OLD.JSON") for part in names.split("|"))
