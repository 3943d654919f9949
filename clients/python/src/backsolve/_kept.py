"""Whether kept runs still count: one of them is made once more where the black box may have changed, and compared."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ._errors import ChangedProblemError
from ._looks import OWN, Looks
from ._words import describe_values, short
from .problem import Failed, Outcome, Space

ERROR = 1e-4
"""Probability that runs that differ by chance alone are taken for a change."""
ROUNDING = 1e-6
"""Largest difference, relative to an output plus a thousandth of its usual size, that other threads, compilers or versions of a library may
make.
"""
Noise: TypeAlias = Sequence[float] | Literal["estimate"] | None
"""The standard deviation of each output as it is stated."""
MOST_NAMED = 3


class ChangedAnswerError(ChangedProblemError):
    """A kept run has another output now."""


@dataclass(frozen=True)
class Kept:
    """A run that is kept, as the service counts."""

    input: Sequence[float]
    output: Sequence[float]
    source: str | None = None


@dataclass(frozen=True)
class Changed:
    """Parts that look different from those of the kept runs."""

    looks: Looks
    """Now."""
    parts: Mapping[str, list[str]]
    """That differ, of the black box and of its sources."""

    def parts_of(self, source: str | None) -> list[str]:
        return self.parts[source or OWN]


def choose(runs: Sequence[Kept], changed: Changed, best: Sequence[float] | None) -> Kept | None:
    """
    The run to make once more: of the black box if that may have changed, else of the first source that may; the answer of the search
    where it is one of them, else the newest.
    """
    source = None if OWN in changed.parts else next(iter(changed.parts))
    some = [run for run in runs if run.source == source]
    answers = [run for run in some if best is not None and list(run.input) == list(best)]
    return (answers or some)[-1] if some else None


def differing(kept: Kept, now: Sequence[float], runs: Sequence[Kept], noise: Noise) -> list[int] | None:
    """
    The outputs that differ beyond the noise, by number, the farthest first. None where runs are known to differ by chance and nothing says
    by how much.

    The noise is what is stated; else what runs at one input tell that are kept. Without either a black box repeats itself. The limit is
    exceeded by chance in one of 10,000 comparisons in all: of m outputs, sqrt(2 ln(m / 1e-4)) standard deviations of a difference (the
    Chernoff bound of a normal variable), widened for few repeats (Wallace 1959, doi:10.1214/aoms/1177705914).
    """
    of_source = [run for run in runs if run.source == kept.source]
    spreads, freedom = ([*noise], math.inf) if noise is not None and noise != "estimate" else _spread(of_source, len(now))
    if noise == "estimate" and freedom == 0:
        return None
    z = math.sqrt(2 * math.log(len(now) / ERROR))
    wide = math.sqrt(2) * _widened(z, freedom)
    excess = []
    for number, (before, after) in enumerate(zip(kept.output, now, strict=True)):
        size = statistics.median(abs(run.output[number]) for run in of_source)
        rounding = ROUNDING * max(abs(before), abs(after)) + ROUNDING / 1000 * size
        limit = rounding + (wide * spreads[number] if freedom else 0.0)
        if not abs(after - before) <= limit:
            excess.append((abs(after - before) / limit if limit else math.inf, number))
    return [number for _, number in sorted(excess, reverse=True)]


def _spread(runs: Sequence[Kept], count: int) -> tuple[list[float], float]:
    """The standard deviation of each output of runs at one input, pooled, and their degrees of freedom."""
    groups: dict[tuple[float, ...], list[Kept]] = {}
    for run in runs:
        groups.setdefault(tuple(run.input), []).append(run)
    repeated = [each for each in groups.values() if len(each) > 1]
    freedom = sum(len(each) - 1 for each in repeated)
    if freedom == 0:
        return [0.0] * count, 0
    sums = [sum(statistics.variance(run.output[k] for run in each) * (len(each) - 1) for each in repeated) for k in range(count)]
    return [math.sqrt(total / freedom) for total in sums], freedom


def _widened(z: float, freedom: float) -> float:
    """A quantile of Student's t with so many degrees of freedom, from that of the normal distribution."""
    if not 0 < freedom < math.inf:
        return z
    factor = (freedom - 5 / 6) / (freedom - 2 / 3 + 0.1 / freedom) ** 2
    return math.sqrt(freedom * math.expm1(min(700.0, z * z * factor)))


