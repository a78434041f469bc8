"""Spring's profiles: which a file is of."""

from __future__ import annotations

import pytest
from tidegate.audit.readers.programs.active_profiles import active_profiles, profile_of_path


@pytest.mark.parametrize(
    ("path", "profile"),
    [("a/application-prod.yml", "prod"), ("application-eu-west.properties", "eu-west"), ("application.yml", "")],
)
def test_the_profile_of_a_file(path: str, profile: str) -> None:
    assert profile_of_path(path) == profile


def test_where_nothing_says_none_is_known() -> None:
    assert active_profiles([]) is None
