"""What real clusters did is a run of the model of their version, and of no other: recorded metadata logs."""

from __future__ import annotations

import itertools
import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tidegate.audit.kafka.profiles import definition
from tidegate.explorer.native.observation_search import Answer, search
from tidegate.language import judge
from tidegate.language.errors import UsageError
from tidegate.language.model import Model
from tidegate.language.values import State
from tidegate.real.history.partitions import Cluster, History, Moment, cluster_of
from tidegate.real.logs.encoding import Reader, varint
from tidegate.real.logs.metadata_log import read
from tidegate.real.logs.metadata_records import NotReadable, decoded
from tidegate.real.validation.as_partition import BOUNDS, Epochs, Moments, numbers_of, renumbered
from tidegate.real.validation.settings import setup_of, version_of
from tidegate.real.validation.traces import parts_of
from tidegate.real.validation.validating import Validated
from tidegate.traces.document import schema

from ...conftest import ROOT, Run
from ...support.commands import without
from ...support.metadata_logs import restarts

HISTORIES = ROOT / "examples" / "histories"
STANDING = HISTORIES / "last_replica_standing.log"


def cluster(path: Path) -> Cluster:
    return cluster_of(read(path))


def model_of(profile: str, **constants: Any) -> Model:
    given = {**BOUNDS, **constants}
    return definition().bind(None, constants=given, profile=profile, ghosts=False, properties=())


def answer(history: History, model: Model, cache: Path | None, most: int = 200_000) -> Answer[Epochs]:
    return search([model], Moments(model, history), cache, most)


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


def test_a_printed_log_says_what_its_segment_says() -> None:
    assert cluster(HISTORIES / "last_replica_standing.txt") == cluster(STANDING)


@pytest.mark.parametrize(
    ("name", "kafka", "profile"),
    [
        ("kafka_14139", "3.4", "kafka_3_3"),
        ("kafka_15583", "3.6", "kafka_3_5"),
        ("last_replica_standing", "3.9", "kafka_3_9"),
    ],
)
def test_the_version_is_the_one_that_brokers_register_with(name: str, kafka: str, profile: str) -> None:
    version = version_of(cluster(HISTORIES / f"{name}.log"), None)
    assert (version.kafka, version.profile, version.assumed) == (kafka, profile, ())


def test_a_broker_that_registers_anew_was_down_and_one_that_does_not_was_up(tidegate: Run) -> None:
    document = json.loads(tidegate("validate", str(HISTORIES / "kafka_14139.log"), "--json").out)
    steps = [step["action"] for leg in document["partitions"][0]["legs"] for step in leg["steps"]]
    assert (steps.count("restart"), steps.count("unfence")) == (1, 1)


TWO_RESTART = ROOT / "tests" / "fixtures" / "histories" / "two_restart_at_once.log"


def test_who_restarts_after_an_unclean_stop_registers_first_and_is_unfenced_later(tidegate: Run) -> None:
    """With ELR a broker leaves the ELR when it registers; another one is unfenced in between (4.1.0, offsets 60 to
    64)."""
    document = json.loads(tidegate("validate", str(TWO_RESTART), "--json").out)
    (partition,) = document["partitions"]
    taken = [(leg["to"], step["action"]) for leg in partition["legs"] for step in leg["steps"]]
    assert partition["result"] == "shown"
    assert [step for step in taken if 7 <= step[0] <= 9] == [(7, "register"), (8, "restart"), (9, "restart")]


