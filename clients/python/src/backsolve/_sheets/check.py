"""Checks what must hold before a workbook is run. All faults are found together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from backsolve._errors import SpreadsheetError

from .book import Book
from .places import Area, cell_name, quoted
from .trace import OUTSIDE, RANDOM, Cell, Way, trace

Side: TypeAlias = Literal["inputs", "outputs"]
MOST_CELLS = 100_000


@dataclass(frozen=True)
class Fault:
    side: Side
    name: str
    """Name of an input or output; empty if none is to blame."""
    message: str


@dataclass(frozen=True)
class Checked:
    inputs: dict[str, Area]
    outputs: dict[str, Area]
    faults: list[Fault]
    notes: list[str]
    way: Way


def check_book(book: Book, inputs: Mapping[str, str | None], outputs: Mapping[str, str | None]) -> Checked:
    """The cells of inputs and outputs by name; None where the name is one of the workbook."""
    faults: list[Fault] = []
    found_inputs = _find(book, "inputs", inputs, faults)
    found_outputs = _find(book, "outputs", outputs, faults)
    _refuse_inputs(book, found_inputs, faults)
    _refuse_outputs(book, found_outputs, faults)
    way = _way(book, found_inputs, found_outputs, faults)
    if not faults:
        faults.extend(_faults_of_way(book, way, found_inputs, found_outputs))
    return Checked(found_inputs, found_outputs, faults, _notes(book, way, found_inputs), way)


def _way(book: Book, inputs: Mapping[str, Area], outputs: Mapping[str, Area], faults: list[Fault]) -> Way:
    try:
        return trace(book, outputs.values(), map(cell_of, inputs.values()))
    except SpreadsheetError as error:
        faults.append(Fault("outputs", "", f"{error}."))
        return Way()


def cell_of(area: Area) -> Cell:
    return area.sheet, area.row, area.column


def _find(book: Book, side: Side, places: Mapping[str, str | None], faults: list[Fault]) -> dict[str, Area]:
    found = {}
    for name, place in places.items():
        try:
            if place is None and not book.has_name(name):
                raise SpreadsheetError(f"state its cell, as in {quoted(book.sheets[0])}!B3, because {book.name} has no cell named {name}.")
            found[name] = book.area(name if place is None else place)
        except SpreadsheetError as error:
            faults.append(Fault(side, name, str(error)))
    return found


def _refuse_inputs(book: Book, inputs: Mapping[str, Area], faults: list[Fault]) -> None:
    owners: dict[Cell, str] = {}
    for name, area in inputs.items():
        fault = _fault_of_input(book, area) or (f"is the cell of {owners[cell_of(area)]} as well." if cell_of(area) in owners else None)
        owners.setdefault(cell_of(area), name)
        if fault is not None:
            faults.append(Fault("inputs", name, fault))


def _fault_of_input(book: Book, area: Area) -> str | None:
    if not area.is_cell:
        return f"{area} is a range; an input is one cell."
    formula = book.formula(*cell_of(area))
    if formula is not None:
        return f"{area} holds the formula {formula}, which a value would replace: name the cell with the number that it reads."
    if merged := book.merged_into(area):
        return f"{area} is inside of the merged cells {merged}: name their first cell."
    if book.is_locked(area):
        return f"{area} is locked in a protected sheet: unlock the cell, or remove the protection of a copy."
    return None


def _refuse_outputs(book: Book, outputs: Mapping[str, Area], faults: list[Fault]) -> None:
    for name, area in outputs.items():
        if area.rows * area.columns > MOST_CELLS:
            faults.append(Fault("outputs", name, f"{area} has more than {MOST_CELLS} cells."))
        elif not any(book.formula(area.sheet, *at) for at in book.filled(area)):
            what = "is empty" if not list(book.filled(area)) else "holds no formula"
            faults.append(Fault("outputs", name, f"{area} {what}: an output is a cell with a formula."))


def _faults_of_way(book: Book, way: Way, inputs: Mapping[str, Area], outputs: Mapping[str, Area]) -> list[Fault]:
    """Faults of what each output depends on, unless that is known only when it is calculated."""
    for text, cell in way.links.items():
        return [Fault("outputs", "", f"{cell_name(*cell)} reads another file ({text}), which is never opened.")]
    for name in OUTSIDE & way.functions.keys():
        return [Fault("outputs", "", f"{cell_name(*way.functions[name])} uses {name}, which asks another program.")]
    if way.is_open:
        return []
    changed = way.after(cell_of(area) for area in inputs.values())
    return [
        Fault("outputs", name, f"{area} does not depend on any input.")
        for name, area in outputs.items()
        if not any((area.sheet, *at) in changed for at in book.filled(area))
    ]


def _notes(book: Book, way: Way, inputs: Mapping[str, Area]) -> list[str]:
    notes = []
    if not way.is_open:
        idle = [name for name, area in inputs.items() if not way.after([cell_of(area)])]
        notes += [f"No output depends on {', '.join(idle)}."] if idle else []
    if random := sorted(RANDOM & way.functions.keys()):
        notes.append(f"The outputs use {', '.join(random)}, so runs at one input differ: state their noise.")
    settings = book.settings
    if settings.iterates and way.circle:
        notes.append(
            f"{cell_name(*min(way.circle))} refers to itself and is iterated, in each run from the values in the file, at most "
            f"{settings.iterations} times or until it changes by less than {settings.change:g}: outputs are no more exact than that."
        )
    if settings.is_as_displayed:
        notes.append("The workbook calculates with numbers as they are displayed, so a cell with few decimals rounds its input or output.")
    return notes
