"""Containers that a text makes: what each becomes in the typed form."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import ModelErrors

from ...support.forms import show
from ...support.frontend import action_body, expression

EXPRESSIONS = {
    "Set([node, Node(1)])": "Set(node, B)",
    "{node}": "Set(node)",
    "Set(Node)": "All(Node)",
    "Set(n for n in Node if n == node)": "set(n for n in Node if (n == node))",
    "Seq([i, 2])": "Seq(i, 2)",
    "Bag([s.entry])": "Pool(s.entry)",
    "Map({n: i for n in Node})": "{n: i}",
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_containers(text: str, tmp_path: Path) -> None:
    assert show(expression(tmp_path, text)) == EXPRESSIONS[text]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[i]", "TG111"),
        ("{}", "TG111"),
        ("Seq(s.seen)", "TG111"),
        ("Bag([i])", "TG217"),
        ("Set([i, node])", "TG203"),
        ("Seq(i, i)", "TG211"),
        ("Map([i])", "TG111"),
    ],
)
def test_what_is_no_container_of_the_language(text: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        action_body(tmp_path, f"s.seen = {text}")
    assert code in [error.code for error in caught.value.errors]
