"""Properties of whole runs: the four small models of docs/liveness.md, symmetry, engines that judge
none, and traces that the judge replays."""

from __future__ import annotations

import itertools
import json
import shlex
import shutil
import time
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

import jsonschema
import pytest
from tidegate.explorer import ENGINES, plain
from tidegate.explorer.liveness import answers as found_answers
from tidegate.explorer.liveness import questions
from tidegate.explorer.liveness.graph import IncompleteGraphError
from tidegate.explorer.native import liveness as native_liveness
from tidegate.explorer.native import outcome
from tidegate.explorer.search import Search
from tidegate.language import fairness
from tidegate.language.binding import load
from tidegate.language.model import Model
from tidegate.language.verdict import DisagreementError, PropertyVerdict, Verdict
from tidegate.reports.spec.mathematics import Specification, specification_text
from tidegate.traces.document import read_schema, trace_document

from ...conftest import ROOT, Run
from ...support.commands import Commands

ANSWERS = {
    "printer": {"printed_without_fairness": "violated", "printed_with_weak_fairness": "holds"},
    "crossing": {"crosses_if_weakly_fair": "violated", "crosses_if_strongly_fair": "holds"},
    "counter": {"is_served": "violated", "is_served_in_turn": "holds"},
    "corridor": {"may_pass": "holds", "they_pass": "violated"},
    "parcels": {
        "arrives_if_fair_to_each_pair": "holds",
        "arrives_if_fair_to_each_receiver": "violated",
        "arrives_if_desks_open_again_and_again": "holds",
        "arrives_if_fair_to_open_desks": "violated",
    },
    "worker": {"begins_rested": "holds", "begins_at_all": "violated", "works": "violated", "has_retired": "holds"},
}
"""Each of the small models with what is so of its properties."""

HEADER = """
from __future__ import annotations
from typing import Annotated
from tidegate.language import *

class Node(Domain, size=2, symmetric=True):
    '''A node.'''
"""


def check_claims(model: Model, engine: str, cache: Path, **asked: object) -> Verdict:
    search = replace(Search(cache=cache, keep_going=True, deadlocks=False), **asked)
    return ENGINES[engine](model, search, None)


def model_of(folder: Path, text: str, **settings: object) -> Model:
    path = folder / "mine.py"
    path.write_text(HEADER + dedent(text), encoding="utf-8")
    return load(path).bind(**settings)  # pyright: ignore[reportArgumentType]


def verdict_of(verdict: Verdict, name: str) -> PropertyVerdict:
    return next(prop for prop in verdict.properties if prop.name == name)


@pytest.mark.parametrize("name", ANSWERS)
def test_weak_strong_and_none_differ_and_engines_agree(name: str, cache: Path) -> None:
    model = load(ROOT / f"examples/liveness/{name}.py").bind()
    native, plain = (check_claims(model, engine, cache) for engine in ("native", "python"))
    for verdict in (native, plain):
        assert {prop.name: prop.verdict for prop in verdict.properties} == ANSWERS[name]
        assert (verdict.verdict, verdict.outcome) == ("violated", "liveness")
    for prop in (prop for prop in native.properties if prop.run is not None):
        assert prop == verdict_of(plain, prop.name)
        document = trace_document(model, prop)
        jsonschema.validate(document, read_schema())
        states = prop.run.states()  # type: ignore[union-attr]
        assert prop.loop is not None
        assert document["loop"] == prop.loop
        assert states[prop.loop] == states[-1]


SHARED = """
@state
class Shared:
    '''Who holds it.'''
    holder: Node | None  # who holds it

@initial
def free() -> Shared:
    '''Nobody does.'''
    return Shared(holder=None)

@action
def take(s: Shared, node: Node) -> None:
    '''{node} takes it.'''
    require(s.holder is None)
    s.holder = node

@action
def give(s: Shared, node: Node) -> None:
    '''{node} gives it back.'''
    require(s.holder == node)
    s.holder = None

@always_possible
def is_free(s: Shared) -> bool:
    '''It can always become free.'''
    return s.holder is None
"""
EACH = """
@always_possible
def each_may_hold(s: Shared, node: Node) -> bool:
    '''Each can hold it.'''
    return s.holder == node
"""
LOOP = """
@always_eventually(weak(take), weak(give))
def free_again(s: Shared) -> bool:
    '''It is free again and again.'''
    return s.holder is None
"""


