"""Which services of a compose file are started: by their number, and by their profiles."""

from __future__ import annotations

import pytest
from tidegate.audit.readers.containers.compose_services import services_running
from tidegate.audit.readers.parsed_file import Part
from tidegate.audit.readers.yamls import yaml_documents


def running(*services: str) -> tuple[list[str], list[str], list[str]]:
    """The services that count of those with these lines, what is noted, and what is assumed."""
    text = "services:\n" + "".join(f"  k{number}: {{{lines}}}\n" for number, lines in enumerate(services, 1))
    (tree,) = yaml_documents(text)
    part, of = Part("compose"), tree.get("services")
    assert of is not None
    found = services_running(part, "c.yml", of.items())
    return [name for name, _ in found], [finding.what for finding in part.findings], part.assumptions


@pytest.mark.parametrize("lines", ["scale: {}", "deploy: {{replicas: {}}}"])
def test_a_service_of_no_container_counts_as_no_broker(lines: str) -> None:
    key = "scale" if lines.startswith("scale") else "deploy.replicas"
    assert running(lines.format(1), "image: k") == (["k1", "k2"], [], [])
    assert running(lines.format(0), "image: k") == (
        ["k2"], [f"`{key}: 0` of service k1: no container of it is started, and it counts as no broker"], [],
    )  # fmt: skip
    for many in ("2", "${N}"):
        assert running(lines.format(f'"{many}"'), "image: k") == (
            ["k1", "k2"],
            [f"`{key}` of service k1 is not 1: how many containers have this one node id is not read"],
            [],
        )


def test_a_profile_that_all_have_is_assumed_and_one_that_some_have_is_open() -> None:
    assert running("profiles: [b, a]", "profiles: [a, c, b]") == (
        ["k1", "k2"], [], ["c.yml is started with `--profile a`, which its brokers need"],
    )  # fmt: skip
    assert running("image: k", "profiles: [a]") == (
        ["k1", "k2"],
        ["service k2 starts only with a profile that not every broker has, and no file says which are active"],
        [],
    )
    assert running("profiles: [a]", "profiles: [b]")[1] != [], "no one profile starts both"


def test_who_is_scaled_to_none_asks_for_no_profile() -> None:
    names, noted, assumed = running("profiles: [a], scale: 0", "image: k")
    assert (names, assumed) == (["k2"], []) and len(noted) == 1
