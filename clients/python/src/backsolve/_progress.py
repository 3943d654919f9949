"""The progress of a search: a bar in a terminal or a notebook, lines elsewhere."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ._words import describe_off, describe_values
from .result import Run

LOG = logging.getLogger("backsolve")
Shares: TypeAlias = Callable[[], Mapping[str, float]]
"""Weights of the misses of the outputs; asked only once the service has accepted the problem."""


class Progress:
    """Shows nothing."""

    def __init__(self, name: str, budget: int | None, shares: Shares) -> None:
        self.name = name
        self.budget = budget
        self._shares = shares
        self.count = 0
        self.best: Run | None = None

    def go_on(self, count: int, failed: int) -> None:
        """Continues after the runs of an earlier call."""
        self.count = count
        advice = f", {failed} of which failed; retry_failed=True repeats these" if failed else ""
        self.note(f"continuing after {count} runs{advice}")

    def add(self, run: Run) -> None:
        """A run is over."""
        self.count += 1
        if run.misses and (self.best is None or self._counted(run) < self._counted(self.best)):
            self.best = run

    def _counted(self, run: Run) -> float:
        """The worst miss as the service compares runs."""
        shares = self._shares()
        return max(miss * shares[name] for name, miss in run.misses.items())

    def note(self, text: str) -> None:
        """Shows a note to the user."""

    def warn(self, text: str) -> None:
        """Tells a user who sees no progress what to know."""
        LOG.warning("%s: %s", self.name, text)

    def end(self) -> None:
        """The search has ended."""


class Lines(Progress):
    """A line per run."""

    def add(self, run: Run) -> None:
        super().add(run)
        of = f"/{self.budget}" if self.budget is not None else ""
        self.note(f"{self.count}{of} {run.name}: {describe_values(run.input)} -> {_outcome(run)}")

    def note(self, text: str) -> None:
        print(f"{self.name}: {text}", file=sys.stderr, flush=True)

    def warn(self, text: str) -> None:
        self.note(text)


class Bar(Progress):
    """A bar of tqdm, a widget where that is a notebook."""

    def __init__(self, name: str, budget: int | None, shares: Shares) -> None:
        super().__init__(name, budget, shares)
        from tqdm.auto import tqdm  # noqa: PLC0415 - takes a while to load

        self._bar: Any = tqdm(desc=name, total=budget, unit="run", dynamic_ncols=True)

    def add(self, run: Run) -> None:
        super().add(run)
        if self.best is not None:
            self._bar.set_postfix_str(f"best: {_verdict(self.best)}", refresh=False)
        if run.failure is not None:
            self.note(f"{run.name} failed: {run.failure}")
        self._bar.update(1)

    def go_on(self, count: int, failed: int) -> None:
        super().go_on(count, failed)
        self._bar.update(count)

    def note(self, text: str) -> None:
        self._bar.write(f"{self.name}: {text}", file=sys.stderr)

    def warn(self, text: str) -> None:
        self.note(text)

    def end(self) -> None:
        self._bar.close()


def make_progress(name: str, budget: int | None, wanted: bool | None, shares: Shares) -> Progress:
    if wanted is False:
        return Progress(name, budget, shares)
    return Bar(name, budget, shares) if sys.stderr.isatty() or "ipykernel" in sys.modules else Lines(name, budget, shares)


def _outcome(run: Run) -> str:
    if run.output is None:
        return f"failed: {run.failure}"
    outputs = describe_values(run.output)
    return outputs if run.worst_miss is None else f"{outputs} ({_verdict(run)})"


def _verdict(run: Run) -> str:
    off = describe_off(run.off_by)
    return f"misses {off}" if off else "all goals met"