def test_nobody_leaves_the_elr_without_registering_anew(cache: Path) -> None:
    history = cluster(TWO_RESTART).histories[0]
    assert 1 in history.moments[7].restarted
    model = model_of("kafka_4_1", min_isr=2, register_apart=True)
    assert answer(history, model, cache).seen == len(history.moments) - 1
    quiet = replace(history.moments[7], restarted=history.moments[7].restarted - {1})
    found = answer(replace(history, moments=(*history.moments[:7], quiet, *history.moments[8:])), model, cache)
    assert (found.exhausted, found.seen, found.legs[-1].seen) == (True, 6, 6)


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
    ],
)
def test_what_histories_have_besides_changes_no_verdict(tidegate: Run, switch: str, bounds: tuple[str, ...]) -> None:
    """With the switch the partition does more, and no property comes out otherwise."""

    def found(value: str) -> tuple[dict[str, str], int]:
        given = (word for bound in (*bounds, f"{switch}={value}") for word in ("--set", bound))
        document = json.loads(tidegate("check", "partition", "--keep-going", "--json", *given).out)
        return {one["name"]: one["verdict"] for one in document["properties"]}, document["distinct_states"]

    (off, fewer), (on, more) = found("false"), found("true")
    assert off == on
    assert fewer < more


# --- histories that the model makes ----------------------------------------------------------------------------------


def moment_of(state: State, before: State | None, numbers: dict[str, int], index: int) -> Moment:
    def of(brokers: Any) -> frozenset[int]:
        return frozenset(numbers[str(broker)] for broker in brokers)

    back = set[Any]() if before is None else {one for one in before.fenced if one not in state.fenced}
    out = set[Any]() if before is None else {one for one in state.fenced if one not in before.fenced}
    registered = state.registered
    return Moment(
        offset=index,
        time_ms=index,
        leader=None if registered.leader is None else numbers[str(registered.leader)],
        leader_epoch=registered.leader_epoch,
        isr=of(registered.isr),
        elr=of(registered.elr),
        last_known=frozenset(),
        fenced=of(state.fenced),
        restarted=of(one for one in back if before is not None and one not in before.up),
        stopping=of(one for one in out if before is not None and one in before.up and one not in state.up),
    )


def walked(model: Model, seed: int, length: int) -> History:
    """What is seen of a run of the model that was drawn with a seed, with its budgets whole again after each moment."""
    chance = random.Random(seed)
    state = chance.choice(list(judge.initial_states(model)))
    numbers = {str(member): 10 + place for place, member in enumerate(model.namespace["Broker"])}
    shape = judge.shape_of(model)
    whole = {name: model.values[budget] for budget, name in shape.budgets.items()}
    moments, offset = [moment_of(state, None, numbers, 0)], 0
    while len(moments) < length:
        step = chance.choice(list(judge.steps(model, state)))
        after = step.after
        shown = moment_of(after, state, numbers, len(moments))
        shown = replace(shown, leader_epoch=shown.leader_epoch + offset)
        if not shown.alike(moments[-1]):
            moments.append(shown)
            after = shape.replace(after, **whole)
            if after.registered.leader_epoch > BOUNDS["max_leader_epoch"] - 3:
                small = numbers_of(after)
                fresh = renumbered(shape, after, small)
                offset += after.registered.leader_epoch - fresh.registered.leader_epoch
                after = fresh
        state = after
    return History("t", 0, tuple(numbers.values()), tuple(moments), {}, True)


@pytest.mark.parametrize("seed", range(3))
def test_what_the_model_does_for_long_is_found_again(seed: int, cache: Path) -> None:
    model = model_of("kafka_4_1")
    history = walked(model, seed, 40)
    found = answer(history, model, cache)
    assert found.exhausted
    assert found.seen == len(history.moments) - 1


def test_other_numbers_of_epochs_change_no_step() -> None:
    model = model_of("kafka_3_9")
    shape = judge.shape_of(model)
    chance = random.Random(1)
    state = next(judge.initial_states(model))
    whole = {name: model.values[budget] for budget, name in shape.budgets.items()}
    for _ in range(120):
        state = shape.replace(state, **whole)
        small = numbers_of(state)
        alike = renumbered(shape, state, small)
        theirs = {(step.action, str(step.arguments)) for step in judge.steps(model, alike)}
        steps = list(judge.steps(model, state))
        if state.registered.leader_epoch < BOUNDS["max_leader_epoch"]:
            assert {(step.action, str(step.arguments)) for step in steps} == theirs
        state = chance.choice(steps).after


