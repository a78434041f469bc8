"""The native engine as a whole: it does not believe itself, keeps its kernels, minds its limits, and says the same
every time."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.native import kernels as native_kernels
from tidegate.explorer.native.compiler import read_object
from tidegate.explorer.native.effort import FULL, QUICK, ROLLED
from tidegate.explorer.native.kernels import kernel_of, kernel_text, own_text
from tidegate.explorer.native.program import generate, joined, plan_program
from tidegate.explorer.native.scalars import Bit, Num, Scalars
from tidegate.explorer.native.search import check as native
from tidegate.explorer.native.search import explore
from tidegate.explorer.native.statements import Statements
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Progress, Search
from tidegate.explorer.symmetry import Symmetry, symmetry_of
from tidegate.invariants.catalogue import find
from tidegate.language import code_digest, ir
from tidegate.language.judge import holds, replay
from tidegate.language.verdict import Disagreement

from ...support.engines import agree, bound, summary, text_of
from ...support.shipped import shipped, tiered_rows

NODE = "size = constant(2, minimum=1, maximum=3, says='nodes')\n\n\nclass Node(Domain, size=size):\n    '''A node.'''\n"
FIELDS = "table: Map[Node, Small]\ncount: Annotated[int, Range(0, 20)]"
START = "table=Map({n: 0 for n in Node})\ncount=0"
COUNTING = """
@action
def rise(s: World, node: Node) -> None:
    '''Rises.'''
    require(s.table[node] < 3)
    s.table[node] = s.table[node] + 1

@action
def count(s: World) -> None:
    '''Counts.'''
    limit(s.count < 20)
    s.count = s.count + 2 - 1
"""
LARGE = """
@action
def turn(s: World, at: Annotated[int, Range(0, 19)]) -> None:
    '''Turns one over.'''
    s.lit[at] = not s.lit[at]
