"""Which compose files stand for themselves, and which go into others."""

from __future__ import annotations

from ...joining.test_not_in_force import compose, findings_with, of

FILES = (("d/docker-compose.yml", compose(2)), ("d/compose.yaml", compose(1)))


def test_of_two_compose_files_in_a_folder_only_the_one_that_compose_takes_is_read() -> None:
    cluster, findings = of(*FILES)
    assert [node.id for node in cluster.brokers] == [1]
    note = findings_with(findings, "takes d/compose.yaml alone")[0]
    assert (note.kind, note.where.path) == ("not_read", "d/docker-compose.yml")


def test_compose_files_of_two_folders_and_those_that_are_named_are_read() -> None:
    for cluster, findings in (
        of(*FILES, named=True),
        of(("d/compose.yml", FILES[0][1]), ("e/compose.yml", FILES[1][1])),
    ):
        assert [node.id for node in cluster.brokers] == [1, 2]
        assert not findings_with(findings, "alone")


def test_a_compose_file_that_the_first_one_includes_is_read() -> None:
    including = "include: [docker-compose.yml]\n" + compose(1).replace("  k1:", "  k3:")
    cluster, findings = of(FILES[0], ("d/compose.yaml", including))
    assert [node.id for node in cluster.brokers] == [1, 2]
    assert not findings_with(findings, "alone")
