"""A verdict for a person at a terminal: what was decided, on what grounds, and what the search never did."""

from __future__ import annotations

from ...language.verdict import ActionCoverage, GuardCoverage, PropertyVerdict, Verdict, cutting_limits
from ..document import states_per_second
from ..settings import sizes_text, switches_text, symmetry_text
from ..text_page import TextFormat, TextPage, bytes_text, count_text, rate_text, seconds_text
from ..verdicts import found_nothing_text, meanings_by_word, styles_by_word, verdict_text

_LISTED_VERDICTS = ("holds", "reached", "not_checked", "undecided")
"""Words of properties that are listed by name alone."""
_MIN_STATES_FOR_RATE = 10_000


def verdict_page(verdict: Verdict, text_format: TextFormat) -> TextPage:
    """The whole report of a check, traces apart."""
    page = TextPage(text_format)
    _write_headline(page, verdict)
    _write_numbers(page, verdict)
    _write_properties(page, verdict)
    _write_coverage(page, verdict)
    if verdict.notes:
        page.blank()
    for note in verdict.notes:
        page.line(f"note: {note}", indent=2, hang=6)
    return page


def check_headline(verdict: Verdict) -> str:
    """`✓ replication:kip320 holds: exhaustive within bounds`."""
    mark = "✗" if verdict.outcome == "vacuous" else meanings_by_word("check")[verdict.verdict].mark
    grounds = verdict.assurance.removeprefix("none: ") if verdict.verdict == "inconclusive" else verdict.assurance
    return f"{mark} {verdict.model} {_verdict_phrase(verdict)}: {grounds}"


def _verdict_phrase(verdict: Verdict) -> str:
    match verdict.outcome:
        case "safety" | "liveness":
            too = " and deadlocks" if verdict.failure is not None else ""
            return "violates " + ", ".join(prop.name for prop in verdict.properties if prop.verdict == "violated") + too
        case "deadlock":
            return "deadlocks"
        case "model_error":
            return "breaks its own types"
        case "vacuous":
            return f"holds, but {_vacuity_text(verdict)}"
        case "none":
            return found_nothing_text(verdict.engine) if verdict.verdict == "holds" else "is undecided"


def _vacuity_text(verdict: Verdict) -> str:
    """What makes a result that holds no answer."""
    if any(action.happened_despite for action in verdict.actions):
        return "something happens that a @bound is meant to stop"
    if verdict.happens_though_impossible:
        named = ", ".join(verdict.happens_though_impossible)
        return f"{named} happens, which the model says this profile makes impossible"
    if not any(action.firings for action in verdict.actions):
        return "nothing ever happens"
    begun_nowhere = [prop.name for prop in verdict.properties if prop.idle]
    if begun_nowhere:
        return f"{', '.join(begun_nowhere)} {'claims' if len(begun_nowhere) == 1 else 'claim'} nothing of any state"
    missing = [prop.name for prop in verdict.properties if prop.verdict == "missing"]
    return f"no state shows {', '.join(missing)}"


def _write_constants_and_reductions(page: TextPage, verdict: Verdict) -> None:
    """Constants, and what was folded away: a result without its bounds is none."""
    page.line(sizes_text(verdict.constants, verdict.open_constants), indent=2)
    switches = switches_text(verdict.constants, verdict.open_constants)
    if switches:
        page.line(switches, indent=2)
    page.line(f"{symmetry_text(verdict.symmetry)}; ghosts {'on' if verdict.ghosts else 'off'}", indent=2)


def _write_headline(page: TextPage, verdict: Verdict) -> None:
    good = verdict.verdict == "holds" and verdict.outcome == "none"
    color = "green bold" if good else "yellow bold" if verdict.verdict == "inconclusive" else "red bold"
    page.line(check_headline(verdict), style=color)
    if verdict.never_happens:
        page.line(f"! never happens: {', '.join(verdict.never_happens)}", hang=2, style="yellow bold")
    _write_constants_and_reductions(page, verdict)


def _write_numbers(page: TextPage, verdict: Verdict) -> None:
    page.blank()
    states = verdict.distinct_states
    page.line(_counts_text(verdict, states), indent=2)
    if verdict.states_beyond:
        within = count_text(states - verdict.states_beyond, "state")
        beyond = f"{verdict.states_beyond:,} beyond it are checked, not expanded"
        page.line(f"{within} within the @bound; {beyond}", indent=2)
    compiled = f"compiled in {seconds_text(verdict.compile_seconds)}, " if verdict.engine != "python" else ""
    large = states >= _MIN_STATES_FOR_RATE
    memory = ""
    if large and verdict.bytes_per_state:
        resident = verdict.peak_memory_bytes / states
        memory = f"{verdict.bytes_per_state:.1f} bytes a state are stored, {resident:.1f} resident, "
    rate = f" ({_rate_text(verdict)})" if large or verdict.seconds >= 1 else ""
    page.line(
        f"{verdict.engine} engine: {compiled}searched in {seconds_text(verdict.seconds)}{rate}, {memory}"
        f"process peak {bytes_text(verdict.peak_memory_bytes)}",
        indent=2,
    )
    if verdict.rechecked_states:
        states = count_text(verdict.rechecked_states, "state")
        page.line(f"plain Python checked {states} and their successors again and agrees", indent=2)


def _counts_text(verdict: Verdict, states: int) -> str:
    """`3 distinct states, 4 transitions, depth 2`; no transitions where the search ended before it knew them. Where
    fewer states were kept than are counted, `6 distinct states in 3 orbits`."""
    walked = verdict.engine == "walk"
    steps = (
        ""
        if verdict.transitions is None
        else f"{count_text(verdict.transitions, 'step' if walked else 'transition')}, "
    )
    kept = f" in {count_text(verdict.orbits, 'orbit')}" if verdict.orbits not in (None, states) else ""
    return f"{'about ' if walked else ''}{count_text(states, 'distinct state')}{kept}, {steps}depth {verdict.depth}"


