"""Workbooks as black boxes. What needs a LibreOffice is played where there is one."""

from __future__ import annotations

import datetime
import importlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from backsolve import SpreadsheetError, boolean, choice, fit, real, solve, spreadsheet, within
from backsolve._blackbox import fingerprint_of
from backsolve._boxes import Fault, MissingPackageError, Request, RunFailed
from backsolve._sheets import office, served
from backsolve._sheets.book import Book
from backsolve._sheets.places import area_of

from .service_process import Service
from .workbook_cases import needs_office, with_saved

openpyxl: Any = importlib.import_module("openpyxl")
PIPE = {
    "Pipe": [
        [80],
        [30],
        [5],
        ["=A3/1000/(PI()*(A1/2000)^2)"],
        ["=0.02*100/(A1/1000)*1000*A4^2/2/100000"],
        ["=2*PI()*0.04*100*60/LN((A1+2*A2)/A1)/1000"],
        ["=A3*4.19*20-A6"],
    ]
}
INPUTS = {"diameter": "A1", "insulation": "Pipe!A2", "flow": "$A$3"}
OUTPUTS = {"pressure": "A5", "power": "A7"}
AT = {"diameter": 80.0, "insulation": 30.0, "flow": 5.0}
OUTPUT = {"pressure": pytest.approx(0.1236830855), "power": pytest.approx(416.305362)}

Rows = dict[str, list[list[Any]]]
Write = Callable[..., Path]


