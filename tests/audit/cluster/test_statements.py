"""What a file states, with its place; and that the value of a secret is never held.

Also of: `findings`.
"""

from __future__ import annotations

import pytest
from tidegate.audit.cluster.findings import Finding, ModelRun
from tidegate.audit.cluster.statements import HIDDEN, AlternativesError, Origin, Setting, Unread, UnreadableInputError

HERE = Origin("server.properties", 4)


@pytest.mark.parametrize(
    "key",
    [
        "ssl.keystore.password", "sasl.jaas.config", "listener.name.x.scram-sha-256.sasl.jaas.config",
        "ssl.keystore.key", "my.api.TOKEN", "basic.auth.user.info", "db.passwd", "confluent.license", HIDDEN,
    ],
)  # fmt: skip
def test_the_value_of_a_secret_is_not_held_however_the_setting_is_made(key: str) -> None:
    setting = Setting(key, "hunter2", HERE)
    assert setting.value == HIDDEN and "hunter2" not in repr(setting)


def test_what_is_no_secret_is_as_it_is_written() -> None:
    assert Setting("min.insync.replicas", "2", HERE).value == "2"


def test_a_place_is_a_file_with_its_line_where_it_has_one() -> None:
    assert str(HERE) == "server.properties:4" and str(Origin("a.yaml", place="spec.kafka")) == "a.yaml"


def test_what_was_not_read_may_be_configuration_only_if_something_shows_it() -> None:
    assert not Unread("logo.png", "it is an image").may_be_configuration


def test_alternatives_are_an_input_that_cannot_be_read_as_one_cluster() -> None:
    error = AlternativesError("two clusters", [("dev", frozenset({"dev/a"}))])
    assert isinstance(error, UnreadableInputError) and str(error) == "two clusters"
    assert error.groups == [("dev", frozenset({"dev/a"}))]


def test_a_finding_of_a_model_has_the_command_that_shows_it() -> None:
    run = ModelRun("consumer:before", (("members", 1), ("records", 2)), "at_least_once")
    assert run.to_command == "tidegate check consumer:before --set members=1 --set records=2 --property at_least_once"
    finding = Finding("client", "warning", "records are skipped", HERE, "commit later", run=run)
    assert finding == Finding("client", "warning", "records are skipped", HERE, "commit later", "", run)
    assert len({finding, finding}) == 1, "the same finding of many topics counts once"