def _rate_text(verdict: Verdict) -> str:
    if verdict.engine == "walk":
        return f"{count_text(round((verdict.transitions or 0) / max(verdict.seconds, 1e-9)))} steps/s"
    return rate_text(states_per_second(verdict))


def _write_properties(page: TextPage, verdict: Verdict) -> None:
    """What failed, in words; what did not, by name."""
    page.blank()
    absent = [prop.name for prop in verdict.properties if prop.verdict == "missing" and prop.name in verdict.impossible]
    failed = [
        prop for prop in verdict.properties if prop.verdict in ("violated", "missing") and prop.name not in absent
    ]
    rows = [(prop.verdict, f"{prop.name}: {_property_text(prop)}") for prop in failed]
    rows += [
        (
            verdict_text(word),
            ", ".join(_property_name_text(prop) for prop in verdict.properties if prop.verdict == word),
        )
        for word in _LISTED_VERDICTS
    ]
    page.columns([row for row in rows if row[1]], styles=styles_by_word("property"))
    for prop in verdict.properties:
        if prop.why and prop.verdict != "violated":
            word = "holds" if prop.verdict == "holds" else f"is {verdict_text(prop.verdict)}:"
            page.line(f"{prop.name} {word} {prop.why}", indent=2, hang=4)
    if any(prop.verdict == "not_checked" and not prop.why for prop in verdict.properties):
        page.line(
            "not checked: it reads a ghost, and --no-ghosts folds ghosts away; --ghosts keeps them, --without NAME "
            "leaves the property out", indent=2
        )  # fmt: skip
        if verdict.open_constants:
            page.line(
                "a refinement is not checked while constants are open, since its abstract model is bound to values: "
                "leave out --open", indent=2
            )  # fmt: skip


def _property_name_text(prop: PropertyVerdict) -> str:
    met = prop.verdict == "reached" and prop.run is not None
    return f"{prop.name} ({count_text(len(prop.run.steps), 'step')})" if met and prop.run is not None else prop.name


def _property_text(prop: PropertyVerdict) -> str:
    return f"{prop.says} No reachable state is like this." if prop.verdict == "missing" else prop.says


def _write_coverage(page: TextPage, verdict: Verdict) -> None:
    """What a pass should be doubted for: actions, guards and limits by what they never did."""
    live = [action for action in verdict.actions if not action.switched_off]
    never = [action.name for action in live if action.never_happened and action.name not in verdict.impossible]
    stopped = [action for action in live if action.stopped_by is not None]
    where = "" if verdict.verdict == "holds" else " in what was explored"
    off = [action.name for action in verdict.actions if action.switched_off]
    page.blank()
    if never:
        page.line(f"never happened{where}: {', '.join(never)}", indent=2, hang=4, style="yellow")
    absent = [name for name in verdict.impossible if name not in verdict.happens_though_impossible]
    if absent:
        page.line(f"impossible with this profile, as the model says: {', '.join(absent)}", indent=2, hang=4)
    for action in stopped:
        page.line(_bounded_action_text(action, verdict), indent=2, hang=4, style="yellow" if action.firings else "")
    if off:
        page.line(f"switched off by constants: {', '.join(off)}", indent=2, hang=4)
    _write_guards(page, f"guards that never let anything through{where}", _shut_guard_rows(live))
    _write_guards(page, "limits that cut (the bounds, not the protocol, stopped these steps)", _limit_rows(live))
    if verdict.held_states:
        page.line(_bounded_states_text(verdict.held_states, _bounds_text(live)), indent=2, hang=4)


def _bounded_action_text(action: ActionCoverage, verdict: Verdict) -> str:
    """What is said of an action that a bound of steps is meant to stop."""
    if action.firings:
        times = count_text(action.firings, "time")
        return f"{action.name} happens {times}, and @bound {action.stopped_by} is meant to stop it"
    return f"stopped by @bound {action.stopped_by}, as it is meant: {action.name}"


def _bounded_states_text(states: int, bounds: str) -> str:
    """What is said of states that only the bounds keep from going on."""
    if states == 1:
        return f"1 state has no next step because of {bounds} alone; it is not counted as a deadlock"
    return f"{states:,} states have no next step because of {bounds} alone; they are not counted as deadlocks"


def _bounds_text(actions: list[ActionCoverage]) -> str:
    """What bounds a search: the limits that were listed, and each `@bound` by its name."""
    bounds = list(dict.fromkeys(guard.text for _, guard in cutting_limits(actions) if guard.is_bound))
    named = [*(["these limits"] if _limit_rows(actions) or not bounds else []), *bounds]
    return " and ".join(named)


def _shut_guard_rows(actions: list[ActionCoverage]) -> list[tuple[str, str, str]]:
    shut = [
        (action.name, g)
        for action in actions
        for g in action.guards
        if g.evaluations and not g.passes and not g.is_limit
    ]
    return [(name, f"line {guard.line}", guard.text) for name, guard in shut]


def _limit_rows(actions: list[ActionCoverage]) -> list[tuple[str, str, str]]:
    """The limits that cut, each with how often; a `@bound` stops all actions alike, and is said of the whole."""
    return [
        (name, _guard_counts_text(guard), guard.text) for name, guard in cutting_limits(actions) if not guard.is_bound
    ]


def _guard_counts_text(guard: GuardCoverage) -> str:
    return count_text(guard.evaluations - guard.passes, "time")


def _write_guards(page: TextPage, title: str, rows: list[tuple[str, str, str]]) -> None:
    if rows:
        page.line(f"{title}:", indent=2)
        page.columns(rows, indent=4)
