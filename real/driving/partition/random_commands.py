"""Random commands on real brokers: is what they did a run of the model, and is each acknowledged record still there?

Three brokers, `acks=all`, `min.insync.replicas=2`, clean elections. Processes die and no power is lost, so that no
acknowledged record may be: Kafka promises that much. Or, with eligible leader replicas, one broker loses power and no
process dies: a single unclean stop, after which Kafka promises the same. A round is a cluster of its own, and its seed
decides its commands; when each takes effect is up to the brokers.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ....language.constants import Value
from ....language.immutable import immutable
from ...history.partitions import recorded_cluster
from ...logs.metadata_log import TOPIC as METADATA
from ...logs.metadata_log import read_metadata_log
from ...validation.settings import find_version
from ...validation.validating import validate_histories
from ..nodes import wire
from ..nodes.cluster import ClusterSpec
from ..nodes.disks import SEGMENT
from ..nodes.processes import CONTROLLER
from ..nodes.releases import Release
from ..nodes.running import NodesError, start_nodes, wait_for
from .cluster import PartitionCluster

BROKERS = (1, 2, 3)
COMMANDS = 30
END_SECONDS = 120.0
MOST_SMALLER = 40
"""Rounds at most that make one which differs smaller."""
BETWEEN: Mapping[str, Value] = {
    "crashes": 3, "fences": 3, "isr_shrinks": 4, "shutdowns": 3, "preferred_elections": 3,
}  # fmt: skip
"""What the model may do between two moments of the controller's log: more than a `validate` allows, since here several
things happen at once."""
Result = dict[str, Any]


@immutable
class Round:
    """A round's seed, its commands in words, and what it is held against: whether the history is a run of the model,
    the acknowledged records, and those of them that are gone."""

    seed: int
    commands: tuple[str, ...]
    history: str
    where: str | None
    acknowledged_count: int
    lost_records: tuple[int, ...]

    @property
    def result(self) -> str:
        """`fine`, `differs`, or `undecided`."""
        if self.lost_records or self.history == "not_shown":
            return "differs"
        return "fine" if self.history == "shown" else "undecided"

    @property
    def why(self) -> str | None:
        """What differs, or what was not decided."""
        gone = f"acknowledged, and gone: {', '.join(map(str, self.lost_records))}" if self.lost_records else None
        seen = {"shown": None, "not_shown": f"no run of the model shows {self.where}"}
        history = seen.get(self.history, f"its history is {self.history.replace('_', ' ')}: {self.where}")
        return "; ".join(said for said in (gone, history) if said) or None


class RandomCommands:
    """One round's commands on a cluster. Each is drawn by itself, so that the others stay what they are where some are
    left out."""

    def __init__(self, cluster: PartitionCluster, seed: int, power: bool = False) -> None:
        self.cluster, self.seed, self.random = cluster, seed, random.Random()
        self.power, self.has_power = power, True
        self.sent = 0
        self.did = list[str]()

    def run_command(self, number: int) -> None:
        """The command of a number, one that is possible now, and a while."""
        self.random.seed(f"{self.seed}/{number}")
        name = self.random.choice(self._possible_commands())
        said = getattr(self, f"_{name}")()
        if said:
            self.did.append(said)
        time.sleep(self.random.choice((0.0, 0.1, 0.5, 1.0, 3.0)))

    def _possible_commands(self) -> list[str]:
        down = len(list(self.cluster.stopped_brokers()))
        often = ["produce"] * 4 + ["hold_fetch", "let_fetch", "hold_alter", "let_alter", "hold_beat", "let_beat"]
        unclean = ["lose_power"] * self.has_power if self.power else ["crash"]
        stops = [*unclean, "shut_down", "elect", "move"] if down < 2 else []
        return often + stops + (["start"] * 3 if down else [])

    def _any_broker(self) -> int:
        return self.random.choice(BROKERS)

    def _any_running_broker(self) -> int:
        return self.random.choice([one for one in BROKERS if one in self.cluster.nodes.running])

    def _produce(self) -> str | None:
        leader = self.cluster.observe().leader
        if leader is None or leader not in self.cluster.nodes.running:
            return None
        self.cluster.send_record(leader, self.sent, -1)
        self.sent += 1
        return f"produce({leader}, {self.sent - 1})"

    def _hold_fetch(self) -> str:
        return self._gate_fetch(False)

    def _let_fetch(self) -> str:
        return self._gate_fetch(True)

    def _gate_fetch(self, is_open: bool) -> str:
        follower, leader = self.random.sample(BROKERS, 2)
        self.cluster.gate_fetches([follower], leader, is_open)
        return f"{'let' if is_open else 'hold'} fetches of {follower} from {leader}"

    def _hold_alter(self) -> str:
        return self._gate_alter_partition(False)

    def _let_alter(self) -> str:
        return self._gate_alter_partition(True)

    def _gate_alter_partition(self, is_open: bool) -> str:
        leader = self._any_broker()
        self.cluster.gate_alter_partition(leader, is_open)
        return f"{'let' if is_open else 'hold'} AlterPartition of {leader}"

    def _hold_beat(self) -> str:
        broker = self._any_broker()
        self.cluster.gate_heartbeats(broker, False)
        return f"hold heartbeats of {broker}"

    def _let_beat(self) -> str:
        for broker in BROKERS:
            self.cluster.gate_heartbeats(broker, True)
        return "let heartbeats of all"

    def _crash(self) -> str:
        broker = self._any_running_broker()
        self.cluster.kill(broker)
        return f"crash({broker})"

    def _lose_power(self) -> str:
        broker, self.has_power = self._any_running_broker(), False
        return f"lose_power({broker}), {self.cluster.lose_random_power(broker, self.random)}"

    def _shut_down(self) -> str:
        broker = self._any_running_broker()
        self.cluster.open_gates()  # a controlled shutdown waits for the controller and for whom it hands over to
        if not self.cluster.shut_down(broker, END_SECONDS if self.power else 20.0):
            if self.power:
                raise NodesError(
                    f"broker {broker} does not end its controlled shutdown, and one unclean stop is enough"
                )
            self.cluster.kill(broker)
            return f"shut_down({broker}), killed after 20 s"
        return f"shut_down({broker})"

    def _start(self) -> str:
        broker = self.random.choice(list(self.cluster.stopped_brokers()))
        self.cluster.start(broker)
        return f"start({broker})"

    def _elect(self) -> str | None:
        broker = self._any_running_broker()
        if self.cluster.is_reassigned() or broker not in self.cluster.order:
            return None
        try:
            self.cluster.move_to_front(broker)
            self.cluster.elect_leader(wire.PREFERRED)
        except (wire.BrokerError, OSError, NodesError):
            return f"elect_preferred({broker}), refused"
        return f"elect_preferred({broker})"

    def _move(self) -> str | None:
        """Two brokers or all three are to have a copy; a reassignment that is under way is cancelled instead."""
        target = self.random.sample(BROKERS, self.random.choice((2, 3)))
        back = self.cluster.is_reassigned()
        try:
            brokers = self.cluster.cancel_reassignment() if back else self.cluster.set_assignment(target)
        except (wire.BrokerError, OSError, NodesError):
            return "reassign, refused"
        return f"{'cancel: ' if back else ''}reassign to {', '.join(map(str, brokers))}"


def run_round(
    release: Release,
    elr: bool,
    seed: int,
    keep: Path | None = None,
    power: bool = False,
    numbers: Sequence[int] = range(COMMANDS),
) -> Round:
    """One round, of its commands those with these numbers; the controller's log goes to `keep`. NodesError where the
    cluster does not start, or does not come back in the end."""
    settings = {"min.insync.replicas": "2", "unclean.leader.election.enable": "false"}
    needs = ClusterSpec(BROKERS, settings, elr, 3_000, 3_000)
    with start_nodes(lambda: PartitionCluster(release, needs)) as cluster:
        cluster.open_gates()
        commands = RandomCommands(cluster, seed, power)
        for number in numbers:
            commands.run_command(number)
        acknowledged = _restore_all(cluster)
        found = wait_for(lambda: _read_records(cluster), END_SECONDS)
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            shutil.copy(cluster.nodes.data(CONTROLLER) / METADATA / SEGMENT, keep / f"seed-{seed}.log")
        if found is None:
            raise NodesError(f"seed {seed}: nothing can be read in the end, when {_describe_state(cluster)}")
        history, where = _validate_history(cluster)
        lost = tuple(sorted(acknowledged - set(found[0])))
        return Round(seed, tuple(commands.did), history, where, len(acknowledged), lost)


def _restore_all(cluster: PartitionCluster) -> frozenset[int]:
    """Everything let through and everybody started; the records that are acknowledged by then."""
    cluster.open_gates()
    for broker in list(cluster.stopped_brokers()):
        cluster.start(broker)
    if not wait_for(lambda: set(BROKERS) <= cluster.live_brokers(), END_SECONDS):
        raise NodesError(f"brokers {sorted(set(BROKERS) - cluster.live_brokers())} did not come back in the end")
    wait_for(lambda: cluster.observe().isr == frozenset(cluster.order), END_SECONDS)
    return cluster.acknowledged_records()


def _describe_state(cluster: PartitionCluster) -> str:
    now = cluster.observe()
    isr, elr = (" ".join(map(str, sorted(brokers))) or "empty" for brokers in (now.isr, now.elr))
    leader = "nobody leads" if now.leader is None else f"broker {now.leader} leads in epoch {now.leader_epoch}"
    return f"{leader}, the ISR is {isr} and the ELR {elr}"


def _read_records(cluster: PartitionCluster) -> tuple[list[int]] | None:
    leader = cluster.observe().leader
    values = None if leader is None else cluster.read_records(leader)
    return None if values is None else (values,)


def _validate_history(cluster: PartitionCluster) -> tuple[str, str | None]:
    """Whether the controller's log is a run of the model; at which moment there is none."""
    found = recorded_cluster(read_metadata_log(cluster.nodes.data(CONTROLLER) / METADATA))
    version = find_version(found, cluster.release.version)
    (one,) = validate_histories(found, found.histories, version, BETWEEN, seconds=lambda: END_SECONDS)
    if one.result == "shown" or one.answer is None:
        return one.result, one.why
    moments = one.of.moments
    after = moments[min(one.answer.last_observation + 1, len(moments) - 1)]
    where = f"moment {one.answer.last_observation + 2} of {len(moments)}, at offset {after.offset}"
    return one.result, f"{where}: {one.why}" if one.why else where


