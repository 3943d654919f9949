"""A problem as a program states it, what it is for the service, and how values go in and out of a black box."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any, Literal, TypeAlias

from typing_extensions import TypedDict, Unpack

from ._conditions import Condition, Outputs, check_conditions, conditions_of
from ._derivatives import Differentiated, read_jacobian, split
from ._errors import OutputError
from ._generated import models as m
from ._generated.later_share import LATER_SHARE
from ._options import refuse_unknown, refuse_unknown_options
from ._refusals import Names
from ._values import NotANumberError, by_label, list_of, number_of, stated
from ._wire import Wire, make, to_wire
from .fitting import Fit
from .goals import Goal
from .inputs import Input, Value, as_input
from .sources import Source, check_sources

Output: TypeAlias = Mapping[str, Any] | Sequence[Any] | float
"""Results of a black box: by name, in the order of the goals, or the one number. Arrays and tables of numpy, pandas, pyarrow, polars,
xarray and others will do, tables with one row. An output that is fitted is an array of numbers, or a curve.
"""
AnyGoal: TypeAlias = Goal | Fit
LISTED = 6
"""Names in a message."""


@dataclass(frozen=True)
class Failed:
    """A run without an output."""

    reason: str
    retryable: bool = False


Outcome: TypeAlias = list[float] | Failed
"""Outcome of a run."""


@dataclass(frozen=True)
class Advice:
    """Something that you can act on."""

    kind: str
    """Such as "log-scale" or "sum-of-squares"; further ones may come."""
    sentence: str


@dataclass(frozen=True)
class Space:
    """The inputs, and the names of the outputs in their order."""

    inputs: Mapping[str, Input]
    outputs: tuple[str, ...]
    """As the service counts them: each value of a fit is one."""
    goals: Mapping[str, AnyGoal] = field(default_factory=dict)
    """As a black box returns them; empty where nothing is fitted."""

    @property
    def fits(self) -> dict[str, Fit]:
        return {name: goal for name, goal in self.goals.items() if isinstance(goal, Fit)}

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return conditions_of(self.goals)

    def output_of(self, numbers: Sequence[float]) -> dict[str, Any]:
        """An output of the service by name: a number, or the tuple of those that are fitted."""
        if not self.goals:
            return dict(zip(self.outputs, numbers, strict=True))
        rest = iter(numbers)
        return {name: tuple(islice(rest, len(goal.values))) if isinstance(goal, Fit) else next(rest) for name, goal in self.goals.items()}

    def values_of(self, numbers: Sequence[float]) -> dict[str, Value]:
        """An input of the service as a black box gets it."""
        return {name: each.to_value(number) for (name, each), number in zip(self.inputs.items(), numbers, strict=True)}

    def fault_of(self, numbers: Sequence[float]) -> str | None:
        """Reason why an input of the service does not belong to this problem, for the end of a sentence."""
        if len(numbers) != len(self.inputs):
            return f"has an input of {len(numbers)} numbers instead of {len(self.inputs)}: {', '.join(self.inputs)}"
        for (name, each), number in zip(self.inputs.items(), numbers, strict=True):
            if not each.has(number):
                return f"has {name} = {number!r}, which the input {name} does not allow"
        return None

    def read_output(self, given: Any) -> Outcome:
        """The output in the order of the goals; Failed when it has a NaN. Raises OutputError when it is no output of this problem."""
        try:
            if isinstance(given, Outputs):
                given, jacobian = self._merged(given)
            else:
                given, jacobian = split(given, self.inputs, list(self.goals or self.outputs), is_curve=bool(self.fits))
            values = self._in_order(given)
        except NotANumberError as error:
            raise OutputError(f"The output {error}.") from None
        numbers: list[float] = []
        for name, value in zip(self.outputs, values, strict=True):
            try:
                number = number_of(value)
            except NotANumberError as error:
                raise OutputError(f"The output {name} {error}.") from None
            if value is None:
                raise OutputError(f"The output {name} must be a number, not None.")
            if not math.isfinite(number):
                return Failed(f"{name} is {number}")
            numbers.append(number)
        if jacobian is None:
            return numbers
        return Differentiated(numbers, read_jacobian(jacobian, self.inputs, self.goals or dict.fromkeys(self.outputs)))

    def _in_order(self, given: Any) -> Sequence[Any]:
        if self.goals:
            return self._flat(given)
        names = list(self.outputs)
        named = by_label(given)
        if named is not None:
            missing = [name for name in names if name not in named]
            if missing:
                error = OutputError(f"The output has no {' and no '.join(missing)}; it has {', '.join(map(str, named)) or 'nothing'}.")
                error.returned = _as_numbers(named)
                raise error
            return [named[name] for name in names]
        if given is None or isinstance(given, str):
            raise OutputError(f"The black box returned {given!r}. Return the output, or raise an exception when the run failed.")
        values = list_of(given)
        while values is not None and len(values) == 1 < len(names):
            # A row of a matrix.
            values = list_of(values[0])
        values = [given] if values is None else values
        if not isinstance(given, list | tuple):
            # Libraries write None for what is missing in an array.
            values = [math.nan if value is None else value for value in values]
        if len(values) != len(names):
            raise OutputError(f"The output has {len(values)} values instead of {len(names)}: {', '.join(names)}.")
        return values

    def _flat(self, given: Any) -> Sequence[Any]:
        """The same where outputs are arrays: by name, or in the order of the goals; a single array may stand for itself."""
        names = list(self.goals)
        if len(names) == 1 and not (isinstance(given, Mapping) and names[0] in given):
            parts = [given]
        else:
            parts = list(Space(self.inputs, tuple(names))._in_order(given))
        flat: list[Any] = []
        for (name, goal), part in zip(self.goals.items(), parts, strict=True):
            flat += goal.read(name, part) if isinstance(goal, Fit) else [part]
        return flat

    def _merged(self, outputs: Outputs) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """By goal, what the runs under all conditions returned, and their derivatives."""
        merged: dict[str, Any] = {}
        slopes: dict[str, Any] = {}
        for condition, returned in zip(self.conditions, outputs.given, strict=True):
            names = tuple(dict.fromkeys(condition.outputs.values()))
            given, jacobian = split(returned, self.inputs, names, is_curve=True)
            if jacobian is not None:
                by_output = jacobian if isinstance(jacobian, Mapping) and names[0] in jacobian else {names[0]: jacobian}
                slopes |= {goal: by_output.get(output) for goal, output in condition.outputs.items()}
            if len(names) == 1 and not (isinstance(given, Mapping) and names[0] in given):
                by_name = {names[0]: given}
            else:
                by_name = dict(zip(names, Space(self.inputs, names)._in_order(given), strict=True))
            merged |= {goal: by_name[output] for goal, output in condition.outputs.items()}
        return merged, slopes or None


def _as_numbers(given: Mapping[Any, Any]) -> dict[str, float] | None:
    """None where they are not numbers only, as where curves are fitted."""
    try:
        return {str(name): float(value) for name, value in given.items()}
    except (TypeError, ValueError, OverflowError):
        return None


@dataclass(frozen=True)
class Problem:
    """Inputs, goals and what is asked of the search."""

    inputs: Mapping[str, Input]
    goals: Mapping[str, AnyGoal]
    constraints: tuple[str, ...] = ()
    feasible_input: Mapping[str, Value] | None = None
    cases: int | None = None
    sources: Mapping[str, Source] = field(default_factory=dict)
    search: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the objective, as the interface names them."""
    states_stop: bool = True
    """Whether it is stated when the search ends; otherwise it ends by evidence."""

    @property
    def space(self) -> Space:
        fits = self.goals if self.fits else {}
        return Space(self.inputs, tuple(self.output_names), fits)

    @property
    def fits(self) -> dict[str, Fit]:
        return {name: goal for name, goal in self.goals.items() if isinstance(goal, Fit)}

    @property
    def points(self) -> dict[str, list[Any]]:
        """Points at which the outputs of runs are read, as JSON has them. Data may get other values, but runs cannot be read at other
        points.
        """
        return {
            name: [None if goal.x is None else list(goal.x), None if goal.when is None else dict(goal.when), goal.output]
            for name, goal in self.fits.items()
        }

    @property
    def output_names(self) -> list[str]:
        """One per number: each value of a fit has a name."""
        return [each for name, goal in self.goals.items() for each in (goal.names_of(name) if isinstance(goal, Fit) else [name])]

    @property
    def names(self) -> Names:
        """For messages."""
        outputs = self.output_names
        is_open = [goal.target is None if isinstance(goal, Goal) else False for goal in self.goals.values()]
        return Names(
            input=list(self.inputs),
            output=outputs,
            fit=list(self.fits),
            source=list(self.sources),
            open=[name for name, each in zip(self.goals, is_open, strict=True) if each],
        )

    def with_scales(self, begun: Sequence[str | None] | None) -> Problem:
        """With a logarithmic scale for inputs of a wide range that state none. Those that were begun with another scale keep it."""
        names = [name for i, name in enumerate(self.inputs) if begun is None or begun[i] == "log"]
        logs = {name: replace(self.inputs[name], scale="log") for name in names if self.inputs[name].is_log_by_range}
        return replace(self, inputs={**self.inputs, **logs})

    def with_defaults(self) -> Problem:
        """As a new problem is sent: with scales by range, and an end by evidence unless it is stated."""
        made = self.with_scales(None)
        return made if made.states_stop else made.with_stop(BY_EVIDENCE)

    def advice_on(self, made: Problem) -> list[Advice]:
        """A sentence for each input that is logarithmic in `made` because of its range."""
        logs = [name for name, each in self.inputs.items() if each.is_log_by_range and made.inputs[name].scale == "log"]
        return [Advice("log-scale", self.inputs[name].describe_log(name)) for name in logs]

    def with_stop(self, stop: Mapping[str, Any] | None) -> Problem:
        """The same with the rule that ends the search."""
        others = {key: value for key, value in self.search.items() if key != "stop"}
        return replace(self, search=others if stop is None else {**others, "stop": stop})

    def project_body(self, name: str) -> m.NewProject:
        inputs = list(self.inputs.values())
        details: dict[str, list[Any]] = {
            "scales": [each.scale for each in inputs],
            "steps": [each.step for each in inputs],
            "levels": [None if each.values is None else list(each.values) for each in inputs],
            "likelyMinimums": [None if each.likely is None else each.likely[0] for each in inputs],
            "likelyMaximums": [None if each.likely is None else each.likely[1] for each in inputs],
            "inputUnits": [each.unit for each in inputs],
        }
        said = {key: values for key, values in details.items() if any(value not in (None, "") for value in values)}
        return make(
            m.NewProject,
            {
                "name": name,
                "inputCount": len(inputs),
                "inputNames": list(self.inputs),
                "minimums": [each.minimum for each in inputs],
                "maximums": [each.maximum for each in inputs],
                "inputTypes": [each.kind for each in inputs],
                "categories": [list(each.names) or None for each in inputs],
                **said,
                **({"constraints": list(self.constraints)} if self.constraints else {}),
                **({} if self.feasible_input is None else {"feasibleInput": dict(self.feasible_input)}),
                "outputCount": len(self.output_names),
                "outputNames": self.output_names,
                **({} if self.cases is None else {"caseCount": self.cases}),
                **({"sources": [{"name": name, "cost": each.cost} for name, each in self.sources.items()]} if self.sources else {}),
            },
            self.names,
            "/project",
        )

    def objective_body(self, maximum_attempts: int | None = None) -> m.NewObjectives:
        goals: list[Goal] = []
        fits: list[dict[str, Any]] = []
        for name, goal in self.goals.items():
            if isinstance(goal, Fit):
                fits.append(goal.body_of(name, len(goals)))
                goals += [Goal("fit", value) for value in goal.values]
            else:
                goals.append(goal)
        return make(
            m.NewObjectives,
            {
                "objectives": [goal.target for goal in goals],
                "objectiveTypes": [goal.type for goal in goals],
                "minimumBounds": [goal.lower for goal in goals],
                "maximumBounds": [goal.upper for goal in goals],
                **self.search,
                **({"fits": fits} if fits else {}),
                **({} if maximum_attempts is None else {"maximumAttempts": maximum_attempts}),
            },
            self.names,
            "/objectives/0",
        )

    def miss_shares(self) -> Mapping[str, float]:
        """Weights of the misses of the outputs when runs are compared, as for the service."""
        weights, priorities = (self._per_goal(key) for key in ("weights", "priorities"))
        first, largest = min(priorities.values()), max(weights.values())
        return {name: weights[name] / largest * LATER_SHARE ** (priorities[name] - first) for name in self.goals}

    @property
    def noise(self) -> Sequence[float] | Literal["estimate"] | None:
        """By how much runs at one input differ, as stated: the standard deviation of each output."""
        stated = self.search.get("noise")
        if isinstance(stated, Mapping):
            deviations: Sequence[float] = stated["standardDeviations"]
            return deviations
        by_chance = stated is not None or {"confirm", "confidence"} & self.search.keys()
        return "estimate" if by_chance else None

    def _per_goal(self, key: str) -> Mapping[str, float]:
        """A number for every goal, 1 by default."""
        stated = self.search.get(key) or {}
        named = stated if isinstance(stated, Mapping) else dict(zip(self.goals, stated, strict=False))
        return {name: 1 if named.get(name) is None else named[name] for name in self.goals}


