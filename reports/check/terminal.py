"""A verdict for a person at a terminal: what was decided, on what grounds, and what the search never did."""

from __future__ import annotations

from ...language.verdict import ActionCoverage, GuardCoverage, PropertyVerdict, Verdict, cutting_limits
from ..document import states_per_second
from ..settings import sizes_text, switches_text, symmetry_text
from ..text_page import Page, Paper, bytes_text, count, rate_text, seconds_text
from ..verdicts import meanings, passed, shown, styles

_QUIET = ("holds", "reached", "not_checked", "undecided")
"""Words of properties that are listed by name alone."""
_LARGE = 10_000


def verdict_page(verdict: Verdict, paper: Paper) -> Page:
    """The whole report of a check, traces apart."""
    page = Page(paper)
    _headline(page, verdict)
    _numbers(page, verdict)
    _properties(page, verdict)
    _coverage(page, verdict)
    if verdict.notes:
        page.blank()
    for note in verdict.notes:
        page.line(f"note: {note}", indent=2, hang=6)
    return page


def headline(verdict: Verdict) -> str:
    """`✓ replication:kip320 holds: exhaustive within bounds`."""
    mark = "✗" if verdict.outcome == "vacuous" else meanings("check")[verdict.verdict].mark
    grounds = verdict.assurance.removeprefix("none: ") if verdict.verdict == "inconclusive" else verdict.assurance
    return f"{mark} {verdict.model} {_predicate(verdict)}: {grounds}"


def _predicate(verdict: Verdict) -> str:
    match verdict.outcome:
        case "safety" | "liveness":
            too = " and deadlocks" if verdict.failure is not None else ""
            return "violates " + ", ".join(prop.name for prop in verdict.properties if prop.verdict == "violated") + too
        case "deadlock":
            return "deadlocks"
        case "model_error":
            return "breaks its own types"
        case "vacuous":
            if any(action.happened_despite for action in verdict.actions):
                return "holds, but something happens that a @bound is meant to stop"
            return "holds, but something that should happen never does"
        case "none":
            return passed(verdict.engine) if verdict.verdict == "holds" else "is undecided"


def _foundation(page: Page, verdict: Verdict) -> None:
    """Constants, and what was folded away: a result without its bounds is none."""
    page.line(sizes_text(verdict.constants, verdict.open_constants), indent=2)
    switches = switches_text(verdict.constants, verdict.open_constants)
    if switches:
        page.line(switches, indent=2)
    page.line(f"{symmetry_text(verdict.symmetry)}; ghosts {'on' if verdict.ghosts else 'off'}", indent=2)


def _headline(page: Page, verdict: Verdict) -> None:
    good = verdict.verdict == "holds" and verdict.outcome == "none"
    color = "green bold" if good else "yellow bold" if verdict.verdict == "inconclusive" else "red bold"
    page.line(headline(verdict), style=color)
    _foundation(page, verdict)


def _numbers(page: Page, verdict: Verdict) -> None:
    page.blank()
    states = verdict.distinct_states or 0
    page.line(_runs(verdict) if verdict.distinct_states is None else _counted(verdict, states), indent=2)
    if verdict.states_beyond:
        within = count(states - verdict.states_beyond, "state")
        beyond = f"{verdict.states_beyond:,} beyond it are checked, not expanded"
        page.line(f"{within} within the @bound; {beyond}", indent=2)
    compiled = f"compiled in {seconds_text(verdict.compile_seconds)}, " if verdict.engine != "python" else ""
    large = states >= _LARGE
    memory = f"{verdict.bytes_per_state:.1f} bytes a state, " if large and verdict.bytes_per_state else ""
    rate = f" ({_rate(verdict)})" if large or (verdict.seconds >= 1 and verdict.engine != "bmc") else ""
    page.line(
        f"{verdict.engine} engine: {compiled}searched in {seconds_text(verdict.seconds)}{rate}, {memory}"
        f"process peak {bytes_text(verdict.peak_memory_bytes)}",
        indent=2,
    )
    if verdict.rechecked_states:
        states = count(verdict.rechecked_states, "state")
        page.line(f"plain Python checked {states} and their successors again and agrees", indent=2)


def _counted(verdict: Verdict, states: int) -> str:
    """`3 distinct states, 4 transitions, depth 2`; no transitions where the search ended before it knew them."""
    walked = verdict.engine == "walk"
    steps = "" if verdict.transitions is None else f"{count(verdict.transitions, 'step' if walked else 'transition')}, "
    return f"{'about ' if walked else ''}{count(states, 'distinct state')}, {steps}depth {verdict.depth}"