def test_a_moment_that_kafka_never_makes_is_refused(cache: Path) -> None:
    history = cluster(STANDING).histories[0]
    wrong = replace(history.moments[2], isr=frozenset({2}))
    moments = (*history.moments[:2], wrong, *history.moments[3:])
    found = answer(replace(history, moments=moments), model_of("kafka_3_9", min_isr=2), cache)
    assert (found.exhausted, found.seen, found.legs[-1].seen) == (True, 1, 1)
    assert found.instead


def test_a_search_that_is_cut_short_knows_nothing(cache: Path) -> None:
    history = cluster(STANDING).histories[0]
    found = answer(history, model_of("kafka_3_9", min_isr=2), cache, most=3)
    assert not found.exhausted
    assert found.seen < len(history.moments) - 1


# --- files ------------------------------------------------------------------------------------------------------------


def of_bytes(folder: Path, change: Callable[[bytes], bytes], name: str = "00000000000000000000.log") -> Path:
    path = folder / name
    path.write_bytes(change(STANDING.read_bytes()))
    return path


def test_a_batch_that_is_being_written_is_left_out(tmp_path: Path) -> None:
    log = read(of_bytes(tmp_path, lambda data: data[: len(data) // 2]))
    assert "are no whole batch, and are left out" in log.notes[0]
    assert log.entries[-1].offset < read(STANDING).entries[-1].offset


def test_a_damaged_batch_is_refused(tmp_path: Path) -> None:
    path = of_bytes(tmp_path, lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:])
    with pytest.raises(UsageError, match="is damaged: its checksum is wrong"):
        read(path)


def nothing(folder: Path) -> Path:
    return folder / "none"


def empty(folder: Path) -> Path:
    return folder


def notes(folder: Path) -> Path:
    return of_bytes(folder, lambda _: b"hello", "notes.txt")


def without_its_beginning(folder: Path) -> Path:
    return of_bytes(folder, lambda data: data, "00000000000000000007.log").parent


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (nothing, "there is no such file or directory"),
        (empty, "no __cluster_metadata-0 is in it or below it"),
        (notes, "nothing in it is a metadata record"),
        (without_its_beginning, "there is no snapshot"),
    ],
)
def test_what_is_no_metadata_log_is_said(tmp_path: Path, make: Callable[[Path], Path], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read(make(tmp_path))


def test_one_of_several_controllers_is_asked_for(tmp_path: Path) -> None:
    for controller in ("1", "2"):
        folder = tmp_path / controller / "__cluster_metadata-0"
        folder.mkdir(parents=True)
        shutil.copy(STANDING, folder / "00000000000000000000.log")
    with pytest.raises(UsageError, match="several controllers' logs are below it"):
        read(tmp_path)
    assert cluster(tmp_path / "1") == cluster(STANDING)


def test_a_record_of_a_newer_version_is_refused() -> None:
    with pytest.raises(NotReadable, match="a TOPIC_RECORD of version 9, and 0 is the newest that is known"):
        decoded(bytes([1, 2, 9]))
    with pytest.raises(NotReadable, match="its bytes end before its fields do"):
        decoded(bytes([1, 3, 0, 0]))
    assert decoded(bytes([1, 20, 0, 0])) is None
    assert varint(Reader(bytes([0xAC, 0x02]))) == 300


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--topic", "order"), "the log has no such topic; did you mean orders"),
        (("--set", "min_isrs=1"), "has no such constant; did you mean"),
        (("--kafka-version", "2.8"), "KRaft is modelled since 3.3"),
    ],
)
def test_mistakes_are_said(tidegate: Run, arguments: tuple[str, ...], said: str) -> None:
    done = tidegate("validate", str(STANDING), *arguments)
    assert done.exit == 64
    assert said in done.err


def test_segments_need_kafka_python() -> None:
    done = without("kafka", ["validate", str(STANDING)])
    assert done.exit == 64
    assert "reading segments needs kafka-python: pip install 'tidegate[live]'" in done.err


