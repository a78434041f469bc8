"""What a repair of some topics does to others that share what it changes: a value of the brokers, or a producer.

`min.insync.replicas=2` for new topics, where the brokers' files have it, holds for `__consumer_offsets`, too; with two
replicas its writes then stop while one broker restarts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...language.immutable import immutable
from ..answers.acknowledgements import answer_of_log_and_client
from ..answers.answer import SubjectVerdict
from ..answers.requirements import RequirementCheck
from ..cluster.cluster import Cluster
from ..exploring.explorations import Explorations
from ..facts.controller_settings import MIN_ISR, UNCLEAN
from ..facts.facts import UsedSetting
from ..questions.questions import QUESTION
from ..questions.signature import Subject
from ..questions.situations import BY_NAME
from .changes import SettingChange, possible_setting_changes
from .kept_cells import CellQuestion, apply_changes, cells_to_keep_by_signature
from .plans import FLUSH_MESSAGES, change_texts, plan_changes, step_document

_KEYS = {"min_isr": MIN_ISR, "lower_min_isr": MIN_ISR, "unclean": UNCLEAN, "fsync": FLUSH_MESSAGES}
"""Changes of settings that topics may have from the brokers, and their keys."""

_OF_PRODUCERS = ("acks", "idempotence", "in_flight", "client")

_HAPPENS = {"writable": "writes to {} stop", "readable": "reads of {} stop"}


@immutable
class RepairedSubject:
    """Topics with what is required of them, and the changes that repair them; () where nothing is to be repaired."""

    verdict: SubjectVerdict
    checks: Sequence[RequirementCheck]
    changes: Sequence[SettingChange]


@immutable
class SideEffect:
    """What fails of other topics once a repair is made, and the change of these that prevents it (None: nothing that
    is known)."""

    other: Subject
    cell: CellQuestion
    prevented_by: SettingChange | None


def find_side_effects(
    repaired_subject: RepairedSubject, others: Sequence[RepairedSubject], explorations: Explorations
) -> Iterator[SideEffect]:
    """Of each of the others that shares a change what fails by it, its own repair made."""
    for other in others:
        shared = [
            change for change in repaired_subject.changes if _is_shared(change, repaired_subject.verdict, other.verdict)
        ]
        own = {change.name for change in other.changes}
        made = [*other.changes, *(change for change in shared if change.name not in own)]
        cell = _failing_cell(other, made, explorations) if len(made) > len(other.changes) else None
        if cell is not None:
            more = [change for change in _replica_changes(other) if change.name not in own]
            helps = (change for change in more if _failing_cell(other, [change, *made], explorations) is None)
            yield SideEffect(other.verdict.subject, cell, next(helps, None))


def _is_shared(change: SettingChange, mine: SubjectVerdict, other: SubjectVerdict) -> bool:
    """Whether a change that is made for one is made for the other by that."""
    if change.name in _OF_PRODUCERS:
        writer, their = mine.subject.producer, other.subject.producer
        return writer is not None and their is not None and writer.name == their.name
    key = _KEYS.get(change.name)
    used, theirs = (_used_setting(subject.subject, key) for subject in (mine, other))
    if used is None or theirs is None or (used.origin is None and not mine.subject.is_planned):
        return False
    return (used.origin, used.value, used.source) == (theirs.origin, theirs.value, theirs.source)


def _used_setting(subject: Subject, key: str | None) -> UsedSetting | None:
    return next((used for used in subject.used_settings if used.key == key), None)


def _replica_changes(other: RepairedSubject) -> list[SettingChange]:
    signatures = (variant.signature for variant in other.verdict.subject.variants)
    return [
        change
        for signature in signatures
        for change in possible_setting_changes(signature)
        if change.name == "replicas"
    ][:1]


def _failing_cell(
    other: RepairedSubject, changes: Sequence[SettingChange], explorations: Explorations
) -> CellQuestion | None:
    """The first cell that went well and is lost with the changes."""
    for signature, kept in cells_to_keep_by_signature(other.verdict, other.checks):
        changed = apply_changes(signature, changes)
        for question, cell in kept:
            if answer_of_log_and_client(changed, QUESTION[question], BY_NAME[cell], explorations).word == "can lose":
                return question, cell
    return None


def repair_with_side_effects(
    repair: Mapping[str, Any], effects: Sequence[SideEffect], cluster: Cluster
) -> dict[str, Any]:
    """A repair's document with what it takes besides: the steps of other topics first, and what is not to be done."""
    steps, texts, notes = list[Any](), list[str](), list[str]()
    for effect in effects:
        name = effect.other.name
        happens = _HAPPENS.get(effect.cell[0], "what is in {} can be lost").format(effect.other.topics[0].name)
        when = BY_NAME[effect.cell[1]].fault.when
        if effect.prevented_by is None:
            texts.append(f"not for {name}: {happens} when {when}")
            notes.append(f"It is for these topics alone: with it {happens} when {when}.")
            continue
        change = effect.prevented_by
        *before, text = change_texts(effect.other, [change], cluster)
        texts += [*before, f"{text} (or {happens})"]
        steps += [step_document(step) for step in plan_changes(effect.other, [(change.name, change.value)], cluster)]
        notes.append(f"Without {text}, {happens} when {when}.")
    return {
        **repair,
        "change": list(dict.fromkeys([*texts, *repair["change"]])),
        "steps": [*steps, *repair["steps"]],
        "notes": [*repair["notes"], *notes],
    }
