"""What an author annotates with: domains without members until they are bound, and labels that can be read again."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from tidegate.language import Domain, Range
from tidegate.language.kinds import range_of, unwritable_label


class Node(Domain, size=3, labels=("x", "y", "z")):
    """A node."""


def test_members_are_one_object_each_and_print_by_their_labels() -> None:
    assert Node(1) is Node(1) and Node(0) != Node(1)
    assert [repr(Node(index)) for index in range(3)] == ["x", "y", "z"]
    with pytest.raises(IndexError):
        Node(3)


def test_a_domain_has_no_members_before_the_model_is_bound() -> None:
    for asked in (list[Any], len):
        with pytest.raises(Exception, match="until the model is bound"):
            asked(Node)
    assert Node, "a class is true"


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["A", "B"], None),
        (["broker 1"], "the label 'broker 1', which is not a name"),
        (["A", "None"], "the label 'None', which stands for what an option is without a value"),
        (["A", "A"], "the label 'A' for two members"),
        ([3], "the label 3, which is not a name"),
    ],
)
def test_labels_that_could_not_be_read_again(labels: list[Any], said: str | None) -> None:
    assert unwritable_label(labels) == said


def test_the_range_of_an_annotation() -> None:
    assert range_of(Annotated[int, Range(1, 4)]) is not None
    assert range_of(int) is None
