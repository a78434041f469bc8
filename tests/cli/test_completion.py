"""Completion for shells."""

from __future__ import annotations

import argparse

import pytest
from tidegate.cli.completion import completion_script


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_script_has_the_verbs_and_options_of_the_parser(shell: str) -> None:
    parser = argparse.ArgumentParser("tidegate")
    parser.add_subparsers().add_parser("measure", help="measures").add_argument("--exactly", action="store_true")
    script = completion_script(parser, shell)
    assert "measure" in script and "--exactly" in script
