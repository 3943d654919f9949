"""Reads a search from the service: its runs, its answer, and why it ended."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Literal, TypedDict

from ._batch import Place
from ._errors import IncompatibleServiceError
from ._generated import models as m
from ._steps import Call, Steps
from ._words import short
from .fitted import FitResult, fit_result
from .problem import Advice, Space
from .result import STOP_REASONS, History, Result, Run, Status

EXPLANATION_SECONDS = 5
PAGE = 200
LAST_RUN = 1_000_000_000


class Missed(TypedDict):
    """Distance of a run from its goals, by output."""

    misses: Mapping[str, float]
    off_by: Mapping[str, float]


def missed(space: Space | None, misses: Sequence[float] | None, missed_by: Sequence[float] | None) -> Missed:
    """As the service says, in tolerances and in units of the outputs. Nothing for a run without an output."""
    if space is None or misses is None or missed_by is None:
        return {"misses": {}, "off_by": {}}
    # An output at a limit that is not part of its interval is off by nothing, and misses it.
    off_by = [max(abs(by), 5e-324) if miss > 0 else 0.0 for miss, by in zip(misses, missed_by, strict=True)]
    return {"misses": _of_single(space, misses), "off_by": _of_single(space, off_by)}


def _of_single(space: Space, values: Sequence[float]) -> dict[str, float]:
    """By output, without those that are fitted: they miss nothing."""
    return {name: value for name, value in space.output_of(values).items() if not isinstance(value, tuple)}


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
    answer = yield Call("get_history", objective_id)
    objective: m.History = answer.body
    if objective.stop_reason > 1 and objective.insight is None:
        # The explanation may come a moment after the end.
        known, wait = answer.headers.get("etag"), f"wait={EXPLANATION_SECONDS}"
        waited = yield Call("get_history", objective_id, if_none_match=known, prefer=wait)
        objective = waited.body or objective
    ended: m.ExplainedObjective = (yield Call("get_objective", objective_id)).body
    runs = yield from _other_runs(place.project_id, objective_id, space, earlier)
    found = _Found(objective, space, runs)
    status = STOP_REASONS[objective.stop_reason]
    if status == "running" or (status == "stopped" and batch.status == "failed"):
        status = _batch_status(batch, None)
    diagnosis = objective.diagnosis.detail if objective.diagnosis is not None and status != "satisfied" else None
    best = found.answer(ended.answer)
    probability = _probability_of(ended)
    reason = batch.failure_reason if status == "failed" else _describe_end(ended.end_reason, probability)
    advice = advice_in(objective)
    fitted = (yield from _read_fit(objective_id, ended, space)) if space.fits else None
    facts: dict[str, Any] = {"objective": objective, "probability": probability, "advice": advice, "fit": fitted}
    facts["answer"] = ended.answer
    return Result(status, reason, best, History(found.runs), diagnosis, **facts, **ids)


def _read_fit(objective_id: int, ended: m.ExplainedObjective, space: Space) -> Steps[FitResult | None]:
    """Reads how well the best run fits, and what the data tell about the inputs."""
    if ended.fit is None:
        return None
    told: m.FitParameters = (yield Call("get_fit", objective_id)).body
    return fit_result(ended.fit, told.fit, space)


def advice_in(objective: m.History) -> tuple[Advice, ...]:
    return tuple(Advice(each.kind, each.sentence) for each in objective.advice)


def read_advice(batch_id: int) -> Steps[tuple[Advice, ...]]:
    """Reads what the runs so far show."""
    entries: list[m.BatchObjective] = (yield Call("list_batch_objectives", batch_id)).body
    objective_id = entries[0].objective_id
    if objective_id is None:
        return ()
    # Without its runs.
    objective: m.History = (yield Call("get_history", objective_id, after=LAST_RUN)).body
    return advice_in(objective)


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
    """The runs of an objective among all runs, and which of them is the answer."""

    def __init__(self, objective: m.History, space: Space, known: Sequence[Run]) -> None:
        self._objective = objective
        self._space = space
        self.runs = list(known)
        self._by_iteration: dict[int, Run] = {}
        self._cases = {run.number: run for run in known if run.kind == "designed"}
        by_data = {(tuple(run.input.values()), tuple((run.output or {}).values())): run for run in known}
        for run, is_run in _iterations(objective, space):
            if not is_run:
                # It repeats the best input: of a run that is listed, or of a start that was told to an earlier search.
                self._by_iteration[run.number] = next((one for one in self.runs if one.input == run.input and one.output), run)
                continue
            # The first one may be a copy of a case, or of a run of another objective.
            copied = by_data.get((tuple(run.input.values()), tuple((run.output or {}).values()))) if run.number == 1 else None
            if copied is None:
                self.runs.append(run)
            self._by_iteration[run.number] = copied or run

    def answer(self, answer: m.SearchAnswer | None) -> Run | None:
        """The answer, as the service says what it is: the first run at its input, with the mean of the runs there."""
        if answer is None:
            return None
        values, output = self._space.values_of(answer.input), self._space.output_of(answer.output)
        named = self._cases.get(answer.case_number or 0) or self._by_iteration.get(answer.iteration or 0)
        # One that another objective made first, or that is not among the runs, is known by its input.
        found = named or next((run for run in self.runs if run.input == values and run.output is not None), None)
        if found is None:
            kind: Literal["designed", "suggested"] = "suggested" if answer.case_number is None else "designed"
            number = answer.case_number or answer.iteration or 0
            found = Run(kind, number, values, output, id=inverse_id(answer.inverse_id))
        if found.output == output:
            return found
        off = missed(self._space, answer.misses, answer.missed_by)
        return replace(found, output=output, failure=None, **off)


def _describe_end(reason: str | None, probability: float | None) -> str | None:
    """Describes why the search ended, in the words of the service, and the probability that the best input reached."""
    if reason is None or probability is None:
        return reason
    return f"{reason.rstrip('.')}; the probability reached is {short(probability)}."


def _iterations(objective: m.History, space: Space) -> list[tuple[Run, bool]]:
    """All runs, the first one a copy of another run; False beside a last entry that only repeats the best input."""
    runs = []
    inverses = dict(zip(objective.iterations, objective.inverse_ids, strict=True))
    columns = zip(
        objective.iterations,
        objective.statuses,
        objective.inputs,
        objective.outputs,
        objective.misses,
        objective.missed_by,
        objective.loaded_at,
        strict=True,
    )
    for iteration, status, numbers, output, misses, missed_by, loaded_at in columns:
        is_run = _is_run(iteration, status, loaded_at)
        if numbers is None or (output is None and not is_run):
            continue
        failure = objective.failure_reasons.get(str(iteration)) or "failed" if output is None else None
        off = missed(space, misses, missed_by)
        facts = _facts_at(objective, iteration)
        identity = inverse_id(inverses[iteration])
        runs.append((_run("suggested", iteration, identity, numbers, output, failure, space, facts, off), is_run))
    return runs


def _is_run(iteration: int, status: str, loaded_at: object) -> bool:
    return iteration == 1 or loaded_at is not None or status == "failed"


def read_all(method: str, *path: int, **query: Any) -> Steps[list[Any]]:
    """A list, page after page."""
    items: list[Any] = []
    after = 0
    while True:
        page: list[Any] = (yield Call(method, *path, limit=PAGE, after=after or None, **query)).body
        items += page
        if len(page) < PAGE:
            return items
        last: int = next(getattr(page[-1], name) for name in ("id", "position", "number") if hasattr(page[-1], name))
        if last <= after:
            raise IncompatibleServiceError("The pages of a list do not advance: the service repeats one.")
        after = last


def _other_runs(project_id: int, objective_id: int, space: Space, earlier: Sequence[int]) -> Steps[list[Run]]:
    """The cases of the trial, then the runs of `earlier` batches on it, as the objective judges them."""
    runs: list[m.TrialRun] = yield from read_all("list_trial_runs", objective_id, without=objective_id)
    cases = [run for run in runs if run.number is not None]
    reasons: dict[int | None, str | None] = {}
    if any(case.output is None for case in cases):
        failed: list[m.Evaluation] = yield from read_all("list_evaluations", project_id=project_id, state="failed")
        reasons = {each.case_number: each.failure_reason for each in failed}
    designed = [_other("designed", case, case.number, reasons.get(case.number), space) for case in cases]
    suggested: list[Run] = []
    for batch_id in earlier:
        entries: list[m.BatchObjective] = (yield Call("list_batch_objectives", batch_id)).body
        suggested += [
            replace(_other("suggested", run, run.iteration, run.failure_reason, space), earlier=True)
            for run in runs
            if run.iteration is not None
            and run.iteration > 1
            and run.objective_id == entries[0].objective_id
            and _is_run(run.iteration, run.status, run.loaded_at)
        ]
    return designed + suggested


def _other(
    kind: Literal["designed", "suggested"],
    run: m.TrialRun,
    number: int | None,
    failure: str | None,
    space: Space,
) -> Run:
    reason = (failure or "failed") if run.output is None else None
    off = missed(space, run.misses, run.missed_by)
    identity = case_id(number) if kind == "designed" else inverse_id(run.inverse_id)
    return _run(kind, number or 0, identity, run.input, run.output, reason, space, _facts_of(run), off)


def _evaluated_cases(batch_id: int, space: Space) -> Steps[list[Run]]:
    """The designed runs of a batch that has not begun to search."""
    evaluations: list[m.Evaluation] = yield from read_all("list_evaluations", batch_id=batch_id)
    over = [each for each in evaluations if each.state in ("done", "failed") and each.case_number is not None]
    over.sort(key=lambda each: each.case_number or 0)
    return [
        _run(
            "designed",
            each.case_number or 0,
            case_id(each.case_number),
            each.input,
            each.output,
            None if each.output else each.failure_reason,
            space,
            {},
        )
        for each in over
    ]


def case_id(number: int | None) -> str:
    return f"case {number or 0}"


def inverse_id(number: int | None) -> str:
    return f"inverse {number or 0}"


def _facts_of(run: m.TrialRun) -> dict[str, Any]:
    """Facts that the service states of a run; the fields of Run say which."""
    return {each.name: getattr(run, each.metadata["name"]) for each in fields(Run) if each.metadata}


def _facts_at(objective: m.History, iteration: int) -> dict[str, Any]:
    """The same from a history, whose columns list the iterations of which a fact holds, or have its values by iteration."""

    def value(column: list[int] | dict[str, Any]) -> object:
        return iteration in column if isinstance(column, list) else column.get(str(iteration))

    return {each.name: value(getattr(objective, each.metadata["column"])) for each in fields(Run) if each.metadata}


def _run(
    kind: Literal["designed", "suggested"],
    number: int,
    identity: str,
    numbers: Sequence[float],
    output: Sequence[float] | None,
    failure: str | None,
    space: Space,
    facts: Mapping[str, Any],
    off: Missed | None = None,
) -> Run:
    return Run(
        kind=kind,
        number=number,
        id=identity,
        input=space.values_of(numbers),
        output=None if output is None else space.output_of(output),
        failure=failure,
        **facts,
        **(off or missed(None, None, None)),
    )
