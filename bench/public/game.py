"""A problem of a public ground, and one play of it: the same count of runs for every solver."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

FEASIBLE = 1e-6
"""A limit counts as kept up to this, in units of its output: solvers that follow it numerically end that near to it."""


@dataclass(frozen=True)
class Problem:
    name: str
    lower: np.ndarray
    upper: np.ndarray
    start: np.ndarray
    shape: str
    """residuals: outputs whose squares are to be small; number: the first is to be small, the others at most 0; front: `objectives` are."""
    outputs: int
    evaluate: Callable[[np.ndarray], list | None]
    """The outputs in natural units; None for a run that failed."""
    kinds: tuple = ()
    """float or integer, one per input; all float if empty."""
    objectives: int = 1
    merit: Callable | None = None
    """Worth of the outputs of all runs on a front, smaller being better."""
    least: float = 0.0
    """Taken off the recorded values: the optimum where the ground knows it."""
    enough: float = -np.inf
    """The recorded value that ends a play: nothing is left to compare below it."""
    step: float = 1.0
    """An improvement is recorded where the value has fallen by this factor since the last one, or ends the play."""

    @property
    def n(self):
        return len(self.lower)

    @property
    def is_integer(self):
        return np.array([kind == "integer" for kind in self.kinds or ("float",) * self.n])

    def input_of(self, x):
        """x within the bounds, whole where an input is."""
        x = np.clip(np.asarray(x, float), self.lower, self.upper)
        return np.where(self.is_integer, np.round(x), x)


class Over(Exception):
    """The budget is spent, or the value is enough."""


@dataclass
class Game:
    """Counts the runs of a play and keeps its best values. Solvers call `run` with inputs in natural units."""

    problem: Problem
    budget: int
    seed: int
    count: int = 0
    best: float = float("inf")
    improvements: list = field(default_factory=list)
    """(number of runs, best value so far), one per improvement."""
    seconds_of_runs: float = 0.0

    def __post_init__(self):
        self.random = np.random.default_rng(self.seed)
        self._began = time.process_time()
        self._outputs = []

    @property
    def seconds(self):
        """Processor time of the solver alone."""
        return time.process_time() - self._began - self.seconds_of_runs

    @property
    def is_solved(self):
        return self.best <= self.problem.enough

    @property
    def is_over(self):
        return self.count >= self.budget or self.is_solved

    def run(self, x):
        """The outputs at x as an array, None for a failed run. Raises Over instead of a run after the last one."""
        if self.is_over:
            raise Over
        before = time.process_time()
        with np.errstate(all="ignore"):
            outputs = self.problem.evaluate(self.problem.input_of(x))
        outputs = None if outputs is None else np.asarray(outputs, float)
        if outputs is not None and not np.all(np.isfinite(outputs)):
            outputs = None
        self.count += 1
        self._note(outputs)
        self.seconds_of_runs += time.process_time() - before
        return outputs

    def _note(self, outputs):
        if self.problem.merit is not None:
            self._outputs.append(outputs)
            value = self.problem.merit(self._outputs)
        else:
            value = None if outputs is None else value_of(self.problem, outputs)
        if value is None or value >= self.best:
            return
        self.best = value
        last = self.improvements[-1][1] if self.improvements else np.inf
        if self.problem.step == 1.0 or value <= self.problem.step * last or self.is_solved:
            self.improvements.append((self.count, value))


def value_of(problem, outputs):
    """The number that the outputs of one run are judged by; None where a limit is not kept."""
    if problem.shape == "residuals":
        return float(outputs @ outputs)
    if np.any(outputs[1:] > FEASIBLE):
        return None
    return float(outputs[0]) - problem.least


class Once:
    """Outputs by input, for solvers that ask for the objective and for the limits of one input separately."""

    def __init__(self, game):
        self._game = game
        self._known = {}

    def __call__(self, x):
        key = self._game.problem.input_of(x).tobytes()
        if key not in self._known:
            self._known[key] = self._game.run(x)
        return self._known[key]
