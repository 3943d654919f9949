"""Logs the runs of `solve` to MLflow: `with MlflowLogger("reactor") as log: log.end(solve(..., on_run=log))`. Needs mlflow."""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from mlflow import MlflowClient
from mlflow.entities import Metric, Param, RunTag
from mlflow.exceptions import MlflowException
from mlflow.utils.time import get_current_time_millis

from backsolve.fitting import Fit
from backsolve.problem import AnyGoal
from backsolve.result import Result, Run

PROBLEM = "backsolve.problem"
"""The tag of a parent run that says which problem it is."""
RUN = "backsolve.run"
"""The tag of a nested run that says which run of the problem it is."""
PARENT = "mlflow.parentRunId"
NAME = "mlflow.runName"
ENDED = ("FINISHED", "FAILED")
PAGE = 1000
MOST_PARAMS = 100
MOST_METRICS = 500
"""In one request. MLflow takes 1000 entities."""
MOST_TEXT = 4000
MOST_NAME = 200
"""Without a prefix such as best.miss.; MLflow takes 250 characters."""


class MlflowLogger:
    """
    A parent run for the problem, and a nested one for each run of the black box: inputs as parameters, outputs and misses as metrics, and
    failed ones with the reason. An output that is fitted is a metric with a step per point; with the `goals` of solve each run also has the
    root mean square of its residuals, as NAME.rmse. A call of solve that goes on, even after kill -9, goes on in the same parent, and no
    run is logged twice; `fresh=True` begins another parent. As a context manager it says of the parent how the block ended.

    MLflow takes letters, digits and -_. :/ in names: other characters become _, and a number keeps names apart that are then the same.
    """

    def __init__(
        self,
        experiment: str = "Backsolve",
        *,
        name: str | None = None,
        tracking_uri: str | None = None,
        tags: Mapping[str, str] | None = None,
        goals: Mapping[str, AnyGoal] | None = None,
    ) -> None:
        self._client = MlflowClient(tracking_uri)
        self._experiment = experiment
        self._name = name or experiment
        self._tags = dict(tags or {})
        self._fits = {name: goal for name, goal in (goals or {}).items() if isinstance(goal, Fit)}
        self._inputs, self._outputs = _Names(), _Names()
        self._experiment_id = ""
        self.run_id: str | None = None
        """The parent run; None before the first run has ended."""
        self._nested: dict[str, tuple[str, str]] = {}
        """Its nested runs by Run.id: the id of MLflow, and the status."""

    def __call__(self, run: Run, problem: str) -> None:
        """As `on_run` of solve."""
        if self.run_id is None:
            self._begin(problem)
        found, status = self._nested.get(run.id, (None, ""))
        ended = "FINISHED" if run.failure is None else "FAILED"
        if status == ended:
            return
        nested = found or self._create(run.name, {RUN: run.id, PARENT: str(self.run_id), "backsolve.kind": run.kind})
        step = list(self._nested).index(run.id) if found else len(self._nested)
        self._nested[run.id] = (nested, "RUNNING")
        now = get_current_time_millis()
        metrics = [Metric(name, value, now, step) for name, value in self._metrics_of(run)]
        params = [Param(self._inputs.of(name), str(value)[:MOST_TEXT]) for name, value in run.input.items()]
        curves = [Metric(name, value, now, at) for name, values in self._curves_of(run) for at, value in enumerate(values)]
        self._log(nested, [*metrics, *curves], params, [RunTag("backsolve.failure", (run.failure or "")[:MOST_TEXT])])
        self._log(str(self.run_id), metrics)
        self._client.set_terminated(nested, ended)
        self._nested[run.id] = (nested, ended)

    def _log(self, run_id: str, metrics: Sequence[Metric], params: Sequence[Param] = (), tags: Sequence[RunTag] = ()) -> None:
        """In requests of the size that MLflow takes."""
        for first in range(0, len(metrics), MOST_METRICS):
            self._client.log_batch(run_id, metrics=metrics[first : first + MOST_METRICS])
        for first in range(0, max(len(params), len(tags)), MOST_PARAMS):
            part = slice(first, first + MOST_PARAMS)
            self._client.log_batch(run_id, params=params[part])
            self._client.log_batch(run_id, tags=tags[part])

    def _metrics_of(self, run: Run) -> Iterator[tuple[str, float]]:
        """Outputs that are numbers, how far they miss their goals, in tolerances, and how far curves are from their data."""
        for name, value in (run.output or {}).items():
            if not isinstance(value, tuple):
                yield self._outputs.of(name), float(value)
            elif name in self._fits:
                residuals = [one - other for one, other in zip(value, self._fits[name].values, strict=True)]
                yield self._outputs.of(name, suffix=".rmse"), math.hypot(*residuals) / math.sqrt(len(residuals))
        for name, miss in run.misses.items():
            yield self._outputs.of(name, "miss."), float(miss)

    def _curves_of(self, run: Run) -> Iterator[tuple[str, tuple[float, ...]]]:
        for name, value in (run.output or {}).items():
            if isinstance(value, tuple):
                yield self._outputs.of(name), value

    def end(self, result: Result) -> None:
        """The best run, why the search ended, and all runs as the artifact result.json."""
        if self.run_id is None:
            return
        self._client.set_tag(self.run_id, "backsolve.status", result.status)
        self._client.set_tag(self.run_id, "backsolve.reason", str(result.reason or ""))
        if result.best is not None:
            now = get_current_time_millis()
            found = [(self._outputs.of(name, "best."), value) for name, value in self._metrics_of(result.best)]
            best = [Metric(name, value, now, 0) for name, value in [*found, *self._quality_of(result)]]
            tags = [RunTag(f"best.{self._inputs.of(name)}", str(value)[:MOST_TEXT]) for name, value in result.best.input.items()]
            self._log(self.run_id, best, tags=tags)
        self._client.log_dict(self.run_id, _as_json(result), "result.json")
        self._client.set_terminated(self.run_id, "FAILED" if result.status == "failed" else "FINISHED")

    def _quality_of(self, result: Result) -> Iterator[tuple[str, float]]:
        """Measures of how well the best run fits its data."""
        if result.fit is None:
            return
        found = {"chi_square": result.fit.chi_square, "reduced_chi_square": result.fit.reduced_chi_square}
        yield from ((self._outputs.of(name, "best.fit."), value) for name, value in found.items() if value is not None)
        for name, value in result.fit.scales.items():
            if value is not None:
                yield self._outputs.of(name, "best.fit.sigma of "), value

    def __enter__(self) -> MlflowLogger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.run_id is not None and error is not None:
            self._client.set_terminated(self.run_id, "KILLED" if isinstance(error, KeyboardInterrupt) else "FAILED")

    def _begin(self, problem: str) -> None:
        """Finds the parent run of the problem, or begins one."""
        self._experiment_id = self._find_experiment()
        found = next(self._search(PROBLEM, problem), None)
        if found is None:
            self.run_id = self._create(self._name, {PROBLEM: problem, **self._tags})
            return
        self.run_id = found.info.run_id
        self._client.update_run(self.run_id, status="RUNNING")
        nested = sorted(self._search(PARENT, self.run_id), key=lambda each: each.info.start_time)
        self._nested = {each.data.tags[RUN]: (each.info.run_id, each.info.status) for each in nested if RUN in each.data.tags}

    def _find_experiment(self) -> str:
        found = self._client.get_experiment_by_name(self._experiment)
        try:
            return str(found.experiment_id if found is not None else self._client.create_experiment(self._experiment))
        except MlflowException:
            # Another program was first.
            return str(self._client.get_experiment_by_name(self._experiment).experiment_id)

    def _create(self, name: str, tags: Mapping[str, str]) -> str:
        created = self._client.create_run(self._experiment_id, tags={NAME: name, **tags})
        return str(created.info.run_id)

    def _search(self, tag: str, value: str) -> Iterator[Any]:
        token = None
        while True:
            page = self._client.search_runs([self._experiment_id], f"tags.`{tag}` = '{value}'", max_results=PAGE, page_token=token)
            yield from page
            token = page.token
            if not token:
                return


class _Names:
    """Names that MLflow takes, each for one of ours."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}

    def of(self, name: str, prefix: str = "", suffix: str = "") -> str:
        key = (name, f"{prefix}*{suffix}")
        if key not in self._given:
            plain = _clean(f"{prefix}{name}{suffix}")
            taken = set(self._given.values())
            numbers = (f"{plain} {number}" for number in range(2, len(taken) + 3))
            self._given[key] = next(each for each in (plain, *numbers) if each not in taken)
        return self._given[key]


def _clean(name: str) -> str:
    """MLflow takes no brackets, for example, and no name that is another path, as a/../b is."""
    plain = re.sub(r"[^\w\-. :/]", "_", name)[:MOST_NAME]
    normal = posixpath.normpath(plain)
    return plain if normal == plain and not re.match(r"\.\.?$|\.\./|/", plain) else re.sub(r"[./]", "_", plain) or "_"


def _as_json(result: Result) -> dict[str, Any]:
    runs = [
        {"run": each.name, "input": dict(each.input), "output": each.output and dict(each.output), "failure": each.failure}
        for each in result.history
    ]
    best = None if result.best is None else result.best.name
    return {"name": result.name, "status": result.status, "reason": result.reason, "best": best, "runs": runs}
