"""Calculates a workbook with a LibreOffice that is kept open, in a process of its own that ends with this one."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from backsolve._errors import SpreadsheetError, TryAgain

from .places import Area
from .trace import Cell

PROGRAM = Path(__file__).with_name("office_program.py")
STARTS = 3
"""Number of times that a LibreOffice that ends is started for one run."""
LONGEST_START_SECONDS = 180.0
USUAL_PLACES = (
    "/usr/lib/libreoffice/program",
    "/usr/lib64/libreoffice/program",
    "/opt/libreoffice/program",
    "/Applications/LibreOffice.app/Contents/MacOS",
    r"C:\Program Files\LibreOffice\program",
)
INSTALL = "install LibreOffice with Calc, or set BACKSOLVE_SOFFICE to its soffice"
PROGRAMS = ("soffice.bin", "soffice.exe", "soffice")


NO_RESULT = ("#NAME?", "a circular reference", "a circular reference that does not converge")
OTHER_ERROR = "the error "
"""Beginning of LibreOffice's names for what it cannot read, in office_program.py."""


class MissingOfficeError(SpreadsheetError):
    """There is no LibreOffice to talk to. The message says what to install."""


class EndedError(Exception):
    """LibreOffice has ended, or does not answer."""


class OfficeEngine:
    """A workbook in LibreOffice, opened as a copy. Not to be used by two threads together."""

    def __init__(self, path: Path, as_loaded: Path | None = None) -> None:
        """
        `as_loaded` gets a copy as .xlsx, with the values in the file. Raises SpreadsheetError where there is no LibreOffice, or it cannot
        open the file.
        """
        self._path = path
        self._program, self._python = find_office()
        self._session: _Session | None = None
        self.starts_anew = False
        """Whether each run begins with the values in the file, because an iteration goes on from where the last one ended."""
        self._as_loaded = as_loaded
        self._opened()

    words = "LibreOffice"

    def run(self, values: Mapping[Cell, Any], areas: Sequence[Area], timeout: float) -> list[list[Any]]:
        """As PlainEngine.run. A LibreOffice that dies meanwhile is started again."""
        sent = [[sheet, row - 1, column - 1, value] for (sheet, row, column), value in values.items()]
        wanted = [[area.sheet, area.row - 1, area.column - 1, area.rows, area.columns] for area in areas]
        return self._ask({"values": sent, "areas": wanted, "anew": self.starts_anew}, timeout)  # type: ignore[no-any-return]

    def is_unable(self, value: Any) -> bool:
        return isinstance(value, dict) and (value["error"] in NO_RESULT or value["error"].startswith(OTHER_ERROR))

    def save(self, path: Path) -> None:
        """Saves the current values, as .xlsx or .ods."""
        self._ask({"save": str(path.resolve())}, LONGEST_START_SECONDS)

    def _ask(self, request: dict[str, Any], timeout: float) -> Any:
        for _ in range(STARTS):
            try:
                return self._opened().ask(request, timeout)
            except EndedError:
                self.end()
        raise TryAgain(f"LibreOffice ended {STARTS} times in one run.")

    def _opened(self) -> _Session:
        if self._session is None:
            session = _Session(self._program, self._python)
            try:
                session.open(self._path, self._as_loaded)
                self._as_loaded = None
            except BaseException:
                session.end()
                raise
            self._session = session
        return self._session

    def end(self) -> None:
        if self._session is not None:
            self._session.end()
            self._session = None


