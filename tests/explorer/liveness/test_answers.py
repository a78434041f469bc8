"""What bounds do to claims of whole runs: an end that a limit makes is no violation; what holds says of which runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.language.errors import ModelErrors
from tidegate.reports.document import check_document

from .test_liveness import check_claims, model_of, verdict_of

LIMITED = """
@state
class Counter:
    '''A number that goes up, and a node that may be lost.'''
    count: Annotated[int, Range(0, 3)]  # so far
    lost: bool  # whether it is lost

@initial
def zero() -> Counter:
    '''Nothing yet.'''
    return Counter(count=0, lost=False)

@action
def up(s: Counter) -> None:
    '''One more.'''
    require(not s.lost)
    limit(s.count < 3)
    s.count += 1

@action(kind="fault")
def lose(s: Counter) -> None:
    '''It is lost.'''
    require(s.count == {lost_at})
    s.lost = True

@always_possible
def becomes_four(s: Counter) -> bool:
    '''It may become more than there is room for.'''
    return s.count > 3

@eventually_always(weak(up))
def grows_for_ever(s: Counter) -> bool:
    '''It is lost in the end, or above what there is room for.'''
    return s.count > 3 or s.lost

@always_eventually(weak(up))
def is_three(s: Counter) -> bool:
    '''It comes to three.'''
    return s.count == 3 or s.lost
"""


@pytest.mark.parametrize("engine", ["native", "python"])
def test_an_end_that_a_limit_makes_is_no_violation(engine: str, cache: Path, tmp_path: Path) -> None:
    model = model_of(tmp_path, LIMITED.replace("{lost_at}", "4"))
    verdict = check_claims(model, engine, cache)
    assert (verdict.verdict, verdict.outcome) == ("inconclusive", "none")
    possible, grows = verdict_of(verdict, "becomes_four"), verdict_of(verdict, "grows_for_ever")
    assert (possible.verdict, grows.verdict) == ("undecided", "undecided")
    limit = f"up, at the limit s.count < 3 in line {model.action('up').form.where.line + 3}"
    assert limit in possible.why
    assert f"a limit stops a step that must happen: {limit}" in grows.why
    assert "becomes_four is undecided: within the bounds no run" in verdict.assurance


@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_only_runs_that_a_limit_ends_keep_is_undecided(engine: str, cache: Path, tmp_path: Path) -> None:
    """Every run comes to three and stays there for the limit alone: of a fair run of the protocol nothing is known."""
    model = model_of(tmp_path, LIMITED.replace("{lost_at}", "4"))
    three = verdict_of(check_claims(model, engine, cache), "is_three")
    line = model.action("up").form.where.line + 3
    assert (three.verdict, three.why) == (
        "undecided",
        "after a run of 3 steps a limit stops a step that must happen, and how runs go on with it is not known: "
        f"up, at the limit s.count < 3 in line {line}",
    )


ELECTED = """
@state
class Cluster:
    '\''A leader in one epoch after another, if there is anybody at all.'\''
    epoch: Annotated[int, Range(0, 3)]  # the newest
    led: bool  # whether there is a leader
    empty: bool  # whether there is nobody

@initial
def begin(empty: bool) -> Cluster:
    '\''Without a leader.'\''
    return Cluster(epoch=0, led=False, empty=empty)

@action
def elect(s: Cluster) -> None:
    '\''There is a leader.'\''
    require(not s.led and not s.empty)
    limit(s.epoch < 3)
    s.epoch += 1
    s.led = True

@action
def resign(s: Cluster) -> None:
    '\''It gives up.'\''
    require(s.led)
    s.led = False

@eventually_always(weak(elect), weak(resign))
def has_no_leader(s: Cluster) -> bool:
    '\''In the end there is none, which is true of nobody's cluster alone.'\''
    return not s.led
"""


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_fair_run_elsewhere_is_no_reason_why_a_claim_holds(engine: str, cache: Path, tmp_path: Path) -> None:
    """Where somebody is there, elections go on for ever; with a limit on epochs each run ends without a leader."""
    model = model_of(tmp_path, ELECTED)
    answer = verdict_of(check_claims(model, engine, cache), "has_no_leader")
    line = model.action("elect").form.where.line + 3
    assert (answer.verdict, answer.why) == (
        "undecided",
        "after a run of 6 steps a limit stops a step that must happen, and how runs go on with it is not known: "
        f"elect, at the limit s.epoch < 3 in line {line}; with weak(resign) alone it holds of the runs that stay "
        "within the limits",
    )


CLOSED = """
@action(kind="{kind}")
def close(s: Cluster) -> None:
    '\''Nobody is there any more.'\''
    require(not s.led and not s.empty)
    s.empty = True