ENGINES = ["formulas", pytest.param("libreoffice", marks=needs_office)]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a workbook as openpyxl does: without values of formulas."""

    def make(
        rows: Rows, name: str = "book.xlsx", names: dict[str, str] | None = None, change: Callable[[Any], None] = lambda _: None
    ) -> Path:
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, lines in rows.items():
            sheet = book.create_sheet(title)
            for line in lines:
                sheet.append(line)
        for each, place in (names or {}).items():
            book.defined_names[each] = importlib.import_module("openpyxl.workbook.defined_name").DefinedName(each, attr_text=place)
        change(book)
        book.save(tmp_path / name)
        return tmp_path / name

    return make


@pytest.mark.parametrize("engine", ENGINES)
def test_a_workbook_is_called_as_a_function(write: Write, engine: Literal["formulas", "libreoffice"]) -> None:
    path = write(PIPE)
    before = path.read_bytes()
    with spreadsheet(path, INPUTS, OUTPUTS, engine=engine) as sheet:
        assert sheet(**AT) == OUTPUT
        assert sheet(**{**AT, "diameter": 100})["pressure"] == pytest.approx(0.0405284734)
        assert sheet(**AT) == OUTPUT
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["book.xlsx"]


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_texts_and_empty_cells_are_failed_runs_with_the_reason(write: Write, engine: Literal["formulas", "libreoffice"]) -> None:
    rows = {"S": [[2, "=1/(A1-3)"], [None, '=IF(A1>3,"high",A1)'], [None, "=IF(A1<3,SQRT(A1-1),5)"], [None, None]]}
    with spreadsheet(write(rows), {"a": "A1"}, {"u": "B1", "v": "B2", "w": "B3"}, engine=engine) as sheet:
        assert sheet(a=2) == {"u": -1, "v": 2, "w": 1}
        with pytest.raises(ValueError, match=r"^S!B1 is #DIV/0!\.$"):
            sheet(a=3)
        with pytest.raises(ValueError, match=r"^S!B2 is a text, not a number: 'high'\.$"):
            sheet(a=4)
        with pytest.raises(ValueError, match=r"^S!B3 is (#NUM!|an invalid argument \(Err:502\))\.$"):
            sheet(a=0)
    with spreadsheet(write(rows), {"a": "A1"}, {"u": "B1:B4"}, engine=engine) as sheet, pytest.raises(ValueError, match=r"S!B4 is empty"):
        sheet(a=2)


@pytest.mark.parametrize("engine", ENGINES)
def test_names_choices_and_booleans_go_into_cells(write: Write, engine: Literal["formulas", "libreoffice"]) -> None:
    rows = {
        "In": [[7, "steel", True, 0]],
        "Calc": [["=length*VLOOKUP(In!B1,Prices!A:B,2,FALSE)"], ["=IF(In!C1,1,2)"], ["=IF(In!D1=1,10,20)"]],
        "Prices": [["steel", 3], ["it's <wood> & more", 2]],
    }
    path = write(rows, names={"length": "In!$A$1", "Cost": "Calc!$A$1"})
    cells = {"length": None, "material": "In!B1", "is_painted": "In!C1", "is_long": "In!D1"}
    with spreadsheet(path, cells, {"cost": None, "paint": "Calc!A2", "long": "calc!A3"}, engine=engine) as sheet:
        assert sheet(length=5, material="it's <wood> & more", is_painted=False, is_long=True) == {"cost": 10, "paint": 2, "long": 10}
        assert sheet(length=5, material="steel", is_painted=True, is_long=False) == {"cost": 15, "paint": 1, "long": 20}
        copy = sheet.save(path.with_name("copy.xlsx"), length=2, material="it's <wood> & more", is_painted=False, is_long=True)
    with spreadsheet(copy, ["length"], ["cost"], engine=engine) as saved:
        assert saved(length=2) == {"cost": 4}
    assert [Book(copy).value("In", 1, column) for column in (1, 2, 3, 4)] == [2, "it's <wood> & more", False, 1]


def test_every_mistake_is_told_before_anything_runs(write: Write) -> None:
    def change(book: Any) -> None:
        book["Calc"].merge_cells("C1:D1")
        book["Locked"].protection.enable()

    rows = {"Calc": [[1, "=A1*2", 3], [None, "=7*3"]], "My data": [[1]], "Locked": [[1, "=A1"]]}
    path = write(rows, names={"width": "Calc!$A$1", "ratio": "1.5"}, change=change)
    inputs = {
        "a": "Calk!A1",
        "b": "A1",
        "width": None,
        "widht": None,
        "same": "Calc!A1",
        "formula": "Calc!B1",
        "range": "Calc!A1:A3",
        "nothing": "Calc!",
        "beyond": "Calc!ZZZ1",
        "ratio": None,
        "merged": "Calc!D1",
        "locked": "Locked!A1",
    }
    with pytest.raises(SpreadsheetError) as told:
        spreadsheet(path, inputs, {"u": "Calc!B9", "v": "Calc!A1", "w": "Calc!A1:XFD1048576"})
    assert str(told.value).splitlines() == [
        "a: book.xlsx has no sheet Calk; did you mean Calc?",
        "b: A1 needs its sheet, as in Calc!A1: book.xlsx has Calc, My data, Locked.",
        "widht: state its cell, as in Calc!B3, because book.xlsx has no cell named widht.",
        "nothing: Calc! is not a cell: write it as Calc!B3.",
        "beyond: Calc!ZZZ1 is not a cell: write it as Calc!B3.",
        "ratio: The name ratio in book.xlsx is not a cell or range, but 1.5.",
        "same: is the cell of width as well.",
        "formula: Calc!B1 holds the formula =A1*2, which a value would replace: name the cell with the number that it reads.",
        "range: Calc!A1:A3 is a range; an input is one cell.",
        "merged: Calc!D1 is inside of the merged cells C1:D1: name their first cell.",
        "locked: Locked!A1 is locked in a protected sheet: unlock the cell, or remove the protection of a copy.",
        "u: Calc!B9 is empty: an output is a cell with a formula.",
        "v: Calc!A1 holds no formula: an output is a cell with a formula.",
        "w: Calc!A1:XFD1048576 has more than 100000 cells.",
    ]


def test_outputs_must_depend_on_an_input(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {"S": [[1, 2, "=SUM(A:A)", "=D1*E1", '=INDIRECT("B"&1)', "=factor*2", "=SUM(T[x])"]], "T": [["x"], [4], [5]]}

    def change(book: Any) -> None:
        book["T"].add_table(importlib.import_module("openpyxl.worksheet.table").Table(displayName="T", ref="A1:A3"))

    path = write(rows, names={"factor": "S!$C$1+1"}, change=change)
    with pytest.raises(SpreadsheetError, match=r"^u: S!C1 does not depend on any input\.$"):
        spreadsheet(path, {"b": "S!B1"}, {"u": "S!C1"})
    for cell, place in {"S!A1": "S!C1", "S!A9": "S!C1", "T!A2": "S!G1", "S!B1": "S!E1"}.items():
        assert spreadsheet(path, {"x": cell}, {"u": place}, engine="formulas")(x=3) is not None
    spreadsheet(path, {"a": "S!A1", "idle": "S!B1"}, {"u": "S!C1"}, engine="formulas")
    assert "No output depends on idle." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("=[1]Sheet1!A1+A1", r"S!B1 reads another file \(\[1\]Sheet1!A1\), which is never opened"),
        ("=_xlfn.WEBSERVICE(A1)", "S!B1 uses WEBSERVICE, which asks another program"),
    ],
)
def test_what_leaves_the_workbook_is_refused(write: Write, formula: str, message: str) -> None:
    with pytest.raises(SpreadsheetError, match=message):
        spreadsheet(write({"S": [[1, formula]]}), {"a": "A1"}, {"u": "B1"})


def test_files_that_are_no_plain_workbooks_are_refused(write: Write, tmp_path: Path) -> None:
    def refusal(name: str, content: bytes | None = None) -> str:
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(SpreadsheetError) as told:
            spreadsheet(path, {"a": "A1"}, {"u": "B1"})
        return str(told.value)

    assert refusal("a.xlsm", b"") == "a.xlsm cannot be read: save a copy as .xlsx, without its macros, which are never run."
    assert refusal("a.xls", b"") == "a.xls cannot be read: save a copy as .xlsx."
    assert refusal("a.csv", b"") == "a.csv must be a workbook, .xlsx or .ods."
    assert refusal("none.xlsx") == f"There is no workbook {tmp_path / 'none.xlsx'}."
    assert refusal("secret.xlsx", b"\xd0\xcf\x11\xe0") == "secret.xlsx is protected by a password: save a copy without one."
    assert refusal("broken.xlsx", b"PK") == "broken.xlsx cannot be read as a workbook: File is not a zip file."
    with zipfile.ZipFile(tmp_path / "secret.ods", "w") as package:
        package.writestr("META-INF/manifest.xml", "<manifest:encryption-data/>")
    assert refusal("secret.ods") == "secret.ods is protected by a password: save a copy without one."
    with zipfile.ZipFile(write({"S": [[1]]}, "macros.xlsx"), "a") as package:
        package.writestr("xl/vbaProject.bin", b"")
    assert "contains macros" in refusal("macros.xlsx")
    with zipfile.ZipFile(tmp_path / "other.xlsx", "w") as package:
        package.writestr("note.txt", "no workbook")
    assert refusal("other.xlsx").startswith("other.xlsx cannot be read as a workbook: ")
    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as package, package.open("xl/workbook.xml", "w") as part:
        for _ in range(401):
            part.write(bytes(1 << 20))
    assert refusal("bomb.xlsx") == "bomb.xlsx would unpack to more than 400 MiB."


def test_plain_formulas_are_chosen_only_where_they_agree(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "USUAL_PLACES", ())
    monkeypatch.setattr(shutil, "which", lambda name: None)
    office.find_office.cache_clear()
    path = write({"S": [[2, "=A1*3"]]})
    agreeing = spreadsheet(with_saved(path, "B1", "6"), {"a": "A1"}, {"u": "B1"})
    assert repr(agreeing).endswith("1 of 1 formulas agree with the values in the file.")
    with pytest.raises(SpreadsheetError) as told:
        spreadsheet(with_saved(path, "B1", "7"), {"a": "A1"}, {"u": "B1"})
    assert "IronCalc calculates 6.0 in S!B1, where the file has 7.0. By LibreOffice: LibreOffice is not installed" in str(told.value)
    for formula, reason in {
        "=FORECAST.ETS(A1,C1:C3,D1:D3)": r"IronCalc does not have the function FORECAST\.ETS \(S!B1\)",
        "=A1+B1": r"IronCalc cannot calculate S!B1 \(#CIRC!\)",
        "=SUM(S:T!A1)": r"IronCalc does not read cells of several sheets together \(S!B1\)",
    }.items():
        with pytest.raises(SpreadsheetError, match=reason):
            spreadsheet(write({"S": [[2, formula]], "T": [[1]]}), {"a": "S!A1"}, {"u": "S!B1"}, engine="formulas")
    office.find_office.cache_clear()


def test_random_numbers_and_clocks_are_compared_with_nothing(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write({"S": [[2, "=A1*RAND()", "=B1+1", "=A1*2"]]})
    sheet = spreadsheet(with_saved(path, "B1", "77"), {"a": "A1"}, {"u": "C1", "v": "D1"}, engine="formulas")
    assert sheet(a=3)["v"] == 6
    assert "The outputs use RAND, so runs at one input differ: state their noise." in capsys.readouterr().err


def test_what_is_missing_is_named(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write({"S": [[2, "=A1*3"]]})
    for module in ("openpyxl", "ironcalc"):
        with monkeypatch.context() as without:
            without.setitem(sys.modules, module, None)
            with pytest.raises(SpreadsheetError, match=r"pip install 'backsolve\[spreadsheet\]'"):
                spreadsheet(path, {"a": "A1"}, {"u": "B1"}, engine="formulas")
    with pytest.raises(SpreadsheetError, match="engine must be auto, formulas or libreoffice, not excel"):
        spreadsheet(path, {"a": "A1"}, {"u": "B1"}, engine="excel")  # type: ignore[arg-type]


def test_calls_with_other_inputs_are_refused(write: Write) -> None:
    sheet = spreadsheet(write({"S": [[2, 3, "=A1*B1"]]}), {"a": "A1", "b": "B1"}, {"u": "C1"}, engine="formulas")
    with pytest.raises(TypeError, match="takes the inputs a, b; missing or unknown: b, c"):
        sheet(a=1, c=2)
    with pytest.raises(TypeError, match="must take the inputs"):
        solve(sheet, {"a": (0, 1)}, {"u": within(1, 1)})
    with pytest.raises(ValueError, match=r"Give another name with the ending \.xlsx"):
        sheet.save(sheet.path, a=1, b=2)
    with pytest.raises(ValueError, match=r"Give another name with the ending \.xlsx"):
        sheet.save("copy.ods", a=1, b=2)


def test_copies_in_other_processes_calculate_for_themselves(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = spreadsheet(write(PIPE), INPUTS, OUTPUTS, engine="formulas")
    capsys.readouterr()
    copy = pickle.loads(pickle.dumps(sheet))
    assert copy(**AT) == OUTPUT
    assert (copy.engine, copy.fingerprint, capsys.readouterr().err) == (sheet.engine, sheet.fingerprint, "")
    assert fingerprint_of(sheet) == sheet.fingerprint


@pytest.mark.parametrize("row", [1, 2, 3, 9])
def test_copies_keep_everything_else_and_have_cells_that_were_empty(write: Write, row: int) -> None:
    def change(book: Any) -> None:
        book["S"]["C3"].number_format = "0.000"

    path = write({"S": [["a", 2, "=B1*3"], [], [None, None, 4, "=SUM(A1:B9)"]]}, change=change)
    sheet = spreadsheet(path, {"x": f"A{row}", "y": "B1", "z": "C3"}, {"u": "D3", "v": "C1"}, engine="formulas")
    assert sheet.save(path.with_name("copy.xlsx"), x=1.5, y=2.5, z=3) == path.with_name("copy.xlsx")
    copy = Book(path.with_name("copy.xlsx"))
    assert [copy.value("S", *at) for at in ((row, 1), (1, 2), (3, 3))] == [1.5, 2.5, 3]
    assert copy.formula("S", 3, 4) == "=SUM(A1:B9)"
    assert openpyxl.load_workbook(path.with_name("copy.xlsx"))["S"]["C3"].number_format == "0.000"
    assert openpyxl.load_workbook(path.with_name("copy.xlsx")).calculation.fullCalcOnLoad is True
    assert spreadsheet(path.with_name("copy.xlsx"), {"y": "B1"}, {"v": "C1"}, engine="formulas")(y=4) == {"v": 12}


def test_dates_are_the_numbers_that_formulas_see(write: Write) -> None:
    times = [datetime.date(2026, 3, 1), "=A1+1", datetime.datetime(2026, 3, 1, 12), datetime.time(6), datetime.timedelta(hours=36)]
    path = write({"S": [[*times, datetime.date(1900, 1, 5)]]})
    assert [Book(path).value("S", 1, column) for column in (1, 3, 4, 5, 6)] == [46082, 46082.5, 0.25, 1.5, 5]
    assert spreadsheet(path, {"day": "A1"}, {"next": "B1"}, engine="formulas")(day=46082.0) == {"next": 46083}
    assert [str(area_of("S", text)) for text in ("3:2", "$B:A", "C2:A1")] == ["S!A2:XFD3", "S!A1:B1048576", "S!A1:C2"]


def test_solves_a_workbook_and_fits_a_curve(write: Write, tmp_path: Path, service: Service) -> None:
    sheet = spreadsheet(write(PIPE), INPUTS, OUTPUTS, engine="formulas")
    inputs = {"diameter": (40, 150), "insulation": (10, 80), "flow": (4, 8)}
    asked = {"url": service.url, "api_key": service.key, "folder": tmp_path / "runs", "progress": False}
    found = solve(sheet, inputs, {"pressure": within(0.1, 0.005), "power": within(500, 5)}, budget=40, **asked)  # type: ignore[arg-type]
    assert found.status == "satisfied"
    assert found.best is not None
    assert sheet(**found.best.input) == found.best.output
    times = [[0.5 * k, f'=B$11*EXP(-B$12*A{k + 1})*IF(B$13,1,2)*IF(B$14="on",1,3)'] for k in range(10)]
    curve = write({"S": [*times, [None, 2], [None, 1], [None, True], [None, "on"]]}, "curve.xlsx")
    cells = {"height": "B11", "rate": "B12", "is_single": "B13", "switch": "B14"}
    decay = spreadsheet(curve, cells, {"level": "S!B1:B10"}, engine="formulas")
    data = decay(height=3.0, rate=0.7, is_single=True, switch="on")["level"]
    fitted = solve(
        decay,
        {"height": real(1, 5), "rate": real(0.1, 2), "is_single": boolean(), "switch": choice("on", "off")},
        {"level": fit(data, sigma=0.01)},
        budget=60,
        **asked,  # type: ignore[arg-type]
    )
    assert fitted.best is not None
    assert fitted.fit is not None
    assert fitted.fit.chi_square is not None
    assert fitted.fit.chi_square < 10


def wait_until_gone(process_id: int) -> None:
    for _ in range(200):
        if not Path(f"/proc/{process_id}/exe").exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"Process {process_id} still runs.")


def test_the_workbook_of_a_problem_file_is_described_and_served(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"S": [[2, "=A1*3"], [5, "=A1*A2"], [None, "=A1/(A1-3)"]]}
    path = write(rows)
    settings = {"file": str(path), "engine": "formulas", "conditions": {"heat": "S!A2"}, "inputs": {"a": "S!A1"}, "outputs": {"u": "B1:B3"}}
    described = served.describe(settings)
    assert (described["faults"], described["model"]) == ([], {"sizes": {"u": 3}})
    assert described["notes"][0].startswith("book.xlsx is calculated by plain formulas (IronCalc ")
    box = served.open_box(settings)

    def run(**inputs: float) -> Any:
        return box.run(Request(inputs=inputs, outputs=["u"], curves={}, seconds=60, is_wanted=lambda: True))

    assert run(a=4, heat=10) == {"u": [12, 40, 4]}
    with pytest.raises(RunFailed, match=r"^S!B3 is #DIV/0!\.$"):
        run(a=3, heat=10)
    box.close()
    copy = path.with_name("best.xlsx")
    assert served.describe({**settings, "copy": {"values": {"a": 7}, "target": str(copy)}})["faults"] == []
    assert [Book(copy).value("S", *at) for at in ((1, 1), (2, 1))] == [7, 5]
    with pytest.raises(Fault, match="The copy with the best input cannot be written"):
        served.describe({**settings, "copy": {"values": {"a": 7}, "target": str(path.parent / "no" / "best.xlsx")}})
    wrong = {**settings, "conditions": {"heat": "S!B2"}, "inputs": {"a": "S!B1"}}
    assert [fault["path"] for fault in served.describe(wrong)["faults"]] == [["spreadsheet", "conditions", "heat"], ["inputs", "a", "cell"]]
    linked = {**settings, "file": str(write({"S": [[2, "=[1]S!A1"], [5, "=A1"], [1, "=A2"]]}, "linked.xlsx"))}
    assert [fault["path"] for fault in served.describe(linked)["faults"]] == [["spreadsheet"]]
    for refused in (wrong, {**settings, "file": str(path.with_suffix(".csv"))}):
        with pytest.raises(Fault):
            served.open_box(refused)
    monkeypatch.setattr(served, "find_spec", lambda _: None)
    with pytest.raises(MissingPackageError):
        served.open_box(settings)


@needs_office
def test_a_libreoffice_that_dies_is_started_again_and_leaves_nothing(write: Write) -> None:
    with spreadsheet(write(PIPE), INPUTS, OUTPUTS, engine="libreoffice") as sheet:
        engine: Any = sheet._engine
        first = engine._session
        os.kill(first._office, signal.SIGKILL)
        assert sheet(**AT) == OUTPUT
        second = engine._session
        assert second._office != first._office
        os.kill(second._process.pid, signal.SIGKILL)  # the program between
        assert sheet(**AT) == OUTPUT
        third = engine._session
        with pytest.raises(RuntimeError, match="not calculated within 0 seconds"):
            sheet.calculate(AT, 0)
        assert sheet(**AT) == OUTPUT
        last = engine._session
    for session in (first, second, third, last):
        wait_until_gone(session._office)
        assert not Path(session._folder).exists()


@needs_office
def test_a_libreoffice_ends_with_a_program_that_is_killed(write: Write) -> None:
    code = """if True:
        import sys, backsolve
        sheet = backsolve.spreadsheet(sys.argv[1], ["a"], ["u"], engine="libreoffice")
        print(sheet._engine._session._office, flush=True)
        input()
    """
    path = write({"S": [[1, "=A1*2"]]}, names={"a": "S!$A$1", "u": "S!$B$1"})
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        office_id = int(program.stdout.readline())
        program.kill()
        wait_until_gone(office_id)
    folders = list(Path(tempfile.gettempdir()).glob(f"backsolve-office-{program.pid}-*"))
    office.remove_left_behind()
    assert [folder for folder in folders if folder.exists()] == []


@needs_office
def test_an_ods_is_calculated_and_copied_by_libreoffice(write: Write) -> None:
    path = write(PIPE, names={"flow": "Pipe!$A$3"})
    ods = path.with_name("pipe.ods")
    engine = office.OfficeEngine(path)
    engine.save(ods)
    engine.end()
    before = ods.read_bytes()
    with pytest.raises(SpreadsheetError, match="pipe.ods cannot be calculated by plain formulas"):
        spreadsheet(ods, INPUTS, OUTPUTS, engine="formulas")
    with pytest.raises(SpreadsheetError, match=r"^diameter: Pipe!A4 holds the formula"):
        spreadsheet(ods, {**INPUTS, "diameter": "A4"}, OUTPUTS)
    with spreadsheet(ods, {**INPUTS, "flow": None}, OUTPUTS) as sheet:
        assert sheet.engine == "LibreOffice"
        assert sheet.reason.endswith("; 4 of 4 formulas agree with the values in the file")
        assert sheet(**AT) == OUTPUT
        copy = sheet.save(ods.with_name("copy.ods"), **{**AT, "diameter": 100.0})
    assert ods.read_bytes() == before
    with spreadsheet(copy, {"flow": None}, OUTPUTS) as saved:
        assert saved(flow=5)["pressure"] == pytest.approx(0.0405284734)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ((), "starts LibreOffice elsewhere"),
        (("soffice.bin", "libmergedlo.so"), r"has no Calc: on Debian and Ubuntu, apt install libreoffice-calc"),
        (("soffice.bin", "libmergedlo.so", "libsclo.so"), r"no Python to talk to it.*apt install python3-uno"),
    ],
)
def test_what_is_missing_of_a_libreoffice_is_named(
    files: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*files, "office"):
        (tmp_path / name).touch()
    monkeypatch.setenv("BACKSOLVE_SOFFICE", str(tmp_path / "office"))
    monkeypatch.setattr(office, "_has_uno", lambda python: False)
    office.find_office.cache_clear()
    with pytest.raises(SpreadsheetError, match=message):
        office.find_office()
    monkeypatch.setenv("BACKSOLVE_SOFFICE", str(tmp_path / "none"))
    with pytest.raises(SpreadsheetError, match="which BACKSOLVE_SOFFICE names"):
        office.find_office()
