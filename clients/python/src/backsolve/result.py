"""What a search has found: the best run, all runs, and why it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from ._generated import models as m
from ._steps import Call, Steps
from .inputs import Value
from .problem import Space

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Status: TypeAlias = Literal["running", "satisfied", "stopped", "exhausted", "failed", "cancelled"]
STOP_REASONS: tuple[Status, ...] = ("running", "satisfied", "stopped", "exhausted")
EXPLANATION_SECONDS = 5
PAGE = 200


@dataclass(frozen=True)
class Run:
    """A run of the black box."""

    kind: Literal["designed", "suggested"]
    number: int
    """Of a designed run from 1; of a suggested one its iteration, from 2."""
    input: Mapping[str, Value]
    output: Mapping[str, float] | None
    """None after a failed run."""
    failure: str | None = None
    misses: Mapping[str, float] = field(default_factory=dict)
    """How far each output is from its goal, in units of its tolerance; 0 where it is met. Empty before there are goals."""
    excluded: bool = False

    @property
    def worst_miss(self) -> float | None:
        return max(self.misses.values()) if self.misses else None

    @property
    def is_satisfied(self) -> bool:
        return self.worst_miss == 0


class History(Sequence[Run]):
    """All runs: the designed ones, then the suggested ones."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = tuple(runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Run]: ...
    def __getitem__(self, index: int | slice) -> Run | Sequence[Run]:
        return self._runs[index]

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    def __repr__(self) -> str:
        return f"History({len(self._runs)} runs)"

    def to_pandas(self) -> pd.DataFrame:
        """A row per run: its inputs, its outputs, kind, number, worst_miss and failure. Needs pandas."""
        import pandas as pd  # noqa: PLC0415 - optional

        names = {name: None for run in self._runs for name in (run.output or {})}
        rows = [
            {
                **run.input,
                **{name: (run.output or {}).get(name) for name in names},
                "kind": run.kind,
                "number": run.number,
                "worst_miss": run.worst_miss,
                "failure": run.failure,
            }
            for run in self._runs
        ]
        frame: pd.DataFrame = pd.DataFrame(rows)
        return frame


@dataclass(frozen=True)
class Result:
    """What a search has found so far."""

    status: Status
    reason: str | None
    """Why it ended, in words; None while it runs."""
    best: Run | None
    """The run that meets the goals, or comes nearest to them. None while nothing has succeeded."""
    history: History
    diagnosis: str | None
    """Why the goals cannot be met, if they cannot."""
    name: str
    model_id: int
    project_id: int
    batch_id: int
    objective: m.History | None
    """The objective and all its iterations as the service tells them."""
    retried: int = 0
    """Failed runs that this call of solve has run again."""

    @property
    def satisfied(self) -> bool:
        return self.status == "satisfied"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.reason or self.status} ({len(self.history)} runs)"]
        if self.best is not None and self.best.output is not None:
            lines += [f"  {name} = {_short(value)}" for name, value in self.best.input.items()]
            for name, value in self.best.output.items():
                miss = self.best.misses.get(name, 0)
                lines.append(f"  -> {name} = {value:.6g}{f'  (misses by {miss:.3g} tolerances)' if miss > 0 else ''}")
        if self.diagnosis:
            lines.append(f"  {self.diagnosis}")
        return "\n".join(lines)

    def plot(self) -> Figure:
        """Every output run by run, with the values that meet its goal. Needs matplotlib."""
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional

        names = list(self.best.output or {}) if self.best is not None else []
        figure = Figure(figsize=(8, 1 + 2.2 * max(1, len(names))), layout="constrained")
        intervals = self.objective.intervals if self.objective is not None else []
        grid = figure.subplots(max(1, len(names)), 1, sharex=True, squeeze=False)
        for row, name in enumerate(names):
            axes = grid[row][0]
            points = [(n, run.output[name], run) for n, run in enumerate(self.history, 1) if run.output is not None]
            for kind, color in (("designed", "tab:gray"), ("suggested", "tab:blue")):
                those = [(n, value) for n, value, run in points if run.kind == kind]
                axes.plot([n for n, _ in those], [value for _, value in those], "o", color=color, label=kind, markersize=4)
            bottom, top = axes.get_ylim()
            if row < len(intervals):
                lower, upper = intervals[row].lower, intervals[row].upper
                axes.axhspan(bottom if lower is None else lower, top if upper is None else upper, color="tab:green", alpha=0.2)
            best = [(n, value) for n, value, run in points if run is self.best]
            axes.plot([n for n, _ in best], [value for _, value in best], "*", color="tab:red", label="best", markersize=12)
            axes.set_ylabel(name)
        grid[-1][0].set_xlabel("run")
        if names:
            grid[0][0].legend(loc="best")
        return figure


