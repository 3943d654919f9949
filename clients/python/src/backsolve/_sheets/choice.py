"""Chooses the engine that calculates a workbook. It is chosen once, before the first run, and only if it has the values in the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from backsolve._errors import SpreadsheetError, TryAgain

from .agreement import DiffersError, DoubtedError, agreement
from .book import Book
from .doubts import doubt_about
from .office import MissingOfficeError, OfficeEngine
from .places import Area, cell_name
from .plain import PlainEngine, is_doubtful, unknown_functions
from .trace import Cell, Way

EngineName: TypeAlias = Literal["auto", "formulas", "libreoffice"]
LONGEST_RUN_SECONDS = 300.0
EXCEL = "let a program control Excel, in the function that you pass to solve"


class SheetEngine(Protocol):
    @property
    def words(self) -> str: ...

    def run(self, values: dict[Cell, Any], areas: Sequence[Area], timeout: float) -> list[list[Any]]: ...

    def is_unable(self, value: Any) -> bool: ...

    def end(self) -> None: ...


def choose_engine(
    wanted: EngineName,
    path: Path,
    book: Book,
    way: Way,
    opened: OfficeEngine | None = None,
    timeout: float = LONGEST_RUN_SECONDS,
) -> tuple[SheetEngine, str]:
    """
    The engine, and why it is this one. `opened` has the workbook already, and is ended if it will not do. A calculation of LibreOffice may
    take `timeout` seconds. Raises SpreadsheetError when none will do.
    """
    if wanted not in ("auto", "formulas", "libreoffice"):
        raise SpreadsheetError(f"engine must be auto, formulas or libreoffice, not {wanted}.")
    refused = []
    for name in ("formulas", "libreoffice") if wanted == "auto" else (wanted,):
        try:
            engine, agreed = _plain(path, book, way) if name == "formulas" else _office(opened, path, book, way, timeout)
        except SpreadsheetError as error:
            refused.append((name, error))
        else:
            reasons = ["as you ask"] if wanted == "libreoffice" else [f"because {error}" for _, error in refused]
            return engine, "; ".join([*reasons, agreed])
    raise SpreadsheetError(f"{book.name} cannot be calculated{_by(*refused)}. {_what_to_do(book, *refused)}")


def _by(first: tuple[str, SpreadsheetError], *others: tuple[str, SpreadsheetError]) -> str:
    if not others:
        return f" by {WORDS[first[0]]}: {first[1]}"
    return " here" + "".join(f". By {WORDS[name]}: {error}" for name, error in (first, *others))


WORDS = {"formulas": "plain formulas", "libreoffice": "LibreOffice"}


def _plain(path: Path, book: Book, way: Way) -> tuple[SheetEngine, str]:
    """Raises SpreadsheetError where plain formulas will not do."""
    if path.suffix.lower() == ".ods":
        raise SpreadsheetError("plain formulas read .xlsx only")
    engine = PlainEngine(path)
    if (lack := _lack_of_plain(book, way)) is not None:
        raise SpreadsheetError(lack)

    def doubt(cell: Cell, value: Any) -> str | None:
        if is_doubtful(value):
            return f"IronCalc calculates {value['error']} in {cell_name(*cell)}"
        return doubt_about(book, cell, way.formulas[cell])

    return engine, agreement("IronCalc", engine, book, way, doubt, 0)


def _lack_of_plain(book: Book, way: Way) -> str | None:
    """Feature that the workbook needs and IronCalc lacks."""
    lacking = unknown_functions(way.functions)
    if lacking:
        places = ", ".join(f"{name} ({cell_name(*way.functions[name])})" for name in lacking[:4])
        return f"IronCalc does not have the function {places}"
    if way.spanning is not None:
        return f"IronCalc does not read cells of several sheets together ({cell_name(*way.spanning)})"
    if book.settings.is_as_displayed:
        return "IronCalc does not calculate with the precision as displayed, which the workbook is set to"
    if book.settings.is_from_1904:
        return "IronCalc does not count dates from 1904, which the workbook is set to"
    if book.settings.iterates and way.circle:
        return f"IronCalc does not iterate circular references, as that of {cell_name(*min(way.circle))}"
    return None


def _office(opened: OfficeEngine | None, path: Path, book: Book, way: Way, timeout: float) -> tuple[SheetEngine, str]:
    """Raises SpreadsheetError where LibreOffice is not there or will not do."""
    engine = opened or OfficeEngine(path)
    engine.starts_anew = book.settings.iterates and bool(way.circle or way.is_open)
    try:
        return engine, agreement("LibreOffice", engine, book, way, lambda *_: None, timeout)
    except (RuntimeError, TryAgain) as error:
        engine.end()
        raise SpreadsheetError(str(error).rstrip(".")) from None
    except BaseException:
        engine.end()
        raise


def _what_to_do(book: Book, *refused: tuple[str, SpreadsheetError]) -> str:
    errors = [error for _, error in refused]
    if any(isinstance(each, DiffersError) for each in errors):
        return _about_old_values(book)
    if any(isinstance(each, DoubtedError) for each in errors):
        return "The file has no value to compare with: open it in Excel or LibreOffice and save it."
    if any(isinstance(each, MissingOfficeError) for each in errors):
        return "Then it may be calculated by LibreOffice."
    if len(refused) == 1 and refused[0][0] == "formulas":
        return "LibreOffice may do: backsolve run uses it unless engine says formulas."
    return f"Change that cell, or {EXCEL}."


def _about_old_values(book: Book) -> str:
    if book.settings.is_manual:
        return f"The workbook is calculated by hand only, so its values may be old: press F9 in Excel and save it. Otherwise {EXCEL}."
    if book.settings.is_calculated_on_opening:
        return (
            "The file asks to be calculated when it is opened, so its values may be old: open it in Excel or LibreOffice and save it. "
            f"Otherwise {EXCEL}."
        )
    return f"If its values are old, open it in Excel or LibreOffice, calculate it and save it. Otherwise {EXCEL}."
