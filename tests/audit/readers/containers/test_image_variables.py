"""Variables of images: which stands for a setting, and of whom an image is."""

from __future__ import annotations

import pytest
from tidegate.audit.readers.containers.image_variables import image_distribution, name_and_tag, setting_of_variable
from tidegate.audit.readers.yamls import yaml_documents


@pytest.mark.parametrize(
    ("variable", "key"),
    [
        ("KAFKA_MIN_INSYNC_REPLICAS", "min.insync.replicas"),
        ("KAFKA_CFG_LOG_DIRS", "log.dirs"),
        ("KAFKA_HEAP_OPTS", None),
        ("PATH", None),
    ],
)
def test_the_setting_that_a_variable_stands_for(variable: str, key: str | None) -> None:
    assert setting_of_variable(variable) == key


def test_an_image_has_a_name_and_a_tag() -> None:
    assert name_and_tag("apache/kafka:4.1.0") == ("apache/kafka", "4.1.0")
    assert name_and_tag("apache/kafka:4.1.0@sha256:00")[0] == "apache/kafka"
    assert image_distribution(yaml_documents("image: apache/kafka:4.1.0\n")[0]) == "apache"
    assert image_distribution(yaml_documents("image: nginx\n")[0]) is None
