"""Ctrl-C and SIGTERM are noted during a search on Spark, and raise nothing."""

from __future__ import annotations

import signal
import threading

from tidegate.explorer.spark.interrupts import Interruption, interrupts_noted


def test_an_interrupt_is_noted_and_the_handler_of_before_comes_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupts_noted() as noted:
        assert not noted.is_set()
        signal.raise_signal(signal.SIGINT)
        assert noted.is_set()
        with interrupts_noted() as inner:
            assert inner is noted, "a search within another one stops with it"
    assert signal.getsignal(signal.SIGINT) is before


def test_it_says_which_signal_came() -> None:
    by_key, by_signal = Interruption(), Interruption()
    by_key(signal.SIGINT, None)
    by_signal(signal.SIGTERM, None)
    assert by_key.is_set() and by_signal.is_set() and by_key.says != by_signal.says
    assert "SIGTERM" in by_signal.says


def test_a_thread_that_no_signal_reaches_changes_no_handler() -> None:
    before, within = signal.getsignal(signal.SIGINT), list[object]()

    def look() -> None:
        with interrupts_noted():
            within.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert within == [before]
