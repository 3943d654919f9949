"""
Runs a black box in an executor of the user. What the black box raises is an outcome and comes back as a value; what the executor raises
says nothing about the input, so the run is tried again:

- A run that an executor refuses, cancels or loses is submitted again, later each time, since a cluster preempts jobs and loses machines
  for hours. After the last try the call ends without a record of the run.
- A crash of a process pool of this machine is different: only the input, or a lack of memory, ends a process here, unless somebody ended it
  by a signal such as SIGTERM. The third try after crashes is alone in a fresh pool, so that it loses no other run. When it crashes that one
  too, and the pool then runs a probe, the input is to blame, and its run counts as failed. When the pool does not, the call ends without a
  record.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from pickle import PicklingError
from typing import Any, Protocol, TypeAlias, runtime_checkable

from . import _slurm
from ._blackbox import Attempt, Given
from ._errors import ExecutorError
from ._signals import ENDING
from ._words import describe_values
from .inputs import Value
from .problem import Failed

CRASHES = 3
"""Number of crashes of a pool of this machine by one run; for the last one it is alone."""
PAUSES = (0.0, 1.0, 5.0, 20.0, 60.0)
"""Seconds before each further try of a run that an executor loses."""
MISTAKES = (TypeError, ValueError, AttributeError, ImportError, PicklingError)
"""Errors of the program: waiting mends none of them."""
END_SECONDS = 5.0
"""At most, for the end of an executor. executorlib leaves its workers behind unless somebody waits."""
FIRST_POLL = 0.02
LAST_POLL = 1.0
"""Seconds between two checks of a job without callbacks."""


@runtime_checkable
class Submits(Protocol):
    """An executor: of concurrent.futures, or one whose jobs have `result` and `done`, as those of submitit."""

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Any: ...


AnyExecutor: TypeAlias = Submits | Callable[[], Submits]


class _RefusedError(Exception):
    """The executor took no job. Its cause is what the executor raised."""


class _EndedError(Exception):
    """Somebody ended a process of a pool by a signal."""


class _Run:
    """A run that is not over."""

    def __init__(self) -> None:
        self.losses = 0
        self.crashes = 0
        self.is_running = False

    @property
    def is_suspect(self) -> bool:
        """It may lose what runs beside it."""
        return self.crashes == CRASHES - 1


class Pool:
    """An executor as given, or what a factory makes: then one that breaks is replaced."""

    def __init__(self, given: AnyExecutor, note: Callable[[str], None]) -> None:
        is_instance = isinstance(given, Submits) and not isinstance(given, type)
        if not is_instance and not callable(given):
            raise TypeError("executor must have a method submit, or be a function that returns such an executor.")
        self._executor: Any = given if is_instance else None
        self._factory: Any = None if is_instance else given
        self._note = note
        self._runs: list[_Run] = []
        self._left: Submits | None = None
        """The last one that broke."""
        self._was_ended = False
        """From outside, that is."""
        self._changed = asyncio.Condition()
        self._making = asyncio.Lock()

    async def run(self, attempt: Attempt, values: Mapping[str, Value]) -> Given:
        """Raises ExecutorError when the executor is to blame for the loss of the run."""
        run = _Run()
        self._runs.append(run)
        try:
            while True:
                try:
                    given: Given = await self._once(run, _call, attempt, values)
                    return given
                except ExecutorError:
                    raise
                except BrokenProcessPool as error:
                    run.crashes += 1
                    if run.crashes == CRASHES:
                        return await self._judge(run, attempt, values, error)
                except Exception as error:
                    await self._wait(run, values, error)
        finally:
            self._runs.remove(run)
            await self._tell()

    def end(self) -> None:
        """Shuts down what the factory made."""
        if self._factory is not None and self._executor is not None:
            _shut_down(self._executor).join(END_SECONDS)

    async def _wait(self, run: _Run, values: Mapping[str, Value], error: Exception) -> None:
        """Until the next try. Raises ExecutorError when there is none."""
        if run.losses == len(PAUSES):
            raise ExecutorError(
                f"The executor did not run {describe_values(values)} in {len(PAUSES) + 1} tries: {_describe(error)} No run was recorded as "
                "failed; fix the executor and repeat the call to continue. If the run itself ends its worker, let the function start it as "
                "a program, as subprocess.run(..., check=True) does: a crash is then an exception, which is a failed run."
            ) from error
        pause = 0.0 if isinstance(_cause_of(error), MISTAKES) else PAUSES[run.losses]
        run.losses += 1
        if self._executor is not None:
            self._note(f"the executor lost the run of {describe_values(values)}, which will be retried: {_describe(error)}")
        await asyncio.sleep(pause)

    async def _once(self, run: _Run, fn: Callable[..., Any], *args: Any) -> Any:
        async with self._turn(run):
            executor = await self._get(is_fresh=run.is_suspect)
            try:
                return await _result_of(executor, fn, *args)
            except BrokenExecutor as error:
                self._leave(executor, error)
                if isinstance(error, BrokenProcessPool) and self._left is executor and self._was_ended:
                    raise _EndedError("somebody ended a process of the pool") from error
                raise

    @contextlib.asynccontextmanager
    async def _turn(self, run: _Run) -> AsyncIterator[None]:
        """Waits until the run may start: a suspect when nothing else runs, and the others when there is no suspect."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._may_start(run))
            run.is_running = True
        try:
            yield
        finally:
            run.is_running = False
            await self._tell()

    def _may_start(self, run: _Run) -> bool:
        return not any(each.is_running if run.is_suspect else each.is_suspect for each in self._runs)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _get(self, *, is_fresh: bool) -> Submits:
        """The executor. A suspect gets a fresh one, since nothing else runs then."""
        async with self._making:
            if is_fresh and self._factory is not None and self._executor is not None:
                await asyncio.to_thread(_shut_down(self._executor).join, END_SECONDS)
                self._executor = None
            if self._executor is None:
                self._executor = await asyncio.to_thread(_make, self._factory)
            made: Submits = self._executor
            return made

    def _leave(self, broken: Submits, error: BrokenExecutor) -> None:
        if self._factory is None:
            raise ExecutorError(
                f"The executor is broken: {_describe(error)} Give a function that returns a fresh one, such as "
                "executor=lambda: ProcessPoolExecutor(2), so that it can be replaced. No run was recorded as failed; repeat the "
                "call to continue."
            ) from error
        if self._executor is broken:
            self._left, self._was_ended = broken, _is_ended_from_outside(broken)
            self._executor = None
            self._note(f"the executor broke; a new one repeats the runs it lost: {_describe(error)}")
            _shut_down(broken)

    async def _judge(self, run: _Run, attempt: Attempt, values: Mapping[str, Value], lost: Exception) -> Failed:
        """Whether executor or input is to blame. The runs that a guilty input has lost are suspects no longer."""
        run.crashes = CRASHES - 1
        try:
            await self._once(run, _probe, attempt, values)
        except Exception as error:
            raise ExecutorError(
                f"The executor lost the run of {describe_values(values)} {CRASHES} times, and then a probe that does not call the black "
                f"box: {_describe(error)} No run was recorded as failed; fix the executor and repeat the call to continue."
            ) from lost
        for each in self._runs:
            each.crashes = 0
        self._note(f"the run of {describe_values(values)} is lost in every try and counts as failed: {_describe(lost)}")
        return Failed(f"The executor lost the run {CRASHES} times, the last time while nothing else ran: {_describe(lost)}")