@pytest.mark.parametrize("engine", ["native", "python"])
def test_symmetry_is_kept_only_where_it_is_sound(engine: str, cache: Path, tmp_path: Path) -> None:
    folded = check_claims(model_of(tmp_path, SHARED), engine, cache, symmetry=True)
    assert (folded.symmetry, folded.distinct_states, folded.verdict) == (("Node",), 2, "holds")
    for text, why in ((EACH, "names one member"), (LOOP, "free_again is checked on runs")):
        whole = check_claims(model_of(tmp_path, SHARED + text), engine, cache, symmetry=True)
        assert (whole.symmetry, whole.distinct_states, whole.verdict) == ((), 3, "holds")
        assert any(why in note for note in whole.notes), whole.notes


def test_an_engine_that_sees_no_graph_says_so(cache: Path, tmp_path: Path) -> None:
    verdict = check_claims(model_of(tmp_path, SHARED), "walk", cache)
    assert (verdict.verdict, verdict_of(verdict, "is_free").verdict) == ("inconclusive", "not_checked")
    assert verdict_of(verdict, "is_free").why.startswith("it is a property of liveness")


def test_a_property_that_reads_folded_ghosts_is_not_checked(cache: Path, tmp_path: Path) -> None:
    text = SHARED.replace("# who holds it\n", "# who holds it\n    times: Ghost[Annotated[int, Range(0, 1)]]  # seen\n")
    text = text.replace("holder=None)", "holder=None, times=0)").replace('s.holder is None\n"', 's.times == 0\n"')
    text = text.replace("return s.holder is None", "return s.times == 0")
    model = model_of(tmp_path, text, ghosts=False)
    assert verdict_of(check_claims(model, "native", cache), "is_free").verdict == "not_checked"


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_predicate_that_cannot_be_evaluated_is_a_failure(engine: str, cache: Path, tmp_path: Path) -> None:
    broken = """
@always_possible
def breaks(s: Shared) -> bool:
    '''It divides by nothing while somebody holds it.'''
    return 1 // (1 if s.holder is None else 0) == 1
"""
    verdict = check_claims(model_of(tmp_path, SHARED + broken), engine, cache)
    assert verdict.outcome == "model_error"
    assert verdict.failure is not None
    assert verdict.failure.message == "breaks: division by zero"
    assert [step.action for step in verdict.failure.run.steps] == ["take"]


def test_without_memory_for_the_steps_it_is_undecided(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native_liveness, "bytes_needed", lambda states, edges: 1 << 60)  # pyright: ignore
    verdict = check_claims(model_of(tmp_path, SHARED), "native", cache)
    assert (verdict.verdict, verdict_of(verdict, "is_free").verdict) == ("inconclusive", "undecided")
    assert "the memory limit was reached: 3 states with 4 steps" in verdict.assurance


