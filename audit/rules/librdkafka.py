"""What producers of old releases of librdkafka report as written that is not there, which no model has.

From the CHANGELOG of librdkafka: what it says of the release that mends it is what the releases before did.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..cluster.cluster import Client, Cluster
from ..cluster.findings import Finding
from ..cluster.settings import base_family, setting_value
from ..cluster.statements import Unknown
from ..kafka.keys import declared_key, is_true
from ..kafka.versions import is_at_least
from ..startup.producers import is_transactional

IDEMPOTENCE = declared_key("enable.idempotence")

OF_TRANSACTIONS = (
    ("1.7.0", "if the cluster is down when records are sent, they time out and the commit succeeds without them"),
    ("1.8.2", "after quick changes of leaders a commit succeeds without the records before them (#3575)"),
)
OF_SEQUENCES = (
    ("1.9.0", "a topic that a restarting broker does not know yet has its sequences begin anew: records are lost"),
)
"""What may happen up to a release, of transactional producers and of all idempotent ones."""


def falsely_written(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Why a producer of librdkafka may report what it lost as written. It is not modelled, so that nothing is said to
    be kept."""
    version = client.version
    if base_family(client) != "librdkafka" or client.kind != "producer" or version is None:
        return
    transactional = is_transactional(client)
    idempotent = setting_value(cluster, client, IDEMPOTENCE)
    if not transactional and (isinstance(idempotent, Unknown) or not is_true(idempotent.value)):
        return
    having = [
        row
        for row in ((*OF_TRANSACTIONS, *OF_SEQUENCES) if transactional else OF_SEQUENCES)
        if is_at_least(version.value, row[0]) is False
    ]
    for mended, effect in having[:1]:
        last = having[-1][0]
        what = f"{client.name} is librdkafka {version.value}: before {mended}, {effect}; this is not modelled"
        yield Finding("incomplete", "warning", what, version.origin, f"librdkafka {last} or later", "its CHANGELOG")
