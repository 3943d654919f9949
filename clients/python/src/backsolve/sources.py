"""Cheaper versions of a black box."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

FINE = "fine"
"""The black box itself, where sources are named."""


@dataclass(frozen=True)
class Source:
    """A cheaper version of the black box, such as a coarse mesh: it has the same inputs and outputs, and its outputs are near."""

    f: Callable[..., Any]
    cost: float
    """Cost of a run, in runs of the black box itself: 0.1 for a tenth."""

    def __post_init__(self) -> None:
        if not 0 < self.cost < 1:
            raise ValueError(f"The cost of a source is that of a run, in runs of the black box itself, between 0 and 1, not {self.cost}.")


def check_sources(sources: Mapping[str, Source]) -> dict[str, Source]:
    """Raises TypeError or ValueError for anything else."""
    for name, source in sources.items():
        if not isinstance(source, Source):
            raise TypeError(f"The source {name} must be Source(f, cost=...), not {type(source).__name__}.")
        if name == FINE:
            raise ValueError("A source must not be called fine: that is the black box itself.")
    return dict(sources)