@pytest.mark.parametrize(("engine", "place"), [("native", outcome), ("python", plain)])
def test_time_that_runs_out_after_the_search_leaves_it_undecided(
    engine: str, place: ModuleType, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = itertools.count(time.monotonic() + 100_000, 100_000)
    jumping = SimpleNamespace(monotonic=lambda: next(late), perf_counter=lambda: next(late))
    model, begun = model_of(tmp_path, SHARED), questions.questions_of

    def first(asked: Model) -> questions.LivenessQuestions:
        monkeypatch.setattr(place, "time", jumping)
        return begun(asked)

    monkeypatch.setattr(plain if engine == "python" else native_liveness, "questions_of", first)
    verdict = check_claims(model, engine, cache, seconds=50_000.0)
    assert (verdict.verdict, verdict_of(verdict, "is_free").verdict) == ("inconclusive", "undecided")
    assert "is_free is undecided: the time limit of 50000 s was reached" in verdict.assurance


@pytest.mark.parametrize(
    ("engine", "place", "name"),
    [
        ("native", native_liveness, "kernel_of"),  # while it compiles
        ("native", native_liveness.Sweep, "run"),  # while the steps are written down
        ("native", native_liveness.Network, "call_kernel"),  # between two passes over the graph
        ("native", found_answers, "shortest_lasso"),  # while a loop is sought
        ("native", found_answers, "why_not_violated"),  # while plain Python checks it
        ("python", plain, "explore_plain_graph"),
        ("python", found_answers, "shortest_lasso"),
    ],
)
def test_ctrl_c_leaves_undecided_what_must_happen(
    engine: str, place: object, name: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    model = model_of(tmp_path, SHARED + LOOP.replace("weak(take), weak(give)", "weak(take)"))
    monkeypatch.setattr(place, name, stop)
    verdict = check_claims(model, engine, cache)
    assert verdict.verdict == "inconclusive"
    possible = "holds" if name in ("shortest_lasso", "why_not_violated") else "undecided"  # it was answered by then
    assert [prop.verdict for prop in verdict.properties] == [possible, "undecided"]
    assert verdict_of(verdict, "free_again").why == "stopped by Ctrl-C"
    assert "is undecided: stopped by Ctrl-C" in verdict.assurance


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("ending", [KeyboardInterrupt(), IncompleteGraphError("the time limit of 6 s was reached")])
def test_what_is_decided_before_the_end_stays_so(
    engine: str, ending: BaseException, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found of the first claim was thrown away with the second."""
    loops, sought = found_answers.shortest_lasso, itertools.count(1)

    def third_time_stopped(*asked: Any) -> Any:
        if next(sought) > 2:  # each claim asks with what limits stop left out, and counted
            raise ending
        return loops(*asked)

    unfair = LOOP.replace("weak(take), weak(give)", "weak(take)")
    model = model_of(tmp_path, SHARED + unfair + unfair.replace("free_again", "free_at_last"))
    monkeypatch.setattr(found_answers, "shortest_lasso", third_time_stopped)
    verdict = check_claims(model, engine, cache)
    assert (verdict.verdict, verdict.outcome) == ("violated", "liveness")
    always, first, second = (verdict_of(verdict, name) for name in ("is_free", "free_again", "free_at_last"))
    assert (always.verdict, first.verdict, first.loop is not None) == ("holds", "violated", True)
    assert (second.verdict, second.why) == ("undecided", str(ending) or "stopped by Ctrl-C")


def test_its_phases_are_reported(cache: Path, tmp_path: Path) -> None:
    model, heard = model_of(tmp_path, SHARED + LOOP), list[str]()
    ENGINES["native"](model, Search(cache=cache), lambda progress: heard.append(progress.says))
    assert [says for says in heard if says.startswith("liveness: ")] == [
        "liveness: the steps of 3 of 3 states are written down",
        "liveness: is_free is checked, question 1 of 2",
        "liveness: free_again is checked, question 2 of 2",
    ]


def test_one_run_that_ends_never_says_that_what_must_happen_holds(tidegate: Run) -> None:
    printer = "examples/liveness/printer.py"
    names = "printed_without_fairness, printed_with_weak_fairness"
    for verb in (["simulate", printer, "--steps", "3"], ["replay", printer, "--steps", "send"]):
        done = tidegate(*verb)
        assert done.exit == 5
        assert f"not checked: {names}" in " ".join(done.out.split())


def test_a_lasso_that_plain_python_does_not_confirm_is_a_disagreement(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of(
        tmp_path, SHARED + LOOP.replace("weak(give)", 'weak(give, each="node")').replace("weak(take), ", "")
    )
    assert check_claims(model, "native", cache).verdict == "holds"
    model = model_of(tmp_path, SHARED + LOOP.replace("weak(take), weak(give)", "weak(take)"))
    assert check_claims(model, "native", cache).verdict == "violated"

    def never_met(*_: object) -> None:
        return None

    monkeypatch.setattr(fairness, "meet_fairness", never_met)
    with pytest.raises(DisagreementError, match="does not in plain Python: weak fairness of take is not met"):
        check_claims(model, "native", cache)


def test_the_command_ends_with_3_and_prints_the_loop(tidegate: Run, commands: Commands) -> None:
    done = tidegate("check", "examples/liveness/corridor.py", "--json")
    assert done.exit == 3
    report = json.loads(done.out)
    assert report["outcome"] == "liveness"
    (violated,) = [prop for prop in report["properties"] if prop["verdict"] == "violated"]
    assert (violated["kind"], violated["document"]["loop"]) == ("eventually_always", 0)


def test_what_holds_of_fair_runs_says_which_they_are(tidegate: Run) -> None:
    done = tidegate("check", "examples/liveness/counter.py", "--property", "is_served_in_turn")
    assert done.exit == 0
    fair = "weak(serve, each=customer), weak(come, each=customer)"
    assert f"is_served_in_turn holds of the runs with {fair}" in " ".join(done.out.split())


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(
    ("name", "steps", "says"),
    [
        ("begins_at_all", "", "begins_at_all is true in the initial state, and is_busy never is."),
        (
            "works",
            "begin(true); work",
            "works is true after step 1, and is_retired is false again and again, as after step 1.",
        ),
    ],
)
def test_why_what_begins_somehow_does_not_end_as_claimed(
    engine: str, name: str, steps: str, says: str, tidegate: Run
) -> None:
    path = "examples/liveness/worker.py"
    done = tidegate("check", path, "--no-deadlock", "--property", name, "--engine", engine)
    assert done.exit == 3
    assert says in " ".join(done.out.split())
    loop = str(len(steps.split()) // 2)
    assert f'--property {name} --steps "{steps}" --loop {loop}' in " ".join(done.out.split())
    replayed = tidegate("replay", path, "--property", name, "--steps", steps or "begin(false)", "--loop", loop)
    assert replayed.exit == 3


def test_which_steps_a_fairness_is_about_is_said(tidegate: Run) -> None:
    name = "arrives_if_fair_to_open_desks"
    done = tidegate("check", "examples/liveness/parcels.py", "--property", name)
    said = " ".join(done.out.split())
    assert "Fairness of `deliver where is_at_open_desk` is met: nothing of it can happen in this state." in said


LAMP = """
@state
class Lamp:
    '''A lamp.'''
    on: bool  # whether it is on
    odd: Ghost[bool]  # whether somebody looked an odd number of times

@initial
def start() -> Lamp:
    '''It is off.'''
    return Lamp(on=False, odd=False)

@action
def look(s: Lamp) -> None:
    '''Somebody looks.'''
    s.odd = not s.odd

@action
def blink(s: Lamp) -> None:
    '''The lamp goes on.'''
    require(not s.on)
    s.on = True
    s.odd = not s.odd
"""


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_step_that_changes_only_a_ghost_counts_for_no_fairness(engine: str, cache: Path, tmp_path: Path) -> None:
    text = (
        LAMP
        + """
@always_eventually(weak(look, blink))
def is_on(s: Lamp) -> bool:
    '''The lamp goes on.'''
    return s.on
"""
    )
    for ghosts in (False, True):
        assert (
            verdict_of(check_claims(model_of(tmp_path, text, ghosts=ghosts), engine, cache), "is_on").verdict == "holds"
        )
    text = (
        LAMP
        + """
@action
def dim(s: Lamp) -> None:
    '''It goes off.'''
    require(s.on)
    s.on = False

@eventually_always(weak(look), weak(blink), weak(dim))
def is_off(s: Lamp) -> bool:
    '''It stays off.'''
    return not s.on
"""
    )
    model = model_of(tmp_path, text, ghosts=True)
    prop = verdict_of(check_claims(model, engine, cache), "is_off")
    assert prop.run is not None and prop.loop is not None
    assert (prop.verdict, sorted(step.action for step in prop.run.steps[prop.loop :])) == (
        "violated", ["blink", "dim", "look"],
    )  # fmt: skip
    argument = [row["text"] for row in trace_document(model, prop)["argument"]]
    what = "nothing of it that changes what the protocol has can happen in any of these states"
    assert f"Fairness of `look` is met: {what}." in argument


def test_the_line_that_replays_a_loop_goes_round_and_finds_it_violated(tidegate: Run) -> None:
    model = "examples/liveness/counter.py"
    printed = tidegate("check", model, "--keep-going").out.rstrip().rpartition("tidegate replay ")[2]
    again = tidegate("replay", *shlex.split(printed))
    assert again.exit == 3
    assert "fails in a loop after 0 steps" in again.out
    assert again.out.rstrip().endswith(f"tidegate replay {printed}")
    held = tidegate("replay", model, "--steps", "serve(A); come(A); serve(B); come(B)", "--loop", "0")
    assert (held.exit, "not checked" in held.out) == (0, False)
    assert "is_served is not violated by this run: is_served is true in a state of the loop" in plain_of(held.out)


def test_a_loop_that_is_not_fair_decides_nothing_and_says_why(tidegate: Run) -> None:
    model, claim = "examples/liveness/crossing.py", "crosses_if_strongly_fair"
    unfair = tidegate("replay", model, "--steps", "change; change", "--loop", "0", "--property", claim)
    assert unfair.exit == 5
    why = f"not checked: {claim} is said of fair runs alone, and this is none: strong fairness of cross is not met"
    assert why in plain_of(unfair.out)
    assert unfair.out.rstrip().endswith(f'--property {claim} --steps "change; change" --loop 0')
    assert tidegate("replay", model, "--steps", "change; change", "--loop", "0").exit == 3


def plain_of(shown: str) -> str:
    """What is shown, on one line."""
    return " ".join(shown.split())


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--steps", "serve(B)", "--loop", "0"], "--loop 0: the run ends in another state than the one after step 0"),
        (["--steps", "serve(B)", "--loop", "2"], "--loop 2: the run has 1 step; give a number from 0 to 1"),
        (["--steps", "serve(B); come(B)", "--loop", "0", "--shrink"], "give one of the two"),
    ],
)
def test_a_loop_that_is_none_is_refused(given: list[str], says: str, tidegate: Run) -> None:
    done = tidegate("replay", "examples/liveness/counter.py", *given)
    assert done.exit == 64
    assert says in done.err


def test_one_run_never_shows_that_something_is_impossible(tidegate: Run, tmp_path: Path) -> None:
    model = tmp_path / "counter.py"
    text = (ROOT / "examples/liveness/counter.py").read_text(encoding="utf-8")
    text = text.replace("import Domain", "import always_possible, Domain")
    claim = "@always_possible\ndef is_nobody(s: Counter) -> bool:\n    return not any(s.waits[c] for c in Customer)\n"
    stuck = "    require(any(s.waits[c] for c in Customer if c != customer))\n"
    served = text.index("s.waits[customer] = False")
    text = text[:served].rstrip() + f"\n{stuck}    " + text[served:] + "\n\n" + claim
    model.write_text(text, encoding="utf-8")
    done = tidegate("check", str(model), "--property", "is_nobody", "--out", str(tmp_path / "out"))
    assert done.exit == 3, done.out + done.err
    again = tidegate("replay", str(tmp_path / "out" / "is_nobody.trace.json"))
    looped = tidegate("replay", str(model), "--steps", "", "--loop", "0", "--property", "is_nobody")
    for shown in (again, looped):
        assert shown.exit == 5
        assert "not checked: is_nobody, of liveness, which no one run can show" in " ".join(shown.out.split())


def test_a_gate_records_what_must_happen(tidegate: Run, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples/liveness/corridor.py", tmp_path)
    entry = '[[check]]\noutcome = "liveness"\nexpect = { they_pass = { violated = 2 } }\n'
    gate = tmp_path / "gate.toml"
    for text, exit_ in ((entry, 0), (entry.replace("2", "3"), 6), ('[[check]]\nexpect = { may_pass = "holds" }\n', 0)):
        gate.write_text(f'schema = "tidegate.spec/1"\nmodel = "corridor.py"\n\n{text}', encoding="utf-8")
        done = tidegate("gate", str(gate))
        assert done.exit == exit_, done.out


def test_the_specification_has_what_must_happen() -> None:
    model = load(ROOT / "examples/liveness/counter.py").bind()
    page = specification_text(Specification("counter", model, {}, (), ""))
    assert "## What must happen" in page
    assert "again and again `is_served_in_turn(customer)`.* Of each `customer ∈ Customer`." in page
    assert "Weak fairness of `serve`, for each `customer`." in page
    assert "is_served_in_turn(customer) ≜\n  ¬waits[customer]" in page


def test_a_saved_loop_is_judged_again(tidegate: Run, tmp_path: Path) -> None:
    model = tmp_path / "corridor.py"
    text = (ROOT / "examples/liveness/corridor.py").read_text(encoding="utf-8")
    model.write_text(text, encoding="utf-8")
    tidegate("check", str(model), "--out", str(tmp_path / "out"))
    saved = str(tmp_path / "out" / "they_pass.trace.json")
    again = tidegate("replay", saved)
    assert again.exit == 3
    assert "they_pass fails in a loop after 0 steps" in again.out
    model.write_text(text.replace("strong(go_past)", "strong(step_aside)"), encoding="utf-8")
    changed = tidegate("replay", saved)
    assert changed.exit == 5, "as --steps and --loop say of a run that is not fair"
    why = "not checked: they_pass is said of fair runs alone, and this is none: strong fairness of step_aside is not"
    assert why in plain_of(changed.out)
    assert changed.out.rstrip().endswith("--loop 0")
    assert "--property they_pass" in changed.out
    assert "strong fairness of step_aside is not met" in " ".join(changed.out.split())


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ({"loop": 2}, "not checked: they_pass is said of fair runs alone"),
        ({"name": "may_pass"}, "not checked: may_pass, of liveness, which no one run can show"),
        ({"name": "gone"}, "the trace was saved as one of gone, which is not checked here"),
    ],
    ids=str,
)
def test_a_saved_loop_that_shows_nothing_of_its_claim_decides_nothing(
    part: dict[str, object], says: str, tidegate: Run, tmp_path: Path
) -> None:
    tidegate("check", "examples/liveness/corridor.py", "--out", str(tmp_path))
    path = tmp_path / "they_pass.trace.json"
    saved = json.loads(path.read_text(encoding="utf-8"))
    saved["loop"] = part.get("loop", saved["loop"])
    saved["property"]["name"] = part.get("name", saved["property"]["name"])
    path.write_text(json.dumps(saved), encoding="utf-8")
    done = tidegate("replay", str(path))
    assert done.exit == 5, done.out
    assert says in plain_of(done.out)
    assert f"--loop {saved['loop']}" in done.out, "the line that is printed goes round, too"


@pytest.mark.parametrize("loop", [-1, 3, 0.0, "0", True])
@pytest.mark.parametrize("verb", [["replay"], ["show"], ["export", "--to", "itf"]], ids=lambda verb: verb[0])
def test_a_file_returns_to_one_of_its_states(verb: list[str], loop: object, tidegate: Run, tmp_path: Path) -> None:
    tidegate("check", "examples/liveness/corridor.py", "--out", str(tmp_path))
    path = tmp_path / "they_pass.trace.json"
    saved = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(saved | {"loop": loop}), encoding="utf-8")
    done = tidegate(verb[0], str(path), *verb[1:])
    assert done.exit == 64
    assert f'"loop" is {json.dumps(loop)}; it is null or the number of a state, from 0 to 2' in plain_of(done.err)


@pytest.mark.parametrize("verb", [["replay"], ["show"], ["export", "--to", "itf"]], ids=lambda verb: verb[0])
def test_a_file_returns_to_the_state_in_which_it_ends(verb: list[str], tidegate: Run, tmp_path: Path) -> None:
    tidegate("check", "examples/liveness/corridor.py", "--out", str(tmp_path))
    path = tmp_path / "they_pass.trace.json"
    saved = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(saved | {"loop": 1}), encoding="utf-8")
    done = tidegate(verb[0], str(path), *verb[1:])
    assert done.exit == 64
    assert "the file states that the run repeats for ever after step 1, and it does not" in plain_of(done.err)


def test_a_saved_run_that_goes_round_is_asked_all_claims_where_it_was_saved_as_one_of_none(
    tidegate: Run, tmp_path: Path
) -> None:
    tidegate("check", "examples/liveness/corridor.py", "--out", str(tmp_path))
    path = tmp_path / "they_pass.trace.json"
    saved = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(saved | {"property": None}), encoding="utf-8")
    again = tidegate("replay", str(path))
    assert again.exit == 3
    assert "they_pass fails in a loop after 0 steps" in again.out
    path.write_text(json.dumps(saved | {"property": None, "loop": 2}), encoding="utf-8")
    unfair = tidegate("replay", str(path))
    assert unfair.exit == 5
    assert "not checked: they_pass is said of fair runs alone" in plain_of(unfair.out)
    assert "--loop 2" in unfair.out
