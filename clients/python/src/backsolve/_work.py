"""The work of one call of solve."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ._blackbox import Attempt, Runner
from ._errors import BacksolveError
from ._looks import Looks
from .problem import Outcome, Problem
from .result import Run

OnRun: TypeAlias = Callable[[Run, str], object]
"""Gets a run, and what is the same for all runs of a problem until it is started over. It may get a run again: Run.id tells."""


class Listener:
    """Tells of each run once in a call, and again when its outcome has changed. One at a time, beside the event loop."""

    def __init__(self, on_run: OnRun | None) -> None:
        self.is_there = on_run is not None
        self._on_run = on_run
        self._told: dict[str, object] = {}
        self._lock = asyncio.Lock()

    async def tell(self, runs: Iterable[Run], problem: str) -> None:
        if self._on_run is None:
            return
        async with self._lock:
            for run in runs:
                # Reasons of failures may be shortened on the service.
                outcome = run.output if run.failure is None else "failed"
                if self._told.get(run.id) != outcome:
                    await asyncio.to_thread(self._on_run, run, problem)
                    self._told[run.id] = outcome


@dataclass(frozen=True)
class Work:
    """A problem, and how to run its black box."""

    problem: Problem
    name: str
    parallel: int
    budget: int | None
    tries: int
    attempt: Attempt
    sources: Mapping[str, Attempt]
    """The same for the cheaper sources, by name."""
    look: Callable[[], Looks]
    """Looks of the black box at the moment."""
    looks: Looks
    """Looks when the call began."""
    how_to_go_on: str
    """Advice for a user whose black box has changed."""
    runner: Runner
    verify: int
    """Number of runs allowed at the ends of the intervals of a fit."""
    is_retry: bool
    """Whether failed runs are run again."""
    on_run: OnRun | None = None
    """Is told of every run that has ended."""

    async def call(self, numbers: Sequence[float], source: str | None = None) -> Outcome:
        """Runs the black box or a cheaper source at an input of the service. Raises BacksolveError when it or its executor is wrong."""
        given = await self.runner.run(self.attempt if source is None else self.sources[source], self.problem.space.values_of(numbers))
        if isinstance(given, BacksolveError):
            raise given
        return given
