"""
Curves that the authors of peers publish, played again by our driver: what shows that it handicaps nobody.

    python bench/public/published.py

The user guides of DFO-LS and Py-BOBYQA (https://numericalalgorithmsgroup.github.io/dfols and /pybobyqa) show the value of the k-th run, the
least value after k runs and the number of runs until the solver ends by itself; the problems and starts are theirs. Writes
results/published.json, and exits with code 1 where a value of a curve is more than 5 percent away. The numbers of runs at the end depend on
rounding in the last digits of the solution: they are shown beside those of a direct call of the solver, which the driver has to repeat.
"""

import json
import sys
import warnings
from importlib.metadata import version

import numpy as np
from game import Game, Problem
from plays import RESULTS
from solvers import SOLVERS

FREE = 1e20
ALLOWED = 0.05


def rosenbrock(x):
    return np.array([10.0 * (x[1] - x[0] ** 2), 1.0 - x[0]])


def rosenbrock_number(x):
    return [100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2]


def watson(x):
    powers = np.arange(len(x))
    rows = []
    for t in np.arange(1, 30) / 29:
        slope = sum(power * x[power] * t ** (power - 1) for power in powers[1:])
        rows.append(slope - sum(x * t**powers) ** 2 - 1)
    return np.array([*rows, x[0], x[1] - x[0] ** 2 - 1])


BOX = ([-10.0, -10.0], [0.9, 0.85])
# Points of a curve: the k-th value by k, then the least value after k runs by k; the runs at the end.
GUIDES = [
    ("dfols", "Rosenbrock", rosenbrock, [-1.2, 1.0], None, {}, {}, 33),
    (
        "dfols",
        "Rosenbrock within bounds",
        rosenbrock,
        [-1.2, 1.0],
        BOX,
        {1: 39.65, 2: 14.337296, 3: 55.25},
        {3: 14.3, 4: 4.35, 55: 0.0100000000000225},
        56,
    ),
    (
        "dfols",
        "Watson, 6 inputs",
        watson,
        [0.5] * 6,
        None,
        {
            1: 16.4308311759923,
            2: 28.9196967094733,
            3: 22.0866904737059,
            4: 20.6560889343479,
            5: 19.2914312375462,
            6: 18.0373781384725,
            7: 16.8946356501339,
            8: 8.45207899459595,
            9: 2.54949692496583,
        },
        {90: 0.00228767005355292},
        90,
    ),
    ("pybobyqa", "Rosenbrock", rosenbrock_number, [-1.2, 1.0], None, {}, {}, 151),
    (
        "pybobyqa",
        "Rosenbrock within bounds",
        rosenbrock_number,
        [-1.2, 1.0],
        BOX,
        {1: 39.65, 2: 14.337296, 3: 55.25},
        {5: 14.3, 6: 5.57, 145: 0.0100000013172792},
        146,
    ),
]


def values_here(solver, function, start, bounds):
    """The values of the runs, up to the end of the first search, through the driver."""
    start = np.array(start)
    n = len(start)
    lower, upper = (np.full(n, -FREE), np.full(n, FREE)) if bounds is None else (np.array(end) for end in bounds)
    shape = "residuals" if solver == "dfols" else "number"
    values = []

    def evaluate(x):
        outputs = function(x)
        values.append(float(np.dot(outputs, outputs)) if shape == "residuals" else float(outputs[0]))
        return outputs

    problem = Problem("guide", lower, upper, start, shape, len(function(start)), evaluate)
    SOLVERS[solver].search(Game(problem, min(100 * (n + 1), 1000), 0), start)
    return values


def runs_of_direct_call(solver, function, start, bounds):
    package = __import__(SOLVERS[solver].module)
    objective = function if solver == "dfols" else lambda x: function(x)[0]
    np.random.seed(0)
    limits = None if bounds is None else tuple(np.array(end) for end in bounds)
    return int(package.solve(objective, np.array(start), bounds=limits, do_logging=False).nf)


def compare(guide):
    solver, name, function, start, bounds, at, after, runs = guide
    values = values_here(solver, function, start, bounds)
    least = np.minimum.accumulate(values)
    ratios = [values[k - 1] / value for k, value in at.items()] + [least[min(k, len(least)) - 1] / value for k, value in after.items()]
    return {
        "solver": solver,
        "version": version(SOLVERS[solver].package),
        "problem": name,
        "values": len(ratios),
        "farthest": round(max((abs(ratio - 1) for ratio in ratios), default=0.0), 6),
        "published": runs,
        "direct": runs_of_direct_call(solver, function, start, bounds),
        "here": len(values),
    }


def main():
    warnings.simplefilter("ignore")
    rows = [compare(guide) for guide in GUIDES]
    for row in rows:
        print(json.dumps(row))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "published.json").write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
    sys.exit(any(row["farthest"] > ALLOWED or row["here"] != row["direct"] for row in rows))


main()
