"""
The program with which a service works on an uploaded workbook: `python -m backsolve._sheets.uploaded MEMORY_MIB UNPACKED_MIB`.

One line of JSON from standard input is one request, one line on standard output its answer: `{"name", "content"}` with the file first, then
`{"do": "survey"}`, `{"do": "open", "inputs", "outputs"}`, `{"do": "run", "values"}`, `{"do": "copy", "values"}`. A line with `fault` says
what is wrong with the file. It ends with its standard input. Whatever the file holds, the process only calculates: see jail.py.
"""

from __future__ import annotations

import base64
import importlib
import io
import json
import math
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from backsolve._errors import SpreadsheetError

from . import jail
from .best_copy import copied
from .book import OLD_OFFICE, Book, refuse_package
from .check import Checked, Fault, cell_of, check_book
from .choice import SheetEngine, choose_engine
from .survey import survey
from .trace import Cell
from .values import placed, read_output

PACKAGE = b"PK\x03\x04"
NOT_OPEN = "Open the workbook before it is run."


class Uploaded:
    """A workbook in this process."""

    def __init__(self, name: str, content: bytes, path: Path, largest_unpacked: int) -> None:
        """`path` has the content as well. Raises SpreadsheetError for what is no workbook."""
        _refuse_content(name, content, largest_unpacked)
        self._content = content
        self._name = name
        self._path = path
        self._book = Book(io.BytesIO(content), name)
        self._checked: Checked | None = None
        self._engine: SheetEngine | None = None

    def survey(self, _: Mapping[str, Any]) -> Mapping[str, Any]:
        return survey(self._book)

    def open(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Faults of these cells as inputs and outputs; without faults, the current outputs."""
        checked = check_book(self._book, request["inputs"], request["outputs"])
        faults = checked.faults or _faults_of_cells(self._book, checked)
        if faults:
            return {"faults": [asdict(each) for each in faults], "notes": [], "outputs": {}}
        engine, reason = choose_engine("formulas", self._path, self._book, checked.way)
        self._checked, self._engine = checked, engine
        present = self._calculate({})
        return {"faults": [], "notes": [f"It is calculated by {engine.words}: {reason}.", *checked.notes], "outputs": present}

    def run(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        inputs = {} if self._checked is None else self._checked.inputs
        found = self._calculate(placed(request["values"], inputs, inputs))
        wrong = next((text for text in found.values() if isinstance(text, str)), None)
        return {"outputs": found} if wrong is None else {"failed": wrong}

    def _calculate(self, values: dict[Cell, Any]) -> Mapping[str, Any]:
        """A number for each output, or a sentence that says why it has none."""
        if self._checked is None or self._engine is None:
            raise SpreadsheetError(NOT_OPEN)
        areas = self._checked.outputs
        found = self._engine.run(values, list(areas.values()), 0)
        return {name: _number_or_reason(areas[name], cells) for name, cells in zip(areas, found, strict=True)}

    def copy(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """The file with other values, by cell."""
        values = {cell_of(self._book.area(place)): value for place, value in request["values"].items()}
        made = io.BytesIO()
        copied(io.BytesIO(self._content), made, values, self._name)
        return {"content": base64.b64encode(made.getvalue()).decode()}


def _number_or_reason(area: Any, cells: list[Any]) -> float | str:
    try:
        number: float = read_output(area, cells)
    except ValueError as error:
        return str(error)
    return number if math.isfinite(number) else f"{area} is beyond the range of numbers."


def _faults_of_cells(book: Book, checked: Checked) -> list[Fault]:
    """Rules beyond those of problem files: an input has a number now, and an output is one cell."""
    numbers = ((name, area, book.value(*cell_of(area))) for name, area in checked.inputs.items())
    return [
        *(
            Fault("inputs", name, f"{area} holds no number: choose a cell with one.")
            for name, area, value in numbers
            if not _is_number(value)
        ),
        *(
            Fault("outputs", name, f"{area} is a range; an output is one cell.")
            for name, area in checked.outputs.items()
            if not area.is_cell
        ),
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _refuse_content(name: str, content: bytes, largest_unpacked: int) -> None:
    """By what is in the file, whatever its name."""
    if content.startswith(OLD_OFFICE):
        raise SpreadsheetError(f"{name} is protected by a password, or of Excel 97: save a copy as .xlsx without a password.")
    if not content.startswith(PACKAGE):
        raise SpreadsheetError(f"{name} is not a workbook: choose an .xlsx file.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            names = package.namelist()
            if "content.xml" in names and "mimetype" in names:
                raise SpreadsheetError(
                    f"{name} is a workbook of LibreOffice: save a copy as .xlsx, or use backsolve run, which takes .ods."
                )
            refuse_package(package, name, largest_unpacked)
            if "xl/workbook.xml" not in names:
                raise SpreadsheetError(f"{name} is not a workbook: choose an .xlsx file.")
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise SpreadsheetError(f"{name} cannot be read as a workbook: {error}.") from None


def _hidden(content: bytes) -> Path:
    """A file that IronCalc can open; on Linux it is in memory alone."""
    if hasattr(os, "memfd_create"):
        place = os.memfd_create("book")
        with open(place, "wb", closefd=False) as file:
            file.write(content)
        return Path(f"/proc/self/fd/{place}")
    kept = tempfile.NamedTemporaryFile(suffix=".xlsx")  # noqa: SIM115
    KEPT.append(kept)
    kept.write(content)
    kept.flush()
    return Path(kept.name)


KEPT: list[Any] = []
"""Temporary files go with the process."""


class Service:
    """Answers requests, about one workbook."""

    def __init__(self, largest_unpacked: int, is_jailed: bool = True) -> None:
        self._largest_unpacked = largest_unpacked
        self._is_jailed = is_jailed
        self._book: Uploaded | None = None

    def answer(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            if self._book is None:
                self._book = self._loaded(request)
                return {}
            found = WORK[request["do"]](self._book, request)
            if request["do"] == "open" and self._is_jailed:
                jail.close_for_good()
            return found
        except SpreadsheetError as error:
            return {"fault": str(error)}
        except MemoryError:
            return {"fault": "The workbook needs more memory than this service gives to one."}
        except Exception as error:
            # A malicious file can break its readers in any way.
            return {"fault": f"The workbook cannot be calculated: {type(error).__name__}: {error}"[:500]}

    def _loaded(self, request: Mapping[str, Any]) -> Uploaded:
        content = base64.b64decode(request["content"])
        path = _hidden(content)
        if self._is_jailed:
            _warm_up()
            jail.close_for_loading()
        return Uploaded(request["name"], content, path, self._largest_unpacked)


WORK: Mapping[str, Callable[[Uploaded, Mapping[str, Any]], Mapping[str, Any]]] = {
    "survey": Uploaded.survey,
    "open": Uploaded.open,
    "run": Uploaded.run,
    "copy": Uploaded.copy,
}


def _warm_up() -> None:
    """Imports and opens now what would be with the first use, when nothing can be any more."""
    made = io.BytesIO()
    book = importlib.import_module("openpyxl").Workbook()
    book.active["A1"], book.active["A2"] = 1, "=A1+1"
    book.save(made)
    content = made.getvalue()
    sample = Uploaded("sample", content, _hidden(content), len(content) * 100)
    sample.survey({})
    sample.open({"inputs": {"x": "A1"}, "outputs": {"y": "A2"}})
    sample.copy({"values": {"A1": 2}})


def main() -> None:
    memory, unpacked = (int(each) for each in sys.argv[1:])
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    missing = next((each for each in ("openpyxl", "ironcalc") if find_spec(each) is None), None)
    if missing is not None:
        print(json.dumps({"missing": missing}), file=told, flush=True)
        return
    for each in ("openpyxl", "ironcalc"):
        importlib.import_module(each)
    jail.limit(memory)
    service = Service(unpacked << 20)
    for line in sys.stdin:
        print(json.dumps(service.answer(json.loads(line))), file=told, flush=True)


if __name__ == "__main__":
    main()