def space_of(project: m.Project, goals: Mapping[str, AnyGoal] | None = None) -> Space:
    """The inputs and outputs of a project of the service. Raises ValueError for goals of other outputs."""
    count = project.output_count or 0
    outputs = project.output_names or [f"y{n + 1}" for n in range(count)]
    names = project.input_names or [f"x{n + 1}" for n in range(project.input_count)]
    kinds = zip(project.input_types, project.minimums, project.maximums, project.categories, strict=True)
    made = [Input(kind, low, high, names=tuple(words)) for kind, low, high, words in kinds]
    space = Space(dict(zip(names, made, strict=True)), tuple(outputs))
    if goals is None:
        return space
    wanted = Problem(space.inputs, goals)
    if wanted.output_names != outputs:
        raise ValueError(f"The goals have the outputs {_listed(wanted.output_names)}, but the project has {_listed(outputs)}.")
    return wanted.space


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:LISTED])
    return shown if len(names) <= LISTED else f"{shown} and {len(names) - LISTED} more"


class SearchOptions(TypedDict, total=False):
    """Options of a search, beside inputs and goals."""

    constraints: str | Sequence[str]
    """Conditions among the inputs, such as "width <= 2 * height"."""
    feasible_input: Mapping[str, Value]
    """An input that satisfies the constraints; needed only when the service asks for a feasibleInput."""
    cases: int
    """Number of inputs that are designed and run first; by default few, but as many as run at a time, up to half of the budget."""
    sources: Mapping[str, Source]
    """Cheaper versions of the black box, by name. The service says which one to run; only runs of the black box itself are solutions."""
    fixed: Mapping[str, Value]
    """Inputs that keep a value."""
    weights: Mapping[str, float]
    """Weight of each output, from 0.01 to 100."""
    priorities: Mapping[str, int]
    """1, 2 or 3: those of 2 count little until all of 1 are met."""
    noise: Mapping[str, float] | Literal["estimate"]
    """Noise of runs at one input: the standard deviation of every output, or "estimate"."""
    confirm: int
    """Satisfied when the mean of so many runs at one input meets the goals."""
    confidence: float
    """Satisfied when an input meets all goals with this probability."""
    confidence_of: Literal["run", "mean"]
    stop: bool | Mapping[str, Any] | None
    """
    A search ends by evidence: when the best compromise is found, or no improvement is to be expected. False or None: only with its budget.
    Or patience, improvement_below, until, maximum_runs.
    """
    options: Mapping[str, Any]
    """Further fields of an objective, as the interface names them."""


