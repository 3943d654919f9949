"""Runs that somebody ends by a signal, as engines do at preemption, a time limit or their own end: none is a failed run of the input."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from backsolve import Backsolve, EndedError, Project, TryAgain, _executors, _slurm, solve_async
from backsolve._blackbox import attempt
from backsolve._fmu_process import Process

from .test_executors import GOALS, INPUTS, claims, failures, journaled, play, processes, u_and_v

SIGNALS = ["SIGTERM", "SIGUSR1", "SIGUSR2", "SIGHUP", "SIGXCPU"]


class Preempted(Exception):
    """Stands for submitit's UncompletedJobError, which is raised into a function and is an Exception too."""


def exit_as_ray_does(number: int, _frame: object) -> None:
    sys.exit(number)


def raise_as_submitit_does(number: int, _frame: object) -> None:
    raise Preempted(f"signal {number}")


def go_on(_number: int, _frame: object) -> None:
    """As submitit does at SIGTERM."""


@contextlib.contextmanager
def handling(handler: Callable[[int, object], None], names: list[str] = SIGNALS) -> Iterator[None]:
    before = {name: signal.signal(getattr(signal, name), handler) for name in names}
    try:
        yield
        assert [signal.getsignal(getattr(signal, name)) for name in names] == [handler] * len(names), "the handlers stay"
    finally:
        for name, each in before.items():
            signal.signal(getattr(signal, name), each)


SPACE: Any = SimpleNamespace(read_output=lambda output: output)


def tried(box: Callable[[], Any]) -> Any:
    return attempt(lambda _: box(), SPACE, {})


def send(name: str) -> None:
    os.kill(os.getpid(), getattr(signal, name))


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize(("handler", "raised"), [(exit_as_ray_does, SystemExit), (raise_as_submitit_does, Preempted)])
def test_what_the_handler_of_a_signal_raises_into_a_run_is_no_result(
    name: str, handler: Callable[[int, object], None], raised: type[BaseException]
) -> None:
    with handling(handler), pytest.raises(raised):
        tried(lambda: send(name))


def test_an_exit_or_exception_of_the_black_box_itself_is_a_failed_run_whatever_handlers_there_are() -> None:
    def raises() -> None:
        raise ValueError("no convergence")

    with handling(exit_as_ray_does):
        assert (tried(lambda: sys.exit(3)).reason, tried(raises).reason) == ("SystemExit: 3", "ValueError: no convergence")


def test_a_run_that_outlives_a_signal_has_its_output_and_one_that_fails_after_it_is_no_result() -> None:
    def outlives() -> list[float]:
        send("SIGTERM")
        return [1.0]

    def hides() -> None:
        try:
            send("SIGUSR2")
        except SystemExit:
            raise RuntimeError("the solver stopped") from None

    def fails() -> None:
        send("SIGTERM")
        # Slurm signals all processes of a job.
        subprocess.run(["sh", "-c", "kill -TERM $$"], check=True)

    with handling(go_on):
        assert tried(outlives) == [1.0]
        with pytest.raises(EndedError, match="SIGTERM reached the process of a run, which then failed: CalledProcessError"):
            tried(fails)
    with handling(exit_as_ray_does), pytest.raises(EndedError, match="SIGUSR2 .* RuntimeError: the solver stopped"):
        tried(hides)


def test_a_handler_that_the_black_box_installs_is_its_own() -> None:
    def box() -> list[float]:
        signal.signal(signal.SIGUSR1, go_on)
        send("SIGUSR1")
        return [1.0]

    with handling(exit_as_ray_does):
        assert tried(box) == [1.0]
        assert signal.signal(signal.SIGUSR1, exit_as_ray_does) is go_on


@pytest.mark.parametrize(
    ("script", "is_retried"),
    [
        ("kill -TERM $$", True),
        ("kill -KILL $$", True),
        ("exit 143", True),
        ("ulimit -c 0; kill -SEGV $$", False),
        ("exit 139", False),
        ("exit 3", False),
        ("exit 128", False),
    ],
)
def test_a_program_that_was_ended_from_outside_is_tried_again_and_one_that_crashed_is_not(script: str, is_retried: bool) -> None:
    def box() -> None:
        subprocess.run(["sh", "-c", script], check=True)

    assert tried(box).retryable is is_retried


def test_a_program_that_was_ended_in_a_block_of_an_evaluation_is_tried_again(client: Backsolve) -> None:
    project = Project.create(client, INPUTS, GOALS, name="Asked", cases=2)
    for raised in (subprocess.CalledProcessError(-signal.SIGTERM, "simulate"), TryAgain("no licence")):
        (evaluation,) = project.ask()
        with contextlib.suppress(subprocess.CalledProcessError, TryAgain), evaluation:
            raise raised
        assert client.get_evaluation(evaluation.id).body.state == "waiting"


def test_a_process_of_an_fmu_that_was_ended_from_outside_is_tried_again() -> None:
    process = Process()
    try:
        os.kill(process._child.pid, signal.SIGTERM)
        with pytest.raises(TryAgain, match=r"the FMU was ended \(SIGTERM\)"):
            process.work({}, None, lambda: True)
    finally:
        process.end()


def install(handler: Callable[[int, object], None]) -> None:
    """In a process of a pool."""
    for name in SIGNALS:
        signal.signal(getattr(signal, name), handler)