"""


def counting(folder: Path, extra: str = "", **options: Any) -> Any:
    """A small model that counts."""
    return bound(folder, text_of(FIELDS, START, COUNTING + extra, before=NODE), **options)


def large(folder: Path, extra: str = "") -> Any:
    """A model of about a million states."""
    return bound(
        folder,
        text_of(
            "lit: Map[Annotated[int, Range(0, 19)], bool]", "lit=Map({i: False for i in range(20)})", LARGE + extra
        ),
    )


# --- it does not believe itself ---------------------------------------------------------------------------------------


def test_a_miscompiled_addition_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Statements.evaluate

    def wrong(self: Statements, node: ir.Expr) -> Any:
        """One more where the model says `+ 1`."""
        if (
            isinstance(node, ir.Arithmetic)
            and node.op == "+"
            and isinstance(node.right, ir.Const)
            and node.right.number == 1
        ):
            return right(self, ir.Arithmetic("-", node.left, node.right, node.type, node.where))
        return right(self, node)

    monkeypatch.setattr(Statements, "evaluate", wrong)
    text = COUNTING.replace("s.table[node] + 1", "min(3, max(0, s.table[node] + 1))")
    model = bound(tmp_path, text_of(FIELDS, START, text, before=NODE))
    with pytest.raises(Disagreement, match="rise") as caught:
        native(model, Search())
    assert "table={A: 0" in str(caught.value), "the message shows the state"


def test_a_miscompiled_property_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Scalars.compare
    turned = {"<": "<=", "<=": "<"}

    def wrong(self: Scalars, op: str, left: Num, right_: Num) -> Bit:
        """One too many, or one too few."""
        return right(self, turned.get(op, op), left, right_)

    monkeypatch.setattr(Scalars, "compare", wrong)
    extra = "\n@invariant\ndef low(s: World) -> bool:\n    '''Low.'''\n    return s.count < 20\n"
    with pytest.raises(Disagreement):
        native(counting(tmp_path, extra), Search())


# --- kernels that are kept --------------------------------------------------------------------------------------------


def kernels(folder: Path) -> set[str]:
    """The names of the kernels in a cache."""
    return {path.name for path in folder.glob("*.o")}


def test_a_kept_kernel_gives_the_same(tmp_path: Path) -> None:
    model, cache = counting(tmp_path), tmp_path / "cache"
    cold, warm = (native(model, Search(cache=cache)) for _ in range(2))
    assert summary(cold) == summary(warm)
    assert len(kernels(cache)) == 1


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\0" * 5000])
def test_a_damaged_kernel_is_made_again(damage: bytes, tmp_path: Path) -> None:
    model, cache = counting(tmp_path), tmp_path / "cache"
    cold = native(model, Search(cache=cache))
    (kept,) = cache.glob("*.o")
    kept.write_bytes(damage)
    assert read_object(kept) is None
    assert summary(native(model, Search(cache=cache))) == summary(cold)
    assert read_object(kept) is not None


@pytest.mark.parametrize("kind", [{"walks": True}, {"fingerprint": 64}, {"fingerprint": 128}])
def test_the_text_of_a_kernel_is_written_once_and_again_when_damaged(
    kind: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, cache, made = counting(tmp_path), tmp_path / "cache", list[str]()
    program = plan_program(model)
    kinds: list[dict[str, Any]] = [{"walks": True}, {"fingerprint": 64}, kind]
    texts = {str(options): generate(model, program, (), **options) for options in kinds}

    def counted(*given: Any, **options: Any) -> str:
        made.append("text")
        return generate(*given, **options)

    monkeypatch.setattr(native_kernels, "generate", counted)
    assert [kernel_text(model, program, (), cache, **kind) for _ in range(2)] == [texts[str(kind)]] * 2
    assert len(made) == 1
    (kept,) = cache.glob("*.ll")
    kept.write_bytes(kept.read_bytes()[:-9])
    assert kernel_text(model, program, (), cache, **kind) == texts[str(kind)]
    assert len(made) == 2
    other = next(candidate for candidate in kinds if candidate != kind)
    assert kernel_text(model, program, (), cache, **other) == texts[str(other)] != texts[str(kind)]
    assert kernel_text(model, program, (), None, **kind) == texts[str(kind)]


def test_a_kernel_cut_short_is_made_again(tmp_path: Path) -> None:
    model, cache = counting(tmp_path), tmp_path / "cache"
    cold = native(model, Search(cache=cache))
    (kept,) = cache.glob("*.o")
    kept.write_bytes(kept.read_bytes()[:-100])
    assert summary(native(model, Search(cache=cache))) == summary(cold)


def test_a_kernel_under_the_name_of_another_is_not_believed(tmp_path: Path) -> None:
    """Two kernels that change places: each is whole, and neither is what its name says."""
    cache, more = tmp_path / "cache", COUNTING.replace("+ 2 - 1", "+ 1").replace("< 3", "< 2")
    (tmp_path / "more").mkdir()
    models = counting(tmp_path), bound(tmp_path / "more", text_of(FIELDS, START, more, before=NODE))
    right = [summary(native(model, Search(cache=cache))) for model in models]
    one, other = sorted(cache.glob("*.o"))
    kept = one.read_bytes(), other.read_bytes()
    one.write_bytes(kept[1])
    other.write_bytes(kept[0])
    assert read_object(one) is None and read_object(other) is None
    assert [summary(native(model, Search(cache=cache))) for model in models] == right
    assert (one.read_bytes(), other.read_bytes()) == kept


def test_a_process_whose_files_changed_believes_no_kernel_and_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code that was loaded before its files changed is not what a digest of the files says."""
    model, cache = counting(tmp_path), tmp_path / "cache"
    native(model, Search(cache=cache))
    kept = kernels(cache)
    monkeypatch.setattr(code_digest, "STARTED", 0.0)
    own_text.cache_clear()
    try:
        assert native(model, Search(cache=cache)).verdict == "holds"
        assert len(kernels(cache) - kept) == 1
        own_text.cache_clear()
        native(model, Search(cache=cache))
        assert len(kernels(cache) - kept) == 2
    finally:
        monkeypatch.undo()
        own_text.cache_clear()
    native(model, Search(cache=cache))
    assert len(kernels(cache) - kept) == 2


def test_the_kernels_text_is_that_which_was_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = counting(tmp_path)

    def read_again(*_: object) -> str:
        """What the files say by now."""
        raise AssertionError("a file is read again")

    monkeypatch.setattr(inspect, "getsource", read_again)
    assert "define" in generate(model, plan_program(model), (), walks=True, fingerprint=64)


def test_parts_of_the_kernel_that_name_cells_alike_are_refused() -> None:
    assert joined({"A": 1}, {"B": 2}, {"A": 1}) == {"A": 1, "B": 2}
    with pytest.raises(ValueError, match="two parts of the kernel name cells alike: A, C"):
        joined({"A": 1, "C": 3}, {"A": 2, "B": 2, "C": 4})


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the cache's folder should be")
    assert native(counting(tmp_path), Search(cache=blocked / "cache")).verdict == "holds"


