"""Refuses options that do not exist. Python would take any keyword where a function has further ones."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def refuse_unknown_options(function: Callable[..., Any], further: type, given: Iterable[str]) -> None:
    """Raises TypeError for an option that is neither a keyword of the function nor one of the TypedDict `further`."""
    keywords = [each.name for each in inspect.signature(function).parameters.values() if each.kind is not each.VAR_KEYWORD]
    own = [*keywords, *further.__annotations__]
    refuse_unknown(given, [name for name in own if name not in ("cls", "client")], function.__qualname__, "option")


def refuse_unknown(given: Iterable[str], known: Iterable[str], where: str, what: str) -> None:
    """Raises TypeError for the first name that is not known, with the nearest known one."""
    names = list(known)
    for name in given:
        if name not in names:
            raise TypeError(f"{where} has no {what} {name!r}. {_advise(name, names)}")


def _advise(name: object, known: list[str]) -> str:
    nearest = difflib.get_close_matches(str(name), known, n=1)
    return f"Did you mean {nearest[0]!r}?" if nearest else f"It has {', '.join(known)}."
