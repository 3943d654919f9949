"""What is in a workbook: its sheets, names, formulas and the values that it was saved with. Nothing is calculated here."""

from __future__ import annotations

import datetime
import difflib
import importlib
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from backsolve._errors import SpreadsheetError

from .places import Area, area_of, split_sheet

OLD_OFFICE = b"\xd0\xcf\x11\xe0"
"""How a file begins that is encrypted, or of Excel 97."""
FORMATS = (".xlsx", ".ods")
LARGEST_UNPACKED = 400 * 1024 * 1024
MISSING = "needs openpyxl: pip install 'backsolve[spreadsheet]'."


def refuse_file(path: Path) -> None:
    """Raises SpreadsheetError for a file that no engine will read, whatever cells are wanted."""
    if path.suffix.lower() in (".xlsm", ".xlsb", ".xls", ".xltm"):
        extra = ", without its macros, which are never run" if path.suffix.lower() in (".xlsm", ".xltm") else ""
        raise SpreadsheetError(f"{path.name} cannot be read: save a copy as .xlsx{extra}.")
    if path.suffix.lower() not in FORMATS:
        raise SpreadsheetError(f"{path.name} must be a workbook, .xlsx or .ods.")
    if not path.is_file():
        raise SpreadsheetError(f"There is no workbook {path}.")
    with path.open("rb") as file:
        if file.read(4) == OLD_OFFICE:
            raise SpreadsheetError(f"{path.name} is protected by a password: save a copy without one.")
    try:
        with zipfile.ZipFile(path) as package:
            refuse_package(package, path.name)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise SpreadsheetError(f"{path.name} cannot be read as a workbook: {error}.") from None


def refuse_package(package: zipfile.ZipFile, name: str, largest: int = LARGEST_UNPACKED) -> None:
    names = package.namelist()
    if sum(each.file_size for each in package.infolist()) > largest:
        raise SpreadsheetError(f"{name} would unpack to more than {largest >> 20} MiB.")
    if any(each.endswith("vbaProject.bin") for each in names):
        raise SpreadsheetError(f"{name} contains macros, which are never run: save a copy as .xlsx without them.")
    if "META-INF/manifest.xml" in names and b"encryption-data" in package.read("META-INF/manifest.xml"):
        raise SpreadsheetError(f"{name} is protected by a password: save a copy without one.")


