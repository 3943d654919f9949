"""
Ends runs of `solve` of the Python client from outside, in each engine that is installed: every fourth call of the black box is ended by
SIGTERM, SIGUSR1, SIGUSR2 or SIGKILL to its process, or by SIGTERM to its process and the program that it waits for, as `scancel` does.
On Slurm jobs are cancelled, reach their time limit (SIGUSR2, as submitit asks for) and are killed. The black box fails by itself, in four
ways, in a known part of its inputs. Prints a line for each engine: runs, faults by kind, failed runs that the black box did not fail,
failures of the black box that were not recorded, and runs that were kept and made again. These must be 0; exit code 1 otherwise. "ended
twice" counts runs of which the engine lost the result: Dask keeps it on the worker until it is fetched.

    python3 -m venv /tmp/executors && /tmp/executors/bin/pip install --editable clients/python distributed ray submitit loky
    /tmp/executors/bin/python bench/clients/python_ended.py [--only NAME] [--runs 100]
    npx node bench/drills/slurm-shell.ts --pause-seconds 30 -- /tmp/executors/bin/python bench/clients/python_ended.py --only slurm

The last command plays submitit on a real Slurm without accounting, on which it also loses nodes, launches and slurmctld.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "clients" / "python"))

import python_engines

from backsolve import Result, Run, _executors, _slurm, solve, within
from tests.service_process import running_service

INPUTS = {"a": (0.0, 10.0), "b": (0.0, 10.0), "c": (0.0, 10.0)}
AT_ONCE = 4
RUNS_PER_SEARCH = 34
FAULTS = ("SIGTERM", "SIGUSR2", "with its program", "SIGUSR1", "SIGKILL")
FAULTS_OF_SLURM = ("SIGTERM", "time limit", "cancelled", "SIGUSR1", "SIGKILL")
LONGEST_SECONDS = 60
"""Time after which a call that waits to be ended gives up."""


def fails_at(b: float, c: float) -> bool:
    """True for some of the designed runs."""
    return b > 6.5 and c < 6.5


def black_box(folder: str, kinds: tuple[str, ...], a: float, b: float, c: float) -> dict[str, float]:
    """It imports what it needs, since some engines send the function alone."""
    import os
    import subprocess
    import sys
    import time
    from pathlib import Path

    number = 1
    while True:
        try:
            os.close(os.open(f"{folder}/call {number}", os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            number += 1
    with Path(f"{folder}/began").open("a") as began:
        began.write(f"{a!r} {b!r} {c!r} {time.time()}\n")
    if number % 4 == 0:
        draft = Path(f"{folder}/draft {number}")
        draft.write_text(f"{os.getpid()}\n{kinds[number // 4 % len(kinds)]}\n{os.environ.get('SLURM_JOB_ID', '')}\n")
        draft.rename(f"{folder}/victim {number}")
        subprocess.run(["sleep", "60"], check=True)
    time.sleep(0.2)
    with Path(f"{folder}/ended").open("a") as ended:
        ended.write(f"{a!r} {b!r} {c!r}\n")
    if b > 6.5 and c < 6.5:  # as fails_at
        ways = [lambda: sys.exit(3), lambda: 1 / 0, lambda: subprocess.run(["false"], check=True), lambda: {"u": float("nan")}]
        return {"v": 0.0, "w": 0.0, **ways[int(10 * a) % 4]()}
    return {"u": a * b / 2 + c, "v": a + 3 * b - c, "w": (a - b) ** 2 / 5 + c}


def strike(pid: int, kind: str, job: str) -> None:
    if job:
        # The node of a drill has a process namespace of its own.
        signals = {"cancelled": [], "time limit": ["--signal=USR2"]}.get(kind, [f"--signal={kind[3:]}"])
        subprocess.run(["scancel", *signals, job], check=True)
        return
    numbers = [pid]
    if kind == "with its program":
        numbers += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    for number in numbers:
        os.kill(number, getattr(signal, "SIGTERM" if kind == "with its program" else kind))


def strike_victims(folder: Path, ended: threading.Event, counts: Counter[str]) -> None:
    while not ended.wait(0.05):
        for victim in folder.glob("victim *"):
            pid, kind, job = victim.read_text().split("\n")[:3]
            victim.rename(folder / f"struck {victim.name}")
            # Until the program that the call waits for is there.
            time.sleep(0.2)
            with contextlib.suppress(ProcessLookupError, FileNotFoundError, subprocess.CalledProcessError):
                strike(int(pid), kind, job)
                counts[kind] += 1


def exit_at(number: int, _frame: object) -> None:
    sys.exit(number)


def install_handlers() -> None:
    """As an engine does that leaves its process by itself."""
    for name in ("SIGTERM", "SIGUSR1", "SIGUSR2"):
        signal.signal(getattr(signal, name), exit_at)


@contextlib.contextmanager
def processes(_folder: Path) -> Iterator[Any]:
    yield lambda: ProcessPoolExecutor(AT_ONCE, initializer=install_handlers)


@contextlib.contextmanager
def loky(_folder: Path) -> Iterator[Any]:
    from loky import ProcessPoolExecutor as Loky

    yield lambda: Loky(AT_ONCE)


@contextlib.contextmanager
def dask(_folder: Path) -> Iterator[Any]:
    import dask

    # A LocalCluster closes for good what takes longer than 15 s to restart, as on a busy machine.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1 h"})
    with python_engines.dask(AT_ONCE) as executor:
        yield executor


@contextlib.contextmanager
def ray(_folder: Path) -> Iterator[Any]:
    import ray

    class Ray:
        def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
            return ray.remote(function).remote(*arguments).future()

    ray.init(num_cpus=AT_ONCE, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield Ray()
    ray.shutdown()


def submitit(folder: Path, cluster: str = "local") -> contextlib.AbstractContextManager[Any]:
    return python_engines.submitit(folder / "jobs", 20, cluster)


ENGINES: dict[str, Callable[[Path], contextlib.AbstractContextManager[Any]]] = {
    "concurrent.futures": processes,
    "loky": loky,
    "distributed": dask,
    "ray": ray,
    "submitit": submitit,
    "slurm": functools.partial(submitit, cluster="slurm"),
}


def version_of(engine: str) -> str | None:
    return python_engines.version_of("submitit" if engine == "slurm" else engine)


def search(engine: str, number: int, folder: Path, executor: Any, on_run: Callable[[Run, str], object]) -> Result:
    f = functools.partial(black_box, str(folder), FAULTS_OF_SLURM if engine == "slurm" else FAULTS)
    goals = {"u": within(12 + number, percent=0.01), "v": within(15, percent=0.01), "w": within(2.2 + number, percent=0.01)}
    name = f"{engine}-{number}".replace(".", "-")
    options: dict[str, Any] = {"parallel": AT_ONCE, "cases": 12, "budget": RUNS_PER_SEARCH, "executor": executor, "progress": False}
    return solve(f, INPUTS, goals, name=name, on_run=on_run, **options)


def lines_of(file: Path) -> list[str]:
    """Lines of one search: another one may begin with the same designed cases."""
    lines = file.read_text().splitlines()
    file.unlink()
    return lines


def play(engine: str, runs: int) -> dict[str, Any]:
    folder = Path(engine).resolve()
    folder.mkdir()
    began, ended = time.monotonic(), threading.Event()
    counts: Counter[str] = Counter()
    history: list[Any] = []
    striker = threading.Thread(target=strike_victims, args=(folder, ended, counts))
    striker.start()
    repeated = ended_twice = 0
    kept: dict[str, float] = {}

    def keep(run: Run, _problem: str) -> None:
        kept.setdefault(" ".join(repr(run.input[name]) for name in INPUTS), time.time())

    try:
        with ENGINES[engine](folder) as executor:
            for number in range(100):
                if len(history) >= runs:
                    break
                kept.clear()
                history += search(engine, number, folder, executor, keep).history
                calls = [line.rsplit(" ", 1) for line in lines_of(folder / "began")]
                repeated += sum(float(at) > kept.get(key, time.time()) for key, at in calls)
                ends = lines_of(folder / "ended")
                ended_twice += len(ends) - len(set(ends))
    finally:
        ended.set()
        striker.join()
    failed = [run for run in history if run.failure is not None]
    own = [run for run in history if fails_at(run.input["b"], run.input["c"])]
    wrong = [run for run in failed if run not in own]
    for run in wrong:
        print(f"{engine}: {run.input} failed: {run.failure}", flush=True)
    return {
        "engine": engine,
        "version": version_of(engine),
        "runs": len(history),
        "calls": len(list(folder.glob("call *"))),
        "faults": dict(counts),
        "failed by the black box": len(own),
        "failed, not by it": len(wrong),
        "not recorded": len([run for run in own if run.failure is None]),
        "repeated": repeated,
        "ended twice": ended_twice,
        "seconds": round(time.monotonic() - began),
    }


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--only", choices=ENGINES)
    options.add_argument("--runs", type=int, default=100)
    given = options.parse_args()
    # A look at the queue every 30 s would only make this last longer, and so would pauses of a minute.
    _slurm.LOOK_SECONDS = 5.0
    _executors.PAUSES = (0.0, 1.0, 2.0, 5.0, 10.0)
    is_broken = False
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder)) as service:
        os.chdir(folder)
        os.environ.update(BACKSOLVE_URL=service.url, BACKSOLVE_API_KEY=service.key, RAY_USAGE_STATS_ENABLED="0")
        for engine in [given.only] if given.only else [each for each in ENGINES if each != "slurm"]:
            if version_of(engine) is None:
                print(json.dumps({"engine": engine, "version": None}), flush=True)
                continue
            figures = play(engine, given.runs)
            print(json.dumps(figures), flush=True)
            is_broken |= any(figures[key] > 0 for key in ("failed, not by it", "not recorded", "repeated"))
    return 1 if is_broken else 0


if __name__ == "__main__":
    sys.exit(main())
