"""Tables in text files, by the rules of clients/typescript/src/solve/table.ts: one file gives the same numbers in both."""

from __future__ import annotations

import itertools
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


@dataclass(frozen=True)
class Layout:
    """Layout that a table does not state itself."""

    titles: int | Sequence[str] | None = None
    """The line that has them, from 1, blank lines counted; the titles themselves; or "none". By default those of the first line."""
    rows_from: int = 0
    """The line of the first row, for tables with a line of units below the titles. By default the one below the titles."""

    @property
    def given(self) -> tuple[str, ...] | None:
        return None if self.titles is None or isinstance(self.titles, int | str) else tuple(self.titles)


@dataclass(frozen=True)
class Columns:
    rows: tuple[Row, ...]
    places: tuple[int, ...]
    """Positions of the cells of the columns in each row, from 0."""


def read_columns(content: str, wanted: Sequence[str], layout: Layout | None = None) -> Columns:
    """
    Columns by their titles, or by their numbers from 1 where the layout says that there are no titles. Raises TableError as
    read_titled_table does, and where a column is not there; then it says which line may have the titles.
    """
    layout = layout or Layout()
    if layout.titles == "none":
        return _numbered_columns(content, wanted, layout)
    try:
        table = read_titled_table(content, layout)
        places = [find_title(table, title) for title in wanted]
        missing = [title for title, place in zip(wanted, places, strict=True) if place is None]
        if missing:
            has = "the titles that are stated are" if table.titles.line == 0 else f"line {table.titles.line} has"
            raise TableError(f"it has no column {' and no '.join(missing)}; {has} {_shown_titles(table.titles.cells)}")
    except TableError as error:
        raise TableError(f"{error}{_hint_at(content, wanted, layout)}") from error
    return Columns(table.rows, tuple(place for place in places if place is not None))


def read_titled_table(content: str, layout: Layout | None = None) -> Table:
    """
    By default the first line has the titles, or where it begins with # or %, the last of the lines that do. Raises TableError where a row
    has another number of cells than there are titles, except for the names of rows that R and pandas write.
    """
    layout = layout or Layout()
    head, body = _divide(_lines_of(content), layout)
    given = layout.given
    separator = _separator_of(head.text if given is None else body[0].text if body else "")
    titles = replace(head, cells=_titles_of(head.text, separator) if given is None else given)
    rows = [replace(line, cells=_cells_of(line.text, separator)) for line in body]
    if not rows:
        raise TableError(f"it has no row below its titles, {_show(head)}")
    if separator == ",":
        _refuse_blanks(rows)
    if given is not None:
        return Table(titles, _even_rows(rows, head, len(given), separator))
    _refuse_further_titles(titles, rows)
    if separator == " ":
        _refuse_units(titles)
    names = _cells_of(head.text, separator)
    if separator not in " \t" and names[0] == "#" and len(rows[0].cells) == len(names):
        # Between commas a lone # is the title of the numbers of rows.
        return Table(replace(head, cells=names), _even_rows(rows, head, len(names), separator))
    if len(titles.cells) + 1 == len(rows[0].cells) and _have_row_names(titles, rows, separator):
        even = _even_rows(rows, rows[0], len(rows[0].cells), separator)
        return Table(titles, tuple(replace(row, cells=row.cells[1:]) for row in even))
    return Table(titles, _even_rows(rows, head, len(titles.cells), separator))


def _divide(lines: list[Row], layout: Layout) -> tuple[Row, list[Row]]:
    """The line of the titles, which is line 0 where they are given, and the lines of the rows."""
    if not lines:
        raise TableError("it has no lines")
    if layout.given is not None:
        body = lines if layout.rows_from else lines[_marked_count(lines) :]
        return Row(0, ", ".join(layout.given)), [line for line in body if line.line >= layout.rows_from]
    at = max(0, _marked_count(lines) - 1)
    if isinstance(layout.titles, int):
        found = next((i for i, line in enumerate(lines) if line.line == layout.titles), None)
        if found is None:
            raise TableError(f"line {layout.titles} should have the titles, but is blank or missing")
        at = found
    return lines[at], [line for line in lines[at + 1 :] if line.line >= layout.rows_from]


def _marked_count(lines: list[Row]) -> int:
    """Lines at the start that begin with # or %."""
    return next((i for i, line in enumerate(lines) if not MARK.match(line.text)), len(lines))


def _numbered_columns(content: str, wanted: Sequence[str], layout: Layout) -> Columns:
    lines = [line for line in _lines_of(content) if line.line >= layout.rows_from and not MARK.match(line.text)]
    if not lines:
        raise TableError("it has no rows")
    separator = _separator_of(lines[0].text)
    rows = [replace(line, cells=_cells_of(line.text, separator)) for line in lines]
    if separator == ",":
        _refuse_blanks(rows)
        if all(re.fullmatch(r"\s*[-+]?[0-9]+,[0-9]+\s*", row.text) for row in rows):
            raise TableError(f"line {rows[0].line} may be one number with a decimal comma, or two cells: {_show(rows[0])}")
    if separator == " ":
        _refuse_exponents_apart(rows)
    _even_rows(rows, rows[0], len(rows[0].cells), separator)
    for one in wanted:
        if not re.fullmatch("[1-9][0-9]*", one):
            raise TableError(f"without titles a column is a number such as 2, not {one}")
        if int(one) > len(rows[0].cells):
            raise TableError(f"it has no column {one}; line {rows[0].line} has {_cell_count(len(rows[0].cells))}")
    return Columns(tuple(rows), tuple(int(one) - 1 for one in wanted))


