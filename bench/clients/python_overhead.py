"""
Measures what `solve` of the Python client costs: processor time of its process per run, with 1 and with 64 runs at a time, and whether 64
black boxes of one process run together. Exit code 1 when a run costs more than 5 ms, or fewer than 64 run together.

    clients/python/.venv/bin/python bench/clients/python_overhead.py [--runs 150]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "clients" / "python"))

from tests.service_process import running_service

from backsolve import maximize, solve

MOST_MS = 5.0
FIRST = 10
"""Runs that are not counted: they load modules, and create what there is to create."""


def play(parallel: int, runs: int, seconds: float) -> tuple[float, int]:
    """Milliseconds of processor time per run, and the largest number of concurrent black boxes."""
    lock = threading.Lock()
    clocks: list[float] = []
    running = most = 0

    def black_box(a: float, b: float, c: float) -> float:
        nonlocal running, most
        with lock:
            clocks.append(time.process_time())
            running += 1
            most = max(most, running)
        time.sleep(seconds)
        with lock:
            running -= 1
        return a * (10 - b) + c * c - 0.1 * a * a * c

    inputs = {"a": (0.0, 10.0), "b": (0.0, 10.0), "c": (0.0, 10.0)}
    solve(
        black_box,
        inputs,
        {"y": maximize(1e9)},
        parallel=parallel,
        budget=runs,
        name=f"overhead {parallel}",
        cases=max(8, parallel),
        progress=False,
    )
    return 1000 * (clocks[-1] - clocks[FIRST]) / (len(clocks) - FIRST - 1), most


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=150)
    runs = options.parse_args().runs
    failed = False
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder)) as service:
        os.chdir(folder)
        os.environ.update(BACKSOLVE_URL=service.url, BACKSOLVE_API_KEY=service.key)
        for parallel, seconds in ((1, 0.0), (64, 2.0)):
            cost, most = play(parallel, runs, seconds)
            failed |= cost > MOST_MS or most < parallel
            print(f"parallel {parallel}: {cost:.2f} ms of processor time per run, {most} concurrent black boxes", flush=True)
    return 1 if failed else 0


sys.exit(main())
