"""spreadsheet: a workbook as the black box."""

from __future__ import annotations

import atexit
import functools
import hashlib
import inspect
import io
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ._errors import SpreadsheetError
from ._sheets.best_copy import write_copy
from ._sheets.book import Book, refuse_file
from ._sheets.check import Checked, cell_of, check_book
from ._sheets.choice import LONGEST_RUN_SECONDS, EngineName, SheetEngine, choose_engine
from ._sheets.office import OfficeEngine
from ._sheets.trace import Cell
from ._sheets.values import placed, read_output
from .inputs import Value

Cells: TypeAlias = Mapping[str, str | None] | Sequence[str]
"""Places of inputs or outputs, by name: Sheet1!B3, a name of the workbook, or Sheet1!name for one of a sheet. Names alone are names of the
workbook.
"""


def spreadsheet(
    path: str | Path, inputs: Cells, outputs: Cells, *, engine: EngineName = "auto", timeout: float = LONGEST_RUN_SECONDS
) -> Spreadsheet:
    """
    A workbook, .xlsx or .ods, as the black box of `solve`: `spreadsheet("model.xlsx", {"thickness": "Sheet1!B3"}, {"sag": "Sheet1!B9"})`.
    An input is one cell without a formula, an output a cell with a formula or a range of them, which `fit` compares with data. A list of
    names, or None instead of a cell, stands for names of the workbook.

    It is calculated by plain formulas if these have all functions on the way from inputs to outputs, honour the settings of the workbook
    and agree with the values in the file, otherwise by LibreOffice, if it agrees; `engine="formulas"` or `engine="libreoffice"` decides.
    A run may take `timeout` seconds in LibreOffice.

    Raises SpreadsheetError, with everything that is wrong, where the workbook cannot be the black box.
    """
    sheet = _open(path, inputs, outputs, engine, timeout)
    for line in (repr(sheet), *sheet.notes):
        print(f"backsolve: {line}", file=sys.stderr)
    return sheet


def _open(path: str | Path, inputs: Cells, outputs: Cells, engine: EngineName, timeout: float) -> Spreadsheet:
    with Examination(path, inputs, outputs, timeout) as examined:
        if examined.checked.faults:
            lines = [f"{fault.name}: {fault.message}" if fault.name else fault.message for fault in examined.checked.faults]
            raise SpreadsheetError("\n".join(lines))
        return examined.choose(engine)


class Examination:
    """Faults of a workbook as a black box; without faults, the way to one."""

    def __init__(self, path: str | Path, inputs: Cells, outputs: Cells, timeout: float = LONGEST_RUN_SECONDS) -> None:
        """Raises SpreadsheetError for a file that cannot be read at all."""
        self._path = Path(path).resolve()
        self._timeout = timeout
        refuse_file(self._path)
        self._office: OfficeEngine | None = None
        try:
            self._book = self._read()
            self.checked: Checked = check_book(self._book, _places(inputs), _places(outputs))
        except BaseException:
            self._end_office()
            raise

    def _read(self) -> Book:
        if self._path.suffix.lower() != ".ods":
            return Book(self._path)
        with tempfile.TemporaryDirectory(prefix="backsolve-") as folder:
            self._office = OfficeEngine(self._path, as_loaded=Path(folder, "book.xlsx"))
            return Book(io.BytesIO(Path(folder, "book.xlsx").read_bytes()), self._path.name)

    def choose(self, engine: EngineName) -> Spreadsheet:
        chosen, reason = choose_engine(engine, self._path, self._book, self.checked.way, self._office, self._timeout)
        self._office = None
        numbers = {
            name for name, area in self.checked.inputs.items() if not isinstance(self._book.value(*cell_of(area)), (bool, str, type(None)))
        }
        return Spreadsheet(self._path, self.checked, numbers, chosen, reason, self._timeout)

    def _end_office(self) -> None:
        if self._office is not None:
            self._office.end()
            self._office = None

    def __enter__(self) -> Examination:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_office()


def _places(cells: Cells) -> Mapping[str, str | None]:
    return cells if isinstance(cells, Mapping) else dict.fromkeys([cells] if isinstance(cells, str) else cells)


class Spreadsheet:
    """
    A workbook that is called as a function of its inputs: `sheet(thickness=3.0)` returns its outputs by name, a range as a list of
    numbers. The file itself is never written. Calls of several threads follow one another; a copy in another process calculates for
    itself. `close` ends a LibreOffice that it has started, as the end of the program does.
    """

    def __init__(self, path: Path, checked: Checked, numbers: set[str], engine: SheetEngine, reason: str, timeout: float) -> None:
        self.__name__ = path.stem
        self.path = path
        self.inputs = checked.inputs
        self.outputs = checked.outputs
        self.notes = checked.notes
        self.engine = engine.words
        self.reason = reason
        self.fingerprint = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        """Changes with the file."""
        self._numbers = numbers
        self._engine = engine
        self._timeout = timeout
        self._lock = threading.Lock()
        if all(name.isidentifier() for name in self.inputs):
            self.__signature__ = inspect.Signature([inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in self.inputs])
        atexit.register(_end, weakref.ref(self))

    def __call__(self, **values: Value) -> dict[str, Any]:
        """Raises ValueError, which makes a failed run, where an output is an error, a text or empty."""
        return self.calculate(values, self._timeout)

    def calculate(self, values: Mapping[str, Value], timeout: float) -> dict[str, Any]:
        """As a call, in at most so many seconds, which LibreOffice keeps. Raises RuntimeError if it takes longer."""
        placed = self._placed(values)
        with self._lock:
            found = self._engine.run(placed, list(self.outputs.values()), timeout)
        return {name: read_output(area, cells) for (name, area), cells in zip(self.outputs.items(), found, strict=True)}

    def _placed(self, values: Mapping[str, Value], is_whole: bool = True) -> dict[Cell, Any]:
        if not values.keys() <= self.inputs.keys() or (is_whole and len(values) < len(self.inputs)):
            wrong = ", ".join(sorted(values.keys() ^ self.inputs.keys()))
            raise TypeError(f"{self.path.name} takes the inputs {', '.join(self.inputs)}; missing or unknown: {wrong}.")
        return placed(values, self.inputs, self._numbers)

    def save(self, path: str | Path, **values: Value) -> Path:
        """Writes a copy with these inputs, and the others as they are. The program that opens it calculates it. Returns its path."""
        path = Path(path)
        if path.suffix.lower() != self.path.suffix.lower() or path.resolve() == self.path:
            raise ValueError(f"Give another name with the ending {self.path.suffix} for the copy of {self.path.name}.")
        placed = self._placed(values, is_whole=False)
        if isinstance(self._engine, OfficeEngine) and self.path.suffix.lower() == ".ods":
            with self._lock:
                self._engine.run(placed, [], self._timeout)
                self._engine.save(path)
        else:
            write_copy(self.path, path, placed)
        return path

    def close(self) -> None:
        with self._lock:
            self._engine.end()

    def __enter__(self) -> Spreadsheet:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Every process uses the same engine."""
        engine: EngineName = "libreoffice" if isinstance(self._engine, OfficeEngine) else "formulas"
        places = [{name: str(area) for name, area in side.items()} for side in (self.inputs, self.outputs)]
        return functools.partial(_open, engine=engine, timeout=self._timeout), (str(self.path), *places)

    def __repr__(self) -> str:
        return f"{self.path.name} is calculated by {self.engine}, {self.reason}."


def _end(sheet: weakref.ref[Spreadsheet]) -> None:
    if (found := sheet()) is not None:
        found.close()