def run_rounds(
    release: Release,
    elr: bool,
    seed: int,
    seconds: float,
    keep: Path | None = None,
    power: bool = False,
    shrink: bool = False,
    report: Callable[[str], None] = lambda text: None,
) -> list[Result]:
    """Rounds, each with the next seed, until a time is over or somebody interrupts; at least one. The controllers' logs
    go to `keep`. `power`: one broker loses power in each, and no process dies. `shrink`: one that differs is made
    smaller, and the smallest that still differs is its `smaller`. KeyboardInterrupt where nothing is done by then."""
    until, results = time.monotonic() + seconds, list[Result]()
    while not results or time.monotonic() < until:
        report(f"seed {seed}: {len(results)} rounds done")
        began = time.monotonic()
        try:
            found = _try_round(release, elr, seed, keep, power)
            results.append(found | {"seconds": round(time.monotonic() - began, 1)})
            if shrink and found["result"] == "differs":
                smaller = None if keep is None else keep / f"seed-{seed}-smaller"
                again = partial(run_round, release, elr, seed, smaller, power)
                results[-1]["smaller"] = _shrink_round(again, report)
        except KeyboardInterrupt:
            if not results:
                raise
            break
        seed += 1
    return results


def _try_round(release: Release, elr: bool, seed: int, keep: Path | None, power: bool) -> Result:
    """A round; undecided where the cluster does not start, or does not come back."""
    try:
        return _round_document(run_round(release, elr, seed, keep, power))
    except (NodesError, wire.BrokerError, OSError) as error:
        nothing: Result = {"commands": [], "acknowledged": 0, "lost": [], "smaller": None}
        return {"seed": seed, "result": "undecided", "why": str(error), **nothing}


