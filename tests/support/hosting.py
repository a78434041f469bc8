"""A release whose classes are hosted, for tests that run Kafka's own code; skipped where it cannot be had."""

from __future__ import annotations

import shutil
from functools import cache

import pytest
from tidegate.language.errors import UnavailableError
from tidegate.real.driving.nodes.releases import Release
from tidegate.real.inprocess.program import QUORUM, Tenant

HOSTED = "4.1.1"


@cache
def _release(version: str, tenant: Tenant) -> Release | str:
    if shutil.which("javac") is None:
        return "no JDK is on this machine (javac), so that Kafka's classes cannot be hosted"
    try:
        return tenant.fetch(version)
    except UnavailableError as error:
        return str(error)


def hosted_release(version: str = HOSTED, tenant: Tenant = QUORUM) -> Release:
    """A release's jars for a tenant. The test is skipped, with why, where there is no JDK or no registry."""
    found = _release(version, tenant)
    if isinstance(found, str):
        pytest.skip(found)
    return found
