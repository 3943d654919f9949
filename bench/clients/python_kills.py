"""
`solve` of the Python client is killed with SIGKILL at random moments and started again, on twenty problems. Each must be solved in the
end; no run that was in the journal or reported when a process died may be called again, and the service must have every one of them.
Exit code 1 when that is broken.

    clients/python/.venv/bin/python bench/clients/python_kills.py [--kills 50] [--problems 20] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "clients" / "python"))

from tests.service_process import running_service

from backsolve import solve, within

INPUTS = {"a": (0.0, 10.0), "b": (0.0, 10.0), "c": (0.0, 10.0)}
LONGEST_SECONDS = 5.0
"""A kill comes at most this long after the start of a process."""


def outputs(number: int, a: float, b: float, c: float) -> dict[str, float]:
    shape = 1 + number / 10
    return {"u": a * b / shape + c, "v": a + 3 * b - shape * c, "w": (a - b) ** 2 / 5 + c * shape}


def child(number: int) -> None:
    """One life of a process: solves, and notes each call of the black box before it begins."""
    source = random.Random(number)
    hidden = [source.uniform(1, 9) for _ in INPUTS]
    parallel = (1, 2, 4, 8)[number % 4]
    goals = {name: within(target, percent=1) for name, target in outputs(number, *hidden).items()}

    def black_box(a: float, b: float, c: float) -> dict[str, float]:
        with Path(f"calls {number}").open("a") as calls:
            calls.write(json.dumps([a, b, c]) + "\n")
        time.sleep(0.1)
        return outputs(number, a, b, c)

    result = solve(black_box, INPUTS, goals, name=f"problem {number}", parallel=parallel, budget=200)
    missing = [run for run in result.history if run.output is not None and run.output != outputs(number, *run.input.values())]  # type: ignore[arg-type]
    known = [[run.input[name] for name in INPUTS] for run in result.history]
    Path(f"result {number}").write_text(json.dumps({"status": result.status, "runs": known, "wrong": len(missing)}))


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def finished_of(number: int) -> set[str]:
    """Inputs of the runs that the journal has."""
    found = set()
    for journal in Path(".backsolve/python").glob(f"problem-{number}-*/runs.jsonl"):
        text = journal.read_bytes()
        for line in text[: text.rfind(b"\n") + 1].splitlines():
            parsed = json.loads(line)
            if parsed["kind"] == "finished":
                found.add(json.dumps([float(value) for value in parsed["input"]]))
    return found


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--kills", type=int, default=50)
    options.add_argument("--problems", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--child", type=int)
    given = options.parse_args()
    if given.child is not None:
        child(given.child)
        return 0
    source = random.Random(given.seed)
    tally: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder)) as service:
        os.chdir(folder)
        environment = {**os.environ, "BACKSOLVE_URL": service.url, "BACKSOLVE_API_KEY": service.key}
        open_problems = list(range(given.problems))
        while open_problems:
            number = open_problems.pop(0)
            known = finished_of(number)
            before = len(lines_of(Path(f"calls {number}")))
            # The remaining kills are shared out among the remaining problems.
            mortal = tally["kills"] < given.kills
            process = subprocess.Popen([sys.executable, __file__, "--child", str(number)], env=environment, stderr=subprocess.DEVNULL)
            try:
                process.wait(source.uniform(0.3, LONGEST_SECONDS) if mortal else 600)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                tally["kills"] += 1
            calls = lines_of(Path(f"calls {number}"))
            tally["calls"] += len(calls) - before
            tally["repeated"] += sum(json.dumps(json.loads(line)) in known for line in calls[before:])
            if process.returncode == -9:
                open_problems.append(number)
                continue
            end = (
                json.loads(Path(f"result {number}").read_text())
                if process.returncode == 0
                else {"status": "crashed", "runs": [], "wrong": 0}
            )
            on_service = {json.dumps(run) for run in end["runs"]}
            tally["solved"] += end["status"] == "satisfied"
            tally["lost"] += len(finished_of(number) - on_service)
            tally["wrong"] += end["wrong"]
            tally["cut short"] += len(calls) - len(finished_of(number))
            print(f"problem {number}: {end['status']} after {len(end['runs'])} runs; kills so far: {tally['kills']}", flush=True)
    print(dict(tally))
    good = tally["solved"] == given.problems and tally["kills"] >= given.kills and not tally["repeated"] + tally["lost"] + tally["wrong"]
    return 0 if good else 1


sys.exit(main())
