"""Is what a cluster did a run of the model? Each partition's history, held against the model of its version and
settings.

Partitions that went through the same, with other brokers at other times, are searched once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ...explorer.native.observation_search import ObservationAnswer, ObservedLeg, search
from ...language.constants import Value
from ...language.immutable import immutable
from ...language.model import Model
from ...language.values import State
from ...traces.sentences import action_sentence, capitalize_first
from ..history.assignments import Assignment
from ..history.moments import DELETED, History, Moment, RecordedCluster
from ..logs.broker_files import BrokerLogs
from ..logs.metadata_log import MetadataLog
from .as_partition import Epochs, Moments
from .losses import Evidence, Loss, add_losses, find_losses
from .settings import ModelSetup, Version, find_setup

SCHEMA = "tidegate.validate/1"
MOST_STATES = 1_000_000
MOST_NAMES = 5
"""Partitions that a note names."""
Result = Literal["shown", "not_shown", "undecided", "not_checked"]
Named: TypeAlias = Callable[[str], str]


@immutable
class ValidationResult:
    """What came out for partitions with one history. `of` is the first of them, `alike` the names of all, and `models`
    those of its setup's variants. `why` says
    what stopped a search, or why there was none; `answer` is what the search found, and `evidence` what
    brokers' logs show of each."""

    of: History
    alike: tuple[str, ...]
    setup: ModelSetup | None
    models: tuple[Model, ...]
    result: Result
    why: str | None
    answer: ObservationAnswer[Epochs] | None
    evidence: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])

    @property
    def losses(self) -> tuple[Loss, ...]:
        """The losses of all of them."""
        return tuple(loss for evidence in self.evidence.values() for loss in evidence.losses)

    @property
    def possible(self) -> tuple[Loss, ...]:
        """What may be losses of them."""
        return tuple(loss for evidence in self.evidence.values() for loss in evidence.possible)


def validate_histories(
    cluster: RecordedCluster,
    histories: Sequence[History],
    version: Version,
    asked_version: Mapping[str, Value],
    *,
    brokers: BrokerLogs | None = None,
    cache: Path | None = None,
    seconds: Callable[[], float | None] = lambda: None,
    report: Callable[[int, int], None] = lambda done, all_of_them: None,
) -> list[ValidationResult]:
    """What comes out for each history of a cluster that is `histories`, alike ones together. `asked_version` are
    constants of the model that the user sets, `brokers` what their logs say, `seconds` what is left of the time;
    `report` gets how many histories are done, of how many."""
    shown = {} if brokers is None else {one.key: find_losses(one, brokers) for one in histories}
    losses = {key: evidence.losses for key, evidence in shown.items()}
    groups = _group_alike_histories(add_losses(history, losses.get(history.key, ())) for history in histories)
    models = dict[Any, Model]()
    found = list[ValidationResult]()
    for same in groups:
        setup = find_setup(same[0], version, cluster.changed_settings, asked_version)
        one = _validate_alike_histories(same, setup, models, cache, seconds())
        evidence = {of.name: shown[of.key] for of in same if of.key in shown}
        found.append(replace(one, evidence=evidence))
        report(len(found), len(groups))
    return found


def _group_alike_histories(histories: Iterable[History]) -> list[list[History]]:
    """Histories that differ in nothing but in names of brokers, offsets and times."""
    groups: dict[Any, list[History]] = {}
    for history in histories:
        numbers = {broker: number for number, broker in enumerate(history.replicas)}
        moments = tuple(
            _renumber_moment(moment, numbers, history.moments[0].leader_epoch) for moment in history.moments
        )
        settings = tuple(sorted(history.settings.items()))
        groups.setdefault(
            (len(numbers), moments, settings, history.whole, history.end_reason, history.missing), []
        ).append(history)
    return list(groups.values())


def _renumber_moment(moment: Moment, numbers: Mapping[int, int], first_epoch: int) -> Moment:
    def of(brokers: frozenset[int]) -> frozenset[int]:
        return frozenset(numbers[broker] for broker in brokers)

    leader = None if moment.leader is None else numbers[moment.leader]
    own = ("fenced_brokers", "restarted_brokers", "stopping_brokers", "unsure", "offline", "reassigned_brokers")
    sets = ("isr", "elr", "last_known", *own)
    changes: dict[str, Any] = {name: of(getattr(moment, name)) for name in sets}
    if moment.assignment is not None:
        sets = (moment.assignment.replicas, moment.assignment.adding, moment.assignment.removing)
        changes["assignment"] = Assignment(*map(of, sets))
    epoch, order = moment.leader_epoch - first_epoch, tuple(numbers[broker] for broker in moment.order)
    return replace(moment, offset=0, time_ms=0, leader=leader, leader_epoch=epoch, order=order, **changes)


