"""
Measures how many runs the sampler for Optuna takes until a problem is solved, beside `solve` and Optuna's own TPE. A problem is solved when
all its limits are met and its value is within 1 % of the best known; TPE gets the limits as constraints, or as a sum of misses where there
are only targets. Needs optuna beside the client. Exit code 1 when a sampler that is told its search space takes more runs than `solve`
does.

    clients/python/.venv/bin/python bench/clients/python_samplers.py [--studies 10] [--most 200]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "clients" / "python"))

import optuna
from backsolve import Run, at_most, minimize, real, solve, within
from backsolve.adapters.optuna import BacksolveSampler
from optuna.distributions import FloatDistribution
from optuna.samplers import TPESampler
from tests.service_process import running_service


@dataclass(frozen=True)
class Problem:
    inputs: Mapping[str, tuple[float, float]]
    goals: Mapping[str, Any]
    f: Callable[..., dict[str, float]]
    best: float | None
    """The best known first output; None where all goals have limits."""
    limits: Mapping[str, tuple[float, float]]

    def excess(self, out: Mapping[str, float]) -> dict[str, float]:
        return {name: max(low - out[name], out[name] - high) for name, (low, high) in self.limits.items()}

    def is_solved(self, out: Mapping[str, float]) -> bool:
        first = next(iter(out.values()))
        is_best = self.best is None or first <= self.best + 0.01 * abs(self.best)
        return is_best and all(each <= 1e-6 for each in self.excess(out).values())


def branin(x: float, y: float) -> dict[str, float]:
    return {"value": (y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10}


def hartmann3(a: float, b: float, c: float) -> dict[str, float]:
    """Hartmann (1973), three inputs."""
    scale = ((3, 10, 30), (0.1, 10, 35), (3, 10, 30), (0.1, 10, 35))
    at = ((0.3689, 0.117, 0.2673), (0.4699, 0.4387, 0.747), (0.1091, 0.8732, 0.5547), (0.03815, 0.5743, 0.8828))
    terms = (sum(s * (x - p) ** 2 for s, x, p in zip(*each, strict=True)) for each in zip(scale, ((a, b, c),) * 4, at, strict=True))
    return {"value": -sum(w * math.exp(-t) for w, t in zip((1.0, 1.2, 3.0, 3.2), terms, strict=True))}


def beam(width: float, height: float) -> dict[str, float]:
    return {
        "mass": 7.85e-3 * width * height,
        "sag": 4e12 / (210e3 * width * height**3),
        "stress": 6e6 / (width * height**2),
    }


def cantilever(width: float, height: float, length: float) -> dict[str, float]:
    return {
        "sag": 4e3 * length**3 / (210e3 * width * height**3),
        "mass": 7.85e-6 * width * height * length,
        "stress": 6e3 * length / (width * height**2),
    }


TARGETS = {"sag": (5.08, 0.05), "mass": (7.54, 0.075), "stress": (100.0, 1.0)}
PROBLEMS = {
    "branin": Problem({"x": (-5, 10), "y": (0, 15)}, {"value": minimize()}, branin, 0.397887, {}),
    "hartmann3": Problem({"a": (0, 1), "b": (0, 1), "c": (0, 1)}, {"value": minimize()}, hartmann3, -3.86278, {}),
    "light beam": Problem(
        {"width": (10, 60), "height": (10, 60)},
        {"mass": minimize(), "sag": at_most(5), "stress": at_most(100)},
        beam,
        8.3077,
        {"sag": (-math.inf, 5), "stress": (-math.inf, 100)},
    ),
    "three targets": Problem(
        {"width": (10, 60), "height": (10, 60), "length": (500, 1500)},
        {name: within(*each) for name, each in TARGETS.items()},
        cantilever,
        None,
        {name: (middle - half, middle + half) for name, (middle, half) in TARGETS.items()},
    ),
}


class Solved(Exception):
    pass


def runs_of_solve(problem: Problem, most: int) -> int | None:
    """Without a budget, as a study has none either."""
    calls: list[bool] = []

    def black_box(values: dict[str, float]) -> dict[str, float]:
        out = problem.f(**values)
        calls.append(problem.is_solved(out))
        return out

    def look(_run: Run, _problem: str) -> None:
        if calls[-1] or len(calls) == most:
            raise Solved

    # As Optuna's parameters are: an input of another description would be another problem, with other designed runs.
    inputs = {name: real(*ends, scale="linear") for name, ends in problem.inputs.items()}
    with contextlib.suppress(Solved):
        solve(black_box, inputs, problem.goals, stop=False, progress=False, fresh=True, on_run=look)
    return calls.index(True) + 1 if True in calls else None


def runs_of_study(problem: Problem, sampler: Any, most: int, *, has_goals: bool) -> int | None:
    calls: list[bool] = []

    def objective(trial: optuna.Trial) -> float:
        out = problem.f(**{name: trial.suggest_float(name, low, high) for name, (low, high) in problem.inputs.items()})
        excess = problem.excess(out)
        calls.append(problem.is_solved(out))
        if calls[-1]:
            trial.study.stop()
        for name, value in out.items():
            trial.set_user_attr(name, value)
        if problem.best is None:
            return next(iter(out.values())) if has_goals else sum(max(0, excess[name]) / TARGETS[name][1] for name in excess)
        if not has_goals:
            for name, value in excess.items():
                trial.set_constraint(name, value)
        return next(iter(out.values()))

    optuna.create_study(sampler=sampler).optimize(objective, n_trials=most)
    return calls.index(True) + 1 if True in calls else None


def summary(counts: list[int | None]) -> dict[str, Any]:
    solved = sorted(count for count in counts if count is not None)
    middle = statistics.median([math.inf if count is None else count for count in counts])
    return {"solved": f"{len(solved)}/{len(counts)}", "least": solved[0] if solved else None, "median": middle, "counts": counts}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=10)
    parser.add_argument("--most", type=int, default=200)
    given = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    is_worse = False
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder)) as service:
        os.environ["BACKSOLVE_URL"], os.environ["BACKSOLVE_API_KEY"] = service
        os.chdir(folder)
        for name, problem in PROBLEMS.items():
            space = {each: FloatDistribution(*ends) for each, ends in problem.inputs.items()}
            alone = runs_of_solve(problem, given.most)
            told = runs_of_study(problem, BacksolveSampler(space, goals=problem.goals), given.most, has_goals=True)
            plain = [
                runs_of_study(
                    problem, BacksolveSampler(independent_sampler=optuna.samplers.RandomSampler(seed)), given.most, has_goals=False
                )
                for seed in range(given.studies if problem.best is not None else 0)
            ]
            tpe = [runs_of_study(problem, TPESampler(seed=seed), given.most, has_goals=False) for seed in range(given.studies)]
            line = {"problem": name, "solve": alone, "sampler with space and goals": told, "tpe": summary(tpe)}
            print(json.dumps({**line, **({"sampler alone": summary(plain)} if plain else {})}), flush=True)
            is_worse = is_worse or (told or math.inf) > (alone or math.inf)
        os.chdir("/")
    return int(is_worse)


if __name__ == "__main__":
    sys.exit(main())
