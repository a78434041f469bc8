"""What was given and not read: what may be configuration is found, and leaves the audit undecided."""

from __future__ import annotations

from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.cluster.unread import Unread
from tidegate.audit.joining.cluster import join_parts
from tidegate.audit.joining.options import Options

IMAGE = Unread("c/logo.png", "it is an image")
VAULT = Unread("c/vault.yml", "it is encrypted", may_be_configuration=True)


def test_what_may_be_configuration_is_found_and_the_rest_only_listed() -> None:
    cluster, findings = join_parts([], Options(), (), [IMAGE, VAULT])
    assert cluster.unread == (IMAGE, VAULT)
    what, to_do = "c/vault.yml was not read: it is encrypted", "take it out of the folder if it is no configuration"
    assert findings == [Finding("incomplete", "error", what, Origin("c/vault.yml"), to_do)]