@dataclass(frozen=True)
class Comparison:
    """A kept run, to compare with one that is made now."""

    name: str
    """Name of the problem."""
    space: Space
    noise: Noise
    how_to_go_on: str
    """Advice on what a user can do about a change, in whole sentences."""
    kept: Kept
    runs: Sequence[Kept]
    """All that are kept."""
    changed: Changed
    record: dict[str, Any]
    """That of the problem; it gets the run, so that this is made once however often it is judged."""

    @property
    def announcement(self) -> str | None:
        """Before the run is made; None where an earlier call has made it."""
        made = self.record.get("again")
        if made is not None and made["of"] == self._of:
            return None
        return f"{_words(self._parts)} changed since earlier runs: one of them is made once more"

    def take(self, outcome: Outcome) -> None:
        """Puts what came of the run into the record. Raises ChangedAnswerError where it failed."""
        if isinstance(outcome, Failed):
            raise ChangedAnswerError(self._sentence(f"the run that gave {self._shown(self.kept.output)} fails: {outcome.reason}"))
        self.record["again"] = {"of": self._of, "output": list(outcome)}

    def judge(self) -> str | None:
        """A warning where one run cannot tell. Raises ChangedAnswerError where the output is another one."""
        output: list[float] = self.record["again"]["output"]
        others = differing(self.kept, output, self.runs, self.noise)
        if others is None:
            return (
                f"{_words(self._parts)} changed since earlier runs of {self.name}, which are kept: no input was run twice, so that one "
                "further run cannot tell a change from the noise."
            )
        if others:
            raise ChangedAnswerError(self._sentence(self._difference(output, others)))
        return None

    @property
    def _of(self) -> dict[str, Any]:
        return {"input": list(self.kept.input), "source": self.kept.source, "looks": self.changed.looks}

    @property
    def _parts(self) -> list[str]:
        return self.changed.parts_of(self.kept.source)

    def _sentence(self, what: str) -> str:
        of = "" if self.kept.source is None else f" of the source {self.kept.source}"
        return (
            f"{_words(self._parts)} changed since earlier runs{of} of {self.name}, and with it the outputs: at "
            f"{describe_values(self.space.values_of(self.kept.input))} {what}. The kept runs do not fit. {self.how_to_go_on}"
        )

    def _difference(self, after: Sequence[float], others: Sequence[int]) -> str:
        names, before = _flat_names(self.space), self.kept.output
        shown = [f"{names[k]} was {_precise(before[k], after[k])} and is {_precise(after[k], before[k])}" for k in others[:MOST_NAMED]]
        more = len(others) - len(shown)
        return ", ".join(shown) + (f", and {more} more values differ" if more else "")

    def _shown(self, output: Sequence[float]) -> str:
        return describe_values(self.space.output_of(list(output)))


def _words(parts: Sequence[str]) -> str:
    named = ["the code of the function" if part == "code" else part for part in parts[:MOST_NAMED]]
    more = len(parts) - len(named)
    listed = ", ".join(named) + (f" and {more} more" if more else "")
    sentence = f"{listed} {'has' if len(parts) == 1 else 'have'}"
    return sentence[0].upper() + sentence[1:] if named[0].startswith("the ") else sentence


def _precise(value: float, other: float) -> str:
    return short(value) if short(value) != short(other) else repr(value)


def _flat_names(space: Space) -> list[str]:
    """Name of each number of an output; a value of a fit has its place."""
    found = []
    for name, value in space.output_of([0.0] * len(space.outputs)).items():
        found += [f"{name}[{k}]" for k in range(len(value))] if isinstance(value, tuple) else [name]
    return found
