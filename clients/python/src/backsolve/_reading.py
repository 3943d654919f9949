"""Reads a search from the service: its runs, the best of them, and why it ended."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from ._batch import Place
from ._errors import IncompatibleServiceError
from ._generated import models as m
from ._steps import Call, Steps
from ._words import short
from .problem import Space
from .result import STOP_REASONS, History, Result, Run, Status

EXPLANATION_SECONDS = 5
PAGE = 200


class Judge:
    """How far outputs are from their goals, by the intervals and tolerances that the service states."""

    def __init__(self, objective: m.History, outputs: Sequence[str]) -> None:
        self._objective = objective
        self._outputs = outputs

    def off_by(self, output: Sequence[float]) -> dict[str, float]:
        """In units of the outputs."""
        objective = self._objective
        if objective.l1_threshold is not None:
            off = [abs(value - (target or 0.0)) for value, target in zip(output, objective.objectives, strict=True)]
            return dict(zip(self._outputs, off if sum(off) > objective.l1_threshold else [0.0] * len(off), strict=True))
        judged = zip(self._outputs, output, objective.intervals, strict=True)
        return {name: _miss(value, interval, 1.0) for name, value, interval in judged}

    def misses(self, output: Sequence[float]) -> dict[str, float]:
        """In units of their tolerances."""
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


def read_result(name: str, place: Place, space: Space, earlier: Sequence[int] = ()) -> Steps[Result]:
    """Reads everything about a batch of one objective, and the runs of `earlier` batches on the same trial."""
    with _fitting(place.batch_id):
        return (yield from _read(name, place, space, earlier))


def _read(name: str, place: Place, space: Space, earlier: Sequence[int]) -> Steps[Result]:
    batch: m.Batch = (yield Call("get_batch", place.batch_id)).body
    entries: list[m.BatchObjective] = (yield Call("list_batch_objectives", place.batch_id)).body
    objective_id = entries[0].objective_id
    ids: dict[str, Any] = {"name": name, "model_id": place.model_id, "project_id": place.project_id, "batch_id": place.batch_id}
    if objective_id is None or batch.trial_id is None:
        history = History((yield from _evaluated_cases(place.batch_id, space)))
        reason = batch.failure_reason or entries[0].failure_reason
        status = _batch_status(batch, entries[0].failure_reason)
        return Result(status, reason, None, history, None, objective=None, **ids)
    answer = yield Call("get_history_flat", objective_id)
    objective: m.History = answer.body
    if objective.stop_reason > 1 and objective.insight is None:
        # The explanation may come a moment after the end.
        known, wait = answer.headers.get("etag"), f"wait={EXPLANATION_SECONDS}"
        waited = yield Call("get_history_flat", objective_id, if_none_match=known, prefer=wait)
        objective = waited.body or objective
    ended: m.ExplainedObjective = (yield Call("get_objective_flat", objective_id)).body
    judge = Judge(objective, space.outputs)
    runs = yield from _cases(place.project_id, (place.model_id, place.project_id, batch.trial_id), space, judge)
    runs += yield from _earlier_runs(earlier, batch.trial_id, space, judge)
    found = _Found(objective, space, judge, runs)
    status = STOP_REASONS[objective.stop_reason]
    if status == "running" or (status == "stopped" and batch.status == "failed"):
        status = _batch_status(batch, None)
    diagnosis = objective.diagnosis.detail if objective.diagnosis is not None and status != "satisfied" else None
    best = found.best(ended)
    probability = _probability_of(ended)
    reason = batch.failure_reason if status == "failed" else _describe_end(ended.end_reason, probability)
    return Result(status, reason, best, History(found.runs), diagnosis, objective=objective, probability=probability, **ids)


@contextlib.contextmanager
def _fitting(batch_id: int) -> Iterator[None]:
    """Columns of different lengths, or vectors of another problem."""
    try:
        yield
    except (ValueError, IndexError) as error:
        raise IncompatibleServiceError(f"The answers of the service about batch {batch_id} do not fit the problem: {error}.") from error


def _probability_of(ended: m.ExplainedObjective) -> float | None:
    """The probability that is compared with `confidence`."""
    if ended.confidence is None or ended.standing is None:
        return None
    return ended.standing.mean.value if ended.confidence_of == "mean" else ended.standing.run.low


def _batch_status(batch: m.Batch, failure: str | None) -> Status:
    if batch.status in ("failed", "cancelled"):
        return "failed" if batch.status == "failed" else "cancelled"
    return "failed" if failure is not None else "running"


class _Found:
    """The runs of an objective among all runs, and which is the best."""

    def __init__(self, objective: m.History, space: Space, judge: Judge, known: Sequence[Run]) -> None:
        self._objective = objective
        self._space = space
        self.runs = list(known)
        self._by_iteration: dict[int, Run] = {}
        self._cases = {run.number: run for run in known if run.kind == "designed"}
        by_data = {(tuple(run.input.values()), tuple((run.output or {}).values())): run for run in known}
        for run in _iterations(objective, space, judge):
            # The first one may be a copy of a case, or of a run of another objective.
            copied = by_data.get((tuple(run.input.values()), tuple((run.output or {}).values()))) if run.number == 1 else None
            if copied is None:
                self.runs.append(run)
            self._by_iteration[run.number] = copied or run

    def best(self, ended: m.ExplainedObjective) -> Run | None:
        objective = self._objective
        if ended.standing is not None:
            # Where runs differ the verdict rests on all runs at an input.
            values = self._space.values_of(ended.standing.input)
            inverses = dict(zip(objective.inverse_ids, objective.iterations, strict=True))
            first = self._by_iteration.get(inverses.get(ended.standing.inverse_id or 0, 0))
            found = first or next((run for run in self.runs if run.input == values and run.output is not None), None)
            if found is not None:
                return found
        nearest = self._by_iteration.get(objective.best_iteration or 0) or self._cases.get(objective.best_case_number or 0)
        optimal = self._by_iteration.get(objective.optimal_iteration or 0)
        if None in objective.objectives:
            # Without aspirations nothing is near or far.
            return optimal or nearest
        return optimal if optimal is not None and not (nearest is not None and nearest.is_satisfied) else nearest


def _describe_end(reason: str | None, probability: float | None) -> str | None:
    """Why the search ended, in the words of the service, and the probability that the best input reached."""
    if reason is None or probability is None:
        return reason
    return f"{reason.rstrip('.')}; the probability reached is {short(probability)}."


def _earlier_runs(batch_ids: Sequence[int], trial_id: int, space: Space, judge: Judge) -> Steps[list[Run]]:
    runs: list[Run] = []
    for batch_id in batch_ids:
        batch: m.Batch = (yield Call("get_batch", batch_id)).body
        entries: list[m.BatchObjective] = (yield Call("list_batch_objectives", batch_id)).body
        if batch.trial_id == trial_id and entries[0].objective_id is not None:
            objective: m.History = (yield Call("get_history_flat", entries[0].objective_id)).body
            runs += [replace(run, earlier=True) for run in _iterations(objective, space, judge) if run.number > 1]
    return runs


def _iterations(objective: m.History, space: Space, judge: Judge) -> list[Run]:
    """All runs, without a last entry that only repeats the best input. The first one is a copy of another run."""
    runs = []
    columns = zip(objective.iterations, objective.statuses, objective.inputs, objective.outputs, objective.loaded_at, strict=True)
    for iteration, status, numbers, output, loaded_at in columns:
        is_run = iteration == 1 or loaded_at is not None or status == "failed"
        if numbers is None or not is_run:
            continue
        failure = objective.failure_reasons.get(str(iteration)) or "failed" if output is None else None
        runs.append(_run("suggested", iteration, numbers, output, failure, space, judge, iteration in objective.excluded))
    return runs


def read_all(method: str, *path: int, **query: Any) -> Steps[list[Any]]:
    """A list, page after page."""
    items: list[Any] = []
    after = 0
    while True:
        page: list[Any] = (yield Call(method, *path, limit=PAGE, after=after or None, **query)).body
        items += page
        if len(page) < PAGE:
            return items
        last = page[-1].id if hasattr(page[-1], "id") else page[-1].number
        if last <= after:
            raise IncompatibleServiceError("The pages of a list do not advance: the service repeats one.")
        after = last


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
        off_by=judge.off_by(output) if judge is not None and output is not None else {},
    )
