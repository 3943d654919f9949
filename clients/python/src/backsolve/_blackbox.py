"""Calls a black box: with keywords or one dictionary, in the main thread, in threads of its own, in an executor, or awaited."""

from __future__ import annotations

import asyncio
import functools
import inspect
import queue
import threading
from collections.abc import Callable, Mapping
from subprocess import CalledProcessError
from typing import Any, Protocol, TypeAlias

from ._errors import BacksolveError, EndedError, OutputError, TryAgain
from ._signals import Arrivals, is_ended_from_outside
from .inputs import Value
from .problem import Failed, Outcome, Space

Call: TypeAlias = Callable[[Mapping[str, Value]], Any]
"""Calls a black box with an input."""
Given: TypeAlias = Outcome | BacksolveError
"""The result of a call; an error such as OutputError ends the search."""
Attempt: TypeAlias = Callable[[Mapping[str, Value]], Given]
"""Makes a call; raises nothing that the black box itself raises."""
Job: TypeAlias = Callable[[], None]


def caller_of(f: Callable[..., Any], names: list[str]) -> Call:
    """Chooses how to call f: with keywords if it takes them, else with one dictionary. Raises TypeError when it takes neither."""
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):
        return functools.partial(_by_keywords, f)
    try:
        signature.bind(**dict.fromkeys(names))
    except TypeError as error:
        try:
            signature.bind({})
        except TypeError:
            raise TypeError(f"The black box must take the inputs {', '.join(names)} by name, or one dictionary: {error}.") from None
        return functools.partial(_by_dictionary, f)
    return functools.partial(_by_keywords, f)


def _by_keywords(f: Callable[..., Any], values: Mapping[str, Value]) -> Any:
    return f(**values)


def _by_dictionary(f: Callable[..., Any], values: Mapping[str, Value]) -> Any:
    return f(dict(values))


def fingerprint_of(f: object) -> str | None:
    """Fingerprint that a black box states itself, such as that of its workbook; None if it states none."""
    own = getattr(f, "fingerprint", None)
    return None if own is None or callable(own) else str(own)


def attempt(call: Call, space: Space, values: Mapping[str, Value]) -> Given:
    """
    Calls a black box wherever it runs. Its exceptions come back as values, so that a raised exception always comes from an executor, or
    from whoever ended the run: it is what the handler of a signal raised, or EndedError.
    """
    with Arrivals() as arrivals:
        try:
            output = call(values)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return _unless_ended(arrivals, failure_of(error), error)
        return _unless_ended(arrivals, _read(space, output))


def _unless_ended(arrivals: Arrivals, given: Given, error: BaseException | None = None) -> Given:
    """An output counts whatever arrived; any other end after a signal may be the work of that signal."""
    if arrivals.name is None or not isinstance(given, Failed | BacksolveError):
        return given
    if error is not None and error is arrivals.raised:
        raise error
    words = given.reason if isinstance(given, Failed) else str(given)
    raise EndedError(
        f"{arrivals.name} reached the process of a run, which then failed: {words.rstrip('.')}. Nothing is recorded of it; repeat the call "
        "to continue."
    ) from error


def _read(space: Space, output: Any) -> Given:
    try:
        return space.read_output(output)
    except OutputError as error:
        return error


def failure_of(error: BaseException) -> Failed:
    """The run is tried again after TryAgain, and where a program that it started was ended from outside."""
    retryable = isinstance(error, TryAgain) or (isinstance(error, CalledProcessError) and is_ended_from_outside(error.returncode))
    try:
        words = str(error).strip()
    except Exception:
        words = ""
    return Failed(f"{type(error).__name__}: {words}" if words else type(error).__name__, retryable)


class Runner(Protocol):
    """Runs a black box."""

    async def run(self, attempt: Attempt, values: Mapping[str, Value]) -> Given: ...

    def end(self) -> None: ...


class Awaited:
    """A coroutine function, in the event loop of the client."""

    def __init__(self, call: Call, space: Space) -> None:
        self._call = call
        self._space = space

    async def run(self, _attempt: Attempt, values: Mapping[str, Value]) -> Given:
        with Arrivals() as arrivals:
            try:
                output = await self._call(values)
            except (Exception, SystemExit) as error:
                return _unless_ended(arrivals, failure_of(error), error)
            return _unless_ended(arrivals, _read(self._space, output))

    def end(self) -> None:
        """Nothing is held."""


class MainThread:
    """Runs jobs in the thread that calls `work`, so that Ctrl-C reaches a black box, and one that needs the main thread has it."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()

    async def run(self, attempt: Attempt, values: Mapping[str, Value]) -> Given:
        return await _run_job(self._jobs, attempt, values)

    def end(self) -> None:
        self._jobs.put(None)

    def work(self) -> None:
        """Until `end` was called."""
        while (job := self._jobs.get()) is not None:
            job()


class Threads:
    """Daemon threads: a run whose result is no longer wanted keeps no program from ending."""

    def __init__(self, count: int) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._count = count
        self._has_begun = False

    async def run(self, attempt: Attempt, values: Mapping[str, Value]) -> Given:
        if not self._has_begun:
            self._has_begun = True
            for number in range(self._count):
                threading.Thread(target=self._work, name=f"backsolve run {number + 1}", daemon=True).start()
        return await _run_job(self._jobs, functools.partial(_uninterrupted, attempt), values)

    def end(self) -> None:
        for _ in range(self._count):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def _uninterrupted(attempt: Attempt, values: Mapping[str, Value]) -> Given:
    """In a thread that Ctrl-C does not reach."""
    try:
        return attempt(values)
    except KeyboardInterrupt:
        return BacksolveError("The black box raised KeyboardInterrupt in a thread. Nothing is lost; repeat the call to continue.")


async def _run_job(jobs: queue.SimpleQueue[Job | None], attempt: Attempt, values: Mapping[str, Value]) -> Given:
    """Until a thread has taken the job from the queue and done it."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Given] = loop.create_future()

    def finish(given: Given) -> None:
        if not future.done():
            future.set_result(given)

    def job() -> None:
        given = attempt(values)
        if not loop.is_closed():
            loop.call_soon_threadsafe(finish, given)

    jobs.put(job)
    return await future
