"""What the tests of validation share: recorded metadata logs, and moments of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tidegate.audit.kafka.profiles import audited_model_definition
from tidegate.explorer.native.observation_search import ObservationAnswer, search
from tidegate.language import judge
from tidegate.language.model import Model
from tidegate.language.values import State
from tidegate.real.history.moments import History, Moment, RecordedCluster
from tidegate.real.history.partitions import recorded_cluster
from tidegate.real.logs.metadata_log import read_metadata_log
from tidegate.real.validation.as_partition import BOUNDS, Epochs, Moments, epoch_numbers, renumber_epochs

from ..conftest import ROOT

HISTORIES = ROOT / "examples" / "histories"


STANDING = HISTORIES / "last_replica_standing.log"


def cluster(path: Path) -> RecordedCluster:
    return recorded_cluster(read_metadata_log(path))


def model_of(profile: str, **constants: Any) -> Model:
    given = {**BOUNDS, **constants}
    return audited_model_definition().bind(None, constants=given, profile=profile, ghosts=False, properties=())


def answer(history: History, model: Model, cache: Path | None, most: int = 200_000) -> ObservationAnswer[Epochs]:
    return search([model], Moments(model, history), cache, most)


TWO_RESTART = ROOT / "tests" / "fixtures" / "histories" / "two_restart_at_once.log"


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
        fenced_brokers=of(state.fenced),
        restarted_brokers=of(one for one in back if before is not None and one not in before.up),
        stopping_brokers=of(one for one in out if before is not None and one in before.up and one not in state.up),
    )


def walk_history(model: Model, seed: int, length: int) -> History:
    """What is seen of a run of the model that was drawn with a seed, with its budgets whole again after each moment."""
    chance = random.Random(seed)
    state = chance.choice(list(judge.initial_states(model)))
    numbers = {str(member): 10 + place for place, member in enumerate(model.namespace["Broker"])}
    shape = judge.state_shape(model)
    whole = {name: model.values[budget] for budget, name in shape.budgets.items()}
    moments, offset = [moment_of(state, None, numbers, 0)], 0
    while len(moments) < length:
        step = chance.choice(list(judge.steps(model, state)))
        after = step.state_after
        shown = moment_of(after, state, numbers, len(moments))
        shown = replace(shown, leader_epoch=shown.leader_epoch + offset)
        if not shown.alike(moments[-1]):
            moments.append(shown)
            after = shape.replace(after, **whole)
            if after.registered.leader_epoch > BOUNDS["max_leader_epoch"] - 3:
                small = epoch_numbers(after)
                fresh = renumber_epochs(shape, after, small)
                offset += after.registered.leader_epoch - fresh.registered.leader_epoch
                after = fresh
        state = after
    return History("t", 0, tuple(numbers.values()), tuple(moments), {}, True)


def of_bytes(folder: Path, change: Callable[[bytes], bytes], name: str = "00000000000000000000.log") -> Path:
    path = folder / name
    path.write_bytes(change(STANDING.read_bytes()))
    return path
