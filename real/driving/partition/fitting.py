"""Which release can take a trace of a partition, with its own settings or with a repair's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from ....audit.kafka.profiles import (
    NEWEST,
    audited_model_definition,
    defects_mended_in_release,
    profiles_within,
    switches_of_brokers,
)
from ....audit.kafka.versions import releases_meant
from ....language import judge
from ....language.constants import Value
from ....language.errors import UsageError
from ....language.immutable import immutable
from ....language.model import Action, Model
from ....language.steptext import parse_steps
from ....language.values import State
from ....language.verdict import Run, Step
from ..fitting import DrivenTrace, ModelRefusesError, UndrivableError, release_progress, replay_trace
from ..nodes.releases import KNOWN_RELEASES

MODEL = "partition"
FIRST_ELR, ELR_FOR_NEW = (4, 0), (4, 1)
"""Since when eligible leader replicas can be had, and since when new clusters have them (KIP-966)."""
REPAIR: Mapping[str, Value | str] = {"acks": "all", "min_isr": 2, "unclean": False}
"""What `--repaired` sets: records are acknowledged by two brokers, and elections are clean. With it ELR, where a
release has it."""
SETTINGS = ("acks", "min_isr", "unclean", "fsync", "elr")

_ACKNOWLEDGES = ("advance_high_watermark", "fetch")


@immutable
class FittedTrace:
    """A trace as the model of a release takes it: `numbers` are those that its steps have in the trace. With settings
    that are others than the trace's, `skipped_steps` are steps that this model does not take, and 0 is the number of a
    step that was added."""

    kafka: str
    model: Model
    run: Run
    numbers: tuple[int, ...]
    skipped_steps: tuple[int, ...] = ()

    @property
    def lost_records_of(self) -> frozenset[int]:
        """The records that are acknowledged in the end, and gone."""
        return lost_records_of(self.run.states()[-1])

    @property
    def visible_fault(self) -> str | None:
        """What is wrong in the end and to be seen of brokers, where the trace's property is about that; else None."""
        names = {prop.name for prop in self.model.properties} & WRONG.keys()
        values, end = self.model.values, self.run.states()[-1]
        least = min(int(str(values["min_isr"])), int(str(values["replicas"])))
        return next((WRONG[name][1] for name in sorted(names) if WRONG[name][0](end, least)), None)


def fit_to_release(trace: DrivenTrace, asked_release: str | None, *, anyway: bool = False) -> FittedTrace:
    """The trace on a release: on the one that is given, or the newest known one whose model takes it, as new clusters
    of it are or with ELR as the trace has it. UndrivableError where none takes it. `anyway`: as the trace's own model
    has it, on a release whose model does not take it, to see where the release does otherwise."""
    elr = str(trace.bounds.get("elr", "false")).lower() == "true"
    if asked_release is not None:
        wanted = [(asked_release, elr), (asked_release, False)]
    else:
        wanted = [*((one, _elr_of_new(one)) for one in KNOWN_RELEASES), *((one, elr) for one in KNOWN_RELEASES)]
    why: UndrivableError | None = None
    for kafka, with_elr in wanted:
        try:
            return fit_trace(trace, kafka, with_elr)
        except UndrivableError as error:
            why = (
                error
                if why is None or asked_release is not None or release_progress(error) > release_progress(why)
                else why
            )
    assert why is not None
    if anyway and asked_release is not None:
        return _replay_losing(trace, asked_release, _model_of_trace(trace))
    raise why


def _model_of_trace(trace: DrivenTrace) -> Model:
    """The model with the constants that the trace was found with."""
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in trace.bounds.items()}
    return _bind_partition_model(tuple(sorted(texts.items())), trace.property)


@cache
def _bind_partition_model(constants: tuple[tuple[str, Value | str], ...], trace_name: str) -> Model:
    """The model with these constants; binding takes a third of a second, and several releases may be tried."""
    names = (trace_name,) if trace_name else ()
    return audited_model_definition().bind(
        MODEL, constants=dict(constants), profile=None, ghosts=False, properties=names
    )


def _elr_of_new(kafka: str) -> bool:
    return releases_meant(kafka)[0][:2] >= ELR_FOR_NEW