def test_kernels_are_named_by_what_the_model_means(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for number, text in enumerate(
        (
            COUNTING,
            "# A comment.\n\n" + COUNTING,
            COUNTING.replace("'''Counts.'''", "'''Counts on.'''"),
            COUNTING.replace("+ 2 - 1", "+ 1"),
        )
    ):
        native(bound(tmp_path, text_of(FIELDS, START, text, before=NODE)), Search(cache=cache))
        assert len(kernels(cache)) == (1 if number < 3 else 2), "comments and sentences change nothing, the text does"
    native(counting(tmp_path, constants={"size": 3}), Search(cache=cache))
    assert len(kernels(cache)) == 3


def test_one_kernel_serves_every_value_of_an_open_constant(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for size in (1, 2, 3):
        opened = native(counting(tmp_path, constants={"size": size}, open={"size"}), Search(cache=cache))
        folded = native(counting(tmp_path, constants={"size": size}), Search())
        assert summary(opened) == summary(folded)
    assert len(kernels(cache)) == 1


OF_A_PARTITION = {"replicas": 2, "log_size": 2, "max_records": 1, "power_losses": 1}


@pytest.mark.parametrize(
    ("name", "constants", "symmetric"),
    [
        ("replication:kip320", {"replicas": 2}, False),
        pytest.param("partition:kafka_2_7", OF_A_PARTITION, False, marks=pytest.mark.long),
        pytest.param("partition:kafka_2_7", OF_A_PARTITION, True, marks=pytest.mark.long),
    ],
)
def test_every_effort_finds_the_same(name: str, constants: dict[str, int], symmetric: bool, tmp_path: Path) -> None:
    definition, profile = find(name)
    model = definition.bind(name, constants, profile)
    symmetry = symmetry_of(model) if symmetric else Symmetry((), ())
    made = [kernel_of(model, symmetry.domains, tmp_path, effort=effort) for effort in (FULL, QUICK, ROLLED)]
    assert len(kernels(tmp_path)) == len({kernel.binary for kernel in made}) == 3
    full, quick, rolled = (summary(explore(model, Search(keep_going=True), kernel, symmetry)) for kernel in made)
    assert quick == full
    assert rolled == full


@pytest.mark.parametrize(("long", "workers"), tiered_rows(product([0, 40, 5_000], [1, 2]), lambda row: row == (40, 2)))
def test_a_long_search_goes_on_with_the_fast_kernel(
    long: int, workers: int, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidegate.explorer.native.search.LONG", long)
    monkeypatch.setattr("tidegate.explorer.native.search.FIRST_SLICE", 1000)
    monkeypatch.setattr("tidegate.explorer.native.workers.ALONE", 100)
    definition, profile = find("replication:kip320")
    model = definition.bind("replication", {"replicas": 2, "max_leader_epoch": 2}, profile)
    said, search = list[str](), Search(workers=workers, cache=tmp_path)

    def hear(progress: Progress) -> None:
        said.extend([progress.says] * progress.at_once)

    verdict = native(model, search, hear)
    assert said == ["compiling"] * 2 and len(kernels(tmp_path)) == 2
    symmetry = Symmetry((), ())
    assert summary(verdict) == summary(explore(model, search, kernel_of(model, (), cache), symmetry))
    said.clear()
    assert summary(native(model, search, hear)) == summary(verdict)
    assert said == ["compiling"], "the fast kernel is at hand from the beginning"


def test_a_function_of_the_kernel_is_written_out_once_in_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels of other models share it only where the numbers and the functions that it names are the same."""
    models = [counting(tmp_path), counting(tmp_path, open={"size"}), shipped("async_isr")]
    ways: list[dict[str, Any]] = [{"walks": True}, {"fingerprint": 64}, {"masks": [3]}]
    asked = [(model, plan_program(model), way) for way in ways for model in models]

    def written(kept: dict[Any, str], most: int) -> list[str]:
        monkeypatch.setattr("tidegate.explorer.native.machine._TEXTS", kept)
        monkeypatch.setattr("tidegate.explorer.native.machine.KEPT", most)
        return [generate(model, program, (), **way) for model, program, way in asked]

    kept: dict[Any, str] = {}
    apart, together, again = written({}, 0), written(kept, 1000), written(kept, 0)
    assert together == apart and again == apart
    functions = sum(text.count("\ndefine ") for text in apart)
    assert 0 < len(kept) < functions / 3


def test_what_would_be_too_long_is_not_written_out(tmp_path: Path) -> None:
    definition, profile = find("replication:kip320")
    model = definition.bind("replication", {"replicas": 3}, profile)
    short = replace(FULL, instructions=100)
    full, less, rolled = (
        len(generate(model, plan_program(model), (), effort=effort)) for effort in (FULL, short, ROLLED)
    )
    assert rolled <= less < full


# --- limits -----------------------------------------------------------------------------------------------------------


def test_the_memory_limit_is_inconclusive(tmp_path: Path) -> None:
    verdict = native(large(tmp_path), Search(memory_bytes=4 * 2**20))
    assert (verdict.verdict, verdict.outcome) == ("inconclusive", "none")
    assert 10_000 < (verdict.distinct_states or 0) < 2**20
    assert "memory limit" in verdict.assurance


def test_the_time_limit_is_inconclusive(tmp_path: Path) -> None:
    """The limit passes while progress is reported, so that no machine is too quick for it."""

    def passes(progress: Progress) -> None:
        time.sleep(0.05)

    verdict = native(large(tmp_path), Search(seconds=0.05), passes)
    assert verdict.verdict == "inconclusive"
    assert (verdict.distinct_states or 0) > 0
    assert "time limit of 0.05 s" in verdict.assurance


def test_what_was_found_before_a_limit_is_reported(tmp_path: Path) -> None:
    extra = "\n@invariant\ndef dark(s: World) -> bool:\n    '''Dark.'''\n    return not s.lit[3]\n"
    verdict = native(large(tmp_path, extra), Search(memory_bytes=4 * 2**20, keep_going=True))
    assert (verdict.verdict, verdict.outcome) == ("violated", "safety")


def test_an_interrupted_search_tells_what_it_saw(tmp_path: Path) -> None:
    reported = list[Progress]()

    def stop(progress: Progress) -> None:
        reported.append(progress)
        if progress.distinct > 100:
            raise KeyboardInterrupt

    verdict = native(large(tmp_path), Search(), stop)
    assert verdict.verdict == "inconclusive"
    assert (verdict.distinct_states or 0) >= reported[-1].distinct > 100
    assert "Ctrl-C" in verdict.assurance


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_real_signal_stops_a_search(tmp_path: Path) -> None:
    body = LARGE.replace("19", "29")
    (tmp_path / "endless.py").write_text(
        text_of("lit: Map[Annotated[int, Range(0, 29)], bool]", "lit=Map({i: False for i in range(30)})", body)
    )
    program = (
        "from tidegate.language.binding import load\nfrom tidegate.explorer.native.search import check\n"
        "from tidegate.explorer.search import Search\nsaid = []\n"
        "def tell(seen):\n    if seen.distinct > 1000 and not said:\n"
        "        said.append(1); print('searching', flush=True)\n"
        f"model = load({str(tmp_path / 'endless.py')!r}).bind()\n"
        "verdict = check(model, Search(memory_bytes=4 << 30, seconds=60), tell)\n"
        "print(verdict.verdict, verdict.distinct_states > 1000, verdict.assurance)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env={**os.environ})
    assert process.stdout is not None
    assert process.stdout.readline() == "searching\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=600)
    assert out == "inconclusive True none: stopped by Ctrl-C\n"
    assert process.returncode == 0


# --- verdicts ---------------------------------------------------------------------------------------------------------

ENDS = {
    "a deadlock": ("require(s.count < 2)", "", "deadlock"),
    "at the bound": ("limit(s.count < 2)", "", "none"),
    "an end": (
        "require(s.count < 2)",
        "\n@terminal\ndef done(s: World) -> bool:\n    '''Done.'''\n    return s.count == 2\n",
        "none",
    ),
    "another end": (
        "require(s.count < 2)",
        "\n@terminal\ndef done(s: World) -> bool:\n    '''Done.'''\n    return s.count == 1\n",
        "deadlock",
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_deadlocks_bounds_and_ends_are_reported_apart(name: str, tmp_path: Path) -> None:
    guard, extra, outcome = ENDS[name]
    body = f"@action\ndef step(s: World) -> None:\n    '''Steps.'''\n    {guard}\n    s.count += 1\n{extra}"
    verdict = agree(bound(tmp_path, text_of("count: Small", "count=0", body)))
    assert verdict is not None
    assert verdict.outcome == outcome


RISING = """
@action
def rise(s: World) -> None:
    '''Rises.'''
    require(s.count < 3)
    s.count += 1

"""
ERRORS = {
    "a number out of its range": "s.count += 1",
    "a sequence over its capacity": "s.queue.append(0)",
    "an index beyond the end": "s.count = s.queue[2]",
    "none where a value is needed": "s.count = s.option + 0",
    "a division by zero": "s.count = 3 // (s.count - 3)",
    "a truncation that is none": "s.queue.truncate(3)",
    "a failed assert": "assert s.count < 3",
    "the least of nothing": "s.count = min(x for x in s.numbers)",
    "a removal of what is not there": "s.numbers.remove(2)",
}
ERROR_FIELDS = "count: Small\nqueue: Annotated[Seq[Small], Capacity(2)]\noption: Small | None\nnumbers: Set[Small]"
ERROR_START = "count=0\nqueue=Seq([0, 1])\noption=None\nnumbers=Set()"


@pytest.mark.parametrize("name", ERRORS)
def test_errors_of_a_step_are_reported_with_their_place(name: str, tmp_path: Path) -> None:
    body = (
        RISING
        + f"""
@action
def err(s: World, node: Node) -> None:
    '''Errs.'''
    require(s.count == 3)
    {ERRORS[name]}  # here
"""
    )
    text = text_of(ERROR_FIELDS, ERROR_START, body)
    verdict = agree(bound(tmp_path, text))
    assert verdict is not None
    assert verdict.outcome == "model_error"
    assert verdict.failure is not None
    assert verdict.failure.where.endswith(f":{text[: text.index('# here')].count(chr(10)) + 1}")
    assert (verdict.failure.action, len(verdict.failure.run.steps)) == ("err", 3)


@pytest.mark.parametrize("role", ["invariant", "reachable", "terminal"])
def test_errors_of_a_property_are_reported(role: str, tmp_path: Path) -> None:
    sign = "<" if role == "invariant" else ">"
    body = (
        RISING
        + f"""
@{role}
def odd(s: World) -> bool:
    '''Odd.'''
    return 1 // (s.count - 3) {sign} 5
"""
    )
    verdict = agree(bound(tmp_path, text_of("count: Small", "count=0", body)))
    assert verdict is not None
    assert verdict.outcome == "model_error"


def test_keep_going_finds_everything(tmp_path: Path) -> None:
    extra = "".join(
        f"\n@invariant\ndef below_{most}(s: World) -> bool:\n    '''Below.'''\n    return s.count < {most}\n"
        for most in (3, 7, 21)
    )
    verdict = native(counting(tmp_path, extra), Search(keep_going=True))
    assert {prop.name: prop.verdict for prop in verdict.properties} == {
        "below_3": "violated",
        "below_7": "violated",
        "below_21": "holds",
    }
    assert [len(prop.run.steps) for prop in verdict.properties if prop.run is not None] == [3, 7]
    first = native(counting(tmp_path, extra), Search())
    assert [prop.verdict for prop in first.properties] == ["violated", "undecided", "undecided"]


def test_the_counterexample_is_the_shortest_and_always_the_same(tmp_path: Path) -> None:
    extra = """
@invariant
def apart(s: World) -> bool:
    '''Apart.'''
    return sum(s.table[n] for n in Node) + s.count < 5
"""
    model = counting(tmp_path, extra)
    runs = [prop.run for engine in (native, native, plain) for prop in engine(model, Search()).properties]
    assert runs[0] == runs[1]
    assert runs[0] is not None
    assert runs[2] is not None
    assert len(runs[0].steps) == len(runs[2].steps) == 5
    again = replay(model, runs[0].start, [(step.action, step.arguments) for step in runs[0].steps])
    assert again.states() == runs[0].states()
    assert not holds(model, model.properties[0], again.states()[-1])


@pytest.mark.parametrize("workers", [pytest.param(2, marks=pytest.mark.long), 3])
def test_several_workers_count_the_same(workers: int, tmp_path: Path) -> None:
    model = large(tmp_path)
    verdict = native(model, Search(workers=workers, recheck=5))
    assert (verdict.distinct_states, verdict.transitions, verdict.depth) == (2**20, 20 * 2**20, 21)