"""
OPENED = """
@action(kind="{kind}")
def open(s: Cluster) -> None:
    '\''Somebody is there again.'\''
    require(s.empty)
    s.empty = False
"""


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("kind", ["client", "protocol", "fault"])
@pytest.mark.parametrize("steps", [CLOSED, CLOSED + OPENED], ids=["closes", "opens again"])
def test_a_step_that_nobody_is_obliged_to_take_is_no_reason_why_a_claim_holds(
    steps: str, kind: str, engine: str, cache: Path, tmp_path: Path
) -> None:
    """Where it is closed elections are over; who does not close it has one after another, which a limit ends."""
    text = ELECTED.partition("@eventually_always")
    model = model_of(tmp_path, text[0] + steps.replace("{kind}", kind).strip() + "\n\n" + "".join(text[1:]))
    answer = verdict_of(check_claims(model, engine, cache), "has_no_leader")
    assert (answer.verdict, answer.stopped_action) == ("undecided", "elect")


AROUND = """
@state
class Cluster:
    '\''A leader in one epoch after another, until it is closed.'\''
    epoch: Annotated[int, Range(0, 3)]  # the newest
    led: bool  # whether there is a leader
    closed: bool  # whether nobody is elected any more

@initial
def begin() -> Cluster:
    '\''Without a leader.'\''
    return Cluster(epoch=0, led=False, closed=False)

@action
def elect(s: Cluster{parameter}) -> None:
    '\''There is a leader, or nobody is elected any more.'\''
    require(not s.led and not s.closed)
    if {closes}:
        s.closed = True
    else:
        {limit}
        s.epoch = (s.epoch + 1) % 4
        s.led = True

@action
def resign(s: Cluster) -> None:
    '\''It gives up.'\''
    require(s.led)
    s.led = False

@action
def close(s: Cluster) -> None:
    '\''Nobody is elected any more.'\''
    require(not s.led and not s.closed and {may_close})
    s.closed = True

@eventually_always({fairness})
def has_no_leader(s: Cluster) -> bool:
    '\''In the end there is none.'\''
    return not s.led

@always_eventually({fairness})
def is_closed(s: Cluster) -> bool:
    '\''In the end it is closed.'\''
    return s.closed

def is_shut(s: Cluster) -> bool:
    return s.closed

@leads_to(is_shut, {fairness})
def comes_to_be_closed(s: Cluster) -> bool:
    '\''Once there is a leader it is closed in the end.'\''
    return s.led
"""
AROUND_A_LIMIT = {
    "it can happen now and then": ("", "False", "True", "weak(elect), weak(resign), weak(close)"),
    "another step of its group happens": ("", "False", "True", "weak(elect, close), weak(resign)"),
    "it happens with another value": (", closes: bool", "closes", "False", "weak(elect), weak(resign)"),
    "it happens with another value, strongly": (", closes: bool", "closes", "False", "strong(elect), strong(resign)"),
}
"""Why fairness does not make it closed: the parameter of `elect`, whether it closes, whether `close` does, the
fairness."""


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("case", AROUND_A_LIMIT)
@pytest.mark.parametrize(("limit", "word"), [("pass", "violated"), ("limit(s.epoch < 3)", "undecided")])
def test_a_way_round_a_limit_is_no_reason_why_a_claim_holds(
    limit: str, word: str, case: str, engine: str, cache: Path, tmp_path: Path
) -> None:
    """Who is not elected any more, because of a limit alone, closes; without the limit there is an election again."""
    parameter, closes, may_close, fairness = AROUND_A_LIMIT[case]
    text = AROUND.replace("{parameter}", parameter).replace("{closes}", closes).replace("{may_close}", may_close)
    model = model_of(tmp_path, text.replace("{fairness}", fairness).replace("{limit}", limit))
    verdict = check_claims(model, engine, cache)
    for name in ("has_no_leader", "is_closed", "comes_to_be_closed"):
        answer = verdict_of(verdict, name)
        assert (answer.verdict, answer.stopped_action) == (word, "" if word == "violated" else "elect"), name


WRITTEN = """
@state
class Log:
    '''How many records were written, and how many of them were copied.'''
    written: Annotated[int, Range(0, 3)]  # by the client
    copied: Annotated[int, Range(0, 3)]  # by the follower

@initial
def empty() -> Log:
    '''Nothing yet.'''
    return Log(written=0, copied=0)

