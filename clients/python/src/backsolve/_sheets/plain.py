"""Calculates a workbook without an office program, with IronCalc (https://docs.ironcalc.com)."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from backsolve._errors import SpreadsheetError

from .places import Area
from .trace import Cell

UNKNOWN = ("#NAME?", "#N/IMPL!")
UNABLE = (*UNKNOWN, "#ERROR!", "#CIRC!")
"""Errors of IronCalc where it cannot read or calculate a formula. It also does not know names that stand for formulas."""
USUAL = ("#DIV/0!", "#NUM!", "#N/A")
"""Errors of numbers that are out of range or not there."""
MISSING = "IronCalc is not installed: pip install 'backsolve[spreadsheet]'"


class PlainEngine:
    """A workbook of formulas. Not to be used by two threads together."""

    def __init__(self, path: Path) -> None:
        """Raises SpreadsheetError where it cannot."""
        library = _library()
        try:
            self._model = library.load_from_xlsx(str(path), "en", "UTC", "en")
        except Exception as error:
            raise SpreadsheetError(f"IronCalc cannot read {path.name}: {error}") from None
        self._sheets = {each["name"]: index for index, each in enumerate(self._model.get_worksheets_properties())}

    @property
    def words(self) -> str:
        return f"plain formulas (IronCalc {importlib.metadata.version('ironcalc')})"

    def run(self, values: Mapping[Cell, Any], areas: Sequence[Area], _timeout: float) -> list[list[Any]]:
        """The values of areas, row by row, with these values in cells: numbers, texts, None of empty cells, or {"error": words}."""
        for (sheet, row, column), value in values.items():
            self._put(self._sheets[sheet], row, column, value)
        self._model.evaluate()
        return [
            [self._read(area.sheet, area.row + i, area.column + j) for i in range(area.rows) for j in range(area.columns)] for area in areas
        ]

    def _put(self, sheet: int, row: int, column: int, value: Any) -> None:
        if isinstance(value, bool):
            self._model.update_cell_with_bool(sheet, row, column, value)
        elif isinstance(value, str):
            self._model.update_cell_with_text(sheet, row, column, value)
        else:
            self._model.update_cell_with_number(sheet, row, column, float(value))

    def _read(self, sheet: str, row: int, column: int) -> Any:
        number = self._sheets[sheet]
        value = self._model.get_cell_value(number, row, column)
        if isinstance(value, str) and self._model.get_cell_type(number, row, column) == _library().CellType.ErrorValue:
            return {"error": value}
        return value

    def is_unable(self, value: Any) -> bool:
        return isinstance(value, dict) and value["error"] in UNABLE

    def end(self) -> None:
        """Nothing is held."""


def unknown_functions(names: Iterable[str]) -> list[str]:
    """Those that IronCalc does not have."""
    model = _library().create("functions", "en", "UTC", "en")
    found = []
    for name in names:
        model.set_user_input(0, 1, 1, f"={name}()")
        model.evaluate()
        if model.get_cell_value(0, 1, 1) in UNKNOWN:
            found.append(name)
    return found


def _library() -> Any:
    try:
        return importlib.import_module("ironcalc")
    except ImportError:
        raise SpreadsheetError(MISSING) from None


def is_doubtful(value: Any) -> bool:
    """Whether it is an error that IronCalc also has where another program calculates a value."""
    return isinstance(value, dict) and value["error"] not in USUAL
