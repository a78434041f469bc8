"""Names of settings: those of Kafka's releases and of librdkafka, and what a misspelt one may mean."""

from __future__ import annotations

from tidegate.audit.kafka.key_names import canonical_names, client_setting_aliases, names_by_scope, nearest_name


def test_names_by_scope() -> None:
    names = names_by_scope()
    assert "min.insync.replicas" in names["broker"] and "min.insync.replicas" in names["topic"]
    assert "acks" in names["producer"] and "acks" not in names["consumer"]
    assert "queue.buffering.max.ms" in names["librdkafka"]


def test_a_misspelt_name_is_near_one_of_its_scope() -> None:
    assert nearest_name("min.insync.replica", ("broker",)) == "min.insync.replicas"
    assert nearest_name("nothing.like.it.at.all", ("broker",)) is None
    assert nearest_name("ackss", ("consumer",)) != "acks"


def test_a_familys_name_stands_for_kafkas() -> None:
    known = canonical_names("librdkafka")
    assert known.get("request.required.acks") == "acks"
    assert set(known) <= client_setting_aliases()
