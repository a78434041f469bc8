"""What a container's command sets, and when it may set what is not read."""

from __future__ import annotations

import pytest
from tidegate.audit.readers.containers.commands import (
    container_text,
    may_set_unread_settings,
    override_options,
    override_settings,
)
from tidegate.audit.readers.yamls import yaml_documents


def test_an_override_is_a_setting_and_stronger_than_the_file() -> None:
    (tree,) = yaml_documents(
        "command: kafka-server-start.sh f.properties --override acks=1 --override log.dirs='/a b'\n"
    )
    found = override_options("c.yaml", tree)
    assert [(setting.key, setting.value) for setting in found] == [("acks", "1"), ("log.dirs", "/a b")]
    merged = override_settings(
        override_options("c.yaml", yaml_documents("command: --override acks=all --override x=2\n")[0]), found
    )
    assert {setting.key: setting.value for setting in merged}["acks"] == "1"


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("sleep 5", False),
        ("kafka-server-start.sh other.properties", True),
        ("kafka-server-start.sh --config $FILE", True),
    ],
)
def test_a_command_that_may_set_what_is_not_read(text: str, may: bool) -> None:
    assert may_set_unread_settings(text) is may
    assert not may_set_unread_settings("kafka-server-start.sh f.properties", ["f.properties"])


def test_all_that_a_container_runs_is_one_text() -> None:
    (tree,) = yaml_documents("entrypoint: [sh, -c]\nargs: ['echo one']\n")
    assert "echo one" in container_text(tree) and container_text(yaml_documents("image: x\n")[0]) == ""
