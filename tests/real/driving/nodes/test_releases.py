"""Releases of Kafka as they are unpacked."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import UsageError
from tidegate.real.driving.nodes.releases import release_in


def test_a_home_is_a_release_as_it_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "libs").mkdir()
    (tmp_path / "libs" / "kafka_2.13-3.7.2.jar").touch()
    assert release_in(tmp_path).parts == (3, 7, 2)
    with pytest.raises(UsageError, match=r"no kafka_2\.13-VERSION\.jar is in it"):
        release_in(tmp_path / "libs" / "none")
