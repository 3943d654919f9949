"""Tests which calculator reads a workbook as its settings say, and what is refused before the first run."""

from __future__ import annotations

import base64
import datetime
import importlib
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backsolve import SpreadsheetError, spreadsheet
from backsolve._sheets import uploaded
from backsolve._sheets.agreement import same_value
from backsolve._sheets.book import Book

from .workbook_cases import CASES, VALUES, Case, fill, name, needs_office, with_saved

openpyxl: Any = importlib.import_module("openpyxl")
RIGHT = json.loads(VALUES.read_text())["values"]
NOT_BY_PLAIN_FORMULAS = {
    "precision_as_displayed": "precision as displayed",
    "dates_from_1904": "dates from 1904",
    "names_of_another_sheet": r"cannot calculate S!A1",
    "ranges_between_functions": r"#VALUE! in S!B2",
    "ranges_between_functions_in_iferror": "ranges that begin or end with a function, as in S!B1",
    "circle_that_converges": "does not iterate circular references, as that of S!A3",
    "circle_with_a_small_change": "does not iterate circular references, as that of S!A2",
    "circle_that_never_ends": "does not iterate circular references, as that of S!A2",
    "data_table": "data table",
    "one_cell_of_a_range": r"a whole range where Excel takes one cell of it, in S!",
    "arrays_of_constants": r"a whole range where Excel takes one cell of it, in S!",
    "cells_of_several_sheets": "cells of several sheets together",
    "names_that_are_no_cells": r"cannot calculate S!B1",
    "names_of_several_cells": "names of relative or several ranges, as pair in S!B1",
    "ranges_together": r"cannot calculate S!C1",
}

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a workbook of one sheet S, or of what `build` fills."""

    def write(*lines: list[Any], build: Callable[[Any], None] | None = None, change: Callable[[Any], None] = lambda _: None) -> Path:
        def both(book: Any) -> None:
            (build or (lambda made: fill(made, "S", list(lines))))(book)
            change(book)

        return Case(both, {}, []).write(tmp_path / "book.xlsx")

    return write


def refusal(path: Path, inputs: Any, outputs: Any, **more: Any) -> str:
    with pytest.raises(SpreadsheetError) as told:
        spreadsheet(path, inputs, outputs, **more)
    return str(told.value)


@pytest.mark.parametrize("title", CASES)
def test_plain_formulas_calculate_as_libreoffice_does_or_are_not_used(title: str, tmp_path: Path) -> None:
    case = CASES[title]
    path = case.write(tmp_path / "book.xlsx")
    places = dict(zip(case.inputs, case.inputs, strict=True)), dict(zip(case.outputs, case.outputs, strict=True))
    if title in NOT_BY_PLAIN_FORMULAS:
        with pytest.raises(SpreadsheetError, match=NOT_BY_PLAIN_FORMULAS[title]):
            spreadsheet(path, *places, engine="formulas")
        return
    sheet = spreadsheet(path, *places, engine="formulas")
    for run, right in zip(case.runs(), RIGHT[title], strict=True):
        if None in right.values():
            with pytest.raises(ValueError, match="is "):
                sheet(**run)
        else:
            assert all(math.isclose(found, right[each], rel_tol=1e-9) for each, found in sheet(**run).items())


@needs_office
def test_libreoffice_calculates_with_the_precision_as_displayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = CASES["precision_as_displayed"].write(tmp_path / "book.xlsx")
    with spreadsheet(path, {"a": "S!A1"}, {"u": "S!C1"}) as sheet:
        assert (sheet.engine, sheet(a=8.333)) == ("LibreOffice", {"u": 2080})
    assert "calculates with numbers as they are displayed" in capsys.readouterr().err


@needs_office
def test_a_circle_is_iterated_from_the_values_in_the_file_in_each_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = CASES["circle_that_converges"].write(tmp_path / "book.xlsx")
    with spreadsheet(path, {"a": "S!A1"}, {"u": "S!A3"}) as sheet:
        first, second, other = sheet(a=100), sheet(a=100), sheet(a=200)
        assert first == second == sheet(a=100)
        assert other == sheet(a=200) == {"u": pytest.approx(210.2564, abs=0.01)}
    assert "S!A3 refers to itself and is iterated, in each run from the values in the file, at most 100 times" in capsys.readouterr().err


@needs_office
def test_libreoffice_too_must_have_the_values_in_the_file(make: Make) -> None:
    path = make([2, "=A1*3"])
    told = refusal(with_saved(path, "B1", "7"), {"a": "A1"}, {"u": "B1"})
    assert "By LibreOffice: LibreOffice calculates 6.0 in S!B1, where the file has 7.0." in told
    assert "its values may be old: open it in Excel or LibreOffice and save it" in told
    with spreadsheet(with_saved(path, "B1", "6"), {"a": "A1"}, {"u": "B1"}, engine="libreoffice") as sheet:
        assert sheet.reason == "as you ask; 1 of 1 formulas agree with the values in the file"


def test_small_values_must_agree_to_nine_of_their_own_digits(make: Make) -> None:
    path = make([2, "=A1*1E-15"])
    assert "IronCalc calculates 2e-15 in S!B1" in refusal(with_saved(path, "B1", "2.1E-15"), {"a": "A1"}, {"u": "B1"}, engine="formulas")
    assert spreadsheet(with_saved(path, "B1", "2.0000000001E-15"), {"a": "A1"}, {"u": "B1"}, engine="formulas")(a=3) == {
        "u": pytest.approx(3e-15, rel=1e-12)
    }
    assert not same_value(0.0, 1e-300)
    assert not same_value("", 0.0)
    assert same_value("", None)


def test_what_is_left_of_numbers_that_cancel_may_be_rounding(make: Make) -> None:
    path = make([0.3, "=0.1+A2", "=B1-A1"], [0.2])
    sheet = spreadsheet(with_saved(path, "C1", "5.5E-17"), {"a": "A1"}, {"u": "C1"}, engine="formulas")
    assert "1 of 2 formulas agree" in sheet.reason
    assert sheet(a=0.3) == {"u": pytest.approx(0, abs=1e-16)}
    assert "where the file has 1e-14" in refusal(with_saved(path, "C1", "1E-14"), {"a": "A1"}, {"u": "C1"}, engine="formulas")
    steps = make([2.5, "=ROUND(A1,0)"])
    assert "where the file has 2.0" in refusal(with_saved(steps, "B1", "2"), {"a": "A1"}, {"u": "B1"}, engine="formulas")


def finished(book: Any) -> None:
    """As programs save that calculate: openpyxl asks for a calculation on opening."""
    book.calculation.fullCalcOnLoad = False


def test_an_empty_text_is_no_zero(make: Make) -> None:
    empty = with_saved(make([2, '=IF(A1>1,"",0)'], change=finished), "B1", "0")
    told = refusal(empty, {"a": "A1"}, {"u": "B1"}, engine="formulas")
    assert "IronCalc calculates an empty text in S!B1, where the file has 0.0" in told
    nothing = with_saved(make([2, "=IF(A1>1,C1,0)"], change=finished), "B1", "0")
    assert "1 of 1 formulas agree" in spreadsheet(nothing, {"a": "A1"}, {"u": "B1"}, engine="formulas").reason


def test_zeros_of_a_file_that_wants_to_be_calculated_are_no_values(make: Make) -> None:
    path = make([2, "=A1*3"])
    sheet = spreadsheet(with_saved(path, "B1", "0"), {"a": "A1"}, {"u": "B1"}, engine="formulas")
    assert sheet.reason == "the file has no values to compare with"

    saved = with_saved(make([2, "=A1*3"], change=finished), "B1", "0")
    assert "IronCalc calculates 6.0 in S!B1, where the file has 0.0" in refusal(saved, {"a": "A1"}, {"u": "B1"}, engine="formulas")


def test_a_workbook_that_is_calculated_by_hand_may_have_old_values(make: Make) -> None:
    def by_hand(book: Any) -> None:
        book.calculation.calcMode = "manual"

    told = refusal(with_saved(make([2, "=A1*3"], change=by_hand), "B1", "9"), {"a": "A1"}, {"u": "B1"}, engine="formulas")
    assert "calculated by hand only, so its values may be old: press F9 in Excel and save it" in told


def copied(book: Any) -> None:
    CASES["names_of_a_copied_sheet"].build(book)
    for sheet in ("Base", "Copy"):
        name(book[sheet], "depth", f"{sheet}!$B$1")
    name(book["Third"], "lonely", "Third!$A$1")
    name(book, "moving", "Base!B1")


def test_a_name_of_the_own_sheet_comes_first(make: Make) -> None:
    path = make(build=copied)
    assert spreadsheet(path, {"a": "Copy!B1"}, {"u": "Copy!B2"}, engine="formulas")(a=7) == {"u": 49}
    assert refusal(path, {"a": "Base!B1"}, {"u": "Copy!B2"}) == "u: Copy!B2 does not depend on any input."
    found = spreadsheet(path, {"width": None, "w": "copy!WIDTH"}, {"b": "Base!B2", "c": "Copy!B2", "t": "lonely"}, engine="formulas")
    assert found(width=2, w=5) == {"b": 4, "c": 25, "t": 3}
    assert [str(area) for area in found.inputs.values()] == ["Base!B1", "Copy!B1"]


def test_a_name_that_means_several_cells_is_no_cell(make: Make) -> None:
    told = refusal(make(build=copied), {"depth": None, "a": "Third!depth", "moving": None}, {"u": "Base!B2"})
    assert told.splitlines() == [
        "depth: Several sheets of book.xlsx have a cell named depth: write Base!depth or Copy!depth.",
        "a: Third!depth is not a cell: write it as Base!B3.",
        "moving: The name moving in book.xlsx means another cell in each cell that uses it (Base!B1): define it as Base!$B$1.",
    ]


def test_names_of_functions_within_other_words_change_nothing(make: Make) -> None:
    def brand(book: Any) -> None:
        fill(book, "S", [["=Brand!A1*3"]])
        fill(book, "Brand", [[2]])

    told = refusal(with_saved(make(build=brand), "A1", "7"), {"a": "Brand!A1"}, {"u": "S!A1"}, engine="formulas")
    assert "IronCalc calculates 6.0 in S!A1, where the file has 7.0" in told


def test_cells_of_an_array_formula_hold_it(tmp_path: Path) -> None:
    path = CASES["array_formulas"].write(tmp_path / "book.xlsx")
    assert spreadsheet(path, {"a": "A2"}, {"u": "D2", "v": "D1:D3"}, engine="formulas")(a=7) == {"u": 14, "v": [2, 14, 6]}
    assert refusal(path, {"a": "D2"}, {"u": "E1"}).startswith("a: S!D2 holds the formula =A1:A3*2")
    assert refusal(path, {"b": "B2"}, {"u": "D2"}) == "u: S!D2 does not depend on any input."


def test_a_formula_that_cannot_be_read_is_named(make: Make) -> None:
    assert refusal(make([2, "=SUM(A1#)"]), {"a": "A1"}, {"u": "B1"}) == "S!B1 has a formula that cannot be read: =SUM(A1#)."


def test_dates_keep_the_numbers_in_the_file(make: Make) -> None:
    def from_1904(book: Any) -> None:
        book.epoch = datetime.datetime(1904, 1, 1)

    assert Book(make([datetime.date(2026, 3, 1)], change=from_1904)).value("S", 1, 1) == 44620
    path = make([1, "=A1/7"], change=lambda book: setattr(book["S"]["B1"], "number_format", "yyyy-mm-dd"))
    assert Book(with_saved(path, "B1", "0.14285714285714285")).saved("S", 1, 2) == 1 / 7


def test_the_page_offers_what_people_see(make: Make) -> None:
    service = uploaded.Service(10 << 20, is_jailed=False)

    def build(book: Any) -> None:
        CASES["hidden_sheets_and_names"].build(book)
        book["S"]["C1"] = 5
        name(book["S"], "shown", "S!$C$1")
        name(book["S"], "solver_adj", "S!$C$1", hidden=True)

    content = make(build=build).read_bytes()
    service.answer({"name": "m.xlsx", "content": base64.b64encode(content).decode()})
    found = service.answer({"do": "survey"})
    assert [(each["cell"], each["name"]) for each in found["inputs"]] == [("S!C1", "shown")]
    assert [(each["cell"], each["name"]) for each in found["outputs"]] == [("S!A1", None), ("S!A2", None)]
    opened = service.answer({"do": "open", "inputs": {"x": "Data!A1"}, "outputs": {"y": "S!A1"}})
    assert opened["outputs"] == {"y": 18}


def test_the_page_refuses_settings_that_it_cannot_follow(tmp_path: Path) -> None:
    for title, reason in {"precision_as_displayed": "precision as displayed", "circle_that_converges": "circular references"}.items():
        case = CASES[title]
        service = uploaded.Service(10 << 20, is_jailed=False)
        content = case.write(tmp_path / "book.xlsx").read_bytes()
        service.answer({"name": "m.xlsx", "content": base64.b64encode(content).decode()})
        cells = {"inputs": {"x": "S!A1"}, "outputs": {"y": case.outputs[0]}}
        assert reason in str(service.answer({"do": "open", **cells})["fault"])
