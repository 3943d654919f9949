"""
Plays the examples of the Python client twice: with `solve`, one run at a time, and by the plain operations of the interface, as the tour
of the README does. Both must take the same number of runs and end in the same state. Exit code 1 when they do not.

    clients/python/.venv/bin/python bench/clients/python_runs.py [--only NAME]
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

CLIENT = Path(__file__).parents[2] / "clients" / "python"
sys.path.insert(0, str(CLIENT))

from tests.service_process import running_service

import backsolve
from backsolve import Backsolve, models
from backsolve._blackbox import caller_of
from backsolve.problem import Failed, make_problem

STATES = ("running", "satisfied", "stopped", "exhausted")


def read_example(path: Path) -> tuple[Any, dict[str, Any]]:
    """The black box of an example, and the other arguments of its call of solve."""
    calls: list[tuple[Any, dict[str, Any]]] = []
    real = backsolve.solve
    backsolve.solve = lambda f, inputs, goals, **options: calls.append((f, {"inputs": inputs, "goals": goals, **options}))  # type: ignore[assignment,return-value]
    try:
        runpy.run_path(str(path))
    finally:
        backsolve.solve = real
    return calls[0]


def over_http(client: Backsolve, path: Path) -> tuple[str, int]:
    f, options = read_example(path)
    budget, _ = options.pop("budget"), options.pop("parallel", None)
    problem = make_problem(**options)
    call = caller_of(f, list(problem.inputs))

    def run(numbers: list[float]) -> list[float] | Failed:
        try:
            return problem.space.read_output(call(problem.space.values_of(numbers)))
        except ArithmeticError as error:
            return Failed(str(error))

    model_id = client.create_model(models.NewModel(name=f"Over HTTP: {path.stem}")).body.id
    project = client.create_project(model_id, problem.project_body(path.stem)).body
    outputs = [run(numbers) for numbers in project.input_cases]
    width = len(problem.goals)
    loaded = client.load_output_cases(
        model_id,
        project.id,
        models.NewOutputCases(
            output_count=width,
            output_cases=[[0.0] * width if isinstance(output, Failed) else output for output in outputs],
            failed_cases=[row for row, output in enumerate(outputs) if isinstance(output, Failed)],
        ),
    ).body
    place = (model_id, project.id, loaded.trial_id)
    objective = client.load_objectives(*place, problem.objective_body(budget - len(outputs))).body
    runs = len(outputs)
    while True:
        state = client.get_objective(objective.id).body
        if state.stop_reason != 0:
            return STATES[state.stop_reason], runs
        inverse = client.suggest_inverse(objective.id, prefer="wait=60").body
        if inverse.status != "active" or inverse.input is None:
            continue
        runs += 1
        output = run(inverse.input)
        body = models.NewInverseOutput(failed=True) if isinstance(output, Failed) else models.NewInverseOutput(output=output)
        client.put_inverse_output(objective.id, inverse.id, body)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only")
    only = parser.parse_args().only
    different = 0
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder)) as service, Backsolve(*service) as client:
        os.chdir(folder)
        os.environ.update(BACKSOLVE_URL=service.url, BACKSOLVE_API_KEY=service.key)
        for path in sorted((CLIENT / "examples").glob("*.py")):
            if only is not None and path.stem != only:
                continue
            f, options = read_example(path)
            result = backsolve.solve(f, **{**options, "parallel": 1, "progress": False})
            solved, plain = (result.status, len(result.history)), over_http(client, path)
            different += solved != plain
            print(f"{path.stem}: solve {solved[0]} after {solved[1]} runs, over HTTP {plain[0]} after {plain[1]}", flush=True)
    return 1 if different else 0


sys.exit(main())
