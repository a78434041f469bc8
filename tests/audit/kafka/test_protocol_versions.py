"""Protocol versions: since which release each is known."""

from __future__ import annotations

import pytest
from tidegate.audit.kafka.protocol_versions import first_release_with_protocol


@pytest.mark.parametrize(
    ("text", "since"),
    [("2.8", "2.8.0"), ("0.10.2", "0.10.2"), ("2.8-IV1", "2.8.0"), ("9.9", None), ("2.8-IV77", None), ("x", None)],
)
def test_the_first_release_that_knows_it(text: str, since: str | None) -> None:
    found = first_release_with_protocol(text)
    assert (found is None) == (since is None)
    assert since is None or (found or "").startswith(since[:3])


def test_another_release_may_be_lax_about_the_end() -> None:
    assert first_release_with_protocol("2.8-IV77", strict=False) is not None
