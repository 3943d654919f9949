"""Kinds of inputs: a number, a whole number, one of several levels or choices, or a yes and no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, log10
from typing import Any, Literal, TypeAlias

from ._generated.wide_range import WIDE_RANGE
from ._values import number

Value: TypeAlias = float | int | str | bool
Kind: TypeAlias = Literal["float", "integer", "boolean", "category"]
Scale: TypeAlias = Literal["linear", "log"]
ROUNDING = 1e-9
"""0.0003 to 0.3 is wide, although its quotient may be a little less."""


@dataclass(frozen=True)
class Input:
    """An input. Make one with real, log, integer, levels, choice or boolean."""

    kind: Kind
    minimum: float
    maximum: float
    names: tuple[str, ...] = ()
    scale: Scale | None = None
    """None: logarithmic where the range is wide."""
    step: float | None = None
    values: tuple[float, ...] | None = None
    likely: tuple[float, float] | None = None
    unit: str = ""

    @property
    def is_log_by_range(self) -> bool:
        """
        Whether it varies by factors although no scale is stated: its range spans three powers of ten or more. A step says that differences
        matter; levels say it by how they are spaced.
        """
        low, high = self.minimum, self.maximum
        if self.scale is not None or self.step is not None or self.kind not in ("float", "integer"):
            return False
        if not (low > 0 and isfinite(high) and high / low >= WIDE_RANGE * (1 - ROUNDING)):
            return False
        if self.values is None:
            return True
        middle = self.values[len(self.values) // 2]
        differences = (middle - low) / (high - low)
        factors = log10(middle / low) / log10(high / low)
        return abs(factors - 0.5) < abs(differences - 0.5)

    def describe_log(self, name: str) -> str:
        """Says why it is logarithmic, and how to refuse."""
        powers = round(log10(self.maximum) - log10(self.minimum), 1)
        return f'{name} varies by factors (log scale), because its range spans {powers:g} powers of ten; state scale="linear" to refuse.'

    def to_value(self, number: float) -> Value:
        """Value that a black box gets for a number of the service: float, int, str or bool."""
        if self.kind == "float":
            return float(number)
        if self.kind == "boolean":
            return number != 0
        return self.names[round(number - self.minimum)] if self.kind == "category" else round(number)

    def has(self, number: float) -> bool:
        """Whether a number of the service is one of this input: within its bounds, and whole where only whole numbers are."""
        slack = 1e-9 * (self.maximum - self.minimum)
        if not self.minimum - slack <= number <= self.maximum + slack:
            return False
        return self.kind == "float" or number == round(number)

    def to_number(self, value: Any) -> float:
        """The number of the service for a value. Raises ValueError if it is none of this input."""
        if self.kind == "boolean":
            return float(bool(value))
        if self.kind != "category":
            return number("The value", value)
        if value not in self.names:
            raise ValueError(f"{value!r} is not one of {', '.join(self.names)}.")
        return self.minimum + self.names.index(value)


def real(
    minimum: float,
    maximum: float,
    *,
    step: float | None = None,
    likely: tuple[float, float] | None = None,
    unit: str = "",
    scale: Scale | None = None,
) -> Input:
    """
    A number from minimum to maximum; with `step` only minimum + k * step. `likely` is where the solution probably lies. Where its range
    spans three powers of ten or more it varies by factors; `scale="linear"` refuses.
    """
    low, high = number("The minimum", minimum), number("The maximum", maximum)
    spacing = None if step is None else number("The step", step)
    return Input("float", low, high, step=spacing, likely=_likely(likely), unit=unit, scale=scale)


def log(minimum: float, maximum: float, *, likely: tuple[float, float] | None = None, unit: str = "") -> Input:
    """A positive number that varies by factors rather than by differences."""
    return replace(real(minimum, maximum, likely=likely, unit=unit), scale="log")


def integer(minimum: int, maximum: int, *, likely: tuple[float, float] | None = None, unit: str = "", scale: Scale | None = None) -> Input:
    """A whole number from minimum to maximum; over a wide range it varies by factors, as real does."""
    return Input("integer", number("The minimum", minimum), number("The maximum", maximum), likely=_likely(likely), unit=unit, scale=scale)


def _likely(given: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if given is None else (number("A likely value", given[0]), number("A likely value", given[1]))


def levels(*values: float, unit: str = "", scale: Scale | None = None) -> Input:
    """A number that takes only these values."""
    if len(values) < 2:
        raise ValueError("levels needs at least two values.")
    ordered = tuple(sorted(number("A level", value) for value in values))
    return Input("float", ordered[0], ordered[-1], values=ordered, unit=unit, scale=scale)


def choice(*names: str) -> Input:
    """One of several names, which have no order."""
    if len(names) < 2:
        raise ValueError("choice needs at least two names.")
    wrong = next((each for each in names if not isinstance(each, str)), None)
    if wrong is not None:
        raise ValueError(f"choice needs names in quotes, not {wrong!r}. For numbers use levels, for True and False boolean.")
    return Input("category", 1.0, float(len(names)), names=tuple(map(str, names)))


def boolean() -> Input:
    """True or False."""
    return Input("boolean", 0.0, 1.0)


def as_input(name: str, given: Input | Sequence[float]) -> Input:
    """An input as given; a pair of bounds is a number between them."""
    if isinstance(given, Input):
        found = given
    else:
        wanted = (
            f"The input {name} must be real(0, 10), log(1e-5, 1), integer(1, 9), levels(1, 2.5), choice('a', 'b'), boolean(), "
            "or a pair of bounds."
        )
        try:
            minimum, maximum = given
        except (TypeError, ValueError):
            raise ValueError(wanted) from None
        try:
            found = real(minimum, maximum)
        except ValueError as error:
            raise ValueError(f"{wanted} {error}") from None
    if not (isfinite(found.minimum) and isfinite(found.maximum)):
        raise ValueError(
            f"The input {name} needs finite bounds, not {found.minimum:g} to {found.maximum:g}: the search looks between them."
        )
    return found
