"""
Kills a worker with SIGKILL while it runs a black box for `solve` of the Python client, in each executor that is installed: of
concurrent.futures, distributed, parsl, executorlib and submitit. With one run at a time every run must be that of a search without a kill;
with two, the problem must be solved. No run may be a failed one, in the result or in the journal. Exit code 1 when that is broken.

The executors are not dependencies of the client; install them into a virtual environment of their own:

    python3 -m venv /tmp/executors && /tmp/executors/bin/pip install --editable clients/python distributed parsl executorlib submitit
    /tmp/executors/bin/python bench/clients/python_executors.py [--only NAME]
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "clients" / "python"))

import python_engines

from backsolve import Result, solve, within
from tests.service_process import running_service

INPUTS = {"a": (0.0, 10.0), "b": (0.0, 10.0), "c": (0.0, 10.0)}
TARGETS = {"u": 12.0, "v": 15.0, "w": 2.2}
KILLED_RUNS = (3, 9)
"""A designed run and a suggested one."""


def black_box(folder: str | None, victims: tuple[int, ...], a: float, b: float, c: float) -> dict[str, float]:
    """Tells in some runs which process it is, and waits to be killed. It imports what it needs, since parsl sends the function alone."""
    import os
    import time
    from pathlib import Path

    number = 1 if folder is not None else 0
    while number > 0:
        try:
            os.close(os.open(f"{folder}/run {number}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            number += 1
        else:
            break
    if number in victims:
        draft = Path(f"{folder}/draft {number}")
        draft.write_text(str(os.getpid()))
        draft.rename(f"{folder}/victim {number}")
        time.sleep(120)
    return {"u": a * b / 2 + c, "v": a + 3 * b - c, "w": (a - b) ** 2 / 5 + c}


def kill_victims(folder: Path, ended: threading.Event) -> None:
    while not ended.wait(0.05):
        for victim in folder.glob("victim *"):
            os.kill(int(victim.read_text()), signal.SIGKILL)
            victim.rename(folder / f"killed by {victim.name}")


@contextlib.contextmanager
def processes(_folder: Path) -> Iterator[Any]:
    yield lambda: ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("forkserver"))


@contextlib.contextmanager
def parsl(folder: Path) -> Iterator[Any]:
    from parsl.concurrent import ParslPoolExecutor
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor
    from parsl.providers import LocalProvider

    provider = LocalProvider(init_blocks=1, max_blocks=1)
    htex = HighThroughputExecutor(label="two", max_workers_per_node=2, provider=provider, address="127.0.0.1", encrypted=False)
    with ParslPoolExecutor(Config(executors=[htex], run_dir=str(folder / "parsl"))) as executor:
        yield executor


@contextlib.contextmanager
def executorlib(_folder: Path) -> Iterator[Any]:
    from executorlib import SingleNodeExecutor

    with SingleNodeExecutor(max_workers=2) as executor:
        yield executor


ENGINES: dict[str, Callable[[Path], contextlib.AbstractContextManager[Any]]] = {
    "concurrent.futures": processes,
    "distributed": lambda _: python_engines.dask(2),
    "parsl": parsl,
    "executorlib": executorlib,
    "submitit": lambda folder: python_engines.submitit(folder / "submitit", 5),
}


def search(name: str, folder: Path | None, parallel: int, executor: Any = None) -> Result:
    f = functools.partial(black_box, None if folder is None else str(folder), KILLED_RUNS)
    goals = {output: within(target, percent=1) for output, target in TARGETS.items()}
    return solve(f, INPUTS, goals, name=name, parallel=parallel, budget=60, executor=executor, progress=False)


def failed_lines(name: str) -> int:
    (journal,) = Path(".backsolve/python").glob(f"{name}-*/runs.jsonl")
    lines = map(json.loads, journal.read_text().splitlines())
    return sum(line["kind"] == "finished" and line["output"] is None for line in lines)


def play(engine: str, parallel: int) -> tuple[Result, int, int, float]:
    """The result, workers killed, failed runs in result and journal, and seconds."""
    name = f"{engine}-{parallel}".replace(".", "-")
    folder = Path(name).resolve()
    folder.mkdir()
    ended = threading.Event()
    killer = threading.Thread(target=kill_victims, args=(folder, ended))
    killer.start()
    began = time.monotonic()
    try:
        with ENGINES[engine](folder) as executor:
            result = search(name, folder, parallel, executor)
    finally:
        ended.set()
        killer.join()
    failed = sum(run.failure is not None for run in result.history) + failed_lines(name)
    return result, len(list(folder.glob("killed by *"))), failed, time.monotonic() - began


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--only", choices=ENGINES)
    only = options.parse_args().only
    is_broken = False
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder)) as service:
        os.chdir(folder)
        os.environ.update(BACKSOLVE_URL=service.url, BACKSOLVE_API_KEY=service.key)
        # parsl starts programs of its own by name.
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        undisturbed = search("undisturbed", None, 1)
        print(f"without a kill: {undisturbed.status} after {len(undisturbed.history)} runs", flush=True)
        for engine in ENGINES if only is None else [only]:
            number = python_engines.version_of(engine)
            if number is None:
                print(f"{engine}: not installed", flush=True)
                continue
            for parallel in (1, 2):
                result, killed, failed, seconds = play(engine, parallel)
                is_same = list(result.history) == list(undisturbed.history)
                is_good = result.satisfied and failed == 0 and killed == len(KILLED_RUNS) and (is_same or parallel > 1)
                is_broken |= not is_good
                same = "" if parallel > 1 else ", the runs of the search without a kill" if is_same else ", OTHER RUNS THAN WITHOUT A KILL"
                print(
                    f"{engine} {number}, {parallel} at a time: {result.status} after {len(result.history)} runs, "
                    f"{killed} workers killed, {failed} failed runs{same}; {seconds:.0f} s",
                    flush=True,
                )
    return 1 if is_broken else 0


if __name__ == "__main__":
    sys.exit(main())