@action(kind="client")
def write(s: Log) -> None:
    '''One more.'''
    limit(s.written < 3)
    s.written += 1

@action
def copy(s: Log) -> None:
    '''One more.'''
    require(s.copied < s.written)
    s.copied += 1

def is_whole(s: Log) -> bool:
    return s.copied == s.written

@always_eventually(weak(copy), limits_of(write))
def is_copied(s: Log) -> bool:
    '''All is copied, again and again.'''
    return is_whole(s)

@leads_to(is_whole, weak(copy), limits_of(write))
def catches_up(s: Log) -> bool:
    '''A follower that is behind catches up.'''
    return s.written > s.copied

@leads_to(is_whole, weak(copy), limits_of(write))
def comes_back(s: Log) -> bool:
    '''What was copied before it was written is written.'''
    return s.copied > s.written
"""


@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_holds_says_within_which_limits_and_what_is_never_claimed(
    engine: str, cache: Path, tmp_path: Path
) -> None:
    """A client that wrote for ever would keep a follower behind: it holds where the limit of `write` has stopped it."""
    verdict = check_claims(model_of(tmp_path, WRITTEN), engine, cache)
    copied, catches, back = (verdict_of(verdict, name) for name in ("is_copied", "catches_up", "comes_back"))
    assert {copied.why, catches.why} == {"of the runs with weak(copy) that stay within the limits of write"}
    assert {copied.verdict, catches.verdict, back.verdict} == {"holds"}
    assert back.why == "though comes_back is true in no state, so that nothing is claimed"
    assert (back.idle, copied.idle, verdict.outcome) == (True, False, "vacuous")


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_limit_that_a_claim_does_not_name_leaves_it_undecided(engine: str, cache: Path, tmp_path: Path) -> None:
    """Nobody has to write, and without the limit somebody may: "it stays below four" would be false of the log."""
    text = WRITTEN.replace(", limits_of(write)", "")
    below = "\n@eventually_always(weak(copy))\ndef is_below_four(s: Log) -> bool:\n    return s.written < 4\n"
    verdict = check_claims(model_of(tmp_path, text + below), engine, cache)
    assert {prop.verdict for prop in verdict.properties} == {"undecided"}
    assert {prop.verdict_with_guards for prop in verdict.properties} == {"holds"}
    assert verdict_of(verdict, "is_below_four").why == (
        "after a run of 3 steps a limit stops a step that may happen, and how runs go on with it is not known: write, "
        "at the limit s.written < 3 in line 23; of the runs that stay within such limits it is claimed with "
        "limits_of(write)"
    )
    assert verdict_of(verdict, "comes_back").why.endswith("; within the bounds comes_back is true in no state")


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("limits_of(copy)", "copy is fair in this claim, so that a run goes on with it beyond its limits"),
        ('limits_of("wrote")', "no action is called wrote"),
    ],
)
def test_a_claim_names_limits_of_actions_that_need_not_happen(named: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors, match=says) as caught:
        model_of(tmp_path, WRITTEN.replace("limits_of(write)", named))
    assert {error.code for error in caught.value.errors} == {"TG318"}


IDLE = """
@state
class Door:
    '''How often somebody knocked, and whether the door is open.'''
    knocks: Annotated[int, Range(0, 2)]
    open: bool

@initial
def start() -> Door:
    '''It is shut.'''
    return Door(knocks=0, open=False)

@action
def knock(s: Door) -> None:
    '''A third knock would break the range.'''
    require(not s.open)
    limit({knocks})
    s.knocks += {more}

@action
def unlock(s: Door) -> None:
    '''It is opened.'''
    s.open = True

@always_eventually(weak(unlock), strong(knock))
def is_open(s: Door) -> bool:
    '''It is open in the end.'''
    return s.open
"""


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(
    ("knocks", "more", "word"),
    [
        ("False", "0", "holds"),  # what it stops changes nothing
        ("s.knocks < 2", "1", "undecided"),  # what it stops breaks the types
        ("s.knocks < 1", "1", "undecided"),  # what it stops changes something
    ],
)
def test_a_limit_stops_what_would_change_something(
    engine: str, knocks: str, more: str, word: str, cache: Path, tmp_path: Path
) -> None:
    text = IDLE.replace("{knocks}", knocks).replace("{more}", more)
    assert verdict_of(check_claims(model_of(tmp_path, text), engine, cache), "is_open").verdict == word


EACH = """
def has(s: Log, number: Annotated[int, Range(0, 3)]) -> bool:
    return s.copied >= number