def _rate(verdict: Verdict) -> str:
    if verdict.engine == "walk":
        return f"{count(round((verdict.transitions or 0) / max(verdict.seconds, 1e-9)))} steps/s"
    return rate_text(states_per_second(verdict))


def _runs(verdict: Verdict) -> str:
    """What bounded checking looked at: it counts no states."""
    return f"every run of at most {count(verdict.depth - 1, 'step')}" if verdict.depth else "no run at all"


def _properties(page: Page, verdict: Verdict) -> None:
    """What failed, in words; what did not, by name."""
    page.blank()
    failed = [prop for prop in verdict.properties if prop.verdict in ("violated", "missing")]
    rows = [(prop.verdict, f"{prop.name}: {_says(prop)}") for prop in failed]
    rows += [
        (shown(word), ", ".join(_name(prop) for prop in verdict.properties if prop.verdict == word)) for word in _QUIET
    ]
    page.columns([row for row in rows if row[1]], styles=styles("property"))
    for prop in verdict.properties:
        if prop.why and prop.verdict != "violated":
            word = "holds" if prop.verdict == "holds" else f"is {shown(prop.verdict)}:"
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


def _name(prop: PropertyVerdict) -> str:
    met = prop.verdict == "reached" and prop.run is not None
    return f"{prop.name} ({count(len(prop.run.steps), 'step')})" if met and prop.run is not None else prop.name


def _says(prop: PropertyVerdict) -> str:
    return f"{prop.says} No reachable state is like this." if prop.verdict == "missing" else prop.says


def _coverage(page: Page, verdict: Verdict) -> None:
    """What a pass should be doubted for: actions, guards and limits by what they never did."""
    live = [action for action in verdict.actions if not action.switched_off]
    never = [action.name for action in live if action.never_happened]
    stopped = [action for action in live if action.stopped_by is not None]
    where = "" if verdict.verdict == "holds" else " in what was explored"
    off = [action.name for action in verdict.actions if action.switched_off]
    page.blank()
    if never:
        page.line(f"never happened{where}: {', '.join(never)}", indent=2, hang=4, style="yellow")
    for action in stopped:
        page.line(_stopped(action, verdict), indent=2, hang=4, style="yellow" if action.fired else "")
    if off:
        page.line(f"switched off by constants: {', '.join(off)}", indent=2, hang=4)
    _guards(page, f"guards that never let anything through{where}", _shut_guards(live))
    _guards(page, "limits that cut (the bounds, not the protocol, stopped these steps)", _limits(live))
    if verdict.held_states:
        page.line(_held(verdict.held_states, _stopping(live)), indent=2, hang=4)


def _stopped(action: ActionCoverage, verdict: Verdict) -> str:
    """What is said of an action that a bound of steps is meant to stop."""
    if action.fired:
        times = (
            "" if verdict.engine == "bmc" else f" {count(action.fired, 'time')}"
        )  # bmc looks for one time, counts none
        return f"{action.name} happens{times}, and @bound {action.stopped_by} is meant to stop it"
    return f"stopped by @bound {action.stopped_by}, as it is meant: {action.name}"


def _held(states: int, bounds: str) -> str:
    """What is said of states that only the bounds keep from going on."""
    if states == 1:
        return f"1 state has no next step because of {bounds} alone; it is not counted as a deadlock"
    return f"{states:,} states have no next step because of {bounds} alone; they are not counted as deadlocks"


def _stopping(actions: list[ActionCoverage]) -> str:
    """What bounds a search: the limits that were listed, and each `@bound` by its name."""
    bounds = list(dict.fromkeys(guard.text for _, guard in cutting_limits(actions) if guard.is_bound))
    named = [*(["these limits"] if _limits(actions) or not bounds else []), *bounds]
    return " and ".join(named)


def _shut_guards(actions: list[ActionCoverage]) -> list[tuple[str, str, str]]:
    shut = [
        (action.name, g) for action in actions for g in action.guards if g.evaluated and not g.passed and not g.is_limit
    ]
    return [(name, f"line {guard.line}", guard.text) for name, guard in shut]


def _limits(actions: list[ActionCoverage]) -> list[tuple[str, str, str]]:
    """The limits that cut, each with how often; a `@bound` stops all actions alike, and is said of the whole."""
    return [(name, _times(guard), guard.text) for name, guard in cutting_limits(actions) if not guard.is_bound]


def _times(guard: GuardCoverage) -> str:
    return count(guard.evaluated - guard.passed, "time")


def _guards(page: Page, title: str, rows: list[tuple[str, str, str]]) -> None:
    if rows:
        page.line(f"{title}:", indent=2)
        page.columns(rows, indent=4)
