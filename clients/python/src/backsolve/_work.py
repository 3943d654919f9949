"""The work of one call of solve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ._blackbox import Attempt, Runner
from ._errors import BacksolveError
from .problem import Outcome, Problem


@dataclass(frozen=True)
class Work:
    """A problem, and how to run its black box."""

    problem: Problem
    name: str
    parallel: int
    budget: int | None
    tries: int
    attempt: Attempt
    fingerprint: str | None
    runner: Runner
    verify: int
    """How many runs at the ends of the intervals of a fit are allowed."""
    is_retry: bool
    """Whether failed runs are run again."""

    async def call(self, numbers: Sequence[float]) -> Outcome:
        """Runs the black box at an input of the service. Raises BacksolveError when the program or its executor is wrong."""
        given = await self.runner.run(self.attempt, self.problem.space.values_of(numbers))
        if isinstance(given, BacksolveError):
            raise given
        return given
