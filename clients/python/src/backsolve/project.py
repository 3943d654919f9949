"""Ask for inputs, tell outputs: the level below solve, synchronous and asynchronous."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, TypeVar

from typing_extensions import Unpack

from . import _batch
from ._batch import Place, Told
from ._blackbox import failure_of
from ._errors import BacksolveError
from ._generated import models as m
from ._options import refuse_unknown_options
from ._reading import read_result
from ._refusals import Names, said_here
from ._steps import Call, Steps, run, run_async
from .client import AsyncBacksolve, Backsolve
from .inputs import Input, Value
from .problem import Advice, AnyGoal, Failed, Output, Problem, SearchOptions, Space, check_counts, make_problem, space_of
from .result import Result, Run

T = TypeVar("T")
LEASE_SECONDS = 60
CLAIM_SECONDS = 2
OPEN_STATES = ("evaluating-cases", "solving")


class _Evaluation:
    """An input to run, under a lease."""

    def __init__(self, claimed: m.ClaimedEvaluation, space: Space) -> None:
        self.id = claimed.id
        self.lease_token = claimed.lease_token
        self.is_designed = claimed.kind == "case"
        """Whether it is one of the designed runs that come first."""
        self.case_number = claimed.case_number
        self.inverse_id = claimed.inverse_id
        self.objective_id = claimed.objective_id
        self.trial_id = claimed.trial_id
        self.input: dict[str, Value] = space.values_of(claimed.input)
        self.numbers: list[float] = list(claimed.input)
        """The input as the service counts: choices and booleans as numbers."""
        self.is_over = False
        """Whether it was told, failed or released."""
        self.is_wanted = True
        """False once its output is no longer needed, according to the last heartbeat."""
        self._began = time.monotonic()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id}, {self.input})"

    @property
    def seconds(self) -> float:
        """Since it was asked for."""
        return time.monotonic() - self._began


class Evaluation(_Evaluation):
    """
    An input to run, under a lease. As a context manager it keeps its lease for as long as the block takes; an exception makes it a failed
    run and goes on, Ctrl-C hands it back, and so does a block that ends without a word.
    """

    def __init__(self, claimed: m.ClaimedEvaluation, project: Project) -> None:
        super().__init__(claimed, project.space)
        self._project = project
        self._ended = threading.Event()

    def tell(self, output: Output) -> Told:
        """Reports the output; a NaN in it is a failed run. Raises OutputError when it is none, ServiceError when it is refused."""
        return self._project.tell(self, output)

    def fail(self, reason: str, *, retry: bool = False) -> Told:
        """Reports a failed run: the search stays away from there. With `retry` the machine failed, and the run is tried again."""
        return self._project.fail(self, reason, retry=retry)

    def release(self) -> None:
        """Hands it back, for anybody else to run."""
        self._project.release(self)

    def heartbeat(self) -> bool:
        """Renews the lease. False once the output is no longer needed."""
        self.is_wanted = self._project._run(_batch.heartbeat(self.id, self.lease_token))
        return self.is_wanted

    def __enter__(self) -> Evaluation:
        threading.Thread(target=self._beat, name=f"backsolve lease {self.id}", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        if self.is_over:
            return
        if isinstance(error, Exception) and not isinstance(error, BacksolveError):
            failure = failure_of(error)
            self.fail(failure.reason, retry=failure.retryable)
        else:
            self.release()

    def _beat(self) -> None:
        while not self._ended.wait(self._project.lease_seconds / 3):
            # A service that is away for a while costs the lease at most, and that still counts until somebody else takes it.
            with contextlib.suppress(BacksolveError):
                self.heartbeat()


class AsyncEvaluation(_Evaluation):
    """As Evaluation, for `async with`."""

    def __init__(self, claimed: m.ClaimedEvaluation, project: AsyncProject) -> None:
        super().__init__(claimed, project.space)
        self._project = project
        self._beating: asyncio.Task[None] | None = None

    async def tell(self, output: Output) -> Told:
        """Reports the output; a NaN in it is a failed run. Raises OutputError when it is none, ServiceError when it is refused."""
        return await self._project.tell(self, output)

    async def fail(self, reason: str, *, retry: bool = False) -> Told:
        """Reports a failed run: the search stays away from there. With `retry` the machine failed, and the run is tried again."""
        return await self._project.fail(self, reason, retry=retry)

    async def release(self) -> None:
        """Hands it back, for anybody else to run."""
        await self._project.release(self)

    async def heartbeat(self) -> bool:
        """Renews the lease. False once the output is no longer needed."""
        self.is_wanted = await self._project._run(_batch.heartbeat(self.id, self.lease_token))
        return self.is_wanted

    async def __aenter__(self) -> AsyncEvaluation:
        self._beating = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._beating is not None:
            self._beating.cancel()
        if self.is_over:
            return
        if isinstance(error, Exception) and not isinstance(error, BacksolveError):
            failure = failure_of(error)
            await self.fail(failure.reason, retry=failure.retryable)
        else:
            await self.release()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._project.lease_seconds / 3)
            with contextlib.suppress(BacksolveError):
                await self.heartbeat()


class _Project:
    def __init__(self, place: Place, name: str, space: Space, lease_seconds: int) -> None:
        self.name = name
        self.space = space
        self.place = place
        self.lease_seconds = lease_seconds
        self.advice: tuple[Advice, ...] = ()
        """Explanation of how the problem was understood, if it was created here."""
        self._held: set[int] = set()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.place})"

    def _ask(self, count: int, wait: bool) -> Steps[list[m.ClaimedEvaluation]]:
        """Waits until there is something to run, or the search is over. While evaluations are held, it does not wait."""
        while True:
            patience = CLAIM_SECONDS if wait and not self._held else 0
            claimed = yield from _batch.claim(self.place.batch_id, count, patience, self.lease_seconds, self.space)
            self._held.update(each.id for each in claimed)
            if claimed or patience == 0 or not (yield from self._is_open()):
                return claimed

    def _is_open(self) -> Steps[bool]:
        batch: m.Batch = (yield Call("get_batch", self.place.batch_id)).body
        return batch.status in OPEN_STATES

    def _report(self, evaluation: _Evaluation, outcome: list[float] | Failed) -> Steps[Told]:
        with said_here(Names(list(self.space.inputs), self.space.outputs), "/run"):
            told = yield from _batch.report(evaluation.id, evaluation.lease_token, outcome, evaluation.seconds)
        self._drop(evaluation)
        return told

    def _release(self, evaluation: _Evaluation) -> Steps[None]:
        yield from _batch.release(evaluation.id, evaluation.lease_token)
        self._drop(evaluation)

    def _drop(self, evaluation: _Evaluation) -> None:
        evaluation.is_over = True
        self._held.discard(evaluation.id)

    def _correct(self, of: _Evaluation | Run, fields: Mapping[str, Any]) -> Steps[None]:
        with said_here(Names(list(self.space.inputs), self.space.outputs), "/run"):
            yield from self._corrected(of, fields)

    def _corrected(self, of: _Evaluation | Run, fields: Mapping[str, Any]) -> Steps[None]:
        batch: m.Batch = (yield Call("get_batch", self.place.batch_id)).body
        if batch.trial_id is None:
            raise ValueError("The designed runs are not complete yet. Correct them once the search has begun.")
        path = (self.place.model_id, self.place.project_id, batch.trial_id)
        is_designed = of.is_designed if isinstance(of, _Evaluation) else of.kind == "designed"
        number = of.case_number if isinstance(of, _Evaluation) else of.number
        if is_designed:
            yield Call("correct_case", *path, number, m.NewCaseCorrection(**fields))
            return
        entries: list[m.BatchObjective] = (yield Call("list_batch_objectives", self.place.batch_id)).body
        objective_id = entries[0].objective_id
        inverse_id = of.inverse_id if isinstance(of, _Evaluation) else None
        if inverse_id is None:
            history: m.History = (yield Call("get_history", objective_id)).body
            inverse_id = dict(zip(history.iterations, history.inverse_ids, strict=True))[number or 0]
        yield Call("correct_inverse", objective_id, inverse_id, m.NewInverseCorrection(**fields))

    def _result(self) -> Steps[Result]:
        result = yield from read_result(self.name, self.place, self.space)
        return replace(result, advice=self.advice + result.advice)

    def _correction(self, output: Output | None, failed: bool, excluded: bool | None, reason: str, reopen: bool) -> dict[str, Any]:
        if (output is not None) + failed + (excluded is not None) != 1:
            raise ValueError("A correction states one thing: output, failed=True, or excluded.")
        fields: dict[str, Any] = {"reason": reason, "reopen": reopen}
        if output is not None:
            values = self.space.read_output(output)
            if isinstance(values, Failed):
                raise ValueError(f"{values.reason}; for a failed run send failed=True.")
            return {**fields, **_batch.told(values)}
        return {**fields, "failed": True} if failed else {**fields, "excluded": excluded}


def _created(problem: Problem, name: str, identity: str, parallel: int, budget: int | None, tries: int) -> Steps[Place]:
    project = yield from _batch.create_project(problem, name, identity, parallel, budget)
    attempts = _batch.attempts_left(budget, project.case_count)
    body = _batch.batch_body(problem, name, parallel, attempts, None, tries)
    with said_here(problem.names, "/batch"):
        batch: m.CreatedBatch = (
            yield Call("create_batch", project.model_id, project.id, body, idempotency_key=_batch.key_of(identity, "batch 1"))
        ).body
    return Place(project.model_id, project.id, batch.id)


def _opened(batch_id: int, goals: Mapping[str, AnyGoal] | None) -> Steps[tuple[Place, str, Space]]:
    batch: m.Batch = (yield Call("get_batch", batch_id)).body
    project: m.Project = (yield Call("get_project", batch.model_id, batch.project_id)).body
    return Place(batch.model_id, batch.project_id, batch.id), batch.name or project.name, space_of(project, goals)


class Project(_Project):
    """
    A search that any number of programs may work on: ask for inputs, run them, tell what came out.

        for evaluation in project:
            with evaluation:
                evaluation.tell(f(**evaluation.input))
        print(project.result())
    """

    def __init__(self, client: Backsolve, place: Place, name: str, space: Space, lease_seconds: int = LEASE_SECONDS) -> None:
        super().__init__(place, name, space, lease_seconds)
        self.client = client

    @classmethod
    def create(
        cls,
        client: Backsolve,
        inputs: Mapping[str, Input | Sequence[float]],
        goals: Mapping[str, AnyGoal],
        *,
        name: str = "From Python",
        parallel: int = 1,
        budget: int | None = None,
        key: str | None = None,
        tries: int = 3,
        lease_seconds: int = LEASE_SECONDS,
        **search: Unpack[SearchOptions],
    ) -> Project:
        """
        Creates a search. `parallel` is how many inputs are open at a time, `budget` how many runs there may be in all, the designed ones
        included. A repetition with the same `key` within 24 hours creates nothing new. `search` has the further arguments of solve.
        """
        refuse_unknown_options(Project.create, SearchOptions.__annotations__, search)
        stated = make_problem(inputs, goals, **search)
        check_counts(parallel=parallel, budget=budget, tries=tries, cases=stated.cases)
        problem = stated.with_defaults()
        place = run(client, _created(problem, name, key or secrets.token_hex(16), parallel, budget, tries))
        project = cls(client, place, name, problem.space, lease_seconds)
        project.advice = tuple(stated.advice_on(problem))
        return project

    @classmethod
    def open(
        cls, client: Backsolve, batch_id: int, *, goals: Mapping[str, AnyGoal] | None = None, lease_seconds: int = LEASE_SECONDS
    ) -> Project:
        """
        A search that exists, for example from another program: its number is `project.place.batch_id`. With outputs that are fitted, give
        the same `goals` as there to tell curves; without them an output is told number by number.
        """
        place, name, space = run(client, _opened(batch_id, goals))
        return cls(client, place, name, space, lease_seconds)

    def ask(self, count: int = 1, *, wait: bool = True) -> list[Evaluation]:
        """
        Up to `count` inputs to run now. Waits for the first one, unless you hold some already or `wait` is False. Empty when the search is
        over, or when there is nothing without waiting.
        """
        return [Evaluation(each, self) for each in self._run(self._ask(count, wait))]

    def tell(self, evaluation: Evaluation, output: Output) -> Told:
        """Reports the output; a NaN in it is a failed run. Raises OutputError when it is none, ServiceError when it is refused."""
        return self._run(self._report(evaluation, self.space.read_output(output)))

    def fail(self, evaluation: Evaluation, reason: str, *, retry: bool = False) -> Told:
        """Reports a failed run: the search stays away from there. With `retry` the machine failed, and the run is tried again."""
        return self._run(self._report(evaluation, Failed(reason, retry)))

    def release(self, evaluation: Evaluation) -> None:
        """Hands it back, for anybody else to run."""
        self._run(self._release(evaluation))

    def correct(
        self,
        of: Evaluation | Run,
        *,
        reason: str,
        output: Output | None = None,
        failed: bool = False,
        excluded: bool | None = None,
        reopen: bool = False,
    ) -> None:
        """Changes what was reported: the output, that it failed, or whether it counts. `reopen` allows a verdict to change."""
        self._run(self._correct(of, self._correction(output, failed, excluded, reason, reopen)))

    def is_open(self) -> bool:
        """Whether the search goes on."""
        return self._run(self._is_open())

    def result(self) -> Result:
        """Reads what has been found so far."""
        return self._run(self._result())

    def cancel(self) -> None:
        """Ends the search. What was run stays."""
        self.client.cancel_batch(self.place.batch_id)

    def __iter__(self) -> Iterator[Evaluation]:
        """One evaluation after another, until the search is over."""
        while asked := self.ask():
            yield from asked

    def _run(self, steps: Steps[T]) -> T:
        return run(self.client, steps)


class AsyncProject(_Project):
    """As Project, with methods that are awaited, and `async for`."""

    def __init__(self, client: AsyncBacksolve, place: Place, name: str, space: Space, lease_seconds: int = LEASE_SECONDS) -> None:
        super().__init__(place, name, space, lease_seconds)
        self.client = client

    @classmethod
    async def create(
        cls,
        client: AsyncBacksolve,
        inputs: Mapping[str, Input | Sequence[float]],
        goals: Mapping[str, AnyGoal],
        *,
        name: str = "From Python",
        parallel: int = 1,
        budget: int | None = None,
        key: str | None = None,
        tries: int = 3,
        lease_seconds: int = LEASE_SECONDS,
        **search: Unpack[SearchOptions],
    ) -> AsyncProject:
        """As Project.create."""
        refuse_unknown_options(AsyncProject.create, SearchOptions.__annotations__, search)
        stated = make_problem(inputs, goals, **search)
        check_counts(parallel=parallel, budget=budget, tries=tries, cases=stated.cases)
        problem = stated.with_defaults()
        place = await run_async(client, _created(problem, name, key or secrets.token_hex(16), parallel, budget, tries))
        project = cls(client, place, name, problem.space, lease_seconds)
        project.advice = tuple(stated.advice_on(problem))
        return project

    @classmethod
    async def open(
        cls, client: AsyncBacksolve, batch_id: int, *, goals: Mapping[str, AnyGoal] | None = None, lease_seconds: int = LEASE_SECONDS
    ) -> AsyncProject:
        """As Project.open."""
        place, name, space = await run_async(client, _opened(batch_id, goals))
        return cls(client, place, name, space, lease_seconds)

    async def ask(self, count: int = 1, *, wait: bool = True) -> list[AsyncEvaluation]:
        """As Project.ask."""
        return [AsyncEvaluation(each, self) for each in await self._run(self._ask(count, wait))]

    async def tell(self, evaluation: AsyncEvaluation, output: Output) -> Told:
        """As Project.tell."""
        return await self._run(self._report(evaluation, self.space.read_output(output)))

    async def fail(self, evaluation: AsyncEvaluation, reason: str, *, retry: bool = False) -> Told:
        """As Project.fail."""
        return await self._run(self._report(evaluation, Failed(reason, retry)))

    async def release(self, evaluation: AsyncEvaluation) -> None:
        """As Project.release."""
        await self._run(self._release(evaluation))

    async def correct(
        self,
        of: AsyncEvaluation | Run,
        *,
        reason: str,
        output: Output | None = None,
        failed: bool = False,
        excluded: bool | None = None,
        reopen: bool = False,
    ) -> None:
        """As Project.correct."""
        await self._run(self._correct(of, self._correction(output, failed, excluded, reason, reopen)))

    async def is_open(self) -> bool:
        """Whether the search goes on."""
        return await self._run(self._is_open())

    async def result(self) -> Result:
        """Reads what has been found so far."""
        return await self._run(self._result())

    async def cancel(self) -> None:
        """Ends the search. What was run stays."""
        await self.client.cancel_batch(self.place.batch_id)

    async def __aiter__(self) -> AsyncIterator[AsyncEvaluation]:
        """One evaluation after another, until the search is over."""
        while asked := await self.ask():
            for evaluation in asked:
                yield evaluation

    async def _run(self, steps: Steps[T]) -> T:
        return await run_async(self.client, steps)
