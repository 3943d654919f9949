"""Reference table of the normal distribution and of the terms of the acquisition.

Writes normal-tails.json beside this file. Needs scipy and mpmath:

    python3 test/reference/normal-tails.py

log Phi comes from scipy.special.log_ndtr; interval probabilities and expected improvements, where doubles cancel, from
mpmath with 60 digits.
"""

import json
from pathlib import Path

import mpmath as mp
from scipy.special import log_ndtr

mp.mp.dps = 60


def phi(x):
    return mp.exp(-mp.mpf(x) ** 2 / 2) / mp.sqrt(2 * mp.pi)


def upper_tail(x):
    return mp.erfc(mp.mpf(x) / mp.sqrt(2)) / 2


def log_interval(mean, spread, lower, upper):
    a = -mp.inf if lower is None else (mp.mpf(lower) - mp.mpf(mean)) / mp.mpf(spread)
    b = mp.inf if upper is None else (mp.mpf(upper) - mp.mpf(mean)) / mp.mpf(spread)
    if a + b < 0:
        a, b = -b, -a
    tail = mp.mpf(0) if b == mp.inf else upper_tail(b)
    return mp.log(upper_tail(a) - tail)


def log_improvement(mean, spread, incumbent):
    z = (mp.mpf(incumbent) - mp.mpf(mean)) / mp.mpf(spread)
    return mp.log(phi(z) + z * upper_tail(-z)) + mp.log(mp.mpf(spread))


POINTS = [-1e3, -300.0, -40.0, -38.5, -12.0, -6.0, -5.657, -5.656, -3.0, -1.0, -0.675, -0.674, -0.1, 0.0, 0.3, 0.67, 0.68, 1.5, 4.0, 6.0, 9.0]
INTERVALS = [
    (0.0, 1.0, -1.0, 1.0), (0.3, 0.5, 0.0, 0.2), (5.0, 0.1, -1.0, 1.0), (-5.0, 0.1, -1.0, 1.0), (0.0, 1.0, 2.0, 2.02),
    (40.0, 1.0, None, 0.0), (-40.0, 1.0, 0.0, None), (1.0, 2.0, None, 0.5), (1.0, 2.0, 0.5, None), (0.0, 1.0, 3.0, 3.5),
    (0.0, 1.0, -8.0, 8.0), (100.0, 1.0, -1.0, 2.0),
]
NARROW = [(0.0, 1.0, 1.0, 1.001), (2.0, 1.0, -1.0, -0.9999), (0.0, 10.0, 0.0, 1e-6)]
IMPROVEMENTS = [(0.0, 1.0, 1.0), (0.0, 1.0, 0.0), (0.0, 1.0, -3.0), (0.0, 1.0, -20.0), (0.0, 1.0, -39.0), (0.0, 1.0, -41.0), (0.0, 1.0, -500.0), (2.0, 1e-3, 5.0), (1.0, 0.3, 0.9)]

table = {
    "logCdf": [[x, float(log_ndtr(x))] for x in POINTS],
    "interval": [{"at": list(row), "log": float(log_interval(*row))} for row in INTERVALS],
    "narrow": [{"at": list(row), "log": float(log_interval(*row))} for row in NARROW],
    "improvement": [{"at": list(row), "log": float(log_improvement(*row))} for row in IMPROVEMENTS],
}
path = Path(__file__).with_suffix(".json")
path.write_text(json.dumps(table, indent=1) + "\n")
