"""Works a problem through: creates it on the service or finds it again, runs what is asked, and follows it to its end."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from . import _batch
from ._answers import RETRY, START_OVER, Answers
from ._batch import Place
from ._errors import BacksolveError, ChangedProblemError, OutputError, UnreachableError
from ._generated import models as m
from ._generated.problems import NotFoundError
from ._journal import Folder, Journal, outcome_of
from ._looks import changes, without_moving
from ._progress import Progress
from ._reading import case_id, inverse_id, missed, read_advice, read_result
from ._refusals import said_here
from ._retry import Retries
from ._steps import Steps, run_async
from ._verifying import Verifying
from ._work import Listener, Work
from .client import AsyncBacksolve
from .problem import BY_EVIDENCE, Advice, Failed, Outcome, Problem
from .project import OPEN_STATES
from .result import Result, Run

T = TypeVar("T")
LEASE_SECONDS = 60
CLAIM_SECONDS = 20
FIRST_LOOK = 2.0
"""Seconds after which a waiting claim makes the client check whether the search is over; doubles up to the last value."""
LAST_LOOK = 8.0
END_LOOK = 0.05
"""The same after a report that ended the search."""
LETTING_GO_SECONDS = 5.0
FIRST_ADVICE = 4
"""Number of runs at which the service is first asked for advice; it is asked again each time they have doubled."""


class Engine:
    """Solves once. It can be killed at any time: the journal holds every result before the service does."""

    def __init__(self, work: Work, client: AsyncBacksolve, folder: Folder, progress: Progress) -> None:
        self._work = work
        self._client = client
        self._folder = folder
        self._progress = progress
        self._journal = Journal(folder.journal)
        self._retries = Retries(work, self._journal, progress, self._run)
        self._listener = Listener(work.on_run)
        self._identity = ""
        """The same for every call, until the problem is started over."""
        self._has_run = False
        self._answers = Answers(work, self._journal, folder, progress)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._leases: dict[int, m.ClaimedEvaluation] = {}
        self._known: set[int] = set()
        """Evaluations whose results are in the journal and not yet reported."""
        self._end: asyncio.Future[None] | None = None
        self._look = FIRST_LOOK
        self._place: Place | None = None
        self._advice: list[Advice] = []
        """Told so far."""
        self._understood: tuple[Advice, ...] = ()
        """Advice that follows from the problem itself."""
        self._next_advice = FIRST_ADVICE

    async def solve(self) -> Result:
        try:
            await self._settle()
            await self._refuse_other_answers()
            if self._work.is_retry:
                await self._retry()
            await self._recall()
            self._place = await self._find()
            if await self._is_open():
                await self._run_all()
                # Nobody waits for what still runs, but what is known is told.
                await self._tell_known()
                self._leases.clear()
            elif self._retries.count == 0:
                self._progress.note(f"nothing is left to run: an earlier call completed this problem; {START_OVER}")
            result = await self._read(self._place)
            if (
                self._work.verify
                and result.fit is not None
                and await Verifying(self._work, self._client, self._folder, self._progress).run(result)
            ):
                result = await self._read(self._place)
            await self._tell_runs(result)
            self._answers.learn_what_moves()
            return self._with_reason(result)
        except NotFoundError as error:
            raise ChangedProblemError(f"The service no longer has this problem; fresh=True starts over. {error}") from error
        finally:
            await self._let_go()
            self._progress.end()
            self._journal.close()

    async def _refuse_other_answers(self) -> None:
        """Raises ChangedProblemError where the problem or the answers of its black box are other ones than at the kept runs."""
        record = self._folder.read()
        if record is not None and record["place"] is None and record["project"] != self._body_of(record)[1]:
            # It was refused, and is corrected now.
            self._folder.forget()
            return
        if record is not None:
            try:
                self._refuse_changes(record, self._body_of(record)[1])
            except ChangedProblemError:
                if self._journal.kept():
                    raise
                await self._begin_anew(record)
                return
            await self._answers.refuse_others(record, self._answer_of)

    async def _begin_anew(self, record: Mapping[str, Any]) -> None:
        """No run gave an output that the problem as it is now contradicts, as where a name was mistyped."""
        self._progress.note("inputs or outputs have changed and no run gave an output yet, so that the problem begins anew")
        with contextlib.suppress(NotFoundError):
            await self._leave(record["batches"][-1] if record["batches"] else None)
        self._journal.begin_anew(self._folder)

    async def _answer_of(self, record: Mapping[str, Any]) -> list[float] | None:
        """The input that an earlier call answered, as the service counts."""
        batch_id = record["batches"][-1]["id"] if record["batches"] else None
        if batch_id is None:
            return None
        model_id, project_id, _ = record["place"]
        best = (await self._read(Place(model_id, project_id, batch_id))).best
        return None if best is None else [each.to_number(best.input[name]) for name, each in self._work.problem.inputs.items()]

    async def _recall(self) -> None:
        """Tells of the runs of earlier calls."""
        record = self._folder.read()
        if not self._listener.is_there or record is None or not record["batches"] or record["batches"][-1]["id"] is None:
            return
        model_id, project_id, _ = record["place"]
        self._identity = record["id"]
        await self._tell_runs(await self._read(Place(model_id, project_id, record["batches"][-1]["id"])))

    async def _read(self, place: Place) -> Result:
        earlier = [batch["id"] for batch in (self._folder.read() or {"batches": []})["batches"][:-1] if batch["id"] is not None]
        return await self._run(read_result(self._work.name, place, self._work.problem.space, earlier))

    async def _tell_runs(self, result: Result) -> None:
        await self._listener.tell(result.history, self._identity)

    async def _retry(self) -> None:
        record = self._folder.read()
        if record is not None:
            await self._retries.retry(record)
            self._folder.write(record)

    def _with_reason(self, result: Result) -> Result:
        """With all advice, and what to do where everything failed; repeating the call would only show the failure again."""
        reason = result.reason
        if result.status == "failed" and any(run.failure is not None for run in result.history):
            advice = (
                f"Once the black box is fixed, {RETRY}; {START_OVER}."
                if self._has_run
                else f"These runs are from an earlier call: {RETRY}; {START_OVER}."
            )
            reason = f"{(reason or 'The search failed').rstrip('.')}. {advice}"
        return replace(result, reason=reason, retried=self._retries.count, advice=self._understood + result.advice)

    async def _settle(self) -> None:
        """Settles what an interrupted call left: reports results and gives leases back, so that nothing waits for them to expire."""
        claims, cut_short, unreported = self._journal.unsettled()
        record = self._folder.read()
        if record is None:
            return
        if self._journal.run_count:
            self._progress.go_on(self._journal.run_count, self._journal.failure_count)
        await self._retries.settle()
        for key, limit in claims:
            with contextlib.suppress(asyncio.TimeoutError):
                cut_short += await self._claim_again(record["batches"][-1]["id"], key, limit)
        for line in unreported:
            evaluation_id, token = line["lease"]
            told = await self._run(_batch.report(evaluation_id, token, outcome_of(line), line["seconds"]))
            self._journal.settled(evaluation_id, token, told.state)
        for evaluation_id, token in cut_short:
            await self._run(_batch.release(evaluation_id, token))
            self._journal.settled(evaluation_id, token, "released")

    async def _claim_again(self, batch_id: int | None, key: str, limit: int) -> list[tuple[int, str]]:
        """The answer to a claim may have been lost; a repetition gets it. A new one would wait, and is given up."""
        if batch_id is None:
            return []
        steps = _batch.claim(batch_id, limit, CLAIM_SECONDS, LEASE_SECONDS, self._work.problem.space, key, list(self._work.sources))
        with contextlib.suppress(NotFoundError):
            claimed = await asyncio.wait_for(self._run(steps), FIRST_LOOK)
            self._journal.claimed(key, claimed)
            return [(each.id, each.lease_token) for each in claimed]
        return []

    async def _find(self) -> Place:
        """The place of the problem on the service. Missing records are created under keys that a repetition uses again."""
        work, client = self._work, self._client
        record = self._folder.read()
        problem, body = self._body_of(record)
        self._understood = tuple(work.problem.advice_on(problem))
        self._tell_advice(self._understood)
        if record is None:
            record = {
                "version": 1,
                "id": secrets.token_hex(16),
                "service": None,
                "project": body,
                "place": None,
                "batches": [],
                "looks": work.looks,
            }
            self._folder.write(record)
        self._identity = record["id"]
        record["points"] = problem.points
        if record["place"] is None:
            project = await self._run(_batch.create_project(problem, work.name, record["id"], work.parallel, work.budget))
            record["place"] = [project.model_id, project.id, project.case_count]
        model_id, project_id, case_count = record["place"]
        batches: list[dict[str, Any]] = record["batches"]
        newest = batches[-1] if batches else None
        problem = problem if problem.states_stop else problem.with_stop(await self._stop_after(newest))
        wanted = {"objective": _objective_of(problem), "budget": work.budget}
        if newest is None or newest.get("is_left") or {key: newest[key] for key in wanted} != wanted:
            trial_id = await self._leave(newest)
            attempts = _batch.attempts_left(work.budget, max(case_count, self._journal.run_count if newest is not None else 0))
            sent = _batch.batch_body(problem, work.name, work.parallel, attempts, trial_id, work.tries)
            newest = {**wanted, "id": None, "body": sent.model_dump(mode="json", by_alias=True, exclude_unset=True)}
            batches.append(newest)
        self._folder.write(record)
        if newest["id"] is None:
            key = _batch.key_of(record["id"], f"batch {len(batches)}")
            body_sent = m.NewBatch.model_validate(newest["body"])
            with said_here(problem.names, "/batch"):
                newest["id"] = (await client.create_batch(model_id, project_id, body_sent, idempotency_key=key)).body.id
            self._folder.write(record)
        else:
            await self._adjust(newest["id"])
        return Place(model_id, project_id, newest["id"])

    def _body_of(self, record: Mapping[str, Any] | None) -> tuple[Problem, dict[str, Any]]:
        """The problem with the scales that it was begun with, and what the service is told of it."""
        work = self._work
        problem = work.problem.with_scales(None if record is None else _scales_of(record["project"], len(work.problem.inputs)))
        return problem, problem.project_body(work.name).model_dump(mode="json", by_alias=True, exclude_unset=True)

    async def _stop_after(self, newest: dict[str, Any] | None) -> Mapping[str, Any] | None:
        """
        The rule that ends the search where none is stated. A search that was begun with the same goals keeps its own; a larger budget
        overrules an end by evidence, since on the same runs the rule would end the search again.
        """
        if newest is None:
            return BY_EVIDENCE
        stop: Mapping[str, Any] | None = newest["objective"].get("stop")
        goals = _objective_of(self._work.problem.with_stop(stop))
        if stop or newest["objective"] != goals:
            return BY_EVIDENCE
        budget, before = self._work.budget, newest["budget"]
        is_raised = budget != before and (budget is None or before is None or budget > before)
        if stop is None or not is_raised or newest["id"] is None:
            return stop
        entries = (await self._client.list_batch_objectives(newest["id"])).body
        return None if entries[0].stop_reason == "STOPPED" else stop

    def _tell_advice(self, advice: Iterable[Advice]) -> None:
        """Each once."""
        for each in advice:
            if each not in self._advice:
                self._advice.append(each)
                self._progress.note(each.sentence)

    async def _advise(self) -> None:
        """Asks the service now and then; the result has all advice."""
        assert self._place is not None  # noqa: S101 - set before
        if self._journal.run_count < self._next_advice:
            return
        self._next_advice = 2 * self._journal.run_count
        with contextlib.suppress(BacksolveError):
            self._tell_advice(await self._run(read_advice(self._place.batch_id)))

    def _refuse_changes(self, record: dict[str, Any], body: dict[str, Any]) -> None:
        before: dict[str, Any] = record["project"]
        count = len(self._work.problem.inputs)
        has_same_scales = _scales_of(before, count) == _scales_of(body, count)
        same = ("name", "caseCount", *(("scales",) if has_same_scales else ()))
        fields = [key for key in {**before, **body} if key not in same and before.get(key) != body.get(key)]
        if fields:
            raise ChangedProblemError(
                f"The inputs or outputs of {self._work.name} have changed since its first run ({', '.join(fields)}), so its data does not "
                "fit. Revert the change, give another name, or start over with fresh=True. Goals may change at any time."
            )
        moved = [name for name, points in record.get("points", {}).items() if self._work.problem.points.get(name) != points]
        if moved:
            raise ChangedProblemError(
                f"The data of {' and '.join(moved)} have other x or other conditions than at the first run of {self._work.name}, whose "
                "runs were read there. Revert the change, give another name, or start over with fresh=True. Values may change at any time."
            )

    async def _leave(self, batch: dict[str, Any] | None) -> int | None:
        """Ends the batch of other goals; its runs stay with the trial."""
        if batch is None or batch["id"] is None:
            return None
        state = (await self._client.get_batch(batch["id"])).body
        if state.status in OPEN_STATES:
            await self._client.cancel_batch(batch["id"])
        return state.trial_id

    async def _adjust(self, batch_id: int) -> None:
        state = (await self._client.get_batch(batch_id)).body
        if state.status not in OPEN_STATES:
            return
        if state.is_paused:
            await self._client.resume_batch(batch_id)
        if state.parallelism != self._work.parallel:
            await self._client.update_batch(batch_id, m.BatchPatch(parallelism=self._work.parallel))

    async def _is_open(self) -> bool:
        assert self._place is not None  # noqa: S101 - set before
        return (await self._client.get_batch(self._place.batch_id)).body.status in OPEN_STATES

    async def _run_all(self) -> None:
        """Works until the search is over. The outputs of runs that continue after that are not needed."""
        beats = asyncio.create_task(self._beat())
        try:
            while True:
                free = self._work.parallel - len(self._tasks)
                if free == 0:
                    await self._next_end()
                    self._reap()
                    continue
                claimed = await self._claim(free)
                if claimed is None:
                    return
                for evaluation in claimed:
                    self._leases[evaluation.id] = evaluation
                    task = asyncio.create_task(self._evaluate(evaluation))
                    task.add_done_callback(self._note_end)
                    self._tasks[evaluation.id] = task
        finally:
            beats.cancel()

    async def _claim(self, free: int) -> list[m.ClaimedEvaluation] | None:
        """None when the search is over."""
        assert self._place is not None  # noqa: S101 - set before
        key = secrets.token_hex(16)
        self._journal.claiming(key, free)
        steps = _batch.claim(
            self._place.batch_id, free, CLAIM_SECONDS, LEASE_SECONDS, self._work.problem.space, key, list(self._work.sources)
        )
        claiming = asyncio.create_task(self._run(steps))
        try:
            while not claiming.done():
                awaited: set[asyncio.Future[Any]] = {claiming, self._next_end()}
                done, _ = await asyncio.wait(awaited, timeout=self._look, return_when=asyncio.FIRST_COMPLETED)
                self._reap()
                if done:
                    continue
                self._look = min(LAST_LOOK, self._look * 2)
                if not await self._is_open():
                    return None
            claimed = claiming.result()
        finally:
            claiming.cancel()
        self._look = FIRST_LOOK
        self._journal.claimed(key, claimed)
        return claimed if claimed or await self._is_open() else None

    def _next_end(self) -> asyncio.Future[None]:
        """Resolves when a task ends that has not been reaped. Waiting for all tasks would cost more the more there are."""
        if self._end is None or self._end.done():
            self._end = asyncio.get_running_loop().create_future()
            if any(task.done() for task in self._tasks.values()):
                self._end.set_result(None)
        return self._end

    def _note_end(self, _task: asyncio.Task[None]) -> None:
        if self._end is not None and not self._end.done():
            self._end.set_result(None)

    def _reap(self) -> None:
        """Raises what a task raised."""
        for evaluation_id, task in list(self._tasks.items()):
            if task.done():
                del self._tasks[evaluation_id]
                task.result()

    async def _evaluate(self, evaluation: m.ClaimedEvaluation) -> None:
        outcome = self._journal.find(evaluation)
        if outcome is None:
            outcome, seconds = self._find_returned(evaluation) or await self._call(evaluation)
            if not self._has_run:
                self._has_run = True
                self._answers.learn_what_moves()
            self._retries.count += self._journal.is_retried(evaluation)
            self._journal.finished(evaluation, outcome, seconds)
        else:
            seconds = 0.0
        self._known.add(evaluation.id)
        told = await self._run(_batch.report(evaluation.id, evaluation.lease_token, outcome, seconds))
        self._known.discard(evaluation.id)
        if told.is_last:
            self._look = END_LOOK
        self._leases.pop(evaluation.id, None)
        self._journal.settled(evaluation.id, evaluation.lease_token, told.state)
        for warning in told.warnings:
            self._progress.note(f"{warning.removesuffix('.')} with Project.correct.")
        if told.state == "waiting" and isinstance(outcome, Failed):
            self._progress.note(f"a run failed and will be retried: {outcome.reason}")
        else:
            run = self._run_of(evaluation, outcome, told)
            self._progress.add(run)
            await self._listener.tell([run], self._identity)
        await self._advise()

    async def _call(self, evaluation: m.ClaimedEvaluation) -> tuple[Outcome, float]:
        """Calls the black box; returns the outcome and the seconds that it took."""
        began = time.monotonic()
        try:
            outcome = await self._work.call(evaluation.input, evaluation.source)
        except OutputError as error:
            if error.returned is not None:
                seconds, looks = time.monotonic() - began, self._work.looks
                self._journal.returned(evaluation, error, without_moving(looks, looks, self._work.look()), seconds)
            raise
        return outcome, time.monotonic() - began

    def _find_returned(self, evaluation: m.ClaimedEvaluation) -> tuple[Outcome, float] | None:
        """The same of a run whose output had no goals under its names when it was made, if the black box is still the same."""
        line = self._journal.find_returned(evaluation)
        if line is None or changes(line["looks"], self._work.looks):
            return None
        with contextlib.suppress(OutputError):
            return self._work.problem.space.read_output(line["returned"]), line["seconds"]
        return None

    def _run_of(self, evaluation: m.ClaimedEvaluation, outcome: Outcome, told: _batch.Told) -> Run:
        space, is_case = self._work.problem.space, evaluation.kind == "case"
        return Run(
            kind="designed" if is_case else "suggested",
            number=evaluation.case_number or evaluation.iteration or 0,
            id=case_id(evaluation.case_number) if is_case else inverse_id(evaluation.inverse_id),
            input=space.values_of(evaluation.input),
            output=None if isinstance(outcome, Failed) else space.output_of(outcome),
            failure=outcome.reason if isinstance(outcome, Failed) else None,
            source=evaluation.source,
            **missed(space, told.misses, told.missed_by),
        )

    async def _beat(self) -> None:
        """Keeps all leases. A service that is away for a while costs a lease at most, and it counts until somebody else takes it."""
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            for evaluation in list(self._leases.values()):
                with contextlib.suppress(UnreachableError):
                    await self._run(_batch.heartbeat(evaluation.id, evaluation.lease_token))

    async def _let_go(self) -> None:
        """Ends all runs and gives their leases back. Anything left undone is done when the call is repeated."""
        await self._tell_known()
        for evaluation in [lease for lease in self._leases.values() if lease.id not in self._known]:
            with contextlib.suppress(BacksolveError, asyncio.TimeoutError):
                steps = _batch.release(evaluation.id, evaluation.lease_token)
                await asyncio.wait_for(self._run(steps), LETTING_GO_SECONDS)
                self._journal.settled(evaluation.id, evaluation.lease_token, "released")

    async def _tell_known(self) -> None:
        """Ends all tasks but those that report a result, and waits for those."""
        reporting = [task for evaluation_id, task in self._tasks.items() if evaluation_id in self._known]
        for evaluation_id, task in self._tasks.items():
            if evaluation_id not in self._known:
                task.cancel()
        if reporting:
            _, late = await asyncio.wait(reporting, timeout=LETTING_GO_SECONDS)
            for task in late:
                task.cancel()
        self._tasks.clear()

    async def _run(self, steps: Steps[T]) -> T:
        return await run_async(self._client, steps)


def _objective_of(problem: Problem) -> dict[str, Any]:
    """As it is kept."""
    return problem.objective_body().model_dump(mode="json", by_alias=True, exclude_unset=True)


def _scales_of(project: Mapping[str, Any], count: int) -> list[str | None]:
    """One per input; None for a linear one."""
    return ["log" if scale == "log" else None for scale in project.get("scales") or [None] * count]