def _validate_alike_histories(
    same: Sequence[History],
    setup: ModelSetup | str,
    models: dict[Any, Model],
    cache: Path | None,
    seconds: float | None,
) -> ValidationResult:
    first, alike = same[0], tuple(history.name for history in same)
    if not first.moments:
        return ValidationResult(first, alike, None, (), "not_checked", first.missing, None)
    if isinstance(setup, str):
        return ValidationResult(first, alike, None, (), "not_checked", setup, None)
    if seconds is not None and seconds <= 0:
        return ValidationResult(first, alike, setup, (), "undecided", "the time was used up before it", None)
    bound = tuple(_bind_once(setup, constants, models) for constants in setup.variants)
    answer = search(bound, Moments(bound[0], first, setup.variant_numbers), cache, MOST_STATES, seconds)
    result, why = _result_of_answer(first, answer)
    return ValidationResult(first, alike, setup, bound, result, why, answer)


def _bind_once(setup: ModelSetup, constants: Mapping[str, Value | str], models: dict[Any, Model]) -> Model:
    """A variant's model, each of which is bound once."""
    key = setup.ghosts, tuple(sorted(constants.items()))
    if key not in models:
        models[key] = setup.bind(constants)
    return models[key]


def _result_of_answer(history: History, answer: ObservationAnswer[Epochs]) -> tuple[Result, str | None]:
    if not answer.is_exhausted:
        return "undecided", f"{answer.states:,} states were looked at, and the search has not ended"
    shown = answer.last_observation == len(history.moments) - 1
    if shown and history.missing is not None:
        return "undecided", history.missing
    if shown and history.end_reason == DELETED:
        return "shown", f"checked until {DELETED}"
    if shown and history.end_reason is not None:
        return "undecided", f"checked until {history.end_reason}, which the search does not follow"
    return ("shown", None) if shown else ("not_shown", None)


# --- as a document ----------------------------------------------------------------------------------------------------


def validation_document(
    log: MetadataLog, version: Version, results: Sequence[ValidationResult], brokers: BrokerLogs | None = None
) -> dict[str, Any]:
    """All of it, for `--json` and for the reports."""
    more = () if brokers is None else brokers.notes
    return {
        "schema": SCHEMA,
        "files": [str(path) for path in log.paths],
        "broker_files": [] if brokers is None else [str(path) for path in brokers.paths],
        "notes": [*log.notes, *more, *_unknown_texts(results)],
        "zookeeper": version.zookeeper,
        "kafka": version.kafka,
        "profile": version.profile,
        "partitions": [_partition_document(one) for one in results],
    }


def _unknown_texts(results: Sequence[ValidationResult]) -> list[str]:
    """What is not known of partitions, those together of which it is the same."""
    of = dict[str, list[str]]()
    for name, evidence in (pair for one in results for pair in one.evidence.items()):
        for note in evidence.notes:
            of.setdefault(note.what, []).append(f"{name} ({note.more})" if note.more else name)
    return [f"{_first_names_text(names)}: {what}" for what, names in of.items()]


def _first_names_text(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(names[:MOST_NAMES])}{more}"


def _partition_document(one: ValidationResult) -> dict[str, Any]:
    return {
        "name": one.of.name,
        "alike": list(one.alike),
        "replicas": list(one.of.replicas),
        "from_creation": one.of.whole,
        "assumed": [] if one.setup is None else list(one.setup.assumptions),
        "constants": {}
        if one.setup is None
        else {name: _plain_value(value) for name, value in one.setup.constants.items()},
        "result": one.result,
        "why": one.why,
        "losses": [_loss_document(loss) for loss in one.losses],
        "possible_losses": [_loss_document(loss) for loss in one.possible],
        "html": None,
        "traces": [],
        "moments": [_moment_document(moment) for moment in one.of.moments],
        **_answer_document(one),
    }


def _loss_document(loss: Loss) -> dict[str, Any]:
    own = {name: getattr(loss, name) for name in ("name", "epoch", "first", "end", "broker")}
    return {**own, "committed": loss.committed_at, "lost": loss.lost_at}


def _plain_value(value: Value | str) -> Any:
    return value if isinstance(value, bool | int | str) else str(value)


