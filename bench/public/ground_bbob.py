"""
The 24 noiseless functions of COCO (Hansen et al. 2021) in 2, 5 and 10 inputs, in the box [-5, 5]^d. One number to make small. The seed of a
play is the instance of the function, 1 to 15, and draws the start, uniform in [-4, 4]^d, the same for all solvers. Values are recorded
above the optimum; 1e-8 ends a play, as in COCO.
"""

import contextlib
import functools
import tempfile
from pathlib import Path

import cocoex
import numpy as np
from game import Problem

SHAPE = "number"
PEERS = ("random", "cma", "pybobyqa", "cobyqa")
DIMENSIONS = (2, 5, 10)
PRECISION = 1e-8
STEP = 10**-0.2
"""Recorded improvements are at least this factor apart."""


def names():
    return [f"f{number:02}-{d}" for d in DIMENSIONS for number in range(1, 25)]


def budget_of(name, factor):
    return (factor or 50) * int(name.split("-")[1])


@functools.cache
def suite():
    return cocoex.Suite("bbob", "", "")


def optimum_of(function, d, instance):
    """The suite tells where the optimum is, by a file in the working folder; a fresh copy of the problem says what it is worth."""
    problem = suite().get_problem_by_function_dimension_instance(function, d, instance)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        problem._best_parameter("print")
        words = Path("._bbob_problem_best_parameter.txt").read_text().split()
    return float(problem([float(word) for word in words]))


def load(name, seed):
    function, d = (int(word) for word in name[1:].split("-"))
    problem = suite().get_problem_by_function_dimension_instance(function, d, seed)
    return Problem(
        name,
        np.full(d, -5.0),
        np.full(d, 5.0),
        np.random.default_rng(100 * function + seed).uniform(-4, 4, d),
        SHAPE,
        outputs=1,
        evaluate=lambda x: [problem(x)],
        least=optimum_of(function, d, seed),
        enough=PRECISION,
        step=STEP,
    )
