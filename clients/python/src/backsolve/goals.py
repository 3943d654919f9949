"""Goals for the outputs of a problem."""

from __future__ import annotations

from dataclasses import dataclass

from ._generated.goal_types import SIGNS, SUFFIXES, GoalType
from ._values import number


@dataclass(frozen=True)
class Goal:
    """A goal. Make one with exact, within, below, at_most, above, at_least, minimize or maximize."""

    type: GoalType
    target: float | None
    lower: float | None = None
    upper: float | None = None

    def __str__(self) -> str:
        if self.target is None:
            return self.type
        if self.lower is None or self.upper is None:
            return f"{SIGNS[self.type]} {self.target:g}"
        unit = SUFFIXES[self.type]
        if self.lower == -self.upper:
            return f"{self.target:g} ± {self.upper:g}{unit}"
        return f"{self.target:g} {self.lower:+g}{unit} {self.upper:+g}{unit}"


def exact(target: float) -> Goal:
    """The target itself, within rounding. All outputs must then be exact, and are judged together by the sum of their distances."""
    return Goal("exact", number("The target", target))


def within(
    target: float,
    tolerance: float | tuple[float, float] | None = None,
    *,
    percent: float | tuple[float, float] | None = None,
    standard_deviations: float | tuple[float, float] | None = None,
) -> Goal:
    """
    Near a target: within(380, 2) is 378 to 382, within(380, percent=1) is 376.2 to 383.8. A pair has the offset below and the one above:
    within(380, (-1, 3)). within(380, standard_deviations=2) allows two standard deviations of the output's noise, which the option noise
    states.
    """
    tolerances: dict[GoalType, float | tuple[float, float] | None] = {
        "value": tolerance,
        "percent": percent,
        "standard_deviations": standard_deviations,
    }
    stated = [(kind, each) for kind, each in tolerances.items() if each is not None]
    if len(stated) != 1:
        raise ValueError("within needs one tolerance: within(380, 2), within(380, percent=1), or within(380, standard_deviations=2).")
    kind, given = stated[0]
    if isinstance(given, tuple):
        lower, upper = (number("A tolerance", each) for each in given)
    else:
        upper = number("The tolerance", given)
        lower = -upper
    if not lower < upper:
        raise ValueError(f"within leaves no room: {lower} is not below {upper}. For the target itself use exact({target:g}).")
    return Goal(kind, number("The target", target), lower, upper)


def below(limit: float) -> Goal:
    """Less than the limit."""
    return Goal("lessthan", number("The limit", limit))


def at_most(limit: float) -> Goal:
    """The limit or less."""
    return Goal("lessthan_equal", number("The limit", limit))


def above(limit: float) -> Goal:
    """Greater than the limit."""
    return Goal("greaterthan", number("The limit", limit))


def at_least(limit: float) -> Goal:
    """The limit or more."""
    return Goal("greaterthan_equal", number("The limit", limit))


def minimize(aspiration: float | None = None) -> Goal:
    """As small as possible; the aspiration is what would be enough. Without one the search goes on to the end of its budget or rules."""
    return Goal("minimize", None if aspiration is None else number("The aspiration", aspiration))


def maximize(aspiration: float | None = None) -> Goal:
    """As large as possible; the aspiration is what would be enough. Without one the search goes on to the end of its budget or rules."""
    return Goal("maximize", None if aspiration is None else number("The aspiration", aspiration))