def ended_now_and_then(folder: str, a: float, b: float) -> dict[str, float]:
    """Every third call is ended, each time by another signal; the second one fails by itself."""
    number = next(number for number in range(1, 1000) if claims(f"{folder}/{number}"))
    if number == 2:
        sys.exit(3)
    if number % 3 == 0:
        send(SIGNALS[number // 3 % len(SIGNALS)])
    return u_and_v(a, b)


@pytest.mark.parametrize("handler", [exit_as_ray_does, raise_as_submitit_does])
def test_an_executor_repeats_the_runs_that_it_ended(
    handler: Callable[[int, object], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_executors, "PAUSES", (0.0,) * 5)
    pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"), initializer=install, initargs=(handler,))
    with pool:
        result = play(functools.partial(ended_now_and_then, str(tmp_path)), executor=pool, parallel=2, progress=False)
    assert failures(result) == ["SystemExit: 3"]
    assert len(list(tmp_path.glob("[0-9]*"))) > len(result.history)


def ended_at_one_input(folder: str, name: str, a: float, b: float) -> dict[str, float]:
    """The third input, four times."""
    if claims(f"{folder}/1") or claims(f"{folder}/2"):
        return u_and_v(a, b)
    is_victim = claims(f"{folder}/victim", f"{a} {b}") or Path(f"{folder}/victim").read_text() == f"{a} {b}"
    if is_victim and any(claims(f"{folder}/ended {number}") for number in range(4)):
        send(name)
    return u_and_v(a, b)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGUSR2"])
def test_a_process_of_a_pool_that_is_ended_again_and_again_is_no_crash_by_the_input(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_executors, "PAUSES", (0.0,) * 5)
    result = play(functools.partial(ended_at_one_input, str(tmp_path), name), executor=processes, parallel=2, progress=False)
    assert failures(result) == []
    assert len(list(tmp_path.glob("ended *"))) == 4


def test_a_signal_to_a_program_that_solves_ends_it_and_the_same_call_goes_on() -> None:
    calls: list[float] = []

    def box(a: float, b: float) -> dict[str, float]:
        calls.append(a)
        if len(calls) == 4:
            send("SIGTERM")
        return u_and_v(a, b)

    with handling(exit_as_ray_does):
        with pytest.raises(SystemExit):
            play(box, progress=False)
        assert [line["failure"] for line in journaled()] == [None] * 3
        result = play(box, progress=False)
    assert result.satisfied
    assert failures(result) == []
    assert len(calls) == len(result.history) + 1


def test_a_run_that_fails_after_a_signal_ends_the_call_also_as_a_coroutine() -> None:
    async def box(a: float, b: float) -> dict[str, float]:
        send("SIGTERM")
        raise ValueError("stopped")

    with handling(go_on), pytest.raises(EndedError, match="repeat the call to continue"):
        asyncio.run(solve_async(box, INPUTS, GOALS, name="awaited", progress=False))
    assert journaled() == []


SQUEUE = """#!/bin/sh
case $* in *--format=%i*) ;; *) exit 1 ;; esac
cat "$QUEUE" || exit 1
"""


class SlurmJob:
    """A job of submitit on a Slurm without accounting: its state is unknown until it has a result."""

    def __init__(self, job_id: str, result: Any = None) -> None:
        self.job_id = job_id
        self.cancelled = False
        self._result = result

    def done(self) -> bool:
        return self._result is not None

    def result(self) -> Any:
        assert self.done(), "it would wait for ever"
        return self._result

    def cancel(self) -> None:
        self.cancelled = True


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Answers as `squeue` does."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "squeue").write_text(SQUEUE)
    (tmp_path / "bin" / "squeue").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("QUEUE", str(tmp_path / "queue"))
    monkeypatch.setattr(_slurm, "LOOK_SECONDS", 0.0)
    return tmp_path / "queue"


def test_a_job_that_left_the_queue_of_slurm_without_a_result_is_lost(queue: Path) -> None:
    queue.write_text("7 None\n8 Priority\n")
    seven, eight, elsewhere = (_slurm.watch(SlurmJob(each)) for each in ("7", "8", "9"))
    assert seven is not None
    assert eight is not None
    assert elsewhere is not None
    assert [each.why_lost() for each in (seven, eight, elsewhere)] == [None] * 3
    queue.write_text("8 None\n")
    # Its result may be on its way.
    assert seven.why_lost() is None
    assert seven.why_lost() == "job 7 left the queue of Slurm without a result"
    assert [each.why_lost() for each in (eight, elsewhere, elsewhere)] == [None] * 3
    queue.unlink()
    # Slurm does not answer.
    assert [eight.why_lost() for _ in range(3)] == [None] * 3
    queue.write_text("8 launch failed requeued held\n")
    assert eight.why_lost() == "job 8 waits for a person: launch failed requeued held"


def test_a_job_that_slurm_lost_is_submitted_again_and_fails_no_run(queue: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_executors, "PAUSES", (0.0,) * 5)
    monkeypatch.setattr(_executors, "LAST_POLL", 0.0)
    jobs: list[SlurmJob] = []

    class Slurm:
        """The third job is held, the fifth one shows up and is cancelled."""

        def submit(self, fn: Callable[..., Any], *args: Any) -> SlurmJob:
            number = len(jobs) + 1
            queue.write_text(f"{number} {'launch failed requeued held' if number == 3 else 'None'}\n")
            job = SlurmJob(str(number), None if number in (3, 5) else fn(*args))
            jobs.append(job)
            if number == 5:
                self._leave(job)
            return job

        def _leave(self, job: SlurmJob) -> None:
            looks = iter([False])

            def done() -> bool:
                if next(looks, True):
                    queue.write_text("")
                return False

            monkeypatch.setattr(job, "done", done)

    result = play(u_and_v, executor=Slurm(), progress=False)
    assert result.satisfied
    assert failures(result) == []
    assert [int(job.job_id) for job in jobs if job.cancelled] == [3, 5]
    assert len(jobs) == len(result.history) + 2
