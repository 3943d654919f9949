"""Ax with its default generation strategy (Sobol, then its modular BoTorch model), native integers and choices.

One output to minimize or maximize stays the objective, the other outputs become outcome constraints, as Ax prefers it.
Everything else is one number to minimize: the logarithm of the sum of squared residuals.
"""

import logging
import warnings

import numpy as np
import torch
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

from formulation import Formulation

torch.set_num_threads(1)
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)


def _parameter(i, variable):
    low, high = variable["minimum"], variable["maximum"]
    if variable["kind"] == "float":
        return RangeParameterConfig(name=f"x{i}", parameter_type="float", bounds=(low, high))
    if variable["kind"] == "integer":
        return RangeParameterConfig(name=f"x{i}", parameter_type="int", bounds=(int(low), int(high)))
    values = list(range(int(low), int(high) + 1))
    return ChoiceParameterConfig(name=f"x{i}", parameter_type="int", values=values, is_ordered=len(values) == 2)


def _goals(game):
    """Objective and outcome constraints in Ax's language, or None for one number."""
    aspirations = [j for j, kind in enumerate(game.types) if kind in ("minimize", "maximize")]
    if len(aspirations) != 1:
        return None
    j = aspirations[0]
    constraints = []
    for k in range(game.m):
        if k != j and np.isfinite(game.upper[k]):
            constraints.append(f"y{k} <= {game.upper[k]:.12g}")
        if k != j and np.isfinite(game.lower[k]):
            constraints.append(f"y{k} >= {game.lower[k]:.12g}")
    return ("-" if game.types[j] == "minimize" else "") + f"y{j}", constraints


def play_ax(game):
    formulation = Formulation(game)
    client = Client(random_seed=game.seed)
    client.configure_experiment(name="play", parameters=[_parameter(i, v) for i, v in enumerate(game.variables)])
    goals = _goals(game)
    if goals:
        client.configure_optimization(objective=goals[0], outcome_constraints=goals[1] or None)
    else:
        client.configure_optimization(objective="-loss")
    client.configure_generation_strategy(
        initialization_budget=min(game.n + 1, game.m + 2), initialization_random_seed=game.seed, torch_device="cpu"
    )

    def complete(index, x):
        output = game.evaluate_input(np.array(x, float))
        residuals = formulation.judge(output)
        if output is None:
            client.mark_trial_failed(trial_index=index)
        elif goals:
            client.complete_trial(trial_index=index, raw_data={f"y{k}": float(v) for k, v in enumerate(output)})
        else:
            loss = float(np.log(1e-12 + np.sum(residuals**2)))
            client.complete_trial(trial_index=index, raw_data={"loss": loss})

    start = game.to_input(game.start)
    native = [float(v) if game.kinds[i] == "float" else int(v) for i, v in enumerate(start)]
    complete(client.attach_trial(parameters={f"x{i}": v for i, v in enumerate(native)}), native)
    while True:
        game.check()
        for index, parameters in client.get_next_trials(max_trials=1).items():
            complete(index, [parameters[f"x{i}"] for i in range(game.n)])
