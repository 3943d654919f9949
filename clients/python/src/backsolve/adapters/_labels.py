"""Names for what frameworks allow: choices of any kind become names of a category, of which the service wants short and different ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MAXIMUM_LABEL = 64


def labels_of(choices: Sequence[Any]) -> list[str]:
    """A name for each, by its text; with a number before it where texts are equal, empty or begin or end with blanks."""
    names = [str(each)[:MAXIMUM_LABEL] for each in choices]
    if len(set(names)) == len(names) and all(name and name == name.strip() for name in names):
        return names
    return [f"{i} {name}".strip()[:MAXIMUM_LABEL].strip() for i, name in enumerate(names)]


def is_number(value: Any) -> bool:
    """True for a number of Python or numpy; True and False are none."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind in ("i", "u", "f") if kind is not None else isinstance(value, int | float) and not isinstance(value, bool)