def _hint_at(content: str, wanted: Sequence[str], layout: Layout) -> str:
    """Points to the line that may have the titles, if the layout does not state it."""
    lines = _lines_of(content)
    if layout.titles is not None or not lines:
        return ""
    head = lines[max(0, _marked_count(lines) - 1)]
    for line in lines:
        cells = _titles_of(line.text, _separator_of(line.text))
        if line is not head and all(title in cells for title in wanted):
            return f". Line {line.line} has {' and '.join(wanted)}: state that the titles are there"
    if all(read_number(cell) is not None for cell in _cells_of(head.text, _separator_of(head.text))):
        return ". It seems to have no titles: state that, or the titles"
    return ""


def _shown_titles(cells: Sequence[str]) -> str:
    shown = ", ".join(cells)
    return f"{shown[:SHOWN_LENGTH]}..." if len(shown) > SHOWN_LENGTH else shown


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
    """Without the mark of a comment, unless it touches a first title that is not in quotes."""
    return _cells_of(re.sub(r'^\s*[#%](?=[\s"])\s*', "", text), separator)


def _even_rows(rows: Sequence[Row], head: Row, count: int, separator: str) -> tuple[Row, ...]:
    for row in rows:
        cells = len(row.cells)
        if cells != count:
            comma = "; a decimal comma would split numbers, write a decimal point" if separator == "," and cells > count else ""
            than = f"{count} titles are stated" if head.line == 0 else f"line {head.line} has {count}"
            counts = f"line {row.line} has {_cell_count(cells)}, but {than}{comma}"
            raise TableError(f"{counts}: {_show(row)} below {_show(head)}")
    for row in rows:
        if MARK.match(row.text):
            raise TableError(f"line {row.line} is a comment amid the rows: {_show(row)}")
    return tuple(rows)


def _cell_count(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


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
    """Ends of the words of a line."""
    return [word.end() for word in re.finditer(r"\S+", text)]


def _refuse_further_titles(titles: Row, rows: Sequence[Row]) -> None:
    """Titles amid the rows, be they the same ones or, below numbers alone, others."""
    for row in rows:
        if row.text.strip() == titles.text.strip() and any(letter.isalpha() for letter in row.text):
            raise TableError(f"the titles are there again in line {row.line}: it has several tables")
    for before, row in itertools.pairwise(rows):
        if len(row.cells) > 1 and all(read_number(cell) is not None for cell in before.cells) and all(map(_is_word, row.cells)):
            raise TableError(f"line {row.line} seems to have the titles of another table: {_show(row)}")


def _is_word(cell: str) -> bool:
    """Whether it may be a title below numbers."""
    is_missing = re.fullmatch("na|n/a|null|none", cell, re.IGNORECASE) is not None
    return re.match(r"\W*[^\W\d_]", cell) is not None and read_number(cell) is None and not is_missing


def _refuse_units(titles: Row) -> None:
    """Between blanks, `time (s) mass` are two titles of three words."""
    unit = next((cell for cell in titles.cells[1:] if re.fullmatch(r"\(.*\)|\[.*\]", cell)), None)
    if unit is not None and '"' not in titles.text:
        where = f"line {titles.line} has {unit} between blanks, which is a unit or a title"
        raise TableError(f"{where}; state the titles: {_show(titles)}")


def _refuse_blanks(rows: Sequence[Row]) -> None:
    """Refuses rows such as `0 61,5`, in which the blank or the comma may separate the numbers."""
    for row in rows:
        if any(re.fullmatch(r"[-+.0-9eE]+(?:\s+[-+.0-9eE]+)+", cell) for cell in row.cells):
            raise TableError(f"line {row.line} has both blanks and commas between numbers: {_show(row)}")


def _refuse_exponents_apart(rows: Sequence[Row]) -> None:
    """PARI writes `2.5 E-40`, of which a number of a column would take 2.5."""
    for row in rows:
        for before, cell in itertools.pairwise(row.cells):
            if re.fullmatch(r"[eE][-+]?[0-9]+", cell) and re.fullmatch(r"[-+]?[1-9]\.[0-9]+", before):
                raise TableError(f"line {row.line} has a blank between a number and its exponent: {_show(row)}")


def _show(row: Row) -> str:
    shown = row.text.strip()
    return json.dumps(f"{shown[:SHOWN_LENGTH]}..." if len(shown) > SHOWN_LENGTH else shown, ensure_ascii=False)
