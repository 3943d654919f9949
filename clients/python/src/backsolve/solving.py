"""solve: from a function to the inputs that make it return what is wanted."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from typing_extensions import Unpack

from ._blackbox import Attempt, Awaited, Call, MainThread, Runner, Threads, attempt, caller_of
from ._conditions import awaited_under_each, under_each
from ._connecting import CONNECT_SECONDS, LOCAL_PATIENCE_SECONDS, PATIENCE_SECONDS, address_of, teller
from ._engine import Engine
from ._errors import ChangedProblemError
from ._executors import AnyExecutor, Pool
from ._journal import Folder, folder_name
from ._kept import ChangedAnswerError
from ._local import open_local
from ._local_proof import ProvenTransport
from ._looks import looks_of
from ._options import refuse_unknown_options
from ._progress import Progress, make_progress
from ._reached import StandIn
from ._siblings import Siblings
from ._work import OnRun, Work
from .client import AsyncBacksolve
from .fmus import Fmu
from .inputs import Input
from .problem import AnyGoal, Problem, SearchOptions, check_counts, make_problem
from .result import Result

MAXIMUM_PARALLEL = 64


def solve(
    f: Callable[..., Any],
    inputs: Mapping[str, Input | Sequence[float]],
    goals: Mapping[str, AnyGoal],
    *,
    parallel: int = 1,
    budget: int | None = None,
    name: str | None = None,
    local: bool | None = None,
    url: str | None = None,
    api_key: str | None = None,
    folder: str | Path = ".backsolve",
    fresh: bool = False,
    retry_failed: bool = False,
    progress: bool | None = None,
    executor: AnyExecutor | None = None,
    tries: int = 3,
    verify: int = 0,
    files: Sequence[str | Path] = (),
    on_run: OnRun | None = None,
    **search: Unpack[SearchOptions],
) -> Result:
    """
    Finds inputs for which `f` returns what the goals ask for, in as few runs as possible.

    `f` is called with the inputs by name, or with one dictionary if it takes a single argument of another name. It returns its outputs
    by name, in the order of the goals, or the one number. An exception or a NaN is a failed run, TryAgain one that is tried again.

    `parallel` runs go on at a time: one in the calling thread, several in threads, or in `executor`. That is anything with a method
    submit, or a function that returns one, which is called again when the executor breaks. A run that an executor loses, because its
    worker was killed for example, is tried again. `budget` limits the runs, the designed ones included. The service is that of `url` and
    `api_key` (or BACKSOLVE_URL and BACKSOLVE_API_KEY); without one, or with `local`, it is started on this machine.

    After a fit was found, `verify` allows so many further runs, beside the budget, at the ends of the intervals of its inputs, where the
    models may be off; the intervals then rest on them.

    `sources` names cheaper versions of `f`, such as {"coarse": Source(g, cost=0.1)}. The service says which one to run. Only `f` counts:
    the search ends with a run of it, and `best` is one. A run has its source, and the budget counts runs of all sources.

    `on_run(run, problem)` is told of every run once it is kept: a logger, for example. `problem` is the same for all runs until `fresh`.
    A call that goes on tells of the earlier runs again, so that none is missed; `run.id` is what no other run of the problem has. An
    exception of it ends the call, and the same call goes on.

    What was run is kept in `folder`. After Ctrl-C or a crash the same call goes on and repeats no run that ended; `fresh` starts over, and
    `retry_failed` runs the runs that failed once more, for a black box that has been mended.
    `name` tells problems apart that have the same function, inputs and outputs, and lets goals change on the same data.

    Raises ValueError or TypeError for a wrong argument, OutputError when `f` returns no output of the problem, EndedError when a signal
    came before `f` failed, ExecutorError when the executor does not run it, ServiceError when the service refuses, UnreachableError when
    it cannot be reached, and LocalServiceError when none can be started.
    """
    refuse_unknown_options(solve, SearchOptions.__annotations__, search)
    problem = make_problem(inputs, goals, **search)
    main = MainThread()

    def threads() -> Runner:
        return Threads(parallel) if parallel > 1 else main

    session = _Session(
        f,
        problem,
        parallel,
        budget,
        name,
        (local, url, api_key),
        Path(folder),
        fresh,
        retry_failed,
        progress,
        tries,
        verify,
        files,
        executor,
        threads,
        on_run,
    )
    outcome: list[Result | BaseException] = []
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Result]]] = []

    async def follow() -> Result:
        task = asyncio.ensure_future(session.run())
        running.append((asyncio.get_running_loop(), task))
        return await task

    def work() -> None:
        try:
            outcome.append(asyncio.run(follow()))
        except BaseException as error:
            outcome.append(error)
        finally:
            main.end()

    # An event loop of its own, beside one that the caller may have, as a notebook does.
    thread = threading.Thread(target=work, name="backsolve", daemon=True)
    try:
        thread.start()
        main.work()
        thread.join()
    except BaseException as error:
        for loop, task in running:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
        thread.join()
        if isinstance(error, KeyboardInterrupt):
            session.display.note("interrupted; nothing is lost, repeat the call to continue")
        raise
    finally:
        session.close()
    (ended,) = outcome
    if isinstance(ended, BaseException):
        raise ended
    return ended


async def solve_async(
    f: Callable[..., Any],
    inputs: Mapping[str, Input | Sequence[float]],
    goals: Mapping[str, AnyGoal],
    *,
    parallel: int = 1,
    budget: int | None = None,
    name: str | None = None,
    local: bool | None = None,
    url: str | None = None,
    api_key: str | None = None,
    folder: str | Path = ".backsolve",
    fresh: bool = False,
    retry_failed: bool = False,
    progress: bool | None = None,
    executor: AnyExecutor | None = None,
    tries: int = 3,
    verify: int = 0,
    files: Sequence[str | Path] = (),
    on_run: OnRun | None = None,
    **search: Unpack[SearchOptions],
) -> Result:
    """As solve, in the running event loop. A coroutine function is awaited, any other one runs in threads."""
    refuse_unknown_options(solve_async, SearchOptions.__annotations__, search)
    problem = make_problem(inputs, goals, **search)
    threads = functools.partial(Threads, parallel)
    session = _Session(
        f,
        problem,
        parallel,
        budget,
        name,
        (local, url, api_key),
        Path(folder),
        fresh,
        retry_failed,
        progress,
        tries,
        verify,
        files,
        executor,
        threads,
        on_run,
    )
    try:
        return await session.run()
    finally:
        session.close()


class _Session:
    """One call of solve: its folder, its service and its display."""

    def __init__(
        self,
        f: Callable[..., Any],
        problem: Problem,
        parallel: int,
        budget: int | None,
        name: str | None,
        service: tuple[bool | None, str | None, str | None],
        root: Path,
        fresh: bool,
        retry_failed: bool,
        progress: bool | None,
        tries: int,
        verify: int,
        files: Sequence[str | Path],
        executor: AnyExecutor | None,
        threads: Callable[[], Runner],
        on_run: OnRun | None,
    ) -> None:
        is_named, name = name is not None, name or getattr(f, "__name__", "solve").strip("<>")
        if fresh and retry_failed:
            raise ValueError("fresh=True starts over, so no run has failed yet: leave out fresh, or retry_failed.")
        conditions = problem.space.conditions
        # A simulator of curves is told where they are needed.
        f_at_data = f.at_data_of(problem.goals) if isinstance(f, Fmu) else f
        call = caller_of(f_at_data, [*problem.inputs, *(conditions[0].when if conditions else ())])
        if conditions:
            call = functools.partial(awaited_under_each if inspect.iscoroutinefunction(f) else under_each, call, conditions)
        check_counts(parallel=parallel, budget=budget, tries=tries, cases=problem.cases, verify=verify or None)
        _check_parallel(parallel)
        if verify and not problem.fits:
            raise ValueError("verify runs the ends of the intervals of a fit: give a goal fit(...), or leave out verify.")
        self._root = root
        self._url = address_of(*service[:2])
        self._api_key = service[2]
        self.display: Progress = make_progress(name, budget, progress, problem.miss_shares)
        if executor is not None and inspect.iscoroutinefunction(f):
            raise ValueError("A coroutine function is awaited, not run in an executor: leave out executor.")
        self._runner = self._runner_of(f, call, problem, executor, threads)
        look = functools.partial(looks_of, f, {name: source.f for name, source in problem.sources.items()}, [Path(file) for file in files])
        self._work = Work(
            problem=problem,
            name=name,
            parallel=parallel,
            budget=budget,
            tries=tries,
            attempt=functools.partial(attempt, call, problem.space),
            sources=_attempts_of(f, problem),
            look=look,
            looks=look(),
            how_to_go_on=_how_to_go_on(problem),
            runner=self._runner,
            verify=verify,
            is_retry=retry_failed,
            on_run=on_run,
        )
        folder = folder_name(name, self._url, None if is_named else problem)
        self._siblings = Siblings(root, folder) if isinstance(f, StandIn) and not is_named else None
        self._folder = Folder(root, folder) if self._siblings is None else self._siblings.nearest(self._work.looks)
        if fresh:
            self._folder.put_aside()

    def _runner_of(
        self, f: Callable[..., Any], call: Call, problem: Problem, executor: AnyExecutor | None, threads: Callable[[], Runner]
    ) -> Runner:
        if inspect.iscoroutinefunction(f):
            return Awaited(call, problem.space)
        return threads() if executor is None else Pool(executor, self.display.note)

    async def run(self) -> Result:
        url, api_key, patience = self._url, self._api_key, PATIENCE_SECONDS
        if url is None:
            url, api_key = await asyncio.to_thread(open_local, self._root, self.display.note)
            patience = LOCAL_PATIENCE_SECONDS
        async with AsyncBacksolve(
            url,
            api_key,
            maximum_retries=1000,
            retry_for=patience,
            connect_for=CONNECT_SECONDS,
            on_retry=teller(self.display.note, self.display.warn),
        ) as client:
            if self._url is None and api_key is not None:
                client._http = ProvenTransport(client._http, api_key)
            try:
                return await Engine(self._work, client, self._folder, self.display).solve()
            except ChangedAnswerError as error:
                if self._siblings is None:
                    raise ChangedProblemError(str(error)) from None
            self._folder.close()
            self._folder = self._siblings.another()
            self.display.note("it has another answer, so that another search begins")
            return await Engine(self._work, client, self._folder, self.display).solve()

    def close(self) -> None:
        self._runner.end()
        self._folder.close()


def _how_to_go_on(problem: Problem) -> str:
    """For somebody whose black box has changed."""
    ways = "Revert the change, give another name, or start over with fresh=True."
    if problem.fits or problem.noise is not None:
        return ways
    return f"{ways} If runs at one input differ by chance, state noise: the same call then goes on without a further run."


def _attempts_of(f: Callable[..., Any], problem: Problem) -> dict[str, Attempt]:
    """Ways to run the cheaper sources."""
    if problem.sources and problem.fits:
        raise ValueError("A fit takes no sources yet: leave out sources, or state goals for the outputs.")
    for name, source in problem.sources.items():
        if inspect.iscoroutinefunction(source.f) != inspect.iscoroutinefunction(f):
            raise ValueError(f"The source {name} must be a coroutine function if and only if the black box is one.")
    return {
        name: functools.partial(attempt, caller_of(source.f, [*problem.inputs]), problem.space) for name, source in problem.sources.items()
    }


def _check_parallel(parallel: int) -> None:
    if not 1 <= parallel <= MAXIMUM_PARALLEL:
        raise ValueError(f"parallel must be from 1 to {MAXIMUM_PARALLEL}.")
