"""Where the command begins: SIGTERM ends it as Ctrl-C does, unless it is ignored."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from tidegate.cli import entry
from tidegate.cli.entry import RepeatedSignals, treat_sigterm_as_interrupt


@pytest.fixture
def sigterm(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Puts the handler of before back."""
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(entry, "_SIGNALS", RepeatedSignals())
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("sigterm")
def test_sigterm_interrupts_and_says_its_name() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    treat_sigterm_as_interrupt()
    with pytest.raises(KeyboardInterrupt, match=r"^SIGTERM$"):
        signal.raise_signal(signal.SIGTERM)


@pytest.mark.usefixtures("sigterm")
def test_a_sigterm_that_is_sent_twice_at_once_interrupts_once() -> None:
    """`timeout` sends it to the process, and to its group."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    treat_sigterm_as_interrupt()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)


def test_a_signal_is_new_once_some_time_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([10.0, 10.1, 10.9, 12.0, 12.0])
    monkeypatch.setattr(entry.time, "monotonic", lambda: next(moments))
    signals = RepeatedSignals()
    assert [signals.is_new(15) for _ in range(4)] == [True, False, False, True] and signals.is_new(2)


@pytest.mark.usefixtures("sigterm")
def test_where_sigterm_is_ignored_it_stays_so() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    treat_sigterm_as_interrupt()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
