"""
Workbooks with the settings and constructs that calculators read differently: each a file, its inputs with values to run at, and its
outputs. bench/clients/python_workbook_settings.py has LibreOffice calculate them and compares; `VALUES` are what it found.
"""

from __future__ import annotations

import datetime
import importlib
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from backsolve import SpreadsheetError
from backsolve._sheets import office

openpyxl: Any = importlib.import_module("openpyxl")
DefinedName: Any = importlib.import_module("openpyxl.workbook.defined_name").DefinedName
Formula: Any = importlib.import_module("openpyxl.worksheet.formula")
Table: Any = importlib.import_module("openpyxl.worksheet.table").Table


def has_office() -> bool:
    try:
        office.find_office()
    except SpreadsheetError:
        return False
    return True


needs_office = pytest.mark.skipif(not has_office(), reason="NOT CHECKED: LibreOffice Calc is not installed")
VALUES = Path(__file__).with_name("workbook_values.json")
Rows = list[list[Any]]


@dataclass(frozen=True)
class Case:
    build: Callable[[Any], None]
    """Fills an empty workbook of openpyxl."""
    inputs: Mapping[str, list[float]]
    """Cells, with a value for each run."""
    outputs: list[str]
    tolerance: float = 0.0
    """Beside nine digits: what an iteration leaves."""
    patch: Mapping[str, str] | None = None
    """Texts of the parts of the file that are replaced, because openpyxl does not write them so."""
    values: list[dict[str, float]] | None = None
    """Values of the outputs in each run, if LibreOffice saves none."""

    def write(self, path: Path) -> Path:
        book = openpyxl.Workbook()
        book.remove(book.active)
        self.build(book)
        book.save(path)
        if self.patch is not None:
            _replace(path, self.patch)
        return path

    def runs(self) -> list[dict[str, float]]:
        return [dict(zip(self.inputs, values, strict=True)) for values in zip(*self.inputs.values(), strict=True)]


def _replace(path: Path, texts: Mapping[str, str]) -> None:
    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            text = content
            for old, new in texts.items():
                text = text.replace(old.encode(), new.encode())
            package.writestr(name, text)


def with_saved(path: Path, place: str, value: str) -> Path:
    """The workbook as if it had been calculated, with this value in a cell of its first sheet."""
    target = path.with_name("saved.xlsx")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            text = old.read(entry).decode()
            if entry.filename == "xl/worksheets/sheet1.xml":
                head, mark, tail = text.partition(f'<c r="{place}"')
                text = head + mark + tail.replace("<v></v>", f"<v>{value}</v>", 1).replace("<v />", f"<v>{value}</v>", 1)
            new.writestr(entry, text)
    return target


def fill(book: Any, title: str, rows: Rows) -> Any:
    sheet = book.create_sheet(title)
    for row in rows:
        sheet.append(row)
    return sheet


def rows(*lines: list[Any], title: str = "S") -> Callable[[Any], None]:
    def build(book: Any) -> None:
        fill(book, title, list(lines))

    return build


def name(owner: Any, spelled: str, text: str, **more: Any) -> None:
    owner.defined_names[spelled] = DefinedName(spelled, attr_text=text, **more)


CASES: dict[str, Case] = {}


def case(inputs: Mapping[str, list[float]], outputs: list[str], **more: Any) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    def keep(build: Callable[[Any], None]) -> Callable[[Any], None]:
        CASES[build.__name__] = Case(build, inputs, outputs, **more)
        return build

    return keep


def plain(title: str, inputs: Mapping[str, list[float]], outputs: list[str], *lines: list[Any], **more: Any) -> None:
    CASES[title] = Case(rows(*lines), inputs, outputs, **more)


@case({"S!A1": [8, 8.333, 9.111], "S!A2": [1.26, 2.34, 7.77]}, ["S!C1", "S!B2"])
def precision_as_displayed(book: Any) -> None:
    sheet = fill(book, "S", [[8, "=A1/4", "=B1*1000"], [1.26, "=A2*1000"]])
    sheet["B1"].number_format, sheet["A2"].number_format = "0.00", "0.0"
    book.calculation.fullPrecision = False


