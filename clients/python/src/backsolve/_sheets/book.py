"""Reads what is in a workbook: its sheets, names, formulas and the values that it was saved with. Nothing is calculated here."""

from __future__ import annotations

import difflib
import importlib
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from backsolve._errors import SpreadsheetError

from .names import ABSOLUTE, Name, Names
from .places import Area, area_of, quoted, split_sheet
from .settings import Settings, settings_of

OLD_OFFICE = b"\xd0\xcf\x11\xe0"
"""First bytes of a file that is encrypted, or of Excel 97."""
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
        self.settings: Settings = settings_of(self._formulas.backsolve_part, self._formulas.epoch.year == 1904)
        self.names = Names(self._formulas)

    def _load(self, is_cached: bool) -> Any:
        try:
            openpyxl = importlib.import_module("openpyxl")
        except ImportError:
            raise SpreadsheetError(f"{self.name} {MISSING}") from None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _read_numbers(openpyxl, self.source, is_cached)
        except MemoryError:
            raise
        except Exception as error:
            raise SpreadsheetError(f"{self.name} cannot be read as a workbook: {error}") from None

    @cached_property
    def _cached(self) -> Any:
        return self._load(is_cached=True)

    @cached_property
    def tables(self) -> dict[str, Area]:
        """By their names in capitals."""
        areas = ((name, area_of(sheet.title, place)) for sheet in self._formulas.worksheets for name, place in sheet.tables.items())
        return {name.upper(): area for name, area in areas if area is not None}

    @cached_property
    def shared_areas(self) -> dict[str, list[tuple[Area, str]]]:
        """By sheet: ranges of several cells that one formula fills, an array formula or a data table, with that formula."""
        found: dict[str, list[tuple[Area, str]]] = {}
        for sheet in self.sheets:
            for cell in self._cells(sheet).values():
                area = area_of(sheet, getattr(cell.value, "ref", None) or "")
                if area is not None and not area.is_cell:
                    found.setdefault(sheet, []).append((area, _formula_text(cell.value)))
        return found

    def area(self, text: str) -> Area:
        """Area of B3, Sheet1!B3:B40, or a name, as width or Sheet1!width. Raises SpreadsheetError, which says what there is instead."""
        sheet, rest = split_sheet(text)
        if sheet is None and area_of("", rest) is None:
            return self._area_of_name(self._name(rest))
        own = self._sheet(sheet, text)
        found = area_of(own, rest)
        if found is None and (name := self.names.seen_from(own, rest)) is not None:
            return self._area_of_name(name)
        if found is None:
            raise SpreadsheetError(f"{text} is not a cell: write it as {self.sheets[0]}!B3.")
        return found

    def has_name(self, name: str) -> bool:
        return self.names.seen_from(None, name) is not None or bool(self.names.of_sheets(name))

    def is_hidden(self, sheet: str) -> bool:
        return bool(self._formulas[sheet].sheet_state != "visible")

    def cells(self, sheet: str) -> Iterable[tuple[int, int]]:
        """Row and column of all that are not empty."""
        return self._cells(sheet)

    def _name(self, name: str) -> Name:
        """That of the workbook, or else that of the only sheet that has it."""
        of_sheets = self.names.of_sheets(name)
        found = self.names.seen_from(None, name) or (of_sheets[0] if len(of_sheets) == 1 else None)
        if found is not None:
            return found
        if of_sheets:
            ways = " or ".join(f"{quoted(each.sheet or '')}!{each.spelled}" for each in of_sheets[:6])
            raise SpreadsheetError(f"Several sheets of {self.name} have a cell named {name}: write {ways}.")
        known = [each.spelled for each in self.names.visible()]
        raise SpreadsheetError(f"{self.name} has no cell named {name}{_nearest(name, known) or '.'}")

    def _area_of_name(self, name: Name) -> Area:
        sheet, rest = split_sheet(name.text)
        found = None if area_of("", rest) is None else area_of(self._sheet(sheet, name.spelled), rest)
        if found is None:
            raise SpreadsheetError(f"The name {name.spelled} in {self.name} is not a cell or range, but {name.text}.")
        if not ABSOLUTE.fullmatch(rest):
            fixed = f"{quoted(found.sheet)}!{found.absolute}"
            raise SpreadsheetError(
                f"The name {name.spelled} in {self.name} means another cell in each cell that uses it ({name.text}): define it as {fixed}."
            )
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
        if cell is not None and cell.data_type == "f":
            return _formula_text(cell.value)
        return next((text for area, text in self.shared_areas.get(sheet, ()) if area.has(sheet, row, column)), None)

    def is_array(self, sheet: str, row: int, column: int) -> bool:
        """Whether its formula is entered as one of an array, in which ranges stand for all of their cells."""
        cell = self._cells(sheet).get((row, column))
        return cell is None or not isinstance(cell.value, str)

    def value(self, sheet: str, row: int, column: int) -> Any:
        """The number, text or boolean in a cell, or None."""
        cell = self._cells(sheet).get((row, column))
        return None if cell is None or cell.data_type == "f" else self._plain(cell.value)

    def saved(self, sheet: str, row: int, column: int) -> Any:
        """
        The value that a formula had when the file was saved: a number, text, boolean or {"error": words}; None in a file that was never
        calculated. XlsxWriter gives 0 to all formulas, and asks that they are calculated on opening.
        """
        cell = self._cached[sheet]._cells.get((row, column))
        if cell is None:
            return None
        if cell.value is None:
            return "" if cell.data_type == "str" else None
        value = self._plain(cell.value)
        if value == 0 and not isinstance(value, bool) and self.settings.is_calculated_on_opening:
            return None
        return {"error": value} if cell.data_type == "e" else value

    def _plain(self, value: Any) -> Any:
        """Numbers as floats, also dates that the file has as texts of ISO 8601."""
        if isinstance(value, (bool, str, type(None))):
            return value
        if isinstance(value, (int, float)):
            return float(value)
        return float(importlib.import_module("openpyxl.utils.datetime").to_excel(value, epoch=self._formulas.epoch))

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
        shared = [each for each, _ in self.shared_areas.get(area.sheet, ()) if each.meets(area)]
        if not shared:
            yield from self._written(area)
            return
        yield from sorted({*self._written(area), *(at for each in shared for at in each.common(area))})

    def _written(self, area: Area) -> Iterator[tuple[int, int]]:
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


def _read_numbers(openpyxl: Any, source: Path | BinaryIO, is_cached: bool) -> Any:
    """As load_workbook, but dates stay the numbers in the file, which depend on where dates begin and lose digits as dates."""
    kind: type[Any] = importlib.import_module("openpyxl.reader.excel").ExcelReader

    class Reader(kind):  # type: ignore[misc]
        def read_workbook(self) -> None:
            super().read_workbook()
            self.wb.backsolve_part = self.archive.read(self.parser.workbook_part_name)

        def read_worksheets(self) -> None:
            self.wb._date_formats = self.wb._timedelta_formats = frozenset()
            super().read_worksheets()

    reader = Reader(source, data_only=is_cached, keep_links=False)
    reader.read()
    return reader.wb


def _nearest(name: str, known: list[str]) -> str:
    by_capitals = {each.upper(): each for each in known}
    near = difflib.get_close_matches(name.upper(), by_capitals, n=1)
    return f"; did you mean {by_capitals[near[0]]}?" if near else ""


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"
