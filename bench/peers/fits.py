"""
DFO-LS on the fits of bench/fits/problems.ts, from a near start: a tenth of each range beside the truth, logarithms where the range is one.

    python bench/peers/fits.py [first seed] [seeds]

Prints the calls up to 1.05 times the least chi-square and all calls. With the Python of bench/peers/.venv.
"""

import json
import sys
import warnings

import dfols
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares


def kinetics(x, t=np.linspace(0, 10, 60)):
    gap = x[1] - x[0] if abs(x[1] - x[0]) > 1e-9 else 1e-9
    return x[2] * x[0] / gap * (np.exp(-x[0] * t) - np.exp(-x[1] * t))


def predators(x, t=np.linspace(0.5, 12, 24)):
    a, b, c, d = x
    found = solve_ivp(
        lambda _, y: [a * y[0] - b * y[0] * y[1], d * y[0] * y[1] - c * y[1]], (0, 12), [10, 5], t_eval=t, rtol=1e-8, atol=1e-8
    )
    return np.concatenate(found.y)


def peaks(x, t=np.linspace(0, 10, 120)):
    return x[7] + x[8] * t + sum(x[k] * np.exp(-(((t - x[3 + k]) / x[6]) ** 2) / 2) for k in range(3))


def dose(x, d=10 ** np.linspace(-3, 3, 20)):
    return x[0] + (x[1] - x[0]) / (1 + (x[2] / d) ** x[3])


def frequencies(x, w=10 ** np.linspace(0, 2, 200)):
    response = sum(g * f**2 / (f**2 - w**2 + 2j * z * f * w) for g, f, z in (x[:3], x[3:]))
    return 20 * np.log10(np.abs(response) + 1e-12)


REAL, LOG = 0, 1
PROBLEMS = {
    "kinetics": (kinetics, [0.9, 0.25, 1.3], [(0.01, 10, LOG), (0.01, 10, LOG), (0.5, 2, REAL)], 0.01, "linear"),
    "predators": (
        predators,
        [0.9, 0.12, 0.8, 0.06],
        [(0.3, 2, REAL), (0.02, 0.5, LOG), (0.3, 2, REAL), (0.01, 0.3, LOG)],
        np.repeat([0.5, 0.25], 24),
        "linear",
    ),
    "peaks": (
        peaks,
        [3, 5, 2, 2.4, 5.1, 7.8, 0.6, 0.5, 0.1],
        [(0, 8, REAL)] * 3
        + [(1.5, 3.5, REAL), (4, 6, REAL), (7, 9, REAL), (0.3, 1.2, REAL), (-1, 2, REAL), (-0.5, 0.5, REAL)],
        0.05,
        "linear",
    ),
    "dose": (dose, [0.1, 2.1, 0.8, 1.4], [(-1, 1, REAL), (1, 4, REAL), (0.01, 100, LOG), (0.3, 4, REAL)], 0.05, "soft_l1"),
    "frequencies": (
        frequencies,
        [1, 6, 0.08, 0.4, 28, 0.05],
        [(0.1, 10, LOG), (3, 10, REAL), (0.01, 0.5, LOG), (0.05, 5, LOG), (18, 40, REAL), (0.01, 0.5, LOG)],
        0.3,
        "linear",
    ),
}


def play(name, seed):
    model, truth, ranges, sigma, loss = PROBLEMS[name]
    random = np.random.default_rng(seed)
    data = model(truth) + sigma * random.normal(size=len(model(truth)))
    if name == "dose":
        data[[7, 15]] += 1.2

    def to_unit(x):
        return np.array([(np.log(v / a) / np.log(b / a)) if s else (v - a) / (b - a) for v, (a, b, s) in zip(x, ranges)])

    def residuals(u):
        x = [a * (b / a) ** v if s else a + v * (b - a) for v, (a, b, s) in zip(u, ranges)]
        r = (model(x) - data) / sigma
        # The robust loss as a vector, since DFO-LS has none.
        return r if loss == "linear" else np.sign(r) * np.sqrt(2 * (np.sqrt(1 + r**2) - 1))

    least = 2 * least_squares(residuals, to_unit(truth), xtol=1e-12, ftol=1e-12, gtol=1e-12).cost
    costs = []

    def counted(u):
        r = residuals(u)
        costs.append(float(r @ r))
        return r

    start = np.clip(to_unit(truth) + 0.1 * random.choice([-1, 1], len(truth)), 0, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bounds = (np.zeros(len(truth)), np.ones(len(truth)))
        dfols.solve(counted, start, bounds=bounds, rhobeg=0.1, maxfun=300, do_logging=False)
    reached = next((n for n, cost in enumerate(costs, 1) if cost <= 1.05 * least), 0)
    return {"problem": name, "seed": seed, "reached": reached, "runs": len(costs)}


first, count = (int(word) for word in (sys.argv[1:] + ["14", "5"])[:2]) if len(sys.argv) > 2 else (14, 5)
for problem in PROBLEMS:
    for seed in range(first, first + count):
        print(json.dumps(play(problem, seed)), flush=True)
