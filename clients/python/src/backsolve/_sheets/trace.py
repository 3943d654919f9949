"""On which cells an output depends, read from the formulas."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .book import Book
from .places import Area, area_of, split_sheet

Cell: TypeAlias = tuple[str, int, int]
"""Sheet, row, column."""
BY_VALUE = {"INDIRECT", "OFFSET", "TABLE"}
"""Functions that name cells only while they are calculated, so that anything may come in."""
RANDOM = {"RAND", "RANDBETWEEN", "RANDARRAY"}
CHANGING = {"NOW", "TODAY", *RANDOM}
OUTSIDE = {"WEBSERVICE", "RTD", "CALL", "REGISTER.ID", "SQL.REQUEST", "DDE", "CUBEVALUE", "CUBEMEMBER", "CUBESET", "STOCKHISTORY", "IMAGE"}
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
    is_open: bool = False
    """Whether some of the cells that are read are known only while the workbook is calculated."""
    readers: dict[Cell | Area, set[Cell | Area]] = field(default_factory=dict)
    """Of each cell, the formulas that read it, and the areas that have it; of each area the formulas that read it."""

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
        waiting, names = [formula], set[str]()
        while waiting:
            for text in self._operands(cell, waiting.pop()):
                if LINK.match(text):
                    self._way.links.setdefault(text, cell)
                    continue
                sheet, rest = split_sheet(text)
                found = self._area(cell, sheet, rest)
                if found is not None:
                    yield found
                elif rest.upper() in self._book.names and rest.upper() not in names:
                    names.add(rest.upper())
                    waiting.append("=" + self._book.names[rest.upper()].lstrip("="))

    def _area(self, cell: Cell, sheet: str | None, rest: str) -> Area | None:
        if sheet is not None and ":" in sheet:
            self._way.spanning = cell
            self._way.is_open = True
            return None
        own = cell[0] if sheet is None else next((each for each in self._book.sheets if each.upper() == sheet.upper()), None)
        table = self._book.tables.get(rest.partition("[")[0].upper())
        return table if own is None else area_of(own, rest.rstrip("#")) or table

    def _operands(self, cell: Cell, formula: str) -> Iterable[str]:
        """The ranges and names in a formula. Notes its functions on the way."""
        for token in _tokens(formula):
            if token.type == "FUNC" and token.subtype == "OPEN":
                name = PREFIX.sub("", token.value[:-1]).upper()
                self._way.functions.setdefault(name, cell)
                self._way.is_open |= name in BY_VALUE
            elif token.type == "OPERAND" and token.subtype == "RANGE":
                yield token.value.lstrip("@")


def _tokens(formula: str) -> list[Any]:
    tokenizer = importlib.import_module("openpyxl.formula").Tokenizer
    found: list[Any] = tokenizer(formula).items
    return found
