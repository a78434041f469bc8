"""The model's fields and records in the words of whoever runs the cluster."""

from __future__ import annotations

from tidegate.audit.report.model_words import (
    cell_in_words,
    change_in_words,
    name_records,
    records_of_several_epochs,
    value_in_words,
)


def test_cells_and_values_in_words() -> None:
    assert change_in_words("up: + broker 1") == "running brokers: + broker 1"
    assert cell_in_words("log[broker 2]") == "broker 2's log"
    assert value_in_words("Record(id=3, epoch=1)") == "record 3"


def test_records_of_several_epochs_are_told_apart() -> None:
    changes = ["log: + 0a", "log: + 1a", "log: + 1b"]
    assert records_of_several_epochs(changes) == {"a"}
    assert name_records(changes, records_of_several_epochs(changes)) == [
        "log: + record 0 of epoch 0", "log: + record 0 of epoch 1", "log: + record 1",
    ]  # fmt: skip