def _shrink_round(round_with: Callable[[Sequence[int]], Round], report: Callable[[str], None]) -> Result | None:
    """The smallest round that was found to differ with some of the commands; None where none with fewer did. Brokers
    need not do the same again: a round that does not differ may, another time."""
    found, tried = list[Round](), 0

    def differs(numbers: Sequence[int]) -> bool:
        nonlocal tried
        if tried == MOST_SMALLER:
            return False
        tried += 1
        report(f"with {len(numbers)} of its commands, {tried} of at most {MOST_SMALLER} rounds")
        try:
            one = round_with(numbers)
        except (NodesError, wire.BrokerError, OSError):
            return False
        if one.result == "differs":
            found.append(one)
        return one.result == "differs"

    minimize(range(COMMANDS), differs)
    return _round_document(found[-1]) if found else None


def minimize(numbers: Sequence[int], differs: Callable[[Sequence[int]], bool]) -> list[int]:
    """Some of the numbers with which it differs, and without any one of which it does not: halves are left out first,
    then ever fewer."""
    kept, size = list(numbers), len(numbers) // 2
    while size:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + size :]
            if differs(fewer):
                kept = fewer
            else:
                at += size
        size //= 2
    return kept


def _round_document(one: Round) -> Result:
    return {
        "seed": one.seed,
        "result": one.result,
        "why": one.why,
        "commands": list(one.commands),
        "acknowledged": one.acknowledged_count,
        "lost": list(one.lost_records),
        "smaller": None,
    }
