"""
Starts a LibreOffice and calculates one workbook in it: run by a Python that has `uno`, often LibreOffice's own, so it imports nothing
else of this package. It reads requests from standard input and prints answers, one line of JSON each, and ends LibreOffice when standard
input closes. The LibreOffice has a profile of its own, so that one that the user has open is neither used nor disturbed.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

UNO: Any = importlib.import_module("uno")
RESTART_YOURSELF = 81
"""LibreOffice ends with this code after it has set up a profile, and wants to be started again."""
LONGEST_START_SECONDS = 120.0
NEVER = 0
"""com.sun.star.document.MacroExecMode.NEVER_EXECUTE and UpdateDocMode.NO_UPDATE."""
FORMATS = {".xlsx": "Calc MS Excel 2007 XML", ".ods": "calc8"}
STRING, ERROR = 2, 4
"""com.sun.star.sheet.FormulaResult"""
ERRORS = {
    502: "an invalid argument (Err:502)",
    503: "#NUM!",
    504: "#REF!",
    519: "#VALUE!",
    522: "a circular reference",
    523: "a circular reference that does not converge",
    524: "#REF!",
    525: "#NAME?",
    532: "#DIV/0!",
    32767: "#N/A",
}
"""https://help.libreoffice.org/latest/en-US/text/scalc/05/02140000.html"""


def end_with_parent() -> None:
    """Linux ends the process when this one is killed. Elsewhere closing standard input has to do."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Office:
    """A LibreOffice without a window, with one workbook."""

    def __init__(self, program: str, folder: str) -> None:
        self._pipe = f"backsolve{os.getpid()}x{os.urandom(4).hex()}"
        self._command = [
            program,
            *("--headless", "--invisible", "--norestore", "--nologo", "--nodefault", "--nofirststartwizard", "--nolockcheck"),
            f"-env:UserInstallation={Path(folder, 'profile').as_uri()}",
            f"--accept=pipe,name={self._pipe};urp;StarOffice.ComponentContext",
        ]
        self._environment = {**os.environ, "TMPDIR": folder} if sys.platform != "win32" else None
        self.process = self._start()
        self._desktop = self._connect()
        self._document: Any = None
        self._path = ""

    def _start(self) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        before = end_with_parent if sys.platform == "linux" else None
        return subprocess.Popen(  # noqa: S603
            self._command,
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            env=self._environment,
            preexec_fn=before,  # noqa: PLW1509
        )

    def _connect(self) -> Any:
        local = UNO.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        until = time.monotonic() + LONGEST_START_SECONDS
        while True:
            try:
                context = resolver.resolve(f"uno:pipe,name={self._pipe};urp;StarOffice.ComponentContext")
                return context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
            except Exception as error:
                if self.process.poll() == RESTART_YOURSELF:
                    self.process = self._start()
                elif self.process.poll() is not None:
                    raise RuntimeError(f"LibreOffice ended with code {self.process.returncode} before it was ready.") from None
                elif time.monotonic() > until:
                    raise RuntimeError(f"LibreOffice was not ready after {LONGEST_START_SECONDS:g} seconds: {error}") from None
                time.sleep(0.05)

    def open(self, path: str, as_loaded: str | None = None) -> None:
        self._path = path
        self._document = self._load(path)
        if self._document is None or not hasattr(self._document, "Sheets"):
            raise RuntimeError("LibreOffice cannot read it as a workbook.")
        if as_loaded is not None:
            self.save(as_loaded)
        self._document.enableAutomaticCalculation(False)
        self._document.calculateAll()

    def _load(self, path: str) -> Any:
        hidden = {"Hidden": True, "MacroExecutionMode": NEVER, "UpdateDocMode": NEVER}
        return self._desktop.loadComponentFromURL(Path(path).as_uri(), "_blank", 0, properties(hidden))

    def run(self, values: list[list[Any]], areas: list[list[Any]], anew: bool) -> list[list[Any]]:
        """The values of areas with these values in cells: sheet, row and column, from 0. `anew` reads the file again before."""
        if anew:
            self._document.close(True)
            self.open(self._path)
        for sheet, row, column, value in values:
            self._put(self._cell(sheet, row, column), value)
        self._document.calculate()
        return [self._read(*area) for area in areas]

    def _read(self, sheet: str, row: int, column: int, rows: int, columns: int) -> list[Any]:
        """A range with an error is read cell by cell, which is slower."""
        found = self._document.Sheets.getByName(sheet).getCellRangeByPosition(column, row, column + columns - 1, row + rows - 1)
        if rows * columns > 1 and not found.queryFormulaCells(ERROR).Count:
            return [None if value == "" else value for line in found.getDataArray() for value in line]
        return [content_of(self._cell(sheet, row + i, column + j)) for i in range(rows) for j in range(columns)]

    def save(self, path: str) -> None:
        self._document.storeToURL(Path(path).as_uri(), properties({"FilterName": FORMATS[Path(path).suffix.lower()]}))

    def _cell(self, sheet: str, row: int, column: int) -> Any:
        return self._document.Sheets.getByName(sheet).getCellByPosition(column, row)

    @staticmethod
    def _put(cell: Any, value: Any) -> None:
        if isinstance(value, bool):
            cell.setFormula("TRUE" if value else "FALSE")
        elif isinstance(value, str):
            cell.setString(value)
        else:
            cell.setValue(float(value))

    def is_gone(self) -> bool:
        """The error of a call when LibreOffice dies depends on the call, and its process ends a little later."""
        try:
            self._desktop.getComponents().createEnumeration()
        except Exception:
            return True
        return self.process.poll() is not None

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def content_of(cell: Any) -> Any:
    """A number, a text, None of an empty cell, or {"error": words}."""
    number = cell.getError()
    if number:
        return {"error": ERRORS.get(number, f"the error {number} of LibreOffice")}
    kind = cell.Type.value
    if kind == "EMPTY":
        return None
    is_text = kind == "TEXT" or (kind == "FORMULA" and cell.FormulaResultType2 == STRING)
    return cell.getString() if is_text else cell.getValue()


def properties(values: dict[str, Any]) -> tuple[Any, ...]:
    made = []
    for name, value in values.items():
        one = UNO.createUnoStruct("com.sun.star.beans.PropertyValue")
        one.Name, one.Value = name, value
        made.append(one)
    return tuple(made)


def answer(office: Office, request: dict[str, Any]) -> Any:
    if "open" in request:
        return office.open(request["open"], request["as_loaded"])
    if "save" in request:
        return office.save(request["save"])
    return office.run(request["values"], request["areas"], request["anew"])


def say(words: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def serve(program: str, folder: str) -> None:
    try:
        office = Office(program, folder)
    except Exception as error:
        say({"fault": str(error)})
        return
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=read_requests, args=(office, requests), daemon=True).start()
    say({"result": office.process.pid})
    while True:
        request = json.loads(requests.get())
        try:
            say({"result": answer(office, request)})
        except Exception as error:
            say({"fault": str(error), "gone": office.is_gone()})


def read_requests(office: Office, requests: queue.SimpleQueue[str]) -> None:
    """Ends everything when standard input closes, also in the middle of a calculation."""
    for line in sys.stdin:
        requests.put(line)
    office.end()
    os._exit(0)


if __name__ == "__main__":
    serve(*sys.argv[1:3])
