"""A command in a process of its own, which ends at the latest with its starter."""

from __future__ import annotations

import signal

from tidegate.cli.child_process import child_process


def test_what_it_ends_with_and_prints() -> None:
    with child_process(["models", "--nonsense"]) as command:
        exit_, out, err = command.wait_for_exit()
    assert exit_ == 64 and out == "" and "--nonsense" in err


def test_a_signal_reaches_it() -> None:
    with child_process(["check", "kraft", "--seconds", "300"]) as command:
        command.send_signal(signal.SIGKILL)
        assert command.wait_for_exit()[0] == -signal.SIGKILL