class Judge:
    """How far outputs are from their goals, by the intervals and tolerances that the service states."""

    def __init__(self, objective: m.History, outputs: Sequence[str]) -> None:
        self._objective = objective
        self._outputs = outputs

    def misses(self, output: Sequence[float]) -> dict[str, float]:
        objective = self._objective
        if objective.l1_threshold is not None:
            targets = [target or 0.0 for target in objective.objectives]
            distance = sum(abs(value - target) for value, target in zip(output, targets, strict=True))
            miss = max(0.0, distance - objective.l1_threshold) / (objective.l1_threshold or 1.0)
            return dict.fromkeys(self._outputs, miss)
        judged = zip(self._outputs, output, objective.intervals, objective.tolerances, strict=True)
        return {name: _miss(value, interval, tolerance) for name, value, interval, tolerance in judged}


def _miss(value: float, interval: m.HistoryIntervals, tolerance: float) -> float:
    below = 0.0 if interval.lower is None else interval.lower - value
    above = 0.0 if interval.upper is None else value - interval.upper
    distance = max(below, above)
    on_open_end = (interval.lower_open and below == 0) or (interval.upper_open and above == 0)
    return max(0.0, distance / tolerance) if not (distance == 0 and on_open_end) else 5e-324


def read_result(name: str, model_id: int, project_id: int, batch_id: int, space: Space) -> Steps[Result]:
    """Reads everything about a batch of one objective."""
    batch: m.Batch = (yield Call("get_batch", batch_id)).body
    entries: list[m.BatchObjective] = (yield Call("list_batch_objectives", batch_id)).body
    objective_id = entries[0].objective_id
    ids: dict[str, Any] = {"name": name, "model_id": model_id, "project_id": project_id, "batch_id": batch_id}
    if objective_id is None or batch.trial_id is None:
        history = History((yield from _evaluated_cases(batch_id, space)))
        reason = batch.failure_reason or entries[0].failure_reason
        status = _batch_status(batch, entries[0].failure_reason)
        return Result(status, reason, None, history, None, objective=None, **ids)
    answer = yield Call("get_history_flat", objective_id)
    objective: m.History = answer.body
    if objective.stop_reason > 1 and objective.insight is None:
        # The explanation may come a moment after the end.
        waited = yield Call("get_history_flat", objective_id, if_none_match=answer.headers["etag"], prefer=f"wait={EXPLANATION_SECONDS}")
        objective = waited.body or objective
    ended: m.ExplainedObjective = (yield Call("get_objective_flat", objective_id)).body
    judge = Judge(objective, space.outputs)
    runs = yield from _cases(project_id, (model_id, project_id, batch.trial_id), space, judge)
    runs += _iterations(objective, space, judge)
    status = STOP_REASONS[objective.stop_reason]
    if status == "running" or (status == "stopped" and batch.status == "failed"):
        status = _batch_status(batch, None)
    diagnosis = objective.diagnosis.detail if objective.diagnosis is not None and status != "satisfied" else None
    best = _best(objective, ended, runs)
    reason = batch.failure_reason if status == "failed" else ended.end_reason
    return Result(status, reason, best, History(runs), diagnosis, objective=objective, **ids)


def _batch_status(batch: m.Batch, failure: str | None) -> Status:
    if batch.status in ("failed", "cancelled"):
        return "failed" if batch.status == "failed" else "cancelled"
    return "failed" if failure is not None else "running"