@leads_to(has, weak(copy), limits_of(write))
def each_is_copied(s: Log, number: Annotated[int, Range(0, 3)]) -> bool:
    '\''Each record is copied.'\''
    return s.copied < number and s.written >= number
"""

FROM_EACH = """
def is_there(s: Counter, number: Annotated[int, Range(0, 3)]) -> bool:
    return s.count == 3 or s.lost

@leads_to(is_there, weak(up))
def comes_to_three(s: Counter, number: Annotated[int, Range(0, 3)]) -> bool:
    '\''From each number on, and once it is lost, it comes to three or is lost.'\''
    return s.lost if number == 0 else s.count == number
"""


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_claim_of_several_values_claims_something_if_one_of_them_does(
    engine: str, cache: Path, tmp_path: Path
) -> None:
    verdict = check_claims(model_of(tmp_path, WRITTEN + EACH), engine, cache)
    copied = verdict_of(verdict, "each_is_copied")
    assert (copied.verdict, copied.idle) == ("holds", False)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_claim_of_several_values_is_undecided_if_one_of_them_is(engine: str, cache: Path, tmp_path: Path) -> None:
    """It comes to three from where it is lost and from where it is not; at three a limit stops a step that must
    happen, and begins there what the claim is about as well as anywhere."""
    text = LIMITED.replace("{lost_at}", "1") + FROM_EACH
    comes = verdict_of(check_claims(model_of(tmp_path, text), engine, cache), "comes_to_three")
    assert (comes.verdict, comes.arguments) == ("undecided", (("number", 0),))
    assert comes.why.startswith("after a run of 3 steps a limit stops a step that must happen, and how runs go on")


@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_no_larger_bounds_can_mend_is_a_violation(engine: str, cache: Path, tmp_path: Path) -> None:
    verdict = check_claims(model_of(tmp_path, LIMITED.replace("{lost_at}", "1")), engine, cache)
    stuck = verdict_of(verdict, "becomes_four")
    assert (stuck.verdict, stuck.loop) == ("violated", None)
    assert stuck.run is not None
    assert [step.action for step in stuck.run.steps] == ["up", "lose"]
    assert stuck.why == "plain Python confirms that nothing changes any more"


BOUNDED = """
@state
class Counter:
    '''A number that goes up, and comes to an end.'''
    count: Annotated[int, Range(0, 4)]  # so far
    seen: Ghost[bool]  # whether somebody looked

@initial
def zero() -> Counter:
    '''Nothing yet.'''
    return Counter(count=0, seen=False)

@bound
def is_small(s: Counter) -> bool:
    '''Not above two.'''
    return s.count <= 2

@action
def up(s: Counter) -> None:
    '''One more.'''
    require(s.count < {end})
    s.count += 1

@action
def look(s: Counter) -> None:
    '''Somebody looks.'''
    s.seen = True

@action(kind="client")
def skip(s: Counter) -> None:
    '''One more, of a client.'''
    require(s.count < 1)
    s.count += 1

@action
def halt(s: Counter) -> None:
    '''Nothing, unless it is four.'''
    require(s.count == 4)
    s.count = 0

@always_eventually(weak(up), weak(skip))
def is_none(s: Counter) -> bool:
    '''It is none again and again.'''
    return s.count == 0

@always_eventually(weak(skip), strong(halt))
def is_none_though_it_stops(s: Counter) -> bool:
    '''It is none again and again, though it may stop.'''
    return s.count == 0

@always_possible
def may_be_none(s: Counter) -> bool:
    '''It can become none.'''
    return s.count == 0
