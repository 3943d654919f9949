"""Finds the cells of a workbook that may be inputs and outputs, for people who choose among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from backsolve._errors import SpreadsheetError

from .book import Book
from .places import Area, quoted

MOST_CELLS = 400
"""Limit of each side. Larger workbooks name the cells that matter, or people write them."""
LONGEST_TEXT = 80
LABEL_REACH = 6
"""So many cells to the left of a number, or above it, its label is looked for."""


def survey(book: Book) -> Mapping[str, Any]:
    """Cells with names first, then the others in their order, each with its label and its present value."""
    names = _named_cells(book)
    found: dict[str, list[Mapping[str, Any]]] = {"inputs": [], "outputs": []}
    for area in [*names, *(each for each in _cells(book) if each not in names)]:
        side = _side_of(book, area)
        if len(found[side]) < MOST_CELLS and _may_be(book, area, side):
            found[side].append(
                {"cell": str(area), "name": names.get(area), "label": _label_of(book, area), "value": _value_of(book, area, side)}
            )
    return found


def _named_cells(book: Book) -> dict[Area, str]:
    """Not those with hidden names, which Excel and its Solver define for themselves."""
    found: dict[Area, str] = {}
    for name in book.names.visible():
        try:
            area = book.area(name.spelled if name.sheet is None else f"{quoted(name.sheet)}!{name.spelled}")
        except SpreadsheetError:
            continue
        if area.is_cell:
            found.setdefault(area, name.spelled[:LONGEST_TEXT])
    return found


def _cells(book: Book) -> Iterator[Area]:
    """Cells of the sheets that people see."""
    for sheet in book.sheets:
        if not book.is_hidden(sheet):
            yield from (Area(sheet, row, column) for row, column in sorted(book.cells(sheet)))


def _side_of(book: Book, area: Area) -> str:
    return "inputs" if book.formula(area.sheet, area.row, area.column) is None else "outputs"


def _may_be(book: Book, area: Area, side: str) -> bool:
    where = area.sheet, area.row, area.column
    if side == "outputs":
        return isinstance(book.saved(*where), (float, type(None)))
    return isinstance(book.value(*where), float) and not book.is_locked(area) and not book.merged_into(area)


def _value_of(book: Book, area: Area, side: str) -> float | None:
    value = (book.value if side == "inputs" else book.saved)(area.sheet, area.row, area.column)
    return value if isinstance(value, float) else None


def _label_of(book: Book, area: Area) -> str | None:
    """The nearest text to the left, else above."""
    left = ((area.row, area.column - each) for each in range(1, LABEL_REACH))
    above = ((area.row - each, area.column) for each in range(1, LABEL_REACH))
    for row, column in (*left, *above):
        text = book.value(area.sheet, row, column) if row > 0 and column > 0 else None
        if isinstance(text, str) and text.strip():
            return text.strip()[:LONGEST_TEXT]
    return None