@case({"S!A1": [44620, 40000, 100]}, ["S!B1", "S!C1", "S!D1", "S!B2"])
def dates_from_1904(book: Any) -> None:
    book.epoch = datetime.datetime(1904, 1, 1)
    fill(book, "S", [[datetime.date(2026, 3, 1), "=YEAR(A1)", "=DATE(2026,3,1)-A1", "=WEEKDAY(A1)"], [None, "=EDATE(A1,1)"]])


@case({"Copy!B1": [5, 7, 2], "Base!B1": [3, 3, 4]}, ["Copy!B2", "Base!B2", "Third!A1"])
def names_of_a_copied_sheet(book: Any) -> None:
    fill(book, "Base", [[None, 3], [None, "=width^2"]])
    copy = fill(book, "Copy", [[None, 5], [None, "=width^2"]])
    fill(book, "Third", [["=width+1"]])
    name(book, "width", "Base!$B$1")
    name(copy, "width", "Copy!$B$1")


@case({"'Copy (2)'!B1": [5, 7, 2]}, ["'Copy (2)'!B2", "S!A1"])
def names_of_another_sheet(book: Any) -> None:
    copy = fill(book, "Copy (2)", [[None, 5], [None, "=own^2"]])
    fill(book, "S", [["='Copy (2)'!own+1"]])
    name(copy, "own", "'Copy (2)'!$B$1")


plain(
    "ranges_between_functions",
    {"S!A1": [2.5, 1.5, 3.2]},
    ["S!B2", "S!B3", "S!B4"],
    [2.5, "=MATCH(A1,C1:C4)", 1, 2.1],
    [None, "=FORECAST(A1,INDEX(D1:D4,B1):INDEX(D1:D4,B1+1),INDEX(C1:C4,B1):INDEX(C1:C4,B1+1))", 2, 3.9],
    [None, "=SUM(INDEX(D1:D4,2):INDEX(D1:D4,3))*A1", 3, 6.2],
    [None, "=SUM(D1:INDEX(D1:D4,B1))", 4, 7.8],
)
plain(
    "ranges_between_functions_in_iferror",
    {"S!A1": [2, 3, 4]},
    ["S!B1"],
    [2, "=IFERROR(SUM(C1:OFFSET(C1,A1-1,0)),0)", 1],
    [None, None, 2],
    [None, None, 3],
    [None, None, 4],
)


@case({"S!A1": [100, 200, 150, 100]}, ["S!A3", "S!A4"], tolerance=0.01)
def circle_that_converges(book: Any) -> None:
    fill(book, "S", [[100], [0.05], ["=A1+A4"], ["=A2*(A1+A3)/2"]])
    book.calculation.iterate = True


@case({"S!A1": [2, 9, 3, 2]}, ["S!A2", "S!A3"], tolerance=1e-8)
def circle_with_a_small_change(book: Any) -> None:
    fill(book, "S", [[2], ["=(A2+A1/MAX(A2,0.01))/2"], ["=A2*2"]])
    book.calculation.iterate, book.calculation.iterateDelta = True, 1e-9


@case({"S!A1": [2, 3, 4]}, ["S!A3"])
def circle_that_never_ends(book: Any) -> None:
    fill(book, "S", [[2], ["=A2+A1"], ["=A2*2"]])
    book.calculation.iterate = True


plain("circle_at_some_inputs", {"S!A1": [2, 6, 3]}, ["S!A2"], [2], ["=IF(A1>5,A3,A1)"], ["=A2*2"])
plain(
    "small_and_large_numbers",
    {"S!A1": [2, 3.7, 5]},
    ["S!B1", "S!C1", "S!B2", "S!C2", "S!B3"],
    [2, "=A1*1E-15", "=B1/(A1+1)^3"],
    [None, "=A1*1E+200", "=B2/B1"],
    [None, "=1/(2*PI()*SQRT(A1*1E-12*3E-9))"],
)


@case(
    {"S!A1": [2, 3, 4], "S!D3": [5, 6, 8]},
    ["S!F1", "S!E3"],
    values=[{"S!F1": 32, "S!E3": 22}, {"S!F1": 35, "S!E3": 25}, {"S!F1": 41, "S!E3": 31}],
)
def data_table(book: Any) -> None:
    sheet = fill(book, "S", [[2, "=A1*3+A2", None, None, "=B1", "=E2+E3"], [7, None, None, 1], [None, None, None, 5]])
    sheet["E2"] = Formula.DataTableFormula(ref="E2:E3", dt2D=False, dtr=False, r1="A1")


