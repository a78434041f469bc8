"""Settings of a YAML map, each with its line and its place."""

from __future__ import annotations

from tidegate.audit.cluster.statements import Origin, Setting
from tidegate.audit.readers.yaml_settings import origin_at, settings_of_tree
from tidegate.audit.readers.yamls import yaml_documents

TEXT = """\
spec:
  config:
    min.insync.replicas: 2
    unclean.leader.election.enable: yes
    log.dirs: "yes"
    empty:
    list: [1, 2]
    arabic: ٣
"""


def test_each_scalar_is_a_setting_as_yaml_1_1_types_it() -> None:
    (tree,) = yaml_documents(TEXT)
    found = settings_of_tree("k.yaml", tree.get("spec", "config"))
    stated = [
        ("min.insync.replicas", "2", 3), ("unclean.leader.election.enable", "true", 4), ("log.dirs", "yes", 5),
        ("arabic", "Ù£", 8),
    ]  # fmt: skip
    assert list(found) == [
        Setting(key, value, Origin("k.yaml", line, f"spec.config.{key}")) for key, value, line in stated
    ]
    assert settings_of_tree("k.yaml", None) == ()


def test_what_was_merged_from_another_file_is_stated_there() -> None:
    (own,), (other,) = yaml_documents(TEXT), yaml_documents(TEXT, "base.yaml")
    assert origin_at("k.yaml", own, "spec") == Origin("k.yaml", 1, "spec")
    assert origin_at("k.yaml", other, "spec") == Origin("base.yaml", 1, "spec")
