"""What the audit explores once for many, and what it does where an exploration or a process ends early.

Also of: `case_explorer`, `case_results`, `processes`.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import operator
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tidegate.audit.auditing import read_cluster
from tidegate.audit.exploring.case_explorer import GROWTH, MANY, PAYS, TOO_MANY, CaseExplorer, StopRule
from tidegate.audit.exploring.case_results import CaseResult
from tidegate.audit.exploring.explorations import DIED, Explorations, result_seen_by
from tidegate.audit.exploring.processes import GRACE, Processes, Work
from tidegate.audit.exploring.saved_results import result_json
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.profiles import switches_of_brokers, version_profiles
from tidegate.audit.questions.cases import (
    NO_RECORD,
    cases_of_continued_service,
    delivery_case,
    is_loss_explored,
    loss_case,
)
from tidegate.audit.questions.questions import WITH_ALL, Case
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.situations import BY_NAME, CELLS
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.explorer.native.effort import QUICK_EFFORT, ROLLED_EFFORT

from ...conftest import ROOT
from ...support.shipped import tier_parameters

# --- settings that cannot matter --------------------------------------------------------------------------------------


def signatures() -> Iterator[Signature]:
    """Every version with every unclean and min.insync.replicas, with up to three replicas."""
    planes = [(version.name, kraft) for version in version_profiles() for kraft in (True, False)]
    for (profile, kraft), (replicas, min_isr), unclean, acks in itertools.product(
        planes, [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3)], (False, True), ("leader", "all")
    ):
        made = switches_of_brokers(profile, profile, kraft=kraft, elr=profile == "kafka_4_1")
        yield Signature(profile, made, replicas, min_isr, acks, unclean, False, False, 1, idempotent=acks == "all")


def every_case() -> list[Case]:
    """The cases of these that are answered by another one's exploration."""
    found: dict[Case, None] = {}
    for signature in signatures():
        for fsync, together in itertools.product((False, True), (False, True)):
            one = replace(signature, fsync=fsync, co_located=together)
            found |= dict.fromkeys(loss_case(one, cell) for cell in CELLS if is_loss_explored(one, cell))
            found |= dict.fromkeys(case for cell in CELLS for case in cases_of_continued_service(one, cell))
            found |= dict.fromkeys(delivery_case(one, BY_NAME["power-loss@all"]) for _ in range(one.replicas == 2))
    return [case for case in found if case != case.explored_case]


@pytest.fixture(scope="module")
def bench(cache: Path) -> CaseExplorer:
    return CaseExplorer(cache)


@pytest.mark.parametrize("seed", tier_parameters(range(8), lambda seed: seed == 3))
def test_a_setting_that_cannot_matter_does_not(bench: CaseExplorer, seed: int) -> None:
    """The case that is explored for another finds the same: states, depth, scenarios, step by step."""
    for case in random.Random(seed).sample(every_case(), 8):
        assert of_its_own(case, bench.result_of(case)) == result_seen_by(case, bench.result_of(case.explored_case)), (
            case
        )


def of_its_own(case: Case, found: CaseResult) -> CaseResult:
    """What a case's own exploration says: of service by the properties that go by its acks."""
    if case.kind != "goes_on":
        return found
    lost = {name: steps for name, steps in found.scenarios.items() if name in WITH_ALL}
    return replace(found, scenarios=lost, held_invariants=found.held_invariants & WITH_ALL.keys())


@pytest.mark.parametrize("seed", tier_parameters(range(8), lambda seed: seed == 3))
def test_one_exploration_of_service_answers_whatever_acks_is(bench: CaseExplorer, seed: int) -> None:
    """Explored with acks=all itself, and what is said of it by the exploration with acks=1: the same, step by step; and
    what it says of acks=1 is not always the same."""
    cases, differ = [case for case in service_cases() if case.values["acks"] == "all"], 0
    for case in random.Random(seed).sample(cases, 10 if seed == 3 else 40):
        one = bench.result_of(case.explored_case)
        assert case.explored_case.values["acks"] == "leader"
        assert of_its_own(case, bench.result_of(case)) == result_seen_by(case, one), case
        differ += result_seen_by(case.explored_case, one) != result_seen_by(case, one)
    assert differ


