"""Tables in text files, by the rules of clients/typescript/src/solve/table.ts: one file gives the same numbers in both."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal


@dataclass(frozen=True)
class Row:
    line: int
    """From 1, blank lines counted."""
    text: str
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    titles: Row
    rows: tuple[Row, ...]
    """With a cell under each title."""


class TableError(ValueError):
    """Cells that are not plainly those of their columns. The message is a clause about the file."""


MARK = re.compile(r"\s*[#%]\s*")
"""The mark of a comment."""
SHOWN_LENGTH = 120
SMALLEST_EXPONENT = 330
WITHOUT_LETTER = re.compile(r"([+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+))([+-][0-9]{3})")
"""An exponent as Fortran writes it where it has three digits."""


def read_titled_table(content: str) -> Table:
    """
    The first line has the titles, or where it begins with # or %, the last of the lines that do. Raises TableError where a row has another
    number of cells than there are titles, except for the names of rows that R and pandas write.
    """
    lines = _lines_of(content)
    marked = next((i for i, line in enumerate(lines) if not MARK.match(line.text)), len(lines))
    lines = lines[max(0, marked - 1) :]
    if not lines:
        raise TableError("it has no lines")
    head, body = lines[0], lines[1:]
    separator = _separator_of(head.text)
    titles = replace(head, cells=_titles_of(head.text, separator))
    rows = [replace(line, cells=_cells_of(line.text, separator)) for line in body]
    if not rows:
        raise TableError(f"it has no row below its titles, {_show(head)}")
    if separator == ",":
        _refuse_blanks(rows)
    for row in rows:
        if row.text.strip() == head.text.strip() and any(letter.isalpha() for letter in row.text):
            raise TableError(f"the titles are there again in line {row.line}: it has several tables")
    names = _cells_of(head.text, separator)
    if separator not in " \t" and names[0] == "#" and len(rows[0].cells) == len(names):
        # Between commas a lone # is the title of the numbers of rows.
        return Table(replace(head, cells=names), _even_rows(rows, head, len(names), separator))
    if len(titles.cells) + 1 == len(rows[0].cells) and _have_row_names(titles, rows, separator):
        return Table(titles, tuple(replace(row, cells=row.cells[1:]) for row in rows))
    return Table(titles, _even_rows(rows, head, len(titles.cells), separator))


def find_title(table: Table, title: str) -> int | None:
    """From 0; None where no column has the title. Raises TableError where several have it."""
    # The mark of a comment may touch the first title: `#time`.
    cells = table.titles.cells
    found = [i for i, cell in enumerate(cells) if cell == title or (i == 0 and MARK.sub("", cell, count=1) == title)]
    if len(found) < 2:
        return found[0] if found else None
    places = " and ".join(str(i + 1) for i in found)
    raise TableError(f"columns {places} both have the title {title}, {_show(table.titles)}; each needs a title of its own")


def read_number(given: str) -> float | None:
    """
    A number, also with the exponent letter D of Fortran, or its three digits without a letter (1.5-103), and the ways to write what is not
    finite, which become NaN. None if it is none of them.
    """
    text = given.strip()
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eEdD][+-]?[0-9]+)?", text):
        return float(re.sub("[dD]", "e", text))
    fortran = WITHOUT_LETTER.fullmatch(text)
    if fortran:
        # Beyond the range of a double these are two columns that touch: 2.000-548.
        return None if abs(int(fortran[2])) > SMALLEST_EXPONENT else float(f"{fortran[1]}e{fortran[2]}")
    if re.fullmatch(r"[+-]?(nan(\(\w*\))?|inf|infinity|\*+|1\.#(inf|ind|qnan)[0-9]*)", text, re.IGNORECASE):
        return math.nan
    return None


def exact_number(text: str) -> Decimal | None:
    """The same with all digits of the text; None for what is no finite number."""
    number = read_number(text)
    if number is None or not math.isfinite(number):
        return None
    return Decimal(WITHOUT_LETTER.sub(r"\1e\2", re.sub("[dD]", "e", text.strip())))


def _lines_of(content: str) -> list[Row]:
    lines = re.split(r"\r?\n", content.removeprefix("\ufeff"))
    return [Row(number, text) for number, text in enumerate(lines, 1) if text.strip()]


def _separator_of(text: str) -> str:
    return next((one for one in "\t;," if one in text), " ")


def _cells_of(text: str, separator: str) -> tuple[str, ...]:
    if separator == " ":
        matches = re.finditer(r'"((?:[^"]|"")*)"(?!\S)|(\S+)', text)
    else:
        mark = re.escape(separator)
        pattern = rf'{mark}[^\S\t]*(?:"((?:[^"]|"")*)"[^\S\t]*(?={mark}|$)|([^{mark}]*))'
        matches = re.finditer(pattern, separator + text)
    return tuple(one[2].strip() if one[1] is None else one[1].replace('""', '"') for one in matches)


def _titles_of(text: str, separator: str) -> tuple[str, ...]:
    """Without the mark of a comment, unless it touches the first title."""
    return _cells_of(re.sub(r"^\s*[#%](?=\s)\s*", "", text), separator)


def _even_rows(rows: Sequence[Row], head: Row, count: int, separator: str) -> tuple[Row, ...]:
    for row in rows:
        cells = len(row.cells)
        if cells != count:
            comma = "; a decimal comma would split numbers, write a decimal point" if separator == "," and cells > count else ""
            counts = f"line {row.line} has {cells} cell{'' if cells == 1 else 's'}, but line {head.line} has {count}{comma}"
            raise TableError(f"{counts}: {_show(row)} below {_show(head)}")
    for row in rows:
        if MARK.match(row.text):
            raise TableError(f"line {row.line} is a comment amid the rows: {_show(row)}")
    return tuple(rows)


def _have_row_names(titles: Row, rows: Sequence[Row], separator: str) -> bool:
    """
    Whether the rows begin with names that have no title: in quotes as the titles are (R), or each title ends above the cell that it would
    then belong to (pandas).
    """
    if _quotes_in(titles.text) == len(titles.cells) and all(
        row.text.lstrip().startswith('"') and _quotes_in(row.text) < len(row.cells) for row in rows
    ):
        return True
    if separator != " " or MARK.match(titles.text):
        return False
    ends = _ends_of(titles.text)
    return all("\t" not in row.text and _ends_of(row.text)[1:] == ends for row in rows)


def _quotes_in(text: str) -> int:
    return len(re.findall(r'"(?:[^"]|"")*"', text))


def _ends_of(text: str) -> list[int]:
    """Where the words of a line end."""
    return [word.end() for word in re.finditer(r"\S+", text)]


def _refuse_blanks(rows: Sequence[Row]) -> None:
    """Of `0 61,5` either may stand between the numbers."""
    for row in rows:
        if any(re.fullmatch(r"[-+.0-9eE]+(?:\s+[-+.0-9eE]+)+", cell) for cell in row.cells):
            raise TableError(f"line {row.line} has both blanks and commas between numbers: {_show(row)}")


def _show(row: Row) -> str:
    shown = row.text.strip()
    return json.dumps(f"{shown[:SHOWN_LENGTH]}..." if len(shown) > SHOWN_LENGTH else shown, ensure_ascii=False)