def _is_ended_from_outside(broken: Any) -> bool:
    """True if a pool shows its processes and those that are over were ended by a signal from outside. It ends the others itself, by
    SIGTERM. SIGKILL may stand for a lack of memory, which the input may have caused.
    """
    ends = (each.exitcode for each in dict(getattr(broken, "_processes", None) or {}).values())
    codes = [code for code in ends if code]
    return bool(codes) and all(-code in ENDING for code in codes)


def _make(factory: Callable[[], Any]) -> Submits:
    try:
        made = factory()
    except Exception as error:
        raise ExecutorError(f"The function given as executor raised {_describe(error)}") from error
    if not isinstance(made, Submits):
        raise ExecutorError(f"The function given as executor returned {made!r}, which has no method submit.")
    return made


def _call(attempt: Attempt, values: Mapping[str, Value]) -> Given:
    """A function of a module, as the probe: some executors take nothing else."""
    return attempt(values)


def _probe(attempt: Attempt, values: Mapping[str, Value]) -> bool:
    """All that a run takes but the call of the black box."""
    return callable(attempt) and values is not None


def _submitted(executor: Submits, fn: Callable[..., Any], *args: Any) -> Any:
    try:
        return executor.submit(fn, *args)
    except BrokenExecutor:
        raise
    except Exception as error:
        raise _RefusedError from error


async def _result_of(executor: Submits, fn: Callable[..., Any], *args: Any) -> Any:
    """The result of a job. Whatever ends it without one is raised as an Exception, a cancellation included."""
    job = _submitted(executor, fn, *args)
    try:
        await _end_of(job)
    except asyncio.CancelledError:
        # The search is over: the result of a run that has not begun is of no use.
        with contextlib.suppress(Exception):
            job.cancel()
        raise
    result, error = _read(job) if isinstance(job, Future) else await asyncio.to_thread(_read, job)
    if isinstance(error, asyncio.CancelledError):
        raise CancelledError("the job was cancelled") from error
    if error is not None:
        raise error if isinstance(error, Exception) else RuntimeError(repr(error))
    return result


def _read(job: Any) -> tuple[Any, BaseException | None]:
    try:
        return job.result(), None
    except BaseException as error:
        return None, error


async def _end_of(job: Any) -> None:
    if not hasattr(job, "add_done_callback"):
        delay = FIRST_POLL
        slurm = _slurm.watch(job)
        while not await asyncio.to_thread(job.done):
            if slurm is not None and (why := await asyncio.to_thread(slurm.why_lost)) is not None:
                # It must not begin after all, beside the one that takes its place.
                with contextlib.suppress(Exception):
                    await asyncio.to_thread(job.cancel)
                raise _slurm.LostJobError(why)
            await asyncio.sleep(delay)
            delay = min(LAST_POLL, 1.5 * delay)
        return
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def wake(_job: Any) -> None:
        # The loop may be gone when no caller waits any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(ended.set)

    job.add_done_callback(wake)
    await ended.wait()


def _shut_down(executor: Any) -> threading.Thread:
    """Waits in a thread of its own for what it still runs."""

    def end() -> None:
        with contextlib.suppress(Exception):
            if hasattr(executor, "shutdown"):
                executor.shutdown(wait=True)
            elif hasattr(executor, "close"):
                executor.close()

    ending = threading.Thread(target=end, daemon=True)
    ending.start()
    return ending


def _cause_of(error: BaseException) -> BaseException:
    return error.__cause__ if isinstance(error, _RefusedError) and error.__cause__ is not None else error


def _describe(error: BaseException) -> str:
    error = _cause_of(error)
    words = " ".join(str(error).split())
    described = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return described if described.endswith((".", "!", "?")) else f"{described}."
