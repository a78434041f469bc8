"""Files of a folder that set up brokers in a form that is not read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.readers.containers.scripts import is_script, read_script


@pytest.mark.parametrize(("name", "is_one"), [("a.sh", True), ("Dockerfile", True), ("x.j2", True), ("a.png", False)])
def test_which_files_may_be_scripts(name: str, is_one: bool) -> None:
    assert is_script(Path(name)) is is_one


def test_a_script_that_starts_a_broker_is_not_passed_over() -> None:
    part = read_script("start.sh", "kafka-server-start.sh /etc/other.properties\n", frozenset())
    assert part is not None and part.findings
    assert read_script("other.sh", "echo nothing\n", frozenset()) is None
