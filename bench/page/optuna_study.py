"""
Writes the runs of a search into a study of Optuna, so that optuna-dashboard shows what our page shows.

  python bench/page/optuna_study.py RUNS.json STUDY.db

RUNS.json: {"name", "inputs": {name: [low, high]}, "goal", "limits": {output: [low or null, high or null]}, "runs": [{"input", "output"}]}.
The study minimizes the goal and has the limits as constraints, met where they are at most 0.
"""

import json
import sys
from pathlib import Path

import optuna


def misses(output: dict[str, float], limits: dict[str, list[float | None]]) -> list[float]:
    sides = [(low - output[name] if low is not None else output[name] - high) for name, (low, high) in limits.items()]
    return [float(side) for side in sides]


given = json.loads(Path(sys.argv[1]).read_text())
study = optuna.create_study(study_name=given["name"], storage=f"sqlite:///{sys.argv[2]}", direction="minimize")
study.set_metric_names([given["goal"]])
distributions = {name: optuna.distributions.FloatDistribution(*bounds) for name, bounds in given["inputs"].items()}
for run in given["runs"]:
    study.add_trial(
        optuna.create_trial(
            params=run["input"],
            distributions=distributions,
            value=run["output"][given["goal"]],
            user_attrs=run["output"],
            system_attrs={"constraints": misses(run["output"], given["limits"])},
        )
    )
