"""The workbook of a problem file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from backsolve._boxes import Fault, MissingPackageError, Request, RunFailed
from backsolve._errors import SpreadsheetError
from backsolve.spreadsheets import Examination, Spreadsheet

from .check import Checked


def describe(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Describes the faults of the workbook, and how it will be calculated; with `copy` it also writes one."""
    with _faults_told(), _examined(settings) as examined:
        checked = examined.checked
        faults = _faults_of(checked, settings["conditions"])
        notes = list(checked.notes)
        if not faults:
            with examined.choose(settings["engine"]) as sheet:
                notes.insert(0, repr(sheet))
                _write_copy(sheet, settings.get("copy"))
        sizes = {name: area.rows * area.columns for name, area in checked.outputs.items()}
        return {"faults": faults, "notes": notes, "model": {"sizes": sizes}}


def _write_copy(sheet: Spreadsheet, copy: Mapping[str, Any] | None) -> None:
    """Cells of conditions, which vary within a run, keep what they have."""
    if copy is None:
        return
    try:
        sheet.save(copy["target"], **copy["values"])
    except (OSError, ValueError, RuntimeError) as error:
        raise Fault(f"The copy with the best input cannot be written: {error}") from None


def open_box(settings: Mapping[str, Any]) -> SheetBox:
    with _faults_told(), _examined(settings) as examined:
        if examined.checked.faults:
            raise Fault(" ".join(f"{fault.name}: {fault.message}" for fault in examined.checked.faults))
        return SheetBox(examined.choose(settings["engine"]))


class SheetBox:
    """Runs follow one another."""

    def __init__(self, sheet: Spreadsheet) -> None:
        self._sheet = sheet

    def run(self, request: Request) -> Mapping[str, object]:
        values = {name: request.inputs[name] for name in self._sheet.inputs if name in request.inputs}
        try:
            found = self._sheet.calculate(values, request.seconds)
        except (ValueError, RuntimeError) as error:
            raise RunFailed(str(error)) from None
        return {name: found[name] for name in request.outputs}

    def close(self) -> None:
        self._sheet.close()


def _examined(settings: Mapping[str, Any]) -> Examination:
    if find_spec("openpyxl") is None:
        raise MissingPackageError("openpyxl", "spreadsheet")
    return Examination(settings["file"], {**settings["conditions"], **settings["inputs"]}, settings["outputs"])


@contextmanager
def _faults_told() -> Iterator[None]:
    try:
        yield
    except SpreadsheetError as error:
        raise Fault(str(error)) from None


def _faults_of(checked: Checked, conditions: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Each at its key of the problem file."""
    found: list[Mapping[str, Any]] = []
    for fault in checked.faults:
        path = [fault.side, fault.name, "cell"] if fault.name else ["spreadsheet"]
        if fault.side == "inputs" and fault.name in conditions:
            path = ["spreadsheet", "conditions", fault.name]
        found.append({"path": path, "message": fault.message})
    return found
