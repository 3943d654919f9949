"""A driver for problems of OpenMDAO: `prob.driver = BacksolveDriver(budget=60)`. Needs openmdao."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from openmdao.core.analysis_error import AnalysisError
from openmdao.core.driver import Driver, RecordingDebugging
from openmdao.core.indepvarcomp import IndepVarComp

from backsolve._looks import OWN, Looks, look_of_values
from backsolve.goals import at_least, at_most, maximize, minimize, within
from backsolve.inputs import Input, Value
from backsolve.problem import AnyGoal, Failed
from backsolve.result import Result

from ._session import Session
from ._watched import BlackBox

LIMIT = 1e16
"""Bound that OpenMDAO takes for infinite."""


class BacksolveDriver(Driver):  # type: ignore[misc, unused-ignore]
    """
    Finds design variables for which the constraints hold and the objectives are small, in few runs of the model. Objectives with a negative
    scaler are made large; several make a front. An array counts element by element, as `x[0]`; where lower and upper are equal, the
    element keeps that value. No derivatives are used.

    A run that raises AnalysisError has failed, and the search avoids its region. Other exceptions end the driver; the same call goes on.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for what in ("optimization", "inequality_constraints", "equality_constraints", "two_sided_constraints", "multiple_objectives"):
            self.supports[what] = True
        self.supports["integer_design_vars"] = True
        self.supports._read_only = True
        self.found: Result | None = None
        """The result of the search, with all runs."""

    def _declare_options(self) -> None:
        say = self.options.declare
        say("budget", default=None, types=int, allow_none=True, desc="Runs of the model in all.")
        say("goals", default={}, types=dict, desc="Goals by objective, such as {'sag': within(20, 0.5)} or minimize(45).")
        say("equality_tolerance", default=1e-3, lower=0.0, desc="How near an equality constraint must be, in its driver scaling.")
        say(
            "name",
            default=None,
            types=str,
            allow_none=True,
            desc="Of the search; without it another model or fixed input has another.",
        )
        say("folder", default=".backsolve", desc="Where the search is kept; the same folder and name, or the same model, go on.")
        say("fresh", default=False, types=bool, desc="Start over.")
        say("url", default=None, allow_none=True, desc="Of a service; by default BACKSOLVE_URL, or one that is started on this machine.")
        say("api_key", default=None, allow_none=True, recordable=False, desc="For that service.")
        say("search", default={}, types=dict, desc="Further arguments of backsolve.solve, such as {'stop': False, 'cases': 8}.")
        say("disp", default=True, types=bool, desc="Print the result.")

    def _get_name(self) -> str:
        return "Backsolve"

    def run(self) -> bool:
        """Returns whether no run meets the constraints."""
        self.result.reset()
        if self._problem().comm.size > 1:
            raise RuntimeError("BacksolveDriver runs the model in one process. To run several models, start this script several times.")
        self._check_for_missing_objective()
        options = self.options
        session = Session(
            dict(self._inputs()),
            dict(self._goals()),
            name=options["name"] or self._problem()._name or "OpenMDAO",
            folder=options["folder"],
            fresh=options["fresh"],
            url=options["url"],
            api_key=options["api_key"],
            black_box=BlackBox(self._look, self._evaluate, options["name"] is not None),
            **options["search"],
        )
        last: dict[str, Any] = {}

        def run_one(inputs: list[Mapping[str, Value]]) -> list[Any]:
            last["input"] = dict(inputs[0])
            return [self._evaluate(inputs[0])]

        try:
            found = session.work(run_one, 1, options["budget"])
        finally:
            session.close()
        self.found = found
        if options["disp"]:
            print(found)
        if found.best is not None and last.get("input") != dict(found.best.input):
            # So that the model is left where the answer is.
            self._evaluate(found.best.input)
        return found.best is None or bool(found.best.worst_miss)

    def _look(self) -> Looks:
        """The components with their options, and the inputs that nothing computes and the search does not vary."""
        model = self._problem().model
        parts: dict[str, Any] = {}
        for system in model.system_iter(include_self=True, recurse=True):
            place = system.pathname or "the model"
            parts[f"the class of {place}"] = type(system)
            parts |= {f"{place}.{key}": value for key, value in system.options.items() if not isinstance(system, IndepVarComp)}
        varied = {meta["source"]: meta for meta in self._designvars.values()}
        constant = {system.pathname for system in model.system_iter(recurse=True, typ=IndepVarComp)}
        for target, source in model._conn_global_abs_in2out.items():
            if source.rpartition(".")[0] not in constant:
                continue
            value = np.array(model.get_val(source))
            if source in varied:
                indices = varied[source]["indices"]
                value.reshape(-1)[slice(None) if indices is None else indices.as_array()] = 0
            parts[model._resolver.abs2prom(target, "input")] = value
        return {OWN: look_of_values(parts)}

    def _evaluate(self, values: Mapping[str, Value]) -> dict[str, float] | Failed:
        for name, meta in self._designvars.items():
            numbers = [values.get(part, low) for part, low in zip(self._parts(name, meta), self._each(meta, "lower"), strict=True)]
            if meta["discrete"]:
                # Its driver makes an int of a number, and takes an array as it is.
                before = self._discrete_value(meta)
                whole = np.rint(numbers).astype(np.asarray(before).dtype)
                self._set_design_var(name, int(whole[0]) if np.ndim(before) == 0 else whole.reshape(np.shape(before)))
            else:
                self._set_design_var(name, np.array(numbers, dtype=float))
        try:
            with RecordingDebugging(self._get_name(), self.iter_count, self):
                self.iter_count += 1
                self._run_solve_nonlinear()
        except AnalysisError as error:
            return Failed(f"AnalysisError: {error}")
        # get_constraint_values raises where one is discrete.
        limits = {name: self._get_voi_val(name, meta, self._remote_cons, driver_units=True) for name, meta in self._cons.items()}
        said = {**self.get_objective_values(driver_scaling=False), **limits}
        voi = {**self._objs, **self._cons}
        return {
            part: float(value)
            for name, meta in voi.items()
            for part, value in zip(self._parts(name, meta), np.ravel(said[name]), strict=True)
        }

    def _inputs(self) -> Iterator[tuple[str, Input]]:
        for name, meta in self._designvars.items():
            if meta["discrete"] and meta["indices"] is not None:
                raise ValueError(
                    f"add_design_var({name!r}) has indices, which OpenMDAO does not keep for discrete variables: leave them out."
                )
            bounds = zip(self._parts(name, meta), self._each(meta, "lower"), self._each(meta, "upper"), strict=True)
            for part, low, high in bounds:
                if not (low > -LIMIT and high < LIMIT):
                    raise ValueError(f"add_design_var({name!r}) needs finite lower and upper bounds: the search looks between them.")
                if low > high:
                    raise ValueError(f"add_design_var({name!r}): the lower bound of {part}, {low:g}, is above the upper one, {high:g}.")
                if meta["discrete"] and not (low.is_integer() and high.is_integer()):
                    raise ValueError(f"add_design_var({name!r}): the bounds of {part} must be whole numbers, as it is discrete.")
                if low < high:
                    unit = str(meta["units"] or "")
                    yield part, Input("integer" if meta["discrete"] else "float", low, high, scale="linear", unit=unit)

    def _goals(self) -> Iterator[tuple[str, AnyGoal]]:
        stated: dict[str, AnyGoal] = self.options["goals"]
        names = [part for name, meta in self._objs.items() for part in self._parts(name, meta)]
        unknown = [name for name in stated if name not in names]
        if unknown:
            raise ValueError(f"goals has {unknown[0]}, which is none of the objectives: {', '.join(names)}.")
        for name, meta in self._objs.items():
            for part, scaler in zip(self._parts(name, meta), self._each(meta, "total_scaler", 1.0), strict=True):
                yield part, stated.get(part) or (maximize() if scaler < 0 else minimize())
        for name, meta in self._cons.items():
            ends = ("equals", "lower", "upper")
            each = (self._each(meta, end) for end in ends)
            parts = zip(self._parts(name, meta), *each, self._each(meta, "total_scaler", 1.0), strict=True)
            for part, equals, lower, upper, scaler in parts:
                tolerance = self.options["equality_tolerance"] / abs(scaler)
                if lower > upper:
                    raise ValueError(f"add_constraint({name!r}): the lower bound of {part}, {lower:g}, is above the upper one, {upper:g}.")
                wanted = equals if math.isfinite(equals) else lower
                is_equality = math.isfinite(equals) or lower == upper
                goal = _goal_between(wanted - tolerance, wanted + tolerance) if is_equality else _goal_between(lower, upper)
                if goal is not None:
                    yield part, goal

    def _discrete_value(self, meta: Mapping[str, Any]) -> Any:
        return self._problem().model._discrete_outputs[meta["source"]]

    def _parts(self, name: str, meta: Mapping[str, Any]) -> list[str]:
        """A name for each element of an array. OpenMDAO knows no sizes of discrete ones."""
        size = int(np.size(self._discrete_value(meta))) if meta["discrete"] else int(meta.get("size") or 1)
        return [name] if size == 1 else [f"{name}[{number}]" for number in range(size)]

    def _each(self, meta: Mapping[str, Any], key: str, default: float = math.nan) -> list[float]:
        """A number for each element; where none is stated the default, or an end that is infinite."""
        missing = {"lower": -math.inf, "upper": math.inf}.get(key, default)
        stated = meta.get(key)
        return [float(each) for each in np.broadcast_to(missing if stated is None else np.ravel(stated), (len(self._parts("", meta)),))]


def _goal_between(lower: float, upper: float) -> AnyGoal | None:
    """None where there is no limit. Raises ValueError where nothing is between."""
    has_lower, has_upper = lower > -LIMIT, upper < LIMIT
    if has_lower and has_upper:
        return within((lower + upper) / 2, (upper - lower) / 2)
    return at_least(lower) if has_lower else at_most(upper) if has_upper else None
