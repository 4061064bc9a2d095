"""Ctrl-C waits while it must not interrupt, and is never lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from olb_env.core.held_interrupts import HeldInterrupts


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C interrupt this process, which the process that runs the tests may have ruled out."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
def test_ctrl_c_waits_until_all_that_hold_it_release_it() -> None:
    before, interrupts = signal.getsignal(signal.SIGINT), HeldInterrupts()
    interrupts.hold()
    interrupts.hold()
    signal.raise_signal(signal.SIGINT)
    interrupts.release()
    with pytest.raises(KeyboardInterrupt):
        interrupts.release()
    assert signal.getsignal(signal.SIGINT) is before
    interrupts.hold()
    interrupts.release()  # nothing is left of it


@pytest.mark.usefixtures("_interruptible")
def test_ctrl_c_that_waits_acts_where_it_may_and_goes_on_to_wait() -> None:
    interrupts = HeldInterrupts()
    interrupts.hold()
    interrupts.act()
    signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        interrupts.act()
    signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        interrupts.release()


@pytest.mark.usefixtures("_interruptible")
def test_nothing_is_held_where_nobody_would_be_interrupted() -> None:
    """In another thread, and where Ctrl-C is ignored, as in worker processes."""
    interrupts, before = HeldInterrupts(), signal.getsignal(signal.SIGINT)
    found: list[Any] = []

    def hold() -> None:
        interrupts.hold()
        found.append(signal.getsignal(signal.SIGINT))
        interrupts.release()

    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hold()
    assert found == [before, signal.SIG_IGN]
