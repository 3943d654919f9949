"""solve with an executor: what the black box raises is an outcome, what the executor raises is not."""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from backsolve import BacksolveError, ExecutorError, Result, TryAgain, _executors, solve, within

TRIES = 1 + len(_executors.PAUSES)
INPUTS = {"a": (0, 10), "b": (0, 10)}
GOALS = {"u": within(12, percent=1), "v": within(13, percent=1)}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_executors, "PAUSES", (0.0,) * (TRIES - 1))


def u_and_v(a: float, b: float) -> dict[str, float]:
    return {"u": a * b, "v": a + 3 * b}


def claims(marker: str, words: str = "") -> bool:
    """Whether this is the first process that asks."""
    try:
        handle = os.open(marker, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return False
    os.write(handle, words.encode())
    os.close(handle)
    return True


def killed_once(folder: str, a: float, b: float) -> dict[str, float]:
    """The third run kills its worker."""
    if not claims(f"{folder}/1") and not claims(f"{folder}/2") and claims(f"{folder}/3"):
        os.kill(os.getpid(), signal.SIGKILL)
    return u_and_v(a, b)


def killed_at_one_input(folder: str, a: float, b: float) -> dict[str, float]:
    # By both inputs: other runs may lie on the same bound of one.
    if claims(f"{folder}/killer", f"{a} {b}") or Path(f"{folder}/killer").read_text() == f"{a} {b}":
        os.kill(os.getpid(), signal.SIGKILL)
    return u_and_v(a, b)


class Peculiar(Exception):
    """Takes two arguments, so that it cannot be sent from one process to another."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


def peculiar_once(folder: str, a: float, b: float) -> dict[str, Any]:
    if claims(f"{folder}/1"):
        raise Peculiar("this", "that")
    if claims(f"{folder}/2"):
        raise TryAgain("no licence")
    return {**u_and_v(a, b), "a field that cannot be sent": lambda: None}


def processes() -> ProcessPoolExecutor:
    context = multiprocessing.get_context("forkserver")
    # Every worker would load the package itself.
    context.set_forkserver_preload([__name__])
    return ProcessPoolExecutor(2, mp_context=context)


def play(f: Callable[..., Any], **options: Any) -> Result:
    return solve(f, INPUTS, GOALS, name="played", cases=6, budget=60, **options)


def failures(result: Result) -> list[str]:
    return [run.failure for run in result.history if run.failure is not None]


def journaled() -> list[dict[str, Any]]:
    (journal,) = Path(".backsolve/python").glob("*/runs.jsonl")
    return [line for line in map(json.loads, journal.read_text().splitlines()) if line["kind"] == "finished"]


def test_a_killed_worker_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = play(functools.partial(killed_once, str(tmp_path)), executor=processes)
    assert "the executor broke; a new one repeats the runs it lost: BrokenProcessPool" in capsys.readouterr().err
    assert failures(result) == []
    undisturbed = play(u_and_v, fresh=True, progress=False)
    assert result.satisfied
    assert list(result.history) == list(undisturbed.history)
    assert [line["failure"] for line in journaled()] == [None] * len(result.history)


def test_a_broken_executor_that_cannot_be_replaced_ends_the_call_and_fails_no_run(tmp_path: Path) -> None:
    black_box = functools.partial(killed_once, str(tmp_path))
    with processes() as executor, pytest.raises(ExecutorError, match="Give a function that returns a fresh one") as raised:
        play(black_box, executor=executor, parallel=20)
    assert "repeat the call to continue" in str(raised.value)
    assert [line["failure"] for line in journaled() if line["failure"]] == []
    result = play(black_box, executor=processes, parallel=2, progress=False)
    assert result.satisfied
    assert failures(result) == []


def test_an_input_that_always_kills_its_worker_is_a_failed_run_and_harms_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = play(functools.partial(killed_at_one_input, str(tmp_path)), executor=processes, parallel=3)
    assert result.satisfied
    (failure,) = failures(result)
    assert failure.startswith("The executor lost the run 3 times, the last time while nothing else ran: BrokenProcessPool")
    a, b = (float(word) for word in (tmp_path / "killer").read_text().split())
    assert [run.input for run in result.history if run.failure] == [{"a": a, "b": b}]
    assert f"the run of a={a:.5g} b={b:.5g}" in capsys.readouterr().err


def test_what_a_black_box_raises_comes_back_from_another_process_whatever_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = play(functools.partial(peculiar_once, str(tmp_path)), executor=processes)
    assert result.satisfied
    assert failures(result) == ["Peculiar: this and that"]
    assert "a run failed and will be retried: TryAgain: no licence" in capsys.readouterr().err


class Job:
    """A job of a queue, without callbacks."""

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...], error: BaseException | None) -> None:
        self._future: Future[Any] = Future()
        self._error = error
        threading.Thread(target=lambda: self._future.set_result(fn(*args)), daemon=True).start()

    def done(self) -> bool:
        return self._future.done()

    def result(self) -> Any:
        given = self._future.result()
        if self._error is not None:
            raise self._error
        return given


class Queue:
    """No executor of concurrent.futures. `errors` are what it raises for its first jobs instead of their results."""

    def __init__(self, *errors: BaseException) -> None:
        self._errors = list(errors)

    def submit(self, fn: Callable[..., Any], *args: Any) -> Job:
        return Job(fn, args, self._errors.pop(0) if self._errors else None)


def test_any_object_that_submits_is_an_executor(capsys: pytest.CaptureFixture[str]) -> None:
    calls = []
    # Calls in two threads get different numbers.
    numbers = itertools.count(1)

    def black_box(a: float, b: float) -> dict[str, float]:
        calls.append(a)
        if next(numbers) == 5:
            raise ValueError("no convergence")
        return u_and_v(a, b)

    queue = Queue(RuntimeError("the job was preempted"), CancelledError(), asyncio.CancelledError())
    result = play(black_box, executor=queue, parallel=2)
    assert result.satisfied
    assert failures(result) == ["ValueError: no convergence"]
    # The search may end while another run is in progress, which then does not count.
    assert 0 <= len(calls) - 3 - len(result.history) < 2
    said = capsys.readouterr().err
    assert "which will be retried: RuntimeError: the job was preempted." in said
    assert said.count("which will be retried: ") == 3


class Broken:
    """Has no process for any job."""

    def __init__(self, error: BrokenExecutor) -> None:
        self._error = error

    def submit(self, fn: Callable[..., Any], *args: Any) -> Any:
        lost: Future[Any] = Future()
        lost.set_exception(self._error)
        return lost


def test_a_pool_that_runs_nothing_ends_the_call_and_fails_no_run() -> None:
    with pytest.raises(ExecutorError, match="3 times, and then a probe that does not call the black box: BrokenProcessPool: no memory"):
        play(u_and_v, executor=lambda: Broken(BrokenProcessPool("no memory")), parallel=2, progress=False)
    assert journaled() == []


def test_a_cluster_that_breaks_again_and_again_ends_the_call_and_fails_no_run() -> None:
    with pytest.raises(ExecutorError, match=f"in {TRIES} tries: BrokenExecutor: no manager"):
        play(u_and_v, executor=lambda: Broken(BrokenExecutor("no manager")), progress=False)
    assert journaled() == []


class UncompletedJob(RuntimeError):
    """The error of submitit for a job that was preempted, cancelled or lost with its node."""


class Refusing(Queue):
    """Raises at the first jobs where a queue lets them run."""

    def submit(self, fn: Callable[..., Any], *args: Any) -> Job:
        if self._errors:
            raise self._errors.pop(0)
        return super().submit(fn, *args)


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (Refusing, OSError("the scheduler does not answer"), "OSError: the scheduler does not answer"),
        (Queue, CancelledError("by the administrator"), "CancelledError: by the administrator"),
        (Queue, asyncio.CancelledError(), "CancelledError: the job was cancelled"),
        (Queue, UncompletedJob("PREEMPTED"), "UncompletedJob: PREEMPTED"),
    ],
)
def test_jobs_that_are_refused_cancelled_or_lost_fail_no_run_although_a_probe_would_succeed(
    make: Callable[..., Queue], error: BaseException, said: str
) -> None:
    with pytest.raises(ExecutorError, match=f"did not run a=.* in {TRIES} tries: {said}. No run was recorded as failed"):
        play(u_and_v, executor=make(*[error] * TRIES), progress=False)
    assert journaled() == []
    result = play(u_and_v, executor=make(*[error] * (TRIES - 1)), progress=False)
    assert result.satisfied
    assert failures(result) == []


def test_a_scheduler_gets_time_to_come_back_and_a_mistake_of_the_program_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = []

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    pauses = tuple(range(1, TRIES))
    monkeypatch.setattr(_executors, "PAUSES", pauses)
    monkeypatch.setattr(asyncio, "sleep", wait)
    pool = _executors.Pool(Queue(), lambda _: None)

    async def lose(error: Exception) -> None:
        run = _executors._Run()
        for _ in range(TRIES):
            await pool._wait(run, {"a": 1.0}, error)

    for error, expected in ((OSError("away"), list(pauses)), (TypeError("cannot pickle"), [0.0] * len(pauses))):
        with pytest.raises(ExecutorError):
            asyncio.run(lose(error))
        assert waited == expected
        waited.clear()


def test_workers_of_an_executor_that_the_client_made_have_ended_when_the_call_returns() -> None:
    ended = threading.Event()

    class Lingering(Queue):
        """Leaves its workers running where nobody waits, as executorlib does."""

        def shutdown(self, wait: bool = True) -> None:
            if wait:
                ended.set()

    assert play(u_and_v, executor=Lingering, progress=False).satisfied
    assert ended.is_set()


def test_an_executor_gets_plain_functions() -> None:
    class Picky(Queue):
        def submit(self, fn: Callable[..., Any], *args: Any) -> Job:
            if not inspect.isfunction(fn):
                raise TypeError("not a function")
            return super().submit(fn, *args)

    assert play(u_and_v, executor=Picky(), progress=False).satisfied


def test_what_is_no_executor_is_refused() -> None:
    async def awaited(a: float, b: float) -> float:
        return a * b

    def raising() -> Queue:
        raise OSError("no cluster")

    with pytest.raises(TypeError, match="executor must have a method submit, or be a function"):
        play(u_and_v, executor=3)
    with pytest.raises(ValueError, match="leave out executor"):
        play(awaited, executor=Queue())
    with pytest.raises(ExecutorError, match="returned 3, which has no method submit"):
        play(u_and_v, executor=lambda: 3, progress=False)
    with pytest.raises(ExecutorError, match="The function given as executor raised OSError: no cluster"):
        play(u_and_v, executor=raising, progress=False)


def test_an_interrupt_within_a_thread_ends_the_call() -> None:
    class Abandoned(BaseException):
        pass

    numbers = itertools.count(1)

    def black_box(a: float, b: float) -> dict[str, float]:
        number = next(numbers)
        if number == 2:
            raise Abandoned("by a library")
        if number == 4:
            raise KeyboardInterrupt
        return u_and_v(a, b)

    with pytest.raises(BacksolveError, match="KeyboardInterrupt in a thread"):
        play(black_box, parallel=2, progress=False)
    assert failures(play(black_box, parallel=2, progress=False)) == ["Abandoned: by a library"]
