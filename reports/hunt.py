"""What `hunt` found, in the terminal: each finding with its shortest schedule, and what Kafka said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from .text_page import TextFormat, TextPage, count_text

PROPERTIES: Mapping[str, str] = {
    "one_leader": "at most one node leads an epoch, in one of its lives",
    "committed_stays": "what is committed is the same for all nodes, and stays",
    "leader_has_committed": "who comes to lead has all that was committed before",
    "high_watermark_grows": "what a running node takes for committed does not become less",
    "applied_is_committed": "a controller applies what is committed, each record once and in order",
    "active_has_applied": "a controller that begins to lead has applied all that was committed before",
    "leader_resigns": "who leads is asked for records by a majority within three fetch timeouts, or resigns",
    "listener_hears": "a listener that registers at a follower hears who leads",
    "no_exception": "Kafka's code throws nothing that ends the node",
    "comes_to_rest": "a node that nothing arrives at waits, and does not poll again and again",
    "leader_in_isr": "who leads is in the ISR",
    "elr_is_apart": "no broker is in the ISR and the ELR",
    "replicas_hold": "who is in the ISR or the ELR has a copy",
    "epochs_grow": "no epoch goes back, and each change is a new partition epoch",
    "epochs_have_cause": "a new leader epoch comes with another leader, other replicas or a smaller ISR",
    "elections_are_clean": "unless unclean elections are allowed, who is elected is in the ISR or the ELR, or led last",
    "assignment_keeps_elr": "that a directory is assigned leaves the ELR as it is",
    "reassignment_keeps_min_isr": "a reassignment that is complete leaves min.insync.replicas in sync, if they were",
    "leader_is_unfenced": "who leads is not fenced",
    "isr_is_unfenced": "no fenced broker is in the ISR, unless it is the only one",
    "somebody_leads": "who may be elected is, once the controller has done its tasks",
    "unclean_is_heeded": "where unclean elections are allowed somebody leads, once the controller has done its tasks",
    "replay_is_the_same": "a controller that replays the log has the same on record",
    "gets_on": "once all nodes run and all messages arrive, one leads and commits",
}
_STACK = 6


Document: TypeAlias = Mapping[str, Any]


def hunt_text(hunt: Document, paper: TextFormat) -> str:
    """All findings of a hunt, `tidegate.hunt/1`, the number of them first."""
    page, found = TextPage(paper), hunt["found"]
    looked = (
        f"{count_text(hunt['runs'], 'run')} of seed {hunt['seed']}, {count_text(hunt['steps'], 'step')}, "
        f"{count_text(hunt['states'], 'different state')}, {hunt['seconds']:.0f} s"
    )
    cut = hunt["interrupted"]
    end = f"; {hunt['why'] or 'interrupted'}" if cut else ""
    if found:
        number = count_text(len(found), "finding")
        page.line(f"✗ Kafka {hunt['kafka']}: {number} in {looked}{end}", style="bold red")
    else:
        mark, style, short = ("?", "bold yellow", "cut short, and ") if cut else ("✓", "bold green", "")
        page.line(f"{mark} Kafka {hunt['kafka']}: {short}nothing was found in {looked}{end}", style=style)
        page.line("Other schedules were not looked at, so that this proves nothing.")
    for case in found:
        known = f" ({case['known_as']})" if case["known_as"] else ""
        page.line(f"{case['finding']['property']}{known}: {case['finding']['why']}", indent=2)
    for case in found:
        page.blank()
        _write_case(page, case)
        if case["file"] is not None:
            page.exact(f"  tidegate hunt --replay {case['file']}")
    return page.text()


def case_text(case: Document, states: Sequence[Sequence[Document]], paper: TextFormat) -> str:
    """One finding; with `states`, what is seen of each node after each step."""
    page = TextPage(paper)
    _write_case(page, case, states)
    return page.text()


def _write_case(page: TextPage, case: Document, states: Sequence[Sequence[Document]] = ()) -> None:
    finding = case["finding"]
    page.line(f"✗ {finding['property']} on Kafka {case['kafka']}: {finding['why']}", style="bold red")
    page.line(f"That must hold: {PROPERTIES[finding['property']]}.", indent=2)
    if case["known_as"]:
        page.line(f"Known as {case['known_as']}.", indent=2)
    page.line(f"{case['world_in_words']}; the shortest schedule, from the start of all nodes:", indent=2)
    for number, step in enumerate(case["steps_in_words"], 1):
        page.exact(f"  {number:>3}. {step}")
        if number <= len(states):
            for node, seen in enumerate(states[number - 1], 1):
                page.exact(f"         node {node}: {observation_text(seen)}", style="dim")
    if case["recovers"]:
        page.line("Then nothing is lost any more: all nodes run, and all messages arrive.", indent=2)
    for line in finding["stack"][:_STACK]:
        page.exact(f"    {line}", style="dim")
    if case["lines"]:
        page.line("What Kafka logged last:", indent=2)
    for line in case["lines"][-4:]:
        page.line(line, indent=4, style="dim")


def observation_text(observation: Document) -> str:
    """`Leader of epoch 2, log 1L 1#1 2L, committed 2`: what is seen of a node."""
    if not observation["up"]:
        return "down"
    kinds = {0: "L"}
    log = " ".join(f"{of}{kinds.get(number, f'#{number}' if number > 0 else 'c')}" for of, number in observation["log"])
    reached = "nothing that it knows" if observation["high_watermark"] < 0 else str(observation["high_watermark"])
    leads = f" of {observation['leader']}" if observation["role"] == "Follower" else ""
    return f"{observation['role']}{leads} in epoch {observation['epoch']}, log {log or 'empty'}, committed {reached}"
