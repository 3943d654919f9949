"""The defined names of a workbook. A name of a sheet counts in its formulas before one of the workbook (ECMA-376 part 1, 18.2.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

ABSOLUTE = re.compile(r"\$[A-Z]{1,3}\$\d+(:\$[A-Z]{1,3}\$\d+)?|\$[A-Z]{1,3}:\$[A-Z]{1,3}|\$\d+:\$\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Name:
    spelled: str
    text: str
    """The reference or formula that it stands for, without =."""
    sheet: str | None
    """Sheet whose formulas know it; None for the whole workbook."""
    is_hidden: bool
    """As those of Excel itself and of its Solver are."""


class Names:
    def __init__(self, book: Any) -> None:
        """Names of a workbook of openpyxl."""
        shared = [_name(None, *each) for each in book.defined_names.items()]
        own = [_name(sheet.title, *each) for sheet in book.worksheets for each in sheet.defined_names.items()]
        self._all = {(None if each.sheet is None else each.sheet.upper(), each.spelled.upper()): each for each in [*own, *shared]}

    def seen_from(self, sheet: str | None, name: str) -> Name | None:
        """Meaning of a name in a formula of this sheet; None is no sheet."""
        own = None if sheet is None else self._all.get((sheet.upper(), name.upper()))
        return own or self._all.get((None, name.upper()))

    def of_sheets(self, name: str) -> list[Name]:
        """Those of single sheets."""
        return [each for (sheet, spelled), each in self._all.items() if sheet is not None and spelled == name.upper()]

    def visible(self) -> list[Name]:
        return [each for each in self._all.values() if not each.is_hidden]


def _name(sheet: str | None, spelled: str, defined: Any) -> Name:
    return Name(spelled, (defined.attr_text or "").lstrip("="), sheet, bool(defined.hidden) or spelled.startswith("_xl"))