def make_problem(inputs: Mapping[str, Input | Sequence[float]], goals: Mapping[str, AnyGoal], **search: Unpack[SearchOptions]) -> Problem:
    """Raises TypeError for an unknown option, ValueError when inputs or goals are missing or wrong; the service checks the rest."""
    refuse_unknown_options(make_problem, SearchOptions.__annotations__, search)
    if not inputs or not goals:
        raise ValueError("A problem needs at least one input and one goal.")
    for name, goal in goals.items():
        if name in inputs and not isinstance(goal, Fit):
            raise ValueError(
                f"goals has {name}, which is an input: a goal is about an output. Limit an input by its bounds, or give the output another "
                "name."
            )
        if not isinstance(goal, Goal | Fit):
            raise ValueError(f"The goal of {name} must be exact, within, below, at_most, above, at_least, minimize, maximize or fit.")
        numbers = (goal.target, goal.lower, goal.upper) if isinstance(goal, Goal) else ()
        if not all(math.isfinite(each) for each in numbers if each is not None):
            raise ValueError(f"The goal of {name}, {goal}, needs finite numbers: leave out what limits nothing.")
    for key in ("fixed", "feasible_input", "weights", "noise"):
        if search.get(key) is not None:
            search[key] = stated(key, search[key])
    noise = search.get("noise")
    _refuse_beside_fit(goals, search)
    check_conditions(goals, inputs)
    if not (noise is None or noise == "estimate" or isinstance(noise, Mapping)):
        raise ValueError(f'noise must be "estimate", or the standard deviation of every output by name, 0 for none: {", ".join(goals)}.')
    if isinstance(noise, Mapping) and set(noise) != set(goals):
        raise ValueError(f"noise needs the standard deviation of every output, 0 for none: {', '.join(goals)}.")
    constraints = search.get("constraints", ())
    fields = {
        "fixedInputs": search.get("fixed"),
        "weights": search.get("weights"),
        "priorities": search.get("priorities"),
        "noise": {"standardDeviations": [noise[name] for name in goals]} if isinstance(noise, Mapping) else noise,
        "confirm": search.get("confirm"),
        "confidence": search.get("confidence"),
        "confidenceOf": search.get("confidence_of"),
        "stop": _stop_rules(search.get("stop")),
        **_further_fields(search.get("options", {})),
    }
    return Problem(
        inputs={name: as_input(name, each) for name, each in inputs.items()},
        goals=dict(goals),
        constraints=(constraints,) if isinstance(constraints, str) else tuple(constraints),
        feasible_input=search.get("feasible_input"),
        cases=search.get("cases"),
        sources=check_sources(search.get("sources") or {}),
        search={key: value for key, value in fields.items() if value is not None},
        states_stop="stop" in search or "stop" in search.get("options", {}),
    )


