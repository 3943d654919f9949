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


def interpolate(name: str, grid: Sequence[Any], values: Sequence[Any], at: Sequence[float]) -> list[float]:
    """
    Linear between the points of a grid that ascends or descends. Where several rows have one x, as at events and steps, the curve jumps:
    below x the outer row on that side counts, at x and above it the one on the other side. Raises ValueError.
    """
    if len(grid) != len(values) or len(grid) < 2:
        raise ValueError(f"The output {name} has {len(values)} values on a grid of {len(grid)} points; both must be alike, and at least 2.")
    where = f"the grid of the output {name}"
    xs, ys = numbers_in(where, grid), numbers_in(f"the output {name}", values)
    if (row := next((row for row, x in enumerate(xs, 1) if not math.isfinite(x)), None)) is not None:
        raise ValueError(f"Row {row} of {where} is {show(xs[row - 1])}, but must be a finite number.")
    if (merged := merged_in(grid, xs)) is not None:
        row, words = merged
        raise ValueError(f"Row {row} of {where} {words}.")
    pairs = list(itertools.pairwise(xs))
    ascends = sum(after > before for before, after in pairs) >= sum(after < before for before, after in pairs)
    turn = next((row for row, (before, after) in enumerate(pairs, 2) if (after < before if ascends else after > before)), None)
    if turn is not None:
        before, after = pairs[turn - 2]
        back = f"Row {turn} of {where} goes back, from {show(before)} to {show(after)}"
        raise ValueError(f"{back}. Several rows may have the same x, but none may go back.")
    if not ascends:
        xs.reverse()
        ys.reverse()
    slack = ROUNDING * xs[-1] - ROUNDING * xs[0]
    missed = next((x for x in at if not xs[0] - slack <= x <= xs[-1] + slack), None)
    if missed is not None:
        covered = f"covers {show(xs[0])} to {show(xs[-1])}, and its data need {show(missed)}"
        raise ValueError(f"The output {name} {covered}: compute a longer curve, or leave out these data.")
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
    for row, x in enumerate(xs, 1):
        is_repeat = row > 1 and xs[row - 2] == x
        raw = given[row - 1]
        if not math.isfinite(x) or (type(raw) is float and not is_repeat):
            continue
        exact = _exact(raw)
        if (whole := _whole(exact)) is not None and whole != int(x):
            return row, f"is {_shown(raw)}, which has too many digits for a 64-bit number: {APART}"
        if is_repeat and (abs(x) >= LARGEST_EXACT or _exact(given[row - 2]) != exact):
            return row, f"is {_shown(raw)}, and a 64-bit number cannot tell it from the row before: {APART}"
    return None


def _exact(raw: Any) -> Any:
    return exact_number(raw) if isinstance(raw, str) else raw


def _shown(raw: Any) -> str:
    return raw.strip() if isinstance(raw, str) else show(raw)


def _whole(raw: Any) -> int | None:
    """None for what has decimals or an exponent, which is rounded anyway."""
    if isinstance(raw, Decimal):
        return int(raw) if raw.as_tuple().exponent == 0 else None
    return raw if type(raw) is int else int(raw) if hasattr(type(raw), "__index__") else None
