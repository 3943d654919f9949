"""Whether an engine has the values with which a workbook was saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Protocol

from backsolve._errors import SpreadsheetError

from .book import Book
from .places import Area, cell_name
from .trace import Cell, Way

DIGITS = 1e-9
"""Largest relative difference of two values that agree."""
LAST_DIGIT = 2.0**-52
ROUNDINGS = 8
"""Engines add in different orders: so many times the movement by a last digit may be between them."""
CIRCLES = 10
"""An iteration that ends at a small change may be so many times as far from where it leads."""


class DiffersError(SpreadsheetError):
    """A formula has another value in the file."""


class DoubtedError(SpreadsheetError):
    """A formula may have a wrong value, and has none in the file."""


class Calculating(Protocol):
    def run(self, values: dict[Cell, Any], areas: list[Area], timeout: float) -> list[list[Any]]: ...

    def is_unable(self, value: Any) -> bool: ...


def agreement(name: str, engine: Calculating, book: Book, way: Way, doubt: Callable[[Cell, Any], str | None], timeout: float) -> str:
    """
    Says how many formulas agree. `doubt` is asked about formulas without a saved value. Raises DiffersError, DoubtedError, or another
    SpreadsheetError for what the engine cannot calculate, with the first such formula.
    """
    values = _calculated(engine, {}, way.formulas, timeout)
    uncompared = _changing(way)
    rounding = _Rounding(engine, book, way, values, timeout)
    agreed = 0
    for cell, value in values.items():
        if engine.is_unable(value):
            raise SpreadsheetError(f"{name} cannot calculate {cell_name(*cell)} ({value['error']})")
        saved = book.saved(*cell)
        if cell in uncompared:
            continue
        if saved is None:
            if (reason := doubt(cell, value)) is not None:
                raise DoubtedError(reason)
            continue
        if not same_value(value, saved) and not rounding.explains(cell, saved):
            raise DiffersError(f"{name} calculates {_shown(value)} in {cell_name(*cell)}, where the file has {_shown(saved)}")
        agreed += 1
    if not agreed:
        return "the file has no values to compare with"
    return f"{agreed} of {len(values)} formulas agree with the values in the file"


def _changing(way: Way) -> set[Cell]:
    """Cells that differ in each calculation, as far as formulas tell."""
    if not way.changing:
        return set()
    starts = way.changing | way.by_value
    return starts | way.after(starts)


def _calculated(engine: Calculating, values: dict[Cell, Any], cells: Iterable[Cell], timeout: float) -> dict[Cell, Any]:
    """Column by column, because LibreOffice is asked for each area."""
    areas: list[Area] = []
    for sheet, column, row in sorted((sheet, column, row) for sheet, row, column in cells):
        last = areas[-1] if areas else None
        if last is not None and (last.sheet, last.column, last.row + last.rows) == (sheet, column, row):
            areas[-1] = Area(sheet, last.row, column, last.rows + 1)
        else:
            areas.append(Area(sheet, row, column))
    found = engine.run(values, areas, timeout)
    return {(area.sheet, area.row + i, area.column): each for area, some in zip(areas, found, strict=True) for i, each in enumerate(some)}


class _Rounding:
    """Differences that are rounding: a sum that is nearly zero has none of the digits of what was added."""

    def __init__(self, engine: Calculating, book: Book, way: Way, values: Mapping[Cell, Any], timeout: float) -> None:
        self._engine = engine
        self._book = book
        self._way = way
        self._values = values
        self._timeout = timeout
        self._moved: list[dict[Cell, Any]] | None = None

    def explains(self, cell: Cell, saved: Any) -> bool:
        """Whether the value moves as far as it differs when the numbers that it is made of move in their last digits."""
        value = self._values[cell]
        if not _is_number(value) or not _is_number(saved):
            return False
        off = abs(value - saved)
        if cell in self._circle:
            return bool(off <= CIRCLES * self._book.settings.change)
        if off > DIGITS * self._largest_read(cell):
            return False
        moved = [each[cell] for each in self._all_moved()]
        return all(map(_is_number, moved)) and bool(off <= ROUNDINGS * max(abs(each - value) for each in moved))

    @cached_property
    def _circle(self) -> set[Cell]:
        if not self._book.settings.iterates or not self._way.circle:
            return set()
        return self._way.circle | self._way.after(self._way.circle)

    def _largest_read(self, cell: Cell) -> float:
        read = ((area.sheet, *at) for area in self._way.read_by(cell) for at in self._book.filled(area))
        numbers = (self._values[each] if each in self._values else self._book.value(*each) for each in read)
        return max((abs(each) for each in numbers if _is_number(each)), default=0.0)

    def _all_moved(self) -> list[dict[Cell, Any]]:
        if self._moved is None:
            made_of = [each for each in self._way.readers if not isinstance(each, Area) and each not in self._values]
            numbers = {each: value for each in made_of if isinstance(value := self._book.value(*each), float)}
            self._moved = [self._calculated_by(numbers, sign) for sign in (1, -1)]
            self._engine.run(dict(numbers), [], self._timeout)
        return self._moved

    def _calculated_by(self, numbers: Mapping[Cell, float], sign: int) -> dict[Cell, Any]:
        moved = {each: value * (1 + sign * (-1) ** k * LAST_DIGIT) for k, (each, value) in enumerate(numbers.items())}
        return _calculated(self._engine, moved, self._way.formulas, self._timeout)


def same_value(one: Any, other: Any) -> bool:
    """Whether two values agree: numbers to nine of their own digits. An empty text is an empty cell, and Err:502 any error of arguments."""
    one, other = (_comparable(each) for each in (one, other))
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= DIGITS * max(abs(one), abs(other))
    return bool(one == other)


def _comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return "#NUM! or #VALUE!" if value["error"] in ("#NUM!", "#VALUE!", "an invalid argument (Err:502)") else value["error"]
    if isinstance(value, (bool, int)):
        return float(value)
    return "" if value is None else value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _shown(value: Any) -> Any:
    return value["error"] if isinstance(value, dict) else "an empty text" if value in (None, "") else value
