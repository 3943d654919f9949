"""solve: from a function to the inputs that make it return what is wanted."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from os import environ
from pathlib import Path
from typing import Any

from typing_extensions import Unpack

from ._blackbox import MainThread, Threads, caller_of, fingerprint_of
from ._engine import Engine, Work
from ._journal import Folder
from ._local import open_local
from ._options import refuse_unknown_options
from ._progress import Progress, make_progress
from .client import AsyncBacksolve
from .goals import Goal
from .inputs import Input
from .problem import Problem, SearchOptions, make_problem
from .result import Result

MAXIMUM_PARALLEL = 64
PATIENCE_SECONDS = 900.0
"""How long a service that does not answer is waited for; one on this machine does not come back by itself."""
LOCAL_PATIENCE_SECONDS = 20.0


def solve(
    f: Callable[..., Any],
    inputs: Mapping[str, Input | Sequence[float]],
    goals: Mapping[str, Goal],
    *,
    parallel: int = 1,
    budget: int | None = None,
    name: str | None = None,
    local: bool | None = None,
    url: str | None = None,
    api_key: str | None = None,
    folder: str | Path = ".backsolve",
    fresh: bool = False,
    progress: bool | None = None,
    executor: Executor | None = None,
    tries: int = 3,
    **search: Unpack[SearchOptions],
) -> Result:
    """
    Finds inputs for which `f` returns what the goals ask for, in as few runs as possible.

    `f` is called with the inputs by name, or with one dictionary if it takes a single argument of another name. It returns its outputs
    by name, in the order of the goals, or the one number. An exception or a NaN is a failed run, TryAgain one that is tried again.

    `parallel` runs go on at a time: one in the calling thread, several in threads, or in `executor`. `budget` limits the runs, the
    designed ones included. The service is that of `url` and `api_key` (or BACKSOLVE_URL and BACKSOLVE_API_KEY); without one, or with
    `local`, it is started on this machine.

    What was run is kept in `folder`. After Ctrl-C or a crash the same call goes on and repeats no run that ended; `fresh` starts over.
    `name` tells problems apart that have the same function, inputs and outputs, and lets goals change on the same data.

    Raises ValueError or TypeError for a wrong argument, OutputError when `f` returns no output of the problem, ServiceError when the
    service refuses, UnreachableError when it cannot be reached, and LocalServiceError when none can be started.
    """
    refuse_unknown_options(solve, SearchOptions, search)
    problem = make_problem(inputs, goals, **search)
    is_awaited = inspect.iscoroutinefunction(f)
    main = MainThread()
    threads = Threads(parallel) if _check_parallel(parallel) > 1 and not is_awaited and executor is None else None
    where = None if is_awaited else executor or threads or main
    session = _Session(f, problem, parallel, budget, name, (local, url, api_key), Path(folder), fresh, progress, tries, where)
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
            session.display.note("interrupted; nothing is lost, the same call goes on")
        raise
    finally:
        if threads is not None:
            threads.end()
        session.close()
    (ended,) = outcome
    if isinstance(ended, BaseException):
        raise ended
    return ended


async def solve_async(
    f: Callable[..., Any],
    inputs: Mapping[str, Input | Sequence[float]],
    goals: Mapping[str, Goal],
    *,
    parallel: int = 1,
    budget: int | None = None,
    name: str | None = None,
    local: bool | None = None,
    url: str | None = None,
    api_key: str | None = None,
    folder: str | Path = ".backsolve",
    fresh: bool = False,
    progress: bool | None = None,
    executor: Executor | None = None,
    tries: int = 3,
    **search: Unpack[SearchOptions],
) -> Result:
    """As solve, in the running event loop. A coroutine function is awaited, any other one runs in threads."""
    refuse_unknown_options(solve_async, SearchOptions, search)
    problem = make_problem(inputs, goals, **search)
    is_awaited = inspect.iscoroutinefunction(f)
    threads = None if is_awaited or executor is not None else Threads(_check_parallel(parallel))
    where = None if is_awaited else executor or threads
    session = _Session(f, problem, parallel, budget, name, (local, url, api_key), Path(folder), fresh, progress, tries, where)
    try:
        return await session.run()
    finally:
        if threads is not None:
            threads.end()
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
        progress: bool | None,
        tries: int,
        where: MainThread | Threads | Executor | None,
    ) -> None:
        self._work = Work(
            problem=problem,
            name=name or getattr(f, "__name__", "solve").strip("<>"),
            parallel=_check_parallel(parallel),
            budget=budget,
            tries=tries,
            call=caller_of(f, list(problem.inputs)),
            fingerprint=fingerprint_of(f),
            where=where,
        )
        self._root = root
        local, url, _ = service
        if local and url is not None:
            raise ValueError("local=True starts a service on this machine: leave out url, or local.")
        self._url = None if local else url or environ.get("BACKSOLVE_URL")
        if local is False and self._url is None:
            raise ValueError("Give the url of the service, or set BACKSOLVE_URL.")
        self._api_key = service[2]
        self.display: Progress = make_progress(self._work.name, budget, progress)
        self._folder = Folder(root, _folder_name(self._work, self._url, is_named=name is not None))
        if fresh:
            self._folder.put_aside()

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
            on_retry=lambda retry: self.display.note(f"trying again in {retry.delay:.1f} s: {retry.error}"),
        ) as client:
            return await Engine(self._work, client, self._folder, self.display).solve()

    def close(self) -> None:
        self._folder.close()


def _check_parallel(parallel: int) -> int:
    if not 1 <= parallel <= MAXIMUM_PARALLEL:
        raise ValueError(f"parallel must be from 1 to {MAXIMUM_PARALLEL}.")
    return parallel


def _folder_name(work: Work, url: str | None, *, is_named: bool) -> str:
    """A name that was given stands alone; otherwise the same function with other inputs or outputs is another problem."""
    stem = re.sub(r"[^\w.-]+", "-", work.name)[:60].strip(".-") or "solve"
    body = work.problem.project_body("").model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"case_count"})
    identity = [url] if is_named else [url, body]
    return f"{stem}-{hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:8]}"
