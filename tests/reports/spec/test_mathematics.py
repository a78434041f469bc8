"""All formulas of a model as Markdown: each function once, and digests of sections, which a changed formula changes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tidegate.language.binding import load
from tidegate.language.model import Model
from tidegate.reports.spec.mathematics import (
    NOTATION,
    RecordedChecks,
    Specification,
    fields_by_name,
    mark_code,
    model_sections,
    section_digests,
    specification_text,
    texts_by_name,
)

from ...conftest import ROOT


@pytest.fixture(scope="module")
def model() -> Model:
    """A small one, its constants open."""
    definition = load(ROOT / "examples" / "lock.py")
    return definition.bind("lock", {}, None, open=tuple(definition.constants))


def page_of(model: Model, *recorded: RecordedChecks) -> Specification:
    return Specification("The lock", model, {"careful": {"compare_and_set": True}}, recorded, "lock.toml")


def test_a_page_has_its_title_the_notation_and_every_section_that_has_something(model: Model) -> None:
    text = specification_text(page_of(model))
    titles = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert text.startswith("# The lock\n") and NOTATION in text
    assert titles == [title for title, _ in model_sections(page_of(model))]
    assert {"Constants", "Profiles", "State", "Actions", "Properties"} <= set(titles)
    assert "What must happen" not in titles, "the lock promises nothing of the kind"


def test_every_action_and_property_has_its_text(model: Model) -> None:
    texts = texts_by_name(model)
    assert {action.name for action in model.actions} | {prop.name for prop in model.properties} <= set(texts)
    take = texts["take"]
    assert 'place′[client] = "inside"' in take and "when" in take
    assert all(text in specification_text(page_of(model)) for text in texts.values())


def test_each_field_has_its_type_and_meaning(model: Model) -> None:
    fields = fields_by_name(model)
    assert list(fields) == [field.name for field in model.fields]
    assert all(field.says in fields[field.name] for field in model.fields)


def test_a_formula_that_changes_changes_the_digest_of_its_section_alone(model: Model) -> None:
    before = section_digests(model_sections(page_of(model)))
    first, *rest = model.actions
    other = replace(model, actions=(replace(first, doc="Something else."), *rest))
    after = section_digests(model_sections(page_of(other)))
    assert {name for name in before if before[name] != after[name]} == {"actions"}
    assert all(len(digest) == 12 for digest in before.values())


def test_what_is_recorded_stands_in_a_table(model: Model) -> None:
    whole = RecordedChecks("careful", "2 clients", "", 3, 4, 2, {"one_inside": "holds"})
    cut = RecordedChecks("careless", "2 clients", "", None, None, None, {"one_inside": 4})
    text = specification_text(page_of(model, whole, cut)).partition("## Recorded results")[2]
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 4 and "one_inside" in rows[2] and "| 3 |" in rows[2]
    assert "4" in rows[3] and "| 3 |" not in rows[3]


def test_names_in_a_sentence_are_code() -> None:
    assert mark_code("{client} takes {lock}.") == "`client` takes `lock`."