@case({"S!A2": [2, 7, -1]}, ["S!C1", "S!D2", "S!D3", "S!E1"])
def array_formulas(book: Any) -> None:
    sheet = fill(book, "S", [[1, 10, None, None, "=SUM(D1:D3)"], [2, 20], [3, 30]])
    sheet["C1"] = Formula.ArrayFormula("C1", "=SUM(IF(A1:A3>0,A1:A3*B1:B3,0))")
    sheet["D1"] = Formula.ArrayFormula("D1:D3", "=A1:A3*2")


plain(
    "one_cell_of_a_range",
    {"S!A2": [2, 7, 5]},
    ["S!C2", "S!C3", "S!C4", "S!D2"],
    [1, 10],
    [2, 20, "=SUM(A1:A4*B1:B4)", "=VLOOKUP(A:A,A1:B4,2,FALSE)"],
    [5, 30, "=ABS(A1:A4)"],
    [7, 40, "=IF(A1:A4>2,1,0)+A2"],
)
plain(
    "products_of_ranges",
    {"S!A2": [2, 7, 5]},
    ["S!C1", "S!C2", "S!C3"],
    [1, 10, "=SUMPRODUCT(A1:A3*B1:B3)"],
    [2, 20, "=SUMPRODUCT((A1:A3>1)*(B1:B3))"],
    [3, 30, "=SUMPRODUCT(--(A1:A3>=2),B1:B3)+INDEX(LINEST(B1:B3,A1:A3),1)"],
)
plain(
    "arrays_of_constants",
    {"S!A1": [2, 7, 5]},
    ["S!B1", "S!B2", "S!B3", "S!B4"],
    [2, '=SUM(COUNTIF(A1:A4,{">2","<0"}))'],
    [3, "=SUM({1,2,3})*A1"],
    [-1, "=CHOOSE(MATCH(A1,{0,4,6}),10,20,30)"],
    [9, "=SUM(LARGE(A1:A4,{1,2}))"],
)
CASES["shared_formulas"] = Case(
    rows([2, "=A1*3"], [3, "=111"], [4, "=222"]),
    {"S!A3": [4, 10, 7]},
    ["S!B3"],
    patch={
        "<f>A1*3</f>": '<f t="shared" ref="B1:B3" si="0">A1*3</f>',
        "<f>111</f>": '<f t="shared" si="0"/>',
        "<f>222</f>": '<f t="shared" si="0"/>',
    },
)


@case({"S!A2": [1, 10, -4]}, ["S!C2", "S!C3", "S!A5", "S!A6", "S!A7", "S!A8"])
def tables(book: Any) -> None:
    this = "=T[[#This Row],[x]]*2"
    sums = [["=SUM(T[x])"], ["=SUM(T[[x]:[y]])"], ["=SUMPRODUCT(T[x]*T[y])"], ["=INDEX(T[y],2)*A2"]]
    sheet = fill(book, "S", [["x", "y", "z"], [1, 2, this], [3, 4, this], [], *sums])
    sheet.add_table(Table(displayName="T", ref="A1:C3"))


@case({"B!A1": [2, 20, 5]}, ["S!A1"])
def cells_of_several_sheets(book: Any) -> None:
    for title, value in {"A": 1, "B": 2, "C": 4}.items():
        fill(book, title, [[value]])
    fill(book, "S", [["=SUM(A:C!A1)"]])


@case({"S!A1": [3, 4, 5]}, ["S!C1"])
def merged_cells(book: Any) -> None:
    fill(book, "S", [[3, None, "=A1+B1+A2"], []]).merge_cells("A1:B2")


plain(
    "numbers_as_texts",
    {"S!A1": [3, 4.5, 12]},
    ["S!B1", "S!B2", "S!B3", "S!B4"],
    [3, "=A2*A1"],
    ["12", "=SUM(A1:A2)"],
    [None, "=IF(A2=A1,1,0)"],
    [None, '=VALUE(A1&"0")+LEN(A1&" mm")'],
)
plain(
    "yes_or_no",
    {"S!A1": [3, 6, 4.5]},
    ["S!B1", "S!B2", "S!B3"],
    [3, "=A1>4"],
    [True, "=IF(AND(A2,B1),10,20)"],
    [None, "=(A1>4)*5+A2"],
)
plain(
    "errors",
    {"S!A1": [3, 0, 4]},
    ["S!B1", "S!B2", "S!B3", "S!B4"],
    [3, "=1/A1", 1, 10],
    [None, "=IFERROR(1/A1,-1)", 3, 30],
    [None, "=VLOOKUP(A1,C1:D2,2,FALSE)"],
    [None, "=IF(ISNA(B3),7,B3)"],
)


