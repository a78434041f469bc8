"""Completion for shells: `eval "$(tidegate --print-completion bash)"`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import cast

import shtab


def completion_script(whole: argparse.ArgumentParser, shell: str) -> str:
    """The script that completes a parser's verbs, options and files in a shell: one of `shtab.SUPPORTED_SHELLS`."""
    for parser in (whole, *(found for action in whole._actions for found in _parsers_of_verbs(action))):  # pyright: ignore[reportPrivateUsage]
        for action in parser._actions:  # pyright: ignore[reportPrivateUsage]  # argparse has no other way to its actions
            if _takes_a_file(action):
                action.complete = shtab.FILE  # pyright: ignore[reportAttributeAccessIssue]  # where shtab looks for it
    return shtab.complete(whole, shell)


def _parsers_of_verbs(action: argparse.Action) -> Iterator[argparse.ArgumentParser]:
    """The parsers of the verbs, if the action has them."""
    if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
        yield from cast("dict[str, argparse.ArgumentParser]", action.choices).values()  # pyright: ignore[reportUnknownMemberType]


def _takes_a_file(action: argparse.Action) -> bool:
    """Whether its value is a file or a directory, by what the help calls it."""
    names = action.metavar if isinstance(action.metavar, str) else ""
    return any(part in ("FILE", "DIR", "MODEL", "TRACE", "OLD.JSON") for part in names.split("|"))
