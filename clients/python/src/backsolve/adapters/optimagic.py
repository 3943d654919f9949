"""Algorithms for optimagic: `om.minimize(fun, params, algorithm=Backsolve(), bounds=...)`. Needs optimagic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from optimagic import mark
from optimagic.optimization.algorithm import Algorithm, InternalOptimizeResult
from optimagic.optimization.internal_optimization_problem import InternalOptimizationProblem
from optimagic.typing import AggregationLevel

from backsolve._looks import OWN, Looks, look_of_values
from backsolve.fitting import fit
from backsolve.goals import minimize
from backsolve.inputs import Input, Value
from backsolve.problem import AnyGoal, Failed
from backsolve.result import Result

from ._session import Session, read_record
from ._watched import BlackBox

OUTPUT = "value"
NAME = "optimagic"
FACTS = {
    "is_available": True,
    "is_global": True,
    "needs_jac": False,
    "needs_hess": False,
    "needs_bounds": True,
    "supports_parallelism": True,
    "supports_bounds": True,
    "supports_infinite_bounds": False,
    "supports_linear_constraints": False,
    "supports_nonlinear_constraints": False,
}


@dataclass(frozen=True)
class _Backsolve(Algorithm):  # type: ignore[misc, unused-ignore]
    """The options of both algorithms."""

    stopping_maxfun: int | None = None
    """Runs in all, those of an earlier call included; by default the search ends when no improvement is to be expected."""
    n_cores: int = 1
    """Runs at a time, by the batch evaluator of optimagic: joblib, in processes."""
    search_name: str | None = None
    """
    The same name in the same folder goes on where an earlier call was killed, and refuses another function. Without one the same function
    with the same fixed parameters does, and another one has a search of its own.
    """
    folder: str = ".backsolve"
    fresh: bool = False
    url: str | None = None
    api_key: str | None = None
    search: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of backsolve.solve, such as {"stop": False} or {"cases": 8}."""

    def _solve_internal_problem(self, problem: InternalOptimizationProblem, x0: Any) -> InternalOptimizeResult:
        names = [f"x{number}" for number in range(len(x0))]

        def run_all(inputs: list[Mapping[str, Value]]) -> list[Any]:
            vectors = [np.array([each[name] for name in names], dtype=float) for each in inputs]
            return [_outcome(problem, x, value) for x, value in zip(vectors, problem.batch_fun(vectors, self.n_cores), strict=True)]

        session = Session(
            {name: Input("float", low, high, scale="linear") for name, low, high in zip(names, *_ends(problem), strict=True)},
            {OUTPUT: self._goal(problem, x0)},
            name=self.search_name or NAME,
            folder=self.folder,
            fresh=self.fresh,
            url=self.url,
            api_key=self.api_key,
            black_box=BlackBox(lambda: _looks(problem), lambda each: run_all([each])[0], self.search_name is not None),
            **self.search,
        )
        try:
            found = session.work(run_all, self.n_cores, self.stopping_maxfun)
        finally:
            session.close()
        return _answer(found, names, x0)

    def _goal(self, problem: InternalOptimizationProblem, x0: Any) -> AnyGoal:
        raise NotImplementedError


@mark.minimizer(name="backsolve", solver_type=AggregationLevel.SCALAR, **FACTS)
@dataclass(frozen=True)
class Backsolve(_Backsolve):
    """Minimizes a number within bounds, in few calls. The start is not used."""

    def _goal(self, problem: InternalOptimizationProblem, x0: Any) -> AnyGoal:
        return minimize()


@mark.minimizer(name="backsolve_ls", solver_type=AggregationLevel.LEAST_SQUARES, **FACTS)
@dataclass(frozen=True)
class BacksolveLeastSquares(_Backsolve):
    """Minimizes the sum of the squares of residuals within bounds, in few calls. The start is not used."""

    def _goal(self, problem: InternalOptimizationProblem, x0: Any) -> AnyGoal:
        """The first call counts the residuals, at the start."""
        record = None if self.fresh or self.search_name is None else read_record(self.search_name, self.folder, self.url)
        count = len(problem.fun(x0)) if record is None else int(record["project"]["outputCount"])
        return fit([0.0] * count)


def _looks(problem: InternalOptimizationProblem) -> Looks:
    """The function of the user, and the parameters that are fixed: they do not move with those that are searched."""
    converter, (lower, _) = problem._converter, _ends(problem)
    at_one_point = converter.params_from_internal(np.array(lower, dtype=float))
    return {OWN: look_of_values({"": problem._fun, "params": at_one_point, "direction": str(problem.direction)})}


def _ends(problem: InternalOptimizationProblem) -> tuple[list[float], list[float]]:
    lower, upper = (np.asarray(each, dtype=float).tolist() for each in (problem.bounds.lower, problem.bounds.upper))
    return lower, upper


def _outcome(problem: InternalOptimizationProblem, x: Any, value: Any) -> Any:
    """Outcome of an evaluation. If `fun` raised and error_handling is "continue", optimagic returns a penalty: a failed run, not data."""
    if np.ndim(value) == 0 and float(value) == problem._error_penalty_func(x)[0].value:
        return Failed("fun raised an exception")
    return {OUTPUT: value}


def _answer(found: Result, names: list[str], x0: Any) -> InternalOptimizeResult:
    best = found.best
    if best is None or best.output is None:
        return InternalOptimizeResult(x=np.asarray(x0, dtype=float), fun=np.inf, success=False, message=found.reason or "No run succeeded.")
    value = best.output[OUTPUT]
    return InternalOptimizeResult(
        x=np.array([best.input[name] for name in names], dtype=float),
        fun=np.array(value) if isinstance(value, tuple) else float(value),
        success=found.status in ("satisfied", "stopped"),
        message=found.reason or "The number of runs is used up.",
        n_fun_evals=len(found.history),
        info={"result": found},
    )