@pytest.mark.parametrize("seed", tier_parameters(range(4), lambda seed: seed != 1))  # seed 1 takes half a minute
def test_a_loss_of_power_is_a_crash_where_every_append_is_flushed(bench: CaseExplorer, seed: int) -> None:
    """What is explored for it, a crash, finds what the loss of power itself finds: the same is lost, the same holds."""
    chance, compared = random.Random(seed), 0
    powered = [name for name in BY_NAME if name.startswith(("power-loss", "two-power-losses", "cut-off-power-loss"))]
    for one in chance.sample(list(signatures()), 4):
        cell = BY_NAME[chance.choice(powered)]
        loose, flushed = loss_case(one, cell), loss_case(replace(one, fsync=True), cell)
        itself = Case("loss", tuple(sorted({**loose.values, "fsync": True}.items())))
        assert (itself.values["power_losses"], flushed.values["power_losses"]) == (flushed.values["crashes"], 0)
        found, other = bench.result_of(flushed), bench.result_of(itself)
        if {found.stop_reason, other.stop_reason} == {""} and found.held_invariants | found.scenarios.keys():
            compared += 1
            assert (
                not found.scenarios.keys() & other.held_invariants
                and not other.scenarios.keys() & found.held_invariants
            ), itself
            ended = max(found.states, other.states) > MANY
            assert ended or (found.scenarios.keys(), found.held_invariants) == (
                other.scenarios.keys(),
                other.held_invariants,
            ), itself
    assert compared == 4


def service_cases() -> list[Case]:
    """The cases of service of every version, with controllers on hosts of their own, beside brokers, and with one."""
    found: dict[Case, None] = {}
    for signature, together, (voters, shared) in itertools.product(
        signatures(), (False, True), ((3, 0), (3, 2), (1, 1))
    ):
        one = replace(signature, co_located=together, voters=voters, shared_voters=0 if together else shared)
        found |= dict.fromkeys(case for cell in CELLS for case in cases_of_continued_service(one, cell))
    return list(found)


@pytest.mark.parametrize("seed", tier_parameters(range(8), lambda seed: seed == 3))
def test_whether_a_record_is_sent_makes_no_difference_to_service(bench: CaseExplorer, seed: int) -> None:
    """Service is asked about without a record, and the same is found with one."""
    for case in random.Random(seed).sample(service_cases(), 8 if seed == 3 else 40):
        assert case.values["max_in_flight"] == NO_RECORD
        with_one = Case("goes_on", tuple(sorted({**case.values, "max_in_flight": 5}.items())))
        found, other = bench.result_of(case), bench.result_of(with_one)
        assert found.stop_reason == other.stop_reason == "", case
        assert (found.scenarios.keys(), found.held_invariants, found.reached_witnesses) == (
            other.scenarios.keys(), other.held_invariants, other.reached_witnesses,
        ), case  # fmt: skip
        assert found.states < other.states


def test_each_setting_is_left_out_somewhere_and_kept_where_it_matters(bench: CaseExplorer) -> None:
    plain = Signature("kafka_3_9", switches_of_brokers("kafka_3_9", "kafka_3_9", kraft=True, elr=False), 3, 2, "all",
                      True, False, False, 1)  # fmt: skip
    crash = loss_case(plain, BY_NAME["crash@all"]).explored_case.values
    assert (crash["unclean"], crash["min_isr"]) == (False, 1)
    assert loss_case(plain, BY_NAME["power-loss@one"]).explored_case.values["unclean"] is True
    assert (
        loss_case(replace(plain, replicas_in_rack=3), BY_NAME["rack-power-loss@all"]).explored_case.values["unclean"]
        is True
    )
    assert loss_case(replace(plain, min_isr=3), BY_NAME["crash@all"]).explored_case.values["min_isr"] == 3
    strict, loose = (loss_case(replace(plain, min_isr=least), BY_NAME["power-loss@one"]) for least in (2, 1))
    assert strict.explored_case != loose.explored_case and bench.result_of(strict) != bench.result_of(loose)


# --- an exploration that is given up ----------------------------------------------------------------------------------


def test_an_exploration_of_far_too_many_states_is_given_up() -> None:
    case = loss_case(next(signatures()), BY_NAME["power-loss@all"])
    ending, states = StopRule(case), 1
    while not ending.is_here(frozenset(), states):
        assert states < TOO_MANY * GROWTH * 2
        states = int(states * 2) + 1
    assert ending.given_up.startswith("given up after") and states > TOO_MANY
    slow, states = StopRule(case), 0
    for level in (TOO_MANY - 1, TOO_MANY, TOO_MANY, int(1.25 * TOO_MANY), 1_000_000):
        states += level
        assert not slow.is_here(frozenset(), states), level