def fit_trace(trace: DrivenTrace, kafka: str, elr: bool) -> FittedTrace:
    """The trace, taken again by the model of a release. UndrivableError where the model of the release does not take
    it, or loses nothing by it."""
    return _replay_losing(trace, kafka, bind_to_release(trace, kafka, elr, {}))


def _replay_losing(trace: DrivenTrace, kafka: str, model: Model) -> FittedTrace:
    run = replay_trace(model, _initial_state_of_trace(model, trace), trace, kafka)
    found = FittedTrace(kafka, model, run, tuple(range(1, len(trace.steps) + 1)))
    if not found.lost_records_of and found.visible_fault is None:
        raise UndrivableError(
            f"in the model of Kafka {kafka} no acknowledged record is lost in it ({trace.property or 'no property'} "
            "fails in other ways, or not at all), and it is lost records that are looked for"
        )
    return found


def fit_with_repair(
    trace: DrivenTrace, kafka: str, asked_release: Mapping[str, Value | str], lost_records: frozenset[int] = frozenset()
) -> FittedTrace:
    """The trace's faults, and what of its other steps is still possible, with other settings. Before the first fault
    after a record was written, the record is acknowledged, so that there is something to keep. UndrivableError where
    the records that are `lost_records` without the repair are not acknowledged before the last fault."""
    elr = releases_meant(kafka)[0][:2] >= ELR_FOR_NEW
    model = bind_to_release(trace, kafka, elr, {**REPAIR, **asked_release})
    taken, numbers, skipped = list[Step](), list[int](), list[int]()
    start = state = _initial_state_of_trace(model, trace)
    for number, (action, arguments) in enumerate(parse_steps(model, "; ".join(trace.steps)), 1):
        added = _acknowledging_steps(model, state) if action.kind == "fault" else []
        taken += added
        numbers += [0] * len(added)
        state = added[-1].state_after if added else state
        step = _possible_step_like(model, state, Step(action.name, arguments, state))
        if step is None:
            _refuse_without(action, number)
            skipped.append(number)
            continue
        taken.append(step)
        numbers.append(number)
        state = step.state_after
    found = FittedTrace(kafka, model, Run(start, tuple(taken)), tuple(numbers), tuple(skipped))
    if found.lost_records_of:
        raise UndrivableError(f"the model of Kafka {kafka} loses the record with these settings as well")
    _refuse_unpromised(found, lost_records)
    return found


def _refuse_unpromised(fitted_trace: FittedTrace, lost_records: frozenset[int]) -> None:
    """A record that is not acknowledged before the last fault is nothing that a repair can be shown to keep."""
    run = fitted_trace.run
    faults = [at for at, step in enumerate(run.steps) if fitted_trace.model.action(step.action).kind == "fault"]
    promised = frozenset(run.states()[faults[-1] if faults else -1].acknowledged)
    if not promised or not lost_records <= promised:
        which = "no record is" if not promised else f"record {min(lost_records - promised)} is not"
        when = "before the last fault" if faults else "at all"
        raise UndrivableError(
            f"with these settings {which} acknowledged {when}, so that nothing shows whether they keep it"
        )


def _refuse_without(action: Action, number: int) -> None:
    """A repair that is shown without the faults of the trace shows nothing. What it forbids is an unclean election."""
    if action.kind == "fault" and action.name != "elect_uncleanly":
        why = "with these settings it cannot happen there, and without the trace's faults nothing is shown"
        raise UndrivableError(f"{action.name}: {why}", number)


def _acknowledging_steps(model: Model, state: State) -> list[Step]:
    """Steps by which followers fetch and the high watermark moves until all that was sent is acknowledged; none where
    that cannot be."""
    found = list[Step]()
    while len(state.acknowledged) < state.sent:
        next_ones = [step for step in judge.steps(model, state) if step.action in _ACKNOWLEDGES]
        if not next_ones:
            return []
        found.append(min(next_ones, key=lambda step: _ACKNOWLEDGES.index(step.action)))
        state = found[-1].state_after
    return found


def _possible_step_like(model: Model, state: State, wanted_step: Step) -> Step | None:
    """The step in another state, with another successor if need be; None where it cannot happen."""
    alike = [step for step in judge.steps(model, state) if _are_steps_alike(step, wanted_step)]
    same = [step for step in alike if step.arguments == wanted_step.arguments]
    return (same or alike or [None])[0]


