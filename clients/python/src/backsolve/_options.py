"""Refuses options that do not exist. Python would take any keyword where a function has further ones."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def refuse_unknown_options(function: Callable[..., Any], further: Iterable[str], given: Iterable[str], name: str | None = None) -> None:
    """Raises TypeError for an option that is neither a keyword of the function nor a `further` one. `name` is what to call the function."""
    keywords = [each.name for each in inspect.signature(function).parameters.values() if each.kind is not each.VAR_KEYWORD]
    known = [keyword for keyword in (*keywords, *further) if keyword not in ("cls", "self", "client")]
    refuse_unknown(given, known, name or function.__qualname__, "option")


def refuse_unknown(given: Iterable[str], known: Iterable[str], where: str, what: str) -> None:
    """Raises TypeError for the first name that is not known, with the nearest known one."""
    names = list(known)
    for name in given:
        if name not in names:
            raise TypeError(f"{where} has no {what} {name!r}. {_advise(name, names)}")


def _advise(name: object, known: list[str]) -> str:
    nearest = difflib.get_close_matches(str(name), known, n=1)
    return f"Did you mean {nearest[0]!r}?" if nearest else f"It has {', '.join(known)}."
