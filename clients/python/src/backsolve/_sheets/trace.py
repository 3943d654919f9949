"""On which cells an output depends, read from the formulas."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from backsolve._errors import SpreadsheetError

from .book import Book
from .names import ABSOLUTE, Name
from .places import Area, area_of, cell_name, split_sheet

Cell: TypeAlias = tuple[str, int, int]
"""Sheet, row, column."""
BY_VALUE = {"INDIRECT", "OFFSET", "TABLE"}
"""Functions that name cells only while they are calculated, so that anything may come in."""
RANDOM = {"RAND", "RANDBETWEEN", "RANDARRAY"}
CHANGING = {"NOW", "TODAY", *RANDOM}
OUTSIDE = {"WEBSERVICE", "RTD", "CALL", "REGISTER.ID", "SQL.REQUEST", "DDE", "CUBEVALUE", "CUBEMEMBER", "CUBESET", "STOCKHISTORY", "IMAGE"}
THIS_FILE = "[0]!"
"""Before a name of the workbook in formulas of a sheet that has one of its own."""
LINK = re.compile(r"'?[^\[\]!]*\[[^\]]+\][^\[\]!]*'?!")
PREFIX = re.compile(r"^(_xlfn\.|_xlws\.|_xludf\.|@)+", re.IGNORECASE)


@dataclass
class Way:
    """The formulas that outputs depend on."""

    formulas: dict[Cell, str] = field(default_factory=dict)
    functions: dict[str, Cell] = field(default_factory=dict)
    """Each with a cell that uses it."""
    links: dict[str, Cell] = field(default_factory=dict)
    """To other files."""
    spanning: Cell | None = None
    """A formula that reads a cell of several sheets: Sheet1:Sheet3!A1."""
    changing: set[Cell] = field(default_factory=set)
    """Formulas that use a clock or random numbers, without those that read them."""
    by_value: set[Cell] = field(default_factory=set)
    """Formulas some of whose cells are known only while the workbook is calculated."""
    readers: dict[Cell | Area, set[Cell | Area]] = field(default_factory=dict)
    """The formulas that read each cell, and the areas that have it; the formulas that read each area."""

    @property
    def is_open(self) -> bool:
        return bool(self.by_value)

    def read_by(self, cell: Cell) -> list[Area]:
        """Areas that a formula names."""
        return [area for area, readers in self.readers.items() if isinstance(area, Area) and cell in readers]

    @cached_property
    def circle(self) -> set[Cell]:
        """Formulas that read themselves through others, as far as formulas tell, and those between such circles."""
        ahead = {each: {*readers} for each, readers in self.readers.items()}
        behind: dict[Cell | Area, set[Cell | Area]] = {}
        for each, readers in ahead.items():
            for reader in readers:
                behind.setdefault(reader, set()).add(each)
        kept = (ahead.keys() & behind.keys()) - _reached_in_order(ahead, behind) - _reached_in_order(behind, ahead)
        return {each for each in kept if not isinstance(each, Area)}

    def after(self, starts: Iterable[Cell]) -> set[Cell]:
        """All formulas that change with these cells."""
        reached: set[Cell | Area] = set()
        waiting: list[Cell | Area] = list(starts)
        while waiting:
            for reader in self.readers.get(waiting.pop(), ()):
                if reader not in reached:
                    reached.add(reader)
                    waiting.append(reader)
        return {each for each in reached if not isinstance(each, Area)}


Links: TypeAlias = dict["Cell | Area", "set[Cell | Area]"]


def _reached_in_order(ahead: Links, behind: Links) -> set[Cell | Area]:
    """Cells that can be put into an order in which each comes after all that lead to it."""
    open_ends = {each: len(others) for each, others in behind.items()}
    waiting = [each for each in ahead if each not in behind]
    found = set(waiting)
    while waiting:
        for follower in ahead.get(waiting.pop(), ()):
            open_ends[follower] -= 1
            if open_ends[follower] == 0:
                found.add(follower)
                waiting.append(follower)
    return found


def trace(book: Book, outputs: Iterable[Area], inputs: Iterable[Cell]) -> Way:
    return _Tracer(book, set(inputs)).trace(outputs)


class _Tracer:
    def __init__(self, book: Book, inputs: set[Cell]) -> None:
        self._book = book
        self._inputs = inputs
        self._way = Way()
        self._waiting: list[Cell] = []
        self._seen: set[Cell] = set()

    def trace(self, outputs: Iterable[Area]) -> Way:
        for area in outputs:
            self._wait_for((area.sheet, *at) for at in self._book.filled(area))
        while self._waiting:
            cell = self._waiting.pop()
            formula = self._book.formula(*cell)
            if formula is not None and cell not in self._inputs:
                self._way.formulas[cell] = formula
                for area in self._areas_read(cell, formula):
                    self._follow(cell, area)
        return self._way

    def _wait_for(self, cells: Iterable[Cell]) -> None:
        fresh = [cell for cell in cells if cell not in self._seen]
        self._seen.update(fresh)
        self._waiting.extend(fresh)

    def _follow(self, cell: Cell, area: Area) -> None:
        """The cells of an area are listed once, however many formulas read it."""
        is_known = area in self._way.readers
        self._way.readers.setdefault(area, set()).add(cell)
        if is_known:
            return
        members: set[Cell] = {(area.sheet, *at) for at in self._book.filled(area)}
        members |= {each for each in self._inputs if area.has(*each)}  # also empty ones
        for member in members:
            self._way.readers.setdefault(member, set()).add(area)
        self._wait_for(members)

    def _areas_read(self, cell: Cell, formula: str) -> Iterable[Area]:
        waiting, names = [formula], set[Name]()
        while waiting:
            for operand in self._operands(cell, waiting.pop()):
                text = operand.removeprefix(THIS_FILE)
                if LINK.match(text):
                    self._way.links.setdefault(text, cell)
                    continue
                sheet, rest = split_sheet(text)
                found = self._area(cell, sheet, rest)
                if found is not None:
                    yield found
                    continue
                name = self._book.names.seen_from(None if text != operand else sheet or cell[0], rest)
                if name is not None and name not in names:
                    names.add(name)
                    waiting.append("=" + name.text)
                    if is_moving(name.text):
                        self._way.by_value.add(cell)

    def _area(self, cell: Cell, sheet: str | None, rest: str) -> Area | None:
        if sheet is not None and ":" in sheet:
            self._way.spanning = cell
            self._way.by_value.add(cell)
            return None
        own = cell[0] if sheet is None else next((each for each in self._book.sheets if each.upper() == sheet.upper()), None)
        table = self._book.tables.get(rest.partition("[")[0].upper())
        return table if own is None else area_of(own, rest.rstrip("#")) or table

    def _operands(self, cell: Cell, formula: str) -> Iterable[str]:
        """The ranges and names in a formula. Notes its functions on the way."""
        for token in tokens_of(formula, cell):
            joined, value = token.value.rpartition(":")[::2] if is_joining(token) else ("", token.value)
            if is_joining(token):
                self._way.by_value.add(cell)
            if joined:
                yield joined.lstrip("@")
            if token.type == "FUNC" and token.subtype == "OPEN":
                name = function_of(value)
                self._way.functions.setdefault(name, cell)
                if name in BY_VALUE:
                    self._way.by_value.add(cell)
                if name in CHANGING:
                    self._way.changing.add(cell)
            elif token.type == "OPERAND" and token.subtype == "RANGE" and value:
                yield value.lstrip("@")


def function_of(opening: str) -> str:
    """The name of a function, from how its call begins: SUM from _xlfn.SUM( ."""
    return PREFIX.sub("", opening.rpartition(":")[2].rstrip("(")).upper()


def is_joining(token: Any) -> bool:
    """Whether it spans a range from or to a cell that is calculated, as in A1:INDEX(...)."""
    if token.type == "FUNC":
        return ":" in token.value
    place = token.value.rpartition("!")[2]
    is_range = token.type == "OPERAND" and token.subtype == "RANGE" and ":" in place and "[" not in place
    return is_range and area_of("", place) is None


def is_moving(text: str) -> bool:
    """Whether a name stands for other cells in each cell that uses it: Sheet1!A1 instead of Sheet1!$A$1."""
    rest = split_sheet(text)[1]
    return area_of("", rest) is not None and not ABSOLUTE.fullmatch(rest)


def tokens_of(formula: str, cell: Cell) -> list[Any]:
    """Raises SpreadsheetError for what is no formula."""
    try:
        found: list[Any] = importlib.import_module("openpyxl.formula").Tokenizer(formula).items
    except MemoryError:
        raise
    except Exception:
        raise SpreadsheetError(f"{cell_name(*cell)} has a formula that cannot be read: {formula[:80]}") from None
    return found