# --- pages and traces -------------------------------------------------------------------------------------------------


def test_an_outage_is_told_as_a_trace_that_is_replayed(tidegate: Run, tmp_path: Path) -> None:
    out = tmp_path / "report"
    assert tidegate("validate", str(STANDING), "--out", str(out)).exit == 0
    document = json.loads((out / "validate.json").read_text("utf-8"))
    (partition,) = document["partitions"]
    (trace,) = partition["traces"]
    assert "Broker 1" in tidegate("show", str(out / trace)).out
    saved = json.loads((out / trace).read_text("utf-8"))
    assert saved["model"] == "partition:kafka_3_9"
    assert len(saved["steps"]) == sum(len(leg["steps"]) for leg in partition["legs"])
    assert tidegate("replay", str(out / trace)).exit == 0
    told = (out / partition["html"]).read_text("utf-8")
    assert "leader 1, epoch 2, ISR 1" in told.split('id="brokers"')[1]
    assert partition["html"] in (out / "index.html").read_text("utf-8")


def test_a_history_that_no_run_shows_is_told_up_to_there(tidegate: Run, tmp_path: Path) -> None:
    more = ("--kafka-version", "4.1", "--set", "elr=true", "--out", str(tmp_path))
    assert tidegate("validate", str(STANDING), *more).exit == 1
    (partition,) = json.loads((tmp_path / "validate.json").read_text("utf-8"))["partitions"]
    assert partition["legs"][-1]["to"] == partition["seen"] == 1
    assert "no run of the model shows it" in (tmp_path / partition["html"]).read_text("utf-8")


def test_a_long_history_is_told_in_parts_each_a_run_of_the_model(cache: Path) -> None:
    history = walked(model_of("kafka_4_1"), 1, 60)
    given = {"elr": True, "min_isr": 2, "register_apart": False}
    setup = setup_of(history, version_of(cluster(STANDING), "4.1"), frozenset(), given)
    assert not isinstance(setup, str)
    (bound,) = map(setup.bind, setup.variants)
    one = Validated(history, ("t-0",), setup, (bound,), "shown", None, answer(history, bound, cache))
    parts = parts_of(one)
    assert len(parts) > 1
    assert [part.document["replay"] is None for part in parts] == [False] + [True] * (len(parts) - 1)
    for before, after in itertools.pairwise(parts):
        assert list(before.moments.values())[-1] == after.moments[0]
    assert list(parts[-1].moments.values())[-1] == len(history.moments) - 1
    for part in parts:
        jsonschema.validate(part.document, schema())


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


def test_a_moment_passes_only_while_its_batch_goes_on_with_that_partition(tmp_path: Path) -> None:
    path = tmp_path / "metadata.txt"
    path.write_text(restarts(3, 2, 1), "utf-8")
    first, second = cluster(path).histories
    assert [moment.passing for moment in first.moments[:4]] == [False, True, False, False]
    assert [moment.passing for moment in second.moments[:4]] == [False, True, False, False]


def test_a_broker_that_registers_before_it_is_fenced_leaves_the_isr_as_if_it_were(cache: Path) -> None:
    """4.0 without ELR (KAFKA-18106): one batch has the smaller ISR, another leader, and a registration that is
    fenced."""

    def moment(leader: int, isr: str, fenced: str, **more: Any) -> Moment:
        of = {"isr": isr, "elr": "", "last_known": "", "fenced": fenced, "restarted": "", "stopping": "", **more}
        sets: dict[str, Any] = {name: frozenset(map(int, members)) for name, members in of.items()}
        return Moment(offset=0, time_ms=0, leader=leader, leader_epoch=leader - 1, **sets)

    moments = moment(1, "123", ""), moment(2, "23", "1", restarted="1"), moment(2, "23", "", restarted="1")
    history = History("orders", 0, (1, 2, 3), moments, {}, True)
    found = answer(history, model_of("kafka_4_1", elr=False), cache)
    assert [step.action for leg in found.legs for step in leg.run.steps] == ["crash", "fence", "restart"]
