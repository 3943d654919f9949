"""A generator for libEnsemble and other programs of gest-api: `GenSpecs(generator=BacksolveGenerator(vocs))`. Needs gest-api."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from typing import Any

from gest_api import Generator
from gest_api.vocs import (
    VOCS,
    BoundsConstraint,
    ContextualVariable,
    ContinuousVariable,
    DiscreteVariable,
    GreaterThanConstraint,
    LessThanConstraint,
    MaximizeObjective,
    MinimizeObjective,
)

from backsolve.goals import above, at_least, at_most, below, maximize, minimize, within
from backsolve.inputs import Input, choice, levels
from backsolve.problem import AnyGoal, Failed

from ._labels import is_number, labels_of
from ._session import Asked, Session

NAME = "generator"
FIRST_OWN = -2
"""Ids of points that fill a batch go down from here; -1 means none in libEnsemble."""


class BacksolveGenerator(Generator):  # type: ignore[misc, unused-ignore]
    """
    Suggests the points of a VOCS, and learns from results in any order: its own by their `_id`, others by their variables. A result with a
    NaN is a failed run. `goals` replace those of objectives, or make goals of observables: {"sag": within(20, 0.5)}.

    The same `name` in the same `folder` goes on where an earlier generator ended or was killed. Without a name the same VOCS does: a
    generator does not see what it is evaluated with, so name the search of each simulation. Further arguments are those of
    backsolve.adapters.Session. Raises ValueError for a VOCS that it cannot search.
    """

    returns_id = True

    def __init__(self, vocs: VOCS, *, name: str | None = None, goals: Mapping[str, AnyGoal] | None = None, **session: Any) -> None:
        self._vocs = vocs
        self._stated = dict(goals or {})
        # Exactly as many points as are asked for: it cannot wait for one that is likely to meet the goals.
        self._options = {"stop": False, "options": {"holdBack": False}, **session}
        self._name = name
        self._session: Session | None = None
        self._asked: dict[int, Asked] = {}
        self._filled: dict[int, Mapping[str, Any]] = {}
        super().__init__(vocs)

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process opens the search there."""
        return {**self.__dict__, "_session": None, "_asked": {}}

    def _validate_vocs(self, vocs: VOCS) -> None:
        self._inputs()
        self._goals()

    @property
    def session(self) -> Session:
        if self._session is None:
            constants = {key: repr(each.value) for key, each in self._vocs.constants.items()}
            # Another value of a constant is another problem, which shares no run with this one.
            own = f"{NAME} {sorted(constants.items())}" if constants else NAME
            self._session = Session(self._inputs(), self._goals(), name=self._name or own, **self._options)
            self._session.refuse_other_constants(constants)
        return self._session

    @property
    def is_over(self) -> bool:
        """Whether the goals are met, or the search has ended otherwise."""
        return not self.session.is_open

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """
        Exactly as many points. While the last designed runs are not back, nothing else can be suggested: random points fill the batch.
        Raises ValueError once the search is over.
        """
        count = 1 if num_points is None else num_points
        asked = self.session.ask(count, wait=False)
        if len(asked) < count and self.is_over:
            for each in asked:
                self.session.release(each)
            raise ValueError(f"The search is over. {self.session.result()}")
        self._asked |= {each.id: each for each in asked}
        own = {FIRST_OWN - len(self._filled) - number: self._random() for number in range(count - len(asked))}
        self._filled |= own
        points: list[tuple[int, Mapping[str, Any]]] = [*((each.id, each.input) for each in asked), *own.items()]
        constants = {name: each.value for name, each in self._vocs.constants.items()}
        return [{**{key: self._value(key, value) for key, value in point.items()}, **constants, "_id": number} for number, point in points]

    def ingest(self, results: list[dict[str, Any]]) -> None:
        """Raises ValueError for an `_id` that is unknown, and for a result without a variable or an output."""
        for result in results:
            number = result.get("_id")
            point = {name: self._label(name, result.get(name)) for name in self.session.space.inputs}
            outcome = self._outcome(result)
            asked = None if number is None else self._asked.pop(int(number), None)
            if asked is not None:
                self.session.tell(asked, outcome)
            elif number is None or int(number) in self._filled or self.session.is_known(point):
                self.session.add([(point, outcome)])
            else:
                raise ValueError(f"_id {number} is none of this generator: leave out _id for points from elsewhere.")

    def finalize(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _outcome(self, result: Mapping[str, Any]) -> dict[str, float] | Failed:
        names = self.session.space.outputs
        missing = [name for name in names if name not in result]
        if missing:
            raise ValueError(f"A result has no {' and no '.join(missing)}.")
        # The only element of an array is its number.
        found = {name: float(result[name].item() if getattr(result[name], "size", 0) == 1 else result[name]) for name in names}
        bad = [name for name, value in found.items() if not math.isfinite(value)]
        return Failed(f"{bad[0]} is {found[bad[0]]}") if bad else found

    def _inputs(self) -> dict[str, Input]:
        return {name: _to_input(name, each) for name, each in self._vocs.variables.items()}

    def _goals(self) -> dict[str, AnyGoal]:
        unknown = [name for name in self._stated if name not in (*self._vocs.objectives, *self._vocs.observables)]
        if unknown:
            raise ValueError(f"goals has {unknown[0]}, which is neither an objective nor an observable of the VOCS.")
        aims = {name: self._stated.get(name) or _aim(name, each) for name, each in self._vocs.objectives.items()}
        limits = {name: _limit(name, each) for name, each in self._vocs.constraints.items()}
        return {**aims, **self._stated, **{name: each for name, each in limits.items() if each is not None}}

    def _random(self) -> dict[str, Any]:
        """A random point tells most if nothing else is known."""
        return {name: _draw(each) for name, each in self.session.space.inputs.items()}

    def _value(self, name: str, value: Any) -> Any:
        """As the VOCS has it."""
        variable = self._vocs.variables[name]
        if not isinstance(variable, DiscreteVariable):
            return value
        if self.session.space.inputs[name].kind != "category":
            return min(variable.values, key=lambda each: abs(float(each) - value))
        choices = _in_order(variable)
        return choices[labels_of(choices).index(value)]

    def _label(self, name: str, value: Any) -> Any:
        """As the search has it. A result may have the text of a choice, and an array in place of its only element."""
        if getattr(value, "shape", None) == (1,):
            value = value[0]
        if self.session.space.inputs[name].kind != "category":
            return value
        choices = _in_order(self._vocs.variables[name])
        labels = labels_of(choices)
        same = [label for label, each in zip(labels, choices, strict=True) if type(each) is type(value) and each == value]
        return next(iter(same), next((label for label, each in zip(labels, choices, strict=True) if str(each) == str(value)), value))


def _to_input(name: str, variable: Any) -> Input:
    if isinstance(variable.dtype, tuple):  # such as (float, (3,))
        raise ValueError(f"The variable {name} is an array: state one variable for each of its elements.")
    if isinstance(variable, ContextualVariable):
        raise ValueError(f"The variable {name} is contextual, observed rather than chosen. Only variables that are chosen can be searched.")
    if isinstance(variable, ContinuousVariable):
        low, high = map(float, variable.domain)
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(f"The variable {name} needs a finite domain: the search looks between its ends.")
        if not _is_whole(variable.dtype):
            return Input("float", low, high, scale="linear")
        if math.ceil(low) >= math.floor(high):
            raise ValueError(f"The variable {name} is a whole number, but its domain {low:g} to {high:g} has no two of them.")
        return Input("integer", float(math.ceil(low)), float(math.floor(high)), scale="linear")
    if isinstance(variable, DiscreteVariable) and len(variable.values) > 1:
        return levels(*variable.values) if all(map(is_number, variable.values)) else choice(*labels_of(_in_order(variable)))
    raise ValueError(f"The variable {name} has nothing to choose from: make it a constant.")


def _in_order(variable: DiscreteVariable) -> list[Any]:
    """Choices by their texts: a set has no order."""
    return sorted(variable.values, key=lambda each: (str(each), type(each).__name__))


def _is_whole(dtype: Any) -> bool:
    """Whether values are stored as whole numbers: int, "int64", "<i4", numpy.int32."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", "")
    return re.fullmatch(r"[<>=|]?(u?int\d*|[iu]\d)", name) is not None


def _aim(name: str, objective: Any) -> AnyGoal:
    if isinstance(objective, MinimizeObjective | MaximizeObjective):
        return minimize() if isinstance(objective, MinimizeObjective) else maximize()
    raise ValueError(f"The objective {name} must be MINIMIZE or MAXIMIZE, or have a goal such as goals={{'{name}': within(20, 0.5)}}.")


def _limit(name: str, constraint: Any) -> AnyGoal | None:
    """None where it limits nothing."""
    if isinstance(constraint, LessThanConstraint | GreaterThanConstraint):
        is_less, limit = isinstance(constraint, LessThanConstraint), float(constraint.value)
        if math.isnan(limit) or limit == (-math.inf if is_less else math.inf):
            raise ValueError(f"The constraint {name} cannot be met: its value is {limit}.")
        return None if math.isinf(limit) else below(limit) if is_less else above(limit)
    if isinstance(constraint, BoundsConstraint):
        lower, upper = map(float, constraint.range)
        if math.isnan(lower) or math.isnan(upper) or lower == math.inf or upper == -math.inf:
            raise ValueError(f"The constraint {name} cannot be met: its range is {lower} to {upper}.")
        if math.isinf(lower) or math.isinf(upper):
            return None if lower == -upper else at_most(upper) if math.isinf(lower) else at_least(lower)
        return within((lower + upper) / 2, (upper - lower) / 2)
    raise ValueError(f"The constraint {name} is of a kind that is not known here.")


def _draw(each: Input) -> Any:
    some: tuple[Any, ...] = each.names or each.values or ()
    if some:
        return random.choice(some)  # noqa: S311 - a design, no secret
    if each.kind == "integer":
        return random.randint(int(each.minimum), int(each.maximum))  # noqa: S311
    return random.uniform(each.minimum, each.maximum)  # noqa: S311 - a design, no secret
