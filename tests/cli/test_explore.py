"""`tidegate explore`: its commands, and the whole of it in a pseudo-terminal of 80 columns and 24 lines.

Also of: `explore_session`.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pyte
import pytest
from tidegate.api.models import load
from tidegate.cli.explore_session import COMMANDS, Session, completions_of
from tidegate.explorer.nearest_state import find_nearest_state
from tidegate.explorer.search import Search
from tidegate.language.errors import UsageError
from tidegate.language.judge import holds, initial_states
from tidegate.language.watch import STEPS, STEPS_TOGETHER, parse_watch
from tidegate.reports.text_page import TextFormat
from tidegate.traces.branch import Branch, possible_steps

from ..conftest import ROOT, Run

LOCK = str(ROOT / "examples" / "lock.py")
CARELESS = f"{LOCK}:careless"


def session(model: str = CARELESS) -> Session:
    return Session(load(model), TextFormat())


# --- the commands ---------------------------------------------------------------------------------------------------


def test_steps_are_sentences_and_are_taken_by_number_and_by_text():
    lock = session()
    assert "1  A looks and finds the lock free." in lock.state_text()
    assert "at_the_door" in lock.execute("1").lower()
    assert "B looks and finds the lock free." in lock.execute("look(B)")
    assert [step.action for step in lock.branch.run.steps] == ["look", "look"]


def test_what_was_undone_is_kept_until_another_step_is_taken():
    lock = session()
    lock.execute("look(A); look(B)")
    lock.execute("undo 2")
    lock.execute("redo")
    assert [step.arguments for step in lock.branch.ahead] == [{"client": lock.branch.ahead[0].arguments["client"]}]
    lock.execute("look(B)")  # the same step as was undone: what follows it is kept
    assert not lock.branch.ahead
    lock.execute("undo 2")
    lock.execute("look(B)")
    assert not lock.branch.ahead
    with pytest.raises(UsageError, match="nothing was undone"):
        lock.execute("redo")


def test_nothing_before_the_initial_state_is_undone():
    with pytest.raises(UsageError, match="this is the initial state"):
        session().execute("undo")


def test_why_not_gives_the_first_false_guard():
    lock = session()
    assert lock.execute("why not take(A)").split(maxsplit=1)[1].startswith("s.place[client] == ")
    assert lock.execute("why not look(A)") == "  look(A)  it can happen: step 1 of the list\n"
    assert "lock.py:" in lock.execute("why")
    assert lock.execute("why take").count("is false") == 2


def test_why_agrees_with_what_can_happen_in_every_state_of_a_run():
    lock = session()
    for _ in range(6):
        able = {step.text for step in lock.possible_steps()}
        for name in ("look", "take", "leave"):
            for client in "AB":
                text = f"{name}({client})"
                assert ("it can happen" in lock.execute(f"why not {text}")) == (text in able)
        lock.execute("1")


def test_go_goes_to_the_nearest_state_in_which_a_property_fails():
    lock = session()
    lock.execute("look(A)")
    said = lock.execute("go one_inside")
    assert said.startswith("one_inside is violated after 3 steps more")
    assert len(lock.branch.run.steps) == 4
    prop = next(prop for prop in lock.model.properties if prop.name == "one_inside")
    assert not holds(lock.model, prop, lock.branch.last_state)
    assert lock.execute("go one_inside") == "one_inside is violated here already\n"


def test_go_says_that_there_is_none_within_the_bounds():
    assert "one_inside is not violated in" in (said := session(LOCK).execute("go one_inside"))
    assert said.endswith("that is all within the bounds\n")


def test_go_does_not_say_so_of_a_search_that_ended_first():
    model = load("replication:kip320", bounds="small")
    prop = next(prop for prop in model.properties if prop.name == "strong_isr")
    found = find_nearest_state(model, next(initial_states(model)), prop, Search(seconds=1e-9))
    assert found.run is None
    assert "time limit" in found.stop_reason


def test_go_looks_no_further_than_a_witness():
    """From a state of a model whose initial function has parameters."""
    lock = session("partition")
    lock.execute("1")
    lock.execute("1")
    said = lock.execute("go two_brokers_lead")
    assert said.startswith("two_brokers_lead is reached after 2 steps more")
    assert int(said.partition("(")[2].partition(" ")[0].replace(",", "")) < 5_000


def test_go_refuses_what_is_no_property():
    with pytest.raises(UsageError, match=r"go one_insid: no property .* did you mean one_inside"):
        session().execute("go one_insid")
    with pytest.raises(UsageError, match=r"of whole runs; tidegate check --property is_served looks for one"):
        session(str(ROOT / "examples" / "liveness" / "counter.py")).execute("go is_served")


def test_an_expression_is_watched_in_every_state():
    lock = session()
    lock.execute("look(A); take(A)")
    assert lock.execute("watch held") == "  1  held\n     at first: false\n     from step 2: true\n"
    assert "watch     held = true" in lock.state_text()
    lock.execute("undo")
    assert "watch     held = false" in lock.state_text()
    lock.execute("unwatch 1")
    assert "watch" not in lock.state_text()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("len(log[A])", "0"),
        ("all(len(log[r]) == 0 for r in Replica)", "true"),
        ("{A, B} - isr[A] if leader[A] is None else isr[B]", "{A, B}"),
        ("s.quorum.isr", "{A, B, C}"),
        ("replicas + 1", "4"),
        ("log[A][0]", "no value: index 0 is outside a Seq of length 0"),
    ],
)
def test_an_expression_of_the_language(text: str, value: str):
    model = load("replication:kip101")
    assert parse_watch(model, text).value_words(next(initial_states(model))) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("len(log[A]", "not an expression"),
        ("nonsense", "nothing here is called nonsense"),
        ("open('/etc/passwd')", r"open\(...\) is not in the language"),
        ("__import__('os')", r"__import__\(...\) is not in the language"),
        ("s.__class__", "has no field __class__"),
        ("(lambda: 1)()", "not values of the language"),
    ],
)
def test_nothing_but_the_language_is_evaluated(text: str, says: str):
    with pytest.raises(UsageError, match=says):
        parse_watch(load("replication:kip101"), text)


def test_what_breaks_the_model_is_listed_and_leads_nowhere(tmp_path: Path):
    text = Path(LOCK).read_text(encoding="utf-8")
    assert "s.held = True" in text
    (tmp_path / "broken.py").write_text(text.replace("s.held = True", "assert not s.held\n    s.held = True"))
    lock = session(f"{tmp_path / 'broken.py'}:careless")
    lock.execute("look(A); look(B); take(A)")
    number = next(at for at, step in enumerate(lock.possible_steps(), 1) if step.breaks)
    with pytest.raises(UsageError, match="breaks the model's own types"):
        lock.execute(str(number))


def test_a_low_screen_lists_as_many_steps_as_it_has_room_for():
    shown = Session(load("partition"), TextFormat(), height=20)
    assert "more, as far as" in shown.state_text()
    assert "more, as far as" not in shown.execute("steps")


def test_a_model_is_named_with_what_it_needs():
    lock = session()
    assert set(completions_of(lock, "")) >= {*COMMANDS, "look(A)"}
    assert completions_of(lock, "go ") == [prop.name for prop in lock.model.properties]
    assert "take(A)" in completions_of(lock, "why not ")


def test_a_branch_is_a_value():
    lock = session()
    begun = Branch(lock.model, lock.branch.run)
    step = next(possible_steps(lock.model, begun.last_state)).step
    assert step is not None
    assert begun.append_steps(step).undo_steps().ahead == (step,)
    assert not begun.run.steps


# --- the command ------------------------------------------------------------------------------------------------------


def test_it_saves_a_trace_that_replays_and_goes_on_from_it(tidegate: Run, tmp_path: Path):
    trace = tmp_path / "met.trace.json"
    done = tidegate("explore", CARELESS, "--do", f"go one_inside; save {trace}; page {tmp_path / 'met'}")
    assert done.exit == 0
    assert json.loads(trace.read_text())["property"]["name"] == "one_inside"
    assert "one_inside" in (tmp_path / "met.html").read_text()
    assert tidegate("replay", str(trace)).exit == 1
    assert "   4  " in tidegate("explore", str(trace), "--do", "undo; redo").out


def test_a_command_that_cannot_be_carried_out_ends_with_64(tidegate: Run):
    done = tidegate("explore", CARELESS, "--do", "jump; quit")
    assert (done.exit, "jump is neither a command nor a step" in done.err) == (64, True)


# --- the terminal -----------------------------------------------------------------------------------------------------

COLUMNS, LINES = 80, 24


class Terminal:
    """A pseudo-terminal with a program in it, and the screen that it draws."""

    def __init__(self, master: int) -> None:
        self.master = master
        self.screen = pyte.Screen(COLUMNS, LINES)
        self.screen.write_process_input = lambda data: os.write(master, data.encode())  # it answers where the cursor is
        self.stream = pyte.ByteStream(self.screen)
        self.everything = b""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def ready(self) -> None:
        """Until a line is read: the last of the screen is the prompt alone."""
        while next((line for line in reversed(self.wait_for("")) if line), "") != "explore>":
            self.read()

    def read(self) -> None:
        if select.select([self.master], [], [], 0.2)[0]:
            part = os.read(self.master, 65536)
            self.everything += part
            self.stream.feed(part)

    def wait_for(self, wanted: str, seconds: float = 60.0) -> list[str]:
        """The lines of the screen once a text is among them."""
        end = time.monotonic() + seconds
        while wanted not in "\n".join(self.screen.display):
            assert time.monotonic() < end, "\n".join(self.screen.display)
            self.read()
        return [line.rstrip() for line in self.screen.display]


@contextmanager
def terminal(*arguments: str, **environment: str) -> Generator[tuple[Terminal, subprocess.Popen[bytes]]]:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    command = [sys.executable, "-m", "tidegate", "explore", *arguments]
    given = {**os.environ, "TERM": "xterm", **environment}
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=given, start_new_session=True)
    os.close(slave)
    try:
        yield Terminal(master), process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(master)


def test_in_a_terminal_of_80_columns_and_24_lines():
    with terminal(CARELESS, NO_COLOR="1") as (shown, process):
        lines = shown.wait_for("2  B looks and finds the lock free.")
        assert max(map(len, lines)) <= COLUMNS
        shown.ready()
        shown.type("1\r")
        shown.wait_for("   1  A looks and finds the lock free.")
        shown.type("\x1b[D")  # Left on an empty line
        shown.wait_for("> undo")
        shown.type("\x1b[C")
        shown.wait_for("> redo")
        shown.type("why not take(B)\r")
        shown.wait_for("take(B)  s.place[client] ==")
        shown.type("jump\r")
        shown.wait_for("jump is neither a command nor a step")
        shown.type("go one_ins\t")
        shown.wait_for("> go one_inside")  # completed
        shown.type("\r")
        shown.wait_for("one_inside is violated after 3 steps more")
        shown.ready()
        assert b"\x1b[33m" not in shown.everything  # no colour
        shown.type("\x04")
        assert process.wait(30) == 0


def test_without_prompt_toolkit_it_says_what_to_install(tmp_path: Path):
    (tmp_path / "prompt_toolkit.py").write_text("raise ModuleNotFoundError('gone', name='prompt_toolkit')\n")
    with terminal(CARELESS, PYTHONPATH=str(tmp_path)) as (shown, process):
        shown.wait_for("'.[explore]' in the")
        assert process.wait(30) == 64


ENDLESS = [
    "sum(1 for a in range(10**9))",
    "sum(range(10**9))",
    "any(a == -1 for a in range(10**9))",
    "all(sum(range(90000)) == b for b in range(90000))",
    "all(" * 12 + "True" + " for a in Replica)" * 12,
]


@pytest.mark.parametrize("text", ENDLESS)
def test_an_expression_takes_so_many_steps_and_no_more(text: str):
    """Counted, so that the value does not depend on the machine; in many states together, too."""
    model = load("replication:kip101")
    state = next(initial_states(model))
    made = parse_watch(model, text)
    tracing = sys.gettrace()
    assert made.value_words(state) == "no value: it takes more than 100,000 steps of Python"
    assert sys.gettrace() is tracing
    many = made.shown_in([state] * 2_000)
    assert many[0] == made.value_words(state)
    assert many[-1] == "no value: the states before took 10,000,000 steps of Python"
    assert many.index(many[-1]) <= STEPS_TOGETHER // STEPS


def test_an_ordinary_expression_has_its_value_in_many_states():
    model = load("replication:kip101")
    state = next(initial_states(model))
    made = parse_watch(model, "all(len(log[a]) == len(log[b]) for a in Replica for b in Replica)")
    assert set(made.shown_in([state] * 2_000)) == {"true"}


@pytest.mark.parametrize("text", ["-" * 20_000 + "1", "1+" * 500 + "1", "not " * 5_000 + "True", "a\0", "\ud800"])
def test_an_expression_that_python_cannot_read_is_refused(text: str):
    with pytest.raises(UsageError, match=r"nested too deeply|not an expression"):
        parse_watch(load("replication:kip101"), text)
