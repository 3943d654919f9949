"""Calls a black box: with keywords or one dictionary, in the main thread, in threads of its own, in an executor, or awaited."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import inspect
import queue
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from types import CodeType
from typing import Any

from .inputs import Value

Job = Callable[[], None]


def caller_of(f: Callable[..., Any], names: list[str]) -> Callable[[Mapping[str, Value]], Any]:
    """
    How to call f with an input: by keywords if it takes them, else with one dictionary. Raises TypeError when it takes neither.
    """
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


def fingerprint_of(f: Callable[..., Any]) -> str | None:
    """Changes with the code of f itself; None where that cannot be read."""
    code = getattr(inspect.unwrap(f), "__code__", None)
    return hashlib.sha256(repr(_shape_of(code)).encode()).hexdigest()[:16] if isinstance(code, CodeType) else None


def _shape_of(code: CodeType) -> tuple[Any, ...]:
    constants = [_shape_of(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return code.co_code, code.co_names, constants


class MainThread:
    """Runs jobs in the thread that calls `work`, so that Ctrl-C reaches a black box, and one that needs the main thread has it."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()

    def submit(self, job: Job) -> None:
        self._jobs.put(job)

    def end(self) -> None:
        self._jobs.put(None)

    def work(self) -> None:
        """Until `end` was called."""
        while (job := self._jobs.get()) is not None:
            job()


class Threads:
    """Daemon threads: a run that nobody waits for any more keeps no program from ending."""

    def __init__(self, count: int) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._count = count
        for number in range(count):
            threading.Thread(target=self._work, name=f"backsolve run {number + 1}", daemon=True).start()

    def submit(self, job: Job) -> None:
        self._jobs.put(job)

    def end(self) -> None:
        for _ in range(self._count):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


async def invoke(
    call: Callable[[Mapping[str, Value]], Any],
    values: Mapping[str, Value],
    where: MainThread | Threads | Executor | None,
) -> Any:
    """What the black box returns or raises. Without `where` it is awaited."""
    if where is None:
        return await call(values)
    loop = asyncio.get_running_loop()
    if isinstance(where, Executor):
        return await loop.run_in_executor(where, call, values)
    future: asyncio.Future[Any] = loop.create_future()

    def finish(result: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def job() -> None:
        result: Any = None
        error: Exception | None = None
        try:
            result = call(values)
        except (StopIteration, SystemExit) as raised:
            # An event loop takes these for its own.
            error = RuntimeError(repr(raised))
        except Exception as raised:
            error = raised
        if not loop.is_closed():
            loop.call_soon_threadsafe(finish, result, error)

    where.submit(job)
    return await future
