"""Spring's clients in containers: the setting that a variable stands for."""

from __future__ import annotations

import pytest
from tidegate.audit.readers.containers.spring_variables import command_texts, spring_key
from tidegate.audit.readers.yamls import yaml_documents


@pytest.mark.parametrize(
    ("variable", "key"),
    [
        ("SPRING_KAFKA_PRODUCER_ACKS", "spring.kafka.producer.acks"),
        (
            "SPRING_KAFKA_PRODUCER_PROPERTIES_DELIVERY_TIMEOUT_MS",
            "spring.kafka.producer.properties.delivery.timeout.ms",
        ),
    ],
)
def test_a_variable_is_a_setting(variable: str, key: str) -> None:
    assert spring_key(variable) == key


def test_a_command_is_one_text_or_a_list() -> None:
    assert set(command_texts(yaml_documents("[a, b]")[0])) >= {"a", "b"}
    assert set(command_texts(yaml_documents("a b")[0])) == {"a b"}