def test_an_exploration_ends_where_all_is_answered() -> None:
    case = loss_case(next(signatures()), BY_NAME["power-loss@all"])
    ending = StopRule(case)
    assert not ending.is_here(frozenset({"acknowledged_kept", "consistent_read"}), MANY)
    assert ending.is_here(frozenset({"acknowledged_kept", "consistent_read"}), MANY + 1) and not ending.given_up


# --- what is kept -----------------------------------------------------------------------------------------------------


class ScriptedExplorer(CaseExplorer):
    """One that finds what it is set to find."""

    def __init__(self, found: CaseResult) -> None:
        super().__init__(None)
        self.scripted = found

    def result_of(self, case: Case, deadline: float | None = None) -> CaseResult:
        return self.scripted


@pytest.mark.parametrize(("for_good", "times"), [(True, 1), (False, 2)])
def test_what_would_stop_there_again_is_kept_and_what_had_no_time_is_not(
    tmp_path: Path, for_good: bool, times: int
) -> None:
    case, explored = loss_case(next(signatures()), BY_NAME["power-loss@all"]), 0
    for _ in range(2):
        some = Explorations(tmp_path, workers=1)
        some.case_explorer = ScriptedExplorer(CaseResult(states=7, stop_reason="it was so", for_good=for_good))
        assert some.result_of(case).stop_reason == "it was so"
        explored += some.explored
    assert explored == times


@pytest.mark.parametrize("broken", ["", "{", "null", "[]", '{"scenarios": {}}', '{"scenarios": {"x": [["a"]]}}'])
def test_a_part_of_a_kept_answer_is_none(tmp_path: Path, broken: str) -> None:
    case, right = loss_case(next(signatures()), BY_NAME["power-loss@all"]), CaseResult(states=7, depth=2)
    for _ in range(2):
        some = Explorations(tmp_path, workers=1)
        some.case_explorer = ScriptedExplorer(right)
        assert some.result_of(case) == right and some.explored == 1
        (path,) = (tmp_path / "audit").iterdir()
        assert json.loads(path.read_text(encoding="utf-8")) == result_json(right)
        path.write_text(broken, encoding="utf-8")


def test_a_kernel_that_finds_many_states_is_made_again_for_many(tmp_path: Path) -> None:
    case, bench = loss_case(next(signatures()), BY_NAME["crash@all"]), CaseExplorer(tmp_path)
    first, engine = bench.result_of(case), bench.engine(case)
    assert engine.kernel.effort == QUICK_EFFORT and 0 < engine.states == first.states
    engine.states = PAYS + 1
    assert bench.result_of(case) == first and engine.kernel.effort == ROLLED_EFFORT
    kernel = CaseExplorer(tmp_path).engine(case).kernel
    assert kernel.is_cached and kernel.effort == ROLLED_EFFORT


# --- processes --------------------------------------------------------------------------------------------------------


@pytest.fixture
def two() -> Iterator[Processes[Callable[[], Any], Any]]:
    """Two processes."""
    made = Processes[Callable[[], Any], Any](Work(operator.call, int, (), os._exit), 2)
    yield made
    made.close()


def test_results_come_with_their_tasks_and_the_processes_stay(two: Processes[Callable[[], Any], Any]) -> None:
    tasks = [partial(abs, -number) for number in range(9)]
    found = list(two.results_of(tasks))
    assert len(found) == 9 and all(task() == result for task, result in found)
    # One of the two may answer every task of a round; three rounds with processes of their own would have three.
    rounds = [{result for _, result in two.results_of([partial(os.getpid)] * 9)} for _ in range(3)]
    seen: set[Any] = set[Any]().union(*rounds)
    assert os.getpid() not in seen and len(seen) <= 2
    two.close()
    assert seen.isdisjoint({result for _, result in two.results_of([partial(os.getpid)] * 9)})


def test_a_process_that_dies_takes_nothing_with_it_but_what_was_begun(
    two: Processes[Callable[[], Any], Any],
) -> None:
    tasks = [*(partial(abs, -number) for number in range(6)), partial(os._exit, 9)]
    found = list(two.results_of(tasks))
    assert [task for task, _ in found].count(tasks[-1]) == 1 and len(found) == 7
    lost = [task for task, result in found if result is None]
    assert tasks[-1] in lost and len(lost) <= 2


