"""
Plays the workbooks of clients/python/tests/workbook_cases.py, each as a program writes it, as LibreOffice saves it, and as .ods, with the
engine that is chosen and with plain formulas alone, and compares every run with a LibreOffice that converts a copy of the file with these
inputs. Prints the versions, then a JSON line per workbook: runs that agree, or why it was refused before the first run. Exits with code 1
if a run differs. `--record` keeps what LibreOffice calculates for the tests instead. In an environment with backsolve[spreadsheet]:
python bench/clients/python_workbook_settings.py [--only NAME] [--record]
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.metadata
import io
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CLIENT = Path(__file__).parents[2] / "clients/python"
sys.path[:0] = [str(CLIENT / "src"), str(CLIENT)]

from backsolve import SpreadsheetError, spreadsheet
from backsolve._sheets.book import Book
from backsolve._sheets.office import find_office
from tests.workbook_cases import CASES, VALUES, Case

openpyxl: Any = importlib.import_module("openpyxl")
Run = dict[str, Any]
ALSO_AS_ODS = ("precision_as_displayed", "dates_from_1904", "circle_that_converges", "names_of_a_copied_sheet", "array_formulas", "lookups")
RESTART_YOURSELF = 81
"""LibreOffice ends so after it has set up a profile."""


def converted(files: list[Path], kind: str, folder: Path) -> None:
    """By a LibreOffice of its own, which calculates files without values as it opens them."""
    profile = f"-env:UserInstallation={(folder.parent / 'profile').as_uri()}"
    command = [find_office()[0], "--headless", profile, "--convert-to", kind, "--outdir", str(folder), *map(str, files)]
    for _ in range(3):
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=1200)
        if done.returncode != RESTART_YOURSELF:
            break
    done.check_returncode()


def with_inputs(path: Path, values: dict[str, float], target: Path) -> Path:
    """Without saved values, so that whoever opens the copy calculates it."""
    book = openpyxl.load_workbook(path)
    for place, value in values.items():
        area = Book(path).area(place)
        book[area.sheet].cell(area.row, area.column).value = value
    book.save(target)
    return target


def calculated(path: Path, outputs: list[str]) -> Run:
    """A number for each output, or None where it is an error, a text or empty."""
    book = Book(path)
    found = {place: book.saved(*(area.sheet, area.row, area.column)) for place in outputs for area in [book.area(place)]}
    return {place: float(value) if isinstance(value, (bool, int, float)) else None for place, value in found.items()}


def play(path: Path, case: Case, engine: str, right: list[Run]) -> dict[str, Any]:
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            sheet = spreadsheet(path, dict(zip(case.inputs, case.inputs, strict=True)), dict(zip(case.outputs, case.outputs, strict=True)), engine=engine)  # type: ignore[arg-type]
    except SpreadsheetError as error:
        return {"refused": str(error)}
    wrong = []
    with sheet:
        for run, truth in zip(case.runs(), right, strict=True):
            try:
                found: Run | None = sheet(**run)
            except ValueError:
                found = None
            if not agrees(found, truth, case.tolerance):
                wrong.append({"at": run, "found": found, "right": truth})
    return {"by": sheet.engine, "agree": len(right) - len(wrong), "runs": len(right), **({"wrong": wrong} if wrong else {})}


def agrees(found: Run | None, truth: Run, tolerance: float) -> bool:
    """A run fails if one of its outputs is no number."""
    if found is None or None in truth.values():
        return found is None and None in truth.values()
    return all(math.isclose(found[each], truth[each], rel_tol=1e-9, abs_tol=tolerance) for each in truth)


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--only")
    asked.add_argument("--record", action="store_true")
    options = asked.parse_args()
    chosen = {title: case for title, case in CASES.items() if options.only in (None, title)}
    office = subprocess.run([find_office()[0], "--version"], capture_output=True, text=True, check=False, timeout=60).stdout.strip()
    versions = {each: importlib.metadata.version(each) for each in ("ironcalc", "openpyxl")}
    print(json.dumps({"libreoffice": office, **versions, "workbooks": 2 * len(chosen) + len(ALSO_AS_ODS)}), flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        places = [folder / each for each in ("made", "saved", "ods", "inputs", "right")]
        for place in places:
            place.mkdir()
        made, saved, ods, inputs, right = places
        files = [case.write(made / f"{title}.xlsx") for title, case in chosen.items()]
        copies = [with_inputs(made / f"{title}.xlsx", run, inputs / f"{title}-{k}.xlsx") for title, case in chosen.items() for k, run in enumerate(case.runs())]
        converted(copies, "xlsx", right)
        converted(files, "xlsx", saved)
        converted(files, "ods", ods)
        truths = {
            title: case.values or [calculated(right / f"{title}-{k}.xlsx", case.outputs) for k in range(len(case.runs()))]
            for title, case in chosen.items()
        }
        if options.record:
            VALUES.write_text(json.dumps({"libreoffice": office, "values": truths}, indent=1) + "\n")
            return 0
        differing = 0
        for title, case in chosen.items():
            forms = {"made": made / f"{title}.xlsx", "saved": saved / f"{title}.xlsx"}
            for form, path in {**forms, **({"ods": ods / f"{title}.ods"} if title in ALSO_AS_ODS else {})}.items():
                for engine in ("auto",) if form == "ods" else ("formulas", "auto"):
                    found = play(path, case, engine, truths[title])
                    differing += "wrong" in found
                    print(json.dumps({"workbook": title, "form": form, "engine": engine, **found}), flush=True)
                    if "refused" not in found:
                        break  # auto chooses plain formulas where they will do
    print(json.dumps({"differ": differing}))
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
