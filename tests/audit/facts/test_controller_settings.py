"""What the controllers decide of a topic, by their own files: unclean elections, and ELR's min.insync.replicas."""

from __future__ import annotations

import pytest

from ...support.facts import DESCRIBED, ORDERS, SOUND, cluster_of, nodes, signatures, subject_of

UNCLEAN = "unclean.leader.election.enable=true\n"


@pytest.mark.parametrize("word", ["TRUE", "tRuE  ", "False "])
@pytest.mark.parametrize("described", [DESCRIBED, ORDERS])
@pytest.mark.parametrize(("own", "controllers"), [(True, None), (True, ""), (False, "own")])
def test_booleans_are_read_in_any_case_and_with_blanks(
    word: str, described: str, own: bool, controllers: str | None
) -> None:
    """ConfigDef.parseType trims the text and compares it without regard to case."""
    low = f"unclean.leader.election.enable={word.strip().lower()}\n"
    written = f"unclean.leader.election.enable={word}\n"
    found: list[set[bool]] = []
    for line in (low, written):
        files = nodes(line if own else "", line if controllers == "own" else controllers, topics__txt=described)
        found.append({signature.unclean for signature in signatures(cluster_of(files, "3.9.0"), "orders")})
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("brokers", "controllers", "elected"),
    [(UNCLEAN, "", {False}), ("", UNCLEAN, {True}), (UNCLEAN, UNCLEAN, {True}), (UNCLEAN, None, {True, False})],
)
def test_in_kraft_the_controllers_files_decide_unclean_elections(
    brokers: str, controllers: str | None, elected: set[bool]
) -> None:
    """ConfigurationControlManager.uncleanLeaderElectionEnabledForTopic resolves with the controller's static config."""
    cluster = cluster_of(nodes(brokers, controllers), "3.9.0")
    assert {signature.unclean for signature in signatures(cluster)} == elected
    assert {signature.unclean for signature in signatures(cluster, "__consumer_offsets")} == elected


def test_what_the_controllers_have_where_their_files_are_missing_is_an_assumption_that_is_shown() -> None:
    found = subject_of(cluster_of(nodes("", None), "3.9.0"))
    assert {variant.signature.unclean for variant in found.variants} == {False}
    (used,) = [use for use in found.used_settings if use.key == "unclean.leader.election.enable"]
    assert used.source == "KIP-106; the controllers, whose files were not given, do not set it otherwise"


def test_with_zookeeper_the_brokers_are_the_controllers() -> None:
    text = "broker.id={id}\nzookeeper.connect=z\nlog.dirs=data\n" + SOUND + UNCLEAN
    cluster = cluster_of({f"b{i}.properties": text.format(id=i) for i in (1, 2, 3)}, "3.9.0")
    assert {signature.unclean for signature in signatures(cluster)} == {True}


def test_a_description_that_only_repeats_the_brokers_file_is_open() -> None:
    shown = cluster_of(nodes(UNCLEAN, "", topics__txt=DESCRIBED), "3.9.0")
    assert {signature.unclean for signature in signatures(shown, "orders")} == {True, False}
    own = cluster_of(nodes("", "", topics__txt=DESCRIBED), "3.9.0")
    assert {signature.unclean for signature in signatures(own, "orders")} == {True}


@pytest.mark.parametrize(("controllers", "least"), [("", {1}), ("min.insync.replicas=2\n", {2}), (None, {1, 2})])
def test_with_elr_the_controllers_min_isr_counts(controllers: str | None, least: set[int]) -> None:
    """When ELR is switched on, the active controller writes its own value as the cluster's (KIP-966)."""
    cluster = cluster_of(
        nodes("min.insync.replicas=2\n", controllers), features=("eligible.leader.replicas.version=1",)
    )
    assert {signature.min_isr for signature in signatures(cluster)} == least
    off = cluster_of(nodes("min.insync.replicas=2\n", controllers), features=("eligible.leader.replicas.version=0",))
    assert {signature.min_isr for signature in signatures(off)} == {2}
    older = cluster_of(nodes("min.insync.replicas=2\n", controllers), "3.9.0")
    assert {signature.min_isr for signature in signatures(older)} == {2}


def test_the_transaction_log_is_never_elected_uncleanly() -> None:
    """TransactionStateManager.transactionTopicConfigs creates it with `unclean.leader.election.enable=false`."""
    cluster = cluster_of(nodes(UNCLEAN, UNCLEAN), "3.9.0")
    assert {signature.unclean for signature in signatures(cluster, "__transaction_state")} == {False}
