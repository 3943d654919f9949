"""Which engine calculates a workbook. It is chosen once, before the first run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from backsolve._errors import SpreadsheetError

from .book import Book
from .office import OfficeEngine
from .places import Area, place_of, quoted
from .plain import PlainEngine, is_unable, same_value, unknown_functions
from .trace import CHANGING, Cell, Way

EngineName: TypeAlias = Literal["auto", "formulas", "libreoffice"]


class SheetEngine(Protocol):
    @property
    def words(self) -> str: ...

    def run(self, values: dict[Cell, Any], areas: Sequence[Area], timeout: float) -> list[list[Any]]: ...

    def end(self) -> None: ...


def choose_engine(wanted: EngineName, path: Path, book: Book, way: Way, opened: OfficeEngine | None = None) -> tuple[SheetEngine, str]:
    """The engine, and why it is this one. `opened` has the workbook already. Raises SpreadsheetError when none will do."""
    if wanted not in ("auto", "formulas", "libreoffice"):
        raise SpreadsheetError(f"engine must be auto, formulas or libreoffice, not {wanted}.")
    if wanted == "libreoffice":
        return opened or OfficeEngine(path), "as you ask"
    reason = "plain formulas read .xlsx only" if path.suffix.lower() == ".ods" else None
    try:
        if reason is None:
            engine = PlainEngine(path)
            reason, agreed = _fault_of(engine, book, way)
            if reason is None:
                return engine, agreed
    except SpreadsheetError as error:
        reason = str(error)
    if wanted == "formulas":
        raise SpreadsheetError(f"{book.name} cannot be calculated by plain formulas: {reason}.")
    try:
        return opened or OfficeEngine(path), f"because {reason}"
    except SpreadsheetError as error:
        raise SpreadsheetError(f"{book.name} cannot be calculated here. By plain formulas: {reason}. Otherwise: {error}.") from None


def _fault_of(engine: PlainEngine, book: Book, way: Way) -> tuple[str | None, str]:
    """Why plain formulas will not do, or else how many of them agree with the values in the file."""
    lacking = unknown_functions(way.functions)
    if lacking:
        places = ", ".join(f"{name} ({_place(way.functions[name])})" for name in lacking[:4])
        return f"IronCalc does not have the function {places}", ""
    if way.spanning is not None:
        return f"IronCalc does not read cells of several sheets together ({_place(way.spanning)})", ""
    cells = list(way.formulas)
    values = [value for (value,) in engine.run({}, [Area(*cell) for cell in cells], 0)]
    changing = {cell for name in CHANGING & way.functions.keys() for cell in way.formulas if name in way.formulas[cell].upper()}
    changing |= way.after(changing)
    agreed = 0
    for cell, value in zip(cells, values, strict=True):
        saved = book.saved(*cell)
        if is_unable(value):
            return f"IronCalc cannot calculate {_place(cell)} ({value['error']})", ""
        if saved is None or cell in changing:
            continue
        if not same_value(value, saved):
            got = value["error"] if isinstance(value, dict) else value
            return f"IronCalc calculates {got} in {_place(cell)}, where the file has {saved}", ""
        agreed += 1
    return (
        None,
        f"{agreed} of {len(cells)} formulas agree with the values in the file" if agreed else "the file has no values to compare with",
    )


def _place(cell: Cell) -> str:
    sheet, row, column = cell
    return f"{quoted(sheet)}!{place_of(row, column)}"