class _Session:
    """One process of LibreOffice with the program that talks to it."""

    def __init__(self, program: str, python: str) -> None:
        remove_left_behind()
        self._folder = tempfile.mkdtemp(prefix=f"backsolve-office-{os.getpid()}-")
        self._process = subprocess.Popen(  # noqa: S603
            [python, str(PROGRAM), program, self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))},
        )
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._office: int | None = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101
        with contextlib.suppress(ValueError, OSError):
            for line in self._process.stdout:
                self._answers.put(line)
        self._answers.put("")

    def open(self, path: Path, as_loaded: Path | None) -> None:
        try:
            self._office = self._next(LONGEST_START_SECONDS)
            # LibreOffice would leave a lock beside the file of the user.
            copy = shutil.copyfile(path, Path(self._folder, f"book{path.suffix.lower()}"))
            self.ask({"open": str(copy), "as_loaded": as_loaded and str(as_loaded)}, LONGEST_START_SECONDS)
        except (EndedError, RuntimeError) as error:
            raise SpreadsheetError(f"LibreOffice cannot open {path.name}: {error}") from None

    def ask(self, request: dict[str, Any], timeout: float) -> Any:
        """Raises EndedError when it has ended, RuntimeError when the run takes too long or cannot be made."""
        assert self._process.stdin is not None  # noqa: S101
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise EndedError("it has ended.") from None
        return self._next(timeout)

    def _next(self, timeout: float) -> Any:
        try:
            line = self._answers.get(timeout=timeout)
        except queue.Empty:
            self._process.kill()
            raise RuntimeError(f"The workbook was not calculated within {timeout:g} seconds.") from None
        if not line:
            raise EndedError("it has ended.")
        answer = json.loads(line)
        if "result" in answer:
            return answer["result"]
        if answer.get("gone"):
            raise EndedError(answer["fault"])
        raise RuntimeError(answer["fault"])

    def end(self) -> None:
        """Also when the program between has been killed."""
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        if self._process.poll() != 0:
            self._process.kill()
            self._process.wait()
            end_process(self._office)
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def end_process(process_id: int | None) -> None:
    if process_id is not None:
        with contextlib.suppress(OSError):
            os.kill(process_id, 9)


def remove_left_behind() -> None:
    """Folders of processes that were killed."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob("backsolve-office-*-*"):
        owner = folder.name.split("-")[2]
        if owner.isdecimal() and not _is_running(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@cache
def find_office() -> tuple[str, str]:
    """The program of LibreOffice, and a Python that can talk to it. Raises MissingOfficeError, which says what there is not."""
    program = _program()
    folder = program.parent
    own = (folder / "python", folder / "python.exe", folder.parent / "Resources" / "python")
    pythons = [python for python in (*map(str, own), "/usr/bin/python3", sys.executable) if Path(python).exists()]
    python = next((each for each in pythons if _has_uno(each)), None)
    if _lacks_calc(folder):
        # The packages of Debian, which divide it.
        packages = "libreoffice-calc" if python is not None else "libreoffice-calc python3-uno"
        raise MissingOfficeError(f"the LibreOffice in {folder} has no Calc: on Debian and Ubuntu, apt install {packages}")
    if python is None:
        raise MissingOfficeError(
            f"the LibreOffice in {folder} has no Python to talk to it, and none of {', '.join(pythons)} has its module uno: "
            "on Debian and Ubuntu, apt install python3-uno"
        )
    return str(program), python


def _program() -> Path:
    stated = os.environ.get("BACKSOLVE_SOFFICE")
    if stated and not Path(stated).exists():
        raise MissingOfficeError(f"there is no {stated}, which BACKSOLVE_SOFFICE names: correct it, or unset it")
    named = stated or shutil.which("soffice") or shutil.which("libreoffice")
    folders = [*([] if named is None else [Path(named).resolve().parent]), *([] if stated else map(Path, USUAL_PLACES))]
    found = next((path for folder in folders for name in PROGRAMS if (path := folder / name).is_file()), None)
    if found is not None:
        return found
    if named is not None:
        raise MissingOfficeError(f"{named} starts LibreOffice elsewhere, as in a snap or flatpak, where it cannot be talked to: {INSTALL}")
    packages = " (apt install libreoffice-calc python3-uno)" if shutil.which("apt-get") else ""
    raise MissingOfficeError(f"LibreOffice is not installed: {INSTALL.replace('Calc', f'Calc{packages}')}")


def _lacks_calc(folder: Path) -> bool:
    """As far as that can be told: in installations of one piece it cannot."""
    libraries = [path.name for place in (folder, folder.parent / "Frameworks") for path in place.glob("lib*lo.*")]
    is_divided = any(name.startswith(("libvcllo.", "libmergedlo.")) for name in libraries)
    return is_divided and not any(name.startswith("libsclo.") for name in libraries)


def _has_uno(python: str) -> bool:
    asked = subprocess.run([python, "-c", "import uno"], capture_output=True, check=False)  # noqa: S603
    return asked.returncode == 0
