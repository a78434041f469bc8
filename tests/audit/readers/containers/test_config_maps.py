"""What a pod sees of ConfigMaps and Secrets: files at their paths, and variables."""

from __future__ import annotations

import pytest
from tidegate.audit.readers.containers.config_maps import Manifests, config_maps
from tidegate.audit.readers.yamls import Tree, yaml_documents

STORED = """\
kind: ConfigMap
metadata: {name: c}
data:
  a.properties: |
    one=1
    two=2
  flag: "on"
---
kind: Secret
metadata: {name: s, namespace: n}
data: {b: Yg==, bad: "*"}
stringData: {b: plain}
"""
POD = """\
containers:
- volumeMounts: [{name: v, mountPath: /etc/kafka%s}]
  env:
  - {name: OWN, value: x}
  - {name: FLAG, valueFrom: {configMapKeyRef: {name: c, key: flag}}}
  - {name: F, valueFrom: {}}
  envFrom: [{configMapRef: {name: c}, prefix: P_}, {secretRef: {name: gone, optional: true}}, {secretRef: {name: away}}]
volumes: [{name: v, %s}]
"""


def manifests() -> Manifests:
    return Manifests([*config_maps("m.yaml", yaml_documents(STORED))])


def pod_of(volume: str, more: str = "") -> Tree:
    return yaml_documents(POD % (more, volume))[0]


@pytest.mark.parametrize(
    ("volume", "more", "files"),
    [
        ("configMap: {name: c}", "", ["/etc/kafka/a.properties", "/etc/kafka/flag"]),
        ("configMap: {name: c, items: [{key: flag, path: x/y}]}", "", ["/etc/kafka/x/y"]),
        ("configMap: {name: c}", "/s.properties, subPath: a.properties", ["/etc/kafka/s.properties"]),
        ("secret: {secretName: s}", "", ["/etc/kafka/b", "/etc/kafka/bad"]),
        (
            "projected: {sources: [{secret: {name: s}}, {configMap: {name: c, items: [{key: flag, path: f}]}}]}",
            "",
            ["/etc/kafka/b", "/etc/kafka/bad", "/etc/kafka/f"],
        ),
    ],
)
def test_where_files_are_in_a_container(volume: str, more: str, files: list[str]) -> None:
    found, missing = manifests().mounted_files("p.yaml", pod_of(volume, more), "n")
    assert [file.target for file in found] == files and missing == []


def test_what_no_file_has_is_told_apart_from_what_may_be_missing() -> None:
    _, missing = manifests().mounted_files("p.yaml", pod_of("secret: {secretName: s}"), "other")
    assert [(one.target, one.name) for one in missing] == [("/etc/kafka", "Secret s")]
    assert manifests().mounted_files("p.yaml", pod_of("configMap: {name: no, optional: true}"), "n") == ([], [])


def test_a_key_that_items_names_and_that_is_not_there_is_missing() -> None:
    found, missing = manifests().mounted_files(
        "p.yaml", pod_of("configMap: {name: c, items: [{key: no, path: y}]}"), "n"
    )
    assert found == [] and [one.name for one in missing] == ["no, which ConfigMap c has not,"]
    optional = pod_of("configMap: {name: c, optional: true, items: [{key: no, path: y}]}")
    assert manifests().mounted_files("p.yaml", optional, "n") == ([], [])


def test_what_is_mounted_by_the_name_of_its_pod_is_not_taken_for_all_pods() -> None:
    pod = pod_of("configMap: {name: c}", "/s.properties, subPathExpr: $(POD)")
    found, missing = manifests().mounted_files("p.yaml", pod, "n")
    assert found == [] and [one.name for one in missing] == ["ConfigMap c"]


def test_texts_have_their_lines_and_those_of_secrets_are_decoded() -> None:
    stored, secret = manifests().config_maps
    assert str(stored.entries[0].origin(2)) == "m.yaml:6" and str(stored.entries[1].origin(1)) == "m.yaml:7"
    assert [(entry.name, entry.text) for entry in secret.entries] == [("b", "plain"), ("bad", None)]


def test_variables_of_a_container() -> None:
    containers = yaml_documents(POD % ("", "configMap: {name: c}"))[0].get("containers")
    assert containers is not None
    (container,) = [entry for _, entry in containers.items()]
    given, missing = manifests().variables_of("p.yaml", container, "n")
    assert [(name, value) for name, value, _ in given] == [
        ("P_a.properties", "one=1\ntwo=2\n"), ("P_flag", "on"), ("OWN", "x"), ("FLAG", "on"), ("F", "${}"),
    ]  # fmt: skip
    assert [one.name for one in missing] == ["Secret away"]


def test_two_of_one_name_and_no_namespace_are_neither() -> None:
    text = STORED.replace("metadata: {name: c}", "metadata: {name: c, namespace: n}")
    both = [
        *config_maps("m.yaml", yaml_documents(text)),
        *config_maps("o.yaml", yaml_documents(text.replace("one=1", "one=2"))),
    ]
    assert Manifests(both).config_map_of("ConfigMap", "c", "n") is None
    assert Manifests(both[:2]).config_map_of("ConfigMap", "c", "") is both[0]
    assert Manifests(both[:2]).unused_maps() == both[:2]