def _moment_document(moment: Moment) -> dict[str, Any]:
    return {
        "offset": moment.offset,
        "time_ms": moment.time_ms,
        **_registration_document(moment.leader, moment.leader_epoch, moment.isr, moment.elr, moment.fenced_brokers),
        "assignment": None if moment.assignment is None else _assignment_document(moment.assignment),
        "passing": moment.passing,
        "lost": moment.shows_loss,
    }


def _registration_document(
    leader: int | None, epoch: int, isr: Iterable[int], elr: Iterable[int], fenced_brokers: Iterable[int]
) -> dict[str, Any]:
    return {
        "leader": leader,
        "leader_epoch": epoch,
        "isr": sorted(isr),
        "elr": sorted(elr),
        "fenced": sorted(fenced_brokers),
    }


def _assignment_document(assignment: Assignment) -> dict[str, list[int]]:
    return {
        "replicas": sorted(assignment.replicas),
        "adding": sorted(assignment.adding),
        "removing": sorted(assignment.removing),
    }


def _answer_document(one: ValidationResult) -> dict[str, Any]:
    if one.answer is None or not one.models:
        return {"seen": None, "legs": [], "instead": [], "states": 0, "seconds": 0.0}
    names = {str(member): broker for broker, member in Moments(one.models[0], one.of).members.items()}
    answer = one.answer
    return {
        "seen": answer.last_observation,
        "legs": [_leg_document(one.models[leg.model], leg, _cluster_number_formatter(names)) for leg in answer.legs],
        "instead": _alternative_documents(one, names) if one.result == "not_shown" else [],
        "states": answer.states,
        "seconds": round(answer.seconds, 3),
    }


def _cluster_number_formatter(names: Mapping[str, int]) -> Named:
    """The model's brokers under the numbers that the cluster's have: `broker 1` alone, `{1, 2}` in a set."""
    one = re.compile(rf"\b(?:{'|'.join(names)})\b")

    def words(text: str) -> str:
        if text in names:
            return f"broker {names[text]}"
        return one.sub(lambda found: str(names[found[0]]), text)

    return words


def _leg_document(model: Model, leg: ObservedLeg[Epochs], names: Named) -> dict[str, Any]:
    actions = {action.name: action for action in model.actions}
    steps = zip(leg.run.states(), leg.run.steps, strict=False)
    return {
        "to": leg.observation,
        "steps": [
            {
                "action": step.action,
                "kind": actions[step.action].kind,
                "arguments": {name: names(str(value)) for name, value in step.arguments.items()},
                "says": _step_sentence_with_epochs(
                    action_sentence(model, actions[step.action], before, step.arguments, names), leg.origin
                ),
            }
            for before, step in steps
        ],
    }


def _step_sentence_with_epochs(text: str, epochs: Epochs) -> str:
    """A step's sentence, with the cluster's leader epochs."""
    return re.sub(r"\bepoch (\d+)", lambda found: f"epoch {epochs.actual_epoch(int(found[1]))}", capitalize_first(text))


def _alternative_documents(one: ValidationResult, names: Mapping[str, int]) -> list[dict[str, Any]]:
    """What the model may do in place of the first moment that it does not show: the likest to it first."""
    assert one.answer is not None
    after = min(one.answer.last_observation + 1, len(one.of.moments) - 1)
    wanted = _moment_document(one.of.moments[after])
    moves = one.of.moments[0].assignment is not None
    shown = (
        _registration_in_state(*state, names) | _assignment_in_state(state[0], names, moves)
        for state in one.answer.instead
    )
    others = {str(other): other for other in shown}.values()
    return sorted(others, key=lambda other: (sum(other[name] != wanted[name] for name in other), str(other)))


def _assignment_in_state(state: State, names: Mapping[str, int], moves: bool) -> dict[str, Any]:
    held = state.assignment
    sets = (frozenset(names[str(one)] for one in brokers) for brokers in (held.replicas, held.adding, held.removing))
    return {"assignment": _assignment_document(Assignment(*sets)) if moves else None}


def _registration_in_state(state: State, origin: Epochs, names: Mapping[str, int]) -> dict[str, Any]:
    registered = state.registered
    return _registration_document(
        None if registered.leader is None else names[str(registered.leader)],
        origin.actual_epoch(registered.leader_epoch),
        (names[str(broker)] for broker in registered.isr),
        (names[str(broker)] for broker in registered.elr),
        (names[str(broker)] for broker in state.fenced),
    )
