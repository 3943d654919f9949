"""
Runs failed runs once more, because the black box was mended. Designed runs of a problem that has no trial yet are evaluated by a new batch,
for which the journal forgets failures. Otherwise the trial has the failed runs, and what comes of them now corrects it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from . import _batch
from ._errors import ServiceError
from ._generated import models as m
from ._journal import Journal, outcome_of
from ._progress import Progress
from ._reading import read_all
from ._steps import Call, Steps
from ._words import describe_outcome, describe_values
from ._work import Work
from .problem import Failed, Outcome
from .project import OPEN_STATES
from .result import STOP_REASONS

T = TypeVar("T")
Path = Sequence[int]
"""The ids of a model, a project and a trial."""
REASON = "failed before and was repeated"


class Retries:
    """The runs that one call of solve repeats."""

    def __init__(self, work: Work, journal: Journal, progress: Progress, run: Callable[[Steps[Any]], Awaitable[Any]]) -> None:
        self._work = work
        self._journal = journal
        self._progress = progress
        self._run = run
        self.count = 0

    async def settle(self) -> None:
        """Reports the results that an interrupted call did not report."""
        for line in self._journal.uncorrected():
            await self._correct(line["path"], line["failed"], outcome_of(line))

    async def retry(self, record: dict[str, Any]) -> None:
        """Runs again what failed, or marks the newest batch of the record as left, so that another one follows it."""
        ids = [batch["id"] for batch in record["batches"] if batch["id"] is not None]
        if not ids:
            return
        batch: m.Batch = (await self._run(_ask("get_batch", ids[-1]))).body
        if batch.trial_id is None:
            count = self._journal.forget_failures()
            if count or batch.status not in OPEN_STATES:
                record["batches"][-1]["is_left"] = True
        else:
            path = (batch.model_id, batch.project_id, batch.trial_id)
            failed: list[dict[str, Any]] = await self._run(_failed_runs(path, ids))
            count = len(failed)
            await self._run_again(path, failed)
            if failed and batch.status not in OPEN_STATES and await self._may_go_on(ids[-1], self._journal.run_count):
                record["batches"][-1]["is_left"] = True
        self._progress.note(f"retrying {count} failed runs" if count else "no run has failed, so there is nothing to retry")

    async def _run_again(self, path: Path, failed: Sequence[dict[str, Any]]) -> None:
        pending = iter(failed)

        async def work() -> None:
            for run in pending:
                await self._run_once_more(path, run)

        tasks = [asyncio.create_task(work()) for _ in range(min(self._work.parallel, len(failed)))]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def _run_once_more(self, path: Path, run: dict[str, Any]) -> None:
        began = time.monotonic()
        outcome: Outcome = Failed("never run", retryable=True)
        for _ in range(self._work.tries):
            outcome = await self._work.call(run["input"], run.get("source"))
            if not (isinstance(outcome, Failed) and outcome.retryable):
                break
        self.count += 1
        self._journal.retried(path, run, outcome, time.monotonic() - began)
        values = self._work.problem.space.values_of(run["input"])
        self._progress.note(f"retried a failed run: {describe_values(values)} -> {describe_outcome(self._work.problem.space, outcome)}")
        await self._correct(path, run, outcome)

    async def _correct(self, path: Path, run: dict[str, Any], outcome: Outcome) -> None:
        try:
            await self._run(_correct(path, run, outcome))
        except ServiceError as error:
            if error.status >= 500:
                raise
            self._progress.note(f"the service does not accept the new result of a failed run: {error}")
        self._journal.corrected(run)

    async def _may_go_on(self, batch_id: int, runs: int) -> bool:
        """Whether the search that has ended is worth a batch more: it may have ended because of what failed."""
        entries: list[m.BatchObjective] = (await self._run(_ask("list_batch_objectives", batch_id))).body
        objective_id = entries[0].objective_id
        state = "failed"
        if objective_id is not None:
            state = STOP_REASONS[(await self._run(_ask("get_objective", objective_id))).body.stop_reason]
        if state == "running":
            # A correction has reopened it, but its batch is over.
            await self._run(_ask("stop_objective", objective_id))
        budget = self._work.budget
        return state in ("running", "stopped", "failed") and (budget is None or runs < budget)


def _ask(method: str, *args: Any) -> Steps[Any]:
    return (yield Call(method, *args))


def _failed_runs(path: Path, batch_ids: Sequence[int]) -> Steps[list[dict[str, Any]]]:
    """Cases and inverses of a trial that failed and count."""
    cases: list[m.TrialCase] = yield from read_all("list_trial_cases", *path)
    failed: list[dict[str, Any]] = [{"case": each.number, "input": each.input} for each in cases if each.failed and not each.excluded]
    for batch_id in batch_ids:
        entries: list[m.BatchObjective] = (yield Call("list_batch_objectives", batch_id)).body
        objective_id = entries[0].objective_id
        if objective_id is None:
            continue
        history: m.History = (yield Call("get_history", objective_id)).body
        columns = zip(history.iterations, history.inverse_ids, history.statuses, history.inputs, strict=True)
        failed += [
            {"objective": objective_id, "inverse": inverse_id, "input": numbers}
            for iteration, inverse_id, status, numbers in columns
            if status == "failed" and numbers is not None and iteration not in history.excluded
        ]
    return failed


def _correct(path: Path, run: dict[str, Any], outcome: Outcome) -> Steps[None]:
    fields: dict[str, Any] = {"reason": REASON, "reopen": True}
    if isinstance(outcome, Failed):
        fields |= {"failed": True, "failureReason": _batch.clean_reason(outcome.reason)}
    else:
        fields |= _batch.told(outcome)
    if "case" in run:
        yield Call("correct_case", *path, run["case"], m.NewCaseCorrection(**fields))
    else:
        yield Call("correct_inverse", run["objective"], run["inverse"], m.NewInverseCorrection(**fields))
