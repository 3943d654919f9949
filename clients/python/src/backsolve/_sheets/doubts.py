"""
Knows what IronCalc 0.9 gets wrong without always saying so. It counts where the file has no value of the formula that could tell: there
Excel's rules are known, but nothing shows that they were kept. `bench/clients/python_workbook_settings.py` compares them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .book import Book
from .places import area_of, cell_name, split_sheet
from .trace import Cell, function_of, is_joining, is_moving, tokens_of

TAKE_RANGES: dict[str, range] = {
    name: arguments
    for arguments, names in {
        range(255): """
            SUM PRODUCT SUMSQ AVERAGE AVERAGEA COUNT COUNTA COUNTBLANK MIN MAX MINA MAXA MEDIAN MODE MODE.SNGL STDEV STDEVA STDEVP STDEVPA
            STDEV.S STDEV.P VAR VARA VARP VARPA VAR.S VAR.P DEVSQ AVEDEV SKEW SKEW.P KURT GEOMEAN HARMEAN AND OR XOR CONCAT TEXTJOIN GCD
            LCM MULTINOMIAL NPV IRR MIRR XNPV XIRR CORREL COVAR COVARIANCE.S COVARIANCE.P PEARSON RSQ SLOPE INTERCEPT STEYX SUMX2MY2
            SUMX2PY2 SUMXMY2 SUMPRODUCT MMULT MDETERM MINVERSE TRANSPOSE FREQUENCY LINEST LOGEST TREND GROWTH ROWS COLUMNS ROW COLUMN
            AREAS TTEST T.TEST FTEST F.TEST ZTEST Z.TEST CHITEST CHISQ.TEST PROB FVSCHEDULE SUBTOTAL AGGREGATE ISREF DSUM DCOUNT DCOUNTA
            DGET DMAX DMIN DAVERAGE DPRODUCT DSTDEV DSTDEVP DVAR DVARP""",
        range(1): """
            OFFSET INDEX COUNTIF LARGE SMALL PERCENTILE PERCENTILE.INC PERCENTILE.EXC QUARTILE QUARTILE.INC QUARTILE.EXC PERCENTRANK
            PERCENTRANK.INC PERCENTRANK.EXC TRIMMEAN N""",
        range(1, 2): "VLOOKUP HLOOKUP MATCH XMATCH RANK RANK.EQ RANK.AVG CELL",
        range(1, 255): """
            IF CHOOSE LOOKUP XLOOKUP NETWORKDAYS WORKDAY NETWORKDAYS.INTL WORKDAY.INTL SERIESSUM FORECAST FORECAST.LINEAR""",
        range(0, 3, 2): "SUMIF AVERAGEIF",
        range(0, 255, 2): "COUNTIFS",
    }.items()
    for name in names.split()
}
"""Arguments of a function that may be ranges. Any other one, also of a function that is not here, is one value to Excel."""
FIRST_AS_WELL = ("SUMIFS", "AVERAGEIFS", "MAXIFS", "MINIFS")
TAKE_RANGES |= dict.fromkeys(FIRST_AS_WELL, range(1, 255, 2))
CALCULATE_RANGES = {
    *("SUMPRODUCT", "MMULT", "MDETERM", "MINVERSE", "LINEST", "LOGEST", "TREND", "GROWTH", "FREQUENCY", "FORECAST", "LOOKUP", "CORREL"),
    *("PEARSON", "RSQ", "SLOPE", "INTERCEPT", "STEYX", "COVAR", "SUMX2MY2", "SUMX2PY2", "SUMXMY2"),
}
"""Functions in whose arguments operators work on all cells of a range, also in a formula that is none of an array."""


def doubt_about(book: Book, cell: Cell, formula: str) -> str | None:
    """Reason why the value of this formula may be wrong."""
    tokens = [each for each in tokens_of(formula, cell) if each.type != "WHITE-SPACE"]
    if any(map(is_joining, tokens)):
        return f"IronCalc does not calculate ranges that begin or end with a function, as in {cell_name(*cell)}"
    for token in tokens:
        text = _text_of_name(book, cell, token)
        if text is not None and (is_moving(text) or "," in text.partition("(")[0]):
            return f"IronCalc does not know names of relative or several ranges, as {token.value} in {cell_name(*cell)}"
    if not book.is_array(*cell) and any(_is_one_value(book, cell, each) for each in _operands(tokens)):
        return f"IronCalc may take a whole range where Excel takes one cell of it, in {cell_name(*cell)}"
    return None


def _text_of_name(book: Book, cell: Cell, token: Any) -> str | None:
    if token.type != "OPERAND" or token.subtype != "RANGE":
        return None
    sheet, rest = split_sheet(token.value)
    name = book.names.seen_from(sheet or cell[0], rest)
    return None if name is None else name.text


@dataclass(frozen=True)
class _Operand:
    text: str
    """Text of the operand; for an array of constants its brace."""
    function: str | None
    """Function whose argument it is part of."""
    argument: int
    is_calculated: bool
    """Whether an operator stands beside it, or it is the whole formula."""


def _operands(tokens: list[Any]) -> Iterator[_Operand]:
    """Ranges, names and arrays of constants."""
    stack: list[tuple[str | None, int]] = [(None, 0)]
    depth = 0
    for index, token in enumerate(tokens):
        if token.type == "ARRAY":
            depth += 1 if token.subtype == "OPEN" else -1
        is_array = token.type == "ARRAY" and token.subtype == "OPEN"
        if is_array or (depth == 0 and token.type == "OPERAND" and token.subtype == "RANGE"):
            function, argument = next(each for each in reversed(stack) if each[0] != "(")
            last = _end_of_array(tokens, index) if is_array else index
            yield _Operand(token.value, function, argument, function is None or _has_operator(tokens, index, last))
        if depth == 0:
            _walk(stack, token)


def _walk(stack: list[tuple[str | None, int]], token: Any) -> None:
    if token.type in ("FUNC", "PAREN"):
        if token.subtype == "CLOSE":
            stack.pop()
        else:
            stack.append((function_of(token.value) if token.type == "FUNC" else "(", 0))
    elif token.type == "SEP" and token.subtype == "ARG":
        name, argument = stack.pop()
        stack.append((name, argument + 1))


def _end_of_array(tokens: list[Any], start: int) -> int:
    return next(index for index in range(start, len(tokens)) if tokens[index].type == "ARRAY" and tokens[index].subtype == "CLOSE")


def _has_operator(tokens: list[Any], first: int, last: int) -> bool:
    """Beside it, or beside the parentheses around it."""
    while first > 0 and last + 1 < len(tokens) and tokens[first - 1].type == tokens[last + 1].type == "PAREN":
        first, last = first - 1, last + 1
    beside = [*tokens[max(first - 1, 0) : first], *tokens[last + 1 : last + 2]]
    return any(each.type.startswith("OPERATOR") and each.value != "," for each in beside)


def _is_one_value(book: Book, cell: Cell, operand: _Operand) -> bool:
    """Whether several cells stand where Excel takes one, or calculates all only in some functions."""
    if not _has_several_cells(book, cell, operand.text):
        return False
    if operand.is_calculated:
        return operand.function not in CALCULATE_RANGES
    return operand.argument not in TAKE_RANGES.get(operand.function or "", ()) and not (
        operand.argument == 0 and operand.function in FIRST_AS_WELL
    )


def _has_several_cells(book: Book, cell: Cell, text: str) -> bool:
    if text.startswith("{"):
        return True
    sheet, rest = split_sheet(text)
    area = area_of("", rest)
    if area is not None:
        return not area.is_cell
    name = book.names.seen_from(sheet or cell[0], rest)
    if name is not None:
        own = area_of("", split_sheet(name.text)[1])
        return own is not None and not own.is_cell
    table = book.tables.get(rest.partition("[")[0].upper())
    return table is not None and "@" not in rest and "#THIS ROW" not in rest.upper()
