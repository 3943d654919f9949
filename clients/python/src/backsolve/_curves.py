"""Curves at the points of data, by the rules of clients/typescript/src/solve/curve.ts: one curve gives the same numbers in both."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from ._tables import exact_number
from ._values import numbers_in, show

ROUNDING = 1e-9
"""Share of the range by which a grid may end before the data: the last time step of a simulation is rounded."""
LARGEST_EXACT = 2**53
"""Up to here every whole number is a 64-bit number."""
APART = "subtract the first one from all, also where the data have it"


class CurveError(ValueError):
    """What was given for an output is no curve of its data."""


def interpolate(name: str, grid: Sequence[Any], values: Sequence[Any], at: Sequence[float]) -> list[float]:
    """
    Linear between the points of a grid that ascends or descends. Where several rows have one x, as at events and steps, the curve jumps:
    below x the outer row on that side counts, at x and above it the one on the other side. Raises CurveError.
    """
    if len(grid) != len(values) or len(grid) < 2:
        raise CurveError(f"The output {name} has {len(values)} values on a grid of {len(grid)} points; both must be alike, and at least 2.")
    where = f"the grid of the output {name}"
    try:
        xs, ys = numbers_in(where, grid), numbers_in(f"the output {name}", values)
    except ValueError as error:
        raise CurveError(str(error)) from None
    if (row := next((row for row, x in enumerate(xs, 1) if not math.isfinite(x)), None)) is not None:
        raise CurveError(f"Row {row} of {where} is {show(xs[row - 1])}, but must be a finite number.")
    if (merged := merged_in(grid, xs)) is not None:
        row, words = merged
        raise CurveError(f"Row {row} of {where} {words}.")
    steps = [(row, before, after) for row, (before, after) in enumerate(itertools.pairwise(xs), 2) if before != after]
    ascends = 2 * sum(after > before for _, before, after in steps) >= len(steps)
    if (turn := next((step for step in steps if (step[2] > step[1]) != ascends), None)) is not None:
        row, before, after = turn
        raise CurveError(
            f"Row {row} of {where} goes back, from {show(before)} to {show(after)}. Several rows may have the same x, but none may go back."
        )
    if not ascends:
        xs.reverse()
        ys.reverse()
    slack = ROUNDING * xs[-1] - ROUNDING * xs[0]
    missed = next((x for x in at if not xs[0] - slack <= x <= xs[-1] + slack), None)
    if missed is not None:
        covered = f"covers {show(xs[0])} to {show(xs[-1])}, and its data need {show(missed)}"
        raise CurveError(f"The output {name} {covered}: compute a longer curve, or leave out these data.")
    return [value_at(xs, ys, x, slack) for x in at]


def value_at(xs: Sequence[float], ys: Sequence[float], x: float, slack: float, *, is_continuous: bool = True) -> float:
    """
    The value at x, which the grid must cover within slack; a point of the grid that is missed by so much is meant. Otherwise it lies on a
    straight line or, of a variable that jumps, is the last value.
    """
    k = max(0, bisect_right(xs, x + slack) - 1)
    # A number that is not finite beside a point of the grid is not used.
    if not is_continuous or k + 1 == len(xs) or x - xs[k] <= slack:
        return ys[k]
    return ys[k] + (x - xs[k]) / (xs[k + 1] - xs[k]) * (ys[k + 1] - ys[k])


def merged_in(given: Sequence[Any], xs: Sequence[float]) -> tuple[int, str] | None:
    """
    The first row, from 1, whose x a 64-bit number cannot tell from that of the row before, or from another one; and why, as a clause.
    `given` are `xs` as they were given, or their texts in a file.
    """
    exact = [exact_number(raw) if isinstance(raw, str) else raw for raw in given]
    for row, x in enumerate(xs, 1):
        if not math.isfinite(x):
            continue
        raw = exact[row - 1]
        shown = given[row - 1].strip() if isinstance(given[row - 1], str) else show(raw)
        if (whole := _whole(raw)) is not None and whole != int(x):
            return row, f"is {shown}, which has too many digits for a 64-bit number: {APART}"
        if row > 1 and xs[row - 2] == x and (abs(x) >= LARGEST_EXACT or exact[row - 2] != raw):
            return row, f"is {shown}, and a 64-bit number cannot tell it from the row before: {APART}"
    return None


def _whole(raw: Any) -> int | None:
    """None for what has decimals or an exponent, which is rounded anyway."""
    if isinstance(raw, Decimal):
        return int(raw) if raw.as_tuple().exponent == 0 else None
    return raw if type(raw) is int else int(raw) if hasattr(type(raw), "__index__") else None
