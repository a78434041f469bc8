"""What real clusters did is a run of the model of their version, and of no other: recorded metadata logs."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.language import judge
from tidegate.language.errors import UsageError
from tidegate.real.logs.metadata_log import read_metadata_log
from tidegate.real.validation.as_partition import BOUNDS, epoch_numbers, renumber_epochs

from ...conftest import Run
from ...support.histories import HISTORIES, STANDING, TWO_RESTART, answer, cluster, model_of, of_bytes, walk_history
from ...support.metadata_logs import restarts


@pytest.mark.parametrize("path", sorted(HISTORIES.glob("*.log")), ids=lambda path: path.stem)
def test_what_a_cluster_did_is_a_run_of_its_version(tidegate: Run, path: Path) -> None:
    done = tidegate("validate", str(path), "--json")
    document = json.loads(done.out)
    (partition,) = document["partitions"]
    assert (done.exit, partition["result"]) == (0, "shown")
    assert partition["legs"][-1]["to"] == len(partition["moments"]) - 1


@pytest.mark.parametrize(
    ("name", "more", "moment"),
    [
        ("last_replica_standing", ("--kafka-version", "4.1", "--set", "elr=true"), 3),
        ("eligible_leader_replicas", ("--set", "elr=false"), 3),
        ("unclean_election", ("--set", "unclean=false"), 5),
        ("kafka_14139", ("--kafka-version", "3.9"), 2),
        ("kafka_15583", ("--kafka-version", "3.5"), 2),
    ],
)
def test_and_none_of_another(tidegate: Run, name: str, more: tuple[str, ...], moment: int) -> None:
    done = tidegate("validate", str(HISTORIES / f"{name}.log"), *more)
    assert done.exit == 1
    assert f"no run of the model shows moment {moment} of " in done.out


@pytest.mark.parametrize(
    ("more", "said"), [((), ": a run of the model shows all of it"), (("--kafka-version", "4.1"), "moment 9 of 12")]
)
def test_a_fenced_broker_was_elected_by_4_0_as_its_model_has_it(
    tidegate: Run, more: tuple[str, ...], said: str
) -> None:
    """KAFKA-19522 on 4.0.0 with ELR: the last known leader is elected while it is fenced."""
    done = tidegate("validate", str(TWO_RESTART.with_name("kafka_19522.log")), *more)
    assert (done.exit, said in done.out) == (1 if more else 0, True)


@pytest.mark.parametrize(
    ("name", "switch", "moment", "actions"),
    [
        ("ends_while_fenced", "stop_fenced", 8, ["shut_down_fenced", "restart"]),
        ("registers_unfenced", "register_apart", 5, ["crash", "register"]),
    ],
)
def test_what_random_commands_on_4_1_showed_is_a_run_of_the_model_by_one_switch(
    tidegate: Run, name: str, switch: str, moment: int, actions: list[str]
) -> None:
    """A fenced broker ends cleanly, stays an eligible leader, and leads later; one registers before it is fenced."""
    path = str(TWO_RESTART.with_name(f"{name}.log"))
    (partition,) = json.loads(tidegate("validate", path, "--json").out)["partitions"]
    taken = [step["action"] for leg in partition["legs"] for step in leg["steps"]]
    assert partition["result"] == "shown"
    assert any(taken[at : at + 2] == actions for at in range(len(taken)))
    without = tidegate("validate", path, "--set", f"{switch}=false")
    assert without.exit == 1
    assert f"no run of the model shows moment {moment} of " in without.out


@pytest.mark.parametrize(("release", "epoch"), [("3_4", 1), ("4_1", 0)])
def test_followers_that_lag_at_once_leave_the_isr_in_one_request(tidegate: Run, release: str, epoch: int) -> None:
    """Up to 3.5 that makes one leader epoch, and with ELR both are eligible leaders at once (3.4.1 and 4.1.0)."""
    path = str(TWO_RESTART.with_name(f"lag_together_{release}.log"))
    (partition,) = json.loads(tidegate("validate", path, "--json").out)["partitions"]
    before, after = partition["moments"][:2]
    assert (before["isr"], after["isr"], after["leader_epoch"]) == ([1, 2, 3], [1], epoch)
    assert after["elr"] == ([2, 3] if release == "4_1" else [])
    assert [step["action"] for step in partition["legs"][0]["steps"]] == ["drop_followers"]
    without = tidegate("validate", path, "--set", "drop_together=false")
    assert (without.exit, "no run of the model shows moment 2 of " in without.out) == (1, True)


@pytest.mark.parametrize(
    ("switch", "bounds"),
    [
        ("drop_together", ("replicas=3", "isr_shrinks=2", "fences=0", "max_leader_epoch=2")),
        ("register_apart", ("replicas=2", "isr_shrinks=0", "fences=0", "crashes=2")),
        ("stop_fenced", ("replicas=2", "isr_shrinks=0", "fences=1", "shutdowns=1")),
        ("assign_unregistered", ("replicas=2", "isr_shrinks=0", "fences=0", "directory_losses=1", "shutdowns=1")),
    ],
)
def test_what_histories_have_besides_changes_no_verdict(tidegate: Run, switch: str, bounds: tuple[str, ...]) -> None:
    """With the switch the partition does more, and no property comes out otherwise."""

    def verdicts_with(value: str) -> tuple[dict[str, str], int]:
        given = (word for bound in (*bounds, f"{switch}={value}") for word in ("--set", bound))
        document = json.loads(tidegate("check", "partition", "--keep-going", "--json", *given).out)
        return {one["name"]: one["verdict"] for one in document["properties"]}, document["distinct_states"]

    (off, fewer), (on, more) = verdicts_with("false"), verdicts_with("true")
    assert off == on
    assert fewer < more


@pytest.mark.parametrize("seed", range(3))
def test_what_the_model_does_for_long_is_found_again(seed: int, cache: Path) -> None:
    model = model_of("kafka_4_1")
    history = walk_history(model, seed, 40)
    found = answer(history, model, cache)
    assert found.is_exhausted
    assert found.last_observation == len(history.moments) - 1


def test_other_numbers_of_epochs_change_no_step() -> None:
    model = model_of("kafka_3_9")
    shape = judge.state_shape(model)
    chance = random.Random(1)
    state = next(judge.initial_states(model))
    whole = {name: model.values[budget] for budget, name in shape.budgets.items()}
    for _ in range(120):
        state = shape.replace(state, **whole)
        small = epoch_numbers(state)
        alike = renumber_epochs(shape, state, small)
        theirs = {(step.action, str(step.arguments)) for step in judge.steps(model, alike)}
        steps = list(judge.steps(model, state))
        if state.registered.leader_epoch < BOUNDS["max_leader_epoch"]:
            assert {(step.action, str(step.arguments)) for step in steps} == theirs
        state = chance.choice(steps).state_after


def test_a_moment_that_kafka_never_makes_is_refused(cache: Path) -> None:
    history = cluster(STANDING).histories[0]
    wrong = replace(history.moments[2], isr=frozenset({2}))
    moments = (*history.moments[:2], wrong, *history.moments[3:])
    found = answer(replace(history, moments=moments), model_of("kafka_3_9", min_isr=2), cache)
    assert (found.is_exhausted, found.last_observation, found.legs[-1].observation) == (True, 1, 1)
    assert found.instead


def test_a_search_that_is_cut_short_knows_nothing(cache: Path) -> None:
    history = cluster(STANDING).histories[0]
    found = answer(history, model_of("kafka_3_9", min_isr=2), cache, most=3)
    assert not found.is_exhausted
    assert found.last_observation < len(history.moments) - 1


def test_a_batch_that_is_being_written_is_left_out(tmp_path: Path) -> None:
    log = read_metadata_log(of_bytes(tmp_path, lambda data: data[: len(data) // 2]))
    assert "are no whole batch, and are left out" in log.notes[0]
    assert log.entries[-1].offset < read_metadata_log(STANDING).entries[-1].offset


def test_a_damaged_batch_is_refused(tmp_path: Path) -> None:
    path = of_bytes(tmp_path, lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:])
    with pytest.raises(UsageError, match="is damaged: its checksum is wrong"):
        read_metadata_log(path)


# --- many partitions --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("brokers", "partitions", "rounds"), [(4, 24, 1), pytest.param(12, 3000, 2, marks=pytest.mark.long)]
)
def test_brokers_that_restart_one_after_the_other_are_followed_of_every_partition(
    tidegate: Run, tmp_path: Path, brokers: int, partitions: int, rounds: int
) -> None:
    path = tmp_path / "metadata.txt"
    path.write_text(restarts(brokers, partitions, rounds), "utf-8")
    done = tidegate("validate", str(path), "--json")
    document = json.loads(done.out)
    assert (done.exit, document["kafka"]) == (0, "3.9")
    assert sum(len(one["alike"]) for one in document["partitions"]) == partitions
    assert {one["result"] for one in document["partitions"]} == {"shown"}
    assert len(document["partitions"]) <= 6  # orders of three brokers
