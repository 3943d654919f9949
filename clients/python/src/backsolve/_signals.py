"""Whether somebody ended a run from outside, by a signal to this process or to a program: then its end says nothing of the input."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, TypeAlias

_Handler: TypeAlias = Callable[[int, "FrameType | None"], Any]


def _present(*names: str) -> frozenset[int]:
    return frozenset(getattr(signal, name) for name in names if hasattr(signal, name))


ENDING = _present("SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGBREAK")
"""By which schedulers, engines and people end a process or announce its end: preemption, a time limit, `ray stop`."""
OUTSIDE = ENDING | _present("SIGKILL")
"""No program ends itself by one of these."""


def is_ended_from_outside(code: int) -> bool:
    """Whether a program with this return code was. A shell or a wrapper that ran it adds 128 to the number of the signal."""
    return -code in OUTSIDE or code - 128 in OUTSIDE


class Arrivals:
    """
    The signals that arrive during a `with` block. Python handles signals in its main thread; in any other one, nothing is noted. Where
    nobody has installed a handler in Python, a signal ends the process, and nothing comes back.
    """

    def __init__(self) -> None:
        self.name: str | None = None
        """Name of the last signal."""
        self.raised: BaseException | None = None
        """Exception that its handler raised into the block."""

    def __enter__(self) -> Arrivals:
        if threading.current_thread() is threading.main_thread():
            _watch.add(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _watch.remove(self)


class _Watch:
    """Stands before the handlers while there are blocks. Those of coroutines end in any order."""

    def __init__(self) -> None:
        self._blocks: list[Arrivals] = []
        self._handlers: dict[int, _Handler] = {}
        # A bound method is a new object each time.
        self._own: _Handler = self._take

    def add(self, block: Arrivals) -> None:
        self._blocks.append(block)
        for number in ENDING:
            handler = signal.getsignal(number)
            if callable(handler) and handler is not self._own:
                self._handlers[number] = handler
                signal.signal(number, self._own)

    def remove(self, block: Arrivals) -> None:
        if block not in self._blocks:
            return
        self._blocks.remove(block)
        if self._blocks:
            return
        for number, handler in self._handlers.items():
            # A handler that the black box has installed meanwhile stays.
            if signal.getsignal(number) is self._own:
                signal.signal(number, handler)
        self._handlers.clear()

    def _take(self, number: int, frame: FrameType | None) -> None:
        for block in self._blocks:
            block.name = signal.Signals(number).name
        try:
            self._handlers[number](number, frame)
        except BaseException as error:
            for block in self._blocks:
                block.raised = error
            raise


_watch = _Watch()