@case({"S!A1": [46082, 45000.25, 61]}, ["S!B1", "S!C1", "S!D1", "S!E1", "S!B2", "S!C2"])
def dates(book: Any) -> None:
    first = [datetime.date(2026, 3, 1), "=YEAR(A1)*10000+MONTH(A1)*100+DAY(A1)", "=EDATE(A1,1)", "=WEEKDAY(A1,2)", "=EOMONTH(A1,0)-A1"]
    fill(book, "S", [first, [datetime.time(6), "=A1+A2", "=DATE(1900,2,28)+2+A1"]])


@case({"S!A1": [0.05, 0.125, 0.5], "S!A2": [12.5, 99.99, 3]}, ["S!B1", "S!B2"])
def percents_and_money(book: Any) -> None:
    sheet = fill(book, "S", [[0.05, "=A1*A2+10%"], [12.5, "=ROUND(A2*(1+A1),2)"]])
    sheet["A1"].number_format, sheet["A2"].number_format, sheet["B2"].number_format = "0%", '"$"#,##0.00', '"$"#,##0.00'


plain(
    "empty_cells",
    {"S!A1": [3, 0, 5]},
    ["S!B1", "S!B2", "S!B3", "S!B4"],
    [3, "=C1+A1"],
    [None, '=IF(C1="",A1,0)'],
    [None, "=COUNT(A1:A9)*A1"],
    [None, "=IF(ISBLANK(C1),A1,1)+C1*5"],
)


@case({"Data!A1": [3, 4, 5]}, ["S!A1", "S!A2"])
def hidden_sheets_and_names(book: Any) -> None:
    fill(book, "S", [["=inner*2"], ["=Data!A2+1"]])
    sheet = fill(book, "Data", [[3], ["=A1*3"]])
    sheet.sheet_state = "veryHidden"
    name(book, "inner", "Data!$A$2", hidden=True)
    name(sheet, "solver_opt", "Data!$A$2", hidden=True)


plain(
    "cells_by_value",
    {"S!A1": [1, 2, 3]},
    ["S!C1", "S!C2", "S!C3"],
    [1, 10, '=INDIRECT("B"&A1)'],
    [None, 20, "=SUM(OFFSET(B1,0,0,A1))"],
    [None, 30, "=INDEX(B1:B3,A1)+CHOOSE(A1,B1,B2,B3)"],
)
plain(
    "lookups",
    {"S!A1": [2.5, 1, 3.9]},
    ["S!B1", "S!B2", "S!B3", "S!B4"],
    [2.5, "=VLOOKUP(A1,C1:D4,2)", 1, 10],
    [None, "=INDEX(D1:D4,MATCH(A1,C1:C4,1))", 2, 20],
    [None, "=LOOKUP(A1,C1:C4,D1:D4)", 3, 30],
    [None, '=SUMIF(C1:C4,">"&A1,D1:D4)', 4, 40],
)
plain(
    "rounding",
    {"S!A1": [2.5, -2.5, 7.25]},
    ["S!B1", "S!B2", "S!B3", "S!B4", "S!B5", "S!B6"],
    [2.5, "=ROUND(A1,0)"],
    [None, "=MOD(A1,3)+MOD(-A1,3)"],
    [None, "=ROUNDUP(A1*1.1,1)"],
    [None, "=CEILING(A1,0.5)+FLOOR(A1,0.5)"],
    [None, "=INT(A1)-TRUNC(A1)"],
    [None, "=EVEN(A1)+ODD(A1)"],
)
plain(
    "texts_in_capitals",
    {"S!A1": [3, 8, 5]},
    ["S!B2", "S!B3", "S!B4"],
    [3, '=IF(A1>4,"STEEL","wood")'],
    [None, '=IF(B1="steel",1,2)'],
    [None, "=VLOOKUP(B1,C3:D4,2,FALSE)", "Wood", 7],
    [None, '=IF(EXACT(B1,"steel"),1,2)+IF(B1<"T",10,20)', "Steel", 8],
)


