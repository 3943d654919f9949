"""Names places in a workbook: cells and ranges, as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
CELL = r"\$?([A-Za-z]{1,3})\$?([1-9]\d{0,6})"
RANGE = re.compile(rf"{CELL}(?::{CELL})?")
COLUMNS = re.compile(r"\$?([A-Za-z]{1,3}):\$?([A-Za-z]{1,3})")
ROWS = re.compile(r"\$?(\d{1,7}):\$?(\d{1,7})")


@dataclass(frozen=True)
class Area:
    """Cells of one sheet, a rectangle. Rows and columns are from 1, as people count."""

    sheet: str
    row: int
    column: int
    rows: int = 1
    columns: int = 1

    @property
    def is_cell(self) -> bool:
        return self.rows == self.columns == 1

    def has(self, sheet: str, row: int, column: int) -> bool:
        return sheet == self.sheet and 0 <= row - self.row < self.rows and 0 <= column - self.column < self.columns

    def meets(self, other: Area) -> bool:
        return any(True for _ in self.common(other))

    def common(self, other: Area) -> Iterator[tuple[int, int]]:
        """Row and column of the cells that both have."""
        if self.sheet != other.sheet:
            return
        for row in range(max(self.row, other.row), min(self.row + self.rows, other.row + other.rows)):
            for column in range(max(self.column, other.column), min(self.column + self.columns, other.column + other.columns)):
                yield row, column

    @property
    def absolute(self) -> str:
        """As names have it: $B$3."""
        return re.sub(r"([A-Z]+)(\d+)", r"$\1$\2", str(self).rpartition("!")[2])

    def __str__(self) -> str:
        first = place_of(self.row, self.column)
        last = place_of(self.row + self.rows - 1, self.column + self.columns - 1)
        return f"{quoted(self.sheet)}!{first}" + ("" if self.is_cell else f":{last}")


def place_of(row: int, column: int) -> str:
    """B3 for (3, 2)."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row}"


def cell_name(sheet: str, row: int, column: int) -> str:
    """Sheet1!B3."""
    return f"{quoted(sheet)}!{place_of(row, column)}"


def column_of(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def quoted(sheet: str) -> str:
    return sheet if re.fullmatch(r"[^\W\d]\w*", sheet) else "'" + sheet.replace("'", "''") + "'"


def split_sheet(text: str) -> tuple[str | None, str]:
    """The sheet of a reference, if it names one, and the rest: 'My sheet'!B3, Sheet1!B3, B3."""
    sheet, mark, rest = text.strip().rpartition("!")
    if not mark:
        return None, rest
    if sheet.startswith("'") and sheet.endswith("'"):
        sheet = sheet[1:-1].replace("''", "'")
    return sheet, rest


def area_of(sheet: str, text: str) -> Area | None:
    """The area that B3, B3:C9, B:C or 3:9 is; None for any other text, or one outside of every sheet."""
    if found := RANGE.fullmatch(text):
        left, top, right, bottom = found.groups()
        return _between(sheet, int(top), column_of(left), int(bottom or top), column_of(right or left))
    if found := COLUMNS.fullmatch(text):
        return _between(sheet, 1, column_of(found[1]), LAST_ROW, column_of(found[2]))
    if (found := ROWS.fullmatch(text)) and int(found[1]):
        return _between(sheet, int(found[1]), 1, int(found[2]), LAST_COLUMN)
    return None


def _between(sheet: str, row: int, column: int, last_row: int, last_column: int) -> Area | None:
    row, last_row = sorted((row, last_row))
    column, last_column = sorted((column, last_column))
    if row < 1 or last_row > LAST_ROW or last_column > LAST_COLUMN:
        return None
    return Area(sheet, row, column, last_row - row + 1, last_column - column + 1)