def test_a_spare_task_is_run_where_a_process_has_nothing_else_to_do(
    two: Processes[Callable[[], Any], Any],
) -> None:
    own, spare = partial(abs, -1), [partial(abs, -number) for number in range(20, 26)]
    two.spare.extend(spare)
    first = list(two.results_of([own]))
    assert (own, 1) in first and len(first) < 7  # nobody waits for the rest
    found = [*first, *two.results_of_spare_tasks()]
    assert len(found) == 7 and {task for task, _ in found} == {own, *spare}
    assert all(task() == result for task, result in found) and not list(two.results_of_spare_tasks())
    dies = partial(os._exit, 9)
    two.spare.append(dies)
    assert list(two.results_of_spare_tasks()) == [(dies, None)] and list(two.results_of([own])) == [(own, 1)]


def test_no_task_is_waited_for_once_time_is_out(two: Processes[Callable[[], Any], Any]) -> None:
    assert [result for _, result in two.results_of([partial(abs, -1)])] == [1]
    tasks = [partial(time.sleep, seconds) for seconds in (60, 61, 62)]
    two.until = began = time.time()
    found = list(two.results_of(tasks))
    assert [result for _, result in found] == [None] * 3 and {task for task, _ in found} == {*tasks}
    assert time.time() < began + GRACE + 20 and not two.has_begun
    assert list(two.results_of(tasks)) == [(task, None) for task in tasks] and not two.has_begun


@pytest.mark.long  # both processes, and kernels of their own: 6 s
def test_what_is_explored_ahead_is_what_is_asked_for_later(
    bench: CaseExplorer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tidegate.audit.exploring.explorations.WORTH_A_PROCESS", 3)
    cases = list({case.explored_case: None for case in service_cases() if case.values["replicas"] == 2})[:6]
    some = Explorations(tmp_path)
    some.explore_ahead(cases[:5])
    assert some.processes.has_begun and sum(map(len, some.processes.spare)) == 5
    some.explore_all(cases)
    some.close()
    assert all(some.known[case] == bench.result_of(case) for case in cases) and some.explored == len(cases)
    again = Explorations(tmp_path)
    again.explore_ahead(cases)
    assert not again.processes.has_begun and not again.processes.spare


def test_processes_that_die_while_they_prepare_are_begun_again_without(
    two: Processes[Callable[[], Any], Any],
) -> None:
    two.prepare_tasks([9, 9])
    found = list(two.results_of([partial(abs, -3)]))
    assert [result for _, result in found] == [3]


def test_a_case_whose_process_died_is_not_decided_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = BY_NAME["power-loss@one"]
    wanted = {loss_case(signature, cell).explored_case: None for signature in itertools.islice(signatures(), 200)}

    def dying(_: Any, tasks: Sequence[Any], *__: Any) -> Iterator[tuple[Any, Any]]:
        for number, chunk in enumerate(tasks):
            yield chunk, [CaseResult(states=3)] * len(chunk) if number else None

    monkeypatch.setattr(Processes, "results_of", dying)
    some = Explorations(tmp_path, workers=2)
    some.explore_all(wanted)
    died = [case for case in wanted if some.result_of(case).stop_reason == DIED]
    assert 0 < len(died) < len(wanted)
    assert len(list(tmp_path.rglob("*.json"))) == len(wanted) - len(died)


# --- the bench's cluster ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large() -> Any:
    """What the bench writes, which is not a package."""
    path = ROOT / "bench" / "auditinput.py"
    spec = importlib.util.spec_from_file_location("auditinput", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.long
def test_the_benchs_cluster_is_as_large_as_it_says(large: Any, tmp_path: Path) -> None:
    made = large.write(tmp_path)
    assert len({kind.name for kind in made}) == 1000 and sum(kind.partitions for kind in made) == 50_000
    cluster, findings = read_cluster([tmp_path], Options(clients=("java:3.9",), distribution="apache"))
    assert not [finding for finding in findings if finding.kind in ("not_read", "unknown_key", "wrong_type")]
    asked = [subject for subject in cluster_subjects(cluster) if not subject.is_internal]
    assert len(asked) == 200 and all(len(subject.variants) == 1 for subject in asked)
    signatures_ = {subject.variants[0].signature for subject in asked}
    assert len(signatures_) == 200
    racks = {kind.name: kind.kind.together for kind in made}
    assert all(subject.variants[0].signature.replicas_in_rack == racks[subject.topics[0].name] for subject in asked)