class Book:
    """An .xlsx file."""

    def __init__(self, source: Path | BinaryIO, name: str | None = None) -> None:
        """`name` is what messages call it. Raises SpreadsheetError when it cannot be read."""
        self.source = source
        self.name = name or (source.name if isinstance(source, Path) else "the workbook")
        self._formulas = self._load(is_cached=False)
        self.sheets: list[str] = [sheet.title for sheet in self._formulas.worksheets]

    def _load(self, is_cached: bool) -> Any:
        try:
            openpyxl = importlib.import_module("openpyxl")
        except ImportError:
            raise SpreadsheetError(f"{self.name} {MISSING}") from None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return openpyxl.load_workbook(self.source, data_only=is_cached, keep_links=False)
        except MemoryError:
            raise
        except Exception as error:
            raise SpreadsheetError(f"{self.name} cannot be read as a workbook: {error}") from None

    @cached_property
    def _cached(self) -> Any:
        return self._load(is_cached=True)

    @cached_property
    def names(self) -> dict[str, str]:
        """What defined names stand for, by their names in capitals. Those of one sheet count where no other has the name."""
        local = {name.upper(): each.attr_text for sheet in self._formulas.worksheets for name, each in sheet.defined_names.items()}
        return {**local, **{name.upper(): each.attr_text for name, each in self._formulas.defined_names.items()}}

    @cached_property
    def tables(self) -> dict[str, Area]:
        """By their names in capitals."""
        areas = ((name, area_of(sheet.title, place)) for sheet in self._formulas.worksheets for name, place in sheet.tables.items())
        return {name.upper(): area for name, area in areas if area is not None}

    def area(self, text: str) -> Area:
        """What B3, Sheet1!B3:B40 or a defined name means. Raises SpreadsheetError, which says what there is instead."""
        sheet, rest = split_sheet(text)
        if sheet is None and area_of("", rest) is None:
            return self._named(rest)
        found = area_of(self._sheet(sheet, text), rest)
        if found is None:
            raise SpreadsheetError(f"{text} is not a cell: write it as {self.sheets[0]}!B3.")
        return found

    def has_name(self, name: str) -> bool:
        return name.upper() in self.names

    def spelling(self, name: str) -> str:
        """Of a defined name, as its author wrote it."""
        own = [*self._formulas.defined_names, *(each for sheet in self._formulas.worksheets for each in sheet.defined_names)]
        return next((each for each in own if each.upper() == name.upper()), name)

    def cells(self, sheet: str) -> Iterable[tuple[int, int]]:
        """Row and column of all that are not empty."""
        return self._cells(sheet)

    def _named(self, name: str) -> Area:
        if not self.has_name(name):
            raise SpreadsheetError(f"{self.name} has no cell named {name}{_nearest(name, list(self.names)) or '.'}")
        sheet, rest = split_sheet(self.names[name.upper()].lstrip("="))
        found = None if area_of("", rest) is None else area_of(self._sheet(sheet, name), rest)
        if found is None:
            raise SpreadsheetError(f"The name {name} in {self.name} is no cell or range, but {self.names[name.upper()]}.")
        return found

    def _sheet(self, name: str | None, text: str) -> str:
        if name is None:
            if len(self.sheets) == 1:
                return self.sheets[0]
            raise SpreadsheetError(f"{text} needs its sheet, as in {self.sheets[0]}!{text}: {self.name} has {_listed(self.sheets)}.")
        by_capitals = {sheet.upper(): sheet for sheet in self.sheets}
        if name.upper() not in by_capitals:
            hint = _nearest(name, self.sheets) or f"; it has {_listed(self.sheets)}."
            raise SpreadsheetError(f"{self.name} has no sheet {name}{hint}")
        return by_capitals[name.upper()]

    def formula(self, sheet: str, row: int, column: int) -> str | None:
        """With its =, or None where the cell has none."""
        cell = self._cells(sheet).get((row, column))
        return None if cell is None or cell.data_type != "f" else _formula_text(cell.value)

    def value(self, sheet: str, row: int, column: int) -> Any:
        """The number, text or boolean in a cell, or None."""
        cell = self._cells(sheet).get((row, column))
        return None if cell is None or cell.data_type == "f" else plain_value(cell.value)

    def saved(self, sheet: str, row: int, column: int) -> Any:
        """The value that a formula had when the file was saved; None in a file that was never calculated."""
        cell = self._cached[sheet]._cells.get((row, column))
        return None if cell is None else plain_value(cell.value)

    def merged_into(self, area: Area) -> str | None:
        """The range that hides this cell, because only its first one counts."""
        for merged in self._formulas[area.sheet].merged_cells.ranges:
            if (area.row, area.column) in ((row, column) for row, column in merged.cells) and (
                (area.row, area.column) != (merged.min_row, merged.min_col)
            ):
                return str(merged)
        return None

    def is_locked(self, area: Area) -> bool:
        """Whether its sheet is protected and the cell is not one of those that may be changed."""
        sheet = self._formulas[area.sheet]
        cell = self._cells(area.sheet).get((area.row, area.column))
        return bool(sheet.protection.sheet) and (cell is None or bool(cell.protection.locked))

    def filled(self, area: Area) -> Iterator[tuple[int, int]]:
        """The cells of an area that are not empty."""
        cells = self._cells(area.sheet)
        if area.rows * area.columns > len(cells):
            yield from ((row, column) for row, column in cells if area.has(area.sheet, row, column))
            return
        for row in range(area.row, area.row + area.rows):
            for column in range(area.column, area.column + area.columns):
                if (row, column) in cells:
                    yield row, column

    def _cells(self, sheet: str) -> dict[tuple[int, int], Any]:
        found: dict[tuple[int, int], Any] = self._formulas[sheet]._cells
        return found


def _formula_text(value: Any) -> str:
    """An array formula is an object with its text; a data table has none."""
    return value if isinstance(value, str) else str(getattr(value, "text", None) or "=TABLE()")


EPOCH = datetime.datetime(1899, 12, 30)


def plain_value(value: Any) -> Any:
    """Dates and times as the numbers that formulas see."""
    if isinstance(value, datetime.datetime):
        return (value - EPOCH).total_seconds() / 86400
    if isinstance(value, datetime.date):
        return float((value - EPOCH.date()).days)
    if isinstance(value, datetime.time):
        return (value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6) / 86400
    if isinstance(value, datetime.timedelta):
        return value.total_seconds() / 86400
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _nearest(name: str, known: list[str]) -> str:
    by_capitals = {each.upper(): each for each in known}
    near = difflib.get_close_matches(name.upper(), by_capitals, n=1)
    return f"; did you mean {by_capitals[near[0]]}?" if near else ""


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"
