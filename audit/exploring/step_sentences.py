"""Steps in sentences that are chosen by what happens: a broker that learns that it leads becomes the leader.

A model's own sentence is one for all that an action may do. Those of the partition that are many things at once are
said here, from the state before the step; every other step says what the model says. Brokers are marked, `⟨A⟩`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...language.containers import value_text
from ...language.model import Model
from ...language.values import State
from ...traces.sentences import action_sentence


def step_sentence(model: Model, state: State, action: str, arguments: Mapping[str, Any]) -> str:
    """What a step from a state says."""
    if action == "learn":
        said = _learns(state, arguments, is_requested=not model.values["detect_restart"])
    elif action == "lose_power":
        said = _loses_power(state, arguments)
    elif action == "lose_controller":
        down, voters = state.controllers_down + 1, model.values["voters"]
        return f"A controller goes down: {down} of {voters} {'is' if down == 1 else 'are'} down now."
    else:
        return action_sentence(model, model.action(action), state, arguments, mark_brokers)
    return f"{mark_brokers(value_text(arguments['broker']))}{said}."


def mark_brokers(text: str) -> str:
    """What an expression shows, each broker in it as `⟨A⟩`."""
    return re.sub(r"\b([A-E])\b", "⟨\\1⟩", text)


def _learns(state: Any, arguments: Mapping[str, Any], *, is_requested: bool) -> str:
    """What a broker learns; `is_requested`: up to 2.1 one that has started anew leads again by the next LeaderAndIsr,
    which a controller that has not missed it sends for another reason alone (KAFKA-7235)."""
    broker, registered = arguments["broker"], state.registered
    epoch, isr, knows = registered.leader_epoch, mark_brokers(value_text(registered.isr)), state.view[broker]
    if registered.leader is None:
        return f" learns that no broker leads in epoch {epoch}"
    if registered.leader != broker:
        return f" follows {mark_brokers(value_text(registered.leader))}, the leader of epoch {epoch}"
    if knows.leader != broker:
        said = ", as the next LeaderAndIsr says" if is_requested and knows.leader is None else ""
        return f" becomes leader in epoch {epoch}{said}; ISR = {isr}"
    return f" stays leader{'' if knows.leader_epoch == epoch else f', now in epoch {epoch}'}; ISR = {isr}"


def _loses_power(state: Any, arguments: Mapping[str, Any]) -> str:
    held, kept = len(state.log[arguments["broker"]]), arguments["kept"]
    if kept == held:
        what = "its log was on the disk" if held else "its log was empty"
    elif held == 1:
        what = "the record had not been flushed"
    else:
        what = f"the last {held - kept} of {held} records had not been flushed"
    return f"'s host loses power: {what}"
