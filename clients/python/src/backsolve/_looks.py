"""
Describes the looks of a black box: its code, and the data that it reaches. A change of them says that the black box may answer otherwise
now.

    code               of the function itself
    helper             a function, a class or a module of the user that it uses
    y, model.data      a value of its globals, its closure, its defaults, its arguments or of an object that it belongs to
    data.csv           a named file

Packages that are installed count by their names alone. The work is bounded in time and size: of a large array or file some values count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ._reached import Walk, look_of_file

Look: TypeAlias = dict[str, str | None]
"""A digest for each part, by the part's name in words; None for a part that runs change, which says nothing."""
Looks: TypeAlias = dict[str, Look]
"""Those of the black box, under the name of OWN, and of its cheaper sources."""
OWN = ""


def looks_of(f: Callable[..., Any], sources: Mapping[str, Callable[..., Any]], files: Iterable[str | Path]) -> Looks:
    """Looks of a black box, its sources and the files that it reads. Raises FileNotFoundError for a file that is not there."""
    named = {str(path): look_of_file(Path(path)) for path in files}
    return {OWN: {**Walk().look(f), **named}, **{name: {**Walk().look(source), **named} for name, source in sources.items()}}


def look_of_values(values: Mapping[str, Any]) -> Look:
    """Look of the parts of a black box that is not a function."""
    walk = Walk()
    for name, value in values.items():
        walk.value(name, value)
    return walk.found


def changes(before: Looks, now: Looks) -> dict[str, list[str]]:
    """Parts that differ, of the black box and of each source that has changed."""
    found = {}
    for name, look in now.items():
        known = before.get(name)
        if known is None:
            continue
        parts = dict.fromkeys([*look, *known])
        differing = [part for part in parts if known.get(part, "") is not None and known.get(part) != look.get(part)]
        if differing:
            found[name] = differing
    return found


def without_moving(looks: Looks, earlier: Looks, later: Looks) -> Looks:
    """`looks`, where parts that differ between two moments of a program, between which nobody edited it, say nothing from now on."""
    moving = changes(earlier, later)
    return {name: {**look, **dict.fromkeys(moving.get(name, ()))} for name, look in looks.items()}


def with_silent(looks: Looks, before: Looks) -> Looks:
    """`looks`, where parts that said nothing before still say nothing."""
    silent = {name: [part for part, digest in look.items() if digest is None] for name, look in before.items()}
    return {name: {**look, **dict.fromkeys(silent.get(name, ()))} for name, look in looks.items()}
