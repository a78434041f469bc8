"""Paths of this machine, and URIs, which are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import UsageError
from tidegate.language.paths import local_path


@pytest.mark.parametrize(
    "uri", ["s3a://bucket/run", "hdfs://node:9000/run", "file:///shared/run", "dbfs:/run", Path("gs://bucket")]
)
def test_a_uri_is_refused(uri: str | Path) -> None:
    with pytest.raises(UsageError) as raised:
        local_path(uri)
    assert str(raised.value) == (
        f"{uri} is a URI, and only paths of this machine are read and written; mount what it names, and give that path"
    )


@pytest.mark.parametrize("path", ["run", "/shared/run", "../a:b/c", "c:/run", "s3a", "s3a:"])
def test_a_path_is_one(path: str) -> None:
    assert local_path(path) == Path(path)
