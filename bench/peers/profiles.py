"""
The profile likelihoods of pypesto beside our intervals, on the data that bench/fits/profiles.ts prints.

    npx node bench/fits/profiles.ts | python bench/peers/profiles.py

Prints per data set and input both 95 percent intervals, how far their ends are apart in widths of pypesto's interval, and the model runs of
both. pypesto has gradients by finite differences and starts at our best values. Needs pypesto 0.7.0, in an environment of its own.
"""

import json
import logging
import sys

import numpy as np
import pypesto
import pypesto.optimize
import pypesto.profile

TIMES = 0.2 * np.arange(25)


def intervals(case):
    values, sigma = (np.array(case["fits"][0][key]) for key in ("values", "sigmas"))
    bounds = np.log(np.array(case["bounds"]))
    calls = 0

    def negative_log_likelihood(u):
        nonlocal calls
        calls += 1
        a, b = np.exp(u)
        return 0.5 * float(np.sum(((a * TIMES / (b + TIMES) - values) / sigma) ** 2))

    def gradient(u, h=1e-6):
        return np.array([(negative_log_likelihood(u + h * e) - negative_log_likelihood(u - h * e)) / (2 * h) for e in np.eye(len(u))])

    objective = pypesto.Objective(fun=negative_log_likelihood, grad=gradient)
    problem = pypesto.Problem(objective=objective, lb=bounds[:, 0], ub=bounds[:, 1], copy_objective=False)
    start = np.log(np.array(case["parameters"], dtype=float)).mean(axis=1)
    problem.set_x_guesses(start[None, :])
    optimizer = pypesto.optimize.ScipyOptimizer(options={"ftol": 1e-12, "gtol": 1e-9})
    result = pypesto.optimize.minimize(problem, optimizer, n_starts=1, progress_bar=False)
    result = pypesto.profile.parameter_profile(problem, result, optimizer, progress_bar=False)
    ratio = pypesto.profile.chi2_quantile_to_ratio(0.95)
    found = []
    for index, profile in enumerate(result.profile_result.list[0]):
        ends = pypesto.profile.calculate_approximate_ci(profile.x_path[index, :], profile.ratio_path, ratio)
        found.append([float(np.exp(end)) for end in ends])
    return found, calls


logging.getLogger("pypesto").setLevel(logging.ERROR)
for line in sys.stdin:
    case = json.loads(line)
    theirs, calls = intervals(case)
    for index, (own, other) in enumerate(zip(case["parameters"], theirs)):
        apart = [abs(a - b) / (other[1] - other[0]) for a, b in zip(own, other)]
        row = {"seed": case["seed"], "input": index, "ours": own, "pypesto": other, "apart": max(apart), "runs": case["runs"], "calls": calls}
        print(json.dumps({key: np.round(value, 4).tolist() for key, value in row.items()}), flush=True)
