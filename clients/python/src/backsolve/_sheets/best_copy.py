"""
Copies of a workbook with other values in cells. Only these cells and the saved values of formulas are changed, as text, so that charts,
formats and everything else stay as they are; the program that opens the copy calculates it.
"""

from __future__ import annotations

import os
import posixpath
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from backsolve._errors import SpreadsheetError

from .places import column_of, place_of
from .trace import Cell

RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
CELL = re.compile(r"<(?P<tag>(?:\w+:)?c)\b(?P<attributes>[^>]*?)(?:/>|>(?P<content>.*?)</(?P=tag)>)", re.DOTALL)
ROW = re.compile(r"<(?P<tag>(?:\w+:)?row)\b(?P<attributes>[^>]*?)(?:/>|>(?P<content>.*?)</(?P=tag)>)", re.DOTALL)
SAVED = re.compile(r"<((?:\w+:)?v)\b[^>]*>.*?</\1>", re.DOTALL)
CALCULATION = re.compile(r"<((?:\w+:)?)calcPr\b([^>]*?)/?>")


def write_copy(source: Path, target: Path, values: Mapping[Cell, Any]) -> None:
    """Replaces the target as a whole. Raises SpreadsheetError."""
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with source.open("rb") as old, partial.open("wb") as new:
            copied(old, new, values, source.name)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def copied(source: IO[bytes], target: IO[bytes], values: Mapping[Cell, Any], name: str) -> None:
    """`name` is what messages call the source. Raises SpreadsheetError."""
    try:
        with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
            parts = _parts(old)
            for entry in old.infolist():
                new.writestr(entry, _changed(entry.filename, old.read(entry), parts, values))
    except (KeyError, ElementTree.ParseError, zipfile.BadZipFile, UnicodeError) as error:
        raise SpreadsheetError(f"No copy of {name} can be written: {error}.") from None


def _parts(package: zipfile.ZipFile) -> dict[str, str]:
    """The sheets of a workbook by the names of their files."""
    # openpyxl has read them before, by the same parser.
    relations = ElementTree.fromstring(package.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
    paths = {each.get("Id"): posixpath.normpath(posixpath.join("/xl", each.get("Target", ""))).lstrip("/") for each in relations}
    sheets = ElementTree.fromstring(package.read("xl/workbook.xml")).iter()  # noqa: S314
    return {
        paths[each.get(RELATION)]: each.get("name", "") for each in sheets if each.tag.endswith("}sheet") and each.get(RELATION) in paths
    }


def _changed(file: str, content: bytes, parts: Mapping[str, str], values: Mapping[Cell, Any]) -> bytes:
    if file == "xl/workbook.xml":
        return _calculated_on_opening(content.decode()).encode()
    if file not in parts:
        return content
    text = CELL.sub(_without_saved_value, content.decode())
    for (sheet, row, column), value in values.items():
        if sheet == parts[file]:
            text = _with_value(text, row, column, value)
    return text.encode()


def _calculated_on_opening(text: str) -> str:
    if found := CALCULATION.search(text):
        kept = re.sub(r'\sfullCalcOnLoad="[^"]*"', "", found[0])
        return text.replace(found[0], kept.replace("calcPr", 'calcPr fullCalcOnLoad="1"', 1), 1)
    # The order of elements is fixed: after the names, or the sheets where there are none.
    last = "definedNames" if "definedNames>" in text else "sheets"
    return re.sub(rf"</((?:\w+:)?){last}>", rf'</\g<1>{last}><\g<1>calcPr calcId="0" fullCalcOnLoad="1"/>', text, count=1)


def _without_saved_value(found: re.Match[str]) -> str:
    content = found["content"] or ""
    return found[0].replace(content, SAVED.sub("", content), 1) if re.search(r"<(?:\w+:)?f\b", content) else found[0]


def _with_value(text: str, row: int, column: int, value: Any) -> str:
    for found in ROW.finditer(text):
        number = int(_attribute(found["attributes"], "r") or 0)
        if number == row:
            cells = _row_with(found["content"] or "", row, column, value, found["tag"][:-3])
            return f"{text[: found.start()]}<{found['tag']}{found['attributes']}>{cells}</{found['tag']}>{text[found.end() :]}"
        if number > row:
            added = _row_of(found["tag"], row, column, value)
            return text[: found.start()] + added + text[found.start() :]
    end = re.search(r"<((?:\w+:)?)sheetData\s*/>", text)
    if end is not None:
        body = _row_of(f"{end[1]}row", row, column, value)
        return f"{text[: end.start()]}<{end[1]}sheetData>{body}</{end[1]}sheetData>{text[end.end() :]}"
    return re.sub(r"</((?:\w+:)?)sheetData>", lambda end: _row_of(f"{end[1]}row", row, column, value) + end[0], text, count=1)


def _row_of(tag: str, row: int, column: int, value: Any) -> str:
    return f'<{tag} r="{row}">{_row_with("", row, column, value, tag[:-3])}</{tag}>'


def _row_with(cells: str, row: int, column: int, value: Any, prefix: str) -> str:
    for found in CELL.finditer(cells):
        place = _attribute(found["attributes"], "r") or ""
        at = column_of(re.sub(r"\d", "", place))
        if at == column:
            style = _attribute(found["attributes"], "s")
            return cells[: found.start()] + _cell_of(prefix, row, column, value, style) + cells[found.end() :]
        if at > column:
            return cells[: found.start()] + _cell_of(prefix, row, column, value, None) + cells[found.start() :]
    return cells + _cell_of(prefix, row, column, value, None)


def _cell_of(prefix: str, row: int, column: int, value: Any, style: str | None) -> str:
    kept = f' s="{style}"' if style is not None else ""
    start = f'<{prefix}c r="{place_of(row, column)}"{kept}'
    if isinstance(value, bool):
        return f'{start} t="b"><{prefix}v>{int(value)}</{prefix}v></{prefix}c>'
    if isinstance(value, str):
        text = f'<{prefix}is><{prefix}t xml:space="preserve">{escape(value)}</{prefix}t></{prefix}is>'
        return f'{start} t="inlineStr">{text}</{prefix}c>'
    return f"{start}><{prefix}v>{float(value)!r}</{prefix}v></{prefix}c>"


def _attribute(attributes: str, name: str) -> str | None:
    found = re.search(rf'\s{name}="([^"]*)"', attributes)
    return found[1] if found else None
