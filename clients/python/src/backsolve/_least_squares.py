"""least_squares: the call of scipy.optimize.least_squares, for residuals that are expensive to compute."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from typing_extensions import Unpack

from ._derivatives import read_jacobian
from ._reached import StandIn
from ._values import NotANumberError, list_of, number, numbers_of, plain
from .fitted import FitResult
from .fitting import Fit, Loss, Sigma, fit
from .inputs import Input
from .problem import SearchOptions
from .result import Result
from .solving import solve

OUTPUT = "residuals"
PAIR = 2
Jac: TypeAlias = Callable[..., Any] | bool | None
CONVERGED, EXHAUSTED, FAILED = 2, 0, -1
"""The status of scipy: the cost hardly changes any more, the number of calls is reached, or neither."""

NO_ANSWER = "The service names an answer that is none of its runs: start over with fresh=True."
LOCAL = "it says how scipy steps from a start, and the search has its own models. Leave it out"
OF_SCIPY = {
    **dict.fromkeys(("method", "x_scale", "diff_step", "tr_solver", "tr_options", "jac_sparsity"), LOCAL),
    **dict.fromkeys(("ftol", "xtol", "gtol"), "the search ends when its models expect no noticeable reduction. Leave it out, or give stop"),
    "verbose": "give progress",
    "callback": "the runs are in result.history",
    "workers": "give parallel",
}
"""Arguments of scipy.optimize.least_squares that are none here, and what to do."""


class LeastSquaresResult(dict[str, Any]):
    """
    The fields of scipy.optimize.OptimizeResult, by attribute as well: x, cost, fun, jac, grad, optimality, active_mask, nfev, njev, status,
    message, success. Further ones: `fit`, with intervals of the parameters, and `result`, with all runs.

    `jac` has the slopes of models of few runs at x. Where these cannot tell parameters apart, a covariance from it is as wrong as they are:
    `fit` says which intervals are known.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    def __repr__(self) -> str:
        width = max(map(len, self)) + 1
        return "\n".join(f"{name:>{width}}: {value!r}" for name, value in self.items())

    def __dir__(self) -> list[str]:
        return list(self)


class _Residuals(StandIn):
    """A function of a vector as a black box. An object, so that executors can send it."""

    def __init__(
        self, fun: Callable[..., Any], names: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any], jac: Jac = None
    ) -> None:
        self._fun = fun
        self._jac = jac
        self._names = tuple(names)
        self._args = tuple(args)
        self._kwargs = dict(kwargs)
        self.__name__ = getattr(fun, "__name__", "least_squares")

    def __call__(self, values: Mapping[str, Any]) -> Any:
        residuals, jacobian = self.at([float(values[name]) for name in self._names])
        return {OUTPUT: residuals} if jacobian is None else ({OUTPUT: residuals}, {OUTPUT: jacobian})

    def reached(self) -> Mapping[str, Any]:
        return {"": self._fun, "jac": self._jac, "args": self._args, **self._kwargs}

    def at(self, x: Sequence[float]) -> tuple[list[Any], list[Any] | None]:
        """The residuals and the rows of their Jacobian."""
        given = self._fun(_vector(x), *self._args, **self._kwargs)
        residuals, jacobian = given if self._jac is True else (given, None)
        if callable(self._jac):
            jacobian = self._jac(_vector(x), *self._args, **self._kwargs)
        return _as_list(residuals), None if jacobian is None else _rows(jacobian)

    @property
    def __signature__(self) -> Any:
        import inspect  # noqa: PLC0415 - only for the engine

        return inspect.Signature([inspect.Parameter("values", inspect.Parameter.POSITIONAL_ONLY)])


def least_squares(
    fun: Callable[..., Any],
    x0: Any = None,
    bounds: Any = None,
    *,
    sigma: Sigma | None = None,
    loss: Loss = "linear",
    f_scale: float = 1.0,
    jac: Jac = None,
    max_nfev: int | None = None,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    names: Sequence[str] | None = None,
    residuals: int | None = None,
    parallel: int = 1,
    progress: bool | None = None,
    **search: Unpack[SearchOptions],
) -> LeastSquaresResult:
    """
    Makes the residuals fun(x) small within bounds, in few calls, as scipy.optimize.least_squares is called.

    `bounds` are two arrays or numbers, lower and upper, and must be finite: the search needs no start. `x0` is run first. `sigma` is
    the standard error of the residuals, one or one each; without it they are estimated. `loss` and `f_scale` are those of scipy.
    `names` of the inputs are x0, x1 and so on. `jac` is called as `fun` is and returns the Jacobian of the residuals, one row each;
    with `jac=True`, `fun` returns the residuals and their Jacobian. The search needs no derivatives and uses those it gets. `residuals`
    is their number; without it `fun` is called once to count them. See solve for other options.

    Raises ValueError or TypeError for a wrong argument, and what solve raises.
    """
    _refuse_local_options(search)
    start = None if x0 is None else [number("x0", value) for value in _as_list(x0)]
    lower, upper = _bounds_of(bounds, start)
    names = list(names) if names is not None else [f"x{i}" for i in range(len(lower))]
    if len(names) != len(lower):
        raise ValueError(f"names has {len(names)} names for {len(lower)} inputs.")
    if jac is not None and jac is not True and not callable(jac):
        raise TypeError(
            f"least_squares of backsolve has no jac={jac!r}: give a function, True where fun returns the Jacobian as well, or nothing."
        )
    box = _Residuals(fun, names, args, kwargs or {}, jac)
    inputs = {name: Input("float", low, high) for name, low, high in zip(names, lower, upper, strict=True)}
    options: dict[str, Any] = dict(search)
    if start is not None or residuals is None:
        at = start or [(low + high) / 2 for low, high in zip(lower, upper, strict=True)]
        first, slopes = box.at(at)
        if residuals is not None and residuals != len(first):
            raise ValueError(f"fun returns {len(first)} residuals, not {residuals}.")
        residuals = len(first)
        numbers = numbers_of("the residuals", first)
        if all(map(math.isfinite, numbers)):
            known: dict[str, Any] = {"initial_input": at, "initial_output": numbers}
            known |= {} if slopes is None else {"initial_jacobian": read_jacobian(slopes, inputs, {OUTPUT: fit([0.0] * residuals)})}
            options["options"] = {**known, **options.get("options", {})}
    if loss != "linear" and sigma is None:
        sigma = f_scale
    goal = fit([0.0] * (residuals or 1), sigma, loss=loss)
    result = solve(box, inputs, {OUTPUT: goal}, budget=max_nfev, parallel=parallel, progress=progress, **options)
    return _answer(result, names, goal, (lower, upper))