@case({"S!A1": [2, 5, 7]}, ["S!B1", "S!B2", "S!B3", "S!B4", "S!B5"])
def names_that_are_no_cells(book: Any) -> None:
    fill(book, "S", [[2, "=k*A1"], [3, "=twice+1"], [4, "=SUM(span)"], [None, "=SUM(pair)"], [None, "=SUM(growing)"]])
    texts = {"k": "1.5", "twice": "S!$A$1*2", "span": "S!$A$1:$A$3", "pair": "S!$A$1,S!$A$3"}
    for spelled, text in {**texts, "growing": "OFFSET(S!$A$1,0,0,COUNT(S!$A$1:$A$9),1)"}.items():
        name(book, spelled, text)


@case({"S!A1": [2, 5, 7]}, ["S!B1"])
def names_of_several_cells(book: Any) -> None:
    fill(book, "S", [[2, "=SUM(pair)"], [3], [4]])
    name(book, "pair", "S!$A$1,S!$A$3")


@case({"S!A1": [2, 5, 7]}, ["S!B1"], values=[{"S!B1": 6}, {"S!B1": 15}, {"S!B1": 21}])
def calculated_by_hand(book: Any) -> None:
    fill(book, "S", [[2, "=A1*3"]])
    book.calculation.calcMode = "manual"


@case({"S!A1": [1, 2, 3]}, ["S!C1", "S!C2"])
def rows_and_columns_by_number(book: Any) -> None:
    fill(book, "S", [[1, 10, '=INDIRECT("R"&A1&"C2",FALSE)'], [2, 20, "=A1*2"], [3, 30]])
    book.calculation.refMode = "R1C1"


plain("clocks", {"S!A1": [1, 2, 3]}, ["S!B1"], [1, "=A1+TODAY()-TODAY()+NOW()*0"])
plain(
    "ranges_together",
    {"S!A1": [1, 2, 3]},
    ["S!C1", "S!C2"],
    [1, 10, "=SUM((A1:A2,B1:B2))"],
    [2, 20, "=SUM(A1:B2 B1:B3)*A1"],
    [3, 30],
)
plain(
    "money_over_time",
    {"S!A1": [0.05, 0.08, 0.02]},
    ["S!B1", "S!B2", "S!B3", "S!B4"],
    [0.05, "=PMT(A1/12,60,-1000)", -1000],
    [None, "=NPV(A1,C2:C4)+C1", 300],
    [None, "=IRR(C1:C4)*A1", 420],
    [None, "=RATE(60,-20-A1,1000)", 680],
)
plain(
    "statistics",
    {"S!A1": [1.2, 0.4, 2.9]},
    ["S!B1", "S!B2", "S!B3", "S!B4"],
    [1.2, "=NORMDIST(A1,1,0.5,TRUE)"],
    [2.0, "=STDEV(A1:A4)"],
    [3.5, "=PERCENTILE(A1:A4,0.3)"],
    [4.1, "=GAMMAINV(A1/5,2,1)"],
)


@case({"S!A1": [2, 5, 7]}, ["S!B1"])
def protected_cells(book: Any) -> None:
    sheet = fill(book, "S", [[2, "=A1*3"]])
    sheet["A1"].protection = importlib.import_module("openpyxl.styles").Protection(locked=False)
    sheet.protection.enable()


plain(
    "lists_that_grow",
    {"S!A1": [2, 3, 1]},
    ["S!B1", "S!B2"],
    [2, "=SUM(_xlfn.SEQUENCE(A1))"],
    [5, "=_xlfn.XLOOKUP(A1,C1:C3,D1:D3,0)", 3, 9],
    [7],
    values=[{"S!B1": 3, "S!B2": 0}, {"S!B1": 6, "S!B2": 9}, {"S!B1": 1, "S!B2": 0}],
)
plain("residues", {"S!A1": [0.1, 0.7, 0.3]}, ["S!B1", "S!C1"], [0.1, "=A1*3-A1-A1-A1+1", "=IF(ABS(A1*3-0.3)<1E-9,1,2)"])
plain(
    "whole_columns",
    {"S!A1": [2, 3, 1]},
    ["S!C1", "S!C2"],
    [2, 10, "=SUM(A:A)"],
    [1, 20, "=COUNT(A:B)*A1"],
    [3, 30],
)
