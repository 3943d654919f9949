"""Values on their way into the cells of inputs and out of those of outputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from backsolve.inputs import Value

from .check import cell_of
from .places import Area, cell_name
from .trace import Cell


def placed(values: Mapping[str, Value], inputs: Mapping[str, Area], numbers: Collection[str]) -> dict[Cell, Any]:
    """By cell. A yes or no where the cell has a number is 1 or 0, because TRUE is not 1 to a formula; `numbers` are these inputs."""
    return {
        cell_of(area): float(values[name]) if isinstance(values[name], bool) and name in numbers else values[name]
        for name, area in inputs.items()
        if name in values
    }


def read_output(area: Area, cells: list[Any]) -> Any:
    """A number, or of a range the list of its numbers. Raises ValueError where a cell has none."""
    numbers = [_number(area, index, value) for index, value in enumerate(cells)]
    return numbers[0] if area.is_cell else numbers


def _number(area: Area, index: int, value: Any) -> float:
    if isinstance(value, (bool, int, float)):
        return float(value)
    row, column = divmod(index, area.columns)
    place = cell_name(area.sheet, area.row + row, area.column + column)
    if value is None:
        raise ValueError(f"{place} is empty.")
    raise ValueError(f"{place} is {value['error']}." if isinstance(value, dict) else f"{place} is a text, not a number: {value[:80]!r}.")