def check_counts(**counts: int | None) -> None:
    """Raises ValueError for what is no whole number of at least 1. None is no limit."""
    for name, count in counts.items():
        if count is None:
            continue
        try:
            is_count = operator.index(count) >= 1
        except TypeError:
            is_count = False
        if not is_count or isinstance(count, bool):
            raise ValueError(f"{name} must be a whole number of at least 1, is {count!r}.")


def _refuse_beside_fit(goals: Mapping[str, AnyGoal], search: SearchOptions) -> None:
    """Refuses by the names of the goals what the service refuses by the numbers of outputs."""
    fitted = [name for name, goal in goals.items() if isinstance(goal, Fit)]
    if not fitted:
        return
    if search.get("noise") is not None:
        raise ValueError("noise cannot go with a fit: state the errors of the data as its sigma.")
    if search.get("priorities") is not None:
        raise ValueError("priorities cannot go with a fit: leave them out, its limits come first.")
    for name in fitted:
        if (search.get("weights") or {}).get(name) is not None:
            raise ValueError(f"weights cannot have {name}, a fit: state weight in its fit(...).")


def _stop_rules(stop: bool | Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """With True the service ends the search by evidence; keys may be written the way of Python."""
    if stop is None or stop is False:
        return None
    if stop is True:
        return BY_EVIDENCE
    wire = _wire_names(m.NewObjectivesStop)
    if not isinstance(stop, Mapping):
        raise TypeError(f"stop must be True, False, or a dictionary of patience, improvement_below, until and maximum_runs, not {stop!r}.")
    refuse_unknown(stop, wire, "stop", "rule")
    return {wire[key]: value.isoformat() if isinstance(value, datetime) else value for key, value in stop.items()}


BY_EVIDENCE: Mapping[str, Any] = {}
"""The rule that ends a search by evidence."""
STATED_BY_GOALS = ("objectives", "objectiveTypes", "minimumBounds", "maximumBounds")


def _further_fields(options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an objective that `options` gives, under their names in the interface."""
    wire = {key: name for key, name in _wire_names(m.NewObjectives).items() if name not in STATED_BY_GOALS}
    for key in options:
        if to_wire(key) in STATED_BY_GOALS:
            raise TypeError(f"options must not have {key}: it follows from goals.")
    refuse_unknown(options, wire, "options", "field")
    return {wire[key]: value for key, value in options.items()}


def _wire_names(model: type[Wire]) -> dict[str, str]:
    """The fields of a model, by their names in the interface and in Python."""
    names = {key: to_wire(key) for key in model.model_fields}
    return {**{name: name for name in names.values()}, **names}
