"""Derivatives that a black box returns beside its outputs, as `(outputs, jacobian)`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ._errors import OutputError
from ._values import NotANumberError, number_of, plain
from .fitting import Fit
from .inputs import Input

Jacobian: TypeAlias = list[list[float | None]]
"""One row per output with one number per input; None where a derivative is not known."""
PAIR = 2
WITHOUT = ("boolean", "category")
"""Kinds of inputs along which nothing has a derivative."""


class Differentiated(list[float]):
    """Outputs with their derivatives."""

    def __init__(self, outputs: Iterable[float], jacobian: Jacobian) -> None:
        super().__init__(outputs)
        self.jacobian = jacobian


def jacobian_of(outcome: object) -> Jacobian | None:
    return outcome.jacobian if isinstance(outcome, Differentiated) else None


def split(given: Any, inputs: Mapping[str, Input], outputs: Sequence[str], *, is_curve: bool) -> tuple[Any, Any]:
    """
    Outputs and their derivatives, None without any. A pair of which the second part has a row per output, or is by name, holds derivatives;
    where there is one number as output, also one with a number per input. A pair of lists is a curve; `is_curve` says whether the only
    output is one.
    """
    if not isinstance(given, tuple) or len(given) != PAIR:
        return given, None
    try:
        second = plain(given[1])
    except NotANumberError:
        # An output like the first one; its reader says what is wrong.
        return given, None
    if isinstance(second, Mapping):
        names = (*outputs, *inputs) if len(outputs) == 1 else outputs
        is_by_name = bool(second) and all(name in names for name in second)
        rows = [plain(row) for row in second.values()]
        is_jacobian = is_by_name and (len(outputs) == 1 or all(row is None or isinstance(row, Mapping | Sequence) for row in rows))
    else:
        is_table = isinstance(second, Sequence) and not isinstance(second, str)
        rows = [plain(row) for row in second] if is_table else []
        is_jacobian = any(isinstance(row, Mapping | Sequence) for row in rows) or (is_table and len(outputs) == 1 and not is_curve)
    return (given[0], second) if is_jacobian else (given, None)


def read_jacobian(given: Any, inputs: Mapping[str, Input], goals: Mapping[str, Any]) -> Jacobian:
    """
    Rows in the order of the outputs, of which a fit has one per point. `goals` are by the names of the outputs; only fits matter.

    Raises OutputError where the shape is wrong, a derivative is infinite, or an input has none.
    """
    sizes = {name: len(goal.values) if isinstance(goal, Fit) else 1 for name, goal in goals.items()}
    total = sum(sizes.values())
    value = plain(given)
    only = next(iter(goals)) if len(goals) == 1 else None
    if only is not None and not (isinstance(value, Mapping) and only in value):
        value = {only: value}
    if isinstance(value, Mapping):
        unknown = [str(name) for name in value if name not in goals]
        if unknown:
            raise OutputError(f"The Jacobian has {' and '.join(unknown)}, which is not an output: {', '.join(goals)}.")
        return [row for name in goals for row in _rows_of(name, plain(value.get(name)), isinstance(goals[name], Fit), sizes[name], inputs)]
    rows = list(value)
    if len(rows) != total:
        raise OutputError(f"The Jacobian has {len(rows)} rows instead of {total}: one per output, with one number per input.")
    names = [name for name, size in sizes.items() for _ in range(size)]
    return [_row_of(name, plain(row), inputs) for name, row in zip(names, rows, strict=True)]


def _rows_of(name: str, given: Any, is_fit: bool, count: int, inputs: Mapping[str, Input]) -> Jacobian:
    """The rows of one output, or of all points of a fit."""
    if given is None:
        return [[None] * len(inputs) for _ in range(count)]
    if not is_fit:
        rows = [given[0]] if _is_table(given) and len(given) == 1 else [given]
        return [_row_of(name, plain(row), inputs) for row in rows]
    if isinstance(given, Mapping):
        columns = {each: [None] * count if column is None else list(plain(column)) for each, column in given.items()}
        if any(len(column) != count for column in columns.values()):
            raise OutputError(f"The derivatives of {name} need one number per point of its data, {count}: they are not interpolated.")
        return [_row_of(name, {each: column[k] for each, column in columns.items()}, inputs) for k in range(count)]
    rows = list(given)
    if len(rows) != count:
        raise OutputError(
            f"The derivatives of {name} need one row per point of its data, {count}, not {len(rows)}: they are not interpolated."
        )
    return [_row_of(name, plain(row), inputs) for row in rows]


def _is_table(given: Any) -> bool:
    return isinstance(given, Sequence) and any(isinstance(plain(row), Sequence | Mapping) for row in given)


def _row_of(output: str, given: Any, inputs: Mapping[str, Input]) -> list[float | None]:
    if given is None:
        return [None] * len(inputs)
    if isinstance(given, Mapping):
        unknown = [str(name) for name in given if name not in inputs]
        if unknown:
            raise OutputError(f"The derivatives of {output} have {' and '.join(unknown)}, which is not an input: {', '.join(inputs)}.")
        row = [given.get(name) for name in inputs]
    else:
        row = list(given) if isinstance(given, Sequence) else [given]
        if len(row) != len(inputs):
            raise OutputError(f"The derivatives of {output} are {len(row)} numbers instead of {len(inputs)}: {', '.join(inputs)}.")
    return [_number_of(output, name, each, value) for (name, each), value in zip(inputs.items(), row, strict=True)]


def _number_of(output: str, name: str, each: Input, given: Any) -> float | None:
    try:
        number = number_of(given)
    except NotANumberError as error:
        raise OutputError(f"The derivative of {output} by {name} {error}; None stands for one that is not known.") from None
    if math.isnan(number):
        return None
    if math.isinf(number):
        raise OutputError(f"The derivative of {output} by {name} is {number}. Return None where it is not known.")
    if each.kind in WITHOUT:
        if number == 0:
            return None
        raise OutputError(f"{output} has no derivative by {name}, which is a {each.kind}: return None for it.")
    return number
