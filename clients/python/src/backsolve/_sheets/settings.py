"""Reads how a workbook wants to be calculated: `calcPr` and `workbookPr` of ECMA-376 part 1, 18.2."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

EXCEL_ITERATIONS, EXCEL_CHANGE = 100, 0.001
"""Defaults for a file that states none."""
YES, NO = ("1", "true", "on"), ("0", "false", "off")


@dataclass(frozen=True)
class Settings:
    is_as_displayed: bool
    """Whether formulas see numbers as their formats show them: "Set precision as displayed"."""
    is_from_1904: bool
    """Whether dates count from 1904."""
    iterates: bool
    """Whether circular references are iterated."""
    iterations: int
    change: float
    """At a change below it an iteration ends."""
    is_manual: bool
    """Whether values may be older than the numbers that they are made of."""
    is_calculated_on_opening: bool
    """Whether the file itself says that its values do not count."""


def settings_of(workbook: bytes, is_from_1904: bool) -> Settings:
    """Settings in the part of the file that lists its sheets. openpyxl takes an attribute that is missing for one that is set."""
    # openpyxl has read it before, by the same parser.
    parts = ElementTree.fromstring(workbook).iter()  # noqa: S314
    stated = next((each.attrib for each in parts if each.tag.rpartition("}")[2] == "calcPr"), {})
    return Settings(
        is_as_displayed=stated.get("fullPrecision") in NO,
        is_from_1904=is_from_1904,
        iterates=stated.get("iterate") in YES,
        iterations=int(stated.get("iterateCount", EXCEL_ITERATIONS)),
        change=float(stated.get("iterateDelta", EXCEL_CHANGE)),
        is_manual=stated.get("calcMode") == "manual",
        is_calculated_on_opening=stated.get("fullCalcOnLoad") in YES,
    )
