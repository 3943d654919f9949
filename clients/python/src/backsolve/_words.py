"""How numbers, inputs and outputs are written for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .inputs import Value
from .problem import Failed, Outcome


def short(value: object) -> str:
    """Five significant digits."""
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def describe_values(values: Mapping[str, Value]) -> str:
    return " ".join(f"{name}={short(value)}" for name, value in values.items())


def describe_outcome(names: Sequence[str], outcome: Outcome) -> str:
    if isinstance(outcome, Failed):
        return f"failed: {outcome.reason}"
    return describe_values(dict(zip(names, outcome, strict=True)))


def describe_off(off_by: Mapping[str, float]) -> str:
    """The outputs that miss their goals, in their own units; empty when none does."""
    return ", ".join(f"{name} by {short(value)}" for name, value in off_by.items() if value > 0)