def _best(objective: m.History, ended: m.ExplainedObjective, runs: Sequence[Run]) -> Run | None:
    by_place = {(run.kind, run.number): run for run in runs}
    if ended.standing is not None:
        # Where runs differ the verdict rests on all runs at an input.
        for run, inverse_id in _with_inverses(objective, by_place):
            if inverse_id == ended.standing.inverse_id:
                return run
    nearest = by_place.get(("suggested", objective.best_iteration or 0)) or by_place.get(("designed", objective.best_case_number or 0))
    optimal = by_place.get(("suggested", objective.optimal_iteration or 0))
    if None in objective.objectives:
        # Without aspirations nothing is near or far.
        return optimal or nearest
    return optimal if optimal is not None and not (nearest is not None and nearest.is_satisfied) else nearest


def _with_inverses(objective: m.History, by_place: Mapping[Any, Run]) -> Iterator[tuple[Run, int]]:
    for iteration, inverse_id in zip(objective.iterations, objective.inverse_ids, strict=True):
        run = by_place.get(("suggested", iteration))
        if run is not None:
            yield run, inverse_id


def _iterations(objective: m.History, space: Space, judge: Judge) -> list[Run]:
    """Those that were run: not the first, which is a copy of a case, nor one that only repeats the best input at the end."""
    runs = []
    columns = zip(objective.iterations, objective.statuses, objective.inputs, objective.outputs, objective.loaded_at, strict=True)
    for iteration, status, numbers, output, loaded_at in columns:
        is_run = loaded_at is not None or status == "failed"
        if iteration == 1 or numbers is None or not is_run:
            continue
        failure = objective.failure_reasons.get(str(iteration)) or "failed" if output is None else None
        runs.append(_run("suggested", iteration, numbers, output, failure, space, judge, iteration in objective.excluded))
    return runs


def read_all(method: str, *path: int, **query: Any) -> Steps[list[Any]]:
    """A list, page after page."""
    items: list[Any] = []
    after = None
    while True:
        page: list[Any] = (yield Call(method, *path, limit=PAGE, after=after, **query)).body
        items += page
        if len(page) < PAGE:
            return items
        after = page[-1].id if hasattr(page[-1], "id") else page[-1].number


def _cases(project_id: int, path: tuple[int, int, int], space: Space, judge: Judge) -> Steps[list[Run]]:
    cases: list[m.TrialCase] = yield from read_all("list_trial_cases", *path)
    reasons: dict[int | None, str | None] = {}
    if any(case.failed for case in cases):
        failed: list[m.Evaluation] = yield from read_all("list_evaluations", project_id=project_id, state="failed")
        reasons = {each.case_number: each.failure_reason for each in failed}
    return [
        _run(
            "designed",
            case.number,
            case.input,
            case.output,
            (reasons.get(case.number) or "failed") if case.output is None else None,
            space,
            judge,
            case.excluded,
        )
        for case in cases
    ]


def _evaluated_cases(batch_id: int, space: Space) -> Steps[list[Run]]:
    """The designed runs of a batch that has not begun to search."""
    evaluations: list[m.Evaluation] = yield from read_all("list_evaluations", batch_id=batch_id)
    over = [each for each in evaluations if each.state in ("done", "failed") and each.case_number is not None]
    over.sort(key=lambda each: each.case_number or 0)
    return [
        _run(
            "designed",
            each.case_number or 0,
            each.input,
            each.output,
            None if each.output else each.failure_reason,
            space,
            None,
            False,
        )
        for each in over
    ]


def _run(
    kind: Literal["designed", "suggested"],
    number: int,
    numbers: Sequence[float],
    output: Sequence[float] | None,
    failure: str | None,
    space: Space,
    judge: Judge | None,
    excluded: bool,
) -> Run:
    return Run(
        kind=kind,
        number=number,
        input=space.values_of(numbers),
        output=None if output is None else dict(zip(space.outputs, output, strict=True)),
        failure=failure,
        misses=judge.misses(output) if judge is not None and output is not None else {},
        excluded=excluded,
    )


def _short(value: Value) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
