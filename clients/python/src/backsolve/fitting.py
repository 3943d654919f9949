"""Data that outputs are to come near to, all together: fit(values, sigma=...), or a file with fit("level.csv", x="time", y="level")."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from ._curves import interpolate, merged_in
from ._errors import OutputError
from ._tables import Layout, TableError, read_columns, read_number
from ._values import NotANumberError, is_container, list_of, number, numbers_in, numbers_of, show, stated, table_of, vector_of
from .inputs import Value

Loss: TypeAlias = Literal["linear", "soft_l1", "huber", "cauchy"]
Sigma: TypeAlias = float | Sequence[float] | Mapping[Literal["relative"], float] | str
"""One standard error of all values, one of each, {"relative": 0.02} of each value, or the name of a column of the file."""
PAIR = 2


@dataclass(frozen=True)
class Fit:
    """Measured values of one output that is an array. Make one with fit."""

    values: tuple[float, ...]
    """Without gaps."""
    positions: tuple[int, ...]
    """Positions of the values among all points, gaps included."""
    count: int
    """Points, gaps included."""
    x: tuple[float, ...] | None
    """Points at which they were measured, one per value; None if only their order is known."""
    sigma: float | tuple[float, ...] | Mapping[str, float] | None
    weight: float
    loss: Loss
    columns: tuple[str, str] = ("x", "y")
    when: Mapping[str, Value] | None = None
    """The conditions under which they were measured, which the black box gets beside the inputs."""
    output: str | None = None
    """The output of the black box that they are about; None: that of the name of the goal."""

    def __str__(self) -> str:
        return f"fit to {len(self.values)} values"

    def names_of(self, name: str) -> list[str]:
        """Names under which the service knows the points of an output."""
        return [f"{name}[{position}]" for position in self.positions]

    def body_of(self, name: str, first: int) -> dict[str, Any]:
        """The data set for the service. `first` is the number of its first output."""
        sigma = list(self.sigma) if isinstance(self.sigma, tuple) else self.sigma
        outputs = list(range(first, first + len(self.values)))
        return {"name": name, "outputs": outputs, "sigma": sigma, "weight": self.weight, "loss": self.loss}

    def read(self, name: str, given: Any) -> list[float]:
        """The values of a black box at the points of the data, NaN where one is missing. Raises OutputError when it is no such curve."""
        try:
            return self._read(name, given)
        except NotANumberError as error:
            raise OutputError(f"The output {name} {error}.") from None
        except ValueError as error:
            raise OutputError(str(error)) from None

    def _read(self, name: str, given: Any) -> list[float]:
        what = f"the output {name}"
        named = table_of(given)
        columns = _pair_in(given) if named is None and self.x is not None else None
        if named is not None:
            columns = self._columns_of(name, named)
        if columns is not None:
            if self.x is None:
                raise OutputError(f"The output {name} has a grid, but its data have no x: return an array of {self.count} values.")
            grid, values = vector_of(f"the grid of the output {name}", columns[0]), vector_of(what, columns[1])
            return interpolate(name, grid, values, self.x)
        if not is_container(given):
            raise OutputError(f"The output {name} must be an array of {self.count} values, not {show(given)}.")
        curve = vector_of(what, given)
        if len(curve) != self.count:
            grid_hint = " Return a pair of arrays, the grid and the values on it, to have them interpolated." if self.x is not None else ""
            raise OutputError(f"The output {name} has {len(curve)} values instead of {self.count}, as many as its data.{grid_hint}")
        numbers = numbers_in(what, curve)
        return [numbers[position] for position in self.positions]

    def _columns_of(self, name: str, curve: Mapping[Any, Any]) -> list[Any]:
        x, y = next((pair for pair in (self.columns, ("x", "y")) if all(each in curve for each in pair)), (None, None))
        if x is None:
            wanted = " and ".join(self.columns)
            raise OutputError(f"The output {name} has no {wanted}; it has {', '.join(map(str, curve)) or 'nothing'}.")
        return [curve[x], curve[y]]


def _pair_in(given: Any) -> list[Any] | None:
    """A grid and the values on it; None for a single array, also one of MATLAB with one column."""
    rows = list_of(given)
    while rows is not None and len(rows) == 1:
        rows = list_of(rows[0])
    if rows is None or len(rows) != PAIR or not all(map(is_container, rows)):
        return None
    return rows if any(_length_of(row) > 1 for row in rows) else None


def _length_of(column: Any) -> int:
    try:
        return len(vector_of("it", column))
    except ValueError:
        # Whoever reads the column says what is wrong with it.
        return PAIR


def fit(
    data: Any,
    sigma: Sigma | None = None,
    *,
    x: Any = None,
    y: str | None = None,
    weight: float = 1.0,
    loss: Loss = "linear",
    when: Mapping[str, Value] | None = None,
    output: str | None = None,
    titles: int | Sequence[str] | None = None,
    rows_from: int = 0,
) -> Fit:
    """
    An output that is to come near to measured values: fit([2.0, 1.4, 1.0], sigma=0.05).

    The output is then an array, of one number per value. NaN in the data is a gap, which counts nothing. With `x`, where the values were
    measured, the black box may return a curve on a grid of its own instead, as a pair of arrays or a table with the columns x and y; it is
    interpolated linearly, and jumps where several rows have one x: at x itself the row towards larger x counts. `data` may be a CSV file:
    fit("level.csv", x="time", y="level").

    Arrays, Series and columns of numpy, pandas, pyarrow, polars, xarray, astropy, pint, scipy.io.loadmat and others are read as the numbers
    that they have, with None, NA and masked elements as gaps. Numbers have no unit here: durations, times and quantities are refused until
    they are divided by one, and so are texts and complex numbers; True and False are 1 and 0.

    Titles that are not in the first line of the file are stated by `titles`: the number of their line, the titles themselves, or "none"; a
    column is then named by its number, as in y="2". `rows_from` is the line of the first row where units stand between titles and rows.

    `sigma` is the standard error of the values: a number, one per value, {"relative": 0.02}, or a column of the file. Without it the errors
    are equal and unknown, and are estimated. `weight` is a factor on what the data count beside others, `loss` lets large residuals count
    less, as scipy names it; it needs `sigma`.

    Data that were measured under different conditions are goals of their own, each with its conditions in `when`. The black box is then
    called once under each of them, with the conditions as further arguments, and all these calls are one run of the search. `output` names
    the output that the data are about where several data sets share it: {"cold": fit(a, when={"T": 280}, output="level"), "warm": ...}.

    Raises ValueError for wrong data, with the row.
    """
    columns = ("x", "y")
    if isinstance(data, str | PathLike):
        if not isinstance(x, str) or y is None:
            raise ValueError('A file needs the names of its columns: fit("level.csv", x="time", y="level").')
        columns = (x, y)
        data, x, sigma = _read_file(Path(data), x, y, sigma, Layout(titles, rows_from))
    elif y is not None or isinstance(x, str) or titles is not None or rows_from:
        raise ValueError("Names of columns belong to a file; give the data and x as arrays.")
    elif isinstance(sigma, str):
        raise ValueError("sigma names a column of a file; for an array give numbers.")
    values = numbers_of("data", data)
    positions = tuple(i for i, value in enumerate(values) if not math.isnan(value))
    if not positions:
        raise ValueError("The data have no value.")
    if (row := next((row for row, value in enumerate(values, 1) if math.isinf(value)), None)) is not None:
        raise ValueError(f"The data must be finite numbers, or NaN for a gap: row {row} is {show(values[row - 1])}.")
    at = None if x is None else _where(x)
    if at is not None and len(at) != len(values):
        raise ValueError(f"x has {len(at)} numbers for {len(values)} values.")
    if at is not None and (row := next((i + 1 for i in positions if not math.isfinite(at[i])), None)) is not None:
        raise ValueError(f"x must be finite where there is a value: row {row} is {show(at[row - 1])}.")
    if loss not in get_args(Loss):
        raise ValueError(f"loss must be one of {', '.join(get_args(Loss))}, is {loss!r}.")
    if loss != "linear" and sigma is None:
        raise ValueError(f"The loss {loss} needs sigma, which says from where on a residual counts less.")
    if output is not None and not when:
        raise ValueError("output names what the black box returns under the conditions in when: give when, or leave out output.")
    return Fit(
        values=tuple(values[i] for i in positions),
        positions=positions,
        count=len(values),
        x=None if at is None else tuple(at[i] for i in positions),
        sigma=_errors(sigma, values, positions),
        weight=number("weight", weight),
        loss=loss,
        columns=columns,
        when={name: _condition(name, value) for name, value in when.items()} if when else None,
        output=output,
    )


def _errors(sigma: Any, values: Sequence[float], positions: Sequence[int]) -> float | tuple[float, ...] | Mapping[str, float] | None:
    if sigma is None:
        return None
    if isinstance(sigma, Mapping):
        if set(sigma) != {"relative"} or not (share := number("sigma", sigma["relative"])) > 0:
            raise ValueError('sigma must be a number, one per value, or {"relative": 0.02}.')
        if any(values[i] == 0 for i in positions):
            raise ValueError("A relative sigma needs values other than 0: give numbers.")
        return {"relative": share}
    is_one = not is_container(sigma)
    errors = [number("sigma", sigma)] if is_one else numbers_of("sigma", sigma)
    if not is_one:
        if len(errors) != len(values):
            raise ValueError(f"sigma has {len(errors)} numbers for {len(values)} values.")
        if (row := next((i + 1 for i in positions if not 0 < errors[i] < math.inf), None)) is not None:
            raise ValueError(f"sigma must be positive and finite where there is a value: row {row} is {show(errors[row - 1])}.")
        return tuple(errors[i] for i in positions)
    if not 0 < errors[0] < math.inf:
        raise ValueError(f"sigma must be positive and finite, is {show(errors[0])}.")
    return errors[0]


def _condition(name: str, given: Any) -> Value:
    value = stated(f"The condition {name}", given)
    if isinstance(value, str | bool | int | float):
        return value
    raise ValueError(f"The condition {name} must be a number, a text, True or False, not {show(given)}.")


def _where(given: Any) -> list[float]:
    """Points at which the values were measured."""
    items = vector_of("x", given)
    numbers = numbers_in("x", items)
    if (merged := merged_in(items, numbers)) is not None:
        raise ValueError(f"Row {merged[0]} of x {merged[1]}.")
    return numbers


def _read_file(path: Path, x: str, y: str, sigma: Any, layout: Layout) -> tuple[list[float], list[float], Any]:
    """The columns of a CSV file; an empty cell is a gap."""
    wanted = [x, y, *([sigma] if isinstance(sigma, str) else [])]
    try:
        table = read_columns(path.read_bytes().decode(errors="replace"), wanted, layout)
    except TableError as error:
        raise ValueError(f"{path}: {error}.") from error

    def column(name: str) -> list[float]:
        at = table.places[wanted.index(name)]
        return [_read_cell(row.cells[at], f"{path}, line {row.line}: {name}") for row in table.rows]

    values, at, errors = column(y), column(x), column(sigma) if isinstance(sigma, str) else None
    if (merged := merged_in([row.cells[table.places[wanted.index(x)]] for row in table.rows], at)) is not None:
        raise ValueError(f"{path}, line {table.rows[merged[0] - 1].line}: {x} {merged[1]}.")
    for i, value in enumerate(values):
        where = f"{path}, line {table.rows[i].line}"
        if math.isnan(value):
            continue
        if math.isnan(at[i]):
            raise ValueError(f"{where}: {x} is empty, but {y} is not.")
        if errors is not None and not errors[i] > 0:
            found = "empty" if math.isnan(errors[i]) else errors[i]
            raise ValueError(f"{where}: {sigma} must be positive where there is a value, is {found}.")
    return values, at, sigma if errors is None else errors


def _read_cell(cell: str, where: str) -> float:
    if cell == "" or cell.lower() == "nan":
        return math.nan
    number = read_number(cell)
    if number is not None and math.isfinite(number):
        return number
    comma = "; write a decimal point" if re.fullmatch(r"[-+]?[0-9]+,[0-9]+", cell) else ""
    raise ValueError(f"{where} is {cell!r}, which is not a number{comma}.")
