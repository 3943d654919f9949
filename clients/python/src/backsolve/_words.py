"""Writes numbers, inputs and outputs for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .problem import Failed, Outcome, Space


def short(value: object) -> str:
    """Five significant digits; of an array its length."""
    if isinstance(value, tuple):
        return f"{len(value)} values"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def describe_values(values: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={short(value)}" for name, value in values.items())


def describe_outcome(space: Space, outcome: Outcome) -> str:
    if isinstance(outcome, Failed):
        return f"failed: {outcome.reason}"
    return describe_values(space.output_of(outcome))


def describe_off(off_by: Mapping[str, float]) -> str:
    """The outputs that miss their goals, in their own units; empty when none does."""
    return ", ".join(f"{name} by {short(value)}" for name, value in off_by.items() if value > 0)
