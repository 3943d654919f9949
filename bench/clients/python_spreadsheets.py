"""
Calculates workbooks as engineers write them with every engine that is installed, and compares all formulas with LibreOffice. Prints a JSON
line per engine and workbook: cells, cells that agree, milliseconds of processor time per run. In an environment with backsolve[spreadsheet],
and formulas and formualizer to compare with: python bench/clients/python_spreadsheets.py [--runs 10] [--seed 1]
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import random
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table

sys.path.insert(0, str(Path(__file__).parents[2] / "clients/python/src"))

from backsolve._sheets.agreement import same_value
from backsolve._sheets.office import OfficeEngine
from backsolve._sheets.places import Area
from backsolve._sheets.plain import PlainEngine

Rows = dict[str, list[list[Any]]]
Bounds = dict[str, tuple[float, float]]
"""Bounds of inputs, by their cells."""


def pipe() -> tuple[Rows, Bounds]:
    return {
        "Pipe": [[80], [30], [5], ["=A3/1000/(PI()*(A1/2000)^2)"], ["=0.02*100/(A1/1000)*1000*A4^2/2/100000"]]
        + [["=2*PI()*0.04*100*60/LN((A1+2*A2)/A1)/1000"], ["=A3*4.19*20-A6"], ["=100*(12+0.9*A1+0.35*A2)"]]
    }, {"Pipe!A1": (40, 150), "Pipe!A2": (10, 80), "Pipe!A3": (4, 8)}


def catalogue() -> tuple[Rows, Bounds]:
    """Lookups in a second sheet, steps, choices, errors caught."""
    profiles = [[80, 6.0, 77.8, "small"], [100, 8.1, 171, "small"], [140, 12.9, 541, "middle"], [200, 22.4, 1943, "large"], [300, 42.2, 8356, "large"]]
    formulas = [
        "=VLOOKUP(A1,Profiles!A2:D6,3,TRUE)", "=INDEX(Profiles!C2:C6,MATCH(A1,Profiles!A2:A6,1))", "=VLOOKUP(200,Profiles!A:D,4,FALSE)",
        '=IF(A4>500,"strong",IF(A4>100,"fair","weak"))', "=IFERROR(1/(A2-A2),-1)", "=A3*A2^3/(3*210000*A4*10000)*1000000000",
        "=SUMIF(Profiles!A2:A6,\">=\"&A1,Profiles!B2:B6)", '=SUMPRODUCT((Profiles!D2:D6="large")*Profiles!B2:B6)', "=CHOOSE(MATCH(A1,{0,120,220},1),1.1,1.2,1.35)",
        "=HLOOKUP(\"steel\",Profiles!F1:H2,2,FALSE)", "=ROUNDUP(A2/6,0)*6", "=MROUND(A3,5)", "=COUNTIFS(Profiles!A2:A6,\">\"&A1,Profiles!D2:D6,\"large\")",
        "=LOOKUP(A1,Profiles!A2:A6,Profiles!B2:B6)", "=ISNA(MATCH(A1,Profiles!A2:A6,0))", "=SWITCH(A7,\"strong\",3,\"fair\",2,1)",
    ]
    head = [["h", "kg/m", "I", "class", None, "wood", "steel", "concrete"]]
    table = [list(row) + ([None, 11, 210, 30] if i == 0 else []) for i, row in enumerate(profiles)]
    return {"Beam": [[160], [4], [1000]] + [[each] for each in formulas], "Profiles": head + table}, {"Beam!A1": (85, 290), "Beam!A2": (1, 9), "Beam!A3": (100, 9000)}


def finance() -> tuple[Rows, Bounds]:
    """A table of thirty years with a running balance, dates and the functions of banks."""
    years = [["year", "date", "cost", "yield", "net", "sum"]]
    for k in range(30):
        row = k + 6
        years.append([k + 1, f"=EDATE($B$5,{12 * (k + 1)})", f"=$A$3*(1+$A$4)^A{row + 4}", f"=$A$1*0.9^(A{row + 4}/10)*YEARFRAC(B{row + 3},B{row + 4})" if k else f"=$A$1", f"=D{row + 4}-C{row + 4}", f"=SUM(E$10:E{row + 4})"])
    top = [[900], [5000], [40], [0.02], [None, datetime.date(2026, 3, 1)]]
    ends = [["=NPV(0.05,E10:E39)-A2"], ["=IRR(H10:H40,0.1)"], ["=PMT(A4+0.03,30,-A2)"]]
    rows = [*top, *ends, *years]
    for k, row in enumerate(rows[8:]):
        if isinstance(row[0], int):
            row += [None, "=-A2" if k == 1 else f"=E{k + 8}"]
    rows += [["=FV(0.04,10,-A3)", "=PV(0.04,10,-A3)", "=NPER(0.04,-A1,A2)", "=RATE(12,-500,A2)", "=SLN(A2,100,10)", "=DB(A2,100,10,3)", "=CUMIPMT(0.05/12,36,A2,1,12,0)"]]
    rows += [["=WEEKDAY(B5)", "=YEAR(B12)", '=DATEDIF(B5,B20,"m")', "=NETWORKDAYS(B5,B11)", "=EOMONTH(B5,A3/10)", "=WORKDAY(B5,A3)", "=DAYS(B12,B5)"]]
    return {"Plan": rows}, {"Plan!A1": (500, 1500), "Plan!A2": (2000, 9000), "Plan!A3": (20, 90), "Plan!A4": (0.0, 0.06)}


def statistics() -> tuple[Rows, Bounds]:
    """Measured values, scaled by an input, and what is computed of them."""
    draw = random.Random(3)
    data = [[round(draw.gauss(20, 4), 2), k, f"=$E$1*A{k}+$E$2"] for k in range(1, 41)]
    names = ["AVERAGE", "STDEV.S", "VAR.P", "MEDIAN", "MAX", "MIN", "SKEW", "KURT", "GEOMEAN", "SUMSQ", "COUNT", "STDEV", "DEVSQ", "AVEDEV"]
    more = [f"={name}(C1:C40)" for name in names]
    more += ["=PERCENTILE(C1:C40,0.9)", "=QUARTILE.INC(C1:C40,1)", "=LARGE(C1:C40,3)", "=SMALL(C1:C40,3)", "=RANK(C5,C1:C40)", "=CORREL(B1:B40,C1:C40)"]
    more += ["=SLOPE(C1:C40,B1:B40)", "=INTERCEPT(C1:C40,B1:B40)", "=RSQ(C1:C40,B1:B40)", "=FORECAST(45,C1:C40,B1:B40)", "=INDEX(LINEST(C1:C40,B1:B40),1,2)"]
    more += ["=NORM.DIST(E1,2,0.5,TRUE)", "=NORM.S.INV(E1/5)", "=T.INV.2T(0.05,39)", "=CHISQ.DIST.RT(E1*10,9)", "=GAMMALN(E1+1)", "=ERF(E1/2)", "=BINOM.DIST(3,10,0.3,FALSE)"]
    more += ["=SUMPRODUCT(A1:A40,B1:B40)/SUM(B1:B40)", "=AVERAGEIF(C1:C40,\">20\")", "=TRIMMEAN(C1:C40,0.1)", "=CONFIDENCE.NORM(0.05,2,40)", "=POISSON.DIST(2,E1,TRUE)", "=WEIBULL.DIST(E1,2,3,TRUE)"]
    for k, each in enumerate(more):
        data[k % 40] += [None, None, None] if len(data[k % 40]) == 3 else [None]
        data[k % 40].append(each)
    data[0][3:5], data[1][3:5] = [None, 1.5], [None, 2]
    return {"Data": data}, {"Data!E1": (0.5, 3), "Data!E2": (0, 9)}


def engineering() -> tuple[Rows, Bounds]:
    """Matrices, angles, complex numbers, units, texts, interpolation."""
    formulas = [
        "=MDETERM(C1:E3)", "=SUM(MMULT(C1:E3,C1:E3))", "=INDEX(MINVERSE(C1:E3),1,1)", "=SIN(RADIANS(A1))", "=ATAN2(A2,A1)", "=DEGREES(ACOS(A2/10))", "=SINH(A2)", "=LOG(A1,2)",
        "=IMABS(COMPLEX(A1,A2))", '=CONVERT(A1,"ft","m")', "=MOD(A1,A2)", "=QUOTIENT(A1,A2)", "=CEILING(A1,5)", "=FLOOR(A1,5)", "=TRUNC(A1/7,2)", "=SIGN(A2-5)", "=FACT(INT(A2))",
        "=COMBIN(10,INT(A2))", "=GCD(INT(A1),12)", '=VALUE(TEXT(A1,"0.00"))', '=LEN(CONCATENATE("a",ROUND(A1,0)))', '=IF(AND(A1>20,OR(A2>5,A2<2)),A1,A2)', "=XOR(A1>50,A2>5)",
        "=FORECAST(A2,OFFSET(C6:C9,MATCH(A2,B6:B9,1)-1,0,2),OFFSET(B6:B9,MATCH(A2,B6:B9,1)-1,0,2))", '=INDIRECT("C"&(5+INT(A2/3)+1))', "=SUMXMY2(B6:B9,C6:C9)", "=SERIESSUM(A2/10,0,1,C6:C9)",
        "=MAX(IF(A1>50,B6:B9,C6:C9))", "=BESSELJ(A2,0)", "=LN(A1)*EXP(-A2/5)", "=A1%", "=-A2^2", "=2^-1", "=POWER(A1,0.5)", "=SQRT(A2-1.5)", "=XLOOKUP(A2,B6:B9,C6:C9,0,-1)",
        "=BITAND(12,10)", '=HEX2DEC("1F")', "=PRODUCT(B6:B9)", "=SUBTOTAL(9,B6:B9)", "=AGGREGATE(4,6,B6:B9)", "=IFS(A1>60,1,A1>30,2,TRUE,3)", "=MAXIFS(C6:C9,B6:B9,\"<\"&A2)", "=ISODD(INT(A1))",
    ]
    rows: list[list[Any]] = [[40, None, 4, 1, "=A2"], [3.5, None, 2, "=A1/10", 1], [None, None, 0, 1, 5], [], [], [None, 0, 1], [None, 3, 4], [None, 6, 5.5], [None, 10, 9]]
    return {"Calc": rows + [[each] for each in formulas]}, {"Calc!A1": (21, 90), "Calc!A2": (1.6, 8.9)}


def grid() -> tuple[Rows, Bounds]:
    """Heat through a wall, 60 steps of time over 40 points: 2,400 formulas."""
    rows: list[list[Any]] = [[0.2, 80, 15]]
    rows.append([None] + ["=$B$1"] + ["=$C$1"] * 38 + ["=$C$1"])
    for row in range(3, 63):
        cells = [f"={get_column_letter(c)}{row - 1}+$A$1*({get_column_letter(c - 1)}{row - 1}-2*{get_column_letter(c)}{row - 1}+{get_column_letter(c + 1)}{row - 1})" for c in range(3, 41)]
        rows.append([None, "=$B$1", *cells, "=$C$1"])
    return {"Wall": rows}, {"Wall!A1": (0.05, 0.45), "Wall!B1": (40, 120), "Wall!C1": (5, 25)}


def sheets() -> tuple[Rows, Bounds]:
    """Several sheets, named cells and a table."""
    inputs = [["load", 12.5], ["span", 6], ["factor", 1.35]]
    calc = [["moment", "=factor*load*span^2/8"], ["stress", "=B1*1000000/Section"], ["use", "=B2/355"], ["ok", "=IF(B3<=1,1,0)"], ["cost", "=SUM(Prices[price])*span"], ["mean", "=AVERAGE(Prices[price])"], ["sum", "='My results'!A1+1"]]
    return {"Inputs": inputs, "Calc": calc, "Prices": [["item", "price"], ["beam", "=3*load"], ["bolt", 4], ["paint", "=span*2"]], "My results": [["=Calc!B3*100"], ["=SUM(Calc:Prices!B2)"]]}, {"Inputs!B1": (5, 30), "Inputs!B2": (3, 9)}


def circular() -> tuple[Rows, Bounds]:
    """Interest on a mean balance: a circle that converges."""
    return {"Loop": [[100], [0.05], ["=A1+A4"], ["=A2*(A1+A3)/2"]]}, {"Loop!A1": (50, 200)}


MADE: dict[str, Callable[[], tuple[Rows, Bounds]]] = {each.__name__: each for each in (pipe, catalogue, finance, statistics, engineering, grid, sheets, circular)}


def write(name: str, rows: Rows, path: Path) -> None:
    book = Workbook()
    book.remove(book.active)
    for title, lines in rows.items():
        sheet = book.create_sheet(title)
        for line in lines:
            sheet.append([as_excel_writes(cell) for cell in line])
    if name == "sheets":
        for each, place in {"load": "Inputs!$B$1", "span": "Inputs!$B$2", "factor": "Inputs!$B$3"}.items():
            book.defined_names[each] = DefinedName(each, attr_text=place)
        book.defined_names["Section"] = DefinedName("Section", attr_text="Inputs!$B$2*100000")
        book["Prices"].add_table(Table(displayName="Prices", ref="A1:B4"))
    book.calculation.iterate = name == "circular"
    book.save(path)


NEWER = {
    *("STDEV.S", "VAR.P", "QUARTILE.INC", "NORM.DIST", "NORM.S.INV", "T.INV.2T", "CHISQ.DIST.RT", "BINOM.DIST", "CONFIDENCE.NORM"),
    *("POISSON.DIST", "WEIBULL.DIST", "DAYS", "XOR", "XLOOKUP", "BITAND", "IFS", "MAXIFS", "SWITCH"),
}
"""Functions that Excel writes with a prefix."""


def as_excel_writes(cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith("="):
        return cell
    return re.sub(r"[A-Z][A-Z0-9.]*(?=\()", lambda found: f"_xlfn.{found[0]}" if found[0] in NEWER else found[0], cell)


class Formualizer:
    def __init__(self, path: Path) -> None:
        library = importlib.import_module("formualizer")
        config = library.EvaluationConfig()
        config.enable_parallel, config.cycle_policy = False, "iterate"
        self._book = library.Workbook.load_path(str(path), config=library.WorkbookConfig(eval_config=config))
        self._book.set_temporal_egress("serial")

    def run(self, values: dict[Any, Any], areas: list[Area], _timeout: float) -> list[list[Any]]:
        for (sheet, row, column), value in values.items():
            self._book.set_value(sheet, row, column, value)
        self._book.evaluate_all()
        return [[self._read(self._book.get_value(area.sheet, area.row, area.column))] for area in areas]

    @staticmethod
    def _read(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        kind = str(value.get("kind", value)).upper().replace("DIV", "DIV/0").rstrip("!")
        return {"error": f"#{kind}" + ("" if kind == "N/A" else "?" if kind == "NAME" else "!")}


class Formulas:
    def __init__(self, path: Path) -> None:
        self._file = path.name
        self._model = importlib.import_module("formulas").ExcelModel().loads(str(path)).finish(circular=path.stem == "circular")

    def run(self, values: dict[Any, Any], areas: list[Area], _timeout: float) -> list[list[Any]]:
        given = {f"'[{self._file}]{sheet.upper()}'!{get_column_letter(column)}{row}": value for (sheet, row, column), value in values.items()}
        solution = self._model.calculate(inputs=given)
        return [[self._read(solution, f"'[{self._file}]{area.sheet.upper()}'!{get_column_letter(area.column)}{area.row}")] for area in areas]

    @staticmethod
    def _read(solution: Any, key: str) -> Any:
        value = solution[key].value[0, 0] if key in solution else "not calculated"
        value = value.item() if hasattr(value, "item") else value
        return {"error": str(value)} if str(value).startswith("#") else value


ENGINES: dict[str, Callable[[Path], Any]] = {"ironcalc": PlainEngine, "formualizer": Formualizer, "formulas": Formulas}


def compare(name: str, path: Path, rows: Rows, bounds: Bounds, runs: int, seed: int) -> None:
    areas = [Area(sheet, r, c) for sheet, lines in rows.items() for r, line in enumerate(lines, 1) for c, cell in enumerate(line, 1) if str(cell).startswith("=")]
    office = OfficeEngine(path)
    draw = random.Random(seed)
    given = [{at(place): round(draw.uniform(*each), 3) for place, each in bounds.items()} for _ in range(runs)]
    wanted = [office.run(each, areas, 120) for each in given]
    started = time.perf_counter()
    for each in given:
        office.run(each, areas[-4:], 120)
    report(name, "libreoffice", areas, wanted, wanted, (time.perf_counter() - started) / runs, rows)
    office.end()
    for engine, make in ENGINES.items():
        try:
            book = make(path)
            started = time.process_time()
            found = [book.run(each, areas, 120) for each in given]
            report(name, engine, areas, wanted, found, (time.process_time() - started) / runs, rows)
        except BaseException as error:
            print(json.dumps({"workbook": name, "engine": engine, "cells": len(areas) * runs, "agree": 0, "error": repr(error)[:200]}))


def at(place: str) -> tuple[str, int, int]:
    sheet, _, cell = place.partition("!")
    column, row, _, _ = range_boundaries(cell)
    return sheet, int(row), int(column)


def report(name: str, engine: str, areas: list[Area], wanted: Any, found: Any, seconds: float, rows: Rows) -> None:
    pairs = [(area, one[0], other[0]) for some, others in zip(wanted, found, strict=True) for area, one, other in zip(areas, some, others, strict=True)]
    wrong = {str(area): [rows[area.sheet][area.row - 1][area.column - 1], one, other] for area, one, other in pairs if not same_value(one, other)}
    agree = sum(same_value(one, other) for _, one, other in pairs)
    shown = {key: [str(each)[:90] for each in value] for key, value in list(wrong.items())[:30]}
    print(json.dumps({"workbook": name, "engine": engine, "cells": len(pairs), "agree": agree, "milliseconds": round(seconds * 1000, 3), "wrong": shown}), flush=True)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--runs", type=int, default=10)
    asked.add_argument("--seed", type=int, default=1)
    options = asked.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for title, make in MADE.items():
            made, ranges = make()
            file = Path(folder, f"{title}.xlsx")
            write(title, made, file)
            compare(title, file, made, ranges, options.runs, options.seed)
