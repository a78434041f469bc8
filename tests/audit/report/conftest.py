"""Audits that several tests of the report look at."""

from __future__ import annotations

from typing import Any

import pytest

from ...support.audited_topics import audit_combined, audit_topics, topic_text


@pytest.fixture(scope="session")
def five() -> dict[str, Any]:
    """Five topics, three of which are wrong, each in its own way."""
    return audit_topics(
        topic_text("orders", 2) + topic_text("payments", 2) + topic_text("clickstream", 1) + topic_text("sessions", 3)
        + topic_text("audit-log", 1, 1)
    )  # fmt: skip


@pytest.fixture(scope="session")
def three_hosts() -> dict[str, Any]:
    """Three combined nodes on hosts of their own: the most common small cluster."""
    return audit_combined("a", "b", "c")
