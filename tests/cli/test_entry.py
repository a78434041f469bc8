"""Where the command begins: SIGTERM ends it as Ctrl-C does, unless it is ignored."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from tidegate.cli.entry import treat_sigterm_as_interrupt


@pytest.fixture
def sigterm() -> Iterator[None]:
    """Puts the handler of before back."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("sigterm")
def test_sigterm_interrupts_and_says_its_name() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    treat_sigterm_as_interrupt()
    with pytest.raises(KeyboardInterrupt, match=r"^SIGTERM$"):
        signal.raise_signal(signal.SIGTERM)


@pytest.mark.usefixtures("sigterm")
def test_where_sigterm_is_ignored_it_stays_so() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    treat_sigterm_as_interrupt()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