"""


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("ghosts", [False, True])
@pytest.mark.parametrize(
    ("end", "words", "why"),
    [
        # Beyond the bound nothing can happen: what ends there ends in the protocol too.
        ("3", ("violated", "violated", "violated"), ""),
        # Beyond the bound one more can happen, which ends the wait for it.
        ("4", ("undecided", "violated", "undecided"), "up, at @bound is_small"),
        # Beyond the bound one more than two would break the types.
        ("9", ("undecided", "violated", "undecided"), "up, at @bound is_small"),
    ],
)
def test_what_can_happen_beyond_a_bound_is_evaluated(
    engine: str, ghosts: bool, end: str, words: tuple[str, ...], why: str, cache: Path, tmp_path: Path
) -> None:
    text = BOUNDED.replace("{end}", end)
    text = text.replace("s.count += 1", "s.count += 2", 1) if end == "9" else text
    verdict = check_claims(model_of(tmp_path, text, ghosts=ghosts), engine, cache)
    names = ("is_none", "is_none_though_it_stops", "may_be_none")
    assert tuple(verdict_of(verdict, name).verdict for name in names) == words
    for name, word in zip(names, words, strict=True):
        if word == "undecided":
            assert verdict_of(verdict, name).why.endswith(why)


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(
    ("budget", "word"), [("", "undecided"), (", budget='resets'", "violated")], ids=["free", "spent"]
)
def test_beyond_a_bound_a_fault_is_a_way_on_while_its_budget_lasts(
    engine: str, budget: str, word: str, cache: Path, tmp_path: Path
) -> None:
    """Within larger bounds it would lead to none again; no larger bound brings back a budget of none."""
    reset = f"resets = constant(0, minimum=0, maximum=1, says='resets')\n\n@action(kind='fault'{budget})"
    text = BOUNDED.replace("{end}", "3").replace("@action\ndef halt", f"{reset}\ndef halt")
    text = text.replace("require(s.count == 4)", "require(s.count == 3)").replace(", strong(halt)", "")
    assert verdict_of(check_claims(model_of(tmp_path, text), engine, cache), "may_be_none").verdict == word


def test_an_undecided_claim_names_a_limit_of_a_fair_step(cache: Path, tmp_path: Path) -> None:
    """Another limit that stops something there is not why."""
    other = """
@action
def down(s: Counter) -> None:
    '''One fewer than is possible.'''
    limit(s.count > 3)
    s.count -= 1
"""
    text = LIMITED.replace("{lost_at}", "4").replace("@action\ndef up", f"{other.strip()}\n\n@action\ndef up")
    model = model_of(tmp_path, text)
    grows = verdict_of(check_claims(model, "native", cache), "grows_for_ever")
    assert grows.why.endswith(
        f"stops a step that must happen: up, at the limit s.count < 3 in line {model.action('up').form.where.line + 3}"
    )


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(
    ("fairness", "rest"),
    [
        ("weak(copy), weak(write)", "; with weak(copy) alone it holds of the runs that stay within the limits"),
        ("weak(write)", ""),  # nobody copies, and what is behind stays so
    ],
)
def test_what_a_limit_leaves_open_says_what_the_rest_of_the_fairness_is_enough_for(
    engine: str, fairness: str, rest: str, cache: Path, tmp_path: Path
) -> None:
    begin = WRITTEN.partition("@always_eventually")[0]
    claim = f"@always_eventually({fairness})\ndef is_copied(s: Log) -> bool:\n    return is_whole(s)\n"
    copied = verdict_of(check_claims(model_of(tmp_path, begin + claim), engine, cache), "is_copied")
    assert (copied.verdict, copied.stopped_action) == ("undecided", "write")
    assert copied.verdict_with_guards == ("holds" if rest else "violated")
    assert "write, at the limit s.written < 3 in line " in copied.why
    assert copied.why.endswith(rest) and ("it holds" in copied.why) == bool(rest)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_where_bounds_end_runs_a_fair_step_that_a_limit_stops_need_not_happen(
    engine: str, cache: Path, tmp_path: Path
) -> None:
    begin = WRITTEN.partition("@always_eventually")[0]
    claims = """
@always_eventually(weak(copy), weak(write))
def is_copied(s: Log) -> bool:
    return is_whole(s)

@always_eventually(weak(write))
def is_copied_by_nobody(s: Log) -> bool:
    return is_whole(s)
"""
    model = model_of(tmp_path, begin + claims)
    open_ = verdict_of(check_claims(model, engine, cache), "is_copied")
    assert (open_.verdict, open_.verdict_with_guards, open_.respected_limits) == ("undecided", "holds", ())
    search = Search(deadlocks=False, cache=cache, bounds_end_runs=True)
    verdict = ENGINES[engine](model, search, None)
    copied, uncopied = verdict_of(verdict, "is_copied"), verdict_of(verdict, "is_copied_by_nobody")
    assert (copied.verdict, copied.respected_limits) == ("holds", ("write",))
    assert copied.why == "of the fair runs, where bounds end runs, that stay within the limits of write"
    assert (uncopied.verdict, uncopied.verdict_with_guards) == ("undecided", "violated")
    assert uncopied.why.endswith("; with --bounds-end-runs, too, a run within the bounds violates it")
    assert "what must happen is read with --bounds-end-runs: a limit or @bound ends a run" in verdict.notes[1]
    document = check_document(verdict, {}, {})["properties"]
    assert [(prop["within_limits"], prop["if_bounds_end_runs"]) for prop in document] == [
        (["write"], "holds"), ([], "violated")
    ]  # fmt: skip