def _are_steps_alike(step: Step, wanted_step: Step) -> bool:
    """Whether two steps differ in nothing but in whom the controller elects, or in how much a disk had."""
    open_ = {"successor": None, "kept": None}
    return step.action == wanted_step.action and {**step.arguments, **open_} == {**wanted_step.arguments, **open_}


def bind_to_release(trace: DrivenTrace, kafka: str, elr: bool, asked_release: Mapping[str, Value | str]) -> Model:
    """The partition's model as a release has it, with a trace's bounds and settings and, over them, those given."""
    first, last = releases_meant(kafka)
    known = profiles_within(first, last, kraft=True)
    if not known:
        raise UndrivableError(f"Kafka {kafka} has no KRaft that is modelled; 3.3 and later can be driven")
    if elr and first[:2] < FIRST_ELR:
        raise ModelRefusesError(f"it is about eligible leader replicas, which Kafka {kafka} has not")
    newest = dict(audited_model_definition().profiles[NEWEST])
    released = {
        name
        for profile in audited_model_definition().profiles
        if profile.startswith("kafka_")
        for name in _switch_names_of_profile(profile)
    }
    made: dict[str, Value | str] = {name: value for name, value in trace.bounds.items() if name not in released}
    made |= {name: value for name, value in trace.bounds.items() if name in SETTINGS}
    made |= newest | dict(
        switches_of_brokers(
            known[-1], known[-1], kraft=True, elr=elr, mended_defects=defects_mended_in_release(first, known[-1])
        )
    )
    made |= {"elr": elr, **asked_release}
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in made.items()}
    return _bind_partition_model(tuple(sorted(texts.items())), trace.property)


def _switch_names_of_profile(profile: str) -> Sequence[str]:
    return list(audited_model_definition().profiles[profile])


def _initial_state_of_trace(model: Model, trace: DrivenTrace) -> State:
    """The initial state in which the trace's leader leads."""
    for _, arguments, state in judge.initial_choices(model):
        if str(arguments["leader"]) == trace.leader:
            return state
    raise UsageError(f"the model has no broker {trace.leader} to begin with")


def lost_records_of(state: State) -> frozenset[int]:
    """The acknowledged records that the broker has not which leads, nor, while that is down or nobody leads, any that
    may be elected."""
    registered = state.registered
    leads = registered.leader is not None and registered.leader in state.up
    holders = [registered.leader] if leads else list((registered.isr | registered.elr) & state.assignment.replicas)
    held = {record.id for broker in holders for record in state.log[broker]}
    return frozenset(state.acknowledged) - held


def is_undercopied(state: State, least: int) -> bool:
    """Whether the leader's high watermark is past records that fewer than so many brokers have."""
    leader = state.registered.leader
    if leader is None:
        return False
    committed = tuple(state.log[leader])[: state.high_watermark[leader]]
    copies = sum(tuple(state.log[broker])[: len(committed)] == committed for broker in state.log)
    return len(committed) > 0 and copies < least


def is_leader_fenced(state: State, least: int) -> bool:
    """Whether the leader on record is fenced."""
    del least
    return state.registered.leader is not None and state.registered.leader in state.fenced


def is_moved_out_of_sync(state: State, least: int) -> bool:
    """Whether the partition was moved to fewer brokers, and not all of them are in sync."""
    replicas, isr = frozenset(state.assignment.replicas), frozenset(state.registered.isr)
    under_way = state.assignment.adding or state.assignment.removing
    moved = not under_way and replicas < frozenset(state.log)
    return moved and (len(isr) < min(least, len(replicas)) or not replicas <= isr)


WRONG: Mapping[str, tuple[Callable[[State, int], bool], str]] = {
    "min_isr_copies": (is_undercopied, "the high watermark is past what min.insync.replicas brokers have"),
    "reassignment_keeps_min_isr": (is_moved_out_of_sync, "the partition was moved to brokers that are not all in sync"),
    "leader_unfenced": (is_leader_fenced, "a broker that is fenced leads"),
}
"""Properties of which real brokers show that they fail, though no record is lost: how it is seen, and what it means."""
