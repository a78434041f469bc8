"""Patches of Kustomize are no resources: they are named, with the command that builds them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster
from tidegate.audit.readers.containers.kustomizations import split_patches

HEAD = "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {name: k}\n"
BASE = f"{HEAD}spec: {{kafka: {{config: {{min.insync.replicas: 2}}}}}}\n"
POOL = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaNodePool
metadata: {name: p, labels: {strimzi.io/cluster: k}}
spec: {replicas: 3, roles: [broker, controller], storage: {type: persistent-claim, size: 1Gi}}
"""
PATCH = f"{HEAD}spec: {{kafka: {{version: 4.1.0}}}}\n"
REASON = "it is a patch, which becomes a part of a resource when kustomize builds it"


@pytest.mark.parametrize(
    "patches",
    [
        "patches: [{path: p/kafka.yaml}]",
        "patchesStrategicMerge: [p/kafka.yaml]",
        "patchesJson6902: [{path: ./p/kafka.yaml}]",
    ],
)
def test_a_patch_is_no_second_cluster(tmp_path: Path, patches: str) -> None:
    overlay = tmp_path / "overlays" / "prod"
    (overlay / "p").mkdir(parents=True)
    (tmp_path / "base.yaml").write_text(BASE + "---\n" + POOL)
    (overlay / "kustomization.yaml").write_text(f"resources: [../../base.yaml]\n{patches}\n")
    (overlay / "p" / "kafka.yaml").write_text(PATCH)
    cluster, findings = read_cluster([tmp_path])
    assert len(cluster.brokers) == 3 and cluster.versions.kafka is None
    said = [finding for finding in findings if finding.kind == "incomplete" and REASON in finding.what]
    assert [finding.to_do for finding in said] == [f"kustomize build {overlay} > built.yaml, and give that alone"]


def test_what_a_kustomization_does_not_name_or_the_user_does_is_read() -> None:
    texts = [("k/kustomization.yaml", "patches: [{patch: '- op: add\n  path: /x'}, {path: a.yaml}]", False)]
    given = [*texts, ("k/a.yaml", PATCH, True), ("k/b.yaml", PATCH, False)]
    assert split_patches(given) == (given, [])