def _refuse_local_options(given: Mapping[str, Any]) -> None:
    for name in given:
        if name in OF_SCIPY:
            raise TypeError(f"least_squares of backsolve has no {name}: {OF_SCIPY[name]}.")


def _answer(result: Result, names: Sequence[str], goal: Fit, bounds: tuple[list[float], list[float]]) -> LeastSquaresResult:
    best = result.best
    if best is None or best.output is None:
        # Whatever the search says of its end, without an output nothing is found.
        message = f"No call of fun has returned residuals. {result.reason or ''}".rstrip() if not result.satisfied else NO_ANSWER
        return LeastSquaresResult(
            x=None, cost=math.inf, status=FAILED, success=False, message=message, nfev=len(result.history), result=result
        )
    x = [float(best.input[name]) for name in names]
    residuals = [float(value) for value in best.output[OUTPUT]]
    jac = _jacobian(result.fit, len(residuals), len(x))
    grad = [sum(row[v] * r for row, r in zip(jac, residuals, strict=True)) for v in range(len(x))]
    status = CONVERGED if result.satisfied else EXHAUSTED if result.status == "exhausted" else FAILED
    mask = [-1 if value <= low else 1 if value >= high else 0 for value, low, high in zip(x, *bounds, strict=True)]
    return LeastSquaresResult(
        x=_vector(x),
        cost=0.5 * sum(_loss(goal, value) for value in residuals),
        fun=_vector(residuals),
        jac=_matrix(jac),
        grad=_vector(grad),
        optimality=max((abs(value) for value, at in zip(grad, mask, strict=True) if at == 0), default=0.0),
        active_mask=mask,
        nfev=len(result.history),
        njev=None,
        status=status,
        message=result.reason,
        success=status == CONVERGED,
        fit=result.fit,
        result=result,
    )


def _loss(goal: Fit, residual: float) -> float:
    """rho of scipy, with the scale in units of the residual."""
    scale = goal.sigma if isinstance(goal.sigma, float) and goal.loss != "linear" else 1.0
    z = (residual / scale) ** 2
    rho = {
        "linear": lambda: z,
        "soft_l1": lambda: 2 * (math.sqrt(1 + z) - 1),
        "huber": lambda: z if z <= 1 else 2 * math.sqrt(z) - 1,
        "cauchy": lambda: math.log1p(z),
    }[goal.loss]()
    return rho * scale**2


def _jacobian(found: FitResult | None, rows: int, columns: int) -> list[list[float]]:
    if found is None or OUTPUT not in found.slopes:
        return [[math.nan] * columns for _ in range(rows)]
    return [list(row) for row in found.slopes[OUTPUT]]


def _bounds_of(bounds: Any, start: Sequence[float] | None) -> tuple[list[float], list[float]]:
    """Two lists. Like scipy, pairs of arrays or numbers; an object with lb and ub as well."""
    needed = "bounds must be finite: least_squares(fun, bounds=([0, 0], [5, 1])). They say where the answer may be; no start is needed."
    if bounds is None:
        raise ValueError(needed)
    pair = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    if len(pair) != PAIR:
        raise ValueError("bounds must be a pair: all lower ends, then all upper ends.")
    ends = [_as_list(each) for each in pair]
    count = max(len(start or ()), *map(len, ends))
    lower, upper = ([number("A bound", value) for value in (each * count if len(each) == 1 else each)] for each in ends)
    if len(lower) != count or len(upper) != count or (start is not None and len(start) != count):
        raise ValueError("x0 and both bounds must have the same length.")
    if not all(math.isfinite(value) for value in (*lower, *upper)):
        raise ValueError(needed)
    if start is not None and not all(low <= value <= high for low, value, high in zip(lower, start, upper, strict=True)):
        raise ValueError("x0 is outside of its bounds.")
    return lower, upper


def _as_list(given: Any) -> list[Any]:
    try:
        items = list_of(given)
    except NotANumberError:
        # Whoever reads the numbers says what is wrong with them.
        items = None
    return [given] if items is None else items


def _rows(jacobian: Any) -> list[Any]:
    """Rows of a Jacobian, also of a sparse one."""
    return list(plain(jacobian))


def _vector(values: Sequence[float]) -> Any:
    """An array of numpy where that is installed, as functions for scipy expect it."""
    try:
        import numpy as np  # noqa: PLC0415 - optional
    except ImportError:
        return list(values)
    return np.asarray(values, dtype=float)


def _matrix(rows: Sequence[Sequence[float]]) -> Any:
    return _vector(rows)  # type: ignore[arg-type]
